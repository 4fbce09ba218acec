/* Layout below the store's folder, which carries the format's number:
 *   v1/obj/AA/REST   bytes, named by their SHA-256
 *   v1/act/AA/REST   an action's outputs, named by the action's key
 *   v1/memo/AA/REST  the digest of a file that was hashed once, named by what identifies the file
 * Actions and memos are lines of text closed by a checksum. Nothing is synced: a crash of the
 * machine leaves at worst a damaged file, and damage is a miss. */
#include "linkers/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ending.h"
#include "base/fatal.h"
#include "linkers/store_impl.h"

static const char *const kind_dirs[] = {"obj", "act", "memo"};

static char *default_dir(struct arena *a) {
  const char *own = getenv("MIRDC_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  if (own != NULL && own[0] != 0) {
    return arena_strz(a, str_from(own));
  }
  /* The specification says to ignore a relative path. */
  if (xdg != NULL && xdg[0] == '/') {
    return path_join(a, xdg, "mirdc");
  }
  return home != NULL && home[0] == '/' ? path_join(a, home, ".cache/mirdc") : NULL;
}

static bool make_dirs(struct store *st) {
  struct diag_sink quiet;
  diag_sink_init(&quiet, NULL);
  bool ok = true;
  for (size_t i = 0; ok && i < COUNT_OF(kind_dirs); i++) {
    ok = fs_mkdirs(&quiet, store_kind_dir(st, &st->arena, (enum store_kind)i));
  }
  ok = ok && access(st->root, W_OK) == 0;
  diag_sink_free(&quiet);
  return ok;
}

struct store *store_open(struct diag_sink *s, const char *dir) {
  struct store *st = xmalloc(sizeof *st);
  *st = (struct store){0};
  st->dir = dir != NULL ? arena_strz(&st->arena, str_from(dir)) : default_dir(&st->arena);
  if (st->dir != NULL) {
    st->root = path_join(&st->arena, st->dir, "v1");
    st->usable = make_dirs(st);
  }
  if (!st->usable) {
    struct diag *d = diag_warning(s, MD0450, SPAN_NONE, "the cache folder `%s` cannot be used",
                                  st->dir == NULL ? "~/.cache/mirdc" : st->dir);
    diag_help(d, "name another one with `--cache-dir`; this run goes on without");
  }
  return st;
}

void store_close(struct store *st) {
  if (st != NULL) {
    arena_free(&st->arena);
    free(st);
  }
}

const char *store_dir(const struct store *st) {
  return st == NULL ? NULL : st->dir;
}

char *store_kind_dir(const struct store *st, struct arena *a, enum store_kind k) {
  return path_join(a, st->root, kind_dirs[k]);
}

/* Paths have a bounded length so that threads need no shared arena. */
static bool path_of(const struct store *st, enum store_kind k, const struct digest *d,
                    char out[STORE_PATH]) {
  char hex[65];
  digest_hex(d, hex);
  int n = snprintf(out, STORE_PATH, "%s/%s/%.2s/%s", st->root, kind_dirs[k], hex, hex + 2);
  return n > 0 && n < STORE_PATH;
}

static bool write_all(int fd, str data) {
  while (data.n > 0) {
    if (fault_here("write")) {
      errno = ENOSPC;
      return false;
    }
    ssize_t n = write(fd, data.p, data.n);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      return false;
    }
    data = str_drop(data, (size_t)n);
  }
  return true;
}

/* The folder of two digits is made when it is missing. */
static int create_beside(const char *path, char temp[STORE_PATH]) {
  static atomic_uint counter;
  int n = snprintf(temp, STORE_PATH, "%s.%ld.%u.tmp", path, (long)getpid(),
                   atomic_fetch_add(&counter, 1));
  if (n <= 0 || n >= STORE_PATH) {
    return -1;
  }
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  int fd = open(temp, flags, 0644);
  if (fd < 0 && errno == ENOENT) {
    char dir[STORE_PATH];
    size_t len = (size_t)(strrchr(path, '/') - path);
    memcpy(dir, path, len);
    dir[len] = 0;
    if (mkdir(dir, 0755) == 0 || errno == EEXIST) {
      fd = open(temp, flags, 0644);
    }
  }
  return fd;
}

static bool put_file(struct store *st, enum store_kind k, const struct digest *d, str data) {
  char path[STORE_PATH], temp[STORE_PATH];
  if (st == NULL || !st->usable || !path_of(st, k, d, path)) {
    return false;
  }
  ending_hold();
  int fd = create_beside(path, temp);
  if (fd < 0) {
    ending_release();
    return false;
  }
  bool ok = write_all(fd, data);
  ok = close(fd) == 0 && ok;
  ok = ok && !fault_here("rename") && rename(temp, path) == 0;
  if (!ok) {
    unlink(temp);
  }
  ending_release();
  return ok;
}

