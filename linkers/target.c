/* The closed table of targets and the pairing rules. */
#include "linkers/target.h"

#include <stdio.h>

struct target_row {
  struct target t;
  uint16_t family;
};

static const struct target_row rows[] = {
#define TARGET(cc, suffix, family) {{(cc), (suffix)}, (family)},
#include "linkers/targets.def"
#undef TARGET
};

static const struct target_row *row_of(struct target t) {
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    if (target_eq(rows[i].t, t)) {
      return &rows[i];
    }
  }
  return NULL;
}

bool target_eq(struct target a, struct target b) {
  return a.cc == b.cc && a.suffix == b.suffix;
}

size_t target_count(void) {
  return COUNT_OF(rows);
}

struct target target_at(size_t i) {
  return rows[i].t;
}

bool target_parse(str text, struct target *out) {
  *out = (struct target){0};
  if (str_starts(text, STR("sm_"))) {
    text = str_drop(text, 3);
  } else if (str_starts(text, STR("compute_"))) {
    text = str_drop(text, 8);
  } else {
    return false;
  }
  struct target t = {0};
  size_t n = 0;
  for (; n < text.n && n < 3 && text.p[n] >= '0' && text.p[n] <= '9'; n++) {
    t.cc = (uint16_t)(t.cc * 10 + (text.p[n] - '0'));
  }
  if (n + 1 == text.n) {
    t.suffix = text.p[n];
  } else if (n != text.n) {
    return false;
  }
  if (n == 0 || text.p[0] == '0' || row_of(t) == NULL) {
    return false;
  }
  *out = t;
  return true;
}

bool target_require(struct diag_sink *s, str text, struct target *out) {
  if (target_parse(text, out)) {
    return true;
  }
  struct diag *d =
      diag_error(s, MD0401, SPAN_NONE, "unknown target `%.*s`", STR_ARG(str_sub(text, 0, 64)));
  struct strbuf known = {0};
  for (size_t i = 0; i < COUNT_OF(rows); i++) {
    sb_addf(&known, "%s%s", i == 0 ? "" : " ", target_sm(rows[i].t).z);
  }
  diag_help(d, "known targets: %s", sb_z(&known));
  sb_free(&known);
  return false;
}

static struct target_name named(const char *prefix, struct target t) {
  struct target_name n;
  char suffix[2] = {t.suffix, 0};
  snprintf(n.z, sizeof n.z, "%s%u%s", prefix, (unsigned)t.cc, suffix);
  return n;
}

struct target_name target_sm(struct target t) {
  return named("sm_", t);
}

struct target_name target_compute(struct target t) {
  return named("compute_", t);
}

static uint16_t family_of(struct target t) {
  const struct target_row *r = row_of((struct target){t.cc, 0});
  return r == NULL ? 0 : r->family;
}

/* Machine code runs on GPUs of its own major version and no older minor version. */
static const char *sass_refusal(struct target code, struct target dst) {
  if (code.suffix == 'a' && !target_eq(code, dst)) {
    return "machine code for an architecture-specific target runs on exactly that target";
  }
  if (code.cc / 10 != dst.cc / 10) {
    return "machine code runs only on GPUs of its own major version";
  }
  return code.cc > dst.cc ? "machine code is for a newer GPU than the target" : NULL;
}

const char *target_pair_refusal(enum code_kind kind, struct target code, struct target dst) {
  if (kind == CODE_SASS) {
    return sass_refusal(code, dst);
  }
  if (code.suffix == 'a') {
    return target_eq(code, dst)
               ? NULL
               : "architecture-specific code (`a`) may be linked for exactly that target only";
  }
  if (code.suffix == 'f') {
    if (family_of(code) == 0 || family_of(code) != family_of(dst)) {
      return "family-specific code (`f`) may be linked only within its family of GPUs";
    }
    if (dst.suffix == 0) {
      return "family-specific code (`f`) needs a target with suffix `f` or `a`";
    }
  }
  return code.cc > dst.cc ? "the code is for a newer GPU than the target" : NULL;
}
