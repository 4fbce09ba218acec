/* Layouts of types: sizes, offsets, cycles, enums. */
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "base/vec.h"
#include "ir/pmir_check.h"

/* No object is bigger than the address space that a GPU has. */
#define MAX_SIZE ((uint64_t)1 << 47)
#define MAX_ALIGN ((uint64_t)1 << 29)
#define MAX_WORK ((uint64_t)100 << 20)

bool pc_is_usize(const struct pm_type *t) {
  return t->kind == PM_INT && t->bits == 64 && !t->is_signed;
}

bool pc_is_thin(const struct pm_type *t) {
  return t->kind == PM_PTR && t->meta == PM_META_NONE;
}

/* The type at the end, on which the metadata depends; PM_NONE: it is this one. */
static pm_ty tail_of(const struct pm_type *t) {
  if ((t->kind != PM_STRUCT && t->kind != PM_TUPLE) || t->n_fields == 0)
    return PM_NONE;
  return t->fields[t->n_fields - 1].ty;
}

/* A struct is as unsized as its last field. Chains end since types have no cycles; what was found
 * is kept for each type on the way, so that long ones are walked once. */
enum pm_meta pc_meta_of(const struct pm_check *c, pm_ty id) {
  pm_ty end = id;
  while (c->meta[end] == 0 && tail_of(pc_type(c, end)) != PM_NONE)
    end = tail_of(pc_type(c, end));
  if (c->meta[end] == 0) {
    const enum pm_kind k = pc_type(c, end)->kind;
    c->meta[end] = 1 + (k == PM_SLICE || k == PM_STR ? PM_META_LEN
                        : k == PM_DYN                ? PM_META_VTABLE
                                                     : PM_META_NONE);
  }
  for (pm_ty t = id; c->meta[t] == 0; t = tail_of(pc_type(c, t)))
    c->meta[t] = c->meta[end];
  return (enum pm_meta)(c->meta[id] - 1);
}

bool pc_is_sized(const struct pm_check *c, pm_ty t) {
  return pc_meta_of(c, t) == PM_META_NONE;
}

static struct diag *bad_type(struct pm_check *c, pm_ty id, enum diag_code code, const char *fmt,
                             ...) PRINTF_LIKE(4, 5);
static struct diag *bad_type(struct pm_check *c, pm_ty id, enum diag_code code, const char *fmt,
                             ...) {
  struct strbuf where = {0}, b = {0};
  sb_addf(&where, "/types/%u", id);
  va_list ap;
  va_start(ap, fmt);
  sb_vaddf(&b, fmt, ap);
  va_end(ap);
  struct diag *d = pc_error_at(c, code, PM_NONE, sb_str(&where), "type `%.*s`: %.*s", PC_TY(c, id),
                               STR_ARG(sb_str(&b)));
  sb_free(&where);
  sb_free(&b);
  return d;
}

/* ---- cycles ---- */

struct frame {
  pm_ty ty;
  uint32_t variant, field;
};

/* The types held by value, one after the other. */
static bool next_part(const struct pm_type *t, struct frame *f, pm_ty *out) {
  if (t->kind == PM_ARRAY || t->kind == PM_SLICE) {
    *out = t->elem;
    return f->field++ == 0;
  }
  if (t->kind == PM_ENUM) {
    while (f->variant < t->n_variants) {
      const struct pm_variant *v = &t->variants[f->variant];
      if (f->field < v->n_fields) {
        *out = v->fields[f->field++].ty;
        return true;
      }
      f->variant++;
      f->field = 0;
    }
    return false;
  }
  if (f->field >= t->n_fields)
    return false;
  *out = t->fields[f->field++].ty;
  return true;
}

/* Depth first with an explicit stack: chains may be as long as the table. */
static void check_cycles(struct pm_check *c) {
  enum { NEW, OPEN, DONE };
  const uint32_t n = c->m->n_types;
  struct arena_mark mark = arena_save(&c->arena);
  uint8_t *state = arena_array(&c->arena, uint8_t, n);
  VEC(struct frame) stack = {0};
  for (pm_ty i = 0; i < n && !pc_too_many(c); i++) {
    if (state[i] != NEW)
      continue;
    vec_push(NULL, &stack, ((struct frame){i, 0, 0}));
    state[i] = OPEN;
    while (stack.n) {
      struct frame *f = &vec_last(&stack);
      pm_ty part;
      if (!next_part(pc_type(c, f->ty), f, &part)) {
        state[f->ty] = DONE;
        stack.n--;
      } else if (state[part] == OPEN) {
        bad_type(c, f->ty, MD0211, "it contains itself by value, through `%.*s`", PC_TY(c, part));
        state[f->ty] = DONE;
        stack.n--;
      } else if (state[part] == NEW) {
        state[part] = OPEN;
        vec_push(NULL, &stack, ((struct frame){part, 0, 0}));
      }
    }
  }
  vec_free(&stack);
  arena_rewind(&c->arena, mark);
}

