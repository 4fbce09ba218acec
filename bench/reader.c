/* Speed and memory of the reader alone: reader FILE [REPEAT]. Times are processor time of this
 * process; memory is what the form in memory and the biggest slice took above the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fs.h"
#include "base/json_text.h"
#include "ir/pmir.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Not ru_maxrss: that one starts with the size of the process that started this one. */
static double peak_bytes(void) {
  char line[256];
  double kib = 0;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (strncmp(line, "VmHWM:", 6) == 0)
      kib = strtod(line + 6, NULL);
  if (f)
    fclose(f);
  return kib * 1024;
}

/* The tree of each slice alone, as a measure of what trees cost. */
static double time_trees(const struct json_text *t) {
  static const char *const split[] = {"types", "allocs", "fns", "spans", NULL};
  struct arena a = {0};
  struct json_outline o;
  if (!json_scan(t, &a, split, &o))
    return 0;
  struct arena_mark mark = arena_save(&a);
  double t0 = now();
  for (size_t k = 0; k < o.n; k++) {
    for (size_t i = 0; o.members[k].elems && i < o.members[k].n_elems; i++) {
      struct json_doc *d;
      if (!json_parse(t, o.members[k].elems[i], &a, STR_NULL, &d))
        return 0;
      arena_rewind(&a, mark);
    }
  }
  double t1 = now();
  arena_free(&a);
  return t1 - t0;
}

static double time_scan(const struct json_text *t) {
  struct arena a = {0};
  struct json_outline o;
  double t0 = now();
  bool ok = json_scan(t, &a, NULL, &o);
  double t1 = now();
  arena_free(&a);
  return ok ? t1 - t0 : 0;
}

int main(int argc, char **argv) {
  struct source_map sources;
  struct diag_sink sink;
  struct bytes text;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  if (argc < 2 || !fs_read(&sink, argv[1], 0, &text))
    return 2;
  const int repeat = argc > 2 ? atoi(argv[2]) : 3;
  const str s = {(const char *)text.p, text.n};
  struct json_text t = {s, STR("bench"), &sink, MD0200, MD0201};
  double best = 1e9, before = peak_bytes(), after = before, mb = (double)s.n / 1e6;
  for (int i = 0; i < repeat; i++) {
    double t0 = now();
    struct pmir *m = pmir_read(s, STR("bench"), &sink);
    double t1 = now();
    if (i == 0)
      after = peak_bytes();
    if (!m) {
      diag_flush(&sink, false, false);
      return 1;
    }
    pmir_free(m);
    best = t1 - t0 < best ? t1 - t0 : best;
  }
  printf("%.1f MB: read and verified in %.3f s, %.0f MB/s; %.2f bytes of memory a byte\n", mb, best,
         mb / best, (after - before) / (double)s.n);
  if (argc > 3)
    printf("the scan alone %.0f MB/s, a tree of each slice %.0f MB/s\n", mb / time_scan(&t),
           mb / time_trees(&t));
  bytes_free(&text);
  diag_sink_free(&sink);
  source_map_free(&sources);
  return 0;
}
