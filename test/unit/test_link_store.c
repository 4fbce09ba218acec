/* The store: what goes in comes out, damage is a miss, and no failure is an error. */
#include "link_helpers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fatal.h"

struct env {
  struct arena arena;
  struct diag_sink sink;
  char *dir;
  struct store *st;
};

static void setup(struct env *e) {
  *e = (struct env){0};
  diag_sink_init(&e->sink, NULL);
  e->dir = fs_temp_dir(&e->sink, &e->arena);
  assert_non_null(e->dir);
  e->st = store_open(&e->sink, e->dir);
  assert_null(e->sink.first);
}

static void teardown(struct env *e) {
  store_close(e->st);
  assert_true(fs_remove_tree(&e->sink, e->dir));
  diag_sink_free(&e->sink);
  arena_free(&e->arena);
}

static char *object_path(struct env *e, const char *kind, const struct digest *d) {
  char hex[65];
  digest_hex(d, hex);
  str path = arena_printf(&e->arena, "%s/v1/%s/%.2s/%s", e->dir, kind, hex, hex + 2);
  return arena_strz(&e->arena, path);
}

/* Replaces a file's content without a rename, as a broken disk would. */
static void overwrite(const char *path, str text) {
  int fd = open(path, O_WRONLY | O_TRUNC);
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text.p, text.n), (ssize_t)text.n);
  close(fd);
}

static void bytes_come_back_under_their_digest(void **state) {
  (void)state;
  struct env e;
  struct digest d, expected = hash_of("hello", 5);
  struct bytes b;
  setup(&e);
  assert_true(store_put(e.st, STR("hello"), &d));
  assert_true(digest_eq(&d, &expected));
  assert_true(store_put(e.st, STR("hello"), &d));
  assert_true(store_get(e.st, &d, &b));
  assert_int_equal(b.n, 5);
  assert_memory_equal(b.p, "hello", 5);
  bytes_free(&b);
  d.b[0] ^= 1;
  assert_false(store_get(e.st, &d, &b));
  assert_null(b.p);
  teardown(&e);
}

static void any_damage_is_a_miss_and_heals(void **state) {
  (void)state;
  static const str damages[] = {{"", 0}, {"hellp", 5}, {"hell", 4}, {"hello\0", 6}};
  for (size_t i = 0; i < COUNT_OF(damages); i++) {
    struct env e;
    struct digest d;
    struct bytes b;
    setup(&e);
    assert_true(store_put(e.st, STR("hello"), &d));
    overwrite(object_path(&e, "obj", &d), damages[i]);
    assert_false(store_get(e.st, &d, &b));
    assert_true(store_put(e.st, STR("hello"), &d));
    assert_true(store_get(e.st, &d, &b));
    bytes_free(&b);
    /* Put, too, replaces what is damaged. */
    overwrite(object_path(&e, "obj", &d), damages[i]);
    assert_true(store_put(e.st, STR("hello"), &d));
    assert_true(store_get(e.st, &d, &b));
    bytes_free(&b);
    teardown(&e);
  }
}

static void an_action_keeps_its_outputs_in_order(void **state) {
  (void)state;
  struct env e;
  struct digest key = hash_of("key", 3), other = hash_of("other", 5);
  struct store_output in[2] = {{STR("cubin"), hash_of("a", 1), 1},
                               {STR("ltoir.2"), hash_of("b", 1), 7}};
  struct store_output *out;
  size_t n;
  setup(&e);
  assert_false(store_get_action(e.st, &e.arena, &key, &out, &n));
  assert_true(store_put_action(e.st, &key, in, 2));
  assert_true(store_get_action(e.st, &e.arena, &key, &out, &n));
  assert_int_equal(n, 2);
  assert_true(str_eqz(out[0].tag, "cubin"));
  assert_true(str_eqz(out[1].tag, "ltoir.2"));
  assert_int_equal(out[1].size, 7);
  assert_true(digest_eq(&out[1].digest, &in[1].digest));
  assert_false(store_get_action(e.st, &e.arena, &other, &out, &n));
  /* An action's file under another key's name is no answer. */
  struct digest d = other;
  assert_true(store_put_action(e.st, &other, in, 1));
  assert_int_equal(rename(object_path(&e, "act", &key), object_path(&e, "act", &d)), 0);
  assert_false(store_get_action(e.st, &e.arena, &other, &out, &n));
  teardown(&e);
}

