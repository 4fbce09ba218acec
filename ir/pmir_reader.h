/* Shared by the files that read prepared MIR. Not for others. */
#ifndef MIRDC_IR_PMIR_READER_H
#define MIRDC_IR_PMIR_READER_H

#include "base/json_member.h"
#include "base/json_text.h"
#include "base/vec.h"
#include "ir/pmir.h"

struct pm_broken { /* a function that could not be read, and the message about it */
  pm_fn fn;
  struct diag *d;
};

struct pm_reader {
  struct json_text t;
  struct pmir *m;
  struct json_outline o;
  struct arena scratch; /* rewound after each slice */
  struct map strings;   /* names kept once; values are their lengths */
  struct json_pull j;   /* what is numerous is read straight from the text */
  VEC(struct pm_operand) ops;
  VEC(struct pm_proj) projs;
  VEC(struct pm_stmt) stmts;
  VEC(struct pm_block) blocks;
  VEC(struct pm_case) cases;
  VEC(struct pm_local) locals;
  VEC(struct pm_var) vars;
  VEC(struct pm_ptx_arg) ptx_args;
  const char *stmt_at; /* statement or terminator being read, for its span */
  VEC(struct pm_broken) broken;
};

/* One slice of a top-level array through the cursor: the element and its JSON pointer. */
typedef bool pm_element_reader(struct pm_reader *r, const struct json_at *at, size_t i);
bool pm_read_array(struct pm_reader *r, const char *name, pm_element_reader *read) MUST_CHECK;
/* The same straight from the text, at r->j. */
typedef bool pm_element_puller(struct pm_reader *r, size_t i);
bool pm_pull_array(struct pm_reader *r, const char *name, pm_element_puller *pull) MUST_CHECK;

/* The same string is kept once. */
str pm_intern(struct pm_reader *r, str s);
bool pm_get_str(struct pm_reader *r, const struct json_at *at, const char *key,
                str *out) MUST_CHECK;
bool pm_opt_bool(const struct json_at *at, const char *key, bool *out) MUST_CHECK;
/* An index below n into the array `what` of the top level. */
bool pm_id(const struct json_at *at, uint32_t n, const char *what, uint32_t *out) MUST_CHECK;
bool pm_get_id(const struct json_at *at, const char *key, uint32_t n, const char *what,
               uint32_t *out) MUST_CHECK;
/* The same, or null or absent: PM_NONE. */
bool pm_opt_id(const struct json_at *at, const char *key, uint32_t n, const char *what,
               uint32_t *out) MUST_CHECK;
/* A list of type ids. */
bool pm_get_types(struct pm_reader *r, const struct json_at *at, const char *key, pm_ty **out,
                  uint32_t *n) MUST_CHECK;
bool pm_read_reloc_target(struct pm_reader *r, str kind, uint32_t id, uint8_t *out_kind,
                          const char **problem) MUST_CHECK;

/* The parts, each its own file. */
bool pm_read_header(struct pm_reader *r) MUST_CHECK;
bool pm_read_scopes(struct pm_reader *r) MUST_CHECK;
bool pm_read_spans(struct pm_reader *r) MUST_CHECK;
bool pm_read_type(struct pm_reader *r, size_t i) MUST_CHECK;
bool pm_read_alloc(struct pm_reader *r, size_t i) MUST_CHECK;
bool pm_read_static(struct pm_reader *r, const struct json_at *at, size_t i) MUST_CHECK;
bool pm_read_extern(struct pm_reader *r, const struct json_at *at, size_t i) MUST_CHECK;
bool pm_read_kernel(struct pm_reader *r, const struct json_at *at, size_t i) MUST_CHECK;
bool pm_read_natives(struct pm_reader *r) MUST_CHECK;
bool pm_read_fns(struct pm_reader *r) MUST_CHECK;

/* A member of an object that was passed over. */
bool pm_pull_str(struct pm_reader *r, const struct jp_members *m, const char *name,
                 str *out) MUST_CHECK; /* kept once */
bool pm_pull_u64(struct pm_reader *r, const struct jp_members *m, const char *name,
                 uint64_t *out) MUST_CHECK;
bool pm_pull_bool(struct pm_reader *r, const struct jp_members *m, const char *name,
                  bool *out) MUST_CHECK;
bool pm_pull_enum(struct pm_reader *r, const struct jp_members *m, const char *name,
                  const char *const *values, unsigned *out) MUST_CHECK;

/* Inside functions, at r->j. */
bool pm_pull_id(struct pm_reader *r, uint32_t n, const char *what, uint32_t *out) MUST_CHECK;
bool pm_pull_span(struct pm_reader *r, pm_loc *out) MUST_CHECK; /* an item: id or null */
/* Index in a table of names; says `unknown WHAT` otherwise. */
bool pm_pull_name(struct pm_reader *r, const char *const *names, const char *what,
                  unsigned *out) MUST_CHECK;
bool pm_pull_place(struct pm_reader *r, struct pm_place *out) MUST_CHECK;
bool pm_pull_operand(struct pm_reader *r, struct pm_operand *out) MUST_CHECK;
/* An array of operands, in the arena of the module. */
bool pm_pull_operands(struct pm_reader *r, struct pm_operand **out, uint32_t *n) MUST_CHECK;
bool pm_pull_rvalue(struct pm_reader *r, struct pm_rvalue *out) MUST_CHECK;
bool pm_pull_stmt(struct pm_reader *r, struct pm_stmt *out) MUST_CHECK;
bool pm_pull_term(struct pm_reader *r, struct pm_term *out) MUST_CHECK;

/* Copies n elements of a scratch vector into the arena of the module. */
void *pm_keep(struct pm_reader *r, const void *p, size_t n, size_t size);
#define PM_KEEP(r, v, from)                                                                        \
  pm_keep((r), (v)->p ? (v)->p + (from) : NULL, (v)->n - (from), sizeof *(v)->p)

#endif
