/* From `--arg`, `--static` and `--out` to the block of parameters, to buffers, and back. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/emulate.h"

/* NAME=VALUE, or NAME alone. */
struct given {
  str whole, name, value;
  bool has_value, used;
};

static struct given split(const char *text) {
  struct given g = {.whole = str_from(text)};
  size_t eq = str_find_char(g.whole, '=', 0);
  g.name = str_sub(g.whole, 0, eq);
  g.has_value = eq != SIZE_MAX;
  g.value = g.has_value ? str_drop(g.whole, eq + 1) : STR_NULL;
  return g;
}

struct given_list {
  struct given *p;
  size_t n;
};

static bool split_all(struct emulation *m, enum option id, struct given_list *out) {
  out->n = m->s->options.values[id].n;
  out->p = arena_array(m->arena, struct given, out->n);
  for (size_t i = 0; i < out->n; i++) {
    out->p[i] = split(m->s->options.values[id].p[i]);
    if (out->p[i].has_value && out->p[i].name.n)
      continue;
    diag_error(&m->s->sink, MD0840, SPAN_NONE, "`%.*s` is not of the form NAME=VALUE",
               STR_ARG(out->p[i].whole));
    return false;
  }
  return true;
}

static struct emu_buffer *find_buffer(struct emulation *m, str name) {
  for (size_t i = 0; i < m->buffers.n; i++)
    if (str_eq(m->buffers.p[i].name, name))
      return &m->buffers.p[i];
  return NULL;
}

/* ---- memory behind a pointer ---- */
static bool new_buffer(struct emulation *m, str name, const struct value_memory *v,
                       struct emu_buffer **out) {
  char *z = arena_strz(m->arena, name);
  struct emu_buffer b = {.name = str_from(z), .size = v->bytes.n, .type = v->type};
  b.address = m->api.alloc(m->e, z, b.size, 256, 1);
  if (!b.address) {
    diag_error(&m->s->sink, MD0840, SPAN_NONE,
               "not enough memory for the %" PRIu64 " bytes of `%s`", b.size, z);
    return false;
  }
  memcpy((void *)(uintptr_t)b.address, v->bytes.p, b.size);
  vec_push(m->arena, &m->buffers, b);
  *out = &vec_last(&m->buffers);
  return true;
}

/* `same:NAME` is the memory of an earlier argument. */
static bool point_to(struct emulation *m, str whole, str name, str value,
                     const struct value_type *elem, uint64_t elem_size, struct emu_buffer **out) {
  struct value_memory v;
  struct value_want want = {.what = whole, .elem = elem, .elem_size = elem_size};
  if (str_starts(value, STR("same:"))) {
    *out = find_buffer(m, str_drop(value, strlen("same:")));
    if (!*out)
      diag_error(&m->s->sink, MD0840, SPAN_NONE, "`%.*s`: no earlier argument has that memory",
                 STR_ARG(whole));
    return *out != NULL;
  }
  if (!value_memory(&m->s->sink, &want, value, &v))
    return false;
  bool ok = new_buffer(m, name, &v, out);
  bytes_free(&v.bytes);
  return ok;
}

/* ---- parts of a struct ---- */
struct parts {
  struct emulation *m;
  const struct given *g;
  uint8_t *out;
  uint64_t at, size;
  unsigned n;
};

static bool part_fits(struct parts *p, uint64_t size, uint64_t align) {
  p->at = (p->at + align - 1) & ~(align - 1);
  if (p->at <= p->size && size <= p->size - p->at)
    return true;
  diag_error(&p->m->s->sink, MD0841, SPAN_NONE,
             "`%.*s`: part %u goes beyond the parameter's %" PRIu64 " bytes", STR_ARG(p->g->whole),
             p->n, p->size);
  return false;
}

