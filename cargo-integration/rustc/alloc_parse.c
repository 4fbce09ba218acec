/* Allocations of the MIR text: hex dumps with pointers drawn as bars. */
#include "cargo-integration/rustc/mir_reader.h"

#include <string.h>

/* UTF-8 of the drawing characters rustc uses. */
#define BAR_LEFT "\xe2\x95\xbe" /* the open end of a pointer's bar */
#define BAR_RIGHT "\xe2\x95\xbc"
#define BAR "\xe2\x94\x80"
#define COLUMN "\xe2\x94\x82" /* between hex and text */

static void push_byte(struct reader *r, uint8_t value, bool init) {
  vec_push(NULL, &r->bytes, value);
  vec_push(NULL, &r->init, (uint8_t)(init ? 1 : 0));
}

static void skip_bar(struct lex *l) {
  while (LEX_EAT(l, BAR)) {
  }
}

/* `allocN[+0xOFF][<imm>]` inside a bar; `aN…` when that is too long for it. */
static bool read_reloc(struct reader *r, struct mir_reloc *to) {
  struct lex *l = &r->l;
  *to = (struct mir_reloc){.offset = r->bytes.n};
  if (!(LEX_EAT(l, "alloc") || LEX_EAT(l, "a")) || !lex_u32(l, &to->alloc))
    return reader_fail(r, MD0107, "expected the allocation that a pointer leads to");
  to->imm = LEX_EAT(l, "<imm>");
  if (LEX_EAT(l, "+0x")) {
    uint64_t hi;
    unsigned digits;
    if (!lex_hex128(l, &to->addend, &hi, &digits) || hi != 0)
      return reader_fail(r, MD0107, "expected the offset of a pointer");
  }
  to->imm = LEX_EAT(l, "<imm>") || to->imm;
  /* Said when the target is longer than the bar. */
  (void)LEX_EAT(l, " (8 ptr bytes)");
  return true;
}

/* Steps to the next row of the dump: over ` │ text`, the newline, and the next row's `0x10 │ `. */
static bool next_row(struct reader *r) {
  struct lex *l = &r->l;
  size_t end = str_find_char(l->text, '\n', l->pos);
  if (end == SIZE_MAX)
    return reader_fail(r, MD0106, "the dump ends inside an allocation");
  l->pos = end + 1;
  return true;
}

static bool row_start(struct reader *r) {
  struct lex *l = &r->l;
  lex_blanks(l);
  if (!LEX_AT(l, "0x"))
    return true;
  struct lex ahead = *l;
  uint64_t at, hi;
  unsigned digits;
  ahead.pos += 2;
  if (!lex_hex128(&ahead, &at, &hi, &digits) || !LEX_EAT(&ahead, " " COLUMN " "))
    return reader_fail(r, MD0107, "expected the offset of a row");
  if (at != r->bytes.n)
    return reader_fail(r, MD0107, "this row should begin at byte %zu", r->bytes.n);
  *l = ahead;
  return true;
}

/* The rest of a bar in the next row. That row's offset counts the bytes of the pointer that stand
 * above, so it is not checked here. */
static bool next_bar_row(struct reader *r) {
  struct lex *l = &r->l;
  lex_blanks(l);
  if (!LEX_AT(l, COLUMN))
    return reader_fail(r, MD0107, "expected the end of a pointer");
  if (!next_row(r))
    return false;
  lex_blanks(l);
  if (!LEX_EAT(l, "0x"))
    return true;
  while (lex_is_hex(lex_peek(l)))
    l->pos++;
  return NEED(r, " " COLUMN " ");
}

/* A pointer's bar. When it goes on in the next row, its target is written in the longer part. */
static bool read_bar(struct reader *r) {
  struct lex *l = &r->l;
  struct mir_reloc to;
  bool named = false;
  for (int row = 0; !LEX_EAT(l, BAR_RIGHT); row++) {
    if (row == 2)
      return reader_fail(r, MD0107, "expected the end of a pointer");
    if (row == 1 && !next_bar_row(r))
      return false;
    skip_bar(l);
    if (!named && LEX_AT(l, "a")) {
      if (!read_reloc(r, &to))
        return false;
      named = true;
    }
    skip_bar(l);
  }
  if (!named)
    return reader_fail(r, MD0107, "expected the allocation that a pointer leads to");
  vec_push(NULL, &r->relocs, to);
  for (int i = 0; i < 8; i++)
    push_byte(r, 0, true);
  return true;
}

/* One cell: two hex digits, `__`, or a pointer. */
static bool read_cell(struct reader *r) {
  struct lex *l = &r->l;
  if (LEX_EAT(l, "__")) {
    push_byte(r, 0, false);
    return true;
  }
  if (LEX_EAT(l, BAR_LEFT))
    return read_bar(r);
  char a = lex_peek(l), b = lex_peek_at(l, 1);
  if (!lex_is_hex(a) || !lex_is_hex(b))
    return reader_fail(r, MD0107, "expected a byte, `__` or a pointer");
  push_byte(r, (uint8_t)(hex_digit(a) << 4 | hex_digit(b)), true);
  l->pos += 2;
  return true;
}

