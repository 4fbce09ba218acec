/* Shared by the files that read foreign dumps. Not for others.
 *
 *   smir.c        tables, roots, the order of the work
 *   smir_ids.c    rows by the dump's own ids and names
 *   smir_types.c  types: what the dump says     smir_layout.c  types: what is written
 *   smir_const.c  constants, memory, statics
 *   smir_body.c   functions, places, operands   smir_code.c    statements and values
 *   smir_term.c   terminators                   smir_call.c    calls
 *   smir_name.c   symbols and names
 *
 * A type, function or piece of memory gets its number in the prepared dump when something that is
 * written needs it; what has a number and is not written yet stands in a queue. */
#ifndef MIRDC_IR_SMIR_IMPL_H
#define MIRDC_IR_SMIR_IMPL_H

#include "base/json_member.h"
#include "base/json_text.h"
#include "base/jsonw.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/smir.h"

#define SM_NONE UINT32_MAX

enum sm_kind {
  SM_UNKNOWN, /* the table has no row, or one without a layout: functions, closures */
  SM_BOOL,
  SM_CHAR,
  SM_STR,
  SM_NEVER,
  SM_INT,
  SM_FLOAT,
  SM_PTR,
  SM_ARRAY,
  SM_SLICE,
  SM_TUPLE,
  SM_STRUCT,
  SM_UNION,
  SM_ENUM,
  SM_DYN,
  SM_OPAQUE,
  SM_CLOSURE,
  SM_FNPTR
};

struct sm_type;
struct sm_variant {
  u128 discr;
  struct sm_type **fields;
  uint64_t *offs; /* bytes; NULL: the variant has no layout, it cannot exist */
  uint32_t n;
  bool uninhabited;
};
enum sm_tagging { SM_SINGLE, SM_DIRECT, SM_NICHE };
struct sm_enum {
  struct sm_variant *v;
  uint32_t n;
  enum sm_tagging how;
  uint32_t only;    /* SINGLE */
  uint64_t tag_off; /* bytes */
  uint32_t tag_bits;
  bool tag_signed;
  uint32_t untagged, lo, hi; /* NICHE */
  u128 start;
  struct sm_type *discr; /* as the code reads it; NULL: not seen */
};
struct sm_type {
  uint64_t id; /* the dump's */
  enum sm_kind kind;
  uint32_t row; /* in `types`, SM_NONE: not there */
  uint32_t pm;  /* number in the prepared dump, SM_NONE: none */
  bool loaded;
  struct sm_item *from; /* the function whose code needed it first, and where */
  uint32_t from_span;
  bool looked_into; /* a field of an UNKNOWN was named */
  bool called;      /* or it was called */
  uint8_t holds;    /* a closure whose layout is ours (smir_layout.c) */
  str name;
  uint64_t size, align;
  bool is_signed, mut, ref, wide, dyn;
  uint32_t bits;
  uint64_t len;
  struct sm_type *elem;    /* PTR: pointee; ARRAY, SLICE: element; FNPTR: result */
  struct sm_type **fields; /* TUPLE, STRUCT, UNION, CLOSURE; FNPTR: arguments */
  uint64_t *offs;
  uint32_t n_fields;
  struct sm_enum *e;
};

enum sm_item_kind { SM_FN, SM_STATIC, SM_ASM };
struct sm_item {
  str symbol, name;
  enum sm_item_kind kind;
  uint64_t def;
  uint32_t row;
  struct json_slice body; /* of a function; of a static its allocation. lo == hi: none */
  uint32_t pm;            /* number of function or static */
  struct sm_item *from;   /* who needed it first, and where */
  uint32_t from_span;
  const struct smir_root *root; /* export or kernel */
  uint32_t n_args;
  struct sm_type **args; /* loaded on demand, with the result */
  struct sm_type *ret;
  bool has_sig;
};

struct sm_prov {
  uint64_t off, alloc;
};
struct sm_bytes { /* an Allocation */
  uint8_t *p, *init;
  size_t n;
  struct sm_prov *prov;
  size_t n_prov;
  uint64_t align;
  bool mut, partial; /* some byte is not initialised */
  bool is_static;
};
struct sm_alloc {
  uint32_t row; /* in `allocs`, SM_NONE: `bytes` is given */
  struct sm_bytes bytes;
};
struct sm_extern {
  str symbol;
  struct sm_type **args, *ret;
  uint32_t n_args;
  bool noreturn;
  uint32_t span;
};

