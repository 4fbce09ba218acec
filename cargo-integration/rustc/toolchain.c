/* Finding rustc and reading `rustc -vV`. */
#include "cargo-integration/rustc/toolchain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"

/* The versions that the parsers and flag sets were made and tested for. */
static const struct rustc_dialect DIALECTS[] = {
    {95, "rustc_layout"},
    {96, "rustc_dump_layout"},
    {97, "rustc_dump_layout"},
};

static const struct rustc_dialect *dialect_of(unsigned minor) {
  const struct rustc_dialect *best = &DIALECTS[0];
  for (size_t i = 0; i < COUNT_OF(DIALECTS); i++) {
    if (DIALECTS[i].minor <= minor) {
      best = &DIALECTS[i];
    }
  }
  return best;
}

/* Value of "KEY: " at a line start of `text`; empty if there is none. */
static str version_field(str text, const char *key) {
  str rest = text;
  str line;
  str k = str_from(key);
  while (str_next_line(&rest, &line)) {
    if (str_starts(line, k) && line.n > k.n && line.p[k.n] == ':') {
      return str_trim(str_drop(line, k.n + 1));
    }
  }
  return STR_NULL;
}

/* Reads "1.95.0…" into its first two numbers. */
static bool read_release(str release, unsigned *major, unsigned *minor) {
  size_t dot = str_find_char(release, '.', 0);
  if (dot == SIZE_MAX) {
    return false;
  }
  size_t dot2 = str_find_char(release, '.', dot + 1);
  if (dot2 == SIZE_MAX) {
    return false;
  }
  uint64_t a = 0;
  uint64_t b = 0;
  if (!str_to_u64(str_sub(release, 0, dot), &a) ||
      !str_to_u64(str_sub(release, dot + 1, dot2), &b) || a > 1000 || b > 100000) {
    return false;
  }
  *major = (unsigned)a;
  *minor = (unsigned)b;
  return true;
}

bool toolchain_parse(struct diag_sink *s, struct arena *a, str version_text,
                     struct toolchain *out) {
  out->version_text = arena_str(a, version_text);
  out->release = version_field(out->version_text, "release");
  out->commit = version_field(out->version_text, "commit-hash");
  out->host = version_field(out->version_text, "host");
  if (out->host.n == 0 || !read_release(out->release, &out->major, &out->minor)) {
    struct diag *d =
        diag_error(s, MD0140, SPAN_NONE, "the answer to `-vV` is not that of a Rust compiler");
    diag_note(d, "it starts with `%.*s`", STR_ARG(str_sub(version_text, 0, 60)));
    diag_help(d, "set RUSTC to the compiler that builds this package");
    return false;
  }
  out->nightly = str_find(out->release, STR("-nightly"), 0) != SIZE_MAX ||
                 str_find(out->release, STR("-dev"), 0) != SIZE_MAX;
  size_t last = COUNT_OF(DIALECTS) - 1;
  out->known =
      out->major == 1 && out->minor >= DIALECTS[0].minor && out->minor <= DIALECTS[last].minor;
  out->dialect = dialect_of(out->major > 1 ? UINT32_MAX : out->minor);
  if (!out->known) {
    struct diag *d = diag_warning(s, MD0141, SPAN_NONE, "rustc %.*s is not a tested version",
                                  STR_ARG(out->release));
    diag_note(d,
              "tested are 1.%u to 1.%u; what this version prints in a new form is refused, "
              "never guessed",
              DIALECTS[0].minor, DIALECTS[last].minor);
  }
  return true;
}

/* rustup's rustc is a small program that looks for the real one at every start. Asking it once for
 * the folder of the real one saves that search in all later runs. */
