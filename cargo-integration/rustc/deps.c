/* Dependencies: from a unit's --extern to metadata made for the device. */
#include "cargo-integration/rustc/deps.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/map.h"
#include "cargo-integration/rustc/deps_build.h"

struct dep {
  struct unit unit;
  enum { DEP_NEW, DEP_BUSY, DEP_DONE, DEP_FAILED } state;
  struct digest externs;
  struct built built;
};

struct deps {
  struct arena *arena;
  struct toolchain tc;
  const char *cache_dir;
  VEC(struct dep *) all;
  struct map by_stem; /* libNAME-HASH -> struct dep */
  VEC(char *) dirs;
  struct depends *made_of; /* NULL: nobody asks */
  unsigned n_runs;
};

char *deps_default_cache(struct arena *a) {
  const char *own = getenv("MIRDC_CACHE_DIR");
  const char *xdg = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  if (own != NULL && own[0] != '\0') {
    return arena_strz(a, str_from(own));
  }
  if (xdg != NULL && xdg[0] == '/') {
    return path_join(a, xdg, "mirdc");
  }
  if (home != NULL && home[0] == '/') {
    return path_join(a, home, ".cache/mirdc");
  }
  return arena_strz(a, STR("/tmp/mirdc-cache"));
}

static struct dep *add_dep(struct deps *d, const struct unit *u) {
  struct dep *dep = arena_new(d->arena, struct dep);
  dep->unit = *u;
  str stem =
      arena_printf(d->arena, "lib%.*s%.*s", STR_ARG(u->crate_name), STR_ARG(u->extra_filename));
  *map_put(&d->by_stem, stem, NULL) = (uintptr_t)dep;
  vec_push(d->arena, &d->all, dep);
  return dep;
}

/* Units that cannot be read as device code (build scripts for odd targets, say) are left out. */
static bool read_records(struct deps *d, struct diag_sink *s, const char *dir) {
  str *names = NULL;
  size_t n = 0;
  if (!fs_list(d->arena, dir, &names, &n)) {
    diag_error(s, MD0147, SPAN_NONE, "cannot read the folder of recorded commands `%s`", dir);
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    struct unit u;
    struct diag_sink quiet;
    if (!str_ends(names[i], STR(".json"))) {
      continue;
    }
    char *path = path_join(d->arena, dir, arena_strz(d->arena, names[i]));
    diag_sink_init(&quiet, s->sources);
    bool ok = deps_read_record(&quiet, d->arena, path, &d->tc, &u);
    bool damaged = !ok && quiet.first != NULL && quiet.first->code == MD0147;
    diag_sink_free(&quiet);
    if (damaged) {
      return deps_read_record(s, d->arena, path, &d->tc, &u);
    }
    if (ok) {
      (void)add_dep(d, &u);
    }
  }
  return true;
}

bool deps_open(struct diag_sink *s, struct arena *a, const struct toolchain *tc,
               const char *record_dir, const char *cache_dir, struct deps **out) {
  struct deps *d = arena_new(a, struct deps);
  d->arena = a;
  d->tc = *tc;
  d->cache_dir = path_join(a, cache_dir, "deps");
  *out = d;
  return record_dir == NULL || read_records(d, s, record_dir);
}

void deps_close(struct deps *d) {
  if (d != NULL) {
    map_free(&d->by_stem);
  }
}

static void add_dir(struct deps *d, char *dir) {
  for (size_t i = 0; i < d->dirs.n; i++) {
    if (strcmp(d->dirs.p[i], dir) == 0) {
      return;
    }
  }
  vec_push(d->arena, &d->dirs, dir);
}

static bool is_dylib(const char *path) {
  str p = str_from(path);
  return str_ends(p, STR(".so")) || str_ends(p, STR(".dylib")) || str_ends(p, STR(".dll"));
}

static bool prepare_externs(struct deps *d, struct diag_sink *s, struct unit *u, struct hasher *h);

static struct build_request request(struct deps *d, struct dep *dep) {
  return (struct build_request){.unit = &dep->unit,
                                .cache_dir = d->cache_dir,
                                .lib_dirs = d->dirs.p,
                                .n_lib_dirs = d->dirs.n,
                                .externs = dep->externs};
}

void deps_list_inputs(struct deps *d, struct depends *out) {
  d->made_of = out;
}

