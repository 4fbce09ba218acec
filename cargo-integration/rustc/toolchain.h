/* The user's own rustc: where it is, which version it is, and how that version differs. */
#ifndef MIRDC_RUSTC_TOOLCHAIN_H
#define MIRDC_RUSTC_TOOLCHAIN_H

#include "base/depends.h"

/* What differs between the versions that are known. */
struct rustc_dialect {
  unsigned minor;          /* 1.MINOR */
  const char *layout_attr; /* rustc_layout or rustc_dump_layout */
};

struct toolchain {
  const char *program; /* path or name, as it is started */
  str version_text;    /* all of `rustc -vV` */
  str release;         /* 1.95.0, 1.97.0-nightly */
  str commit;          /* hash, or "unknown" */
  str host;            /* x86_64-unknown-linux-gnu */
  unsigned major, minor;
  bool nightly;                        /* accepts unstable flags without RUSTC_BOOTSTRAP */
  bool known;                          /* inside the tested range */
  const struct rustc_dialect *dialect; /* of the nearest known version */
};

/* The program to start: `given` when it is not NULL, else $RUSTC, else rustc on PATH. Asks it for
 * its version. An unknown version is a warning (MD0141), a program that does not answer an error
 * (MD0140). */
bool toolchain_find(struct diag_sink *s, struct arena *a, const char *given,
                    struct toolchain *out) MUST_CHECK;
/* Adds the compiler's files: the program, and the libraries of its installation. */
void toolchain_list(const struct toolchain *tc, struct arena *a, struct depends *out);
/* The same from the text of `rustc -vV`. */
bool toolchain_parse(struct diag_sink *s, struct arena *a, str version_text,
                     struct toolchain *out) MUST_CHECK;

#endif
