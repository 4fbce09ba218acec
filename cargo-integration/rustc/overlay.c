/* Makes the working copy. Only folders on the way to a changed file are real; all else is linked.
 */
#include "cargo-integration/rustc/overlay.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/fs.h"
#include "base/map.h"
#include "cargo-integration/rustc/overlay_blank.h"

/* More entries than this beside a package are not linked: the source is then in the wrong place. */
#define MAX_ENTRIES 20000

struct source {
  char *path; /* absolute */
  str text;   /* after blanking */
  bool changed;
  bool owns_dir; /* a crate root or mod.rs: its modules lie beside it */
};

struct builder {
  struct diag_sink *sink;
  struct arena *arena;
  VEC(struct source) sources; /* [0] is the crate root */
  struct map seen;            /* path -> 1 */
  struct map real_dirs;       /* absolute folder -> 1 */
  struct map changed;         /* path -> index in sources + 1 */
  bool leaves_package;        /* some text says "../ */
  const struct overlay_edits *edits;
  const char *package;        /* root: printed paths are relative to it */
  overlay_shifts shifts;
  size_t blanked;
  size_t current; /* index of the source whose modules are being collected */
};

static bool overlay_error(struct diag_sink *s, const char *what, const char *path) {
  struct diag *d =
      diag_error(s, MD0148, SPAN_NONE, "cannot %s `%s`: %s", what, path, strerror(errno));
  diag_help(d, "set TMPDIR to a folder with free space");
  return false;
}

/* The copy is temporary, so nothing is synced. */
static bool write_plain(struct diag_sink *s, const char *path, str a, str b) {
  if (unlink(path) != 0 && errno != ENOENT) {
    return overlay_error(s, "replace", path);
  }
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0 || fault_here("open")) {
    return overlay_error(s, "write", path);
  }
  bool ok = true;
  const str parts[2] = {a, b};
  for (int i = 0; i < 2 && ok; i++) {
    size_t done = 0;
    while (done < parts[i].n) {
      ssize_t k = write(fd, parts[i].p + done, parts[i].n - done);
      if (k < 0 && errno == EINTR) {
        continue;
      }
      if (k <= 0) {
        ok = overlay_error(s, "write", path);
        break;
      }
      done += (size_t)k;
    }
  }
  if (close(fd) != 0 && ok) {
    ok = overlay_error(s, "write", path);
  }
  return ok;
}

static str printed_name(const struct builder *b, const char *path) {
  size_t n = strlen(b->package);
  bool inside = strncmp(path, b->package, n) == 0 && path[n] == '/';
  return str_from(inside ? path + n + 1 : path);
}

static bool add_source(struct builder *b, const char *path, bool owns_dir) {
  bool fresh = false;
  uintptr_t *v = map_put(&b->seen, str_from(path), &fresh);
  *v = 1;
  if (!fresh) {
    return true;
  }
  struct bytes data = {0};
  if (fs_try_read(path, (size_t)256 << 20, &data) != 0) {
    return false;
  }
  struct source src = {.path = arena_strz(b->arena, str_from(path)), .owns_dir = owns_dir};
  src.text = arena_str(b->arena, (str){(const char *)data.p, data.n});
  bytes_free(&data);
  char *text = arena_strz(b->arena, src.text);
  size_t n = overlay_blank(text, src.text.n);
  size_t shifts = b->shifts.n;
  src.text = overlay_edit(b->arena, printed_name(b, src.path), text, src.text.n, b->edits, &b->shifts);
  src.changed = n > 0 || b->edits->publish || b->shifts.n > shifts;
  b->blanked += n;
  b->leaves_package = b->leaves_package || str_find(src.text, STR("\"../"), 0) != SIZE_MAX;
  vec_push(b->arena, &b->sources, src);
  return true;
}

/* `mod a;` in F: beside F, or in the folder named after F. */
static void on_mod(void *ctx, str name) {
  struct builder *b = ctx;
  const struct source *f = &b->sources.p[b->current];
  str dir = path_dir(str_from(f->path));
  if (!f->owns_dir) {
    dir = arena_printf(b->arena, "%.*s/%.*s", STR_ARG(dir),
                       STR_ARG(path_stem(path_base(str_from(f->path)))));
  }
  str flat = arena_printf(b->arena, "%.*s/%.*s.rs", STR_ARG(dir), STR_ARG(name));
  if (!add_source(b, arena_strz(b->arena, flat), false)) {
    str deep = arena_printf(b->arena, "%.*s/%.*s/mod.rs", STR_ARG(dir), STR_ARG(name));
    /* A module under another `#[path]` or behind a cfg is simply not edited. */
    (void)add_source(b, arena_strz(b->arena, deep), true);
  }
}

static bool collect(struct builder *b, const char *root) {
  if (!add_source(b, root, true)) {
    diag_error(b->sink, MD0143, SPAN_NONE, "cannot read the source file `%s`", root);
    return false;
  }
  b->sources.p[0].changed = true; /* it gets the probe module */
  for (size_t i = 0; i < b->sources.n && b->sources.n < MAX_ENTRIES; i++) {
    b->current = i;
    overlay_mods(b->sources.p[i].text, on_mod, b);
  }
  return true;
}

/* Files of closures that no `mod` leads to: `#[path]`, `include!`. */
static void collect_opened(struct builder *b) {
  const overlay_openings *list = b->edits->openings;
  for (size_t i = 0; list != NULL && i < list->n; i++) {
    str at = list->p[i].at;
    size_t colon = str_find_char(at, ':', 0);
    str file = str_sub(at, 0, colon == SIZE_MAX ? at.n : colon);
    if (file.n > 0 && file.p[0] != '/') {
      (void)add_source(b, path_join(b->arena, b->package, arena_strz(b->arena, file)), false);
    }
  }
}

