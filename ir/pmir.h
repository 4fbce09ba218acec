/* Prepared MIR in memory. docs/prepared-mir.md is the normative description of the file; the names
 * here are the same. Everything lives in the arena of struct pmir and is read-only once verified.
 * Ids are dense indices into the arrays of struct pmir. */
#ifndef MIRDC_IR_PMIR_H
#define MIRDC_IR_PMIR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/source.h"

#define PM_NONE UINT32_MAX

typedef uint32_t pm_ty;
typedef uint32_t pm_fn;
typedef uint32_t pm_loc; /* index into spans */

/* ---- types ---- */
enum pm_kind {
  PM_INT, PM_FLOAT, PM_BOOL, PM_CHAR, PM_NEVER, PM_PTR, PM_FNPTR, PM_FNDEF, PM_ARRAY, PM_SLICE,
  PM_STR, PM_DYN, PM_TUPLE, PM_STRUCT, PM_CLOSURE, PM_UNION, PM_ENUM, PM_OPAQUE
};
enum pm_meta { PM_META_NONE, PM_META_LEN, PM_META_VTABLE };

struct pm_field {
  str name;
  pm_ty ty;
  uint64_t off;
};

/* One store that makes a variant the active one. */
struct pm_set {
  uint64_t off;
  uint32_t bits; /* 8, 16, 32, 64 or 128 */
  uint64_t lo, hi;
};

struct pm_variant {
  str name;
  uint64_t discr_lo, discr_hi; /* truncated to the discriminant type */
  struct pm_field *fields;
  struct pm_set *sets;
  uint32_t n_fields, n_sets;
  bool uninhabited;
};

/* How to find the active variant: a leaf, or an unsigned integer read at a byte offset and compared
 * with inclusive ranges in order. */
struct pm_get {
  enum { PM_GET_VARIANT, PM_GET_INVALID, PM_GET_SWITCH } kind;
  uint32_t variant;
  uint32_t bits;
  uint64_t at;
  struct pm_get_case *cases;
  uint32_t n_cases;
  struct pm_get *otherwise;
};
struct pm_get_case {
  u128 lo, hi;
  struct pm_get *then;
};

struct pm_type {
  enum pm_kind kind;
  str name;       /* a label for people; nothing is read out of it */
  uint64_t size;  /* bytes; 0 for slice, str, dyn */
  uint64_t align; /* a power of two, at least 1 */
  uint32_t bits;  /* int, float */
  bool is_signed; /* int */
  bool mut, is_ref; /* ptr */
  enum pm_meta meta; /* ptr */
  pm_ty elem;     /* ptr: pointee; array, slice: element; enum: discriminant type; fnptr: result */
  uint64_t len;   /* array */
  pm_ty *args;    /* fnptr */
  uint32_t n_args;
  bool c_abi;     /* fnptr */
  struct pm_field *fields; /* tuple, struct, closure, union */
  uint32_t n_fields;
  struct pm_variant *variants; /* enum */
  uint32_t n_variants;
  struct pm_get *get; /* enum */
};

/* ---- memory ---- */
enum pm_reloc_kind { PM_TO_ALLOC, PM_TO_STATIC, PM_TO_FN, PM_TO_EXTERN, PM_TO_VTABLE };
struct pm_reloc {
  uint64_t off;
  enum pm_reloc_kind kind;
  uint32_t id;
  uint64_t add; /* bytes, modulo 2^64 */
};
struct pm_range {
  uint64_t lo, hi;
};
struct pm_alloc {
  uint64_t size, align;
  const uint8_t *bytes;     /* size bytes; 0 where not initialised or covered by a relocation */
  struct pm_range *init;    /* NULL: all of it */
  struct pm_reloc *relocs;  /* ascending, 8 bytes each, not overlapping */
  uint32_t n_init, n_relocs;
  bool mut;
};
enum pm_space { PM_GLOBAL, PM_SHARED, PM_CONST };
struct pm_static {
  str name, symbol;
  pm_ty ty;
  uint32_t alloc; /* PM_NONE: defined elsewhere */
  bool mut, host_visible;
  enum pm_space space;
  pm_loc span;
};

