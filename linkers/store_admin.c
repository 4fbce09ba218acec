/* Looking after the store: counting, checking, removing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "linkers/store_impl.h"

struct store_file {
  char *path;
  enum store_kind kind;
  struct digest digest; /* from the name; zeros for a left-over temporary */
  bool named;
  uint64_t size;
  int64_t used; /* seconds */
};

struct walk {
  struct arena arena;
  VEC(struct store_file) files;
};

/* The file's name below its folder of two digits, made into a digest again. */
static bool digest_of_name(str two, str rest, struct digest *out) {
  char hex[64];
  if (two.n != 2 || rest.n != 62) {
    return false;
  }
  memcpy(hex, two.p, 2);
  memcpy(hex + 2, rest.p, 62);
  return digest_from_hex((str){hex, 64}, out);
}

static void walk_folder(struct walk *w, const char *dir, str two, enum store_kind k) {
  str *names;
  size_t n;
  if (!fs_list(&w->arena, dir, &names, &n)) {
    return;
  }
  for (size_t i = 0; i < n; i++) {
    struct stat sb;
    struct store_file f = {.kind = k};
    f.path = path_join(&w->arena, dir, arena_strz(&w->arena, names[i]));
    if (lstat(f.path, &sb) != 0 || !S_ISREG(sb.st_mode)) {
      continue;
    }
    f.named = digest_of_name(two, names[i], &f.digest);
    f.size = (uint64_t)sb.st_size;
    f.used = sb.st_mtim.tv_sec;
    vec_push(&w->arena, &w->files, f);
  }
}

static void walk(struct store *st, struct walk *w) {
  for (int k = STORE_OBJECT; st != NULL && st->usable && k <= STORE_MEMO; k++) {
    char *dir = store_kind_dir(st, &w->arena, (enum store_kind)k);
    str *names;
    size_t n;
    if (!fs_list(&w->arena, dir, &names, &n)) {
      continue;
    }
    for (size_t i = 0; i < n; i++) {
      walk_folder(w, path_join(&w->arena, dir, arena_strz(&w->arena, names[i])), names[i],
                  (enum store_kind)k);
    }
  }
}

static void count(const struct walk *w, struct store_stats *out) {
  for (size_t i = 0; i < w->files.n; i++) {
    const struct store_file *f = &w->files.p[i];
    if (!f->named) {
      continue;
    }
    if (f->kind == STORE_OBJECT) {
      out->objects++;
      out->object_bytes += f->size;
    } else if (f->kind == STORE_ACTION) {
      out->actions++;
    } else {
      out->memos++;
    }
  }
}

bool store_stat(struct diag_sink *s, struct store *st, struct store_stats *out) {
  struct walk w = {0};
  (void)s;
  *out = (struct store_stats){0};
  walk(st, &w);
  count(&w, out);
  arena_free(&w.arena);
  return true;
}

static bool remove_file(struct diag_sink *s, const struct store_file *f, struct store_stats *out) {
  if (unlink(f->path) != 0 && errno != ENOENT) {
    diag_error(s, MD0450, SPAN_NONE, "cannot remove `%s`: %s", f->path, strerror(errno));
    return false;
  }
  out->removed++;
  out->removed_bytes += f->size;
  return true;
}

/* A temporary of a process that is still writing is young; one of a killed process grows old. */
static bool is_stale(const struct store_file *f) {
  return !f->named && time(NULL) - f->used > 3600;
}

static bool sound(const struct store_file *f) {
  struct bytes data;
  if (fs_try_read(f->path, 0, &data) != 0) {
    return false;
  }
  str text = {(const char *)data.p, data.n};
  struct digest found = hash_of(data.p, data.n);
  bool ok = f->kind == STORE_OBJECT ? digest_eq(&found, &f->digest) : store_text_open(&text);
  bytes_free(&data);
  return ok;
}

bool store_verify(struct diag_sink *s, struct store *st, struct store_stats *out) {
  struct walk w = {0};
  bool ok = true;
  *out = (struct store_stats){0};
  walk(st, &w);
  count(&w, out);
  for (size_t i = 0; i < w.files.n; i++) {
    const struct store_file *f = &w.files.p[i];
    if (f->named ? !sound(f) : is_stale(f)) {
      out->damaged += f->named;
      ok = remove_file(s, f, out) && ok;
    }
  }
  arena_free(&w.arena);
  return ok;
}

static int by_use(const void *a, const void *b) {
  const struct store_file *x = a, *y = b;
  if (x->used != y->used) {
    return x->used < y->used ? -1 : 1;
  }
  return strcmp(x->path, y->path);
}

bool store_gc(struct diag_sink *s, struct store *st, uint64_t max_bytes, struct store_stats *out) {
  struct walk w = {0};
  bool ok = true;
  uint64_t total = 0;
  *out = (struct store_stats){0};
  walk(st, &w);
  for (size_t i = 0; i < w.files.n; i++) {
    total += w.files.p[i].size;
  }
  if (w.files.n > 1) {
    qsort(w.files.p, w.files.n, sizeof *w.files.p, by_use);
  }
  for (size_t i = 0; i < w.files.n; i++) {
    const struct store_file *f = &w.files.p[i];
    if (is_stale(f) || (f->named && total > max_bytes)) {
      ok = remove_file(s, f, out) && ok;
      total -= f->size;
    }
  }
  arena_free(&w.arena);
  return ok;
}

bool store_clear(struct diag_sink *s, struct store *st, struct store_stats *out) {
  struct walk w = {0};
  bool ok = true;
  *out = (struct store_stats){0};
  walk(st, &w);
  for (size_t i = 0; i < w.files.n; i++) {
    const struct store_file *f = &w.files.p[i];
    if (f->named || is_stale(f)) {
      ok = remove_file(s, f, out) && ok;
    }
  }
  arena_free(&w.arena);
  return ok;
}
