/* Rust types, paths and constant arguments, read from the text rustc prints and interned: equal
 * things are the same pointer, so compare with `==`.
 *
 * Lifetimes carry nothing: every one becomes the single erased lifetime node, and binders
 * (`for<...>`) are dropped. A type parameter `T` and a local struct `T` print alike, so both are a
 * path of one segment; substitution replaces any node by pointer, whatever it is.
 *
 * A path has segments. Generic arguments are on the segment that they are printed at, turbofish or
 * not. A segment may instead be a qualified self:
 *   core::option::Option<u32>           name core, name option, name Option [u32]
 *   <u32 as core::iter::Step>::forward  qself(u32, core::iter::Step), name forward
 *   core::slice::<impl [f32]>::get::<usize>   name core, name slice, impl([f32]), name get [usize]
 *   <impl at k.rs:3:1: 3:9>::area       impl_at "k.rs:3:1: 3:9", name area
 *   f::{closure#0}   f::promoted[1]     name f, special "{closure#0}" / "promoted[1]"            */
#ifndef MIRDC_RUSTC_RTY_H
#define MIRDC_RUSTC_RTY_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

enum rty_kind {
  RTY_PRIM, /* prim */
  RTY_NEVER,
  RTY_TUPLE,        /* args; none: the unit type */
  RTY_SLICE,        /* elem */
  RTY_ARRAY,        /* elem, len (a constant node) */
  RTY_REF,          /* elem, mut */
  RTY_PTR,          /* elem, mut */
  RTY_PATH,         /* segs: an ADT, parameter, projection, function, constant, … by its path */
  RTY_FNPTR,        /* args = parameters, ret, abi, is_unsafe, variadic */
  RTY_FNDEF,        /* zero-sized type of a function: sig (RTY_FNPTR), path (RTY_PATH) */
  RTY_CLOSURE,      /* see below */
  RTY_DYN,          /* args = bounds (RTY_PATH), the principal first as printed */
  RTY_IMPL,         /* `impl Bounds`: an unnamed type parameter; args as in RTY_DYN */
  RTY_PATTERN,      /* elem, name = text of the pattern: `u32 is 1..` */
  RTY_LIFETIME,     /* a generic argument; always erased */
  RTY_BINDING,      /* a generic argument `name = elem` of a trait */
  RTY_CONST,        /* a known scalar: lo, hi, elem = its type or NULL when not printed */
  RTY_CONST_BRANCH, /* args = fields or elements, elem = type (`ValTree(Branch(..): T)`) */
  RTY_CONST_PARAM,  /* name, lo = index (`W/#1`) */
  RTY_CONST_OPEN,   /* a constant of an impl's header whose value is not told: name = its whole text */
};

enum rty_prim {
  PRIM_BOOL,
  PRIM_CHAR,
  PRIM_STR,
  PRIM_I8,
  PRIM_I16,
  PRIM_I32,
  PRIM_I64,
  PRIM_I128,
  PRIM_ISIZE,
  PRIM_U8,
  PRIM_U16,
  PRIM_U32,
  PRIM_U64,
  PRIM_U128,
  PRIM_USIZE,
  PRIM_F16,
  PRIM_F32,
  PRIM_F64,
  PRIM_F128,
};
#define PRIM_COUNT 19

enum rty_seg_kind {
  SEG_NAME,    /* name, args */
  SEG_QSELF,   /* <self> or <self as trait> */
  SEG_IMPL,    /* <impl self> or <impl trait for self> */
  SEG_IMPL_AT, /* name = "FILE:l:c: l:c" */
  SEG_SPECIAL, /* name = "{closure#0}", "{constant#1}", "promoted[0]"; args may follow */
};

struct rty;
struct rty_seg {
  enum rty_seg_kind kind;
  str name;
  const struct rty *self, *trait; /* SEG_QSELF, SEG_IMPL */
  const struct rty *const *args;  /* without binders; lifetimes are RTY_LIFETIME */
  uint32_t n_args;
};

struct rty {
  enum rty_kind kind;
  uint32_t id; /* dense, in order of first appearance */
  enum rty_prim prim;
  bool mut, is_unsafe, variadic;
  bool has_param; /* some RTY_CONST_PARAM, RTY_IMPL or one-segment path without arguments inside */
  str name;       /* RTY_PATH: the path without generic arguments, "core::option::Option"; qualified
                     selves keep their text: "<u32 as core::iter::Step>::forward".
                     RTY_CLOSURE: "F:l:c: l:c" in the short form, else empty */
  str abi;        /* RTY_FNPTR: "" is Rust; "C", "rust-call", … */
  uint64_t lo, hi;
  const struct rty *elem; /* also the type of a constant */
  const struct rty *len;  /* RTY_ARRAY */
  const struct rty *ret;  /* RTY_FNPTR; the unit type when none is printed */
  const struct rty *sig;  /* RTY_FNDEF, RTY_CLOSURE (NULL in the short form) */
  const struct rty *path; /* RTY_FNDEF, RTY_CLOSURE (NULL in the short form) */
  const struct rty *const *args;
  uint32_t n_args, n_segs;
  const struct rty_seg *segs;
  uint64_t hash;
};

/* Something without a name in source text that may stand for any type or constant. */
static inline bool rty_is_open(const struct rty *t) {
  return t->kind == RTY_CONST_PARAM || t->kind == RTY_CONST_OPEN || t->kind == RTY_IMPL;
}