struct smir {
  struct json_text t;
  struct json_outline o;
  struct arena a, scratch; /* scratch: one function at a time */
  struct diag_sink *sink;
  const struct smir_options *opt;
  struct map type_map, type_ids, alloc_ids, span_ids, item_symbols, static_defs, callees,
      glue; /* -> row + 1 */
  const struct json_member *types, *allocs, *spans, *functions, *items_m;
  VEC(struct sm_type *) type_rows; /* all types, also those without a row */
  VEC(struct sm_item *) items;
  VEC(struct sm_type *) type_queue, opaques; /* the queue: by number */
  VEC(struct sm_item *) fn_queue, static_queue;
  VEC(struct sm_alloc) alloc_queue;
  VEC(struct sm_extern) externs;
  struct map alloc_numbers;           /* row of `allocs` -> number + 1 */
  struct map extern_numbers, symbols; /* symbol -> number + 1 */
  struct map file_numbers, span_numbers;
  struct jsonw fns, mem, statics, spans_w, files, kernels;
  uint32_t n_spans, n_files;
  bool glue_is_missing; /* drop glue is called whose body is not in the dump */
  struct sm_type *isize;
  struct sm_item *at; /* the function being written, and where in it */
  uint32_t at_span;
};

/* ---- ids and tables (smir_ids.c) ---- */
uint32_t sm_lookup(const struct map *m, uint64_t id);                     /* row, or SM_NONE */
bool sm_insert(struct smir *s, struct map *m, uint64_t id, uint32_t row); /* false: is there */
/* "Name", or {"Name": body}: one of serde's enums. body->node NULL: none. */
bool sm_variant(const struct json_at *at, str *name, struct json_at *body) MUST_CHECK;
bool sm_parse(struct smir *s, struct json_slice slice, struct arena *a, str where,
              struct json_at *root) MUST_CHECK;
