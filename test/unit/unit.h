/* What every unit test includes: cmocka with the headers that it wants before it. */
#ifndef MIRDC_TEST_UNIT_H
#define MIRDC_TEST_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

#define assert_str(s, z)                                                                           \
  do {                                                                                             \
    str s_ = (s);                                                                                  \
    if (!str_eqz(s_, (z)))                                                                         \
      fail_msg("got `%.*s`, want `%s`", STR_ARG(s_), (z));                                         \
  } while (0)

/* A sink with its own source map; `sink_code` is the first diagnostic's code. */
struct test_sink {
  struct source_map sources;
  struct diag_sink sink;
};

static inline void test_sink_init(struct test_sink *t) {
  source_map_init(&t->sources);
  diag_sink_init(&t->sink, &t->sources);
}

static inline void test_sink_free(struct test_sink *t) {
  diag_sink_free(&t->sink);
  source_map_free(&t->sources);
}

static inline enum diag_code sink_code(const struct test_sink *t) {
  return t->sink.first ? t->sink.first->code : MD0000;
}

#endif
