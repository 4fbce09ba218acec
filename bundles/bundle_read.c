/* The reader of bundles. It trusts nothing: the layout is canonical, so each number is compared
 * with the only one it can be, and no arithmetic on a number from the file can overflow. */
#include <zstd.h>

#include "base/fatal.h"
#include "bundles/format.h"

/* A payload may not claim to unpack to more than this. */
#define MAX_UNPACKED (1ull << 32)

struct in {
  struct diag_sink *s;
  str bytes; /* exactly one bundle once the header is read */
  str path;
};

static uint64_t get(const char *p, unsigned bytes) {
  uint64_t v = 0;
  for (unsigned i = 0; i < bytes; i++)
    v |= (uint64_t)(unsigned char)p[i] << (8 * i);
  return v;
}

static bool damaged(const struct in *in, const char *why) {
  struct diag *d = diag_error(in->s, MD0504, SPAN_NONE, "%.*s: bundle is damaged: %s",
                              STR_ARG(in->path), why);
  diag_help(d, "copy or build the file again");
  return false;
}

static bool short_by(const struct in *in, uint64_t want) {
  struct diag *d = diag_error(in->s, MD0501, SPAN_NONE,
                              "%.*s: bundle of %llu bytes expected, found %zu", STR_ARG(in->path),
                              (unsigned long long)want, in->bytes.n);
  diag_help(d, "copy or build the file again");
  return false;
}

static bool unknown(const struct in *in, const char *what, uint32_t number) {
  struct diag *d = diag_error(in->s, MD0503, SPAN_NONE,
                              "%.*s: %s 0x%x must be understood and is not known here",
                              STR_ARG(in->path), what, number);
  diag_help(d, "use the mirdc that wrote the bundle, or a newer one");
  return false;
}

static bool is_zero(const char *p, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (p[i] != 0)
      return false;
  }
  return true;
}

/* Magic, version and length; in->bytes is cut to the bundle. */
static bool read_frame(struct in *in, uint32_t *version) {
  const char *p = in->bytes.p;
  if (!bundle_is(in->bytes)) {
    struct diag *d = diag_error(in->s, MD0500, SPAN_NONE, "%.*s: not a bundle", STR_ARG(in->path));
    diag_help(d, "a bundle is the file `NAME.mirdc` that `mirdc compile` writes");
    return false;
  }
  if (in->bytes.n < AT_VERSION + 2)
    return short_by(in, FORMAT_HEADER);
  *version = (uint32_t)get(p + AT_VERSION, 2);
  if (*version > BUNDLE_NEWEST) {
    struct diag *d = diag_error(in->s, MD0502, SPAN_NONE,
                                "%.*s: bundle of version %u; this program reads up to version %u",
                                STR_ARG(in->path), *version, BUNDLE_NEWEST);
    diag_help(d, "use a newer mirdc");
    return false;
  }
  if (*version == 0)
    return damaged(in, "version 0 is only for anchors");
  if (in->bytes.n < FORMAT_HEADER)
    return short_by(in, FORMAT_HEADER);
  if (get(p + AT_HEADER, 2) != FORMAT_HEADER || get(p + AT_RECORD, 4) != FORMAT_RECORD)
    return damaged(in, "wrong size of header or table records");
  uint64_t total = get(p + AT_TOTAL, 8);
  if (total > in->bytes.n)
    return short_by(in, total);
  if (total < FORMAT_HEADER || total % BUNDLE_ALIGN != 0)
    return damaged(in, "impossible total length");
  in->bytes.n = (size_t)total;
  return true;
}

/* The table's and the names' ends fit, and the digest over them is right. */
static bool read_head(const struct in *in, size_t *count, str *names, uint64_t *data) {
  const char *p = in->bytes.p;
  uint64_t n = get(p + AT_COUNT, 4), names_n = get(p + AT_NAMES, 8);
  uint64_t room = in->bytes.n - FORMAT_HEADER;
  if (n == 0 || n > room / FORMAT_RECORD)
    return damaged(in, "the table of sections does not fit");
  uint64_t names_at = FORMAT_HEADER + n * FORMAT_RECORD;
  if (names_n > in->bytes.n - names_at)
    return damaged(in, "the names of sections do not fit");
  /* The total length is a multiple of the alignment, so rounding up stays inside. */
  *data = format_align(names_at + names_n);
  *count = (size_t)n;
  *names = (str){p + names_at, (size_t)names_n};
  struct digest d = format_digest((str){p, (size_t)*data});
  if (memcmp(d.b, p + AT_DIGEST, 32) != 0)
    return damaged(in, "the digest over header and table does not match");
  if (get(p + AT_ZERO, 8) != 0 || !is_zero(names->p + names_n, (size_t)(*data - names_at - names_n)))
    return damaged(in, "bytes that must be zero are not");
  return true;
}

