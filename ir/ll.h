/* Inside of the lowering: one struct ll a module, one struct ll_fn a function. Only ir/ll*.c
 * include this file. Addresses are `i8*` in the generic address space everywhere; byte offsets come
 * from the dump. A value is either a few scalars ("leaves") or an address. */
#ifndef MIRDC_IR_LL_H
#define MIRDC_IR_LL_H

#include "base/fatal.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/emu_abi.h"
#include "ir/ll_emu.h"
#include "ir/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

typedef LLVMValueRef ll_v;
__extension__ typedef unsigned __int128 u128;

#define LL_MAX_LEAVES 4

enum pm_intrinsic {
#define INTRINSIC(id, name, types, consts, args) id,
#include "ir/intrinsics.def"
#undef INTRINSIC
};

enum ll_leaf_kind { LEAF_INT, LEAF_FLOAT, LEAF_BOOL, LEAF_PTR };
struct ll_leaf {
  uint64_t off;
  uint32_t bits; /* in memory; 8 for bool, 64 for pointers */
  enum ll_leaf_kind kind;
};

/* How values of a type are held: in at most LL_MAX_LEAVES scalars, or in memory. */
struct ll_shape {
  enum { SHAPE_UNKNOWN, SHAPE_BUSY, SHAPE_DONE } state;
  bool mem;
  uint8_t n;
  struct ll_leaf leaf[LL_MAX_LEAVES];
};

struct ll_val {
  pm_ty ty;
  bool mem;       /* v[0] is the address, NULL when the value is not initialised */
  uint8_t n;      /* leaves */
  uint64_t align; /* of the address */
  ll_v v[LL_MAX_LEAVES];
};

/* Where a place is: in memory, or a run of leaves of an SSA local. */
struct ll_place {
  pm_ty ty;
  bool ssa;
  ll_v addr; /* memory */
  ll_v meta; /* length or vtable of an unsized place, else NULL */
  uint64_t align;
  uint32_t local; /* ssa */
  uint64_t off;   /* ssa: byte offset in the local */
};

enum ll_helper {
  LLH_TRAP_REPORT,
  LLH_COPY_FWD,
  LLH_COPY_ANY,
  LLH_SET,
  LLH_CMP,
  LLH_U128_TO_F64,
  LLH_U128_TO_F32,
  LLH_F64_TO_U128,
  LLH_F64_TO_I128,
  LLH_COUNT
};
#define LLH_VARIANTS 16 /* chunk sizes, operations */

struct ll_pending { /* a global whose contents are still to be made */
  ll_v global;
  uint32_t alloc;
};

enum { FN_CALLED = 1, FN_AS_KERNEL = 2 };

struct ll {
  const struct pmir *m;
  const struct lower_options *o;
  struct diag_sink *sink;
  struct lower_result *out;
  struct arena arena;   /* as long as the module */
  struct arena scratch; /* rewound after each function */
  LLVMContextRef cx;
  LLVMModuleRef mod;
  LLVMBuilderRef b;       /* instructions */
  LLVMBuilderRef allocas; /* entry block of the current function */
  LLVMTypeRef t_void, i1, i8, i16, i32, i64, i128, f16, f32, f64, ptr;
  LLVMAttributeRef a_convergent, a_nounwind, a_noreturn, a_noinline, a_always;
  struct ll_shape *shapes; /* by type */
  LLVMTypeRef *c_types;    /* by type: structs in C signatures */
  bool *c_by_value;
  ll_v *allocs, *statics;             /* generic i8* constants, by id */
  ll_v *fns, *externs;                /* functions, by id */
  const struct pm_kernel **fn_kernel; /* by id: a kernel that reaches it, or NULL */
  uint8_t *fn_wanted;                 /* by id */
  VEC(pm_fn) todo;
  uint32_t *trap_base; /* first trap code of each function */
  ll_v dyn_shared, trap_buf;
  ll_v helpers[LLH_COUNT][LLH_VARIANTS];
  LLVMBuilderRef outer[4]; /* builders of what is suspended while a helper is built */
  unsigned n_outer;
  VEC(ll_v) used; /* llvm.used */
  VEC(struct ll_pending) pending;
  VEC(struct lower_global) visible;
  VEC(str) outside, exported; /* symbols */
  VEC(uint32_t) natives;      /* called, in the order of the first call */
  struct map names;           /* kernel names */
  struct map ops;             /* device operations, filled on first use */
  struct map targets;         /* LLVM function type -> struct ll_targets *; see ll_target.c */
  bool has_targets;
  size_t emu_followed;        /* of emu_data: what they refer to was seen */
  uint32_t emu_place;         /* of the instruction that something is put in front of */
  struct ll_fn *fn;           /* being lowered, for messages; NULL outside */
  struct ll_debug *dbg;       /* NULL without line tables */
  VEC(struct ll_emu_data) emu_data, emu_fns; /* for the emulator: what it must give an address */
  bool failed;
};

