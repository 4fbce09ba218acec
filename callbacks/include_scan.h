/* The headers that a C++ text can reach by `#include`, read once into memory.
 *
 * The compiler is given no folder to search, only these texts, so that a header that was not read, and is
 * therefore not part of any digest, cannot be seen. The scan is conservative: it follows every `#include` whatever
 * condition it stands under, and a name that no folder has is left to the compiler to complain about. */
#ifndef MIRDC_CALLBACKS_INCLUDE_SCAN_H
#define MIRDC_CALLBACKS_INCLUDE_SCAN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"

/* A folder to search, in this order. Files of a root with a name are called `NAME/PATH`, others by their path
 * below the root, as programs name them. Computed includes are refused in roots that are `strict`. */
struct include_root {
  const char *dir;
  str name;
  bool strict;
};

struct include_file {
  str name; /* how the compiler knows it, in `#include` and in messages */
  str path; /* where it was read */
  str text; /* what the compiler gets, with a zero byte behind it: directives name files as above */
  struct digest digest; /* of the file's bytes */
  size_t size;          /* of the file */
  uint32_t root;
  VEC(uint32_t) reaches; /* places in `files` of what it includes */
};

struct include_set {
  struct arena arena;
  const struct include_root *roots; /* borrowed */
  size_t n_roots;
  VEC(struct include_file) files; /* in the order in which they were met */
  size_t n_scanned;
  struct map by_path; /* by root and path below it */
};

void include_set_init(struct include_set *set, const struct include_root *roots, size_t n);
void include_set_free(struct include_set *set);
/* Adds the file that `#include <name>` means, and all that it reaches; *found is the file's place in `files`, or
 * SIZE_MAX when no root has it. False after reporting (MD0710: a file that cannot be used). */
bool include_set_add(struct diag_sink *s, struct include_set *set, str name, size_t *found) MUST_CHECK;
/* What the given files reach, they themselves included, in order of names. */
struct include_closure {
  const struct include_file **files;
  size_t n;
  struct digest digest; /* over names and contents */
};
void include_set_close(struct include_set *set, const size_t *first, size_t n, struct arena *a,
                       struct include_closure *out);

#endif
