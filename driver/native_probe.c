/* What fresh code of providers does, before it is kept or linked into anything. */
#include "driver/compile_native.h"

/* Calls each entry that was just compiled from a kernel of its own. */
static bool compile_probes(struct compile *c, const struct request *const *list, size_t n, struct bytes *out) {
  struct nvrtc_source src = {.name = "probes.cu", .text = request_probe(c->arena, list, n)};
  struct nvrtc_options o = {.cc = c->archs[0].cc};
  struct strbuf log = {0};
  enum nvrtc_outcome made = nvrtc_compile(&c->s->sink, c->cuda, &src, &o, out, &log);
  if (made == NVRTC_REFUSED)
    diag_error(&c->s->sink, MD0718, SPAN_NONE, "NVRTC refuses a call of a provider: %s", sb_z(&log));
  sb_free(&log);
  return made == NVRTC_OK;
}

static bool link_probes(struct compile *c, const struct request *const *list, size_t n,
                        struct link_input *in, struct bytes *out) {
  struct link_kernel *kernels = arena_array(c->arena, struct link_kernel, n);
  for (size_t i = 0; i < n; i++)
    kernels[i].name = request_probe_name(c->arena, list[i]);
  struct link_policy policy = {.arch = {.cc = c->archs[0].cc}, .fmad = true, .opt = 3, .want_ptx = true};
  struct link_expect expect = {.kernels = kernels, .n_kernels = n, .allow_externals = true};
  struct link_report report;
  bool ok = finalizer_link(&c->s->sink, c->cuda, in, n + 1, &policy, &expect, out, &report);
  link_report_free(&report);
  return ok;
}

static bool tell(struct compile *c, const struct request *r, enum ptx_fault fault, str what) {
  static const struct {
    enum diag_code code;
    const char *text, *help;
  } faults[] = {
      [PTX_NO_PROBE] = {MD0712, "NVRTC's code for it cannot be called", "reinstall the toolkit"},
      [PTX_CALLS] = {MD0713, "calls what nobody defines", "define it in the template"},
      [PTX_GLOBAL] = {MD0714, "uses a device variable", "pass the data as an argument"},
      [PTX_MEETS] = {MD0715, "waits for more threads than its manifest says",
                     "correct `scope` and `converged` in the manifest, or leave the barrier to the caller"},
      [PTX_ESCAPES] = {MD0716, "uses the callback's environment",
                       "hand the callback on by value to functions that are inlined, and only call it"},
  };
  if (fault == PTX_FINE)
    return true;
  /* Who links more may define it there; that link will tell. */
  if (fault == PTX_CALLS && c->n_externs > 0)
    return true;
  struct diag *d = diag_error(&c->s->sink, faults[fault].code, c->natives->requests.calls[r->native],
                              "entry `%.*s` of provider `%.*s` %s", STR_ARG(r->entry->name),
                              STR_ARG(r->provider->name), faults[fault].text);
  if (what.n)
    diag_note(d, "in its PTX: `%.*s`", STR_ARG(what));
  diag_note(d, "`%.*s` is its manifest", STR_ARG(r->provider->manifest));
  diag_help(d, "%s", faults[fault].help);
  return false;
}

static bool judge(struct compile *c, const struct request *const *list, size_t n, str ptx) {
  bool ok = true;
  for (size_t i = 0; i < n; i++) {
    str what = STR_NULL;
    enum ptx_fault fault = ptx_check(c->arena, ptx, list[i], &what);
    ok = tell(c, list[i], fault, what) && ok;
  }
  return ok;
}

bool compile_probe_natives(struct compile *c) {
  const struct natives *all = c->natives;
  const struct request **list = arena_array(c->arena, const struct request *, all->requests.n);
  struct link_input *in = arena_array(c->arena, struct link_input, all->requests.n + 1);
  struct bytes probes = {0}, ptx = {0};
  size_t n = 0;
  for (uint32_t i = 0; i < all->requests.n; i++)
    if (!all->code[i].cached) {
      in[n] = compile_native_input(c, i);
      list[n++] = all->code[i].r;
    }
  if (!n)
    return true;
  bool ok = compile_probes(c, list, n, &probes);
  in[n] = (struct link_input){.kind = LINK_LTOIR,
                              .name = STR("probes.ltoir"),
                              .bytes = {(const char *)probes.p, probes.n},
                              .arch = {.cc = c->archs[0].cc},
                              .own = true};
  ok = ok && link_probes(c, list, n, in, &ptx) && judge(c, list, n, (str){(const char *)ptx.p, ptx.n});
  bytes_free(&probes);
  bytes_free(&ptx);
  return ok;
}
