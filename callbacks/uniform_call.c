/* Calls: device operations, intrinsics, native code, and functions, seen as their arguments are. */
#include "callbacks/device_op.h"
#include "callbacks/uniform_impl.h"

enum {
#define INTRINSIC(id, name, types, consts, args) id,
#include "ir/intrinsics.def"
#undef INTRINSIC
};

/* More arguments than this are not told apart. */
enum { MAX_ARGS = 20 };
#define UNI_ALL UINT64_MAX
static const uint64_t bit_value = 1, bit_memory = 2, bit_deeper = 4;

/* The result, and what is stored through pointers. */
static void deliver(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_place *dest,
                    const struct uni_value *v) {
  if (!dest)
    return;
  struct uniform_reason where = x->under[b];
  uint32_t node = uni_place(u, x, dest, &where);
  uni_store(u, x, node, v, &where);
}

static struct uniform_reason why_of(enum uniform_why why, pm_loc at) {
  return (struct uniform_reason){.why = why, .at = at};
}

/* ---- device operations and foreign code ---- */

static enum uniform_why why_of_op(enum device_op_class c) {
  switch (c) {
  case OP_MATH:
  case OP_PLACE:
  case OP_SHARED:
  case OP_TRAP:
  case OP_EXIT:
    return UNI_UNIFORM;
  case OP_LOAD:
    return UNI_LOAD;
  case OP_INDEX:
    return UNI_INDEX;
  case OP_BARRIER:
  case OP_WARP:
    return UNI_WARP;
  case OP_ATOMIC:
    return UNI_ATOMIC;
  case OP_TIME:
    return UNI_TIME;
  case OP_OUTPUT:
  case OP_FOREIGN:
    return UNI_FOREIGN;
  }
  return UNI_FOREIGN;
}

static void call_extern(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_term *t,
                        const struct uni_value *args) {
  str symbol = u->m->externs[t->u.call.callee->id].symbol;
  const enum device_op_class c = device_op_class(symbol);
  struct uni_value v = {.to = UNI_OPEN};
  if ((c != OP_BARRIER && c != OP_WARP) || !device_op_agreed(symbol, u->o->warp))
    v.why = why_of(why_of_op(c), t->span);
  for (uint32_t i = 0; i < t->n; i++) {
    if (c == OP_MATH)
      uni_because(&v.why, &args[i].why);
    if (args[i].to && c != OP_MATH && c != OP_LOAD)
      uni_escape(u, x, args[i].to);
  }
  deliver(u, x, b, &t->u.call.dest, &v);
}

static void call_native(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_term *t,
                        const struct uni_value *args) {
  const struct pm_native *n = &u->m->natives[t->u.call.callee->id];
  struct uni_value v = {.why = why_of(UNI_NATIVE, t->span)};
  for (uint32_t i = 0; i < t->n; i++)
    if (args[i].to && n->arg_callback[i] == PM_NONE)
      uni_mark(x, args[i].to, &v.why);
  deliver(u, x, b, &t->u.call.dest, &v);
}

static void call_unknown(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_term *t,
                         const struct uni_value *args) {
  struct uni_value v = {.why = why_of(UNI_FOREIGN, t->span), .to = UNI_OPEN};
  for (uint32_t i = 0; i < t->n; i++)
    if (args[i].to)
      uni_escape(u, x, args[i].to);
  deliver(u, x, b, &t->u.call.dest, &v);
}

/* ---- intrinsics ---- */

static void store_through(struct uni *u, struct uni_ctx *x, uint32_t b, const struct uni_value *to,
                          const struct uni_value *v) {
  struct uniform_reason where = x->under[b];
  uni_because(&where, &to->why);
  if (to->to)
    uni_store(u, x, to->to, v, &where);
}

static struct uni_value load_through(struct uni *u, struct uni_ctx *x, const struct uni_value *from,
                                     pm_loc at) {
  struct uni_value v = from->to ? uni_load(u, x, from->to, at) : (struct uni_value){0};
  uni_because(&v.why, &from->why);
  return v;
}

static struct uni_value join_all(struct uni_ctx *x, const struct uni_value *args, uint32_t n) {
  struct uni_value v = {0};
  for (uint32_t i = 0; i < n; i++)
    v = uni_join(x, v, args[i]);
  return v;
}

/* Moves memory: (src, dst, n). */
static void copy_memory(struct uni *u, struct uni_ctx *x, uint32_t b, const struct uni_value *args,
                        pm_loc at) {
  struct uni_value v = load_through(u, x, &args[0], at);
  uni_because(&v.why, &args[2].why);
  store_through(u, x, b, &args[1], &v);
}

