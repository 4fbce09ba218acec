/* Shared by the files of admission. */
#ifndef MIRDC_CALLBACKS_ADMIT_IMPL_H
#define MIRDC_CALLBACKS_ADMIT_IMPL_H

#include "callbacks/admit.h"

/* What is known of one native call of the dump. */
struct admit_native {
  const struct provider_entry *entry; /* NULL: the provider is missing, which somebody else reports */
  pm_fn fn;        /* the registration function; PM_NONE: nothing calls it */
  pm_loc call;     /* where it is called first; PM_NONE: nowhere */
  uint32_t kernel; /* the first that reaches it; PM_NONE: none */
};

struct admit {
  const struct pmir *m;
  const struct admit_source *from;
  struct diag_sink *sink;
  struct arena arena;
  struct admit_native *natives;
  const struct pm_closure **closures; /* by type; NULL: none */
  bool *has_glue;                     /* by type: dropping it runs code */
  bool *done_base;                    /* by type: captures are checked */
  struct body_facts *bodies;          /* of admit_body.c */
  const struct pm_func *defs_of;      /* of admit_bounds.c */
  const struct pm_rvalue **defs;      /* by local of that function: its only value; NULL: there are several */
  bool refused;
};

/* An error about a native call at `at`, PM_NONE: at the call. Says where the callback is handed over and
 * which kernel it is for. */
struct diag *admit_error(struct admit *a, uint32_t native, enum diag_code code, pm_loc at, const char *fmt,
                         ...) PRINTF_LIKE(5, 6);
/* The place in the user's own source, or the next best. */
struct span admit_place(const struct pmir *m, pm_loc loc);
/* `k::{closure#0}` and the like, for messages. */
str admit_callback_name(const struct pmir *m, const struct pm_callback *cb);
str admit_ty(const struct pmir *m, pm_ty ty);

/* ---- admit_signature.c ---- */
/* The word of a scalar that may cross the border, NULL: it may not. */
const char *admit_scalar(const struct pm_type *t);
void admit_signature(struct admit *a, uint32_t native, const struct pm_callback *cb);

/* ---- admit_capture.c ---- */
void admit_find_glue(struct admit *a);
void admit_captures(struct admit *a, uint32_t native, const struct pm_callback *cb);

/* ---- admit_body.c ---- */
void admit_bodies_init(struct admit *a);
void admit_bodies_free(struct admit *a);
void admit_body(struct admit *a, uint32_t native, const struct pm_callback *cb);

/* ---- admit_bounds.c ---- */
/* Does the comparison `index < length` always hold? */
bool admit_in_bounds(struct admit *a, const struct pm_func *f, const struct pm_operand *o);

/* ---- admit_launch.c ---- */
/* Where the registration function is called, which the place `loc` of a native call may be inlined from. */
pm_loc admit_call_place(const struct pmir *m, uint32_t native, pm_loc loc);
void admit_find_calls(struct admit *a);
void admit_geometry(struct admit *a);
void admit_convergence(struct admit *a);
void admit_reuse(struct admit *a);

#endif
