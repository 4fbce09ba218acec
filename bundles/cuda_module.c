/* libmirdc, second half: modules on a device, through the CUDA driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "bundles/cuda_driver.h"
#include "bundles/libmirdc.h"

/* The kernel's side: a u64 variable that holds the device address of eight words, or null. A kernel
 * that traps writes state, code, block and thread there before it stops. The words lie in host
 * memory because the context is lost after a trap. */
#define TRAP_VARIABLE "__mirdc_trap_buf"
#define TRAP_WORDS 8u
#define TRAP_STRIDE 16u /* words; each bundle has its own codes and so its own record */

#define PLAIN_SHARED (48u * 1024u) /* more dynamic shared memory must be asked for */

struct loaded {
  size_t bundle;
  struct lib_choice choice;
  uint32_t unit;
  cu_module module;
};

struct mirdc_kernel {
  mirdc_module *module;
  const struct manifest_kernel *info;
  cu_function function;
  struct mirdc_kernel *next;
};

struct mirdc_module {
  const struct cuda_driver *d;
  mirdc_bundle *bundle; /* shared */
  cu_device device;
  cu_context context;
  struct loaded *units;
  size_t n_units;
  volatile uint32_t *traps; /* TRAP_STRIDE words for each bundle; NULL: no kernel reports */
  struct mirdc_kernel *kernels;
};

/* ---- Errors ---- */

static const struct cuda_driver *driver(mirdc_error *err) {
  char why[512];
  cu_result r;
  lib_clear(err);
  const struct cuda_driver *d = cuda_driver(why, sizeof why, &r);
  if (d == NULL) {
    (void)lib_fail(err, MIRDC_ERROR_NO_DRIVER, "%s", why);
    if (err != NULL)
      err->cuda = r;
  }
  return d;
}

static mirdc_status failed(const struct cuda_driver *d, cu_result r, const char *what,
                           mirdc_error *err) {
  char text[300];
  cuda_describe(d, r, text, sizeof text);
  mirdc_status s = r == CU_NO_DEVICE ? MIRDC_ERROR_NO_DRIVER : MIRDC_ERROR_CUDA;
  (void)lib_fail(err, s, "%s: %s", what, text);
  if (err != NULL)
    err->cuda = r;
  return s;
}

/* After a trap each call fails with an error that says little; the record says where. */
static mirdc_status module_failed(const mirdc_module *m, cu_result r, const char *what,
                                  mirdc_error *err) {
  mirdc_trap t;
  if (mirdc_trap_info(m, &t) != MIRDC_OK)
    return failed(m->d, r, what, err);
  if (t.file == NULL)
    (void)lib_fail(err, MIRDC_ERROR_TRAP,
                   "kernel trapped with code %u, which the manifest does not know, in block "
                   "%u,%u,%u, thread %u,%u,%u",
                   t.code, t.block[0], t.block[1], t.block[2], t.thread[0], t.thread[1],
                   t.thread[2]);
  else
    (void)lib_fail(err, MIRDC_ERROR_TRAP,
                   "kernel trapped at %s:%u:%u: %s, in block %u,%u,%u, thread %u,%u,%u", t.file,
                   t.line, t.column, t.message, t.block[0], t.block[1], t.block[2], t.thread[0],
                   t.thread[1], t.thread[2]);
  if (err != NULL)
    err->cuda = r;
  return MIRDC_ERROR_TRAP;
}

static mirdc_status enter(const mirdc_module *m, mirdc_error *err) {
  lib_clear(err);
  if (m == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "the module is NULL");
  cu_result r = m->d->set_current(m->context);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "setting the context", err);
}

/* ---- Devices ---- */

