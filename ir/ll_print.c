/* Text for libNVVM: LLVM 14 prints, the few spellings that its LLVM 7 reader does not know are
 * changed. From compute_100 on libNVVM reads with a newer LLVM; it takes the same typed-pointer
 * text but for `byval`, which there must name its type. */
#include "ir/ll.h"

#define FIRST_MODERN 100

/* ---- before printing ---- */
static void strip_at(ll_v f, unsigned index) {
  unsigned n = LLVMGetAttributeCountAtIndex(f, index);
  LLVMAttributeRef a[64];
  ASSERT(n <= COUNT_OF(a));
  LLVMGetAttributesAtIndex(f, index, a);
  for (unsigned i = 0; i < n; i++)
    if (LLVMIsEnumAttribute(a[i]))
      LLVMRemoveEnumAttributeAtIndex(f, index, LLVMGetEnumAttributeKind(a[i]));
}

/* LLVM gives its own functions attributes by itself, most of them newer than the reader. Only what
 * keeps barriers in place is put back. */
static void strip_intrinsic(struct ll *l, ll_v f) {
  unsigned n = LLVMCountParams(f);
  bool convergent = LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                                LLVMGetEnumAttributeKind(l->a_convergent));
  strip_at(f, (unsigned)LLVMAttributeFunctionIndex);
  for (unsigned i = 0; i <= n; i++)
    strip_at(f, i);
  LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_nounwind);
  if (convergent)
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, l->a_convergent);
}

/* `%0` in a header and `0:` in front of a block are written otherwise by LLVM 7. */
static void name_values(ll_v f) {
  unsigned n = LLVMCountParams(f);
  char name[24];
  for (unsigned i = 0; i < n; i++) {
    int len = snprintf(name, sizeof name, "p%u", i);
    LLVMSetValueName2(LLVMGetParam(f, i), name, (size_t)len);
  }
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
    if (!*LLVMGetBasicBlockName(b))
      LLVMSetValueName2(LLVMBasicBlockAsValue(b), "edge", 4);
}

static void prepare(struct ll *l) {
  for (ll_v f = LLVMGetFirstFunction(l->mod); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) && LLVMGetIntrinsicID(f) != 0)
      strip_intrinsic(l, f);
    else if (!LLVMIsDeclaration(f))
      name_values(f);
  }
}

/* ---- after printing ---- */
/* `byval(T)` becomes `byval`. */
static void add_without_types(struct strbuf *out, str line) {
  for (;;) {
    size_t at = str_find(line, STR("byval("), 0);
    if (at == SIZE_MAX)
      break;
    size_t end = at + 6;
    for (unsigned depth = 1; end < line.n && depth > 0; end++) {
      if (line.p[end] == '(')
        depth++;
      if (line.p[end] == ')')
        depth--;
    }
    sb_add(out, str_sub(line, 0, at + 5));
    line = str_drop(line, end);
  }
  sb_add(out, line);
}

/* Removes `key: value` and the comma beside it. */
static str field_of(str line, str key, size_t *from, size_t *to) {
  size_t at = str_find(line, key, 0), end = at;
  *from = *to = SIZE_MAX;
  if (at == SIZE_MAX)
    return STR_NULL;
  while (end < line.n && line.p[end] != ',' && line.p[end] != ')')
    end++;
  *from = at;
  *to = end;
  return str_sub(line, at + key.n, end);
}

/* The dress of ll_debug_type.c: a variant's value came as a bit field's place. */
static void add_variant_value(struct strbuf *out, str line, size_t cut) {
  str flag = STR(", flags: DIFlagBitField");
  sb_add(out, str_sub(line, 0, cut));
  sb_add(out, str_drop(line, cut + flag.n));
}

/* The same: a struct with a base that is the discriminant. */
static void add_variant_part(struct strbuf *out, str line) {
  str tag = STR("DW_TAG_structure_type"), base = STR("baseType:"), id = STR(", identifier:");
  size_t at = str_find(line, tag, 0), b = str_find(line, base, at), i = str_find(line, id, b);
  ASSERT(at != SIZE_MAX && b != SIZE_MAX && i != SIZE_MAX);
  sb_add(out, str_sub(line, 0, at));
  sb_addz(out, "DW_TAG_variant_part");
  sb_add(out, str_sub(line, at + tag.n, b));
  sb_addz(out, "discriminator:");
  sb_add(out, str_sub(line, b + base.n, i));
  sb_addz(out, ")");
}

