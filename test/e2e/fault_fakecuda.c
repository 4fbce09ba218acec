/* Stands in for libNVVM and nvJitLink with every fault that a library can have short of crashing. The
 * variable FAKE_CUDA says which; the results are 0, as the real ones report success for empty images. */
#include <stdlib.h>
#include <string.h>

static int is(const char *what) {
  const char *v = getenv("FAKE_CUDA");
  return v != NULL && strcmp(v, what) == 0;
}

static int product_size(size_t *n) {
  *n = is("empty") ? 0 : is("huge") ? (size_t)1 << 60 : 64;
  return is("no size") ? 5 : 0;
}

static int product(void *to) {
  memset(to, is("zeros") ? 0 : 0x5a, 64);
  return is("no product") ? 5 : 0;
}

static int log_size(size_t *n) {
  *n = is("long log") ? (size_t)1 << 50 : 0;
  return 0;
}

int nvvmVersion(int *a, int *b) {
  *a = 2;
  *b = 0;
  return is("no version") ? 7 : 0;
}
int nvvmIRVersion(int *a, int *b, int *c, int *d) {
  *a = is("other version") ? 3 : 2;
  *b = *d = 0;
  *c = 3;
  return 0;
}
int nvvmCreateProgram(void **p) {
  static int program;
  *p = is("no program") ? NULL : &program;
  return is("no program") ? 1 : 0;
}
int nvvmDestroyProgram(void **p) {
  *p = NULL;
  return 0;
}
int nvvmAddModuleToProgram(void *p, const char *text, size_t n, const char *name) {
  (void)p, (void)text, (void)n, (void)name;
  return is("no module") ? 4 : 0;
}
int nvvmLazyAddModuleToProgram(void *p, const char *text, size_t n, const char *name) {
  return nvvmAddModuleToProgram(p, text, n, name);
}
int nvvmVerifyProgram(void *p, int n, const char **o) {
  (void)p, (void)n, (void)o;
  return is("not verified") ? 9 : 0;
}
int nvvmCompileProgram(void *p, int n, const char **o) {
  (void)p, (void)n, (void)o;
  return is("not compiled") ? 9 : 0;
}
int nvvmGetCompiledResultSize(void *p, size_t *n) {
  (void)p;
  return product_size(n);
}
int nvvmGetCompiledResult(void *p, char *to) {
  (void)p;
  return product(to);
}
int nvvmGetProgramLogSize(void *p, size_t *n) {
  (void)p;
  return log_size(n);
}
int nvvmGetProgramLog(void *p, char *to) {
  (void)p, (void)to;
  return 0;
}

int nvJitLinkCreate(void **h, unsigned n, const char **o) {
  static int handle;
  (void)n, (void)o;
  *h = is("no program") ? NULL : &handle;
  return is("no program") ? 1 : 0;
}
int nvJitLinkDestroy(void **h) {
  *h = NULL;
  return 0;
}
int nvJitLinkAddData(void *h, int type, const void *data, size_t n, const char *name) {
  (void)h, (void)type, (void)data, (void)n, (void)name;
  return is("no module") ? 4 : 0;
}
int nvJitLinkComplete(void *h) {
  (void)h;
  return is("not compiled") ? 6 : 0;
}
int nvJitLinkGetLinkedCubinSize(void *h, size_t *n) {
  (void)h;
  return product_size(n);
}
int nvJitLinkGetLinkedCubin(void *h, void *to) {
  (void)h;
  return product(to);
}
int nvJitLinkGetLinkedPtxSize(void *h, size_t *n) {
  (void)h;
  return product_size(n);
}
int nvJitLinkGetLinkedPtx(void *h, char *to) {
  (void)h;
  return product(to);
}
int nvJitLinkGetErrorLogSize(void *h, size_t *n) {
  (void)h;
  return log_size(n);
}
int nvJitLinkGetErrorLog(void *h, char *to) {
  (void)h, (void)to;
  return 0;
}
int nvJitLinkGetInfoLogSize(void *h, size_t *n) {
  (void)h;
  return log_size(n);
}
int nvJitLinkGetInfoLog(void *h, char *to) {
  (void)h, (void)to;
  return 0;
}
int nvJitLinkVersion(unsigned *a, unsigned *b) {
  *a = 13;
  *b = 0;
  return 0;
}
