/* The head of a dump: schema, version, capabilities, producer, target, unit, files. */
#include <string.h>

#include "ir/pmir_reader.h"

enum { PMIR_VERSION = 1, MAX_UNKNOWN = 5 };

static bool parse_member(struct pm_reader *r, const char *name, struct json_doc **d) {
  const struct json_member *m = json_member(&r->o, str_from(name));
  if (!m) {
    json_error_at(&r->t, r->t.bad_shape, r->t.text.n, STR_NULL,
                  "the member `%s` is missing at the top level", name);
    return false;
  }
  str where = arena_printf(&r->scratch, "/%s", name);
  return json_parse(&r->t, m->value, &r->scratch, where, d);
}

static bool read_schema(struct pm_reader *r) {
  struct json_doc *d;
  str s;
  if (!parse_member(r, "schema", &d))
    return false;
  struct json_at at = json_root(d);
  if (!json_str(&at, &s))
    return false;
  if (str_eqz(s, "pmir"))
    return true;
  struct diag *e =
      json_error_code(&at, MD0202, "the schema is `%.*s`, not `pmir`", STR_ARG(str_sub(s, 0, 80)));
  diag_help(e, "this file is not prepared MIR");
  return false;
}

static bool read_version(struct pm_reader *r) {
  struct json_doc *d;
  uint64_t v;
  if (!parse_member(r, "version", &d))
    return false;
  struct json_at at = json_root(d);
  if (!json_u64(&at, UINT64_MAX, &v))
    return false;
  if (v == PMIR_VERSION)
    return true;
  struct diag *e =
      json_error_code(&at, MD0202, "version %llu of prepared MIR is not known; this mirdc reads 1",
                      (unsigned long long)v);
  diag_help(e, v > PMIR_VERSION
                   ? "use a newer mirdc, or make the dump with the mirdc-rustc of this one"
                   : "make the dump again with the mirdc-rustc of this mirdc");
  return false;
}

static bool read_requires(struct pm_reader *r) {
  struct json_doc *d;
  struct json_at e;
  str s;
  if (!json_member(&r->o, STR("requires")))
    return true;
  if (!parse_member(r, "requires", &d))
    return false;
  struct json_at at = json_root(d);
  size_t n;
  if (!json_len(&at, &n))
    return false;
  unsigned unknown = 0;
  JSON_EACH(&at, e) {
    if (!json_str(&e, &s))
      return false;
    if (str_eqz(s, "native"))
      continue;
    struct diag *x =
        json_error_code(&e, MD0203, "the dump needs `%.*s`, which this mirdc does not know",
                        STR_ARG(str_sub(s, 0, 80)));
    diag_help(x, "use a newer mirdc");
    if (++unknown == MAX_UNKNOWN)
      break;
  }
  return unknown == 0;
}

static bool read_strings(struct pm_reader *r, const struct json_at *at, const char *key, str **out,
                         uint32_t *n) {
  struct json_at list, e;
  size_t len;
  if (!json_get(at, key, &list) || !json_len(&list, &len))
    return false;
  *out = arena_array(&r->m->arena, str, len);
  *n = 0;
  JSON_EACH(&list, e) {
    str s;
    if (!json_str(&e, &s))
      return false;
    (*out)[(*n)++] = pm_intern(r, s);
  }
  return true;
}

static bool read_producer(struct pm_reader *r) {
  static const char *const keys[] = {"tool", "rustc", "flags", NULL};
  struct json_doc *d;
  if (!parse_member(r, "producer", &d))
    return false;
  struct json_at at = json_root(d);
  return json_only(&at, keys) && pm_get_str(r, &at, "tool", &r->m->tool) &&
         pm_get_str(r, &at, "rustc", &r->m->rustc) &&
         read_strings(r, &at, "flags", &r->m->flags, &r->m->n_flags);
}

static bool read_target(struct pm_reader *r) {
  static const char *const keys[] = {"ptr_bits", "endian", NULL};
  static const char *const endians[] = {"little", "big", NULL};
  struct json_doc *d;
  uint32_t bits;
  unsigned endian;
  if (!parse_member(r, "target", &d))
    return false;
  struct json_at at = json_root(d);
  if (!json_only(&at, keys) || !json_get_u32(&at, "ptr_bits", UINT32_MAX, &bits) ||
      !json_get_enum(&at, "endian", endians, &endian))
    return false;
  if (bits == 64 && endian == 0)
    return true;
  struct diag *e = json_error_code(
      &at, MD0206, "the unit was compiled for a %u-bit %s-endian target", bits, endians[endian]);
  diag_help(
      e, "GPUs have 64-bit pointers and are little-endian: compile the unit on a host like that");
  return false;
}