static void swap(struct uni *u, struct uni_ctx *x, uint32_t b, const struct uni_value *args, pm_loc at) {
  struct uni_value v = load_through(u, x, &args[0], at), w = load_through(u, x, &args[1], at);
  store_through(u, x, b, &args[0], &w);
  store_through(u, x, b, &args[1], &v);
}

static struct uni_value atomic(struct uni *u, struct uni_ctx *x, const struct pm_term *t,
                               const struct uni_value *args) {
  (void)u;
  struct uni_value v = {.why = why_of(UNI_ATOMIC, t->span), .to = UNI_OPEN};
  if (t->n > 0 && args[0].to)
    uni_mark(x, args[0].to, &v.why);
  for (uint32_t i = 0; i < t->n; i++)
    if (args[i].to && i > 0)
      uni_unify(x, args[i].to, UNI_OPEN);
  return v;
}

static void call_intrinsic(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_term *t,
                           const struct uni_value *args) {
  const uint32_t id = t->u.call.callee->id;
  struct uni_value v = {0};
  switch (id) {
  case PI_VOLATILE_LOAD:
  case PI_UVOLATILE_LOAD:
  case PI_DISCRIMINANT:
    v = load_through(u, x, &args[0], t->span);
    break;
  case PI_RAW_EQ:
  case PI_COMPARE_BYTES:
    for (uint32_t i = 0; i < t->n; i++) {
      struct uni_value one = i < 2 ? load_through(u, x, &args[i], t->span) : args[i];
      uni_because(&v.why, &one.why);
    }
    break;
  case PI_VOLATILE_STORE:
  case PI_UVOLATILE_STORE:
  case PI_WRITE_BYTES:
    store_through(u, x, b, &args[0], &args[1]);
    break;
  case PI_COPY:
  case PI_COPY_NO:
    copy_memory(u, x, b, args, t->span);
    break;
  case PI_SWAP:
    swap(u, x, b, args, t->span);
    break;
  default:
    v = id >= PI_ATOMIC_LOAD && id <= PI_ATOMIC_CAS ? atomic(u, x, t, args) : join_all(x, args, t->n);
  }
  deliver(u, x, b, &t->u.call.dest, &v);
}

/* ---- functions ---- */

/* All that is two steps and more behind: is any of it divergent or open? */
static bool deep_differs(struct uni *u, struct uni_ctx *x, uint32_t n, struct uniform_reason *why) {
  for (unsigned i = 0; i < 8; i++) {
    n = uni_find(x, n);
    const struct uni_node *node = &x->nodes.p[n];
    uni_because(why, &node->why);
    if (node->open)
      uni_because(why, &(struct uniform_reason){.why = UNI_LOAD, .at = PM_NONE});
    if (why->why != UNI_UNIFORM)
      return true;
    if (!node->pointee || uni_find(x, node->pointee) == n)
      return false;
    n = node->pointee;
  }
  (void)u;
  return true;
}

uint64_t uni_key(struct uni *u, struct uni_ctx *x, const struct uni_value *args, uint32_t n) {
  uint64_t key = 0;
  if (n > MAX_ARGS)
    return UNI_ALL;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t bits = args[i].why.why != UNI_UNIFORM ? bit_value : 0;
    if (args[i].to) {
      struct uniform_reason why = {0};
      uint32_t first = uni_find(x, args[i].to), second = x->nodes.p[first].pointee;
      if (x->nodes.p[first].why.why != UNI_UNIFORM || x->nodes.p[first].open)
        bits |= bit_memory;
      if (second && deep_differs(u, x, second, &why))
        bits |= bit_deeper;
    }
    key |= bits << (3 * i);
  }
  return key;
}

struct uniform_reason uni_translate(struct uni *u, struct uni_ctx *x, const struct uniform_reason *why,
                                    const struct uni_value *args, uint32_t n, pm_loc at) {
  struct uniform_reason r = {0};
  if (why->why == UNI_PARAM && why->param < n)
    r = args[why->param].why;
  else if (why->why == UNI_MEMORY && why->param < n && args[why->param].to)
    deep_differs(u, x, args[why->param].to, &r);
  else
    r = *why;
  if (r.why == UNI_UNIFORM)
    r = why_of(UNI_FOREIGN, at);
  if (r.at == PM_NONE)
    r.at = at;
  return r;
}

/* One node of the callee, and the caller's for it. */
struct link {
  uint32_t callee, caller;
};

