/* Reader of foreign dumps: what is refused is reported; what is taken is prepared MIR, which the
 * verifier may still refuse. */
#include <stdlib.h>

#include "ir/pmir.h"
#include "ir/smir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool c) {
  if (!c)
    abort();
}

static void run(str text, struct smir_root root) {
  struct source_map sources;
  struct diag_sink sink;
  struct strbuf out = {0}, shown = {0};
  struct smir_options o = {.roots = &root, .n_roots = 1, .overflow_checks = true};
  source_map_init(&sources);
  diag_sink_init(&sink, &sources);
  bool ok = smir_prepare(text, STR("fuzz"), &o, &sink, &out);
  require(ok == (sink.errors == 0));
  struct pmir *m = ok ? pmir_read(sb_str(&out), STR("prepared"), &sink) : NULL;
  for (const struct diag *d = sink.first; d; d = d->next) {
    /* Text that is wrong in itself would be a fault of ours. */
    require(d->code != MD0200);
    diag_render_human(&sink, d, false, &shown);
  }
  pmir_free(m);
  sb_free(&shown);
  sb_free(&out);
  diag_sink_free(&sink);
  source_map_free(&sources);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  str text = {(const char *)data, size};
  run(text, (struct smir_root){.path = STR("scale"), .kernel = true});
  run(text, (struct smir_root){.path = STR("root")});
  return 0;
}
