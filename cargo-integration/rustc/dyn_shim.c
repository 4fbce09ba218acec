/* Functions that no source has, made as MIR.
 *
 * What a table holds for `dyn Fn`: MIR of a function that takes the callable by reference and its
 * arguments spread, puts them into a tuple, and calls through the trait. Whatever can be called so
 * in a body (closures, functions, pointers, references to those) can stand behind `dyn Fn`. */
#include "cargo-integration/rustc/dyn_state.h"

static const struct rty *name_path(struct prep *p, const char *const *names, uint32_t n,
                                   const struct rty *const *arg) {
  struct rty_seg segs[4];
  for (uint32_t i = 0; i < n; i++)
    segs[i] = (struct rty_seg){.kind = SEG_NAME, .name = str_from(names[i])};
  segs[n - 1].args = arg;
  segs[n - 1].n_args = 1;
  return rty_intern(p->types, &(struct rty){.kind = RTY_PATH, .segs = segs, .n_segs = n});
}

/* `<ty as Fn<args>>::call` with its type. */
static const struct rty *callee(struct prep *p, const struct rty *self, const struct dyn_slot *s) {
  bool once = s->how == 'o', mut = s->how == 'm';
  const char *const names[] = {"core", "ops", once ? "FnOnce" : mut ? "FnMut" : "Fn"};
  const struct rty *trait = name_path(p, names, 3, &s->args);
  struct rty_seg segs[2] = {
      {.kind = SEG_QSELF, .self = once ? self : self->elem, .trait = trait},
      {.kind = SEG_NAME, .name = once ? STR("call_once") : mut ? STR("call_mut") : STR("call")}};
  const struct rty *args[2] = {self, s->args};
  struct rty sig = {
      .kind = RTY_FNPTR, .args = args, .n_args = 2, .ret = s->ret, .abi = STR("rust-call")};
  struct rty def = {.kind = RTY_FNDEF, .sig = rty_intern(p->types, &sig)};
  def.path = rty_intern(p->types, &(struct rty){.kind = RTY_PATH, .segs = segs, .n_segs = 2});
  return rty_intern(p->types, &def);
}

static const struct mir_loc nowhere = {.span = {.file = FILE_NONE}, .scope = MIR_NONE};

struct shim {
  struct mir_item *item;
  struct mir_local *locals;
  struct mir_block *blocks;
};

/* A function with `n` locals that calls `fndef` with `args` and returns what comes. */
static struct shim new_shim(struct prep *p, const struct rty *fndef, uint32_t n_locals,
                            const struct mir_operand *args, uint32_t n_args) {
  struct shim s = {.item = arena_new(p->arena, struct mir_item),
                   .locals = arena_array(p->arena, struct mir_local, n_locals),
                   .blocks = arena_array(p->arena, struct mir_block, 2)};
  struct mir_const *k = arena_new(p->arena, struct mir_const);
  *k = (struct mir_const){.kind = MC_ZST, .ty = fndef};
  for (uint32_t i = 0; i < n_locals; i++)
    s.locals[i] = (struct mir_local){.loc = nowhere};
  s.locals[0].ty = fndef->sig->ret;
  s.blocks[0] = (struct mir_block){.present = true};
  s.blocks[0].term = (struct mir_term){.kind = TM_CALL,
                                       .unwind = UNWIND_UNREACHABLE,
                                       .loc = nowhere,
                                       .target = 1,
                                       .op = {.kind = OP_CONST, .k = k},
                                       .args = args,
                                       .n_args = n_args};
  s.blocks[1] = (struct mir_block){.present = true};
  s.blocks[1].term = (struct mir_term){.kind = TM_RETURN, .loc = nowhere};
  *s.item = (struct mir_item){.kind = MI_FN};
  s.item->body = (struct mir_body){.ret = fndef->sig->ret,
                                   .locals = s.locals,
                                   .n_locals = n_locals,
                                   .blocks = s.blocks,
                                   .n_blocks = 2};
  return s;
}

static struct mir_operand move_of(uint32_t local) {
  return (struct mir_operand){.kind = OP_MOVE, .place = {.local = local}};
}

