/* Files and processes, and that failures leave things as they were. */
#include "test/unit/unit.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/fs.h"
#include "base/proc.h"

struct place {
  struct test_sink t;
  struct arena arena;
  char *dir;
};

static int set_up(void **state) {
  struct place *p = calloc(1, sizeof *p);
  test_sink_init(&p->t);
  p->dir = fs_temp_dir(&p->t.sink, &p->arena);
  *state = p;
  return p->dir ? 0 : -1;
}

static int tear_down(void **state) {
  struct place *p = *state;
  bool ok = fs_remove_tree(&p->t.sink, p->dir);
  arena_free(&p->arena);
  test_sink_free(&p->t);
  free(p);
  return ok ? 0 : -1;
}

static str content(struct place *p, const char *path) {
  struct bytes b;
  assert_int_equal(fs_try_read(path, 0, &b), 0);
  str s = arena_str(&p->arena, (str){(const char *)b.p, b.n});
  bytes_free(&b);
  return s;
}

static void a_file_is_written_whole_and_read_back(void **state) {
  struct place *p = *state;
  char *path = path_join(&p->arena, p->dir, "a");
  assert_true(fs_write_atomic(&p->t.sink, path, STR("one")));
  assert_true(fs_write_atomic(&p->t.sink, path, STR("two")));
  assert_str(content(p, path), "two");
  str *names;
  size_t n;
  assert_true(fs_list(&p->arena, p->dir, &names, &n));
  assert_int_equal(n, 1);
}

static void what_is_no_regular_file_is_refused(void **state) {
  struct place *p = *state;
  struct bytes b;
  assert_false(fs_read(&p->t.sink, p->dir, 0, &b));
  assert_int_equal(sink_code(&p->t), MD0002);
  char *fifo = path_join(&p->arena, p->dir, "fifo");
  assert_int_equal(mkfifo(fifo, 0600), 0);
  assert_false(fs_read(&p->t.sink, fifo, 0, &b));
  assert_int_equal(p->t.sink.first->next->code, MD0002);
  assert_false(fs_read(&p->t.sink, "/dev/null", 0, &b));
  assert_false(fs_read(&p->t.sink, path_join(&p->arena, p->dir, "none"), 0, &b));
  assert_int_equal(p->t.sink.first->next->next->next->code, MD0001);
}

static void a_file_over_the_limit_is_refused(void **state) {
  struct place *p = *state;
  char *path = path_join(&p->arena, p->dir, "big");
  assert_true(fs_write_atomic(&p->t.sink, path, STR("0123456789")));
  struct bytes b;
  assert_false(fs_read(&p->t.sink, path, 9, &b));
  assert_int_equal(sink_code(&p->t), MD0003);
  assert_true(fs_read(&p->t.sink, path, 10, &b));
  assert_int_equal(b.n, 10);
  bytes_free(&b);
}

static void a_staged_set_that_is_not_published_leaves_no_trace(void **state) {
  struct place *p = *state;
  char *a = path_join(&p->arena, p->dir, "a"), *b = path_join(&p->arena, p->dir, "b");
  assert_true(fs_write_atomic(&p->t.sink, a, STR("old")));
  struct fs_stage *st = fs_stage_new();
  assert_true(fs_stage_file(st, &p->t.sink, a, STR("new")));
  assert_true(fs_stage_file(st, &p->t.sink, b, STR("new")));
  fs_stage_free(st);
  assert_str(content(p, a), "old");
  assert_false(fs_exists(b));
  str *names;
  size_t n;
  assert_true(fs_list(&p->arena, p->dir, &names, &n));
  assert_int_equal(n, 1);
}

/* Runs in a child, so that the fault stays out of the other tests. */
static void fails_at(const char *fault, const char *path) {
  pid_t pid = fork();
  if (pid == 0) {
    fault_set(fault);
    struct test_sink t;
    test_sink_init(&t);
    bool ok = fs_write_atomic(&t.sink, path, STR("new"));
    _exit(ok ? 0 : sink_code(&t) == MD0004 ? 7 : 8);
  }
  int st = 0;
  assert_true(waitpid(pid, &st, 0) == pid);
  assert_int_equal(WEXITSTATUS(st), 7);
}

static void a_failed_write_sync_or_rename_keeps_the_old_file(void **state) {
  struct place *p = *state;
  char *path = path_join(&p->arena, p->dir, "a");
  assert_true(fs_write_atomic(&p->t.sink, path, STR("old")));
  static const char *const faults[] = {"write:1", "sync:1", "rename:1"};
  for (size_t i = 0; i < COUNT_OF(faults); i++) {
    fails_at(faults[i], path);
    assert_str(content(p, path), "old");
  }
  str *names;
  size_t n;
  assert_true(fs_list(&p->arena, p->dir, &names, &n));
  assert_int_equal(n, 1);
}

