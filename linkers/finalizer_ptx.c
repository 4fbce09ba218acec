/* Reads linked PTX as far as the checks need it: target, entry points, what is only declared. */
#include "linkers/finalizer_impl.h"

/* The word before `(`, `[`, `;` or `=`, at the end of a declaration's first line. */
static str declared_name(str line) {
  size_t end = 0;
  /* A function's result list comes first: `.extern .func (.param .b32 r) f`. */
  size_t from = 0;
  size_t open = str_find_char(line, '(', 0), close = str_find_char(line, ')', 0);
  if (str_starts(line, STR(".extern .func")) && open != SIZE_MAX && close != SIZE_MAX) {
    from = close + 1;
  }
  end = from;
  while (end < line.n && line.p[end] != '(' && line.p[end] != '[' && line.p[end] != ';' &&
         line.p[end] != '=') {
    end++;
  }
  str head = str_trim(str_sub(line, from, end));
  size_t space = head.n;
  while (space > 0 && head.p[space - 1] != ' ' && head.p[space - 1] != '\t') {
    space--;
  }
  return str_drop(head, space);
}

static void undefined(struct diag_sink *s, const struct link_expect *e, str name,
                      const char *what) {
  struct diag *d = diag_error(s, MD0425, link_symbol_span(e, name),
                              "device %s `%.*s` is not defined", what, STR_ARG(name));
  link_symbol_note(d, e, name);
  diag_help(d, "add the input that defines it with `--extern-lto FILE`");
}

bool link_check_externals(struct diag_sink *s, str ptx, const struct link_expect *e) {
  bool ok = true;
  str line;
  while (str_next_line(&ptx, &line)) {
    line = str_trim(line);
    if (!str_starts(line, STR(".extern "))) {
      continue;
    }
    str name = declared_name(line);
    bool function = str_starts(line, STR(".extern .func"));
    /* Dynamic shared memory is declared this way and needs no definition. */
    bool shared = str_starts(line, STR(".extern .shared"));
    if (!shared && !link_driver_defines(name)) {
      undefined(s, e, name, function ? "function" : "variable");
      ok = false;
    }
  }
  return ok;
}

/* `.visible .entry NAME(`; also `.weak .entry`. */
static bool has_entry(str ptx, str name) {
  str line;
  while (str_next_line(&ptx, &line)) {
    size_t at = str_find(line, STR(".entry "), 0);
    if (at == SIZE_MAX) {
      continue;
    }
    str rest = str_trim(str_drop(line, at + 7));
    if (str_starts(rest, name) &&
        (rest.n == name.n || rest.p[name.n] == '(' || rest.p[name.n] == ' ')) {
      return true;
    }
  }
  return false;
}

static bool unusable(struct diag_sink *s, struct span at, const char *why, str what) {
  struct diag *d = diag_error(s, MD0437, at, "the linked PTX %s`%.*s`", why, STR_ARG(what));
  diag_note(d, "the linker reported success");
  return false;
}

bool link_check_ptx(struct diag_sink *s, str ptx, struct target dst, const struct link_expect *e) {
  struct target found;
  if (link_kind_of(ptx) != LINK_PTX) {
    return unusable(s, SPAN_NONE, "is no PTX: it starts with ", str_sub(ptx, 0, 16));
  }
  if (!link_input_arch(LINK_PTX, ptx, &found) || !target_eq(found, dst)) {
    return unusable(s, SPAN_NONE, "is not for ", str_from(target_sm(dst).z));
  }
  bool ok = e->allow_externals || link_check_externals(s, ptx, e);
  for (size_t i = 0; i < e->n_kernels; i++) {
    if (!has_entry(ptx, e->kernels[i].name)) {
      ok = unusable(s, e->kernels[i].span, "has no entry point ", e->kernels[i].name);
    }
  }
  return ok;
}