static void list_inputs(struct deps *d, const struct built *b) {
  struct bytes text;
  if (d->made_of == NULL) {
    return;
  }
  if (fs_try_read(b->inputs, (size_t)64 << 20, &text) != 0) {
    depends_doubt(d->made_of, b->inputs);
    return;
  }
  depends_lines(d->made_of, (str){(const char *)text.p, text.n});
  bytes_free(&text);
}

static bool build_dep(struct deps *d, struct diag_sink *s, struct dep *dep) {
  if (dep->state != DEP_NEW) {
    return dep->state == DEP_DONE; /* rustc's graphs have no cycles; a forged one ends here */
  }
  struct hasher *h = hash_new();
  dep->state = DEP_BUSY;
  bool ok = prepare_externs(d, s, &dep->unit, h);
  dep->externs = hash_finish(h);
  struct build_request req = request(d, dep);
  ok = ok && deps_build(s, d->arena, &req, &dep->built);
  dep->state = ok ? DEP_DONE : DEP_FAILED;
  if (ok) {
    d->n_runs += dep->built.n_runs;
    list_inputs(d, &dep->built);
    add_dir(d, dep->built.dir);
  }
  return ok;
}

/* Cargo builds proc macros under the same name again when their source changes; metadata made with the
 * old one does not fit the new one. */
static void hash_state(struct hasher *h, const char *path) {
  struct stat st;
  if (stat(path, &st) == 0) {
    hash_field_u64(h, STR("size"), (uint64_t)st.st_size);
    hash_field_u64(h, STR("seconds"), (uint64_t)st.st_mtim.tv_sec);
    hash_field_u64(h, STR("nanoseconds"), (uint64_t)st.st_mtim.tv_nsec);
  }
}

/* Replaces the paths of the unit's externs, and hashes what they come to. */
static bool prepare_externs(struct deps *d, struct diag_sink *s, struct unit *u, struct hasher *h) {
  for (size_t i = 0; i < u->externs.n; i++) {
    struct unit_extern *e = &u->externs.p[i];
    hash_field(h, STR("extern"), e->name);
    if (e->path == NULL) {
      continue;
    }
    uintptr_t *p =
        is_dylib(e->path) ? NULL : map_get(&d->by_stem, path_stem(path_base(str_from(e->path))));
    if (p != NULL) {
      struct dep *dep = (struct dep *)*p;
      if (!build_dep(d, s, dep)) {
        return false;
      }
      e->path = dep->built.file;
    } else {
      hash_state(h, e->path);
    }
    hash_field(h, STR("path"), str_from(e->path));
  }
  return true;
}

/* Value of `key = "…"` in a Cargo.toml that is our own. */
static str manifest_value(struct arena *a, const char *crate_dir, const char *key) {
  struct bytes b = {0};
  str found = STR_NULL;
  if (fs_try_read(path_join(a, crate_dir, "Cargo.toml"), (size_t)1 << 20, &b) != 0) {
    return STR_NULL;
  }
  str rest = {(const char *)b.p, b.n};
  str line;
  while (found.n == 0 && str_next_line(&rest, &line)) {
    size_t eq = str_find_char(line, '=', 0);
    if (eq != SIZE_MAX && str_eqz(str_trim(str_sub(line, 0, eq)), key)) {
      str v = str_trim(str_drop(line, eq + 1));
      size_t close = v.n > 0 ? str_find_char(v, '"', 1) : SIZE_MAX;
      found = v.n > 1 && v.p[0] == '"' && close != SIZE_MAX ? arena_str(a, str_sub(v, 1, close))
                                                            : STR_NULL;
    }
  }
  bytes_free(&b);
  return found;
}

