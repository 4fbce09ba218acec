/* The readers of rustc's text: bodies, types, and what is printed of them again; and the places in it
 * that belong to opened closures. */
#include "cargo-integration/rustc/mir_parse.h"
#include "cargo-integration/rustc/overlay_closures.h"

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

static void read_dump(const struct mir_parse_input *in) {
  struct mir_file f;
  if (!mir_parse(in, &f))
    return;
  print_items(in->types, &f);
  for (size_t i = 0; i < f.n_broken; i++)
    (void)mir_report_broken(&f, f.broken[i].item, f.broken[i].alloc, in->sink);
  mir_file_release(&f);
}

/* The text as a source, whose closure at line 1 is opened and whose constants and items are edited; and as what rustc prints of it. */
static void open_closures(struct arena *a, str text) {
  struct overlay_opening first = {STR("k.rs:1:9: 1:12"), 2};
  overlay_openings list = {0};
  overlay_shifts shifts = {0};
  vec_push(a, &list, first);
  struct overlay_edits edits = {.openings = &list, .publish = true, .strings = true};
  text = overlay_edit(a, STR("k.rs"), arena_strz(a, text), text.n, &edits, &shifts);
  (void)overlay_original(a, &shifts, text);
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
      .text = {(const char *)data, size}, .path = STR("fuzz.mir"), .arena = &arena, .types = &types, .sink = &sink};
  read_dump(&in);
  open_closures(&arena, in.text);
  rty_table_free(&types);
  arena_free(&arena);
  diag_sink_free(&sink);
  source_map_free(&sources);
  return 0;
}