/* ---- code ---- */
enum pm_proj_kind { PM_DEREF, PM_FIELD, PM_VARIANT, PM_INDEX, PM_CINDEX, PM_SUBSLICE };
struct pm_proj {
  enum pm_proj_kind kind;
  bool from_end;  /* cindex, subslice */
  uint32_t a;     /* field number; variant number; local that holds the index */
  pm_ty ty;       /* type after this step (the reader fills it in for every step) */
  uint64_t x, y;  /* cindex: offset, minimum length; subslice: from, to */
};
struct pm_place {
  uint32_t local;
  uint32_t n;
  struct pm_proj *proj;
};

enum pm_operand_kind {
  PM_COPY, PM_MOVE,
  PM_BITS,   /* scalar constant: lo, hi */
  PM_ZERO,   /* a value of a zero-sized type */
  PM_UNINIT, /* a value whose bytes are not initialised */
  PM_FROM,   /* value read from alloc `id` at byte `off` */
  PM_ADDR,   /* thin pointer to `id` + add */
  PM_WIDE    /* wide pointer: address as above, metadata in `meta` */
};
struct pm_operand {
  uint8_t kind;  /* enum pm_operand_kind */
  uint8_t to;    /* enum pm_reloc_kind, for ADDR and WIDE */
  pm_ty ty;      /* the operand's type (the reader fills it in for places too) */
  union {
    struct pm_place place;
    struct { uint64_t lo, hi; } bits;
    struct { uint64_t add, meta; uint32_t id; } addr; /* FROM: add is the offset */
  } u;
};

enum pm_bin {
#define PM_BIN(id, name) id,
#define PM_UN(id, name)
#define PM_CAST(id, name)
#include "ir/ops.def"
  PM_BIN_END
};
enum pm_un {
#define PM_BIN(id, name)
#define PM_UN(id, name) id,
#define PM_CAST(id, name)
#include "ir/ops.def"
  PM_UN_END
};
enum pm_cast {
#define PM_BIN(id, name)
#define PM_UN(id, name)
#define PM_CAST(id, name) id,
#include "ir/ops.def"
  PM_CAST_END
};

enum pm_rv_kind {
  PM_USE, PM_BINARY, PM_UNARY, PM_CASTED, PM_REF, PM_RAW, PM_DISCR, PM_AGG, PM_REPEAT, PM_RAWFAT
};
struct pm_rvalue {
  uint8_t kind;     /* enum pm_rv_kind */
  uint8_t op;       /* enum pm_bin, pm_un or pm_cast */
  bool mut;         /* REF, RAW */
  uint32_t variant; /* AGG: variant, or active field of a union */
  pm_ty ty;         /* CASTED, AGG, RAWFAT: type of the value */
  uint32_t n_ops;
  struct pm_operand *ops; /* USE 1, BINARY 2, UNARY 1, CASTED 1, AGG n, REPEAT 1, RAWFAT 2 */
  union {
    struct pm_place place; /* REF, RAW, DISCR */
    uint64_t count;        /* REPEAT */
    uint32_t vtable;       /* CASTED Unsize to dyn; PM_NONE otherwise */
  } u;
};

enum pm_stmt_kind { PM_ASSIGN, PM_LIVE, PM_DEAD, PM_SETV, PM_ASSUME, PM_COPYN };
struct pm_stmt {
  uint8_t kind;
  pm_loc span;
  struct pm_place place; /* ASSIGN, SETV; LIVE and DEAD use place.local */
  union {
    struct pm_rvalue rv;       /* ASSIGN */
    uint32_t variant;          /* SETV */
    struct pm_operand *ops;    /* ASSUME 1; COPYN: dst, src, count of pointees */
  } u;
};

enum pm_callee_kind {
  PM_CALL_FN, PM_CALL_EXTERN, PM_CALL_INTRINSIC, PM_CALL_PTR, PM_CALL_NATIVE
};
struct pm_callee {
  enum pm_callee_kind kind;
  uint32_t id;            /* fn, extern, native, or row of ir/intrinsics.def */
  pm_ty *types;           /* intrinsic */
  uint64_t *consts;       /* intrinsic */
  uint32_t n_types, n_consts;
  struct pm_operand *ptr; /* call through a pointer */
};

enum pm_trap {
#define PM_TRAP(id, name, text) id,
#include "ir/traps.def"
#undef PM_TRAP
  PM_TRAP_END
};

/* Checks that the unit's profile turns on and off; those of division stay, since without them the
 * operation has no result. */
