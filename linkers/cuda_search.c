/* Where the parts of a toolkit can be: roots, folders below a root, file names. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "linkers/cuda_impl.h"

#if defined(__aarch64__)
#define HOST_TARGET "targets/sbsa-linux"
#else
#define HOST_TARGET "targets/x86_64-linux"
#endif

/* Folders of libraries: NVIDIA's installer, distributions, and the wheels on PyPI, whose root is
 * the folder that holds `nvidia/`. */
static const char *const library_dirs[] = {"lib64",
                                           "lib",
                                           "nvvm/lib64",
                                           "nvvm/lib",
                                           HOST_TARGET "/lib",
                                           "nvidia/cu13/lib",
                                           "nvidia/cu13/lib64",
                                           "nvidia/cu13/nvvm/lib64",
                                           "nvidia/cu13/nvvm/lib",
                                           "nvidia/nvjitlink/lib",
                                           "nvidia/cuda_nvrtc/lib",
                                           "nvidia/cuda_nvcc/nvvm/lib64",
                                           "nvidia/nvvm/lib64",
                                           "nvidia/nvvm/lib",
                                           NULL};
static const char *const libdevice_dirs[] = {"nvvm/libdevice", "nvidia/cu13/nvvm/libdevice",
                                             "nvidia/cuda_nvcc/nvvm/libdevice",
                                             "nvidia/nvvm/libdevice", NULL};
static const char *const bin_dirs[] = {"bin", "nvidia/cu13/bin", "nvidia/cuda_nvcc/bin", NULL};
static const char *const header_dirs[] = {"include", HOST_TARGET "/include", "nvidia/cu13/include",
                                          "nvidia/cuda_runtime/include", NULL};
static const char *const cccl_dirs[] = {"include/cccl",
                                        HOST_TARGET "/include/cccl",
                                        "nvidia/cu13/include/cccl",
                                        "nvidia/cuda_cccl/include",
                                        "include",
                                        NULL};

struct part_row {
  const char *const *dirs;
  const char *names[4]; /* any of them, best first */
  bool folder;          /* the location is the folder, the name a file that proves it */
};

