/* Line tables, scopes and inlining. Files get a name that cannot be found where the program is
 * linked: the linker would write the time of a file it finds into the product. */
#include "ir/ll_debug.h"

static LLVMMetadataRef make_file(struct ll *l, str path) {
  str unit = l->m->unit.crate_name;
  str full = arena_printf(&l->arena, "/mirdc/%.*s/%.*s", STR_ARG(unit), STR_ARG(path));
  return LLVMDIBuilderCreateFile(l->dbg->b, full.p, full.n, "/", 1);
}

void ll_debug_begin(struct ll *l) {
  static const char producer[] = "mirdc " MIRDC_VERSION;
  if (!l->o->line_info && !l->o->debug && !l->o->emu)
    return;
  l->dbg = arena_new(&l->arena, struct ll_debug);
  struct ll_debug *d = l->dbg;
  d->b = LLVMCreateDIBuilder(l->mod);
  d->files = arena_array(&l->arena, LLVMMetadataRef, l->m->n_files);
  for (uint32_t i = 0; i < l->m->n_files; i++)
    d->files[i] = make_file(l, l->m->files[i].path);
  d->unknown = make_file(l, STR("unknown.rs"));
  d->full = l->o->debug;
  d->types = arena_array(&l->arena, LLVMMetadataRef, l->m->n_types);
  d->state = arena_array(&l->arena, uint8_t, l->m->n_types);
  d->unit = LLVMDIBuilderCreateCompileUnit(
      d->b, LLVMDWARFSourceLanguageRust, l->m->n_files > 0 ? d->files[0] : d->unknown, producer,
      sizeof producer - 1, l->o->opt > 0, "", 0, 0, "", 0,
      l->o->debug ? LLVMDWARFEmissionFull : LLVMDWARFEmissionLineTablesOnly, 0, 0, 0, "", 0, "", 0);
  d->type = LLVMDIBuilderCreateSubroutineType(d->b, d->unknown, NULL, 0, LLVMDIFlagZero);
  LLVMAddModuleFlag(l->mod, LLVMModuleFlagBehaviorWarning, "Dwarf Version", 13,
                    LLVMValueAsMetadata(LLVMConstInt(l->i32, 2, 0)));
  /* nvcc's modules ask for equality, and a linker refuses two views on one flag. */
  LLVMAddModuleFlag(l->mod, LLVMModuleFlagBehaviorError, "Debug Info Version", 18,
                    LLVMValueAsMetadata(LLVMConstInt(l->i32, 3, 0)));
}

LLVMMetadataRef ll_debug_file(struct ll *l, uint32_t source) {
  for (uint32_t i = 0; i < l->m->n_files && source != FILE_NONE; i++)
    if (l->m->files[i].source == source)
      return l->dbg->files[i];
  return l->dbg->unknown;
}

/* Shims have no place of their own. Line 0 would make libNVVM repeat it in front of each part of a
 * call, which ptxas does not read. */
static unsigned known_line(uint32_t line) {
  return line > 0 ? line : 1;
}

static LLVMMetadataRef subprogram(struct ll *l, str name, str symbol, struct span at,
                                  LLVMMetadataRef type, bool local) {
  struct ll_debug *d = l->dbg;
  LLVMMetadataRef file = ll_debug_file(l, at.file);
  return LLVMDIBuilderCreateFunction(d->b, file, name.p, name.n, symbol.p, symbol.n, file,
                                     known_line(at.line0), type, local, 1, known_line(at.line0),
                                     LLVMDIFlagZero, l->o->opt > 0);
}

/* Result and parameters; nothing at the place of the result means that there is none. */
static LLVMMetadataRef signature(struct ll_fn *fc) {
  struct ll *l = fc->l;
  struct ll_debug *d = l->dbg;
  LLVMMetadataRef *t;
  uint32_t n = fc->f->n_args + 1;
  if (!d->full)
    return d->type;
  t = arena_array(&l->scratch, LLVMMetadataRef, n);
  for (uint32_t i = ll_ty(l, fc->f->locals[0].ty)->size == 0; i < n; i++)
    t[i] = ll_debug_type(l, fc->f->locals[i].ty);
  return LLVMDIBuilderCreateSubroutineType(d->b, d->unknown, t, n, LLVMDIFlagZero);
}

