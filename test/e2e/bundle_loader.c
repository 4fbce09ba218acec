/* The loader from opening to a located trap. Runs with the stand-in driver and on a real GPU:
 *   bundle_loader full.mirdc plain.mirdc host.o short.mirdc */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundles/mirdc.h"

static int failures;
static mirdc_error err;

static int ok(const char *name, int good) {
  printf("%s %s\n", good ? "ok" : "not ok", name);
  if (!good)
    printf("  last error: %s %s\n", mirdc_status_name(err.status), err.text);
  failures += !good;
  return good;
}

static int fails(const char *name, mirdc_status got, mirdc_status want, const char *text) {
  return ok(name, got == want && err.status == want && strstr(err.text, text) != NULL);
}

static void check_listing(const mirdc_bundle *b) {
  mirdc_kernel_info k;
  mirdc_param_info p;
  mirdc_global_info g;
  ok("two kernels are listed", mirdc_kernel_count(b) == 2);
  ok("a kernel is found by its symbol", mirdc_kernel_find(b, "scale", &k, &err) == MIRDC_OK &&
                                            k.dyn_shared == 1024 && k.param_bytes == 32);
  ok("a kernel is found by its Rust path",
     mirdc_kernel_find(b, "demo::saxpy", &k, &err) == MIRDC_OK && k.max_block == 256);
  ok("kernels are listed in order",
     mirdc_kernel_at(b, 0, &k) == MIRDC_OK && strcmp(k.name, "saxpy") == 0);
  ok("past the last kernel there is none", mirdc_kernel_at(b, 2, &k) == MIRDC_ERROR_NOT_FOUND);
  fails("an unknown kernel is named", mirdc_kernel_find(b, "nothing", &k, &err),
        MIRDC_ERROR_NOT_FOUND, "`nothing`");
  ok("a parameter is described", mirdc_param_at(b, "scale", 1, &p, &err) == MIRDC_OK &&
                                     p.kind == MIRDC_PARAM_AGGREGATE && p.offset == 16 &&
                                     p.n_fields == 2 && strcmp(p.label, "Pair") == 0);
  ok("a global is described",
     mirdc_global_at(b, 0, &g) == MIRDC_OK && g.constant && g.size == 256);
  ok("all digests are right", mirdc_check(b, &err) == MIRDC_OK);
}

static void check_choice(const mirdc_bundle *b) {
  char what[64];
  ok("a device gets its own cubin", mirdc_choose(b, 9, 0, what, sizeof what, &err) == MIRDC_OK &&
                                        strcmp(what, "cubin sm_90") == 0);
  ok("a device gets the newest cubin that runs on it",
     mirdc_choose(b, 8, 9, what, sizeof what, &err) == MIRDC_OK && strcmp(what, "cubin sm_80") == 0);
  fails("a newer major version gets none", mirdc_choose(b, 10, 0, what, sizeof what, &err),
        MIRDC_ERROR_NO_CODE, "same major version");
  fails("the reason for LTO-IR is given", mirdc_choose(b, 10, 0, what, sizeof what, &err),
        MIRDC_ERROR_NO_CODE, "ltoir sm_80: must be linked first");
  fails("an older device gets none", mirdc_choose(b, 7, 5, what, sizeof what, &err),
        MIRDC_ERROR_NO_CODE, "made for a newer device");
}

static void check_validation(const mirdc_bundle *b) {
  const uint32_t grid[3] = {4, 1, 1}, block[3] = {256, 1, 1}, large[3] = {512, 1, 1};
  const uint32_t none[3] = {0, 1, 1};
  const size_t saxpy[] = {4, 8, 8, 4}, pieces[] = {8, 8, 16}, whole[] = {16, 16}, wrong[] = {8, 8, 8, 4};
  ok("a right launch is allowed",
     mirdc_validate(b, "saxpy", grid, block, 0, saxpy, 4, &err) == MIRDC_OK);
  fails("a block above the bound is refused",
        mirdc_validate(b, "saxpy", grid, large, 0, saxpy, 4, &err), MIRDC_ERROR_LAUNCH,
        "at most 256 threads a block, the launch has 512");
  fails("an empty grid is refused", mirdc_validate(b, "saxpy", none, block, 0, saxpy, 4, &err),
        MIRDC_ERROR_LAUNCH, "between 1 and");
  fails("a missing argument is refused", mirdc_validate(b, "saxpy", grid, block, 0, saxpy, 3, &err),
        MIRDC_ERROR_LAUNCH, "`n: u32` is missing");
  fails("a wrong size is refused", mirdc_validate(b, "saxpy", grid, block, 0, wrong, 4, &err),
        MIRDC_ERROR_LAUNCH, "`a: f32` (scalar) takes 4 bytes, the argument has 8");
  fails("another shared size than the compiled one is refused",
        mirdc_validate(b, "scale", grid, block, 2048, pieces, 3, &err), MIRDC_ERROR_LAUNCH,
        "compiled for 1024 bytes of dynamic shared memory, the launch has 2048");
  ok("the compiled shared size can be asked for",
     mirdc_validate(b, "scale", grid, block, MIRDC_COMPILED_SHARED, pieces, 3, &err) == MIRDC_OK);
  ok("a slice may be one argument",
     mirdc_validate(b, "scale", grid, block, 1024, whole, 2, &err) == MIRDC_OK);
  fails("too many arguments are refused",
        mirdc_validate(b, "saxpy", grid, block, 0, (const size_t[]){4, 8, 8, 4, 4}, 5, &err),
        MIRDC_ERROR_LAUNCH, "takes 4 arguments, the launch has 5");
}