static void take_memory(struct uni *u, struct uni_ctx *x, struct uni_ctx *y, const struct link *l,
                        const struct uni_value *args, uint32_t n, pm_loc at) {
  const struct uni_node *node = &y->nodes.p[uni_find(y, l->callee)];
  if (node->why.why != UNI_UNIFORM) {
    struct uniform_reason r = uni_translate(u, x, &node->why, args, n, at);
    uni_mark(x, l->caller, &r);
  }
  if (node->open)
    uni_unify(x, l->caller, UNI_OPEN);
}

/* What the callee has confused, the caller may no longer tell apart. */
static void take_links(struct uni *u, struct uni_ctx *x, struct uni_ctx *y, const struct link *l, uint32_t n_l,
                       const struct uni_value *args, uint32_t n, pm_loc at) {
  for (uint32_t i = 0; i < n_l; i++) {
    take_memory(u, x, y, &l[i], args, n, at);
    for (uint32_t k = 0; k < i; k++)
      if (uni_find(y, l[i].callee) == uni_find(y, l[k].callee))
        uni_unify(x, l[i].caller, l[k].caller);
  }
}

static void unknown_effect(struct uni *u, struct uni_ctx *x, uint32_t b, const struct uni_value *args,
                           uint32_t n, const struct pm_place *dest, pm_loc at) {
  struct uni_value v = {.why = why_of(UNI_FOREIGN, at), .to = UNI_OPEN};
  for (uint32_t i = 0; i < n; i++)
    if (args[i].to)
      uni_escape(u, x, args[i].to);
  deliver(u, x, b, dest, &v);
}

void uni_call_fn(struct uni *u, struct uni_ctx *x, uint32_t b, pm_fn fn, const struct uni_value *args,
                 uint32_t n, const struct pm_place *dest, pm_loc at) {
  struct uni_ctx *y = n > MAX_ARGS ? NULL : uni_ctx_get(u, fn, uni_key(u, x, args, n));
  if (!y || y->key == UNI_ALL) {
    unknown_effect(u, x, b, args, n, dest, at);
  } else {
    struct link l[2 * MAX_ARGS + 2];
    uint32_t n_l = 0;
    struct uni_value v = {0};
    for (uint32_t i = 0; i < n; i++) {
      if (!args[i].to)
        continue;
      uint32_t deeper = uni_behind(u, x, args[i].to);
      l[n_l++] = (struct link){y->param1[i], args[i].to};
      l[n_l++] = (struct link){y->param2[i], deeper};
      /* The callee does not tell apart what lies deeper. */
      for (unsigned k = 0; k < 8 && y->nodes.p[uni_find(y, y->param2[i])].why.why != UNI_UNIFORM; k++) {
        if (!x->nodes.p[uni_find(x, deeper)].pointee)
          break;
        deeper = uni_behind(u, x, deeper);
        take_memory(u, x, y, &(struct link){y->param2[i], deeper}, args, n, at);
      }
    }
    if (dest) {
      uint32_t first = uni_behind(u, y, UNI_LOCAL), second = uni_behind(u, y, first);
      struct uniform_reason where = {0};
      v.to = uni_behind(u, x, uni_place(u, x, dest, &where));
      l[n_l++] = (struct link){first, v.to};
      l[n_l++] = (struct link){second, uni_behind(u, x, v.to)};
      const struct uni_node *ret = &y->nodes.p[uni_find(y, UNI_LOCAL)];
      if (ret->why.why != UNI_UNIFORM)
        v.why = uni_translate(u, x, &ret->why, args, n, at);
    }
    take_links(u, x, y, l, n_l, args, n, at);
    deliver(u, x, b, dest, &v);
  }
  if (u->may_exit[fn]) {
    struct uniform_reason why = why_of(UNI_EXIT, at);
    uni_spread(x, b, &why);
  }
}

void uni_call(struct uni *u, struct uni_ctx *x, uint32_t b, const struct pm_term *t) {
  const struct pm_callee *c = t->u.call.callee;
  struct uni_value few[8];
  struct uni_value *args = t->n <= COUNT_OF(few) ? few : arena_array(&u->arena, struct uni_value, t->n);
  for (uint32_t i = 0; i < t->n; i++)
    args[i] = uni_operand(u, x, &t->ops[i], t->span);
  switch (c->kind) {
  case PM_CALL_FN:
    uni_call_fn(u, x, b, c->id, args, t->n, &t->u.call.dest, t->span);
    break;
  case PM_CALL_EXTERN:
    call_extern(u, x, b, t, args);
    break;
  case PM_CALL_INTRINSIC:
    call_intrinsic(u, x, b, t, args);
    break;
  case PM_CALL_NATIVE:
    call_native(u, x, b, t, args);
    break;
  case PM_CALL_PTR:
    call_unknown(u, x, b, t, args);
    break;
  }
}
