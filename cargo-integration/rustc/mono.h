/* Instances: which body, with which types in place of its parameters. */
#ifndef MIRDC_RUSTC_MONO_H
#define MIRDC_RUSTC_MONO_H

#include "cargo-integration/rustc/prepare.h"

enum callee_kind {
  CALLEE_FN,        /* inst */
  CALLEE_EXTERN,    /* ext */
  CALLEE_INTRINSIC, /* path */
  CALLEE_PANIC,     /* path */
  CALLEE_NOTHING,   /* a hint: no code */
  CALLEE_CLOSURE,   /* a call through Fn, FnMut, FnOnce: self type and mode, see below */
  CALLEE_DROP,      /* drop_in_place::<T> */
  CALLEE_DYN,       /* a method of a trait object, through its table */
  CALLEE_NATIVE,    /* an entry of a provider */
  CALLEE_MATH,      /* intr: name of a math operation, with the float type */
  CALLEE_PENDING,   /* asked of rustc, known in the next round */
  CALLEE_REFUSED    /* reported */
};
struct callee {
  enum callee_kind kind;
  struct inst *inst;
  uint32_t ext;
  const struct rty *path;   /* of the FnDef */
  const struct rty *fndef;
  const struct rty *self;   /* CLOSURE: what is called; DROP: T; MATH: float type */
  char how;                 /* CLOSURE: 'r' call, 'm' call_mut, 'o' call_once */
  const char *intr;
};

/* What a call of this function item means. `fndef` holds no parameters any more. */
struct callee mono_resolve(struct prep *p, const struct inst *from, const struct rty *fndef,
                           struct span at);
/* The body of a closure; NULL: reported, or *pending. */
struct inst *mono_closure(struct prep *p, const struct inst *from, const struct rty *closure,
                          struct span at, bool *pending);
/* fn(args) that calls a closure without captures. */
struct inst *mono_closure_shim(struct prep *p, const struct inst *from, const struct rty *closure,
                               struct span at);
/* A function around what has no body of its own (an intrinsic, an extern function), for its address. */
struct inst *mono_call_shim(struct prep *p, const struct inst *from, const struct rty *fndef,
                            struct span at);
/* fn(*const T, arguments…) -> result, C ABI: calls a closure or function for native code. */
struct inst *mono_thunk(struct prep *p, const struct inst *from, const struct rty *ty,
                        const struct rty *args, const struct rty *ret, struct span at);
/* A kernel that calls `body` and stores its result through one more argument. */
struct inst *mono_entry_shim(struct prep *p, const struct inst *body, str name, struct span at);
struct inst *mono_item(struct prep *p, const struct inst *from, struct prep_dump *dump,
                       const struct mir_item *item, const struct rty *path,
                       const struct rty_subst *subst, struct span at);
struct inst *mono_glue(struct prep *p, const struct inst *from, const struct rty *ty,
                       struct span at);

/* A type of a body with the instance's types put in, projections resolved where possible. */
const struct rty *mono_type(struct prep *p, const struct inst *in, const struct rty *ty,
                            struct span at);
/* Binds parameters so that `formal` becomes `actual`. */
struct binding {
  const struct rty *from[96], *to[96];
  size_t n;
};
bool mono_unify(struct binding *b, const struct rty *formal, const struct rty *actual);
/* The bindings, kept in the arena. */
struct rty_subst mono_keep(struct prep *p, const struct binding *b);
bool mono_is_panic(const struct rty *path);

#endif
