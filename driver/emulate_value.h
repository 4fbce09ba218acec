/* Values on the command line of `mirdc emulate`: numbers, lists, ranges, patterns and files, as
 * bytes and back. docs/emulator.md has the grammar. */
#ifndef MIRDC_DRIVER_EMULATE_VALUE_H
#define MIRDC_DRIVER_EMULATE_VALUE_H

#include "base/diag.h"
#include "base/fs.h"

enum value_kind { VALUE_BOOL, VALUE_CHAR, VALUE_UNSIGNED, VALUE_SIGNED, VALUE_FLOAT };
struct value_type {
  const char *name; /* Rust's */
  unsigned size;
  enum value_kind kind;
};
/* NULL: no scalar of Rust. */
const struct value_type *value_type_find(str name);

/* One literal. False when the text is none of this type, or out of its range. */
bool value_parse(const struct value_type *t, str text, uint8_t *out) MUST_CHECK;
/* So that value_parse gives the same bits again (NaNs apart). */
void value_print(const struct value_type *t, const uint8_t *p, struct strbuf *out);

/* What a piece of memory is to hold. */
struct value_want {
  str what;                      /* the whole argument, for messages */
  const struct value_type *elem; /* type when none is written; NULL: must be written */
  uint64_t elem_size;            /* the bytes must be a multiple; 0: of anything */
  uint64_t size;                 /* exactly so many bytes; 0: any */
};
struct value_memory {
  struct bytes bytes;
  const struct value_type *type; /* of the elements, for printing; NULL: bytes */
};
/* False after reporting. The bytes are malloc'd. */
bool value_memory(struct diag_sink *s, const struct value_want *want, str text,
                  struct value_memory *out) MUST_CHECK;
/* "[1, 2, 3]", in lines of a readable length. */
void value_print_all(const struct value_type *t, const uint8_t *p, uint64_t size,
                     struct strbuf *out);

#endif
