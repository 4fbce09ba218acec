/* cargo mirdc new: a package with a kernel, its test and its build script. */
#include <stdlib.h>


#include "cargo-integration/cargo-mirdc/small.h"
#include "cargo-integration/cargo-mirdc/tools.h"

static const char MANIFEST[] = "[package]\n"
                               "name = \"%s\"\n"
                               "version = \"0.1.0\"\n"
                               "edition = \"2021\"\n"
                               "\n"
                               "[dependencies]\n"
                               "mirdc = { path = \"%s/mirdc\" }\n";

static const char SOURCE[] =
    "//! Kernels of this package. `cargo test` runs them on the CPU, `cargo mirdc build` compiles them\n"
    "//! for the GPU.\n"
    "#![no_std]\n"
    "\n"
    "use mirdc::prelude::*;\n"
    "\n"
    "/// `c = a + b`, one element a thread.\n"
    "#[mirdc::kernel(max_block = 256)]\n"
    "pub fn add(a: &[f32], b: &[f32], mut c: PerThread<f32>) {\n"
    "    let i = thread::index_x();\n"
    "    if let Some(c) = c.at(i) {\n"
    "        *c = a[i.get()] + b[i.get()];\n"
    "    }\n"
    "}\n"
    "\n"
    "#[cfg(test)]\n"
    "mod tests {\n"
    "    use super::*;\n"
    "\n"
    "    #[test]\n"
    "    fn adds_every_element() {\n"
    "        let (a, b) = ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]);\n"
    "        let mut c = [0.0; 3];\n"
    "        host::launch(1, 4, &mut c[..], |c| add(&a, &b, c));\n"
    "        assert_eq!(c, [11.0, 22.0, 33.0]);\n"
    "    }\n"
    "}\n";

static bool name_is_good(str name) {
  bool ok = name.n > 0 && !(name.p[0] >= '0' && name.p[0] <= '9') && name.p[0] != '-';
  for (size_t i = 0; i < name.n; i++) {
    char c = name.p[i];
    ok = ok && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '-' || c == '_');
  }
  return ok;
}

/* The folder that holds the device crate: $MIRDC_CRATES, in the source tree, or installed. */
static char *find_crates(struct arena *a) {
  static const char *const BESIDE[] = {"../../cargo-integration", "../share/mirdc/crates"};
  const char *given = getenv("MIRDC_CRATES");
  if (given != NULL && given[0] != '\0') {
    return path_real(a, given);
  }
  for (size_t i = 0; i < COUNT_OF(BESIDE); i++) {
    char *dir = path_join(a, path_self_dir(a), BESIDE[i]);
    if (fs_exists(path_join(a, dir, "mirdc/Cargo.toml"))) {
      return path_real(a, dir);
    }
  }
  return NULL;
}

static bool write_package(struct job *j, const char *path, const char *name, const char *crates) {
  struct arena *a = j->arena;
  struct strbuf b = {0};
  struct fs_stage *st = fs_stage_new();
  sb_addf(&b, MANIFEST, name, crates);
  bool ok = fs_mkdirs(j->sink, path_join(a, path, "src")) &&
            fs_stage_file(st, j->sink, path_join(a, path, "src/lib.rs"), str_from(SOURCE)) &&
            fs_stage_file(st, j->sink, path_join(a, path, ".gitignore"), STR("/target\n")) &&
            fs_stage_file(st, j->sink, path_join(a, path, "Cargo.toml"), sb_str(&b)) &&
            fs_publish(st, j->sink);
  fs_stage_free(st);
  sb_free(&b);
  return ok;
}

int sub_new(struct job *j) {
  if (j->options->args.n != 1) {
    diag_error(j->sink, MD0602, SPAN_NONE, "`cargo mirdc new` takes the path of the new package");
    return EXIT_WRONG_USAGE;
  }
  const char *path = j->options->args.p[0];
  str name = path_base(str_from(path));
  if (fs_exists(path) || !name_is_good(name)) {
    diag_error(j->sink, MD0610, SPAN_NONE,
               fs_exists(path) ? "`%s` exists already" : "`%s` does not end in a package name", path);
    return EXIT_BUILD_FAILED;
  }
  char *crates = find_crates(j->arena);
  if (crates == NULL) {
    diag_error(j->sink, MD0603, SPAN_NONE, "cannot find the device crate `mirdc`");
    return EXIT_BUILD_FAILED;
  }
  if (!write_package(j, path, arena_strz(j->arena, name), crates)) {
    return EXIT_BUILD_FAILED;
  }
  if (!j->quiet) {
    tool_status(j->color, "Created", "package `%.*s`; try `cargo test` and `cargo mirdc build` there",
                STR_ARG(name));
  }
  return 0;
}
