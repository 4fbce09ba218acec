/* Foreign dumps: constants, memory, statics. */
#include <string.h>

#include "ir/smir_impl.h"

static bool read_byte_list(const struct json_at *list, struct arena *a, struct sm_bytes *out) {
  struct json_at e;
  if (!json_len(list, &out->n))
    return false;
  out->p = arena_array(a, uint8_t, out->n);
  out->init = arena_array(a, uint8_t, out->n);
  size_t i = 0;
  JSON_EACH(list, e) {
    uint32_t v = 0;
    out->init[i] = json_kind(&e) != JSON_NULL;
    if (!out->init[i])
      out->partial = true;
    else if (!json_u32(&e, 255, &v))
      return false;
    out->p[i++] = (uint8_t)v;
  }
  return true;
}

static bool read_provenance(const struct json_at *list, struct arena *a, struct sm_bytes *out) {
  struct json_at e, v;
  if (!json_len(list, &out->n_prov))
    return false;
  out->prov = arena_array(a, struct sm_prov, out->n_prov);
  size_t i = 0;
  uint64_t end = 0;
  JSON_EACH(list, e) {
    struct sm_prov *p = &out->prov[i++];
    if (!json_elem(&e, 0, &v) || !json_u64(&v, UINT64_MAX, &p->off) || !json_elem(&e, 1, &v) ||
        !json_u64(&v, UINT64_MAX, &p->alloc))
      return false;
    if (p->off < end || out->n < 8 || p->off > out->n - 8) {
      json_error(&e, "a pointer at byte %llu of %zu, in this order, cannot be",
                 (unsigned long long)p->off, out->n);
      return false;
    }
    end = p->off + 8;
  }
  return true;
}

bool sm_read_bytes(struct smir *s, const struct json_at *at, struct arena *a,
                   struct sm_bytes *out) {
  struct json_at list, prov, ptrs, mut;
  str m;
  (void)s;
  *out = (struct sm_bytes){0};
  if (!json_get(at, "bytes", &list) || !json_get(at, "provenance", &prov) ||
      !json_get(&prov, "ptrs", &ptrs) || !json_get_u64(at, "align", UINT64_MAX, &out->align) ||
      !json_get(at, "mutability", &mut) || !json_str(&mut, &m))
    return false;
  out->mut = str_eqz(m, "Mut");
  return read_byte_list(&list, a, out) && read_provenance(&ptrs, a, out);
}

/* ---- what pointers lead to ---- */

static bool cannot_tell(struct smir *s, const char *what) {
  struct diag *d = sm_error(s, MD0854, "the dump does not tell %s", what);
  diag_help(d, "dumps of mirdc-rustc do; or keep such values out of the kernel");
  return false;
}

static bool alloc_kind(struct smir *s, uint32_t row, struct arena *a, struct json_at *root,
                       struct json_at *g, str *kind, struct json_at *body) {
  str where = arena_printf(a, "/allocs/%u", row);
  if (!sm_parse(s, s->allocs->elems[row], a, where, root))
    return false;
  bool pair = json_kind(root) == JSON_ARRAY;
  if (pair ? !json_elem(root, 1, g) : !json_get(root, "global_alloc", g))
    return false;
  return sm_variant(g, kind, body);
}

/* Kind and number of what the dump's allocation is in prepared MIR. */
static bool target_of(struct smir *s, uint64_t id, const char **kind, uint32_t *number) {
  struct json_at root, g, body;
  str name;
  uint64_t def;
  uint32_t row = sm_lookup(&s->alloc_ids, id);
  if (row == SM_NONE)
    return cannot_tell(s, "what a constant points to");
  *kind = "alloc";
  *number = sm_lookup(&s->alloc_numbers, row);
  if (*number != SM_NONE)
    return true;
  struct arena_mark mark = arena_save(&s->scratch);
  bool ok = alloc_kind(s, row, &s->scratch, &root, &g, &name, &body);
  if (ok && str_eqz(name, "Static")) {
    ok = json_u64(&body, UINT64_MAX, &def);
    uint32_t item = ok ? sm_lookup(&s->static_defs, def) : SM_NONE;
    ok = ok && (item != SM_NONE || cannot_tell(s, "what a static that is used here holds"));
    if (ok) {
      struct sm_item *it = s->items.p[item];
      *kind = "static";
      if (it->pm == SM_NONE) {
        it->pm = (uint32_t)s->static_queue.n;
        it->from = s->at;
        it->from_span = s->at_span;
        vec_push(NULL, &s->static_queue, it);
      }
      *number = it->pm;
    }
  } else if (ok && str_eqz(name, "Memory")) {
    struct sm_alloc one = {.row = row};
    *number = (uint32_t)s->alloc_queue.n;
    (void)sm_insert(s, &s->alloc_numbers, row, *number);
    vec_push(NULL, &s->alloc_queue, one);
  } else if (ok) {
    ok = cannot_tell(s, str_eqz(name, "VTable") ? "what a vtable holds"
                                                : "which function a constant points to");
  }
  arena_rewind(&s->scratch, mark);
  return ok;
}

