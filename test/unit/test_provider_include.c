/* Headers that are found, read, renamed and hashed. */
#include "unit.h"

#include "base/fs.h"
#include "callbacks/include_scan.h"

struct tree {
  struct test_sink t;
  struct arena a;
  char *dir;
  struct include_root roots[3];
  struct include_set set;
};

static void put(struct tree *x, const char *path, const char *text) {
  char *file = path_join(&x->a, x->dir, path);
  assert_true(fs_mkdirs(&x->t.sink, arena_strz(&x->a, path_dir(str_from(file)))));
  assert_true(fs_write_atomic(&x->t.sink, file, str_from(text)));
}

static void plant(struct tree *x) {
  *x = (struct tree){0};
  test_sink_init(&x->t);
  x->dir = fs_temp_dir(&x->t.sink, &x->a);
  assert_non_null(x->dir);
  x->roots[0] = (struct include_root){path_join(&x->a, x->dir, "own"), STR("@own"), true};
  x->roots[1] = (struct include_root){path_join(&x->a, x->dir, "one"), STR_NULL, false};
  x->roots[2] = (struct include_root){path_join(&x->a, x->dir, "two"), STR_NULL, false};
  include_set_init(&x->set, x->roots, 3);
}

static void clear(struct tree *x) {
  include_set_free(&x->set);
  assert_true(fs_remove_tree(&x->t.sink, x->dir));
  arena_free(&x->a);
  test_sink_free(&x->t);
}

static const struct include_file *file_named(struct tree *x, const char *name) {
  for (size_t i = 0; i < x->set.files.n; i++)
    if (str_eqz(x->set.files.p[i].name, name))
      return &x->set.files.p[i];
  fail_msg("there is no file `%s`", name);
  return NULL;
}

static void names_follow_the_order_of_roots(void **state) {
  (void)state;
  struct tree x;
  size_t main;
  plant(&x);
  put(&x, "own/t.cu", "#include <lib/a.h>\n  #  include /* why */ \"sub/b.h\"\n#include <nowhere>\n"
                      "// #include <no>\nint x; // #include <no>\n#if __has_include(<lib/q.h>)\n#endif\n");
  put(&x, "own/sub/b.h", "#include \"c.h\"\n#include \"../d.h\"\n");
  put(&x, "own/sub/c.h", "1");
  put(&x, "own/d.h", "2");
  put(&x, "one/lib/a.h", "#include \"e.h\"\n");
  put(&x, "one/lib/e.h", "3");
  put(&x, "two/lib/a.h", "4");
  put(&x, "two/lib/q.h", "#include \"e.h\"\n#include \"a.h\"\n");
  put(&x, "two/no", "5");
  assert_true(include_set_add(&x.t.sink, &x.set, STR("t.cu"), &main));
  assert_str(x.set.files.p[main].name, "@own/t.cu");
  assert_int_equal(x.set.files.n, 8);
  const struct include_file *t = file_named(&x, "@own/t.cu"), *b = file_named(&x, "@own/sub/b.h");
  assert_non_null(strstr(t->text.p, "#include <lib/a.h>\n  #  include /* why */ \"@own/sub/b.h\"\n#include <nowhere>"));
  assert_str(b->text, "#include \"@own/sub/c.h\"\n#include \"@own/d.h\"\n");
  /* Beside the file comes first, so the second root's own `a.h` is not the one that programs name. */
  assert_str(file_named(&x, "lib/q.h")->text, "#include \"e.h\"\n#include \"2/lib/a.h\"\n");
  assert_str(file_named(&x, "lib/a.h")->text, "#include \"lib/e.h\"\n");
  assert_str(file_named(&x, "2/lib/a.h")->text, "4");
  clear(&x);
}

static void a_closure_is_what_is_reached(void **state) {
  (void)state;
  struct tree x;
  size_t first, second;
  struct include_closure a, b, again;
  plant(&x);
  put(&x, "own/t.cu", "#include <a.h>\n");
  put(&x, "own/u.cu", "#include <b.h>\n");
  put(&x, "one/a.h", "#include <c.h>\n");
  put(&x, "one/b.h", "#include <c.h>\n#include <b.h>\n");
  put(&x, "one/c.h", "0");
  assert_true(include_set_add(&x.t.sink, &x.set, STR("t.cu"), &first));
  include_set_close(&x.set, &first, 1, &x.a, &a);
  assert_true(include_set_add(&x.t.sink, &x.set, STR("u.cu"), &second));
  include_set_close(&x.set, &first, 1, &x.a, &again);
  include_set_close(&x.set, &second, 1, &x.a, &b);
  assert_int_equal(a.n, 3);
  assert_true(digest_eq(&a.digest, &again.digest) && !digest_eq(&a.digest, &b.digest));
  assert_str(a.files[0]->name, "@own/t.cu");
  assert_str(a.files[1]->name, "a.h");
  assert_str(a.files[2]->name, "c.h");
  clear(&x);
}

static void a_byte_in_a_far_header_changes_the_digest(void **state) {
  (void)state;
  struct digest d[2];
  for (int i = 0; i < 2; i++) {
    struct tree x;
    size_t first;
    struct include_closure c;
    plant(&x);
    put(&x, "own/t.cu", "#include <a.h>\n");
    put(&x, "one/a.h", "#include \"c.h\"\n");
    put(&x, "one/c.h", i ? "1" : "0");
    assert_true(include_set_add(&x.t.sink, &x.set, STR("t.cu"), &first));
    include_set_close(&x.set, &first, 1, &x.a, &c);
    d[i] = c.digest;
    clear(&x);
  }
  assert_false(digest_eq(&d[0], &d[1]));
}

static void includes_that_could_be_anything_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } rows[] = {{"#include NAME\n", "does not name a file"},
              {"#include \"/etc/passwd\"\n", "is an absolute path"},
              {"#include </etc/passwd>\n", "is an absolute path"}};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    struct tree x;
    size_t first;
    plant(&x);
    put(&x, "own/t.cu", rows[i].text);
    assert_false(include_set_add(&x.t.sink, &x.set, STR("t.cu"), &first));
    assert_int_equal(sink_code(&x.t), MD0710);
    assert_true(str_find(x.t.sink.first->message, str_from(rows[i].message), 0) != SIZE_MAX);
    clear(&x);
  }
}

static void macros_name_headers_of_others(void **state) {
  (void)state;
  struct tree x;
  size_t first;
  plant(&x);
  put(&x, "own/t.cu", "#include <a.h>\n");
  put(&x, "one/a.h", "#include NAME\n");
  assert_true(include_set_add(&x.t.sink, &x.set, STR("t.cu"), &first));
  assert_int_equal(x.set.files.n, 2);
  clear(&x);
}

static void nothing_leads_out_of_a_root(void **state) {
  (void)state;
  struct tree x;
  size_t first;
  plant(&x);
  put(&x, "own/t.cu", "#include \"../one/a.h\"\n#include \"sub/../../one/a.h\"\n");
  put(&x, "one/a.h", "0");
  assert_true(include_set_add(&x.t.sink, &x.set, STR("t.cu"), &first));
  assert_int_equal(x.set.files.n, 1);
  clear(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_follow_the_order_of_roots),
      cmocka_unit_test(a_closure_is_what_is_reached),
      cmocka_unit_test(a_byte_in_a_far_header_changes_the_digest),
      cmocka_unit_test(includes_that_could_be_anything_are_refused),
      cmocka_unit_test(macros_name_headers_of_others),
      cmocka_unit_test(nothing_leads_out_of_a_root),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
