/* Constants that the host's LLVM IR copies, by the place of the copy. */
#include "unit.h"

#include "cargo-integration/rustc/di_copy.h"

static const char IR[] =
    "\n@a.0 = private unnamed_addr constant [4 x i8] c\"\\01\\22Az\", align 1\n"
    "@a.1 = private unnamed_addr constant <{ [4 x i8] }> <{ [4 x i8] c\"\\00\\00\\FF\\09\" }>, "
    "align 4\n"
    "@a.2 = private unnamed_addr constant <{ [2 x i8], [2 x i8] }> <{ [2 x i8] c\"\\00\\00\", "
    "[2 x i8] undef }>, align 4\n"
    "  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %_1, ptr align 1 @a.0, i64 4, i1 false), !dbg "
    "!1\n"
    "  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %_2, ptr align 1 @a.1, i64 4, i1 false), !dbg "
    "!2\n"
    "  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %_3, ptr align 1 @a.2, i64 4, i1 false), !dbg "
    "!3\n"
    "  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %_4, ptr align 1 @a.0, i64 4, i1 false), !dbg "
    "!4\n"
    "  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %_5, ptr align 1 @a.1, i64 4, i1 false), !dbg "
    "!4\n"
    "  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %_5, ptr align 1 %_6, i64 4, i1 false), !dbg "
    "!5\n"
    "  %7 = getelementptr inbounds nuw i8, ptr @a.1, i64 %_97, !dbg !5\n"
    "!1 = !DILocation(line: 1, column: 2, scope: !8)\n"
    "!2 = !DILocation(line: 2, column: 2, scope: !8, inlinedAt: !1)\n"
    "!3 = !DILocation(line: 3, column: 2, scope: !8)\n"
    "!4 = !DILocation(line: 4, column: 2, scope: !8)\n"
    "!5 = !DILocation(line: 5, column: 2, scope: !8)\n"
    "!8 = distinct !DISubprogram(name: \"f\", scope: !9, file: !9, line: 1)\n"
    "!9 = !DIFile(filename: \"library/core/src/x.rs\", directory: \"/rustc/1\")\n";

static bool ask(uint32_t line, uint32_t col, const char *file, uint64_t size, bool element,
                uint8_t *out) {
  struct arena a = {0};
  struct di_copy at = {
      .file = str_from(file), .line = line, .col = col, .size = size, .element = element};
  bool ok = di_copied_bytes(&a, str_from(IR), &at, out);
  arena_free(&a);
  return ok;
}

static void a_constant_is_found_by_the_place_that_copies_it(void **state) {
  (void)state;
  static const char FILE_NAME[] = "/rustc/1/library/core/src/x.rs";
  uint8_t b[4];
  assert_true(ask(1, 2, FILE_NAME, 4, false, b));
  assert_memory_equal(b, "\x01\"Az", 4);
  assert_true(ask(2, 2, FILE_NAME, 4, false, b));
  assert_memory_equal(b, "\0\0\xff\x09", 4);
  assert_true(ask(5, 2, FILE_NAME, 4, true, b));
  assert_memory_equal(b, "\0\0\xff\x09", 4);
}

static void what_is_not_certain_is_no_answer(void **state) {
  (void)state;
  static const char FILE_NAME[] = "/rustc/1/library/core/src/x.rs";
  uint8_t b[8];
  assert_false(ask(3, 2, FILE_NAME, 4, false, b));                       /* padding */
  assert_false(ask(4, 2, FILE_NAME, 4, false, b));                       /* two that differ */
  assert_false(ask(5, 2, FILE_NAME, 4, false, b));                       /* no constant */
  assert_false(ask(1, 3, FILE_NAME, 4, false, b));                       /* another column */
  assert_false(ask(1, 2, FILE_NAME, 8, false, b));                       /* another size */
  assert_false(ask(5, 2, FILE_NAME, 8, true, b));                        /* another size */
  assert_false(ask(1, 2, FILE_NAME, 4, true, b));                        /* copied whole */
  assert_false(ask(1, 2, "/rustc/1/library/std/src/x.rs", 4, false, b)); /* another file */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constant_is_found_by_the_place_that_copies_it),
      cmocka_unit_test(what_is_not_certain_is_no_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
