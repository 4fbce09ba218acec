/* The content-addressed store: bytes under their digest, and a map from the key of an action to the
 * digests of its outputs. Safe for concurrent processes without locks: files appear by rename and
 * are checked when read. Any damage is a miss. A store that cannot be used is no error: put and get
 * then say no. All functions take NULL for "no store". */
#ifndef MIRDC_LINKERS_STORE_H
#define MIRDC_LINKERS_STORE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/fs.h"
#include "base/hash.h"

struct store;
struct store_output {
  str tag; /* "cubin", "ltoir", …: lower-case letters, digits, - and . */
  struct digest digest;
  uint64_t size;
};

/* dir NULL: $MIRDC_CACHE_DIR, $XDG_CACHE_HOME/mirdc, ~/.cache/mirdc. Never NULL; an unusable folder
 * is a warning (MD0450) once. */
struct store *store_open(struct diag_sink *s, const char *dir);
void store_close(struct store *st);
const char *store_dir(const struct store *st);

/* The digest is set even when the bytes could not be kept (false). */
bool store_put(struct store *st, str bytes, struct digest *out);
/* False: not there, or damaged (the damaged file is removed). */
bool store_get(struct store *st, const struct digest *d, struct bytes *out) MUST_CHECK;
bool store_put_action(struct store *st, const struct digest *key,
                      const struct store_output *outputs, size_t n);
bool store_get_action(struct store *st, struct arena *a, const struct digest *key,
                      struct store_output **outputs, size_t *n) MUST_CHECK;
/* Action and bytes in one step. */
bool store_get_output(struct store *st, const struct digest *key, str tag,
                      struct bytes *out) MUST_CHECK;
bool store_put_output(struct store *st, const struct digest *key, str tag, str bytes);
/* Digest of a file that changes rarely; remembered under device, inode, size, mtime, ctime and
 * path. errno-style code. */
int store_file_digest(struct store *st, const char *path, struct digest *out) MUST_CHECK;

struct store_stats {
  uint64_t objects, object_bytes, actions, memos;
  uint64_t damaged;                /* store_verify: found and removed */
  uint64_t removed, removed_bytes; /* store_gc, store_clear */
};
bool store_stat(struct diag_sink *s, struct store *st, struct store_stats *out) MUST_CHECK;
bool store_verify(struct diag_sink *s, struct store *st, struct store_stats *out) MUST_CHECK;
/* Removes what was used least recently until at most max_bytes remain. */
bool store_gc(struct diag_sink *s, struct store *st, uint64_t max_bytes,
              struct store_stats *out) MUST_CHECK;
bool store_clear(struct diag_sink *s, struct store *st, struct store_stats *out) MUST_CHECK;

#endif