static bool read_section_arch(const struct in *in, const char *rec, struct bundle_section *out) {
  char suffix = rec[REC_SUFFIX];
  out->arch = (struct gpu_arch){(uint16_t)get(rec + REC_ARCH, 2), suffix};
  if (suffix != 0 && suffix != 'a' && suffix != 'f')
    return damaged(in, "unknown suffix of an architecture");
  if (out->arch.number > 999 || (out->arch.number == 0 && suffix != 0))
    return damaged(in, "impossible architecture");
  return true;
}

static bool read_section(const struct in *in, const char *rec, str names, uint64_t *name_at,
                         uint64_t *data_at, struct bundle_section *out) {
  uint32_t flags = (uint32_t)get(rec + REC_FLAGS, 4);
  uint32_t strange = flags & FLAG_CRITICAL & ~SECTION_FLAGS_KNOWN;
  out->kind = (uint32_t)get(rec + REC_KIND, 4);
  out->known = strcmp(payload_kind_name((enum payload_kind)out->kind), "unknown") != 0;
  if (strange != 0)
    return unknown(in, "section flag", strange);
  if (!out->known && (flags & SECTION_KIND_CRITICAL) != 0)
    return unknown(in, "section kind", out->kind);
  out->zstd = (flags & SECTION_ZSTD) != 0;
  out->unit = (uint32_t)get(rec + REC_UNIT, 4);
  out->offset = get(rec + REC_OFFSET, 8);
  out->stored = get(rec + REC_STORED, 8);
  out->length = get(rec + REC_LENGTH, 8);
  memcpy(out->stored_digest.b, rec + REC_STORED_DIGEST, 32);
  memcpy(out->digest.b, rec + REC_DIGEST, 32);
  uint64_t name_n = get(rec + REC_NAME_LENGTH, 8);
  if (get(rec + REC_NAME, 8) != *name_at || name_n > names.n - *name_at)
    return damaged(in, "a section's name is not where it must be");
  out->name = (str){names.p + *name_at, (size_t)name_n};
  *name_at += name_n;
  size_t bad;
  if (!utf8_valid(out->name, &bad))
    return damaged(in, "a section's name is not UTF-8");
  if (out->offset != *data_at || out->stored > in->bytes.n - *data_at)
    return damaged(in, "a section is not where it must be, or does not fit");
  uint64_t end = *data_at + out->stored;
  *data_at = format_align(end);
  if (!is_zero(in->bytes.p + end, (size_t)(*data_at - end)) || rec[REC_ZERO] != 0 ||
      get(rec + REC_ZERO2, 8) != 0)
    return damaged(in, "bytes that must be zero are not");
  if (!out->zstd && (out->length != out->stored || !digest_eq(&out->digest, &out->stored_digest)))
    return damaged(in, "an unpacked section has two lengths or digests");
  return read_section_arch(in, rec, out);
}

static bool order_ok(const struct in *in, const struct bundle_section *prev,
                     const struct bundle_section *s) {
  int order = format_section_cmp(prev, s);
  if (order == 0) {
    diag_error(in->s, MD0506, SPAN_NONE, "%.*s: two sections of kind %s, unit %u, name `%.*s`",
               STR_ARG(in->path), payload_kind_name((enum payload_kind)s->kind), s->unit,
               STR_ARG(s->name));
    return false;
  }
  return order < 0 || damaged(in, "sections are not in order");
}

static bool read_table(const struct in *in, struct arena *a, struct bundle *b) {
  size_t n = 0;
  str names = STR_NULL;
  uint64_t data = 0, name_at = 0;
  if (!read_head(in, &n, &names, &data))
    return false;
  b->sections = arena_array(a, struct bundle_section, n);
  b->n = n;
  for (size_t i = 0; i < n; i++) {
    const char *rec = in->bytes.p + FORMAT_HEADER + i * FORMAT_RECORD;
    if (!read_section(in, rec, names, &name_at, &data, &b->sections[i]))
      return false;
    if (i > 0 && !order_ok(in, &b->sections[i - 1], &b->sections[i]))
      return false;
  }
  if (name_at != names.n || data != in->bytes.n)
    return damaged(in, "the sections do not fill the bundle");
  return true;
}

static bool payload_bad(struct diag_sink *s, const struct bundle *b, size_t i, const char *why) {
  const struct bundle_section *sec = &b->sections[i];
  struct diag *d = diag_error(s, MD0505, SPAN_NONE, "%.*s: section %zu (%s) %s", STR_ARG(b->path),
                              i, payload_kind_name((enum payload_kind)sec->kind), why);
  diag_help(d, "copy or build the file again");
  return false;
}

