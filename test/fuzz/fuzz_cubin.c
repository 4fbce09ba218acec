/* The readers of foreign binaries: cubins, and what link inputs say of themselves. */
#include "base/arena.h"
#include "base/jsonw.h"
#include "linkers/cubin.h"
#include "linkers/link_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_kernels(const struct cubin *c) {
  struct strbuf text = {0};
  struct jsonw w;
  jw_init(&w, false);
  jw_array(&w);
  for (uint32_t i = 0; i < c->n_kernels; i++) {
    cubin_kernel_text(&text, &c->kernels[i]);
    cubin_kernel_json(&w, &c->kernels[i]);
  }
  jw_end_array(&w);
  jw_free(&w);
  sb_free(&text);
}

static volatile bool sink; /* keeps the calls from being left out */

static void read_as_input(struct arena *a, str bytes) {
  struct target arch, dst = {90, 0};
  struct link_offer offer;
  const char *what;
  str kept;
  enum link_kind kind = link_kind_of(bytes);
  bool good = link_input_arch(kind, bytes, &arch);
  good = ltoir_well_formed(bytes) || good;
  good = link_offer_of(a, kind, bytes, dst, &offer, &what) || good;
  if (kind == LINK_ARCHIVE && archive_device_part(a, bytes, &kept, &what)) {
    good = kept.n > 0;
  }
  sink = good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct arena a = {0};
  struct cubin c;
  struct cubin_error err;
  str bytes = {(const char *)data, size};
  if (cubin_read(&a, bytes, &c, &err)) {
    print_kernels(&c);
  }
  read_as_input(&a, bytes);
  arena_free(&a);
  return 0;
}
