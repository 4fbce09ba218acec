/* Findings as diagnostics. */
#include "emulator/check_diag.h"

#include <inttypes.h>
#include <string.h>

#include "base/fatal.h"

struct telling {
  const struct check_finding *f;
  const struct check_scene *s;
  struct diag_sink *sink;
  struct span at;
};

struct span check_span(const struct check_scene *s, check_loc loc) {
  struct span at;
  if (loc == 0 || loc >= s->n_locs || s->locs[loc] == PM_NONE)
    return SPAN_NONE;
  if (pm_user_place(s->m, s->locs[loc], &at))
    return at;
  return pm_span_of(s->m, s->locs[loc]);
}

/* ---- words ---- */
static const char *access_word(enum check_access k) {
  switch (k) {
  case CHECK_READ:
    return "read";
  case CHECK_WRITE:
    return "write";
  case CHECK_ATOMIC_READ:
    return "atomic load";
  case CHECK_ATOMIC_WRITE:
    return "atomic store";
  case CHECK_ATOMIC_RMW:
    return "atomic update";
  }
  BUG("access %d", (int)k);
}

static const char *space_word(enum check_space s) {
  switch (s) {
  case CHECK_BUFFER:
    return "the buffer";
  case CHECK_GLOBAL:
    return "the static";
  case CHECK_CONST:
    return "the constant";
  case CHECK_SHARED:
    return "shared memory";
  case CHECK_DYN_SHARED:
    return "dynamic shared memory";
  }
  BUG("space %d", (int)s);
}

static const char *plural(uint64_t n) {
  return n == 1 ? "" : "s";
}

static str thread_words(struct diag_sink *s, const struct check_party *p) {
  return arena_printf(&s->arena, "thread (%u, %u, %u) of block (%u, %u, %u)", p->thread[0],
                      p->thread[1], p->thread[2], p->block[0], p->block[1], p->block[2]);
}

/* "`x`", or with the kind of memory where the name says little. */
static str object_words(struct diag_sink *s, const struct check_finding *f) {
  if (f->object.n == 0)
    return str_from(space_word(f->space));
  if (f->space == CHECK_DYN_SHARED)
    return str_from(space_word(f->space));
  return arena_printf(&s->arena, "%s `%.*s`", space_word(f->space), STR_ARG(f->object));
}

static str offset_words(struct diag_sink *s, const struct check_finding *f) {
  str object = object_words(s, f);
  uint64_t size = f->object_size;
  if (f->offset < 0) {
    uint64_t before = (uint64_t)-f->offset;
    return arena_printf(&s->arena, "begins %" PRIu64 " byte%s before %.*s", before, plural(before),
                        STR_ARG(object));
  }
  if ((uint64_t)f->offset >= size && size > 0) {
    uint64_t past = (uint64_t)f->offset - size;
    if (past == 0)
      return arena_printf(&s->arena, "begins at the end of %.*s, which has %" PRIu64 " byte%s",
                          STR_ARG(object), size, plural(size));
    return arena_printf(
        &s->arena, "begins %" PRIu64 " byte%s past the end of %.*s, which has %" PRIu64 " byte%s",
        past, plural(past), STR_ARG(object), size, plural(size));
  }
  return arena_printf(&s->arena, "byte %" PRId64 " of %.*s, which has %" PRIu64 " byte%s",
                      f->offset, STR_ARG(object), size, plural(size));
}

static void label_other(struct diag *d, const struct telling *t, str text) {
  struct span at = check_span(t->s, t->f->other.loc);
  if (at.file == FILE_NONE)
    diag_note(d, "%.*s", STR_ARG(text));
  else
    diag_label(d, at, "%.*s", STR_ARG(text));
}

/* Under the place, or as a note where the place is not known. */
static void label_all(const struct telling *t, struct diag *d, const char *fmt, va_list ap)
    PRINTF_LIKE(3, 0);
static void label_all(const struct telling *t, struct diag *d, const char *fmt, va_list ap) {
  struct strbuf b = {0};
  sb_vaddf(&b, fmt, ap);
  if (t->at.file == FILE_NONE)
    diag_note(d, "%s", sb_z(&b));
  else
    diag_span_label(d, "%s", sb_z(&b));
  sb_free(&b);
}

