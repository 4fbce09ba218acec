/* cargo-integration/rustc/mir_parse: the tree of a MIR dump. Damage is in test_pass_mir_damage.c.
 */
#include "test/unit/mir_fixture.h"

static const char *const dumps[] = {"test/unit/mir/r195.mir", "test/unit/mir/r196.mir",
                                    "test/unit/mir/r197.mir"};

/* A body around one line, with locals of the types given as `_1`, `_2`, …, the result as `_0`. */
static const char *line_body(struct strbuf *b, const char *decls, const char *line) {
  sb_clear(b);
  sb_addf(b, "fn f() -> () {\n    let mut _0: ();\n%s\n    bb0: {\n        %s\n", decls, line);
  if (strstr(line, "bb1") == NULL)
    sb_addz(b, "        return;\n");
  sb_addz(b, "    }\n    bb1: {\n        return;\n    }\n}\n");
  return sb_z(b);
}

static const char decls_all[] = "    let mut _1: u32;\n    let mut _2: &'{erased} [u32];\n"
                                "    let mut _3: Add;\n    let mut _4: (u8, Add);\n";

static void open_line(struct dump *d, const char *line) {
  struct strbuf b = {0};
  dump_open(d);
  dump_parse(d, arena_str(&d->arena, str_from(line_body(&b, decls_all, line))), true);
  sb_free(&b);
  if (!d->ok)
    fail_msg("`%s` is refused: %.*s", line, STR_ARG(d->t.sink.first->message));
}

static const struct mir_block *block0(const struct dump *d) {
  return &d->file.items[0].body.blocks[0];
}

static const struct mir_rvalue *only_rv(const struct dump *d) {
  assert_int_equal(block0(d)->n_stmts, 1);
  assert_int_equal(block0(d)->stmts[0].kind, ST_ASSIGN);
  return block0(d)->stmts[0].rv;
}

static void every_dump_is_read_whole(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(dumps); i++) {
    struct dump d;
    dump_file(&d, dumps[i]);
    assert_true(d.ok);
    assert_int_equal(d.file.n_items, 38);
    assert_int_equal(d.file.n_broken, 0);
    static const char *const names[] = {"saxpy",
                                        "<impl at k.rs:23:1: 23:18>::run",
                                        "look::{closure#0}",
                                        "CFG",
                                        "TABLE",
                                        "COUNTER",
                                        "dynamic::promoted[0]",
                                        "NAMES::{constant#0}"};
    for (size_t k = 0; k < COUNT_OF(names); k++)
      (void)dump_item(&d, names[k]);
    dump_close(&d);
  }
}

static void a_function_gives_its_signature_locals_and_names(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(dumps); i++) {
    struct dump d;
    dump_file(&d, dumps[i]);
    const struct mir_item *f = dump_item(&d, "saxpy");
    assert_int_equal(f->kind, MI_FN);
    assert_false(f->ctfe);
    assert_int_equal(f->body.n_args, 4);
    assert_ptr_equal(f->body.ret, d.types.unit);
    assert_ptr_equal(mir_local_ty(&f->body, 3), dump_type(&d, "&mut [f32]"));
    assert_true(f->body.locals[4].arg);
    assert_false(f->body.locals[0].arg);
    assert_str(f->body.debug[1].name, "x");
    assert_int_equal(f->body.debug[1].place.local, 2);
    assert_ptr_equal(mir_item_of_path(&d.file, dump_type(&d, "saxpy")), f);
    dump_close(&d);
  }
}

static void statements_carry_span_scope_and_line(void **state) {
  (void)state;
  struct dump d;
  dump_file(&d, dumps[2]);
  const struct mir_item *f = dump_item(&d, "id");
  const struct mir_loc *at = &f->body.blocks[0].stmts[0].loc;
  struct source_file *file = source_file_get(&d.t.sources, at->span.file);
  assert_str(file->path, "k.rs");
  assert_int_equal(at->span.line0, 44);
  assert_int_equal(at->span.col0, 5);
  assert_int_equal(at->span.line1, 44);
  assert_int_equal(at->span.col1, 6);
  assert_int_equal(at->scope, 0);
  assert_true(at->dump_line > f->dump_line);
  str line, rest = d.file.text;
  for (uint32_t n = 0; n < at->dump_line; n++)
    assert_true(str_next_line(&rest, &line));
  assert_true(str_starts(str_trim(line), STR("_0 = copy _1;")));
  dump_close(&d);
}

