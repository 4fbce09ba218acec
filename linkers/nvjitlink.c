/* The calls to nvJitLink. */
#include "linkers/nvjitlink.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/ending.h"
#include "base/fatal.h"
#include "linkers/tool_log.h"

typedef void *jit_handle;

struct jit_api {
  int (*create)(jit_handle *, uint32_t, const char **);
  int (*destroy)(jit_handle *);
  int (*add)(jit_handle, int, const void *, size_t, const char *);
  int (*complete)(jit_handle);
  int (*cubin_size)(jit_handle, size_t *);
  int (*cubin)(jit_handle, void *);
  int (*ptx_size)(jit_handle, size_t *);
  int (*ptx)(jit_handle, char *);
  int (*error_size)(jit_handle, size_t *);
  int (*error)(jit_handle, char *);
  int (*info_size)(jit_handle, size_t *);
  int (*info)(jit_handle, char *);
};

static bool load(struct diag_sink *s, struct cuda_session *cs, void *lib, const char *name,
                 void *slot) {
  void *f = cuda_need_function(s, cs, CUDA_NVJITLINK, lib, name);
  memcpy(slot, &f, sizeof f);
  return f != NULL;
}

static bool load_api(struct diag_sink *s, struct cuda_session *cs, struct jit_api *api) {
  void *lib = cuda_library(s, cs, CUDA_NVJITLINK);
  return lib != NULL && load(s, cs, lib, "nvJitLinkCreate", &api->create) &&
         load(s, cs, lib, "nvJitLinkDestroy", &api->destroy) &&
         load(s, cs, lib, "nvJitLinkAddData", &api->add) &&
         load(s, cs, lib, "nvJitLinkComplete", &api->complete) &&
         load(s, cs, lib, "nvJitLinkGetLinkedCubinSize", &api->cubin_size) &&
         load(s, cs, lib, "nvJitLinkGetLinkedCubin", &api->cubin) &&
         load(s, cs, lib, "nvJitLinkGetLinkedPtxSize", &api->ptx_size) &&
         load(s, cs, lib, "nvJitLinkGetLinkedPtx", &api->ptx) &&
         load(s, cs, lib, "nvJitLinkGetErrorLogSize", &api->error_size) &&
         load(s, cs, lib, "nvJitLinkGetErrorLog", &api->error) &&
         load(s, cs, lib, "nvJitLinkGetInfoLogSize", &api->info_size) &&
         load(s, cs, lib, "nvJitLinkGetInfoLog", &api->info);
}

bool nvjitlink_version(struct diag_sink *s, struct cuda_session *cs, unsigned v[2]) {
  void *lib = cuda_library(s, cs, CUDA_NVJITLINK);
  int (*version)(unsigned *, unsigned *) = NULL;
  if (lib == NULL || !load(s, cs, lib, "nvJitLinkVersion", &version)) {
    return false;
  }
  if (version(&v[0], &v[1]) == 0) {
    return true;
  }
  diag_error(s, MD0402, SPAN_NONE, "nvJitLink does not tell its version");
  return false;
}

static int input_type(enum link_kind k) {
  switch (k) {
  case LINK_CUBIN:
    return 1;
  case LINK_PTX:
    return 2;
  case LINK_LTOIR:
    return 3;
  case LINK_FATBIN:
    return 4;
  case LINK_OBJECT:
    return 5;
  case LINK_ARCHIVE:
    return 6;
  default:
    return 0;
  }
}

static void take_log(jit_handle h, int (*size)(jit_handle, size_t *),
                     int (*get)(jit_handle, char *), struct strbuf *out) {
  size_t n = 0;
  if (h == NULL || size(h, &n) != 0 || n == 0 || n > TOOL_LOG_MAX) {
    return;
  }
  char *z = xmalloc(n + 1);
  memset(z, 0, n + 1);
  if (get(h, z) == 0) {
    sb_addz(out, z);
  }
  free(z);
}

/* PTX text must end in a zero byte for the library, which the caller's bytes need not have. */
static int add_input(const struct jit_api *api, jit_handle h, const struct link_input *in) {
  if (in->kind != LINK_PTX) {
    return api->add(h, input_type(in->kind), in->bytes.p, in->bytes.n, in->name.p);
  }
  char *z = xmalloc(in->bytes.n + 1);
  memcpy(z, in->bytes.p, in->bytes.n);
  z[in->bytes.n] = 0;
  int rc = api->add(h, input_type(in->kind), z, in->bytes.n + 1, in->name.p);
  free(z);
  return rc;
}

