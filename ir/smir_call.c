/* Foreign dumps: calls. */
#include <string.h>

#include "ir/smir_impl.h"

/* ---- who is called ---- */

/* The type of a function item, which stands for the function. */
static bool callee_type(const struct json_at *op, uint64_t *id) {
  struct json_at body, k, v;
  if (json_kind(op) != JSON_OBJECT || !json_first(op, &body) || !str_eqz(body.key, "Constant"))
    return false;
  return json_get(&body, "const_", &k) && json_get(&k, "ty", &v) && json_u64(&v, UINT64_MAX, id);
}

/* A row of `functions`: kind and symbol. */
static bool callee_row(struct smir *s, uint32_t row, str *kind, str *symbol) {
  struct json_pull j;
  jp_init(&j, &s->t, s->functions->elems[row], &s->scratch);
  if (!jp_array(&j) || !jp_item(&j))
    return false;
  jp_skip(&j);
  if (!jp_item(&j))
    return false;
  const char *at = j.p;
  if (!jp_object(&j) || !jp_member(&j, kind))
    return jp_fail(&j, at, "expected an object with one member");
  return jp_str(&j, symbol);
}

str sm_callee_path(struct sm_fn *f, const struct json_at *op) {
  uint64_t id;
  str kind, symbol;
  if (!callee_type(op, &id))
    return STR_NULL;
  uint32_t row = sm_lookup(&f->s->callees, id);
  if (row == SM_NONE || !callee_row(f->s, row, &kind, &symbol) || !str_eqz(kind, "NormalSym"))
    return STR_NULL;
  return sm_path_of_symbol(&f->s->scratch, symbol);
}

static bool no_body(struct sm_fn *f, str symbol) {
  str path = sm_path_of_symbol(&f->s->scratch, symbol);
  struct diag *d = sm_error(f->s, MD0853, "the dump has no body of `%.*s`", STR_ARG(path));
  diag_help(d,
            "make the dump with `-Zshare-generics=no` and `-Zcross-crate-inline-threshold=always`, "
            "or write a function of your own that does the same");
  return false;
}

static bool unknown_intrinsic(struct sm_fn *f, str name) {
  struct diag *d = sm_error(f->s, MD0856,
                            "the intrinsic `%.*s` cannot be compiled from a foreign "
                            "dump",
                            STR_ARG(str_sub(name, 0, 120)));
  diag_help(d, "call something else that does the same, or make the dump with mirdc-rustc");
  return false;
}

static bool normal_callee(struct sm_fn *f, str symbol, struct sm_call *out) {
  const uintptr_t *at = map_get(&f->s->item_symbols, symbol);
  out->symbol = arena_str(&f->s->a, symbol);
  out->fn = at ? f->s->items.p[*at - 1] : NULL;
  if (out->fn && out->fn->kind == SM_FN && out->fn->body.lo < out->fn->body.hi) {
    out->kind = SM_CALL_FN;
    return true;
  }
  if (sm_find_libm(&f->s->a, symbol, &out->intr)) {
    out->kind = SM_CALL_INTRINSIC;
    return true;
  }
  out->kind = SM_CALL_EXTERN;
  return !sm_is_mangled(symbol) || no_body(f, symbol);
}

bool sm_resolve_callee(struct sm_fn *f, const struct json_at *op, struct sm_call *out) {
  uint64_t id;
  str kind, symbol;
  uint32_t row = callee_type(op, &id) ? sm_lookup(&f->s->callees, id) : SM_NONE;
  if (row == SM_NONE) {
    struct diag *d = sm_error(f->s, MD0854, "the dump does not tell which function is called");
    diag_help(d, "this is a fault of the producer of the dump");
    return false;
  }
  if (!callee_row(f->s, row, &kind, &symbol))
    return false;
  if (str_eqz(kind, "NoOpSym")) {
    out->kind = SM_CALL_NOTHING;
    return true;
  }
  if (str_eqz(kind, "NormalSym"))
    return normal_callee(f, symbol, out);
  out->kind = SM_CALL_INTRINSIC;
  out->symbol = arena_str(&f->s->a, symbol);
  if (str_eqz(kind, "IntrinsicSym"))
    return sm_find_intrinsic(&f->s->a, symbol, &out->intr) || unknown_intrinsic(f, symbol);
  json_error_at(&f->s->t, MD0851, f->s->functions->elems[row].lo, STR_NULL,
                "unknown kind of function `%.*s`", STR_ARG(str_sub(kind, 0, 80)));
  return false;
}

