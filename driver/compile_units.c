/* Lowering, libNVVM and nvJitLink. Link units are independent, so threads take them one by one from
 * a counter; what a unit reports is kept apart and shown in the order of units, so that messages do
 * not depend on timing. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/fatal.h"
#include "driver/compile.h"
#include "linkers/nvvm.h"

uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool compile_open_lowering(struct diag_sink *s, struct arena *a, struct lower_api *out) {
  static const char *const places[] = {"../lib/libmirdc-lower.so", "../lib/mirdc/libmirdc-lower.so",
                                       NULL};
  char *tried = NULL;
  void *lib = session_open_library(a, places, &tried);
  if (!lib) {
    struct diag *d =
        diag_error(s, MD0018, SPAN_NONE, "cannot open `libmirdc-lower.so`: %s", dlerror());
    diag_help(d,
              "build or install all of mirdc; LLVM 14's library (Debian: libllvm14) must be there");
    return false;
  }
  mirdc_lower_abi_fn *abi = NULL;
  session_library_function(lib, "mirdc_lower_abi", &abi);
  session_library_function(lib, "mirdc_lower", &out->lower);
  session_library_function(lib, "mirdc_lower_free", &out->free);
  if (abi && out->lower && out->free && abi() == LOWER_ABI)
    return true;
  diag_error(s, MD0018, SPAN_NONE, "`%s` is of another version than this program", tried);
  return false;
}

struct crew {
  struct compile *c;
  struct lower_api api;
  pthread_mutex_t lock;
  uint32_t next;
};

static void add_time(struct crew *w, uint64_t *sum, uint64_t t0) {
  uint64_t dt = now_ns() - t0;
  pthread_mutex_lock(&w->lock);
  *sum += dt;
  pthread_mutex_unlock(&w->lock);
}

static str module_name(struct compile *c, struct built_unit *u) {
  if (c->units.n == 1)
    return arena_printf(&u->sink.arena, "%.*s", STR_ARG(c->unit.target));
  return arena_printf(&u->sink.arena, "%.*s.%u", STR_ARG(c->unit.target), u->number);
}

static bool lower_unit(struct crew *w, struct built_unit *u) {
  struct compile *c = w->c;
  uint64_t t0 = now_ns();
  struct lower_options o = {
      .struct_size = sizeof o,
      .kernels = c->units.kernels[u->number],
      .n_kernels = c->units.n_kernels[u->number],
      .exports = u->number == 0,
      .arch = c->archs[0].cc,
      .opt = c->opt,
      .trap_info = c->trap_info,
      .line_info = c->line_info,
      .debug = c->debug,
      .llvm_text = c->emit[ART_LLVM],
      .natives = compile_native_symbols(c),
      .module_name = module_name(c, u),
  };
  u->lowered.struct_size = sizeof u->lowered;
  bool ok = w->api.lower(c->m, &o, &u->sink, &u->lowered);
  if (ok)
    u->n_natives = compile_unit_natives(c, &u->lowered, &u->sink.arena, &u->natives);
  add_time(w, &c->times.lower, t0);
  return ok;
}

static struct digest nvvm_key(struct compile *c, const struct nvvm_options *o, str name, str text) {
  struct hasher *h = hash_new();
  hash_field(h, STR("stage"), STR("nvvm 1"));
  hash_field(h, STR("libnvvm"), (str){(char *)c->nvvm_digest.b, 32});
  hash_field(h, STR("libdevice"), (str){(char *)c->libdevice_digest.b, 32});
  hash_field_u64(h, STR("cc"), o->arch.cc);
  hash_field_u64(h, STR("suffix"), (uint64_t)o->arch.suffix);
  hash_field_u64(h, STR("opt"), o->opt);
  hash_field_u64(h, STR("debug"), o->debug);
  hash_field_u64(h, STR("needs libdevice"), o->needs_libdevice);
  hash_field(h, STR("name"), name);
  hash_field(h, STR("text"), text);
  return hash_finish(h);
}

static bool compile_unit(struct crew *w, struct built_unit *u) {
  struct compile *c = w->c;
  uint64_t t0 = now_ns();
  struct nvvm_options o = {.arch = c->archs[0],
                           .debug = c->debug,
                           .opt = c->opt,
                           .needs_libdevice = u->lowered.needs_libdevice};
  struct nvvm_module mod = {.text = u->lowered.nvvm};
  str name = arena_printf(&u->sink.arena, "%.*s.nvvm", STR_ARG(module_name(c, u)));
  mod.name = name.p;
  struct digest key = nvvm_key(c, &o, name, mod.text);
  bool ok = store_get_output(c->store, &key, STR("ltoir"), &u->ltoir) &&
            ltoir_well_formed((str){(const char *)u->ltoir.p, u->ltoir.n});
  u->ltoir_cached = ok;
  if (!ok) {
    bytes_free(&u->ltoir);
    ok = nvvm_compile(&u->sink, c->cuda, &mod, &o, &u->ltoir);
    if (ok)
      store_put_output(c->store, &key, STR("ltoir"), (str){(const char *)u->ltoir.p, u->ltoir.n});
  }
  add_time(w, &c->times.nvvm, t0);
  return ok;
}

/* What the cubin must show of each kernel. */
/* Statics that another input has to define; shared memory is declared in the same way. */
static bool declares_statics(const struct pmir *m) {
  for (uint32_t i = 0; i < m->n_statics; i++)
    if (m->statics[i].alloc == PM_NONE && m->statics[i].space != PM_SHARED)
      return true;
  return false;
}

