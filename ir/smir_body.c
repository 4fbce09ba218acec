/* Foreign dumps: functions, places, operands. */
#include <string.h>

#include "ir/smir_impl.h"

/* ---- spans ---- */

void sm_write_span(struct sm_fn *f, uint64_t span) {
  uint32_t n = sm_span(f->s, span);
  if (n == SM_NONE)
    jw_null(f->w);
  else
    jw_u64(f->w, n);
}

void sm_use_span(struct sm_fn *f, const struct json_at *at) {
  struct json_at v;
  uint64_t id;
  if (json_get(at, "span", &v) && json_u64(&v, UINT64_MAX, &id))
    f->s->at_span = (uint32_t)(id < SM_NONE ? id : SM_NONE);
}

/* ---- places ---- */

static bool no_such_local(const struct json_at *at, uint64_t n) {
  json_error(at, "there is no local %llu in this function", (unsigned long long)n);
  return false;
}

static bool bad_step(const struct json_at *at, const char *what, const struct sm_type *t) {
  json_error(at, "%s of a value of type `%.*s`", what, STR_ARG(t->name));
  return false;
}

/* An array of another length, as a range of one is: some type of the table has it, or none does. */
static struct sm_type *array_of(struct smir *s, struct sm_type *elem, uint64_t len) {
  for (size_t i = 0; i < s->type_rows.n; i++) {
    struct sm_type *t = s->type_rows.p[i];
    if (t->kind == SM_ARRAY && t->elem == elem && t->len == len)
      return t;
  }
  struct sm_type *t = sm_new_type(s, SM_ARRAY);
  t->elem = elem;
  t->len = len;
  t->align = elem->align;
  t->size = elem->size * len;
  t->name = STR("[_; _]");
  return t;
}

static bool step_subslice(struct sm_fn *f, const struct json_at *body, struct sm_type **ty) {
  uint64_t from, to;
  bool from_end;
  struct sm_type *t = *ty;
  if (!json_get_u64(body, "from", UINT64_MAX, &from) ||
      !json_get_u64(body, "to", UINT64_MAX, &to) || !json_get_bool(body, "from_end", &from_end))
    return false;
  if (t->kind == SM_SLICE)
    return true;
  if (t->kind != SM_ARRAY)
    return bad_step(body, "a range", t);
  uint64_t end = from_end ? t->len - to : to;
  if ((from_end && to > t->len) || end > t->len || from > end) {
    json_error(body, "the range does not lie in %llu elements", (unsigned long long)t->len);
    return false;
  }
  *ty = array_of(f->s, t->elem, end - from);
  return sm_load(f->s, t->elem);
}

/* The type after one step. */
static bool step_type(struct sm_fn *f, const struct json_at *at, struct sm_type **ty) {
  struct json_at body, v;
  struct sm_type *t = *ty;
  str kind;
  if (!sm_variant(at, &kind, &body))
    return false;
  if (str_eqz(kind, "Deref")) {
    if (t->kind != SM_PTR)
      return bad_step(at, "the target", t);
    *ty = t->elem;
  } else if (str_eqz(kind, "Field")) {
    if (t->kind == SM_UNKNOWN)
      t->looked_into = true;
    uint64_t id;
    if (!json_elem(&body, 1, &v) || !json_u64(&v, UINT64_MAX, &id))
      return false;
    *ty = sm_type(f->s, id);
  } else if (str_eqz(kind, "Index") || str_eqz(kind, "ConstantIndex")) {
    if (t->kind != SM_ARRAY && t->kind != SM_SLICE)
      return bad_step(at, "an element", t);
    *ty = t->elem;
  } else if (str_eqz(kind, "Subslice")) {
    return step_subslice(f, &body, ty);
  } else if (str_eqz(kind, "OpaqueCast") || str_eqz(kind, "Subtype")) {
    return sm_type_of(f->s, &body, ty);
  } else if (!str_eqz(kind, "Downcast")) {
    json_error(at, "unknown step of a place `%.*s`", STR_ARG(str_sub(kind, 0, 80)));
    return false;
  }
  return sm_load(f->s, *ty);
}

bool sm_read_place(struct sm_fn *f, const struct json_at *at, struct sm_place *out) {
  struct json_at step;
  if (!json_get_u64(at, "local", UINT64_MAX, &out->local) ||
      !json_get(at, "projection", &out->projection))
    return false;
  if (out->local >= f->n_locals)
    return no_such_local(at, out->local);
  out->ty = f->locals[out->local];
  JSON_EACH(&out->projection, step) {
    if (!step_type(f, &step, &out->ty))
      return false;
  }
  return true;
}

