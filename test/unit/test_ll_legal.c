/* What LLVM's passes make that libNVVM's older reader does not know, and its older spelling. */
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

/* Spells a function with this body; its text, or NULL where it has no spelling. */
static char *spelled(const char *body) {
  static const char form[] =
      "declare i32 @llvm.umin.i32(i32, i32)\ndeclare i32 @llvm.smax.i32(i32, i32)\n"
      "declare i32 @llvm.abs.i32(i32, i1)\ndeclare i32 @llvm.usub.sat.i32(i32, i32)\n"
      "declare i32 @llvm.fshl.i32(i32, i32, i32)\ndeclare i32 @llvm.ctpop.i32(i32)\n"
      "declare i32 @llvm.sshl.sat.i32(i32, i32)\ndeclare void @llvm.lifetime.start.p0i8(i64, i8*)\n"
      "declare void @g(i8*)\n"
      "define i32 @f(i32 %%a, i32 %%b, float %%x, i8* %%p) {\n%s\n}\n";
  struct strbuf text = {0};
  struct lower_options o = {0};
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
  l.i128 = LLVMInt128TypeInContext(l.cx);
  if (ll_legalise(&l)) {
    assert_false(LLVMVerifyModule(l.mod, LLVMReturnStatusAction, NULL));
    out = LLVMPrintModuleToString(l.mod);
  }
  LLVMDisposeBuilder(l.b);
  LLVMDisposeModule(l.mod);
  LLVMContextDispose(l.cx);
  sb_free(&text);
  return out;
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
      "%v = zext i32 %a to i72\n%r = trunc i72 %v to i32\nret i32 %r",
  };
  (void)state;
  for (size_t i = 0; i < COUNT_OF(cases); i++)
    assert_null(spelled(cases[i]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newer_words_get_older_ones),
      cmocka_unit_test(what_has_no_older_word_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
