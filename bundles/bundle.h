/* NAME.mirdc: one writer, one reader. The format is fixed in docs/bundle.md. */
#ifndef MIRDC_BUNDLES_BUNDLE_H
#define MIRDC_BUNDLES_BUNDLE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "bundles/arch.h"
#include "bundles/manifest.h"

#define BUNDLE_SECTION "mirdc_bundle" /* of host executables and objects */
#define BUNDLE_ALIGN 16u
#define BUNDLE_NEWEST 2u

enum payload_kind {
#define PAYLOAD(e, number, name) e = number,
#include "bundles/payload.def"
#undef PAYLOAD
};
const char *payload_kind_name(enum payload_kind k);
bool payload_kind_parse(str name, enum payload_kind *out) MUST_CHECK;

struct bundle_input {
  enum payload_kind kind; /* anything but PAYLOAD_MANIFEST, which the writer makes */
  str arch;               /* "sm_90"; empty for kinds without one */
  uint32_t unit;          /* link unit, 0 for the first */
  str name;               /* shown to people and used by --extract; may be empty */
  str bytes;
};
/* Appends the bundle to `out`. The version is the lowest one that can express the manifest; the
 * order of `in` does not matter. */
bool bundle_write(struct diag_sink *s, const struct manifest *m, const struct bundle_input *in,
                  size_t n, struct strbuf *out) MUST_CHECK;

struct bundle_section {
  uint32_t kind; /* enum payload_kind, or a number this version does not know */
  bool known;
  bool zstd;
  struct gpu_arch arch;
  uint32_t unit;
  str name;
  uint64_t offset, stored, length; /* stored: bytes in the file */
  struct digest stored_digest, digest;
};

struct bundle {
  str bytes; /* borrowed: exactly this bundle */
  str path;  /* shown in messages */
  uint32_t version, flags;
  struct bundle_section *sections;
  size_t n;
  struct manifest manifest;
};

/* Reads header, table and manifest; payloads are checked when taken. `bytes` must outlive the
 * bundle and must hold it alone: bytes after its end are an error. */
bool bundle_open(struct diag_sink *s, struct arena *a, str bytes, str path, struct bundle *out)
    MUST_CHECK;
/* Walks bundles that lie one after the other, zero padding and anchors skipped. At the end true
 * with *done set. */
bool bundle_next(struct diag_sink *s, struct arena *a, str *rest, str path, struct bundle *out,
                 bool *done) MUST_CHECK;
/* The content of section `i`, verified and unpacked; in the arena, or a view of bundle->bytes. */
bool bundle_payload(struct diag_sink *s, struct arena *a, const struct bundle *b, size_t i,
                    str *out) MUST_CHECK;
/* Every payload's digests. */
bool bundle_check(struct diag_sink *s, const struct bundle *b) MUST_CHECK;
/* The first section of that kind; SIZE_MAX if there is none. `arch` NULL: any. */
size_t bundle_find(const struct bundle *b, enum payload_kind k, const struct gpu_arch *arch,
                   uint32_t unit);
bool bundle_is(str bytes); /* starts with the magic */

/* The `mirdc_bundle` section of a 64-bit little-endian ELF file; true with out->n == 0 when the
 * file has none; false (reported) when it is no such file or damaged. */
bool bundle_section_of_elf(struct diag_sink *s, str bytes, str path, str *out) MUST_CHECK;

#endif
