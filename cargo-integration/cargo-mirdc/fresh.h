/* Is a target's device code up to date?
 *
 * After a build, a stamp below the nested cargo's folder keeps what the result was made of, as the pass
 * and the driver list it (base/depends.h), and a key: the recorded commands of the unit and of everything
 * it depends on, the options, the environment, the programs. When all of that is as it was, and the
 * outputs are too, neither of them is started. Any doubt is a build. */
#ifndef MIRDC_CARGO_FRESH_H
#define MIRDC_CARGO_FRESH_H

#include <time.h>

#include "base/hash.h"
#include "cargo-integration/cargo-mirdc/build.h"
#include "cargo-integration/cargo-mirdc/recorded.h"

struct fresh {
  char *stamp; /* NULL: no stamp is read or kept */
  struct digest key;
  struct timespec start;
  char *pass_list, *driver_list; /* for the programs to write to; inside a temporary folder */
  struct strbuf out, err;        /* what they said, and will have said again */
};

void fresh_open(struct fresh *f, struct job *j, const struct nested *n, const struct artifact *r,
                const struct recorded *rec);
/* True when nothing has to be done: messages are shown again, and *found is as then. */
bool fresh_holds(struct fresh *f, struct job *j, bool *found) MUST_CHECK;
/* Before the first program is started. */
void fresh_begin(struct fresh *f, struct job *j, const char *dir);
/* After a build without errors. `found`: the driver ran. */
void fresh_keep(struct fresh *f, struct job *j, bool found);
void fresh_free(struct fresh *f);

#endif
