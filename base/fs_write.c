/* Writing so that nothing is ever half there: temporary name, sync, rename.
 *
 * A stage holds an advisory lock on the folder it writes to, from its first file to its end. Two
 * runs therefore never mix their sets, and a temporary file found by the holder of the lock belongs
 * to a run that was killed: it is removed. The lock is on the folder itself, so that no lock files
 * lie about and all users of a folder meet at the same place whatever their homes are. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ending.h"
#include "base/fatal.h"
#include "base/fs.h"
#include "base/vec.h"

/* Where the old file is while a set is being renamed. */
enum displaced { OLD_NONE, OLD_UNDER_TEMP, OLD_GONE };
struct staged {
  char *temp, *path;
  enum displaced old;
};
struct fs_stage {
  struct arena arena;
  VEC(struct staged) files;
  size_t published;
  bool locked_once;
  int folder; /* the locked folder, -1: none */
};

enum { LOCK_PATIENCE_MS = 60 * 1000, LOCK_STEP_MS = 5 };

static bool write_failed(struct diag_sink *s, const char *path, const char *what, int e) {
  if (ending_reported(s))
    return false;
  struct diag *d = diag_error(s, MD0004, SPAN_NONE, "cannot %s `%s`: %s", what, path, strerror(e));
  diag_note(d, "what stood at that path before is unchanged");
  return false;
}

static bool write_all(int fd, str data) {
  size_t done = 0;
  while (done < data.n) {
    if (fault_here("write")) {
      errno = ENOSPC;
      return false;
    }
    ssize_t n = write(fd, data.p + done, data.n - done);
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0)
      done += (size_t)n;
  }
  return true;
}

/* Creates, writes and syncs `temp`; on failure it is gone again. */
static bool write_temp(struct diag_sink *s, const char *temp, const char *path, str data) {
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int fd = fault_here("open") ? (errno = EACCES, -1) : open(temp, flags, 0666);
  if (fd < 0)
    return write_failed(s, path, "create a temporary file beside", errno);
  const char *what = NULL;
  if (!write_all(fd, data))
    what = "write";
  else if (fault_here("sync") ? (errno = EIO, true) : fsync(fd) != 0)
    what = "sync";
  int e = errno;
  if (close(fd) != 0 && !what) {
    what = "close";
    e = errno;
  }
  if (!what)
    return true;
  unlink(temp);
  return write_failed(s, path, what, e);
}

/* Independent of the file's own name, which may be as long as the system allows. */
static char *temp_name(struct arena *a, const char *path, size_t serial) {
  str dir = path_dir(str_from(path));
  str t = arena_printf(a, "%.*s/.mirdc-%ld-%zu.tmp", STR_ARG(dir), (long)getpid(), serial);
  return arena_strz(a, t);
}

static bool is_temp_name(str name) {
  if (!str_starts(name, STR(".mirdc-")) || !str_ends(name, STR(".tmp")) || name.n < 14)
    return false;
  str middle = str_sub(name, 7, name.n - 4);
  size_t hyphens = 0;
  for (size_t i = 0; i < middle.n; i++) {
    hyphens += middle.p[i] == '-';
    if (middle.p[i] != '-' && !isdigit((unsigned char)middle.p[i]))
      return false;
  }
  return hyphens == 1;
}

static void remove_stale(int folder, const char *dir) {
  struct arena a = {0};
  str *names;
  size_t n;
  if (fs_list(&a, dir, &names, &n))
    for (size_t i = 0; i < n; i++)
      if (is_temp_name(names[i]))
        unlinkat(folder, names[i].p, 0);
  arena_free(&a);
}

/* 0, or why not; EWOULDBLOCK after a minute. Waiting is by steps, as flock has no time limit. */
static int lock_patiently(int fd) {
  for (int waited = 0;; waited += LOCK_STEP_MS) {
    if (fault_here("lock") || ending_signal())
      return EWOULDBLOCK;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
      return 0;
    if (errno != EINTR && (errno != EWOULDBLOCK || waited >= LOCK_PATIENCE_MS))
      return errno;
    struct timespec step = {0, LOCK_STEP_MS * 1000000};
    nanosleep(&step, NULL);
  }
}