static void add_debug_line(struct strbuf *out, str line, bool full) {
  size_t from, to;
  if (str_ends(line, STR(", identifier: \"" LL_VARIANT_PART "\")"))) {
    add_variant_part(out, line);
    return;
  }
  size_t bit = str_find(line, STR(", flags: DIFlagBitField"), 0);
  if (bit != SIZE_MAX && str_find(line, STR("\""), bit) == SIZE_MAX) {
    add_variant_value(out, line, bit);
    return;
  }
  str flags = field_of(line, STR("spFlags: "), &from, &to);
  if (flags.p) {
    bool local = str_find(flags, STR("DISPFlagLocalToUnit"), 0) != SIZE_MAX;
    bool opt = str_find(flags, STR("DISPFlagOptimized"), 0) != SIZE_MAX;
    sb_add(out, str_sub(line, 0, from));
    sb_addf(out, "isLocal: %s, isDefinition: true, isOptimized: %s", local ? "true" : "false",
            opt ? "true" : "false");
    line = str_drop(line, to);
  }
  if (field_of(line, STR(", retainedNodes: "), &from, &to).p) { /* `variables:` in LLVM 7 */
    sb_add(out, str_sub(line, 0, from));
    line = str_drop(line, str_find(line, STR(", retainedNodes: "), 0) + 2);
    size_t end = 0;
    while (end < line.n && line.p[end] != ',' && line.p[end] != ')')
      end++;
    line = str_drop(line, end);
  }
  if (!full && field_of(line, STR("emissionKind: "), &from, &to).p) {
    sb_add(out, str_sub(line, 0, from));
    sb_addz(out, "emissionKind: DebugDirectivesOnly"); /* as nvcc -lineinfo: not debug code */
    line = str_drop(line, to);
  }
  size_t cut = str_find(line, STR(", splitDebugInlining:"), 0);
  if (cut != SIZE_MAX && str_starts(line, STR("!")) == false) {
    sb_add(out, str_sub(line, 0, cut));
    line = STR(")");
  }
  sb_add(out, line);
}

static bool is_banned(str line) {
  static const char *const words[] = {" poison", "freeze ", "fneg "};
  size_t text = str_find_char(line, '"', 0); /* strings may say anything */
  if (line.n == 0 || line.p[0] != ' ')
    return false;
  for (size_t i = 0; i < COUNT_OF(words); i++) {
    size_t at = str_find(line, str_from(words[i]), 0);
    if (at != SIZE_MAX && at < text)
      return true;
  }
  return false;
}

static bool rewrite(struct ll *l, str text, struct strbuf *out) {
  str line;
  sb_reserve(out, text.n + text.n / 64 + 64);
  while (str_next_line(&text, &line)) {
    if (is_banned(line)) {
      struct diag *d = diag_error(l->sink, MD0310, SPAN_NONE,
                                  "the module has a construct that libNVVM cannot read");
      diag_note(d, "%.*s", STR_ARG(line));
      return false;
    }
    if (line.n == 0)
      continue;
    if (line.p[0] == '!' && l->dbg)
      add_debug_line(out, line, l->o->debug);
    else if (line.p[0] != '@' && l->o->arch < FIRST_MODERN)
      add_without_types(out, line);
    else
      sb_add(out, line);
    sb_addc(out, '\n');
  }
  return true;
}

bool ll_print_nvvm(struct ll *l, str *out) {
  struct strbuf sb = {0};
  prepare(l);
  char *text = LLVMPrintModuleToString(l->mod);
  bool ok = rewrite(l, str_from(text), &sb);
  LLVMDisposeMessage(text);
  if (ok)
    *out = arena_str(&l->out->arena, sb_str(&sb));
  sb_free(&sb);
  return ok;
}