static bool write_range(struct sm_fn *f, const struct json_at *body, const char *letter,
                        const char *first, const char *second) {
  uint64_t a, b;
  bool from_end;
  if (!json_get_u64(body, first, UINT64_MAX, &a) || !json_get_u64(body, second, UINT64_MAX, &b) ||
      !json_get_bool(body, "from_end", &from_end))
    return false;
  jw_array(f->w);
  jw_strz(f->w, letter);
  jw_u64(f->w, a);
  jw_u64(f->w, b);
  jw_bool(f->w, from_end);
  jw_end_array(f->w);
  return true;
}

static void write_number(struct jsonw *w, const char *letter, uint64_t n) {
  jw_array(w);
  jw_strz(w, letter);
  jw_u64(w, n);
  jw_end_array(w);
}

static bool write_step(struct sm_fn *f, const struct json_at *at) {
  struct json_at body, v;
  struct sm_type *ty;
  str kind;
  uint64_t n;
  if (!sm_variant(at, &kind, &body))
    return false;
  if (str_eqz(kind, "Deref")) {
    jw_strz(f->w, "*");
    return true;
  }
  if (str_eqz(kind, "ConstantIndex"))
    return write_range(f, &body, "c", "offset", "min_length");
  if (str_eqz(kind, "Subslice"))
    return write_range(f, &body, "s", "from", "to");
  if (str_eqz(kind, "OpaqueCast") || str_eqz(kind, "Subtype"))
    return true; /* one type under two names */
  if (str_eqz(kind, "Field")) {
    if (!json_elem(&body, 0, &v) || !json_u64(&v, UINT32_MAX, &n) || !json_elem(&body, 1, &v) ||
        !sm_type_of(f->s, &v, &ty))
      return false;
    jw_array(f->w);
    jw_strz(f->w, "f");
    jw_u64(f->w, n);
    jw_u64(f->w, sm_number(f->s, ty));
    jw_end_array(f->w);
    return true;
  }
  if (!json_u64(&body, UINT32_MAX, &n))
    return false;
  bool index = str_eqz(kind, "Index");
  if (index && n >= f->n_locals)
    return no_such_local(&body, n);
  write_number(f->w, index ? "i" : "v", n);
  return true;
}

bool sm_write_steps(struct sm_fn *f, const struct sm_place *p, bool drop_last) {
  struct json_at step, next;
  jw_u64(f->w, p->local);
  JSON_EACH(&p->projection, step) {
    next = step;
    if (drop_last && !json_next(&next))
      break;
    if (!write_step(f, &step))
      return false;
  }
  return true;
}

bool sm_write_place(struct sm_fn *f, const struct sm_place *p, bool drop_last) {
  jw_array(f->w);
  if (!sm_write_steps(f, p, drop_last))
    return false;
  jw_end_array(f->w);
  return true;
}

bool sm_write_place_at(struct sm_fn *f, const struct json_at *at, struct sm_type **ty) {
  struct sm_place p;
  if (!sm_read_place(f, at, &p))
    return false;
  if (ty)
    *ty = p.ty;
  return sm_write_place(f, &p, false);
}

/* ---- operands ---- */

void sm_write_bits(struct sm_fn *f, struct sm_type *t, u128 v) {
  jw_array(f->w);
  jw_strz(f->w, "k");
  jw_u64(f->w, sm_number(f->s, t));
  jw_hex(f->w, v);
  jw_end_array(f->w);
}

static bool write_value(struct sm_fn *f, struct sm_type *t, const struct json_at *alloc) {
  struct sm_bytes b;
  if (!sm_read_bytes(f->s, alloc, &f->s->scratch, &b))
    return false;
  bool sized = t->kind != SM_UNKNOWN;
  if (sized && b.n != t->size) {
    json_error(alloc, "%zu bytes for a value of `%.*s`, which has %llu", b.n, STR_ARG(t->name),
               (unsigned long long)t->size);
    return false;
  }
  return sm_write_const(f->s, f->w, t, &b);
}

static bool write_constant(struct sm_fn *f, const struct json_at *at) {
  struct json_at k, kind, body, inner, value;
  struct sm_type *t;
  str name;
  if (!json_get(at, "const_", &k) || !sm_get_type(f->s, &k, "ty", &t) ||
      !json_get(&k, "kind", &kind) || !sm_variant(&kind, &name, &body))
    return false;
  if (str_eqz(name, "ZeroSized")) {
    jw_array(f->w);
    jw_strz(f->w, "z");
    jw_u64(f->w, sm_number(f->s, t));
    jw_end_array(f->w);
    return true;
  }
  if (str_eqz(name, "Allocated"))
    return write_value(f, t, &body);
  if (str_eqz(name, "Ty")) {
    if (!json_get(&body, "kind", &inner) || !sm_variant(&inner, &name, &value))
      return false;
    struct json_at alloc;
    if (str_eqz(name, "Value"))
      return json_elem(&value, 1, &alloc) && write_value(f, t, &alloc);
  }
  struct diag *d = sm_error(f->s, MD0854, "the dump does not tell the value of a constant (`%.*s`)",
                            STR_ARG(str_sub(name, 0, 80)));
  diag_help(d, "constants must be evaluated in the dump: make it from an optimised build, or with "
               "mirdc-rustc");
  return false;
}