/* `tuple = (arguments…)`; the arguments are the locals from 2 on. */
static void pack(struct prep *p, struct shim *f, uint32_t tuple, const struct rty *args,
                 struct mir_stmt *to) {
  uint32_t n = args->n_args;
  struct mir_operand *ops = arena_array(p->arena, struct mir_operand, n + 1);
  struct mir_rvalue *rv = arena_new(p->arena, struct mir_rvalue);
  f->locals[tuple].ty = args;
  for (uint32_t i = 0; i < n; i++) {
    f->locals[i + 2].ty = args->args[i];
    ops[i] = move_of(i + 2);
  }
  *rv = (struct mir_rvalue){.kind = RV_TUPLE, .ops = ops, .n_ops = n};
  *to = (struct mir_stmt){.kind = ST_ASSIGN, .loc = nowhere, .place = {.local = tuple}, .rv = rv};
}

const struct mir_item *value_shim_body(struct prep *p, const struct rty *ty,
                                       const struct dyn_slot *s) {
  uint32_t n = s->args->n_args, tuple = n + 2;
  const struct rty *self = rty_ref(p->types, ty, s->how == 'm');
  struct mir_operand *args = arena_array(p->arena, struct mir_operand, 2);
  struct mir_stmt *st = arena_new(p->arena, struct mir_stmt);
  args[0] = move_of(1);
  args[1] = move_of(tuple);
  struct shim f = new_shim(p, callee(p, self, s), n + 3, args, 2);
  f.locals[1].ty = self;
  pack(p, &f, tuple, s->args, st);
  f.blocks[0].stmts = st;
  f.blocks[0].n_stmts = 1;
  f.item->body.n_args = n + 1;
  return f.item;
}

/* `*_1`, by value or as a reference to it. */
static void receiver(struct prep *p, struct shim *f, uint32_t local, const struct rty *self, char how,
                     struct mir_stmt *to) {
  struct mir_proj *deref = arena_new(p->arena, struct mir_proj);
  struct mir_rvalue *rv = arena_new(p->arena, struct mir_rvalue);
  *deref = (struct mir_proj){.kind = PROJ_DEREF};
  struct mir_place env = {.local = 1, .n_proj = 1, .proj = deref};
  f->locals[local].ty = self;
  if (how == 'o')
    *rv = (struct mir_rvalue){.kind = RV_USE, .a = {.kind = OP_COPY, .place = env}};
  else
    *rv = (struct mir_rvalue){.kind = RV_REF, .mut = how == 'm', .place = env};
  *to = (struct mir_stmt){.kind = ST_ASSIGN, .loc = nowhere, .place = {.local = local}, .rv = rv};
}

const struct mir_item *thunk_body(struct prep *p, const struct rty *ty, const struct dyn_slot *s) {
  uint32_t n = s->args->n_args, tuple = n + 2, value = n + 3;
  const struct rty *self = s->how == 'o' ? ty : rty_ref(p->types, ty, s->how == 'm');
  struct mir_operand *args = arena_array(p->arena, struct mir_operand, 2);
  struct mir_stmt *st = arena_array(p->arena, struct mir_stmt, 2);
  args[0] = move_of(value);
  args[1] = move_of(tuple);
  struct shim f = new_shim(p, callee(p, self, s), n + 4, args, 2);
  f.locals[1].ty = rty_ptr(p->types, ty, false);
  pack(p, &f, tuple, s->args, &st[0]);
  receiver(p, &f, value, self, s->how, &st[1]);
  f.blocks[0].stmts = st;
  f.blocks[0].n_stmts = 2;
  f.item->body.n_args = n + 1;
  return f.item;
}

const struct mir_item *call_shim_body(struct prep *p, const struct rty *fndef) {
  uint32_t n = fndef->sig->n_args;
  struct mir_operand *args = arena_array(p->arena, struct mir_operand, n + 1);
  struct shim f = new_shim(p, fndef, n + 1, args, n);
  for (uint32_t i = 0; i < n; i++) {
    f.locals[i + 1].ty = fndef->sig->args[i];
    args[i] = move_of(i + 1);
  }
  f.item->body.n_args = n;
  return f.item;
}
