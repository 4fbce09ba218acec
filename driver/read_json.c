/* The reader's listing for tools: one JSON object a line for each file. */
#include "base/jsonw.h"
#include "bundles/record.h"
#include "driver/read.h"
#include "linkers/link_input.h"

static void section_json(struct reader_run *r, struct jsonw *w, const struct bundle_section *s) {
  jw_object(w);
  if (s->known)
    jw_kz(w, "kind", payload_kind_name((enum payload_kind)s->kind));
  else
    jw_ku64(w, "kind", s->kind);
  jw_kstr(w, "arch", gpu_arch_str(&r->arena, s->arch));
  jw_ku64(w, "unit", s->unit);
  jw_kstr(w, "name", s->name);
  jw_ku64(w, "offset", s->offset);
  jw_ku64(w, "stored", s->stored);
  jw_ku64(w, "length", s->length);
  jw_kbool(w, "zstd", s->zstd);
  jw_kdigest(w, "sha256", &s->digest);
  jw_end_object(w);
}

static bool bundle_json(struct reader_run *r, struct jsonw *w, const struct bundle *b) {
  str manifest;
  if (!bundle_payload(&r->sink, &r->arena, b, 0, &manifest))
    return false;
  jw_object(w);
  jw_ku64(w, "version", b->version);
  jw_ku64(w, "flags", b->flags);
  jw_ku64(w, "length", b->bytes.n);
  /* It has been read strictly, so it is JSON. */
  jw_key(w, "manifest");
  jw_raw(w, manifest);
  jw_key(w, "sections");
  jw_array(w);
  for (size_t i = 0; i < b->n; i++)
    section_json(r, w, &b->sections[i]);
  jw_end_array(w);
  jw_end_object(w);
  return true;
}

static bool bundles_json(struct reader_run *r, struct jsonw *w, const struct read_file *f) {
  bool ok = true;
  jw_key(w, "bundles");
  jw_array(w);
  for (size_t i = 0; ok && i < f->n_bundles; i++)
    ok = bundle_json(r, w, &f->bundles[i]);
  jw_end_array(w);
  return ok;
}

static bool cubin_json(struct reader_run *r, struct jsonw *w, const struct read_file *f) {
  struct cubin c;
  if (!cubin_open(&r->sink, &r->arena, str_from(f->path), f->text, &c))
    return false;
  jw_kstr(w, "arch", arena_printf(&r->arena, "sm_%u", (unsigned)c.cc));
  jw_key(w, "kernels");
  jw_array(w);
  for (uint32_t i = 0; i < c.n_kernels; i++)
    cubin_kernel_json(w, &c.kernels[i]);
  jw_end_array(w);
  jw_key(w, "sections");
  jw_array(w);
  for (uint32_t i = 1; i < c.n_sections; i++) {
    const struct cubin_section *s = &c.sections[i];
    struct digest d = hash_of(s->data.p, s->data.n);
    jw_object(w);
    jw_kstr(w, "name", s->name);
    jw_ku64(w, "size", s->size);
    jw_kdigest(w, "sha256", &d);
    jw_end_object(w);
  }
  jw_end_array(w);
  return true;
}

/* A record is JSON itself; one that is read strictly can be passed on. It is indented, so it is
 * written again on one line. */
static bool record_json(struct reader_run *r, struct jsonw *w, const struct read_file *f) {
  struct record rec;
  if (!record_read(&r->sink, &r->arena, f->text, str_from(f->path), &rec))
    return false;
  struct strbuf line = {0};
  bool in_string = false;
  for (size_t i = 0; i < f->text.n; i++) {
    char c = f->text.p[i];
    if (in_string && c == '\\') {
      sb_addc(&line, c);
      c = f->text.p[++i];
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == ' ' || c == '\n' || c == '\t' || c == '\r')) {
      continue;
    }
    sb_addc(&line, c);
  }
  jw_key(w, "record");
  jw_raw(w, sb_str(&line));
  sb_free(&line);
  return true;
}

static bool body_json(struct reader_run *r, struct jsonw *w, const struct read_file *f) {
  struct target t;
  switch (f->type) {
  case TYPE_BUNDLE:
  case TYPE_HOST:
    return bundles_json(r, w, f);
  case TYPE_CUBIN:
    return cubin_json(r, w, f);
  case TYPE_RECORD:
    return record_json(r, w, f);
  case TYPE_LTOIR:
  case TYPE_PTX:
  case TYPE_FATBIN:
  case TYPE_ARCHIVE:
    if (link_input_arch(link_kind_of(f->text), f->text, &t))
      jw_kz(w, "arch", target_sm(t).z);
    return true;
  case TYPE_PMIR:
    break;
  }
  return true;
}

bool read_show_json(struct reader_run *r, const struct read_file *f) {
  struct jsonw w;
  struct digest d = hash_of(f->text.p, f->text.n);
  jw_init(&w, false);
  jw_object(&w);
  jw_kstr(&w, "file", str_from(f->path));
  jw_kz(&w, "type", read_type_name(f->type));
  jw_ku64(&w, "size", f->text.n);
  jw_kdigest(&w, "sha256", &d);
  bool ok = body_json(r, &w, f);
  if (ok) {
    jw_end_object(&w);
    sb_add(&r->out, sb_str(&w.out));
    sb_addc(&r->out, '\n');
  }
  jw_free(&w);
  return ok;
}
