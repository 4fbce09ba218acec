/* GPU targets: `sm_90`, `sm_90a`, `sm_100f`, and which code may be linked for which target. */
#ifndef MIRDC_LINKERS_TARGET_H
#define MIRDC_LINKERS_TARGET_H

#include "base/diag.h"

struct target {
  uint16_t cc; /* 90 for sm_90; 0: unknown */
  char suffix; /* 0, 'a' (exactly this GPU) or 'f' (this family of GPUs) */
};

struct target_name {
  char z[16];
};

/* Takes `sm_XX` and `compute_XX` of the closed table in targets.def. */
bool target_parse(str text, struct target *out) MUST_CHECK;
/* The same, reporting MD0401 with the known names. */
bool target_require(struct diag_sink *s, str text, struct target *out) MUST_CHECK;
bool target_eq(struct target a, struct target b);
struct target_name target_sm(struct target t);      /* "sm_90a" */
struct target_name target_compute(struct target t); /* "compute_90a" */
/* All known targets, ordered. */
size_t target_count(void);
struct target target_at(size_t i);

/* What the code to be linked is. */
enum code_kind { CODE_LTOIR, CODE_PTX, CODE_SASS };
/* NULL when code made for `code` may go into a cubin for `dst`; otherwise the reason. The library
 * itself accepts pairs that cannot run, so this is asked before each link. */
const char *target_pair_refusal(enum code_kind kind, struct target code, struct target dst);

#endif
