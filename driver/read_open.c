/* Opens a file for the reader and recognises it by its content. */
#include <elf.h>
#include <string.h>

#include "base/json.h"
#include "base/vec.h"
#include "driver/read.h"
#include "linkers/link_input.h"

const char *read_type_name(enum read_type t) {
  static const char *const names[] = {"bundle", "host file", "cubin",        "LTO-IR",      "PTX",
                                      "fatbin", "archive",   "build record", "prepared MIR"};
  return names[t];
}

static bool open_bundles(struct reader_run *r, struct read_file *f, str bytes) {
  VEC(struct bundle) list = {0};
  str rest = bytes;
  for (bool done = false;;) {
    struct bundle b;
    if (!bundle_next(&r->sink, &r->arena, &rest, str_from(f->path), &b, &done))
      return false;
    if (done)
      break;
    vec_push(&r->arena, &list, b);
  }
  f->bundles = list.p;
  f->n_bundles = list.n;
  return true;
}

/* A bundle file holds one bundle and nothing else. */
static bool open_bundle(struct reader_run *r, struct read_file *f) {
  f->bundles = arena_new(&r->arena, struct bundle);
  f->n_bundles = 1;
  f->type = TYPE_BUNDLE;
  return bundle_open(&r->sink, &r->arena, f->text, str_from(f->path), f->bundles);
}

static bool open_host(struct reader_run *r, struct read_file *f) {
  str section;
  f->type = TYPE_HOST;
  if (!bundle_section_of_elf(&r->sink, f->text, str_from(f->path), &section))
    return false;
  if (section.n > 0)
    return open_bundles(r, f, section);
  struct diag *d =
      diag_error(&r->sink, MD0541, SPAN_NONE, "%s: no section `" BUNDLE_SECTION "`", f->path);
  diag_help(d, "a library's bundle comes into a program only if the program names its crate");
  return false;
}

static bool is_cubin(str bytes) {
  uint16_t machine;
  if (bytes.n < sizeof(Elf64_Ehdr) || memcmp(bytes.p, ELFMAG, SELFMAG) != 0)
    return false;
  memcpy(&machine, bytes.p + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
  return machine == 190; /* EM_CUDA */
}

static bool unknown(struct reader_run *r, const struct read_file *f, const char *found) {
  struct diag *d = diag_error(&r->sink, MD0540, SPAN_NONE, "%s: %s", f->path, found);
  diag_help(d, "give a bundle, a host program, a cubin, LTO-IR, PTX or a build record");
  return false;
}

/* JSON files say in their first member what they are. */
static bool open_json(struct reader_run *r, struct read_file *f) {
  struct json_text t = {f->text, str_from(f->path), &r->sink, MD0540, MD0540};
  struct json_outline o;
  if (!json_scan(&t, &r->arena, NULL, &o))
    return false;
  const struct json_member *m = json_member(&o, STR("schema"));
  str schema = m != NULL ? str_sub(f->text, m->value.lo, m->value.hi) : STR("");
  if (str_eqz(schema, "\"mirdc-record\""))
    f->type = TYPE_RECORD;
  else if (str_eqz(schema, "\"pmir\""))
    f->type = TYPE_PMIR;
  else
    return unknown(r, f, "JSON of an unknown schema");
  return true;
}

static bool open_link_input(struct reader_run *r, struct read_file *f) {
  switch (link_kind_of(f->text)) {
  case LINK_LTOIR:
    f->type = TYPE_LTOIR;
    return true;
  case LINK_PTX:
    f->type = TYPE_PTX;
    return true;
  case LINK_FATBIN:
    f->type = TYPE_FATBIN;
    return true;
  case LINK_ARCHIVE:
    f->type = TYPE_ARCHIVE;
    return true;
  case LINK_CUBIN:
  case LINK_OBJECT:
  case LINK_UNKNOWN:
    break;
  }
  return unknown(r, f, f->text.n == 0 ? "the file is empty" : "nothing that the reader knows");
}

bool read_open(struct reader_run *r, const char *path, struct read_file *out) {
  *out = (struct read_file){.path = path};
  if (!fs_read(&r->sink, path, 0, &out->bytes))
    return false;
  out->text = (str){(const char *)out->bytes.p, out->bytes.n};
  if (bundle_is(out->text))
    return open_bundle(r, out);
  if (is_cubin(out->text)) {
    out->type = TYPE_CUBIN;
    return true;
  }
  if (str_starts(out->text, STR(ELFMAG)))
    return open_host(r, out);
  if (str_starts(str_trim(str_sub(out->text, 0, 64)), STR("{")))
    return open_json(r, out);
  return open_link_input(r, out);
}

void read_close(struct read_file *f) {
  bytes_free(&f->bytes);
}
