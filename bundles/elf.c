/* Finds the section with embedded bundles in a host program, shared object or object file. */
#include <elf.h>
#include <string.h>

#include "bundles/bundle.h"

struct elf {
  struct diag_sink *s;
  str bytes, path;
};

static bool bad(const struct elf *e, const char *why) {
  diag_error(e->s, MD0542, SPAN_NONE, "%.*s: %s", STR_ARG(e->path), why);
  return false;
}

static bool slice(const struct elf *e, uint64_t at, uint64_t n, str *out) {
  if (at > e->bytes.n || n > e->bytes.n - at)
    return bad(e, "an ELF header points outside of the file");
  *out = (str){e->bytes.p + at, (size_t)n};
  return true;
}

static bool header_at(const struct elf *e, uint64_t base, uint64_t i, Elf64_Shdr *out) {
  str s;
  if (!slice(e, base, (i + 1) * sizeof *out, &s))
    return false;
  memcpy(out, s.p + i * sizeof *out, sizeof *out);
  return true;
}

/* With more than 65,279 sections the true numbers stand in the first section header. */
static bool numbers(const struct elf *e, const Elf64_Ehdr *h, uint64_t *count, uint64_t *names) {
  Elf64_Shdr first;
  *count = h->e_shnum;
  *names = h->e_shstrndx;
  if (h->e_shoff == 0) {
    *count = 0;
    return true;
  }
  if (h->e_shentsize != sizeof(Elf64_Shdr))
    return bad(e, "ELF section headers of an unknown size");
  if (!header_at(e, h->e_shoff, 0, &first))
    return false;
  if (h->e_shnum == 0)
    *count = first.sh_size;
  if (h->e_shstrndx == SHN_XINDEX)
    *names = first.sh_link;
  if (*count > e->bytes.n / sizeof(Elf64_Shdr) || (*count > 0 && *names >= *count))
    return bad(e, "impossible number of ELF sections");
  return true;
}

static bool name_is(str names, uint32_t at, str want) {
  return at < names.n && names.n - at > want.n && memcmp(names.p + at, want.p, want.n) == 0 &&
         names.p[at + want.n] == 0;
}

bool bundle_section_of_elf(struct diag_sink *s, str bytes, str path, str *out) {
  struct elf e = {s, bytes, path};
  Elf64_Ehdr h;
  Elf64_Shdr sh;
  uint64_t count, names_at;
  str names;
  bool found = false;
  *out = STR("");
  if (bytes.n < sizeof h || memcmp(bytes.p, ELFMAG, SELFMAG) != 0 ||
      bytes.p[EI_CLASS] != ELFCLASS64 || bytes.p[EI_DATA] != ELFDATA2LSB)
    return bad(&e, "not a 64-bit little-endian ELF file");
  memcpy(&h, bytes.p, sizeof h);
  if (!numbers(&e, &h, &count, &names_at))
    return false;
  if (count == 0)
    return true;
  if (!header_at(&e, h.e_shoff, names_at, &sh) || !slice(&e, sh.sh_offset, sh.sh_size, &names))
    return false;
  for (uint64_t i = 1; i < count; i++) {
    if (!header_at(&e, h.e_shoff, i, &sh))
      return false;
    if (sh.sh_type != SHT_PROGBITS || !name_is(names, sh.sh_name, STR(BUNDLE_SECTION)))
      continue;
    if (found)
      return bad(&e, "has several sections `" BUNDLE_SECTION "`; link it first");
    if (!slice(&e, sh.sh_offset, sh.sh_size, out))
      return false;
    found = true;
  }
  return true;
}