static inline bool pm_is_overflow(enum pm_trap t) {
  return t == PM_TRAP_ADD || t == PM_TRAP_SUB || t == PM_TRAP_MUL || t == PM_TRAP_NEG ||
         t == PM_TRAP_SHL || t == PM_TRAP_SHR;
}

struct pm_ptx_arg {
  enum { PTX_IN, PTX_OUT, PTX_INOUT } dir;
  char constraint;        /* h r l f d */
  struct pm_operand in;   /* IN, INOUT */
  struct pm_place out;    /* OUT, INOUT */
};
struct pm_ptx {
  str text; /* $0, $1 … are the arguments in order, $$ a dollar */
  struct pm_ptx_arg *args;
  uint32_t n_args;
  bool pure, no_mem;
};

enum pm_term_kind {
  PM_GOTO, PM_SWITCH, PM_RETURN, PM_UNREACHABLE, PM_CALL, PM_DROP, PM_ASSERT, PM_TRAP_TERM, PM_PTX
};
struct pm_case {
  uint64_t lo, hi;
  uint32_t target;
};
struct pm_term {
  uint8_t kind;
  bool expect;         /* ASSERT: value that goes on */
  uint8_t trap;        /* ASSERT, TRAP_TERM: enum pm_trap */
  pm_loc span;
  uint32_t target;     /* GOTO, CALL, DROP, ASSERT, PTX; SWITCH: otherwise. PM_NONE: none */
  uint32_t n;          /* SWITCH: cases; CALL: arguments; ASSERT: operands */
  struct pm_operand *ops; /* SWITCH: the value; CALL: arguments; ASSERT: condition, then operands */
  union {
    struct pm_case *cases;                               /* SWITCH */
    struct { struct pm_callee *callee; struct pm_place dest; } call;
    struct { struct pm_place place; pm_fn fn; } drop;    /* fn PM_NONE: nothing to do */
    str message;                                         /* TRAP_TERM, may be empty */
    struct pm_ptx *ptx;
  } u;
};

struct pm_block {
  struct pm_stmt *stmts;
  uint32_t n_stmts;
  struct pm_term term;
};
struct pm_local {
  pm_ty ty;
  str name; /* empty for temporaries */
  pm_loc span;
};
struct pm_var { /* a source variable that lives in (part of) a place */
  str name;
  struct pm_place place;
  pm_loc span;
};
enum pm_fn_kind { PM_FN_ITEM, PM_FN_CLOSURE, PM_FN_GLUE, PM_FN_SHIM };
enum pm_inline { PM_INLINE_AUTO, PM_INLINE_ALWAYS, PM_INLINE_NEVER };
struct pm_func {
  str name;   /* Rust path, for people */
  str symbol; /* unique, a legal NVVM identifier */
  enum pm_fn_kind kind;
  enum pm_inline inl;
  bool c_abi, export, noreturn;
  pm_ty ret;
  uint32_t n_args;         /* arguments are locals 1..n_args; local 0 is the result */
  struct pm_local *locals;
  uint32_t n_locals;
  struct pm_block *blocks; /* entry is 0 */
  uint32_t n_blocks;
  struct pm_var *vars;
  uint32_t n_vars;
  pm_loc span;
};
struct pm_extern {
  str symbol;
  pm_ty *args;
  pm_ty ret;
  uint32_t n_args;
  bool noreturn;
  pm_loc span;
};

/* ---- native algorithms ---- */
/* A generic parameter of a registration function that is a type or a number. */
struct pm_generic {
  str name; /* as in the source: `T`, `BLOCK` */
  pm_ty ty; /* the type; of a number its own type */
  u128 value; /* of a number, truncated to its type */
};
/* A generic parameter of a registration function that is called by the native code. */
struct pm_callback {
  str param;     /* as in the source: `F` */
  pm_ty ty;      /* what was given */
  pm_ty base;    /* the closure or function item behind references */
  uint32_t refs; /* how many references lead from ty to base */
  pm_fn thunk;   /* fn(*const base, arguments…) -> result, C ABI */
};
/* One entry of a provider with concrete generics: what a registration function stands for. */
struct pm_native {
  str provider, entry;
  str path; /* of the registration function */
  bool has_model; /* the call is only reached on a GPU: elsewhere Rust code stands in for it */
  struct pm_generic *types, *consts; /* in the order of the declaration */
  uint32_t n_types, n_consts;
  struct pm_callback *callbacks;
  uint32_t n_callbacks;
  pm_ty *args; /* of the call; a callback is a `*const ty` */
  uint32_t n_args;
  uint32_t *arg_callback; /* by argument: index into callbacks, PM_NONE */
  pm_ty ret;
  pm_loc span; /* of the registration function */
};
/* What the types do not say of a closure. */
struct pm_capture {
  str name; /* of the variable, with the fields taken of it: `c.k` */
  pm_loc span; /* where the closure mentions it first */
};
enum pm_closure_kind { PM_CLOSURE_FN, PM_CLOSURE_FN_MUT, PM_CLOSURE_FN_ONCE };
struct pm_closure {
  pm_ty ty;
  pm_fn fn; /* its body; PM_NONE: inlined everywhere */
  enum pm_closure_kind kind;
  bool is_move; /* written with `move` */
  struct pm_capture *captures; /* by field of the type */
  uint32_t n_captures;
  pm_loc span;
};