/* ---- fields ---- */

struct range {
  uint64_t lo, hi;
};

static int by_offset(const void *a, const void *b) {
  const struct range *x = a, *y = b;
  return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static bool check_field(struct pm_check *c, pm_ty id, const struct pm_field *f, bool unsized_ok) {
  const struct pm_type *t = pc_type(c, id), *ft = pc_type(c, f->ty);
  if (!unsized_ok && !pc_is_sized(c, f->ty)) {
    bad_type(c, id, MD0210, "the field `%.*s` has no size and is not the last", STR_ARG(f->name));
    return false;
  }
  const bool whole = pc_is_sized(c, id);
  if (f->off > MAX_SIZE || (whole && (f->off > t->size || ft->size > t->size - f->off))) {
    bad_type(c, id, MD0210, "the field `%.*s` of %llu bytes at %llu is outside the %llu bytes",
             STR_ARG(f->name), (unsigned long long)ft->size, (unsigned long long)f->off,
             (unsigned long long)t->size);
    return false;
  }
  uint64_t align = ft->align < t->align ? ft->align : t->align; /* less when packed */
  if (f->off % align == 0)
    return true;
  bad_type(c, id, MD0210, "the field `%.*s` at %llu is not aligned to %llu", STR_ARG(f->name),
           (unsigned long long)f->off, (unsigned long long)align);
  return false;
}

/* Bounds, alignment and, unless they may, no overlap of the fields and of `more` further ranges. */
static bool check_fields(struct pm_check *c, pm_ty id, const struct pm_field *fields, uint32_t n,
                         const struct pm_set *sets, uint32_t n_sets) {
  struct arena_mark mark = arena_save(&c->arena);
  struct range *all = arena_array(&c->arena, struct range, (size_t)n + n_sets);
  size_t k = 0;
  bool ok = true;
  for (uint32_t i = 0; i < n && ok; i++) {
    ok = check_field(c, id, &fields[i], i + 1 == n);
    uint64_t size = pc_type(c, fields[i].ty)->size;
    if (size)
      all[k++] = (struct range){fields[i].off, fields[i].off + size};
  }
  for (uint32_t i = 0; i < n_sets && ok; i++)
    all[k++] = (struct range){sets[i].off, sets[i].off + sets[i].bits / 8};
  if (ok && k > 1)
    qsort(all, k, sizeof *all, by_offset);
  for (size_t i = 1; i < k && ok; i++) {
    if (all[i].lo >= all[i - 1].hi)
      continue;
    bad_type(c, id, MD0210, "two fields or the tag overlap at byte %llu",
             (unsigned long long)all[i].lo);
    ok = false;
  }
  arena_rewind(&c->arena, mark);
  return ok;
}

static void check_union(struct pm_check *c, pm_ty id) {
  const struct pm_type *t = pc_type(c, id);
  for (uint32_t i = 0; i < t->n_fields; i++)
    if (!check_field(c, id, &t->fields[i], false))
      return;
}

/* ---- enums ---- */

/* The value that the stores of a variant leave at a place, if they decide it. */
static bool known_value(const struct pm_variant *v, uint64_t at, uint32_t bits, u128 *out) {
  for (uint32_t i = 0; i < v->n_sets; i++) {
    const struct pm_set *s = &v->sets[i];
    if (at < s->off || at + bits / 8 > s->off + s->bits / 8)
      continue;
    u128 all = (u128)s->hi << 64 | s->lo;
    all >>= (at - s->off) * 8;
    *out = bits == 128 ? all : all & (((u128)1 << bits) - 1);
    return true;
  }
  return false;
}

/* Index of the case that holds the value; n_cases when none does. Cases of plain enums are in
 * ascending order, and there may be thousands of them. */
static uint32_t find_case(struct pm_check *c, const struct pm_get *g, u128 value, bool sorted) {
  uint32_t i = 0;
  if (sorted) {
    uint32_t hi = g->n_cases;
    while (i < hi) {
      uint32_t mid = i + (hi - i) / 2;
      if (g->cases[mid].hi < value)
        i = mid + 1;
      else
        hi = mid;
    }
    return i < g->n_cases && g->cases[i].lo <= value ? i : g->n_cases;
  }
  while (i < g->n_cases && (value < g->cases[i].lo || value > g->cases[i].hi))
    i++;
  c->work += i;
  return i;
}

static bool is_sorted(const struct pm_get *g) {
  for (uint32_t i = 1; i < g->n_cases; i++)
    if (g->cases[i].lo <= g->cases[i - 1].hi)
      return false;
  return true;
}

/* Can the tree answer `wanted` after the stores of that variant? */
static bool finds(struct pm_check *c, const struct pm_get *g, const struct pm_variant *v,
                  uint32_t wanted, bool sorted) {
  if (g->kind != PM_GET_SWITCH)
    return g->kind == PM_GET_VARIANT && g->variant == wanted;
  u128 value;
  if (known_value(v, g->at, g->bits, &value)) {
    uint32_t i = find_case(c, g, value, sorted);
    return finds(c, i < g->n_cases ? g->cases[i].then : g->otherwise, v, wanted, false);
  }
  c->work += g->n_cases;
  for (uint32_t i = 0; i < g->n_cases; i++)
    if (finds(c, g->cases[i].then, v, wanted, false))
      return true;
  return finds(c, g->otherwise, v, wanted, false);
}

static bool check_tree(struct pm_check *c, pm_ty id, const struct pm_get *g) {
  const struct pm_type *t = pc_type(c, id);
  if (g->kind != PM_GET_SWITCH)
    return true;
  if (g->at > t->size || g->bits / 8 > t->size - g->at) {
    bad_type(c, id, MD0212, "`get` reads %u bits at %llu, outside the %llu bytes", g->bits,
             (unsigned long long)g->at, (unsigned long long)t->size);
    return false;
  }
  for (uint32_t i = 0; i < g->n_cases; i++) {
    if (g->bits < 128 && g->cases[i].hi >> g->bits) {
      bad_type(c, id, MD0212, "a case of `get` does not fit in %u bits", g->bits);
      return false;
    }
    if (!check_tree(c, id, g->cases[i].then))
      return false;
  }
  return check_tree(c, id, g->otherwise);
}

static bool check_variant(struct pm_check *c, pm_ty id, uint32_t i, bool sorted) {
  const struct pm_type *t = pc_type(c, id), *discr = pc_type(c, t->elem);
  const struct pm_variant *v = &t->variants[i];
  u128 d = (u128)v->discr_hi << 64 | v->discr_lo;
  if (discr->bits < 128 && d >> discr->bits) {
    bad_type(c, id, MD0212, "the discriminant of `%.*s` does not fit in %u bits", STR_ARG(v->name),
             discr->bits);
    return false;
  }
  for (uint32_t s = 0; s < v->n_sets; s++) {
    if (v->sets[s].off <= t->size && v->sets[s].bits / 8 <= t->size - v->sets[s].off)
      continue;
    bad_type(c, id, MD0212, "`set` of `%.*s` stores outside the %llu bytes", STR_ARG(v->name),
             (unsigned long long)t->size);
    return false;
  }
  /* What cannot exist has no layout to speak of. */
  if (v->uninhabited)
    return true;
  if (!check_fields(c, id, v->fields, v->n_fields, v->sets, v->n_sets))
    return false;
  if (c->work > MAX_WORK) {
    bad_type(c, id, MD0212, "there are too many variants in no order");
    return false;
  }
  if (finds(c, t->get, v, i, sorted))
    return true;
  struct diag *e = bad_type(c, id, MD0212, "`get` does not find the variant `%.*s` after its `set`",
                            STR_ARG(v->name));
  diag_help(e, "this is a fault of the producer of the dump");
  return false;
}

static void check_enum(struct pm_check *c, pm_ty id) {
  const struct pm_type *t = pc_type(c, id);
  if (pc_type(c, t->elem)->kind != PM_INT) {
    bad_type(c, id, MD0212, "the discriminant's type `%.*s` is not an integer", PC_TY(c, t->elem));
    return;
  }
  if (!check_tree(c, id, t->get))
    return;
  const bool sorted = t->get->kind == PM_GET_SWITCH && is_sorted(t->get);
  for (uint32_t i = 0; i < t->n_variants; i++)
    if (!check_variant(c, id, i, sorted))
      return;
}

/* ---- each kind ---- */

static void want_layout(struct pm_check *c, pm_ty id, uint64_t size, uint64_t most_align) {
  const struct pm_type *t = pc_type(c, id);
  if (t->size != size)
    bad_type(c, id, MD0210, "the size is %llu, should be %llu", (unsigned long long)t->size,
             (unsigned long long)size);
  else if (t->align > most_align)
    bad_type(c, id, MD0210, "the alignment is %llu, more than %llu", (unsigned long long)t->align,
             (unsigned long long)most_align);
}

static void check_pointer(struct pm_check *c, pm_ty id) {
  const struct pm_type *t = pc_type(c, id);
  if (pc_type(c, t->elem)->kind != PM_OPAQUE && pc_meta_of(c, t->elem) != t->meta) {
    bad_type(c, id, MD0210, "`meta` does not fit the pointee `%.*s`", PC_TY(c, t->elem));
    return;
  }
  want_layout(c, id, t->meta == PM_META_NONE ? 8 : 16, 8);
}

static void check_array(struct pm_check *c, pm_ty id) {
  const struct pm_type *t = pc_type(c, id), *e = pc_type(c, t->elem);
  uint64_t size;
  if (!pc_is_sized(c, t->elem))
    bad_type(c, id, MD0210, "the elements have no size");
  else if (__builtin_mul_overflow(e->size, t->len, &size) || size > MAX_SIZE)
    bad_type(c, id, MD0210, "%llu elements of %llu bytes are too many", (unsigned long long)t->len,
             (unsigned long long)e->size);
  else if (t->align != e->align)
    bad_type(c, id, MD0210, "the alignment is not that of the elements");
  else
    want_layout(c, id, size, MAX_ALIGN);
}

static bool check_common(struct pm_check *c, pm_ty id) {
  const struct pm_type *t = pc_type(c, id);
  if (t->align == 0 || (t->align & (t->align - 1)) != 0 || t->align > MAX_ALIGN) {
    bad_type(c, id, MD0210, "the alignment %llu is not a power of two up to 2^29",
             (unsigned long long)t->align);
    return false;
  }
  if (t->size > MAX_SIZE) {
    bad_type(c, id, MD0210, "the size %llu is more than 2^47", (unsigned long long)t->size);
    return false;
  }
  if (t->size % t->align == 0)
    return true;
  bad_type(c, id, MD0210, "the size %llu is not a multiple of the alignment %llu",
           (unsigned long long)t->size, (unsigned long long)t->align);
  return false;
}

static void check_type(struct pm_check *c, pm_ty id) {
  const struct pm_type *t = pc_type(c, id);
  switch (t->kind) {
  case PM_INT:
  case PM_FLOAT:
    want_layout(c, id, t->bits / 8, t->bits / 8);
    break;
  case PM_BOOL:
    want_layout(c, id, 1, 1);
    break;
  case PM_CHAR:
    want_layout(c, id, 4, 4);
    break;
  case PM_NEVER:
  case PM_FNDEF:
  case PM_STR:
    want_layout(c, id, 0, 1);
    break;
  case PM_DYN:
    want_layout(c, id, 0, MAX_ALIGN);
    break;
  case PM_PTR:
    check_pointer(c, id);
    break;
  case PM_FNPTR:
    want_layout(c, id, 8, 8);
    break;
  case PM_ARRAY:
    check_array(c, id);
    break;
  case PM_SLICE:
    want_layout(c, id, 0, pc_type(c, t->elem)->align);
    break;
  case PM_TUPLE:
  case PM_STRUCT:
  case PM_CLOSURE:
    check_fields(c, id, t->fields, t->n_fields, NULL, 0);
    break;
  case PM_UNION:
    check_union(c, id);
    break;
  case PM_ENUM:
    check_enum(c, id);
    break;
  case PM_OPAQUE:
    break;
  }
}

void pc_types(struct pm_check *c) {
  check_cycles(c);
  if (c->errors)
    return;
  for (pm_ty id = 0; id < c->m->n_types && !pc_too_many(c); id++)
    check_common(c, id);
  if (c->errors)
    return;
  for (pm_ty id = 0; id < c->m->n_types && !pc_too_many(c); id++)
    check_type(c, id);
}