/* A use is remembered in the time of modification, at most once an hour, so that store_gc knows
 * what is old even where the file system keeps no times of access. */
static void touch(const char *path) {
  struct stat st;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (stat(path, &st) == 0 && now.tv_sec - st.st_mtim.tv_sec > 3600) {
    struct timespec t[2] = {now, now};
    utimensat(AT_FDCWD, path, t, 0);
  }
}

static bool get_file(struct store *st, enum store_kind k, const struct digest *d,
                     struct bytes *out) {
  char path[STORE_PATH];
  *out = (struct bytes){0};
  if (st == NULL || !st->usable || !path_of(st, k, d, path) || fs_try_read(path, 0, out) != 0) {
    return false;
  }
  touch(path);
  return true;
}

static void drop_file(struct store *st, enum store_kind k, const struct digest *d) {
  char path[STORE_PATH];
  if (path_of(st, k, d, path)) {
    unlink(path);
  }
}

static bool object_there(struct store *st, const struct digest *d, size_t size) {
  char path[STORE_PATH];
  struct stat sb;
  return st != NULL && st->usable && path_of(st, STORE_OBJECT, d, path) && stat(path, &sb) == 0 &&
         S_ISREG(sb.st_mode) && (uint64_t)sb.st_size == size;
}

bool store_put(struct store *st, str bytes, struct digest *out) {
  *out = hash_of(bytes.p, bytes.n);
  struct bytes old;
  if (object_there(st, out, bytes.n) && store_get(st, out, &old)) {
    bytes_free(&old);
    return true;
  }
  return put_file(st, STORE_OBJECT, out, bytes);
}

bool store_get(struct store *st, const struct digest *d, struct bytes *out) {
  if (!get_file(st, STORE_OBJECT, d, out)) {
    return false;
  }
  struct digest found = hash_of(out->p, out->n);
  if (digest_eq(&found, d)) {
    return true;
  }
  bytes_free(out);
  *out = (struct bytes){0};
  drop_file(st, STORE_OBJECT, d);
  return false;
}

static bool tag_ok(str tag) {
  for (size_t i = 0; i < tag.n; i++) {
    char c = tag.p[i];
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.')) {
      return false;
    }
  }
  return tag.n > 0 && tag.n <= 64;
}

static void close_text(struct strbuf *b) {
  char hex[65];
  struct digest sum = hash_of(b->p, b->n);
  digest_hex(&sum, hex);
  sb_addf(b, "sum %s\n", hex);
}

bool store_text_open(str *text) {
  struct digest want, found;
  if (text->n < 69 || text->p[text->n - 1] != '\n') {
    return false;
  }
  str last = str_sub(*text, text->n - 69, text->n - 1);
  *text = str_sub(*text, 0, text->n - 69);
  if (!str_starts(last, STR("sum ")) || !digest_from_hex(str_drop(last, 4), &want)) {
    return false;
  }
  found = hash_of(text->p, text->n);
  return digest_eq(&found, &want);
}

bool store_put_action(struct store *st, const struct digest *key,
                      const struct store_output *outputs, size_t n) {
  struct strbuf b = {0};
  char hex[65];
  digest_hex(key, hex);
  sb_addf(&b, "action %s\n", hex);
  for (size_t i = 0; i < n; i++) {
    if (!tag_ok(outputs[i].tag)) {
      BUG("a store tag of other letters");
    }
    digest_hex(&outputs[i].digest, hex);
    sb_addf(&b, "%.*s %s %llu\n", STR_ARG(outputs[i].tag), hex,
            (unsigned long long)outputs[i].size);
  }
  close_text(&b);
  bool ok = put_file(st, STORE_ACTION, key, sb_str(&b));
  sb_free(&b);
  return ok;
}

static bool read_output(str line, struct arena *a, struct store_output *o) {
  size_t one = str_find_char(line, ' ', 0);
  size_t two = one == SIZE_MAX ? SIZE_MAX : str_find_char(line, ' ', one + 1);
  if (two == SIZE_MAX) {
    return false;
  }
  o->tag = arena_str(a, str_sub(line, 0, one));
  return tag_ok(o->tag) && digest_from_hex(str_sub(line, one + 1, two), &o->digest) &&
         str_to_u64(str_drop(line, two + 1), &o->size);
}

static bool read_action(str text, struct arena *a, const struct digest *key,
                        struct store_output **outputs, size_t *n) {
  struct digest named;
  str rest, line;
  if (!store_text_open(&text) || !str_next_line(&text, &line) ||
      !str_starts(line, STR("action ")) || !digest_from_hex(str_drop(line, 7), &named) ||
      !digest_eq(&named, key)) {
    return false;
  }
  rest = text;
  size_t lines = 0;
  while (str_next_line(&rest, &line)) {
    lines++;
  }
  *outputs = arena_array(a, struct store_output, lines + 1);
  for (*n = 0; str_next_line(&text, &line); (*n)++) {
    if (!read_output(line, a, &(*outputs)[*n])) {
      return false;
    }
  }
  return true;
}

