/* libmirdc: opens mirdc bundles, lists their kernels, and loads and launches them on a GPU.
 *
 *   mirdc_error err;
 *   mirdc_bundle *b;
 *   mirdc_module *m;
 *   const mirdc_kernel *k;
 *   if (mirdc_open_file("saxpy.mirdc", &b, &err) != MIRDC_OK ||
 *       mirdc_load(b, 0, &m, &err) != MIRDC_OK ||
 *       mirdc_get_kernel(m, "saxpy", &k, &err) != MIRDC_OK)
 *     fprintf(stderr, "%s\n", err.text);
 *
 * Listing and checking need no GPU and no driver: libcuda is opened by the first call that needs
 * it. Every function that can fail returns a status and, when `err` is not NULL, fills its text.
 * Bundles and kernels are immutable and may be used by several threads at once. */
#ifndef MIRDC_H
#define MIRDC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MIRDC_API __attribute__((visibility("default")))
#else
#define MIRDC_API
#endif

typedef enum mirdc_status {
  MIRDC_OK = 0,
  MIRDC_ERROR_ARGUMENT = 1,    /* a pointer is NULL, a number out of range */
  MIRDC_ERROR_FILE = 2,        /* cannot be read */
  MIRDC_ERROR_BUNDLE = 3,      /* damaged, too new, or no bundle */
  MIRDC_ERROR_NOT_FOUND = 4,   /* no such kernel, global, section */
  MIRDC_ERROR_NO_DRIVER = 5,   /* libcuda or a device is missing */
  MIRDC_ERROR_NO_CODE = 6,     /* nothing in the bundle runs on the device */
  MIRDC_ERROR_LAUNCH = 7,      /* the launch breaks the kernel's launch facts or parameters */
  MIRDC_ERROR_CUDA = 8,        /* the driver reported a failure */
  MIRDC_ERROR_TRAP = 9,        /* the kernel trapped, and where is known */
  MIRDC_ERROR_MISMATCH = 10    /* the host's descriptor differs from the bundle's manifest */
} mirdc_status;

typedef struct mirdc_error {
  mirdc_status status;
  int cuda;        /* the driver's result, 0 if none */
  char code[8];    /* "MD0504", or "" */
  char text[1012]; /* one line, always terminated */
} mirdc_error;

typedef struct mirdc_bundle mirdc_bundle;
typedef struct mirdc_module mirdc_module;
typedef struct mirdc_kernel mirdc_kernel; /* of a loaded module */
typedef void *mirdc_stream;               /* a CUstream; NULL: the default one */
typedef void *mirdc_event;                /* a CUevent */
typedef uint64_t mirdc_devptr;

MIRDC_API const char *mirdc_version(void);
MIRDC_API const char *mirdc_status_name(mirdc_status s);

/* ---- Bundles ---- */
/* A bundle file, or a host program or shared object with embedded bundles. */
MIRDC_API mirdc_status mirdc_open_file(const char *path, mirdc_bundle **out, mirdc_error *err);
/* One or more bundles in memory; the bytes are copied. */
MIRDC_API mirdc_status mirdc_open_memory(const void *bytes, size_t n, mirdc_bundle **out,
                                         mirdc_error *err);
/* The running program's own embedded bundles. */
MIRDC_API mirdc_status mirdc_open_self(mirdc_bundle **out, mirdc_error *err);
MIRDC_API void mirdc_close(mirdc_bundle *b); /* modules loaded from it stay valid */
/* Digests of all payloads. */
MIRDC_API mirdc_status mirdc_check(const mirdc_bundle *b, mirdc_error *err);

/* The first prepared MIR of the bundles (`mirdc compile --embed-dump`), which libmirdc-emu runs: its
 * size, and as much of it as there is room for; `to` may be NULL. */
MIRDC_API mirdc_status mirdc_dump(const mirdc_bundle *b, void *to, size_t room, size_t *size,
                                  mirdc_error *err);

enum { MIRDC_PARAM_SCALAR, MIRDC_PARAM_POINTER, MIRDC_PARAM_SLICE, MIRDC_PARAM_AGGREGATE };
enum {
  MIRDC_FACT_BLOCK = 1,
  MIRDC_FACT_MAX_BLOCK = 2,
  MIRDC_FACT_MIN_BLOCKS = 4,
  MIRDC_FACT_DYN_SHARED = 8,
  MIRDC_FACT_CLUSTER = 16
};

typedef struct mirdc_kernel_info {
  const char *name; /* symbol */
  const char *path; /* Rust path */
  size_t n_params;
  uint64_t param_bytes;
  uint32_t facts; /* MIRDC_FACT_… */
  uint32_t block[3], max_block, min_blocks, cluster[3];
  uint64_t dyn_shared;
  uint32_t dyn_shared_align;
} mirdc_kernel_info;
typedef struct mirdc_param_info {
  const char *name, *label; /* label: the Rust type */
  int kind;                 /* MIRDC_PARAM_… */
  uint64_t size, align, offset;
  size_t n_fields;
} mirdc_param_info;
typedef struct mirdc_global_info {
  const char *name, *path;
  int constant; /* in constant memory */
  uint64_t size, align;
} mirdc_global_info;

MIRDC_API size_t mirdc_kernel_count(const mirdc_bundle *b);
MIRDC_API mirdc_status mirdc_kernel_at(const mirdc_bundle *b, size_t i, mirdc_kernel_info *out);
/* By symbol or Rust path. */
MIRDC_API mirdc_status mirdc_kernel_find(const mirdc_bundle *b, const char *name,
                                         mirdc_kernel_info *out, mirdc_error *err);