/* Fills the tables of rows. */
bool sm_read_tables(struct smir *s) MUST_CHECK;
/* The prepared dump's number of a span id; SM_NONE: no location. */
uint32_t sm_span(struct smir *s, uint64_t id);
bool sm_span_in_library(struct smir *s, uint64_t id);
/* An error at the span of the code being written, or of the user's code that needed it. */
struct diag *sm_error(struct smir *s, enum diag_code c, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* ---- types ---- */
struct sm_type *sm_type(struct smir *s, uint64_t id); /* never NULL; a row of its own if unknown */
struct sm_type *sm_new_type(struct smir *s, enum sm_kind k);
bool sm_get_type(struct smir *s, const struct json_at *at, const char *key,
                 struct sm_type **out) MUST_CHECK;
bool sm_type_of(struct smir *s, const struct json_at *at, struct sm_type **out) MUST_CHECK;
bool sm_load(struct smir *s, struct sm_type *t) MUST_CHECK;
/* The types of a tuple become those that a closure captures. */
bool sm_make_closure(struct smir *s, struct sm_type *t, struct sm_type *captures) MUST_CHECK;
/* What people call the type. */
str sm_label(struct smir *s, struct sm_type *t);
struct sm_type *sm_opaque(struct smir *s, uint64_t size, uint64_t align);
/* Number in the prepared dump. */
uint32_t sm_number(struct smir *s, struct sm_type *t);
bool sm_write_types(struct smir *s, struct jsonw *w) MUST_CHECK;
/* A length: {"kind":{"Value":[ty, allocation]}}. */
bool sm_const_usize(struct smir *s, const struct json_at *at, uint64_t *out) MUST_CHECK;

/* ---- memory ---- */
bool sm_read_bytes(struct smir *s, const struct json_at *at, struct arena *a,
                   struct sm_bytes *out) MUST_CHECK;
/* The operand for a constant of that type. */
bool sm_write_const(struct smir *s, struct jsonw *w, struct sm_type *t,
                    const struct sm_bytes *b) MUST_CHECK;
bool sm_write_alloc(struct smir *s, size_t number) MUST_CHECK;
bool sm_write_static(struct smir *s, struct sm_item *it) MUST_CHECK;
uint32_t sm_alloc_of_bytes(struct smir *s, const struct sm_bytes *b);
/* The text that a constant `&str` points to, for messages; empty when it is not at hand. */
str sm_const_text(struct smir *s, const struct json_at *operand);

/* ---- code ---- */
struct sm_fn {
  struct smir *s;
  struct sm_item *item;
  struct sm_type **locals;
  uint32_t n_locals, n_args;
  struct json_at *blocks;
  uint32_t *number; /* of each block, SM_NONE: not reached */
  uint32_t *panic;  /* what sm_panic_of has found */
  uint32_t n_blocks;
  struct jsonw *w;
};
struct sm_place {
  uint64_t local;
  struct json_at projection;
  struct sm_type *ty;
};
bool sm_need_fn(struct smir *s, struct sm_item *it, uint32_t *number);
bool sm_parse_item(struct smir *s, const struct sm_item *it, struct json_at *root) MUST_CHECK;
bool sm_signature(struct smir *s, struct sm_item *it) MUST_CHECK;
bool sm_write_fn(struct smir *s, struct sm_item *it) MUST_CHECK;
bool sm_read_place(struct sm_fn *f, const struct json_at *at, struct sm_place *out) MUST_CHECK;
/* `drop_last`: without the last step. */
bool sm_write_place(struct sm_fn *f, const struct sm_place *p, bool drop_last) MUST_CHECK;
/* The same without the brackets. */
bool sm_write_steps(struct sm_fn *f, const struct sm_place *p, bool drop_last) MUST_CHECK;
bool sm_write_place_at(struct sm_fn *f, const struct json_at *at, struct sm_type **ty) MUST_CHECK;
bool sm_write_operand(struct sm_fn *f, const struct json_at *at) MUST_CHECK;
bool sm_operand_type(struct sm_fn *f, const struct json_at *at, struct sm_type **out) MUST_CHECK;
void sm_write_bits(struct sm_fn *f, struct sm_type *t, u128 v);
bool sm_write_stmt(struct sm_fn *f, const struct json_at *at) MUST_CHECK;
void sm_write_span(struct sm_fn *f, uint64_t span);
void sm_use_span(struct sm_fn *f, const struct json_at *at);
/* Blocks that a terminator goes on to, unwinding left out. */
typedef bool sm_visit(void *context, uint64_t block);
bool sm_successors(struct sm_fn *f, const struct json_at *term, sm_visit *visit, void *context);
/* Some calls are statements here: writes those, before the list of statements ends. */
bool sm_write_term_stmts(struct sm_fn *f, const struct json_at *term) MUST_CHECK;
bool sm_write_term(struct sm_fn *f, const struct json_at *term) MUST_CHECK;
bool sm_write_target(struct sm_fn *f, const struct json_at *at) MUST_CHECK; /* or null */
/* The block with the panic to which this one only leads, SM_NONE: it may do something else. */
uint32_t sm_panic_of(struct sm_fn *f, uint32_t block);
bool sm_write_panic(struct sm_fn *f, uint32_t block) MUST_CHECK; /* as a terminator */

enum sm_call_kind { SM_CALL_FN, SM_CALL_EXTERN, SM_CALL_PTR, SM_CALL_NOTHING, SM_CALL_INTRINSIC };
struct sm_call {
  enum sm_call_kind kind;
  struct sm_item *fn;
  str symbol; /* EXTERN; in messages */
  const struct sm_intrinsic *intr;
  struct json_at func, args, dest;
  uint32_t n_args;
  bool returns;
};
enum sm_how {
  SI_CALL, /* an intrinsic of prepared MIR */
  SI_BINARY,
  SI_UNARY,
  SI_CAST,
  SI_USE, /* a value of its operands */
  SI_RAWFAT,
  SI_READ,
  SI_WRITE,
  SI_FALSE,
  SI_NOTHING,
  SI_ASSUME,
  SI_TRAP,
  SI_UNREACHABLE
};
struct sm_intrinsic {
  enum sm_how how;
  const char *name; /* operator, cast, or name in ir/intrinsics.def */
  bool has_float;   /* CALL: its type is that of the first operand */
  unsigned types, consts;
  uint64_t orderings[2];
};
/* The function that an operand of zero size stands for: FN, EXTERN, INTRINSIC or NOTHING. */
bool sm_resolve_callee(struct sm_fn *f, const struct json_at *op, struct sm_call *out) MUST_CHECK;
/* Its path, empty when it cannot be told; reports nothing. */
str sm_callee_path(struct sm_fn *f, const struct json_at *op);
bool sm_resolve_call(struct sm_fn *f, const struct json_at *call, struct sm_call *out) MUST_CHECK;
bool sm_write_call(struct sm_fn *f, const struct sm_call *c, const struct json_at *call) MUST_CHECK;
bool sm_write_call_stmt(struct sm_fn *f, const struct sm_call *c) MUST_CHECK;
bool sm_call_is_stmt(const struct sm_call *c);
/* False: rustc has no such intrinsic, or it cannot be known here what it means. */
bool sm_find_intrinsic(struct arena *a, str name, const struct sm_intrinsic **out);
/* A function of the host's math library by its symbol. */
bool sm_find_libm(struct arena *a, str symbol, const struct sm_intrinsic **out);
bool sm_write_intrinsic(struct sm_fn *f, const struct sm_call *c) MUST_CHECK; /* as a statement */
bool sm_write_intrinsic_name(struct sm_fn *f, const struct sm_call *c) MUST_CHECK;

/* ---- names ---- */
/* "core::panicking::panic" of a mangled symbol of either kind, as far as it can be told; the symbol
 * itself when it is not mangled. */
str sm_path_of_symbol(struct arena *a, str symbol);
bool sm_is_mangled(str symbol);
bool sm_in_std(str path);
/* A symbol for the prepared dump, made from a name. */
str sm_new_symbol(struct smir *s, str name);
/* Relative, as prepared MIR wants it. */
str sm_file_name(struct smir *s, str path);

#endif