static void inlined_scopes_form_a_tree_with_call_sites(void **state) {
  (void)state;
  struct dump d;
  dump_text(
      &d, "fn f() -> () {\n"
          "    let mut _0: ();                      // return place in scope 0 at a b.rs:1:2: 1:3\n"
          "    scope 1 {\n"
          "        scope 3 (inlined #[track_caller] core::ptr::read::<u8>) { // at k.rs:7:8: 9:10\n"
          "            let _1: u8;                  // in scope 3 at /x/y.rs:4:5: 4:6\n"
          "            debug (((v: A<u8>).0: B).2: u8) => const ConstValue(Scalar(0x07): u8);\n"
          "        }\n"
          "    }\n"
          "    scope 2 (inlined core::ptr::drop_glue::<u8> - shim(None)) { // at k.rs:1:1: 1:2\n"
          "    }\n"
          "\n"
          "    bb0: {\n"
          "        return;                          // bb0[0]: scope 3 at k.rs:1:1: 1:2\n"
          "    }\n"
          "}\n");
  assert_true(d.ok);
  const struct mir_body *b = &d.file.items[0].body;
  assert_int_equal(b->n_scopes, 4);
  assert_int_equal(b->scopes[0].parent, MIR_NONE);
  assert_int_equal(b->scopes[1].parent, 0);
  assert_int_equal(b->scopes[3].parent, 1);
  assert_true(b->scopes[3].inlined && b->scopes[3].track_caller);
  assert_str(b->scopes[3].callee->name, "core::ptr::read");
  assert_int_equal(b->scopes[3].call.line1, 9);
  assert_str(b->scopes[2].shim, "shim(None)");
  assert_str(source_file_get(&d.t.sources, b->locals[0].loc.span.file)->path, "a b.rs");
  assert_int_equal(b->locals[1].loc.scope, 3);
  assert_str(b->debug[0].name, "v");
  assert_int_equal(b->debug[0].n_proj, 2);
  assert_ptr_equal(b->debug[0].base, dump_type(&d, "A<u8>"));
  assert_int_equal(b->debug[0].k->bits.lo, 7);
  assert_int_equal(b->blocks[0].term.loc.scope, 3);
  dump_close(&d);
}

static void places_keep_their_projections_in_order(void **state) {
  (void)state;
  struct dump d;
  open_line(&d, "((((*_2)[_1] as Some).3: u8) as variant#2) = copy _1[1..5][2:-1][3:][-2 of 7];");
  const struct mir_place *p = &block0(&d)->stmts[0].place;
  assert_int_equal(p->local, 2);
  assert_int_equal(p->n_proj, 5);
  assert_int_equal(p->proj[0].kind, PROJ_DEREF);
  assert_int_equal(p->proj[1].kind, PROJ_INDEX);
  assert_int_equal(p->proj[1].index, 1);
  assert_int_equal(p->proj[2].kind, PROJ_DOWNCAST);
  assert_str(p->proj[2].name, "Some");
  assert_int_equal(p->proj[3].kind, PROJ_FIELD);
  assert_int_equal(p->proj[3].index, 3);
  assert_ptr_equal(p->proj[3].ty, dump_type(&d, "u8"));
  assert_int_equal(p->proj[4].index, 2);
  p = &only_rv(&d)->a.place;
  assert_int_equal(p->n_proj, 4);
  assert_true(p->proj[0].kind == PROJ_SUBSLICE && p->proj[0].from == 1 && p->proj[0].to == 5);
  assert_false(p->proj[0].from_end);
  assert_true(p->proj[1].from == 2 && p->proj[1].to == 1 && p->proj[1].from_end);
  assert_true(p->proj[2].from == 3 && p->proj[2].to == 0 && p->proj[2].from_end);
  assert_true(p->proj[3].kind == PROJ_CONST_INDEX && p->proj[3].from == 2 && p->proj[3].to == 7);
  assert_true(p->proj[3].from_end);
  dump_close(&d);
}

static const struct mir_const *const_of(struct dump *d, const char *line) {
  open_line(d, line);
  const struct mir_rvalue *rv = only_rv(d);
  assert_int_equal(rv->a.kind, OP_CONST);
  return rv->a.k;
}