/* What the link should leave nothing of: entries of providers and callbacks. */
static str *native_symbols(struct compile *c, struct built_unit *u) {
  str *all = arena_array(&u->sink.arena, str, u->n_natives + u->lowered.n_thunks + 1);
  for (size_t i = 0; i < u->n_natives; i++)
    all[i] = compile_native_symbol(c, u->natives[i]);
  for (uint32_t i = 0; i < u->lowered.n_thunks; i++)
    all[u->n_natives + i] = u->lowered.thunks[i];
  return all;
}

static void expectations(struct compile *c, struct built_unit *u, struct link_expect *e) {
  struct arena *a = &u->sink.arena;
  struct link_kernel *ks = arena_array(a, struct link_kernel, u->lowered.n_kernels);
  for (uint32_t i = 0; i < u->lowered.n_kernels; i++) {
    const struct lower_kernel *k = &u->lowered.kernels[i];
    struct cubin_param *ps = arena_array(a, struct cubin_param, k->n_params);
    for (uint32_t p = 0; p < k->n_params; p++)
      ps[p] = (struct cubin_param){p, (uint32_t)k->params[p].off, (uint32_t)k->params[p].size};
    ks[i] = (struct link_kernel){.name = k->name,
                                 .span = pm_span_of(c->m, c->m->kernels[k->index].span),
                                 .check_params = true,
                                 .params = ps,
                                 .n_params = k->n_params};
    memcpy(ks[i].reqntid, k->reqntid, sizeof k->reqntid);
    if (k->maxntid) {
      ks[i].maxntid[0] = k->maxntid;
      ks[i].maxntid[1] = ks[i].maxntid[2] = 1;
    }
    memcpy(ks[i].cluster, k->cluster, sizeof k->cluster);
  }
  /* Foreign inputs may bring entry points of their own. */
  bool inlines = c->opt > 0 && !c->debug;
  *e = (struct link_expect){.forbidden = inlines ? native_symbols(c, u) : NULL,
                            .n_forbidden = inlines ? u->n_natives + u->lowered.n_thunks : 0,
                            .own_text = inlines && u->n_natives && !c->n_externs
                                            ? u->lowered.nvvm
                                            : STR_NULL,
                            .forbidden_warns = !option_given(&c->s->options, OPT_INLINE),
                            .kernels = ks,
                            .n_kernels = u->lowered.n_kernels,
                            .symbols = c->symbols,
                            .n_symbols = c->m->n_externs,
                            .only_these = c->n_externs == 0,
                            .check_externals = c->n_externs > 0 || declares_statics(c->m)};
}

