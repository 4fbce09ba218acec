/* Parses lines on the GPU and with a parser written another way on the CPU. */
#include <stdio.h>
#include <string.h>

#include "examples/common/mirdc_host.h"

enum { LINE = 32 };

/* One field, spaces taken out: [-]digits[.digits]. The first byte that does not fit, or 0. */
static uint8_t field(const char *s, size_t n, int32_t *value, int *any) {
  size_t i = 0;
  uint32_t whole = 0, part = 0, digits = 0;
  int negative = 0, point = 0;
  *any = n > 0;
  for (; i < n; i++) {
    if (s[i] == '-' && i == 0)
      negative = 1;
    else if (s[i] == '.' && !point && i > 0)
      point = 1;
    else if (s[i] >= '0' && s[i] <= '9') {
      if (!point)
        whole = whole * 10 + (uint32_t)(s[i] - '0');
      else if (digits < 2) {
        part = part * 10 + (uint32_t)(s[i] - '0');
        digits++;
      }
    } else
      return (uint8_t)s[i];
  }
  uint32_t v = whole * 100 + part * (digits == 0 ? 100 : digits == 1 ? 10 : 1);
  *value = (int32_t)(negative ? 0 - v : v);
  return 0;
}

static uint64_t parse(const char *line) {
  uint32_t sum = 0, fields = 0;
  char f[LINE];
  size_t n = 0;
  for (int i = 0; i < LINE; i++) {
    char c = line[i];
    if (c == ' ' || c == '\t')
      continue;
    if (c && c != ';') {
      f[n++] = c;
      continue;
    }
    int32_t v = 0;
    int any = 0;
    uint8_t wrong = field(f, n, &v, &any);
    if (wrong)
      return (uint64_t)(0x80000000u | wrong) << 32 | sum;
    if (any) {
      sum += (uint32_t)v;
      fields++;
    }
    n = 0;
    if (!c)
      break;
  }
  return (uint64_t)fields << 32 | sum;
}

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "parser.mirdc");
  size_t n = 20000, bytes = n * LINE;
  char *text = host_memory(bytes);
  memset(text, 0, bytes);
  uint64_t *got = host_memory(n * 8), *want = host_memory(n * 8), seed = 10;
  static const char alphabet[] = "0123456789012345678901234567..-;;; x";
  for (size_t i = 0; i < n; i++) {
    size_t len = host_random(&seed) % LINE;
    for (size_t k = 0; k < len; k++)
      text[i * LINE + k] = alphabet[host_random(&seed) % (sizeof alphabet - 1)];
    want[i] = parse(text + i * LINE);
  }
  mirdc_devptr dt = host_upload(&h, text, bytes), dg = host_zeros(&h, n * 8);
  LAUNCH(&h, "parser", DIM((uint32_t)((n + 255) / 256)), DIM(256), 0, SLICE(dt, bytes),
         SLICE(dg, n));
  host_download(&h, got, dg, n * 8);
  host_same_bytes(&h, "parser", got, want, n * 8);
  return host_close(&h);
}
