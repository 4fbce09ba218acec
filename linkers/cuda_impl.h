/* Between the files that find CUDA: the session and its search. */
#ifndef MIRDC_LINKERS_CUDA_IMPL_H
#define MIRDC_LINKERS_CUDA_IMPL_H

#include <pthread.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/vec.h"
#include "linkers/cuda_find.h"

struct cuda_root {
  const char *how;
  const char *path;
};

/* What a file was when it was opened. */
struct cuda_identity {
  dev_t dev;
  ino_t ino;
  off_t size;
  struct timespec mtime, ctime;
};

struct cuda_part_state {
  bool searched;
  struct cuda_location at;
  VEC(struct cuda_attempt) attempts;
  void *handle;
  bool opened; /* identity is set */
  struct cuda_identity identity;
  struct bytes content;
  bool has_digest;
  struct digest digest;
};

struct cuda_session {
  pthread_mutex_t lock;
  struct arena arena;
  struct store *store;
  const char *chosen;     /* how: the root was named by the user and is the only one; or NULL */
  const char *bad_choice; /* its path when it is no folder */
  VEC(struct cuda_root) roots;
  VEC(const char *) absent; /* folders that would have been looked into */
  struct cuda_part_state parts[CUDA_PART_COUNT];
  bool has_version; /* of the toolkit; empty: its headers do not tell */
  str version;
};

/* Fills the roots in order; called once. */
void cuda_roots(struct cuda_session *cs, const char *option);
/* Searches for a part unless that was done; the lock is held. */
void cuda_search(struct cuda_session *cs, enum cuda_part p);
/* "lib64, lib, … for libnvvm.so.4 or libnvvm.so": where a part is looked for below a root. */
void cuda_describe_search(enum cuda_part p, struct strbuf *out);

#endif
