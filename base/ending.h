/* Being asked to end by SIGINT or SIGTERM.
 *
 * A program that watches ends at once, with MD0008 and status 1, wherever it is, also inside of a
 * library that cannot be interrupted. Only where something must be cleaned up first (a temporary
 * file or folder, a child process) it holds: the signal is then remembered, the work inside fails
 * soon, and the end comes when the last hold is released. */
#ifndef MIRDC_BASE_ENDING_H
#define MIRDC_BASE_ENDING_H

#include <sys/types.h>

#include "base/diag.h"

/* From now on. The form of the message is that of other diagnostics. A signal that was ignored when
 * the program started stays so. */
void ending_watch(bool json, bool color);
/* Holds nest, over all threads. A release may not return. */
void ending_hold(void);
void ending_release(void);
/* The signal that asked, or 0. */
int ending_signal(void);
/* True, with MD0008 reported, when the run was asked to end. */
bool ending_reported(struct diag_sink *s);
/* For a program that failed: when it was asked to end, that is the reason to tell, and what else was
 * reported is how children that got the signal look. */
void ending_explain(struct diag_sink *s);
/* While the caller holds: what follows puts results into place, and a signal comes too late from
 * here on. False, reported, when one came before. */
bool ending_settle(struct diag_sink *s) MUST_CHECK;
/* In a copy of the process that others will end: signals do what they did before the watch. */
void ending_unwatch(void);
/* Somebody else has told the user already. */
void ending_told(void);

/* Signals go to this child too, until it is 0; they are handled meanwhile in programs that do not
 * watch, too. */
void ending_set_child(pid_t pid);

#endif