bool sm_resolve_call(struct sm_fn *f, const struct json_at *call, struct sm_call *out) {
  struct json_at target, body;
  size_t n;
  str kind;
  *out = (struct sm_call){.kind = SM_CALL_PTR};
  if (!json_get(call, "func", &out->func) || !json_get(call, "args", &out->args) ||
      !json_get(call, "destination", &out->dest) || !json_opt(call, "target", &target) ||
      !json_len(&out->args, &n) || !sm_variant(&out->func, &kind, &body))
    return false;
  out->n_args = (uint32_t)n;
  out->returns = target.node != NULL;
  return !str_eqz(kind, "Constant") || sm_resolve_callee(f, &out->func, out);
}

bool sm_call_is_stmt(const struct sm_call *c) {
  return c->kind == SM_CALL_NOTHING || (c->kind == SM_CALL_INTRINSIC && c->intr->how != SI_CALL);
}

/* ---- arguments ---- */

/* One field of the tuple that holds the arguments of a closure. */
static bool write_spread(struct sm_fn *f, const struct json_at *op, struct sm_type *tuple,
                         uint32_t i) {
  struct json_at body, k, kind, alloc;
  struct sm_place p;
  struct sm_bytes b;
  str name;
  struct sm_type *ty = tuple->fields[i];
  if (!sm_variant(op, &name, &body))
    return false;
  if (!str_eqz(name, "Constant")) {
    if (!sm_read_place(f, &body, &p))
      return false;
    jw_array(f->w);
    jw_strz(f->w, str_eqz(name, "Copy") ? "c" : "m");
    jw_array(f->w);
    if (!sm_write_steps(f, &p, false))
      return false;
    jw_array(f->w);
    jw_strz(f->w, "f");
    jw_u64(f->w, i);
    jw_u64(f->w, sm_number(f->s, ty));
    jw_end_array(f->w);
    jw_end_array(f->w);
    jw_end_array(f->w);
    return true;
  }
  if (!json_get(&body, "const_", &k) || !json_get(&k, "kind", &kind) ||
      !sm_variant(&kind, &name, &alloc))
    return false;
  b = (struct sm_bytes){0};
  if (str_eqz(name, "Allocated") && !sm_read_bytes(f->s, &alloc, &f->s->scratch, &b))
    return false;
  uint64_t off = tuple->offs[i], n = ty->size;
  if (off > b.n || n > b.n - off) {
    json_error(op, "the constant is smaller than its type");
    return false;
  }
  struct sm_bytes part = {.p = b.p + off, .init = b.init + off, .n = (size_t)n, .align = ty->align};
  part.prov = arena_array(&f->s->scratch, struct sm_prov, b.n_prov);
  for (size_t q = 0; q < b.n_prov; q++)
    if (b.prov[q].off >= off && b.prov[q].off < off + n)
      part.prov[part.n_prov++] = (struct sm_prov){b.prov[q].off - off, b.prov[q].alloc};
  for (size_t q = 0; q < part.n; q++)
    part.partial = part.partial || !part.init[q];
  return sm_write_const(f->s, f->w, ty, &part);
}

static bool wrong_number(const struct sm_call *c, uint32_t takes) {
  json_error(&c->args, "%u arguments for a function that takes %u", c->n_args, takes);
  return false;
}

/* A closure's body takes the arguments one by one; its callers have them in a tuple. With one
 * argument only the types tell. */
static bool is_spread(struct sm_fn *f, const struct sm_call *c, bool *out) {
  struct json_at last;
  struct sm_type *t;
  *out = false;
  if (c->kind != SM_CALL_FN)
    return true;
  *out = c->fn->n_args != c->n_args;
  if (*out || c->n_args == 0)
    return true;
  if (!json_elem(&c->args, c->n_args - 1, &last) || !sm_operand_type(f, &last, &t))
    return false;
  *out = t->kind == SM_TUPLE && t->n_fields == 1 && t != c->fn->args[c->n_args - 1] &&
         t->fields[0] == c->fn->args[c->n_args - 1];
  return true;
}

static bool write_last(struct sm_fn *f, const struct sm_call *c, const struct json_at *op) {
  struct sm_type *tuple;
  if (!sm_operand_type(f, op, &tuple))
    return false;
  if (tuple->kind != SM_TUPLE || tuple->n_fields + c->n_args - 1 != c->fn->n_args)
    return wrong_number(c, c->fn->n_args);
  for (uint32_t k = 0; k < tuple->n_fields; k++)
    if (!sm_load(f->s, tuple->fields[k]) || !write_spread(f, op, tuple, k))
      return false;
  return true;
}

static bool write_args(struct sm_fn *f, const struct sm_call *c) {
  struct json_at op;
  uint32_t i = 0;
  bool spread;
  if (!is_spread(f, c, &spread))
    return false;
  if (spread && c->n_args == 0)
    return wrong_number(c, c->fn->n_args);
  jw_array(f->w);
  JSON_EACH(&c->args, op) {
    bool last = ++i == c->n_args;
    if (spread && last ? !write_last(f, c, &op) : !sm_write_operand(f, &op))
      return false;
  }
  jw_end_array(f->w);
  return true;
}

