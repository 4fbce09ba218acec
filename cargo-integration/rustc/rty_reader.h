/* What the two halves of the type reader share. */
#ifndef MIRDC_RUSTC_RTY_READER_H
#define MIRDC_RUSTC_RTY_READER_H

#include "cargo-integration/rustc/lex.h"
#include "cargo-integration/rustc/rty.h"

#define RTY_MAX_DEPTH 200u

struct parser {
  struct rty_table *t;
  struct lex l;
  unsigned depth;
  bool no_item; /* a `{path}` behind a signature belongs to an outer one */
  struct rty_error *e;
};

/* Notes the first error; always NULL. */
const struct rty *rty_fail(struct parser *p, const char *want);
void rty_push(struct parser *p, const struct rty *t);
/* Interns with the arguments above `mark` of the scratch and drops them. */
const struct rty *rty_finish(struct parser *p, struct rty proto, size_t mark);

const struct rty *rty_read_type(struct parser *p);
const struct rty *rty_read_path(struct parser *p, bool value);
const struct rty *rty_read_const(struct parser *p);

bool rty_eat_lifetime(struct parser *p);
bool rty_eat_binder(struct parser *p);
/* Is a character literal at the cursor, and not a lifetime? */
bool rty_at_char(const struct lex *l);

#endif