struct ll_local {
  bool ssa, addressed;
  bool constant; /* memory that only ever is one constant: `addr` may be the constant's */
  ll_v v[LL_MAX_LEAVES]; /* ssa: the value once defined */
  ll_v addr;             /* memory: i8* */
  ll_v slot;             /* memory of one leaf: the typed alloca, else NULL */
};

struct ll_fn {
  struct ll *l;
  const struct pm_func *f;
  pm_fn id;
  ll_v v; /* the LLVM function */
  const struct pm_kernel *kernel;
  struct ll_local *locals;
  LLVMBasicBlockRef *blocks; /* NULL: not reachable, or joined and not begun */
  bool *joined;              /* continues the block of its only predecessor */
  uint32_t *order;           /* reachable blocks, reverse postorder */
  uint32_t n_order;
  uint32_t *block_traps;        /* trap code of each block's terminator */
  uint32_t trap_code;           /* of the block being lowered */
  LLVMBasicBlockRef trap_block; /* shared when traps are not told apart */
  pm_loc span;                  /* what is being lowered */
  struct ll_var *vars;          /* for debuggers; NULL without */
  uint32_t n_vars;
  bool *target_fact; /* by local: whether this is an emulator; NULL: none does */
  bool *behind; /* by local: a variable lies behind this pointer; NULL without */
};