/* A unit for one of the device crates, as Cargo would compile it. */
static bool own_crate(struct deps *d, struct diag_sink *s, const char *crates, const char *folder,
                      const char *name, const struct unit *user, struct unit *out) {
  char *dir = path_join(d->arena, crates, folder);
  str edition = manifest_value(d->arena, dir, "edition");
  str version = manifest_value(d->arena, dir, "version");
  bool macros = strcmp(name, "mirdc_macros") == 0;
  char *argv[6];
  argv[0] = path_join(d->arena, dir, "src/lib.rs");
  argv[1] = arena_strz(d->arena, arena_printf(d->arena, "--crate-name=%s", name));
  argv[2] = arena_strz(d->arena,
                       arena_printf(d->arena, "--crate-type=%s", macros ? "proc-macro" : "lib"));
  argv[3] = arena_strz(d->arena, arena_printf(d->arena, "--edition=%.*s",
                                              STR_ARG(edition.n > 0 ? edition : STR("2021"))));
  argv[4] = arena_strz(d->arena, arena_printf(d->arena, "-Coverflow-checks=%s",
                                              user->overflow_checks ? "on" : "off"));
  argv[5] = arena_strz(d->arena, arena_printf(d->arena, "-Cdebug-assertions=%s",
                                              user->debug_assertions ? "on" : "off"));
  *out = (struct unit){.tc = d->tc};
  str env[3] = {arena_printf(d->arena, "CARGO_MANIFEST_DIR=%s", dir),
                arena_printf(d->arena, "CARGO_PKG_NAME=%s", folder),
                arena_printf(d->arena, "CARGO_PKG_VERSION=%.*s", STR_ARG(version))};
  for (size_t i = 0; i < COUNT_OF(env); i++) {
    vec_push(d->arena, &out->env, arena_strz(d->arena, env[i]));
  }
  return unit_parse(s, d->arena, out, (int)COUNT_OF(argv), argv);
}

static void push_extern(struct deps *d, struct unit *u, const char *name, char *path) {
  struct unit_extern e = {str_from(name), STR_NULL, path};
  vec_push(d->arena, &u->externs, e);
}

static bool add_device_crate(struct deps *d, struct diag_sink *s, struct unit *u) {
  for (size_t i = 0; i < u->externs.n; i++) {
    if (str_eqz(u->externs.p[i].name, "mirdc")) {
      return true;
    }
  }
  char *crates = unit_find_crates(s, d->arena);
  struct unit macros;
  struct unit device;
  if (crates == NULL || !own_crate(d, s, crates, "mirdc-macros", "mirdc_macros", u, &macros)) {
    return false;
  }
  struct dep *m = add_dep(d, &macros);
  if (!build_dep(d, s, m) || !own_crate(d, s, crates, "mirdc", "mirdc", u, &device)) {
    return false;
  }
  push_extern(d, &device, "mirdc_macros", m->built.file);
  struct dep *c = add_dep(d, &device);
  if (!build_dep(d, s, c)) {
    return false;
  }
  push_extern(d, u, "mirdc", c->built.file);
  return true;
}

bool deps_prepare(struct deps *d, struct diag_sink *s, struct unit *u) {
  if (u->uses_device_crate && !add_device_crate(d, s, u)) {
    return false;
  }
  for (size_t i = 0; i < d->all.n; i++) {
    d->all.p[i]->unit.debug = u->debug;
  }
  struct hasher *h = hash_new();
  bool ok = prepare_externs(d, s, u, h);
  hash_drop(h);
  return ok;
}

size_t deps_lib_dirs(const struct deps *d, char ***dirs) {
  *dirs = d->dirs.p;
  return d->dirs.n;
}

static struct dep *find_dep(struct deps *d, str crate_name) {
  for (size_t i = 0; i < d->all.n; i++) {
    if (d->all.p[i]->state == DEP_DONE && !d->all.p[i]->unit.is_proc_macro &&
        str_eq(d->all.p[i]->unit.crate_name, crate_name)) {
      return d->all.p[i];
    }
  }
  return NULL;
}

const struct unit *deps_bodies(struct deps *d, struct diag_sink *s, str crate_name, str *mir) {
  struct dep *dep = find_dep(d, crate_name);
  struct built built;
  struct bytes text = {0};
  if (dep == NULL) {
    return NULL;
  }
  struct build_request req = request(d, dep);
  req.bodies = true;
  if (!deps_build(s, d->arena, &req, &built) || fs_try_read(built.file, (size_t)8 << 30, &text) != 0) {
    return NULL;
  }
  d->n_runs += built.n_runs;
  list_inputs(d, &built);
  *mir = arena_str(d->arena, (str){(const char *)text.p, text.n});
  bytes_free(&text);
  return &dep->unit;
}

unsigned deps_runs(const struct deps *d) {
  return d->n_runs;
}
