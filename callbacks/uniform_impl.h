/* Shared by the files of the convergence analysis. */
#ifndef MIRDC_CALLBACKS_UNIFORM_IMPL_H
#define MIRDC_CALLBACKS_UNIFORM_IMPL_H

#include "base/map.h"
#include "base/vec.h"
#include "callbacks/uniform.h"

/* ---- the shape of a function, without the ways that end in a trap ---- */
struct uni_flow {
  uint32_t n;         /* blocks; number n is the exit */
  uint32_t *succ_at;  /* n + 2 */
  uint32_t *succ;     /* each once */
  uint32_t *ipdom;    /* by block; n for the exit itself, PM_NONE: the block is doomed */
  uint32_t *depth;    /* in the tree of post-dominators */
  uint32_t *order;    /* live blocks that the entry reaches, before those that they lead to but for loops */
  uint32_t n_order;
  uint32_t *assumed; /* by block: how many times the user vouches for all that is there */
};

/* Memory and what it holds; classes of a union-find. */
struct uni_node {
  uint32_t parent, pointee; /* pointee 0: nothing known yet */
  bool open; /* others may write it */
  struct uniform_reason why; /* of a divergent content */
};
struct uni_value {
  struct uniform_reason why;
  uint32_t to; /* the node that it leads to, 0: none */
};

/* What a call does, as seen from the caller. Node numbers are those of the callee. */
struct uni_ctx {
  pm_fn fn;
  uint64_t key; /* three bits for each argument: value, memory, memory behind memory */
  bool busy;
  bool seen, seen_divergent; /* walk for the report */
  const struct uni_flow *flow;
  VEC(struct uni_node) nodes; /* [0] unused, [1] open memory, [2] constants, then locals */
  uint32_t *param1, *param2;  /* what parameters lead to */
  /* By block: the branch that decides and why it differs; why == UNI_UNIFORM: all threads come. */
  struct uniform_reason *under;
  uint32_t *branch;
  uint32_t *todo, *skip; /* of uni_spread */
  bool changed;
};

struct uni_ctxs {
  struct uni_ctx **p;
  size_t n, cap;
};
struct uni {
  const struct pmir *m;
  const struct uniform_options *o;
  struct arena arena;
  struct uni_flow **flows;       /* by function */
  struct uni_ctxs *of_fn;        /* by function */
  bool *reaches, *direct;        /* by function: a wanted native call, also in itself */
  bool *may_exit;                /* by function: ends single threads */
  bool *pointers;                /* by type */
  unsigned depth;
  uniform_report *report;
  void *report_ctx;
};

enum { UNI_OPEN = 1, UNI_CONST = 2, UNI_LOCAL = 3 };

/* ---- uniform_flow.c ---- */
const struct uni_flow *uni_flow_of(struct uni *u, pm_fn fn);
/* Marks what the end of a block decides, which differs between threads. */
void uni_spread(struct uni_ctx *x, uint32_t block, const struct uniform_reason *why);

/* ---- uniform_node.c ---- */
uint32_t uni_new(struct uni *u, struct uni_ctx *x);
uint32_t uni_find(struct uni_ctx *x, uint32_t n);
uint32_t uni_behind(struct uni *u, struct uni_ctx *x, uint32_t n);
void uni_unify(struct uni_ctx *x, uint32_t a, uint32_t b);
void uni_mark(struct uni_ctx *x, uint32_t n, const struct uniform_reason *why);
/* The memory of a place; *index gets why its address differs between threads. */
uint32_t uni_place(struct uni *u, struct uni_ctx *x, const struct pm_place *p,
                   struct uniform_reason *index);
struct uni_value uni_load(struct uni *u, struct uni_ctx *x, uint32_t node, pm_loc at);
struct uni_value uni_operand(struct uni *u, struct uni_ctx *x, const struct pm_operand *o, pm_loc at);
void uni_store(struct uni *u, struct uni_ctx *x, uint32_t node, const struct uni_value *v,
               const struct uniform_reason *where);
struct uni_value uni_join(struct uni_ctx *x, struct uni_value a, struct uni_value b);
void uni_escape(struct uni *u, struct uni_ctx *x, uint32_t node);

/* ---- uniform_code.c ---- */
void uni_block(struct uni *u, struct uni_ctx *x, uint32_t b);

/* ---- uniform_call.c ---- */
void uni_call(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_term *t);
void uni_call_fn(struct uni *u, struct uni_ctx *x, uint32_t b, pm_fn fn, const struct uni_value *args,
                 uint32_t n, const struct pm_place *dest, pm_loc at);
/* A reason of the callee in the words of the caller. */
struct uniform_reason uni_translate(struct uni *u, struct uni_ctx *x, const struct uniform_reason *why,
                                    const struct uni_value *args, uint32_t n, pm_loc at);
uint64_t uni_key(struct uni *u, struct uni_ctx *x, const struct uni_value *args, uint32_t n);

/* ---- uniform.c ---- */
/* The function seen with such arguments; NULL: it is being looked at, or too deep. */
struct uni_ctx *uni_ctx_get(struct uni *u, pm_fn fn, uint64_t key);

static inline void uni_because(struct uniform_reason *to, const struct uniform_reason *why) {
  if (to->why == UNI_UNIFORM)
    *to = *why;
}

#endif
