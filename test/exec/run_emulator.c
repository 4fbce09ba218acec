/* Runs functions of a dump in the emulator, each by a kernel `emu_NAME(a: u64, b: u64, out: *mut
 * u64)`.
 *
 *   run_emulator FILE.pmir.json [-O0…-O3] [--checks] < LINES
 *
 * Lines and output are those of run_pmir. With --checks accesses are watched as well; what they find
 * is printed in place of the result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/emu.h"

struct params {
  uint64_t a, b, out;
};

static char *read_file(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  char *p = NULL;
  long size = -1;
  if (f && fseek(f, 0, SEEK_END) == 0)
    size = ftell(f);
  if (size >= 0 && fseek(f, 0, SEEK_SET) == 0) {
    p = malloc((size_t)size + 1);
    *n = p ? fread(p, 1, (size_t)size, f) : 0;
  }
  if (f)
    fclose(f);
  return p;
}

static int run_line(mirdc_emu *e, uint64_t out, const char *line) {
  char name[128], kernel[144];
  unsigned long long a, b;
  mirdc_emu_finding f;
  if (sscanf(line, "%127s %llu %llu", name, &a, &b) != 3)
    return 0;
  struct params p = {a, b, out};
  mirdc_emu_launch l = {sizeof l, {1, 1, 1}, {1, 1, 1}, 0, &p, sizeof p, 60000};
  snprintf(kernel, sizeof kernel, "emu_%s", name);
  mirdc_emu_status s = mirdc_emu_run(e, mirdc_emu_find_kernel(e, kernel), &l);
  if (s == MIRDC_EMU_REFUSED) {
    fputs(mirdc_emu_messages(e, 0), stderr);
    return 0;
  }
  printf("%s %llu %llu ", name, a, b);
  if (s == MIRDC_EMU_OK)
    printf("= %llu\n", *(unsigned long long *)(uintptr_t)out);
  else if (mirdc_emu_finding_count(e) == 1 && mirdc_emu_trap(e))
    printf("trap %s\n", mirdc_emu_trap(e));
  else if (mirdc_emu_get_finding(e, 0, &f))
    printf("finding %s %s line %u\n", f.code, f.message, f.line);
  return 1;
}

int main(int argc, char **argv) {
  mirdc_emu_options o = {.struct_size = sizeof o};
  size_t n = 0;
  char line[256];
  mirdc_emu *e;
  for (int i = 2; i < argc; i++) {
    if (strncmp(argv[i], "-O", 2) == 0)
      o.opt = (uint32_t)(argv[i][2] - '0');
    if (strcmp(argv[i], "--checks") == 0)
      o.checks = MIRDC_EMU_ALL;
  }
  char *text = argc > 1 ? read_file(argv[1], &n) : NULL;
  if (!text)
    return 2;
  int ok = mirdc_emu_open(text, n, argv[1], &o, &e) == MIRDC_EMU_OK;
  if (!ok)
    fputs(mirdc_emu_messages(e, 0), stderr);
  uint64_t out = mirdc_emu_alloc(e, "out", 8, 8, 1);
  while (ok && fgets(line, sizeof line, stdin))
    ok = run_line(e, out, line);
  mirdc_emu_close(e);
  free(text);
  return ok ? 0 : 1;
}
