/* The writer of bundles. */
#include <stdlib.h>
#include <zstd.h>

#include "base/fatal.h"
#include "bundles/format.h"

/* Fixed, so that equal contents make equal bytes; one thread for the same reason. */
#define ZSTD_LEVEL 9
/* Below this size packing saves less than it costs to unpack. */
#define ZSTD_MIN 1024u

struct pending {
  struct bundle_section section;
  str bytes;  /* as given */
  str stored; /* packed or the same */
};

static void put(char *to, uint64_t v, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++)
    to[i] = (char)(v >> (8 * i));
}

/* Packed bytes in the arena when that saves at least an eighth. */
static bool pack(struct arena *a, str in, str *out) {
  *out = in;
  if (in.n < ZSTD_MIN)
    return false;
  ZSTD_CCtx *c = ZSTD_createCCtx();
  if (c == NULL)
    fatal_no_memory(sizeof(void *));
  size_t cap = ZSTD_compressBound(in.n);
  char *to = xmalloc(cap);
  bool ok = !ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, ZSTD_LEVEL));
  size_t n = ok ? ZSTD_compress2(c, to, cap, in.p, in.n) : 0;
  ok = ok && !ZSTD_isError(n) && n <= in.n - in.n / 8;
  if (ok)
    *out = arena_str(a, (str){to, n});
  free(to);
  ZSTD_freeCCtx(c);
  return ok;
}

/* Payloads that a reader can do without; the others are marked so that a reader which does not
 * know their kind refuses the bundle. */
static bool kind_is_critical(enum payload_kind k) {
  return k == PAYLOAD_MANIFEST || k == PAYLOAD_CUBIN || k == PAYLOAD_PTX || k == PAYLOAD_LTOIR;
}

static bool prepare(struct diag_sink *s, struct arena *a, const struct bundle_input *in,
                    struct pending *out) {
  struct bundle_section *sec = &out->section;
  if (in->arch.n > 0 && !gpu_arch_parse(in->arch, &sec->arch)) {
    diag_error(s, MD0506, SPAN_NONE, "`%.*s` is no architecture for a %s", STR_ARG(in->arch),
               payload_kind_name(in->kind));
    return false;
  }
  size_t bad;
  if (!utf8_valid(in->name, &bad)) {
    diag_error(s, MD0506, SPAN_NONE, "the name of a %s is not UTF-8", payload_kind_name(in->kind));
    return false;
  }
  sec->kind = in->kind;
  sec->known = true;
  sec->unit = in->unit;
  sec->name = in->name;
  sec->length = in->bytes.n;
  sec->digest = hash_of(in->bytes.p, in->bytes.n);
  out->bytes = in->bytes;
  out->stored = in->bytes;
  /* Never the manifest: listing must need no unpacking. */
  if (in->kind != PAYLOAD_MANIFEST)
    sec->zstd = pack(a, in->bytes, &out->stored);
  sec->stored = out->stored.n;
  sec->stored_digest =
      sec->zstd ? hash_of(out->stored.p, out->stored.n) : sec->digest;
  return true;
}

static int by_key(const void *x, const void *y) {
  const struct pending *a = x, *b = y;
  return format_section_cmp(&a->section, &b->section);
}

static bool keys_unique(struct diag_sink *s, const struct pending *p, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const struct bundle_section *c = &p[i].section;
    if (format_section_cmp(&p[i - 1].section, c) != 0)
      continue;
    diag_error(s, MD0506, SPAN_NONE, "two sections of kind %s, architecture sm_%u, unit %u, name `%.*s`",
               payload_kind_name((enum payload_kind)c->kind), (unsigned)c->arch.number, c->unit,
               STR_ARG(c->name));
    return false;
  }
  return true;
}

