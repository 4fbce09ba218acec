#include "base/rust_names.h"

static const struct {
  const char *end, *code;
} panics[] = {
#define RP(end, code) {end, code},
#include "base/rust_panics.def"
#undef RP
};

const char *rust_panic_code(str path) {
  for (size_t i = 0; i < COUNT_OF(panics); i++)
    if (str_ends(path, str_from(panics[i].end)))
      return panics[i].code;
  return NULL;
}
