#include "bundles/launch.h"

#include <stdarg.h>
#include <stdio.h>

/* What every GPU since compute capability 3.0 allows. */
static const uint32_t max_block_dim[3] = {1024, 1024, 64};
static const uint32_t max_grid_dim[3] = {2147483647u, 65535, 65535};
#define MAX_BLOCK_THREADS 1024u
#define MAX_CLUSTER_BLOCKS 16u         /* 8 portable, 16 by opting in */
#define MAX_DYN_SHARED (227u * 1024u) /* the largest opt-in size of any device so far */

bool launch_facts_eq(const struct launch_facts *a, const struct launch_facts *b) {
  for (int i = 0; i < 3; i++) {
    if (a->block[i] != b->block[i] || a->cluster[i] != b->cluster[i])
      return false;
  }
  return a->flags == b->flags && a->max_block == b->max_block && a->min_blocks == b->min_blocks &&
         a->dyn_shared == b->dyn_shared && a->dyn_shared_align == b->dyn_shared_align;
}

static uint64_t volume(const uint32_t d[3]) {
  return (uint64_t)d[0] * d[1] * d[2];
}

static const char *block_wrong(const uint32_t b[3]) {
  for (int i = 0; i < 3; i++) {
    if (b[i] == 0)
      return "a dimension of the block is zero";
    if (b[i] > max_block_dim[i])
      return "a dimension of the block is above the limit of 1024, 1024, 64";
  }
  return volume(b) > MAX_BLOCK_THREADS ? "the block has more than 1024 threads" : NULL;
}

static const char *cluster_wrong(const uint32_t c[3]) {
  for (int i = 0; i < 3; i++) {
    if (c[i] == 0)
      return "a dimension of the cluster is zero";
    if (c[i] > MAX_CLUSTER_BLOCKS)
      return "the cluster has more than 16 blocks";
  }
  return volume(c) > MAX_CLUSTER_BLOCKS ? "the cluster has more than 16 blocks" : NULL;
}

static const char *unflagged_wrong(const struct launch_facts *f) {
  if ((f->flags & LAUNCH_BLOCK) == 0 && (f->block[0] | f->block[1] | f->block[2]) != 0)
    return "a block is given but not flagged";
  if ((f->flags & LAUNCH_CLUSTER) == 0 && (f->cluster[0] | f->cluster[1] | f->cluster[2]) != 0)
    return "a cluster is given but not flagged";
  if ((f->flags & LAUNCH_MAX_BLOCK) == 0 && f->max_block != 0)
    return "a greatest block is given but not flagged";
  if ((f->flags & LAUNCH_MIN_BLOCKS) == 0 && f->min_blocks != 0)
    return "a least number of blocks is given but not flagged";
  if ((f->flags & LAUNCH_DYN_SHARED) == 0 && (f->dyn_shared != 0 || f->dyn_shared_align != 0))
    return "dynamic shared memory is given but not flagged";
  return NULL;
}

static const char *shared_wrong(const struct launch_facts *f) {
  uint32_t align = f->dyn_shared_align;
  if (align == 0 || (align & (align - 1)) != 0 || align > 1024)
    return "the alignment of dynamic shared memory is no power of two up to 1024";
  return f->dyn_shared > MAX_DYN_SHARED ? "more dynamic shared memory than any device has" : NULL;
}

const char *launch_facts_wrong(const struct launch_facts *f) {
  const char *why = unflagged_wrong(f);
  if ((f->flags & ~(uint32_t)LAUNCH_KNOWN) != 0)
    return "an unknown kind of fact is flagged";
  if (why == NULL && (f->flags & LAUNCH_BLOCK) != 0)
    why = block_wrong(f->block);
  if (why == NULL && (f->flags & LAUNCH_CLUSTER) != 0)
    why = cluster_wrong(f->cluster);
  if (why == NULL && (f->flags & LAUNCH_DYN_SHARED) != 0)
    why = shared_wrong(f);
  if (why != NULL)
    return why;
  if ((f->flags & LAUNCH_MAX_BLOCK) != 0 && (f->max_block == 0 || f->max_block > MAX_BLOCK_THREADS))
    return "the greatest block is not between 1 and 1024 threads";
  if ((f->flags & LAUNCH_MIN_BLOCKS) != 0 && (f->min_blocks == 0 || f->min_blocks > 32))
    return "the least number of resident blocks is not between 1 and 32";
  if ((f->flags & LAUNCH_BLOCK) != 0 && (f->flags & LAUNCH_MAX_BLOCK) != 0)
    return "an exact and a greatest block exclude each other";
  return NULL;
}

static bool refuse(char *why, size_t n, const char *fmt, ...) PRINTF_LIKE(3, 4);
static bool refuse(char *why, size_t n, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  (void)vsnprintf(why, n, fmt, ap);
  va_end(ap);
  return false;
}

static bool allows_block(const struct launch_facts *f, const struct launch_request *r, char *why,
                         size_t n) {
  const uint32_t *b = r->block;
  const char *wrong = block_wrong(b);
  if (wrong != NULL)
    return refuse(why, n, "block %u,%u,%u: %s", b[0], b[1], b[2], wrong);
  if ((f->flags & LAUNCH_BLOCK) != 0 &&
      (b[0] != f->block[0] || b[1] != f->block[1] || b[2] != f->block[2]))
    return refuse(why, n, "the kernel is compiled for a block of %u,%u,%u, the launch has %u,%u,%u",
                  f->block[0], f->block[1], f->block[2], b[0], b[1], b[2]);
  if ((f->flags & LAUNCH_MAX_BLOCK) != 0 && volume(b) > f->max_block)
    return refuse(why, n, "the kernel is compiled for at most %u threads a block, the launch has %u",
                  f->max_block, (unsigned)volume(b));
  return true;
}

static bool allows_grid(const struct launch_facts *f, const struct launch_request *r, char *why,
                        size_t n) {
  for (int i = 0; i < 3; i++) {
    if (r->grid[i] == 0 || r->grid[i] > max_grid_dim[i])
      return refuse(why, n, "grid %u,%u,%u: dimension %c must be between 1 and %u", r->grid[0],
                    r->grid[1], r->grid[2], "xyz"[i], max_grid_dim[i]);
    if ((f->flags & LAUNCH_CLUSTER) != 0 && r->grid[i] % f->cluster[i] != 0)
      return refuse(why, n, "grid dimension %c is %u, no multiple of the kernel's cluster of %u",
                    "xyz"[i], r->grid[i], f->cluster[i]);
  }
  return true;
}

bool launch_allows(const struct launch_facts *f, const struct launch_request *r, char *why,
                   size_t n) {
  why[0] = 0;
  if (!allows_block(f, r, why, n) || !allows_grid(f, r, why, n))
    return false;
  if ((f->flags & LAUNCH_DYN_SHARED) != 0 && r->dyn_shared != f->dyn_shared)
    return refuse(why, n,
                  "the kernel is compiled for %llu bytes of dynamic shared memory, the launch has %llu",
                  (unsigned long long)f->dyn_shared, (unsigned long long)r->dyn_shared);
  if (r->dyn_shared > MAX_DYN_SHARED)
    return refuse(why, n, "%llu bytes of dynamic shared memory are more than any device has",
                  (unsigned long long)r->dyn_shared);
  return true;
}
