/* Compares two artifacts section by section. What matters most is the mapped executable code, so it
 * is counted apart: two builds may differ in notes and still have the same code. */
#include <inttypes.h>

#include "driver/read.h"

struct tally {
  size_t same, different, code_same, code;
  bool failed;
};

static bool is_code(const struct cubin_section *s) {
  return (s->flags & 4) != 0; /* SHF_EXECINSTR */
}

static void difference(struct strbuf *o, str a, str b, uint64_t size_a, uint64_t size_b) {
  size_t i = 0;
  while (i < a.n && i < b.n && a.p[i] == b.p[i])
    i++;
  if (size_a != size_b)
    sb_addf(o, "%" PRIu64 " and %" PRIu64 " bytes, ", size_a, size_b);
  sb_addf(o, "first difference at byte %zu", i);
}

static void line(struct strbuf *o, const char *verdict, str where, str name) {
  sb_addf(o, "%-9s  ", verdict);
  read_add_name(o, where);
  read_add_name(o, name);
}

static void compare_sized(struct reader_run *r, struct tally *t, str where, str name, str a, str b,
                          uint64_t size_a, uint64_t size_b, bool code) {
  bool same = size_a == size_b && str_eq(a, b);
  t->same += same;
  t->different += !same;
  t->code += code;
  t->code_same += code && same;
  if (same && r->values[RD_QUIET] != NULL)
    return;
  line(&r->out, same ? "same" : "different", where, name);
  sb_addz(&r->out, "  ");
  if (same)
    sb_addf(&r->out, "%" PRIu64 " bytes", size_a);
  else
    difference(&r->out, a, b, size_a, size_b);
  sb_addz(&r->out, code ? ", code\n" : "\n");
}

static void compare(struct reader_run *r, struct tally *t, str where, str name, str a, str b) {
  compare_sized(r, t, where, name, a, b, a.n, b.n, false);
}

static void only_in(struct reader_run *r, struct tally *t, const char *which, str where, str name,
                    bool code) {
  t->different++;
  t->code += code;
  line(&r->out, which, where, name);
  sb_addc(&r->out, '\n');
}

/* The n-th section of a name: debug sections may come more than once. */
static const struct cubin_section *nth(const struct cubin *c, str name, uint32_t n) {
  for (uint32_t i = 1; i < c->n_sections; i++) {
    if (str_eq(c->sections[i].name, name) && n-- == 0)
      return &c->sections[i];
  }
  return NULL;
}

static uint32_t rank(const struct cubin *c, uint32_t at) {
  uint32_t n = 0;
  for (uint32_t i = 1; i < at; i++)
    n += str_eq(c->sections[i].name, c->sections[at].name);
  return n;
}

static void diff_cubins(struct reader_run *r, struct tally *t, str where, const struct cubin *a,
                        const struct cubin *b) {
  for (uint32_t i = 1; i < a->n_sections; i++) {
    const struct cubin_section *s = &a->sections[i];
    const struct cubin_section *other = nth(b, s->name, rank(a, i));
    if (other == NULL)
      only_in(r, t, "only in A", where, s->name, is_code(s));
    else
      compare_sized(r, t, where, s->name, s->data, other->data, s->size, other->size,
                    is_code(s) || is_code(other));
  }
  for (uint32_t i = 1; i < b->n_sections; i++) {
    const struct cubin_section *s = &b->sections[i];
    if (nth(a, s->name, rank(b, i)) == NULL)
      only_in(r, t, "only in B", where, s->name, is_code(s));
  }
}

static void diff_images(struct reader_run *r, struct tally *t, str where, str name_a, str a,
                        str name_b, str b) {
  struct cubin ca, cb;
  if (!cubin_open(&r->sink, &r->arena, name_a, a, &ca) ||
      !cubin_open(&r->sink, &r->arena, name_b, b, &cb)) {
    t->failed = true;
    return;
  }
  diff_cubins(r, t, where, &ca, &cb);
}

static str key_name(struct reader_run *r, const struct bundle_section *s) {
  return arena_printf(&r->arena, "%s:%.*s:%u%s%.*s", payload_kind_name((enum payload_kind)s->kind),
                      STR_ARG(gpu_arch_str(&r->arena, s->arch)), s->unit, s->name.n > 0 ? ":" : "",
                      STR_ARG(s->name));
}

static size_t same_key(const struct bundle *b, const struct bundle_section *s) {
  for (size_t i = 0; i < b->n; i++) {
    const struct bundle_section *o = &b->sections[i];
    if (o->kind == s->kind && o->unit == s->unit && gpu_arch_cmp(o->arch, s->arch) == 0 &&
        str_eq(o->name, s->name))
      return i;
  }
  return SIZE_MAX;
}

static void diff_bundles(struct reader_run *r, struct tally *t, const struct bundle *a,
                         const struct bundle *b) {
  for (size_t i = 0; i < a->n; i++) {
    str key = key_name(r, &a->sections[i]), pa, pb;
    size_t j = same_key(b, &a->sections[i]);
    if (j == SIZE_MAX) {
      only_in(r, t, "only in A", STR(""), key, false);
      continue;
    }
    if (!bundle_payload(&r->sink, &r->arena, a, i, &pa) ||
        !bundle_payload(&r->sink, &r->arena, b, j, &pb)) {
      t->failed = true;
      return;
    }
    if (a->sections[i].kind == PAYLOAD_CUBIN)
      diff_images(r, t, arena_printf(&r->arena, "%.*s ", STR_ARG(key)), a->path, pa, b->path, pb);
    else
      compare(r, t, STR(""), key, pa, pb);
  }
  for (size_t i = 0; i < b->n; i++) {
    if (same_key(a, &b->sections[i]) == SIZE_MAX)
      only_in(r, t, "only in B", STR(""), key_name(r, &b->sections[i]), false);
  }
}

int read_diff(struct reader_run *r, const struct read_file *a, const struct read_file *b) {
  struct tally t = {0};
  if (a->type == TYPE_CUBIN && b->type == TYPE_CUBIN) {
    diff_images(r, &t, STR(""), str_from(a->path), a->text, str_from(b->path), b->text);
  } else if (a->n_bundles > 0 && a->n_bundles == b->n_bundles) {
    for (size_t i = 0; i < a->n_bundles && !t.failed; i++)
      diff_bundles(r, &t, &a->bundles[i], &b->bundles[i]);
  } else if (a->type == b->type && a->n_bundles == 0) {
    compare(r, &t, STR(""), str_from(read_type_name(a->type)), a->text, b->text);
  } else {
    struct diag *d = diag_error(
        &r->sink, MD0545, SPAN_NONE, "%s is a %s with %zu bundles, %s is a %s with %zu", a->path,
        read_type_name(a->type), a->n_bundles, b->path, read_type_name(b->type), b->n_bundles);
    diag_help(d, "give two files of one kind");
    t.failed = true;
  }
  if (t.failed)
    return 4;
  sb_addf(&r->out, "%zu sections same, %zu different; %zu of %zu code sections same\n", t.same,
          t.different, t.code_same, t.code);
  return t.different == 0 ? 0 : 3;
}
