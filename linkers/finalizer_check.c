/* Judges what the library made. */
#include "linkers/finalizer_impl.h"

enum { SHN_UNDEF = 0, STB_LOCAL = 0, STB_WEAK = 2, STT_FUNC = 2, ELF_EXECUTABLE = 2 };

struct span link_symbol_span(const struct link_expect *e, str name) {
  for (size_t i = 0; i < e->n_symbols; i++) {
    if (str_eq(e->symbols[i].name, name)) {
      return e->symbols[i].span;
    }
  }
  return SPAN_NONE;
}

void link_symbol_note(struct diag *d, const struct link_expect *e, str name) {
  for (size_t i = 0; i < e->n_symbols; i++) {
    if (str_eq(e->symbols[i].name, name) && e->symbols[i].kernel.n > 0) {
      diag_note(d, "in kernel `%.*s`", STR_ARG(e->symbols[i].kernel));
      return;
    }
  }
}

struct span link_kernel_span(const struct link_expect *e, str name) {
  for (size_t i = 0; i < e->n_kernels; i++) {
    if (str_eq(e->kernels[i].name, name)) {
      return e->kernels[i].span;
    }
  }
  return SPAN_NONE;
}

bool link_driver_defines(str name) {
  static const char *const known[] = {"vprintf", "malloc", "free", "__assertfail"};
  for (size_t i = 0; i < COUNT_OF(known); i++) {
    if (str_eqz(name, known[i])) {
      return true;
    }
  }
  return str_starts(name, STR("__cuda_syscall")) || str_starts(name, STR(".nv.reservedSmem")) ||
         str_starts(name, STR("__nv_reservedSMEM"));
}

static bool check_arch(struct diag_sink *s, const struct cubin *c, struct target arch) {
  if (c->elf_type != ELF_EXECUTABLE) {
    diag_error(s, MD0430, SPAN_NONE, "the product is not executable but relocatable");
    return false;
  }
  if (c->cc == arch.cc) {
    return true;
  }
  struct diag *d = diag_error(s, MD0431, SPAN_NONE, "the cubin is for sm_%u, asked for was %s",
                              (unsigned)c->cc, target_sm(arch).z);
  diag_help(d, "the linker library is damaged or not NVIDIA's; `mirdc doctor` shows where it is");
  return false;
}

static void missing(struct diag_sink *s, const struct link_kernel *k, const char *how) {
  struct diag *d = diag_error(s, MD0432, k->span, "kernel `%.*s` %s", STR_ARG(k->name), how);
  diag_note(d, "the linker reported success");
  diag_help(d, "an entry point must be listed in `llvm.used`, or the linker drops it");
}

static bool same3(const uint32_t want[3], const uint32_t got[3]) {
  for (size_t i = 0; i < 3; i++) {
    uint32_t w = want[0] != 0 && want[i] == 0 ? 1 : want[i];
    uint32_t g = got[0] != 0 && got[i] == 0 ? 1 : got[i];
    if (w != g) {
      return false;
    }
  }
  return true;
}

static bool check_triple(struct diag_sink *s, const struct link_kernel *k, const char *what,
                         const uint32_t want[3], const uint32_t got[3]) {
  if (same3(want, got)) {
    return true;
  }
  struct diag *d = diag_error(s, MD0435, k->span, "kernel `%.*s` has another %s than its source",
                              STR_ARG(k->name), what);
  diag_note(d, "source %ux%ux%u, image %ux%ux%u (0: none)", (unsigned)want[0], (unsigned)want[1],
            (unsigned)want[2], (unsigned)got[0], (unsigned)got[1], (unsigned)got[2]);
  return false;
}

static bool check_params(struct diag_sink *s, const struct link_kernel *k,
                         const struct cubin_kernel *got) {
  if (got->n_params != k->n_params) {
    diag_error(s, MD0436, k->span, "kernel `%.*s` has %u parameters in the image, %u in its source",
               STR_ARG(k->name), (unsigned)got->n_params, (unsigned)k->n_params);
    return false;
  }
  for (uint32_t i = 0; i < k->n_params; i++) {
    const struct cubin_param *w = &k->params[i], *g = &got->params[i];
    if (w->index != g->index || w->offset != g->offset || w->size != g->size) {
      struct diag *d = diag_error(s, MD0436, k->span, "parameter %u of kernel `%.*s` differs",
                                  (unsigned)i, STR_ARG(k->name));
      diag_note(d, "source: offset %u, size %u; image: offset %u, size %u", (unsigned)w->offset,
                (unsigned)w->size, (unsigned)g->offset, (unsigned)g->size);
      return false;
    }
  }
  return true;
}

