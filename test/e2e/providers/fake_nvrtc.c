/* Stands in for NVRTC with every fault that a library can have short of crashing; FAKE_NVRTC says which. */
#include <stdlib.h>
#include <string.h>

static int is(const char *what) {
  const char *v = getenv("FAKE_NVRTC");
  return v != NULL && strcmp(v, what) == 0;
}

int nvrtcCreateProgram(void **p, const char *text, const char *name, int n, const char **t, const char **names) {
  static int program;
  (void)text, (void)name, (void)n, (void)t, (void)names;
  *p = &program;
  return is("no program") ? 1 : 0;
}
int nvrtcDestroyProgram(void **p) {
  *p = NULL;
  return 0;
}
int nvrtcCompileProgram(void *p, int n, const char **o) {
  (void)p, (void)n, (void)o;
  return is("not compiled") ? 11 : is("refused") ? 6 : 0;
}
int nvrtcGetLTOIRSize(void *p, size_t *n) {
  (void)p;
  *n = is("empty") ? 0 : 64;
  return is("no size") ? 5 : 0;
}
int nvrtcGetLTOIR(void *p, char *to) {
  (void)p;
  memset(to, 0x5a, 64);
  return 0;
}
int nvrtcGetProgramLogSize(void *p, size_t *n) {
  (void)p;
  *n = 0;
  return 0;
}
int nvrtcGetProgramLog(void *p, char *to) {
  (void)p, (void)to;
  return 5;
}
const char *nvrtcGetErrorString(int rc) {
  return rc == 11 ? "internal error" : "error";
}