bool sm_write_operand(struct sm_fn *f, const struct json_at *at) {
  struct json_at body;
  str kind;
  if (!sm_variant(at, &kind, &body))
    return false;
  if (str_eqz(kind, "Constant"))
    return write_constant(f, &body);
  bool copy = str_eqz(kind, "Copy");
  if (!copy && !str_eqz(kind, "Move")) {
    json_error(at, "unknown kind of operand `%.*s`", STR_ARG(str_sub(kind, 0, 80)));
    return false;
  }
  jw_array(f->w);
  jw_strz(f->w, copy ? "c" : "m");
  if (!sm_write_place_at(f, &body, NULL))
    return false;
  jw_end_array(f->w);
  return true;
}

bool sm_operand_type(struct sm_fn *f, const struct json_at *at, struct sm_type **out) {
  struct json_at body, k;
  struct sm_place p;
  str kind;
  if (!sm_variant(at, &kind, &body))
    return false;
  if (str_eqz(kind, "Constant"))
    return json_get(&body, "const_", &k) && sm_get_type(f->s, &k, "ty", out);
  if (!sm_read_place(f, &body, &p))
    return false;
  *out = p.ty;
  return true;
}

/* ---- functions ---- */

bool sm_need_fn(struct smir *s, struct sm_item *it, uint32_t *number) {
  if (it->pm == SM_NONE) {
    it->pm = (uint32_t)s->fn_queue.n;
    it->from = s->at;
    it->from_span = s->at_span;
    vec_push(NULL, &s->fn_queue, it);
  }
  *number = it->pm;
  return true;
}

static bool read_locals(struct smir *s, const struct json_at *body, struct arena *a,
                        struct sm_type ***out, uint32_t *n, uint32_t *n_args) {
  struct json_at list, e;
  size_t len;
  if (!json_get(body, "locals", &list) || !json_len(&list, &len) ||
      !json_get_u32(body, "arg_count", UINT32_MAX, n_args))
    return false;
  if (len == 0 || *n_args >= len) {
    json_error(body, "%zu locals cannot be a result and %u arguments", len, *n_args);
    return false;
  }
  *out = arena_array(a, struct sm_type *, len);
  *n = 0;
  JSON_EACH(&list, e) {
    if (!sm_get_type(s, &e, "ty", &(*out)[*n]))
      return false;
    (*n)++;
  }
  return true;
}

bool sm_signature(struct smir *s, struct sm_item *it) {
  struct json_at root;
  struct sm_type **locals;
  uint32_t n;
  if (it->has_sig)
    return true;
  struct arena_mark mark = arena_save(&s->scratch);
  bool ok = sm_parse_item(s, it, &root) && read_locals(s, &root, &s->a, &locals, &n, &it->n_args);
  arena_rewind(&s->scratch, mark);
  if (!ok)
    return false;
  it->ret = locals[0];
  it->args = locals + 1;
  it->has_sig = true;
  return true;
}

static bool write_locals(struct sm_fn *f, const struct json_at *body) {
  struct json_at list, e;
  uint32_t i = 0;
  if (!json_get(body, "locals", &list))
    return false;
  jw_key(f->w, "locals");
  jw_array(f->w);
  JSON_EACH(&list, e) {
    uint64_t span;
    if (!json_get_u64(&e, "span", UINT64_MAX, &span))
      return false;
    jw_array(f->w);
    jw_u64(f->w, sm_number(f->s, f->locals[i++]));
    jw_str(f->w, STR(""));
    sm_write_span(f, span);
    jw_end_array(f->w);
  }
  jw_end_array(f->w);
  return true;
}

static bool write_var(struct sm_fn *f, const struct json_at *at) {
  struct json_at value, place, info, composite;
  str name, kind;
  uint64_t span;
  if (!json_get_str(at, "name", &f->s->scratch, &name) || !json_get(at, "value", &value) ||
      !sm_variant(&value, &kind, &place) || !json_get(at, "source_info", &info) ||
      !json_get_u64(&info, "span", UINT64_MAX, &span) || !json_opt(at, "composite", &composite))
    return false;
  if (!str_eqz(kind, "Place") || composite.node)
    return true;
  jw_array(f->w);
  jw_str(f->w, name);
  if (!sm_write_place_at(f, &place, NULL))
    return false;
  sm_write_span(f, span);
  jw_end_array(f->w);
  return true;
}

