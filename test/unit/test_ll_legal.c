/* The clean-up by LLVM: what its passes make that libNVVM's older reader does not know, and what we do
 * beside them. */
/* cmocka.h needs the first four before it. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "ir/ll.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/IRReader.h>

/* Does something to a module with a function of this body; its text, or NULL where that says no. */
static char *after(bool (*what)(struct ll *), const char *body) {
  static const char form[] =
      "declare i32 @llvm.umin.i32(i32, i32)\ndeclare i32 @llvm.smax.i32(i32, i32)\n"
      "declare i32 @llvm.abs.i32(i32, i1)\ndeclare i32 @llvm.usub.sat.i32(i32, i32)\n"
      "declare i128 @llvm.bswap.i128(i128)\ndeclare i48 @llvm.bswap.i48(i48)\n"
      "declare i16 @llvm.bitreverse.i16(i16)\ndeclare i128 @llvm.ctlz.i128(i128, i1)\n"
      "declare i32 @llvm.fshl.i32(i32, i32, i32)\ndeclare i32 @llvm.ctpop.i32(i32)\n"
      "declare i32 @llvm.sshl.sat.i32(i32, i32)\ndeclare void @llvm.lifetime.start.p0i8(i64, i8*)\n"
      "declare void @g(i8*)\n@t = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 7]\n"
      "declare i8* @llvm.strip.invariant.group.p0i8(i8*)\ndeclare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()\n"
      "@s = internal addrspace(3) global [8 x i32] undef\n"
      "define i32 @f(i32 %%a, i32 %%b, float %%x, i8* %%p) {\n%s\n}\n";
  struct strbuf text = {0};
  struct lower_options o = {.opt = 3};
  struct ll l = {.cx = LLVMContextCreate(), .o = &o};
  char *message = NULL, *out = NULL;
  sb_addf(&text, form, body);
  LLVMMemoryBufferRef b = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.p, text.n, "t");
  if (LLVMParseIRInContext(l.cx, b, &l.mod, &message))
    fail_msg("%s", message);
  l.b = LLVMCreateBuilderInContext(l.cx);
  l.i1 = LLVMInt1TypeInContext(l.cx);
  l.i32 = LLVMInt32TypeInContext(l.cx);
  l.f32 = LLVMFloatTypeInContext(l.cx);
  l.a_nounwind = ll_attr(&l, "nounwind", 0);
  l.i8 = LLVMInt8TypeInContext(l.cx);
  l.i16 = LLVMInt16TypeInContext(l.cx);
  l.a_convergent = ll_attr(&l, "convergent", 0);
  l.i64 = LLVMInt64TypeInContext(l.cx);
  l.ptr = LLVMPointerType(l.i8, 0);
  l.i128 = LLVMInt128TypeInContext(l.cx);
  if (what(&l)) {
    assert_false(LLVMVerifyModule(l.mod, LLVMReturnStatusAction, NULL));
    out = LLVMPrintModuleToString(l.mod);
  }
  LLVMDisposeBuilder(l.b);
  LLVMDisposeModule(l.mod);
  LLVMContextDispose(l.cx);
  arena_free(&l.arena);
  sb_free(&text);
  return out;
}

static char *spelled(const char *body) {
  return after(ll_legalise, body);
}

static unsigned count(const char *text, const char *what) {
  unsigned n = 0;
  for (; (text = strstr(text, what)); text++)
    n++;
  return n;
}

