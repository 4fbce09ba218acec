/* Prints interned types: as labels for people, or as source that rustc takes back. */
#include "base/fatal.h"
#include "cargo-integration/rustc/rty.h"

static const char *const prim_names[PRIM_COUNT] = {
    "bool", "char", "str", "i8",   "i16",   "i32", "i64", "i128", "isize", "u8",
    "u16",  "u32",  "u64", "u128", "usize", "f16", "f32", "f64",  "f128"};

struct printer {
  enum rty_print how;
  struct strbuf *out;
  bool bad; /* holds something that source cannot name */
};

static void print(struct printer *p, const struct rty *t);

static bool source(const struct printer *p) {
  return p->how != RTY_PRINT_LABEL;
}

static void unnameable(struct printer *p) {
  if (source(p))
    p->bad = true;
}

static void print_list(struct printer *p, const struct rty *const *args, uint32_t n) {
  bool first = true;
  for (uint32_t i = 0; i < n; i++) {
    if (args[i]->kind == RTY_LIFETIME && !source(p))
      continue;
    if (!first)
      sb_addz(p->out, ", ");
    first = false;
    print(p, args[i]);
  }
}

static bool any_shown(const struct printer *p, const struct rty_seg *s) {
  for (uint32_t i = 0; i < s->n_args; i++)
    if (source(p) || s->args[i]->kind != RTY_LIFETIME)
      return true;
  return false;
}

static void print_qualified(struct printer *p, const struct rty *self, const struct rty *trait) {
  sb_addc(p->out, '<');
  print(p, self);
  if (trait != NULL) {
    /* A trait is named in type position, without a turbofish. */
    enum rty_print how = p->how;
    if (how == RTY_PRINT_SOURCE_VALUE)
      p->how = RTY_PRINT_SOURCE;
    sb_addz(p->out, " as ");
    print(p, trait);
    p->how = how;
  }
  sb_addc(p->out, '>');
}

static void print_impl(struct printer *p, const struct rty_seg *s) {
  sb_addz(p->out, "<impl ");
  if (s->trait != NULL) {
    print(p, s->trait);
    sb_addz(p->out, " for ");
  }
  print(p, s->self);
  sb_addc(p->out, '>');
}

static void print_seg(struct printer *p, const struct rty_seg *s) {
  switch (s->kind) {
  case SEG_NAME:
  case SEG_SPECIAL:
    if (s->kind == SEG_SPECIAL || str_find_char(s->name, '#', 2) != SIZE_MAX)
      unnameable(p);
    sb_add(p->out, s->name);
    if (!any_shown(p, s))
      return;
    sb_addz(p->out, p->how == RTY_PRINT_SOURCE ? "<" : p->how == RTY_PRINT_LABEL ? "<" : "::<");
    print_list(p, s->args, s->n_args);
    sb_addc(p->out, '>');
    return;
  case SEG_QSELF:
    print_qualified(p, s->self, s->trait);
    return;
  case SEG_IMPL:
    if (source(p))
      print_qualified(p, s->self, s->trait);
    else
      print_impl(p, s);
    return;
  case SEG_IMPL_AT:
    unnameable(p);
    sb_addz(p->out, "<impl at ");
    sb_add(p->out, s->name);
    sb_addc(p->out, '>');
    return;
  }
}

/* In source, `core::slice::<impl [T]>::len` is `<[T]>::len`: what stands before it is dropped. */
static uint32_t first_seg(const struct printer *p, const struct rty *t) {
  for (uint32_t i = t->n_segs; source(p) && i > 0; i--)
    if (t->segs[i - 1].kind == SEG_IMPL)
      return i - 1;
  return 0;
}

static void print_path(struct printer *p, const struct rty *t) {
  uint32_t from = first_seg(p, t);
  for (uint32_t i = from; i < t->n_segs; i++) {
    if (i > from)
      sb_addz(p->out, "::");
    print_seg(p, &t->segs[i]);
  }
}

