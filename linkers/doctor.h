/* `mirdc doctor`: which parts of a CUDA toolkit were found where, their versions, what is missing
 * and how to get it. */
#ifndef MIRDC_LINKERS_DOCTOR_H
#define MIRDC_LINKERS_DOCTOR_H

#include "base/jsonw.h"
#include "linkers/cuda_find.h"

struct doctor_part {
  struct cuda_location at;
  str version;   /* empty: not known */
  str problem;   /* empty: works */
  bool required; /* compilation is impossible without it */
};
struct doctor_report {
  struct doctor_part parts[CUDA_PART_COUNT];
  str toolkit_version;
  bool ok; /* all required parts work */
};

/* Opens each library once and asks its version. Strings live in the arena. */
void doctor_examine(struct cuda_session *cs, struct arena *a, struct doctor_report *out);
/* Paths and every attempt; `verbose` also lists the attempts for parts that were found. */
void doctor_text(struct cuda_session *cs, const struct doctor_report *r, bool verbose,
                 struct strbuf *out);
/* One object, as a value at the writer's position. */
void doctor_json(struct cuda_session *cs, const struct doctor_report *r, struct jsonw *w);

#endif
