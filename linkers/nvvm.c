/* libNVVM: verify, compile, check the product. */
#include "linkers/nvvm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "linkers/link_input.h"
#include "linkers/tool_log.h"

typedef void *nvvm_program;

/* Looked up by name; results are the library's own numbers, 0 is success. */
struct nvvm_api {
  int (*version)(int *, int *);
  int (*ir_version)(int *, int *, int *, int *);
  int (*create)(nvvm_program *);
  int (*destroy)(nvvm_program *);
  int (*add)(nvvm_program, const char *, size_t, const char *);
  int (*lazy_add)(nvvm_program, const char *, size_t, const char *);
  int (*verify)(nvvm_program, int, const char **);
  int (*compile)(nvvm_program, int, const char **);
  int (*result_size)(nvvm_program, size_t *);
  int (*result)(nvvm_program, char *);
  int (*log_size)(nvvm_program, size_t *);
  int (*log)(nvvm_program, char *);
};

/* POSIX's way to turn an object pointer into a function pointer. */
static bool load(struct diag_sink *s, struct cuda_session *cs, void *lib, const char *name,
                 void *slot) {
  void *f = cuda_need_function(s, cs, CUDA_NVVM, lib, name);
  memcpy(slot, &f, sizeof f);
  return f != NULL;
}

static bool load_api(struct diag_sink *s, struct cuda_session *cs, struct nvvm_api *api) {
  void *lib = cuda_library(s, cs, CUDA_NVVM);
  return lib != NULL && load(s, cs, lib, "nvvmVersion", &api->version) &&
         load(s, cs, lib, "nvvmIRVersion", &api->ir_version) &&
         load(s, cs, lib, "nvvmCreateProgram", &api->create) &&
         load(s, cs, lib, "nvvmDestroyProgram", &api->destroy) &&
         load(s, cs, lib, "nvvmAddModuleToProgram", &api->add) &&
         load(s, cs, lib, "nvvmLazyAddModuleToProgram", &api->lazy_add) &&
         load(s, cs, lib, "nvvmVerifyProgram", &api->verify) &&
         load(s, cs, lib, "nvvmCompileProgram", &api->compile) &&
         load(s, cs, lib, "nvvmGetCompiledResultSize", &api->result_size) &&
         load(s, cs, lib, "nvvmGetCompiledResult", &api->result) &&
         load(s, cs, lib, "nvvmGetProgramLogSize", &api->log_size) &&
         load(s, cs, lib, "nvvmGetProgramLog", &api->log);
}

static bool ask_version(struct diag_sink *s, const struct nvvm_api *api, int lib[2], int ir[4]) {
  if (api->version(&lib[0], &lib[1]) == 0 && api->ir_version(&ir[0], &ir[1], &ir[2], &ir[3]) == 0) {
    return true;
  }
  diag_error(s, MD0402, SPAN_NONE, "libNVVM does not tell its version");
  return false;
}

bool nvvm_version(struct diag_sink *s, struct cuda_session *cs, int lib[2], int ir[4]) {
  struct nvvm_api api;
  return load_api(s, cs, &api) && ask_version(s, &api, lib, ir);
}

/* Minor IR versions may grow; a module of ours says 2.0 and a newer reader takes it. */
static bool check_version(struct diag_sink *s, const struct nvvm_api *api) {
  int lib[2], ir[4];
  if (!ask_version(s, api, lib, ir)) {
    return false;
  }
  if (ir[0] == 2) {
    return true;
  }
  struct diag *d = diag_error(s, MD0403, SPAN_NONE, "libNVVM reads NVVM IR %d.%d, mirdc writes 2.0",
                              ir[0], ir[1]);
  diag_help(d, "name a CUDA toolkit 13.0 with `--cuda DIR`");
  return false;
}

static bool name_ok(str name) {
  for (size_t i = 0; i < name.n; i++) {
    char c = name.p[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && (c == 0 || strchr("._$-", c) == NULL)) {
      return false;
    }
  }
  return name.n > 0 && name.n < 256;
}

static void take_log(const struct nvvm_api *api, nvvm_program p, struct strbuf *log) {
  size_t n = 0;
  if (api->log_size(p, &n) != 0 || n == 0 || n > TOOL_LOG_MAX) {
    return;
  }
  char *z = xmalloc(n + 1);
  memset(z, 0, n + 1);
  if (api->log(p, z) == 0) {
    sb_addz(log, z);
  }
  free(z);
}

/* "saxpy.nvvm (5, 25): parse expected '('" points into our text: shows that line. */
static void show_line(struct diag *d, const struct nvvm_module *m, str log) {
  str line;
  size_t n = strlen(m->name);
  while (str_next_line(&log, &line)) {
    unsigned row = 0, col = 0;
    char position[32] = {0};
    if (!str_starts(line, str_from(m->name)) || line.n < n + 3) {
      continue;
    }
    str at = str_sub(line, n, n + sizeof position - 1);
    memcpy(position, at.p, at.n);
    if (sscanf(position, " (%9u, %9u)", &row, &col) != 2 || row == 0) {
      continue;
    }
    str rest = m->text, text = STR_NULL;
    for (unsigned i = 0; i < row; i++) {
      if (!str_next_line(&rest, &text)) {
        return;
      }
    }
    diag_snippet(d, str_from(m->name), str_sub(text, 0, 400), row, col);
    return;
  }
}