static void an_action_whose_bytes_are_gone_is_a_miss(void **state) {
  (void)state;
  struct env e;
  struct digest key = hash_of("key", 3), d = hash_of("bytes", 5);
  struct bytes b;
  setup(&e);
  assert_true(store_put_output(e.st, &key, STR("cubin"), STR("bytes")));
  assert_true(store_get_output(e.st, &key, STR("cubin"), &b));
  assert_memory_equal(b.p, "bytes", 5);
  bytes_free(&b);
  assert_false(store_get_output(e.st, &key, STR("ltoir"), &b));
  assert_int_equal(unlink(object_path(&e, "obj", &d)), 0);
  assert_false(store_get_output(e.st, &key, STR("cubin"), &b));
  teardown(&e);
}

static void each_cut_and_flip_of_an_action_is_a_miss(void **state) {
  (void)state;
  struct env e;
  struct digest key = hash_of("key", 3);
  struct store_output in = {STR("cubin"), hash_of("a", 1), 1}, *out;
  struct bytes whole;
  size_t n;
  setup(&e);
  assert_true(store_put_action(e.st, &key, &in, 1));
  char *path = object_path(&e, "act", &key);
  assert_int_equal(fs_try_read(path, 0, &whole), 0);
  for (size_t i = 0; i < whole.n; i++) {
    assert_true(store_put_action(e.st, &key, &in, 1));
    overwrite(path, (str){(char *)whole.p, i});
    assert_false(store_get_action(e.st, &e.arena, &key, &out, &n));
    assert_true(store_put_action(e.st, &key, &in, 1));
    whole.p[i] ^= 4;
    overwrite(path, (str){(char *)whole.p, whole.n});
    assert_false(store_get_action(e.st, &e.arena, &key, &out, &n));
    whole.p[i] ^= 4;
  }
  bytes_free(&whole);
  teardown(&e);
}

static void without_a_usable_folder_all_is_a_miss(void **state) {
  (void)state;
  struct diag_sink s;
  struct digest d, key = hash_of("k", 1);
  struct bytes b;
  diag_sink_init(&s, NULL);
  struct store *st = store_open(&s, "/proc/no/such");
  assert_int_equal(s.first->code, MD0450);
  assert_int_equal(s.errors, 0);
  struct store *none[2] = {st, NULL};
  for (size_t i = 0; i < 2; i++) {
    assert_false(store_put(none[i], STR("x"), &d));
    assert_true(d.b[0] == 0x2d); /* the digest is right all the same */
    assert_false(store_get(none[i], &d, &b));
    assert_false(store_put_output(none[i], &key, STR("a"), STR("x")));
    assert_false(store_get_output(none[i], &key, STR("a"), &b));
    assert_int_equal(store_file_digest(none[i], "/proc/self/exe", &d), 0);
  }
  store_close(st);
  diag_sink_free(&s);
}

/* In a child, so that the fault is not left behind for the other tests. */
static bool put_fails_cleanly(struct env *e, const char *fault) {
  struct digest d;
  struct bytes b;
  fault_set(fault);
  bool failed = !store_put(e->st, STR("x"), &d) && !store_get(e->st, &d, &b);
  return failed && store_put(e->st, STR("x"), &d) && store_get(e->st, &d, &b);
}

static void a_failed_write_leaves_nothing(void **state) {
  (void)state;
  static const char *const faults[] = {"write:1", "rename:1"};
  for (size_t i = 0; i < COUNT_OF(faults); i++) {
    struct env e;
    str *names;
    size_t n;
    int status;
    setup(&e);
    if (fork() == 0) {
      _exit(put_fails_cleanly(&e, faults[i]) ? 0 : 1);
    }
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
    /* One object, and no temporary beside it. */
    struct digest d = hash_of("x", 1);
    char *dir = object_path(&e, "obj", &d);
    *strrchr(dir, '/') = 0;
    assert_true(fs_list(&e.arena, dir, &names, &n));
    assert_int_equal(n, 1);
    teardown(&e);
  }
}

