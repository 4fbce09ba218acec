/* Inside the reader: what it read, and the ways to show it. */
#ifndef MIRDC_DRIVER_READ_H
#define MIRDC_DRIVER_READ_H

#include "base/fs.h"
#include "bundles/bundle.h"
#include "linkers/cubin.h"

enum read_option {
#define OPT(id, name, letter, arg, help) id,
#include "driver/read_options.def"
#undef OPT
  READ_OPTIONS
};

struct reader_run {
  struct arena arena;
  struct source_map sources;
  struct diag_sink sink;
  const char *program;
  const char *values[READ_OPTIONS]; /* "" for an option without argument; NULL: not given */
  bool json_messages, color;
  struct strbuf out; /* flushed after each file */
};

enum read_type {
  TYPE_BUNDLE,
  TYPE_HOST, /* ELF with embedded bundles */
  TYPE_CUBIN,
  TYPE_LTOIR,
  TYPE_PTX,
  TYPE_FATBIN,
  TYPE_ARCHIVE,
  TYPE_RECORD,
  TYPE_PMIR
};

struct read_file {
  const char *path;
  struct bytes bytes; /* owned */
  str text;           /* view of bytes */
  enum read_type type;
  struct bundle *bundles; /* of TYPE_BUNDLE and TYPE_HOST */
  size_t n_bundles;
};

/* Reads a file and recognises it by its content. */
bool read_open(struct reader_run *r, const char *path, struct read_file *out) MUST_CHECK;
void read_close(struct read_file *f);
const char *read_type_name(enum read_type t);

/* A name or text out of a file, on one line and harmless on a terminal. */
void read_add_name(struct strbuf *out, str text);

/* Listings, appended to r->out. */
bool read_show_text(struct reader_run *r, const struct read_file *f) MUST_CHECK;
bool read_show_json(struct reader_run *r, const struct read_file *f) MUST_CHECK;
/* Digests, and the manifest against the cubins; a record against the files beside it. */
bool read_check(struct reader_run *r, const struct read_file *f) MUST_CHECK;
bool read_extract(struct reader_run *r, const struct read_file *f, const char *what,
                  const char *to) MUST_CHECK;
/* 0 same, 3 different, 4 could not be compared. */
int read_diff(struct reader_run *r, const struct read_file *a, const struct read_file *b);

#endif
