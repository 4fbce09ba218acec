#include "bundles/cuda_driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cuda_driver table;
static bool ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct symbol {
  const char *name;
  size_t offset;
};
static const struct symbol symbols[] = {
#define CUDA(member, symbol, args) {symbol, offsetof(struct cuda_driver, member)},
#include "bundles/cuda_driver.def"
#undef CUDA
};

static bool resolve(void *lib, char *why, size_t n) {
  for (size_t i = 0; i < COUNT_OF(symbols); i++) {
    void *p = dlsym(lib, symbols[i].name);
    if (p == NULL) {
      (void)snprintf(why, n, "the CUDA driver is too old: it has no `%s`", symbols[i].name);
      return false;
    }
    /* The way POSIX shows for function pointers out of dlsym. */
    memcpy((char *)&table + symbols[i].offset, &p, sizeof p);
  }
  return true;
}

static bool open_driver(char *why, size_t n, cu_result *result) {
  const char *name = getenv("MIRDC_LIBCUDA");
  if (name == NULL || name[0] == 0)
    name = "libcuda.so.1";
  void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (lib == NULL) {
    const char *e = dlerror();
    (void)snprintf(why, n, "the CUDA driver cannot be opened: %s", e != NULL ? e : name);
    return false;
  }
  if (resolve(lib, why, n)) {
    *result = table.init(0);
    if (*result == CU_OK)
      return true;
    char text[256];
    cuda_describe(&table, *result, text, sizeof text);
    (void)snprintf(why, n, "the CUDA driver does not start: %s", text);
  }
  (void)dlclose(lib);
  return false;
}

const struct cuda_driver *cuda_driver(char *why, size_t n, cu_result *result) {
  *result = CU_OK;
  (void)pthread_mutex_lock(&lock);
  if (!ready)
    ready = open_driver(why, n, result);
  bool ok = ready;
  (void)pthread_mutex_unlock(&lock);
  return ok ? &table : NULL;
}

void cuda_describe(const struct cuda_driver *d, cu_result r, char *out, size_t n) {
  const char *name = NULL, *text = NULL;
  if (d->error_name(r, &name) != CU_OK || name == NULL)
    name = "unknown CUDA error";
  if (d->error_string(r, &text) != CU_OK || text == NULL)
    text = "";
  (void)snprintf(out, n, "%s (%d)%s%s", name, r, text[0] != 0 ? ": " : "", text);
}
