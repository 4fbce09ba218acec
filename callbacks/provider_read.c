/* Reads a manifest strictly: unknown members, names that are not declared and ranges without a value are
 * refused where they stand. */
#include <string.h>

#include "base/json_member.h"
#include "callbacks/provider.h"

struct reader {
  struct arena *a;
  struct provider *p;
  struct provider_entry *e;
};

enum { MAX_NAME = 64, MAX_GENERICS = 16, MAX_ARGS = 16, MAX_CONST = 0x7fffffff };

static bool is_word(str s) {
  for (size_t i = 0; i < s.n; i++) {
    char c = s.p[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || c < '0' || c > '9'))
      return false;
  }
  return s.n > 0 && s.n <= MAX_NAME;
}

/* `a::b::c` */
static bool is_cxx_path(str s) {
  size_t at;
  while ((at = str_find(s, STR("::"), 0)) != SIZE_MAX) {
    if (!is_word(str_sub(s, 0, at)))
      return false;
    s = str_drop(s, at + 2);
  }
  return is_word(s);
}

/* A relative path that stays where it starts, and that needs no quoting in `#include`. */
static bool is_inner_path(str s) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+/";
  size_t part = 0;
  for (size_t i = 0; i <= s.n; i++) {
    if (i < s.n && (s.p[i] == 0 || !strchr(plain, s.p[i])))
      return false;
    if (i < s.n && s.p[i] != '/')
      continue;
    str one = str_sub(s, part, i);
    if (!one.n || str_eqz(one, ".") || str_eqz(one, ".."))
      return false;
    part = i + 1;
  }
  return s.n <= 512;
}

static bool read_word(const struct json_at *o, const char *key, struct arena *a, str *out) {
  struct json_at v;
  if (!json_get_str(o, key, a, out))
    return false;
  if (is_word(*out))
    return true;
  if (json_get(o, key, &v))
    json_error_code(&v, MD0705, "expected a name of letters, digits and `_`, found `%.*s`",
                    STR_ARG(*out));
  return false;
}

static bool opt_bool(const struct json_at *o, const char *key, bool *out) {
  struct json_at v;
  return json_opt(o, key, &v) && (!v.node || json_bool(&v, out));
}

/* ---- types ---- */

static bool scalar_of(str word, uint32_t *out) {
  for (*out = 0; *out < PROVIDER_SCALARS; ++*out)
    if (str_eqz(word, provider_scalar_word((enum provider_scalar) * out)))
      return true;
  return false;
}

static bool read_type(struct reader *r, const struct json_at *v, bool result,
                      struct provider_type *out) {
  str word;
  if (!json_str(v, &word))
    return false;
  if (result && str_eqz(word, "void")) {
    out->kind = PROVIDER_VOID;
    return true;
  }
  out->kind = PROVIDER_PARAM;
  for (out->id = 0; out->id < r->e->n_types; out->id++)
    if (str_eq(r->e->types[out->id].name, word))
      return true;
  out->kind = PROVIDER_FIXED;
  if (scalar_of(word, &out->id))
    return true;
  json_error_code(v, MD0706, "`%.*s` is neither a scalar nor a type parameter of this entry",
                  STR_ARG(word));
  return false;
}

static bool read_one_of(const struct json_at *o, uint32_t *out) {
  struct json_at list, v;
  if (!json_get(o, "one_of", &list))
    return false;
  JSON_EACH(&list, v) {
    str word;
    uint32_t s;
    if (!json_str(&v, &word))
      return false;
    if (!scalar_of(word, &s)) {
      json_error_code(&v, MD0706, "`%.*s` is no scalar", STR_ARG(word));
      return false;
    }
    *out |= 1u << s;
  }
  if (!*out)
    json_error_code(&list, MD0707, "no type is offered");
  return *out != 0;
}

/* ---- generics ---- */