bool store_get_action(struct store *st, struct arena *a, const struct digest *key,
                      struct store_output **outputs, size_t *n) {
  struct bytes file;
  *outputs = NULL;
  *n = 0;
  if (!get_file(st, STORE_ACTION, key, &file)) {
    return false;
  }
  bool ok = read_action((str){(const char *)file.p, file.n}, a, key, outputs, n);
  bytes_free(&file);
  if (!ok) {
    *n = 0;
    drop_file(st, STORE_ACTION, key);
  }
  return ok;
}

bool store_get_output(struct store *st, const struct digest *key, str tag, struct bytes *out) {
  struct arena a = {0};
  struct store_output *outputs;
  size_t n;
  bool ok = false;
  *out = (struct bytes){0};
  if (store_get_action(st, &a, key, &outputs, &n)) {
    for (size_t i = 0; !ok && i < n; i++) {
      ok = str_eq(outputs[i].tag, tag) && store_get(st, &outputs[i].digest, out);
    }
  }
  arena_free(&a);
  return ok;
}

bool store_put_output(struct store *st, const struct digest *key, str tag, str bytes) {
  struct store_output o = {.tag = tag, .size = bytes.n};
  return store_put(st, bytes, &o.digest) && store_put_action(st, key, &o, 1);
}

static struct digest memo_key(const char *path, const struct stat *sb) {
  struct hasher *h = hash_new();
  hash_field(h, STR("path"), str_from(path));
  hash_field_u64(h, STR("dev"), (uint64_t)sb->st_dev);
  hash_field_u64(h, STR("ino"), (uint64_t)sb->st_ino);
  hash_field_u64(h, STR("size"), (uint64_t)sb->st_size);
  hash_field_u64(h, STR("mtime.s"), (uint64_t)sb->st_mtim.tv_sec);
  hash_field_u64(h, STR("mtime.ns"), (uint64_t)sb->st_mtim.tv_nsec);
  hash_field_u64(h, STR("ctime.s"), (uint64_t)sb->st_ctim.tv_sec);
  hash_field_u64(h, STR("ctime.ns"), (uint64_t)sb->st_ctim.tv_nsec);
  return hash_finish(h);
}

static bool memo_get(struct store *st, const struct digest *key, struct digest *out) {
  struct bytes file;
  if (!get_file(st, STORE_MEMO, key, &file)) {
    return false;
  }
  str text = {(const char *)file.p, file.n};
  bool ok = store_text_open(&text) && str_starts(text, STR("file ")) &&
            digest_from_hex(str_trim(str_drop(text, 5)), out);
  bytes_free(&file);
  if (!ok) {
    drop_file(st, STORE_MEMO, key);
  }
  return ok;
}

/* A file that changed within the clock's grain could change again without a trace in its times. */
static bool settled(const struct stat *sb) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec - sb->st_mtim.tv_sec > 2 && now.tv_sec - sb->st_ctim.tv_sec > 2;
}

static void memo_put(struct store *st, const struct digest *key, const struct digest *value) {
  struct strbuf b = {0};
  char hex[65];
  digest_hex(value, hex);
  sb_addf(&b, "file %s\n", hex);
  close_text(&b);
  put_file(st, STORE_MEMO, key, sb_str(&b));
  sb_free(&b);
}

static int hash_fd(int fd, struct digest *out) {
  enum { CHUNK = 1 << 20 };
  char *buffer = xmalloc(CHUNK);
  struct hasher *h = hash_new();
  int e = 0;
  for (;;) {
    ssize_t n = read(fd, buffer, CHUNK);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      e = errno;
    }
    if (n <= 0) {
      break;
    }
    hash_bytes(h, buffer, (size_t)n);
  }
  *out = hash_finish(h);
  free(buffer);
  return e;
}

int store_file_digest(struct store *st, const char *path, struct digest *out) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return errno;
  }
  struct stat sb, after;
  int e = fstat(fd, &sb) != 0 ? errno : S_ISREG(sb.st_mode) ? 0 : EINVAL;
  if (e == 0) {
    struct digest key = memo_key(path, &sb);
    if (!memo_get(st, &key, out)) {
      e = hash_fd(fd, out);
      if (e == 0 && settled(&sb) && fstat(fd, &after) == 0) {
        struct digest same = memo_key(path, &after);
        if (digest_eq(&same, &key)) {
          memo_put(st, &key, out);
        }
      }
    }
  }
  close(fd);
  return e;
}
