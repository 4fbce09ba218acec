/* libmirdc, first half: bundles, kernels and launches as data. Needs no driver. */
#include "bundles/libmirdc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/fs.h"

const char *mirdc_version(void) {
  return MIRDC_VERSION;
}

const char *mirdc_status_name(mirdc_status s) {
  static const char *const names[] = {"ok",        "bad argument", "file",    "bundle",
                                      "not found", "no driver",    "no code", "launch",
                                      "cuda",      "trap",         "mismatch"};
  return (unsigned)s < COUNT_OF(names) ? names[s] : "unknown";
}

void lib_clear(mirdc_error *err) {
  if (err != NULL)
    *err = (mirdc_error){0};
}

/* Programs print these texts as they are, and names in them come out of files. */
static void one_harmless_line(char *text, size_t n) {
  struct strbuf sb = {0};
  for (char *p = text; *p != 0; p++) {
    if (*p == '\n' || *p == '\t')
      *p = ' ';
  }
  sb_add_visible(&sb, str_from(text));
  (void)snprintf(text, n, "%s", sb_z(&sb));
  sb_free(&sb);
}

mirdc_status lib_fail(mirdc_error *err, mirdc_status s, const char *fmt, ...) {
  if (err == NULL)
    return s;
  va_list ap;
  va_start(ap, fmt);
  *err = (mirdc_error){.status = s};
  (void)vsnprintf(err->text, sizeof err->text, fmt, ap);
  va_end(ap);
  one_harmless_line(err->text, sizeof err->text);
  return s;
}

const char *lib_z(str s) {
  return s.n > 0 ? s.p : "";
}

/* The first diagnostic becomes the error's text. */
static mirdc_status fail_with(mirdc_error *err, mirdc_status s, const struct diag_sink *sink) {
  const struct diag *d = sink->first;
  if (d == NULL)
    return lib_fail(err, s, "failed");
  (void)lib_fail(err, s, "%.*s", STR_ARG(d->message));
  if (err != NULL)
    (void)snprintf(err->code, sizeof err->code, "%s", diag_code_info(d->code)->name);
  return s;
}

/* ---- Opening ---- */

static bool is_copy(const mirdc_bundle *b, const struct bundle *one) {
  for (size_t i = 0; i < b->n; i++) {
    if (str_eq(b->list[i].bytes, one->bytes))
      return true;
  }
  return false;
}

static bool walk(mirdc_bundle *b, struct diag_sink *s, str bytes, str path) {
  struct bundle one;
  size_t cap = 0;
  for (bool done;;) {
    if (!bundle_next(s, &b->arena, &bytes, path, &one, &done))
      return false;
    if (done)
      return true;
    /* The linker may have kept a library's bundle twice. */
    if (is_copy(b, &one))
      continue;
    if (b->n == cap) {
      cap = cap == 0 ? 4 : cap * 2;
      b->list = xrealloc(b->list, cap * sizeof *b->list);
    }
    b->list[b->n++] = one;
  }
}

/* Takes the bytes over, also on failure. */
static mirdc_status open_bytes(uint8_t *bytes, size_t n, const char *path, mirdc_bundle **out,
                               mirdc_error *err) {
  struct source_map sources;
  struct diag_sink sink;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  mirdc_bundle *b = xmalloc(sizeof *b);
  *b = (mirdc_bundle){.bytes = bytes};
  atomic_init(&b->users, 1);
  str name = arena_str(&b->arena, str_from(path));
  str all = {(const char *)bytes, n};
  mirdc_status status = MIRDC_OK;
  if (str_starts(all, STR("\177ELF"))) {
    if (!bundle_section_of_elf(&sink, all, name, &all))
      status = fail_with(err, MIRDC_ERROR_FILE, &sink);
    else if (all.n == 0)
      status = lib_fail(err, MIRDC_ERROR_NOT_FOUND, "%s: no embedded bundle", path);
  }
  if (status == MIRDC_OK && !walk(b, &sink, all, name))
    status = fail_with(err, MIRDC_ERROR_BUNDLE, &sink);
  if (status == MIRDC_OK && b->n == 0)
    status = lib_fail(err, MIRDC_ERROR_BUNDLE, "%s: no bundle", path);
  diag_sink_free(&sink);
  source_map_free(&sources);
  if (status == MIRDC_OK)
    *out = b;
  else
    lib_release(b);
  return status;
}

