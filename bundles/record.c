/* Build records. */
#include "bundles/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json_member.h"
#include "base/jsonw.h"

#define RECORD_SCHEMA "mirdc-record"
#define RECORD_VERSION 1u

/* ---- Order ---- */

static int by_input(const void *x, const void *y) {
  const struct record_input *a = x, *b = y;
  int c = str_cmp(a->role, b->role);
  if (c == 0 && a->order != b->order)
    c = a->order < b->order ? -1 : 1;
  return c != 0 ? c : str_cmp(a->name, b->name);
}

static int by_option(const void *x, const void *y) {
  const struct record_option *a = x, *b = y;
  return str_cmp(a->name, b->name);
}

static int by_tool(const void *x, const void *y) {
  const struct record_tool *a = x, *b = y;
  return str_cmp(a->name, b->name);
}

static int by_output(const void *x, const void *y) {
  const struct record_output *a = x, *b = y;
  int c = str_cmp(a->kind, b->kind);
  if (c == 0)
    c = str_cmp(a->arch, b->arch);
  return c != 0 ? c : str_cmp(a->name, b->name);
}

typedef int compare_fn(const void *, const void *);

/* A sorted copy; false when two elements have one key. */
static bool sort_list(struct arena *a, const void *list, size_t n, size_t size, compare_fn *compare,
                      void **out) {
  char *copy = arena_alloc_n(a, n + 1, size, 16);
  *out = copy;
  if (n > 0)
    memcpy(copy, list, n * size);
  if (n > 1)
    qsort(copy, n, size, compare);
  for (size_t i = 1; i < n; i++) {
    if (compare(copy + (i - 1) * size, copy + i * size) == 0)
      return false;
  }
  return true;
}

static bool canonical(struct diag_sink *s, struct arena *a, const struct record *r,
                      struct record *out) {
  void *inputs, *options, *tools, *outputs;
  const char *twice = NULL;
  *out = *r;
  if (!sort_list(a, r->inputs, r->n_inputs, sizeof *r->inputs, by_input, &inputs))
    twice = "inputs";
  if (!sort_list(a, r->options, r->n_options, sizeof *r->options, by_option, &options))
    twice = "options";
  if (!sort_list(a, r->tools, r->n_tools, sizeof *r->tools, by_tool, &tools))
    twice = "tools";
  if (!sort_list(a, r->outputs, r->n_outputs, sizeof *r->outputs, by_output, &outputs))
    twice = "outputs";
  if (twice != NULL && s != NULL) {
    struct diag *d =
        diag_error(s, MD0522, SPAN_NONE, "two %s of the build record have one name", twice);
    diag_help(d, "report this as a bug in mirdc");
  }
  out->inputs = inputs;
  out->options = options;
  out->tools = tools;
  out->outputs = outputs;
  return twice == NULL;
}

/* ---- Writing ---- */