static bool name_is_new(struct reader *r, const struct json_at *at, str name) {
  const struct provider_entry *e = r->e;
  bool taken = false;
  uint32_t s;
  for (size_t i = 0; i < e->n_types; i++)
    taken |= str_eq(e->types[i].name, name);
  for (size_t i = 0; i < e->n_consts; i++)
    taken |= str_eq(e->consts[i].name, name);
  for (size_t i = 0; i < e->n_callbacks; i++)
    taken |= str_eq(e->callbacks[i].name, name);
  if (taken || scalar_of(name, &s))
    json_error_code(at, MD0705, "`%.*s` is declared already", STR_ARG(name));
  return !taken && !scalar_of(name, &s);
}

static bool read_type_param(struct reader *r, const struct json_at *at) {
  static const char *const keys[] = {"type", "one_of", NULL};
  struct provider_type_param t = {0};
  if (!json_only(at, keys) || !read_word(at, "type", r->a, &t.name) ||
      !name_is_new(r, at, t.name) || !read_one_of(at, &t.one_of))
    return false;
  r->e->types[r->e->n_types++] = t;
  return true;
}

static bool offers_any(const struct provider_const *c) {
  uint64_t m = c->multiple_of, first = m ? (c->min + m - 1) / m * m : 0;
  if (!m || !c->power_of_two)
    return m && first <= c->max;
  for (uint64_t v = 1; v <= c->max; v *= 2)
    if (provider_const_offers(c, v))
      return true;
  return false;
}

static bool read_const(struct reader *r, const struct json_at *at) {
  static const char *const keys[] = {"const", "min", "max", "multiple_of", "power_of_two",
                                     NULL};
  struct provider_const c = {.multiple_of = 1};
  struct json_at v;
  if (!json_only(at, keys) || !read_word(at, "const", r->a, &c.name) ||
      !name_is_new(r, at, c.name) || !json_get_u64(at, "min", MAX_CONST, &c.min) ||
      !json_get_u64(at, "max", MAX_CONST, &c.max) || !json_opt(at, "multiple_of", &v) ||
      (v.node && !json_u64(&v, MAX_CONST, &c.multiple_of)) ||
      !opt_bool(at, "power_of_two", &c.power_of_two))
    return false;
  if (!offers_any(&c)) {
    json_error_code(at, MD0707, "no number is offered for `%.*s`", STR_ARG(c.name));
    return false;
  }
  r->e->consts[r->e->n_consts++] = c;
  return true;
}

static bool read_callback(struct reader *r, const struct json_at *at) {
  static const char *const keys[] = {"callback", "args", "ret", NULL};
  struct provider_callback c = {0};
  struct json_at args, v, ret;
  if (!json_only(at, keys) || !read_word(at, "callback", r->a, &c.name) ||
      !name_is_new(r, at, c.name) || !json_get(at, "args", &args) || !json_get(at, "ret", &ret) ||
      !read_type(r, &ret, true, &c.ret))
    return false;
  size_t n;
  if (!json_len(&args, &n))
    return false;
  if (n > MAX_ARGS) {
    json_error_code(&args, MD0707, "a callback has at most %d arguments", MAX_ARGS);
    return false;
  }
  c.args = arena_array(r->a, struct provider_type, n + 1);
  JSON_EACH(&args, v) {
    if (!read_type(r, &v, false, &c.args[c.n_args++]))
      return false;
  }
  r->e->callbacks[r->e->n_callbacks++] = c;
  return true;
}

static bool read_generic(struct reader *r, const struct json_at *at) {
  struct provider_entry *e = r->e;
  struct json_at type, number;
  if (!json_opt(at, "type", &type) || !json_opt(at, "const", &number))
    return false;
  struct provider_generic g;
  if (type.node)
    g = (struct provider_generic){GENERIC_TYPE, (uint32_t)e->n_types};
  else if (number.node)
    g = (struct provider_generic){GENERIC_CONST, (uint32_t)e->n_consts};
  else
    g = (struct provider_generic){GENERIC_CALLBACK, (uint32_t)e->n_callbacks};
  e->generics[e->n_generics++] = g;
  return type.node ? read_type_param(r, at) : number.node ? read_const(r, at) : read_callback(r, at);
}

