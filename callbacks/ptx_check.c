/* Reads PTX statement by statement, with registers as `%NAME`. What it does not understand of a tracked register is
 * a fault. */
#include "callbacks/ptx_check.h"

#include <string.h>

#include "base/map.h"
#include "base/vec.h"

enum { FROM_ENV = 1, FROM_THUNK = 2 };

struct probe {
  struct arena *a;
  const struct request *r;
  str ptx, body;      /* of the kernel, between its braces */
  VEC(str) code;      /* its statements, each on one line */
  struct map params;  /* name: FROM_ENV or FROM_THUNK, with the number of its callback */
  struct map tracked; /* register: the same */
  str what;
};

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}

/* Takes the next name off a text; empty at its end. */
static str next_name(str *rest) {
  size_t lo = 0, hi;
  while (lo < rest->n && !is_name(rest->p[lo]))
    lo++;
  for (hi = lo; hi < rest->n && is_name(rest->p[hi]);)
    hi++;
  str name = str_sub(*rest, lo, hi);
  *rest = str_drop(*rest, hi);
  return name;
}

static bool mentions(str text, str name) {
  for (size_t at = 0; (at = str_find(text, name, at)) != SIZE_MAX; at += name.n) {
    bool starts = at == 0 || !is_name(text.p[at - 1]);
    bool ends = at + name.n >= text.n || !is_name(text.p[at + name.n]);
    if (starts && ends)
      return true;
  }
  return false;
}

static str without_comment(str line) {
  return str_trim(str_sub(line, 0, str_find(line, STR("//"), 0)));
}

/* Statements may go over several lines. */
static void split(struct probe *p) {
  struct strbuf b = {0};
  str rest = p->body, line;
  while (str_next_line(&rest, &line)) {
    line = without_comment(line);
    if (!line.n)
      continue;
    sb_addf(&b, "%s%.*s", b.n ? " " : "", STR_ARG(line));
    if (!strchr(";{}:", line.p[line.n - 1]))
      continue;
    vec_push(p->a, &p->code, arena_str(p->a, sb_str(&b)));
    sb_clear(&b);
  }
  sb_free(&b);
}

/* ---- the kernel ---- */

/* Text between the braces behind a place. */
static str braces(str ptx, size_t at) {
  size_t open = str_find_char(ptx, '{', at), depth = 0;
  for (size_t i = open; i < ptx.n; i++) {
    if (ptx.p[i] == '{')
      depth++;
    else if (ptx.p[i] == '}' && --depth == 0)
      return str_sub(ptx, open + 1, i);
  }
  return STR_NULL;
}

static bool find_probe(struct probe *p) {
  str name = request_probe_name(p->a, p->r);
  str head = arena_printf(p->a, ".entry %.*s(", STR_ARG(name));
  size_t at = str_find(p->ptx, head, 0);
  if (at == SIZE_MAX)
    return false;
  p->body = braces(p->ptx, at);
  size_t number = 0;
  for (size_t i = 0; i < p->r->entry->n_args; i++) {
    bool callback = p->r->entry->args[i].pass == PASS_CALLBACK;
    for (uintptr_t part = FROM_ENV; callback && part <= FROM_THUNK; part++) {
      str param = arena_printf(p->a, "%.*s_param_%zu", STR_ARG(name), number++);
      *map_put(&p->params, param, NULL) = part | p->r->entry->args[i].callback << 2;
    }
    number += !callback;
  }
  split(p);
  return p->body.n > 0;
}

/* ---- registers ---- */

static uintptr_t tracked(const struct probe *p, str name) {
  uintptr_t *v = map_get(&p->tracked, name);
  return v ? *v : 0;
}

static uintptr_t param_of(const struct probe *p, str line) {
  size_t open = str_find_char(line, '[', 0);
  str rest = open == SIZE_MAX ? STR_NULL : str_drop(line, open);
  uintptr_t *v = map_get(&p->params, next_name(&rest));
  return v ? *v : 0;
}

/* Copies and loads from parameters hand on what a register holds. */
static bool hands_on(const struct probe *p, str line, str *to, uintptr_t *what) {
  str rest = line, op = next_name(&rest);
  if (str_eqz(op, "ld") && str_find(line, STR("ld.param"), 0) == 0)
    *what = param_of(p, line);
  else if (str_eqz(op, "mov") || str_eqz(op, "cvta")) {
    size_t comma = str_rfind_char(line, ',');
    str from = comma == SIZE_MAX ? STR_NULL : str_drop(line, comma);
    *what = tracked(p, next_name(&from));
  }
  size_t blank = str_find_char(line, '%', 0);
  rest = blank == SIZE_MAX ? STR_NULL : str_drop(line, blank);
  *to = next_name(&rest);
  return *what && to->n;
}

/* Registers are written once, but not always before their first mention: to a fixed point. */
static void track(struct probe *p) {
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < p->code.n; i++) {
      uintptr_t what = 0;
      str to;
      if (!hands_on(p, p->code.p[i], &to, &what))
        continue;
      bool fresh;
      uintptr_t *v = map_put(&p->tracked, to, &fresh);
      more |= fresh;
      if (fresh)
        *v = what;
    }
  }
}

/* ---- uses ---- */

/* Which callback is called there; PROVIDER_NONE: it is no call of one. */
static uint32_t called_callback(const struct probe *p, str line) {
  str rest = line, name;
  while ((name = next_name(&rest)).n)
    if ((tracked(p, name) & 3) == FROM_THUNK)
      return (uint32_t)(tracked(p, name) >> 2);
  return PROVIDER_NONE;
}

