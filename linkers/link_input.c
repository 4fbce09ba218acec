/* Recognises link inputs and reads what their headers say. */
#include "linkers/link_input.h"

#include <string.h>

#include "linkers/cubin_impl.h"

enum {
  LTOIR_MAGIC = 0x7f4e43ed,
  LTOIR_HEADER = 24,
  LTOIR_ARCH = 1,        /* ten times the capability */
  LTOIR_SPECIFIC = 0x20, /* 1: made for an `a` target */
  LTOIR_END = 0x63,
  FATBIN_MAGIC = (int)0xba55ed50,
  FATBIN_HEADER = 16,
  FATBIN_ENTRY = 64,
  FATBIN_PTX = 1,
  FATBIN_ELF = 2,
  FATBIN_LTOIR = 8,
  FATBIN_FLAG_A = 1 << 20,
  FATBIN_FLAG_F = 1 << 21,
  AR_HEADER = 60,
  EM_CUDA = 190,
  ELF_RELOCATABLE = 1,
};

const char *link_kind_name(enum link_kind k) {
  static const char *const names[] = {"unknown", "LTO-IR", "PTX",    "cubin",
                                      "fatbin",  "object", "archive"};
  return names[k];
}

/* PTX starts with `.version`, after comments and white space. */
static bool looks_like_ptx(str s) {
  for (;;) {
    s = str_trim(s);
    if (str_starts(s, STR("//"))) {
      size_t end = str_find_char(s, '\n', 0);
      s = str_drop(s, end == SIZE_MAX ? s.n : end);
    } else if (str_starts(s, STR("/*"))) {
      size_t end = str_find(s, STR("*/"), 2);
      s = str_drop(s, end == SIZE_MAX ? s.n : end + 2);
    } else {
      return str_starts(s, STR(".version"));
    }
  }
}

enum link_kind link_kind_of(str b) {
  if (b.n >= 4 && cubin_u32(b.p) == LTOIR_MAGIC) {
    return LINK_LTOIR;
  }
  if (b.n >= 4 && cubin_u32(b.p) == (uint32_t)FATBIN_MAGIC) {
    return LINK_FATBIN;
  }
  if (b.n >= 20 && memcmp(b.p,
                          "\x7f"
                          "ELF",
                          4) == 0) {
    return cubin_u16(b.p + 18) == EM_CUDA ? LINK_CUBIN : LINK_OBJECT;
  }
  if (str_starts(b, STR("!<arch>\n"))) {
    return LINK_ARCHIVE;
  }
  return looks_like_ptx(str_sub(b, 0, 1 << 16)) ? LINK_PTX : LINK_UNKNOWN;
}

/* The container: magic, versions, header size, end of the arguments, then pairs of 16-bit tag and
 * value up to the end tag, then the payload. */
static bool ltoir_args(str b, struct target *out) {
  *out = (struct target){0};
  if (b.n < LTOIR_HEADER + 8 || cubin_u32(b.p) != LTOIR_MAGIC ||
      cubin_u16(b.p + 12) != LTOIR_HEADER) {
    return false;
  }
  uint32_t end = cubin_u32(b.p + 16);
  if (end < LTOIR_HEADER || end > b.n || end - LTOIR_HEADER > 4096) {
    return false;
  }
  for (uint32_t at = LTOIR_HEADER; at + 4 <= end; at += 4) {
    uint16_t tag = cubin_u16(b.p + at), value = cubin_u16(b.p + at + 2);
    if (tag == LTOIR_END) {
      return out->cc != 0;
    }
    if (tag == LTOIR_ARCH) {
      out->cc = value / 10;
    } else if (tag == LTOIR_SPECIFIC && value == 1) {
      out->suffix = 'a';
    }
  }
  return false;
}

bool ltoir_well_formed(str b) {
  struct target t;
  return ltoir_args(b, &t) && b.n - cubin_u32(b.p + 16) >= 64;
}

