/* From the trees of the MIR dumps to prepared MIR (docs/prepared-mir.md).
 *
 * The work goes in rounds. A round starts at the kernels, walks every monomorphic instance that
 * they reach and writes each body at once. What only rustc can answer (a layout, the body of a
 * function of core, drop glue, the value of a constant) is noted as a want; after the round all
 * wants go to one probe run and the next round starts from nothing but the kernels and the
 * answers. The last round has no wants: its text is the result. Ids are given in order of
 * discovery, so equal inputs give equal bytes.
 *
 * Facts about types, answers and dumps live through all rounds; `struct round` does not. */
#ifndef MIRDC_RUSTC_PREPARE_H
#define MIRDC_RUSTC_PREPARE_H

#include "base/jsonw.h"
#include "cargo-integration/rustc/mir.h"
#include "cargo-integration/rustc/probe.h"

#define PREP_NONE UINT32_MAX
#define PREP_MAX_ROUNDS 24

/* A MIR text with its trees. Alloc numbers are its own. */
struct prep_dump {
  struct mir_file file;
  bool is_probe;
  str crate; /* another crate's text; empty: ours */
  uint32_t *alloc_out; /* by alloc number: id in the result + 1, for this round */
};

/* ---- what is known of a type ---- */
enum drop_state { DROP_UNASKED, DROP_ASKED, DROP_NONE, DROP_GLUE, DROP_REFUSED };

struct seen_variant { /* types of fields as the bodies name them; NULL: never seen */
  VEC(const struct rty *) fields;
};
struct kernel_facts;
struct kernel_param;
struct ty_info {
  const struct rty *ty;
  const struct layout *layout;
  const struct di_type *di;
  str layout_reason;
  bool layout_asked, names_asked, names_failed;
  const struct kernel_param *param; /* a kernel takes it: the macro's word on its fields */
  bool computed;   /* the layout is ours, not rustc's */
  enum drop_state drop;
  str drop_reason;
  struct prep_dump *glue_dump;
  const struct mir_item *glue;
  struct rty_subst glue_subst; /* stand-ins that the glue names in place of closures */
  bool part_asked;
  bool seen_enum;  /* downcast, discriminant, variant aggregate */
  bool seen_union;
  bool strong;     /* its inside is needed in this round */
  const struct rty *discr_ty;
  struct answer *discr; /* the discriminant of an only variant, which is stored nowhere; NULL: unasked */
  const struct rty *unsized_from; /* the sized type that was coerced to this one */
  VEC(struct seen_variant) variants; /* [0] also for structs, unions */
  VEC(str) field_names;              /* of a struct or closure, from aggregates */
  struct span made_at;               /* of a closure: the expression */
  const struct rty *alias;           /* a projection: what it is */
  bool alias_asked;
  str alias_reason;
  uint32_t out; /* id in the result + 1, for this round */
  const struct inst *user; /* who named it first in this round, and where */
  struct span user_span;
};

/* ---- an answer to a call or constant that the first dump has no body for ---- */
struct answer {
  const struct rty *path; /* of a callee */
  bool asked, ok;
  str reason;
  struct prep_dump *dump;
  const struct mir_item *item;
  struct rty_subst subst; /* stand-ins that the body names in place of closures and functions */
};

/* ---- instances ---- */
enum inst_kind { INST_ITEM, INST_CLOSURE, INST_GLUE, INST_SHIM };
struct inst {
  enum inst_kind kind;
  uint32_t id;
  struct prep_dump *dump;
  const struct mir_item *item;  /* NULL for shims that emit_shim.c writes */
  const struct mir_item *source; /* what the item of the source is, when `item` is a wrapper */
  const struct rty *path;        /* with generic arguments; NULL: closures, glue, shims */
  struct rty_subst subst;
  str name, symbol;
  bool c_abi, export_;
  const struct inst *from;      /* who reached it first */
  struct span from_span;
  const struct rty *shim_fn;    /* INST_SHIM: closure type whose body is called without a self;
                                   INST_GLUE: what is dropped; with env_ptr: the closure */
  bool env_ptr;                 /* INST_CLOSURE: rustc's answer, which takes a pointer to the closure */
  const struct inst *wraps;     /* INST_SHIM: or an entry whose result is stored */
  str text;                     /* the finished JSON */
};

struct want {
  struct probe_row row;
  struct ty_info *info;    /* layout, names, drop, alias */
  struct answer *answer;   /* call, const */
  bool alias;
  struct rty_subst subst; /* stand-ins in the row's text */
  const struct inst *from; /* whose body it is for */
  struct span span;
};

