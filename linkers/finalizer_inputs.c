/* Everything that is known to go wrong silently inside the library is refused here, before it. */
#include "base/map.h"
#include "linkers/finalizer_impl.h"

static bool recognise(struct diag_sink *s, struct link_input *in) {
  if (in->bytes.n == 0) {
    struct diag *d = diag_error(s, MD0420, SPAN_NONE, "`%.*s` is empty", STR_ARG(in->name));
    diag_help(d, "an empty file is no module; make it again or leave it out");
    return false;
  }
  enum link_kind found = link_kind_of(in->bytes);
  if (in->kind == LINK_UNKNOWN) {
    in->kind = found;
  }
  if (found != LINK_UNKNOWN && found == in->kind) {
    return true;
  }
  struct diag *d;
  if (found == LINK_UNKNOWN) {
    d = diag_error(s, MD0421, SPAN_NONE, "`%.*s` is nothing that can be linked", STR_ARG(in->name));
    if (str_starts(in->bytes, STR("!<thin>\n"))) {
      diag_note(d, "it is a thin archive, which holds only the names of its members");
    }
  } else {
    d = diag_error(s, MD0421, SPAN_NONE, "`%.*s` should be %s and is %s", STR_ARG(in->name),
                   link_kind_name(in->kind), link_kind_name(found));
  }
  diag_help(d, "LTO-IR, PTX, cubin, fatbin, a host object or an archive with device code can be "
               "linked");
  return false;
}

static bool check_digest(struct diag_sink *s, struct link_input *in) {
  struct digest found = hash_of(in->bytes.p, in->bytes.n);
  if (in->has_digest && !digest_eq(&found, &in->digest)) {
    char was[65], is[65];
    digest_hex(&in->digest, was);
    digest_hex(&found, is);
    struct diag *d =
        diag_error(s, MD0422, SPAN_NONE, "`%.*s` is not what was recorded", STR_ARG(in->name));
    diag_note(d, "recorded sha256 %s", was);
    diag_note(d, "found    sha256 %s", is);
    diag_help(d, "make it again");
    return false;
  }
  in->digest = found;
  in->has_digest = true;
  return true;
}

static bool refuse_pair(struct diag_sink *s, const struct link_input *in, struct target code,
                        struct target dst, const char *why) {
  struct diag *d = diag_error(s, MD0423, SPAN_NONE, "`%.*s` is for %s and cannot be linked for %s",
                              STR_ARG(in->name), target_sm(code).z, target_sm(dst).z);
  diag_note(d, "%s", why);
  diag_help(d, "compile it for %s", target_sm(dst).z);
  return false;
}

static bool refuse_finished(struct diag_sink *s, const struct link_input *in) {
  struct diag *d = diag_error(s, MD0442, SPAN_NONE, "`%.*s` is linked already", STR_ARG(in->name));
  diag_note(d, "the linker would drop it and report success");
  diag_help(d, "compile it with `-dc` or `-rdc=true`, best with `-dlto`");
  return false;
}

static bool check_bare(struct diag_sink *s, struct link_input *in, struct target dst) {
  struct target found;
  if (cubin_is_finished(in->bytes)) {
    return refuse_finished(s, in);
  }
  if (!link_input_arch(in->kind, in->bytes, &found)) {
    struct diag *d =
        diag_error(s, MD0421, SPAN_NONE, "`%.*s` does not say its target", STR_ARG(in->name));
    diag_help(d, "it is damaged, or for a GPU that mirdc does not know");
    return false;
  }
  /* LTO-IR does not record `f`; a cubin records no suffix at all. What the caller knows is kept as
   * long as it does not contradict the content. */
  if (in->arch.cc == 0) {
    in->arch = found;
  } else if (in->arch.cc != found.cc || (found.suffix != 0 && found.suffix != in->arch.suffix)) {
    struct diag *d = diag_error(s, MD0421, SPAN_NONE, "`%.*s` should be for %s and is for %s",
                                STR_ARG(in->name), target_sm(in->arch).z, target_sm(found).z);
    diag_help(d, "make it again");
    return false;
  }
  enum code_kind code = in->kind == LINK_LTOIR ? CODE_LTOIR
                        : in->kind == LINK_PTX ? CODE_PTX
                                               : CODE_SASS;
  const char *why = target_pair_refusal(code, in->arch, dst);
  return why == NULL || refuse_pair(s, in, in->arch, dst, why);
}

