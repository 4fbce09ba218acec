/* The Rust toolchains of this machine, for tests that run each of them. */
#ifndef MIRDC_TEST_RUSTC_TOOLS_H
#define MIRDC_TEST_RUSTC_TOOLS_H

#include "unit.h"

#include "base/fs.h"
#include "cargo-integration/rustc/toolchain.h"

#define MAX_TOOLS 8

/* rustc programs: rustup's toolchains, Debian's rustc-web ($MIRDC_RUSTC_WEB or .toolchain), and
 * when there are none of these, rustc on PATH. One of each version. */
static inline size_t rustc_tools(struct arena *a, struct toolchain *out) {
  const char *candidates[MAX_TOOLS * 2] = {0};
  size_t n = 0;
  size_t found = 0;
  str *names = NULL;
  size_t n_names = 0;
  const char *home = getenv("RUSTUP_HOME");
  const char *user = getenv("HOME");
  char *rustup = home != NULL ? path_join(a, home, "toolchains")
                              : path_join(a, user != NULL ? user : "/", ".rustup/toolchains");
  if (fs_list(a, rustup, &names, &n_names)) {
    for (size_t i = 0; i < n_names && n < MAX_TOOLS; i++) {
      char *dir = path_join(a, rustup, arena_strz(a, names[i]));
      candidates[n++] = path_join(a, dir, "bin/rustc");
    }
  }
  const char *web = getenv("MIRDC_RUSTC_WEB");
  candidates[n++] = path_join(a, web != NULL ? web : ".toolchain/rustc-web", "bin/rustc");
  candidates[n++] = "rustc";
  for (size_t i = 0; i < n && found < MAX_TOOLS; i++) {
    struct test_sink t;
    struct toolchain tc;
    bool seen = false;
    if (strchr(candidates[i], '/') != NULL && !fs_exists(candidates[i])) {
      continue;
    }
    test_sink_init(&t);
    bool ok = toolchain_find(&t.sink, a, candidates[i], &tc);
    test_sink_free(&t);
    for (size_t k = 0; ok && k < found; k++) {
      seen = seen || str_eq(out[k].version_text, tc.version_text);
    }
    if (ok && !seen) {
      out[found++] = tc;
    }
  }
  return found;
}

#endif