/* `TYPE:VALUES` stands there itself; `TYPE[COUNT]…`, `same:…` and `null` are addresses. */
static bool add_part(struct parts *p, str text) {
  size_t colon = str_find_char(text, ':', 0), bracket = str_find_char(text, '[', 0);
  const struct value_type *t = value_type_find(str_sub(text, 0, colon));
  struct emulation *m = p->m;
  if (colon != SIZE_MAX && t && bracket == SIZE_MAX) {
    struct value_memory v;
    struct value_want want = {.what = p->g->whole};
    if (!value_memory(&m->s->sink, &want, text, &v))
      return false;
    bool ok = part_fits(p, v.bytes.n, t->size);
    if (ok)
      memcpy(p->out + p->at, v.bytes.p, v.bytes.n);
    p->at += v.bytes.n;
    bytes_free(&v.bytes);
    return ok;
  }
  struct emu_buffer *b = NULL;
  str name = arena_printf(m->arena, "%.*s.%u", STR_ARG(p->g->name), p->n);
  if (!part_fits(p, 8, 8))
    return false;
  if (!str_eqz(text, "null") && !point_to(m, p->g->whole, name, text, NULL, 0, &b))
    return false;
  uint64_t address = b ? b->address : 0;
  memcpy(p->out + p->at, &address, 8);
  p->at += 8;
  return true;
}

static bool in_parts(struct emulation *m, const struct given *g, uint8_t *out, uint64_t size) {
  struct parts p = {.m = m, .g = g, .out = out, .size = size};
  str rest = str_sub(g->value, 1, g->value.n - 1);
  while (rest.n) {
    size_t end = str_find_char(rest, ';', 0);
    if (!add_part(&p, str_trim(str_sub(rest, 0, end))))
      return false;
    rest = end == SIZE_MAX ? STR_NULL : str_drop(rest, end + 1);
    p.n++;
  }
  return true;
}

/* ---- parameters ---- */
static bool by_value(struct emulation *m, const struct given *g, const mirdc_emu_param *p,
                     uint8_t *out) {
  const struct value_type *t = value_type_find(str_from(p->type));
  str v = g->value;
  if (v.n >= 2 && v.p[0] == '{' && v.p[v.n - 1] == '}')
    return in_parts(m, g, out, p->size);
  if (t && t->size == p->size && value_parse(t, v, out))
    return true;
  if (t && str_find_char(v, ':', 0) == SIZE_MAX) {
    diag_error(&m->s->sink, MD0840, SPAN_NONE, "`%.*s`: not a value of type %s", STR_ARG(g->whole),
               p->type);
    return false;
  }
  struct value_memory mem;
  struct value_want want = {.what = g->whole, .elem = t, .size = p->size};
  if (!value_memory(&m->s->sink, &want, v, &mem))
    return false;
  memcpy(out, mem.bytes.p, mem.bytes.n);
  bytes_free(&mem.bytes);
  return true;
}

static bool address_of(struct emulation *m, const struct given *g, const mirdc_emu_param *p,
                       struct emu_buffer **out) {
  const struct value_type *elem = p->element ? value_type_find(str_from(p->element)) : NULL;
  return point_to(m, g->whole, g->name, g->value, elem, p->element_size, out);
}

static bool fill_param(struct emulation *m, const struct given *g, const mirdc_emu_param *p,
                       const mirdc_emu_param *length) {
  uint8_t *out = m->params + p->offset;
  struct emu_buffer *b = NULL;
  uint64_t n = 0;
  if (p->pass == MIRDC_EMU_SCALAR || p->pass == MIRDC_EMU_AGGREGATE)
    return by_value(m, g, p, out);
  if (p->pass == MIRDC_EMU_POINTER && str_eqz(g->value, "null"))
    return true;
  if (!address_of(m, g, p, &b))
    return false;
  memcpy(out, &b->address, 8);
  if (!length)
    return true;
  if (p->element_size == 0 && b->size > 0) {
    diag_error(&m->s->sink, MD0841, SPAN_NONE,
               "`%.*s`: elements of type %s have no size, so their number is not known",
               STR_ARG(g->whole), p->element ? p->element : "?");
    return false;
  }
  n = p->element_size ? b->size / p->element_size : 0;
  memcpy(m->params + length->offset, &n, 8);
  return true;
}

