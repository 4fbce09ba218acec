/* The CUDA session: locations, opened libraries, file identities. */
#include "linkers/cuda_find.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "linkers/cuda_impl.h"
#include "linkers/store.h"

static const struct {
  const char *name, *purpose;
} part_texts[CUDA_PART_COUNT] = {
    [CUDA_NVVM] = {"libNVVM", "compiles NVVM IR to LTO-IR"},
    [CUDA_NVJITLINK] = {"nvJitLink", "links LTO-IR into cubins"},
    [CUDA_NVRTC] = {"NVRTC", "compiles native providers"},
    [CUDA_LIBDEVICE] = {"libdevice", "holds the device math functions"},
    [CUDA_PTXAS] = {"ptxas", "assembles PTX in tests and comparisons"},
    [CUDA_HEADERS] = {"CUDA headers", "are included by native providers"},
    [CUDA_CCCL] = {"CCCL headers", "hold CUB, which native providers include"},
};

const char *cuda_part_name(enum cuda_part p) {
  return part_texts[p].name;
}

const char *cuda_part_purpose(enum cuda_part p) {
  return part_texts[p].purpose;
}

const char *cuda_part_remedy(enum cuda_part p) {
  switch (p) {
  case CUDA_NVVM:
  case CUDA_LIBDEVICE:
    return "wheel `nvidia-nvvm`, or package cuda-nvvm of the CUDA toolkit 13.0";
  case CUDA_NVJITLINK:
    return "wheel `nvidia-nvjitlink`, or package libnvjitlink of the CUDA toolkit 13.0";
  case CUDA_NVRTC:
    return "wheel `nvidia-cuda-nvrtc`, or package cuda-nvrtc of the CUDA toolkit 13.0";
  case CUDA_PTXAS:
    return "wheel `nvidia-cuda-nvcc`, or package cuda-nvcc of the CUDA toolkit 13.0";
  case CUDA_HEADERS:
    return "wheels `nvidia-cuda-runtime` and `nvidia-cuda-crt`, or package cuda-cudart-dev of the "
           "CUDA toolkit 13.0";
  default:
    return "wheel `nvidia-cuda-cccl`, or package cuda-cccl of the CUDA toolkit 13.0";
  }
}

struct cuda_session *cuda_session_new(const struct cuda_options *o) {
  struct cuda_session *cs = xmalloc(sizeof *cs);
  *cs = (struct cuda_session){.store = o == NULL ? NULL : o->store};
  if (pthread_mutex_init(&cs->lock, NULL) != 0) {
    BUG("no mutex");
  }
  cuda_roots(cs, o == NULL ? NULL : o->toolkit);
  return cs;
}

void cuda_session_free(struct cuda_session *cs) {
  if (cs == NULL) {
    return;
  }
  /* The libraries stay loaded: they start threads and register exit handlers of their own. */
  for (size_t i = 0; i < CUDA_PART_COUNT; i++) {
    bytes_free(&cs->parts[i].content);
  }
  arena_free(&cs->arena);
  pthread_mutex_destroy(&cs->lock);
  free(cs);
}

struct cuda_location cuda_locate(struct cuda_session *cs, enum cuda_part p) {
  pthread_mutex_lock(&cs->lock);
  cuda_search(cs, p);
  struct cuda_location at = cs->parts[p].at;
  pthread_mutex_unlock(&cs->lock);
  return at;
}

size_t cuda_attempts(struct cuda_session *cs, enum cuda_part p, const struct cuda_attempt **out) {
  cuda_locate(cs, p);
  *out = cs->parts[p].attempts.p;
  return cs->parts[p].attempts.n;
}

/* The roots, then what was asked beyond them: the loader, PATH. */
static void note_attempts(struct diag *d, struct cuda_session *cs, enum cuda_part p) {
  struct strbuf below = {0};
  cuda_describe_search(p, &below);
  for (size_t i = 0; i < cs->roots.n; i++) {
    const struct cuda_root *r = &cs->roots.p[i];
    diag_note(d, "tried %s (%s)%s", r->path, r->how, fs_is_dir(r->path) ? "" : ": no such folder");
  }
  for (size_t i = 0; i < cs->parts[p].attempts.n; i++) {
    const struct cuda_attempt *at = &cs->parts[p].attempts.p[i];
    if (strchr(at->path, '/') == NULL) {
      diag_note(d, "tried %s (%s)", at->path, at->how);
    }
  }
  if (cs->roots.n > 0) {
    diag_note(d, "below a root: %s", sb_z(&below));
  }
  sb_free(&below);
}