/* Folders from the package root down to each changed file. */
static void mark_dirs(struct builder *b, const char *package) {
  size_t stop = strlen(package);
  *map_put(&b->real_dirs, str_from(package), NULL) = 1;
  for (size_t i = 0; i < b->sources.n; i++) {
    if (!b->sources.p[i].changed) {
      continue;
    }
    *map_put(&b->changed, str_from(b->sources.p[i].path), NULL) = i + 1;
    str dir = path_dir(str_from(b->sources.p[i].path));
    while (dir.n > stop) {
      *map_put(&b->real_dirs, dir, NULL) = 1;
      dir = path_dir(dir);
    }
  }
}

static bool link_to(struct diag_sink *s, const char *target, const char *path) {
  if (symlink(target, path) != 0 && errno != EEXIST) {
    return overlay_error(s, "link", path);
  }
  return true;
}

/* Mirrors folder `from` as the existing folder `to`. `except` names an entry to leave out. */
static bool mirror(struct builder *b, const char *from, const char *to, str except, int depth) {
  str *names = NULL;
  size_t n = 0;
  if (!fs_list(b->arena, from, &names, &n) || n > MAX_ENTRIES) {
    errno = n > MAX_ENTRIES ? E2BIG : errno;
    return overlay_error(b->sink, "list", from);
  }
  for (size_t i = 0; i < n; i++) {
    char *name = arena_strz(b->arena, names[i]);
    char *src = path_join(b->arena, from, name);
    char *dst = path_join(b->arena, to, name);
    uintptr_t *edited = map_get(&b->changed, str_from(src));
    bool ok = true;
    if (str_eq(names[i], except)) {
      continue;
    }
    if (edited != NULL) {
      ok = write_plain(b->sink, dst, b->sources.p[*edited - 1].text, STR_NULL);
    } else if (map_get(&b->real_dirs, str_from(src)) != NULL && depth < 64) {
      ok = fs_mkdirs(b->sink, dst) && mirror(b, src, dst, STR_NULL, depth + 1);
    } else {
      ok = link_to(b->sink, src, dst);
    }
    if (!ok) {
      return false;
    }
  }
  return true;
}

/* Beside each folder on the way to the package, links to what is there in truth. */
static bool link_outside(struct builder *b, const char *dir, const char *package) {
  str at = str_from(package);
  while (at.n > 1) {
    str name = path_base(at);
    str parent = path_dir(at);
    char *to = arena_strz(b->arena, arena_printf(b->arena, "%s%.*s", dir, STR_ARG(parent)));
    if (!mirror(b, arena_strz(b->arena, parent), to, name, 64)) {
      return false;
    }
    at = parent;
  }
  return true;
}

static bool build(struct builder *b, const struct unit *u, const char *root, struct overlay *o) {
  b->package = u->package_root;
  if (!collect(b, root)) {
    return false;
  }
  collect_opened(b);
  mark_dirs(b, u->package_root);
  o->dir = fs_temp_dir(b->sink, b->arena);
  if (o->dir == NULL) {
    return false;
  }
  o->package = arena_strz(b->arena, arena_printf(b->arena, "%s%s", o->dir, u->package_root));
  o->root = arena_strz(b->arena, arena_printf(b->arena, "%s%s", o->dir, root));
  o->remap_from = arena_strz(b->arena, arena_printf(b->arena, "%s/", o->package));
  o->remap_to = arena_strz(b->arena, STR(""));
  o->root_text = b->sources.p[0].text;
  o->blanked = b->blanked;
  o->shifts = b->shifts;
  return fs_mkdirs(b->sink, o->package) && mirror(b, u->package_root, o->package, STR_NULL, 0) &&
         (!b->leaves_package || link_outside(b, o->dir, u->package_root));
}

static bool make(struct builder *b, const struct unit *u, struct overlay *out) {
  struct arena *a = b->arena;
  *out = (struct overlay){0};
  char *root = path_real(a, u->cwd != NULL ? path_join(a, u->cwd, u->root) : u->root);
  bool ok = false;
  if (root == NULL) {
    diag_error(b->sink, MD0143, SPAN_NONE, "cannot find the source file `%s`", u->root);
  } else {
    ok = build(b, u, root, out);
  }
  map_free(&b->seen);
  map_free(&b->real_dirs);
  map_free(&b->changed);
  if (!ok) {
    overlay_remove(out);
  }
  return ok;
}

bool overlay_make_edited(struct diag_sink *s, struct arena *a, const struct unit *u,
                         const struct overlay_edits *edits, struct overlay *out) {
  struct builder b = {.sink = s, .arena = a, .edits = edits};
  return make(&b, u, out);
}

bool overlay_make(struct diag_sink *s, struct arena *a, const struct unit *u, struct overlay *out) {
  struct overlay_edits none = {0};
  return overlay_make_edited(s, a, u, &none, out);
}

bool overlay_write_root(struct diag_sink *s, const struct overlay *o, const char *path, str tail) {
  return write_plain(s, path, o->root_text, tail);
}

void overlay_remove(struct overlay *o) {
  if (o->dir != NULL) {
    struct diag_sink quiet;
    diag_sink_init(&quiet, NULL);
    (void)!fs_remove_tree(&quiet, o->dir);
    diag_sink_free(&quiet);
    o->dir = NULL;
  }
}
