/* What a callback does, through all that it calls. Each function is looked at once; only what finds
 * something that the entry does not allow is walked again to say where it stands. */
#include "callbacks/admit_impl.h"

#include <string.h>

#include "base/vec.h"
#include "callbacks/device_op.h"

enum { INTRINSIC_ZERO = -1,
#define INTRINSIC(id, name, types, consts, args) id,
#include "ir/intrinsics.def"
#undef INTRINSIC
};

enum finding {
  F_POINTER, F_FOREIGN, F_BARRIER, F_WARP, F_SHARED, F_INDEX, F_ATOMIC, F_OUTPUT, F_OTHER, F_RECURSION,
  F_PTX, F_OVERFLOW, F_BOUNDS, F_DIVISION, F_PANIC, F_STATIC, F_NATIVE, N_FINDINGS
};
#define BIT(f) (1u << (f))
#define TRAPS (BIT(F_OVERFLOW) | BIT(F_BOUNDS) | BIT(F_DIVISION) | BIT(F_PANIC))

struct body_facts {
  uint32_t *found;  /* by function: what it and its callees do; valid once `state` is DONE */
  uint8_t *state;
  bool *harmless;   /* by alloc: leads to nothing that changes, or is being looked at */
  unsigned depth;   /* of allocs that lead to each other */
  uint32_t *stamp;  /* by function: last walk for messages + 1 */
  uint32_t walk;
  struct map told;  /* messages given */
};
enum { NEW, OPEN, DONE };
enum { MAX_DEPTH = 500 };

static const struct {
  enum diag_code code;
  const char *text, *help;
} words[N_FINDINGS] = {
    [F_POINTER] = {MD0760, "the callback calls through a pointer",
                   "call closures and functions whose type names their code, not `dyn Fn` or `fn` pointers"},
    [F_FOREIGN] = {MD0761, "the callback calls a function that has no body here",
                   "write the function in Rust"},
    [F_BARRIER] = {MD0762, "the callback waits for other threads",
                   "native code calls it from some of the threads only: synchronise in the kernel"},
    [F_WARP] = {MD0763, "the callback exchanges values with other lanes",
                "native code calls it from some of the lanes only: exchange in the kernel, and capture the result"},
    [F_SHARED] = {MD0764, "the callback uses shared memory",
                  "read what it needs in the kernel, and capture the value"},
    [F_INDEX] = {MD0765, "the callback asks which thread runs it",
                 "native code chooses the thread: capture the index of the kernel's thread, or give it in the value"},
    [F_ATOMIC] = {MD0766, "the callback has an atomic operation or a fence",
                  "return the result, and store it in the kernel"},
    [F_OUTPUT] = {MD0767, "the callback prints", "print in the kernel"},
    [F_OTHER] = {MD0768, "the callback uses an operation of the thread", "do that in the kernel"},
    [F_RECURSION] = {MD0769, "the callback is recursive",
                     "write a loop: what is recursive cannot be inlined into native code"},
    [F_PTX] = {MD0770, "the callback has inline PTX", "write the operation in Rust"},
    [F_OVERFLOW] = {MD0771, "the callback stops on overflow", "say what overflow does"},
    [F_BOUNDS] = {MD0772, "the callback stops on an index that is out of bounds",
                  "use an index that needs no check, `v[i & 3]` of four, or `v.get(i)`"},
    [F_DIVISION] = {MD0773, "the callback stops on a division",
                    "exclude it, `a.checked_div(b).unwrap_or(0)`, or divide by a constant"},
    [F_PANIC] = {MD0774, "the callback can panic", "return a value for that case"},
    [F_STATIC] = {MD0775, "the callback uses a static that may change",
                  "capture the value, or make it a `const`"},
    [F_NATIVE] = {MD0776, "the callback calls a native algorithm",
                  "call it in the kernel, and capture the result"},
};

/* ---- one operation ---- */

/* What one thing does, with what the message needs. */
struct seen {
  uint32_t bits;
  str name;
  enum pm_trap trap;
};

static enum finding finding_of_trap(enum pm_trap t) {
  switch (t) {
  case PM_TRAP_ADD:
  case PM_TRAP_SUB:
  case PM_TRAP_MUL:
  case PM_TRAP_NEG:
  case PM_TRAP_SHL:
  case PM_TRAP_SHR:
    return F_OVERFLOW;
  case PM_TRAP_BOUNDS:
    return F_BOUNDS;
  case PM_TRAP_DIV:
  case PM_TRAP_REM:
  case PM_TRAP_DIV_ZERO:
  case PM_TRAP_REM_ZERO:
    return F_DIVISION;
  case PM_TRAP_ALIGN:
  case PM_TRAP_NULL:
  case PM_TRAP_PANIC:
  case PM_TRAP_UNREACHABLE:
  case PM_TRAP_ABORT:
  case PM_TRAP_ASSERT:
  case PM_TRAP_ENUM:
  case PM_TRAP_CALL:
  case PM_TRAP_END:
    break;
  }
  return F_PANIC;
}

