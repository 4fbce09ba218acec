/* Runs a fuzz target over files and folders of inputs, for compilers without libFuzzer. With
 * `--mutate N` each input is also run N times with bytes changed by a fixed generator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t runs;
static unsigned long mutations;

/* A copy of exactly the input's size, so that a sanitizer sees each byte read behind it. */
static void run_once(const uint8_t *p, size_t n) {
  uint8_t *copy = malloc(n == 0 ? 1 : n);
  if (copy == NULL) {
    exit(1);
  }
  memcpy(copy, p, n);
  LLVMFuzzerTestOneInput(copy, n);
  free(copy);
  runs++;
}

static void mutate(struct bytes *b) {
  uint32_t r = (uint32_t)(b->n * 2654435761u + 1);
  for (unsigned long i = 0; i < mutations && b->n > 0; i++) {
    uint8_t was[3];
    size_t at[3];
    for (size_t j = 0; j < 3; j++) {
      r = r * 1664525u + 1013904223u;
      at[j] = (r >> 7) % b->n;
      was[j] = b->p[at[j]];
      b->p[at[j]] = (uint8_t)(r & 64 ? 0xff : r >> 24);
    }
    run_once(b->p, r & 128 ? b->n : (r >> 5) % (b->n + 1));
    for (size_t j = 3; j-- > 0;) {
      b->p[at[j]] = was[j];
    }
  }
}

static bool run_path(const char *path) {
  struct arena a = {0};
  struct bytes b = {0};
  str *names;
  size_t n;
  bool ok = true;
  if (fs_is_dir(path)) {
    ok = fs_list(&a, path, &names, &n);
    for (size_t i = 0; ok && i < n; i++) {
      ok = run_path(path_join(&a, path, arena_strz(&a, names[i])));
    }
  } else if (fs_try_read(path, 0, &b) == 0) {
    run_once(b.p, b.n);
    mutate(&b);
  } else {
    ok = false;
  }
  bytes_free(&b);
  arena_free(&a);
  if (!ok) {
    fprintf(stderr, "cannot read %s\n", path);
  }
  return ok;
}

int main(int argc, char **argv) {
  bool ok = true;
  int first = 1;
  mutations = 200;
  if (argc > 2 && strcmp(argv[1], "--mutate") == 0) {
    mutations = strtoul(argv[2], NULL, 10);
    first = 3;
  }
  for (int i = first; i < argc; i++) {
    ok = run_path(argv[i]) && ok;
  }
  printf("%zu runs\n", runs);
  return ok && runs > 0 ? 0 : 1;
}