/* Arithmetic means something else with and without these two, so there is no default. */
static bool read_profile(const struct json_at *at, const char *key, bool *out) {
  struct json_at e;
  if (!json_opt(at, key, &e))
    return false;
  if (e.node)
    return json_bool(&e, out);
  struct diag *d = json_error_code(at, MD0205, "the unit does not say `%s`", key);
  diag_help(d, "the meaning of its arithmetic depends on it: make the dump again with mirdc-rustc");
  return false;
}

static bool read_unit(struct pm_reader *r) {
  static const char *const keys[] = {"crate",     "edition",         "package",
                                     "opt_level", "overflow_checks", "debug_assertions",
                                     "cfgs",      "features",        NULL};
  struct json_doc *d;
  struct json_at e;
  struct pm_unit *u = &r->m->unit;
  if (!parse_member(r, "unit", &d))
    return false;
  struct json_at at = json_root(d);
  if (!json_only(&at, keys) || !json_opt(&at, "package", &e))
    return false;
  if (e.node && !pm_get_str(r, &at, "package", &u->package))
    return false;
  return pm_get_str(r, &at, "crate", &u->crate_name) &&
         pm_get_str(r, &at, "edition", &u->edition) &&
         pm_get_str(r, &at, "opt_level", &u->opt_level) &&
         read_profile(&at, "overflow_checks", &u->overflow_checks) &&
         read_profile(&at, "debug_assertions", &u->debug_assertions) &&
         read_strings(r, &at, "cfgs", &u->cfgs, &u->n_cfgs) &&
         read_strings(r, &at, "features", &u->features, &u->n_features);
}

static bool is_sha256(str s) {
  for (size_t i = 0; i < s.n; i++)
    if (!((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
      return false;
  return s.n == 64;
}

static bool check_path(const struct json_at *at, str path) {
  const bool drive = path.n > 1 && path.p[1] == ':';
  if (path.n && path.p[0] != '/' && path.p[0] != '\\' && !drive)
    return true;
  struct diag *d = json_error_code(at, MD0207, "the path `%.*s` is not relative",
                                   STR_ARG(str_sub(path, 0, 200)));
  diag_help(d, "paths are relative to the package, so that a build does not depend on its folder");
  return false;
}

static bool read_file(struct pm_reader *r, const struct json_at *at, struct pm_file *f) {
  static const char *const keys[] = {"path", "sha256", NULL};
  struct json_at e;
  if (!json_only(at, keys) || !pm_get_str(r, at, "path", &f->path))
    return false;
  if (!json_get(at, "path", &e) || !check_path(&e, f->path) || !json_opt(at, "sha256", &e))
    return false;
  f->source = r->t.sink->sources ? source_file_id(r->t.sink->sources, f->path) : FILE_NONE;
  if (!e.node)
    return true;
  if (!json_str(&e, &f->sha256))
    return false;
  if (!is_sha256(f->sha256)) {
    json_error(&e, "expected 64 lower-case hex digits");
    return false;
  }
  f->sha256 = arena_str(&r->m->arena, f->sha256);
  return true;
}

static bool read_files(struct pm_reader *r) {
  struct json_doc *d;
  struct json_at e;
  size_t n;
  if (!parse_member(r, "files", &d))
    return false;
  struct json_at at = json_root(d);
  if (!json_len(&at, &n))
    return false;
  r->m->files = arena_array(&r->m->arena, struct pm_file, n);
  JSON_EACH(&at, e) {
    if (!read_file(r, &e, &r->m->files[r->m->n_files]))
      return false;
    r->m->n_files++;
  }
  return true;
}

/* Schema and version come first: a newer file may differ in everything else. */
bool pm_read_header(struct pm_reader *r) {
  return read_schema(r) && read_version(r) && read_requires(r) && read_producer(r) &&
         read_target(r) && read_unit(r) && read_files(r);
}