/* ---- kernels ---- */
enum pm_pass { PM_PASS_SCALAR, PM_PASS_POINTER, PM_PASS_SLICE, PM_PASS_AGGREGATE, PM_PASS_ZST };
struct pm_param_field {
  str name;
  uint64_t off, size, align;
};
struct pm_param {
  str name;
  pm_ty ty;
  enum pm_pass pass;
  uint64_t size, align; /* of the Rust value */
  struct pm_param_field *fields;
  uint32_t n_fields;
};
/* Launch facts as written in the source. 0 means not given. */
struct pm_launch {
  uint32_t block[3];   /* exact */
  uint32_t max_block;  /* bound on the number of threads */
  uint32_t min_blocks; /* per multiprocessor */
  uint32_t cluster[3];
  bool has_dyn_shared;
  uint64_t dyn_shared;
  uint32_t dyn_shared_align;
};
struct pm_kernel {
  str name, path;
  pm_fn fn;
  struct pm_param *params;
  uint32_t n_params;
  struct pm_launch launch;
  uint32_t protocol; /* of the macro crate's descriptor; 0: entry given by option */
  pm_loc span;
};

/* ---- the whole ---- */
struct pm_span {
  struct span at;     /* file number is the source map's */
  pm_loc inlined_at;  /* PM_NONE: not inlined */
  str inlined_fn;     /* name of the function whose body this is */
  uint32_t scope;     /* innermost lexical scope within that function; PM_NONE: the function itself */
};
struct pm_scope {
  uint32_t parent; /* a smaller number, or PM_NONE: the function itself */
  struct span at;  /* where it begins; no end */
};
struct pm_file {
  str path;
  str sha256;
  uint32_t source; /* number in the source map */
};
struct pm_unit {
  str crate_name, edition, package, opt_level;
  bool overflow_checks, debug_assertions;
  str *cfgs, *features;
  uint32_t n_cfgs, n_features;
};
struct pmir {
  struct arena arena;
  str path;          /* of the dump, as shown */
  str tool, rustc;   /* producer */
  str *flags;
  uint32_t n_flags;
  struct pm_unit unit;
  struct pm_file *files;     uint32_t n_files;
  struct pm_span *spans;     uint32_t n_spans;
  struct pm_scope *scopes;   uint32_t n_scopes;
  struct pm_type *types;     uint32_t n_types;
  struct pm_alloc *allocs;   uint32_t n_allocs;
  struct pm_static *statics; uint32_t n_statics;
  struct pm_extern *externs; uint32_t n_externs;
  struct pm_func *fns;       uint32_t n_fns;
  struct pm_native *natives; uint32_t n_natives;
  struct pm_closure *closures; uint32_t n_closures;
  struct pm_kernel *kernels; uint32_t n_kernels;
};

/* Reads and verifies `text` (borrowed only during the call). NULL after reporting what is wrong. */
struct pmir *pmir_read(str text, str path, struct diag_sink *sink);
void pmir_free(struct pmir *m);

/* The place in the user's source, SPAN_NONE for PM_NONE. */
struct span pm_span_of(const struct pmir *m, pm_loc loc);
/* The place in the user's own code that a place was inlined into; false: there is none. */
bool pm_user_place(const struct pmir *m, pm_loc loc, struct span *out);
/* Whether a static in global memory keeps its initial value in every sound program. */
bool pm_never_changes(const struct pmir *m, const struct pm_static *s);
/* The dump's path of a file of the source map, empty if it is not the dump's. */
str pm_file_path(const struct pmir *m, uint32_t source);

#endif
