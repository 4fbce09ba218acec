/* Cuts the region of a launch out of a host function. */
#ifndef MIRDC_RUSTC_SITES_CUT_H
#define MIRDC_RUSTC_SITES_CUT_H

#include "cargo-integration/rustc/descriptor.h"
#include "cargo-integration/rustc/prepare.h"

enum site_mark { MARK_NONE, MARK_BEGIN, MARK_KERNEL, MARK_ARG, MARK_END, MARK_DECLARE };
/* What a call of one of the device crate's marks is; *args gets the generic arguments. */
enum site_mark site_mark_of(const struct mir_term *t, const struct rty **args, size_t *n);

/* Facts of a parameter that follow from its type, and the type that spells its name. */
struct kernel_param site_param(struct prep *p, const struct rty *ty, const struct rty *name);
/* The text that a type of the device crate's `Chars` spells. */
str site_text(struct prep *p, const struct rty *chars);

/* The region behind the call that ends block `begin`, as a function of its own: parameters are what
 * the region takes, the end of the region is its return. facts gets names, sizes of slices and
 * number of the parameters. NULL: reported. `what` names the launch. */
const struct mir_item *site_cut(struct prep *p, const struct mir_item *host, uint32_t begin, str what,
                                struct span at, struct kernel_facts *facts);

#endif