static bool check_container(struct diag_sink *s, struct arena *a, struct link_input *in,
                            struct target dst, bool *lto) {
  struct link_offer o;
  const char *what = NULL;
  if (!link_offer_of(a, in->kind, in->bytes, dst, &o, &what)) {
    struct diag *d =
        diag_error(s, MD0440, SPAN_NONE, "`%.*s` is damaged: %s", STR_ARG(in->name), what);
    diag_help(d, "make it again");
    return false;
  }
  if (!o.any) {
    struct diag *d =
        diag_error(s, MD0441, SPAN_NONE, "`%.*s` has no device code", STR_ARG(in->name));
    diag_help(d, "leave it out, or compile it with `-dc`");
    return false;
  }
  /* The library prefers LTO-IR, then machine code, then PTX. */
  if (o.finished && !o.lto) {
    return refuse_finished(s, in);
  }
  if (!o.fits) {
    return refuse_pair(s, in, o.one, dst, "none of the code inside fits");
  }
  *lto = *lto || o.lto;
  return true;
}

static bool clean_archive(struct diag_sink *s, struct arena *a, struct link_input *in) {
  const char *what = NULL;
  str kept;
  if (in->kind != LINK_ARCHIVE) {
    return true;
  }
  if (!archive_device_part(a, in->bytes, &kept, &what)) {
    struct diag *d =
        diag_error(s, MD0440, SPAN_NONE, "archive `%.*s`: %s", STR_ARG(in->name), what);
    diag_help(d, "make it again; device code that is no object is an input of its own");
    return false;
  }
  if (kept.p != in->bytes.p) {
    in->bytes = kept;
    in->digest = hash_of(kept.p, kept.n);
  }
  return true;
}

static bool prepare_one(struct diag_sink *s, struct arena *a, struct link_input *in,
                        struct target dst, bool *lto) {
  in->name = arena_str(a, in->name.n == 0 ? STR("input") : in->name);
  if (!recognise(s, in) || !check_digest(s, in)) {
    return false;
  }
  if (in->kind == LINK_FATBIN || in->kind == LINK_OBJECT || in->kind == LINK_ARCHIVE) {
    return check_container(s, a, in, dst, lto) && clean_archive(s, a, in);
  }
  *lto = *lto || in->kind == LINK_LTOIR;
  return check_bare(s, in, dst);
}

bool link_prepare(struct diag_sink *s, struct arena *a, const struct link_input *inputs, size_t n,
                  struct target dst, struct link_set *out) {
  *out = (struct link_set){.inputs = arena_array(a, struct link_input, n + 1), .own = true};
  struct map seen = {0};
  bool ok = true;
  if (n == 0) {
    struct diag *d = diag_error(s, MD0420, SPAN_NONE, "there is nothing to link");
    diag_help(d, "name at least one input");
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    struct link_input *in = &out->inputs[out->n];
    *in = inputs[i];
    if (!prepare_one(s, a, in, dst, &out->lto)) {
      ok = false;
      continue;
    }
    bool fresh;
    map_put(&seen, (str){(const char *)in->digest.b, sizeof in->digest.b}, &fresh);
    /* The key must outlive the entry, which a duplicate's does not need to. */
    if (fresh) {
      out->own = out->own && in->own;
      out->n++;
    } else {
      out->n_duplicates++;
    }
  }
  map_free(&seen);
  return ok;
}