static void constants_keep_every_bit(void **state) {
  (void)state;
  struct dump d;
  const struct mir_const *k =
      const_of(&d, "_1 = const ConstValue(Scalar(0x8000000000000000000000000000000f): i128);");
  assert_int_equal(k->kind, MC_SCALAR);
  assert_int_equal(k->size, 16);
  assert_true(k->bits.lo == 15 && k->bits.hi == 0x8000000000000000u);
  dump_close(&d);
  k = const_of(&d, "_1 = const ConstValue(Scalar(alloc3+0x1c<imm>): &'{erased} u32);");
  assert_true(k->kind == MC_ALLOC && k->alloc == 3 && k->offset == 28 && k->imm);
  dump_close(&d);
  k = const_of(&d, "_1 = const ConstValue(Slice { alloc_id: alloc9, meta: 3 }: &'{erased} str);");
  assert_true(k->kind == MC_SLICE && k->alloc == 9 && k->meta == 3);
  dump_close(&d);
  k = const_of(&d,
               "_1 = const ConstValue(Indirect { alloc_id: alloc2, offset: Size(16 bytes) }: T);");
  assert_true(k->kind == MC_INDIRECT && k->alloc == 2 && k->offset == 16);
  dump_close(&d);
  k = const_of(&d, "_1 = const ConstValue(ZeroSized: ());");
  assert_true(k->kind == MC_ZST && rty_is_unit(k->ty));
  dump_close(&d);
  k = const_of(&d, "_1 = const ValTree(Leaf(0x07): u8);");
  assert_true(k->kind == MC_SCALAR && k->bits.lo == 7 && k->size == 1);
  dump_close(&d);
  k = const_of(&d, "_1 = const ValTree(Branch([ValTree(Leaf(0x6f): u8)]): &'{erased} str);");
  assert_true(k->kind == MC_VALTREE && k->tree->n_args == 1 && k->ty->kind == RTY_REF);
  dump_close(&d);
  k = const_of(&d, "_1 = const N/#2;");
  assert_true(k->kind == MC_PARAM && k->tree->lo == 2);
  dump_close(&d);
  k = const_of(&d, "_1 = const <uninit>;");
  assert_int_equal(k->kind, MC_UNINIT);
  dump_close(&d);
  k = const_of(&d, "_1 = const {transmute(0x0004): A<u8>};");
  assert_true(k->kind == MC_SCALAR && k->size == 2 && k->ty->kind == RTY_PATH);
  dump_close(&d);
  k = const_of(&d, "_1 = const {0x0000000000000010 as *const u8};");
  assert_true(k->kind == MC_SCALAR && k->ty->kind == RTY_PTR);
  dump_close(&d);
}

static void a_constant_by_name_takes_its_type_from_the_comment(void **state) {
  (void)state;
  struct dump d;
  open_line(
      &d, "_1 = Add(const <A as K>::T, const f::promoted[1]); // bb0[0]: scope 0 at k.rs:1:1: 1:2\n"
          "                                         // + const_: Const { ty: u32, val: "
          "Unevaluated(K::T, [A], None) }\n"
          "                                         // + const_: Const { ty: u8, val: "
          "Value(Scalar(0x01)) }\n"
          "                                         // + const_: Const { ty: &'{erased} u64, "
          "val: Unevaluated(f, [], Some(promoted[1])) }");
  const struct mir_rvalue *rv = only_rv(&d);
  assert_int_equal(rv->a.k->kind, MC_NAMED);
  assert_str(rv->a.k->path->name, "<A as K>::T");
  assert_ptr_equal(rv->a.k->ty, dump_type(&d, "u32"));
  assert_str(rv->b.k->path->name, "f::promoted[1]");
  assert_ptr_equal(rv->b.k->ty, dump_type(&d, "&u64"));
  dump_close(&d);
}

