/* Files: each artifact under its name, staged first and renamed together, the record last. */
#include <stdio.h>
#include <string.h>

#include "base/ending.h"
#include "base/jsonw.h"
#include "bundles/bundle.h"
#include "bundles/record.h"
#include "driver/compile_native.h"

struct output {
  enum artifact_kind kind;
  str arch;
  struct artifact_place place;
  str data;
};
struct outputs {
  VEC(struct output) list;
};

enum artifact_kind compile_main_kind(const struct compile *c, const char *path) {
  static const struct {
    const char *end;
    enum artifact_kind kind;
  } ends[] = {{".pmir.json", ART_PMIR}, {".nvvm.ll", ART_NVVM},      {".ll", ART_LLVM},
              {".ltoir", ART_LTOIR},    {".ptx", ART_PTX},           {".cubin", ART_CUBIN},
              {".mirdc", ART_BUNDLE},   {".record.json", ART_RECORD}};
  enum artifact_kind only = ART_BUNDLE;
  size_t emitted = 0;
  for (size_t i = 0; i < COUNT_OF(ends); i++) {
    if (str_ends(str_from(path), str_from(ends[i].end)))
      return ends[i].kind;
    if (!c->emit[ends[i].kind] || ends[i].kind == ART_RECORD)
      continue;
    only = ends[i].kind;
    emitted++;
  }
  return emitted == 1 ? only : ART_BUNDLE;
}

bool compile_place(struct compile *c, enum artifact_kind k, str arch, uint32_t unit,
                   struct artifact_place *out) {
  struct diag_sink *s = &c->s->sink;
  const char *path = option_value(&c->s->options, OPT_OUTPUT, NULL);
  struct artifact_part part = {k, arch, c->units.n > 1, unit};
  return path ? artifact_place_beside(s, c->arena, path, compile_main_kind(c, path), part, out)
              : artifact_place(s, c->arena, option_value(&c->s->options, OPT_OUT_DIR, "."),
                               &c->unit, part, out);
}

static bool add(struct compile *c, struct outputs *o, enum artifact_kind k, struct target arch,
                uint32_t unit, str data) {
  struct output out = {.kind = k, .data = data};
  if (arch.cc)
    out.arch = arena_str(c->arena, str_from(target_sm(arch).z));
  if (!compile_place(c, k, out.arch, unit, &out.place))
    return false;
  vec_push(c->arena, &o->list, out);
  return true;
}

static str view(const struct bytes *b) {
  return (str){(const char *)b->p, b->n};
}

static bool add_unit_files(struct compile *c, struct outputs *o, struct built_unit *u) {
  struct target lowest = c->archs[0];
  bool ok = true;
  if (c->emit[ART_LLVM])
    ok = ok && add(c, o, ART_LLVM, lowest, u->number, u->lowered.llvm);
  if (c->emit[ART_NVVM])
    ok = ok && add(c, o, ART_NVVM, lowest, u->number, u->lowered.nvvm);
  if (c->emit[ART_LTOIR])
    ok = ok && add(c, o, ART_LTOIR, lowest, u->number, view(&u->ltoir));
  for (size_t i = 0; ok && i < c->n_archs; i++) {
    if (c->emit[ART_CUBIN])
      ok = add(c, o, ART_CUBIN, c->archs[i], u->number, view(&u->cubins[i].bytes));
    if (ok && c->emit[ART_PTX])
      ok = add(c, o, ART_PTX, c->archs[i], u->number, view(&u->ptxs[i].bytes));
  }
  return ok;
}

static bool add_bundle(struct compile *c, struct outputs *o, struct strbuf *out) {
  VEC(struct bundle_input) in = {0};
  for (uint32_t n = 0; n < c->units.n; n++) {
    struct built_unit *u = &c->built[n];
    struct bundle_input lto = {.kind = PAYLOAD_LTOIR,
                               .arch = arena_str(c->arena, str_from(target_sm(c->archs[0]).z)),
                               .unit = n,
                               .bytes = view(&u->ltoir)};
    vec_push(c->arena, &in, lto);
    for (size_t i = 0; i < c->n_archs; i++) {
      struct bundle_input cubin = {.kind = PAYLOAD_CUBIN,
                                   .arch = arena_str(c->arena, str_from(target_sm(c->archs[i]).z)),
                                   .unit = n,
                                   .bytes = view(&u->cubins[i].bytes)};
      vec_push(c->arena, &in, cubin);
    }
  }
  if (option_given(&c->s->options, OPT_EMBED))
    vec_push(c->arena, &in,
             ((struct bundle_input){.kind = PAYLOAD_PMIR, .bytes = view(&c->dump)}));
  return bundle_write(&c->s->sink, compile_manifest(c), in.p, in.n, out) &&
         add(c, o, ART_BUNDLE, (struct target){0}, 0, sb_str(out));
}

