/* Names and folders of artifacts. */
#include "bundles/artifact.h"

#include <stdlib.h>

#include "base/fs.h"
#include "bundles/arch.h"

struct artifact_row {
  const char *name, *ext;
  bool per_arch;
};
static const struct artifact_row rows[] = {
#define ARTIFACT(e, name, ext, per_arch) {name, ext, per_arch},
#include "bundles/artifact.def"
#undef ARTIFACT
};

const char *artifact_kind_name(enum artifact_kind k) {
  return rows[k].name;
}

bool artifact_kind_per_arch(enum artifact_kind k) {
  return rows[k].per_arch;
}

bool artifact_kind_parse(str name, enum artifact_kind *out) {
  for (unsigned i = 0; i < COUNT_OF(rows); i++) {
    if (str_eqz(name, rows[i].name)) {
      *out = (enum artifact_kind)i;
      return true;
    }
  }
  return false;
}

static const char *const unit_names[UNIT_KINDS] = {"file",    "lib",   "bin",  "test",
                                                   "example", "bench", "build"};

const char *unit_kind_name(enum unit_kind k) {
  return unit_names[k];
}

bool unit_kind_parse(str name, enum unit_kind *out) {
  static const char *const libs[] = {"rlib", "dylib", "cdylib", "staticlib", "proc-macro"};
  for (unsigned i = 0; i < UNIT_KINDS; i++) {
    if (str_eqz(name, unit_names[i])) {
      *out = (enum unit_kind)i;
      return true;
    }
  }
  for (size_t i = 0; i < COUNT_OF(libs); i++) {
    if (str_eqz(name, libs[i])) {
      *out = UNIT_LIB;
      return true;
    }
  }
  if (str_eqz(name, "custom-build")) {
    *out = UNIT_BUILD;
    return true;
  }
  return false;
}

str artifact_profile_dir(str profile) {
  if (profile.n == 0 || str_eqz(profile, "dev") || str_eqz(profile, "test"))
    return STR("debug");
  if (str_eqz(profile, "bench"))
    return STR("release");
  return profile;
}

str artifact_stem(str path) {
  static const char *const ends[] = {".pmir.json", ".smir.json", ".record.json", ".nvvm.ll",
                                     ".mirdc.o"};
  str base = path_base(path);
  for (size_t i = 0; i < COUNT_OF(ends); i++) {
    str end = str_from(ends[i]);
    if (base.n > end.n && str_ends(base, end))
      return str_sub(base, 0, base.n - end.n);
  }
  return path_stem(path);
}

/* One part of a file name. Dots separate the parts, so only a loose file's stem may hold them. */
static bool part_ok(struct diag_sink *s, const char *what, str part, bool dots) {
  const char *why = NULL;
  if (part.n == 0)
    why = "is empty";
  else if (part.n > 200)
    why = "is longer than 200 bytes";
  else if (part.p[0] == '.' || part.p[0] == '-')
    why = "starts with a dot or a hyphen";
  for (size_t i = 0; why == NULL && i < part.n; i++) {
    unsigned char c = (unsigned char)part.p[i];
    if (c == '/' || c < 0x20 || c == 0x7f)
      why = "holds a slash or a control character";
    else if (c == '.' && !dots)
      why = "holds a dot";
  }
  if (why == NULL)
    return true;
  struct diag *d = diag_error(s, MD0530, SPAN_NONE, "%s `%.*s` %s", what, STR_ARG(part), why);
  diag_help(d, "choose another name, or say where the output goes with `-o PATH`");
  return false;
}

/* What stands between the stem and the extension: [.uN].ARCH, or nothing. */
static bool tail_part(struct diag_sink *s, struct arena *a, struct artifact_part part, str *out) {
  struct gpu_arch parsed;
  *out = STR("");
  if (!rows[part.kind].per_arch)
    return true;
  if (!gpu_arch_parse(part.arch, &parsed)) {
    diag_error(s, MD0530, SPAN_NONE, "`%.*s` is no architecture to name a %s after",
               STR_ARG(part.arch), rows[part.kind].name);
    return false;
  }
  *out = part.several_units ? arena_printf(a, ".u%u.%.*s", part.link_unit, STR_ARG(part.arch))
                            : arena_printf(a, ".%.*s", STR_ARG(part.arch));
  return true;
}

static bool unit_ok(struct diag_sink *s, const struct artifact_unit *u) {
  if (!part_ok(s, "target name", u->target, u->kind == UNIT_FILE))
    return false;
  if (u->kind == UNIT_FILE)
    return true;
  if (!part_ok(s, "package name", u->package, false))
    return false;
  if (u->profile.n > 0 && !part_ok(s, "profile", u->profile, false))
    return false;
  /* A custom target is a JSON file; Cargo's folder is its stem, which may hold dots. */
  if (u->triple.n > 0 && !part_ok(s, "target triple", u->triple, true))
    return false;
  return u->unit_hash.n == 0 || part_ok(s, "unit hash", u->unit_hash, false);
}

