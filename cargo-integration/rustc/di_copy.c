/* memcpy calls of textual LLVM IR, their places, and the constants they read. */
#include "cargo-integration/rustc/di_copy.h"

#include <string.h>

#include "cargo-integration/rustc/di_ir.h"

struct copies {
  struct di_ir di;
  str ir;
  const struct di_copy *at;
};

static bool is_at(const struct copies *c, str call) {
  size_t dbg = str_find(call, STR(", !dbg !"), 0);
  uint64_t id, line, col;
  uint32_t scope, file;
  if (dbg == SIZE_MAX || !str_to_u64(str_trim(str_drop(call, dbg + sizeof ", !dbg !" - 1)), &id) ||
      id > UINT32_MAX)
    return false;
  str loc = di_node(&c->di, (uint32_t)id);
  if (!di_is(loc, "DILocation") || !di_get_u64(loc, "line", &line) ||
      !di_get_u64(loc, "column", &col) || line != c->at->line || col != c->at->col ||
      !di_get_ref(loc, "scope", &scope) || !di_get_ref(di_node(&c->di, scope), "file", &file))
    return false;
  str node = di_node(&c->di, file);
  str dir = di_get_string(&c->di, node, "directory");
  str name = di_get_string(&c->di, node, "filename");
  return str_eq(c->at->file, name) ||
         str_eq(c->at->file, arena_printf(c->di.arena, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name)));
}

/* `%9 = getelementptr inbounds i8, ptr @NAME, i64 %7, !dbg !8` */
static str base_of(str line) {
  size_t at = str_find(line, STR(" = getelementptr "), 0);
  at = at == SIZE_MAX ? at : str_find(line, STR(", ptr @"), at);
  size_t from = at + sizeof ", ptr " - 1;
  size_t end = at == SIZE_MAX ? at : str_find_char(line, ',', from);
  return end == SIZE_MAX ? STR_NULL : str_sub(line, from, end);
}

/* The global that the call copies `size` bytes of: `…(ptr align 1 %x, ptr align 1 @NAME, i64 SIZE,
 * …`. */
static str source_of(const struct copies *c, str call) {
  if (c->at->element)
    return base_of(call);
  if (str_find(call, STR("@llvm.memcpy."), 0) == SIZE_MAX)
    return STR_NULL;
  str tail = arena_printf(c->di.arena, ", i64 %llu, i1 false)", (unsigned long long)c->at->size);
  size_t end = str_find(call, tail, 0);
  if (end == SIZE_MAX)
    return STR_NULL;
  size_t at = str_rfind_char(str_sub(call, 0, end), ' ');
  str name = at == SIZE_MAX ? STR_NULL : str_sub(call, at + 1, end);
  return name.n > 1 && name.p[0] == '@' ? name : STR_NULL;
}

/* `c"…"`: everything but printable characters is `\XX`. */
static bool read_bytes(str text, uint64_t size, uint8_t *out) {
  size_t i = 0;
  for (uint64_t k = 0; k < size; k++) {
    if (i >= text.n || text.p[i] == '"')
      return false;
    if (text.p[i] != '\\') {
      out[k] = (uint8_t)text.p[i++];
      continue;
    }
    int hi = i + 2 < text.n ? hex_digit(text.p[i + 1]) : -1, lo = hi < 0 ? -1 : hex_digit(text.p[i + 2]);
    if (lo < 0)
      return false;
    out[k] = (uint8_t)(hi << 4 | lo);
    i += 3;
  }
  return i < text.n && text.p[i] == '"';
}

/* A constant of plain bytes, and nothing else: no pointer, no padding. */
static bool read_global(const struct copies *c, str name, uint8_t *out) {
  struct arena *a = c->di.arena;
  str head = arena_printf(a, "\n%.*s = private unnamed_addr constant [%llu x i8] c\"",
                          STR_ARG(name), (unsigned long long)c->at->size);
  size_t at = str_find(c->ir, head, 0);
  if (at == SIZE_MAX) {
    head = arena_printf(
        a, "\n%.*s = private unnamed_addr constant <{ [%llu x i8] }> <{ [%llu x i8] c\"",
        STR_ARG(name), (unsigned long long)c->at->size, (unsigned long long)c->at->size);
    at = str_find(c->ir, head, 0);
  }
  return at != SIZE_MAX && read_bytes(str_drop(c->ir, at + head.n), c->at->size, out);
}

bool di_copied_bytes(struct arena *a, str ir, const struct di_copy *at, uint8_t *out) {
  struct copies c = {.ir = ir, .at = at};
  uint8_t *other = arena_array(a, uint8_t, at->size + 1);
  bool found = false;
  di_ir_read(&c.di, a, ir);
  str rest = ir, call;
  while (str_next_line(&rest, &call)) {
    str name = source_of(&c, call);
    if (!name.n || !is_at(&c, call))
      continue;
    if (!read_global(&c, name, other) || (found && memcmp(out, other, at->size) != 0))
      return false;
    memcpy(out, other, at->size);
    found = true;
  }
  return found;
}
