/* The reader's check and extraction. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bundles/record.h"
#include "driver/read.h"
#include "linkers/link_input.h"

struct checking {
  struct reader_run *r;
  const struct bundle *b;
  bool ok;
};

static void PRINTF_LIKE(2, 3) disagree(struct checking *c, const char *fmt, ...) {
  char text[400];
  va_list ap;
  va_start(ap, fmt);
  (void)vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  struct diag *d =
      diag_error(&c->r->sink, MD0544, SPAN_NONE, "%.*s: %s", STR_ARG(c->b->path), text);
  diag_help(d, "build the bundle again");
  c->ok = false;
}

static void check_number(struct checking *c, const struct manifest_kernel *k, const char *what,
                         uint64_t manifest, uint64_t cubin) {
  if (cubin == CUBIN_UNKNOWN || manifest == cubin)
    return;
  disagree(c, "kernel `%.*s`: %s is %" PRIu64 " in the manifest and %" PRIu64 " in the cubin",
           STR_ARG(k->name), what, manifest, cubin);
}

static void check_dims(struct checking *c, const struct manifest_kernel *k, const char *what,
                       const uint32_t manifest[3], const uint32_t cubin[3]) {
  if (memcmp(manifest, cubin, 3 * sizeof *cubin) == 0)
    return;
  disagree(c, "kernel `%.*s`: %s is %u,%u,%u in the manifest and %u,%u,%u in the cubin",
           STR_ARG(k->name), what, manifest[0], manifest[1], manifest[2], cubin[0], cubin[1],
           cubin[2]);
}

static void check_kernel(struct checking *c, const struct manifest_kernel *k,
                         const struct manifest_resources *r, const struct cubin *cubin) {
  const struct cubin_kernel *got = cubin_kernel(cubin, k->name);
  if (got == NULL) {
    disagree(c, "kernel `%.*s` is not in the cubin for sm_%u, link unit %u", STR_ARG(k->name),
             (unsigned)r->arch.number, r->unit);
    return;
  }
  check_number(c, k, "the number of registers", r->registers, got->registers);
  check_number(c, k, "the stack", r->stack, got->frame_bytes);
  check_number(c, k, "shared memory", r->shared, got->shared_static);
  check_number(c, k, "the size of the code", r->code, got->code_size);
  check_number(c, k, "the size of the parameters", manifest_param_bytes(k), got->param_bytes);
  if ((k->launch.flags & LAUNCH_BLOCK) != 0)
    check_dims(c, k, "the block", k->launch.block, got->reqntid);
  if ((k->launch.flags & LAUNCH_CLUSTER) != 0)
    check_dims(c, k, "the cluster", k->launch.cluster, got->cluster);
}

static void check_cubin(struct checking *c, size_t section, str image) {
  const struct bundle_section *s = &c->b->sections[section];
  struct cubin cubin;
  if (!cubin_open(&c->r->sink, &c->r->arena, c->b->path, image, &cubin)) {
    c->ok = false;
    return;
  }
  if (cubin.cc != s->arch.number)
    disagree(c, "section %zu is a cubin for sm_%u, the table says sm_%u", section,
             (unsigned)cubin.cc, (unsigned)s->arch.number);
  for (size_t i = 0; i < c->b->manifest.n_kernels; i++) {
    const struct manifest_kernel *k = &c->b->manifest.kernels[i];
    for (size_t j = 0; j < k->n_resources; j++) {
      const struct manifest_resources *r = &k->resources[j];
      if (r->unit == s->unit && gpu_arch_cmp(r->arch, s->arch) == 0)
        check_kernel(c, k, r, &cubin);
    }
  }
  for (uint32_t i = 0; i < cubin.n_kernels; i++) {
    str name = cubin.kernels[i].name;
    const struct manifest_kernel *k = manifest_kernel_find(&c->b->manifest, name);
    if (k == NULL || !str_eq(k->name, name))
      disagree(c, "section %zu holds a kernel `%.*s` that the manifest does not list", section,
               STR_ARG(name));
  }
}

static bool check_bundle(struct reader_run *r, const struct bundle *b) {
  struct checking c = {r, b, true};
  for (size_t i = 0; i < b->n; i++) {
    struct arena_mark mark = arena_save(&r->arena);
    str bytes;
    if (!bundle_payload(&r->sink, &r->arena, b, i, &bytes))
      c.ok = false;
    else if (b->sections[i].kind == PAYLOAD_CUBIN)
      check_cubin(&c, i, bytes);
    else if (b->sections[i].kind == PAYLOAD_LTOIR && !ltoir_well_formed(bytes))
      disagree(&c, "section %zu is no well-formed LTO-IR", i);
    arena_rewind(&r->arena, mark);
  }
  return c.ok;
}

static bool check_record(struct reader_run *r, const struct read_file *f) {
  struct record rec;
  if (!record_read(&r->sink, &r->arena, f->text, str_from(f->path), &rec))
    return false;
  char *dir = arena_strz(&r->arena, path_dir(str_from(f->path)));
  return record_verify(&r->sink, &rec, dir);
}

bool read_check(struct reader_run *r, const struct read_file *f) {
  bool ok = true;
  struct arena_mark mark = arena_save(&r->arena);
  size_t start = r->out.n;
  if (f->type == TYPE_RECORD) {
    ok = check_record(r, f);
  } else if (f->n_bundles > 0) {
    for (size_t i = 0; i < f->n_bundles; i++)
      ok = check_bundle(r, &f->bundles[i]) && ok;
  } else {
    /* Other files have nothing to be compared with; that they can be listed is the check. */
    ok = read_show_text(r, f);
    r->out.n = start;
  }
  arena_rewind(&r->arena, mark);
  if (ok && r->values[RD_QUIET] == NULL) {
    read_add_name(&r->out, str_from(f->path));
    sb_addz(&r->out, ": ok\n");
  }
  return ok;
}