static bool read_generics(struct reader *r, const struct json_at *at) {
  struct json_at list, v;
  size_t n;
  if (!json_get(at, "generics", &list) || !json_len(&list, &n))
    return false;
  if (n > MAX_GENERICS) {
    json_error_code(&list, MD0707, "an entry has at most %d generics", MAX_GENERICS);
    return false;
  }
  struct provider_entry *e = r->e;
  e->generics = arena_array(r->a, struct provider_generic, n + 1);
  e->types = arena_array(r->a, struct provider_type_param, n + 1);
  e->consts = arena_array(r->a, struct provider_const, n + 1);
  e->callbacks = arena_array(r->a, struct provider_callback, n + 1);
  JSON_EACH(&list, v) {
    if (!read_generic(r, &v))
      return false;
  }
  return true;
}

/* ---- arguments ---- */

static bool find_callback(struct reader *r, const struct json_at *v, uint32_t *out) {
  str name;
  if (!json_str(v, &name))
    return false;
  for (*out = 0; *out < r->e->n_callbacks; ++*out)
    if (str_eq(r->e->callbacks[*out].name, name))
      return true;
  json_error_code(v, MD0706, "`%.*s` is no callback of this entry", STR_ARG(name));
  return false;
}

static bool find_const(struct reader *r, const struct json_at *v, uint32_t *out) {
  str name;
  if (!json_str(v, &name))
    return false;
  for (*out = 0; *out < r->e->n_consts; ++*out)
    if (str_eq(r->e->consts[*out].name, name))
      return true;
  json_error_code(v, MD0706, "`%.*s` is no constant of this entry", STR_ARG(name));
  return false;
}

static bool read_data_arg(struct reader *r, const struct json_at *at, struct provider_arg *out) {
  static const char *const keys[] = {"name", "type", "pass", "len", NULL};
  static const char *const passes[] = {"value", "in", "out", "inout", NULL};
  static const enum provider_pass kinds[] = {PASS_VALUE, PASS_IN, PASS_OUT, PASS_INOUT};
  struct json_at type, pass, len;
  unsigned p = 0;
  if (!json_only(at, keys) || !json_get(at, "type", &type) ||
      !read_type(r, &type, false, &out->type) || !json_opt(at, "pass", &pass) ||
      (pass.node && !json_enum(&pass, passes, &p)) || !json_opt(at, "len", &len) ||
      (len.node && !find_const(r, &len, &out->len)))
    return false;
  out->pass = kinds[p];
  out->array = len.node != NULL;
  if (out->array && out->pass == PASS_VALUE) {
    json_error_code(&len, MD0707, "an array is passed as `in`, `out` or `inout`");
    return false;
  }
  return true;
}

static bool read_arg(void *context, const struct json_at *at, void *out) {
  static const char *const keys[] = {"name", "callback", NULL};
  struct reader *r = context;
  struct provider_arg *arg = out;
  struct json_at callback;
  if (!json_opt(at, "callback", &callback) || !read_word(at, "name", r->a, &arg->name))
    return false;
  if (!callback.node)
    return read_data_arg(r, at, arg);
  arg->pass = PASS_CALLBACK;
  return json_only(at, keys) && find_callback(r, &callback, &arg->callback);
}

