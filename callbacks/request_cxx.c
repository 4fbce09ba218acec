/* Renders requests as C++. Names come from manifests, where they were checked, types and numbers from closed
 * lists: no text of a dump gets here. */
#include "callbacks/request_cxx.h"

#include <inttypes.h>

struct provider_type request_type(const struct request *r, struct provider_type t) {
  if (t.kind == PROVIDER_PARAM)
    return (struct provider_type){PROVIDER_FIXED, r->types[t.id]};
  return t;
}

static const char *cxx_of(const struct request *r, struct provider_type t) {
  t = request_type(r, t);
  return t.kind == PROVIDER_VOID ? "void" : provider_scalar_cxx((enum provider_scalar)t.id);
}

static const char *word_of(const struct request *r, struct provider_type t) {
  t = request_type(r, t);
  return t.kind == PROVIDER_VOID ? "void" : provider_scalar_word((enum provider_scalar)t.id);
}

/* ---- identity ---- */

static void hash_word(struct hasher *h, const char *tag, const char *word) {
  hash_field(h, str_from(tag), str_from(word));
}

static struct digest contract_of(const struct request *r) {
  const struct provider_entry *e = r->entry;
  struct hasher *h = hash_new();
  hash_word(h, "contract", "1");
  hash_field(h, STR("provider"), r->provider->name);
  hash_field(h, STR("entry"), e->name);
  for (size_t i = 0; i < e->n_generics; i++) {
    uint32_t id = e->generics[i].id;
    switch (e->generics[i].kind) {
    case GENERIC_TYPE:
      hash_word(h, "type", provider_scalar_word(r->types[id]));
      break;
    case GENERIC_CONST:
      hash_field_u64(h, STR("const"), r->consts[id]);
      break;
    case GENERIC_CALLBACK:
      hash_word(h, "callback", word_of(r, e->callbacks[id].ret));
      for (size_t k = 0; k < e->callbacks[id].n_args; k++)
        hash_word(h, "takes", word_of(r, e->callbacks[id].args[k]));
      break;
    }
  }
  for (size_t i = 0; i < e->n_args; i++) {
    const struct provider_arg *arg = &e->args[i];
    hash_field_u64(h, STR("pass"), arg->pass);
    if (arg->pass == PASS_CALLBACK)
      hash_field_u64(h, STR("callback"), arg->callback);
    else
      hash_word(h, "type", word_of(r, arg->type));
    if (arg->array)
      hash_field_u64(h, STR("len"), r->consts[arg->len]);
  }
  hash_word(h, "returns", word_of(r, e->returns));
  return hash_finish(h);
}

static str symbol_of(struct arena *a, const struct request *r) {
  const struct provider_entry *e = r->entry;
  struct strbuf b = {0};
  char hex[65];
  sb_addf(&b, "mirdc_%.*s_%.*s", STR_ARG(r->provider->name), STR_ARG(e->name));
  for (size_t i = 0; i < e->n_generics; i++)
    if (e->generics[i].kind == GENERIC_TYPE)
      sb_addf(&b, "_%s", provider_scalar_word(r->types[e->generics[i].id]));
    else if (e->generics[i].kind == GENERIC_CONST)
      sb_addf(&b, "_%" PRIu64, r->consts[e->generics[i].id]);
  digest_hex(&r->contract, hex);
  sb_addf(&b, "_%.12s", hex);
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}

/* ---- text ---- */

/* `int (*NAME)(const void *, int, int)` */
static void add_thunk(struct strbuf *b, const struct request *r, const struct provider_callback *c,
                      const char *name, size_t number) {
  sb_addf(b, "%s (*%s%zu)(const void *", cxx_of(r, c->ret), name, number);
  for (size_t i = 0; i < c->n_args; i++)
    sb_addf(b, ", %s", cxx_of(r, c->args[i]));
  sb_addz(b, ")");
}

static void add_functor(struct strbuf *b, const struct request *r, size_t id) {
  const struct provider_callback *c = &r->entry->callbacks[id];
  sb_addf(b, "struct mirdc_callback%zu {\n  const void *env;\n  ", id);
  add_thunk(b, r, c, "thunk", id);
  sb_addf(b, ";\n  __device__ __forceinline__ %s operator()(", cxx_of(r, c->ret));
  for (size_t i = 0; i < c->n_args; i++)
    sb_addf(b, "%s%s a%zu", i ? ", " : "", cxx_of(r, c->args[i]), i);
  sb_addf(b, ") const { return thunk%zu(env", id);
  for (size_t i = 0; i < c->n_args; i++)
    sb_addf(b, ", a%zu", i);
  sb_addz(b, "); }\n};\n");
}

