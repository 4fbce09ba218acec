/* Names of types as trees, from three spellings of the same thing: verbose MIR text, Rust source,
 * and debug info. They differ in paths (visible or definition path), lifetimes, constants and
 * closures. */
#ifndef MIRDC_RUSTC_DI_NAME_H
#define MIRDC_RUSTC_DI_NAME_H

#include "base/arena.h"

enum dn_kind {
  DN_OTHER,   /* not understood: equal to nothing */
  DN_PATH,    /* segs, args */
  DN_REF,     /* args[0], mut */
  DN_PTR,     /* args[0], mut */
  DN_SLICE,   /* args[0] */
  DN_ARRAY,   /* args[0], name = length */
  DN_TUPLE,   /* args */
  DN_FN,      /* args = parameters and the result last, name = ABI */
  DN_FNDEF,   /* the same with its own zero-sized type */
  DN_CLOSURE, /* segs end in {closure#N}; args = captures when has_captures */
  DN_DYN,     /* args[0] = principal trait */
  DN_LITERAL, /* name */
  DN_NEVER,
};

struct dn {
  enum dn_kind kind;
  bool mut, is_unsafe;
  bool has_captures;
  bool qualified; /* the head of the path was `<T as Trait>` or an impl block: segs are its tail */
  str name;
  str text; /* as it was written */
  const str *segs;
  uint32_t n_segs;
  struct dn **args;
  uint32_t n_args;
};

/* Never NULL; kind DN_OTHER when the text is not understood. */
struct dn *dn_parse(struct arena *a, str text);
/* What equal types have in common, as a key for a table: the last segment's name. */
str dn_key(const struct dn *t);
/* Does the tree hold a DN_FNDEF anywhere? Debug info cannot tell those from function pointers. */
bool dn_has_fndef(const struct dn *t);

/* Gives the captures of a closure by the text of its debug info name; false: unknown. */
typedef bool (*dn_captures)(void *ctx, str di_text, struct dn ***types, uint32_t *n);
struct dn_match {
  str crate; /* name of the local crate, the head of its paths in debug info */
  dn_captures captures;
  void *ctx;
};
/* Is `di`, a name from debug info, the type that `t` names? */
bool dn_matches(const struct dn_match *m, const struct dn *t, const struct dn *di);

#endif