static bool ptx_arch(str text, struct target *out) {
  str line;
  text = str_sub(text, 0, 1 << 16);
  while (str_next_line(&text, &line)) {
    line = str_trim(line);
    if (!str_starts(line, STR(".target"))) {
      continue;
    }
    str name = str_trim(str_drop(line, 7));
    size_t n = 0;
    while (n < name.n && name.p[n] != ',' && name.p[n] != ' ' && name.p[n] != '\t') {
      n++;
    }
    return target_parse(str_sub(name, 0, n), out);
  }
  return false;
}

bool link_input_arch(enum link_kind kind, str b, struct target *out) {
  *out = (struct target){0};
  if (kind == LINK_LTOIR) {
    return ltoir_args(b, out);
  }
  if (kind == LINK_PTX) {
    return ptx_arch(b, out);
  }
  if (kind != LINK_CUBIN || b.n < 52) {
    return false;
  }
  uint32_t flags = cubin_u32(b.p + 48);
  out->cc = (uint16_t)((uint8_t)b.p[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff);
  return out->cc != 0;
}

bool cubin_is_finished(str b) {
  return link_kind_of(b) == LINK_CUBIN && cubin_u16(b.p + 16) != ELF_RELOCATABLE;
}

static void offer(struct link_offer *o, uint16_t kind, struct target t, struct target dst,
                  bool finished) {
  enum code_kind code = kind == FATBIN_ELF ? CODE_SASS : kind == FATBIN_PTX ? CODE_PTX : CODE_LTOIR;
  o->any = true;
  o->one = t;
  if (target_pair_refusal(code, t, dst) != NULL) {
    return;
  }
  if (finished) {
    o->finished = true;
  } else {
    o->fits = true;
    o->lto = o->lto || kind == FATBIN_LTOIR;
  }
}

/* One fatbin off the front. */
static bool read_fatbin(str *rest, struct target dst, bool finished, struct link_offer *o,
                        const char **what) {
  *what = "a fatbin inside is damaged";
  if (rest->n < FATBIN_HEADER || cubin_u16(rest->p + 6) != FATBIN_HEADER) {
    return false;
  }
  uint64_t size = cubin_u64(rest->p + 8);
  *rest = str_drop(*rest, FATBIN_HEADER);
  if (size > rest->n) {
    return false;
  }
  str body = str_sub(*rest, 0, (size_t)size);
  *rest = str_drop(*rest, (size_t)size);
  while (body.n >= FATBIN_ENTRY) {
    uint16_t kind = cubin_u16(body.p);
    uint32_t header = cubin_u32(body.p + 4);
    uint64_t payload = cubin_u64(body.p + 8);
    if (header < FATBIN_ENTRY || header > body.n || payload > body.n - header) {
      return false;
    }
    uint64_t flags = cubin_u64(body.p + 40);
    struct target t = {(uint16_t)cubin_u32(body.p + 28), flags & FATBIN_FLAG_A   ? 'a'
                                                         : flags & FATBIN_FLAG_F ? 'f'
                                                                                 : 0};
    if (kind == FATBIN_PTX || kind == FATBIN_ELF || kind == FATBIN_LTOIR) {
      str code = str_sub(body, header, header + (size_t)payload);
      offer(o, kind, t, dst, finished || cubin_is_finished(code));
    }
    body = str_drop(body, header + (size_t)payload);
  }
  return body.n == 0;
}

/* Fatbins of a section start at multiples of eight; between them is padding. */
static bool read_fatbins(str rest, struct target dst, bool finished, struct link_offer *o,
                         const char **what) {
  while (rest.n >= 8) {
    if (cubin_u32(rest.p) != (uint32_t)FATBIN_MAGIC) {
      rest = str_drop(rest, 8);
    } else if (!read_fatbin(&rest, dst, finished, o, what)) {
      return false;
    }
  }
  return true;
}

static bool read_object(struct arena *a, str image, struct target dst, struct link_offer *o,
                        const char **what) {
  struct cubin frame;
  struct cubin_error err;
  if (!cubin_read_frame(a, image, &frame, &err)) {
    *what = err.what;
    return false;
  }
  for (uint32_t i = 0; i < frame.n_sections; i++) {
    /* Code for a later device link is in a section of its own. */
    bool finished = str_eq(frame.sections[i].name, STR(".nv_fatbin"));
    bool device = finished || str_eq(frame.sections[i].name, STR("__nv_relfatbin"));
    if (device && !read_fatbins(frame.sections[i].data, dst, finished, o, what)) {
      return false;
    }
  }
  return true;
}

struct ar_member {
  str header, name, body;
};

/* One member off the front, padding included. */
static bool next_member(str *rest, struct ar_member *m, const char **what) {
  *what = "a member's header is damaged";
  if (rest->n < AR_HEADER || rest->p[58] != '`' || rest->p[59] != '\n') {
    return false;
  }
  uint64_t size;
  if (!str_to_u64(str_trim((str){rest->p + 48, 10}), &size)) {
    return false;
  }
  if (size > rest->n - AR_HEADER) {
    *what = "a member is longer than the archive";
    return false;
  }
  m->header = str_sub(*rest, 0, AR_HEADER);
  m->name = str_trim((str){rest->p, 16});
  m->body = (str){rest->p + AR_HEADER, (size_t)size};
  size_t whole = AR_HEADER + (size_t)size;
  *rest = str_drop(*rest, whole + (whole & 1));
  return true;
}

/* What one member offers; members that are no objects offer nothing. */
static bool member_offer(struct arena *a, const struct ar_member *m, struct target dst,
                         struct link_offer *o, const char **what) {
  enum link_kind kind = link_kind_of(m->body);
  if (m->name.n > 0 && m->name.p[0] == '/' && (m->name.n == 1 || m->name.p[1] == '/')) {
    return true;
  }
  if (kind == LINK_LTOIR || kind == LINK_PTX || kind == LINK_FATBIN || kind == LINK_CUBIN) {
    *what = "a member is bare device code, which the linker would skip";
    return false;
  }
  return kind == LINK_OBJECT ? read_object(a, m->body, dst, o, what) : true;
}

static bool read_archive(struct arena *a, str image, struct target dst, struct link_offer *o,
                         const char **what) {
  str rest = str_drop(image, 8);
  struct ar_member m;
  while (rest.n > 0) {
    if (!next_member(&rest, &m, what) || !member_offer(a, &m, dst, o, what)) {
      return false;
    }
  }
  return true;
}

bool link_offer_of(struct arena *a, enum link_kind kind, str bytes, struct target dst,
                   struct link_offer *out, const char **what) {
  *out = (struct link_offer){0};
  *what = "";
  switch (kind) {
  case LINK_FATBIN:
    return read_fatbins(bytes, dst, false, out, what);
  case LINK_OBJECT:
    return read_object(a, bytes, dst, out, what);
  case LINK_ARCHIVE:
    return read_archive(a, bytes, dst, out, what);
  default:
    *out = (struct link_offer){.any = true, .lto = kind == LINK_LTOIR, .fits = true};
    return true;
  }
}

bool archive_device_part(struct arena *a, str bytes, str *out, const char **what) {
  struct strbuf kept = {0};
  bool dropped = false, ok = true;
  str rest = str_drop(bytes, 8);
  sb_add(&kept, STR("!<arch>\n"));
  while (ok && rest.n > 0) {
    struct ar_member m;
    struct link_offer o = {0};
    ok = next_member(&rest, &m, what) && member_offer(a, &m, (struct target){0}, &o, what);
    if (!ok) {
      break;
    }
    /* The table of long names stays, the symbol index would be stale. */
    bool names = str_eq(m.name, STR("//"));
    if (!o.any && !names) {
      dropped = dropped || !str_eq(m.name, STR("/"));
      continue;
    }
    sb_add(&kept, m.header);
    sb_add(&kept, m.body);
    if (m.body.n & 1) {
      sb_addc(&kept, '\n');
    }
  }
  *out = ok && dropped ? arena_str(a, sb_str(&kept)) : bytes;
  sb_free(&kept);
  return ok;
}
