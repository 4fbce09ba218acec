/* What comes before what: barriers order a block, syncwarp orders lanes, and a thread that reads by
 * an atomic what another one wrote by an atomic learns what that one knew. CUDA's rules in short:
 *
 * - a write by an atomic of release order, or after a fence of the same thread, passes on the
 * thread's own accesses up to there and all that it knows;
 * - a read by an atomic of acquire order, or before a fence, takes it over. An atomic that reads
 * and writes takes over without a fence behind it if there was one before it, as the "last block"
 *   pattern is commonly written;
 * - barriers and syncwarp pass on what their threads know.
 *
 * Where exactness would cost too much, more is taken for known: a race may be missed, none is made
 * up. */
#include <stdlib.h>

#include "emulator/check_int.h"

/* Beyond these a thread is taken to know everything. */
#define MOST_KNOWN 256
#define MOST_STEPS 20000
#define MOST_RELEASES (UINT64_C(8) << 20)

void check_new_segment(struct check *c) {
  if (UNLIKELY(c->next_seg >= c->most_segs)) {
    c->gave_up = true;
    return;
  }
  c->seg = c->next_seg++;
  c->segs[c->seg] = (uint16_t)c->thread;
}

static size_t start_of(const struct check *c, uint32_t seg) {
  size_t lo = 0, hi = c->starts.n;
  while (hi - lo > 1) {
    size_t mid = lo + (hi - lo) / 2;
    if (c->starts.p[mid].seg <= seg)
      lo = mid;
    else
      hi = mid;
  }
  return lo;
}

uint64_t check_block_of(const struct check *c, uint32_t seg) {
  return c->starts.p[start_of(c, seg)].block;
}

/* ---- lists of what is known ---- */
static bool list_add(known_list *to, struct known k) {
  for (size_t i = 0; i < to->n; i++) {
    struct known *have = &to->p[i];
    if (have->log != k.log || have->block_scope != k.block_scope)
      continue;
    if (have->upto < k.upto)
      have->upto = k.upto;
    return true;
  }
  if (to->n >= MOST_KNOWN)
    return false;
  vec_push(NULL, to, k);
  return true;
}

static void learn(struct check *c, uint32_t thread, struct known k, bool pending) {
  struct thread_state *t = &c->threads[thread];
  if (!list_add(pending ? &t->pending : &t->known, k))
    t->knows_all = true;
  if (!t->dirty)
    vec_push(NULL, &c->dirty, thread);
  t->dirty = true;
}

static uint32_t warp_floor(const struct check *c) {
  const struct warp_state *w = &c->warps[c->thread / LANES];
  uint32_t floor = w->full;
  if (w->know_used)
    for (unsigned i = 0; i < LANES; i++)
      if (w->know[c->thread % LANES][i] > floor)
        floor = w->know[c->thread % LANES][i];
  return floor;
}

/* ---- releases and acquires ---- */
static void copy_imports(struct check *c, uint32_t log, struct release *e) {
  const known_list *lists[] = {&c->threads[c->thread].known, &c->block_known};
  size_t most = lists[0]->n + lists[1]->n;
  if (most == 0)
    return;
  e->imports = arena_array(&c->log_arena, struct known, most);
  for (unsigned l = 0; l < COUNT_OF(lists); l++)
    for (size_t i = 0; i < lists[l]->n; i++)
      if (lists[l]->p[i].log != log)
        e->imports[e->n_imports++] = lists[l]->p[i];
}

static void release(struct check *c, uint32_t *log, uint32_t seg, bool block_scope) {
  if (*log == 0) {
    if (c->logs.n == 0)
      vec_push(NULL, &c->logs, (struct log){0});
    *log = (uint32_t)c->logs.n;
    vec_push(NULL, &c->logs, (struct log){0});
  }
  struct log *l = &c->logs.p[*log];
  struct release e = {.seg = seg,
                      .floor = c->barrier_seg,
                      .warp_floor = warp_floor(c),
                      .block_first = c->block_first,
                      .thread = c->thread,
                      .block_scope = block_scope,
                      .before_imports = l->with_imports};
  copy_imports(c, *log, &e);
  const struct release *had = l->entries.n ? &vec_last(&l->entries) : NULL;
  if (had && !e.n_imports && had->seg == seg && had->floor == e.floor &&
      had->warp_floor == e.warp_floor && had->thread == e.thread && had->block_scope == block_scope)
    return;
  if (++c->n_releases > MOST_RELEASES) {
    c->gave_up = true;
    return;
  }
  vec_push(NULL, &l->entries, e);
  if (e.n_imports)
    l->with_imports = (uint32_t)l->entries.n;
}

