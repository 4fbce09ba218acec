/* Numbers of the bundle format, shared by its writer and its reader. docs/bundle.md is normative. */
#ifndef MIRDC_BUNDLES_FORMAT_H
#define MIRDC_BUNDLES_FORMAT_H

#include <string.h>

#include "bundles/bundle.h"

#define FORMAT_MAGIC "MIRDCBND"
#define FORMAT_HEADER 80u
#define FORMAT_RECORD 128u
#define FORMAT_ANCHOR 16u

enum format_header_at {
  AT_MAGIC = 0,
  AT_VERSION = 8,
  AT_HEADER = 10,
  AT_FLAGS = 12,
  AT_TOTAL = 16,
  AT_COUNT = 24,
  AT_RECORD = 28,
  AT_NAMES = 32,
  AT_ZERO = 40,
  AT_DIGEST = 48
};
enum format_record_at {
  REC_KIND = 0,
  REC_FLAGS = 4,
  REC_ARCH = 8,
  REC_SUFFIX = 10,
  REC_ZERO = 11, /* one byte */
  REC_UNIT = 12,
  REC_NAME = 16,
  REC_NAME_LENGTH = 24,
  REC_OFFSET = 32,
  REC_STORED = 40,
  REC_LENGTH = 48,
  REC_ZERO2 = 56,
  REC_STORED_DIGEST = 64,
  REC_DIGEST = 96
};

/* Flags: the low half may be ignored by those who do not know a bit, the high half must not. */
#define FLAG_CRITICAL 0xffff0000u
#define BUNDLE_HAS_LAUNCH 0x10000u
#define BUNDLE_HAS_POLICY 0x20000u
#define BUNDLE_HAS_TRAPS 0x40000u
#define BUNDLE_FLAGS_KNOWN (BUNDLE_HAS_LAUNCH | BUNDLE_HAS_POLICY | BUNDLE_HAS_TRAPS)
#define SECTION_ZSTD 0x10000u
#define SECTION_KIND_CRITICAL 0x80000000u
#define SECTION_FLAGS_KNOWN (SECTION_ZSTD | SECTION_KIND_CRITICAL)

static inline uint64_t format_align(uint64_t v) {
  return (v + (BUNDLE_ALIGN - 1)) & ~(uint64_t)(BUNDLE_ALIGN - 1);
}

/* The header's flags that follow from a manifest. */
uint32_t format_flags_of(const struct manifest *m);
/* The order of sections; 0 for a doubled key. */
int format_section_cmp(const struct bundle_section *a, const struct bundle_section *b);
/* Where the manifest names payloads that are not there; false (reported). */
bool format_agree(struct diag_sink *s, const struct bundle *b) MUST_CHECK;
/* Over header and table: everything in front of the payloads but the digest itself. */
struct digest format_digest(str head);

#endif