void ll_debug_function(struct ll_fn *fc) {
  struct ll *l = fc->l;
  if (!l->dbg)
    return;
  str symbol = fc->kernel ? fc->kernel->name : fc->f->symbol;
  bool local = !fc->kernel && !fc->f->export;
  struct span at = pm_span_of(l->m, fc->f->span);
  if (l->o->emu)
    at.line0 = ll_emu_line(fc->f->span);
  l->dbg->scope = subprogram(l, fc->f->name, symbol, at, signature(fc), local);
  LLVMSetSubprogram(fc->v, l->dbg->scope);
  LLVMMetadataRef first =
      l->o->emu ? ll_emu_location(l, fc->f->span)
                : LLVMDIBuilderCreateDebugLocation(l->cx, known_line(at.line0), at.col0,
                                                   l->dbg->scope, NULL);
  LLVMSetCurrentDebugLocation2(l->b, first);
}

static LLVMMetadataRef inlined_scope(struct ll *l, const struct pm_span *s) {
  str key = arena_printf(&l->arena, "%u:%.*s", s->at.file, STR_ARG(s->inlined_fn));
  bool fresh;
  uintptr_t *at = map_put(&l->dbg->inlined, key, &fresh);
  if (fresh)
    *at = (uintptr_t)subprogram(l, s->inlined_fn, STR(""), s->at, l->dbg->type, true);
  return (LLVMMetadataRef)*at;
}

/* Blocks of an inlined function are the same in all its copies. Scopes may be nested deeply, so no
 * recursion: from the outside in. */
static LLVMMetadataRef block(struct ll *l, LLVMMetadataRef function, uint32_t scope) {
  struct ll_debug *d = l->dbg;
  struct arena_mark mark = arena_save(&l->scratch);
  VEC(uint32_t) chain = {0};
  LLVMMetadataRef in = function;
  for (uint32_t s = scope; s != PM_NONE; s = l->m->scopes[s].parent)
    vec_push(&l->scratch, &chain, s);
  while (chain.n > 0) {
    uint32_t s = vec_pop(&chain);
    const struct span *p = &l->m->scopes[s].at;
    str key = arena_printf(&l->scratch, "%p:%u", (void *)function, s);
    uintptr_t *at = map_get(&d->blocks, key);
    if (!at) {
      at = map_put(&d->blocks, arena_str(&l->arena, key), NULL);
      *at = (uintptr_t)LLVMDIBuilderCreateLexicalBlock(d->b, in, ll_debug_file(l, p->file),
                                                       p->line0, p->col0);
    }
    in = (LLVMMetadataRef)*at;
  }
  arena_rewind(&l->scratch, mark);
  return in;
}

LLVMMetadataRef ll_debug_scope(struct ll *l, const struct pm_span *s) {
  LLVMMetadataRef f = s->inlined_at == PM_NONE ? l->dbg->scope : inlined_scope(l, s);
  return l->dbg->full && s->scope != PM_NONE ? block(l, f, s->scope) : f;
}

LLVMMetadataRef ll_debug_location(struct ll *l, pm_loc loc) {
  const struct pm_span *s = &l->m->spans[loc];
  LLVMMetadataRef at = s->inlined_at == PM_NONE ? NULL : ll_debug_location(l, s->inlined_at);
  return LLVMDIBuilderCreateDebugLocation(l->cx, known_line(s->at.line0), s->at.col0,
                                          ll_debug_scope(l, s), at);
}

void ll_debug_at(struct ll_fn *fc, pm_loc span) {
  struct ll *l = fc->l;
  if (!l->dbg || span == PM_NONE)
    return;
  LLVMSetCurrentDebugLocation2(l->b, l->o->emu ? ll_emu_location(l, span)
                                               : ll_debug_location(l, span));
}

void ll_debug_none(struct ll *l) {
  if (l->dbg)
    LLVMSetCurrentDebugLocation2(l->b, NULL);
}

void ll_debug_end(struct ll *l) {
  if (!l->dbg)
    return;
  LLVMDIBuilderFinalize(l->dbg->b);
  LLVMDisposeDIBuilder(l->dbg->b);
  map_free(&l->dbg->inlined);
  map_free(&l->dbg->blocks);
}
