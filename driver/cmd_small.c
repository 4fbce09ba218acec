/* The small commands: check, doctor, explain. */
#include <stdio.h>
#include <string.h>

#include "callbacks/admit.h"
#include "driver/compile_native.h"
#include "ir/pmir_summary.h"
#include "linkers/doctor.h"

/* A dump that nothing can be made of is more likely a mistake than something to be content with. */
static bool has_roots(struct compile *c) {
  if (!c->m || c->m->n_kernels || pm_has_exports(c->m))
    return true;
  struct diag *d = diag_error(&c->s->sink, MD0019, SPAN_NONE,
                              "neither a kernel nor a function for other device code in `%s`", c->input);
  diag_help(d, "mark a function with `#[mirdc::kernel]`, or name one with `--entry PATH`");
  return false;
}

static bool write_list(struct compile *c) {
  struct session *s = c->s;
  const char *path = option_value(&s->options, OPT_DEPENDS, NULL);
  struct depends d = {0};
  if (path) {
    depends_self(&d);
    compile_native_list(c, &d);
  }
  bool ok = !path || depends_write(&d, &s->sink, path);
  depends_free(&d);
  return ok;
}

int cmd_check(struct session *s) {
  struct compile c = {.s = s, .arena = &s->arena};
  bool ok = compile_take_input(&c) && has_roots(&c) && compile_find_natives(&c);
  if (ok) {
    struct strbuf b = {0};
    if (s->json) {
      pmir_summary_json(c.m, &b);
      admit_list_json(c.m, &b);
    } else if (!s->quiet) {
      pmir_summary_text(c.m, &b);
      admit_list_text(c.m, &b);
    }
    fputs(sb_z(&b), stdout);
    sb_free(&b);
    ok = write_list(&c);
  }
  compile_release_natives(&c);
  if (c.m)
    pmir_free(c.m);
  bytes_free(&c.dump);
  return ok ? EXIT_DONE : EXIT_DIAGNOSED;
}

int cmd_doctor(struct session *s) {
  struct store *store = store_open(&s->sink, option_value(&s->options, OPT_CACHE, NULL));
  struct cuda_options co = {.toolkit = option_value(&s->options, OPT_CUDA, NULL), .store = store};
  struct cuda_session *cs = cuda_session_new(&co);
  struct doctor_report r;
  doctor_examine(cs, &s->arena, &r);
  struct lower_api api;
  bool lowering = compile_open_lowering(&s->sink, &s->arena, &api);
  if (s->json) {
    struct jsonw w;
    jw_init(&w, true);
    doctor_json(cs, &r, &w);
    printf("%s\n", sb_z(&w.out));
    jw_free(&w);
  } else {
    struct strbuf b = {0};
    doctor_text(cs, &r, s->verbose, &b);
    sb_addf(&b, "lowering (LLVM 14): %s\n", lowering ? "found" : "missing");
    fputs(sb_z(&b), stdout);
    sb_free(&b);
  }
  cuda_session_free(cs);
  store_close(store);
  return r.ok && lowering ? EXIT_DONE : EXIT_DIAGNOSED;
}

int cmd_explain(struct session *s) {
  if (s->options.args.n != 1) {
    diag_error(&s->sink, MD0013, SPAN_NONE, "`mirdc explain` takes one code");
    return EXIT_USAGE;
  }
  const char *name = s->options.args.p[0];
  const struct diag_code_info *i = diag_code_find(str_from(name));
  if (!i) {
    struct diag *d = diag_error(&s->sink, MD0015, SPAN_NONE, "there is no diagnostic `%s`", name);
    diag_help(d, "codes look like `MD0203`; docs/diagnostics.md lists them all");
    return EXIT_DIAGNOSED;
  }
  printf("%s: %s\n\n%s\n", i->name, i->title, i->explanation);
  return EXIT_DONE;
}
