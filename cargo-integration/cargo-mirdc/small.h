/* The commands around building. Each returns an exit status. */
#ifndef MIRDC_CARGO_SMALL_H
#define MIRDC_CARGO_SMALL_H

#include "cargo-integration/cargo-mirdc/build.h"

int sub_read(struct job *j);
int sub_clean(struct job *j);
int sub_doctor(struct job *j);
int sub_new(struct job *j);

#endif