static void record_inputs(struct compile *c, struct record *r) {
  struct include_closure headers;
  compile_native_headers(c, &headers);
  r->inputs =
      arena_array(c->arena, struct record_input, 2 + c->m->n_files + c->n_externs + headers.n);
  r->inputs[r->n_inputs++] = (struct record_input){
      .role = STR("pmir"),
      .name = arena_printf(c->arena, "%.*s.pmir.json", STR_ARG(c->unit.target)),
      .size = c->dump.n,
      .digest = c->dump_digest};
  if (c->foreign_size)
    r->inputs[r->n_inputs++] = (struct record_input){
        .role = STR("smir"),
        .name = arena_printf(c->arena, "%.*s.smir.json", STR_ARG(c->unit.target)),
        .size = c->foreign_size,
        .digest = c->foreign_digest};
  for (uint32_t i = 0; i < c->m->n_files; i++) {
    struct digest d;
    if (c->m->files[i].sha256.n && digest_from_hex(c->m->files[i].sha256, &d))
      r->inputs[r->n_inputs++] =
          (struct record_input){.role = STR("source"), .name = c->m->files[i].path, .digest = d};
  }
  for (size_t i = 0; i < headers.n; i++)
    r->inputs[r->n_inputs++] = (struct record_input){.role = STR("header"),
                                                     .name = headers.files[i]->name,
                                                     .size = headers.files[i]->size,
                                                     .digest = headers.files[i]->digest};
  for (size_t i = 0; i < c->n_externs; i++)
    r->inputs[r->n_inputs++] = (struct record_input){.role = STR("extern-lto"),
                                                     .order = (uint32_t)i + 1,
                                                     .name = path_base(c->externs[i].path),
                                                     .size = c->externs[i].bytes.n,
                                                     .digest = c->externs[i].digest};
}

static void record_options(struct compile *c, struct record *r) {
  struct strbuf archs = {0};
  for (size_t i = 0; i < c->n_archs; i++)
    sb_addf(&archs, "%s%s", i ? "," : "", target_sm(c->archs[i]).z);
  static const str word[] = {{"off", 3}, {"on", 2}};
  struct record_option list[] = {
      {STR("arch"), arena_str(c->arena, sb_str(&archs))},
      {STR("debug"), word[c->debug]},
      {STR("embed-dump"), word[option_given(&c->s->options, OPT_EMBED)]},
      {STR("fmad"), word[c->fmad]},
      {STR("line-info"), word[c->line_info]},
      {STR("max-registers"), arena_printf(c->arena, "%u", c->max_registers)},
      {STR("opt-level"), arena_printf(c->arena, "%u", c->opt)},
      {STR("trap-info"), word[c->trap_info]},
  };
  sb_free(&archs);
  r->options = arena_array(c->arena, struct record_option, COUNT_OF(list));
  memcpy(r->options, list, sizeof list);
  r->n_options = COUNT_OF(list);
}

static void record_tools(struct compile *c, struct record *r) {
  str cuda = cuda_toolkit_version(c->cuda);
  struct record_tool list[] = {
      {STR("libnvvm"), cuda, c->nvvm_digest},
      {STR("libdevice"), cuda, c->libdevice_digest},
      {STR("libnvJitLink"), cuda, c->nvjitlink_digest},
      {STR("mirdc"), STR(MIRDC_VERSION), hash_of(MIRDC_VERSION, strlen(MIRDC_VERSION))},
      {STR("rustc"), c->m->rustc, hash_of(c->m->rustc.p, c->m->rustc.n)},
  };
  r->tools = arena_array(c->arena, struct record_tool, COUNT_OF(list) + 1);
  memcpy(r->tools, list, sizeof list);
  r->n_tools = COUNT_OF(list);
  if (compile_native_compiler(c))
    r->tools[r->n_tools++] = (struct record_tool){STR("NVRTC"), cuda, *compile_native_compiler(c)};
}

