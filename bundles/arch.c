#include "bundles/arch.h"

bool gpu_arch_parse(str text, struct gpu_arch *out) {
  *out = (struct gpu_arch){0, 0};
  if (str_starts(text, STR("sm_")))
    text = str_drop(text, 3);
  else if (str_starts(text, STR("compute_")))
    text = str_drop(text, 8);
  else
    return false;
  char suffix = 0;
  if (text.n > 0 && (text.p[text.n - 1] == 'a' || text.p[text.n - 1] == 'f')) {
    suffix = text.p[text.n - 1];
    text.n--;
  }
  if (text.n < 2 || text.n > 3 || text.p[0] == '0')
    return false;
  unsigned number = 0;
  for (size_t i = 0; i < text.n; i++) {
    if (text.p[i] < '0' || text.p[i] > '9')
      return false;
    number = number * 10u + (unsigned)(text.p[i] - '0');
  }
  *out = (struct gpu_arch){(uint16_t)number, suffix};
  return true;
}

str gpu_arch_str(struct arena *a, struct gpu_arch arch) {
  if (arch.number == 0)
    return STR("");
  if (arch.suffix != 0)
    return arena_printf(a, "sm_%u%c", (unsigned)arch.number, arch.suffix);
  return arena_printf(a, "sm_%u", (unsigned)arch.number);
}

int gpu_arch_cmp(struct gpu_arch a, struct gpu_arch b) {
  if (a.number != b.number)
    return a.number < b.number ? -1 : 1;
  return a.suffix == b.suffix ? 0 : a.suffix < b.suffix ? -1 : 1;
}

/* Chips for embedded boards: their code and that of the desktop chips of the same major version do
 * not run on each other, whatever the minor number says. */
static bool arch_is_embedded(unsigned number) {
  return number == 53 || number == 62 || number == 72 || number == 87 || number == 101 ||
         number == 110;
}

static const char *arch_refuse_common(struct gpu_arch arch, unsigned number) {
  if (arch.number == 0)
    return "it names no architecture";
  if (arch.number > number)
    return "it is made for a newer device";
  if (arch.suffix == 'a' && arch.number != number)
    return "code with the suffix `a` runs on exactly that device";
  if (arch.suffix == 'f' && arch.number / 10 != number / 10)
    return "code with the suffix `f` runs only within its family of devices";
  return NULL;
}

const char *gpu_arch_refuse_cubin(struct gpu_arch arch, unsigned major, unsigned minor) {
  unsigned number = major * 10 + minor;
  const char *why = arch_refuse_common(arch, number);
  if (why != NULL)
    return why;
  if (arch.number / 10 != major)
    return "machine code runs only on devices of the same major version";
  if (arch.number != number && (arch_is_embedded(arch.number) || arch_is_embedded(number)))
    return "embedded and desktop devices do not share machine code";
  return NULL;
}

const char *gpu_arch_refuse_ptx(struct gpu_arch arch, unsigned major, unsigned minor) {
  return arch_refuse_common(arch, major * 10 + minor);
}
