/* The rules that writer and reader of the manifest share. */
#ifndef MIRDC_BUNDLES_MANIFEST_CHECK_H
#define MIRDC_BUNDLES_MANIFEST_CHECK_H

#include "bundles/manifest.h"

/* Reports the first thing that breaks a rule of docs/bundle.md. `path` names the file. */
bool manifest_check(struct diag_sink *s, str path, const struct manifest *m) MUST_CHECK;

extern const char *const param_kind_names[]; /* NULL-terminated, in the order of the enum */
extern const char *const space_names[];
extern const char *const debug_names[];

#endif
