/* The tree of a MIR dump (rustc's `-Zunpretty=mir` or `--emit=mir` text with `-Zverbose-internals`,
 * spans optional). Everything lives in the arena given to the parser; strings point into the text
 * of the dump, which must outlive the tree. Ids are those of the dump: locals `_N`, blocks `bbN`,
 * scopes and allocations `allocN` keep their numbers. */
#ifndef MIRDC_RUSTC_MIR_H
#define MIRDC_RUSTC_MIR_H

#include "base/source.h"
#include "cargo-integration/rustc/rty.h"

#define MIR_NONE UINT32_MAX

typedef struct mir_u128 {
  uint64_t lo, hi;
} mir_u128;

/* Where something came from. */
struct mir_loc {
  struct span span;   /* SPAN_NONE: not printed */
  uint32_t scope;     /* MIR_NONE: not printed */
  uint32_t dump_line; /* 1-based line in the dump, always set */
};

/* ---- places and operands ---- */
enum mir_proj_kind {
  PROJ_DEREF,
  PROJ_FIELD,       /* index, ty */
  PROJ_DOWNCAST,    /* name, or index when printed as `variant#N` (then name is empty) */
  PROJ_INDEX,       /* index = the local */
  PROJ_CONST_INDEX, /* from, to = least length, from_end: `[k of n]`, `[-k of n]` */
  PROJ_SUBSLICE,    /* from, to: `[a..b]` of an array; from_end: `[a:-b]`, to counts from the end */
  PROJ_SUBTYPE,     /* ty */
};
struct mir_proj {
  enum mir_proj_kind kind;
  uint32_t index;
  uint64_t from, to;
  bool from_end;
  str name;
  const struct rty *ty;
};
struct mir_place {
  uint32_t local, n_proj;
  const struct mir_proj *proj; /* innermost first: `((*_1).0: T)` is [deref, field 0] */
};

enum mir_const_kind {
  MC_SCALAR,   /* bits, size in bytes (from the digits printed), ty */
  MC_ALLOC,    /* pointer to alloc + offset, ty; imm: may not be written through */
  MC_ZST,      /* ty: unit, fn item (RTY_FNDEF), closure, PhantomData, … */
  MC_SLICE,    /* fat pointer: alloc, meta = element count, ty */
  MC_INDIRECT, /* value stored in alloc at offset, ty */
  MC_VALTREE,  /* tree (RTY_CONST_BRANCH; a leaf is MC_SCALAR), ty */
  MC_NAMED,    /* unevaluated: path (`TABLE`, `<A as K>::T`, `f::promoted[0]`, `f::{constant#1}`),
                  ty NULL unless printed */
  MC_PARAM,    /* tree = RTY_CONST_PARAM */
  MC_UNINIT,
};
struct mir_const {
  enum mir_const_kind kind;
  uint32_t alloc;
  uint32_t size;
  bool imm;
  uint64_t offset, meta;
  mir_u128 bits;
  const struct rty *ty, *tree, *path;
};

enum mir_operand_kind {
  OP_COPY,
  OP_MOVE,
  OP_CONST,
  OP_RUNTIME_CHECK, /* name: UbChecks, ContractChecks, OverflowChecks */
};
struct mir_operand {
  enum mir_operand_kind kind;
  bool no_retag;
  struct mir_place place;
  const struct mir_const *k;
  str name;
};

/* ---- right-hand sides ---- */
enum mir_bin {
#define MIR_BIN(id, text) id,
#include "cargo-integration/rustc/mir_ops.def"
#undef MIR_BIN
  BIN_COUNT
};
enum mir_un {
#define MIR_UN(id, text) id,
#include "cargo-integration/rustc/mir_ops.def"
#undef MIR_UN
  UN_COUNT
};
enum mir_cast {
#define MIR_CAST(id, text) id,
#include "cargo-integration/rustc/mir_ops.def"
#undef MIR_CAST
  CAST_COUNT
};
const char *mir_bin_name(enum mir_bin b);
const char *mir_un_name(enum mir_un u);
const char *mir_cast_name(enum mir_cast c);

enum mir_rvalue_kind {
  RV_USE,        /* a */
  RV_REPEAT,     /* a, count (constant node) */
  RV_CAST,       /* cast, a, ty */
  RV_BIN,        /* bin, a, b */
  RV_UN,         /* un, a */
  RV_DISCR,      /* place */
  RV_LEN,        /* place */
  RV_REF,        /* mut, place */
  RV_RAW,        /* mut, place */
  RV_DEREF_COPY, /* place */
  RV_TLS,        /* path */
  RV_ARRAY,      /* ops */
  RV_TUPLE,      /* ops */
  RV_ADT,        /* path (struct, or enum and variant; with its generic arguments), ops, fields */
  RV_CLOSURE,    /* ty (RTY_CLOSURE, mostly the short form: take the type of the place assigned),
                    ops — PRINTED OPERANDS MAY BE TOO FEW OR WRONGLY NAMED: see overlay_closures.h */
  RV_RAWFAT,     /* ty (the pointer type), a = data, b = metadata */
};
struct mir_rvalue {
  enum mir_rvalue_kind kind;
  bool mut;
  bool fake; /* a borrow that exists for the checker only */
  enum mir_bin bin;
  enum mir_un un;
  enum mir_cast cast;
  str cast_detail; /* the whole kind text: "PointerCoercion(Unsize, Implicit)" */
  struct mir_operand a, b;
  struct mir_place place;
  const struct rty *ty, *path, *count;
  const struct mir_operand *ops;
  const str *fields; /* names printed (`x: copy _1`), or NULL for tuple-like */
  uint32_t n_ops;
};

