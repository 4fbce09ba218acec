/* Foreign dumps: terminators, and blocks that only lead to a panic. */
#include "base/rust_names.h"
#include "ir/smir_impl.h"

static bool kind_of(const struct json_at *term, struct json_at *kind, str *name,
                    struct json_at *body) {
  return json_get(term, "kind", kind) && sm_variant(kind, name, body);
}

static bool get_target(const struct json_at *body, uint64_t *out, bool *some) {
  struct json_at v;
  if (!json_opt(body, "target", &v))
    return false;
  *some = v.node != NULL;
  return !*some || json_u64(&v, UINT64_MAX, out);
}

static bool no_block(const struct json_at *at, uint64_t n) {
  json_error(at, "there is no block %llu in this function", (unsigned long long)n);
  return false;
}

/* ---- where it goes on ---- */

static bool visit_switch(const struct json_at *body, sm_visit *visit, void *context) {
  struct json_at targets, branches, e, v;
  uint64_t b;
  if (!json_get(body, "targets", &targets) || !json_get(&targets, "branches", &branches))
    return false;
  JSON_EACH(&branches, e) {
    if (!json_elem(&e, 1, &v) || !json_u64(&v, UINT64_MAX, &b))
      return false;
    if (!visit(context, b))
      return no_block(&v, b);
  }
  if (!json_get(&targets, "otherwise", &v) || !json_u64(&v, UINT64_MAX, &b))
    return false;
  return visit(context, b) || no_block(&v, b);
}

bool sm_successors(struct sm_fn *f, const struct json_at *term, sm_visit *visit, void *context) {
  struct json_at kind, body;
  str name;
  uint64_t b;
  bool some;
  (void)f;
  if (!kind_of(term, &kind, &name, &body))
    return false;
  if (!body.node)
    return true;
  if (str_eqz(name, "SwitchInt"))
    return visit_switch(&body, visit, context);
  if (!get_target(&body, &b, &some))
    return false;
  return !some || visit(context, b) || no_block(&body, b);
}

/* ---- blocks that end in a panic, whatever they compute for its message ---- */

/* The one block that follows a block in which nothing can be decided; false: there is none such. */
static bool follows(struct sm_fn *f, uint32_t block, uint64_t *next, bool *panics) {
  struct json_at term, kind, body, func;
  str name, path;
  bool some;
  *panics = false;
  if (!json_get(&f->blocks[block], "terminator", &term) || !kind_of(&term, &kind, &name, &body))
    return false;
  bool call = str_eqz(name, "Call");
  if (!body.node || (!call && !str_eqz(name, "Goto") && !str_eqz(name, "Drop")))
    return false;
  if (!get_target(&body, next, &some))
    return false;
  if (!call)
    return some;
  if (!json_get(&body, "func", &func))
    return false;
  path = sm_callee_path(f, &func);
  if (!sm_in_std(path))
    return false;
  *panics = !some && !str_ends(path, STR("::abort"));
  return some;
}

enum { PANIC_UNSEEN, PANIC_OPEN, PANIC_NONE, PANIC_AT };

uint32_t sm_panic_of(struct sm_fn *f, uint32_t block) {
  uint32_t at = block, end = SM_NONE;
  uint64_t next = 0;
  size_t steps = 0;
  bool panics, more = true;
  while (more) {
    if (f->panic[at] != PANIC_UNSEEN) { /* or a loop */
      end = f->panic[at] >= PANIC_AT ? f->panic[at] - PANIC_AT : SM_NONE;
      break;
    }
    f->panic[at] = PANIC_OPEN;
    steps++;
    more = follows(f, at, &next, &panics) && next < f->n_blocks;
    if (panics)
      end = at;
    if (more)
      at = (uint32_t)next;
  }
  for (at = block; steps > 0; steps--) {
    f->panic[at] = end == SM_NONE ? PANIC_NONE : end + PANIC_AT;
    if (steps > 1 && follows(f, at, &next, &panics))
      at = (uint32_t)next;
  }
  return end;
}

static const char *trap_of(str path) {
  const char *trap = rust_panic_code(path);
  return trap ? trap : "panic";
}

bool sm_write_panic(struct sm_fn *f, uint32_t block) {
  struct json_at term, kind, body, func, args, e;
  str name, text = STR("");
  if (!json_get(&f->blocks[block], "terminator", &term) || !kind_of(&term, &kind, &name, &body) ||
      !json_get(&body, "func", &func) || !json_get(&body, "args", &args))
    return false;
  sm_use_span(f, &term);
  str path = sm_callee_path(f, &func);
  JSON_EACH(&args, e) {
    if (!text.n)
      text = sm_const_text(f->s, &e);
  }
  if (!text.n && str_ends(path, STR("option::unwrap_failed")))
    text = STR("called `Option::unwrap()` on a `None` value");
  if (!text.n && str_ends(path, STR("result::unwrap_failed")))
    text = STR("called `Result::unwrap()` on an `Err` value");
  jw_array(f->w);
  jw_strz(f->w, "trap");
  jw_strz(f->w, trap_of(path));
  jw_str(f->w, text);
  sm_write_span(f, f->s->at_span);
  jw_end_array(f->w);
  return true;
}