static void right_hand_sides_are_told_apart(void **state) {
  (void)state;
  static const struct {
    const char *text;
    enum mir_rvalue_kind kind;
    uint32_t n_ops;
    const char *ty; /* of the place assigned; NULL: u8 */
  } rows[] = {
      {"no_retag copy (*_2)", RV_USE, 0, NULL},
      {"[const ConstValue(Scalar(0x00): u8); ValTree(Leaf(0x0000000000000004): usize)]", RV_REPEAT,
       0, NULL},
      {"[copy _1, move _1, copy _1]", RV_ARRAY, 3, NULL},
      {"[]", RV_ARRAY, 0, NULL},
      {"[move _1]", RV_ARRAY, 1, NULL},
      {"(move _1,)", RV_TUPLE, 1, NULL},
      {"(copy _1, const B/#0)", RV_TUPLE, 2, NULL},
      {"()", RV_TUPLE, 0, NULL},
      {"copy _1 as u64 (IntToInt)", RV_CAST, 0, NULL},
      {"AddWithOverflow(copy _1, const ConstValue(Scalar(0x00000001): u32))", RV_BIN, 0, NULL},
      {"PtrMetadata(copy _2)", RV_UN, 0, NULL},
      {"discriminant((*_2))", RV_DISCR, 0, NULL},
      {"Len((*_2))", RV_LEN, 0, NULL},
      {"&'{erased} mut (*_2)[_1]", RV_REF, 0, NULL},
      {"&_1", RV_REF, 0, NULL},
      {"&raw const (fake) (*_2)", RV_RAW, 0, NULL},
      {"&raw mut _1", RV_RAW, 0, NULL},
      {"deref_copy (_2.0: &'{erased} u8)", RV_DEREF_COPY, 0, NULL},
      {"&/*tls*/ a::TL", RV_TLS, 0, NULL},
      {"core::option::Option::<&'{erased} u8>::Some(copy _2)", RV_ADT, 1,
       "core::option::Option<&'{erased} u8>"},
      {"core::ops::Range::<usize> { start: copy _1, end: move _1 }", RV_ADT, 2,
       "core::ops::Range<usize>"},
      {"Unit", RV_ADT, 0, "Unit"},
      {"a::Unit", RV_ADT, 0, "<T as Tr>::Out"},
      {"Op::Add(copy _1, copy _1)", RV_ADT, 2, "Op"},
      {"{closure@k.rs:1:2: 3:4} { a: copy _1, 1: move _2 }", RV_CLOSURE, 2, NULL},
      {"{closure@k.rs:1:2: 3:4}", RV_CLOSURE, 0, NULL},
      {"*const [u32] from (copy _1, copy _1)", RV_RAWFAT, 0, NULL},
      {"UbChecks", RV_USE, 0, NULL},
      {"ConstValue(ZeroSized: fn(u8) {id}) as fn(u8) (PointerCoercion(ReifyFnPointer(Safe), "
       "Implicit))",
       RV_CAST, 0, NULL},
  };
  struct strbuf b = {0};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct dump d;
    sb_clear(&b);
    sb_addf(&b, "(%s: %s) = %s;", "_2.0", rows[i].ty ? rows[i].ty : "u8", rows[i].text);
    open_line(&d, sb_z(&b));
    const struct mir_rvalue *rv = only_rv(&d);
    if (rv->kind != rows[i].kind || rv->n_ops != rows[i].n_ops)
      fail_msg("`%s` is kind %d with %u operands", rows[i].text, (int)rv->kind, rv->n_ops);
    dump_close(&d);
  }
  sb_free(&b);
}

static void every_operator_and_cast_is_known_by_its_name(void **state) {
  (void)state;
  struct strbuf b = {0};
  struct dump d;
  for (int i = 0; i < BIN_COUNT; i++) {
    sb_clear(&b);
    sb_addf(&b, "_1 = %s(copy _1, move _2);", mir_bin_name((enum mir_bin)i));
    open_line(&d, sb_z(&b));
    assert_int_equal(only_rv(&d)->bin, i);
    assert_int_equal(only_rv(&d)->a.kind, OP_COPY);
    assert_int_equal(only_rv(&d)->b.place.local, 2);
    dump_close(&d);
  }
  for (int i = 0; i < UN_COUNT; i++) {
    sb_clear(&b);
    sb_addf(&b, "_1 = %s(copy _1);", mir_un_name((enum mir_un)i));
    open_line(&d, sb_z(&b));
    assert_int_equal(only_rv(&d)->un, i);
    dump_close(&d);
  }
  for (int i = 0; i < CAST_COUNT; i++) {
    bool coercion = strchr(mir_cast_name((enum mir_cast)i), '(') != NULL;
    sb_clear(&b);
    sb_addf(&b, "_1 = copy _1 as fn(u8) -> u8 (%s%s);", mir_cast_name((enum mir_cast)i),
            coercion ? ", AsCast)" : "");
    open_line(&d, sb_z(&b));
    assert_int_equal(only_rv(&d)->cast, i);
    assert_ptr_equal(only_rv(&d)->ty, dump_type(&d, "fn(u8) -> u8"));
    dump_close(&d);
  }
  sb_free(&b);
}

static void a_struct_called_like_an_operator_stays_a_struct(void **state) {
  (void)state;
  struct dump d;
  open_line(&d, "_3 = Add(copy _1, copy _1);");
  assert_int_equal(only_rv(&d)->kind, RV_ADT);
  dump_close(&d);
  open_line(&d, "(_4.1: Add) = Add(copy _1, copy _1);");
  assert_int_equal(only_rv(&d)->kind, RV_ADT);
  dump_close(&d);
  open_line(&d, "(_4.0: u8) = Add(copy _1, copy _1);");
  assert_int_equal(only_rv(&d)->kind, RV_BIN);
  dump_close(&d);
}

