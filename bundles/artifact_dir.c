/* The shared directory of a Cargo build. */
#include <stdlib.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/proc.h"
#include "bundles/artifact.h"

/* Cargo keeps this file at the top of its build directory, in each layout and with --target. A
 * CACHEDIR.TAG would not do: there is one in each triple's folder too. */
#define CARGO_MARK ".rustc_info.json"

static char *walk_up(struct arena *a, const char *inside) {
  char *real = path_real(a, inside);
  str dir = str_from(real);
  while (dir.n > 1) {
    const char *here = arena_strz(a, dir);
    if (fs_exists(path_join(a, here, CARGO_MARK)))
      return path_join(a, here, "mirdc");
    dir = path_dir(dir);
  }
  return NULL;
}

static bool cargo_answer(struct diag_sink *s, struct arena *a, str text, char **out) {
  struct json_text t = {text, STR("cargo metadata"), s, MD0531, MD0531};
  struct json_doc *doc;
  struct json_at root, dir;
  str path;
  if (!json_parse_all(&t, a, &doc))
    return false;
  root = json_root(doc);
  /* Cargo before 1.91 knows only one directory. */
  if (!json_opt(&root, "build_directory", &dir))
    return false;
  if (dir.node == NULL && !json_get(&root, "target_directory", &dir))
    return false;
  if (!json_str(&dir, &path))
    return false;
  *out = path_join(a, arena_strz(a, path), "mirdc");
  return true;
}

static char *ask_cargo(struct diag_sink *s, struct arena *a, const char *manifest) {
  const char *cargo = getenv("CARGO");
  struct proc_cmd cmd;
  struct proc_result r;
  char *out = NULL;
  proc_init(&cmd, a, cargo != NULL && cargo[0] != 0 ? cargo : "cargo");
  proc_arg(&cmd, "metadata");
  proc_arg(&cmd, "--no-deps");
  proc_arg(&cmd, "--offline");
  proc_arg(&cmd, "--format-version=1");
  if (manifest != NULL)
    proc_argf(&cmd, "--manifest-path=%s", manifest);
  if (!proc_run(s, &cmd, &r))
    return NULL;
  if (r.status == 0) {
    if (!cargo_answer(s, a, arena_str(a, sb_str(&r.out)), &out))
      out = NULL;
  } else {
    struct diag *d = diag_error(s, MD0531, SPAN_NONE, "`cargo metadata` failed with status %d",
                                r.status);
    str rest = sb_str(&r.err), line;
    for (int i = 0; i < 4 && str_next_line(&rest, &line); i++) {
      if (line.n > 0)
        diag_note(d, "%.*s", STR_ARG(line));
    }
    diag_help(d, "run inside a Cargo package, or give `--out-dir DIR`");
  }
  proc_result_free(&r);
  return out;
}

char *artifact_shared_dir(struct diag_sink *s, struct arena *a, const char *given,
                          const char *inside, const char *manifest) {
  if (given != NULL && given[0] != 0)
    return arena_strz(a, str_from(given));
  const char *env = getenv("MIRDC_DIR");
  if (env != NULL && env[0] != 0) {
    if (env[0] == '/')
      return arena_strz(a, str_from(env));
    struct diag *d = diag_error(s, MD0531, SPAN_NONE, "MIRDC_DIR is `%s`, no absolute path", env);
    diag_help(d, "Cargo runs its programs in different folders; in .cargo/config.toml write "
                 "`[env] MIRDC_DIR = { value = \"…\", relative = true }`");
    return NULL;
  }
  char *found = inside != NULL ? walk_up(a, inside) : NULL;
  return found != NULL ? found : ask_cargo(s, a, manifest);
}
