/* Which two inputs define one symbol. The library names at most one of them, and by a name that
 * others may have too, so it is asked again about fewer inputs: the first that makes the beginning
 * of the list fail, then the last that still does together with it. Twice the logarithm of their
 * number of links, after a failure only. */
#include "linkers/finalizer_impl.h"
#include "linkers/tool_log.h"

str link_double_name(str log) {
  str name = STR_NULL;
  if (str_find(log, STR("multiply defined"), 0) != SIZE_MAX)
    name = tool_log_quoted(log, STR("Linking globals named"));
  return name.n ? name : tool_log_quoted(log, STR("Multiple definition of"));
}

/* Do the inputs from `from` to `to` clash? Their symbol, kept in the arena. */
static str clash(const struct link_again *l, size_t from, size_t to) {
  struct source_map none;
  struct diag_sink quiet;
  struct jit_result r = {0};
  source_map_init(&none);
  diag_sink_init(&quiet, &none);
  struct jit_request q = l->request;
  q.inputs = l->request.inputs + from;
  q.n_inputs = to - from + 1;
  str name = STR_NULL;
  if (nvjitlink_run_guarded(&quiet, l->cs, &q, &r))
    name = arena_str(l->arena, link_double_name(sb_str(&r.error_log)));
  jit_result_free(&r);
  diag_sink_free(&quiet);
  source_map_free(&none);
  return name;
}

bool link_find_double(const struct link_again *l, str *name, size_t *first, size_t *second) {
  size_t low = 0, high = l->request.n_inputs - 1;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (clash(l, 0, middle).n)
      high = middle;
    else
      low = middle + 1;
  }
  *second = high;
  low = 0;
  while (low < high) {
    size_t middle = low + (high - low + 1) / 2;
    if (clash(l, middle, *second).n)
      low = middle;
    else
      high = middle - 1;
  }
  *first = low;
  *name = clash(l, *first, *second);
  return name->n > 0;
}