static const struct part_row part_rows[CUDA_PART_COUNT] = {
    [CUDA_NVVM] = {library_dirs, {"libnvvm.so.4", "libnvvm.so", NULL}, false},
    [CUDA_NVJITLINK] = {library_dirs,
                        {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so", NULL},
                        false},
    [CUDA_NVRTC] = {library_dirs, {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL}, false},
    [CUDA_LIBDEVICE] = {libdevice_dirs, {"libdevice.10.bc", NULL}, false},
    [CUDA_PTXAS] = {bin_dirs, {"ptxas", NULL}, false},
    [CUDA_HEADERS] = {header_dirs, {"cuda_runtime.h", NULL}, true},
    [CUDA_CCCL] = {cccl_dirs, {"cub/cub.cuh", NULL}, true},
};

void cuda_describe_search(enum cuda_part p, struct strbuf *out) {
  const struct part_row *row = &part_rows[p];
  for (size_t i = 0; row->dirs[i] != NULL; i++) {
    sb_addf(out, "%s%s", i == 0 ? "" : ", ", row->dirs[i]);
  }
  for (size_t i = 0; row->names[i] != NULL; i++) {
    sb_addf(out, "%s%s", i == 0 ? " for " : " or ", row->names[i]);
  }
}

static void add_root(struct cuda_session *cs, const char *how, const char *path) {
  struct cuda_root r = {how, path};
  vec_push(&cs->arena, &cs->roots, r);
}

/* A folder the user named: the only root, good or bad. */
static bool choose(struct cuda_session *cs, const char *how, const char *path) {
  if (path == NULL || path[0] == 0) {
    return false;
  }
  path = arena_strz(&cs->arena, str_from(path));
  cs->chosen = how;
  if (fs_is_dir(path)) {
    add_root(cs, how, path);
  } else {
    cs->bad_choice = path;
  }
  return true;
}

/* The program may sit under build/bin, build/obj/MODE/unit or PREFIX/bin; the fetched toolkit is
 * beside the Makefile, or under share of the prefix. */
static void add_fetched(struct cuda_session *cs) {
  char *dir = path_self_dir(&cs->arena);
  add_root(cs, "the fetched toolchain", path_join(&cs->arena, dir, "../share/mirdc/cuda"));
  for (int up = 0; up < 6; up++) {
    str parent = path_dir(str_from(dir));
    if (parent.n == 0 || str_eqz(parent, dir)) {
      break;
    }
    dir = arena_strz(&cs->arena, parent);
    char *fetched = path_join(&cs->arena, dir, ".toolchain/cuda");
    if (fs_is_dir(fetched) && fs_exists(path_join(&cs->arena, dir, "Makefile"))) {
      add_root(cs, "the fetched toolchain", fetched);
      break;
    }
    vec_push(&cs->arena, &cs->absent, fetched);
  }
}

void cuda_roots(struct cuda_session *cs, const char *option) {
  if (choose(cs, "--cuda", option) || choose(cs, "MIRDC_CUDA", getenv("MIRDC_CUDA"))) {
    return;
  }
  const char *home = getenv("CUDA_HOME");
  if (home != NULL && home[0] != 0) {
    add_root(cs, "CUDA_HOME", arena_strz(&cs->arena, str_from(home)));
  }
  add_fetched(cs);
  add_root(cs, "the usual place", "/usr/local/cuda");
}

static bool attempt(struct cuda_session *cs, enum cuda_part p, const char *how, const char *path,
                    const char *location) {
  struct cuda_part_state *ps = &cs->parts[p];
  bool found = fs_exists(path);
  struct cuda_attempt at = {how, path, found};
  vec_push(&cs->arena, &ps->attempts, at);
  if (found) {
    ps->at = (struct cuda_location){location, how};
  }
  return found;
}

static bool search_root(struct cuda_session *cs, enum cuda_part p, const struct cuda_root *r) {
  const struct part_row *row = &part_rows[p];
  if (!fs_is_dir(r->path)) {
    return attempt(cs, p, r->how, r->path, r->path) && false;
  }
  for (const char *const *d = row->dirs; *d != NULL; d++) {
    char *dir = path_join(&cs->arena, r->path, *d);
    if (!fs_is_dir(dir)) {
      vec_push(&cs->arena, &cs->absent, dir);
      continue;
    }
    for (const char *const *n = row->names; *n != NULL; n++) {
      char *file = path_join(&cs->arena, dir, *n);
      if (attempt(cs, p, r->how, file, row->folder ? dir : file)) {
        return true;
      }
    }
  }
  return false;
}

/* Asks the loader, which may know the library from its cache or LD_LIBRARY_PATH. */
static void search_loader(struct cuda_session *cs, enum cuda_part p) {
  struct cuda_part_state *ps = &cs->parts[p];
  for (const char *const *n = part_rows[p].names; *n != NULL && ps->at.path == NULL; n++) {
    void *h = dlopen(*n, RTLD_NOW | RTLD_LOCAL);
    struct link_map *map = NULL;
    struct cuda_attempt at = {"the loader's path", *n, h != NULL};
    vec_push(&cs->arena, &ps->attempts, at);
    if (h != NULL && dlinfo(h, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != 0) {
      ps->at = (struct cuda_location){arena_strz(&cs->arena, str_from(map->l_name)), at.how};
    }
    if (h != NULL) {
      dlclose(h);
    }
  }
}

static void search_beyond_roots(struct cuda_session *cs, enum cuda_part p) {
  struct cuda_part_state *ps = &cs->parts[p];
  if (p == CUDA_NVVM || p == CUDA_NVJITLINK || p == CUDA_NVRTC) {
    search_loader(cs, p);
  } else if (p == CUDA_PTXAS) {
    char *path = proc_find(&cs->arena, "ptxas");
    struct cuda_attempt at = {"PATH", path == NULL ? "ptxas" : path, path != NULL};
    vec_push(&cs->arena, &ps->attempts, at);
    if (path != NULL) {
      ps->at = (struct cuda_location){path, at.how};
    }
  }
}

void cuda_list(struct cuda_session *cs, struct depends *out) {
  static const enum cuda_part parts[] = {CUDA_NVVM, CUDA_LIBDEVICE, CUDA_NVJITLINK};
  static const char *const read[] = {"MIRDC_CUDA", "CUDA_HOME", "LD_LIBRARY_PATH"};
  for (size_t i = 0; i < COUNT_OF(parts); i++) {
    (void)cuda_locate(cs, parts[i]);
    const struct cuda_attempt *tried;
    size_t n = cuda_attempts(cs, parts[i], &tried);
    for (size_t k = 0; k < n; k++) {
      if (strchr(tried[k].path, '/') == NULL) {
        depends_doubt(out, "the loader was asked for a library of CUDA");
      } else if (tried[k].found) {
        depends_tool(out, tried[k].path);
      } else {
        depends_absent(out, tried[k].path);
      }
    }
  }
  for (size_t i = 0; i < cs->absent.n; i++) {
    depends_absent(out, cs->absent.p[i]);
  }
  for (size_t i = 0; i < COUNT_OF(read); i++) {
    depends_env(out, read[i]);
  }
}

void cuda_search(struct cuda_session *cs, enum cuda_part p) {
  struct cuda_part_state *ps = &cs->parts[p];
  if (ps->searched) {
    return;
  }
  ps->searched = true;
  for (size_t i = 0; i < cs->roots.n && ps->at.path == NULL; i++) {
    search_root(cs, p, &cs->roots.p[i]);
  }
  if (ps->at.path == NULL && cs->chosen == NULL) {
    search_beyond_roots(cs, p);
  }
}