static void check_saxpy(mirdc_module *m) {
  enum { N = 1000 };
  static float x[N], y[N], got[N];
  const mirdc_kernel *k;
  mirdc_devptr dx, dy;
  float a = 2.0f;
  uint32_t n = N;
  const uint32_t grid[3] = {4, 1, 1}, block[3] = {256, 1, 1};
  for (int i = 0; i < N; i++) {
    x[i] = (float)i;
    y[i] = 1.0f;
  }
  int good = mirdc_get_kernel(m, "saxpy", &k, &err) == MIRDC_OK &&
             mirdc_alloc(m, sizeof x, &dx, &err) == MIRDC_OK &&
             mirdc_alloc(m, sizeof y, &dy, &err) == MIRDC_OK &&
             mirdc_upload(m, dx, x, sizeof x, &err) == MIRDC_OK &&
             mirdc_upload(m, dy, y, sizeof y, &err) == MIRDC_OK;
  const void *args[] = {&a, &dx, &dy, &n};
  const size_t sizes[] = {4, 8, 8, 4};
  mirdc_event e1 = NULL, e2 = NULL;
  float ms = -1;
  good = good && mirdc_event_record(m, &e1, NULL, &err) == MIRDC_OK &&
         mirdc_launch(k, grid, block, 0, NULL, args, sizes, 4, &err) == MIRDC_OK &&
         mirdc_event_record(m, &e2, NULL, &err) == MIRDC_OK &&
         mirdc_event_elapsed(m, e1, e2, &ms, &err) == MIRDC_OK && ms >= 0 &&
         mirdc_sync(m, &err) == MIRDC_OK &&
         mirdc_download(m, got, dy, sizeof got, &err) == MIRDC_OK;
  for (int i = 0; good && i < N; i++)
    good = got[i] == 2.0f * (float)i + 1.0f;
  ok("saxpy computes what it should", good);
  fails("a launch against the facts is not made",
        mirdc_launch(k, grid, (const uint32_t[3]){257, 1, 1}, 0, NULL, args, sizes, 4, &err),
        MIRDC_ERROR_LAUNCH, "at most 256");
  fails("a launch without a block needs a fixed one",
        mirdc_launch(k, grid, NULL, 0, NULL, args, sizes, 4, &err), MIRDC_ERROR_LAUNCH,
        "fixes no block");
  mirdc_event_free(m, e1);
  mirdc_event_free(m, e2);
  ok("memory is given back",
     mirdc_free(m, dx, &err) == MIRDC_OK && mirdc_free(m, dy, &err) == MIRDC_OK);
}

struct pair {
  float scale;
  double bias;
};

static void check_globals(mirdc_module *m) {
  float table[64], got[64] = {0};
  for (int i = 0; i < 64; i++)
    table[i] = (float)i;
  ok("a constant is set and read back",
     mirdc_set_global(m, "TABLE", 0, table, sizeof table, &err) == MIRDC_OK &&
         mirdc_get_global(m, "demo::TABLE", 0, got, sizeof got, &err) == MIRDC_OK &&
         memcmp(table, got, sizeof got) == 0);
  fails("writing past the end of a global is refused",
        mirdc_set_global(m, "TABLE", 4, table, sizeof table, &err), MIRDC_ERROR_ARGUMENT,
        "do not lie in global");
  fails("an unknown global is named", mirdc_set_global(m, "NONE", 0, table, 4, &err),
        MIRDC_ERROR_NOT_FOUND, "`NONE`");
}

static mirdc_status run_scale(mirdc_module *m, uint64_t n, float *data, size_t bytes) {
  const mirdc_kernel *k;
  mirdc_devptr d;
  struct pair p = {2.0f, 0.5};
  const uint32_t grid[3] = {1, 1, 1}, block[3] = {256, 1, 1};
  const void *args[] = {&d, &n, &p};
  const size_t sizes[] = {8, 8, sizeof p};
  mirdc_status s = mirdc_get_kernel(m, "scale", &k, &err);
  if (s == MIRDC_OK)
    s = mirdc_alloc(m, bytes, &d, &err);
  if (s == MIRDC_OK)
    s = mirdc_upload(m, d, data, bytes, &err);
  if (s == MIRDC_OK)
    s = mirdc_launch(k, grid, block, MIRDC_COMPILED_SHARED, NULL, args, sizes, 3, &err);
  if (s == MIRDC_OK)
    s = mirdc_sync(m, &err);
  if (s == MIRDC_OK)
    s = mirdc_download(m, data, d, bytes, &err);
  if (s == MIRDC_OK)
    s = mirdc_free(m, d, &err);
  return s;
}