/* ---- ll_lower.c ---- */
/* Reports a refusal once per call; marks the module as failed. */
struct diag *ll_refuse(struct ll_fn *fc, enum diag_code code, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
ll_v ll_want_fn(struct ll *l, pm_fn id);
ll_v ll_want_extern(struct ll *l, uint32_t id);
void ll_mark(struct ll *l, ll_v f); /* the attributes of every function */
void ll_lower_body(struct ll *l, pm_fn id, const struct pm_kernel *k, ll_v f);
bool ll_build(struct ll *l) MUST_CHECK; /* m, o, sink and out are set, the rest is zero */
void ll_release(struct ll *l);

/* ---- ll_type.c ---- */
void ll_types_init(struct ll *l);
const struct ll_shape *ll_shape(struct ll *l, pm_ty ty);
LLVMTypeRef ll_int(struct ll *l, uint32_t bits);
LLVMTypeRef ll_float(struct ll *l, uint32_t bits);
LLVMTypeRef ll_leaf_type(struct ll *l, const struct ll_leaf *lf); /* as a value: bool is i1 */
LLVMTypeRef ll_leaf_mem(struct ll *l, const struct ll_leaf *lf);  /* in memory: bool is i8 */
/* A struct or array type with exactly this size, natural scalars where they do not conflict. */
LLVMTypeRef ll_blob(struct ll *l, pm_ty ty);
/* A struct in a C signature. By value as nvcc has it, unless its layout is not C's own; then by
 * address. */
LLVMTypeRef ll_c_type(struct ll *l, pm_ty ty, bool *by_value);
/* An array of this size whose elements are as wide as the alignment allows. Memory of bytes would be taken
 * apart into bytes by libNVVM, pointers in it too. */
LLVMTypeRef ll_chunks(struct ll *l, uint64_t size, uint64_t align);
bool ll_is_unsized(struct ll *l, pm_ty ty);
uint64_t ll_align_at(uint64_t base, uint64_t off);
static inline const struct pm_type *ll_ty(struct ll *l, pm_ty ty) {
  return &l->m->types[ty];
}

/* True if LLVM's passes run over the module. */
static inline bool ll_optimises(const struct ll *l) {
  return l->o->opt > 0 && !l->o->debug;
}

/* ---- ll_mem.c ---- */
ll_v ll_cast_ptr(struct ll *l, ll_v p, LLVMTypeRef pointee);
ll_v ll_gep(struct ll *l, ll_v p, uint64_t off); /* in bounds */
ll_v ll_gep_dyn(struct ll *l, ll_v p, ll_v bytes, bool inbounds);
ll_v ll_elem(struct ll *l, ll_v p, ll_v index, uint64_t size, bool inbounds);
ll_v ll_load(struct ll *l, LLVMTypeRef t, ll_v p, uint64_t align);
void ll_store(struct ll *l, ll_v v, ll_v p, uint64_t align);
ll_v ll_alloca(struct ll *l, LLVMTypeRef t, uint64_t align); /* typed pointer */
ll_v ll_temp(struct ll *l, uint64_t size, uint64_t align);   /* i8* */
void ll_memcpy(struct ll *l, ll_v dst, uint64_t da, ll_v src, uint64_t sa, uint64_t n);
void ll_memset(struct ll *l, ll_v dst, uint64_t da, ll_v byte, uint64_t n);
/* Counts that are not constants: loops over chunks of the alignment. */
void ll_copy_dyn(struct ll *l, ll_v dst, ll_v src, ll_v bytes, uint64_t align, bool overlap);
/* `n` elements of `size` bytes. */
void ll_copy_elems(struct ll *l, ll_v dst, ll_v src, ll_v n, uint64_t size, uint64_t align,
                   bool overlap);
void ll_set_dyn(struct ll *l, ll_v dst, ll_v byte, ll_v bytes, uint64_t align);
ll_v ll_cmp_bytes(struct ll *l, ll_v a, ll_v b, ll_v bytes);
void ll_store_bits(struct ll *l, ll_v p, uint64_t align, uint64_t size, u128 bits);
struct ll_val ll_load_val(struct ll *l, pm_ty ty, ll_v p, uint64_t align, bool vol);
void ll_store_val(struct ll *l, const struct ll_val *v, ll_v p, uint64_t align, bool vol);
/* The address of a value, spilled to a temporary if it is not in memory. */
ll_v ll_spill(struct ll *l, const struct ll_val *v, uint64_t *align);
bool ll_is_const(ll_v v, uint64_t *out);

/* ---- ll_global.c ---- */
ll_v ll_global_addr(struct ll *l, enum pm_reloc_kind to, uint32_t id, uint64_t add);
struct ll_val ll_const_from(struct ll_fn *fc, pm_ty ty, uint32_t alloc, uint64_t off);
void ll_static_roots(struct ll *l);
ll_v ll_dyn_shared(struct ll_fn *fc);
void ll_fill_globals(struct ll *l);
void ll_finish_globals(struct ll *l);
void ll_annotate(struct ll *l, ll_v f, const char *key, uint32_t value);
ll_v ll_generic(struct ll *l, ll_v global, unsigned space);
unsigned ll_const_space(const struct ll *l); /* where constants are made */
void ll_settle_globals(struct ll *l);        /* puts them where libNVVM wants them */

bool ll_may_be_in_data(struct ll *l, const struct pm_reloc *r);

/* ---- ll_ssa.c ---- */
void ll_analyse(struct ll_fn *fc);
/* The block being lowered jumps back to `head`: does the loop take elements of small local arrays? */

/* ---- ll_place.c ---- */
struct ll_place ll_place_of(struct ll_fn *fc, const struct pm_place *p);
struct ll_val ll_read_place(struct ll_fn *fc, const struct pm_place *p);
struct ll_val ll_operand(struct ll_fn *fc, const struct pm_operand *op);
ll_v ll_scalar(struct ll_fn *fc, const struct pm_operand *op); /* its only leaf */
void ll_assign(struct ll_fn *fc, const struct pm_place *p, const struct ll_val *v);
ll_v ll_usize(struct ll *l, uint64_t n);
ll_v ll_const_bits(struct ll *l, const struct ll_leaf *lf, u128 bits);
struct ll_val ll_undef(struct ll *l, pm_ty ty);
struct ll_val ll_bits_val(struct ll *l, pm_ty ty, u128 bits);
struct ll_val ll_one(struct ll *l, pm_ty ty, ll_v v);           /* a value of one leaf */
struct ll_val ll_two(struct ll *l, pm_ty ty, ll_v a, ll_v b);   /* in the order of offsets */
struct ll_val ll_tuple(struct ll *l, pm_ty ty, ll_v a, ll_v b); /* its fields 0 and 1 */
/* The bytes of v from `off` on as a value of type ty. */
struct ll_val ll_part(struct ll_fn *fc, const struct ll_val *v, pm_ty ty, uint64_t off);

/* ---- ll_enum.c ---- */
ll_v ll_discriminant(struct ll_fn *fc, pm_ty enum_ty, ll_v addr, uint64_t align);
ll_v ll_discriminant_of(struct ll_fn *fc, const struct ll_val *v);
void ll_set_variant_of(struct ll *l, struct ll_val *val, uint32_t variant);
ll_v ll_promise_variant(struct ll *l, pm_ty enum_ty, uint32_t variant, uint64_t off, ll_v v);
void ll_set_variant(struct ll *l, pm_ty enum_ty, uint32_t variant, ll_v addr, uint64_t align);

/* ---- ll_int.c ---- */
ll_v ll_binary_int(struct ll_fn *fc, enum pm_bin op, const struct pm_type *t, ll_v a, ll_v b);
ll_v ll_sub(struct ll *l, ll_v a, ll_v b);
struct ll_overflow {
  ll_v value, flag;
};
struct ll_overflow ll_overflowing(struct ll *l, enum pm_bin op, bool is_signed, ll_v a, ll_v b);
ll_v ll_saturating(struct ll *l, bool sub, bool is_signed, ll_v a, ll_v b);
ll_v ll_count_bits(struct ll *l, const char *what, ll_v a); /* ctpop ctlz cttz, same width */
ll_v ll_byte_swap(struct ll *l, ll_v a);
ll_v ll_bit_reverse(struct ll *l, ll_v a);
ll_v ll_funnel(struct ll *l, bool left, ll_v hi, ll_v lo, ll_v amount);
void ll_mul_add_wide(struct ll *l, bool is_signed, ll_v a, ll_v b, ll_v c, ll_v d, ll_v *lo,
                     ll_v *hi);
unsigned ll_width(ll_v v);
ll_v ll_k(ll_v like, uint64_t n); /* constant of the type of `like` */
ll_v ll_resize(struct ll *l, ll_v v, unsigned bits, bool is_signed);
ll_v ll_intrinsic(struct ll *l, const char *name, LLVMTypeRef ret, LLVMTypeRef *params, unsigned n);
ll_v ll_call(struct ll *l, ll_v f, ll_v *args, unsigned n);

/* ---- ll_float.c ---- */
ll_v ll_binary_float(struct ll_fn *fc, enum pm_bin op, ll_v a, ll_v b);
ll_v ll_fneg(struct ll *l, ll_v a);
ll_v ll_float_bits(struct ll *l, ll_v a);
ll_v ll_int_to_float(struct ll *l, ll_v a, bool is_signed, LLVMTypeRef to);
ll_v ll_float_to_int(struct ll *l, ll_v a, bool is_signed, unsigned bits);
ll_v ll_float_cast(struct ll *l, ll_v a, LLVMTypeRef to);
unsigned ll_float_width(ll_v v);
ll_v ll_fabs(struct ll *l, ll_v a);
ll_v ll_copysign(struct ll *l, ll_v a, ll_v sign);
ll_v ll_min_max(struct ll *l, bool max, bool nan_wins, ll_v a, ll_v b);
/* A function of libdevice (or libm) by its base name: sin, pow, … */
ll_v ll_math(struct ll_fn *fc, const char *name, ll_v *args, unsigned n);
ll_v ll_unary_math(struct ll *l, const char *name, ll_v a); /* an llvm.* function */
ll_v ll_fma(struct ll *l, ll_v a, ll_v b, ll_v c);
ll_v ll_f32_wide(struct ll *l, ll_v a); /* half becomes f32, others stay */

/* ---- ll_helper.c ---- */
/* Small functions that the module gets when they are called. */
ll_v ll_helper_begin(struct ll *l, enum ll_helper h, unsigned variant, const char *name,
                     LLVMTypeRef ret, LLVMTypeRef *params, unsigned n, bool *fresh);
void ll_helper_end(struct ll *l);
LLVMBasicBlockRef ll_block(struct ll *l, const char *name); /* in the function being built */
void ll_at(struct ll *l, LLVMBasicBlockRef block);
ll_v ll_u128_to_float(struct ll *l, ll_v a, bool is_f32);
ll_v ll_f64_to_128(struct ll *l, ll_v a, bool is_signed);

/* ---- ll_rvalue.c ---- */
void ll_assign_rvalue(struct ll_fn *fc, const struct pm_place *p, const struct pm_rvalue *rv);
struct ll_val ll_transmute(struct ll_fn *fc, const struct ll_val *v, pm_ty to);
ll_v ll_compare(struct ll_fn *fc, enum pm_bin op, const struct ll_val *a, const struct ll_val *b);

/* ---- ll_term.c ---- */
void ll_statement(struct ll_fn *fc, const struct pm_stmt *s);
void ll_terminator(struct ll_fn *fc, uint32_t block);
void ll_assume(struct ll *l, ll_v cond);
ll_v ll_not_null(struct ll *l, ll_v p); /* the same pointer, which is not null until the clean-up is done */
void ll_branch(struct ll_fn *fc, uint32_t target);

/* ---- ll_call.c ---- */
enum ll_ext { EXT_NONE, EXT_ZERO, EXT_SIGN };
struct ll_sig_param {
  LLVMTypeRef ty;
  LLVMTypeRef byval; /* the pointee, or NULL */
  uint64_t align;
  enum ll_ext ext;
};
/* How a function is called. Internal functions: scalars each by itself, the rest by address of a
 * copy that the callee owns, memory results through a first parameter. `c_abi`: as CUDA C does. */
struct ll_sig {
  const pm_ty *args;
  pm_ty ret;
  uint32_t n_args, n;
  bool c_abi, sret;
  LLVMTypeRef fn, ret_ty;
  enum ll_ext ret_ext;
  struct ll_sig_param *p;
};
struct ll_sig ll_sig(struct ll *l, const pm_ty *args, uint32_t n, pm_ty ret, bool c_abi);
struct ll_sig ll_fn_sig(struct ll *l, pm_fn id);
void ll_sig_attrs(struct ll *l, const struct ll_sig *s, ll_v f);
/* Refuses what has no certain form in C. */
void ll_check_c_abi(struct ll *l, const struct ll_sig *s, str symbol, pm_loc span);
bool ll_c_aggregate(struct ll *l, pm_ty ty);
LLVMAttributeRef ll_attr(struct ll *l, const char *name, uint64_t value);
LLVMAttributeRef ll_byval(struct ll *l, LLVMTypeRef t);
void ll_call_term(struct ll_fn *fc, const struct pm_term *t);
/* Calls and gives the result; `into` (may be NULL) is where a memory result may be put. */
struct ll_val ll_emit_call(struct ll_fn *fc, ll_v callee, const struct ll_sig *s,
                           const struct ll_val *args, ll_v into);
void ll_bind_params(struct ll_fn *fc);
void ll_return(struct ll_fn *fc);
void ll_define_local(struct ll_fn *fc, uint32_t local, const struct ll_val *v);
void ll_bind_local(struct ll_fn *fc, uint32_t local, const struct ll_val *v);
void ll_slot_for(struct ll_fn *fc, uint32_t local);

/* ---- ll_kernel.c ---- */
void ll_find_dyn_shared(struct ll *l); /* which kernels reach dynamic shared memory */
bool ll_kernel(struct ll *l, uint32_t index, struct lower_kernel *facts);
void ll_bind_kernel_params(struct ll_fn *fc);

/* ---- ll_target.c ---- */
/* A call through a pointer whose targets are known becomes a choice among direct calls. */
struct ll_val ll_call_pointer(struct ll_fn *fc, ll_v p, const struct ll_sig *s,
                              const struct ll_val *args, ll_v into);

/* ---- ll_intr.c, ll_atomic.c, ll_devop.c, ll_trap.c ---- */
struct ll_val ll_intrinsic_call(struct ll_fn *fc, const struct pm_term *t, bool *ends);
ll_v ll_asm(struct ll *l, const char *text, const char *constraints, LLVMTypeRef ret, ll_v *args,
            unsigned n, bool side_effects);
enum ll_order { ORD_RELAXED, ORD_ACQUIRE, ORD_RELEASE, ORD_ACQREL, ORD_SEQCST };
enum ll_order ll_join_orders(enum ll_order a, enum ll_order b);
enum ll_scope { SCOPE_BLOCK, SCOPE_DEVICE, SCOPE_SYSTEM };
enum ll_rmw {
  RMW_ADD,
  RMW_SUB,
  RMW_AND,
  RMW_OR,
  RMW_XOR,
  RMW_XCHG,
  RMW_MIN,
  RMW_MAX,
  RMW_UMIN,
  RMW_UMAX,
  RMW_NAND,
  RMW_FADD
};
/* Values are iN, float or double. */
ll_v ll_atomic_load(struct ll *l, ll_v p, LLVMTypeRef t, enum ll_order o, enum ll_scope s);
void ll_atomic_store(struct ll *l, ll_v p, ll_v v, enum ll_order o, enum ll_scope s);
ll_v ll_atomic_rmw(struct ll *l, enum ll_rmw op, ll_v p, ll_v v, enum ll_order o, enum ll_scope s);
ll_v ll_atomic_cas(struct ll *l, ll_v p, ll_v old, ll_v new, enum ll_order o, enum ll_scope s);
void ll_fence(struct ll *l, enum ll_order o, enum ll_scope s);
/* True when it does not return. */
bool ll_device_op(struct ll_fn *fc, const struct pm_extern *x, const struct pm_term *t);
void ll_ptx_term(struct ll_fn *fc, const struct pm_term *t);
void ll_trap(struct ll_fn *fc, uint32_t code); /* and ends the block */
void ll_trap_stop(struct ll_fn *fc, uint32_t code);
void ll_trap_report(struct ll_fn *fc, uint32_t code);
bool ll_block_trap(const struct pmir *m, const struct pm_term *t, enum pm_trap *kind);
void ll_number_traps(struct ll *l);
void ll_list_traps(struct ll *l); /* of the functions that were lowered */

/* ---- ll_debug.c ---- */
void ll_debug_begin(struct ll *l);
void ll_debug_function(struct ll_fn *fc);
void ll_debug_at(struct ll_fn *fc, pm_loc span);
void ll_debug_none(struct ll *l);
void ll_debug_end(struct ll *l);
/* The identifier of a struct that stands for a variant part; see ll_debug_type.c. */
#define LL_VARIANT_PART "mirdc.variant_part"

/* ---- ll_debug_var.c ---- */
void ll_debug_keep(struct ll_fn *fc); /* before locals are bound */
void ll_debug_assigned(struct ll_fn *fc, uint32_t local);
void ll_debug_variables(struct ll_fn *fc); /* after the body */

/* ---- ll_emu.c: code for the emulator; each does nothing for other targets ---- */
bool ll_emu_want_data(struct ll *l, enum pm_reloc_kind kind, uint32_t id, ll_v global);
void ll_emu_follow(struct ll *l);
/* Places travel through the clean-up as lines of debug information. */
unsigned ll_emu_line(pm_loc span);
LLVMMetadataRef ll_emu_location(struct ll *l, pm_loc span);
void ll_emu_mark_copy(struct ll *l, ll_v copy); /* parts of it may be unwritten */
void ll_emu_mark_told(struct ll *l, ll_v access); /* the checks are told otherwise */
ll_v ll_emu_size(struct ll *l, LLVMTypeRef t, uint64_t align);
enum ll_emu_atomic { LL_EMU_READ, LL_EMU_WRITE, LL_EMU_RMW };
ll_v ll_emu_atomic(struct ll *l, ll_v p, LLVMTypeRef t, enum ll_emu_atomic kind, enum ll_order o,
                   enum ll_scope s);
void ll_emu_fence(struct ll *l, enum ll_order o, enum ll_scope s);
ll_v ll_emu_half_fma(struct ll *l, ll_v *bits);
ll_v ll_emu_dyn_shared(struct ll *l);
ll_v ll_emu_fn_address(struct ll *l, pm_fn id);
ll_v ll_emu_callee(struct ll *l, ll_v p); /* what is called through the pointer */
/* Device operations: a special register by LLVM's name of it, anything else by its own name. */
ll_v ll_emu_sreg(struct ll *l, const char *text);
ll_v ll_emu_call(struct ll *l, const char *name, LLVMTypeRef ret, const ll_v *args, unsigned n);
void ll_emu_trap(struct ll *l, uint32_t code);
/* A word of the emulator's state, and one of its functions by its whole name. */
ll_v ll_emu_word(struct ll *l, bool of_thread, size_t off, LLVMTypeRef t);
ll_v ll_emu_call_named(struct ll *l, const char *prefix, const char *name, LLVMTypeRef ret,
                       ll_v *args, unsigned n);
void ll_unreachable(struct ll *l); /* ends the block; the emulator says when it is reached */
/* ll_native.c */
void ll_native_call(struct ll_fn *fc, const struct pm_term *t);
void ll_list_natives(struct ll *l);
/* Branches on whether the code runs on a GPU are settled before anything is lowered, so that what is
 * for the other leaves no trace. */
void ll_find_settled(struct ll_fn *fc);
bool ll_is_settled(const struct ll_fn *fc, const struct pm_term *t);
uint32_t ll_settled(const struct ll_fn *fc, const struct pm_term *t);
void ll_emu_refuse_outside(struct ll *l, str symbol, pm_loc span);

/* ---- ll_emu_late.c, ll_emu_loop.c ---- */
void ll_emu_finish(struct ll *l, const struct lower_kernel *k);
bool ll_emu_is_helper(ll_v f); /* copies, fills or compares bytes */
/* Asks the emulator at the head of each loop, and on entering functions that call others. */
void ll_emu_add_polls(struct ll *l, ll_v f, bool is_kernel);

/* ---- ll_sreg.c ---- */
ll_v ll_sreg(struct ll_fn *fc, const char *intrinsic);

/* ---- ll_print.c, ll_pass.c ---- */
bool ll_verify(struct ll *l, const char *stage) MUST_CHECK;
bool ll_clean_up(struct ll *l) MUST_CHECK;

/* ---- ll_loops.c, ll_checks.c, ll_flat.c, ll_stride.c, ll_space.c ---- */
void ll_mark_loops(struct ll *l); /* those that must be unrolled as a whole */
void ll_merge_checks(struct ll *l);
bool ll_is_quiet(ll_v v); /* only a value comes of it, perhaps out of memory */
void ll_flatten(struct ll *l);
void ll_widen_strides(struct ll *l);
void ll_name_spaces(struct ll *l);

/* ---- ll_bits.c ---- */
unsigned ll_leading_zeros(struct ll *l, ll_v v); /* of 64 bits, that certainly are */
ll_v ll_or_as_sum(struct ll *l, ll_v v); /* in front of `v`, which is to be replaced; NULL if it is no such `or` */

/* ---- ll_legal.c ---- */
/* Spells what LLVM 14 put in as LLVM 7 knows it; false if there is something that it has no words for. */
bool ll_legalise(struct ll *l) MUST_CHECK;
/* The module as text in libNVVM's dialect. */
bool ll_print_nvvm(struct ll *l, str *out) MUST_CHECK;

#endif