/* What rustc checks by the profile only, and a check whose outcome is known. */
static bool never_stops(struct admit *a, const struct pm_func *f, const struct pm_term *t) {
  if (!a->m->unit.overflow_checks && pm_is_overflow((enum pm_trap)t->trap))
    return true;
  if (t->ops[0].kind == PM_BITS)
    return (t->ops[0].u.bits.lo != 0) == t->expect;
  return t->trap == PM_TRAP_BOUNDS && t->expect && admit_in_bounds(a, f, &t->ops[0]);
}

static uint32_t bits_of_op(enum device_op_class c) {
  switch (c) {
  case OP_MATH:
  case OP_PLACE:
  case OP_LOAD:
    return 0;
  case OP_INDEX:
    return BIT(F_INDEX);
  case OP_BARRIER:
    return BIT(F_BARRIER);
  case OP_WARP:
    return BIT(F_WARP);
  case OP_ATOMIC:
    return BIT(F_ATOMIC);
  case OP_SHARED:
    return BIT(F_SHARED);
  case OP_OUTPUT:
    return BIT(F_OUTPUT);
  case OP_TRAP:
    return BIT(F_PANIC);
  case OP_EXIT:
  case OP_TIME:
    return BIT(F_OTHER);
  case OP_FOREIGN:
    return BIT(F_FOREIGN);
  }
  return BIT(F_FOREIGN);
}

static struct seen see_call(const struct pmir *m, const struct pm_term *t) {
  const struct pm_callee *c = t->u.call.callee;
  struct seen s = {0};
  switch (c->kind) {
  case PM_CALL_FN:
    break;
  case PM_CALL_EXTERN:
    s.name = device_op_rust(m->externs[c->id].symbol);
    if (!s.name.n)
      s.name = m->externs[c->id].symbol;
    s.bits = bits_of_op(device_op_class(m->externs[c->id].symbol));
    s.trap = PM_TRAP_ABORT;
    if (s.bits & BIT(F_PANIC))
      s.name = STR("it stops the kernel");
    break;
  case PM_CALL_INTRINSIC:
    if (c->id >= PI_ATOMIC_LOAD && c->id <= PI_ATOMIC_FENCE) {
      s.bits = BIT(F_ATOMIC);
      s.name = STR("core::sync::atomic");
    } else if (c->id == PI_ABORT) {
      s.bits = BIT(F_PANIC);
      s.name = STR("abort");
    } else if (c->id == PI_BREAKPOINT) {
      s.bits = BIT(F_OTHER);
      s.name = STR("breakpoint");
    }
    break;
  case PM_CALL_NATIVE:
    s.bits = BIT(F_NATIVE);
    s.name = m->natives[c->id].path;
    break;
  case PM_CALL_PTR:
    s.bits = BIT(F_POINTER);
    break;
  }
  return s;
}

static str trap_text(enum pm_trap t) {
  static const char *const texts[] = {
#define PM_TRAP(id, name, text) text,
#include "ir/traps.def"
#undef PM_TRAP
  };
  return str_from(texts[t]);
}

static struct seen see_term(struct admit *a, const struct pm_func *f, const struct pm_term *t) {
  struct seen s = {0};
  switch ((enum pm_term_kind)t->kind) {
  case PM_CALL:
    return see_call(a->m, t);
  case PM_ASSERT:
    if (never_stops(a, f, t))
      break;
    s.trap = (enum pm_trap)t->trap;
    s.bits = BIT(finding_of_trap(s.trap));
    s.name = trap_text(s.trap);
    break;
  case PM_TRAP_TERM:
    s.trap = (enum pm_trap)t->trap;
    s.bits = BIT(finding_of_trap(s.trap));
    s.name = t->u.message.n ? t->u.message : trap_text(s.trap);
    break;
  case PM_PTX:
    s.bits = BIT(F_PTX);
    break;
  case PM_GOTO:
  case PM_SWITCH:
  case PM_RETURN:
  case PM_UNREACHABLE:
  case PM_DROP:
    break;
  }
  return s;
}

/* ---- memory that changes ---- */

static struct seen see_target(struct admit *a, enum pm_reloc_kind to, uint32_t id);

static struct seen see_static(const struct pmir *m, uint32_t id) {
  const struct pm_static *st = &m->statics[id];
  struct seen s = {.name = st->name};
  if (st->space == PM_SHARED)
    s.bits = BIT(F_SHARED);
  else if (st->space != PM_CONST && !pm_never_changes(m, st))
    s.bits = BIT(F_STATIC);
  return s;
}

