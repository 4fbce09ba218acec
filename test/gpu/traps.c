/* Each reason for a stop, with the place that the loader reads back; and that the release profile
 * wraps where dev stops. A trap ends the context, so each launch has a process of its own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "examples/common/mirdc_host.h"

enum { LINE_NONE = 0 };

struct outcome {
  int status; /* of mirdc_sync */
  uint32_t value;
  int has_trap;
  uint32_t line;
  char file[64], message[96];
};

static struct outcome launch(const char *path, const char *kernel, const struct host_arg *args,
                             size_t n) {
  struct outcome o = {0};
  mirdc_error err;
  mirdc_bundle *b;
  mirdc_module *m;
  const mirdc_kernel *k;
  mirdc_devptr out, table;
  uint32_t one[3] = {1, 1, 1};
  uint64_t len = 4;
  int32_t values[4] = {10, 20, 30, 40};
  o.status = -1;
  if (mirdc_open_file(path, &b, &err) || mirdc_load(b, 0, &m, &err) ||
      mirdc_get_kernel(m, kernel, &k, &err) || mirdc_alloc(m, 16, &out, &err) ||
      mirdc_alloc(m, 16, &table, &err) || mirdc_upload(m, table, values, 16, &err)) {
    fprintf(stderr, "%s\n", err.text);
    return o;
  }
  const void *ptrs[5] = {&out};
  size_t sizes[5] = {8}, count = 1;
  if (strcmp(kernel, "index") == 0) {
    ptrs[count] = &table, sizes[count++] = 8;
    ptrs[count] = &len, sizes[count++] = 8;
  }
  for (size_t i = 0; i < n; i++)
    ptrs[count] = args[i].p, sizes[count++] = args[i].n;
  if (mirdc_launch(k, one, one, 0, NULL, ptrs, sizes, count, &err)) {
    fprintf(stderr, "%s\n", err.text);
    return o;
  }
  o.status = mirdc_sync(m, &err);
  if (o.status == MIRDC_OK && mirdc_download(m, &o.value, out, 4, &err))
    o.status = -1;
  mirdc_trap t;
  if (o.status != MIRDC_OK && mirdc_trap_info(m, &t) == MIRDC_OK) {
    o.has_trap = 1;
    o.line = t.line;
    snprintf(o.file, sizeof o.file, "%s", t.file ? t.file : "");
    snprintf(o.message, sizeof o.message, "%s", t.message ? t.message : "");
  }
  return o;
}

static struct outcome in_a_child(const char *path, const char *kernel, const struct host_arg *args,
                                 size_t n) {
  int fd[2];
  struct outcome o = {.status = -1};
  if (pipe(fd))
    return o;
  if (fork() == 0) {
    o = launch(path, kernel, args, n);
    _exit(write(fd[1], &o, sizeof o) != sizeof o);
  }
  close(fd[1]);
  if (read(fd[0], &o, sizeof o) != sizeof o)
    o.status = -1;
  close(fd[0]);
  wait(NULL);
  return o;
}

static unsigned passed, failed;
static void report(const char *name, int ok, const struct outcome *o) {
  printf("%s %s\n", ok ? "ok" : "not ok", name);
  if (!ok)
    printf("   status %d, value %u, trap %d, %s:%u: %s\n", o->status, o->value, o->has_trap, o->file,
           o->line, o->message);
  ok ? passed++ : failed++;
}

static void stops(const char *path, const char *name, const char *kernel, const char *message,
                  uint32_t line, const struct host_arg *args, size_t n) {
  struct outcome o = in_a_child(path, kernel, args, n);
  int ok = o.status == MIRDC_ERROR_TRAP && o.has_trap && strstr(o.message, message) != NULL &&
           o.line == line && strstr(o.file, "traps.rs") != NULL;
  report(name, ok, &o);
}

static void gives(const char *path, const char *name, const char *kernel, uint32_t want,
                  const struct host_arg *args, size_t n) {
  struct outcome o = in_a_child(path, kernel, args, n);
  report(name, o.status == MIRDC_OK && o.value == want, &o);
}

#define ARGS(...)                                                                                  \
  (struct host_arg[]){__VA_ARGS__}, sizeof((struct host_arg[]){__VA_ARGS__}) / sizeof(struct host_arg)

int main(int argc, char **argv) {
  const char *dev = argc > 1 ? argv[1] : "traps.mirdc";
  char release[512];
  snprintf(release, sizeof release, "%.*s.release", (int)(strlen(dev) - strlen(".mirdc")), dev);
  int32_t max = INT32_MAX, one = 1, zero = 0, min = INT32_MIN, minus = -1, seven = 7;
  uint32_t three = 3, four = 4, odd = 9, even = 8, eleven = 11, wide = 33;
  gives(dev, "dev adds", "add", 8, ARGS(ARG(one), ARG(seven)));
  stops(dev, "dev stops at an overflow", "add", "add with overflow", 7, ARGS(ARG(max), ARG(one)));
  gives(release, "release wraps around", "add", 0x80000000u, ARGS(ARG(max), ARG(one)));
  gives(dev, "an index inside", "index", 40, ARGS(ARG(three)));
  stops(dev, "an index outside", "index", "out of bounds", 12, ARGS(ARG(four)));
  stops(dev, "division by zero", "divide", "divide by zero", 17, ARGS(ARG(seven), ARG(zero)));
  stops(dev, "division overflow", "divide", "divide with overflow", 17, ARGS(ARG(min), ARG(minus)));
  stops(dev, "dev stops at a wide shift", "shift", "shift left", 22, ARGS(ARG(seven), ARG(wide)));
  gives(release, "release masks a shift", "shift", 14, ARGS(ARG(seven), ARG(wide)));
  gives(dev, "unwrap of a value", "unwrap", 4, ARGS(ARG(even)));
  stops(dev, "unwrap of nothing", "unwrap", "unwrap", 31, ARGS(ARG(odd)));
  stops(dev, "a panic", "explicit", "too large", 36, ARGS(ARG(eleven)));
  struct outcome o = in_a_child(release, "divide", ARGS(ARG(seven), ARG(zero)));
  report("release stops at a division by zero too", o.status != MIRDC_OK, &o);
  printf("%u passed, %u failed\n", passed, failed);
  return failed != 0;
}
