/* Writing so that nothing is ever half there: temporary name, sync, rename. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/fs.h"
#include "base/vec.h"

struct staged {
  char *temp, *path;
};
struct fs_stage {
  struct arena arena;
  VEC(struct staged) files;
  size_t published;
};

static bool write_failed(struct diag_sink *s, const char *path, const char *what, int e) {
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
  int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
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

static char *temp_name(struct arena *a, const char *path, size_t serial) {
  str base = path_base(str_from(path));
  str dir = path_dir(str_from(path));
  str t = arena_printf(a, "%.*s/.%.*s.%ld-%zu.tmp", STR_ARG(dir), STR_ARG(base), (long)getpid(),
                       serial);
  return arena_strz(a, t);
}

struct fs_stage *fs_stage_new(void) {
  struct fs_stage *st = xmalloc(sizeof *st);
  *st = (struct fs_stage){0};
  return st;
}

bool fs_stage_file(struct fs_stage *st, struct diag_sink *s, const char *path, str data) {
  if (fs_is_dir(path))
    return write_failed(s, path, "write", EISDIR);
  static _Atomic size_t serial;
  char *temp = temp_name(&st->arena, path, serial++);
  if (!write_temp(s, temp, path, data))
    return false;
  struct staged f = {temp, arena_strz(&st->arena, str_from(path))};
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

bool fs_publish(struct fs_stage *st, struct diag_sink *s) {
  for (; st->published < st->files.n; st->published++) {
    struct staged *f = &st->files.p[st->published];
    if (fault_here("rename") ? (errno = EIO, true) : rename(f->temp, f->path) != 0)
      return write_failed(s, f->path, "rename the finished file to", errno);
  }
  if (st->files.n)
    sync_folder(vec_last(&st->files).path);
  return true;
}

void fs_stage_free(struct fs_stage *st) {
  if (!st)
    return;
  for (size_t i = st->published; i < st->files.n; i++)
    unlink(st->files.p[i].temp);
  arena_free(&st->arena);
  free(st);
}

bool fs_write_atomic(struct diag_sink *s, const char *path, str data) {
  struct fs_stage *st = fs_stage_new();
  bool ok = fs_stage_file(st, s, path, data) && fs_publish(st, s);
  fs_stage_free(st);
  return ok;
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
    while ((rc = flock(fd, LOCK_EX)) != 0 && errno == EINTR)
      ;
  if (rc == 0)
    return fd;
  diag_error(s, MD0007, SPAN_NONE, "cannot lock `%s`: %s", path, strerror(errno));
  if (fd >= 0)
    close(fd);
  return -1;
}

void fs_unlock(int fd) {
  if (fd >= 0)
    close(fd);
}