static struct seen see_alloc(struct admit *a, uint32_t id) {
  const struct pm_alloc *al = &a->m->allocs[id];
  struct seen s = {0};
  struct body_facts *w = a->bodies;
  if (al->mut || w->depth > MAX_DEPTH)
    return (struct seen){.bits = BIT(F_STATIC), .name = STR("(constant)")};
  if (w->harmless[id])
    return s;
  w->harmless[id] = true;
  w->depth++;
  for (uint32_t i = 0; i < al->n_relocs && !s.bits; i++)
    s = see_target(a, al->relocs[i].kind, al->relocs[i].id);
  w->depth--;
  w->harmless[id] = !s.bits; /* otherwise to be found again for a message */
  return s;
}

static struct seen see_target(struct admit *a, enum pm_reloc_kind to, uint32_t id) {
  if (to == PM_TO_STATIC)
    return see_static(a->m, id);
  if (to == PM_TO_ALLOC)
    return see_alloc(a, id);
  return (struct seen){0};
}

static struct seen see_operands(struct admit *a, const struct pm_operand *ops, uint32_t n) {
  struct seen s = {0};
  for (uint32_t i = 0; i < n && !s.bits; i++) {
    if (ops[i].kind == PM_FROM)
      s = see_alloc(a, ops[i].u.addr.id);
    else if (ops[i].kind == PM_ADDR || ops[i].kind == PM_WIDE)
      s = see_target(a, (enum pm_reloc_kind)ops[i].to, ops[i].u.addr.id);
  }
  return s;
}

static struct seen see_stmt(struct admit *a, const struct pm_stmt *s) {
  if (s->kind == PM_ASSIGN)
    return see_operands(a, s->u.rv.ops, s->u.rv.n_ops);
  return s->kind == PM_COPYN ? see_operands(a, s->u.ops, 3) : (struct seen){0};
}

static struct seen see_term_operands(struct admit *a, const struct pm_term *t) {
  uint32_t n = t->kind == PM_SWITCH ? 1 : t->kind == PM_CALL ? t->n : 0;
  return see_operands(a, t->ops, n);
}

/* ---- all that a function does ---- */

static pm_fn callee_of(const struct pm_term *t) {
  if (t->kind == PM_CALL && t->u.call.callee->kind == PM_CALL_FN)
    return t->u.call.callee->id;
  return t->kind == PM_DROP ? t->u.drop.fn : PM_NONE;
}

static uint32_t own_bits(struct admit *a, const struct pm_func *f, const struct pm_block *b) {
  uint32_t bits = see_term(a, f, &b->term).bits | see_term_operands(a, &b->term).bits;
  for (uint32_t i = 0; i < b->n_stmts; i++)
    bits |= see_stmt(a, &b->stmts[i]).bits;
  return bits;
}

struct visit {
  pm_fn fn;
  uint32_t block;
};

/* Depth first, without recursion of our own: call chains may be long. */
static uint32_t look_at(struct admit *a, pm_fn root) {
  struct body_facts *w = a->bodies;
  VEC(struct visit) stack = {0};
  if (w->state[root] == NEW)
    vec_push(NULL, &stack, ((struct visit){root, 0}));
  while (stack.n) {
    struct visit *v = &vec_last(&stack);
    const struct pm_func *f = &a->m->fns[v->fn];
    w->state[v->fn] = OPEN;
    if (v->block == f->n_blocks) {
      w->state[v->fn] = DONE;
      pm_fn done = v->fn;
      (void)vec_pop(&stack);
      if (stack.n)
        w->found[vec_last(&stack).fn] |= w->found[done];
      continue;
    }
    const struct pm_block *b = &f->blocks[v->block++];
    w->found[v->fn] |= own_bits(a, f, b);
    pm_fn to = callee_of(&b->term);
    if (to == PM_NONE)
      continue;
    if (w->state[to] == OPEN)
      w->found[v->fn] |= BIT(F_RECURSION);
    else if (w->state[to] == DONE)
      w->found[v->fn] |= w->found[to];
    else
      vec_push(NULL, &stack, ((struct visit){to, 0}));
  }
  vec_free(&stack);
  return w->found[root];
}

void admit_bodies_init(struct admit *a) {
  struct body_facts *w = a->bodies = arena_new(&a->arena, struct body_facts);
  w->found = arena_array(&a->arena, uint32_t, a->m->n_fns);
  w->state = arena_array(&a->arena, uint8_t, a->m->n_fns);
  w->stamp = arena_array(&a->arena, uint32_t, a->m->n_fns);
  w->harmless = arena_array(&a->arena, bool, a->m->n_allocs);
}

void admit_bodies_free(struct admit *a) {
  map_free(&a->bodies->told);
}

/* ---- messages ---- */

