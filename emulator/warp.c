/* Operations that lanes of a warp do together. A lane waits until all lanes that its mask names,
 * and that have not ended, do the same operation with the same mask. */
#include "emulator/engine.h"

static uint32_t warp_base(uint32_t thread) {
  return thread & ~(EMU_WARP - 1);
}

static bool all_have_come(struct mirdc_emu *e, uint32_t base, uint32_t need, uint32_t op,
                          uint32_t mask) {
  if ((need & e->waiting_lanes[base / EMU_WARP]) != need)
    return false;
  for (uint32_t left = need; left; left &= left - 1) {
    const struct emu_thread *t = &e->threads[base + (uint32_t)__builtin_ctz(left)];
    if (t->op != op || t->mask != mask)
      return false;
  }
  return true;
}

/* ---- results ---- */
/* As PTX describes shfl.sync: the lane that is read, or its own when that is out of its segment. */
static uint32_t shuffle_source(const struct emu_thread *t) {
  uint32_t lane = t->regs.lane, b = t->source & 31, seg = (32 - t->width) & 31;
  uint32_t clamp = t->op == WARP_SHFL_UP ? 0 : 31;
  uint32_t max = (lane & seg) | (clamp & ~seg), min = lane & seg, j;
  bool in = false;
  switch (t->op) {
  case WARP_SHFL_UP:
    j = lane - b;
    in = (int32_t)j >= (int32_t)max;
    break;
  case WARP_SHFL_DOWN:
    j = lane + b;
    in = j <= max;
    break;
  case WARP_SHFL_BFLY:
    j = lane ^ b;
    in = j <= max;
    break;
  default:
    j = min | (b & ~seg);
    in = j <= max;
    break;
  }
  return in ? j : lane;
}

/* Of a lane that takes no part the value is not defined; zero here. */
static uint64_t shuffled(struct mirdc_emu *e, uint32_t thread, uint32_t part) {
  const struct emu_thread *t = &e->threads[thread];
  uint32_t from = shuffle_source(t), base = warp_base(thread);
  if (part >> from & 1)
    return e->threads[base + from].value;
  if (e->checked && base + from < e->n_threads)
    check_diverged(e->check, CHECK_WARP_MISSING, thread, t->loc, base + from,
                   e->threads[base + from].loc, e->threads[base + from].state == EMU_EXITED,
                   1u << from, t->mask);
  return 0;
}

static uint64_t combine(uint32_t op, uint64_t a, uint64_t b) {
  uint32_t x = (uint32_t)a, y = (uint32_t)b;
  switch ((enum emu_warp_op)op) {
  case WARP_VOTE_ALL:
    return a && b;
  case WARP_VOTE_ANY:
    return a || b;
  case WARP_ADD:
    return x + y;
  case WARP_MIN:
    return x < y ? x : y;
  case WARP_MAX:
    return x > y ? x : y;
  case WARP_AND:
    return x & y;
  case WARP_OR:
    return x | y;
  case WARP_XOR:
    return x ^ y;
  case WARP_SMIN:
    return (int32_t)x < (int32_t)y ? x : y;
  case WARP_SMAX:
    return (int32_t)x > (int32_t)y ? x : y;
  default:
    return a;
  }
}

/* Lanes of `part` with this value, or with a value that is not zero. */
static uint32_t lanes_with(struct mirdc_emu *e, uint32_t base, uint32_t part,
                           const uint64_t *value) {
  uint32_t r = 0;
  for (uint32_t left = part; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint64_t v = e->threads[base + lane].value;
    if (value ? v == *value : v != 0)
      r |= 1u << lane;
  }
  return r;
}

static void give_results(struct mirdc_emu *e, uint32_t base, uint32_t part, uint32_t op) {
  uint64_t all = e->threads[base + (uint32_t)__builtin_ctz(part)].value;
  for (uint32_t left = part & (part - 1); left; left &= left - 1)
    all = combine(op, all, e->threads[base + (uint32_t)__builtin_ctz(left)].value);
  for (uint32_t left = part; left; left &= left - 1) {
    uint32_t thread = base + (uint32_t)__builtin_ctz(left);
    struct emu_thread *t = &e->threads[thread];
    switch ((enum emu_warp_op)op) {
    case WARP_SHFL_IDX:
    case WARP_SHFL_UP:
    case WARP_SHFL_DOWN:
    case WARP_SHFL_BFLY:
      t->result = shuffled(e, thread, part);
      break;
    case WARP_BALLOT:
      t->result = lanes_with(e, base, part, NULL);
      break;
    case WARP_MATCH_ANY:
      t->result = lanes_with(e, base, part, &t->value);
      break;
    case WARP_VOTE_UNI:
      t->result = lanes_with(e, base, part, &t->value) == part;
      break;
    case WARP_MATCH_ALL:
      t->flag = lanes_with(e, base, part, &t->value) == part;
      t->result = t->flag ? part : 0;
      break;
    default:
      t->result = all;
      break;
    }
  }
}

