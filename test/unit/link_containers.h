/* Builds fatbins, host objects and archives around device code, so that tests need no nvcc. */
#ifndef MIRDC_TEST_LINK_CONTAINERS_H
#define MIRDC_TEST_LINK_CONTAINERS_H

#include "base/fatal.h"
#include "base/str.h"

static void put16(struct strbuf *b, unsigned v) {
  sb_addc(b, (char)(v & 255));
  sb_addc(b, (char)(v >> 8 & 255));
}

static void put32(struct strbuf *b, unsigned v) {
  put16(b, v & 0xffff);
  put16(b, v >> 16);
}

static void put64(struct strbuf *b, uint64_t v) {
  put32(b, (unsigned)(v & 0xffffffff));
  put32(b, (unsigned)(v >> 32));
}

static void pad8(struct strbuf *b) {
  while (b->n % 8 != 0) {
    sb_addc(b, 0);
  }
}

enum {
  ENTRY_PTX = 1,
  ENTRY_ELF = 2,
  ENTRY_LTOIR = 8,
  ENTRY_FLAG_A = 1 << 20,
  ENTRY_FLAG_F = 1 << 21
};

/* The library needs the options beside LTO-IR; without them it crashes. */
static const char lto_options[] = "-ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1 ";

static void add_entry(struct strbuf *b, unsigned kind, unsigned cc, unsigned flags, str code,
                      bool with_options) {
  bool lto = kind == ENTRY_LTOIR && with_options;
  size_t padded = (code.n + 7) / 8 * 8;
  put16(b, kind);
  put16(b, 0x101);
  put32(b, lto ? 112 : 64);
  put64(b, padded);
  put32(b, 0);
  put32(b, lto ? 0x40 : 0);
  put16(b, lto ? 0x41 : 8);
  put16(b, 1);
  put32(b, cc);
  put64(b, 0);
  put64(b, 0x11u | (lto ? 0x10000u : 0) | flags);
  put64(b, 0);
  put64(b, 0);
  if (lto) {
    put32(b, 72);
    put32(b, sizeof lto_options - 1);
    sb_add(b, STR(lto_options));
  }
  sb_add(b, code);
  pad8(b);
}

/* One entry; wrap more by hand. */
static str fatbin_of(struct arena *a, unsigned kind, unsigned cc, unsigned flags, str code,
                     bool with_options) {
  struct strbuf body = {0}, b = {0};
  add_entry(&body, kind, cc, flags, code, with_options);
  put32(&b, 0xba55ed50);
  put16(&b, 1);
  put16(&b, 16);
  put64(&b, body.n);
  sb_add(&b, sb_str(&body));
  str out = arena_str(a, sb_str(&b));
  sb_free(&body);
  sb_free(&b);
  return out;
}

static void section(struct strbuf *b, unsigned name, unsigned type, uint64_t flags, uint64_t offset,
                    uint64_t size, uint64_t align) {
  put32(b, name);
  put32(b, type);
  put64(b, flags);
  put64(b, 0);
  put64(b, offset);
  put64(b, size);
  put64(b, 0);
  put64(b, align);
  put64(b, 0);
}

/* A relocatable x86-64 object with the fatbin in the named section. */
static str object_of(struct arena *a, const char *section_name, str fatbin) {
  struct strbuf b = {0}, names = {0};
  sb_add(&names, STR("\0.shstrtab\0"));
  unsigned device = (unsigned)names.n;
  sb_addz(&names, section_name);
  sb_addc(&names, 0);
  unsigned segment = (unsigned)names.n;
  sb_add(&names, STR(".nvFatBinSegment\0"));
  size_t data = 64, seg = data + (fatbin.n + 7) / 8 * 8, strings = seg + 24;
  size_t headers = (strings + names.n + 7) / 8 * 8;
  sb_add(&b, STR("\x7f"
                 "ELF\2\1\1\0\0\0\0\0\0\0\0\0"));
  put16(&b, 1);
  put16(&b, 62);
  put32(&b, 1);
  put64(&b, 0);
  put64(&b, 0);
  put64(&b, headers);
  put32(&b, 0);
  put16(&b, 64);
  put16(&b, 0);
  put16(&b, 0);
  put16(&b, 64);
  put16(&b, 4);
  put16(&b, 1);
  sb_add(&b, fatbin);
  pad8(&b);
  put32(&b, 0x466243b1);
  put32(&b, 1);
  put64(&b, 0);
  put64(&b, 0);
  sb_add(&b, sb_str(&names));
  pad8(&b);
  section(&b, 0, 0, 0, 0, 0, 0);
  section(&b, 1, 3, 0, strings, names.n, 1);
  section(&b, device, 1, 2, data, fatbin.n, 8);
  section(&b, segment, 1, 3, seg, 24, 8);
  str out = arena_str(a, sb_str(&b));
  sb_free(&b);
  sb_free(&names);
  return out;
}

static void add_member(struct strbuf *archive, const char *name, str body) {
  if (archive->n == 0) {
    sb_addz(archive, "!<arch>\n");
  }
  sb_addf(archive, "%-16s%-12d%-6d%-6d%-8s%-10zu`\n", name, 0, 0, 0, "644", body.n);
  sb_add(archive, body);
  if (body.n & 1) {
    sb_addc(archive, '\n');
  }
}

#endif