/* Rows up to and over the closing brace. */
static bool read_rows(struct reader *r, uint64_t size) {
  struct lex *l = &r->l;
  for (;;) {
    lex_blanks(l);
    if (LEX_EAT(l, "}"))
      return true;
    if (!row_start(r))
      return false;
    while (!LEX_AT(l, COLUMN) && lex_peek(l) != '\n') {
      if (!read_cell(r))
        return false;
      if (r->bytes.n > size)
        return reader_fail(r, MD0107, "more bytes than the allocation's size, %llu",
                           (unsigned long long)size);
      lex_blanks(l);
    }
    if (!next_row(r))
      return false;
  }
}

static void keep_bytes(struct reader *r, struct mir_alloc *out) {
  size_t n = r->bytes.n;
  uint8_t *bytes = arena_array(r->arena, uint8_t, n + 1);
  uint8_t *init = arena_array(r->arena, uint8_t, n + 1);
  if (n > 0) {
    memcpy(bytes, r->bytes.p, n);
    memcpy(init, r->init.p, n);
  }
  out->bytes = bytes;
  out->init = init;
  out->n_relocs = (uint32_t)r->relocs.n;
  if (out->n_relocs > 0) {
    struct mir_reloc *relocs = arena_array(r->arena, struct mir_reloc, out->n_relocs);
    memcpy(relocs, r->relocs.p, out->n_relocs * sizeof *relocs);
    out->relocs = relocs;
  }
}

/* `size: S, align: A) {` and the rows. */
static bool read_memory(struct reader *r, struct mir_alloc *out) {
  struct lex *l = &r->l;
  size_t at = l->pos;
  if (!NEED(r, "size: "))
    return false;
  if (!lex_u64(l, &out->size))
    return reader_fail(r, MD0107, "expected the size of an allocation");
  if (!NEED(r, ", align: "))
    return false;
  if (!lex_u64(l, &out->align) || out->align == 0 || (out->align & (out->align - 1)) != 0)
    return reader_fail(r, MD0107, "expected an alignment, a power of two");
  if (!NEED(r, ") {"))
    return false;
  out->has_bytes = true;
  r->bytes.n = r->init.n = r->relocs.n = 0;
  if (!LEX_EAT(l, "}")) {
    if (!next_row(r) || !read_rows(r, out->size))
      return false;
  }
  if (r->bytes.n != out->size)
    return reader_fail_at(r, MD0107, at, "%zu bytes are printed, the size is %llu", r->bytes.n,
                          (unsigned long long)out->size);
  keep_bytes(r, out);
  return true;
}

/* A path and perhaps ` - shim(..)`, up to and over `)`. */
static bool read_instance(struct reader *r, struct mir_alloc *out) {
  struct lex *l = &r->l;
  if ((out->path = read_path(r)) == NULL)
    return false;
  if (LEX_EAT(l, " - ")) {
    size_t from = l->pos;
    if (!lex_balanced(l, ")", false))
      return reader_fail(r, MD0107, "expected `)` behind a function");
    out->shim = str_sub(l->text, from, l->pos);
  }
  return NEED(r, ")");
}

static bool read_static(struct reader *r, struct mir_alloc *out) {
  out->kind = MA_STATIC;
  if ((out->path = read_path(r)) == NULL)
    return false;
  if (LEX_EAT(&r->l, ")"))
    return true;
  return NEED(r, ", ") && read_memory(r, out);
}

/* `impl Trait + Auto for T)`, `impl <auto trait> for T)`. */
static bool read_vtable(struct reader *r, struct mir_alloc *out) {
  out->kind = MA_VTABLE;
  if (!LEX_EAT(&r->l, "impl <auto trait>")) {
    const struct rty *bounds = read_type(r);
    if (bounds == NULL)
      return false;
    if (bounds->kind != RTY_IMPL || bounds->n_args == 0)
      return reader_fail(r, MD0107, "expected the trait of a vtable");
    out->trait = bounds->args[0];
  }
  return NEED(r, " for ") && (out->ty = read_type(r)) != NULL && NEED(r, ")");
}

bool read_alloc(struct reader *r, struct mir_alloc *out) {
  struct lex *l = &r->l;
  size_t at = l->pos;
  *out = (struct mir_alloc){.dump_line = reader_line(r), .align = 1};
  if (!NEED(r, "alloc"))
    return false;
  if (!lex_u32(l, &out->id) || out->id > 0x1000000u)
    return reader_fail_at(r, MD0107, at, "expected the number of an allocation");
  if (!NEED(r, " ("))
    return false;
  bool ok;
  if (LEX_EAT(l, "fn: ")) {
    out->kind = MA_FN;
    ok = read_instance(r, out);
  } else if (LEX_EAT(l, "static: ")) {
    ok = read_static(r, out);
  } else if (LEX_EAT(l, "extern static: ")) {
    out->kind = MA_EXTERN;
    ok = read_instance(r, out);
  } else if (LEX_EAT(l, "vtable: ")) {
    ok = read_vtable(r, out);
  } else if (LEX_EAT(l, "typeid for ")) {
    out->kind = MA_TYPE_ID;
    ok = (out->ty = read_type(r)) != NULL && NEED(r, ")");
  } else {
    ok = read_memory(r, out);
  }
  return ok && read_line_end(r, NULL);
}