static void statements_are_told_apart(void **state) {
  (void)state;
  static const struct {
    const char *text;
    enum mir_stmt_kind kind;
  } rows[] = {
      {"StorageLive(_1);", ST_LIVE},
      {"StorageDead(_1);", ST_DEAD},
      {"discriminant((*_2)) = 3;", ST_SETDISCR},
      {"assume(copy _1);", ST_ASSUME},
      {"copy_nonoverlapping(dst = copy _1, src = move _2, count = copy _1);", ST_COPY},
      {"nop;", ST_NOP},
      {"ConstEvalCounter;", ST_NOP},
      {"Retag([raw] _1);", ST_NOP},
      {"FakeRead(ForMatchedPlace(None), _1);", ST_NOP},
  };
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct dump d;
    open_line(&d, rows[i].text);
    assert_int_equal(block0(&d)->n_stmts, 1);
    if (block0(&d)->stmts[0].kind != rows[i].kind)
      fail_msg("`%s` is kind %d", rows[i].text, (int)block0(&d)->stmts[0].kind);
    dump_close(&d);
  }
}

static void a_switch_keeps_values_of_128_bits(void **state) {
  (void)state;
  struct dump d;
  open_line(&d, "switchInt(move _1) -> [0: bb0, 340282366920938463463374607431768211455: bb1, "
                "otherwise: bb1];");
  const struct mir_term *t = &block0(&d)->term;
  assert_int_equal(t->kind, TM_SWITCH);
  assert_int_equal(t->n_targets, 2);
  assert_int_equal(t->target, 1);
  assert_true(t->values[1].lo == UINT64_MAX && t->values[1].hi == UINT64_MAX);
  assert_int_equal(t->targets[0], 0);
  dump_close(&d);
}

static void calls_keep_callee_arguments_and_ways_out(void **state) {
  (void)state;
  struct dump d;
  open_line(&d, "(*_2)[_1] = ConstValue(ZeroSized: unsafe extern \"C\" fn(u8) -> u8 {ext::<u8>})"
                "(move _1, const B/#0) -> [return: bb1, unwind: bb0];");
  const struct mir_term *t = &block0(&d)->term;
  assert_int_equal(t->kind, TM_CALL);
  assert_int_equal(t->place.n_proj, 2);
  assert_int_equal(t->op.k->ty->kind, RTY_FNDEF);
  assert_str(t->op.k->ty->path->name, "ext");
  assert_str(t->op.k->ty->sig->abi, "C");
  assert_int_equal(t->n_args, 2);
  assert_true(t->target == 1 && t->unwind == UNWIND_CLEANUP && t->cleanup == 0);
  dump_close(&d);
  open_line(&d, "_1 = copy _3(copy _1) -> [return: bb1, unwind terminate(abi)];");
  t = &block0(&d)->term;
  assert_true(t->op.kind == OP_COPY && t->op.place.local == 3 && t->unwind == UNWIND_TERMINATE);
  dump_close(&d);
  open_line(&d, "_1 = ConstValue(ZeroSized: fn() -> ! {p})() -> unwind unreachable; // bb1");
  t = &block0(&d)->term;
  assert_true(t->target == MIR_NONE && t->unwind == UNWIND_UNREACHABLE && t->n_args == 0);
  dump_close(&d);
  open_line(&d, "_1 = ConstValue(ZeroSized: fn() {p})() -> bb1;");
  assert_int_equal(block0(&d)->term.target, 1);
  dump_close(&d);
  open_line(&d, "drop((*_2)) -> [return: bb1, unwind continue];");
  assert_int_equal(block0(&d)->term.kind, TM_DROP);
  dump_close(&d);
}

static void every_assertion_is_known_by_its_text(void **state) {
  (void)state;
  struct strbuf b = {0};
  for (int i = 0; i < ASSERT_COUNT; i++) {
    const char *text = mir_assert_text((enum mir_assert)i);
    sb_clear(&b);
    sb_addf(&b, "assert(!move _1, \"%s\"", text);
    for (const char *p = strstr(text, "{}"); p != NULL; p = strstr(p + 2, "{}"))
      sb_addz(&b, ", copy _1");
    sb_addz(&b, ") -> [success: bb1, unwind unreachable];");
    struct dump d;
    open_line(&d, sb_z(&b));
    const struct mir_term *t = &block0(&d)->term;
    assert_int_equal(t->kind, TM_ASSERT);
    assert_int_equal(t->assert_kind, i);
    assert_false(t->expected);
    assert_int_equal(t->target, 1);
    dump_close(&d);
  }
  sb_free(&b);
}

