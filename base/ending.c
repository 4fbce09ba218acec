/* The handler may run in any thread and at any place, so it touches atomics, and text that was made
 * before. Whether it may end the process is one word: the number of holds, or that the end has
 * come. */
#include "base/ending.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM};
enum { N_SIGNALS = COUNT_OF(signals), ENDED = 1 << 30 };

static atomic_int holds, asked, child;
static atomic_bool watching, settled, told;
static struct strbuf texts[N_SIGNALS];
static int text_stream;
static struct sigaction before[N_SIGNALS];

static _Noreturn void end(int sig) {
  for (size_t i = 0; i < N_SIGNALS; i++) {
    size_t done = 0;
    while (!told && signals[i] == sig && done < texts[i].n) {
      ssize_t n = write(text_stream, texts[i].p + done, texts[i].n - done);
      if (n <= 0)
        break;
      done += (size_t)n;
    }
  }
  _exit(1);
}

static void end_unless_held(int sig) {
  int none = 0;
  if (watching && !settled && atomic_compare_exchange_strong(&holds, &none, ENDED))
    end(sig);
}

static void on_signal(int sig) {
  int e = errno;
  if (!settled) {
    asked = sig;
    if (child > 0)
      kill(child, sig);
    end_unless_held(sig);
  }
  errno = e;
}

static void handle(size_t i) {
  struct sigaction act = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigaction(signals[i], NULL, &before[i]);
  if (before[i].sa_handler != SIG_IGN)
    sigaction(signals[i], &act, NULL);
}

static const char *name_of(int sig) {
  return sig == SIGINT ? "SIGINT" : "SIGTERM";
}

static void report(struct diag_sink *s, int sig) {
  diag_error(s, MD0008, SPAN_NONE, "this run was asked to end by %s", name_of(sig));
}

void ending_watch(bool json, bool color) {
  struct source_map none;
  struct diag_sink s;
  source_map_init(&none);
  diag_sink_init(&s, &none);
  for (size_t i = 0; i < N_SIGNALS; i++) {
    report(&s, signals[i]);
    if (json)
      diag_render_json(&s, s.first, &texts[i]);
    else
      diag_render_human(&s, s.first, color, &texts[i]);
    s.first = NULL;
    s.end = &s.first;
  }
  diag_sink_free(&s);
  source_map_free(&none);
  text_stream = json ? STDOUT_FILENO : STDERR_FILENO;
  watching = true;
  for (size_t i = 0; i < N_SIGNALS; i++)
    handle(i);
}

void ending_hold(void) {
  int n = holds;
  do
    while (n & ENDED) /* another thread is ending the process */
      pause();
  while (!atomic_compare_exchange_weak(&holds, &n, n + 1));
}

void ending_release(void) {
  int sig = atomic_fetch_sub(&holds, 1) == 1 ? (int)asked : 0;
  if (sig)
    end_unless_held(sig);
}

int ending_signal(void) {
  return asked;
}

bool ending_reported(struct diag_sink *s) {
  int sig = settled ? 0 : asked;
  if (sig)
    report(s, sig);
  return sig != 0;
}

void ending_explain(struct diag_sink *s) {
  if (settled || !asked)
    return;
  s->first = NULL;
  s->end = &s->first;
  ending_reported(s);
}

/* First the mark, then the question: a handler that comes between sees either. */
bool ending_settle(struct diag_sink *s) {
  settled = true;
  if (!asked) {
    for (size_t i = 0; watching && i < N_SIGNALS; i++)
      signal(signals[i], SIG_IGN); /* so that no call is interrupted any more */
    return true;
  }
  settled = false;
  return !ending_reported(s);
}

void ending_unwatch(void) {
  for (size_t i = 0; watching && i < N_SIGNALS; i++)
    sigaction(signals[i], &before[i], NULL);
  watching = false;
}

void ending_told(void) {
  told = true;
}

void ending_set_child(pid_t pid) {
  child = (int)pid;
  for (size_t i = 0; !watching && i < N_SIGNALS; i++)
    if (pid)
      handle(i);
    else
      sigaction(signals[i], &before[i], NULL);
  if (pid && asked)
    kill(pid, asked);
}
