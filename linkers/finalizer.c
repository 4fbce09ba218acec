/* The one way to nvJitLink: prepare, link, judge. */
#include "linkers/finalizer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "linkers/finalizer_impl.h"
#include "linkers/tool_log.h"

bool finalizer_option_known(const char *option) {
  /* `-kernels-used` is not among them: a wrong name in it drops the kernel and reports success. */
  static const char *const exact[] = {"-verbose", "-no-cache", "-Xptxas=-v", "-Xptxas=-warn-spills",
                                      "-Xptxas=--warn-on-spills"};
  static const char *const numbered[] = {"-split-compile=", "-split-compile-extended="};
  str o = str_from(option);
  for (size_t i = 0; i < COUNT_OF(exact); i++) {
    if (str_eqz(o, exact[i])) {
      return true;
    }
  }
  for (size_t i = 0; i < COUNT_OF(numbered); i++) {
    uint64_t n;
    str prefix = str_from(numbered[i]);
    if (str_starts(o, prefix) && str_to_u64(str_drop(o, prefix.n), &n) && n <= 1024) {
      return true;
    }
  }
  return false;
}

static bool check_policy(struct diag_sink *s, const struct link_policy *p) {
  bool ok = true;
  for (size_t i = 0; i < p->n_extra; i++) {
    if (!finalizer_option_known(p->extra[i])) {
      struct diag *d =
          diag_error(s, MD0428, SPAN_NONE, "linker option `%s` is not known", p->extra[i]);
      diag_help(d, "known: -verbose, -no-cache, -Xptxas=-v, -Xptxas=-warn-spills, "
                   "-split-compile=N, -split-compile-extended=N");
      ok = false;
    }
  }
  struct target known;
  return target_require(s, str_from(target_sm(p->arch).z), &known) && ok;
}

struct option_list {
  struct arena *arena;
  VEC(const char *) v;
};

static void option(struct option_list *o, const char *text) {
  vec_push(o->arena, &o->v, text);
}

static void keep_list(struct option_list *o, const struct link_policy *p) {
  struct strbuf names = {0};
  option(o, "-optimize-unused-variables");
  for (size_t i = 0; i < p->n_keep_variables; i++) {
    sb_addz(&names, i == 0 ? "-variables-used=" : ",");
    sb_add(&names, p->keep_variables[i]);
  }
  if (names.n > 0) {
    option(o, arena_strz(o->arena, sb_str(&names)));
  }
  sb_free(&names);
}

static void options_of(struct option_list *o, const struct link_policy *p, bool lto, bool ptx) {
  option(o, arena_printf(o->arena, "-arch=%s", target_sm(p->arch).z).p);
  if (lto) {
    option(o, "-lto");
  }
  /* The library takes 0 and 3 only. */
  option(o, p->opt == 0 ? "-O0" : "-O3");
  option(o, p->fmad ? "-fma=1" : "-fma=0");
  if (p->debug) {
    option(o, "-g");
  } else if (p->line_info) {
    option(o, "-lineinfo");
  }
  if (p->max_registers != 0) {
    option(o, arena_printf(o->arena, "-maxrregcount=%u", p->max_registers).p);
  }
  if (p->prune_variables) {
    keep_list(o, p);
  }
  if (ptx) {
    option(o, "-ptx");
  }
  for (size_t i = 0; i < p->n_extra; i++) {
    option(o, p->extra[i]);
  }
}

static bool report_undefined(struct diag_sink *s, str log, const struct link_expect *e) {
  str name = tool_log_quoted(log, STR("Unresolved extern function"));
  if (name.n == 0) {
    name = tool_log_quoted(log, STR("Unresolved extern variable"));
  }
  if (name.n == 0) {
    name = tool_log_quoted(log, STR("Undefined reference to"));
  }
  if (name.n == 0) {
    return false;
  }
  struct diag *d = diag_error(s, MD0425, link_symbol_span(e, name),
                              "device symbol `%.*s` is not defined by any input", STR_ARG(name));
  link_symbol_note(d, e, name);
  tool_log_notes(d, "nvJitLink", log, 0);
  if (str_starts(name, STR("__nv_"))) {
    diag_help(d, "it belongs to libdevice, which this input was compiled without");
  } else {
    diag_help(d, "add the input that defines it with `--extern-lto FILE`");
  }
  return true;
}

static bool report_double(struct diag_sink *s, str log, const struct link_again *l,
                          const struct link_expect *e) {
  str name = link_double_name(log);
  size_t first, second;
  if (name.n == 0) {
    return false;
  }
  const struct link_input *in = l->request.inputs;
  bool found = link_find_double(l, &name, &first, &second);
  struct span span = link_kernel_span(e, name);
  if (span.file == 0) {
    span = link_symbol_span(e, name);
  }
  struct diag *d =
      diag_error(s, MD0426, span, "device symbol `%.*s` is defined twice", STR_ARG(name));
  if (found && first == second) {
    diag_note(d, "both times in `%.*s`", STR_ARG(link_input_shown(&in[first])));
  } else if (found) {
    diag_note(d, "first in `%.*s`", STR_ARG(link_input_shown(&in[first])));
    diag_note(d, "again in `%.*s`", STR_ARG(link_input_shown(&in[second])));
  } else {
    tool_log_notes(d, "nvJitLink", log, 0);
  }
  diag_help(d, "remove one of the inputs, or rename one of the functions");
  return true;
}