/* ---- statements ---- */
enum mir_stmt_kind {
  ST_ASSIGN,   /* place, rv */
  ST_LIVE,     /* place.local */
  ST_DEAD,     /* place.local */
  ST_SETDISCR, /* place, variant */
  ST_ASSUME,   /* ops[0] */
  ST_COPY,     /* copy_nonoverlapping: ops = dst, src, count */
  ST_NOP,      /* nop, ConstEvalCounter, PlaceMention, Coverage, FakeRead, Retag, … */
};
struct mir_stmt {
  enum mir_stmt_kind kind;
  uint32_t variant;
  struct mir_loc loc;
  struct mir_place place;
  const struct mir_rvalue *rv;
  const struct mir_operand *ops;
};

/* ---- terminators ---- */
enum mir_term_kind {
  TM_GOTO,   /* target */
  TM_SWITCH, /* op, values, targets, n_targets; target = otherwise (MIR_NONE if none) */
  TM_RETURN,
  TM_UNREACHABLE,
  TM_RESUME,
  TM_TERMINATE,
  TM_DROP,     /* place, target */
  TM_CALL,     /* place = destination, op = callee, args, target (MIR_NONE: diverges) */
  TM_TAILCALL, /* op, args */
  TM_ASSERT,   /* op, expected, assert_kind, args, target */
  TM_ASM,      /* asm */
};
enum mir_assert {
#define MIR_ASSERT(id, text, n) id,
#include "cargo-integration/rustc/mir_ops.def"
#undef MIR_ASSERT
  ASSERT_COUNT
};
const char *mir_assert_text(enum mir_assert a); /* with {} where operands go */

enum mir_unwind {
  UNWIND_NONE,
  UNWIND_CONTINUE,
  UNWIND_UNREACHABLE,
  UNWIND_TERMINATE,
  UNWIND_CLEANUP
};

enum mir_asm_kind { ASM_IN, ASM_OUT, ASM_INOUT, ASM_CONST, ASM_SYM_FN, ASM_SYM_STATIC, ASM_LABEL };
struct mir_asm_op {
  enum mir_asm_kind kind;
  bool late;             /* lateout, inlateout */
  bool has_out;          /* out and inout: false when discarded (`_`) */
  str reg;               /* "reg", "reg_abcd", "\"ax\"" as printed */
  struct mir_operand in; /* ASM_IN, ASM_INOUT, ASM_CONST, ASM_SYM_FN */
  struct mir_place out;
  str sym;
  uint32_t label; /* block */
};
struct mir_asm {
  str template; /* raw, as the source has it (braces doubled where literal) */
  const struct mir_asm_op *ops;
  uint32_t n_ops;
  str options; /* "PURE | NOMEM | NOSTACK", may be empty */
};

struct mir_term {
  enum mir_term_kind kind;
  enum mir_unwind unwind;
  uint32_t cleanup; /* block, for UNWIND_CLEANUP */
  bool expected;
  enum mir_assert assert_kind;
  struct mir_loc loc;
  uint32_t target;
  struct mir_place place;
  struct mir_operand op;
  const struct mir_operand *args;
  uint32_t n_args;
  const mir_u128 *values;
  const uint32_t *targets;
  uint32_t n_targets;
  const struct mir_asm *asm_;
};

/* ---- bodies ---- */
struct mir_block {
  bool cleanup, present; /* present: printed; numbers without a block stay empty */
  const struct mir_stmt *stmts;
  uint32_t n_stmts;
  struct mir_term term;
};

struct mir_local {
  const struct rty *ty; /* NULL: no such local */
  bool mut, arg;
  struct mir_loc loc;
};

/* A name of the source. `proj` is set for a part of a variable that has been taken apart:
 * `((v: T).0: u32) => _5` has name v, base T and one projection. */
struct mir_debug {
  str name;
  const struct rty *base;
  const struct mir_proj *proj;
  uint32_t n_proj;
  bool is_const;
  struct mir_place place;
  const struct mir_const *k;
  struct mir_loc loc;
};

struct mir_scope {
  bool present, inlined, track_caller;
  uint32_t parent;          /* MIR_NONE for scope 0 */
  const struct rty *callee; /* inlined: the function whose body this is */
  str shim;                 /* "shim(None)" and the like, mostly empty */
  struct span call;         /* inlined: the call site */
};

