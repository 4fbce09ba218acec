/* The reader's listing for people. All text out of files is made visible first. */
#include <inttypes.h>

#include "bundles/record.h"
#include "driver/read.h"
#include "driver/session.h"
#include "linkers/link_input.h"

/* A line break would let a name pass for a row of the listing. */
void read_add_name(struct strbuf *out, str text) {
  while (text.n > 0) {
    size_t n = 0;
    while (n < text.n && text.p[n] != '\n' && text.p[n] != '\t')
      n++;
    sb_add_visible(out, str_sub(text, 0, n));
    if (n < text.n)
      sb_addf(out, "\\u{%x}", (unsigned)text.p[n++]);
    text = str_drop(text, n);
  }
}

static void row(struct strbuf *o, const char *label) {
  sb_addf(o, "  %-10s ", label);
}

static void arch_text(struct strbuf *o, struct gpu_arch a) {
  sb_addf(o, "sm_%u", (unsigned)a.number);
  if (a.suffix != 0)
    sb_addc(o, a.suffix);
}

static void unit_text(struct strbuf *o, const struct manifest *m) {
  row(o, "unit");
  if (m->package.n > 0) {
    read_add_name(o, m->package);
    sb_addc(o, ' ');
  }
  read_add_name(o, m->kind);
  sb_addz(o, " `");
  read_add_name(o, m->target);
  sb_addz(o, "`");
  if (m->profile.n > 0) {
    sb_addz(o, ", profile ");
    read_add_name(o, m->profile);
  }
  sb_addc(o, '\n');
}

static void policy_text(struct strbuf *o, const struct policy *p) {
  static const char *const debug[] = {"", ", line tables", ", full debug information"};
  row(o, "policy");
  sb_addf(o, "fmad %s, -O%u%s", p->fmad ? "on" : "off", p->opt, debug[p->debug]);
  if (p->overflow_checks)
    sb_addz(o, ", overflow checks");
  if (p->debug_assertions)
    sb_addz(o, ", debug assertions");
  if (p->trap_info)
    sb_addz(o, ", trap places");
  if (p->max_registers > 0)
    sb_addf(o, ", at most %u registers", p->max_registers);
  sb_addc(o, '\n');
}

static void comma(struct strbuf *o, size_t start) {
  if (o->n > start)
    sb_addz(o, ", ");
}

static void launch_text(struct strbuf *o, const struct launch_facts *f) {
  if (f->flags == 0)
    return;
  sb_addf(o, "    %-10s ", "launch");
  size_t start = o->n;
  if ((f->flags & LAUNCH_BLOCK) != 0)
    sb_addf(o, "block %u,%u,%u exact", f->block[0], f->block[1], f->block[2]);
  if ((f->flags & LAUNCH_MAX_BLOCK) != 0) {
    comma(o, start);
    sb_addf(o, "at most %u threads", f->max_block);
  }
  if ((f->flags & LAUNCH_MIN_BLOCKS) != 0) {
    comma(o, start);
    sb_addf(o, "at least %u blocks resident", f->min_blocks);
  }
  if ((f->flags & LAUNCH_CLUSTER) != 0) {
    comma(o, start);
    sb_addf(o, "cluster %u,%u,%u", f->cluster[0], f->cluster[1], f->cluster[2]);
  }
  if ((f->flags & LAUNCH_DYN_SHARED) != 0) {
    comma(o, start);
    sb_addf(o, "dynamic shared %" PRIu64 " bytes, aligned to %u", f->dyn_shared,
            f->dyn_shared_align);
  }
  sb_addc(o, '\n');
}

static void param_text(struct strbuf *o, const struct manifest_param *p) {
  sb_addf(o, "    %-10s ", "param");
  read_add_name(o, p->name);
  sb_addz(o, ": ");
  read_add_name(o, p->label);
  sb_addf(o, "  %s, size %" PRIu64 ", align %" PRIu64 ", offset %" PRIu64 "\n",
          param_kind_name(p->kind), p->size, p->align, p->offset);
  for (size_t i = 0; i < p->n_fields; i++) {
    const struct manifest_field *f = &p->fields[i];
    sb_addz(o, "               .");
    read_add_name(o, f->name);
    sb_addf(o, "  size %" PRIu64 ", align %" PRIu64 ", offset %" PRIu64 "\n", f->size, f->align,
            f->offset);
  }
}