mirdc_status mirdc_device_count(int *out, mirdc_error *err) {
  const struct cuda_driver *d = driver(err);
  if (d == NULL)
    return MIRDC_ERROR_NO_DRIVER;
  if (out == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  cu_result r = d->device_count(out);
  return r == CU_OK ? MIRDC_OK : failed(d, r, "counting the devices", err);
}

static cu_result capability(const struct cuda_driver *d, cu_device dev, unsigned *major,
                            unsigned *minor) {
  int a = 0, b = 0;
  cu_result r = d->device_attribute(&a, CU_ATTR_CC_MAJOR, dev);
  if (r == CU_OK)
    r = d->device_attribute(&b, CU_ATTR_CC_MINOR, dev);
  *major = (unsigned)a;
  *minor = (unsigned)b;
  return r;
}

mirdc_status mirdc_device_info(int device, char *name, size_t n, unsigned *major, unsigned *minor,
                               mirdc_error *err) {
  const struct cuda_driver *d = driver(err);
  cu_device dev;
  if (d == NULL)
    return MIRDC_ERROR_NO_DRIVER;
  if (major == NULL || minor == NULL || (name == NULL && n > 0))
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  cu_result r = d->device_get(&dev, device);
  if (r == CU_OK)
    r = capability(d, dev, major, minor);
  if (r == CU_OK && n > 0)
    r = d->device_name(name, n > 1024 ? 1024 : (int)n, dev);
  return r == CU_OK ? MIRDC_OK : failed(d, r, "asking the device", err);
}

/* ---- Loading ---- */

static mirdc_status load_image(mirdc_module *m, const struct bundle *b, size_t section,
                               cu_module *out, mirdc_error *err) {
  struct source_map sources;
  struct diag_sink sink;
  struct arena a = {0};
  str image;
  mirdc_status status = MIRDC_OK;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  if (!bundle_payload(&sink, &a, b, section, &image)) {
    status = lib_fail(err, MIRDC_ERROR_BUNDLE, "%.*s", STR_ARG(sink.first->message));
  } else {
    /* PTX must be terminated; the driver also reads cubins best from aligned memory. */
    char *copy = arena_alloc(&a, image.n + 1, 64);
    char log[2048] = "";
    int options[] = {CU_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    memcpy(copy, image.p, image.n);
    cu_result r = m->d->module_load(out, copy, 2, options, values);
    if (r != CU_OK) {
      status = failed(m->d, r, "loading the code", err);
      size_t used = err != NULL ? strlen(err->text) : 0;
      if (err != NULL && log[0] != 0)
        (void)snprintf(err->text + used, sizeof err->text - used, "; the driver says: %s", log);
    }
  }
  arena_free(&a);
  diag_sink_free(&sink);
  source_map_free(&sources);
  return status;
}

static mirdc_status load_units(mirdc_module *m, size_t bundle, unsigned major, unsigned minor,
                               mirdc_error *err) {
  const struct bundle *b = &m->bundle->list[bundle];
  struct loaded one = {.bundle = bundle};
  if (b->manifest.n_kernels == 0)
    return MIRDC_OK;
  mirdc_status status = lib_choose(b, major, minor, &one.choice, err);
  for (size_t i = 0; i < b->n && status == MIRDC_OK; i++) {
    const struct bundle_section *s = &b->sections[i];
    if (s->kind != (uint32_t)one.choice.kind || gpu_arch_cmp(s->arch, one.choice.arch) != 0)
      continue;
    one.unit = s->unit;
    status = load_image(m, b, i, &one.module, err);
    if (status != MIRDC_OK)
      break;
    m->units = xrealloc(m->units, (m->n_units + 1) * sizeof *m->units);
    m->units[m->n_units++] = one;
  }
  return status;
}

static mirdc_status trap_memory(mirdc_module *m, mirdc_error *err) {
  void *p = NULL;
  size_t bytes = m->bundle->n * TRAP_STRIDE * sizeof(uint32_t);
  cu_result r = m->d->host_alloc(&p, bytes, CU_HOST_PORTABLE | CU_HOST_DEVICEMAP);
  if (r != CU_OK)
    return failed(m->d, r, "reserving the trap record", err);
  memset(p, 0, bytes);
  m->traps = p;
  return MIRDC_OK;
}

static mirdc_status connect_traps(mirdc_module *m, mirdc_error *err) {
  for (size_t i = 0; i < m->n_units; i++) {
    /* Asking for a variable that is not there would show up as an error in the CUDA tools. */
    if (!m->bundle->list[m->units[i].bundle].manifest.policy.trap_info)
      continue;
    cu_devptr variable, words;
    size_t size = 0;
    mirdc_status s = MIRDC_OK;
    cu_result r = m->d->module_global(&variable, &size, m->units[i].module, TRAP_VARIABLE);
    if (r == CU_NOT_FOUND)
      continue;
    if (r == CU_OK && size != sizeof words)
      return lib_fail(err, MIRDC_ERROR_BUNDLE, "`" TRAP_VARIABLE "` has %zu bytes instead of 8",
                      size);
    if (r == CU_OK && m->traps == NULL)
      s = trap_memory(m, err);
    if (s != MIRDC_OK)
      return s;
    if (r == CU_OK)
      r = m->d->host_device(&words, (void *)(uintptr_t)m->traps, 0);
    if (r == CU_OK) {
      words += m->units[i].bundle * TRAP_STRIDE * sizeof(uint32_t);
      r = m->d->upload(variable, &words, sizeof words);
    }
    if (r != CU_OK)
      return failed(m->d, r, "connecting the trap record", err);
  }
  return MIRDC_OK;
}

static mirdc_status load_all(mirdc_module *m, int device, mirdc_error *err) {
  unsigned major, minor;
  cu_result r = m->d->device_get(&m->device, device);
  if (r == CU_OK)
    r = capability(m->d, m->device, &major, &minor);
  if (r == CU_OK)
    r = m->d->primary_retain(&m->context, m->device);
  if (r == CU_OK)
    r = m->d->set_current(m->context);
  if (r != CU_OK)
    return failed(m->d, r, "opening the device", err);
  for (size_t i = 0; i < m->bundle->n; i++) {
    mirdc_status s = load_units(m, i, major, minor, err);
    if (s != MIRDC_OK)
      return s;
  }
  return connect_traps(m, err);
}

mirdc_status mirdc_load(const mirdc_bundle *b, int device, mirdc_module **out, mirdc_error *err) {
  lib_clear(err);
  if (b == NULL || out == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  *out = NULL;
  const struct cuda_driver *d = driver(err);
  if (d == NULL)
    return MIRDC_ERROR_NO_DRIVER;
  mirdc_module *m = xmalloc(sizeof *m);
  /* The count of users is the only thing in a bundle that changes. */
  union {
    const mirdc_bundle *in;
    mirdc_bundle *out;
  } shared = {b};
  *m = (mirdc_module){.d = d, .bundle = shared.out};
  atomic_fetch_add(&m->bundle->users, 1);
  mirdc_status s = load_all(m, device, err);
  if (s == MIRDC_OK)
    *out = m;
  else
    mirdc_unload(m);
  return s;
}

void mirdc_unload(mirdc_module *m) {
  if (m == NULL)
    return;
  if (m->context != NULL)
    (void)m->d->set_current(m->context);
  for (size_t i = 0; i < m->n_units; i++)
    (void)m->d->module_unload(m->units[i].module);
  if (m->traps != NULL)
    (void)m->d->host_free((void *)(uintptr_t)m->traps);
  if (m->context != NULL)
    (void)m->d->primary_release(m->device);
  while (m->kernels != NULL) {
    struct mirdc_kernel *next = m->kernels->next;
    free(m->kernels);
    m->kernels = next;
  }
  free(m->units);
  lib_release(m->bundle);
  free(m);
}

/* ---- Kernels ---- */

/* With cubins the manifest says which unit holds the kernel; PTX is asked unit by unit. */
static bool unit_may_hold(const struct loaded *u, const struct lib_kernel *k) {
  if (u->bundle != k->bundle)
    return false;
  if (u->choice.kind != PAYLOAD_CUBIN)
    return true;
  for (size_t i = 0; i < k->kernel->n_resources; i++) {
    const struct manifest_resources *r = &k->kernel->resources[i];
    if (gpu_arch_cmp(r->arch, u->choice.arch) == 0)
      return r->unit == u->unit;
  }
  return false;
}

static mirdc_status function_of(mirdc_module *m, const struct lib_kernel *k, cu_function *out,
                                mirdc_error *err) {
  cu_result r = CU_NOT_FOUND;
  for (size_t i = 0; i < m->n_units && r == CU_NOT_FOUND; i++) {
    if (unit_may_hold(&m->units[i], k))
      r = m->d->module_function(out, m->units[i].module, lib_z(k->kernel->name));
  }
  if (r == CU_NOT_FOUND)
    return lib_fail(err, MIRDC_ERROR_NOT_FOUND, "kernel `%s` is in the manifest but not in the code",
                    lib_z(k->kernel->name));
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "looking up the kernel", err);
}

/* What has to be asked for once: large clusters. */
static cu_result prepare_function(const mirdc_module *m, const struct launch_facts *f,
                                  cu_function function) {
  uint64_t blocks = (uint64_t)f->cluster[0] * f->cluster[1] * f->cluster[2];
  if ((f->flags & LAUNCH_CLUSTER) == 0 || blocks <= 8)
    return CU_OK;
  return m->d->function_set(function, CU_FUNC_NON_PORTABLE_CLUSTER, 1);
}

mirdc_status mirdc_get_kernel(mirdc_module *m, const char *name, const mirdc_kernel **out,
                              mirdc_error *err) {
  struct lib_kernel k;
  cu_function function = NULL;
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK)
    return s;
  if (out == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  *out = NULL;
  s = lib_find_kernel(m->bundle, name, &k, err);
  if (s == MIRDC_OK)
    s = function_of(m, &k, &function, err);
  if (s != MIRDC_OK)
    return s;
  cu_result r = prepare_function(m, &k.kernel->launch, function);
  if (r != CU_OK)
    return module_failed(m, r, "allowing a cluster of that size", err);
  struct mirdc_kernel *kernel = xmalloc(sizeof *kernel);
  *kernel = (struct mirdc_kernel){m, k.kernel, function, m->kernels};
  m->kernels = kernel;
  *out = kernel;
  return MIRDC_OK;
}

void *mirdc_kernel_function(const mirdc_kernel *k) {
  return k != NULL ? k->function : NULL;
}

static mirdc_status allow_shared(const mirdc_kernel *k, uint64_t bytes, mirdc_error *err) {
  const mirdc_module *m = k->module;
  int fixed = 0, most = 0;
  cu_result r = m->d->function_get(&fixed, CU_FUNC_SHARED, k->function);
  if (r == CU_OK && bytes + (uint64_t)fixed <= PLAIN_SHARED)
    return MIRDC_OK;
  if (r == CU_OK)
    r = m->d->device_attribute(&most, CU_ATTR_OPTIN_SHARED, m->device);
  if (r != CU_OK)
    return module_failed(m, r, "asking about shared memory", err);
  if (bytes + (uint64_t)fixed > (uint64_t)most)
    return lib_fail(err, MIRDC_ERROR_LAUNCH,
                    "kernel `%s`: %llu bytes of dynamic and %d of static shared memory; the device "
                    "has %d",
                    lib_z(k->info->name), (unsigned long long)bytes, fixed, most);
  r = m->d->function_set(k->function, CU_FUNC_MAX_DYN_SHARED, (int)bytes);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "asking for shared memory", err);
}

mirdc_status mirdc_launch(const mirdc_kernel *k, const uint32_t grid[3], const uint32_t block[3],
                          uint64_t dyn_shared, mirdc_stream stream, const void *const args[],
                          const size_t sizes[], size_t n, mirdc_error *err) {
  struct launch_request q;
  /* Parameters go in one block laid out by the manifest, so that it does not matter into how many
   * pieces the compiler cut a slice. */
  _Alignas(256) char buffer[MANIFEST_MAX_PARAM_BYTES];
  if (k == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "the kernel is NULL");
  mirdc_status s = enter(k->module, err);
  if (s == MIRDC_OK)
    s = lib_prepare(k->info, grid, block, dyn_shared, &q, err);
  size_t bytes = (size_t)manifest_param_bytes(k->info);
  memset(buffer, 0, bytes);
  if (s == MIRDC_OK)
    s = lib_arguments(k->info, args, sizes, n, buffer, err);
  if (s == MIRDC_OK)
    s = allow_shared(k, q.dyn_shared, err);
  if (s != MIRDC_OK)
    return s;
  void *extra[] = {CU_PARAM_BUFFER, buffer, CU_PARAM_BUFFER_SIZE, &bytes, CU_PARAM_END};
  cu_result r = k->module->d->launch(k->function, q.grid[0], q.grid[1], q.grid[2], q.block[0],
                                     q.block[1], q.block[2], (unsigned)q.dyn_shared, stream, NULL,
                                     bytes > 0 ? extra : NULL);
  return r == CU_OK ? MIRDC_OK : module_failed(k->module, r, "launching the kernel", err);
}

mirdc_status mirdc_sync(mirdc_module *m, mirdc_error *err) {
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK)
    return s;
  cu_result r = m->d->synchronize();
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "waiting for the device", err);
}