static bool report_debug(struct diag_sink *s, str log) {
  if (str_find(log, STR("Optimized debugging not supported"), 0) == SIZE_MAX) {
    return false;
  }
  struct diag *d =
      diag_error(s, MD0931, SPAN_NONE, "an input has full debug information, and the link has not");
  diag_help(d, "add `-g`, which implies `-O0`");
  return true;
}

/* "Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 max)"; constants are counted
 * for a file, without a name. */
static bool report_memory(struct diag_sink *s, str log, const struct link_expect *e) {
  static const str much = {"uses too much ", 14};
  uint64_t bytes, most;
  size_t at = str_find(log, much, 0);
  size_t open = at == SIZE_MAX ? SIZE_MAX : str_find_char(log, '(', at);
  if (open == SIZE_MAX)
    return false;
  str kind = str_trim(str_sub(log, at + much.n, open));
  if (sscanf(str_drop(log, open).p, "(0x%" SCNx64 " bytes, 0x%" SCNx64 " max)", &bytes, &most) != 2)
    return false;
  size_t line = at;
  while (line > 0 && log.p[line - 1] != '\n')
    line--;
  str name = tool_log_quoted(str_sub(log, line, at), STR("unction"));
  bool shared = str_eq(kind, STR("shared data"));
  struct strbuf who = {0};
  if (name.n)
    sb_addf(&who, "kernel `%.*s`", STR_ARG(name));
  struct diag *d = diag_error(s, MD0444, link_kernel_span(e, name),
                              "%s needs %" PRIu64 " bytes of %.*s, and there are %" PRIu64,
                              name.n ? sb_z(&who) : "the code", bytes,
                              STR_ARG(shared ? STR("static shared memory") : kind), most);
  sb_free(&who);
  if (shared)
    diag_help(d,
              "use dynamic shared memory: `dynamic_shared::<T>(OFFSET)`, its size in the launch or "
              "in `dynamic_shared = BYTES` of the kernel's attribute");
  else
    diag_help(d, "keep the data in a buffer");
  return true;
}

static void report_failure(struct diag_sink *s, const struct jit_result *r,
                           const struct link_again *l, const struct link_expect *e) {
  const struct jit_request *q = &l->request;
  str log = sb_str(&r->error_log);
  if (report_undefined(s, log, e) || report_double(s, log, l, e) || report_debug(s, log) ||
      report_memory(s, log, e)) {
    return;
  }
  struct diag *d;
  if (r->stage == JIT_CRASH) {
    d = diag_error(s, MD0443, SPAN_NONE, "the linker library crashed");
    diag_note(d, "signal %d", r->rc);
    for (size_t i = 0; i < q->n_inputs; i++) {
      diag_note(d, "input: %s `%.*s`", link_kind_name(q->inputs[i].kind),
                STR_ARG(q->inputs[i].name));
    }
    diag_help(d, "link the inputs one by one to find the one at fault");
    return;
  }
  if (r->stage == JIT_ADD && r->input < q->n_inputs) {
    const struct link_input *in = &q->inputs[r->input];
    d = diag_error(s, MD0429, SPAN_NONE, "the linker refuses %s `%.*s`", link_kind_name(in->kind),
                   STR_ARG(in->name));
  } else {
    d = diag_error(s, MD0424, SPAN_NONE, "the device link failed");
  }
  tool_log_notes(d, "nvJitLink", log, r->rc);
}

/* A log line that says error beside a result that says success: nothing of it is trusted. */
static bool check_log(struct diag_sink *s, const struct jit_result *r, const struct link_again *l,
                      const struct link_expect *e) {
  str line;
  if (!tool_log_has_error(sb_str(&r->error_log), &line) &&
      !tool_log_has_error(sb_str(&r->info_log), &line)) {
    return true;
  }
  str log = sb_str(&r->error_log);
  if (report_undefined(s, log, e) || report_double(s, log, l, e)) {
    return false;
  }
  struct diag *d = diag_error(s, MD0427, SPAN_NONE, "the linker reports success and an error");
  tool_log_notes(d, "nvJitLink", line, 0);
  diag_help(d, "usually two inputs disagree about a function's parameters or a variable's type");
  return false;
}

static bool run(struct diag_sink *s, struct cuda_session *cs, const struct link_set *set,
                const struct link_policy *p, bool ptx, const struct link_expect *e, struct arena *a,
                struct jit_result *r) {
  struct option_list o = {.arena = a};
  options_of(&o, p, set->lto, ptx);
  struct jit_request q = {o.v.p, o.v.n, set->inputs, set->n, ptx};
  struct link_again again = {q, cs, a};
  bool guarded = !set->own || p->debug || p->line_info;
  bool ran = guarded ? nvjitlink_run_guarded(s, cs, &q, r) : nvjitlink_run(s, cs, &q, r);
  if (!ran) {
    return false;
  }
  if (r->stage != JIT_DONE) {
    report_failure(s, r, &again, e);
    return false;
  }
  return check_log(s, r, &again, e);
}