struct prep_extern {
  str symbol, args_json;
  uint32_t ret;
  bool noreturn;
  uint32_t span;
};
struct prep_static {
  str name, symbol;
  const struct rty *ty;
  uint32_t alloc, span;
  bool mut, host_visible;
  const char *space;
};
struct prep_type { /* a written type */
  struct ty_info *info;
  const struct rty *ty; /* NULL: an opaque filler of `size` */
  uint64_t size, align;
};
struct cmem;
struct prep_alloc {
  const struct cmem *mem; /* its contents, for constants that read it */
  str json; /* all but the closing brace */
  bool mut;
};

struct prep_kernel {
  const struct mir_item *item;
  str name, path;
  const struct rty *entry; /* path, with generic arguments */
  struct inst *inst;    /* of the round: what is launched */
  struct inst *body;    /* the function itself */
  uint32_t span_id;
  bool named;           /* given by --entry, no descriptor */
  bool launched;        /* an instance that a launch asks for (sites.h), no descriptor either */
  const struct rty *fndef; /* launched: a kernel of another crate that is not generic */
  bool returns;         /* named: the value goes to a last parameter, `result: *mut R` */
  bool is_export;       /* a device function for other device code */
  struct kernel_facts *facts;
  struct span span;
};

struct prep {
  struct diag_sink *sink;
  struct arena *arena;
  struct rty_table *types;
  struct unit *unit;
  struct runs *runs;
  struct run_bodies *bodies;
  VEC(struct prep_dump *) dumps; /* [0]: run A */
  VEC(str) no_crates;            /* whose text cannot be had */
  VEC(struct prep_dump *) glue;  /* drop glue that run A dumped, a file each */
  VEC(struct ty_info *) infos;   /* by rty id */
  struct map answers;            /* key text -> struct answer * */
  VEC(struct want) wants;
  VEC(struct want) lacking; /* no run is left for these */
  VEC(struct prep_kernel) kernels;
  const struct prep_dump *kernels_of; /* the dump that their bodies are from */
  unsigned round;
  const char *keep;
  unsigned n_kept;
  overlay_openings openings; /* closures that print incompletely */
  size_t n_opened;           /* how many of them were asked for */
  bool want_captures;
  bool want_strings, strings_asked; /* the memory of constants that are literals */
  struct prep_dump *strings;        /* the answer; NULL when there is none */
  unsigned n_stand_ins;
  size_t undecided; /* places written without an answer: none may be left in the last round */
  bool endless;     /* types grow with each step of a recursion */
  bool again;       /* something learned late changes earlier text */
  /* of the round */
  VEC(struct inst *) insts;
  struct map inst_by_key;
  struct map symbols;
  VEC(struct prep_type) out_types;
  struct map fillers;
  VEC(struct prep_alloc) allocs;
  VEC(struct prep_static) statics;
  struct map static_by_name;
  VEC(struct prep_extern) externs;
  VEC(str) natives; /* texts */
  struct map native_by_text;
  struct map extern_by_name;
  VEC(str) spans;
  struct map span_ids;
  VEC(str) scopes;
  struct map scope_ids;
  VEC(uint32_t) files; /* source file numbers */
  struct map file_ids;
  struct dyn_state *dyn; /* tables of trait objects; NULL: none */
  const struct prep_kernel *kernel; /* being walked, for messages */
  const struct inst *at;            /* the body being written and the place in it, likewise */
  struct span at_span;
  const struct mir_item *at_macro;  /* the code there comes from a macro, called in this function */
  struct span seen;                 /* the last place in the user's sources itself */
};

struct prep_input {
  struct diag_sink *sink;
  struct arena *arena;
  struct unit *unit;
  struct runs *runs;
  const char *const *entries; /* PATH or PATH=NAME, n_entries */
  size_t n_entries;
  const char *keep; /* folder for the texts that were read; NULL: none */
};
/* Runs everything: bodies, rounds, probes. *out gets the finished text. *user_error: rustc has
 * already told the user what is wrong. */
bool prepare(const struct prep_input *in, struct strbuf *out, bool *user_error) MUST_CHECK;

/* ---- messages ---- */
/* An error at a place of the device program: names the kernel and the way to the instance. */
struct diag *prep_error(struct prep *p, const struct inst *in, enum diag_code c, struct span at,
                        const char *fmt, ...) PRINTF_LIKE(5, 6);

/* The place to show for one of this instance: where a macro is called, if the code is a macro's. */
struct span prep_place(struct prep *p, const struct inst *in, struct span at);

/* Notes that a closure, by its printed place, is to be printed with all captures. False: it was
 * asked for before, in vain. */
bool prep_open_closure(struct prep *p, str at, uint32_t missing);