/* RTY_CLOSURE, long form: path = f::{closure#0} with the generic arguments of f where printed,
 * sig = `extern "rust-call" fn((A, B)) -> R` (one tuple of the arguments), args = types of the
 * captures, lo = kind: 0 Fn, 1 FnMut, 2 FnOnce. Short form `{closure@F:l:c: l:c}`: only name. */
#define RTY_CLOSURE_UNKNOWN 3u

struct rty_table {
  struct arena *arena; /* all nodes live here */
  const struct rty **slots;
  size_t n_slots, n;
  const struct rty *unit, *never, *lifetime;
  const struct rty *prims[PRIM_COUNT];
  VEC(const struct rty *) stack; /* scratch of the reader */
  VEC(struct rty_seg) segs;
  /* While the text of another crate is read: paths that start with none of the names in `outside`
   * are its own, and get its name in front. */
  str crate;
  VEC(str) outside;
};

void rty_table_init(struct rty_table *t, struct arena *a);
void rty_table_free(struct rty_table *t);

/* Where and why a text is not a type; offset counts bytes from the start of the text. */
struct rty_error {
  size_t at;
  const char *want; /* static text, "expected a type" */
};
/* Two values of `want` with a meaning of their own. */
#define RTY_WANT_SHALLOW "this is nested too deeply"
#define RTY_WANT_NO_COROUTINE "coroutines cannot run on the device"

/* Reads the longest type (or path, or constant argument) at text[*pos] and moves *pos behind it.
 * NULL on error. Nesting deeper than 200 is an error. */
const struct rty *rty_parse_at(struct rty_table *t, str text, size_t *pos, struct rty_error *e);
/* A path in value position: `foo::<f32, 4>`, `<T as Tr>::f`, `core::slice::<impl [u8]>::len`. */
const struct rty *rty_parse_path_at(struct rty_table *t, str text, size_t *pos,
                                    struct rty_error *e);
/* The same for a constant as `-Zverbose-internals` prints it in types and repeat counts. */
const struct rty *rty_parse_const_at(struct rty_table *t, str text, size_t *pos,
                                     struct rty_error *e);
/* The whole text must be one type. */
const struct rty *rty_parse(struct rty_table *t, str text, struct rty_error *e);

/* Makers (interned). */
const struct rty *rty_prim(struct rty_table *t, enum rty_prim p);
const struct rty *rty_tuple(struct rty_table *t, const struct rty *const *args, uint32_t n);
const struct rty *rty_slice(struct rty_table *t, const struct rty *elem);
const struct rty *rty_array(struct rty_table *t, const struct rty *elem, uint64_t len);
const struct rty *rty_ref(struct rty_table *t, const struct rty *elem, bool mut);
const struct rty *rty_ptr(struct rty_table *t, const struct rty *elem, bool mut);
const struct rty *rty_const(struct rty_table *t, const struct rty *ty, uint64_t lo, uint64_t hi);
/* The path without its last segment (variant to enum, method to type); NULL if it has only one. */
const struct rty *rty_path_parent(struct rty_table *t, const struct rty *path);
/* The path without generic arguments on any segment (qualified selves are kept). */
const struct rty *rty_path_bare(struct rty_table *t, const struct rty *path);
/* Interns a node that the caller filled (a copy is made of it and of its arrays). */
const struct rty *rty_intern(struct rty_table *t, const struct rty *proto);

/* Questions. */
bool rty_is_unit(const struct rty *t);
bool rty_is_prim(const struct rty *t, enum rty_prim p);
/* Path with exactly this name ("core::option::Option"), whatever its arguments; `std::` and
 * `alloc::` in the type count as `core::` when the given name starts so. */
bool rty_path_is(const struct rty *t, const char *name);
/* Last segment's name; empty for a non-path. */
str rty_last_name(const struct rty *t);
/* All generic arguments of a path, of every segment in order, without lifetimes. */
size_t rty_path_args(const struct rty *t, const struct rty **out, size_t max);
/* Known array length; false for parameters and unevaluated constants. */
bool rty_array_len(const struct rty *t, uint64_t *n);
/* Does `t` hold `what` anywhere (itself included)? */
bool rty_contains(const struct rty *t, const struct rty *what);

/* Substitution: replaces nodes by pointer, outermost first; a replacement is not looked into. */
struct rty_subst {
  const struct rty *const *from;
  const struct rty *const *to;
  size_t n;
};
const struct rty *rty_substitute(struct rty_table *t, const struct rty *ty,
                                 const struct rty_subst *s);

/* Printing. RTY_PRINT_LABEL: as in the dump's plain style (`&'_ [f32]` as `&[f32]`, array lengths
 * as numbers, fn items and closures in short form): for names and messages. RTY_PRINT_SOURCE: as
 * Rust source a probe crate may contain: lifetimes as 'static, constants as literals; false (and
 * nothing appended) when the type holds something that has no name there (closures, fn items, impl
 * blocks, pattern types). */
enum rty_print {
  RTY_PRINT_LABEL,
  RTY_PRINT_SOURCE,
  RTY_PRINT_SOURCE_VALUE /* paths with turbofish */
};
bool rty_print(const struct rty *t, enum rty_print how, struct strbuf *out);
/* The primitive type of that name; false: there is none. */
bool rty_prim_named(str name, enum rty_prim *out);
/* The label, kept in the arena. */
str rty_label(struct rty_table *t, const struct rty *ty);

#endif