/* Where the file system has no such locks, or the folder may not be read, the stage goes on
 * without: each file still appears whole. */
static bool lock_folder(struct fs_stage *st, struct diag_sink *s, const char *path) {
  if (st->locked_once)
    return true;
  st->locked_once = true;
  char *dir = arena_strz(&st->arena, path_dir(str_from(path)));
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int e = fd < 0 ? 0 : lock_patiently(fd);
  if (e == EWOULDBLOCK && !ending_reported(s)) {
    struct diag *d =
        diag_error(s, MD0007, SPAN_NONE, "another run keeps the folder `%s` locked", dir);
    diag_help(d, "wait for the other run to end, or name another folder");
  }
  if (fd >= 0 && e != 0)
    close(fd);
  else if (fd >= 0)
    remove_stale(st->folder = fd, dir);
  return e != EWOULDBLOCK;
}

struct fs_stage *fs_stage_new(void) {
  struct fs_stage *st = xmalloc(sizeof *st);
  ending_hold(); /* until fs_stage_free has removed what is temporary */
  *st = (struct fs_stage){.folder = -1};
  return st;
}

/* A rename would put a file in the place of a device such as /dev/null. */
static bool may_be_replaced(struct diag_sink *s, const char *path) {
  struct stat st;
  if (stat(path, &st) != 0 || S_ISREG(st.st_mode))
    return true;
  if (S_ISDIR(st.st_mode))
    return write_failed(s, path, "write", EISDIR);
  struct diag *d = diag_error(s, MD0004, SPAN_NONE, "`%s` is not a regular file", path);
  diag_note(d, "outputs are put in place by a rename, which would replace it");
  return false;
}

bool fs_stage_file(struct fs_stage *st, struct diag_sink *s, const char *path, str data) {
  if (ending_reported(s))
    return false;
  if (!may_be_replaced(s, path))
    return false;
  if (!lock_folder(st, s, path))
    return false;
  static _Atomic size_t serial;
  char *temp = temp_name(&st->arena, path, serial++);
  if (!write_temp(s, temp, path, data))
    return false;
  struct staged f = {temp, arena_strz(&st->arena, str_from(path)), OLD_NONE};
  vec_push(&st->arena, &st->files, f);
  return true;
}

/* So that the renames themselves survive a crash. */
static void sync_folder(const char *path) {
  struct arena a = {0};
  char *dir = arena_strz(&a, path_dir(str_from(path)));
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    fsync(fd);
    close(fd);
  }
  arena_free(&a);
}

/* Old and new change places, so that the old one can come back. Where that cannot be done, because
 * there is no old file or the file system has no such call, it is an ordinary rename. */
static int put_in_place(struct staged *f) {
  if (fault_here("rename"))
    return EIO;
  if (renameat2(AT_FDCWD, f->temp, AT_FDCWD, f->path, RENAME_EXCHANGE) == 0) {
    f->old = OLD_UNDER_TEMP;
    return 0;
  }
  f->old = errno == ENOENT ? OLD_NONE : OLD_GONE;
  return rename(f->temp, f->path) == 0 ? 0 : errno;
}

static void take_back(struct fs_stage *st) {
  while (st->published > 0) {
    struct staged *f = &st->files.p[--st->published];
    if (f->old == OLD_UNDER_TEMP)
      renameat2(AT_FDCWD, f->temp, AT_FDCWD, f->path, RENAME_EXCHANGE);
    else if (f->old == OLD_NONE)
      rename(f->path, f->temp);
  }
}

bool fs_publish(struct fs_stage *st, struct diag_sink *s) {
  if (ending_reported(s))
    return false;
  for (; st->published < st->files.n; st->published++) {
    struct staged *f = &st->files.p[st->published];
    int e = put_in_place(f);
    if (e == 0)
      continue;
    take_back(st);
    return write_failed(s, f->path, "rename the finished file to", e);
  }
  for (size_t i = 0; i < st->files.n; i++)
    if (st->files.p[i].old == OLD_UNDER_TEMP)
      unlink(st->files.p[i].temp);
  if (st->files.n)
    sync_folder(vec_last(&st->files).path);
  return true;
}