/* Last, because the device's context is lost by it. */
static void check_trap(mirdc_module *m) {
  static float data[256];
  mirdc_trap t;
  for (int i = 0; i < 256; i++)
    data[i] = 1.0f;
  int good = run_scale(m, 256, data, sizeof data) == MIRDC_OK;
  for (int i = 0; good && i < 256; i++)
    good = data[i] == 2.5f + (float)(i % 64);
  ok("a slice, an aggregate and a constant reach the kernel", good);
  ok("before a trap there is no record", mirdc_trap_info(m, &t) == MIRDC_ERROR_NOT_FOUND);
  fails("a trap is reported with its Rust place", run_scale(m, 255, data, sizeof data),
        MIRDC_ERROR_TRAP,
        "src/lib.rs:12:5: index out of bounds, in block 0,0,0, thread 255,0,0");
  ok("the record of the trap can be read",
     mirdc_trap_info(m, &t) == MIRDC_OK && t.code == 7 && t.thread[0] == 255 && t.line == 12);
  fails("later calls report the trap too", mirdc_sync(m, &err), MIRDC_ERROR_TRAP, "src/lib.rs");
}

static void check_arguments(void) {
  mirdc_bundle *b = NULL;
  ok("NULL is refused", mirdc_open_file(NULL, &b, &err) == MIRDC_ERROR_ARGUMENT &&
                            mirdc_open_memory(NULL, 4, &b, &err) == MIRDC_ERROR_ARGUMENT &&
                            mirdc_load(NULL, 0, NULL, &err) == MIRDC_ERROR_ARGUMENT &&
                            mirdc_check(NULL, NULL) == MIRDC_ERROR_ARGUMENT &&
                            mirdc_sync(NULL, NULL) == MIRDC_ERROR_ARGUMENT);
  mirdc_close(NULL);
  mirdc_unload(NULL);
  fails("a missing file is reported", mirdc_open_file("nowhere.mirdc", &b, &err), MIRDC_ERROR_FILE,
        "nowhere.mirdc");
  fails("garbage is reported", mirdc_open_memory("garbage", 7, &b, &err), MIRDC_ERROR_BUNDLE,
        "not a bundle");
  ok("with its code", strcmp(err.code, "MD0500") == 0);
  fails("this program has no bundle", mirdc_open_self(&b, &err), MIRDC_ERROR_NOT_FOUND,
        "no embedded bundle");
}

int main(int argc, char **argv) {
  mirdc_bundle *b = NULL, *two = NULL, *other = NULL;
  mirdc_module *m = NULL;
  mirdc_kernel_info k;
  if (argc < 5)
    return 2;
  check_arguments();
  if (!ok("a bundle is opened", mirdc_open_file(argv[1], &b, &err) == MIRDC_OK))
    return 1;
  check_listing(b);
  check_choice(b);
  check_validation(b);
  ok("a bundle without launch facts is opened",
     mirdc_open_file(argv[2], &other, &err) == MIRDC_OK &&
         mirdc_kernel_find(other, "scale", &k, &err) == MIRDC_OK && k.facts == 0);
  mirdc_close(other);
  ok("embedded bundles are opened",
     mirdc_open_file(argv[3], &two, &err) == MIRDC_OK && mirdc_kernel_count(two) == 4);
  fails("a name in two bundles is ambiguous", mirdc_kernel_find(two, "saxpy", &k, &err),
        MIRDC_ERROR_NOT_FOUND, "several bundles");
  mirdc_close(two);
  fails("a cut bundle is refused", mirdc_open_file(argv[4], &other, &err), MIRDC_ERROR_BUNDLE,
        "expected");
  if (getenv("NO_DRIVER") != NULL) {
    fails("without a driver loading says so", mirdc_load(b, 0, &m, &err), MIRDC_ERROR_NO_DRIVER,
          getenv("NO_DRIVER"));
  } else if (ok("the code is loaded", mirdc_load(b, 0, &m, &err) == MIRDC_OK)) {
    check_saxpy(m);
    check_globals(m);
    mirdc_close(b); /* the module keeps what it needs */
    b = NULL;
    check_trap(m);
  }
  mirdc_unload(m);
  mirdc_close(b);
  printf("%s\n", failures == 0 ? "all good" : "some failed");
  return failures == 0 ? 0 : 1;
}