static struct given *find_given(struct emulation *m, struct given_list *l, const char *name,
                                bool *doubled) {
  struct given *found = NULL;
  *doubled = false;
  for (size_t i = 0; i < l->n; i++) {
    if (!str_eqz(l->p[i].name, name))
      continue;
    if (found) {
      diag_error(&m->s->sink, MD0841, SPAN_NONE, "`%s` is given twice", name);
      *doubled = true;
      return NULL;
    }
    found = &l->p[i];
  }
  return found;
}

static void describe(const mirdc_emu_param *p, struct strbuf *b) {
  sb_addf(b, "%s: %s", p->name, p->type);
}

static bool missing(struct emulation *m, const mirdc_emu_param *p) {
  struct strbuf b = {0};
  describe(p, &b);
  struct diag *d =
      diag_error(&m->s->sink, MD0841, SPAN_NONE, "parameter `%s` of kernel `%s` is not given",
                 sb_z(&b), m->kernel.name);
  sb_free(&b);
  switch (p->pass) {
  case MIRDC_EMU_SCALAR:
    diag_help(d, "pass `--arg %s=VALUE`", p->name);
    break;
  case MIRDC_EMU_AGGREGATE:
    diag_help(d,
              "pass `--arg %s=hex:DIGITS` with its %" PRIu64
              " bytes, or its parts in braces, `--arg '%s={f32:1,2; u64:3}'`",
              p->name, p->size, p->name);
    break;
  case MIRDC_EMU_POINTER:
  case MIRDC_EMU_SLICE_ADDRESS:
  case MIRDC_EMU_SLICE_LENGTH: {
    const struct value_type *t = p->element ? value_type_find(str_from(p->element)) : NULL;
    diag_help(d, "pass `--arg %s=%s[COUNT]:PATTERN`, such as `--arg %s=%s[1000]:iota`", p->name,
              t ? t->name : "TYPE", p->name, t ? t->name : "u8");
    break;
  }
  }
  return false;
}

static bool unknown(struct emulation *m, const struct given *g) {
  struct strbuf b = {0};
  mirdc_emu_param p;
  struct diag *d = diag_error(&m->s->sink, MD0841, SPAN_NONE, "kernel `%s` has no parameter `%.*s`",
                              m->kernel.name, STR_ARG(g->name));
  for (uint32_t i = 0; i < m->kernel.n_params && m->api.get_param(m->e, m->number, i, &p); i++) {
    if (p.pass == MIRDC_EMU_SLICE_LENGTH)
      continue;
    if (b.n)
      sb_addz(&b, ", ");
    describe(&p, &b);
  }
  diag_note(d, "its parameters: %s", b.n ? sb_z(&b) : "none");
  sb_free(&b);
  return false;
}

bool emulate_take_args(struct emulation *m) {
  struct given_list l;
  bool doubled;
  m->params = arena_alloc(m->arena, m->kernel.param_bytes + 1, 16);
  m->launch.params = m->params;
  m->launch.param_bytes = m->kernel.param_bytes;
  if (!split_all(m, OPT_ARG, &l))
    return false;
  for (uint32_t i = 0; i < m->kernel.n_params; i++) {
    mirdc_emu_param p, length;
    if (!m->api.get_param(m->e, m->number, i, &p))
      return false;
    bool slice = p.pass == MIRDC_EMU_SLICE_ADDRESS;
    if (slice && !m->api.get_param(m->e, m->number, ++i, &length))
      return false;
    struct given *g = find_given(m, &l, p.name, &doubled);
    if (!g)
      return !doubled && missing(m, &p);
    g->used = true;
    if (!fill_param(m, g, &p, slice ? &length : NULL))
      return false;
  }
  for (size_t i = 0; i < l.n; i++)
    if (!l.p[i].used)
      return unknown(m, &l.p[i]);
  return true;
}

/* ---- statics ---- */
static bool find_static(struct emulation *m, str name, mirdc_emu_static *out) {
  return m->api.find_static(m->e, arena_strz(m->arena, name), out) != 0;
}

