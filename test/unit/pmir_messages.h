/* Keeps what a run of the reader says in the file that MIRDC_TEST_MESSAGES names, for
 * test/e2e/pmir_rules.py, which compares it with the rules in the source. */
#ifndef MIRDC_TEST_PMIR_MESSAGES_H
#define MIRDC_TEST_PMIR_MESSAGES_H

#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"

static inline void keep_messages(const struct diag_sink *sink) {
  const char *path = getenv("MIRDC_TEST_MESSAGES");
  FILE *f = path ? fopen(path, "a") : NULL;
  for (const struct diag *d = sink->first; f && d; d = d->next)
    fprintf(f, "%s %.*s\n", diag_code_info(d->code)->name, STR_ARG(d->message));
  if (f)
    fclose(f);
}

#endif
