/* rustc's dep-info file: the sources and environment variables of a unit. */
#ifndef MIRDC_CARGO_DEPINFO_H
#define MIRDC_CARGO_DEPINFO_H

#include "base/fs.h"
#include "base/vec.h"

struct depinfo {
  VEC(char *) sources; /* absolute */
  VEC(char *) env;     /* names read with env!() */
};

/* Relative paths are taken below `root`. */
void depinfo_parse(struct arena *a, str text, const char *root, struct depinfo *out);
/* The dep-info beside an output `libNAME-HASH.EXT`. False when there is none. */
bool depinfo_of_output(struct arena *a, const char *output, const char *root, struct depinfo *out);

#endif