static void assembly_keeps_a_raw_template_of_several_lines(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(dumps); i++) {
    struct dump d;
    dump_file(&d, dumps[i]);
    const struct mir_term *t = &dump_item(&d, "asm")->body.blocks[0].term;
    assert_int_equal(t->kind, TM_ASM);
    assert_str(t->asm_->template, "// {{ \"quoted\"\n    }}\nmov {0}, {1}");
    assert_int_equal(t->asm_->n_ops, 2);
    assert_int_equal(t->asm_->ops[0].kind, ASM_OUT);
    assert_str(t->asm_->ops[0].reg, "reg");
    assert_true(t->asm_->ops[0].has_out);
    assert_int_equal(t->asm_->ops[1].in.place.local, 1);
    assert_str(t->asm_->options, "PURE | NOMEM | NOSTACK");
    assert_int_equal(t->target, 1);
    assert_str(source_file_get(&d.t.sources, t->loc.span.file)->path, "k.rs");
    dump_close(&d);
  }
}

static void assembly_operands_of_every_kind_are_read(void **state) {
  (void)state;
  struct dump d;
  open_line(&d,
            "asm!(\"nop\", inlateout(\"st(0)\") move _1 => _, lateout(reg_abcd) _2, out(\"cx\") _, "
            "const const K, sym_fn ConstValue(ZeroSized: fn() {g}), "
            "sym_static DefId(0:8 ~ k[2e64]::TBL), label bb1, options()) -> "
            "[return: bb1, unwind unreachable];");
  const struct mir_asm *a = block0(&d)->term.asm_;
  assert_int_equal(a->n_ops, 7);
  assert_str(a->ops[0].reg, "\"st(0)\"");
  assert_true(a->ops[0].kind == ASM_INOUT && a->ops[0].late && !a->ops[0].has_out);
  assert_true(a->ops[1].kind == ASM_OUT && a->ops[1].has_out && a->ops[1].out.local == 2);
  assert_true(a->ops[2].kind == ASM_OUT && !a->ops[2].has_out);
  assert_int_equal(a->ops[3].in.k->kind, MC_NAMED);
  assert_int_equal(a->ops[4].kind, ASM_SYM_FN);
  assert_str(a->ops[5].sym, "DefId(0:8 ~ k[2e64]::TBL)");
  assert_true(a->ops[6].kind == ASM_LABEL && a->ops[6].label == 1);
  dump_close(&d);
}

static const struct mir_alloc *alloc_of_static(const struct dump *d, const char *name) {
  for (size_t i = 0; i < d->file.n_allocs; i++)
    if (d->file.allocs[i] != NULL && d->file.allocs[i]->kind == MA_STATIC &&
        str_eqz(d->file.allocs[i]->path->name, name))
      return d->file.allocs[i];
  fail_msg("no allocation of the static `%s`", name);
  return NULL;
}

static void allocations_give_bytes_pointers_and_gaps(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT_OF(dumps); i++) {
    struct dump d;
    dump_file(&d, dumps[i]);
    const struct mir_alloc *a = alloc_of_static(&d, "TABLE");
    assert_true(a->has_bytes && a->size == 20 && a->align == 4 && a->n_relocs == 0);
    assert_int_equal(a->bytes[16], 8);
    a = alloc_of_static(&d, "NAMES");
    assert_int_equal(a->n_relocs, 3);
    assert_int_equal(a->relocs[1].offset, 16);
    assert_true(a->relocs[0].imm && !a->relocs[1].imm);
    const struct mir_alloc *fn = mir_alloc_find(&d.file, a->relocs[1].alloc);
    assert_int_equal(fn->kind, MA_FN);
    assert_str(fn->path->name, "id");
    a = alloc_of_static(&d, "TIGHT");
    assert_int_equal(a->size, 22);
    assert_int_equal(a->n_relocs, 1);
    assert_true(a->relocs[0].offset == 12 && a->relocs[0].addend == 8);
    assert_int_equal(a->bytes[20], 3);
    for (size_t k = 0; k < a->size; k++)
      assert_int_equal(a->init[k], 1);
    dump_close(&d);
  }
}

