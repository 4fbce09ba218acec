/* NVRTC: compile, take the log, check the product. */
#include "linkers/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fatal.h"
#include "linkers/link_input.h"
#include "linkers/tool_log.h"

typedef void *nvrtc_program;
enum { NVRTC_COMPILATION = 6 }; /* the library's number for an error in the source */

struct nvrtc_api {
  int (*create)(nvrtc_program *, const char *, const char *, int, const char *const *,
                const char *const *);
  int (*destroy)(nvrtc_program *);
  int (*compile)(nvrtc_program, int, const char *const *);
  int (*lto_size)(nvrtc_program, size_t *);
  int (*lto)(nvrtc_program, char *);
  int (*log_size)(nvrtc_program, size_t *);
  int (*log)(nvrtc_program, char *);
  const char *(*words)(int);
};

static bool load(struct diag_sink *s, struct cuda_session *cs, void *lib, const char *name,
                 void *slot) {
  void *f = cuda_need_function(s, cs, CUDA_NVRTC, lib, name);
  memcpy(slot, &f, sizeof f);
  return f != NULL;
}

static bool load_api(struct diag_sink *s, struct cuda_session *cs, struct nvrtc_api *api) {
  void *lib = cuda_library(s, cs, CUDA_NVRTC);
  return lib != NULL && load(s, cs, lib, "nvrtcCreateProgram", &api->create) &&
         load(s, cs, lib, "nvrtcDestroyProgram", &api->destroy) &&
         load(s, cs, lib, "nvrtcCompileProgram", &api->compile) &&
         load(s, cs, lib, "nvrtcGetLTOIRSize", &api->lto_size) &&
         load(s, cs, lib, "nvrtcGetLTOIR", &api->lto) &&
         load(s, cs, lib, "nvrtcGetProgramLogSize", &api->log_size) &&
         load(s, cs, lib, "nvrtcGetProgramLog", &api->log) &&
         load(s, cs, lib, "nvrtcGetErrorString", &api->words);
}

enum { MAX_OPTIONS = 8 };
struct option_list {
  const char *p[MAX_OPTIONS];
  int n;
  char arch[40];
};

static void make_options(const struct nvrtc_options *o, struct option_list *out) {
  static const char *const fixed[] = {"-dlto", "--relocatable-device-code=true", "-std=c++17",
                                      "--no-source-include"};
  snprintf(out->arch, sizeof out->arch, "--gpu-architecture=compute_%u", o->cc);
  out->n = 0;
  out->p[out->n++] = out->arch;
  for (size_t i = 0; i < COUNT_OF(fixed); i++)
    out->p[out->n++] = fixed[i];
  if (o->line_info)
    out->p[out->n++] = "-lineinfo";
}

bool nvrtc_identity(struct diag_sink *s, struct cuda_session *cs, const struct nvrtc_options *o,
                    struct digest *out) {
  struct digest library;
  struct option_list list;
  if (!cuda_part_digest(s, cs, CUDA_NVRTC, &library))
    return false;
  make_options(o, &list);
  struct hasher *h = hash_new();
  hash_field(h, STR("nvrtc"), (str){(const char *)library.b, 32});
  for (int i = 0; i < list.n; i++)
    hash_field(h, STR("option"), str_from(list.p[i]));
  *out = hash_finish(h);
  return true;
}

static void take_log(const struct nvrtc_api *api, nvrtc_program p, struct strbuf *log) {
  size_t n = 0;
  if (api->log_size(p, &n) != 0 || n == 0 || n > TOOL_LOG_MAX)
    return;
  char *z = xmalloc(n + 1);
  memset(z, 0, n + 1);
  if (api->log(p, z) == 0)
    sb_addz(log, z);
  free(z);
}

static bool take_product(struct diag_sink *s, const struct nvrtc_api *api, nvrtc_program p,
                         const struct nvrtc_source *src, unsigned cc, struct bytes *out) {
  size_t n = 0;
  struct target made;
  if (api->lto_size(p, &n) != 0 || n > (size_t)1 << 31)
    n = 0;
  char *z = xmalloc(n + 1);
  memset(z, 0, n + 1);
  str product = {z, n};
  if (n > 0 && api->lto(p, z) == 0 && ltoir_well_formed(product) &&
      link_input_arch(LINK_LTOIR, product, &made) && made.cc == cc) {
    *out = (struct bytes){(uint8_t *)z, n};
    return true;
  }
  free(z);
  struct diag *d = diag_error(s, MD0712, SPAN_NONE,
                              "NVRTC reported success for `%s`, but the product is no LTO-IR for compute_%u",
                              src->name, cc);
  diag_help(d, "the library is damaged or not NVIDIA's; reinstall the toolkit or name another one "
               "with `--cuda DIR`");
  return false;
}

static enum nvrtc_outcome unusable(struct diag_sink *s, const struct nvrtc_api *api, int rc,
                                   const struct nvrtc_source *src, str log) {
  struct diag *d = diag_error(s, MD0718, SPAN_NONE, "NVRTC cannot compile `%s`", src->name);
  const char *words = api->words(rc);
  diag_note(d, "the library says: %s", words ? words : "nothing");
  if (log.n)
    tool_log_notes(d, "NVRTC", log, rc);
  return NVRTC_FAILED;
}

enum nvrtc_outcome nvrtc_compile(struct diag_sink *s, struct cuda_session *cs,
                                 const struct nvrtc_source *src, const struct nvrtc_options *o,
                                 struct bytes *out, struct strbuf *log) {
  struct nvrtc_api api;
  struct option_list list;
  nvrtc_program p = NULL;
  *out = (struct bytes){0};
  if (!load_api(s, cs, &api))
    return NVRTC_FAILED;
  int rc = api.create(&p, src->text.p, src->name, (int)src->n_headers, src->header_texts,
                      src->header_names);
  if (rc != 0)
    return unusable(s, &api, rc, src, STR_NULL);
  make_options(o, &list);
  rc = api.compile(p, list.n, list.p);
  take_log(&api, p, log);
  enum nvrtc_outcome outcome = NVRTC_FAILED;
  if (rc == NVRTC_COMPILATION)
    outcome = NVRTC_REFUSED;
  else if (rc != 0)
    outcome = unusable(s, &api, rc, src, sb_str(log));
  else if (take_product(s, &api, p, src, o->cc, out))
    outcome = NVRTC_OK;
  api.destroy(&p);
  return outcome;
}
