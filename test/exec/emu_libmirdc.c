/* The parts of libmirdc that host programs of the examples and of test/gpu use, over the emulator:
 * such a program runs without a GPU when it finds this library in place of libmirdc, and is given
 * prepared MIR in place of a bundle. EMU_OPT is the optimisation level (2), EMU_CHECKS the checks
 * (all). What the checks find fails the launch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundles/mirdc.h"
#include "emulator/emu.h"

struct mirdc_bundle {
  char *text;
  size_t n;
  char *path;
};

struct mirdc_kernel {
  struct mirdc_module *m;
  uint32_t index;
};

struct mirdc_module {
  mirdc_emu *e;
  struct mirdc_kernel *kernels;
  mirdc_error pending; /* of launches since the last wait */
};

static mirdc_status failed(mirdc_error *err, mirdc_status s, const char *text) {
  if (err) {
    *err = (mirdc_error){.status = s};
    snprintf(err->text, sizeof err->text, "%s", text);
  }
  return s;
}

MIRDC_API const char *mirdc_version(void) {
  return "emulator";
}

MIRDC_API const char *mirdc_status_name(mirdc_status s) {
  return s == MIRDC_OK ? "ok" : "error";
}

MIRDC_API mirdc_status mirdc_open_file(const char *path, mirdc_bundle **out, mirdc_error *err) {
  FILE *f = fopen(path, "rb");
  if (!f)
    return failed(err, MIRDC_ERROR_FILE, path);
  mirdc_bundle *b = calloc(1, sizeof *b);
  size_t room = 1u << 26;
  b->text = malloc(room);
  b->n = fread(b->text, 1, room, f);
  b->path = malloc(strlen(path) + 1);
  memcpy(b->path, path, strlen(path) + 1);
  fclose(f);
  *out = b;
  return MIRDC_OK;
}

MIRDC_API void mirdc_close(mirdc_bundle *b) {
  if (!b)
    return;
  free(b->text);
  free(b->path);
  free(b);
}

MIRDC_API mirdc_status mirdc_device_info(int device, char *name, size_t n, unsigned *major,
                                         unsigned *minor, mirdc_error *err) {
  (void)device, (void)err;
  snprintf(name, n, "the emulator");
  *major = 9;
  *minor = 0;
  return MIRDC_OK;
}

MIRDC_API mirdc_status mirdc_choose(const mirdc_bundle *b, unsigned major, unsigned minor,
                                    char *what, size_t n, mirdc_error *err) {
  (void)b, (void)major, (void)minor, (void)err;
  snprintf(what, n, "prepared MIR");
  return MIRDC_OK;
}

MIRDC_API mirdc_status mirdc_compare_descriptor(const mirdc_bundle *b, const void *descriptor,
                                                mirdc_error *err) {
  (void)b, (void)descriptor, (void)err;
  return MIRDC_OK;
}

static uint32_t setting(const char *name, uint32_t usual) {
  const char *v = getenv(name);
  return v ? (uint32_t)strtoul(v, NULL, 0) : usual;
}

MIRDC_API mirdc_status mirdc_load(const mirdc_bundle *b, int device, mirdc_module **out,
                                  mirdc_error *err) {
  (void)device;
  mirdc_emu_options o = {.struct_size = sizeof o, .opt = setting("EMU_OPT", 2)};
  o.checks = setting("EMU_CHECKS", MIRDC_EMU_ALL);
  mirdc_module *m = calloc(1, sizeof *m);
  *out = m;
  if (mirdc_emu_open(b->text, b->n, b->path, &o, &m->e) != MIRDC_EMU_OK)
    return failed(err, MIRDC_ERROR_BUNDLE, mirdc_emu_messages(m->e, 0));
  uint32_t n = mirdc_emu_kernel_count(m->e);
  m->kernels = calloc(n + 1, sizeof *m->kernels);
  for (uint32_t i = 0; i < n; i++)
    m->kernels[i] = (struct mirdc_kernel){m, i};
  return MIRDC_OK;
}

MIRDC_API void mirdc_unload(mirdc_module *m) {
  mirdc_emu_close(m->e);
  free(m->kernels);
  free(m);
}

MIRDC_API mirdc_status mirdc_get_kernel(mirdc_module *m, const char *name, const mirdc_kernel **out,
                                        mirdc_error *err) {
  uint32_t i = mirdc_emu_find_kernel(m->e, name);
  if (i == UINT32_MAX)
    return failed(err, MIRDC_ERROR_NOT_FOUND, name);
  *out = &m->kernels[i];
  return MIRDC_OK;
}

/* A slice may come as one argument of 16 bytes. */
static mirdc_status pack(const mirdc_kernel *k, const void *const args[], const size_t sizes[],
                         size_t n, unsigned char *block, mirdc_error *err) {
  mirdc_emu_param p;
  uint32_t at = 0;
  for (size_t i = 0; i < n; i++) {
    if (!mirdc_emu_get_param(k->m->e, k->index, at++, &p))
      return failed(err, MIRDC_ERROR_LAUNCH, "too many arguments");
    int both = p.pass == MIRDC_EMU_SLICE_ADDRESS && sizes[i] == 16;
    if (!both && p.size != sizes[i])
      return failed(err, MIRDC_ERROR_LAUNCH, p.name);
    memcpy(block + p.offset, args[i], p.size);
    if (!both)
      continue;
    mirdc_emu_get_param(k->m->e, k->index, at++, &p);
    memcpy(block + p.offset, (const char *)args[i] + 8, 8);
  }
  if (mirdc_emu_get_param(k->m->e, k->index, at, &p))
    return failed(err, MIRDC_ERROR_LAUNCH, "too few arguments");
  return MIRDC_OK;
}