mirdc_status mirdc_trap_info(const mirdc_module *m, mirdc_trap *out) {
  if (m == NULL || out == NULL)
    return MIRDC_ERROR_ARGUMENT;
  for (size_t i = 0; m->traps != NULL && i < m->bundle->n; i++) {
    volatile uint32_t *w = m->traps + i * TRAP_STRIDE;
    if (w[0] == 0)
      continue;
    const struct manifest_trap *t = manifest_trap_find(&m->bundle->list[i].manifest, w[1]);
    *out = (mirdc_trap){.code = w[1]};
    for (size_t j = 0; j < 3; j++) {
      out->block[j] = w[2 + j];
      out->thread[j] = w[5 + j];
    }
    if (t != NULL) {
      out->file = lib_z(t->file);
      out->line = t->line;
      out->column = t->col;
      out->message = lib_z(t->message);
    }
    return MIRDC_OK;
  }
  return MIRDC_ERROR_NOT_FOUND;
}

/* ---- Globals ---- */

mirdc_status mirdc_global_address(mirdc_module *m, const char *name, mirdc_devptr *out,
                                  size_t *size, mirdc_error *err) {
  size_t bundle = 0;
  const struct manifest_global *g = NULL;
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK)
    return s;
  if (name == NULL || out == NULL || size == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  s = lib_find_global(m->bundle, name, &bundle, &g, err);
  if (s != MIRDC_OK)
    return s;
  for (size_t i = 0; i < m->n_units; i++) {
    const struct loaded *u = &m->units[i];
    if (u->bundle != bundle || u->unit != g->unit)
      continue;
    cu_result r = m->d->module_global(out, size, u->module, lib_z(g->name));
    if (r != CU_OK)
      return module_failed(m, r, "looking up the global", err);
    if (*size == g->size)
      return MIRDC_OK;
    return lib_fail(err, MIRDC_ERROR_MISMATCH, "global `%s` has %zu bytes, the manifest says %llu",
                    name, *size, (unsigned long long)g->size);
  }
  return lib_fail(err, MIRDC_ERROR_NOT_FOUND, "global `%s` is in no loaded link unit", name);
}