static bool unpack(struct diag_sink *s, struct arena *a, const struct bundle *b, size_t i, str in,
                   str *out) {
  const struct bundle_section *sec = &b->sections[i];
  /* One frame, all of the section, with its true size in front: so nothing is reserved on the word
   * of the table alone. */
  if (in.n == 0 || ZSTD_findFrameCompressedSize(in.p, in.n) != in.n ||
      ZSTD_getFrameContentSize(in.p, in.n) != sec->length)
    return payload_bad(s, b, i, "is not packed as the table states");
  /* A block of 128 KiB takes at least 4 bytes, so no frame grows by more than this. */
  if (sec->length > MAX_UNPACKED || sec->length / 65536 > in.n)
    return payload_bad(s, b, i, "claims an impossible size");
  char *to = arena_alloc(a, (size_t)sec->length + 1, 16);
  size_t n = ZSTD_decompress(to, (size_t)sec->length, in.p, in.n);
  if (ZSTD_isError(n) || n != sec->length)
    return payload_bad(s, b, i, "cannot be unpacked");
  *out = (str){to, n};
  struct digest d = hash_of(to, n);
  return digest_eq(&d, &sec->digest) || payload_bad(s, b, i, "does not have its digest");
}

bool bundle_payload(struct diag_sink *s, struct arena *a, const struct bundle *b, size_t i,
                    str *out) {
  ASSERT(i < b->n);
  const struct bundle_section *sec = &b->sections[i];
  str stored = {b->bytes.p + sec->offset, (size_t)sec->stored};
  struct digest d = hash_of(stored.p, stored.n);
  if (!digest_eq(&d, &sec->stored_digest))
    return payload_bad(s, b, i, "does not have its digest");
  *out = stored;
  return !sec->zstd || unpack(s, a, b, i, stored, out);
}

bool bundle_check(struct diag_sink *s, const struct bundle *b) {
  bool ok = true;
  for (size_t i = 0; i < b->n; i++) {
    struct arena a = {0};
    str bytes;
    if (!bundle_payload(s, &a, b, i, &bytes))
      ok = false;
    arena_free(&a);
  }
  return ok;
}

static bool read_manifest(const struct in *in, struct arena *a, struct bundle *b) {
  const struct bundle_section *m = &b->sections[0];
  str text;
  if (m->kind != PAYLOAD_MANIFEST || m->zstd || m->arch.number != 0 || m->unit != 0 ||
      (b->n > 1 && b->sections[1].kind == PAYLOAD_MANIFEST))
    return damaged(in, "no manifest, or one that is packed or doubled");
  return bundle_payload(in->s, a, b, 0, &text) &&
         manifest_read(in->s, a, text, in->path, b->version, &b->manifest) &&
         format_agree(in->s, b);
}

/* Version 1: no launch facts, the default policy, no traps. No flag may be set. */
static bool decode_v1(const struct in *in, struct arena *a, struct bundle *b) {
  if (b->flags != 0)
    return damaged(in, "a bundle of version 1 has no flags");
  return read_table(in, a, b) && read_manifest(in, a, b);
}

/* Version 2: the flags say what version 1 could not express, and must say it truly. */
static bool decode_v2(const struct in *in, struct arena *a, struct bundle *b) {
  uint32_t strange = b->flags & FLAG_CRITICAL & ~BUNDLE_FLAGS_KNOWN;
  if (strange != 0)
    return unknown(in, "bundle flag", strange);
  if (!read_table(in, a, b) || !read_manifest(in, a, b))
    return false;
  if ((b->flags & FLAG_CRITICAL) != format_flags_of(&b->manifest))
    return damaged(in, "flags and manifest disagree");
  return true;
}

static bool decode(struct in *in, struct arena *a, struct bundle *out) {
  *out = (struct bundle){.path = in->path};
  if (!read_frame(in, &out->version))
    return false;
  out->bytes = in->bytes;
  out->flags = (uint32_t)get(in->bytes.p + AT_FLAGS, 4);
  return out->version == 1 ? decode_v1(in, a, out) : decode_v2(in, a, out);
}

bool bundle_open(struct diag_sink *s, struct arena *a, str bytes, str path, struct bundle *out) {
  struct in in = {s, bytes, path};
  if (!decode(&in, a, out))
    return false;
  if (in.bytes.n == bytes.n)
    return true;
  in.bytes = bytes;
  return short_by(&in, out->bytes.n);
}

bool bundle_next(struct diag_sink *s, struct arena *a, str *rest, str path, struct bundle *out,
                 bool *done) {
  *done = false;
  for (;;) {
    while (rest->n > 0 && rest->p[0] == 0)
      *rest = str_drop(*rest, 1);
    if (rest->n == 0) {
      *done = true;
      return true;
    }
    bool anchor = bundle_is(*rest) && rest->n >= FORMAT_ANCHOR &&
                  get(rest->p + AT_VERSION, 2) == 0 && get(rest->p + AT_HEADER, 2) == FORMAT_ANCHOR;
    if (!anchor)
      break;
    *rest = str_drop(*rest, FORMAT_ANCHOR);
  }
  struct in in = {s, *rest, path};
  if (!decode(&in, a, out))
    return false;
  *rest = str_drop(*rest, in.bytes.n);
  return true;
}