static void print_fn(struct printer *p, const struct rty *t) {
  if (t->is_unsafe)
    sb_addz(p->out, "unsafe ");
  if (t->abi.n > 0) {
    sb_addz(p->out, "extern \"");
    sb_add(p->out, t->abi);
    sb_addz(p->out, "\" ");
  }
  sb_addz(p->out, "fn(");
  print_list(p, t->args, t->n_args);
  if (t->variadic)
    sb_addz(p->out, t->n_args > 0 ? ", ..." : "...");
  sb_addc(p->out, ')');
  if (!rty_is_unit(t->ret)) {
    sb_addz(p->out, " -> ");
    print(p, t->ret);
  }
}

static void print_closure(struct printer *p, const struct rty *t) {
  unnameable(p);
  sb_addc(p->out, '{');
  if (t->path == NULL) {
    sb_addz(p->out, "closure@");
    sb_add(p->out, t->name);
  } else {
    print(p, t->path);
  }
  sb_addc(p->out, '}');
}

static void print_bounds(struct printer *p, const struct rty *t, const char *word) {
  if (source(p) && t->kind == RTY_IMPL)
    p->bad = true;
  if (source(p))
    sb_addc(p->out, '(');
  sb_addz(p->out, word);
  for (uint32_t i = 0; i < t->n_args; i++) {
    if (i > 0)
      sb_addz(p->out, " + ");
    enum rty_print how = p->how;
    if (how == RTY_PRINT_SOURCE_VALUE)
      p->how = RTY_PRINT_SOURCE;
    print(p, t->args[i]);
    p->how = how;
  }
  if (source(p))
    sb_addz(p->out, " + 'static)");
}

static void print_u128(struct strbuf *out, uint64_t lo, uint64_t hi) {
  char digits[40];
  size_t n = sizeof digits;
  do {
    /* Long division by ten, 32 bits at a time. */
    uint64_t part[4] = {hi >> 32, hi & UINT32_MAX, lo >> 32, lo & UINT32_MAX};
    uint64_t rest = 0;
    for (int i = 0; i < 4; i++) {
      uint64_t cur = rest << 32 | part[i];
      part[i] = cur / 10;
      rest = cur % 10;
    }
    hi = part[0] << 32 | part[1];
    lo = part[2] << 32 | part[3];
    digits[--n] = (char)('0' + rest);
  } while (lo != 0 || hi != 0);
  sb_add(out, (str){digits + n, sizeof digits - n});
}

static void print_signed(struct strbuf *out, uint64_t lo, uint64_t hi, unsigned bits) {
  bool negative = bits == 128 ? hi >> 63 : lo >> (bits - 1) & 1u;
  if (!negative) {
    print_u128(out, lo, hi);
    return;
  }
  sb_addc(out, '-');
  if (bits == 128)
    print_u128(out, (uint64_t)0 - lo, ~hi + (lo == 0 ? 1u : 0u));
  else
    print_u128(out, ((uint64_t)0 - lo) & (bits == 64 ? UINT64_MAX : (1ull << bits) - 1), 0);
}

static void print_const(struct printer *p, const struct rty *t) {
  static const unsigned signed_bits[PRIM_COUNT] = {
      [PRIM_I8] = 8,   [PRIM_I16] = 16,   [PRIM_I32] = 32,
      [PRIM_I64] = 64, [PRIM_I128] = 128, [PRIM_ISIZE] = 64};
  const struct rty *ty = t->elem;
  if (ty == NULL) {
    if (t->hi == UINT64_MAX)
      print_signed(p->out, t->lo, t->hi, 128);
    else
      print_u128(p->out, t->lo, t->hi);
  } else if (ty->kind != RTY_PRIM) {
    unnameable(p);
    sb_addf(p->out, "{0x%llx}", (unsigned long long)t->lo);
  } else if (ty->prim == PRIM_BOOL) {
    sb_addz(p->out, t->lo ? "true" : "false");
  } else if (ty->prim == PRIM_CHAR) {
    sb_addf(p->out, "'\\u{%llx}'", (unsigned long long)t->lo);
  } else if (signed_bits[ty->prim] > 0) {
    print_signed(p->out, t->lo, t->hi, signed_bits[ty->prim]);
  } else {
    print_u128(p->out, t->lo, t->hi);
  }
}

