/* printf of device code: C's conversions, arguments packed as docs/abi.md section 4 says. */
#include "emulator/engine.h"

#include <stdio.h>
#include <string.h>

struct area {
  const uint8_t *p;
  uint64_t at, n;
};

/* Zero when the area is too short, as unwritten memory of a GPU might be. */
static uint64_t next(struct area *a, unsigned size) {
  uint64_t v = 0;
  a->at = (a->at + size - 1) & ~(uint64_t)(size - 1);
  if (a->p && a->at + size <= a->n)
    memcpy(&v, a->p + a->at, size);
  a->at += size;
  return v;
}

/* The format is made out of known letters. */
static void add(struct strbuf *out, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  sb_vaddf(out, fmt, ap);
#pragma GCC diagnostic pop
  va_end(ap);
}

/* One conversion: `spec` is what stands between % and the letter. */
static void convert(struct strbuf *out, str spec, char letter, struct area *args) {
  char fmt[48];
  size_t n = 0;
  bool wide = false;
  fmt[n++] = '%';
  for (size_t i = 0; i < spec.n; i++) {
    char c = spec.p[i];
    if (c == 'l' || c == 'z' || c == 'j' || c == 't')
      wide = true;
    else if (c != 'h' && n < sizeof fmt - 4)
      fmt[n++] = c;
  }
  bool number = strchr("diouxX", letter) != NULL;
  if (wide && number) {
    fmt[n++] = 'l';
    fmt[n++] = 'l';
  }
  fmt[n++] = letter;
  fmt[n] = 0;
  if (strchr("aAeEfFgG", letter)) {
    uint64_t bits = next(args, 8);
    double d;
    memcpy(&d, &bits, sizeof d);
    add(out, fmt, d);
  } else if (letter == 's') {
    const char *s = (const char *)(uintptr_t)next(args, 8);
    add(out, fmt, s ? s : "(null)");
  } else if (letter == 'p') {
    add(out, fmt, (void *)(uintptr_t)next(args, 8));
  } else if (wide && number) {
    add(out, fmt, (unsigned long long)next(args, 8));
  } else {
    add(out, fmt, (unsigned)next(args, 4));
  }
}

/* A kernel that prints in an endless loop must not fill the machine's memory. */
#define MAX_PRINTED ((size_t)64 << 20)

uint32_t emu_print(struct mirdc_emu *e, const char *format, const uint8_t *args, uint64_t n) {
  struct area area = {args, 0, n};
  str f = str_from(format);
  uint32_t count = 0;
  if (e->printed.n > MAX_PRINTED)
    return UINT32_MAX;
  while (f.n > 0) {
    size_t at = str_find_char(f, '%', 0), end = at + 1;
    if (at == SIZE_MAX)
      break;
    sb_add(&e->printed, str_sub(f, 0, at));
    while (end < f.n && memchr("0123456789.-+ #hlzjt", f.p[end], 20))
      end++;
    if (end == f.n)
      return count;
    if (f.p[end] == '%') {
      sb_addc(&e->printed, '%');
    } else if (memchr("diouxXcspaAeEfFgG", f.p[end], 17)) {
      convert(&e->printed, str_sub(f, at + 1, end), f.p[end], &area);
      count++;
    }
    f = str_drop(f, end + 1);
  }
  sb_add(&e->printed, f);
  return count;
}