static void label(const struct telling *t, struct diag *d, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void label(const struct telling *t, struct diag *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  label_all(t, d, fmt, ap);
  va_end(ap);
}

/* A finding about one thread: the label, the thread, and the advice if there is any. */
static void explain(const struct telling *t, struct diag *d, const char *help, const char *fmt, ...)
    PRINTF_LIKE(4, 5);
static void explain(const struct telling *t, struct diag *d, const char *help, const char *fmt,
                    ...) {
  va_list ap;
  va_start(ap, fmt);
  label_all(t, d, fmt, ap);
  va_end(ap);
  str me = thread_words(t->sink, &t->f->at);
  diag_note(d, "%.*s", STR_ARG(me));
  if (help)
    diag_help(d, "%s", help);
}

/* ---- kinds ---- */
static struct diag *bad_access(const struct telling *t, enum diag_code code, const char *what) {
  const struct check_finding *f = t->f;
  return diag_error(t->sink, code, t->at, "%s%s of %" PRIu64 " byte%s in kernel `%.*s`", what,
                    access_word(f->at.access), f->size, plural(f->size), STR_ARG(t->s->kernel));
}

static struct diag *out_of_bounds(const struct telling *t) {
  struct diag *d = bad_access(t, MD0825, "out-of-bounds ");
  str where = offset_words(t->sink, t->f);
  explain(t, d, "compare the index with the length before the access", "%.*s", STR_ARG(where));
  return d;
}

static struct diag *through_null(const struct telling *t) {
  struct diag *d = bad_access(t, MD0826, "null-pointer ");
  explain(t, d, NULL, "at address %" PRIu64, t->f->address);
  return d;
}

static struct diag *wild(const struct telling *t) {
  struct diag *d = bad_access(t, MD0827, "wild ");
  explain(t, d,
          "pointers come from parameters, statics and locals; one of the host's own memory means "
          "nothing on a device",
          "the address 0x%" PRIx64 " belongs to nothing that the kernel was given", t->f->address);
  return d;
}

static struct diag *foreign_stack(const struct telling *t) {
  struct diag *d = bad_access(t, MD0828, "");
  explain(t, d,
          "each thread has local memory of its own; give values to others through shared or global "
          "memory",
          "this is a local variable of another thread");
  return d;
}

static struct diag *read_only(const struct telling *t) {
  struct diag *d = bad_access(t, MD0829, "forbidden ");
  str object = object_words(t->sink, t->f);
  explain(t, d, NULL, "%.*s can only be read", STR_ARG(object));
  return d;
}

static struct diag *uninitialised(const struct telling *t) {
  const struct check_finding *f = t->f;
  struct diag *d = diag_error(t->sink, MD0830, t->at,
                              "read of shared memory that nobody wrote, in kernel `%.*s`",
                              STR_ARG(t->s->kernel));
  str where = offset_words(t->sink, f);
  explain(t, d,
          "shared memory starts with any contents in each block; write it first, with a barrier "
          "before other threads read",
          "%" PRIu64 " byte%s from %.*s", f->size, plural(f->size), STR_ARG(where));
  return d;
}

static bool same_block(const struct check_finding *f) {
  return memcmp(f->at.block, f->other.block, sizeof f->at.block) == 0;
}

static struct diag *race(const struct telling *t) {
  const struct check_finding *f = t->f;
  bool shared = f->space == CHECK_SHARED || f->space == CHECK_DYN_SHARED;
  struct diag *d = diag_error(t->sink, MD0831, t->at, "data race on %s memory in kernel `%.*s`",
                              shared ? "shared" : "global", STR_ARG(t->s->kernel));
  str me = thread_words(t->sink, &f->at), other = thread_words(t->sink, &f->other);
  str where = offset_words(t->sink, f);
  label(t, d, "%s by %.*s", access_word(f->at.access), STR_ARG(me));
  label_other(d, t,
              arena_printf(&t->sink->arena, "not ordered after this %s by %.*s",
                           access_word(f->other.access), STR_ARG(other)));
  diag_note(d, "%.*s", STR_ARG(where));
  if (f->scope_too_narrow)
    diag_help(d, "an atomic with `Scope::Block` is one only among the threads of a block; use "
                 "`Scope::Device`");
  else if (same_block(f))
    diag_help(d, "put a `barrier()` between the two accesses, or make both atomic");
  else
    diag_help(d, "blocks are ordered only by atomics with fences; let each block write its own "
                 "part, make both accesses atomic, or use two launches");
  return d;
}

/* The thread that is elsewhere. */
static void label_absent(struct diag *d, const struct telling *t) {
  const struct check_finding *f = t->f;
  if (!f->has_other)
    return;
  str other = thread_words(t->sink, &f->other);
  label_other(d, t,
              arena_printf(&t->sink->arena, "%.*s %s", STR_ARG(other),
                           f->other_exited ? "has ended" : "waits here"));
}

static struct diag *barrier(const struct telling *t) {
  const struct check_finding *f = t->f;
  bool sites = f->kind == CHECK_BARRIER_SITES;
  struct diag *d =
      diag_error(t->sink, sites ? MD0833 : MD0832, t->at,
                 sites ? "threads of a block wait at different barriers in kernel `%.*s`"
                       : "a barrier that only a part of the block reaches in kernel `%.*s`",
                 STR_ARG(t->s->kernel));
  str me = thread_words(t->sink, &f->at);
  label(t, d, "%.*s waits here", STR_ARG(me));
  label_absent(d, t);
  if (f->missing)
    diag_note(d, "%u thread%s of the block did not come", f->missing, plural(f->missing));
  diag_help(d, "call `barrier()` where all threads of the block come by, outside of conditions "
               "that differ between them, and before any of them returns");
  return d;
}

static void add_lanes(struct strbuf *b, uint32_t mask) {
  bool first = true;
  for (unsigned i = 0; i < 32; i++) {
    if (!(mask >> i & 1u))
      continue;
    sb_addf(b, first ? "%u" : ", %u", i);
    first = false;
  }
}

static struct diag *warp(const struct telling *t) {
  const struct check_finding *f = t->f;
  bool bad_mask = f->kind == CHECK_WARP_MASK;
  struct diag *d = diag_error(t->sink, bad_mask ? MD0835 : MD0834, t->at,
                              bad_mask ? "wrong mask of a warp operation in kernel `%.*s`"
                                       : "lanes are missing at a warp operation in kernel `%.*s`",
                              STR_ARG(t->s->kernel));
  str me = thread_words(t->sink, &f->at);
  struct strbuf lanes = {0};
  label(t, d, "%.*s calls it with mask 0x%08x", STR_ARG(me), f->mask);
  label_absent(d, t);
  if (f->missing) {
    add_lanes(&lanes, f->missing);
    diag_note(d, bad_mask ? "lanes that are wrong: %s" : "lanes that take no part: %s",
              sb_z(&lanes));
  }
  sb_free(&lanes);
  diag_help(d, "all lanes that the mask names must call the same operation, the calling one among "
               "them");
  return d;
}

static struct diag *tell(const struct telling *t) {
  switch (t->f->kind) {
  case CHECK_OUT_OF_BOUNDS:
    return out_of_bounds(t);
  case CHECK_NULL:
    return through_null(t);
  case CHECK_WILD:
    return wild(t);
  case CHECK_FOREIGN_STACK:
    return foreign_stack(t);
  case CHECK_READ_ONLY:
    return read_only(t);
  case CHECK_UNINITIALISED:
    return uninitialised(t);
  case CHECK_RACE:
    return race(t);
  case CHECK_BARRIER_PARTIAL:
  case CHECK_BARRIER_SITES:
    return barrier(t);
  case CHECK_WARP_MISSING:
  case CHECK_WARP_MASK:
    return warp(t);
  case CHECK_KINDS:
    break;
  }
  BUG("finding %d", (int)t->f->kind);
}

struct diag *check_diagnose(const struct check_finding *f, const struct check_scene *s,
                            struct diag_sink *sink) {
  struct telling t = {f, s, sink, check_span(s, f->at.loc)};
  struct diag *d = tell(&t);
  if (f->count > 1)
    diag_note(d, "and %" PRIu64 " more time%s at the same place%s", f->count - 1,
              plural(f->count - 1), f->has_other ? "s" : "");
  return d;
}

void check_diagnose_limits(const struct check *c, const struct check_scene *s,
                           struct diag_sink *sink) {
  uint64_t n = check_dropped(c);
  if (n)
    diag_warning(sink, MD0836, SPAN_NONE,
                 "%" PRIu64 " more finding%s in kernel `%.*s` not shown: too many different ones",
                 n, plural(n), STR_ARG(s->kernel));
  if (check_races_gave_up(c)) {
    struct diag *d =
        diag_warning(sink, MD0836, SPAN_NONE,
                     "races in kernel `%.*s` were no longer looked for: the launch is too large",
                     STR_ARG(s->kernel));
    if (d)
      diag_help(d, "run a smaller grid");
  }
}
