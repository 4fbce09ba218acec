/* `mirdc link`: the finalizer alone, on files in the order given. */
#include <stdio.h>
#include <string.h>

#include "base/ending.h"
#include "driver/compile.h"

struct link_job {
  struct session *s;
  struct link_input *in;
  struct bytes *files;
  size_t n;
  struct link_policy policy;
  const char *out;
};

static bool take_files(struct link_job *j) {
  j->n = j->s->options.args.n;
  if (j->n == 0) {
    diag_error(&j->s->sink, MD0013, SPAN_NONE, "`mirdc link` needs at least one input");
    return false;
  }
  j->in = arena_array(&j->s->arena, struct link_input, j->n);
  j->files = arena_array(&j->s->arena, struct bytes, j->n);
  for (size_t i = 0; i < j->n; i++) {
    const char *path = j->s->options.args.p[i];
    if (fs_same_file(path, j->out)) {
      diag_error(&j->s->sink, MD0016, SPAN_NONE, "the output `%s` is the input `%s`", j->out, path);
      return false;
    }
    if (!fs_read(&j->s->sink, path, 0, &j->files[i]))
      return false;
    j->in[i] = (struct link_input){.name = path_base(str_from(path)),
                                   .path = str_from(path),
                                   .bytes = {(const char *)j->files[i].p, j->files[i].n}};
  }
  return true;
}

static bool plan(struct link_job *j) {
  static const char *const on_off[] = {"off", "on", NULL};
  struct session *s = j->s;
  struct link_policy *p = &j->policy;
  uint64_t regs;
  unsigned fmad;
  p->debug = option_given(&s->options, OPT_DEBUG);
  p->line_info = option_given(&s->options, OPT_LINES);
  if (!target_require(&s->sink, str_from(option_value(&s->options, OPT_ARCH, "sm_90")), &p->arch) ||
      !option_opt_level(&s->sink, &s->options, p->debug, &p->opt) ||
      !option_number(&s->sink, &s->options, OPT_REGS, 0, 255, 0, &regs) ||
      !option_choice(&s->sink, &s->options, OPT_FMAD, on_off, 1, &fmad))
    return false;
  p->max_registers = (unsigned)regs;
  p->fmad = fmad == 1;
  j->out = option_value(&s->options, OPT_OUTPUT, "a.cubin");
  p->want_ptx = str_ends(str_from(j->out), STR(".ptx"));
  return true;
}

static void report(struct link_job *j, const struct link_report *r, size_t size) {
  struct strbuf b = {0};
  for (uint32_t i = 0; !j->policy.want_ptx && i < r->cubin.n_kernels; i++) {
    sb_addf(&b, "kernel %.*s: ", STR_ARG(r->cubin.kernels[i].name));
    cubin_kernel_text(&b, &r->cubin.kernels[i]);
    sb_addc(&b, '\n');
  }
  sb_addf(&b, "wrote %s (", j->out);
  sb_add_size(&b, size);
  session_say(j->s, "%s)\n", sb_z(&b));
  sb_free(&b);
}

static bool write_output(struct link_job *j, str image) {
  struct diag_sink *s = &j->s->sink;
  struct fs_stage *st = fs_stage_new();
  bool ok = fs_stage_file(st, s, j->out, image) && ending_settle(s) && fs_publish(st, s);
  fs_stage_free(st);
  return ok;
}

static bool link_and_write(struct link_job *j) {
  struct session *s = j->s;
  struct store *store = store_open(&s->sink, option_value(&s->options, OPT_CACHE, NULL));
  struct cuda_options co = {.toolkit = option_value(&s->options, OPT_CUDA, NULL), .store = store};
  struct cuda_session *cs = cuda_session_new(&co);
  struct link_expect none = {.check_externals = true};
  struct bytes out = {0};
  struct link_report r = {0};
  bool ok = finalizer_link(&s->sink, cs, j->in, j->n, &j->policy, &none, &out, &r) &&
            write_output(j, (str){(const char *)out.p, out.n});
  if (ok)
    report(j, &r, out.n);
  link_report_free(&r);
  bytes_free(&out);
  cuda_session_free(cs);
  store_close(store);
  return ok;
}

static bool show_plan(struct link_job *j) {
  for (size_t i = 0; i < j->n; i++)
    session_say(j->s, "would link %s\n", j->s->options.args.p[i]);
  session_say(j->s, "would write %s for %s\n", j->out, target_sm(j->policy.arch).z);
  return true;
}

int cmd_link(struct session *s) {
  struct link_job j = {.s = s};
  bool ok = plan(&j) && take_files(&j) &&
            (option_given(&s->options, OPT_DRY) ? show_plan(&j) : link_and_write(&j));
  for (size_t i = 0; j.files && i < j.n; i++)
    bytes_free(&j.files[i]);
  return ok ? EXIT_DONE : EXIT_DIAGNOSED;
}