mirdc_status mirdc_open_file(const char *path, mirdc_bundle **out, mirdc_error *err) {
  struct bytes b = {0};
  lib_clear(err);
  if (path == NULL || out == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  *out = NULL;
  int e = fs_try_read(path, 0, &b);
  if (e != 0)
    return lib_fail(err, MIRDC_ERROR_FILE, "%s: %s", path, strerror(e));
  return open_bytes(b.p, b.n, path, out, err);
}

/* A program may be large and its bundles small, so it is mapped and only they are copied. Nobody
 * can cut the file of a running program short, so the mapping is safe to read. */
static mirdc_status open_mapped(const char *path, int fd, size_t n, mirdc_bundle **out,
                                mirdc_error *err) {
  void *map = n > 0 ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (map == MAP_FAILED)
    return lib_fail(err, MIRDC_ERROR_FILE, "%s: cannot be mapped", path);
  struct source_map sources;
  struct diag_sink sink;
  str section;
  mirdc_status status = MIRDC_OK;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  if (!bundle_section_of_elf(&sink, (str){map, n}, str_from(path), &section))
    status = fail_with(err, MIRDC_ERROR_FILE, &sink);
  else if (section.n == 0)
    status = lib_fail(err, MIRDC_ERROR_NOT_FOUND, "%s: no embedded bundle", path);
  diag_sink_free(&sink);
  source_map_free(&sources);
  if (status == MIRDC_OK) {
    uint8_t *copy = xmalloc(section.n + 1);
    memcpy(copy, section.p, section.n);
    status = open_bytes(copy, section.n, path, out, err);
  }
  (void)munmap(map, n);
  return status;
}

mirdc_status mirdc_open_self(mirdc_bundle **out, mirdc_error *err) {
  static const char path[] = "/proc/self/exe";
  struct stat st;
  lib_clear(err);
  if (out == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  *out = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st) != 0) {
    int e = errno;
    if (fd >= 0)
      (void)close(fd);
    return lib_fail(err, MIRDC_ERROR_FILE, "%s: %s", path, strerror(e));
  }
  mirdc_status status = open_mapped(path, fd, (size_t)st.st_size, out, err);
  (void)close(fd);
  return status;
}

