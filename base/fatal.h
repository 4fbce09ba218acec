/* Faults of mirdc itself and of the machine: no memory, broken invariants. Exit status 101. */
#ifndef MIRDC_BASE_FATAL_H
#define MIRDC_BASE_FATAL_H

#include "base/str.h"

/* What is being worked on, for the report of a bug; borrowed, may be NULL. */
void fatal_set_item(const char *stage, str item);
_Noreturn void fatal_bug(const char *file, int line, const char *fmt, ...) PRINTF_LIKE(3, 4);
_Noreturn void fatal_no_memory(size_t wanted);

#define BUG(...) fatal_bug(__FILE__, __LINE__, __VA_ARGS__)
#define ASSERT(c) ((c) ? (void)0 : BUG("assertion failed: %s", #c))

/* malloc and realloc that never return NULL. */
void *xmalloc(size_t n);
void *xcalloc(size_t n); /* n zero bytes */
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *z);

/* Fault injection for tests: MIRDC_FAULT=site:n makes the n-th call at `site` (counted from 1)
 * fail. Sites are alloc, open, write, sync, rename, lock, spawn. */
bool fault_here(const char *site);
/* Sets the fault from within a test program, in place of the environment. NULL: none. */
void fault_set(const char *spec);

#endif