MIRDC_API mirdc_status mirdc_launch(const mirdc_kernel *k, const uint32_t grid[3],
                                    const uint32_t block[3], uint64_t dyn_shared,
                                    mirdc_stream stream, const void *const args[],
                                    const size_t sizes[], size_t n, mirdc_error *err) {
  static unsigned char params[32768];
  mirdc_emu_kernel info;
  size_t printed;
  (void)stream;
  mirdc_emu_get_kernel(k->m->e, k->index, &info);
  if (!block)
    block = info.block;
  if (dyn_shared == MIRDC_COMPILED_SHARED)
    dyn_shared = info.dynamic_shared;
  mirdc_status s = pack(k, args, sizes, n, params, err);
  if (s != MIRDC_OK)
    return s;
  mirdc_emu_launch l = {sizeof l,
                        {grid[0], grid[1], grid[2]},
                        {block[0], block[1], block[2]},
                        dyn_shared,
                        params,
                        sizeof params,
                        0};
  mirdc_emu_status r = mirdc_emu_run(k->m->e, k->index, &l);
  const char *text = mirdc_emu_printed(k->m->e, &printed);
  fwrite(text, 1, printed, stdout);
  fflush(stdout);
  if (r == MIRDC_EMU_REFUSED)
    return failed(err, MIRDC_ERROR_LAUNCH, mirdc_emu_messages(k->m->e, 0));
  if (r != MIRDC_EMU_OK)
    failed(&k->m->pending, r == MIRDC_EMU_STOPPED ? MIRDC_ERROR_TRAP : MIRDC_ERROR_CUDA,
           mirdc_emu_messages(k->m->e, 0));
  return MIRDC_OK;
}

MIRDC_API mirdc_status mirdc_sync(mirdc_module *m, mirdc_error *err) {
  mirdc_error e = m->pending;
  m->pending.status = MIRDC_OK;
  return e.status == MIRDC_OK ? MIRDC_OK : failed(err, e.status, e.text);
}

/* ---- memory and globals ---- */
MIRDC_API mirdc_status mirdc_alloc(mirdc_module *m, size_t n, mirdc_devptr *out, mirdc_error *err) {
  *out = mirdc_emu_alloc(m->e, "buffer", n, 256, 1);
  return *out ? MIRDC_OK : failed(err, MIRDC_ERROR_CUDA, "no memory");
}

MIRDC_API mirdc_status mirdc_free(mirdc_module *m, mirdc_devptr p, mirdc_error *err) {
  (void)err;
  mirdc_emu_release(m->e, p);
  return MIRDC_OK;
}

MIRDC_API mirdc_status mirdc_upload(mirdc_module *m, mirdc_devptr to, const void *from, size_t n,
                                    mirdc_error *err) {
  (void)m, (void)err;
  memcpy((void *)(uintptr_t)to, from, n);
  return MIRDC_OK;
}

MIRDC_API mirdc_status mirdc_download(mirdc_module *m, void *to, mirdc_devptr from, size_t n,
                                      mirdc_error *err) {
  (void)m, (void)err;
  memcpy(to, (const void *)(uintptr_t)from, n);
  return MIRDC_OK;
}

MIRDC_API mirdc_status mirdc_fill(mirdc_module *m, mirdc_devptr to, uint8_t byte, size_t n,
                                  mirdc_error *err) {
  (void)m, (void)err;
  memset((void *)(uintptr_t)to, byte, n);
  return MIRDC_OK;
}

static mirdc_status global(mirdc_module *m, const char *name, uint64_t offset, size_t n, char **out,
                           mirdc_error *err) {
  mirdc_emu_static s;
  if (!mirdc_emu_find_static(m->e, name, &s) || offset > s.size || n > s.size - offset)
    return failed(err, MIRDC_ERROR_NOT_FOUND, name);
  *out = (char *)(uintptr_t)s.address + offset;
  return MIRDC_OK;
}

MIRDC_API mirdc_status mirdc_set_global(mirdc_module *m, const char *name, uint64_t offset,
                                        const void *bytes, size_t n, mirdc_error *err) {
  char *p;
  mirdc_status s = global(m, name, offset, n, &p, err);
  if (s == MIRDC_OK)
    memcpy(p, bytes, n);
  return s;
}

MIRDC_API mirdc_status mirdc_get_global(mirdc_module *m, const char *name, uint64_t offset,
                                        void *bytes, size_t n, mirdc_error *err) {
  char *p;
  mirdc_status s = global(m, name, offset, n, &p, err);
  if (s == MIRDC_OK)
    memcpy(bytes, p, n);
  return s;
}

/* ---- time: none ---- */
MIRDC_API mirdc_status mirdc_event_record(mirdc_module *m, mirdc_event *event, mirdc_stream stream,
                                          mirdc_error *err) {
  (void)m, (void)event, (void)stream, (void)err;
  return MIRDC_OK;
}

MIRDC_API mirdc_status mirdc_event_elapsed(mirdc_module *m, mirdc_event start, mirdc_event end,
                                           float *milliseconds, mirdc_error *err) {
  (void)m, (void)start, (void)end, (void)err;
  *milliseconds = 0;
  return MIRDC_OK;
}

MIRDC_API void mirdc_event_free(mirdc_module *m, mirdc_event event) {
  (void)m, (void)event;
}