static uint64_t word_at(const struct sm_bytes *b, uint64_t off) {
  uint64_t v;
  memcpy(&v, b->p + off, sizeof v);
  return v;
}

uint32_t sm_alloc_of_bytes(struct smir *s, const struct sm_bytes *b) {
  struct sm_alloc one = {.row = SM_NONE, .bytes = *b};
  one.bytes.p = arena_alloc_n(&s->a, b->n, 1, 1);
  one.bytes.init = arena_alloc_n(&s->a, b->n, 1, 1);
  one.bytes.prov = arena_array(&s->a, struct sm_prov, b->n_prov);
  if (b->n) {
    memcpy(one.bytes.p, b->p, b->n);
    memcpy(one.bytes.init, b->init, b->n);
  }
  if (b->n_prov)
    memcpy(one.bytes.prov, b->prov, b->n_prov * sizeof *b->prov);
  vec_push(NULL, &s->alloc_queue, one);
  return (uint32_t)s->alloc_queue.n - 1;
}

/* ---- operands ---- */

static bool write_address(struct smir *s, struct jsonw *w, struct sm_type *t,
                          const struct sm_bytes *b, bool wide) {
  const char *kind;
  uint32_t number;
  if (!target_of(s, b->prov[0].alloc, &kind, &number))
    return false;
  jw_array(w);
  jw_strz(w, wide ? "w" : "p");
  jw_u64(w, sm_number(s, t));
  jw_strz(w, kind);
  jw_u64(w, number);
  jw_u64(w, word_at(b, 0));
  if (wide)
    jw_hex(w, word_at(b, 8));
  jw_end_array(w);
  return true;
}

static void write_plain(struct smir *s, struct jsonw *w, const char *form, struct sm_type *t) {
  jw_array(w);
  jw_strz(w, form);
  jw_u64(w, sm_number(s, t));
  jw_end_array(w);
}

bool sm_write_const(struct smir *s, struct jsonw *w, struct sm_type *t, const struct sm_bytes *b) {
  bool any = false;
  for (size_t i = 0; i < b->n; i++)
    any = any || b->init[i];
  if (b->n == 0 || !any) {
    write_plain(s, w, b->n == 0 ? "z" : "u", t);
    return true;
  }
  bool pointer = t->kind == SM_PTR || t->kind == SM_FNPTR || t->kind == SM_UNKNOWN;
  if (pointer && b->n_prov == 1 && b->prov[0].off == 0 && !b->partial && (b->n == 8 || b->n == 16))
    return write_address(s, w, t, b, b->n == 16);
  if (b->n <= 16 && !b->partial && b->n_prov == 0) {
    u128 v = 0;
    memcpy(&v, b->p, b->n);
    jw_array(w);
    jw_strz(w, "k");
    jw_u64(w, sm_number(s, t));
    jw_hex(w, v);
    jw_end_array(w);
    return true;
  }
  jw_array(w);
  jw_strz(w, "a");
  jw_u64(w, sm_number(s, t));
  jw_u64(w, sm_alloc_of_bytes(s, b));
  jw_u64(w, 0);
  jw_end_array(w);
  return true;
}

str sm_const_text(struct smir *s, const struct json_at *operand) {
  struct json_at body, k, kind, alloc, root, g, mem;
  struct sm_bytes b, text;
  str name;
  if (!sm_variant(operand, &name, &body) || !str_eqz(name, "Constant") ||
      !json_get(&body, "const_", &k) || !json_get(&k, "kind", &kind) ||
      !sm_variant(&kind, &name, &alloc) || !str_eqz(name, "Allocated") ||
      !sm_read_bytes(s, &alloc, &s->scratch, &b) || b.n != 16 || b.n_prov != 1 || b.partial)
    return STR_NULL;
  uint32_t row = sm_lookup(&s->alloc_ids, b.prov[0].alloc);
  if (row == SM_NONE || !alloc_kind(s, row, &s->scratch, &root, &g, &name, &mem) ||
      !str_eqz(name, "Memory") || !sm_read_bytes(s, &mem, &s->scratch, &text))
    return STR_NULL;
  uint64_t at = word_at(&b, 0), n = word_at(&b, 8);
  size_t bad;
  if (at > text.n || n > text.n - at || text.partial || n > 300)
    return STR_NULL;
  str out = arena_str(&s->a, (str){(const char *)text.p + at, (size_t)n});
  return utf8_valid(out, &bad) && !memchr(out.p, 0, out.n) ? out : STR_NULL;
}