static void resources_text(struct strbuf *o, const struct manifest_resources *r) {
  struct strbuf name = {0};
  arch_text(&name, r->arch);
  sb_addf(o, "    %-10s ", sb_z(&name));
  sb_free(&name);
  sb_addf(o,
          "registers %" PRIu64 ", stack %" PRIu64 ", spill stores %" PRIu64 ", spill loads %" PRIu64
          ", shared %" PRIu64 ", const %" PRIu64 ", code %" PRIu64 ", link unit %u\n",
          r->registers, r->stack, r->spill_stores, r->spill_loads, r->shared, r->constant, r->code,
          r->unit);
}

static void kernel_text(struct strbuf *o, const struct manifest_kernel *k) {
  row(o, "kernel");
  read_add_name(o, k->name);
  if (k->path.n > 0) {
    sb_addz(o, "  (");
    read_add_name(o, k->path);
    sb_addc(o, ')');
  }
  sb_addc(o, '\n');
  launch_text(o, &k->launch);
  for (size_t i = 0; i < k->n_params; i++)
    param_text(o, &k->params[i]);
  for (size_t i = 0; i < k->n_resources; i++)
    resources_text(o, &k->resources[i]);
}

static void global_text(struct strbuf *o, const struct manifest_global *g) {
  row(o, "global");
  read_add_name(o, g->name);
  sb_addf(o, "  %s, size %" PRIu64 ", align %" PRIu64 "\n",
          g->space == SPACE_CONST ? "constant" : "global", g->size, g->align);
}

static void trap_text(struct strbuf *o, const struct manifest_trap *t) {
  row(o, "trap");
  sb_addf(o, "%u  ", t->code);
  read_add_name(o, t->file);
  sb_addf(o, ":%u:%u  ", t->line, t->col);
  read_add_name(o, t->message);
  sb_addc(o, '\n');
}

static void section_text(struct strbuf *o, const struct bundle_section *s) {
  row(o, "payload");
  if (s->known)
    sb_addf(o, "%-8s", payload_kind_name((enum payload_kind)s->kind));
  else
    sb_addf(o, "kind %u", s->kind);
  if (s->arch.number != 0) {
    sb_addc(o, ' ');
    arch_text(o, s->arch);
    sb_addf(o, " unit %u", s->unit);
  }
  sb_addz(o, "  ");
  sb_add_size(o, s->length);
  if (s->zstd) {
    sb_addz(o, ", packed to ");
    sb_add_size(o, s->stored);
  }
  if (s->name.n > 0) {
    sb_addz(o, "  ");
    read_add_name(o, s->name);
  }
  sb_addc(o, '\n');
}

static void digest_row(struct strbuf *o, const char *label, str name, str version,
                       const struct digest *d) {
  char hex[65];
  digest_hex(d, hex);
  row(o, label);
  read_add_name(o, name);
  if (version.n > 0) {
    sb_addc(o, ' ');
    read_add_name(o, version);
  }
  sb_addf(o, "  sha256 %s\n", hex);
}

static void bundle_text(struct strbuf *o, const struct bundle *b) {
  const struct manifest *m = &b->manifest;
  sb_addf(o, "bundle version %u, ", b->version);
  sb_add_size(o, b->bytes.n);
  sb_addf(o, ", %zu kernel%s\n", m->n_kernels, m->n_kernels == 1 ? "" : "s");
  unit_text(o, m);
  policy_text(o, &m->policy);
  for (size_t i = 0; i < m->n_kernels; i++)
    kernel_text(o, &m->kernels[i]);
  for (size_t i = 0; i < m->n_globals; i++)
    global_text(o, &m->globals[i]);
  for (size_t i = 0; i < m->n_traps; i++)
    trap_text(o, &m->traps[i]);
  for (size_t i = 0; i < b->n; i++)
    section_text(o, &b->sections[i]);
  for (size_t i = 0; i < m->n_tools; i++)
    digest_row(o, "tool", m->tools[i].name, m->tools[i].version, &m->tools[i].digest);
  for (size_t i = 0; i < m->n_sources; i++)
    digest_row(o, "source", m->sources[i].path, STR(""), &m->sources[i].digest);
}