static struct link_input *link_inputs(struct compile *c, struct built_unit *u, size_t *n) {
  struct link_input *in = arena_array(&u->sink.arena, struct link_input,
                                      u->n_natives + c->n_externs + 1);
  size_t k = 1;
  in[0] = (struct link_input){
      .kind = LINK_LTOIR,
      .name = arena_printf(&u->sink.arena, "%.*s.ltoir", STR_ARG(module_name(c, u))),
      .path = str_from(c->input),
      .bytes = {(const char *)u->ltoir.p, u->ltoir.n},
      .arch = c->archs[0],
      .own = true};
  for (size_t i = 0; i < u->n_natives; i++)
    in[k++] = compile_native_input(c, u->natives[i]);
  for (size_t i = 0; i < c->n_externs; i++) {
    struct extern_file *f = &c->externs[i];
    in[k++] = (struct link_input){.kind = LINK_UNKNOWN,
                                    .name = path_base(f->path),
                                    .path = f->path,
                                    .bytes = {(const char *)f->bytes.p, f->bytes.n},
                                    .digest = f->digest,
                                    .has_digest = true};
  }
  *n = k;
  return in;
}

static struct digest link_key(struct compile *c, const struct link_policy *p,
                              const struct link_input *in, size_t n) {
  struct hasher *h = hash_new();
  hash_field(h, STR("stage"), STR("link 1"));
  hash_field(h, STR("nvjitlink"), (str){(char *)c->nvjitlink_digest.b, 32});
  finalizer_hash_policy(h, p);
  for (size_t i = 0; i < n; i++) {
    struct digest d = hash_of(in[i].bytes.p, in[i].bytes.n);
    hash_field(h, in[i].name, (str){(char *)d.b, 32});
  }
  return hash_finish(h);
}

/* A product from the cache has to pass the same checks as a fresh one. */
static bool cached_link(struct compile *c, struct diag_sink *s, const struct digest *key,
                        const struct link_policy *p, const struct link_expect *e,
                        struct built_link *out) {
  if (p->want_ptx || !store_get_output(c->store, key, STR("cubin"), &out->bytes))
    return false;
  struct source_map none;
  source_map_init(&none);
  struct diag_sink quiet;
  diag_sink_init(&quiet, &none);
  out->report = (struct link_report){0};
  bool ok = cubin_open(&quiet, &out->report.arena, STR("cached cubin"),
                       (str){(const char *)out->bytes.p, out->bytes.n}, &out->report.cubin) &&
            finalizer_check(&quiet, &out->report.cubin, p->arch, e);
  bool warns = ok && quiet.warnings > 0;
  diag_sink_free(&quiet);
  source_map_free(&none);
  out->reported = true;
  if (ok)
    return !warns || finalizer_check(s, &out->report.cubin, p->arch, e);
  bytes_free(&out->bytes);
  link_report_free(&out->report);
  out->reported = false;
  return false;
}

static bool link_one(struct crew *w, struct built_unit *u, struct target arch, bool ptx,
                     struct built_link *out) {
  struct compile *c = w->c;
  uint64_t t0 = now_ns();
  struct link_policy p = {.arch = arch,
                          .fmad = c->fmad,
                          .opt = c->opt,
                          .line_info = c->line_info,
                          .debug = c->debug,
                          .max_registers = c->max_registers,
                          .want_ptx = ptx};
  struct link_expect e;
  expectations(c, u, &e);
  size_t n;
  struct link_input *in = link_inputs(c, u, &n);
  out->arch = arch;
  struct digest key = link_key(c, &p, in, n);
  bool ok = out->cached = cached_link(c, &u->sink, &key, &p, &e, out);
  if (!ok) {
    ok = finalizer_link(&u->sink, c->cuda, in, n, &p, &e, &out->bytes, &out->report);
    out->reported = true;
    if (ok && !ptx)
      store_put_output(c->store, &key, STR("cubin"),
                       (str){(const char *)out->bytes.p, out->bytes.n});
  }
  add_time(w, &c->times.link, t0);
  return ok;
}

