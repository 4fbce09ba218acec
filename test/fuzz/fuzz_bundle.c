/* The readers of bundles, host files, manifests and build records. A mutated bundle would never get
 * past its digests, so each input is also read with the digests made right. */
#include <stdlib.h>
#include <string.h>

#include "bundles/format.h"
#include "bundles/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct session {
  struct source_map sources;
  struct diag_sink sink;
  struct arena arena;
};

static void start(struct session *s) {
  *s = (struct session){0};
  source_map_init(&s->sources);
  diag_sink_init(&s->sink, &s->sources);
}

static void stop(struct session *s) {
  arena_free(&s->arena);
  diag_sink_free(&s->sink);
  source_map_free(&s->sources);
}

/* What is refused must be reported, and what is taken must be usable. */
static void require(bool c) {
  if (!c)
    abort();
}

static void use_bundle(struct session *s, const struct bundle *b) {
  str bytes;
  bool ok = bundle_check(&s->sink, b);
  for (size_t i = 0; ok && i < b->n; i++)
    require(bundle_payload(&s->sink, &s->arena, b, i, &bytes));
  for (size_t i = 0; i < b->manifest.n_kernels; i++) {
    const struct manifest_kernel *k = &b->manifest.kernels[i];
    require(manifest_kernel_find(&b->manifest, k->name) == k);
    require(manifest_param_bytes(k) <= MANIFEST_MAX_PARAM_BYTES);
  }
}

static void read_bundles(str bytes) {
  struct session s;
  struct bundle b;
  str section;
  start(&s);
  if (bundle_section_of_elf(&s.sink, bytes, STR("fuzz"), &section) && section.n > 0)
    bytes = section;
  for (bool done = false; !done;) {
    size_t before = s.sink.errors;
    if (!bundle_next(&s.sink, &s.arena, &bytes, STR("fuzz"), &b, &done)) {
      require(s.sink.errors > before);
      break;
    }
    if (!done)
      use_bundle(&s, &b);
  }
  stop(&s);
}

static uint64_t get(const char *p, size_t n) {
  uint64_t v = 0;
  memcpy(&v, p, n);
  return v;
}

static void put_digest(char *to, const char *from, size_t n) {
  struct digest d = hash_of(from, n);
  memcpy(to, d.b, sizeof d.b);
}

static void with_right_digests(const uint8_t *data, size_t size) {
  char *copy = malloc(size + 1);
  memcpy(copy, data, size);
  uint64_t n = get(copy + AT_COUNT, 4), names = get(copy + AT_NAMES, 8);
  if (n <= (size - FORMAT_HEADER) / FORMAT_RECORD && names <= size) {
    for (uint64_t i = 0; i < n; i++) {
      char *rec = copy + FORMAT_HEADER + i * FORMAT_RECORD;
      uint64_t at = get(rec + REC_OFFSET, 8), stored = get(rec + REC_STORED, 8);
      if (at > size || stored > size - at)
        continue;
      put_digest(rec + REC_STORED_DIGEST, copy + at, stored);
      if ((get(rec + REC_FLAGS, 4) & SECTION_ZSTD) == 0)
        put_digest(rec + REC_DIGEST, copy + at, stored);
    }
    uint64_t head = format_align(FORMAT_HEADER + n * FORMAT_RECORD + names);
    if (head <= size) {
      struct digest d = format_digest((str){copy, (size_t)head});
      memcpy(copy + AT_DIGEST, d.b, sizeof d.b);
    }
  }
  read_bundles((str){copy, size});
  free(copy);
}

static void read_texts(str text) {
  struct session s;
  struct manifest m;
  struct record r;
  start(&s);
  for (uint32_t version = 1; version <= 2; version++) {
    size_t before = s.sink.errors;
    if (manifest_read(&s.sink, &s.arena, text, STR("fuzz"), version, &m)) {
      struct strbuf sb = {0};
      require(manifest_version_needed(&m) <= version);
      require(manifest_write(&s.sink, &m, &sb));
      sb_free(&sb);
    } else {
      require(s.sink.errors > before);
    }
  }
  if (record_read(&s.sink, &s.arena, text, STR("fuzz"), &r)) {
    struct strbuf sb = {0};
    require(record_write(&s.sink, &r, &sb));
    sb_free(&sb);
  }
  stop(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  str bytes = {(const char *)data, size};
  read_bundles(bytes);
  if (size >= FORMAT_HEADER)
    with_right_digests(data, size);
  if (size > 0 && data[0] == '{')
    read_texts(bytes);
  return 0;
}
