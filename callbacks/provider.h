/* Providers: folders of CUDA C++ whose function templates call back into Rust.
 *
 * `NAME/provider.json` says what is offered: entries, the types and constants that they take, the signatures
 * of their callbacks, what they need of the launch. docs/providers.md is the reference. Everything in a
 * manifest is checked when it is read, so that nothing below has to be. */
#ifndef MIRDC_CALLBACKS_PROVIDER_H
#define MIRDC_CALLBACKS_PROVIDER_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"
#include "base/hash.h"

/* Scalars that cross the border, by their words: `i8` … `i64`, `u8` … `u64`, `f32`, `f64`, `bool`. */
enum provider_scalar {
#define PROVIDER_SCALAR(id, word, cxx, bits) id,
#include "callbacks/scalars.def"
#undef PROVIDER_SCALAR
  PROVIDER_SCALARS
};
const char *provider_scalar_word(enum provider_scalar s); /* "i32" */
const char *provider_scalar_cxx(enum provider_scalar s);  /* "int" */
unsigned provider_scalar_bits(enum provider_scalar s);

/* A type in a manifest: a scalar, a type parameter of the entry, or nothing (results only). */
struct provider_type {
  enum { PROVIDER_VOID, PROVIDER_FIXED, PROVIDER_PARAM } kind;
  uint32_t id; /* enum provider_scalar, or place in provider_entry.types */
};

enum provider_generic_kind { GENERIC_TYPE, GENERIC_CONST, GENERIC_CALLBACK };
/* One parameter of the C++ template. */
struct provider_generic {
  enum provider_generic_kind kind;
  uint32_t id; /* in types, consts or callbacks */
};
struct provider_type_param {
  str name;
  uint32_t one_of; /* bit 1 << enum provider_scalar */
};
struct provider_const {
  str name;
  uint64_t min, max, multiple_of; /* multiple_of is at least 1 */
  bool power_of_two;
};
struct provider_callback {
  str name;
  struct provider_type *args;
  size_t n_args;
  struct provider_type ret;
};

/* How an argument of the entry is handed over. A value goes as it is; the others are the address of one value
 * or of an array, which the template takes as a reference. */
enum provider_pass { PASS_VALUE, PASS_CALLBACK, PASS_IN, PASS_OUT, PASS_INOUT };
struct provider_arg {
  str name;
  enum provider_pass pass;
  struct provider_type type; /* not of callbacks */
  uint32_t callback;         /* of callbacks */
  bool array;                /* `T (&)[len]` */
  uint32_t len;              /* in consts */
};

enum provider_scope { PROVIDER_THREAD, PROVIDER_WARP, PROVIDER_BLOCK };
const char *provider_scope_word(enum provider_scope s);

struct provider_entry {
  str name;
  str file;     /* the template's file, relative to the folder */
  str function; /* `mirdc_cub::block_reduce` */
  struct provider_generic *generics;
  size_t n_generics;
  struct provider_type_param *types;
  size_t n_types;
  struct provider_const *consts;
  size_t n_consts;
  struct provider_callback *callbacks;
  size_t n_callbacks;
  struct provider_arg *args;
  size_t n_args;
  struct provider_type returns;
  enum provider_scope scope; /* threads that work together */
  bool converged;            /* all of them must arrive */
  uint32_t block;            /* in consts: the exact size of the block; PROVIDER_NONE */
  unsigned min_arch;         /* 75 when the manifest does not say */
  bool associative, commutative; /* the result relies on this of the callback */
  bool allow_traps, allow_thread_index;
  bool caller_syncs;         /* between two calls stands a barrier of the caller's */
};
#define PROVIDER_NONE UINT32_MAX

struct provider {
  str name;
  str dir, manifest; /* paths, the second as shown */
  struct digest digest; /* of the manifest */
  bool cccl, cuda;   /* includes headers of CCCL, of the toolkit */
  str *computed_includes;
  size_t n_computed_includes;
  struct provider_entry *entries; /* by name */
  size_t n_entries;
};

/* Folders that hold providers, in the order in which they are searched. */
struct provider_path {
  const char *const *dirs;
  size_t n;
};

/* Reads the manifest `text` of a folder `dir` that is called `name`. NULL after reporting. */
struct provider *provider_parse(struct diag_sink *s, struct arena *a, str text, str shown, str dir,
                                str name);
/* The provider of that name. NULL after reporting; `at` is where the program asks for it. */
struct provider *provider_find(struct diag_sink *s, struct arena *a, const struct provider_path *path,
                               str name, struct span at);
/* NULL: there is none. */
const struct provider_entry *provider_entry_find(const struct provider *p, str name);
bool provider_const_offers(const struct provider_const *c, u128 value);
/* "`i8`, `i16` or `f32`" */
void provider_add_choices(struct strbuf *b, uint32_t one_of);

#endif