static void add_parameters(struct strbuf *b, const struct request *r) {
  for (size_t i = 0; i < r->entry->n_args; i++) {
    const struct provider_arg *arg = &r->entry->args[i];
    sb_addz(b, i ? ", " : "");
    if (arg->pass == PASS_CALLBACK) {
      sb_addf(b, "const void *env%zu, ", i);
      add_thunk(b, r, &r->entry->callbacks[arg->callback], "fn", i);
    } else if (arg->pass == PASS_VALUE) {
      sb_addf(b, "%s a%zu", cxx_of(r, arg->type), i);
    } else {
      sb_addf(b, "%s%s *a%zu", arg->pass == PASS_IN ? "const " : "", cxx_of(r, arg->type), i);
    }
  }
}

static void add_argument(struct strbuf *b, const struct request *r, size_t i) {
  const struct provider_arg *arg = &r->entry->args[i];
  if (arg->pass == PASS_CALLBACK)
    sb_addf(b, "mirdc_callback%u{env%zu, fn%zu}", arg->callback, i, i);
  else if (arg->pass == PASS_VALUE)
    sb_addf(b, "a%zu", i);
  else if (!arg->array)
    sb_addf(b, "*a%zu", i);
  else
    sb_addf(b, "*reinterpret_cast<%s%s (*)[%" PRIu64 "]>(a%zu)", arg->pass == PASS_IN ? "const " : "",
            cxx_of(r, arg->type), r->consts[arg->len], i);
}

static void add_call(struct strbuf *b, const struct request *r) {
  const struct provider_entry *e = r->entry;
  sb_addf(b, "::%.*s<", STR_ARG(e->function));
  for (size_t i = 0; i < e->n_generics; i++) {
    uint32_t id = e->generics[i].id;
    sb_addz(b, i ? ", " : "");
    if (e->generics[i].kind == GENERIC_TYPE)
      sb_addz(b, provider_scalar_cxx(r->types[id]));
    else if (e->generics[i].kind == GENERIC_CONST)
      sb_addf(b, "%" PRIu64, r->consts[id]);
    else
      sb_addf(b, "mirdc_callback%u", id);
  }
  sb_addz(b, ">(");
  for (size_t i = 0; i < e->n_args; i++) {
    sb_addz(b, i ? ", " : "");
    add_argument(b, r, i);
  }
  sb_addz(b, ")");
}

/* The result's type is compared, as C++ would convert another one without a word. */
static void add_entry(struct strbuf *b, const struct request *r) {
  const char *ret = cxx_of(r, r->entry->returns);
  sb_addz(b, "template <class A, class B> struct mirdc_same { static constexpr bool is = false; };\n"
             "template <class A> struct mirdc_same<A, A> { static constexpr bool is = true; };\n}\n");
  sb_addf(b, "extern \"C\" __device__ %s %.*s(", ret, STR_ARG(r->symbol));
  add_parameters(b, r);
  sb_addz(b, ") {\n  static_assert(mirdc_same<decltype(");
  add_call(b, r);
  sb_addf(b, "), %s>::is, \"the template's result has the type that the manifest says\");\n  return ", ret);
  add_call(b, r);
  sb_addz(b, ";\n}\n");
}

void request_render(struct arena *a, struct request *r) {
  struct strbuf b = {0};
  r->contract = contract_of(r);
  r->symbol = symbol_of(a, r);
  sb_addf(&b, "#include \"@%.*s/%.*s\"\nnamespace {\n", STR_ARG(r->provider->name), STR_ARG(r->entry->file));
  for (size_t i = 0; i < r->entry->n_callbacks; i++)
    add_functor(&b, r, i);
  add_entry(&b, r);
  r->cxx = arena_str(a, sb_str(&b));
  sb_free(&b);
}

/* ---- probes ---- */

str request_probe_name(struct arena *a, const struct request *r) {
  return arena_printf(a, "probe_%.*s", STR_ARG(r->symbol));
}

static void add_probe(struct strbuf *b, const struct request *r) {
  const char *ret = cxx_of(r, r->entry->returns);
  bool gives = request_type(r, r->entry->returns).kind != PROVIDER_VOID;
  sb_addf(b, "extern \"C\" __device__ %s %.*s(", ret, STR_ARG(r->symbol));
  add_parameters(b, r);
  sb_addf(b, ");\nextern \"C\" __global__ void probe_%.*s(", STR_ARG(r->symbol));
  add_parameters(b, r);
  if (gives)
    sb_addf(b, "%s%s *result", r->entry->n_args ? ", " : "", ret);
  sb_addf(b, ") {\n  %s%.*s(", gives ? "*result = " : "", STR_ARG(r->symbol));
  for (size_t i = 0; i < r->entry->n_args; i++)
    if (r->entry->args[i].pass == PASS_CALLBACK)
      sb_addf(b, "%senv%zu, fn%zu", i ? ", " : "", i, i);
    else
      sb_addf(b, "%sa%zu", i ? ", " : "", i);
  sb_addz(b, ");\n}\n");
}

str request_probe(struct arena *a, const struct request *const *list, size_t n) {
  struct strbuf b = {0};
  for (size_t i = 0; i < n; i++)
    add_probe(&b, list[i]);
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  return out;
}
