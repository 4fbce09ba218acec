/* Races: who accessed each byte last, and whether the current thread comes after. A cell of 16
 * bytes stands for 4 bytes of memory and holds one write and one read; where that is not enough it
 * points to wider states, one for the cell or one for each byte. */
#include "emulator/check_int.h"

/* ---- reports ---- */
static enum check_access access_of(const struct slot *s, bool write) {
  if (!(s->info & SLOT_ATOMIC))
    return write ? CHECK_WRITE : CHECK_READ;
  return s->info & SLOT_ATOMIC_WRITE ? CHECK_ATOMIC_RMW : CHECK_ATOMIC_READ;
}

struct access {
  struct object *o;
  uint64_t rel, size;
  enum check_access kind;
  struct slot mine; /* without the bytes */
};

static void report(struct check *c, const struct access *a, const struct slot *other, bool write,
                   bool narrow) {
  struct check_finding f = {.kind = CHECK_RACE,
                            .has_other = true,
                            .address = a->o->base + a->rel,
                            .size = a->size,
                            .object = a->o->name,
                            .space = a->o->space,
                            .object_size = a->o->size,
                            .offset = (int64_t)a->rel,
                            .scope_too_narrow = narrow};
  f.at = check_me(c, SLOT_LOC(a->mine.info), a->kind);
  f.other.loc = SLOT_LOC(other->info);
  f.other.access = access_of(other, write);
  check_where(c, check_block_of(c, other->seg), c->segs[other->seg], &f.other);
  check_report(c, &f);
}

static bool clashes(struct check *c, const struct access *a, const struct slot *s) {
  return s->seg && !check_knows(c, s->seg, a->o->shared);
}

static void against(struct check *c, const struct access *a, const struct slot *s, bool write) {
  if (clashes(c, a, s))
    report(c, a, s, write, false);
}

static void against_all(struct check *c, const struct access *a, const struct party_set *set,
                        uint32_t flag) {
  const struct slot *s[] = {&set->first, &set->last, &set->before};
  for (unsigned i = 0; i < COUNT_OF(s); i++)
    if ((s[i]->info & flag) == flag)
      against(c, a, s[i], false);
}

/* Two atomics of different blocks do not race, unless one of them is for its block alone. */
static void against_scopes(struct check *c, const struct access *a, const struct party_set *set) {
  const struct slot *s[] = {&set->first, &set->last, &set->before};
  for (unsigned i = 0; i < COUNT_OF(s); i++) {
    if (!s[i]->seg || s[i]->seg >= c->block_first)
      continue;
    if (!((s[i]->info | a->mine.info) & SLOT_BLOCK_SCOPE) ||
        !((s[i]->info | a->mine.info) & SLOT_ATOMIC_WRITE))
      continue;
    if (clashes(c, a, s[i]))
      report(c, a, s[i], false, true);
  }
}

/* ---- wide states ---- */
static void add_party(struct check *c, const struct access *a, struct party_set *set) {
  const struct slot *mine = &a->mine;
  uint32_t flags = mine->info & (SLOT_ATOMIC_WRITE | SLOT_BLOCK_SCOPE);
  if (set->first.seg == mine->seg) {
    set->first.info |= flags;
  } else if (set->last.seg == mine->seg) {
    set->last.info |= flags;
  } else if (!clashes(c, a, &set->first)) {
    set->first = *mine;
    if (!clashes(c, a, &set->last))
      set->last = (struct slot){0};
  } else if (set->first.seg < c->block_first) {
    set->before = set->first;
    set->first = *mine;
    set->last = (struct slot){0};
  } else {
    set->last = *mine;
  }
}

static void wide_access(struct check *c, const struct access *a, struct wide *w) {
  against(c, a, &w->w, true);
  switch (a->kind) {
  case CHECK_READ:
    against_all(c, a, &w->a, SLOT_ATOMIC_WRITE);
    add_party(c, a, &w->r);
    return;
  case CHECK_WRITE:
    against_all(c, a, &w->r, 0);
    against_all(c, a, &w->a, 0);
    w->w = a->mine;
    w->r = w->a = (struct party_set){0};
    return;
  case CHECK_ATOMIC_WRITE:
  case CHECK_ATOMIC_RMW:
    against_all(c, a, &w->r, 0);
    against_scopes(c, a, &w->a);
    add_party(c, a, &w->a);
    return;
  case CHECK_ATOMIC_READ:
    against_scopes(c, a, &w->a);
    add_party(c, a, &w->a);
    return;
  }
}