/* ---- memory ---- */

static void write_init(struct jsonw *w, const struct sm_bytes *b) {
  if (!b->partial)
    return;
  jw_key(w, "init");
  jw_array(w);
  for (size_t i = 0; i < b->n;) {
    size_t lo = i;
    while (i < b->n && b->init[i])
      i++;
    if (i > lo) {
      jw_array(w);
      jw_u64(w, lo);
      jw_u64(w, i);
      jw_end_array(w);
    }
    while (i < b->n && !b->init[i])
      i++;
  }
  jw_end_array(w);
}

static bool write_relocs(struct smir *s, struct jsonw *w, const struct sm_bytes *b) {
  if (!b->n_prov)
    return true;
  jw_key(w, "relocs");
  jw_array(w);
  for (size_t i = 0; i < b->n_prov; i++) {
    const char *kind;
    uint32_t number;
    if (!target_of(s, b->prov[i].alloc, &kind, &number))
      return false;
    jw_array(w);
    jw_u64(w, b->prov[i].off);
    jw_strz(w, kind);
    jw_u64(w, number);
    jw_u64(w, word_at(b, b->prov[i].off));
    jw_end_array(w);
  }
  jw_end_array(w);
  return true;
}

static bool write_bytes(struct smir *s, const struct sm_bytes *b) {
  static const char digits[] = "0123456789abcdef";
  struct jsonw *w = &s->mem;
  struct strbuf hex = {0};
  size_t next = 0;
  for (size_t i = 0; i < b->n; i++) {
    while (next < b->n_prov && i >= b->prov[next].off + 8)
      next++;
    bool pointer = next < b->n_prov && i >= b->prov[next].off;
    uint8_t v = pointer || !b->init[i] ? 0 : b->p[i];
    sb_addc(&hex, digits[v >> 4]);
    sb_addc(&hex, digits[v & 15]);
  }
  jw_object(w);
  jw_ku64(w, "size", b->n);
  jw_ku64(w, "align", b->align);
  jw_kstr(w, "bytes", sb_str(&hex));
  sb_free(&hex);
  write_init(w, b);
  if (!write_relocs(s, w, b))
    return false;
  if (b->mut && b->is_static)
    jw_kbool(w, "mut", true);
  jw_end_object(w);
  return true;
}

bool sm_write_alloc(struct smir *s, size_t number) {
  struct sm_alloc one = s->alloc_queue.p[number];
  struct json_at root, g, body;
  str kind;
  struct arena_mark mark = arena_save(&s->scratch);
  bool ok = true;
  if (one.row != SM_NONE)
    ok = alloc_kind(s, one.row, &s->scratch, &root, &g, &kind, &body) &&
         sm_read_bytes(s, &body, &s->scratch, &one.bytes);
  ok = ok && write_bytes(s, &one.bytes);
  arena_rewind(&s->scratch, mark);
  return ok;
}

bool sm_write_static(struct smir *s, struct sm_item *it) {
  struct json_at root;
  struct sm_bytes b;
  struct jsonw *w = &s->statics;
  s->at = it->from;
  s->at_span = it->from_span;
  if (it->body.lo == it->body.hi) {
    struct diag *d =
        sm_error(s, MD0853, "the dump has no value of the static `%.*s`", STR_ARG(it->name));
    diag_help(d, "define it in the crate that the dump was made of");
    return false;
  }
  struct arena_mark mark = arena_save(&s->scratch);
  bool ok = sm_parse_item(s, it, &root) && sm_read_bytes(s, &root, &s->scratch, &b);
  if (ok) {
    b.is_static = true;
    jw_object(w);
    jw_kstr(w, "name", it->name);
    jw_kstr(w, "symbol", sm_new_symbol(s, it->name));
    jw_ku64(w, "ty", sm_number(s, sm_opaque(s, b.n, b.align)));
    jw_ku64(w, "alloc", sm_alloc_of_bytes(s, &b));
    jw_kbool(w, "mut", b.mut);
    jw_kz(w, "space", "global");
    jw_kbool(w, "host_visible", false);
    jw_key(w, "span");
    jw_null(w);
    jw_end_object(w);
  }
  arena_rewind(&s->scratch, mark);
  return ok;
}