bool emulate_take_statics(struct emulation *m) {
  struct given_list l;
  if (!split_all(m, OPT_STATIC, &l))
    return false;
  for (size_t i = 0; i < l.n; i++) {
    mirdc_emu_static st;
    struct value_memory v;
    if (!find_static(m, l.p[i].name, &st)) {
      struct diag *d = diag_error(&m->s->sink, MD0841, SPAN_NONE,
                                  "the host can see no static `%.*s`", STR_ARG(l.p[i].name));
      diag_help(d, "`Constant` and `Global` items can be set, under their Rust path or symbol");
      return false;
    }
    struct value_want want = {.what = l.p[i].whole, .size = st.size};
    if (!value_memory(&m->s->sink, &want, l.p[i].value, &v))
      return false;
    memcpy((void *)(uintptr_t)st.address, v.bytes.p, st.size);
    struct emu_buffer b = {l.p[i].name, st.address, st.size, v.type};
    vec_push(m->arena, &m->buffers, b);
    bytes_free(&v.bytes);
  }
  return true;
}

/* ---- results ---- */
bool emulate_check_outs(struct emulation *m) {
  for (size_t i = 0; i < m->s->options.values[OPT_OUT].n; i++) {
    struct given g = split(m->s->options.values[OPT_OUT].p[i]);
    mirdc_emu_static st;
    if (find_buffer(m, g.name))
      continue;
    if (find_static(m, g.name, &st)) {
      struct emu_buffer b = {g.name, st.address, st.size, NULL};
      vec_push(m->arena, &m->buffers, b);
      continue;
    }
    struct diag *d = diag_error(&m->s->sink, MD0841, SPAN_NONE,
                                "`--out %.*s`: no argument has memory of that name, and no static",
                                STR_ARG(g.whole));
    diag_help(d, "name a slice or pointer that was given by `--arg`, or a static");
    return false;
  }
  return true;
}

/* Numbers that JSON can hold exactly as numbers, everything else as text. */
static void report_value(const struct value_type *t, const uint8_t *p, struct jsonw *w) {
  struct strbuf b = {0};
  value_print(t, p, &b);
  str s = sb_str(&b);
  bool digits = s.n > 0 && (s.p[s.n - 1] >= '0' && s.p[s.n - 1] <= '9');
  bool exact = t->kind == VALUE_FLOAT || t->size < 8 || s.n <= 15;
  if (t->kind == VALUE_BOOL || (t->kind != VALUE_CHAR && digits && exact))
    jw_raw(w, s);
  else
    jw_str(w, s);
  sb_free(&b);
}

static void report_buffer(const struct emu_buffer *b, struct jsonw *w) {
  const uint8_t *p = (const uint8_t *)(uintptr_t)b->address;
  const struct value_type *t = b->type ? b->type : value_type_find(STR("u8"));
  jw_object(w);
  jw_kstr(w, "name", b->name);
  jw_kz(w, "type", t->name);
  jw_key(w, "values");
  jw_array(w);
  for (uint64_t at = 0; at + t->size <= b->size; at += t->size)
    report_value(t, p + at, w);
  jw_end_array(w);
  jw_end_object(w);
}

static void print_buffer(const struct emu_buffer *b) {
  struct strbuf text = {0};
  value_print_all(b->type, (const uint8_t *)(uintptr_t)b->address, b->size, &text);
  printf("%.*s = %s\n", STR_ARG(b->name), sb_z(&text));
  sb_free(&text);
}

bool emulate_put_outs(struct emulation *m, struct jsonw *report) {
  for (size_t i = 0; i < m->s->options.values[OPT_OUT].n; i++) {
    struct given g = split(m->s->options.values[OPT_OUT].p[i]);
    const struct emu_buffer *b = find_buffer(m, g.name);
    str bytes = {(const char *)(uintptr_t)b->address, b->size};
    if (!g.has_value && report)
      report_buffer(b, report);
    else if (!g.has_value)
      print_buffer(b);
    else if (!fs_write_atomic(&m->s->sink, arena_strz(m->arena, g.value), bytes))
      return false;
  }
  return true;
}
