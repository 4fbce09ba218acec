/* Reader and verifier of prepared MIR: what is refused is reported, what is taken has no error and
 * can be summed up. */
#include <stdlib.h>

#include "ir/pmir_summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool c) {
  if (!c)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct source_map sources;
  struct diag_sink sink;
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  struct pmir *m = pmir_read((str){(const char *)data, size}, STR("fuzz"), &sink);
  struct strbuf b = {0};
  require((m != NULL) == (sink.errors == 0));
  if (m)
    pmir_summary_text(m, &b);
  for (const struct diag *d = sink.first; d; d = d->next)
    diag_render_human(&sink, d, false, &b);
  sb_free(&b);
  pmir_free(m);
  diag_sink_free(&sink);
  source_map_free(&sources);
  return 0;
}