static void put_record(char *rec, const struct bundle_section *s, uint64_t name_at) {
  uint32_t flags = s->zstd ? SECTION_ZSTD : 0;
  if (kind_is_critical((enum payload_kind)s->kind))
    flags |= SECTION_KIND_CRITICAL;
  put(rec + REC_KIND, s->kind, 4);
  put(rec + REC_FLAGS, flags, 4);
  put(rec + REC_ARCH, s->arch.number, 2);
  put(rec + REC_SUFFIX, (unsigned char)s->arch.suffix, 1);
  put(rec + REC_UNIT, s->unit, 4);
  put(rec + REC_NAME, name_at, 8);
  put(rec + REC_NAME_LENGTH, s->name.n, 8);
  put(rec + REC_OFFSET, s->offset, 8);
  put(rec + REC_STORED, s->stored, 8);
  put(rec + REC_LENGTH, s->length, 8);
  memcpy(rec + REC_STORED_DIGEST, s->stored_digest.b, 32);
  memcpy(rec + REC_DIGEST, s->digest.b, 32);
}

static uint64_t lay_out(struct pending *p, size_t n, uint64_t *names, uint64_t *data) {
  *names = 0;
  for (size_t i = 0; i < n; i++)
    *names += p[i].section.name.n;
  *data = format_align(FORMAT_HEADER + n * (uint64_t)FORMAT_RECORD + *names);
  uint64_t at = *data;
  for (size_t i = 0; i < n; i++) {
    p[i].section.offset = at;
    at = format_align(at + p[i].section.stored);
  }
  return at;
}

static void emit(struct pending *p, size_t n, const struct manifest *m, struct strbuf *out) {
  uint64_t names, data, name_at = 0;
  uint64_t total = lay_out(p, n, &names, &data);
  size_t start = out->n;
  sb_reserve(out, (size_t)total);
  memset(out->p + start, 0, (size_t)total);
  char *base = out->p + start;
  memcpy(base + AT_MAGIC, FORMAT_MAGIC, 8);
  put(base + AT_VERSION, manifest_version_needed(m), 2);
  put(base + AT_HEADER, FORMAT_HEADER, 2);
  put(base + AT_FLAGS, format_flags_of(m), 4);
  put(base + AT_TOTAL, total, 8);
  put(base + AT_COUNT, n, 4);
  put(base + AT_RECORD, FORMAT_RECORD, 4);
  put(base + AT_NAMES, names, 8);
  char *name_base = base + FORMAT_HEADER + n * FORMAT_RECORD;
  for (size_t i = 0; i < n; i++) {
    const struct bundle_section *s = &p[i].section;
    put_record(base + FORMAT_HEADER + i * FORMAT_RECORD, s, name_at);
    if (s->name.n > 0)
      memcpy(name_base + name_at, s->name.p, s->name.n);
    if (s->stored > 0)
      memcpy(base + s->offset, p[i].stored.p, (size_t)s->stored);
    name_at += s->name.n;
  }
  struct digest d = format_digest((str){base, (size_t)data});
  memcpy(base + AT_DIGEST, d.b, 32);
  out->n = start + (size_t)total;
  out->p[out->n] = 0;
}

bool bundle_write(struct diag_sink *s, const struct manifest *m, const struct bundle_input *in,
                  size_t n, struct strbuf *out) {
  struct arena a = {0};
  struct strbuf text = {0};
  size_t start = out->n;
  struct pending *p = arena_array(&a, struct pending, n + 1);
  bool ok = manifest_write(s, m, &text);
  struct bundle_input manifest = {.kind = PAYLOAD_MANIFEST, .bytes = sb_str(&text)};
  ok = ok && prepare(s, &a, &manifest, &p[n]);
  for (size_t i = 0; ok && i < n; i++) {
    ASSERT(in[i].kind != PAYLOAD_MANIFEST);
    ok = prepare(s, &a, &in[i], &p[i]);
  }
  if (ok)
    qsort(p, n + 1, sizeof *p, by_key);
  ok = ok && keys_unique(s, p, n + 1);
  if (ok) {
    emit(p, n + 1, m, out);
    /* What cannot be read back is not published. */
    struct bundle again;
    ok = bundle_open(s, &a, (str){out->p + start, out->n - start}, STR("(new bundle)"), &again);
    if (!ok)
      out->n = start;
  }
  sb_free(&text);
  arena_free(&a);
  return ok;
}