static bool cubin_text(struct reader_run *r, const struct read_file *f) {
  struct cubin c;
  if (!cubin_open(&r->sink, &r->arena, str_from(f->path), f->text, &c))
    return false;
  sb_addf(&r->out, "cubin for sm_%u, ", (unsigned)c.cc);
  sb_add_size(&r->out, f->text.n);
  sb_addf(&r->out, ", %u kernel%s\n", c.n_kernels, c.n_kernels == 1 ? "" : "s");
  for (uint32_t i = 0; i < c.n_kernels; i++) {
    row(&r->out, "kernel");
    read_add_name(&r->out, c.kernels[i].name);
    sb_addz(&r->out, "  ");
    cubin_kernel_text(&r->out, &c.kernels[i]);
    sb_addc(&r->out, '\n');
  }
  for (uint32_t i = 1; i < c.n_sections; i++) {
    row(&r->out, "section");
    read_add_name(&r->out, c.sections[i].name);
    sb_addf(&r->out, "  %" PRIu64 " bytes\n", c.sections[i].size);
  }
  return true;
}

static bool record_text(struct reader_run *r, const struct read_file *f) {
  struct record rec;
  struct strbuf *o = &r->out;
  if (!record_read(&r->sink, &r->arena, f->text, str_from(f->path), &rec))
    return false;
  sb_addf(o, "build record, %zu inputs, %zu outputs\n", rec.n_inputs, rec.n_outputs);
  struct manifest m = {
      .package = rec.package, .kind = rec.kind, .target = rec.target, .profile = rec.profile};
  unit_text(o, &m);
  for (size_t i = 0; i < rec.n_inputs; i++)
    digest_row(o, "input", rec.inputs[i].role, rec.inputs[i].name, &rec.inputs[i].digest);
  for (size_t i = 0; i < rec.n_options; i++) {
    row(o, "option");
    read_add_name(o, rec.options[i].name);
    sb_addz(o, " = ");
    read_add_name(o, rec.options[i].value);
    sb_addc(o, '\n');
  }
  for (size_t i = 0; i < rec.n_tools; i++)
    digest_row(o, "tool", rec.tools[i].name, rec.tools[i].version, &rec.tools[i].digest);
  for (size_t i = 0; i < rec.n_outputs; i++)
    digest_row(o, "output", rec.outputs[i].kind, rec.outputs[i].name, &rec.outputs[i].digest);
  return true;
}

static bool code_text(struct reader_run *r, const struct read_file *f) {
  struct strbuf *o = &r->out;
  struct target t;
  enum link_kind kind = link_kind_of(f->text);
  sb_addz(o, read_type_name(f->type));
  if (link_input_arch(kind, f->text, &t))
    sb_addf(o, " for %s", target_sm(t).z);
  sb_addz(o, ", ");
  sb_add_size(o, f->text.n);
  sb_addc(o, '\n');
  if (f->type != TYPE_LTOIR || ltoir_well_formed(f->text))
    return true;
  diag_error(&r->sink, MD0540, SPAN_NONE, "%s: LTO-IR with a damaged header", f->path);
  return false;
}

bool read_show_text(struct reader_run *r, const struct read_file *f) {
  struct strbuf *o = &r->out;
  bool ok = true;
  size_t start = o->n;
  read_add_name(o, str_from(f->path));
  sb_addz(o, ": ");
  switch (f->type) {
  case TYPE_BUNDLE:
    bundle_text(o, &f->bundles[0]);
    break;
  case TYPE_HOST:
    sb_addf(o, "host file with %zu embedded bundle%s\n", f->n_bundles,
            f->n_bundles == 1 ? "" : "s");
    for (size_t i = 0; i < f->n_bundles; i++)
      bundle_text(o, &f->bundles[i]);
    break;
  case TYPE_CUBIN:
    ok = cubin_text(r, f);
    break;
  case TYPE_RECORD:
    ok = record_text(r, f);
    break;
  case TYPE_LTOIR:
  case TYPE_PTX:
  case TYPE_FATBIN:
  case TYPE_ARCHIVE:
  case TYPE_PMIR:
    ok = code_text(r, f);
    break;
  }
  if (!ok)
    o->n = start;
  return ok;
}