static void newer_words_get_older_ones(void **state) {
  static const struct {
    const char *body, *gone, *there;
  } cases[] = {
      {"%r = call i32 @llvm.umin.i32(i32 %a, i32 %b)\nret i32 %r", "umin", "icmp ult i32 %a, %b"},
      {"%r = call i32 @llvm.smax.i32(i32 %a, i32 %b)\nret i32 %r", "smax", "icmp sgt i32 %a, %b"},
      {"%r = call i32 @llvm.abs.i32(i32 %a, i1 false)\nret i32 %r", "abs", "sub i32 0, %a"},
      {"%r = call i32 @llvm.usub.sat.i32(i32 %a, i32 %b)\nret i32 %r", "sat", "sub i32 %a, %b"},
      {"%r = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %a)\nret i32 %r", "fshl", "shl i32 %a"},
      {"%r = call i32 @llvm.ctpop.i32(i32 %a)\nret i32 %r", "poison", "@llvm.ctpop.i32(i32 %a)"},
      {"%w = zext i32 %a to i128\n%s = call i128 @llvm.bswap.i128(i128 %w)\n%r = trunc i128 %s to i32\nret i32 %r",
       "bswap.i128", "bswap.i64"},
      {"%w = zext i32 %a to i128\n%s = call i128 @llvm.ctlz.i128(i128 %w, i1 true)\n%r = trunc i128 %s to i32\n"
       "ret i32 %r",
       "ctlz.i128", "ctlz.i64"},
      {"%w = trunc i32 %a to i16\n%s = call i16 @llvm.bitreverse.i16(i16 %w)\n%r = zext i16 %s to i32\nret i32 %r",
       "bitreverse.i16", "bitreverse.i32"},
      {"%w = trunc i32 %a to i16\n%s = sub i16 0, %w\n%r = zext i16 %s to i32\nret i32 %r", "sub i16", "sub.u16 $0, 0"},
      {"%y = fneg float %x\n%r = bitcast float %y to i32\nret i32 %r", "fneg", "xor i32"},
      {"ret i32 poison", "poison", "ret i32 undef"},
      {"br i1 poison, label %t, label %e\nt:\nbr label %e\ne:\n%r = phi i32 [poison, %0], [%a, %t]\n"
       "ret i32 %r", "poison", "phi i32 [ undef, %0 ]"},
      {"call void @llvm.lifetime.start.p0i8(i64 8, i8* %p)\nret i32 0", "lifetime", "ret i32 0"},
      {"call void @g(i8* noundef nonnull %p)\nret i32 0", "noundef", "call void @g(i8* %p)"},
      {"br label %h\nh:\nbr i1 true, label %h, label %e, !llvm.loop !0\ne:\nret i32 0\n}\n"
       "!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.full\"}\ndefine void @k() {\nret void",
       ", !llvm.loop", "ret i32 0"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *text = spelled(cases[i].body);
    if (!text || strstr(text, cases[i].gone) || !strstr(text, cases[i].there))
      fail_msg("%s became %s", cases[i].body, text ? text : "nothing");
    LLVMDisposeMessage(text);
  }
}

static void what_has_no_older_word_is_told(void **state) {
  static const char *const cases[] = {
      "%r = freeze i32 %a\nret i32 %r",
      "%r = call i32 @llvm.sshl.sat.i32(i32 %a, i32 %b)\nret i32 %r",
      "%v = bitcast i32 %a to <4 x i8>\n%r = bitcast <4 x i8> %v to i32\nret i32 %r",
      "%v = zext i32 %a to i48\n%w = call i48 @llvm.bswap.i48(i48 %v)\n%r = trunc i48 %w to i32\nret i32 %r",
      "%v = zext i32 %a to i72\n%r = trunc i72 %v to i32\nret i32 %r",
  };
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    assert_null(spelled(cases[i]));
}

/* Two checks with a trap, and what lies between them. */
#define CHECKS(between)                                                                                  \
  "%c = icmp ult i32 %a, 9\nbr i1 %c, label %on, label %bad\non:\n%v = load i8, i8* %p\n" between        \
  "\n%d = icmp ult i32 %k, 7\nbr i1 %d, label %last, label %bad\nlast:\n%q = getelementptr i8, i8* %p, i32 %b\n" \
  "%w = load i8, i8* %q\n%s = add i8 %v, %w\n%r = zext i8 %s to i32\nret i32 %r\n"                       \
  "bad:\ncall void asm sideeffect \"trap;\", \"\"()\nunreachable"

static bool merged(struct ll *l) {
  ll_merge_checks(l);
  return true;
}

static void checks_between_loads_become_one(void **state) {
  static const struct {
    const char *body;
    unsigned branches;
  } cases[] = {
      {CHECKS("%k = add i32 %b, 1"), 1},
      {CHECKS("%m = urem i32 %b, %a\n%k = add i32 %m, 1"), 2}, /* `a` may be 0 where it is not below 9 */
      {CHECKS("%k = zext i8 %v to i32"), 2},                    /* what was loaded decides */
      {CHECKS("store i8 0, i8* %p\n%k = add i32 %b, 1"), 2},    /* seen by the host after the trap */
      {CHECKS("call void @g(i8* %p)\n%k = add i32 %b, 1"), 2},
      {CHECKS("%x2 = load volatile i8, i8* %p\n%k = add i32 %b, 1"), 2},
  };
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *text = after(merged, cases[i].body);
    if (!text || count(text, "br i1") != cases[i].branches)
      fail_msg("%s became %s", cases[i].body, text ? text : "nothing");
    LLVMDisposeMessage(text);
  }
}