/* A chain of calls from the thunk down. */
struct chain {
  const struct chain *up;
  pm_fn fn;
  pm_loc call; /* in the function above; PM_NONE for the thunk */
};
struct telling {
  struct admit *a;
  uint32_t native;
  uint32_t bad;
  unsigned n;
};
enum { MAX_TOLD = 8, MAX_CHAIN = 1000 };

static const char *wrapping(enum pm_trap t) {
  switch (t) {
  case PM_TRAP_SUB:
    return "a.wrapping_sub(b)";
  case PM_TRAP_MUL:
    return "a.wrapping_mul(b)";
  case PM_TRAP_NEG:
    return "a.wrapping_neg()";
  case PM_TRAP_SHL:
    return "a.wrapping_shl(n)";
  case PM_TRAP_SHR:
    return "a.wrapping_shr(n)";
  default:
    return "a.wrapping_add(b)";
  }
}

static bool told_before(struct admit *a, enum diag_code code, pm_loc at, const struct chain *c) {
  bool fresh;
  struct span s = admit_place(a->m, at);
  str key = arena_printf(&a->arena, "%d %u:%u:%u-%u:%u %u", (int)code, s.file, s.line0, s.col0, s.line1,
                         s.col1, s.line0 ? 0 : c->fn);
  (void)map_put(&a->bodies->told, key, &fresh);
  return !fresh;
}

static void tell(struct telling *t, const struct chain *c, pm_loc at, enum finding f, const struct seen *s) {
  struct admit *a = t->a;
  if (t->n >= MAX_TOLD || told_before(a, words[f].code, at, c))
    return;
  t->n++;
  struct diag *d = admit_error(a, t->native, words[f].code, at, "%s%s%.*s", words[f].text,
                               s->name.n ? ": " : "", STR_ARG(s->name));
  for (const struct chain *k = c; k->up; k = k->up) {
    struct span call = admit_place(a->m, k->call);
    if (k->up->up && call.line0)
      diag_note_at(d, call, "`%.*s` is called here", STR_ARG(a->m->fns[k->fn].name));
  }
  if (f == F_OVERFLOW)
    diag_help(d, "%s: `%s`", words[f].help, wrapping(s->trap));
  else
    diag_help(d, "%s", words[f].help);
}

static void tell_seen(struct telling *t, const struct chain *c, pm_loc at, const struct seen *s) {
  for (unsigned f = 0; f < N_FINDINGS; f++)
    if (s->bits & t->bad & BIT(f))
      tell(t, c, at, (enum finding)f, s);
}

static bool on_chain(const struct chain *c, pm_fn fn) {
  for (; c; c = c->up)
    if (c->fn == fn)
      return true;
  return false;
}

static void tell_fn(struct telling *t, const struct chain *c, unsigned depth) {
  struct admit *a = t->a;
  struct body_facts *w = a->bodies;
  const struct pm_func *f = &a->m->fns[c->fn];
  w->stamp[c->fn] = w->walk;
  for (uint32_t b = 0; b < f->n_blocks && t->n < MAX_TOLD; b++) {
    const struct pm_term *e = &f->blocks[b].term;
    for (uint32_t i = 0; i < f->blocks[b].n_stmts; i++) {
      struct seen s = see_stmt(a, &f->blocks[b].stmts[i]);
      tell_seen(t, c, f->blocks[b].stmts[i].span, &s);
    }
    struct seen s = see_term(a, f, e), o = see_term_operands(a, e);
    tell_seen(t, c, e->span, &s);
    tell_seen(t, c, e->span, &o);
    pm_fn to = callee_of(e);
    if (to == PM_NONE || !(w->found[to] & t->bad))
      continue;
    if (on_chain(c, to))
      tell_seen(t, c, e->span, &(struct seen){.bits = BIT(F_RECURSION), .name = a->m->fns[to].name});
    else if (depth == MAX_CHAIN)
      tell(t, c, e->span, F_RECURSION, &(struct seen){.name = a->m->fns[to].name});
    else if (w->stamp[to] != w->walk)
      tell_fn(t, &(struct chain){c, to, e->span}, depth + 1);
  }
}

void admit_body(struct admit *a, uint32_t native, const struct pm_callback *cb) {
  const struct provider_entry *e = a->natives[native].entry;
  uint32_t allowed = 0;
  if (e && e->allow_traps)
    allowed |= TRAPS;
  if (e && e->allow_thread_index)
    allowed |= BIT(F_INDEX);
  uint32_t bad = look_at(a, cb->thunk) & ~allowed;
  if (!bad)
    return;
  a->refused = true;
  a->bodies->walk++;
  struct telling t = {.a = a, .native = native, .bad = bad};
  tell_fn(&t, &(struct chain){NULL, cb->thunk, PM_NONE}, 0);
}