static void put(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

static size_t names_in(struct place *p, const char *dir) {
  str *names;
  size_t n;
  assert_true(fs_list(&p->arena, dir, &names, &n));
  return n;
}

static void a_set_whose_last_rename_fails_is_taken_back_whole(void **state) {
  struct place *p = *state;
  char *a = path_join(&p->arena, p->dir, "a"), *b = path_join(&p->arena, p->dir, "b"),
       *c = path_join(&p->arena, p->dir, "c");
  assert_true(fs_write_atomic(&p->t.sink, a, STR("old a")));
  assert_true(fs_write_atomic(&p->t.sink, c, STR("old c")));
  struct fs_stage *st = fs_stage_new();
  assert_true(fs_stage_file(st, &p->t.sink, a, STR("new")));
  assert_true(fs_stage_file(st, &p->t.sink, b, STR("new")));
  assert_true(fs_stage_file(st, &p->t.sink, c, STR("new")));
  fault_set("rename:3");
  assert_false(fs_publish(st, &p->t.sink));
  fault_set(NULL);
  fs_stage_free(st);
  assert_int_equal(sink_code(&p->t), MD0004);
  assert_str(content(p, a), "old a");
  assert_str(content(p, c), "old c");
  assert_false(fs_exists(b));
  assert_int_equal(names_in(p, p->dir), 2);
}

static void what_a_killed_run_left_is_removed_by_the_next(void **state) {
  struct place *p = *state;
  static const char *const names[] = {".mirdc-77-0.tmp", ".mirdc-4194304-12.tmp"};
  static const char *const others[] = {".mirdc-77.tmp", ".mirdc-7a-0.tmp", "mirdc-77-0.tmp",
                                       ".mirdc-77-0.tmp.bak", ".mirdc-.tmp"};
  for (size_t i = 0; i < COUNT_OF(names); i++)
    put(path_join(&p->arena, p->dir, names[i]), "half");
  for (size_t i = 0; i < COUNT_OF(others); i++)
    put(path_join(&p->arena, p->dir, others[i]), "mine");
  assert_true(fs_write_atomic(&p->t.sink, path_join(&p->arena, p->dir, "a"), STR("a")));
  for (size_t i = 0; i < COUNT_OF(names); i++)
    assert_false(fs_exists(path_join(&p->arena, p->dir, names[i])));
  for (size_t i = 0; i < COUNT_OF(others); i++)
    assert_true(fs_exists(path_join(&p->arena, p->dir, others[i])));
}

static void a_folder_that_another_run_keeps_locked_is_reported(void **state) {
  struct place *p = *state;
  char *a = path_join(&p->arena, p->dir, "a");
  fault_set("lock:1");
  assert_false(fs_write_atomic(&p->t.sink, a, STR("a")));
  fault_set(NULL);
  assert_int_equal(sink_code(&p->t), MD0007);
  assert_int_equal(names_in(p, p->dir), 0);
}

static void what_is_no_regular_file_is_not_replaced(void **state) {
  struct place *p = *state;
  char *fifo = path_join(&p->arena, p->dir, "fifo"), *link = path_join(&p->arena, p->dir, "link");
  assert_int_equal(mkfifo(fifo, 0600), 0);
  assert_int_equal(symlink("/dev/null", link), 0);
  const char *const paths[] = {fifo, link, p->dir};
  struct stat before, after;
  for (size_t i = 0; i < COUNT_OF(paths); i++) {
    assert_int_equal(lstat(paths[i], &before), 0);
    assert_false(fs_write_atomic(&p->t.sink, paths[i], STR("x")));
    assert_int_equal(lstat(paths[i], &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_mode == after.st_mode);
  }
  assert_int_equal(sink_code(&p->t), MD0004);
  assert_int_equal(p->t.sink.errors, 3);
  assert_int_equal(names_in(p, p->dir), 2);
}

static void a_stage_waits_for_the_one_before_it(void **state) {
  struct place *p = *state;
  char *a = path_join(&p->arena, p->dir, "a");
  int ready[2];
  assert_int_equal(pipe(ready), 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct test_sink t;
    test_sink_init(&t);
    struct fs_stage *st = fs_stage_new();
    bool ok = fs_stage_file(st, &t.sink, a, STR("first"));
    ok = write(ready[1], "x", 1) == 1 && ok;
    nanosleep(&(struct timespec){0, 100 * 1000000}, NULL);
    ok = ok && !fs_exists(a) && fs_publish(st, &t.sink);
    fs_stage_free(st);
    _exit(ok ? 0 : 1);
  }
  char x;
  assert_int_equal(read(ready[0], &x, 1), 1);
  assert_true(fs_write_atomic(&p->t.sink, a, STR("second")));
  assert_str(content(p, a), "second");
  int status = 0;
  assert_true(waitpid(pid, &status, 0) == pid);
  assert_int_equal(WEXITSTATUS(status), 0);
  close(ready[0]);
  close(ready[1]);
}

static void removing_a_tree_does_not_follow_links(void **state) {
  struct place *p = *state;
  char *kept = path_join(&p->arena, p->dir, "kept"), *gone = path_join(&p->arena, p->dir, "gone");
  char *deep = path_join(&p->arena, gone, "x/y");
  assert_true(fs_mkdirs(&p->t.sink, kept) && fs_mkdirs(&p->t.sink, deep));
  assert_true(fs_write_atomic(&p->t.sink, path_join(&p->arena, kept, "f"), STR("f")));
  assert_int_equal(symlink(kept, path_join(&p->arena, deep, "link")), 0);
  assert_true(fs_remove_tree(&p->t.sink, gone));
  assert_false(fs_exists(gone));
  assert_true(fs_exists(path_join(&p->arena, kept, "f")));
}

static void paths_are_taken_apart(void **state) {
  struct place *p = *state;
  assert_str(path_base(STR("a/b.pmir.json")), "b.pmir.json");
  assert_str(path_dir(STR("a/b")), "a");
  assert_str(path_dir(STR("b")), ".");
  assert_str(path_dir(STR("/b")), "/");
  assert_str(path_stem(STR("a/b.tar.gz")), "b.tar");
  assert_str(path_stem(STR(".hidden")), ".hidden");
  assert_string_equal(path_join(&p->arena, "a/", "b"), "a/b");
  assert_string_equal(path_join(&p->arena, "a", "/b"), "/b");
}

static void a_process_gets_its_arguments_input_and_environment(void **state) {
  struct place *p = *state;
  struct proc_cmd c;
  struct proc_result r;
  proc_init(&c, &p->arena, "sh");
  proc_arg(&c, "-c");
  proc_arg(&c, "cat; echo \"$1|$A|$B\"; echo err >&2; exit 3");
  proc_arg(&c, "sh");
  proc_arg(&c, "a b;'c'");
  setenv("B", "gone", 1);
  proc_env(&c, "A", "1");
  proc_env(&c, "A", "2");
  proc_env(&c, "B", NULL);
  c.stdin_text = STR("in\n");
  assert_true(proc_run(&p->t.sink, &c, &r));
  assert_int_equal(r.status, 3);
  assert_string_equal(sb_z(&r.out), "in\na b;'c'|2|\n");
  assert_string_equal(sb_z(&r.err), "err\n");
  proc_result_free(&r);
  struct strbuf b = {0};
  proc_show(&c, &b);
  assert_non_null(strstr(sb_z(&b), "'a b;'\\''c'\\'''"));
  sb_free(&b);
}

static void much_output_on_both_pipes_does_not_block(void **state) {
  struct place *p = *state;
  struct proc_cmd c;
  struct proc_result r;
  proc_init(&c, &p->arena, "sh");
  proc_arg(&c, "-c");
  proc_arg(&c, "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; kill -9 $$");
  assert_true(proc_run(&p->t.sink, &c, &r));
  assert_true(r.signaled);
  assert_int_equal(r.status, 128 + 9);
  assert_int_equal(r.out.n, 300000);
  assert_int_equal(r.err.n, 300000);
  proc_result_free(&r);
}

static void a_program_that_is_not_there_is_reported(void **state) {
  struct place *p = *state;
  struct proc_cmd c;
  struct proc_result r;
  proc_init(&c, &p->arena, "no-such-program-here");
  assert_false(proc_run(&p->t.sink, &c, &r));
  assert_int_equal(sink_code(&p->t), MD0006);
  assert_null(proc_find(&p->arena, "no-such-program-here"));
}

static void folders_and_locks_that_cannot_be_made_are_reported(void **state) {
  struct place *p = *state;
  char *file = path_join(&p->arena, p->dir, "file");
  assert_true(fs_write_atomic(&p->t.sink, file, STR("x")));
  assert_false(fs_mkdirs(&p->t.sink, path_join(&p->arena, file, "sub")));
  assert_int_equal(sink_code(&p->t), MD0005);
  assert_int_equal(fs_lock(&p->t.sink, path_join(&p->arena, file, "lock")), -1);
  assert_int_equal(p->t.sink.first->next->code, MD0007);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_file_is_written_whole_and_read_back),
      TEST(what_is_no_regular_file_is_refused),
      TEST(a_file_over_the_limit_is_refused),
      TEST(a_staged_set_that_is_not_published_leaves_no_trace),
      TEST(a_failed_write_sync_or_rename_keeps_the_old_file),
      TEST(a_set_whose_last_rename_fails_is_taken_back_whole),
      TEST(what_a_killed_run_left_is_removed_by_the_next),
      TEST(a_folder_that_another_run_keeps_locked_is_reported),
      TEST(what_is_no_regular_file_is_not_replaced),
      TEST(a_stage_waits_for_the_one_before_it),
      TEST(removing_a_tree_does_not_follow_links),
      TEST(paths_are_taken_apart),
      TEST(a_process_gets_its_arguments_input_and_environment),
      TEST(much_output_on_both_pipes_does_not_block),
      TEST(a_program_that_is_not_there_is_reported),
      TEST(folders_and_locks_that_cannot_be_made_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
