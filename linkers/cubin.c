/* Reads cubins: the ELF frame here, the facts of kernels in cubin_info.c. */
#include "linkers/cubin.h"

#include <stdlib.h>
#include <string.h>

#include "linkers/cubin_impl.h"

enum {
  ELF_HEADER = 64,
  ELF_SECTION = 64,
  ELF_SYMBOL = 24,
  ELF_SEGMENT = 56,
  EM_CUDA = 190,
  SHT_NULL = 0,
  SHT_SYMTAB = 2,
  SHT_STRTAB = 3,
  SHT_NOBITS = 8,
  STT_FUNC = 2,
  STB_LOCAL = 0,
  STO_ENTRY = 0x10,
  MAX_KERNELS = 1 << 16,
};

uint16_t cubin_u16(const char *p) {
  const unsigned char *u = (const unsigned char *)p;
  return (uint16_t)(u[0] | u[1] << 8);
}

uint32_t cubin_u32(const char *p) {
  return cubin_u16(p) | (uint32_t)cubin_u16(p + 2) << 16;
}

uint64_t cubin_u64(const char *p) {
  return cubin_u32(p) | (uint64_t)cubin_u32(p + 4) << 32;
}

bool cubin_fail(struct cubin_error *err, uint64_t offset, const char *what) {
  err->what = what;
  err->offset = offset;
  return false;
}

static bool range_ok(str image, uint64_t offset, uint64_t size) {
  return offset <= image.n && size <= image.n - offset;
}

/* Two encodings of the architecture: up to CUDA 12 in the lowest byte, from ABI version 8 on in the
 * second. */
static uint16_t arch_of(uint8_t abi_version, uint32_t flags) {
  return abi_version >= 8 ? (uint16_t)(flags >> 8 & 0xff) : (uint16_t)(flags & 0xff);
}

static bool read_header(str image, struct cubin *c, struct cubin_error *err) {
  if (image.n < ELF_HEADER || memcmp(image.p,
                                     "\x7f"
                                     "ELF",
                                     4) != 0) {
    return cubin_fail(err, 0, "it does not start with an ELF header");
  }
  const char *p = image.p;
  if (p[4] != 2 || p[5] != 1 || p[6] != 1) {
    return cubin_fail(err, 4, "it is not a little-endian 64-bit ELF file");
  }
  c->abi_version = (uint8_t)p[8];
  c->elf_type = cubin_u16(p + 16);
  if (c->elf_type != 1 && c->elf_type != 2) {
    return cubin_fail(err, 16, "it is neither relocatable nor executable");
  }
  c->flags = cubin_u32(p + 48);
  c->cc = arch_of(c->abi_version, c->flags);
  if (cubin_u16(p + 52) != ELF_HEADER) {
    return cubin_fail(err, 52, "its header has an unknown size");
  }
  return true;
}

static bool check_machine(str image, struct cubin_error *err) {
  if (cubin_u16(image.p + 18) != EM_CUDA) {
    return cubin_fail(err, 18, "its machine is not CUDA");
  }
  return true;
}

static bool check_segments(str image, struct cubin_error *err) {
  uint64_t offset = cubin_u64(image.p + 32);
  uint64_t n = cubin_u16(image.p + 56);
  if (n == 0) {
    return true;
  }
  if (cubin_u16(image.p + 54) != ELF_SEGMENT || !range_ok(image, offset, n * ELF_SEGMENT)) {
    return cubin_fail(err, 32, "its program headers lie outside the file");
  }
  for (uint64_t i = 0; i < n; i++) {
    const char *p = image.p + offset + i * ELF_SEGMENT;
    if (!range_ok(image, cubin_u64(p + 8), cubin_u64(p + 32))) {
      return cubin_fail(err, offset + i * ELF_SEGMENT, "a segment lies outside the file");
    }
  }
  return true;
}

/* A name out of a string table, which need not be terminated. */
static bool name_at(str table, uint32_t offset, str *out) {
  if (offset >= table.n) {
    *out = STR_NULL;
    return offset == 0;
  }
  const char *p = table.p + offset;
  const char *end = memchr(p, 0, table.n - offset);
  if (end == NULL) {
    return false;
  }
  *out = (str){p, (size_t)(end - p)};
  return true;
}