static void print_branch(struct printer *p, const struct rty *t) {
  unnameable(p);
  print(p, t->elem);
  sb_addz(p->out, "{");
  print_list(p, t->args, t->n_args);
  sb_addz(p->out, "}");
}

static void print_pointer(struct printer *p, const struct rty *t) {
  if (t->kind == RTY_PTR)
    sb_addz(p->out, t->mut ? "*mut " : "*const ");
  else if (source(p))
    sb_addz(p->out, t->mut ? "&'static mut " : "&'static ");
  else
    sb_addz(p->out, t->mut ? "&mut " : "&");
  print(p, t->elem);
}

static void print_tuple(struct printer *p, const struct rty *t) {
  sb_addc(p->out, '(');
  print_list(p, t->args, t->n_args);
  sb_addz(p->out, t->n_args == 1 ? ",)" : ")");
}

static void print_array(struct printer *p, const struct rty *t) {
  sb_addc(p->out, '[');
  print(p, t->elem);
  if (t->kind == RTY_ARRAY) {
    sb_addz(p->out, "; ");
    print(p, t->len);
  }
  sb_addc(p->out, ']');
}

static void print(struct printer *p, const struct rty *t) {
  switch (t->kind) { /* dispatch */
  case RTY_PRIM:
    sb_addz(p->out, prim_names[t->prim]);
    return;
  case RTY_NEVER:
    sb_addc(p->out, '!');
    return;
  case RTY_TUPLE:
    print_tuple(p, t);
    return;
  case RTY_SLICE:
  case RTY_ARRAY:
    print_array(p, t);
    return;
  case RTY_REF:
  case RTY_PTR:
    print_pointer(p, t);
    return;
  case RTY_PATH:
    print_path(p, t);
    return;
  case RTY_FNPTR:
    print_fn(p, t);
    return;
  case RTY_FNDEF:
    unnameable(p);
    print(p, t->path);
    return;
  case RTY_CLOSURE:
    print_closure(p, t);
    return;
  case RTY_DYN:
    print_bounds(p, t, "dyn ");
    return;
  case RTY_IMPL:
    print_bounds(p, t, "impl ");
    return;
  case RTY_PATTERN:
    unnameable(p);
    sb_addc(p->out, '(');
    print(p, t->elem);
    sb_addz(p->out, " is ");
    sb_add(p->out, t->name);
    sb_addc(p->out, ')');
    return;
  case RTY_LIFETIME:
    sb_addz(p->out, source(p) ? "'static" : "'_");
    return;
  case RTY_BINDING:
    sb_add(p->out, t->name);
    sb_addz(p->out, " = ");
    print(p, t->elem);
    return;
  case RTY_CONST:
    print_const(p, t);
    return;
  case RTY_CONST_BRANCH:
    print_branch(p, t);
    return;
  case RTY_CONST_PARAM:
  case RTY_CONST_OPEN:
    sb_add(p->out, t->name);
    return;
  }
  BUG("type kind %d", (int)t->kind);
}

bool rty_print(const struct rty *t, enum rty_print how, struct strbuf *out) {
  struct strbuf own = {0};
  struct printer p = {.how = how, .out = &own};
  print(&p, t);
  if (!p.bad)
    sb_add(out, sb_str(&own));
  sb_free(&own);
  return !p.bad;
}

str rty_label(struct rty_table *t, const struct rty *ty) {
  struct strbuf b = {0};
  (void)rty_print(ty, RTY_PRINT_LABEL, &b);
  str kept = arena_str(t->arena, sb_str(&b));
  sb_free(&b);
  return kept;
}
