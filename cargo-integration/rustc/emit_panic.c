/* Which blocks live, and which only lead to a panic: those become a trap, and the text formatting
 * before them with its private types never enters. */
#include <string.h>

#include "base/rust_names.h"
#include "cargo-integration/rustc/consts.h"
#include "cargo-integration/rustc/emit.h"

/* Calls that only build the arguments of a panic. */
static bool prepares_panic(const struct rty *path) {
  str n = path->name;
  return str_starts(n, STR("core::fmt::")) || str_starts(n, STR("std::fmt::")) ||
         str_find(n, STR("core::fmt::"), 0) != SIZE_MAX ||
         str_starts(n, STR("core::panic::")) || str_eq(n, STR("core::intrinsics::cold_path")) ||
         str_eq(n, STR("core::intrinsics::caller_location")) ||
         str_eq(n, STR("std::intrinsics::cold_path"));
}

static bool is_overflow_panic(const struct rty *path) {
  /* `strict_add` and its like; the module moved in 1.96 */
  return str_starts(path->name, STR("core::num::overflow_panic::")) ||
         str_starts(path->name, STR("core::num::imp::overflow_panic::"));
}

static bool ends_in_panic(const struct emit *e, const struct mir_term *t) {
  const struct rty *fd;
  switch (t->kind) {
  case TM_CALL:
    fd = callee_fndef(&t->op);
    if (!fd)
      return false;
    if (t->target == MIR_NONE)
      return mono_is_panic(fd->path) || is_overflow_panic(fd->path);
    return e->block_state[t->target] == BLOCK_PANIC && prepares_panic(fd->path);
  case TM_GOTO: case TM_DROP:
    return t->target != MIR_NONE && e->block_state[t->target] == BLOCK_PANIC;
  default:
    return false;
  }
}

static void mark_panics(struct emit *e) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (uint32_t i = e->mir->n_blocks; i-- > 0;) {
      const struct mir_block *b = &e->mir->blocks[i];
      if (!b->present || b->cleanup || e->block_state[i] == BLOCK_PANIC)
        continue;
      if (!ends_in_panic(e, &b->term))
        continue;
      e->block_state[i] = BLOCK_PANIC;
      changed = true;
    }
  }
}

struct stack {
  uint32_t *p;
  size_t n;
  uint8_t *seen;
};

static void push(struct emit *e, struct stack *s, uint32_t bb) {
  if (bb == MIR_NONE || bb >= e->mir->n_blocks || s->seen[bb])
    return;
  s->seen[bb] = 1;
  s->p[s->n++] = bb;
}

static void mark_live(struct emit *e) {
  struct arena *a = e->p->arena;
  uint32_t n = e->mir->n_blocks;
  struct stack s = {.p = arena_array(a, uint32_t, n + 1), .seen = arena_array(a, uint8_t, n + 1)};
  push(e, &s, 0);
  while (s.n) {
    uint32_t bb = s.p[--s.n];
    const struct mir_block *b = &e->mir->blocks[bb];
    if (!b->present) {
      e_error(e, MD0183, "block %u is missing", bb);
      return;
    }
    if (e->block_state[bb] == BLOCK_PANIC)
      continue;
    e->block_state[bb] = BLOCK_LIVE;
    for (uint32_t i = 0; i < b->term.n_targets; i++)
      push(e, &s, b->term.targets[i]);
    if (b->term.kind != TM_RETURN && b->term.kind != TM_UNREACHABLE)
      push(e, &s, b->term.target);
  }
  for (uint32_t i = 0; i < n; i++)
    if (!s.seen[i])
      e->block_state[i] = BLOCK_DEAD;
}

void panic_analyse(struct emit *e) {
  mark_panics(e);
  mark_live(e);
}

/* ---- messages ---- */
bool const_text(struct prep_dump *d, const struct mir_const *k, str *out) {
  if (k->kind != MC_SLICE)
    return false;
  const struct mir_alloc *a = mir_alloc_find(&d->file, k->alloc);
  if (!a || a->kind != MA_MEMORY || k->meta > a->size)
    return false;
  *out = (str){(const char *)a->bytes, k->meta};
  return true;
}

/* The pieces of core's format template: a length and that many bytes, or an argument. */
static bool template_text(const struct mir_alloc *a, struct strbuf *out) {
  for (uint64_t i = 0; i < a->size;) {
    uint8_t c = a->bytes[i++];
    if (c == 0)
      return out->n > 0;
    if (c < 0x80) {
      if (c > a->size - i)
        return false;
      sb_add(out, (str){(const char *)a->bytes + i, c});
      i += c;
    } else if (c == 0x80) {
      if (a->size - i < 2)
        return false;
      uint64_t n = a->bytes[i] | (uint64_t)a->bytes[i + 1] << 8;
      i += 2;
      if (n > a->size - i)
        return false;
      sb_add(out, (str){(const char *)a->bytes + i, n});
      i += n;
    } else if (c >= 0xc0) {
      sb_addz(out, "{}");
      i += (c & 1 ? 4u : 0u) + (c & 2 ? 2u : 0u) + (c & 4 ? 2u : 0u) + (c & 8 ? 2u : 0u);
    } else {
      return false;
    }
  }
  return false;
}