static void allocations_of_other_kinds_name_what_they_are(void **state) {
  (void)state;
  struct dump d;
  dump_text(&d,
            "alloc1 (fn: g::<f32, 2>)\n\nalloc2 (fn: <A as Fn<()>>::call - shim(reify))\n\n"
            "alloc3 (extern static: EXT)\n\nalloc4 (vtable: impl A + Send for &'{erased} str)\n\n"
            "alloc5 (vtable: impl <auto trait> for u8)\n\nalloc6 (typeid for u8)\n\n"
            "alloc7 (static: a::B)\n\nalloc7 (static: a::B, size: 2, align: 1) {\n"
            "    0f __                                           │ .░\n}\n\n"
            "alloc8 (size: 0, align: 8) {}\n");
  assert_true(d.ok);
  const struct mir_alloc *a = mir_alloc_find(&d.file, 2);
  assert_int_equal(a->kind, MA_FN);
  assert_str(a->shim, "shim(reify)");
  a = mir_alloc_find(&d.file, 4);
  assert_int_equal(a->kind, MA_VTABLE);
  assert_str(a->trait->name, "A");
  assert_ptr_equal(a->ty, dump_type(&d, "&str"));
  assert_null(mir_alloc_find(&d.file, 5)->trait);
  assert_int_equal(mir_alloc_find(&d.file, 6)->kind, MA_TYPE_ID);
  a = mir_alloc_find(&d.file, 7);
  assert_true(a->has_bytes && a->bytes[0] == 15 && a->init[0] == 1 && a->init[1] == 0);
  assert_int_equal(mir_alloc_find(&d.file, 8)->size, 0);
  assert_int_equal(mir_alloc_find(&d.file, 3)->kind, MA_EXTERN);
  assert_null(mir_alloc_find(&d.file, 99));
  dump_close(&d);
}

static void pointers_in_allocations_may_straddle_rows(void **state) {
  (void)state;
  struct dump d;
  dump_text(&d,
            "alloc0 (size: 24, align: 1) {\n"
            "    0x00 │ 01 02 03 04 05 06 07 08 09 0a 0b 0c ╾alloc2+0x8<imm> (8 ptr bytes) │ ...\n"
            "    0x10 │ ──────────╼ __ 05 06 07                         │ ───╼░...\n}\n\n"
            "alloc1 (size: 16, align: 8) {\n"
            "    ╾─────alloc9<imm>─────╼ ╾alloc123456+0x1234567<imm> (8 ptr bytes)╼ │ ...\n}\n");
  assert_true(d.ok);
  const struct mir_alloc *a = mir_alloc_find(&d.file, 0);
  assert_int_equal(a->relocs[0].offset, 12);
  assert_int_equal(a->relocs[0].addend, 8);
  assert_int_equal(a->bytes[21], 5);
  assert_int_equal(a->init[20], 0);
  assert_int_equal(mir_alloc_find(&d.file, 1)->relocs[1].addend, 0x1234567);
  dump_close(&d);
  dump_text(&d, "alloc0 (size: 24, align: 1) {\n"
                "    0x00 │ 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e ╾──── │ ...\n"
                "    0x10 │ ───alloc7<imm>────╼ 08 09                       │ ───╼░...\n}\n");
  assert_true(d.ok);
  a = mir_alloc_find(&d.file, 0);
  assert_true(a->n_relocs == 1 && a->relocs[0].offset == 14 && a->relocs[0].alloc == 7);
  assert_int_equal(a->bytes[22], 8);
  assert_true(a->relocs[0].imm);
  dump_close(&d);
}

static void the_body_for_constant_evaluation_does_not_hide_the_real_one(void **state) {
  (void)state;
  struct dump d;
  dump_text(&d, "// MIR banner\nfn f() -> u8 {\n    let mut _0: u8;\n    bb0: {\n"
                "        _0 = const ValTree(Leaf(0x01): u8);\n        return;\n    }\n}\n\n"
                "// MIR FOR CTFE\nfn f() -> u8 {\n    let mut _0: u8;\n    bb0: {\n"
                "        return;\n    }\n}\n\nconst f::{constant#0}: usize = const ConstValue("
                "Scalar(0x0000000000000004): usize);\n\nf::{constant#1}: u8 = {\n"
                "    let mut _0: u8;\n    bb0: {\n        return;\n    }\n}\n");
  assert_true(d.ok);
  assert_int_equal(d.file.n_items, 4);
  assert_false(dump_item(&d, "f")->ctfe);
  assert_int_equal(dump_item(&d, "f")->body.blocks[0].n_stmts, 1);
  assert_true(d.file.items[1].ctfe);
  assert_false(d.file.items[2].ctfe);
  assert_int_equal(dump_item(&d, "f::{constant#0}")->value->bits.lo, 4);
  assert_int_equal(dump_item(&d, "f::{constant#1}")->kind, MI_CONST);
  dump_close(&d);
}