static void complete(struct mirdc_emu *e, uint32_t base, uint32_t part, uint32_t op) {
  give_results(e, base, part, op);
  e->waiting_lanes[base / EMU_WARP] &= ~part;
  if (e->checked && op == WARP_SYNC)
    check_syncwarp(e->check, base / EMU_WARP, part);
  for (uint32_t left = part; left; left &= left - 1)
    emu_resume(e, base + (uint32_t)__builtin_ctz(left));
}

/* ---- arriving ---- */
static void arrive(struct mirdc_emu *e, enum emu_warp_op op, uint32_t mask, uint64_t value,
                   check_loc loc) {
  struct emu_thread *t = emu_current(e);
  uint32_t base = warp_base(e->current), w = base / EMU_WARP, own = 1u << t->regs.lane;
  if (!(mask & own)) {
    if (e->checked)
      check_diverged(e->check, CHECK_WARP_MASK, e->current, loc, UINT32_MAX, EMU_LOC_NONE, false,
                     own, mask);
    mask |= own;
  }
  t->state = EMU_AT_WARP;
  t->op = (uint8_t)op;
  t->mask = mask;
  t->value = value;
  t->loc = loc;
  e->waiting_lanes[w] |= own;
  uint32_t need = mask & e->live_lanes[w];
  if (all_have_come(e, base, need, op, mask))
    complete(e, base, need, op);
  else
    emu_suspend(e);
}

uint64_t emu_warp_op(struct mirdc_emu *e, enum emu_warp_op op, uint32_t mask, uint64_t value,
                     check_loc loc) {
  struct emu_thread *t = emu_current(e);
  arrive(e, op, mask, value, loc);
  return t->result;
}

uint64_t emu_shuffle(struct mirdc_emu *e, enum emu_warp_op op, uint32_t mask, uint32_t value,
                     uint32_t source, uint32_t width, check_loc loc) {
  struct emu_thread *t = emu_current(e);
  t->source = source;
  t->width = width;
  arrive(e, op, mask, value, loc);
  return t->result;
}

void emu_warp_lane_ended(struct mirdc_emu *e, uint32_t thread) {
  uint32_t base = warp_base(thread), w = base / EMU_WARP;
  for (uint32_t left = e->waiting_lanes[w]; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    const struct emu_thread *t = &e->threads[base + lane];
    uint32_t need = t->mask & e->live_lanes[w];
    if (!(e->waiting_lanes[w] >> lane & 1) || !all_have_come(e, base, need, t->op, t->mask))
      continue;
    complete(e, base, need, t->op);
  }
}

/* ---- who is here ---- */
/* Lanes run one after the other, so who asks is told only when all others of the block have come as
 * far as they can: then those that ask at the same place belong together. */
uint32_t emu_active_mask(struct mirdc_emu *e, check_loc loc) {
  struct emu_thread *t = emu_current(e);
  t->state = EMU_LOOKS;
  t->loc = loc;
  e->looking++;
  emu_suspend(e);
  return t->mask;
}

bool emu_release_looking(struct mirdc_emu *e) {
  uint32_t first = 0, lanes = 0;
  while (first < e->n_threads && e->threads[first].state != EMU_LOOKS)
    first++;
  if (first == e->n_threads)
    return false;
  uint32_t base = warp_base(first), end = base + EMU_WARP;
  for (uint32_t i = first; i < end && i < e->n_threads; i++)
    if (e->threads[i].state == EMU_LOOKS && e->threads[i].loc == e->threads[first].loc)
      lanes |= 1u << i % EMU_WARP;
  for (uint32_t left = lanes; left; left &= left - 1) {
    struct emu_thread *t = &e->threads[base + (uint32_t)__builtin_ctz(left)];
    t->mask = lanes;
    e->looking--;
    emu_queue(e, base + t->regs.lane);
  }
  return true;
}

/* ---- nobody can go on ---- */
void emu_report_stuck(struct mirdc_emu *e) {
  uint32_t at = 0, other = UINT32_MAX;
  while (at + 1 < e->n_threads && e->threads[at].state != EMU_AT_WARP)
    at++;
  const struct emu_thread *t = &e->threads[at];
  uint32_t base = warp_base(at);
  uint32_t missing = t->mask & e->live_lanes[base / EMU_WARP];
  for (uint32_t left = missing; left; left &= left - 1) {
    const struct emu_thread *o = &e->threads[base + (uint32_t)__builtin_ctz(left)];
    if (o->state == EMU_AT_WARP && o->op == t->op && o->mask == t->mask)
      missing &= ~(1u << o->regs.lane);
  }
  if (missing)
    other = base + (uint32_t)__builtin_ctz(missing);
  check_loc other_loc = other == UINT32_MAX ? EMU_LOC_NONE : e->threads[other].loc;
  if (e->checked)
    check_diverged(e->check, CHECK_WARP_MISSING, at, t->loc, other, other_loc, false, missing,
                   t->mask);
  e->current = at;
  e->stop.loc = t->loc;
  e->stop.other = other;
  e->stop.other_loc = other_loc;
}