static bool add_record(struct compile *c, struct outputs *o, struct strbuf *out) {
  struct record r = {.package = c->unit.package,
                     .kind = str_from(unit_kind_name(c->unit.kind)),
                     .target = c->unit.target,
                     .profile = c->unit.profile};
  record_inputs(c, &r);
  record_options(c, &r);
  record_tools(c, &r);
  r.outputs = arena_array(c->arena, struct record_output, o->list.n);
  for (size_t i = 0; i < o->list.n; i++) {
    const struct output *f = &o->list.p[i];
    r.outputs[r.n_outputs++] = (struct record_output){.kind = str_from(artifact_kind_name(f->kind)),
                                                      .arch = f->arch,
                                                      .name = str_from(f->place.file),
                                                      .size = f->data.n,
                                                      .digest = hash_of(f->data.p, f->data.n)};
  }
  return record_write(&c->s->sink, &r, out) &&
         add(c, o, ART_RECORD, (struct target){0}, 0, sb_str(out));
}

/* An output may be no input, however it is reached. */
static bool no_overlap(struct compile *c, const struct outputs *o) {
  for (size_t i = 0; i < o->list.n; i++) {
    const char *out = o->list.p[i].place.path;
    const char *hit = fs_same_file(out, c->input) ? c->input : NULL;
    for (size_t k = 0; !hit && k < c->n_externs; k++)
      if (fs_same_file(out, c->externs[k].path.p))
        hit = c->externs[k].path.p;
    if (!hit)
      continue;
    struct diag *d =
        diag_error(&c->s->sink, MD0016, SPAN_NONE, "the output `%s` is the input `%s`", out, hit);
    diag_help(d, "choose another folder with --out-dir, or another name with -o or --target-name");
    return false;
  }
  return true;
}

/* With the outputs' own digests, so that whoever reads the list can tell that they are still these. */
static bool stage_list(struct compile *c, const struct outputs *o, struct fs_stage *st) {
  const char *path = option_value(&c->s->options, OPT_DEPENDS, NULL);
  struct depends d = {0};
  if (!path)
    return true;
  depends_self(&d);
  cuda_list(c->cuda, &d);
  for (size_t i = 0; i < c->n_externs; i++)
    depends_content(&d, c->externs[i].path.p, &c->externs[i].digest);
  compile_native_list(c, &d);
  for (size_t i = 0; i < o->list.n; i++) {
    struct digest made = hash_of(o->list.p[i].data.p, o->list.p[i].data.n);
    depends_made(&d, o->list.p[i].place.path, &made);
  }
  bool ok = fs_stage_file(st, &c->s->sink, path, sb_str(&d.text));
  depends_free(&d);
  return ok;
}

static bool publish(struct compile *c, const struct outputs *o) {
  struct diag_sink *s = &c->s->sink;
  struct fs_stage *st = fs_stage_new();
  bool ok = true;
  for (size_t i = 0; ok && i < o->list.n; i++) {
    const struct artifact_place *p = &o->list.p[i].place;
    ok = fs_mkdirs(s, p->dir) && fs_stage_file(st, s, p->path, o->list.p[i].data);
  }
  /* Last: the stage locks the folder of its first file. */
  ok = ok && stage_list(c, o, st) && ending_settle(s) && fs_publish(st, s);
  fs_stage_free(st);
  return ok;
}

static bool add_dump_and_units(struct compile *c, struct outputs *o) {
  bool ok = true;
  if (c->emit[ART_PMIR])
    ok = add(c, o, ART_PMIR, (struct target){0}, 0, view(&c->dump));
  for (uint32_t n = 0; ok && n < c->units.n; n++)
    ok = add_unit_files(c, o, &c->built[n]);
  return ok;
}