static mirdc_status global_range(mirdc_module *m, const char *name, uint64_t offset,
                                 const void *bytes, size_t n, mirdc_devptr *out,
                                 mirdc_error *err) {
  size_t size = 0;
  mirdc_status s = mirdc_global_address(m, name, out, &size, err);
  if (s != MIRDC_OK)
    return s;
  if (bytes == NULL && n > 0)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  if (offset > size || n > size - offset)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "%zu bytes at %llu do not lie in global `%s` of %zu",
                    n, (unsigned long long)offset, name, size);
  *out += offset;
  return MIRDC_OK;
}

mirdc_status mirdc_set_global(mirdc_module *m, const char *name, uint64_t offset, const void *bytes,
                              size_t n, mirdc_error *err) {
  mirdc_devptr p = 0;
  mirdc_status s = global_range(m, name, offset, bytes, n, &p, err);
  if (s != MIRDC_OK || n == 0)
    return s;
  cu_result r = m->d->upload(p, bytes, n);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "setting the global", err);
}

mirdc_status mirdc_get_global(mirdc_module *m, const char *name, uint64_t offset, void *bytes,
                              size_t n, mirdc_error *err) {
  mirdc_devptr p = 0;
  mirdc_status s = global_range(m, name, offset, bytes, n, &p, err);
  if (s != MIRDC_OK || n == 0)
    return s;
  cu_result r = m->d->download(bytes, p, n);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "reading the global", err);
}