static uint32_t new_wides(struct check *c, unsigned n) {
  if (n > c->most_wides - c->n_wides) {
    c->gave_up = true;
    return UINT32_MAX;
  }
  uint32_t at = c->n_wides;
  c->n_wides += n;
  memset(&c->wides[at], 0, n * sizeof *c->wides);
  return at;
}

static void make_wide(struct cell *cell, uint32_t at, unsigned n) {
  cell->w = (struct slot){SEG_WIDE, at};
  cell->r = (struct slot){0, n};
}

/* One state when everything has touched the same bytes so far. */
static struct wide *widen(struct check *c, struct cell *cell, unsigned bytes, bool shared) {
  struct cell had = *cell;
  uint32_t below = check_drop_below(c, shared);
  unsigned w = had.w.seg >= below ? SLOT_BYTES(had.w.info) : bytes;
  unsigned r = had.r.seg >= below ? SLOT_BYTES(had.r.info) : bytes;
  unsigned n = w == bytes && r == bytes ? 1 : 4;
  uint32_t at = new_wides(c, n);
  if (at == UINT32_MAX)
    return NULL;
  make_wide(cell, at, n);
  for (unsigned i = 0; i < n; i++) {
    struct wide *s = &c->wides[at + i];
    s->bytes = n == 1 ? bytes : 1u << i;
    if (had.w.seg >= below && s->bytes & w)
      s->w = had.w;
    if (had.r.seg >= below && s->bytes & r)
      s->r.first = had.r;
  }
  return &c->wides[at];
}

static struct wide *split(struct check *c, struct cell *cell) {
  struct wide had = c->wides[cell->w.info];
  uint32_t at = new_wides(c, 4);
  if (at == UINT32_MAX)
    return NULL;
  bool log_placed = false;
  for (unsigned i = 0; i < 4; i++) {
    struct wide *s = &c->wides[at + i];
    if (had.bytes >> i & 1u) {
      *s = had;
      if (log_placed)
        s->log = 0;
      log_placed = true;
    }
    s->bytes = 1u << i;
  }
  make_wide(cell, at, 4);
  return &c->wides[at];
}

static struct wide *states(struct check *c, struct cell *cell, unsigned bytes, bool shared) {
  if (cell->w.seg != SEG_WIDE)
    return widen(c, cell, bytes, shared);
  struct wide *w = &c->wides[cell->w.info];
  if (cell->r.info == 1 && w->bytes != bytes)
    return split(c, cell);
  return w;
}

static void cell_slow(struct check *c, const struct access *a, struct cell *cell, unsigned bytes) {
  struct wide *w = states(c, cell, bytes, a->o->shared);
  if (!w)
    return;
  if (cell->r.info == 1) {
    wide_access(c, a, w);
    return;
  }
  for (unsigned i = 0; i < 4; i++)
    if (bytes >> i & 1u)
      wide_access(c, a, &w[i]);
}

/* ---- accesses ---- */
void check_race(struct check *c, struct object *o, uint64_t rel, uint64_t size,
                enum check_access kind, uint32_t flags, check_loc loc) {
  if (UNLIKELY(c->gave_up))
    return;
  struct access a = {o, rel, size, kind, {c->seg, (loc & CHECK_LOC_MAX) | flags}};
  bool write = kind == CHECK_WRITE, shared = o->shared, plain = !check_is_atomic(kind);
  uint64_t at = rel, end = rel + size;
  while (at < end) {
    struct cell *cell = &o->cells[at >> 2];
    unsigned first = at & 3, n = end - at < 4 - first ? (unsigned)(end - at) : 4 - first;
    unsigned bytes = ((1u << n) - 1) << first;
    if (UNLIKELY(!plain || !check_cell_fast(c, cell, bytes, write, shared, a.mine)))
      cell_slow(c, &a, cell, bytes);
    at += n;
  }
}

uint32_t *check_log_at(struct check *c, struct object *o, uint64_t rel) {
  const struct cell *cell = &o->cells[rel >> 2];
  if (cell->w.seg != SEG_WIDE)
    return NULL;
  return &c->wides[cell->w.info + (cell->r.info == 4 ? rel & 3 : 0)].log;
}
