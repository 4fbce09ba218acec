/* Files and folders. Failures are reported into the sink with the path and the system's words. */
#ifndef MIRDC_BASE_FS_H
#define MIRDC_BASE_FS_H

#include "base/arena.h"
#include "base/diag.h"

struct bytes {
  uint8_t *p;
  size_t n;
};
void bytes_free(struct bytes *b);

/* Opens once, reads a regular file whole into malloc'd memory (with a zero byte after it).
 * `max` bounds the size (0: 4 GiB). Folders, FIFOs and devices are refused. */
bool fs_read(struct diag_sink *s, const char *path, size_t max, struct bytes *out) MUST_CHECK;
/* The same without a report: errno-style code, 0 on success. */
int fs_try_read(const char *path, size_t max, struct bytes *out);

/* Writes to a temporary name in the same folder, syncs and renames. The old file stays on failure. */
bool fs_write_atomic(struct diag_sink *s, const char *path, str data) MUST_CHECK;

/* A set of files that appear together: each is written and synced under a temporary name, and
 * fs_publish renames them in the order of fs_stage_file calls; when one cannot be renamed, those
 * before it are taken back. From its first file to its end the stage keeps the folder of that file
 * locked (MD0007 when another run does not give it up within a minute), so a thread has at most one
 * stage at a time, and none while it calls fs_write_atomic. */
struct fs_stage;
struct fs_stage *fs_stage_new(void);
bool fs_stage_file(struct fs_stage *st, struct diag_sink *s, const char *path, str data) MUST_CHECK;
bool fs_publish(struct fs_stage *st, struct diag_sink *s) MUST_CHECK;
void fs_stage_free(struct fs_stage *st); /* removes unpublished temporaries */

/* For main, before anything is opened: a limit on the size of files is then a failed write and no
 * signal, and no file can take the number of a standard stream that was closed. */
void fs_prepare_process(void);

bool fs_mkdirs(struct diag_sink *s, const char *path) MUST_CHECK;
bool fs_exists(const char *path);
bool fs_is_dir(const char *path);
/* Both exist and are one file, whatever the paths (links, hard links). */
bool fs_same_file(const char *a, const char *b);
/* Sorted names in a folder, without . and ..; false if it cannot be read. */
bool fs_list(struct arena *a, const char *path, str **names, size_t *n) MUST_CHECK;
/* Removes a tree; symbolic links are removed, not followed. */
bool fs_remove_tree(struct diag_sink *s, const char *path) MUST_CHECK;
/* A fresh private folder under $TMPDIR or /tmp. */
char *fs_temp_dir(struct diag_sink *s, struct arena *a);

char *path_join(struct arena *a, const char *dir, const char *name); /* absolute name wins */
/* From the last folder before `src` on: `…/mirdc-0.1.0/src/thread.rs` is `mirdc-0.1.0/src/thread.rs`;
 * the file's name when there is no `src`. */
str path_from_package(str path);
str path_base(str path);
str path_dir(str path);  /* "." when there is none */
str path_stem(str path); /* the base without its last extension */
/* Real path of the running program's folder. */
char *path_self_dir(struct arena *a);
char *path_real(struct arena *a, const char *path); /* NULL if it does not resolve */
/* A shown form: relative to the current folder when inside it. */
str path_shown(struct arena *a, str path);

/* An exclusive advisory lock on a file, created if missing; waits. -1 on failure (reported). */
int fs_lock(struct diag_sink *s, const char *path);
void fs_unlock(int fd);

#endif