/* A loop of 64 rounds over an array of 16 numbers at the index that `index` makes of %i. */
#define LOOP(index)                                                                                      \
  "%t = alloca [16 x i32]\nbr label %h\nh:\n%i = phi i32 [0, %0], [%n, %h]\n%s = phi i32 [%a, %0], [%u, %h]\n" \
  index "\n%e = getelementptr [16 x i32], [16 x i32]* %t, i32 0, i32 %j\n%o = load i32, i32* %e\n"        \
  "%m = mul i32 %o, %s\n%u = xor i32 %m, %i\nstore i32 %u, i32* %e\n%n = add nuw i32 %i, 1\n"             \
  "%c = icmp eq i32 %n, 64\nbr i1 %c, label %done, label %h\ndone:\nret i32 %u"

static void loops_over_small_arrays_are_unrolled(void **state) {
  char *counted = after(ll_clean_up, LOOP("%j = and i32 %i, 15"));
  char *by_data = after(ll_clean_up, LOOP("%j = and i32 %b, 15"));
  (void)state;
  assert_non_null(counted);
  assert_non_null(by_data);
  assert_null(strstr(counted, "alloca"));
  assert_null(strstr(counted, "br "));
  assert_non_null(strstr(by_data, "br i1")); /* nothing would be won */
  LLVMDisposeMessage(counted);
  LLVMDisposeMessage(by_data);
}

#define ADDRESS "%q = getelementptr i8, i8* %p, i32 %r\nstore i8 0, i8* %q\nret i32 %r"

static void sums_stay_sums(void **state) {
  static const struct {
    const char *body, *there;
  } cases[] = {
      {"%s = shl i32 %a, 4\n%z = and i32 %b, 15\n%r = or i32 %s, %z\n" ADDRESS, "add nuw i32 %s, %z"},
      {"%s = shl i32 %a, 4\n%z = and i32 %b, 31\n%r = or i32 %s, %z\n" ADDRESS, "or i32 %s, %z"},
      {"%s = lshr i32 %a, 16\n%z = shl i32 %b, 16\n%r = or i32 %s, %z\n" ADDRESS, "add nuw i32 %s, %z"},
      {"%s = lshr i32 %a, 15\n%z = shl i32 %b, 16\n%r = or i32 %s, %z\n" ADDRESS, "or i32 %s, %z"},
      {"%z = and i32 %b, 7\nbr label %h\nh:\n%i = phi i32 [0, %0], [%n, %h]\n%r = or i32 %i, %z\n"
       "%n = add i32 %i, 8\n%c = icmp ult i32 %n, %a\nbr i1 %c, label %h, label %e\ne:\n" ADDRESS,
       "add nuw i32 %i, %z"},
      {"%z = and i32 %b, 7\nbr label %h\nh:\n%i = phi i32 [0, %0], [%n, %h]\n%r = or i32 %i, %z\n"
       "%n = add i32 %i, 4\n%c = icmp ult i32 %n, %a\nbr i1 %c, label %h, label %e\ne:\n" ADDRESS,
       "or i32 %i, %z"},
  };
  char *bytes = spelled("%s = shl i32 %a, 4\n%z = and i32 %b, 15\n%r = or i32 %s, %z\nret i32 %r");
  (void)state;
  assert_null(strstr(bytes, "add nuw")); /* no address */
  LLVMDisposeMessage(bytes);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *text = spelled(cases[i].body);
    if (!text || !strstr(text, cases[i].there))
      fail_msg("%s became %s", cases[i].body, text ? text : "nothing");
    LLVMDisposeMessage(text);
  }
}