static bool read_section(str image, uint64_t at, struct cubin_section *s, struct cubin_error *err) {
  const char *p = image.p + at;
  s->type = cubin_u32(p + 4);
  s->flags = cubin_u64(p + 8);
  s->offset = cubin_u64(p + 24);
  s->size = cubin_u64(p + 32);
  s->link = cubin_u32(p + 40);
  s->info = cubin_u32(p + 44);
  s->align = cubin_u64(p + 48);
  s->entsize = cubin_u64(p + 56);
  if (s->type == SHT_NULL || s->type == SHT_NOBITS) {
    return true;
  }
  if (!range_ok(image, s->offset, s->size)) {
    return cubin_fail(err, at, "a section lies outside the file");
  }
  s->data = (str){image.p + s->offset, (size_t)s->size};
  return true;
}

static bool read_sections(struct arena *a, struct cubin *c, struct cubin_error *err) {
  str image = c->image;
  uint64_t offset = cubin_u64(image.p + 40);
  uint32_t n = cubin_u16(image.p + 60), names = cubin_u16(image.p + 62);
  if (n == 0 || offset == 0) {
    return cubin_fail(err, 40, "it has no sections");
  }
  if (cubin_u16(image.p + 58) != ELF_SECTION ||
      !range_ok(image, offset, (uint64_t)n * ELF_SECTION)) {
    return cubin_fail(err, 40, "its section headers lie outside the file");
  }
  if (names >= n) {
    return cubin_fail(err, 62, "its table of section names does not exist");
  }
  c->sections = arena_array(a, struct cubin_section, n);
  c->n_sections = n;
  for (uint32_t i = 0; i < n; i++) {
    if (!read_section(image, offset + (uint64_t)i * ELF_SECTION, &c->sections[i], err)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    uint64_t at = offset + (uint64_t)i * ELF_SECTION;
    if (!name_at(c->sections[names].data, cubin_u32(image.p + at), &c->sections[i].name)) {
      return cubin_fail(err, at, "a section's name lies outside its table");
    }
  }
  return true;
}

static bool read_symbol(const struct cubin *c, const struct cubin_section *tab, str strings,
                        uint32_t i, struct cubin_symbol *s, struct cubin_error *err) {
  const char *p = tab->data.p + (size_t)i * ELF_SYMBOL;
  uint64_t at = tab->offset + (uint64_t)i * ELF_SYMBOL;
  s->bind = (uint8_t)((unsigned char)p[4] >> 4);
  s->type = (uint8_t)(p[4] & 15);
  s->other = (uint8_t)p[5];
  s->section = cubin_u16(p + 6);
  s->value = cubin_u64(p + 8);
  s->size = cubin_u64(p + 16);
  if (!name_at(strings, cubin_u32(p), &s->name)) {
    return cubin_fail(err, at, "a symbol's name lies outside its table");
  }
  if (s->section >= c->n_sections && s->section < 0xff00) {
    return cubin_fail(err, at, "a symbol is in a section that does not exist");
  }
  if (s->type == STT_FUNC && s->section != 0 && s->section < c->n_sections) {
    uint64_t size = c->sections[s->section].size;
    if (s->value > size || s->size > size - s->value) {
      return cubin_fail(err, at, "a function lies outside its section");
    }
  }
  return true;
}

static bool read_symbols(struct arena *a, struct cubin *c, struct cubin_error *err) {
  const struct cubin_section *tab = NULL;
  for (uint32_t i = 0; i < c->n_sections; i++) {
    if (c->sections[i].type == SHT_SYMTAB) {
      if (tab != NULL) {
        return cubin_fail(err, 40, "it has more than one symbol table");
      }
      tab = &c->sections[i];
    }
  }
  if (tab == NULL) {
    return true;
  }
  if (tab->entsize != ELF_SYMBOL || tab->size % ELF_SYMBOL != 0 ||
      tab->size / ELF_SYMBOL > UINT32_MAX) {
    return cubin_fail(err, tab->offset, "its symbol table has an impossible size");
  }
  if (tab->link >= c->n_sections || c->sections[tab->link].type != SHT_STRTAB) {
    return cubin_fail(err, tab->offset, "its symbol table has no strings");
  }
  c->n_symbols = (uint32_t)(tab->size / ELF_SYMBOL);
  c->symbols = arena_array(a, struct cubin_symbol, c->n_symbols);
  for (uint32_t i = 0; i < c->n_symbols; i++) {
    if (!read_symbol(c, tab, c->sections[tab->link].data, i, &c->symbols[i], err)) {
      return false;
    }
  }
  return true;
}

static bool is_entry(const struct cubin_symbol *s) {
  return s->type == STT_FUNC && s->bind != STB_LOCAL && s->section != 0 &&
         (s->other & STO_ENTRY) != 0;
}

static int by_name(const void *a, const void *b) {
  return str_cmp(((const struct cubin_kernel *)a)->name, ((const struct cubin_kernel *)b)->name);
}

static void kernel_init(struct cubin_kernel *k, const struct cubin_symbol *s) {
  k->name = s->name;
  k->section = s->section;
  k->code_size = s->size;
  k->registers = k->frame_bytes = k->min_stack_bytes = CUBIN_UNKNOWN;
  k->barriers = 0;
  k->max_registers = CUBIN_UNKNOWN;
  k->param_bytes = k->param_base = CUBIN_UNKNOWN;
}

/* An entry `k` has its code in `.text.k`, alone with the local functions merged into it. */
static bool text_is_of(const struct cubin *c, const struct cubin_symbol *s) {
  str name = c->sections[s->section].name;
  return str_starts(name, STR(".text.")) && str_eq(str_drop(name, 6), s->name);
}

static bool find_kernels(struct arena *a, struct cubin *c, struct cubin_error *err) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < c->n_symbols; i++) {
    n += is_entry(&c->symbols[i]);
  }
  if (n > MAX_KERNELS) {
    return cubin_fail(err, 0, "it has more entry points than sections can hold");
  }
  c->kernels = arena_array(a, struct cubin_kernel, n + 1);
  for (uint32_t i = 0; i < c->n_symbols; i++) {
    const struct cubin_symbol *s = &c->symbols[i];
    if (!is_entry(s)) {
      continue;
    }
    if (s->section >= c->n_sections || !text_is_of(c, s)) {
      return cubin_fail(err, 0, "an entry point is not in the section that bears its name");
    }
    kernel_init(&c->kernels[c->n_kernels++], s);
  }
  if (c->n_kernels > 1) {
    qsort(c->kernels, c->n_kernels, sizeof *c->kernels, by_name);
  }
  for (uint32_t i = 1; i < c->n_kernels; i++) {
    if (str_eq(c->kernels[i - 1].name, c->kernels[i].name)) {
      return cubin_fail(err, 0, "two entry points have the same name");
    }
  }
  return true;
}

