#include "driver/session.h"

#include <stdarg.h>
#include <stdio.h>

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
