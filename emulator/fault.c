/* Faults of emulated code: an address that may not be touched, a stack that is full, an operation
 * that the processor refuses. The handler makes the thread go on at the end of the launch. Handlers
 * belong to the whole process, so they are installed while any thread emulates; faults of others go
 * to whoever handled them before. */
#include "base/fatal.h"
#include "emulator/engine.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#define N_SIGNALS COUNT_OF(signals)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned users;
static struct sigaction before[N_SIGNALS];
static _Thread_local struct mirdc_emu *running;
static _Thread_local stack_t old_stack;

static enum emu_end reason(const struct mirdc_emu *e, int sig, const void *at) {
  if (sig == SIGFPE || sig == SIGILL)
    return EMU_END_ARITHMETIC;
  return fiber_in_guard(&e->stacks, at) ? EMU_END_STACK : EMU_END_ACCESS;
}

static void pass_on(int sig, siginfo_t *info, void *context) {
  size_t i = 0;
  while (i + 1 < N_SIGNALS && signals[i] != sig)
    i++;
  const struct sigaction *old = &before[i];
  if (old->sa_flags & SA_SIGINFO) {
    old->sa_sigaction(sig, info, context);
  } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
    old->sa_handler(sig);
  } else {
    signal(sig, SIG_DFL); /* and it happens again */
  }
}

static void handler(int sig, siginfo_t *info, void *context) {
  struct mirdc_emu *e = running;
  ucontext_t *u = context;
  if (!e || !e->host_sp || sig != info->si_signo || info->si_code <= 0) {
    pass_on(sig, info, context);
    return;
  }
  e->stop.why = reason(e, sig, info->si_addr);
  e->stop.address = (uint64_t)(uintptr_t)info->si_addr;
  e->stop.loc = e->stop.why == EMU_END_STACK ? e->regs.where : EMU_LOC_NONE;
  e->stop.thread = e->current;
  memcpy(e->stop.ctaid, e->regs.ctaid, sizeof e->stop.ctaid);
  e->spoiled = true;
  u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)fiber_leave;
  u->uc_mcontext.gregs[REG_RDI] = (greg_t)(uintptr_t)e->host_sp;
}

static void install(void) {
  struct sigaction a = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
  a.sa_sigaction = handler;
  sigemptyset(&a.sa_mask);
  for (size_t i = 0; i < N_SIGNALS; i++)
    sigaction(signals[i], &a, &before[i]);
}

void emu_faults_begin(struct mirdc_emu *e) {
  stack_t own = {.ss_sp = e->fault_stack, .ss_size = sizeof e->fault_stack};
  pthread_mutex_lock(&lock);
  if (users++ == 0)
    install();
  pthread_mutex_unlock(&lock);
  sigaltstack(&own, &old_stack);
  running = e;
}

void emu_faults_end(struct mirdc_emu *e) {
  (void)e;
  running = NULL;
  sigaltstack(&old_stack, NULL);
  pthread_mutex_lock(&lock);
  if (--users == 0)
    for (size_t i = 0; i < N_SIGNALS; i++)
      sigaction(signals[i], &before[i], NULL);
  pthread_mutex_unlock(&lock);
}