/* Loads, and a test behind them that leaves the function. */
#define TEST(of)                                                                                        \
  "%v = load i8, i8* %p\n%k = zext i8 %v to i32\n%c = icmp ult i32 " of ", 9\nbr i1 %c, label %on, label %out\n" \
  "on:\n%q = getelementptr i8, i8* %p, i32 %b\n%w = load i8, i8* %q\n%s = mul i8 %v, %w\n"                \
  "store i8 %s, i8* %p\nret i32 1\nout:\nret i32 0"

static void loads_stand_behind_tests(void **state) {
  char *known = after(merged, TEST("%a")), *loaded = after(merged, TEST("%k"));
  (void)state;
  assert_non_null(known);
  assert_true(strstr(known, "load i8") > strstr(known, "br i1")); /* decided when the kernel starts */
  assert_non_null(loaded);
  assert_true(strstr(loaded, "load i8") < strstr(loaded, "br i1")); /* by what is loaded */
  LLVMDisposeMessage(known);
  LLVMDisposeMessage(loaded);
}

/* A number that needs some arithmetic in one case only, beside a load in the other. */
#define SIDE(more)                                                                                          \
  "%c = icmp ult i32 %a, 9\nbr i1 %c, label %load, label %sum\nload:\n%q = getelementptr i8, i8* %p, i32 %a\n" \
  "%v = load i8, i8* %q\n%w = zext i8 %v to i32\nbr label %end\nsum:\n%d = icmp eq i32 %a, %b\n"            \
  "br i1 %d, label %end, label %more\nmore:\n" more "\n%x2 = mul i32 %x1, %b\n%x3 = xor i32 %x2, %a\nbr label %end\n" \
  "end:\n%r = phi i32 [%w, %load], [128, %sum], [%x3, %more]\nret i32 %r"

static void short_branches_become_selects(void **state) {
  char *brief = after(ll_clean_up, SIDE("%x1 = add i32 %a, 77"));
  char *dear = after(ll_clean_up, SIDE("%x1 = udiv i32 %a, %b"));
  (void)state;
  assert_int_equal(count(brief, "br i1"), 1);
  assert_int_equal(count(dear, "br i1"), 2);
  LLVMDisposeMessage(brief);
  LLVMDisposeMessage(dear);
}

/* A sum over memory with a step. */
#define STRIDE(range, work)                                                                                  \
  "%g = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()" range "\n%step = zext i32 %g to i64\n%n = zext i32 %b to i64\n" \
  "%i0 = zext i32 %a to i64\n%z = icmp ult i64 %i0, %n\nbr i1 %z, label %h, label %e\nh:\n"               \
  "%i = phi i64 [%i0, %0], [%j, %h]\n%t = phi i8 [0, %0], [%u, %h]\n%q = getelementptr i8, i8* %p, i64 %i\n" \
  "%v = load i8, i8* %q\n%u = add i8 %t, %v\n" work "\n%j = add i64 %i, %step\n%c = icmp ult i64 %j, %n\n" \
  "br i1 %c, label %h, label %e\ne:\n%w = phi i8 [0, %0], [%u, %h]\n%r = zext i8 %w to i32\nret i32 %r\n}\n" \
  "!0 = !{i32 1, i32 2147483647}\ndefine void @k() {\nret void"