/* ---- Extraction ---- */

struct wanted {
  enum payload_kind kind;
  bool any_arch, any_unit;
  struct gpu_arch arch;
  uint64_t unit;
};

static bool parse_wanted(struct reader_run *r, str what, struct wanted *out) {
  size_t colon = str_find_char(what, ':', 0);
  str kind = colon == SIZE_MAX ? what : str_sub(what, 0, colon);
  str arch = colon == SIZE_MAX ? STR("") : str_drop(what, colon + 1), unit = STR("");
  size_t second = str_find_char(arch, ':', 0);
  if (second != SIZE_MAX) {
    unit = str_drop(arch, second + 1);
    arch = str_sub(arch, 0, second);
  }
  *out = (struct wanted){.any_arch = arch.n == 0, .any_unit = unit.n == 0};
  if (payload_kind_parse(kind, &out->kind) && (arch.n == 0 || gpu_arch_parse(arch, &out->arch)) &&
      (unit.n == 0 || str_to_u64(unit, &out->unit)))
    return true;
  struct diag *d =
      diag_error(&r->sink, MD0543, SPAN_NONE, "`%.*s` names no payload", STR_ARG(what));
  diag_help(d, "write KIND[:ARCH[:UNIT]], for example `cubin:sm_90:0`");
  return false;
}

static bool matches(const struct wanted *w, const struct bundle_section *s) {
  return s->kind == (uint32_t)w->kind && (w->any_arch || gpu_arch_cmp(s->arch, w->arch) == 0) &&
         (w->any_unit || s->unit == w->unit);
}

static bool find_wanted(struct reader_run *r, const struct read_file *f, const char *what,
                        const struct bundle **b, size_t *section) {
  struct wanted w;
  size_t n = 0;
  struct strbuf list = {0};
  if (!parse_wanted(r, str_from(what), &w))
    return false;
  for (size_t i = 0; i < f->n_bundles; i++) {
    for (size_t j = 0; j < f->bundles[i].n; j++) {
      const struct bundle_section *s = &f->bundles[i].sections[j];
      if (!matches(&w, s))
        continue;
      *b = &f->bundles[i];
      *section = j;
      sb_addf(&list, "%s%s:%.*s:%u", n++ > 0 ? ", " : "", payload_kind_name(w.kind),
              STR_ARG(gpu_arch_str(&r->arena, s->arch)), s->unit);
    }
  }
  if (n != 1) {
    struct diag *d =
        diag_error(&r->sink, MD0543, SPAN_NONE,
                   n == 0 ? "%s: no payload `%s`" : "%s: several payloads `%s`", f->path, what);
    if (n > 1)
      diag_help(d, "one of %s", sb_z(&list));
    else
      diag_help(d, "list the payloads with `mirdc-read`");
  }
  sb_free(&list);
  return n == 1;
}

bool read_extract(struct reader_run *r, const struct read_file *f, const char *what,
                  const char *to) {
  const struct bundle *b = NULL;
  size_t section = 0;
  str bytes;
  if (f->n_bundles == 0) {
    diag_error(&r->sink, MD0543, SPAN_NONE, "%s is a %s, which holds no payloads", f->path,
               read_type_name(f->type));
    return false;
  }
  if (!find_wanted(r, f, what, &b, &section) ||
      !bundle_payload(&r->sink, &r->arena, b, section, &bytes))
    return false;
  if (to == NULL || to[0] == 0) {
    struct diag *d = diag_error(&r->sink, MD0543, SPAN_NONE, "no output file for `%s`", what);
    diag_help(d, "add `-o FILE`, or `-o -` for standard output");
    return false;
  }
  if (strcmp(to, "-") == 0) {
    sb_add(&r->out, bytes);
    return true;
  }
  if (fs_same_file(to, f->path)) {
    struct diag *d =
        diag_error(&r->sink, MD0016, SPAN_NONE, "the output `%s` is the input `%s`", to, f->path);
    diag_help(d, "choose another name");
    return false;
  }
  return fs_write_atomic(&r->sink, to, bytes);
}