bool cubin_read_frame(struct arena *a, str image, struct cubin *out, struct cubin_error *err) {
  *out = (struct cubin){.image = image};
  *err = (struct cubin_error){0};
  return read_header(image, out, err) && read_sections(a, out, err);
}

bool cubin_read(struct arena *a, str image, struct cubin *out, struct cubin_error *err) {
  return cubin_read_frame(a, image, out, err) && check_machine(image, err) &&
         check_segments(image, err) && read_symbols(a, out, err) && find_kernels(a, out, err) &&
         cubin_read_info(a, out, err);
}

bool cubin_open(struct diag_sink *s, struct arena *a, str name, str image, struct cubin *out) {
  struct cubin_error err;
  if (cubin_read(a, image, out, &err)) {
    return true;
  }
  struct diag *d = diag_error(s, MD0430, SPAN_NONE, "`%.*s` is not a well-formed cubin: %s",
                              STR_ARG(name), err.what);
  diag_note(d, "at byte %llu of %zu", (unsigned long long)err.offset, image.n);
  return false;
}

const struct cubin_section *cubin_section(const struct cubin *c, str name) {
  for (uint32_t i = 0; i < c->n_sections; i++) {
    if (str_eq(c->sections[i].name, name)) {
      return &c->sections[i];
    }
  }
  return NULL;
}

const struct cubin_kernel *cubin_kernel(const struct cubin *c, str name) {
  size_t lo = 0, hi = c->n_kernels;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    int order = str_cmp(c->kernels[mid].name, name);
    if (order == 0) {
      return &c->kernels[mid];
    }
    if (order < 0) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return NULL;
}