/* ---- writing ---- */

bool sm_write_target(struct sm_fn *f, const struct json_at *at) {
  uint64_t b;
  if (!at->node) {
    jw_null(f->w);
    return true;
  }
  if (!json_u64(at, UINT64_MAX, &b))
    return false;
  if (b >= f->n_blocks || f->number[b] == SM_NONE)
    return no_block(at, b);
  jw_u64(f->w, f->number[b]);
  return true;
}

static bool write_goto(struct sm_fn *f, const struct json_at *body) {
  struct json_at v;
  jw_array(f->w);
  jw_strz(f->w, "goto");
  if (!json_get(body, "target", &v) || !sm_write_target(f, &v))
    return false;
  jw_end_array(f->w);
  return true;
}

static bool write_switch(struct sm_fn *f, const struct json_at *body) {
  struct json_at discr, targets, branches, e, v, b;
  u128 n;
  if (!json_get(body, "discr", &discr) || !json_get(body, "targets", &targets) ||
      !json_get(&targets, "branches", &branches))
    return false;
  jw_array(f->w);
  jw_strz(f->w, "switch");
  if (!sm_write_operand(f, &discr))
    return false;
  jw_array(f->w);
  JSON_EACH(&branches, e) {
    if (!json_elem(&e, 0, &v) || !json_u128(&v, &n) || !json_elem(&e, 1, &b))
      return false;
    jw_array(f->w);
    jw_hex(f->w, n);
    if (!sm_write_target(f, &b))
      return false;
    jw_end_array(f->w);
  }
  jw_end_array(f->w);
  if (!json_get(&targets, "otherwise", &v) || !sm_write_target(f, &v))
    return false;
  jw_end_array(f->w);
  return true;
}

/* Could a value need dropping whose glue the dump does not have? */
static bool may_need_drop(struct smir *s, struct sm_type *t, unsigned depth) {
  if (depth > 50 || !sm_load(s, t))
    return true;
  if (t->kind == SM_ARRAY || t->kind == SM_SLICE)
    return may_need_drop(s, t->elem, depth + 1);
  if (t->kind == SM_STRUCT || t->kind == SM_UNION || t->kind == SM_ENUM || t->kind == SM_DYN)
    return true;
  for (uint32_t i = 0; (t->kind == SM_TUPLE || t->kind == SM_CLOSURE) && i < t->n_fields; i++)
    if (may_need_drop(s, t->fields[i], depth + 1))
      return true;
  return false;
}

/* `drop(place)`: the glue is found by the type that it takes a pointer to. */
static bool write_drop(struct sm_fn *f, const struct json_at *body) {
  struct json_at at, target;
  struct sm_place p;
  uint32_t number = 0;
  if (!json_get(body, "place", &at) || !sm_read_place(f, &at, &p) ||
      !json_get(body, "target", &target))
    return false;
  uint32_t row = sm_lookup(&f->s->glue, p.ty->id);
  struct sm_item *glue = row == SM_NONE ? NULL : f->s->items.p[row];
  if (!glue && f->s->glue_is_missing && may_need_drop(f->s, p.ty, 0)) {
    struct diag *d = sm_error(f->s, MD0853, "the dump has no body of the drop glue of `%.*s`",
                              STR_ARG(p.ty->name));
    diag_help(d, "make the dump with `-Zshare-generics=no`, or with mirdc-rustc");
    return false;
  }
  if (glue && !sm_need_fn(f->s, glue, &number))
    return false;
  jw_array(f->w);
  jw_strz(f->w, "drop");
  if (!sm_write_place(f, &p, false))
    return false;
  if (glue)
    jw_u64(f->w, number);
  else
    jw_null(f->w);
  if (!sm_write_target(f, &target))
    return false;
  sm_write_span(f, f->s->at_span);
  jw_end_array(f->w);
  return true;
}

/* ---- assertions ---- */

static bool overflow_trap(const struct json_at *op, const char **trap) {
  static const char *const ops[] = {"Add", "Sub", "Mul", "Div", "Rem", "Shl", "Shr", NULL};
  static const char *const traps[] = {"add_overflow", "sub_overflow", "mul_overflow",
                                      "div_overflow", "rem_overflow", "shl_overflow",
                                      "shr_overflow"};
  unsigned n;
  if (!json_enum(op, ops, &n))
    return false;
  *trap = traps[n];
  return true;
}

