/* Child processes: posix_spawn, argument vectors, never a shell. */
#ifndef MIRDC_BASE_PROC_H
#define MIRDC_BASE_PROC_H

#include <sys/types.h>

#include "base/diag.h"
#include "base/fs.h"
#include "base/vec.h"

struct proc_cmd {
  struct arena *arena; /* holds copies of all strings */
  VEC(char *) argv;
  VEC(char *) env; /* NAME=VALUE to set, or NAME alone to remove */
  const char *cwd;        /* NULL: inherit */
  bool inherit_out, inherit_err; /* otherwise captured */
  str stdin_text;         /* given to the child; p == NULL: /dev/null */
};

struct proc_result {
  int status;  /* exit status, or 128 + signal */
  bool signaled; /* or this run was asked to end meanwhile, whatever the child did */
  int exited;    /* the child's own status, -1 when a signal ended it */
  struct strbuf out, err;
};

void proc_init(struct proc_cmd *c, struct arena *a, const char *program);
void proc_arg(struct proc_cmd *c, const char *arg);
void proc_argf(struct proc_cmd *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
void proc_env(struct proc_cmd *c, const char *name, const char *value); /* NULL value removes */
/* False (reported) only if the program could not be started; its status is the caller's business.
 * SIGINT and SIGTERM are forwarded to the child; after one of them no child succeeds (it counts as
 * ended by the signal) and none is started any more (MD0008), so that the run ends soon and cleanly. */
bool proc_run(struct diag_sink *s, struct proc_cmd *c, struct proc_result *r) MUST_CHECK;
/* For programs that do little besides running children: the same holds between children (they watch,
 * and hold for good; see ending.h). */
void proc_end_between_children(void);
/* The same in two steps, so that several children run at once. Each started child must be waited for;
 * a captured stream that fills its pipe halts the child until then. */
struct proc_child {
  pid_t pid;
  int out, err; /* read ends, -1 when inherited */
};
bool proc_start(struct diag_sink *s, struct proc_cmd *c, struct proc_child *k) MUST_CHECK;
void proc_wait(struct proc_child *k, struct proc_result *r);
/* Replaces this process; returns only on failure (reported). */
bool proc_exec(struct diag_sink *s, struct proc_cmd *c);
void proc_result_free(struct proc_result *r);
/* The command as a person would type it, quoted. */
void proc_show(const struct proc_cmd *c, struct strbuf *out);
/* The path of a program on PATH, or NULL. */
char *proc_find(struct arena *a, const char *name);

#endif