static void many_processes_write_the_same_things(void **state) {
  (void)state;
  struct env e;
  setup(&e);
  for (int child = 0; child < 4; child++) {
    if (fork() == 0) {
      bool ok = true;
      for (int i = 0; i < 200; i++) {
        char text[32];
        struct digest key = hash_of(&i, sizeof i);
        struct bytes b;
        snprintf(text, sizeof text, "object %d", i);
        ok = store_put_output(e.st, &key, STR("o"), str_from(text)) && ok;
        ok = store_get_output(e.st, &key, STR("o"), &b) && ok;
        bytes_free(&b);
      }
      _exit(ok ? 0 : 1);
    }
  }
  for (int child = 0; child < 4; child++) {
    int status;
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
  struct store_stats stats;
  assert_true(store_verify(&e.sink, e.st, &stats));
  assert_int_equal(stats.objects, 200);
  assert_int_equal(stats.actions, 200);
  assert_int_equal(stats.damaged, 0);
  teardown(&e);
}

static void a_files_digest_is_remembered_until_it_changes(void **state) {
  (void)state;
  struct env e;
  struct digest a, b, changed;
  struct store_stats stats;
  setup(&e);
  char *path = path_join(&e.arena, e.dir, "tool.so");
  struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
  assert_true(fs_write_atomic(&e.sink, path, STR("version 1")));
  assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
  assert_int_equal(store_file_digest(e.st, path, &a), 0);
  assert_true(store_stat(&e.sink, e.st, &stats));
  /* The file is younger than the clock's grain: its digest is not kept yet. */
  assert_int_equal(stats.memos, 0);
  assert_int_equal(store_file_digest(e.st, "/proc/self/exe", &b), 0);
  assert_int_equal(store_file_digest(e.st, "/bin/sh", &b), 0);
  assert_true(store_stat(&e.sink, e.st, &stats));
  assert_true(stats.memos >= 1);
  assert_int_equal(store_file_digest(e.st, "/bin/sh", &a), 0);
  assert_true(digest_eq(&a, &b));
  assert_int_equal(store_file_digest(e.st, path, &a), 0);
  assert_true(fs_write_atomic(&e.sink, path, STR("version 2")));
  assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
  assert_int_equal(store_file_digest(e.st, path, &changed), 0);
  assert_false(digest_eq(&a, &changed));
  assert_int_not_equal(store_file_digest(e.st, e.dir, &a), 0);
  assert_int_not_equal(store_file_digest(e.st, "/nonexistent", &a), 0);
  teardown(&e);
}

static void verify_gc_and_clear_do_what_they_say(void **state) {
  (void)state;
  struct env e;
  struct digest d[4];
  struct store_stats stats;
  struct bytes b;
  setup(&e);
  for (int i = 0; i < 4; i++) {
    char text[1000];
    memset(text, 'a' + i, sizeof text);
    assert_true(store_put(e.st, (str){text, sizeof text}, &d[i]));
    struct timespec t[2] = {{1000000000 + i, 0}, {1000000000 + i, 0}};
    assert_int_equal(utimensat(AT_FDCWD, object_path(&e, "obj", &d[i]), t, 0), 0);
  }
  /* The oldest is used again and must survive. */
  assert_true(store_get(e.st, &d[0], &b));
  bytes_free(&b);
  assert_true(store_gc(&e.sink, e.st, 2500, &stats));
  assert_int_equal(stats.removed, 2);
  assert_int_equal(stats.removed_bytes, 2000);
  assert_true(store_get(e.st, &d[0], &b));
  bytes_free(&b);
  assert_false(store_get(e.st, &d[1], &b));
  overwrite(object_path(&e, "obj", &d[3]), STR("damaged"));
  assert_true(store_verify(&e.sink, e.st, &stats));
  assert_int_equal(stats.damaged, 1);
  assert_true(store_clear(&e.sink, e.st, &stats));
  assert_int_equal(stats.removed, 1);
  assert_true(store_stat(&e.sink, e.st, &stats));
  assert_int_equal(stats.objects, 0);
  teardown(&e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_come_back_under_their_digest),
      cmocka_unit_test(any_damage_is_a_miss_and_heals),
      cmocka_unit_test(an_action_keeps_its_outputs_in_order),
      cmocka_unit_test(an_action_whose_bytes_are_gone_is_a_miss),
      cmocka_unit_test(each_cut_and_flip_of_an_action_is_a_miss),
      cmocka_unit_test(without_a_usable_folder_all_is_a_miss),
      cmocka_unit_test(a_failed_write_leaves_nothing),
      cmocka_unit_test(many_processes_write_the_same_things),
      cmocka_unit_test(a_files_digest_is_remembered_until_it_changes),
      cmocka_unit_test(verify_gc_and_clear_do_what_they_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