bool cuda_require(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p,
                  struct cuda_location *out) {
  *out = cuda_locate(cs, p);
  if (out->path != NULL) {
    return true;
  }
  if (cs->bad_choice != NULL) {
    struct diag *d = diag_error(s, MD0404, SPAN_NONE, "`%s`, named by %s, is not a folder",
                                cs->bad_choice, cs->chosen);
    diag_help(d, "name the root of a CUDA toolkit, or drop %s to use the usual places", cs->chosen);
    return false;
  }
  struct diag *d = diag_error(s, MD0400, SPAN_NONE, "%s was not found; it %s", cuda_part_name(p),
                              cuda_part_purpose(p));
  note_attempts(d, cs, p);
  if (cs->chosen != NULL) {
    diag_note(d, "only %s was searched, because %s is set", cs->roots.p[0].path, cs->chosen);
  }
  diag_help(d, "get it as %s; `mirdc doctor` shows what is found", cuda_part_remedy(p));
  return false;
}

static void identity_of(const struct stat *st, struct cuda_identity *id) {
  *id = (struct cuda_identity){st->st_dev, st->st_ino, st->st_size, st->st_mtim, st->st_ctim};
}

static bool same_time(struct timespec a, struct timespec b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool same_identity(const struct cuda_identity *a, const struct cuda_identity *b) {
  return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
         same_time(a->mtime, b->mtime) && same_time(a->ctime, b->ctime);
}

static bool holds_segments(int fd, off_t size) {
  Elf64_Ehdr h;
  if (pread(fd, &h, sizeof h, 0) != sizeof h || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
      h.e_ident[EI_CLASS] != ELFCLASS64) {
    return true; /* the loader says more about these */
  }
  for (size_t i = 0; i < h.e_phnum; i++) {
    Elf64_Phdr ph;
    off_t at = (off_t)(h.e_phoff + i * sizeof ph);
    if (pread(fd, &ph, sizeof ph, at) != sizeof ph ||
        (ph.p_type == PT_LOAD &&
         (ph.p_offset > (uint64_t)size || ph.p_filesz > (uint64_t)size - ph.p_offset))) {
      return false;
    }
  }
  return true;
}

/* The loader maps a file that was cut short, and the first touch of a missing page kills the
 * process. */
static bool is_whole(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  bool ok = fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || holds_segments(fd, st.st_size);
  if (fd >= 0) {
    close(fd);
  }
  return ok;
}

static void *open_library(struct diag_sink *s, struct cuda_part_state *ps, enum cuda_part p) {
  if (ps->handle != NULL) {
    return ps->handle;
  }
  struct stat st;
  if (stat(ps->at.path, &st) == 0) {
    identity_of(&st, &ps->identity);
    ps->opened = true;
  }
  bool whole = is_whole(ps->at.path);
  void *h = whole ? dlopen(ps->at.path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (h == NULL) {
    const char *why = whole ? dlerror() : "the file is shorter than its own headers say";
    struct diag *d = diag_error(s, MD0402, SPAN_NONE, "%s at `%s` cannot be opened",
                                cuda_part_name(p), ps->at.path);
    diag_note(d, "%s%s", whole ? "the loader says: " : "", why == NULL ? "nothing" : why);
    diag_help(d, "reinstall it, or name another toolkit with `--cuda DIR`");
  }
  ps->handle = h;
  return h;
}

void *cuda_library(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p) {
  struct cuda_location at;
  if (!cuda_require(s, cs, p, &at)) {
    return NULL;
  }
  pthread_mutex_lock(&cs->lock);
  void *h = open_library(s, &cs->parts[p], p);
  pthread_mutex_unlock(&cs->lock);
  return h;
}

bool cuda_file(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p, str *out) {
  struct cuda_location at;
  *out = STR_NULL;
  if (!cuda_require(s, cs, p, &at)) {
    return false;
  }
  struct bytes *content = &cs->parts[p].content;
  pthread_mutex_lock(&cs->lock);
  bool ok = content->p != NULL || fs_read(s, at.path, 0, content);
  pthread_mutex_unlock(&cs->lock);
  if (ok) {
    *out = (str){(const char *)content->p, content->n};
  }
  return ok;
}

/* nvJitLink exports its functions under names with a version at the end; the plain names exist only
 * in its header, as inline functions. The newest version wins. */
void *cuda_function(void *library, const char *name) {
  void *f = dlsym(library, name);
  for (int major = 14; f == NULL && major >= 12; major--) {
    for (int minor = 9; f == NULL && minor >= 0; minor--) {
      char versioned[96];
      snprintf(versioned, sizeof versioned, "__%s_%d_%d", name, major, minor);
      f = dlsym(library, versioned);
    }
  }
  return f;
}

void *cuda_need_function(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p,
                         void *library, const char *name) {
  void *f = cuda_function(library, name);
  if (f == NULL) {
    struct diag *d = diag_error(s, MD0402, SPAN_NONE, "%s at `%s` has no function `%s`",
                                cuda_part_name(p), cs->parts[p].at.path, name);
    diag_help(d, "name a CUDA toolkit 13.0 with `--cuda DIR`");
  }
  return f;
}

static bool unchanged(struct diag_sink *s, struct cuda_part_state *ps, const char *name) {
  struct stat st;
  struct cuda_identity now;
  if (!ps->opened) {
    return true;
  }
  if (stat(ps->at.path, &st) == 0) {
    identity_of(&st, &now);
    if (same_identity(&now, &ps->identity)) {
      return true;
    }
  }
  struct diag *d =
      diag_error(s, MD0405, SPAN_NONE, "%s at `%s` changed during the run", name, ps->at.path);
  diag_help(d, "run again when the installation has finished");
  return false;
}

bool cuda_part_digest(struct diag_sink *s, struct cuda_session *cs, enum cuda_part p,
                      struct digest *out) {
  struct cuda_location at;
  if (!cuda_require(s, cs, p, &at)) {
    return false;
  }
  struct cuda_part_state *ps = &cs->parts[p];
  pthread_mutex_lock(&cs->lock);
  bool ok = unchanged(s, ps, cuda_part_name(p));
  if (ok && !ps->has_digest) {
    int e = store_file_digest(cs->store, at.path, &ps->digest);
    if (e != 0) {
      diag_error(s, MD0402, SPAN_NONE, "%s at `%s` cannot be read: %s", cuda_part_name(p), at.path,
                 strerror(e));
      ok = false;
    }
    ps->has_digest = ok;
  }
  *out = ps->digest;
  pthread_mutex_unlock(&cs->lock);
  return ok;
}

enum { MAX_HEADER = 16 << 20 }; /* cuda.h of 13.0 is larger than one MiB */

/* The number behind `#define NAME` in a header. */
static uint64_t defined_number(str text, str name) {
  for (size_t at = 0; (at = str_find(text, name, at)) != SIZE_MAX; at += name.n) {
    size_t lo = str_rfind_char(str_sub(text, 0, at), '\n') + 1; /* SIZE_MAX: the first line */
    str rest = str_drop(text, at + name.n), line;
    uint64_t v;
    if (str_eq(str_trim(str_sub(text, lo, at)), STR("#define")) && str_next_line(&rest, &line) &&
        line.n > 0 && isspace((unsigned char)line.p[0]) && str_to_u64(str_trim(line), &v))
      return v;
  }
  return 0;
}

static uint64_t header_number(const char *dir, const char *file, str name) {
  struct arena scratch = {0};
  struct bytes text = {0};
  uint64_t v = 0;
  if (fs_try_read(path_join(&scratch, dir, file), MAX_HEADER, &text) == 0)
    v = defined_number((str){(const char *)text.p, text.n}, name);
  bytes_free(&text);
  arena_free(&scratch);
  return v;
}

str cuda_toolkit_version(struct cuda_session *cs) {
  struct cuda_location at = cuda_locate(cs, CUDA_HEADERS);
  if (at.path == NULL)
    return STR_NULL;
  pthread_mutex_lock(&cs->lock);
  if (!cs->has_version) {
    uint64_t v = header_number(at.path, "cuda.h", STR("CUDA_VERSION"));
    if (v)
      cs->version = arena_printf(&cs->arena, "%llu.%llu", (unsigned long long)(v / 1000),
                                 (unsigned long long)(v % 1000 / 10));
    cs->has_version = true;
  }
  pthread_mutex_unlock(&cs->lock);
  return cs->version;
}

str cuda_cccl_version(struct cuda_session *cs) {
  struct cuda_location at = cuda_locate(cs, CUDA_CCCL);
  uint64_t v = at.path == NULL
                   ? 0
                   : header_number(at.path, "cuda/std/__cccl/version.h", STR("CCCL_VERSION"));
  if (v == 0) {
    return STR_NULL;
  }
  pthread_mutex_lock(&cs->lock);
  str text = arena_printf(&cs->arena, "%llu.%llu.%llu", (unsigned long long)(v / 1000000),
                          (unsigned long long)(v / 1000 % 1000), (unsigned long long)(v % 1000));
  pthread_mutex_unlock(&cs->lock);
  return text;
}