static void show_plan(struct compile *c, const struct outputs *o) {
  for (uint32_t n = 0; c->m && n < c->units.n; n++) {
    struct strbuf b = {0};
    for (uint32_t i = 0; i < c->units.n_kernels[n]; i++) {
      sb_addz(&b, i ? ", `" : "`");
      sb_add_visible(&b, c->m->kernels[c->units.kernels[n][i]].name);
      sb_addc(&b, '`');
    }
    session_say(c->s, "would compile link unit %u: %s\n", n, sb_z(&b));
    sb_free(&b);
  }
  for (size_t i = 0; i < o->list.n; i++)
    session_say(c->s, "would write %s\n", o->list.p[i].place.path);
  if (!c->m)
    session_say(c->s,
                "if the source has several link units, each has its own cubin, PTX, LTO-IR and "
                "IR, with its number in the name\n");
}

static void json_plan(const struct outputs *o) {
  struct jsonw w;
  jw_init(&w, false);
  jw_object(&w);
  jw_kz(&w, "$message_type", "plan");
  jw_key(&w, "write");
  jw_array(&w);
  for (size_t i = 0; i < o->list.n; i++)
    jw_str(&w, str_from(o->list.p[i].place.path));
  jw_end_array(&w);
  jw_end_object(&w);
  printf("%s\n", sb_z(&w.out));
  jw_free(&w);
}

/* The places are those of a real run, as they come out of the same functions, with empty contents.
 */
static bool plan_outputs(struct compile *c, struct outputs *o) {
  uint32_t known = c->units.n;
  if (!c->m)
    c->units.n = 1;
  struct built_unit *built = arena_array(c->arena, struct built_unit, c->units.n);
  for (uint32_t i = 0; i < c->units.n; i++) {
    built[i].number = i;
    built[i].cubins = arena_array(c->arena, struct built_link, c->n_archs);
    built[i].ptxs = arena_array(c->arena, struct built_link, c->n_archs);
  }
  c->built = built;
  bool ok = add_dump_and_units(c, o) &&
            (!c->emit[ART_BUNDLE] || add(c, o, ART_BUNDLE, (struct target){0}, 0, STR_NULL)) &&
            (!c->emit[ART_RECORD] || add(c, o, ART_RECORD, (struct target){0}, 0, STR_NULL));
  c->built = NULL;
  c->units.n = known;
  return ok;
}

/* Only -o can name two: one path for several architectures. */
static bool one_name_each(struct compile *c, const struct outputs *o) {
  const char *path = option_value(&c->s->options, OPT_OUTPUT, NULL);
  const struct output *first = NULL;
  for (size_t i = 0; path && i < o->list.n; i++) {
    if (strcmp(o->list.p[i].place.path, path) != 0)
      continue;
    if (first) {
      struct diag *d = diag_error(&c->s->sink, MD0012, SPAN_NONE,
                                  "`-o %s` names one %s, but this run makes several", path,
                                  artifact_kind_name(first->kind));
      diag_help(d, "give one --arch, or use --out-dir and --target-name");
      return false;
    }
    first = &o->list.p[i];
  }
  return true;
}

bool compile_check_outputs(struct compile *c) {
  struct outputs o = {0};
  return plan_outputs(c, &o) && one_name_each(c, &o) && no_overlap(c, &o);
}

bool compile_dry_run(struct compile *c) {
  struct outputs o = {0};
  if (!plan_outputs(c, &o))
    return false;
  if (c->s->json)
    json_plan(&o);
  else
    show_plan(c, &o);
  return true;
}

bool compile_write(struct compile *c) {
  uint64_t t0 = now_ns();
  struct outputs o = {0};
  struct strbuf bundle = {0}, record = {0};
  bool ok = add_dump_and_units(c, &o);
  if (ok && c->emit[ART_BUNDLE])
    ok = add_bundle(c, &o, &bundle);
  if (ok && c->emit[ART_RECORD])
    ok = add_record(c, &o, &record);
  ok = ok && no_overlap(c, &o) && publish(c, &o);
  c->times.write = now_ns() - t0;
  if (ok && !c->s->quiet && !c->s->json)
    for (size_t i = 0; i < o.list.n; i++) {
      struct strbuf size = {0};
      sb_add_size(&size, o.list.p[i].data.n);
      session_say(c->s, "wrote %s (%s)\n", o.list.p[i].place.path, sb_z(&size));
      sb_free(&size);
    }
  sb_free(&bundle);
  sb_free(&record);
  return ok;
}