static bool read_args(struct reader *r, const struct json_at *at) {
  struct json_at list;
  void *args = NULL;
  if (!json_get_list(at, "args", r->a, sizeof *r->e->args, read_arg, r, &args, &r->e->n_args) ||
      !json_get(at, "args", &list))
    return false;
  r->e->args = args;
  if (r->e->n_args > MAX_ARGS) {
    json_error_code(&list, MD0707, "an entry has at most %d arguments", MAX_ARGS);
    return false;
  }
  for (size_t c = 0; c < r->e->n_callbacks; c++) {
    unsigned uses = 0;
    for (size_t i = 0; i < r->e->n_args; i++)
      uses += r->e->args[i].pass == PASS_CALLBACK && r->e->args[i].callback == c;
    if (uses == 1)
      continue;
    json_error_code(&list, MD0706, "callback `%.*s` is %u arguments, expected one",
                    STR_ARG(r->e->callbacks[c].name), uses);
    return false;
  }
  return true;
}

/* ---- what an entry needs and allows ---- */

static bool read_needs(struct reader *r, const struct json_at *at) {
  static const char *const keys[] = {"scope", "block", "converged", NULL};
  static const char *const scopes[] = {"thread", "warp", "block", NULL};
  struct provider_entry *e = r->e;
  struct json_at needs, block;
  unsigned scope;
  e->block = PROVIDER_NONE;
  if (!json_get(at, "needs", &needs) || !json_only(&needs, keys) ||
      !json_get_enum(&needs, "scope", scopes, &scope) || !json_opt(&needs, "block", &block) ||
      (block.node && !find_const(r, &block, &e->block)))
    return false;
  e->scope = (enum provider_scope)scope;
  e->converged = e->scope != PROVIDER_THREAD;
  if (!opt_bool(&needs, "converged", &e->converged))
    return false;
  if (e->scope != PROVIDER_THREAD || !e->converged)
    return true;
  json_error_code(&needs, MD0707, "an entry of one thread has nobody to meet");
  return false;
}

static bool read_promises(struct reader *r, const struct json_at *at) {
  static const char *const algebra_keys[] = {"associative", "commutative", NULL};
  static const char *const allows_keys[] = {"traps", "thread_index", NULL};
  static const char *const reuses[] = {"safe", "caller-syncs", NULL};
  struct provider_entry *e = r->e;
  struct json_at algebra, allows, reuse, arch;
  unsigned syncs = 0;
  uint32_t cc = 75;
  if (!json_opt(at, "algebra", &algebra) || !json_opt(at, "allows", &allows) ||
      !json_opt(at, "reuse", &reuse) || !json_opt(at, "min_arch", &arch))
    return false;
  if (algebra.node &&
      (!json_only(&algebra, algebra_keys) || !opt_bool(&algebra, "associative", &e->associative) ||
       !opt_bool(&algebra, "commutative", &e->commutative)))
    return false;
  if (allows.node && (!json_only(&allows, allows_keys) || !opt_bool(&allows, "traps", &e->allow_traps) ||
                      !opt_bool(&allows, "thread_index", &e->allow_thread_index)))
    return false;
  if ((reuse.node && !json_enum(&reuse, reuses, &syncs)) || (arch.node && !json_u32(&arch, 999, &cc)))
    return false;
  e->caller_syncs = syncs == 1;
  e->min_arch = cc;
  return true;
}

static bool read_template(struct reader *r, const struct json_at *at) {
  struct provider_entry *e = r->e;
  struct json_at file, function;
  if (!json_get(at, "template", &file) || !json_get_str(at, "template", r->a, &e->file) ||
      !json_get(at, "function", &function) || !json_get_str(at, "function", r->a, &e->function))
    return false;
  if (!is_inner_path(e->file))
    json_error_code(&file, MD0708, "expected the path of a file in the provider's folder, found `%.*s`",
                    STR_ARG(e->file));
  else if (!is_cxx_path(e->function))
    json_error_code(&function, MD0705, "expected the name of a C++ function template, found `%.*s`",
                    STR_ARG(e->function));
  else
    return true;
  return false;
}