static int take_product(const struct jit_api *api, jit_handle h, bool ptx, struct bytes *out) {
  size_t n = 0;
  int rc = ptx ? api->ptx_size(h, &n) : api->cubin_size(h, &n);
  if (rc != 0 || n > (size_t)1 << 32) {
    return rc != 0 ? rc : -1;
  }
  /* The caller's bytes are followed by a zero; a size of 0 is judged by the caller. */
  uint8_t *p = xmalloc(n + 1);
  memset(p, 0, n + 1);
  rc = n == 0 ? 0 : ptx ? api->ptx(h, (char *)p) : api->cubin(h, p);
  if (rc != 0) {
    free(p);
    return rc;
  }
  *out = (struct bytes){p, n};
  return 0;
}

static void run(const struct jit_api *api, jit_handle *h, const struct jit_request *q,
                struct jit_result *r) {
  const char **options = xmalloc((q->n_options + 1) * sizeof *options);
  for (size_t i = 0; i < q->n_options; i++) {
    options[i] = q->options[i];
  }
  r->stage = JIT_CREATE;
  r->rc = api->create(h, (uint32_t)q->n_options, options);
  free(options);
  if (r->rc != 0) {
    return;
  }
  r->stage = JIT_ADD;
  for (r->input = 0; r->input < q->n_inputs; r->input++) {
    r->rc = add_input(api, *h, &q->inputs[r->input]);
    if (r->rc != 0) {
      return;
    }
  }
  r->stage = JIT_COMPLETE;
  r->rc = api->complete(*h);
  if (r->rc != 0) {
    return;
  }
  r->stage = JIT_PRODUCT;
  r->rc = take_product(api, *h, q->want_ptx, &r->product);
  if (r->rc == 0) {
    r->stage = JIT_DONE;
  }
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Links of this process hold it for reading, a fork for writing, so that no thread is inside the
 * library at the moment of the fork: its locks would stay locked in the child for ever. */
static pthread_rwlock_t inside = PTHREAD_RWLOCK_INITIALIZER;

static void run_whole(const struct jit_api *api, const struct jit_request *q,
                      struct jit_result *r) {
  jit_handle h = NULL;
  uint64_t start = now_ns();
  run(api, &h, q, r);
  take_log(h, api->error_size, api->error, &r->error_log);
  take_log(h, api->info_size, api->info, &r->info_log);
  if (h != NULL) {
    api->destroy(&h);
  }
  r->ns = now_ns() - start;
}

bool nvjitlink_run(struct diag_sink *s, struct cuda_session *cs, const struct jit_request *q,
                   struct jit_result *r) {
  struct jit_api api;
  *r = (struct jit_result){0};
  if (!load_api(s, cs, &api)) {
    return false;
  }
  pthread_rwlock_rdlock(&inside);
  run_whole(&api, q, r);
  pthread_rwlock_unlock(&inside);
  return true;
}

/* The result's frame on the pipe; the two logs and the product follow. Both ends are this program.
 */
struct frame {
  enum jit_stage stage;
  int rc;
  size_t input, n_error, n_info, n_product;
  uint64_t ns;
};

/* All n bytes in one direction. */
static bool transfer(int fd, void *p, size_t n, bool out) {
  char *at = p;
  while (n > 0) {
    ssize_t k = out ? write(fd, at, n) : read(fd, at, n);
    if (k < 0 && errno == EINTR) {
      continue;
    }
    if (k <= 0) {
      return false;
    }
    at += k;
    n -= (size_t)k;
  }
  return true;
}

/* The library looks up the source files that line information names and writes their times of
 * modification into the image. From here no relative name leads to a file. */
static bool leave_sources(void) {
  return chdir("/proc/self/fdinfo") == 0 || chdir("/") == 0;
}

/* Crash handlers of the parent (sanitizers, a test's) must not speak for the child. */
static void quiet_crashes(void) {
  static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
  struct rlimit none = {0, 0};
  for (size_t i = 0; i < COUNT_OF(signals); i++) {
    signal(signals[i], SIG_DFL);
  }
  setrlimit(RLIMIT_CORE, &none);
}

/* Some errors of the library go to stderr only, beside a result that says success. What this copy
 * of the process inherited in its buffers is the parent's to print. */
static int divert_output(void) {
  int fd = memfd_create("nvjitlink", MFD_CLOEXEC);
  __fpurge(stdout);
  __fpurge(stderr);
  return fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0 && dup2(fd, STDERR_FILENO) >= 0 ? fd : -1;
}

static void take_output(int fd, struct strbuf *log) {
  char chunk[4096];
  ssize_t n;
  fflush(stdout);
  fflush(stderr);
  if (lseek(fd, 0, SEEK_END) == 0 || lseek(fd, 0, SEEK_SET) != 0) {
    return;
  }
  if (log->n > 0 && log->p[log->n - 1] != '\n') {
    sb_addc(log, '\n');
  }
  while (log->n < TOOL_LOG_MAX && (n = read(fd, chunk, sizeof chunk)) > 0) {
    sb_add(log, (str){chunk, (size_t)n});
  }
}

static _Noreturn void child(int fd, const struct jit_api *api, const struct jit_request *q) {
  struct jit_result r = {0};
  ending_unwatch();
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would take the result */
  quiet_crashes();
  int output = divert_output();
  if (output < 0 || !leave_sources()) {
    _exit(1);
  }
  run_whole(api, q, &r);
  take_output(output, &r.error_log);
  struct frame f = {r.stage, r.rc, r.input, r.error_log.n, r.info_log.n, r.product.n, r.ns};
  bool ok = transfer(fd, &f, sizeof f, true) && transfer(fd, r.error_log.p, r.error_log.n, true) &&
            transfer(fd, r.info_log.p, r.info_log.n, true) &&
            transfer(fd, r.product.p, r.product.n, true);
  _exit(ok ? 0 : 1);
}

static bool receive_text(int fd, size_t n, struct strbuf *out) {
  char *z = xmalloc(n + 1);
  bool ok = transfer(fd, z, n, false);
  if (ok) {
    sb_add(out, (str){z, n});
  }
  free(z);
  return ok;
}

static bool receive(int fd, struct jit_result *r) {
  struct frame f;
  if (!transfer(fd, &f, sizeof f, false) || !receive_text(fd, f.n_error, &r->error_log) ||
      !receive_text(fd, f.n_info, &r->info_log)) {
    return false;
  }
  r->stage = f.stage;
  r->rc = f.rc;
  r->input = f.input;
  r->ns = f.ns;
  r->product.p = xmalloc(f.n_product + 1);
  r->product.n = f.n_product;
  r->product.p[f.n_product] = 0;
  return transfer(fd, r->product.p, f.n_product, false);
}

bool nvjitlink_run_guarded(struct diag_sink *s, struct cuda_session *cs,
                           const struct jit_request *q, struct jit_result *r) {
  struct jit_api api;
  int ends[2], status = 0;
  *r = (struct jit_result){0};
  if (!load_api(s, cs, &api)) {
    return false;
  }
  /* Not a program to start but a copy of this process with the library in it: hence fork. The
   * pipe's end for writing lives inside the lock, so that no other child inherits it. */
  pthread_rwlock_wrlock(&inside);
  if (pipe2(ends, O_CLOEXEC) != 0) {
    pthread_rwlock_unlock(&inside);
    diag_error(s, MD0424, SPAN_NONE, "no pipe for the link: %s", strerror(errno));
    return false;
  }
  errno = EAGAIN;
  pid_t pid = fault_here("spawn") ? -1 : fork();
  if (pid == 0) {
    child(ends[1], &api, q);
  }
  int why = errno;
  close(ends[1]);
  pthread_rwlock_unlock(&inside);
  bool got = pid > 0 && receive(ends[0], r);
  close(ends[0]);
  if (pid < 0) {
    diag_error(s, MD0424, SPAN_NONE, "no process for the link: %s", strerror(why));
    return false;
  }
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!got || WIFSIGNALED(status)) {
    r->stage = JIT_CRASH;
    r->rc = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  return true;
}

void jit_result_free(struct jit_result *r) {
  sb_free(&r->error_log);
  sb_free(&r->info_log);
  bytes_free(&r->product);
}