/* ---- wants ---- */
struct ty_info *prep_info(struct prep *p, const struct rty *ty);
void want_layout(struct prep *p, struct ty_info *i, struct span at);
/* The same for a type with closures or functions in it, by stand-ins that are laid out like them. */
void want_layout_alike(struct prep *p, struct ty_info *i, struct span at);
void want_names(struct prep *p, struct ty_info *i, struct span at);
void want_drop(struct prep *p, struct ty_info *i, struct span at);
void want_alias(struct prep *p, struct ty_info *i, struct span at);
/* The discriminant of a type with one variant, by an answer like that of a constant of type i128. */
void want_discr(struct prep *p, struct ty_info *i, struct span at);
/* ---- stand-ins (wants_drop.c) ---- */
/* Types in a question that have no name, closures and function items, are replaced by structs that can be
 * called like them. */
#define MAX_STAND_INS 16
struct stand_ins {
  struct prep *p;
  bool typed; /* made of what the closure captures, so that it is laid out alike */
  const struct rty *from[MAX_STAND_INS], *to[MAX_STAND_INS];
  size_t n;
  struct strbuf items; /* their declarations; strbuf of the caller's to free */
  bool bad, waits;     /* one cannot be made; or not before the next round */
};
void stand_ins_find(struct stand_ins *s, const struct rty *ty);
/* Source text of a type or path with the stand-ins found so far; empty: it has none even so. */
str stand_ins_source(struct stand_ins *s, const struct rty *ty, enum rty_print how);
/* From the stand-ins back to what they stand for. */
struct rty_subst stand_ins_back(const struct stand_ins *s);

/* ---- drop glue (wants_drop.c) ---- */
void want_take_drop(struct prep *p, struct want *w, struct prep_dump *d);
/* As rustc reads it; empty when it has no name in source. */
str want_source(struct prep *p, const struct rty *ty, enum rty_print how);
/* Does the path start with the name of another crate? */
bool want_is_extern(struct prep *p, const struct rty *path);
/* Is it declared inside a function's body, where no question can name it? */
bool want_is_inner(struct prep *p, const struct rty *ty);
struct want *want_add(struct prep *p, enum probe_kind kind, struct span at);

/* The body of a callee that no dump has: by FnDef type. NULL: not yet, or never (a->reason). */
struct answer *want_call(struct prep *p, const struct rty *fndef, struct span at);
/* The FnDef type of a function that is only known by its path: ask, then answer_fndef, which is NULL
 * when there is no answer. */
struct answer *want_fn(struct prep *p, const struct rty *path, struct span at);
const struct rty *answer_fndef(const struct answer *a);
/* The body of a closure of core: of one that a function of core returns, or one of our own. It gets a
 * pointer to the closure in front of the arguments. */
struct answer *want_closure(struct prep *p, const struct rty *closure, struct span at);
/* rustc's inliner stops at a depth that it counts from the body it works on. A wrapper around a
 * function starts anew, so what was left over in the function gets flattened in the wrapper. Asks for
 * such a body of the instance or, when it cannot be named, of the one that reached it. True: asked
 * now, so the next round may know. */
bool want_deep(struct prep *p, const struct inst *in, struct span at);
/* That body, if it was asked and given. */
struct answer *deep_answer(struct prep *p, const struct rty *path);
struct answer *want_const(struct prep *p, const struct rty *path, const struct rty *ty,
                          struct span at);
/* Reads a MIR text; NULL after reporting. */
struct prep_dump *prep_read_dump(struct prep *p, str text, str name);
/* The text of another crate, with its paths as this one sees them. NULL: there is none. Generic
 * parameters in it look like types of that crate, so that only bodies without any are of use. */
struct prep_dump *prep_crate_dump(struct prep *p, str crate);
/* Sends all wants to rustc. */
bool wants_ask(struct prep *p) MUST_CHECK;

/* ---- spans and files (prepare_span.c) ---- */
/* The number of a span, PREP_NONE for no span. `at`: number of the call site when inlined; `scope`: of
 * the lexical scope, or PREP_NONE. */
uint32_t prep_span(struct prep *p, struct span s, uint32_t at, str fn, uint32_t scope);
/* The number of the lexical scope that begins at a variable's place; `parent` may be PREP_NONE. */
uint32_t prep_scope(struct prep *p, struct span s, uint32_t parent);
void prep_write_files(struct prep *p, struct jsonw *w);
bool prep_in_library(str path, str *rest);
str prep_file_name(struct prep *p, str path);

/* ---- names (prepare_names.c) ---- */
/* A unique legal symbol for a Rust path. */
str prep_symbol(struct prep *p, str label);

#endif