static bool const_message(struct emit *e, const struct mir_operand *op, struct strbuf *out) {
  str text;
  if (op->kind != OP_CONST)
    return false;
  const struct mir_const *k = op->k;
  if (const_text(e->in->dump, k, &text) && k->ty && k->ty->kind == RTY_REF &&
      rty_is_prim(k->ty->elem, PRIM_STR)) {
    sb_clear(out);
    sb_add(out, text);
    return true;
  }
  if (k->kind == MC_ALLOC && k->ty && k->ty->kind == RTY_REF && k->ty->elem->kind == RTY_ARRAY &&
      rty_is_prim(k->ty->elem->elem, PRIM_U8)) {
    const struct mir_alloc *a = mir_alloc_find(&e->in->dump->file, k->alloc);
    sb_clear(out);
    return a && a->kind == MA_MEMORY && template_text(a, out);
  }
  return false;
}

static bool rvalue_message(struct emit *e, const struct mir_rvalue *rv, struct strbuf *out) {
  if (rv->kind == RV_USE || rv->kind == RV_CAST || rv->kind == RV_UN)
    return const_message(e, &rv->a, out);
  for (uint32_t i = 0; i < rv->n_ops; i++)
    if (const_message(e, &rv->ops[i], out))
      return true;
  return false;
}

static const struct {
  const char *name, *text;
} fixed[] = {
    {"core::option::unwrap_failed", "called `Option::unwrap()` on a `None` value"},
    {"core::result::unwrap_failed", "called `Result::unwrap()` on an `Err` value"},
    {"core::slice::index::slice_index_fail", "slice range out of bounds"},
    {"core::panicking::panic_bounds_check", "index out of bounds"},
    {"core::panicking::unreachable_display", "entered unreachable code"},
    {"core::panicking::panic_nounwind", "unsafe precondition violated"},
};

static const char *trap_code(const struct rty *path) {
  const char *code = rust_panic_code(path->name);
  return code ? code : "panic";
}

/* assert_eq!, assert_ne!: the first argument tells which. */
static str assert_text(const struct mir_term *t) {
  const struct mir_operand *kind = t->n_args ? &t->args[0] : NULL;
  bool ne = kind && kind->kind == OP_CONST && kind->k->kind == MC_SCALAR && kind->k->bits.lo == 1;
  return ne ? STR("assertion `left != right` failed") : STR("assertion `left == right` failed");
}

static str fixed_text(const struct mir_term *t, const struct rty *path) {
  if (rty_path_is(path, "core::panicking::assert_failed"))
    return assert_text(t);
  for (size_t i = 0; i < COUNT_OF(fixed); i++)
    if (rty_path_is(path, fixed[i].name))
      return str_from(fixed[i].text);
  return STR_NULL;
}

static str no_cut_utf8(str s) {
  size_t bad;
  return utf8_valid(s, &bad) ? s : str_sub(s, 0, bad);
}

void panic_write(struct emit *e, uint32_t block) {
  struct strbuf text = {0};
  bool have = false;
  const char *code = "panic";
  struct mir_loc at = e->mir->blocks[block].term.loc;
  str message = STR_NULL;
  uint32_t bb = block;
  for (uint32_t guard = 0; guard <= e->mir->n_blocks; guard++) {
    const struct mir_block *b = &e->mir->blocks[bb];
    for (uint32_t i = 0; i < b->n_stmts && !have; i++)
      if (b->stmts[i].kind == ST_ASSIGN)
        have = rvalue_message(e, b->stmts[i].rv, &text);
    at = b->term.loc;
    if (b->term.kind == TM_CALL && b->term.target == MIR_NONE) {
      const struct rty *fd = callee_fndef(&b->term.op);
      message = fixed_text(&b->term, fd->path);
      code = trap_code(fd->path);
      for (uint32_t i = 0; i < b->term.n_args && !message.n; i++)
        if (const_message(e, &b->term.args[i], &text))
          have = true;
      break;
    }
    bb = b->term.target;
  }
  if (!message.n && have)
    message = no_cut_utf8(sb_str(&text));
  e_set_span(e, &at);
  jw_array(&e->w);
  jw_end_array(&e->w);
  e_trap(e, code, message);
  sb_free(&text);
}