/* Two impls of one macro stand at one place, and so print under one name. */
static const char twins[] =
    "fn <impl at k.rs:1:1: 1:9>::m(_1: &'{erased} A) -> () {\n    let mut _0: ();\n    bb0: {\n"
    "        return;\n    }\n}\n\n"
    "fn <impl at k.rs:1:1: 1:9>::m::{closure#0}(_1: &'{erased} {<A as T>::m::{closure#0} "
    "closure_kind_ty=i8 closure_sig_as_fn_ptr_ty=fn(()) upvar_tys=()}) -> () {\n"
    "    let mut _0: ();\n    bb0: {\n        return;\n    }\n}\n\n"
    "const <impl at k.rs:1:1: 1:9>::m::promoted[0]: u8 = const ValTree(Leaf(0x01): u8);\n\n"
    "fn <impl at k.rs:1:1: 1:9>::m(_1: &'{erased} B) -> () {\n    let mut _0: ();\n    bb0: {\n"
    "        return;\n    }\n}\n\n"
    "const <impl at k.rs:1:1: 1:9>::m::promoted[0]: u8 = const ValTree(Leaf(0x02): u8);\n\n"
    "fn step#1(_1: u8) -> () {\n    let mut _0: ();\n    bb0: {\n        return;\n    }\n}\n";

static void parts_of_functions_are_found_by_use_and_know_their_owner(void **state) {
  (void)state;
  struct dump d;
  dump_text(&d, twins);
  assert_true(d.ok);
  const struct mir_file *f = &d.file;
  const struct mir_item *it = mir_part_first(f, dump_type(&d, "<B as T>::m::promoted[0]"));
  assert_ptr_equal(it, &f->items[4]);
  assert_ptr_equal(mir_owner(f, it), &f->items[3]);
  it = mir_part_next(f, it);
  assert_ptr_equal(it, &f->items[2]);
  assert_ptr_equal(mir_owner(f, it), &f->items[0]);
  assert_null(mir_part_next(f, it));
  it = mir_part_first(f, dump_type(&d, "<A as T>::m::{closure#0}"));
  assert_ptr_equal(it, &f->items[1]);
  assert_str(mir_closure_of(it)->path->name, "<A as T>::m::{closure#0}");
  assert_ptr_equal(mir_owner(f, it), &f->items[0]);
  assert_null(mir_closure_of(&f->items[0]));
  assert_null(mir_owner(f, &f->items[0]));
  assert_null(mir_part_first(f, dump_type(&d, "<A as T>::other::{closure#0}")));
  assert_null(mir_part_first(f, dump_type(&d, "<A as T>::m")));
  assert_ptr_equal(dump_item(&d, "step#1"), &f->items[5]);
  dump_close(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_dump_is_read_whole),
      cmocka_unit_test(a_function_gives_its_signature_locals_and_names),
      cmocka_unit_test(statements_carry_span_scope_and_line),
      cmocka_unit_test(inlined_scopes_form_a_tree_with_call_sites),
      cmocka_unit_test(places_keep_their_projections_in_order),
      cmocka_unit_test(constants_keep_every_bit),
      cmocka_unit_test(a_constant_by_name_takes_its_type_from_the_comment),
      cmocka_unit_test(right_hand_sides_are_told_apart),
      cmocka_unit_test(every_operator_and_cast_is_known_by_its_name),
      cmocka_unit_test(a_struct_called_like_an_operator_stays_a_struct),
      cmocka_unit_test(statements_are_told_apart),
      cmocka_unit_test(a_switch_keeps_values_of_128_bits),
      cmocka_unit_test(calls_keep_callee_arguments_and_ways_out),
      cmocka_unit_test(every_assertion_is_known_by_its_text),
      cmocka_unit_test(assembly_keeps_a_raw_template_of_several_lines),
      cmocka_unit_test(assembly_operands_of_every_kind_are_read),
      cmocka_unit_test(allocations_give_bytes_pointers_and_gaps),
      cmocka_unit_test(allocations_of_other_kinds_name_what_they_are),
      cmocka_unit_test(pointers_in_allocations_may_straddle_rows),
      cmocka_unit_test(parts_of_functions_are_found_by_use_and_know_their_owner),
      cmocka_unit_test(the_body_for_constant_evaluation_does_not_hide_the_real_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