static bool read_entry(struct reader *r, const struct json_at *at) {
  static const char *const keys[] = {"template", "function", "generics", "args",  "returns", "needs",
                                     "algebra",  "allows",   "reuse",    "min_arch", NULL};
  struct json_at returns;
  r->e->name = arena_str(r->a, at->key);
  if (!is_word(at->key)) {
    json_error_code(at, MD0705, "expected a name of letters, digits and `_`, found `%.*s`",
                    STR_ARG(at->key));
    return false;
  }
  return json_only(at, keys) && read_template(r, at) && read_generics(r, at) && read_args(r, at) &&
         json_get(at, "returns", &returns) && read_type(r, &returns, true, &r->e->returns) &&
         read_needs(r, at) && read_promises(r, at);
}

static bool read_entries(struct reader *r, const struct json_at *root) {
  struct json_at entries, v;
  size_t n = 0;
  if (!json_get(root, "entries", &entries))
    return false;
  if (json_kind(&entries) != JSON_OBJECT) {
    json_error(&entries, "expected an object");
    return false;
  }
  JSON_EACH(&entries, v)
    n++;
  r->p->entries = arena_array(r->a, struct provider_entry, n + 1);
  JSON_EACH(&entries, v) {
    r->e = &r->p->entries[r->p->n_entries++];
    if (!read_entry(r, &v))
      return false;
  }
  return true;
}

static bool read_includes(struct reader *r, const struct json_at *root) {
  static const char *const roots[] = {".", "cccl", "cuda", NULL}; /* the folder itself is always there */
  struct json_at include, computed, v;
  size_t n;
  if (!json_opt(root, "include", &include) || !json_opt(root, "computed_includes", &computed))
    return false;
  if (include.node)
    JSON_EACH(&include, v) {
      unsigned which;
      if (!json_enum(&v, roots, &which))
        return false;
      r->p->cccl |= which == 1;
      r->p->cuda |= which == 2;
    }
  if (!computed.node)
    return true;
  if (!json_len(&computed, &n))
    return false;
  r->p->computed_includes = arena_array(r->a, str, n + 1);
  JSON_EACH(&computed, v) {
    str name;
    if (!json_str(&v, &name))
      return false;
    if (!is_inner_path(name)) {
      json_error_code(&v, MD0708, "`%.*s` cannot be the name of a header", STR_ARG(name));
      return false;
    }
    r->p->computed_includes[r->p->n_computed_includes++] = arena_str(r->a, name);
  }
  return true;
}

static bool read_provider(struct reader *r, const struct json_at *root, str folder) {
  static const char *const keys[] = {"mirdc_provider",    "name",    "include",
                                     "computed_includes", "entries", NULL};
  struct json_at version, name;
  uint64_t v;
  if (!json_get(root, "mirdc_provider", &version) || !json_u64(&version, UINT64_MAX, &v))
    return false;
  if (v != 1) {
    json_error_code(&version, MD0703, "version %llu of manifests is unknown, expected 1",
                    (unsigned long long)v);
    return false;
  }
  if (!json_only(root, keys) || !read_word(root, "name", r->a, &r->p->name) ||
      !json_get(root, "name", &name))
    return false;
  if (!str_eq(r->p->name, folder)) {
    json_error_code(&name, MD0704, "provider `%.*s` lies in a folder `%.*s`", STR_ARG(r->p->name),
                    STR_ARG(folder));
    return false;
  }
  return read_includes(r, root) && read_entries(r, root);
}

struct provider *provider_parse(struct diag_sink *s, struct arena *a, str text, str shown, str dir,
                                str name) {
  struct json_text t = {text, shown, s, MD0701, MD0702};
  struct arena tree = {0};
  struct json_doc *doc;
  struct reader r = {.a = a, .p = arena_new(a, struct provider)};
  bool ok = json_parse_all(&t, &tree, &doc);
  if (ok) {
    struct json_at root = json_root(doc);
    r.p->dir = arena_str(a, dir);
    r.p->digest = hash_of(text.p, text.n);
    r.p->manifest = arena_str(a, shown);
    ok = read_provider(&r, &root, name);
  }
  arena_free(&tree);
  return ok ? r.p : NULL;
}
