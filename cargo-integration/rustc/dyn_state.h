/* The tables of trait objects of one round; only dyn.c and emit_dyn.c look inside. */
#ifndef MIRDC_RUSTC_DYN_STATE_H
#define MIRDC_RUSTC_DYN_STATE_H

#include "cargo-integration/rustc/consts.h"

enum dyn_slot_kind {
  SLOT_METHOD, /* fndef, dyn, ret */
  SLOT_VALUE,  /* how, args (the tuple), ret: a call through Fn or FnMut */
  SLOT_DROP,
  SLOT_SIZE,
  SLOT_ALIGN,
  SLOT_TABLE   /* trait: the same object's table for another trait */
};
struct dyn_slot {
  enum dyn_slot_kind kind;
  const struct rty *fndef; /* as it is called through `dyn` */
  const struct rty *dyn;   /* the self type there */
  const struct rty *ret, *args, *trait;
  char how;                /* 'r' call, 'm' call_mut */
};
struct dyn_trait {
  const struct rty *trait;    /* without associated types; unit: none */
  VEC(struct dyn_slot) slots; /* in order of first use */
};
struct dyn_cell {
  struct target to; /* kind NULL: value */
  uint64_t value;
};
struct dyn_table {
  const struct rty *ty;
  struct dyn_trait *of;
  uint32_t alloc;
  const struct inst *from; /* who makes such an object first */
  struct span at;
  VEC(struct dyn_cell) cells;
};
struct dyn_state {
  struct map traits, tables, slots;
  VEC(struct dyn_table *) list;
};

/* The slot of this key in the tables of a trait; made when it is new. */
uint32_t dyn_slot(struct prep *p, const struct rty *dyn, str key, const struct dyn_slot *proto);
bool dyn_same_trait(struct prep *p, const struct rty *a, const struct rty *b);

/* mono.c */
/* Drops nothing: for types that need no drop. */
struct inst *mono_no_glue(struct prep *p, struct span at);
/* `fn(&ty, args…) -> ret` that calls a closure, function or pointer behind a `dyn Fn`. */
struct inst *mono_value_shim(struct prep *p, const struct inst *from, const struct rty *ty,
                             const struct dyn_slot *s, struct span at);
/* Its body, as MIR (dyn_shim.c). */
const struct mir_item *value_shim_body(struct prep *p, const struct rty *ty,
                                       const struct dyn_slot *s);
/* The same behind a raw pointer, which may also be called once and for all. */
const struct mir_item *thunk_body(struct prep *p, const struct rty *ty, const struct dyn_slot *s);
/* A function that calls `fndef`. */
const struct mir_item *call_shim_body(struct prep *p, const struct rty *fndef);

#endif