void check_order_atomic(struct check *c, uint32_t *log, bool shared, enum check_access kind,
                        enum check_order order, enum check_scope scope) {
  const struct thread_state *t = &c->threads[c->thread];
  bool narrow = shared || scope == CHECK_SCOPE_BLOCK;
  bool fenced = t->fence_seg[0] || t->fence_seg[1];
  bool acquires =
      order == CHECK_ACQUIRE || order >= CHECK_ACQREL || (kind == CHECK_ATOMIC_RMW && fenced);
  if (check_reads(kind) && *log) {
    struct known k = {*log, (uint32_t)c->logs.p[*log].entries.n, narrow};
    learn(c, c->thread, k, !acquires);
  }
  if (!check_writes(kind))
    return;
  if (order == CHECK_RELEASE || order >= CHECK_ACQREL) {
    release(c, log, c->seg, narrow);
    check_new_segment(c);
    return;
  }
  if (t->fence_seg[0])
    release(c, log, t->fence_seg[0], narrow);
  if (t->fence_seg[1] > t->fence_seg[0])
    release(c, log, t->fence_seg[1], true);
}

void check_fence(struct check *c, enum check_order order, enum check_scope scope) {
  struct thread_state *t = &c->threads[c->thread];
  bool narrow = scope == CHECK_SCOPE_BLOCK;
  if (!c->races)
    return;
  if (order != CHECK_RELEASE) {
    for (size_t i = 0; i < t->pending.n; i++) {
      struct known k = t->pending.p[i];
      k.block_scope |= narrow;
      learn(c, c->thread, k, false);
    }
    t->pending.n = 0;
  }
  if (order == CHECK_ACQUIRE)
    return;
  t->fence_seg[narrow] = c->seg;
  check_new_segment(c);
}

/* ---- barriers and warps ---- */
void check_barrier(struct check *c) {
  if (!c->races)
    return;
  for (size_t i = 0; i < c->dirty.n; i++) {
    struct thread_state *t = &c->threads[c->dirty.p[i]];
    for (size_t k = 0; k < t->known.n; k++)
      if (!list_add(&c->block_known, t->known.p[k]))
        c->block_knows_all = true;
    c->block_knows_all |= t->knows_all;
    t->known.n = 0;
    t->dirty = t->pending.n > 0;
  }
  size_t kept = 0;
  for (size_t i = 0; i < c->dirty.n; i++)
    if (c->threads[c->dirty.p[i]].dirty)
      c->dirty.p[kept++] = c->dirty.p[i];
  c->dirty.n = kept;
  c->barrier_seg = c->next_seg;
  check_new_segment(c);
}

/* Every lane that takes part gets what the others know. */
static void share_lists(struct check *c, uint32_t warp, uint32_t mask) {
  known_list all = {0};
  bool everything = false;
  for (unsigned i = 0; i < LANES; i++) {
    const struct thread_state *t = &c->threads[warp * LANES + i];
    if (!(mask >> i & 1u))
      continue;
    everything |= t->knows_all;
    for (size_t k = 0; k < t->known.n; k++)
      everything |= !list_add(&all, t->known.p[k]);
  }
  for (unsigned i = 0; i < LANES && (all.n || everything); i++) {
    if (!(mask >> i & 1u))
      continue;
    c->threads[warp * LANES + i].knows_all |= everything;
    for (size_t k = 0; k < all.n; k++)
      learn(c, warp * LANES + i, all.p[k], false);
  }
  vec_free(&all);
}

static void know_each_other(struct check *c, struct warp_state *w, uint32_t mask) {
  uint32_t most[LANES] = {0};
  if (!w->know)
    w->know = calloc(LANES, sizeof *w->know);
  if (!w->know)
    return;
  w->know_used = true;
  for (unsigned a = 0; a < LANES; a++)
    for (unsigned b = 0; mask >> a & 1u && b < LANES; b++)
      if (w->know[a][b] > most[b])
        most[b] = w->know[a][b];
  for (unsigned a = 0; a < LANES; a++) {
    if (!(mask >> a & 1u))
      continue;
    for (unsigned b = 0; b < LANES; b++)
      w->know[a][b] = mask >> b & 1u ? c->next_seg : most[b];
  }
}

void check_syncwarp(struct check *c, uint32_t warp, uint32_t mask) {
  if (!c->races || warp >= MAX_WARPS)
    return;
  uint32_t in_warp = c->n_threads - warp * LANES;
  uint32_t all = in_warp >= LANES ? UINT32_MAX : (1u << in_warp) - 1;
  if (c->dirty.n)
    share_lists(c, warp, mask & all);
  if ((mask & all) == all)
    c->warps[warp].full = c->next_seg;
  else
    know_each_other(c, &c->warps[warp], mask & all);
  check_new_segment(c);
}

/* ---- questions ---- */
static bool covers(const struct check *c, const struct release *e, uint32_t seg) {
  uint32_t t = c->segs[seg];
  if (seg < e->floor)
    return true;
  if (t == e->thread)
    return seg <= e->seg;
  return t / LANES == e->thread / LANES && seg < e->warp_floor;
}

struct question {
  uint32_t seg, block_first;
  uint64_t number;
  unsigned steps;
};

static bool list_covers(struct check *c, const struct known *list, size_t n, struct question *q);

static bool usable(const struct check *c, const struct known *k, const struct release *e) {
  return !(k->block_scope || e->block_scope) || e->block_first == c->block_first;
}