/* Reason and operands: "bounds",[len,index]. */
static bool write_message(struct sm_fn *f, const struct json_at *msg) {
  static const struct {
    const char *name, *trap;
    uint8_t n; /* operands: 0 none, 1 the body itself, 2 two members */
    const char *members[2];
  } rows[] = {{"BoundsCheck", "bounds", 2, {"len", "index"}},
              {"OverflowNeg", "neg_overflow", 1, {NULL}},
              {"DivisionByZero", "div_zero", 1, {NULL}},
              {"RemainderByZero", "rem_zero", 1, {NULL}},
              {"MisalignedPointerDereference", "misaligned", 2, {"required", "found"}},
              {"NullPointerDereference", "null", 0, {NULL}}};
  struct json_at body, op[3];
  const char *trap;
  str name;
  if (!sm_variant(msg, &name, &body))
    return false;
  if (str_eqz(name, "Overflow")) {
    for (size_t i = 0; i < 3; i++)
      if (!json_elem(&body, i, &op[i]))
        return false;
    if (!overflow_trap(&op[0], &trap))
      return false;
    jw_strz(f->w, trap);
    jw_array(f->w);
    if (!sm_write_operand(f, &op[1]) || !sm_write_operand(f, &op[2]))
      return false;
    jw_end_array(f->w);
    return true;
  }
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    if (!str_eqz(name, rows[i].name))
      continue;
    jw_strz(f->w, rows[i].trap);
    jw_array(f->w);
    if (rows[i].n == 1 && !sm_write_operand(f, &body))
      return false;
    for (int k = 0; rows[i].n == 2 && k < 2; k++)
      if (!json_get(&body, rows[i].members[k], &op[0]) || !sm_write_operand(f, &op[0]))
        return false;
    jw_end_array(f->w);
    return true;
  }
  struct diag *d = sm_error(f->s, MD0855, "the check `%.*s` cannot be compiled from a foreign dump",
                            STR_ARG(str_sub(name, 0, 80)));
  diag_help(d, "coroutines do not exist on a GPU");
  return false;
}

static bool write_assert(struct sm_fn *f, const struct json_at *body) {
  struct json_at cond, msg, target;
  bool expected;
  if (!json_get(body, "cond", &cond) || !json_get_bool(body, "expected", &expected) ||
      !json_get(body, "msg", &msg) || !json_get(body, "target", &target))
    return false;
  jw_array(f->w);
  jw_strz(f->w, "assert");
  if (!sm_write_operand(f, &cond))
    return false;
  jw_bool(f->w, expected);
  if (!write_message(f, &msg) || !sm_write_target(f, &target))
    return false;
  sm_write_span(f, f->s->at_span);
  jw_end_array(f->w);
  return true;
}

/* ---- all of them ---- */

static void write_word(struct sm_fn *f, const char *word) {
  jw_array(f->w);
  jw_strz(f->w, word);
  jw_end_array(f->w);
}

static void write_abort(struct sm_fn *f) {
  jw_array(f->w);
  jw_strz(f->w, "trap");
  jw_strz(f->w, "abort");
  jw_strz(f->w, "");
  sm_write_span(f, f->s->at_span);
  jw_end_array(f->w);
}

bool sm_write_term_stmts(struct sm_fn *f, const struct json_at *term) {
  struct json_at kind, body;
  struct sm_call c;
  str name;
  sm_use_span(f, term);
  if (!kind_of(term, &kind, &name, &body))
    return false;
  if (!str_eqz(name, "Call"))
    return true;
  return sm_resolve_call(f, &body, &c) && (!sm_call_is_stmt(&c) || sm_write_call_stmt(f, &c));
}

static bool write_call(struct sm_fn *f, const struct json_at *body) {
  struct sm_call c;
  if (!sm_resolve_call(f, body, &c))
    return false;
  if (!sm_call_is_stmt(&c))
    return sm_write_call(f, &c, body);
  if (c.returns)
    return write_goto(f, body);
  if (c.kind == SM_CALL_INTRINSIC && c.intr->how == SI_TRAP)
    write_abort(f);
  else
    write_word(f, "unreach");
  return true;
}

bool sm_write_term(struct sm_fn *f, const struct json_at *term) {
  struct json_at kind, body;
  str name;
  sm_use_span(f, term);
  if (!kind_of(term, &kind, &name, &body))
    return false;
  if (str_eqz(name, "Return") || str_eqz(name, "Unreachable")) {
    write_word(f, name.p[0] == 'R' ? "ret" : "unreach");
    return true;
  }
  if (str_eqz(name, "Abort") || str_eqz(name, "Resume")) {
    write_abort(f);
    return true;
  }
  if (str_eqz(name, "Goto"))
    return write_goto(f, &body);
  if (str_eqz(name, "SwitchInt"))
    return write_switch(f, &body);
  if (str_eqz(name, "Drop"))
    return write_drop(f, &body);
  if (str_eqz(name, "Assert"))
    return write_assert(f, &body);
  if (str_eqz(name, "Call"))
    return write_call(f, &body);
  struct diag *d = sm_error(f->s, MD0855, "`%.*s` cannot be compiled from a foreign dump",
                            STR_ARG(str_sub(name, 0, 80)));
  diag_help(d, "write it in another way; docs/foreign-dumps.md lists what is taken");
  return false;
}
