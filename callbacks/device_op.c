/* Classes of device operations by their names. test/unit/test_admit_ops.c sees that no row of
 * ir/device_ops.def is forgotten. */
#include "callbacks/device_op.h"

struct row {
  const char *prefix;
  enum device_op_class c;
  const char *rust;
};

/* The first row that fits counts. */
static const struct row rows[] = {
    {"tid_x", OP_INDEX, "thread::x()"},
    {"tid_y", OP_INDEX, "thread::y()"},
    {"tid_z", OP_INDEX, "thread::z()"},
    {"laneid", OP_INDEX, "warp::lane()"},
    {"warpid", OP_INDEX, NULL},
    {"ntid_", OP_PLACE, NULL},
    {"ctaid_x", OP_PLACE, "block::x()"},
    {"ctaid_", OP_PLACE, NULL},
    {"nctaid_", OP_PLACE, NULL},
    {"emulated", OP_PLACE, NULL},
    {"converged_", OP_PLACE, NULL},
    {"smid", OP_TIME, NULL},
    {"clock64", OP_TIME, NULL},
    {"globaltimer", OP_TIME, NULL},
    {"nanosleep", OP_TIME, NULL},
    {"breakpoint", OP_TIME, NULL},
    {"barrier", OP_BARRIER, NULL},
    {"syncwarp", OP_WARP, NULL},
    {"shfl_", OP_WARP, NULL},
    {"vote_", OP_WARP, NULL},
    {"activemask", OP_WARP, NULL},
    {"match_", OP_WARP, NULL},
    {"redux_", OP_WARP, NULL},
    {"fence", OP_ATOMIC, NULL},
    {"atomic_", OP_ATOMIC, NULL},
    {"dyn_shared_size", OP_PLACE, NULL},
    {"dyn_shared", OP_SHARED, NULL},
    {"ldg_", OP_LOAD, NULL},
    {"printf", OP_OUTPUT, NULL},
    {"assert_fail", OP_TRAP, NULL},
    {"trap", OP_TRAP, NULL},
    {"exit", OP_EXIT, NULL},
    {"f16_", OP_MATH, NULL},
    {"f32_", OP_MATH, NULL},
    {"f64_", OP_MATH, NULL},
};

static str short_name(str symbol) {
  static const str prefix = {"__mirdc_", 8};
  return str_starts(symbol, prefix) ? str_drop(symbol, prefix.n) : STR_NULL;
}

static const struct row *find(str symbol) {
  str name = short_name(symbol);
  for (size_t i = 0; name.n && i < COUNT_OF(rows); i++)
    if (str_starts(name, str_from(rows[i].prefix)))
      return &rows[i];
  return NULL;
}

enum device_op_class device_op_class(str symbol) {
  const struct row *r = find(symbol);
  if (r)
    return r->c;
  str name = short_name(symbol);
  return str_ends(name, STR("_f32")) || str_ends(name, STR("_f64")) ? OP_MATH : OP_FOREIGN;
}

bool device_op_agreed(str symbol, bool warp) {
  str name = short_name(symbol);
  if (str_starts(name, STR("barrier_")))
    return true;
  return warp && (str_starts(name, STR("vote_")) || str_starts(name, STR("redux_")) ||
                  str_starts(name, STR("match_all_")));
}

str device_op_rust(str symbol) {
  const struct row *r = find(symbol);
  return r ? str_from(r->rust) : STR_NULL;
}
