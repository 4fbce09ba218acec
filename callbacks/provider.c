/* Words of manifests, and where providers are looked for. */
#include "callbacks/provider.h"

static const struct {
  const char *word, *cxx;
  unsigned bits;
} scalars[PROVIDER_SCALARS] = {
#define PROVIDER_SCALAR(id, word, cxx, bits) [id] = {word, cxx, bits},
#include "callbacks/scalars.def"
#undef PROVIDER_SCALAR
};

const char *provider_scalar_word(enum provider_scalar s) {
  return scalars[s].word;
}

const char *provider_scalar_cxx(enum provider_scalar s) {
  return scalars[s].cxx;
}

unsigned provider_scalar_bits(enum provider_scalar s) {
  return scalars[s].bits;
}

const char *provider_scope_word(enum provider_scope s) {
  static const char *const words[] = {"thread", "warp", "block"};
  return words[s];
}

void provider_add_choices(struct strbuf *b, uint32_t one_of) {
  for (unsigned s = 0; s < PROVIDER_SCALARS; s++) {
    uint32_t before = one_of & ((1u << s) - 1), after = one_of >> (s + 1);
    if (one_of >> s & 1)
      sb_addf(b, "%s`%s`", !before ? "" : after ? ", " : " or ", scalars[s].word);
  }
}

bool provider_const_offers(const struct provider_const *c, u128 v) {
  return v >= c->min && v <= c->max && v % c->multiple_of == 0 && (!c->power_of_two || (v & (v - 1)) == 0);
}

const struct provider_entry *provider_entry_find(const struct provider *p, str name) {
  for (size_t i = 0; i < p->n_entries; i++)
    if (str_eq(p->entries[i].name, name))
      return &p->entries[i];
  return NULL;
}

static struct provider *read_manifest(struct diag_sink *s, struct arena *a, char *dir, char *file,
                                      str name) {
  struct bytes text = {0};
  if (!fs_read(s, file, (size_t)4 << 20, &text))
    return NULL;
  struct provider *p = provider_parse(s, a, (str){(const char *)text.p, text.n},
                                      path_shown(a, str_from(file)), str_from(dir), name);
  bytes_free(&text);
  return p;
}

struct provider *provider_find(struct diag_sink *s, struct arena *a, const struct provider_path *path,
                               str name, struct span at) {
  for (size_t i = 0; i < path->n; i++) {
    char *dir = path_join(a, path->dirs[i], arena_strz(a, name));
    char *file = path_join(a, dir, "provider.json");
    if (fs_exists(file))
      return read_manifest(s, a, dir, file, name);
  }
  struct diag *d = diag_error(s, MD0700, at, "there is no provider `%.*s`", STR_ARG(name));
  for (size_t i = 0; i < path->n; i++)
    diag_note(d, "no `%.*s/provider.json` in `%s`", STR_ARG(name), path->dirs[i]);
  diag_help(d, "a provider is a folder `providers/%.*s` of the package, or of a folder named with "
               "`--provider-path DIR`",
            STR_ARG(name));
  return NULL;
}