static void report(struct diag_sink *s, const struct nvvm_api *api, nvvm_program p,
                   enum diag_code code, const struct nvvm_module *m, int rc) {
  struct strbuf log = {0};
  take_log(api, p, &log);
  struct diag *d = diag_error(s, code, SPAN_NONE, "libNVVM %s `%s`",
                              code == MD0410 ? "refuses" : "failed to compile", m->name);
  tool_log_notes(d, "libNVVM", sb_str(&log), rc);
  show_line(d, m, sb_str(&log));
  sb_free(&log);
}

static bool product_ok(struct diag_sink *s, const struct nvvm_module *m, struct target want,
                       str product) {
  struct target made;
  const char *why = NULL;
  if (product.n == 0) {
    why = "it is empty";
  } else if (!ltoir_well_formed(product)) {
    why = "it does not have the form of LTO-IR";
  } else if (!link_input_arch(LINK_LTOIR, product, &made) || made.cc != want.cc) {
    why = "it is for another target";
  }
  if (why == NULL) {
    return true;
  }
  struct diag *d =
      diag_error(s, MD0412, SPAN_NONE,
                 "libNVVM reported success for `%s`, but the product is wrong: %s", m->name, why);
  diag_help(d, "the library is damaged or not NVIDIA's; reinstall the toolkit or name another one "
               "with `--cuda DIR`");
  return false;
}

static bool take_product(struct diag_sink *s, const struct nvvm_api *api, nvvm_program p,
                         const struct nvvm_module *m, struct target want, struct bytes *out) {
  size_t n = 0;
  if (api->result_size(p, &n) != 0 || n > (size_t)1 << 31) {
    n = 0;
  }
  char *z = xmalloc(n + 1);
  memset(z, 0, n + 1);
  bool got = n > 0 && api->result(p, z) == 0;
  if (!product_ok(s, m, want, (str){z, got ? n : 0})) {
    free(z);
    return false;
  }
  *out = (struct bytes){(uint8_t *)z, n};
  return true;
}

static bool add_modules(struct diag_sink *s, struct cuda_session *cs, const struct nvvm_api *api,
                        nvvm_program p, const struct nvvm_module *m, const struct nvvm_options *o) {
  int rc = api->add(p, m->text.p, m->text.n, m->name);
  if (rc != 0) {
    report(s, api, p, MD0410, m, rc);
    return false;
  }
  str libdevice;
  if (!o->needs_libdevice) {
    return true;
  }
  if (!cuda_file(s, cs, CUDA_LIBDEVICE, &libdevice)) {
    return false;
  }
  rc = api->lazy_add(p, libdevice.p, libdevice.n, "libdevice");
  if (rc != 0) {
    struct diag *d = diag_error(s, MD0411, SPAN_NONE, "libNVVM does not take libdevice");
    tool_log_notes(d, "libNVVM", STR_NULL, rc);
  }
  return rc == 0;
}

static bool run(struct diag_sink *s, const struct nvvm_api *api, nvvm_program p,
                const struct nvvm_module *m, const struct nvvm_options *o, struct bytes *out) {
  char arch[32];
  snprintf(arch, sizeof arch, "-arch=%s", target_compute(o->arch).z);
  const char *options[4] = {arch, "-gen-lto"};
  int n = 2;
  if (o->debug) {
    options[n++] = "-g";
  }
  if (o->debug || o->opt == 0) {
    options[n++] = "-opt=0";
  }
  int rc = api->verify(p, 1, options);
  if (rc != 0) {
    report(s, api, p, MD0410, m, rc);
    return false;
  }
  rc = api->compile(p, n, options);
  if (rc != 0) {
    report(s, api, p, MD0411, m, rc);
    return false;
  }
  return take_product(s, api, p, m, o->arch, out);
}

bool nvvm_compile(struct diag_sink *s, struct cuda_session *cs, const struct nvvm_module *m,
                  const struct nvvm_options *o, struct bytes *out) {
  struct nvvm_api api;
  nvvm_program p = NULL;
  *out = (struct bytes){0};
  if (!name_ok(str_from(m->name))) {
    diag_error(s, MD0413, SPAN_NONE, "`%s` cannot be a module's logical name", m->name);
    return false;
  }
  if (!load_api(s, cs, &api) || !check_version(s, &api)) {
    return false;
  }
  if (api.create(&p) != 0 || p == NULL) {
    diag_error(s, MD0411, SPAN_NONE, "libNVVM cannot make a program");
    return false;
  }
  bool ok = add_modules(s, cs, &api, p, m, o) && run(s, &api, p, m, o, out);
  api.destroy(&p);
  return ok;
}