mirdc_status mirdc_open_memory(const void *bytes, size_t n, mirdc_bundle **out, mirdc_error *err) {
  lib_clear(err);
  if ((bytes == NULL && n > 0) || out == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  *out = NULL;
  uint8_t *copy = xmalloc(n + 1);
  if (n > 0)
    memcpy(copy, bytes, n);
  return open_bytes(copy, n, "(memory)", out, err);
}

void lib_release(mirdc_bundle *b) {
  if (b == NULL || atomic_fetch_sub(&b->users, 1) != 1)
    return;
  arena_free(&b->arena);
  free(b->bytes);
  free(b->list);
  free(b);
}

void mirdc_close(mirdc_bundle *b) {
  lib_release(b);
}

mirdc_status mirdc_check(const mirdc_bundle *b, mirdc_error *err) {
  lib_clear(err);
  if (b == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "the bundle is NULL");
  struct source_map sources;
  struct diag_sink sink;
  mirdc_status status = MIRDC_OK;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  for (size_t i = 0; i < b->n && status == MIRDC_OK; i++) {
    if (!bundle_check(&sink, &b->list[i]))
      status = fail_with(err, MIRDC_ERROR_BUNDLE, &sink);
  }
  diag_sink_free(&sink);
  source_map_free(&sources);
  return status;
}

mirdc_status mirdc_dump(const mirdc_bundle *b, void *to, size_t room, size_t *size,
                        mirdc_error *err) {
  lib_clear(err);
  if (b == NULL || size == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  struct source_map sources;
  struct diag_sink sink;
  struct arena a = {0};
  mirdc_status status =
      lib_fail(err, MIRDC_ERROR_NOT_FOUND, "the bundle was made without prepared MIR in it");
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  for (size_t i = 0; i < b->n && status == MIRDC_ERROR_NOT_FOUND; i++) {
    size_t at = bundle_find(&b->list[i], PAYLOAD_PMIR, NULL, 0);
    str text;
    if (at == SIZE_MAX)
      continue;
    lib_clear(err);
    if (!bundle_payload(&sink, &a, &b->list[i], at, &text)) {
      status = fail_with(err, MIRDC_ERROR_BUNDLE, &sink);
      break;
    }
    status = MIRDC_OK;
    *size = text.n;
    if (to != NULL)
      memcpy(to, text.p, text.n < room ? text.n : room);
  }
  arena_free(&a);
  diag_sink_free(&sink);
  source_map_free(&sources);
  return status;
}

/* ---- Listing ---- */

size_t mirdc_kernel_count(const mirdc_bundle *b) {
  size_t n = 0;
  for (size_t i = 0; b != NULL && i < b->n; i++)
    n += b->list[i].manifest.n_kernels;
  return n;
}

static void kernel_info(const struct manifest_kernel *k, mirdc_kernel_info *out) {
  const struct launch_facts *f = &k->launch;
  *out = (mirdc_kernel_info){.name = lib_z(k->name),
                             .path = lib_z(k->path),
                             .n_params = k->n_params,
                             .param_bytes = manifest_param_bytes(k),
                             .facts = f->flags,
                             .max_block = f->max_block,
                             .min_blocks = f->min_blocks,
                             .dyn_shared = f->dyn_shared,
                             .dyn_shared_align = f->dyn_shared_align};
  memcpy(out->block, f->block, sizeof out->block);
  memcpy(out->cluster, f->cluster, sizeof out->cluster);
}

mirdc_status mirdc_kernel_at(const mirdc_bundle *b, size_t i, mirdc_kernel_info *out) {
  if (b == NULL || out == NULL)
    return MIRDC_ERROR_ARGUMENT;
  for (size_t j = 0; j < b->n; j++) {
    const struct manifest *m = &b->list[j].manifest;
    if (i < m->n_kernels) {
      kernel_info(&m->kernels[i], out);
      return MIRDC_OK;
    }
    i -= m->n_kernels;
  }
  return MIRDC_ERROR_NOT_FOUND;
}

/* The name of an instance that a launch asked for ends in the digest of its types: the same name is
 * the same kernel, whichever crates launch it (docs/generic-kernels.md). */
static bool is_instance(str name) {
  size_t n = 0;
  while (n < name.n && hex_digit(name.p[name.n - 1 - n]) >= 0)
    n++;
  return n == 32 && name.n > 33 && name.p[name.n - 33] == '_';
}

mirdc_status lib_find_kernel(const mirdc_bundle *b, const char *name, struct lib_kernel *out,
                             mirdc_error *err) {
  size_t found = 0;
  lib_clear(err);
  if (b == NULL || name == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  for (size_t i = 0; i < b->n; i++) {
    const struct manifest_kernel *k = manifest_kernel_find(&b->list[i].manifest, str_from(name));
    if (k == NULL)
      continue;
    *out = (struct lib_kernel){i, k};
    found++;
    if (is_instance(str_from(name)))
      break;
  }
  if (found == 1)
    return MIRDC_OK;
  return lib_fail(err, MIRDC_ERROR_NOT_FOUND,
                  found == 0 ? "no kernel `%s`" : "several bundles have a kernel `%s`", name);
}

mirdc_status mirdc_kernel_find(const mirdc_bundle *b, const char *name, mirdc_kernel_info *out,
                               mirdc_error *err) {
  struct lib_kernel k;
  mirdc_status s = lib_find_kernel(b, name, &k, err);
  if (s == MIRDC_OK && out == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  if (s == MIRDC_OK)
    kernel_info(k.kernel, out);
  return s;
}

mirdc_status mirdc_param_at(const mirdc_bundle *b, const char *kernel, size_t i,
                            mirdc_param_info *out, mirdc_error *err) {
  struct lib_kernel k;
  mirdc_status s = lib_find_kernel(b, kernel, &k, err);
  if (s != MIRDC_OK)
    return s;
  if (out == NULL || i >= k.kernel->n_params)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "kernel `%s` has %zu parameters", kernel,
                    k.kernel->n_params);
  const struct manifest_param *p = &k.kernel->params[i];
  *out = (mirdc_param_info){lib_z(p->name), lib_z(p->label), (int)p->kind, p->size,
                            p->align,       p->offset,       p->n_fields};
  return MIRDC_OK;
}

size_t mirdc_global_count(const mirdc_bundle *b) {
  size_t n = 0;
  for (size_t i = 0; b != NULL && i < b->n; i++)
    n += b->list[i].manifest.n_globals;
  return n;
}

mirdc_status mirdc_global_at(const mirdc_bundle *b, size_t i, mirdc_global_info *out) {
  if (b == NULL || out == NULL)
    return MIRDC_ERROR_ARGUMENT;
  for (size_t j = 0; j < b->n; j++) {
    const struct manifest *m = &b->list[j].manifest;
    if (i < m->n_globals) {
      const struct manifest_global *g = &m->globals[i];
      *out = (mirdc_global_info){lib_z(g->name), lib_z(g->path), g->space == SPACE_CONST, g->size,
                                 g->align};
      return MIRDC_OK;
    }
    i -= m->n_globals;
  }
  return MIRDC_ERROR_NOT_FOUND;
}

mirdc_status lib_find_global(const mirdc_bundle *b, const char *name, size_t *bundle,
                             const struct manifest_global **out, mirdc_error *err) {
  size_t found = 0;
  str want = str_from(name);
  for (size_t i = 0; i < b->n; i++) {
    const struct manifest *m = &b->list[i].manifest;
    for (size_t j = 0; j < m->n_globals; j++) {
      if (!str_eq(m->globals[j].name, want) && !str_eq(m->globals[j].path, want))
        continue;
      *bundle = i;
      *out = &m->globals[j];
      found++;
    }
  }
  if (found == 1)
    return MIRDC_OK;
  return lib_fail(err, MIRDC_ERROR_NOT_FOUND,
                  found == 0 ? "no global `%s`" : "several globals are called `%s`", name);
}

/* ---- Choosing ---- */

static const char *refuse(enum payload_kind kind, struct gpu_arch arch, unsigned major,
                          unsigned minor) {
  return kind == PAYLOAD_CUBIN ? gpu_arch_refuse_cubin(arch, major, minor)
                               : gpu_arch_refuse_ptx(arch, major, minor);
}

/* Why nothing fits, one clause for each candidate. */
static mirdc_status no_code(const struct bundle *b, unsigned major, unsigned minor,
                            mirdc_error *err) {
  struct strbuf sb = {0};
  for (size_t i = 0; i < b->n; i++) {
    const struct bundle_section *s = &b->sections[i];
    enum payload_kind kind = (enum payload_kind)s->kind;
    bool again = i > 0 && b->sections[i - 1].kind == s->kind &&
                 gpu_arch_cmp(b->sections[i - 1].arch, s->arch) == 0;
    if (again || (kind != PAYLOAD_CUBIN && kind != PAYLOAD_PTX && kind != PAYLOAD_LTOIR))
      continue;
    char suffix[2] = {s->arch.suffix, 0};
    sb_addf(&sb, "; %s sm_%u%s: %s", payload_kind_name(kind), (unsigned)s->arch.number, suffix,
            kind == PAYLOAD_LTOIR ? "must be linked first (`mirdc link`)"
                                  : refuse(kind, s->arch, major, minor));
  }
  mirdc_status status =
      lib_fail(err, MIRDC_ERROR_NO_CODE,
               "nothing in the bundle of `%s` runs on a device of compute capability %u.%u%s",
               lib_z(b->manifest.target), major, minor, sb_z(&sb));
  sb_free(&sb);
  return status;
}

/* Machine code before PTX, and among equals the newest that still runs: its rules and the order of
 * sections make that the last one that is not refused. */
mirdc_status lib_choose(const struct bundle *b, unsigned major, unsigned minor,
                        struct lib_choice *out, mirdc_error *err) {
  static const enum payload_kind kinds[] = {PAYLOAD_CUBIN, PAYLOAD_PTX};
  for (size_t k = 0; k < COUNT_OF(kinds); k++) {
    for (size_t i = b->n; i-- > 0;) {
      const struct bundle_section *s = &b->sections[i];
      if (s->kind != (uint32_t)kinds[k] || refuse(kinds[k], s->arch, major, minor) != NULL)
        continue;
      *out = (struct lib_choice){kinds[k], s->arch};
      return MIRDC_OK;
    }
  }
  return no_code(b, major, minor, err);
}

mirdc_status mirdc_choose(const mirdc_bundle *b, unsigned major, unsigned minor, char *what,
                          size_t n, mirdc_error *err) {
  lib_clear(err);
  if (b == NULL || (what == NULL && n > 0))
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  struct strbuf sb = {0};
  mirdc_status status = MIRDC_OK;
  for (size_t i = 0; i < b->n && status == MIRDC_OK; i++) {
    struct lib_choice c;
    if (b->list[i].manifest.n_kernels == 0)
      continue;
    status = lib_choose(&b->list[i], major, minor, &c, err);
    if (status != MIRDC_OK)
      break;
    char suffix[2] = {c.arch.suffix, 0};
    sb_addf(&sb, "%s%s sm_%u%s", sb.n > 0 ? ", " : "", payload_kind_name(c.kind),
            (unsigned)c.arch.number, suffix);
  }
  if (n > 0)
    (void)snprintf(what, n, "%s", sb_z(&sb));
  sb_free(&sb);
  return status;
}

/* ---- Launches ---- */

mirdc_status lib_prepare(const struct manifest_kernel *k, const uint32_t grid[3],
                         const uint32_t block[3], uint64_t dyn_shared, struct launch_request *out,
                         mirdc_error *err) {
  char why[256];
  const struct launch_facts *f = &k->launch;
  if (grid == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "the grid is NULL");
  if (block == NULL && (f->flags & LAUNCH_BLOCK) == 0)
    return lib_fail(err, MIRDC_ERROR_LAUNCH, "kernel `%s` fixes no block, so one must be given",
                    lib_z(k->name));
  memcpy(out->grid, grid, sizeof out->grid);
  memcpy(out->block, block != NULL ? block : f->block, sizeof out->block);
  out->dyn_shared = dyn_shared == MIRDC_COMPILED_SHARED ? f->dyn_shared : dyn_shared;
  if (launch_allows(f, out, why, sizeof why))
    return MIRDC_OK;
  return lib_fail(err, MIRDC_ERROR_LAUNCH, "kernel `%s`: %s", lib_z(k->name), why);
}

static mirdc_status bad_argument(mirdc_error *err, const struct manifest_kernel *k, size_t i,
                                 size_t got) {
  const struct manifest_param *p = &k->params[i];
  return lib_fail(err, MIRDC_ERROR_LAUNCH,
                  "kernel `%s`: parameter %zu `%s: %s` (%s) takes %llu bytes, the argument has %zu",
                  lib_z(k->name), i, lib_z(p->name), lib_z(p->label), param_kind_name(p->kind),
                  (unsigned long long)p->size, got);
}

static void place(char *buffer, uint64_t at, const void *from, size_t n) {
  if (buffer != NULL)
    memcpy(buffer + at, from, n);
}

mirdc_status lib_arguments(const struct manifest_kernel *k, const void *const args[],
                           const size_t sizes[], size_t n, char *buffer, mirdc_error *err) {
  size_t used = 0;
  if (n > 0 && (sizes == NULL || (buffer != NULL && args == NULL)))
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  for (size_t i = 0; i < k->n_params; i++) {
    const struct manifest_param *p = &k->params[i];
    if (used == n)
      return lib_fail(err, MIRDC_ERROR_LAUNCH,
                      "kernel `%s`: argument for parameter %zu `%s: %s` is missing", lib_z(k->name),
                      i, lib_z(p->name), lib_z(p->label));
    bool pair = p->kind == PARAM_SLICE && sizes[used] == 8 && n - used >= 2 && sizes[used + 1] == 8;
    if (sizes[used] != p->size && !pair)
      return bad_argument(err, k, i, sizes[used]);
    for (size_t part = 0; part < (pair ? 2u : 1u); part++, used++) {
      if (buffer != NULL && args[used] == NULL)
        return lib_fail(err, MIRDC_ERROR_ARGUMENT, "argument %zu is NULL", used);
      place(buffer, p->offset + part * 8, buffer != NULL ? args[used] : NULL, sizes[used]);
    }
  }
  if (used == n)
    return MIRDC_OK;
  return lib_fail(err, MIRDC_ERROR_LAUNCH, "kernel `%s` takes %zu arguments, the launch has %zu",
                  lib_z(k->name), used, n);
}

mirdc_status mirdc_validate(const mirdc_bundle *b, const char *kernel, const uint32_t grid[3],
                            const uint32_t block[3], uint64_t dyn_shared, const size_t sizes[],
                            size_t n, mirdc_error *err) {
  struct lib_kernel k;
  struct launch_request r;
  mirdc_status s = lib_find_kernel(b, kernel, &k, err);
  if (s == MIRDC_OK)
    s = lib_prepare(k.kernel, grid, block, dyn_shared, &r, err);
  if (s == MIRDC_OK)
    s = lib_arguments(k.kernel, NULL, sizes, n, NULL, err);
  return s;
}