static char *unit_dir(struct arena *a, const char *root, const struct artifact_unit *u) {
  const char *dir = root;
  if (u->kind == UNIT_FILE)
    return arena_strz(a, str_from(root));
  if (u->triple.n > 0)
    dir = path_join(a, dir, arena_strz(a, u->triple));
  dir = path_join(a, dir, arena_strz(a, artifact_profile_dir(u->profile)));
  if (u->unit_hash.n > 0)
    dir = path_join(a, dir, arena_strz(a, u->unit_hash));
  return arena_strz(a, str_from(dir));
}

/* Test and bench targets are always harness builds; the mark is for targets that exist twice. */
static const char *unit_test_mark(const struct artifact_unit *u) {
  bool twice = u->kind == UNIT_LIB || u->kind == UNIT_BIN || u->kind == UNIT_EXAMPLE;
  return u->test && twice ? ".test" : "";
}

static char *file_name(struct arena *a, str stem, str tail, const char *ext) {
  return arena_strz(a, arena_printf(a, "%.*s%.*s.%s", STR_ARG(stem), STR_ARG(tail), ext));
}

bool artifact_place(struct diag_sink *s, struct arena *a, const char *root,
                    const struct artifact_unit *u, struct artifact_part part,
                    struct artifact_place *out) {
  str tail;
  if (!unit_ok(s, u) || !tail_part(s, a, part, &tail))
    return false;
  str stem = u->target;
  if (u->kind != UNIT_FILE)
    stem = arena_printf(a, "%.*s.%s.%.*s%s", STR_ARG(u->package), unit_names[u->kind],
                        STR_ARG(u->target), unit_test_mark(u));
  out->dir = unit_dir(a, root, u);
  out->file = file_name(a, stem, tail, rows[part.kind].ext);
  out->path = path_join(a, out->dir, out->file);
  return true;
}

bool artifact_place_beside(struct diag_sink *s, struct arena *a, const char *path,
                           enum artifact_kind main, struct artifact_part part,
                           struct artifact_place *out) {
  str tail;
  str base = path_base(str_from(path));
  if (!tail_part(s, a, part, &tail) || !part_ok(s, "output name", base, true))
    return false;
  out->dir = arena_strz(a, path_dir(str_from(path)));
  out->file = arena_strz(a, base);
  if (part.kind != main) {
    str end = arena_printf(a, ".%s", rows[main].ext);
    bool plain = base.n > end.n && str_ends(base, end);
    str stem = plain ? str_sub(base, 0, base.n - end.n) : base;
    out->file = file_name(a, stem, tail, rows[part.kind].ext);
  }
  out->path = path_join(a, out->dir, out->file);
  if (part.kind == main)
    out->path = arena_strz(a, str_from(path));
  return true;
}

/* Equal but for hyphens and underscores. */
static bool same_but_hyphens(str x, str y) {
  if (x.n != y.n)
    return false;
  for (size_t i = 0; i < x.n; i++) {
    char c = x.p[i] == '-' ? '_' : x.p[i], d = y.p[i] == '-' ? '_' : y.p[i];
    if (c != d)
      return false;
  }
  return true;
}

static void report_absent(struct diag_sink *s, const struct artifact_place *want, const str *near,
                          size_t n) {
  struct diag *d =
      diag_error(s, MD0532, SPAN_NONE,
                 n == 0 ? "no artifact `%s` in %s" : "several artifacts match `%s` in %s",
                 want->file, want->dir);
  for (size_t i = 0; i < n; i++)
    diag_help(d, "one candidate: `%.*s`", STR_ARG(near[i]));
  if (n == 0)
    diag_help(d, "build the target first; names are those of `cargo metadata`");
}

bool artifact_find(struct diag_sink *s, struct arena *a, const char *root,
                   const struct artifact_unit *u, struct artifact_part part,
                   struct artifact_place *out) {
  if (!artifact_place(s, a, root, u, part, out))
    return false;
  if (fs_exists(out->path))
    return true;
  str *names = NULL;
  size_t n = 0, n_near = 0;
  if (!fs_list(a, out->dir, &names, &n))
    n = 0;
  str *near = arena_array(a, str, n + 1);
  for (size_t i = 0; i < n; i++) {
    if (same_but_hyphens(names[i], str_from(out->file)))
      near[n_near++] = names[i];
  }
  if (n_near != 1) {
    report_absent(s, out, near, n_near);
    return false;
  }
  out->file = arena_strz(a, near[0]);
  out->path = path_join(a, out->dir, out->file);
  return true;
}
