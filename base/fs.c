/* Reading whole files, folders and paths. Writing is in fs_write.c. */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/vec.h"

enum { E_NOT_REGULAR = -1, E_TOO_LARGE = -2 };

void bytes_free(struct bytes *b) {
  free(b->p);
  *b = (struct bytes){0};
}

/* Reads to the end of the descriptor; the size from fstat is only a first guess. */
static int read_all(int fd, size_t guess, size_t max, struct bytes *out) {
  size_t cap = guess + 1;
  uint8_t *p = xmalloc(cap);
  size_t n = 0;
  for (;;) {
    if (n == cap - 1) {
      if (n >= max)
        break;
      cap = cap * 2 < max + 1 ? cap * 2 : max + 2;
      p = xrealloc(p, cap);
    }
    ssize_t got = read(fd, p + n, cap - 1 - n);
    if (got == 0)
      break;
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      int e = errno;
      free(p);
      return e;
    }
    n += (size_t)got;
  }
  if (n > max) {
    free(p);
    return E_TOO_LARGE;
  }
  p[n] = 0;
  *out = (struct bytes){p, n};
  return 0;
}

int fs_try_read(const char *path, size_t max, struct bytes *out) {
  *out = (struct bytes){0};
  if (max == 0)
    max = (size_t)4 << 30;
  /* O_NONBLOCK: opening a FIFO must not wait for a writer. */
  int fd = fault_here("open") ? (errno = EACCES, -1)
                              : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return errno;
  struct stat st;
  int e = 0;
  if (fstat(fd, &st) != 0)
    e = errno;
  else if (!S_ISREG(st.st_mode))
    e = E_NOT_REGULAR;
  else if (st.st_size < 0 || (uint64_t)st.st_size > max)
    e = E_TOO_LARGE;
  else
    e = read_all(fd, (size_t)st.st_size, max, out);
  close(fd);
  return e;
}

bool fs_read(struct diag_sink *s, const char *path, size_t max, struct bytes *out) {
  int e = fs_try_read(path, max, out);
  if (e == 0)
    return true;
  if (e == E_NOT_REGULAR)
    diag_error(s, MD0002, SPAN_NONE, "`%s` is not a regular file", path);
  else if (e == E_TOO_LARGE)
    diag_error(s, MD0003, SPAN_NONE, "`%s` is too large", path);
  else
    diag_error(s, MD0001, SPAN_NONE, "cannot read `%s`: %s", path, strerror(e));
  return false;
}

bool fs_exists(const char *path) {
  struct stat st;
  return lstat(path, &st) == 0;
}

bool fs_is_dir(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool fs_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int by_name(const void *a, const void *b) {
  return str_cmp(*(const str *)a, *(const str *)b);
}

bool fs_list(struct arena *a, const char *path, str **names, size_t *n) {
  DIR *d = opendir(path);
  if (!d)
    return false;
  VEC(str) list = {0};
  for (struct dirent *e; (e = readdir(d));)
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      vec_push(a, &list, arena_str(a, str_from(e->d_name)));
  closedir(d);
  if (list.n)
    qsort(list.p, list.n, sizeof *list.p, by_name);
  *names = list.p;
  *n = list.n;
  return true;
}

char *path_join(struct arena *a, const char *dir, const char *name) {
  size_t n = strlen(dir);
  if (name[0] == '/' || n == 0)
    return arena_strz(a, str_from(name));
  str joined = arena_printf(a, "%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name);
  return arena_strz(a, joined);
}

str path_from_package(str path) {
  size_t at = SIZE_MAX;
  for (size_t i = 0; (i = str_find(path, STR("/src/"), i)) != SIZE_MAX; i++)
    at = i;
  if (at == SIZE_MAX)
    return path_base(path);
  size_t slash = str_rfind_char(str_sub(path, 0, at), '/');
  return slash == SIZE_MAX ? path : str_drop(path, slash + 1);
}

str path_base(str path) {
  size_t slash = str_rfind_char(path, '/');
  return slash == SIZE_MAX ? path : str_drop(path, slash + 1);
}

str path_dir(str path) {
  size_t slash = str_rfind_char(path, '/');
  if (slash == SIZE_MAX)
    return STR(".");
  return slash == 0 ? STR("/") : str_sub(path, 0, slash);
}

str path_stem(str path) {
  str base = path_base(path);
  size_t dot = str_rfind_char(base, '.');
  return dot == SIZE_MAX || dot == 0 ? base : str_sub(base, 0, dot);
}

char *path_real(struct arena *a, const char *path) {
  char *p = realpath(path, NULL);
  if (!p)
    return NULL;
  char *own = arena_strz(a, str_from(p));
  free(p);
  return own;
}

char *path_self_dir(struct arena *a) {
  char *self = path_real(a, "/proc/self/exe");
  return self ? arena_strz(a, path_dir(str_from(self))) : arena_strz(a, STR("."));
}

str path_shown(struct arena *a, str path) {
  char cwd[PATH_MAX];
  if (!getcwd(cwd, sizeof cwd))
    return path;
  str dir = str_from(cwd);
  if (str_starts(path, dir) && path.n > dir.n && path.p[dir.n] == '/')
    return arena_str(a, str_drop(path, dir.n + 1));
  return path;
}
