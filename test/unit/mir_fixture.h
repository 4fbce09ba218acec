/* Dumps for the tests of the pass: from text, or from the files in test/unit/mir. */
#ifndef MIRDC_TEST_UNIT_MIR_FIXTURE_H
#define MIRDC_TEST_UNIT_MIR_FIXTURE_H

#include "base/fs.h"
#include "cargo-integration/rustc/mir_parse.h"
#include "test/unit/unit.h"

struct dump {
  struct test_sink t;
  struct arena arena;
  struct rty_table types;
  struct mir_file file;
  struct bytes bytes;
  bool ok;
};

static inline void dump_open(struct dump *d) {
  memset(d, 0, sizeof *d);
  test_sink_init(&d->t);
  rty_table_init(&d->types, &d->arena);
}

static inline void dump_parse(struct dump *d, str text, bool strict) {
  struct mir_parse_input in = {.text = text,
                               .path = STR("k.mir"),
                               .arena = &d->arena,
                               .types = &d->types,
                               .sink = &d->t.sink,
                               .strict = strict};
  d->ok = mir_parse(&in, &d->file);
}

static inline void dump_text(struct dump *d, const char *text) {
  dump_open(d);
  dump_parse(d, str_from(text), true);
}

static inline void dump_file(struct dump *d, const char *path) {
  dump_open(d);
  if (!fs_read(&d->t.sink, path, 0, &d->bytes))
    fail_msg("cannot read %s", path);
  dump_parse(d, (str){(const char *)d->bytes.p, d->bytes.n}, true);
}

static inline void dump_close(struct dump *d) {
  if (d->ok)
    mir_file_release(&d->file);
  bytes_free(&d->bytes);
  rty_table_free(&d->types);
  arena_free(&d->arena);
  test_sink_free(&d->t);
}

/* The type or path that a text names. */
static inline const struct rty *dump_type(struct dump *d, const char *text) {
  struct rty_error e;
  const struct rty *t = rty_parse(&d->types, str_from(text), &e);
  if (t == NULL)
    fail_msg("`%s` at %zu: %s", text, e.at, e.want);
  return t;
}

static inline const struct mir_item *dump_item(struct dump *d, const char *name) {
  const struct mir_item *item = mir_item_find(&d->file, str_from(name));
  if (item == NULL)
    fail_msg("no item `%s`", name);
  return item;
}

#endif
