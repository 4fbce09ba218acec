/* Symbols for device code, made from names of functions. Letters, digits and `_` are legal in both
 * NVVM IR and PTX. */
#ifndef MIRDC_BASE_SYMBOL_H
#define MIRDC_BASE_SYMBOL_H

#include "base/arena.h"
#include "base/map.h"

/* `m_` and the name with runs of other characters as one underscore. What loses more than colons,
 * or is long, is cut and told apart by a digest of the name. */
str symbol_spell(struct arena *a, str name);
/* Adds a number when the symbol is in the set, and puts it there. */
str symbol_unique(struct arena *a, struct map *set, str want);

#endif