/* The environment is stored as the first parameter of the next call: its own callback's. */
static bool goes_to_call(const struct probe *p, size_t at, uint32_t callback) {
  str line = p->code.p[at];
  if (!str_starts(line, STR("st.param.b64")) && !str_starts(line, STR("st.param.u64")))
    return false;
  size_t open = str_find_char(line, '[', 0);
  str place = str_sub(line, open + 1, str_find_char(line, ']', 0)), param = next_name(&place);
  if (!str_eqz(param, "param0") || (place.n && !str_eqz(place, "+0")))
    return false;
  for (size_t i = at + 1; i < p->code.n; i++)
    if (str_starts(p->code.p[i], STR("call")))
      return called_callback(p, p->code.p[i]) == callback;
  return false;
}

static bool use_is_fine(const struct probe *p, size_t at) {
  str line = p->code.p[at], to, rest = line, name;
  uintptr_t what = 0;
  if (str_starts(line, STR(".reg")) || hands_on(p, line, &to, &what))
    return true;
  while ((name = next_name(&rest)).n) {
    uintptr_t v = tracked(p, name);
    if ((v & 3) == FROM_ENV && !goes_to_call(p, at, (uint32_t)(v >> 2)))
      return false;
    if ((v & 3) == FROM_THUNK && !str_starts(line, STR("call")))
      return false;
  }
  return true;
}

static bool nothing_escapes(struct probe *p) {
  for (size_t i = 0; i < p->code.n; i++) {
    if (use_is_fine(p, i))
      continue;
    p->what = p->code.p[i];
    return false;
  }
  return true;
}

/* ---- calls, variables, barriers ---- */

/* The name that a declaration introduces: the last one before its end, or before `[` or `=`. */
static str declared(str line) {
  size_t end = 0;
  while (end < line.n && line.p[end] != '[' && line.p[end] != '=' && line.p[end] != ';')
    end++;
  str rest = str_sub(line, 0, end), name, last = STR_NULL;
  while ((name = next_name(&rest)).n)
    last = name;
  return last;
}

static bool is_variable(str line) {
  static const char *const starts[] = {".global ", ".const ", ".visible .global ", ".visible .const ", ".extern .global ",
                                       ".extern .const ", ".weak .global ", ".common .global "};
  for (size_t i = 0; i < COUNT_OF(starts); i++)
    if (str_starts(line, str_from(starts[i])))
      return true;
  return false;
}

static bool uses_no_variable(struct probe *p) {
  str rest = p->ptx, line;
  while (str_next_line(&rest, &line)) {
    if (!is_variable(line))
      continue;
    str name = declared(line);
    if (!name.n || !mentions(p->body, name))
      continue;
    p->what = name;
    return false;
  }
  return true;
}

static bool driver_defines(str name) {
  static const char *const known[] = {"vprintf", "malloc", "free", "__assertfail"};
  for (size_t i = 0; i < COUNT_OF(known); i++)
    if (str_eqz(name, known[i]))
      return true;
  return false;
}

/* A function that is only declared has no body behind its parameters. */
static bool calls_what_is_there(struct probe *p) {
  size_t at = 0;
  while ((at = str_find(p->ptx, STR(".extern .func"), at)) != SIZE_MAX) {
    size_t end = str_find_char(p->ptx, ';', at);
    str head = str_sub(p->ptx, at + 13, end), name = STR_NULL;
    str trimmed = str_trim(head);
    /* The result's list comes first. */
    size_t close = str_starts(trimmed, STR("(")) ? str_find_char(trimmed, ')', 0) : 0;
    str rest = close == SIZE_MAX ? STR_NULL : str_drop(trimmed, close);
    name = next_name(&rest);
    at = end == SIZE_MAX ? p->ptx.n : end;
    if (!name.n || driver_defines(name) || !mentions(p->body, name))
      continue;
    p->what = name;
    return false;
  }
  return true;
}

static bool meets_only_its_own(struct probe *p) {
  static const char *const block[] = {"bar.sync", "bar.red", "bar.arrive", "barrier.", "bar.cta"};
  static const char *const warp[] = {"bar.warp", "shfl.", "vote.", "match.", "redux.", "activemask"};
  const struct provider_entry *e = p->r->entry;
  bool block_ok = e->scope == PROVIDER_BLOCK && e->converged, warp_ok = e->scope != PROVIDER_THREAD && e->converged;
  for (size_t k = 0; k < p->code.n; k++) {
    str line = p->code.p[k];
    bool meets = false;
    for (size_t i = 0; i < COUNT_OF(block); i++)
      meets |= !block_ok && str_find(line, str_from(block[i]), 0) != SIZE_MAX;
    for (size_t i = 0; i < COUNT_OF(warp); i++)
      meets |= !warp_ok && str_find(line, str_from(warp[i]), 0) != SIZE_MAX;
    if (!meets)
      continue;
    p->what = line;
    return false;
  }
  return true;
}

enum ptx_fault ptx_check(struct arena *a, str ptx, const struct request *r, str *what) {
  struct probe p = {.a = a, .r = r, .ptx = ptx};
  enum ptx_fault fault = PTX_FINE;
  if (!find_probe(&p))
    fault = PTX_NO_PROBE;
  else if (!calls_what_is_there(&p))
    fault = PTX_CALLS;
  else if (!uses_no_variable(&p))
    fault = PTX_GLOBAL;
  else if (!meets_only_its_own(&p))
    fault = PTX_MEETS;
  if (fault == PTX_FINE) {
    track(&p);
    if (!nothing_escapes(&p))
      fault = PTX_ESCAPES;
  }
  *what = p.what;
  map_free(&p.params);
  map_free(&p.tracked);
  return fault;
}
