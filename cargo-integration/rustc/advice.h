/* What to write instead of a function of core, alloc or std whose body device code cannot have. */
#ifndef MIRDC_RUSTC_ADVICE_H
#define MIRDC_RUSTC_ADVICE_H

#include "base/diag.h"

struct advice {
  enum diag_code code;
  const char
      *what; /* follows the function's name: "needs a heap"; NULL: no more than MD0174 says */
  const char *help;
};
/* By the function's printed path, type and trait of a method included. */
struct advice advice_for(str path);
/* The same for a constant that cannot be had. */
const char *advice_for_const(str path);

#endif
