/* Constants, allocations, statics. */
#ifndef MIRDC_RUSTC_CONSTS_H
#define MIRDC_RUSTC_CONSTS_H

#include "cargo-integration/rustc/emit.h"

struct target { /* of a pointer */
  const char *kind; /* "alloc", "static", "fn"; NULL: reported */
  uint32_t id;
};
/* What a pointer to this allocation of the dump points to. `pointee` may be NULL. */
struct target const_target(struct emit *e, struct prep_dump *d, uint32_t alloc, bool imm,
                           const struct rty *pointee);
/* The address of a function item. kind NULL: reported, or not yet known. */
struct target fndef_target(struct emit *e, const struct rty *fndef);
/* Writes the operand of a constant. */
void e_const(struct emit *e, const struct mir_const *k, const struct rty *hint);
/* Type of a constant as far as it is known without evaluation. */
const struct rty *const_ty(struct emit *e, const struct mir_const *k);
/* The bytes of a constant string, for messages; false when it is not one. */
bool const_text(struct prep_dump *d, const struct mir_const *k, str *out);

/* ---- memory under construction ---- */
struct cmem_reloc {
  uint64_t off, add;
  struct target to;
  uint32_t local; /* instead of `to`: a local of the constant's body; PREP_NONE if none */
};
struct cmem {
  uint64_t size, align;
  uint8_t *bytes, *init;
  VEC(struct cmem_reloc) relocs;
};
struct cmem *cmem_new(struct prep *p, uint64_t size, uint64_t align);
/* Emits it; equal contents are not merged. */
uint32_t cmem_emit(struct prep *p, const struct cmem *m);
/* The same in two steps, for contents that are known later. */
uint32_t const_reserve(struct prep *p);
void const_fill(struct prep *p, uint32_t id, const struct cmem *m);
void cmem_copy(struct prep *p, struct cmem *to, uint64_t at, const struct cmem *from, uint64_t off,
               uint64_t n);
void cmem_put(struct cmem *m, uint64_t at, u128 v, uint64_t n);
/* Puts a constant's value into memory. */
bool const_store(struct emit *e, const struct mir_const *k, const struct rty *ty, struct cmem *to,
                 uint64_t at);

/* T, when the path is the constant that `TypeId::of::<T>` returns; and its value (type_ids.c). */
const struct rty *const_type_id_of(struct prep *p, const struct rty *path);
struct cmem *const_type_id(struct prep *p, const struct rty *ty);

/* The value of a constant by name: by our own evaluation of its body, else by rustc's answer. Memory
 * made here (m), or an allocation and offset. False: reported, or not yet known. */
struct named {
  struct cmem *m;
  uint32_t alloc;
  uint64_t off;
};
bool const_named(struct emit *e, const struct rty *path, const struct rty *ty, struct named *out);

/* rustc's answer to a question about a constant: the memory that holds the value; NULL: it has none. */
const struct mir_alloc *const_answered(const struct answer *a, uint64_t *off);

/* consts_eval.c: runs the body of a constant that is used as `path`. NULL: cannot (reason in *why), or
 * pending. */
struct cmem *const_eval(struct emit *e, struct prep_dump *d, const struct mir_item *item,
                        const struct rty *path, const struct rty *ty, const char **why);

/* The value of a usize-like constant node (array length, repeat count). */
bool const_usize(struct emit *e, const struct rty *node, uint64_t *out);

#endif