static const char *behind_rustup(struct diag_sink *s, struct arena *a, const char *program) {
  char *real = path_real(a, program);
  if (real == NULL) {
    return program;
  }
  char *rustup = path_join(a, arena_strz(a, path_dir(str_from(real))), "rustup");
  struct stat st_rustup;
  struct stat st_real;
  bool proxy = str_eq(path_base(str_from(real)), STR("rustup")) ||
               (stat(rustup, &st_rustup) == 0 && stat(real, &st_real) == 0 &&
                st_rustup.st_ino == st_real.st_ino && st_rustup.st_dev == st_real.st_dev);
  if (!proxy) {
    return program;
  }
  struct proc_cmd c;
  struct proc_result r = {0};
  proc_init(&c, a, program);
  proc_arg(&c, "--print");
  proc_arg(&c, "sysroot");
  const char *found = program;
  if (proc_run(s, &c, &r) && r.status == 0) {
    str root = str_trim(sb_str(&r.out));
    char *direct = path_join(a, arena_strz(a, root), "bin/rustc");
    if (root.n > 0 && fs_exists(direct)) {
      found = direct;
    }
  }
  proc_result_free(&r);
  return found;
}

static const char *locate(struct diag_sink *s, struct arena *a, const char *given) {
  const char *want = given != NULL ? given : getenv("RUSTC");
  if (want == NULL || want[0] == '\0') {
    want = "rustc";
  }
  if (strchr(want, '/') != NULL) {
    /* Units run in folders of their own; links stay, since a program may look at its own name. */
    char *cwd = want[0] == '/' ? NULL : getcwd(NULL, 0);
    const char *absolute = cwd != NULL ? path_join(a, cwd, want) : want;
    free(cwd);
    return absolute;
  }
  char *found = proc_find(a, want);
  if (found == NULL) {
    struct diag *d = diag_error(s, MD0140, SPAN_NONE, "cannot find `%s` on PATH", want);
    diag_help(d, "install Rust, or set RUSTC to the compiler's path");
  }
  return found;
}

bool toolchain_find(struct diag_sink *s, struct arena *a, const char *given,
                    struct toolchain *out) {
  *out = (struct toolchain){0};
  const char *program = locate(s, a, given);
  if (program == NULL) {
    return false;
  }
  out->program = behind_rustup(s, a, program);
  struct proc_cmd c;
  struct proc_result r = {0};
  proc_init(&c, a, out->program);
  proc_arg(&c, "-vV");
  if (!proc_run(s, &c, &r)) {
    proc_result_free(&r);
    return false;
  }
  bool ok = r.status == 0;
  if (!ok) {
    struct diag *d =
        diag_error(s, MD0140, SPAN_NONE, "`%s -vV` ended with status %d", out->program, r.status);
    diag_note(d, "it said: %.*s", STR_ARG(str_trim(str_sub(sb_str(&r.err), 0, 400))));
  } else {
    ok = toolchain_parse(s, a, sb_str(&r.out), out);
  }
  proc_result_free(&r);
  return ok;
}

/* A compiler that is replaced in place keeps its path, but not its files. Where the program is a small
 * one that chooses another, nobody knows what it will choose next time. */
void toolchain_list(const struct toolchain *tc, struct arena *a, struct depends *out) {
  char *program = proc_find(a, tc->program);
  char *real = program != NULL ? path_real(a, program) : NULL;
  if (real == NULL || !str_starts(path_base(str_from(real)), STR("rustc"))) {
    depends_doubt(out, tc->program);
    return;
  }
  char *root = arena_strz(a, path_dir(path_dir(str_from(real))));
  const char *const dirs[] = {"lib", arena_strz(a, arena_printf(a, "lib/rustlib/%.*s/lib", STR_ARG(tc->host)))};
  depends_tool(out, real);
  for (size_t i = 0; i < COUNT_OF(dirs); i++) {
    str *names = NULL;
    size_t n = 0;
    char *dir = path_join(a, root, dirs[i]);
    if (!fs_list(a, dir, &names, &n)) {
      depends_doubt(out, dir);
    }
    for (size_t k = 0; k < n; k++) {
      bool library = str_find(names[k], STR(".so"), 0) != SIZE_MAX || str_ends(names[k], STR(".rlib"));
      if (library) {
        depends_tool(out, path_join(a, dir, arena_strz(a, names[k])));
      }
    }
  }
}
