/* The readers of rustc's text: both printers, types, and what is printed of them again. */
#include "cargo-integration/rustc/smir_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_items(struct rty_table *types, const struct mir_file *f) {
  struct strbuf b = {0};
  for (size_t i = 0; i < f->n_items; i++) {
    const struct mir_body *m = &f->items[i].body;
    (void)rty_label(types, f->items[i].path);
    for (uint32_t k = 0; k < m->n_locals; k++)
      (void)rty_print(m->locals[k].ty, RTY_PRINT_SOURCE, &b);
    for (uint32_t k = 0; k < m->n_blocks; k++)
      for (uint32_t s = 0; s < m->blocks[k].n_stmts; s++)
        sb_addf(&b, "%u", m->blocks[k].stmts[s].loc.span.line0);
    sb_clear(&b);
  }
  sb_free(&b);
}

static void ask_closures(const struct mir_file *f, const struct smir_file *second) {
  const struct mir_operand *ops;
  uint32_t n;
  for (size_t i = 0; i < f->n_items; i++)
    for (uint32_t k = 0; k < f->items[i].body.n_blocks; k++)
      for (uint32_t s = 0; s < f->items[i].body.blocks[k].n_stmts; s++)
        if (!smir_closure_ops(second, &f->items[i], k, s, &ops, &n))
          n = 0;
}

/* The input is a dump; what follows a line `=====` is the second printer's. */
static void read_both(const struct mir_parse_input *in, str text) {
  size_t cut = str_find(text, STR("\n=====\n"), 0);
  struct mir_parse_input first = *in, then = *in;
  struct mir_file f;
  struct smir_file second;
  first.text = cut == SIZE_MAX ? text : str_sub(text, 0, cut + 1);
  then.text = cut == SIZE_MAX ? STR_NULL : str_drop(text, cut + 7);
  if (!mir_parse(&first, &f))
    return;
  print_items(in->types, &f);
  for (size_t i = 0; i < f.n_broken; i++)
    (void)mir_report_broken(&f, f.broken[i].item, f.broken[i].alloc, in->sink);
  if (smir_parse(&then, &f, &second))
    ask_closures(&f, &second);
  mir_file_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct source_map sources;
  struct diag_sink sink;
  struct arena arena = {0};
  struct rty_table types;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  rty_table_init(&types, &arena);
  struct mir_parse_input in = {
      .path = STR("fuzz.mir"), .arena = &arena, .types = &types, .sink = &sink};
  read_both(&in, (str){(const char *)data, size});
  rty_table_free(&types);
  arena_free(&arena);
  diag_sink_free(&sink);
  source_map_free(&sources);
  return 0;
}
