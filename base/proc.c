/* Child processes. Both pipes are drained with poll, so that neither side can block the other. */
#include "base/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ending.h"
#include "base/fatal.h"

extern char **environ;

void proc_init(struct proc_cmd *c, struct arena *a, const char *program) {
  *c = (struct proc_cmd){.arena = a};
  proc_arg(c, program);
}

void proc_arg(struct proc_cmd *c, const char *arg) {
  vec_push(c->arena, &c->argv, arena_strz(c->arena, str_from(arg)));
}

void proc_argf(struct proc_cmd *c, const char *fmt, ...) {
  struct strbuf b = {0};
  va_list ap;
  va_start(ap, fmt);
  sb_vaddf(&b, fmt, ap);
  va_end(ap);
  proc_arg(c, sb_z(&b));
  sb_free(&b);
}

void proc_env(struct proc_cmd *c, const char *name, const char *value) {
  str s = value ? arena_printf(c->arena, "%s=%s", name, value) : str_from(name);
  vec_push(c->arena, &c->env, arena_strz(c->arena, s));
}

static size_t name_len(const char *entry) {
  return strcspn(entry, "=");
}

/* The parent's environment with the command's changes, NULL-terminated. */
static char **environment(struct proc_cmd *c) {
  VEC(char *) v = {0};
  for (char **e = environ; *e; e++) {
    bool replaced = false;
    for (size_t i = 0; i < c->env.n; i++) {
      size_t n = name_len(c->env.p[i]);
      replaced |= name_len(*e) == n && strncmp(*e, c->env.p[i], n) == 0;
    }
    if (!replaced)
      vec_push(c->arena, &v, *e);
  }
  for (size_t i = 0; i < c->env.n; i++) {
    bool superseded = false;
    for (size_t k = i + 1; k < c->env.n; k++)
      superseded |= name_len(c->env.p[k]) == name_len(c->env.p[i]) &&
                    strncmp(c->env.p[k], c->env.p[i], name_len(c->env.p[i])) == 0;
    if (!superseded && strchr(c->env.p[i], '='))
      vec_push(c->arena, &v, c->env.p[i]);
  }
  vec_push(c->arena, &v, (char *)NULL);
  return v.p;
}

static char **arguments(struct proc_cmd *c) {
  char **v = arena_array(c->arena, char *, c->argv.n + 1);
  memcpy(v, c->argv.p, c->argv.n * sizeof *v);
  return v;
}

void proc_end_between_children(void) {
  ending_watch(false, false);
  ending_hold();
}

static void drain(int fd_out, int fd_err, struct proc_result *r) {
  struct pollfd fds[2] = {{fd_out, POLLIN, 0}, {fd_err, POLLIN, 0}};
  struct strbuf *bufs[2] = {&r->out, &r->err};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (poll(fds, 2, -1) < 0 && errno != EINTR)
      return;
    for (int i = 0; i < 2; i++) {
      if (fds[i].fd < 0 || !(fds[i].revents & (POLLIN | POLLHUP | POLLERR)))
        continue;
      sb_reserve(bufs[i], 65536);
      ssize_t n = read(fds[i].fd, bufs[i]->p + bufs[i]->n, 65536);
      if (n > 0) {
        bufs[i]->n += (size_t)n;
        bufs[i]->p[bufs[i]->n] = 0;
      } else if (n == 0 || errno != EINTR) {
        fds[i].fd = -1;
      }
    }
  }
}

/* Standard input from memory, without a writer that could block. */
static int input_fd(struct proc_cmd *c) {
  if (!c->stdin_text.p)
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
  int fd = memfd_create("stdin", MFD_CLOEXEC);
  size_t done = 0;
  while (fd >= 0 && done < c->stdin_text.n) {
    ssize_t n = write(fd, c->stdin_text.p + done, c->stdin_text.n - done);
    if (n < 0) {
      close(fd);
      return -1;
    }
    done += (size_t)n;
  }
  if (fd >= 0)
    lseek(fd, 0, SEEK_SET);
  return fd;
}

struct pipes {
  int in, out[2], err[2];
};