static bool build_unit(struct crew *w, struct built_unit *u) {
  struct compile *c = w->c;
  bool link = c->emit[ART_CUBIN] || c->emit[ART_BUNDLE] || c->emit[ART_PTX];
  bool ltoir = link || c->emit[ART_LTOIR];
  if (!lower_unit(w, u) || (ltoir && !compile_unit(w, u)))
    return false;
  bool ok = true;
  u->cubins = arena_array(&u->sink.arena, struct built_link, c->n_archs);
  u->ptxs = arena_array(&u->sink.arena, struct built_link, c->n_archs);
  for (size_t i = 0; ok && i < c->n_archs; i++) {
    if (c->emit[ART_CUBIN] || c->emit[ART_BUNDLE])
      ok = link_one(w, u, c->archs[i], false, &u->cubins[i]);
    if (ok && c->emit[ART_PTX])
      ok = link_one(w, u, c->archs[i], true, &u->ptxs[i]);
  }
  return ok;
}

static void *work(void *arg) {
  struct crew *w = arg;
  for (;;) {
    pthread_mutex_lock(&w->lock);
    uint32_t i = w->next++;
    pthread_mutex_unlock(&w->lock);
    if (i >= w->c->units.n)
      return NULL;
    struct built_unit *u = &w->c->built[i];
    u->ok = build_unit(w, u);
  }
}

/* Hash identities of the libraries once, before threads start. */
static bool identify_tools(struct compile *c) {
  struct diag_sink *s = &c->s->sink;
  bool link = c->emit[ART_CUBIN] || c->emit[ART_BUNDLE] || c->emit[ART_PTX];
  if (!link && !c->emit[ART_LTOIR])
    return true;
  return cuda_part_digest(s, c->cuda, CUDA_NVVM, &c->nvvm_digest) &&
         cuda_part_digest(s, c->cuda, CUDA_LIBDEVICE, &c->libdevice_digest) &&
         (!link || cuda_part_digest(s, c->cuda, CUDA_NVJITLINK, &c->nvjitlink_digest));
}

bool compile_build_units(struct compile *c) {
  struct crew w = {.c = c, .lock = PTHREAD_MUTEX_INITIALIZER};
  if (!compile_open_lowering(&c->s->sink, c->arena, &w.api) || !identify_tools(c))
    return false;
  bool link = c->emit[ART_CUBIN] || c->emit[ART_BUNDLE] || c->emit[ART_PTX];
  if (link && !compile_make_natives(c))
    return false;
  c->symbols = compile_symbols(c);
  c->built = arena_array(c->arena, struct built_unit, c->units.n);
  for (uint32_t i = 0; i < c->units.n; i++) {
    c->built[i].number = i;
    diag_sink_init(&c->built[i].sink, &c->s->sources);
  }
  uint32_t n_threads = c->jobs < c->units.n ? c->jobs : c->units.n;
  pthread_t *threads = arena_array(c->arena, pthread_t, n_threads);
  uint32_t started = 0;
  while (started + 1 < n_threads && pthread_create(&threads[started], NULL, work, &w) == 0)
    started++;
  work(&w);
  for (uint32_t i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  bool ok = true;
  for (uint32_t i = 0; i < c->units.n; i++) {
    struct built_unit *u = &c->built[i];
    diag_flush(&u->sink, c->s->json, c->s->color);
    c->s->sink.errors += u->sink.errors;
    c->s->sink.warnings += u->sink.warnings;
    ok = ok && u->ok;
  }
  return ok;
}