static bool write_vars(struct sm_fn *f, const struct json_at *body) {
  struct json_at list, e;
  if (!json_opt(body, "var_debug_info", &list))
    return false;
  if (!list.node)
    return true;
  jw_key(f->w, "vars");
  jw_array(f->w);
  JSON_EACH(&list, e) {
    if (!write_var(f, &e))
      return false;
  }
  jw_end_array(f->w);
  return true;
}

/* ---- blocks ---- */

struct reach {
  struct sm_fn *f;
  VEC(uint32_t) todo;
  bool *seen;
};

static bool visit_block(void *context, uint64_t block) {
  struct reach *r = context;
  if (block < r->f->n_blocks && !r->seen[block]) {
    r->seen[block] = true;
    vec_push(NULL, &r->todo, (uint32_t)block);
  }
  return block < r->f->n_blocks;
}

/* Blocks that only unwinding reaches are left out. */
static bool number_blocks(struct sm_fn *f) {
  struct reach r = {.f = f, .seen = arena_array(&f->s->scratch, bool, f->n_blocks)};
  bool ok = visit_block(&r, 0);
  while (ok && r.todo.n) {
    uint32_t n = vec_pop(&r.todo);
    struct json_at *b = &f->blocks[n], term;
    if (sm_panic_of(f, n) != SM_NONE)
      continue;
    ok = json_get(b, "terminator", &term) && sm_successors(f, &term, visit_block, &r);
  }
  vec_free(&r.todo);
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->n_blocks; i++)
    f->number[i] = r.seen[i] ? n++ : SM_NONE;
  return ok;
}

static bool write_block(struct sm_fn *f, uint32_t n) {
  const struct json_at *b = &f->blocks[n];
  struct json_at stmts, term, e;
  uint32_t panic = sm_panic_of(f, n);
  if (!json_get(b, "statements", &stmts) || !json_get(b, "terminator", &term))
    return false;
  jw_array(f->w);
  jw_array(f->w);
  JSON_EACH(&stmts, e) {
    if (panic == SM_NONE && !sm_write_stmt(f, &e))
      return false;
  }
  if (panic == SM_NONE && !sm_write_term_stmts(f, &term))
    return false;
  jw_end_array(f->w);
  if (panic == SM_NONE ? !sm_write_term(f, &term) : !sm_write_panic(f, panic))
    return false;
  jw_end_array(f->w);
  jw_newline(f->w);
  return true;
}

static bool write_blocks(struct sm_fn *f, const struct json_at *body) {
  struct json_at list, e;
  size_t n;
  if (!json_get(body, "blocks", &list) || !json_len(&list, &n))
    return false;
  if (n == 0 || n >= SM_NONE) {
    json_error(&list, "a function has at least one block");
    return false;
  }
  f->blocks = arena_array(&f->s->scratch, struct json_at, n);
  f->number = arena_array(&f->s->scratch, uint32_t, n);
  f->panic = arena_array(&f->s->scratch, uint32_t, n);
  JSON_EACH(&list, e) {
    f->blocks[f->n_blocks++] = e;
  }
  if (!number_blocks(f))
    return false;
  jw_key(f->w, "blocks");
  jw_array(f->w);
  for (uint32_t i = 0; i < f->n_blocks; i++) {
    if (f->number[i] != SM_NONE && !write_block(f, i))
      return false;
  }
  jw_end_array(f->w);
  return true;
}

static bool write_head(struct sm_fn *f, struct sm_item *it) {
  bool export = it->root && !it->root->kernel;
  jw_object(f->w);
  jw_kstr(f->w, "name", it->name);
  jw_kstr(f->w, "symbol", export ? it->root->name : sm_new_symbol(f->s, it->name));
  jw_kz(f->w, "kind", "item");
  jw_kz(f->w, "abi", export ? "c" : "rust");
  if (export)
    jw_kbool(f->w, "export", true);
  jw_ku64(f->w, "n_args", f->n_args);
  return true;
}

bool sm_write_fn(struct smir *s, struct sm_item *it) {
  struct sm_fn f = {.s = s, .item = it, .w = &s->fns};
  struct json_at root;
  uint64_t span;
  struct arena_mark mark = arena_save(&s->scratch);
  s->at = it;
  s->at_span = SM_NONE;
  bool ok = sm_parse_item(s, it, &root) &&
            read_locals(s, &root, &s->scratch, &f.locals, &f.n_locals, &f.n_args) &&
            json_get_u64(&root, "span", UINT64_MAX, &span) && write_head(&f, it) &&
            write_locals(&f, &root) && write_blocks(&f, &root) && write_vars(&f, &root);
  if (ok) {
    jw_key(f.w, "span");
    sm_write_span(&f, span);
    jw_end_object(f.w);
    jw_newline(f.w);
  }
  arena_rewind(&s->scratch, mark);
  return ok;
}