static void write_inputs(struct jsonw *w, const struct record *r) {
  jw_key(w, "inputs");
  jw_array(w);
  for (size_t i = 0; i < r->n_inputs; i++) {
    const struct record_input *in = &r->inputs[i];
    jw_object(w);
    jw_kstr(w, "role", in->role);
    jw_ku64(w, "order", in->order);
    jw_kstr(w, "name", in->name);
    jw_ku64(w, "size", in->size);
    jw_kdigest(w, "digest", &in->digest);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void write_options(struct jsonw *w, const struct record *r) {
  jw_key(w, "options");
  jw_array(w);
  for (size_t i = 0; i < r->n_options; i++) {
    jw_object(w);
    jw_kstr(w, "name", r->options[i].name);
    jw_kstr(w, "value", r->options[i].value);
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_key(w, "tools");
  jw_array(w);
  for (size_t i = 0; i < r->n_tools; i++) {
    jw_object(w);
    jw_kstr(w, "name", r->tools[i].name);
    jw_kstr(w, "version", r->tools[i].version);
    jw_kdigest(w, "digest", &r->tools[i].digest);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void write_outputs(struct jsonw *w, const struct record *r) {
  jw_key(w, "outputs");
  jw_array(w);
  for (size_t i = 0; i < r->n_outputs; i++) {
    const struct record_output *o = &r->outputs[i];
    jw_object(w);
    jw_kstr(w, "kind", o->kind);
    jw_kstr(w, "arch", o->arch);
    jw_kstr(w, "name", o->name);
    jw_ku64(w, "size", o->size);
    jw_kdigest(w, "digest", &o->digest);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void write_text(const struct record *r, bool outputs, struct strbuf *out) {
  struct jsonw w;
  jw_init(&w, true);
  jw_object(&w);
  jw_kz(&w, "schema", RECORD_SCHEMA);
  jw_ku64(&w, "version", RECORD_VERSION);
  jw_key(&w, "unit");
  jw_object(&w);
  jw_kstr(&w, "package", r->package);
  jw_kstr(&w, "kind", r->kind);
  jw_kstr(&w, "target", r->target);
  jw_kstr(&w, "profile", r->profile);
  jw_end_object(&w);
  write_inputs(&w, r);
  write_options(&w, r);
  if (outputs)
    write_outputs(&w, r);
  jw_end_object(&w);
  sb_add(out, sb_str(&w.out));
  sb_addc(out, '\n');
  jw_free(&w);
}

bool record_write(struct diag_sink *s, const struct record *r, struct strbuf *out) {
  struct arena a = {0};
  struct record c;
  bool ok = canonical(s, &a, r, &c);
  if (ok)
    write_text(&c, true, out);
  arena_free(&a);
  return ok;
}

struct digest record_key(const struct record *r) {
  struct arena a = {0};
  struct strbuf text = {0};
  struct record c;
  (void)canonical(NULL, &a, r, &c);
  write_text(&c, false, &text);
  struct digest d = hash_of(text.p, text.n);
  sb_free(&text);
  arena_free(&a);
  return d;
}

/* ---- Reading ---- */

/* A list in the order of `compare`, without doubles. */
struct ordered {
  struct arena *a;
  size_t size;
  json_element_fn *one;
  compare_fn *compare;
};
static bool read_ordered(void *context, const struct json_at *at, void *out) {
  struct ordered *o = context;
  if (!o->one(o->a, at, out))
    return false;
  if (at->index == 0 || o->compare((char *)out - o->size, out) < 0)
    return true;
  json_error(at, "out of order, or there twice");
  return false;
}

static bool read_list(struct arena *a, const struct json_at *o, const char *key, size_t size,
                      json_element_fn *one, compare_fn *compare, void **list, size_t *n) {
  struct ordered r = {a, size, one, compare};
  return json_get_list(o, key, a, size, read_ordered, &r, list, n);
}

static bool read_input(void *a, const struct json_at *at, void *out) {
  static const char *const keys[] = {"role", "order", "name", "size", "digest", NULL};
  struct record_input *in = out;
  return json_only(at, keys) && json_get_str(at, "role", a, &in->role) &&
         json_get_u32(at, "order", UINT32_MAX, &in->order) &&
         json_get_str(at, "name", a, &in->name) &&
         json_get_u64(at, "size", UINT64_MAX, &in->size) &&
         json_get_digest(at, "digest", &in->digest);
}

static bool read_option(void *a, const struct json_at *at, void *out) {
  static const char *const keys[] = {"name", "value", NULL};
  struct record_option *o = out;
  return json_only(at, keys) && json_get_str(at, "name", a, &o->name) &&
         json_get_str(at, "value", a, &o->value);
}

static bool read_tool(void *a, const struct json_at *at, void *out) {
  static const char *const keys[] = {"name", "version", "digest", NULL};
  struct record_tool *t = out;
  return json_only(at, keys) && json_get_str(at, "name", a, &t->name) &&
         json_get_str(at, "version", a, &t->version) && json_get_digest(at, "digest", &t->digest);
}

/* Names of outputs are looked up beside the record, so they must not lead elsewhere. */
static bool read_output(void *a, const struct json_at *at, void *out) {
  static const char *const keys[] = {"kind", "arch", "name", "size", "digest", NULL};
  struct record_output *o = out;
  if (!json_only(at, keys) || !json_get_str(at, "kind", a, &o->kind) ||
      !json_get_str(at, "arch", a, &o->arch) || !json_get_str(at, "name", a, &o->name) ||
      !json_get_u64(at, "size", UINT64_MAX, &o->size) || !json_get_digest(at, "digest", &o->digest))
    return false;
  if (o->name.n > 0 && str_find_char(o->name, '/', 0) == SIZE_MAX && !str_eqz(o->name, "..") &&
      memchr(o->name.p, 0, o->name.n) == NULL)
    return true;
  json_error(at, "the name of an output must be a file name without a folder");
  return false;
}

static bool read_head(struct arena *a, const struct json_at *root, struct record *r) {
  static const char *const keys[] = {"schema",  "version", "unit",    "inputs",
                                     "options", "tools",   "outputs", NULL};
  static const char *const unit_keys[] = {"package", "kind", "target", "profile", NULL};
  struct json_at v, unit;
  str schema;
  uint64_t version;
  if (!json_get(root, "schema", &v) || !json_str(&v, &schema))
    return false;
  if (!str_eqz(schema, RECORD_SCHEMA)) {
    json_error(&v, "expected `" RECORD_SCHEMA "`, found `%.*s`", STR_ARG(schema));
    return false;
  }
  if (!json_get(root, "version", &v) || !json_u64(&v, UINT64_MAX, &version))
    return false;
  if (version != RECORD_VERSION) {
    struct diag *d = json_error(&v, "build record of version %llu; this program reads version %u",
                                (unsigned long long)version, RECORD_VERSION);
    diag_help(d, "use the mirdc that wrote it, or a newer one");
    return false;
  }
  return json_only(root, keys) && json_get(root, "unit", &unit) && json_only(&unit, unit_keys) &&
         json_get_str(&unit, "package", a, &r->package) &&
         json_get_str(&unit, "kind", a, &r->kind) && json_get_str(&unit, "target", a, &r->target) &&
         json_get_str(&unit, "profile", a, &r->profile);
}

static bool read_body(struct arena *a, const struct json_at *root, struct record *r) {
  void *inputs, *options, *tools, *outputs;
  if (!read_list(a, root, "inputs", sizeof *r->inputs, read_input, by_input, &inputs,
                 &r->n_inputs) ||
      !read_list(a, root, "options", sizeof *r->options, read_option, by_option, &options,
                 &r->n_options) ||
      !read_list(a, root, "tools", sizeof *r->tools, read_tool, by_tool, &tools, &r->n_tools) ||
      !read_list(a, root, "outputs", sizeof *r->outputs, read_output, by_output, &outputs,
                 &r->n_outputs))
    return false;
  r->inputs = inputs;
  r->options = options;
  r->tools = tools;
  r->outputs = outputs;
  return true;
}

bool record_read(struct diag_sink *s, struct arena *a, str text, str path, struct record *out) {
  struct json_text t = {text, path, s, MD0520, MD0520};
  struct arena tree = {0};
  struct json_doc *doc;
  *out = (struct record){0};
  bool ok = json_parse_all(&t, &tree, &doc);
  if (ok) {
    struct json_at root = json_root(doc);
    ok = read_head(a, &root, out) && read_body(a, &root, out);
  }
  arena_free(&tree);
  return ok;
}

/* ---- Verifying ---- */

static bool differs(struct diag_sink *s, const struct record_output *o, const char *why) {
  struct diag *d =
      diag_error(s, MD0521, SPAN_NONE, "%.*s `%.*s` %s", STR_ARG(o->kind), STR_ARG(o->name), why);
  diag_help(d, "build the artifact again");
  return false;
}

static bool verify_output(struct diag_sink *s, const struct record_output *o, const char *path) {
  struct bytes b = {0};
  int e = fs_try_read(path, 0, &b);
  if (e != 0)
    return differs(s, o, "is in the build record but cannot be read");
  struct digest d = hash_of(b.p, b.n);
  bool size = b.n == o->size, same = digest_eq(&d, &o->digest);
  bytes_free(&b);
  if (size && same)
    return true;
  return differs(s, o,
                 size ? "does not have the digest that the build record states"
                      : "does not have the size that the build record states");
}

bool record_verify(struct diag_sink *s, const struct record *r, const char *dir) {
  bool ok = true;
  for (size_t i = 0; i < r->n_outputs; i++) {
    struct arena a = {0};
    if (!verify_output(s, &r->outputs[i], path_join(&a, dir, arena_strz(&a, r->outputs[i].name))))
      ok = false;
    arena_free(&a);
  }
  return ok;
}
