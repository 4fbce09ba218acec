#include "driver/session.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"

void sb_add_size(struct strbuf *b, uint64_t bytes) {
  if (bytes < 1024)
    sb_addf(b, "%llu B", (unsigned long long)bytes);
  else if (bytes < 1024 * 1024)
    sb_addf(b, "%.1f KiB", (double)bytes / 1024.0);
  else
    sb_addf(b, "%.1f MiB", (double)bytes / (1024.0 * 1024.0));
}

void session_say(const struct session *s, const char *fmt, ...) {
  if (s->quiet || s->json)
    return;
  va_list ap;
  va_start(ap, fmt);
  vprintf(fmt, ap);
  va_end(ap);
}

void *session_open_library(struct arena *a, const char *const *files, char **tried) {
  for (; *files; files++) {
    *tried = path_join(a, path_self_dir(a), *files);
    void *h = dlopen(*tried, RTLD_NOW | RTLD_LOCAL);
    if (h)
      return h;
  }
  return NULL;
}

/* dlsym gives an object pointer; ISO C has no cast from there to a function pointer. */
void session_library_function(void *lib, const char *name, void *out) {
  void *p = dlsym(lib, name);
  memcpy(out, &p, sizeof p);
}
