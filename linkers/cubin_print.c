/* A kernel's resources for people and for programs. */
#include "base/jsonw.h"
#include "linkers/cubin.h"

static void number(struct jsonw *w, const char *key, uint32_t v) {
  jw_ku32_or_null(w, key, v, CUBIN_UNKNOWN);
}

static void triple(struct jsonw *w, const char *key, const uint32_t v[3]) {
  if (v[0] != 0) {
    jw_kdims(w, key, v);
    return;
  }
  jw_key(w, key);
  jw_null(w);
}

static void params(struct jsonw *w, const struct cubin_kernel *k) {
  jw_key(w, "params");
  jw_array(w);
  for (uint32_t i = 0; i < k->n_params; i++) {
    jw_object(w);
    jw_ku64(w, "offset", k->params[i].offset);
    jw_ku64(w, "size", k->params[i].size);
    jw_end_object(w);
  }
  jw_end_array(w);
}

void cubin_kernel_json(struct jsonw *w, const struct cubin_kernel *k) {
  jw_object(w);
  jw_kstr(w, "name", k->name);
  jw_ku64(w, "code_bytes", k->code_size);
  number(w, "registers", k->registers);
  number(w, "max_registers", k->max_registers);
  number(w, "stack_frame_bytes", k->frame_bytes);
  number(w, "min_stack_bytes", k->min_stack_bytes);
  jw_ku64(w, "local_store_bytes", k->local_store_bytes);
  jw_ku64(w, "local_load_bytes", k->local_load_bytes);
  number(w, "shared_static_bytes", k->shared_static);
  number(w, "constant_bytes", k->const_bank[0]);
  number(w, "constant_local_bytes", k->const_bank[2]);
  number(w, "barriers", k->barriers);
  number(w, "param_bytes", k->param_bytes);
  params(w, k);
  triple(w, "block", k->reqntid);
  triple(w, "max_block", k->max_threads);
  triple(w, "cluster", k->cluster);
  jw_end_object(w);
}

static void item(struct strbuf *out, const char *label, uint32_t v) {
  if (v == CUBIN_UNKNOWN) {
    sb_addf(out, "%s unknown", label);
  } else {
    sb_addf(out, "%s %u", label, (unsigned)v);
  }
}

void cubin_kernel_text(struct strbuf *out, const struct cubin_kernel *k) {
  item(out, "registers", k->registers);
  item(out, ", stack", k->frame_bytes);
  if (k->local_store_bytes || k->local_load_bytes)
    sb_addf(out, ", local stores %u, local loads %u", k->local_store_bytes, k->local_load_bytes);
  item(out, ", shared", k->shared_static);
  item(out, ", constant", k->const_bank[0]);
  item(out, ", barriers", k->barriers);
  item(out, ", params", k->param_bytes);
  sb_addf(out, ", code %llu", (unsigned long long)k->code_size);
  if (k->reqntid[0] != 0) {
    sb_addf(out, ", block %ux%ux%u", (unsigned)k->reqntid[0], (unsigned)k->reqntid[1],
            (unsigned)k->reqntid[2]);
  }
  if (k->max_threads[0] != 0) {
    sb_addf(out, ", max block %ux%ux%u", (unsigned)k->max_threads[0], (unsigned)k->max_threads[1],
            (unsigned)k->max_threads[2]);
  }
  if (k->cluster[0] != 0) {
    sb_addf(out, ", cluster %ux%ux%u", (unsigned)k->cluster[0], (unsigned)k->cluster[1],
            (unsigned)k->cluster[2]);
  }
}
