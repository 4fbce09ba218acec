/* What was found where. */
#include "linkers/doctor.h"

#include <string.h>

#include "base/proc.h"
#include "linkers/nvjitlink.h"
#include "linkers/nvvm.h"

static bool nvrtc_version(struct diag_sink *s, struct cuda_session *cs, int v[2]) {
  void *lib = cuda_library(s, cs, CUDA_NVRTC);
  void *f = lib == NULL ? NULL : cuda_need_function(s, cs, CUDA_NVRTC, lib, "nvrtcVersion");
  int (*version)(int *, int *) = NULL;
  memcpy(&version, &f, sizeof f);
  return version != NULL && version(&v[0], &v[1]) == 0;
}

/* "Cuda compilation tools, release 13.0, V13.0.88" -> 13.0.88 */
static str ptxas_version(struct diag_sink *s, struct arena *a, const char *path) {
  struct proc_cmd c;
  struct proc_result r;
  str found = STR_NULL;
  proc_init(&c, a, path);
  proc_arg(&c, "--version");
  if (!proc_run(s, &c, &r)) {
    return found;
  }
  str out = sb_str(&r.out);
  size_t at = str_find(out, STR(", V"), 0);
  if (r.status == 0 && at != SIZE_MAX) {
    str rest = str_drop(out, at + 3);
    size_t end = 0;
    while (end < rest.n && (rest.p[end] == '.' || (rest.p[end] >= '0' && rest.p[end] <= '9'))) {
      end++;
    }
    found = arena_str(a, str_sub(rest, 0, end));
  }
  proc_result_free(&r);
  return found;
}

static str version_of(struct diag_sink *s, struct cuda_session *cs, struct arena *a,
                      enum cuda_part p, const char *path) {
  int lib[2], ir[4];
  unsigned v[2];
  switch (p) {
  case CUDA_NVVM:
    return nvvm_version(s, cs, lib, ir)
               ? arena_printf(a, "%d.%d, reads NVVM IR %d.%d", lib[0], lib[1], ir[0], ir[1])
               : STR_NULL;
  case CUDA_NVJITLINK:
    return nvjitlink_version(s, cs, v) ? arena_printf(a, "%u.%u", v[0], v[1]) : STR_NULL;
  case CUDA_NVRTC:
    return nvrtc_version(s, cs, lib) ? arena_printf(a, "%d.%d", lib[0], lib[1]) : STR_NULL;
  case CUDA_PTXAS:
    return ptxas_version(s, a, path);
  case CUDA_HEADERS:
    return arena_str(a, cuda_toolkit_version(cs));
  case CUDA_CCCL:
    return arena_str(a, cuda_cccl_version(cs));
  default:
    return STR_NULL;
  }
}

static void examine(struct cuda_session *cs, struct arena *a, enum cuda_part p,
                    struct doctor_part *out) {
  struct diag_sink quiet;
  diag_sink_init(&quiet, NULL);
  struct cuda_location at;
  *out = (struct doctor_part){.required = p == CUDA_NVVM || p == CUDA_NVJITLINK};
  if (cuda_require(&quiet, cs, p, &at)) {
    out->at = at;
    out->version = version_of(&quiet, cs, a, p, at.path);
  }
  if (quiet.first != NULL) {
    const struct diag *d = quiet.first;
    out->problem = arena_str(a, d->message);
  }
  diag_sink_free(&quiet);
}

void doctor_examine(struct cuda_session *cs, struct arena *a, struct doctor_report *out) {
  *out = (struct doctor_report){.ok = true};
  for (int p = 0; p < CUDA_PART_COUNT; p++) {
    examine(cs, a, (enum cuda_part)p, &out->parts[p]);
    if (out->parts[p].required && out->parts[p].problem.n > 0) {
      out->ok = false;
    }
  }
  out->toolkit_version = arena_str(a, cuda_toolkit_version(cs));
}

static void attempts_text(struct cuda_session *cs, enum cuda_part p, struct strbuf *out) {
  const struct cuda_attempt *at;
  size_t n = cuda_attempts(cs, p, &at);
  for (size_t i = 0; i < n; i++) {
    sb_addf(out, "      %s ", at[i].found ? "found" : "not  ");
    sb_add_visible(out, str_from(at[i].path));
    sb_addf(out, " (%s)\n", at[i].how);
  }
}

void doctor_text(struct cuda_session *cs, const struct doctor_report *r, bool verbose,
                 struct strbuf *out) {
  for (int i = 0; i < CUDA_PART_COUNT; i++) {
    enum cuda_part p = (enum cuda_part)i;
    const struct doctor_part *d = &r->parts[i];
    bool works = d->problem.n == 0;
    sb_addf(out, "%s %-13s",
            works         ? "ok     "
            : d->required ? "MISSING"
                          : "absent ",
            cuda_part_name(p));
    if (d->at.path != NULL) {
      sb_addf(out, " %.*s%s", STR_ARG(d->version), d->version.n > 0 ? "  " : "");
      sb_add_visible(out, str_from(d->at.path));
      sb_addf(out, " (%s)", d->at.how);
    }
    sb_addc(out, '\n');
    if (!works) {
      sb_addz(out, "      ");
      sb_add_visible(out, d->problem);
      sb_addf(out, "\n      get it as %s\n", cuda_part_remedy(p));
    }
    if (verbose || d->at.path == NULL) {
      attempts_text(cs, p, out);
    }
  }
}

static void attempts_json(struct cuda_session *cs, enum cuda_part p, struct jsonw *w) {
  const struct cuda_attempt *at;
  size_t n = cuda_attempts(cs, p, &at);
  jw_key(w, "tried");
  jw_array(w);
  for (size_t i = 0; i < n; i++) {
    jw_object(w);
    jw_kz(w, "path", at[i].path);
    jw_kz(w, "how", at[i].how);
    jw_kbool(w, "found", at[i].found);
    jw_end_object(w);
  }
  jw_end_array(w);
}

static void optional(struct jsonw *w, const char *key, str v) {
  jw_key(w, key);
  if (v.n == 0) {
    jw_null(w);
  } else {
    jw_str(w, v);
  }
}

void doctor_json(struct cuda_session *cs, const struct doctor_report *r, struct jsonw *w) {
  jw_object(w);
  jw_kbool(w, "ok", r->ok);
  optional(w, "toolkit", r->toolkit_version);
  jw_key(w, "parts");
  jw_array(w);
  for (int i = 0; i < CUDA_PART_COUNT; i++) {
    enum cuda_part p = (enum cuda_part)i;
    const struct doctor_part *d = &r->parts[i];
    jw_object(w);
    jw_kz(w, "name", cuda_part_name(p));
    jw_kz(w, "purpose", cuda_part_purpose(p));
    jw_kbool(w, "required", d->required);
    jw_kbool(w, "works", d->problem.n == 0);
    optional(w, "path", str_from(d->at.path));
    optional(w, "how", str_from(d->at.how));
    optional(w, "version", d->version);
    optional(w, "problem", d->problem);
    jw_kz(w, "remedy", cuda_part_remedy(p));
    attempts_json(cs, p, w);
    jw_end_object(w);
  }
  jw_end_array(w);
  jw_end_object(w);
}