/* ---- Memory and time ---- */

mirdc_status mirdc_alloc(mirdc_module *m, size_t n, mirdc_devptr *out, mirdc_error *err) {
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK)
    return s;
  if (out == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  cu_result r = m->d->mem_alloc(out, n > 0 ? n : 1);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "reserving device memory", err);
}

mirdc_status mirdc_free(mirdc_module *m, mirdc_devptr p, mirdc_error *err) {
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK)
    return s;
  cu_result r = m->d->mem_free(p);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "freeing device memory", err);
}

mirdc_status mirdc_upload(mirdc_module *m, mirdc_devptr to, const void *from, size_t n,
                          mirdc_error *err) {
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK || n == 0)
    return s;
  if (from == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  cu_result r = m->d->upload(to, from, n);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "copying to the device", err);
}

mirdc_status mirdc_download(mirdc_module *m, void *to, mirdc_devptr from, size_t n,
                            mirdc_error *err) {
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK || n == 0)
    return s;
  if (to == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  cu_result r = m->d->download(to, from, n);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "copying from the device", err);
}

mirdc_status mirdc_fill(mirdc_module *m, mirdc_devptr to, uint8_t byte, size_t n,
                        mirdc_error *err) {
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK || n == 0)
    return s;
  cu_result r = m->d->fill(to, byte, n);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "filling device memory", err);
}

mirdc_status mirdc_event_record(mirdc_module *m, mirdc_event *event, mirdc_stream stream,
                                mirdc_error *err) {
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK)
    return s;
  if (event == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  cu_result r = *event == NULL ? m->d->event_create(event, 0) : CU_OK;
  if (r == CU_OK)
    r = m->d->event_record(*event, stream);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "recording an event", err);
}

mirdc_status mirdc_event_elapsed(mirdc_module *m, mirdc_event start, mirdc_event end,
                                 float *milliseconds, mirdc_error *err) {
  mirdc_status s = enter(m, err);
  if (s != MIRDC_OK)
    return s;
  if (start == NULL || end == NULL || milliseconds == NULL)
    return lib_fail(err, MIRDC_ERROR_ARGUMENT, "a pointer is NULL");
  cu_result r = m->d->event_synchronize(end);
  if (r == CU_OK)
    r = m->d->event_elapsed(milliseconds, start, end);
  return r == CU_OK ? MIRDC_OK : module_failed(m, r, "waiting for an event", err);
}

void mirdc_event_free(mirdc_module *m, mirdc_event event) {
  if (m != NULL && event != NULL)
    (void)m->d->event_destroy(event);
}