/* Other inputs than LTO-IR are linked after the LTO step by a linker that does complain. */
static bool only_lto(const struct link_set *set) {
  for (size_t i = 0; i < set->n; i++) {
    if (set->inputs[i].kind != LINK_LTOIR) {
      return false;
    }
  }
  return set->lto;
}

static bool check_externals(struct diag_sink *s, struct cuda_session *cs,
                            const struct link_set *set, const struct link_policy *p,
                            const struct link_expect *e, struct arena *a) {
  if (!e->check_externals || p->want_ptx || !only_lto(set)) {
    return true;
  }
  struct jit_result r;
  bool ok = run(s, cs, set, p, true, e, a, &r) &&
            link_check_externals(s, (str){(const char *)r.product.p, r.product.n}, e);
  jit_result_free(&r);
  return ok;
}

/* The library ignores the limit for kernels that state their block size. */
static void check_registers(struct diag_sink *s, const struct cubin *c, const struct link_policy *p,
                            const struct link_expect *e) {
  for (uint32_t i = 0; p->max_registers != 0 && i < c->n_kernels; i++) {
    const struct cubin_kernel *k = &c->kernels[i];
    if (k->registers == CUBIN_UNKNOWN || k->registers <= p->max_registers) {
      continue;
    }
    struct diag *d = diag_warning(s, MD0439, link_kernel_span(e, k->name),
                                  "kernel `%.*s` uses %u registers, the limit was %u",
                                  STR_ARG(k->name), (unsigned)k->registers, p->max_registers);
    diag_help(d, "the limit has no effect on kernels with a block size; use `min_blocks` there");
  }
}

static bool judge(struct diag_sink *s, const struct jit_result *r, const struct link_policy *p,
                  const struct link_expect *e, struct link_report *report) {
  str product = {(const char *)r->product.p, r->product.n};
  if (p->want_ptx) {
    /* The text ends with the library's own zero byte. */
    while (product.n > 0 && product.p[product.n - 1] == 0) {
      product.n--;
    }
    return link_check_ptx(s, product, p->arch, e);
  }
  if (!cubin_open(s, &report->arena, STR("the linker's product"), product, &report->cubin)) {
    return false;
  }
  check_registers(s, &report->cubin, p, e);
  return finalizer_check(s, &report->cubin, p->arch, e);
}

static void fill_report(const struct link_set *set, const struct jit_result *r,
                        struct link_report *report) {
  report->info_log = arena_str(&report->arena, sb_str(&r->info_log));
  report->n_linked = set->n;
  report->n_duplicates = set->n_duplicates;
  report->link_ns += r->ns;
}

bool finalizer_link(struct diag_sink *s, struct cuda_session *cs, const struct link_input *inputs,
                    size_t n_inputs, const struct link_policy *policy,
                    const struct link_expect *expect, struct bytes *out,
                    struct link_report *report) {
  struct link_set set;
  struct jit_result r = {0};
  struct link_expect nothing = {0};
  const struct link_expect *e = expect == NULL ? &nothing : expect;
  *out = (struct bytes){0};
  *report = (struct link_report){0};
  bool ok = check_policy(s, policy) &&
            link_prepare(s, &report->arena, inputs, n_inputs, policy->arch, &set) &&
            check_externals(s, cs, &set, policy, e, &report->arena) &&
            run(s, cs, &set, policy, policy->want_ptx, e, &report->arena, &r);
  if (ok) {
    fill_report(&set, &r, report);
    ok = judge(s, &r, policy, e, report);
  }
  if (ok) {
    *out = r.product;
    r.product = (struct bytes){0};
    while (policy->want_ptx && out->n > 0 && out->p[out->n - 1] == 0) {
      out->n--;
    }
  } else {
    report->cubin = (struct cubin){0};
  }
  jit_result_free(&r);
  return ok;
}

void link_report_free(struct link_report *r) {
  arena_free(&r->arena);
}

void finalizer_hash_policy(struct hasher *h, const struct link_policy *p) {
  hash_field(h, STR("link.arch"), str_from(target_sm(p->arch).z));
  hash_field_u64(h, STR("link.fmad"), p->fmad);
  hash_field_u64(h, STR("link.opt"), p->opt);
  hash_field_u64(h, STR("link.line_info"), p->line_info);
  hash_field_u64(h, STR("link.debug"), p->debug);
  hash_field_u64(h, STR("link.max_registers"), p->max_registers);
  hash_field_u64(h, STR("link.ptx"), p->want_ptx);
  hash_field_u64(h, STR("link.prune"), p->prune_variables);
  for (size_t i = 0; i < p->n_keep_variables; i++) {
    hash_field(h, STR("link.keep"), p->keep_variables[i]);
  }
  for (size_t i = 0; i < p->n_extra; i++) {
    hash_field(h, STR("link.extra"), str_from(p->extra[i]));
  }
}