struct mir_body {
  uint32_t n_args; /* locals _1 … _n_args, or those of arg_locals */
  const uint32_t *arg_locals; /* of a part cut out of another body (sites_cut.h), else NULL */
  const struct rty *ret;
  const struct mir_local *locals;
  uint32_t n_locals;
  const struct mir_block *blocks;
  uint32_t n_blocks;
  const struct mir_scope *scopes;
  uint32_t n_scopes;
  const struct mir_debug *debug;
  uint32_t n_debug;
};

/* ---- items ---- */
enum mir_item_kind {
  MI_FN,    /* also closures and constructors; path tells */
  MI_CONST, /* const, promoted, inline const, array length, enum discriminant */
  MI_STATIC,
};
struct mir_item {
  enum mir_item_kind kind;
  bool ctfe;   /* "MIR FOR CTFE": a second body of a const fn; not the one to compile */
  bool is_mut; /* static mut */
  str name;    /* the path as printed: "f::{closure#0}", "<impl at F:l:c: l:c>::area" */
  const struct rty *path;
  const struct rty *ty;          /* const, static */
  const struct mir_const *value; /* `= const …;` without a body, else NULL */
  struct mir_body body;          /* n_blocks == 0 when there is none */
  uint32_t next_part;            /* see mir_part_next */
  uint32_t owner; /* closures, promoteds, inline constants: item + 1 of their function */
  uint32_t dump_line;
};

enum mir_alloc_kind {
  MA_MEMORY,
  MA_STATIC, /* a static of Rust: path, and its evaluated bytes unless !has_bytes */
  MA_FN,     /* path, shim */
  MA_EXTERN, /* extern static: path */
  MA_VTABLE, /* ty, trait (NULL: none printed) */
  MA_TYPE_ID,
};
struct mir_reloc {
  uint64_t offset; /* in this allocation */
  uint32_t alloc;  /* target */
  uint64_t addend;
  bool imm;
};
struct mir_alloc {
  uint32_t id;
  enum mir_alloc_kind kind;
  bool has_bytes;
  uint64_t size, align;
  const uint8_t *bytes; /* zero where uninitialised and where a pointer is */
  const uint8_t *init;  /* 1 where the byte has a value (pointers count) */
  const struct mir_reloc *relocs;
  uint32_t n_relocs;
  const struct rty *path, *ty, *trait;
  str shim;
  uint32_t dump_line;
};

/* An item or allocation that could not be read. It is in no other list; whoever needs it and does
 * not find it asks mir_report_broken, so that code no kernel reaches may hold what it likes. */
struct mir_broken {
  str item;           /* name as far as it was read; empty for an allocation */
  uint32_t alloc;     /* MIR_NONE for an item */
  unsigned code;      /* enum diag_code */
  str message, shown; /* shown: the dump's line */
  str text;           /* all of the item, as it stands in the dump */
  uint32_t line, col;
};

struct mir_file {
  str text, path;               /* the dump and its shown name, borrowed */
  const struct mir_item *items; /* in order of the dump */
  size_t n_items;
  const struct mir_alloc *const *allocs; /* by id; NULL: none printed */
  size_t n_allocs;
  const struct mir_broken *broken;
  size_t n_broken;
  struct map by_name; /* item name -> index + 1; a CTFE double does not hide the real body */
  struct map parts;   /* for mir_part_first and mir_method_first */
};

/* NULL when missing. */
const struct mir_item *mir_item_find(const struct mir_file *f, str name);
const struct mir_item *mir_item_of_path(const struct mir_file *f, const struct rty *path);
/* The items that may be a part of a function (closure, promoted, inline constant) by its path:
 * those whose last two names agree, since a method's closure is `<A as Tr>::m::{closure#0}` where
 * it is used and `<impl at …>::m::{closure#0}` as an item. Macros make several of one name: only
 * types (mir_closure_of) and the function they stand in (`owner`) tell those apart. */
const struct mir_item *mir_part_first(const struct mir_file *f, const struct rty *path);
/* Functions of this name in impl blocks: methods, and functions declared in their bodies. */
const struct mir_item *mir_method_first(const struct mir_file *f, str name);
const struct mir_item *mir_part_next(const struct mir_file *f, const struct mir_item *item);
const struct mir_item *mir_owner(const struct mir_file *f, const struct mir_item *item);
/* The closure type that a closure's body declares as its `_1`; NULL when it is no closure's body.
 */
const struct rty *mir_closure_of(const struct mir_item *item);
const struct mir_alloc *mir_alloc_find(const struct mir_file *f, uint32_t id);
const struct mir_block *mir_block_at(const struct mir_body *b, uint32_t bb);
/* The local that is parameter i, counted from 0. */
uint32_t mir_arg_local(const struct mir_body *b, uint32_t i);
/* The type of a local; NULL when there is none. */
const struct rty *mir_local_ty(const struct mir_body *b, uint32_t local);
void mir_file_release(struct mir_file *f);

#endif