/* ---- functions of other modules ---- */

static bool two_ways(struct sm_fn *f, const struct sm_call *c) {
  struct diag *d =
      sm_error(f->s, MD0858, "`%.*s` is called with two signatures", STR_ARG(c->symbol));
  diag_help(d, "the dump does not tell the declaration of an external function, so all calls must "
               "have the same types");
  return false;
}

/* The signature is that of the call. */
static bool extern_number(struct sm_fn *f, const struct sm_call *c, struct sm_type *ret,
                          uint32_t *out) {
  struct smir *s = f->s;
  struct json_at op;
  struct sm_extern x = {.symbol = c->symbol,
                        .ret = ret,
                        .n_args = c->n_args,
                        .noreturn = !c->returns,
                        .span = s->at_span};
  x.args = arena_array(&s->a, struct sm_type *, c->n_args);
  uint32_t i = 0;
  JSON_EACH(&c->args, op) {
    if (!sm_operand_type(f, &op, &x.args[i++]))
      return false;
  }
  bool fresh;
  uintptr_t *slot = map_put(&s->extern_numbers, x.symbol, &fresh);
  if (fresh) {
    *slot = s->externs.n;
    (void)map_put(&s->symbols, x.symbol, NULL);
    vec_push(NULL, &s->externs, x);
  }
  *out = (uint32_t)*slot;
  const struct sm_extern *old = &s->externs.p[*out];
  if (old->n_args != x.n_args || old->ret != x.ret || old->noreturn != x.noreturn)
    return two_ways(f, c);
  for (i = 0; i < x.n_args; i++)
    if (old->args[i] != x.args[i])
      return two_ways(f, c);
  return true;
}

/* ---- writing ---- */

static bool write_callee(struct sm_fn *f, const struct sm_call *c, struct sm_type *ret) {
  uint32_t n = 0;
  if (c->kind == SM_CALL_INTRINSIC)
    return sm_write_intrinsic_name(f, c);
  if (c->kind == SM_CALL_FN) {
    if (!sm_signature(f->s, c->fn) || !sm_need_fn(f->s, c->fn, &n))
      return false;
  } else if (c->kind == SM_CALL_EXTERN && !extern_number(f, c, ret, &n)) {
    return false;
  }
  jw_array(f->w);
  jw_strz(f->w, c->kind == SM_CALL_FN ? "fn" : c->kind == SM_CALL_EXTERN ? "ext" : "ptr");
  if (c->kind == SM_CALL_PTR) {
    struct sm_type *t;
    if (!sm_operand_type(f, &c->func, &t))
      return false;
    if (t->kind != SM_FNPTR && t->kind != SM_UNKNOWN) {
      json_error(&c->func, "a value of type `%.*s` cannot be called", STR_ARG(t->name));
      return false;
    }
    t->called = true;
    if (!sm_write_operand(f, &c->func))
      return false;
  } else {
    jw_u64(f->w, n);
  }
  jw_end_array(f->w);
  return true;
}

bool sm_write_call(struct sm_fn *f, const struct sm_call *c, const struct json_at *call) {
  struct json_at target;
  struct sm_place dest;
  if (!sm_read_place(f, &c->dest, &dest) || !json_opt(call, "target", &target))
    return false;
  jw_array(f->w);
  jw_strz(f->w, "call");
  if (!write_callee(f, c, dest.ty) || !write_args(f, c) || !sm_write_place(f, &dest, false) ||
      !sm_write_target(f, &target))
    return false;
  sm_write_span(f, f->s->at_span);
  jw_end_array(f->w);
  return true;
}

/* Nothing to do: the result, if there is one, has no bytes. It is still written, so that every
 * local has a write. */
static bool write_nothing(struct sm_fn *f, const struct sm_call *c) {
  struct sm_place dest;
  if (!sm_read_place(f, &c->dest, &dest))
    return false;
  if (dest.ty->size != 0)
    return true;
  jw_array(f->w);
  jw_strz(f->w, "=");
  if (!sm_write_place(f, &dest, false))
    return false;
  jw_array(f->w);
  jw_strz(f->w, "use");
  jw_array(f->w);
  jw_strz(f->w, "z");
  jw_u64(f->w, sm_number(f->s, dest.ty));
  jw_end_array(f->w);
  jw_end_array(f->w);
  sm_write_span(f, f->s->at_span);
  jw_end_array(f->w);
  return true;
}

bool sm_write_call_stmt(struct sm_fn *f, const struct sm_call *c) {
  bool nothing = c->kind == SM_CALL_NOTHING || c->intr->how == SI_NOTHING ||
                 c->intr->how == SI_TRAP || c->intr->how == SI_UNREACHABLE;
  return nothing ? !c->returns || write_nothing(f, c) : sm_write_intrinsic(f, c);
}