static void close_fd(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

static void close_pipes(struct pipes *p) {
  close_fd(&p->in);
  for (int i = 0; i < 2; i++) {
    close_fd(&p->out[i]);
    close_fd(&p->err[i]);
  }
}

static int start(struct proc_cmd *c, struct pipes *p, pid_t *pid) {
  posix_spawn_file_actions_t fa;
  posix_spawn_file_actions_init(&fa);
  posix_spawn_file_actions_adddup2(&fa, p->in, 0);
  if (p->out[1] >= 0)
    posix_spawn_file_actions_adddup2(&fa, p->out[1], 1);
  if (p->err[1] >= 0)
    posix_spawn_file_actions_adddup2(&fa, p->err[1], 2);
  if (c->cwd)
    posix_spawn_file_actions_addchdir_np(&fa, c->cwd);
  int e = fault_here("spawn")
              ? ENOMEM
              : posix_spawnp(pid, c->argv.p[0], &fa, NULL, arguments(c), environment(c));
  posix_spawn_file_actions_destroy(&fa);
  return e;
}

static int wait_for(pid_t pid, struct pipes *p, struct proc_result *r) {
  ending_set_child(pid);
  drain(p->out[0], p->err[0], r);
  int st = 0;
  while (waitpid(pid, &st, 0) < 0 && errno == EINTR)
    ;
  ending_set_child(0);
  return st;
}

bool proc_start(struct diag_sink *s, struct proc_cmd *c, struct proc_child *k) {
  if (ending_reported(s))
    return false;
  ending_hold();
  struct pipes p = {-1, {-1, -1}, {-1, -1}};
  p.in = input_fd(c);
  pid_t pid = 0;
  int e = p.in < 0 ? errno : 0;
  if (!e && !c->inherit_out && pipe2(p.out, O_CLOEXEC) != 0)
    e = errno;
  if (!e && !c->inherit_err && pipe2(p.err, O_CLOEXEC) != 0)
    e = errno;
  /* Room for a child that goes on while nobody reads yet; the usual 64 KiB do where this fails. */
  if (!e && p.out[0] >= 0)
    (void)fcntl(p.out[0], F_SETPIPE_SZ, 1 << 20);
  if (!e && p.err[0] >= 0)
    (void)fcntl(p.err[0], F_SETPIPE_SZ, 1 << 20);
  if (!e)
    e = start(c, &p, &pid);
  if (e) {
    close_pipes(&p);
    diag_error(s, MD0006, SPAN_NONE, "cannot start `%s`: %s", c->argv.p[0], strerror(e));
    ending_release();
    return false;
  }
  close_fd(&p.in);
  close_fd(&p.out[1]);
  close_fd(&p.err[1]);
  *k = (struct proc_child){pid, p.out[0], p.err[0]};
  return true;
}

void proc_wait(struct proc_child *k, struct proc_result *r) {
  struct pipes p = {-1, {k->out, -1}, {k->err, -1}};
  *r = (struct proc_result){0};
  int st = wait_for(k->pid, &p, r);
  close_pipes(&p);
  int sig = WIFSIGNALED(st) ? WTERMSIG(st) : ending_signal();
  r->signaled = sig != 0;
  r->status = r->signaled ? 128 + sig : WEXITSTATUS(st);
  r->exited = WIFEXITED(st) ? WEXITSTATUS(st) : -1;
  ending_release();
}

bool proc_run(struct diag_sink *s, struct proc_cmd *c, struct proc_result *r) {
  struct proc_child k;
  *r = (struct proc_result){0};
  if (!proc_start(s, c, &k))
    return false;
  proc_wait(&k, r);
  return true;
}

bool proc_exec(struct diag_sink *s, struct proc_cmd *c) {
  execvpe(c->argv.p[0], arguments(c), environment(c));
  diag_error(s, MD0006, SPAN_NONE, "cannot start `%s`: %s", c->argv.p[0], strerror(errno));
  return false;
}

void proc_result_free(struct proc_result *r) {
  sb_free(&r->out);
  sb_free(&r->err);
}

void proc_show(const struct proc_cmd *c, struct strbuf *out) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_-./=+,:@%^";
  for (size_t i = 0; i < c->argv.n; i++) {
    const char *a = c->argv.p[i];
    if (i)
      sb_addc(out, ' ');
    if (a[0] && a[strspn(a, plain)] == 0) {
      sb_addz(out, a);
      continue;
    }
    sb_addc(out, '\'');
    for (; *a; a++)
      sb_add(out, *a == '\'' ? STR("'\\''") : (str){a, 1});
    sb_addc(out, '\'');
  }
}

char *proc_find(struct arena *a, const char *name) {
  if (strchr(name, '/'))
    return access(name, X_OK) == 0 ? arena_strz(a, str_from(name)) : NULL;
  str path = str_from(getenv("PATH"));
  while (path.n) {
    size_t colon = str_find_char(path, ':', 0);
    str dir = str_sub(path, 0, colon);
    path = colon == SIZE_MAX ? STR_NULL : str_drop(path, colon + 1);
    char *full = path_join(a, dir.n ? arena_strz(a, dir) : ".", name);
    if (access(full, X_OK) == 0 && !fs_is_dir(full))
      return full;
  }
  return NULL;
}
