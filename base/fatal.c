/* Ends that are not the user's fault, and faults injected by tests. */
#include "base/fatal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local const char *current_stage;
static _Thread_local str current_item;

void fatal_set_item(const char *stage, str item) {
  current_stage = stage;
  current_item = item;
}

_Noreturn void fatal_bug(const char *file, int line, const char *fmt, ...) {
  fflush(stdout);
  fprintf(stderr, "mirdc: internal error at %s:%d: ", file, line);
  va_list ap;
  va_start(ap, fmt);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fputc('\n', stderr);
  if (current_stage) {
    struct strbuf shown = {0};
    sb_add_visible(&shown, current_item);
    fprintf(stderr, "  while: %s `%s`\n", current_stage, sb_z(&shown));
    sb_free(&shown);
  }
  fprintf(stderr, "  this is a bug in mirdc " MIRDC_VERSION "; please report it with the input\n");
#ifdef MIRDC_DEBUG
  abort();
#else
  _exit(101);
#endif
}

_Noreturn void fatal_no_memory(size_t wanted) {
  fprintf(stderr, "mirdc: out of memory (%zu bytes wanted)\n", wanted);
  _exit(101);
}

void *xmalloc(size_t n) {
  void *p = fault_here("alloc") ? NULL : malloc(n ? n : 1);
  if (!p)
    fatal_no_memory(n);
  return p;
}

void *xcalloc(size_t n) {
  void *p = fault_here("alloc") ? NULL : calloc(n ? n : 1, 1);
  if (!p)
    fatal_no_memory(n);
  return p;
}

void *xrealloc(void *old, size_t n) {
  void *p = fault_here("alloc") ? NULL : realloc(old, n ? n : 1);
  if (!p)
    fatal_no_memory(n);
  return p;
}

char *xstrdup(const char *z) {
  size_t n = strlen(z) + 1;
  return memcpy(xmalloc(n), z, n);
}

static bool fault_wanted;
static _Atomic long fault_left;
static char fault_site[32];

void fault_set(const char *spec) {
  const char *colon = spec ? strchr(spec, ':') : NULL;
  fault_wanted = false;
  if (!colon || (size_t)(colon - spec) >= sizeof fault_site)
    return;
  memset(fault_site, 0, sizeof fault_site);
  memcpy(fault_site, spec, (size_t)(colon - spec));
  fault_left = strtol(colon + 1, NULL, 10);
  fault_wanted = true;
}

/* Before any thread can ask. */
__attribute__((constructor)) static void fault_from_environment(void) {
  fault_set(getenv("MIRDC_FAULT"));
}

bool fault_here(const char *site) {
  return fault_wanted && strcmp(fault_site, site) == 0 && --fault_left == 0;
}