static void strides_take_four_at_a_time(void **state) {
  static const struct {
    const char *body;
    unsigned loads;
  } cases[] = {
      {STRIDE(", !range !0", ""), 5},
      {STRIDE(", !range !0", "store i8 %v, i8* %p"), 1},
      {STRIDE(", !range !0", "call void @g(i8* %p)"), 1},
  };
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *text = after(ll_clean_up, cases[i].body);
    if (!text || count(text, "load i8") != cases[i].loads)
      fail_msg("%s became %s", cases[i].body, text ? text : "nothing");
    LLVMDisposeMessage(text);
  }
}

#define ATOMIC(address)                                                                                    \
  "%i = zext i32 %a to i64\n" address "\n%c = bitcast i32* %e to i8*\n%r = call i32 asm sideeffect "       \
  "\"atom.relaxed.cta.add.u32 $0, [$1], $2;\", \"=r,l,r,~{memory}\"(i8* %c, i32 %b)\nret i32 %r"

static void atomics_name_shared_memory(void **state) {
  char *shared = after(ll_clean_up, ATOMIC("%e = getelementptr inbounds [8 x i32], [8 x i32]* addrspacecast "
                                           "([8 x i32] addrspace(3)* @s to [8 x i32]*), i64 0, i64 %i"));
  char *any = after(ll_clean_up, ATOMIC("%q = bitcast i8* %p to i32*\n%e = getelementptr i32, i32* %q, i64 %i"));
  (void)state;
  assert_non_null(strstr(shared, "\"atom.relaxed.cta.shared.add.u32 $0, [$1], $2;\", \"=r,l,r,~{memory}\""));
  assert_non_null(strstr(any, "\"atom.relaxed.cta.add.u32 $0"));
  LLVMDisposeMessage(shared);
  LLVMDisposeMessage(any);
}

static bool settled(struct ll *l) {
  bool ok = ll_clean_up(l);
  ll_settle_globals(l);
  return ok;
}

static void what_is_known_of_constants_and_pointers_is_used(void **state) {
  static const struct {
    const char *body, *there;
  } cases[] = {
      {"%e = getelementptr [4 x i32], [4 x i32]* @t, i32 0, i32 3\n%r = load i32, i32* %e\nret i32 %r", "ret i32 7"},
      {"%e = getelementptr [4 x i32], [4 x i32]* @t, i32 0, i32 %a\n%r = load i32, i32* %e\nret i32 %r",
       "@t = internal addrspace(1) constant"},
      {"%c = icmp ult i32 %a, 9\n%n = call nonnull i8* @llvm.strip.invariant.group.p0i8(i8* %p)\n"
       "%o = select i1 %c, i8* %n, i8* null\n%z = icmp eq i8* %o, null\n%r = zext i1 %z to i32\nret i32 %r",
       "icmp ugt i32 %a, 8"},
  };
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *text = after(settled, cases[i].body);
    if (!text || !strstr(text, cases[i].there) || strstr(text, "invariant"))
      fail_msg("%s became %s", cases[i].body, text ? text : "nothing");
    LLVMDisposeMessage(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newer_words_get_older_ones),
      cmocka_unit_test(what_has_no_older_word_is_told),
      cmocka_unit_test(checks_between_loads_become_one),
      cmocka_unit_test(loops_over_small_arrays_are_unrolled),
      cmocka_unit_test(sums_stay_sums),
      cmocka_unit_test(loads_stand_behind_tests),
      cmocka_unit_test(short_branches_become_selects),
      cmocka_unit_test(strides_take_four_at_a_time),
      cmocka_unit_test(atomics_name_shared_memory),
      cmocka_unit_test(what_is_known_of_constants_and_pointers_is_used),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