/* Entries stand in the order of time, and so in that of blocks. */
static bool own_entries(struct check *c, const struct known *k, const struct log *l,
                        struct question *q) {
  size_t lo = 0, hi = k->upto;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (l->entries.p[mid].block_first <= q->block_first)
      lo = mid + 1;
    else
      hi = mid;
  }
  for (; lo > 0 && l->entries.p[lo - 1].block_first == q->block_first; lo--) {
    const struct release *e = &l->entries.p[lo - 1];
    if (++q->steps > MOST_STEPS || (usable(c, k, e) && covers(c, e, q->seg)))
      return true;
  }
  return false;
}

static bool log_covers(struct check *c, const struct known *k, struct question *q) {
  struct log *l = &c->logs.p[k->log];
  if (l->asked == q->number && l->asked_upto >= k->upto)
    return false;
  l->asked = q->number;
  l->asked_upto = k->upto;
  if (own_entries(c, k, l, q))
    return true;
  uint32_t at = l->with_imports;
  while (at > k->upto)
    at = l->entries.p[at - 1].before_imports;
  for (; at > 0; at = l->entries.p[at - 1].before_imports) {
    const struct release *e = &l->entries.p[at - 1];
    if (++q->steps > MOST_STEPS || (usable(c, k, e) && list_covers(c, e->imports, e->n_imports, q)))
      return true;
  }
  return false;
}

/* The recursion is as deep as the chain of logs. It runs on the kernel's stack, so depth is bounded
 * too. */
static bool list_covers(struct check *c, const struct known *list, size_t n, struct question *q) {
  q->steps += MOST_STEPS / 200;
  for (size_t i = 0; i < n; i++)
    if (q->steps > MOST_STEPS || log_covers(c, &list[i], q))
      return true;
  return false;
}

static bool knows_by_atomics(struct check *c, uint32_t seg) {
  const struct thread_state *t = &c->threads[c->thread];
  if (t->knows_all || c->block_knows_all)
    return true;
  if (t->known.n == 0 && c->block_known.n == 0)
    return false;
  struct question q = {.seg = seg, .number = ++c->questions};
  q.block_first = c->starts.p[start_of(c, seg)].seg;
  return list_covers(c, t->known.p, t->known.n, &q) ||
         list_covers(c, c->block_known.p, c->block_known.n, &q);
}

bool check_knows(struct check *c, uint32_t seg, bool shared) {
  if (check_knows_fast(c, seg, shared))
    return true;
  if (seg >= c->block_first) {
    uint32_t t = c->segs[seg];
    const struct warp_state *w = &c->warps[t / LANES];
    if (t == c->thread)
      return true;
    if (t / LANES == c->thread / LANES &&
        (seg < w->full || (w->know_used && seg < w->know[c->thread % LANES][t % LANES])))
      return true;
  }
  return knows_by_atomics(c, seg);
}

/* ---- beginnings ---- */
void check_order_block(struct check *c) {
  for (size_t i = 0; i < c->dirty.n; i++)
    c->threads[c->dirty.p[i]].dirty = false;
  c->dirty.n = 0;
  for (uint32_t i = 0; i < c->n_threads; i++) {
    struct thread_state *t = &c->threads[i];
    t->fence_seg[0] = t->fence_seg[1] = 0;
    t->knows_all = t->dirty = false;
    t->known.n = t->pending.n = 0;
  }
  for (uint32_t w = 0; w * LANES < c->n_threads; w++) {
    struct warp_state *s = &c->warps[w];
    s->full = 0;
    if (s->know_used)
      memset(s->know, 0, LANES * sizeof *s->know);
    s->know_used = false;
  }
  c->block_known.n = 0;
  c->block_knows_all = false;
  c->block_first = c->barrier_seg = c->next_seg;
  vec_push(NULL, &c->starts, ((struct block_start){c->next_seg, c->block_index}));
}

static void free_logs(struct check *c) {
  for (size_t i = 0; i < c->logs.n; i++)
    vec_free(&c->logs.p[i].entries);
  c->logs.n = 0;
  arena_free(&c->log_arena);
  c->log_arena = (struct arena){0};
}

/* Launches come one after the other, so nothing of the one before needs to be kept. It is dropped
 * when that gives back something worth the work. */
void check_order_launch(struct check *c) {
  if (c->n_releases || c->n_wides > (1u << 16) || c->next_seg > c->most_segs / 2 || c->gave_up) {
    check_cells_reset(c);
    free_logs(c);
    c->n_wides = 0;
    c->next_seg = 1;
  }
  c->launch_first = c->block_first = c->barrier_seg = c->next_seg;
  c->starts.n = 0;
  c->gave_up = false;
  c->n_releases = 0;
}

void check_order_free(struct check *c) {
  free_logs(c);
  vec_free(&c->logs);
  for (uint32_t i = 0; c->threads && i < MAX_THREADS; i++) {
    vec_free(&c->threads[i].known);
    vec_free(&c->threads[i].pending);
  }
  free(c->threads);
  for (uint32_t i = 0; i < MAX_WARPS; i++)
    free(c->warps[i].know);
  vec_free(&c->dirty);
  vec_free(&c->block_known);
  vec_free(&c->starts);
}