MIRDC_API mirdc_status mirdc_param_at(const mirdc_bundle *b, const char *kernel, size_t i,
                                      mirdc_param_info *out, mirdc_error *err);
MIRDC_API size_t mirdc_global_count(const mirdc_bundle *b);
MIRDC_API mirdc_status mirdc_global_at(const mirdc_bundle *b, size_t i, mirdc_global_info *out);
/* Which code a device of that compute capability would get: "cubin sm_90" into `what`. When none
 * fits, the error's text gives the reason for each candidate. */
MIRDC_API mirdc_status mirdc_choose(const mirdc_bundle *b, unsigned major, unsigned minor,
                                    char *what, size_t n, mirdc_error *err);
/* Compares the bytes of a kernel descriptor (docs/abi.md), as compiled into the host program, with
 * the manifest. `descriptor` must be the static itself, since it holds pointers. */
MIRDC_API mirdc_status mirdc_compare_descriptor(const mirdc_bundle *b, const void *descriptor,
                                                mirdc_error *err);

/* ---- Devices ---- */
MIRDC_API mirdc_status mirdc_device_count(int *out, mirdc_error *err);
MIRDC_API mirdc_status mirdc_device_info(int device, char *name, size_t n, unsigned *major,
                                         unsigned *minor, mirdc_error *err);

/* ---- Modules ---- */
/* Loads all link units for the device, in its primary context, which becomes current. */
MIRDC_API mirdc_status mirdc_load(const mirdc_bundle *b, int device, mirdc_module **out,
                                  mirdc_error *err);
MIRDC_API void mirdc_unload(mirdc_module *m);
/* Lives as long as the module. */
MIRDC_API mirdc_status mirdc_get_kernel(mirdc_module *m, const char *name,
                                        const mirdc_kernel **out, mirdc_error *err);
MIRDC_API void *mirdc_kernel_function(const mirdc_kernel *k); /* the CUfunction */

/* Checks a launch without making it: geometry and dynamic shared memory against the launch facts,
 * number and sizes of the arguments against the parameters. A slice is two arguments, pointer and
 * length, or one of 16 bytes. */
MIRDC_API mirdc_status mirdc_validate(const mirdc_bundle *b, const char *kernel,
                                      const uint32_t grid[3], const uint32_t block[3],
                                      uint64_t dyn_shared, const size_t sizes[], size_t n,
                                      mirdc_error *err);
/* As `dyn_shared`: the size the kernel was compiled for, or 0 if it fixes none. As `block`, NULL: the
 * block it was compiled for. */
#define MIRDC_COMPILED_SHARED UINT64_MAX
/* Checks, then launches. Returns before the kernel ends. */
MIRDC_API mirdc_status mirdc_launch(const mirdc_kernel *k, const uint32_t grid[3],
                                    const uint32_t block[3], uint64_t dyn_shared,
                                    mirdc_stream stream, const void *const args[],
                                    const size_t sizes[], size_t n, mirdc_error *err);
/* Waits for the device. A trapped kernel gives MIRDC_ERROR_TRAP with the Rust place in the text. */
MIRDC_API mirdc_status mirdc_sync(mirdc_module *m, mirdc_error *err);

typedef struct mirdc_trap {
  uint32_t code;
  uint32_t block[3], thread[3];
  const char *file; /* NULL when the manifest does not know the code */
  uint32_t line, column;
  const char *message;
} mirdc_trap;
/* MIRDC_OK with *out filled when a kernel of the module trapped; MIRDC_ERROR_NOT_FOUND if none. */
MIRDC_API mirdc_status mirdc_trap_info(const mirdc_module *m, mirdc_trap *out);

/* `offset` and `n` must lie in the global. */
MIRDC_API mirdc_status mirdc_set_global(mirdc_module *m, const char *name, uint64_t offset,
                                        const void *bytes, size_t n, mirdc_error *err);
MIRDC_API mirdc_status mirdc_get_global(mirdc_module *m, const char *name, uint64_t offset,
                                        void *bytes, size_t n, mirdc_error *err);
MIRDC_API mirdc_status mirdc_global_address(mirdc_module *m, const char *name, mirdc_devptr *out,
                                            size_t *size, mirdc_error *err);

/* ---- Memory and time, thin over the driver, for programs that have no CUDA code of their own ---- */
MIRDC_API mirdc_status mirdc_alloc(mirdc_module *m, size_t n, mirdc_devptr *out, mirdc_error *err);
MIRDC_API mirdc_status mirdc_free(mirdc_module *m, mirdc_devptr p, mirdc_error *err);
MIRDC_API mirdc_status mirdc_upload(mirdc_module *m, mirdc_devptr to, const void *from, size_t n,
                                    mirdc_error *err);
MIRDC_API mirdc_status mirdc_download(mirdc_module *m, void *to, mirdc_devptr from, size_t n,
                                      mirdc_error *err);
MIRDC_API mirdc_status mirdc_fill(mirdc_module *m, mirdc_devptr to, uint8_t byte, size_t n,
                                  mirdc_error *err);
MIRDC_API mirdc_status mirdc_event_record(mirdc_module *m, mirdc_event *event, mirdc_stream stream,
                                          mirdc_error *err); /* made when *event is NULL */
/* Waits for `end`. */
MIRDC_API mirdc_status mirdc_event_elapsed(mirdc_module *m, mirdc_event start, mirdc_event end,
                                           float *milliseconds, mirdc_error *err);
MIRDC_API void mirdc_event_free(mirdc_module *m, mirdc_event event);

#ifdef __cplusplus
}
#endif
#endif
