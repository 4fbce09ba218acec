/* What a dump holds, for people and for programs. */
#ifndef MIRDC_IR_PMIR_SUMMARY_H
#define MIRDC_IR_PMIR_SUMMARY_H

#include "ir/pmir.h"

/* Unit, profile, counts, and each kernel with parameters and launch facts. */
void pmir_summary_text(const struct pmir *m, struct strbuf *out);
/* The same as one JSON object on one line. */
void pmir_summary_json(const struct pmir *m, struct strbuf *out);

#endif