static bool check_kernel(struct diag_sink *s, const struct cubin *c, const struct link_kernel *k) {
  const struct cubin_kernel *got = cubin_kernel(c, k->name);
  if (got == NULL) {
    missing(s, k, "is missing from the cubin");
    return false;
  }
  if (got->code_size == 0 || c->sections[got->section].data.n == 0) {
    missing(s, k, "has no code in the cubin");
    return false;
  }
  bool ok = check_triple(s, k, "block size", k->reqntid, got->reqntid);
  ok = check_triple(s, k, "block bound", k->maxntid, got->max_threads) && ok;
  ok = check_triple(s, k, "cluster", k->cluster, got->cluster) && ok;
  return (!k->check_params || check_params(s, k, got)) && ok;
}

static bool expected(const struct link_expect *e, str name) {
  for (size_t i = 0; i < e->n_kernels; i++) {
    if (str_eq(e->kernels[i].name, name)) {
      return true;
    }
  }
  return false;
}

/* `cb` itself, or `$kernel$cb`: a function kept inside its caller's section. */
static bool is_left_over(str symbol, str name) {
  if (str_eq(symbol, name)) {
    return true;
  }
  return symbol.n > name.n + 1 && symbol.p[0] == '$' && str_ends(symbol, name) &&
         symbol.p[symbol.n - name.n - 1] == '$';
}

static void left_over(struct diag_sink *s, const struct link_expect *e, str name) {
  struct span at = link_symbol_span(e, name);
  if (e->forbidden_warns) {
    struct diag *d = diag_warning(s, MD0717, at, "`%.*s` was not inlined", STR_ARG(name));
    diag_help(d, "look for `__noinline__`, `#[inline(never)]` and recursion; `--require-inline` makes this an "
                 "error");
  } else {
    diag_error(s, MD0434, at, "callback `%.*s` was not merged into its caller", STR_ARG(name));
  }
}

static str after_dollars(str name) {
  size_t at = name.n && name.p[0] == '$' ? str_rfind_char(name, '$') : SIZE_MAX;
  return at == SIZE_MAX ? name : str_drop(name, at + 1);
}

/* A function that is neither a kernel nor one of our module's. */
static bool is_foreign(const struct cubin_symbol *sym, const struct cubin *c,
                       const struct link_expect *e) {
  if (e->own_text.n == 0 || sym->type != STT_FUNC || sym->section == SHN_UNDEF ||
      cubin_kernel(c, sym->name) != NULL) {
    return false;
  }
  str name = after_dollars(sym->name);
  for (size_t at = 0; (at = str_find(e->own_text, name, at)) != SIZE_MAX; at += name.n) {
    if (at > 0 && e->own_text.p[at - 1] == '@' && at + name.n < e->own_text.n &&
        e->own_text.p[at + name.n] == '(') {
      return false;
    }
  }
  return name.n > 0;
}

static bool check_symbol(struct diag_sink *s, const struct cubin_symbol *sym,
                         const struct cubin *c, const struct link_expect *e) {
  bool ok = true;
  if (sym->section == SHN_UNDEF && sym->bind != STB_LOCAL && sym->name.n > 0 &&
      !link_driver_defines(sym->name)) {
    struct diag *d = diag_error(s, MD0433, link_symbol_span(e, sym->name),
                                "`%.*s` is used by the cubin and not defined", STR_ARG(sym->name));
    diag_help(d, "add the input that defines it");
    ok = false;
  }
  if (is_foreign(sym, c, e)) {
    left_over(s, e, after_dollars(sym->name));
    ok = e->forbidden_warns && ok;
  }
  for (size_t i = 0; i < e->n_forbidden && sym->type == STT_FUNC; i++) {
    if (is_left_over(sym->name, e->forbidden[i])) {
      left_over(s, e, e->forbidden[i]);
      ok = e->forbidden_warns && ok;
    }
  }
  return ok;
}

bool finalizer_check(struct diag_sink *s, const struct cubin *c, struct target arch,
                     const struct link_expect *e) {
  bool ok = check_arch(s, c, arch);
  if (c->n_kernels == 0 && e->n_kernels == 0) {
    struct diag *d = diag_error(s, MD0432, SPAN_NONE, "the cubin has no kernel");
    diag_note(d, "the linker reported success");
    diag_help(d, "an entry point must be listed in `llvm.used`; a host object must be compiled "
                 "with `-dc`");
    ok = false;
  }
  for (size_t i = 0; i < e->n_kernels; i++) {
    ok = check_kernel(s, c, &e->kernels[i]) && ok;
  }
  for (uint32_t i = 0; i < c->n_symbols; i++) {
    ok = check_symbol(s, &c->symbols[i], c, e) && ok;
  }
  for (uint32_t i = 0; e->only_these && i < c->n_kernels; i++) {
    if (!expected(e, c->kernels[i].name)) {
      struct diag *d = diag_error(s, MD0438, SPAN_NONE, "the cubin has a kernel `%.*s` of its own",
                                  STR_ARG(c->kernels[i].name));
      diag_help(d, "it comes from one of the other inputs; make it a device function");
      ok = false;
    }
  }
  return ok;
}
