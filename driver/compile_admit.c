/* Admission, for `mirdc check` and before anything is compiled. */
#include "callbacks/admit.h"
#include "driver/compile.h"

bool compile_admit(struct compile *c) {
  return !c->m || admit_check(c->m, NULL, &c->s->sink);
}