void fs_stage_free(struct fs_stage *st) {
  if (!st)
    return;
  for (size_t i = st->published; i < st->files.n; i++)
    unlink(st->files.p[i].temp);
  if (st->folder >= 0)
    close(st->folder); /* gives up the lock */
  arena_free(&st->arena);
  free(st);
  ending_release();
}

bool fs_write_atomic(struct diag_sink *s, const char *path, str data) {
  struct fs_stage *st = fs_stage_new();
  bool ok = fs_stage_file(st, s, path, data) && fs_publish(st, s);
  fs_stage_free(st);
  return ok;
}

static void let_write_fail(int sig) {
  (void)sig;
}

/* The limit's signal gets a handler, because being ignored would be handed on to children. What is
 * written to a stream that was closed fails still, as its stand-in is open for reading only. */
void fs_prepare_process(void) {
  struct sigaction act = {.sa_handler = let_write_fail, .sa_flags = SA_RESTART};
  sigaction(SIGXFSZ, &act, NULL);
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
      return;
}

bool fs_mkdirs(struct diag_sink *s, const char *path) {
  struct arena a = {0};
  char *p = arena_strz(&a, str_from(path));
  bool ok = true;
  for (size_t i = 1; ok && p[0]; i++) {
    char c = p[i];
    if (c != '/' && c != 0)
      continue;
    p[i] = 0;
    ok = mkdir(p, 0777) == 0 || errno == EEXIST;
    p[i] = c;
    if (c == 0)
      break;
  }
  int e = errno;
  if (ok && !fs_is_dir(path)) {
    ok = false;
    e = ENOTDIR;
  }
  if (!ok)
    diag_error(s, MD0005, SPAN_NONE, "cannot create the folder `%s`: %s", path, strerror(e));
  arena_free(&a);
  return ok;
}

/* Descriptors all the way down, so that nobody can swap a folder for a link in between. */
static bool remove_at(int dir_fd, const char *name, struct arena *a) {
  if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
    return true;
  if (errno != EISDIR && errno != EPERM)
    return false;
  int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return false;
  str here = arena_printf(a, "/proc/self/fd/%d", fd);
  str *names;
  size_t n;
  bool ok = fs_list(a, here.p, &names, &n);
  for (size_t i = 0; ok && i < n; i++)
    ok = remove_at(fd, names[i].p, a);
  close(fd);
  return ok && unlinkat(dir_fd, name, AT_REMOVEDIR) == 0;
}

bool fs_remove_tree(struct diag_sink *s, const char *path) {
  struct arena a = {0};
  bool ok = remove_at(AT_FDCWD, path, &a);
  if (!ok)
    diag_error(s, MD0005, SPAN_NONE, "cannot remove `%s`: %s", path, strerror(errno));
  arena_free(&a);
  return ok;
}

char *fs_temp_dir(struct diag_sink *s, struct arena *a) {
  const char *base = getenv("TMPDIR");
  char *p = path_join(a, base && base[0] ? base : "/tmp", "mirdc-XXXXXX");
  if (mkdtemp(p))
    return p;
  diag_error(s, MD0005, SPAN_NONE, "cannot create a temporary folder `%s`: %s", p, strerror(errno));
  return NULL;
}

int fs_lock(struct diag_sink *s, const char *path) {
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  int rc = fd < 0 ? -1 : 0;
  if (fd >= 0)
    while ((rc = flock(fd, LOCK_EX)) != 0 && errno == EINTR && !ending_signal())
      ;
  if (rc == 0)
    return fd;
  if (!ending_reported(s))
    diag_error(s, MD0007, SPAN_NONE, "cannot lock `%s`: %s", path, strerror(errno));
  if (fd >= 0)
    close(fd);
  return -1;
}

void fs_unlock(int fd) {
  if (fd >= 0)
    close(fd);
}
