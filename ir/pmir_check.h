/* The verifier of prepared MIR, shared by its files. Not for others. */
#ifndef MIRDC_IR_PMIR_CHECK_H
#define MIRDC_IR_PMIR_CHECK_H

#include "base/map.h"
#include "ir/pmir.h"

struct pm_reader;

struct pm_check {
  struct pm_reader *r;
  struct pmir *m; /* types of places and operands are filled in */
  /* where we are; the messages of pc_error say so */
  pm_fn fn;
  uint32_t block, stmt; /* stmt PM_NONE: the terminator; block PM_NONE: the function itself */
  pm_loc span;
  unsigned errors;
  struct pc_pair {
    pm_ty a, b;
  } * equal; /* pairs of different ids found equal, hashed */
  size_t n_equal, cap_equal;
  uint8_t *meta;     /* per type: 1 + the metadata of pointers to it, 0: not known yet */
  struct map arrays; /* (element, length) -> type id + 1, made on first use */
  struct arena keys;
  struct arena arena; /* rewound */
  uint64_t work;      /* steps of the one check that is not linear */
};

/* Everything that docs/prepared-mir.md asks for. False after reporting. */
bool pm_verify(struct pm_reader *r) MUST_CHECK;
/* Adds "reached from kernel `k`" to a message about a function. */
void pm_note_kernels(const struct pmir *m, pm_fn fn, struct diag *d);

/* The passes. Each reports for itself. */
void pc_types(struct pm_check *c);
void pc_memory(struct pm_check *c);
void pc_symbols(struct pm_check *c);
void pc_kernels(struct pm_check *c);
void pc_natives(struct pm_check *c);
void pc_function(struct pm_check *c, pm_fn fn);
void pc_flow(struct pm_check *c, struct pm_func *f);

/* An error at a statement of the current function. Never NULL. */
struct diag *pc_error(struct pm_check *c, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* An error elsewhere: `pointer` is the JSON pointer. */
struct diag *pc_error_at(struct pm_check *c, enum diag_code code, pm_loc span, str pointer,
                         const char *fmt, ...) PRINTF_LIKE(5, 6);
bool pc_too_many(const struct pm_check *c);

/* ---- types ---- */
/* True if values of the two types may be assigned to each other; see docs/prepared-mir.md. */
bool pc_same(struct pm_check *c, pm_ty a, pm_ty b);
/* The array type with that element and length, or PM_NONE. */
pm_ty pc_array_of(struct pm_check *c, pm_ty elem, uint64_t len);

static inline const struct pm_type *pc_type(const struct pm_check *c, pm_ty t) {
  return &c->m->types[t];
}
bool pc_is_usize(const struct pm_type *t);
bool pc_is_thin(const struct pm_type *t); /* data pointer without metadata */
bool pc_is_sized(const struct pm_check *c, pm_ty t);
/* The metadata that a pointer to the type has. */
enum pm_meta pc_meta_of(const struct pm_check *c, pm_ty t);

/* ---- code ---- */
#define PC_TY(c, t) STR_ARG((c)->m->types[t].name)

bool pc_place(struct pm_check *c, struct pm_place *p, pm_ty *out) MUST_CHECK;
bool pc_operand(struct pm_check *c, struct pm_operand *o) MUST_CHECK;
bool pc_assign(struct pm_check *c, struct pm_stmt *s) MUST_CHECK;
void pc_term(struct pm_check *c, struct pm_func *f, struct pm_term *t);
/* Arguments' types are known; checks them, the destination's type is `dest`. */
bool pc_intrinsic(struct pm_check *c, const struct pm_callee *callee, const struct pm_operand *args,
                  uint32_t n, pm_ty dest) MUST_CHECK;
/* A call of a native algorithm whose arguments have their types. */
void pc_native_call(struct pm_check *c, const struct pm_term *t, pm_ty dest);
bool pc_want(struct pm_check *c, pm_ty found, pm_ty wanted, const char *what) MUST_CHECK;

#endif
