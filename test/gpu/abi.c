/* Each row of docs/abi.md, called from C. */
#include <stdio.h>
#include <string.h>

#include "examples/common/mirdc_host.h"

__extension__ typedef unsigned __int128 u128;

struct camera {
  uint8_t id;
  float pos[3];
  double scale;
};
struct wide {
  _Alignas(32) uint64_t a;
  uint8_t b;
};
struct nested {
  _Bool flag;
  struct camera inner;
  uint16_t tail[3];
};

struct expect {
  uint8_t b[256];
  size_t n;
};
static struct expect want;

static void put(const void *p, size_t n) {
  memcpy(want.b + want.n, p, n);
  want.n += n;
}
#define PUT(v) put(&(v), sizeof(v))

static mirdc_devptr out;

static void compare(struct host *h, const char *name) {
  uint8_t got[256];
  host_download(h, got, out, sizeof got);
  host_same_bytes(h, name, got, want.b, want.n);
  memset(&want, 0, sizeof want);
}

static void integers(struct host *h) {
  uint8_t a = 0xfe;
  int16_t b = -2;
  uint32_t c = 0x89abcdef;
  int64_t d = -3000000000000;
  uint64_t e = 0xfedcba9876543210;
  int8_t f = -128;
  uint16_t g = 0xfffe;
  int32_t k = -7;
  uint64_t i = 1ull << 63;
  int64_t j = -1;
  LAUNCH(h, "integers", DIM(1), DIM(1), 0, ARG(out), ARG(a), ARG(b), ARG(c), ARG(d), ARG(e), ARG(f),
         ARG(g), ARG(k), ARG(i), ARG(j));
  PUT(a), PUT(b), PUT(c), PUT(d), PUT(e), PUT(f), PUT(g), PUT(k), PUT(i), PUT(j);
  compare(h, "integers of 8 to 64 bits");
}

static void wide_integers(struct host *h) {
  uint8_t a = 1, c = 2;
  u128 b = (u128)0x0123456789abcdef << 64 | 0xfedcba9876543210, d = ~(u128)0 - 4;
  LAUNCH(h, "wide_integers", DIM(1), DIM(1), 0, ARG(out), ARG(a), ARG(b), ARG(c), ARG(d));
  d *= 3;
  PUT(a), PUT(b), PUT(c), PUT(d);
  compare(h, "integers of 128 bits");
}

static void others(struct host *h) {
  _Bool a = 1, f = 0;
  uint32_t b = 0x1f980, nan = 0x7fc12345;
  double d = -0.0;
  uint16_t e = 0x3c01;
  LAUNCH(h, "others", DIM(1), DIM(1), 0, ARG(out), ARG(a), ARG(b), ARG(nan), ARG(d), ARG(e), ARG(f));
  PUT(a), PUT(b), PUT(nan), PUT(d), PUT(e), PUT(f);
  compare(h, "bool, char, floats");
}

static void pointers(struct host *h) {
  uint32_t a = 0x11223344;
  uint64_t b[2] = {5, 0x99aabbccddeeff00};
  mirdc_devptr da = host_upload(h, &a, sizeof a), db = host_upload(h, b, sizeof b);
  LAUNCH(h, "pointers", DIM(1), DIM(1), 0, ARG(out), ARG(da), ARG(db));
  PUT(a), PUT(b[1]);
  compare(h, "raw pointers are read through");
  host_download(h, b, db, sizeof b);
  host_check(h, "raw pointers are written through", b[0] == 77);
}

static void slices(struct host *h) {
  uint8_t first = 9, last = 10;
  uint16_t a[7] = {0, 1, 2, 3, 4, 5, 0xbeef};
  uint32_t b[3] = {1, 2, 3};
  uint64_t c[2] = {100, 200}, na = 7, nb = 3, nc = 2;
  mirdc_devptr da = host_upload(h, a, sizeof a), db = host_upload(h, b, sizeof b);
  mirdc_devptr dc = host_upload(h, c, sizeof c);
  LAUNCH(h, "slices", DIM(1), DIM(1), 0, ARG(out), ARG(first), SLICE(da, na), SLICE(db, nb),
         SLICE(dc, nc), ARG(last));
  PUT(first), PUT(na), PUT(a[6]), PUT(nb), PUT(nc), PUT(last);
  compare(h, "slices are pointer and length");
  host_download(h, b, db, sizeof b);
  host_download(h, c, dc, sizeof c);
  host_check(h, "buffers and per-thread slices are written",
             b[1] == 0xabcd && b[0] == 1 && c[0] == 105 && c[1] == 200);
}

static void aggregates(struct host *h) {
  uint8_t first = 1, last = 2;
  struct camera cam = {3, {1.5f, -2.5f, 3.25f}, 0.125};
  struct wide wide = {0x1234567812345678, 0x5a};
  struct nested nested = {1, {4, {0, 0, 0}, -8.5}, {7, 8, 9}};
  struct {
    uint32_t a;
    uint8_t b;
  } t = {0xcafebabe, 0x77};
  uint16_t arr[5] = {1, 2, 3, 4, 0xffff};
  LAUNCH(h, "aggregates", DIM(1), DIM(1), 0, ARG(out), ARG(first), ARG(cam), ARG(wide), ARG(nested),
         ARG(t), ARG(arr), ARG(last));
  PUT(first), PUT(cam.id), PUT(cam.pos), PUT(cam.scale), PUT(wide.a), PUT(wide.b), PUT(nested.flag);
  PUT(nested.inner.id), PUT(nested.inner.scale), PUT(nested.tail), PUT(t.a), PUT(t.b), PUT(arr);
  PUT(last);
  compare(h, "structs, tuples and arrays by value");
}

static void the_rest(struct host *h) {
  uint8_t a = 1, c = 3;
  uint32_t b = 2;
  LAUNCH(h, "zero_sized", DIM(1), DIM(1), 0, ARG(out), ARG(a), ARG(b), ARG(c));
  PUT(a), PUT(b), PUT(c);
  compare(h, "zero-sized parameters are dropped");
  static uint32_t big[8189];
  for (uint32_t i = 0; i < 8189; i++)
    big[i] = i * 2654435761u;
  LAUNCH(h, "large", DIM(1), DIM(1), 0, ARG(out), ARG(big));
  PUT(big[0]), PUT(big[4000]), PUT(big[8188]);
  compare(h, "32,764 bytes of parameters");
}

static void matrix(struct host *h) {
  uint32_t m[6 * 5], expect[6 * 5];
  uint64_t n = 30;
  mirdc_devptr d = host_zeros(h, sizeof m);
  struct {
    uint64_t ptr, len, width;
  } arg = {d, n, 6};
  LAUNCH(h, "matrix", DIM2(2, 2), DIM2(4, 4), 0, ARG(arg));
  for (uint32_t i = 0; i < 30; i++)
    expect[i] = i / 6 * 1000 + i % 6;
  host_download(h, m, d, sizeof m);
  host_same_u32(h, "a matrix and its width", m, expect, 30);
}

static void refused_launches(struct host *h) {
  mirdc_error err;
  uint32_t one[3] = {1, 1, 1};
  size_t sizes[2] = {8, 3};
  host_check(h, "a wrong number of arguments is refused",
             mirdc_validate(h->bundle, "pointers", one, one, 0, sizes, 2, &err) == MIRDC_ERROR_LAUNCH);
  size_t three[3] = {8, 8, 4};
  host_check(h, "a wrong size of an argument is refused",
             mirdc_validate(h->bundle, "pointers", one, one, 0, three, 3, &err) == MIRDC_ERROR_LAUNCH);
}

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "abi.mirdc");
  out = host_zeros(&h, 256);
  integers(&h);
  wide_integers(&h);
  others(&h);
  pointers(&h);
  slices(&h);
  aggregates(&h);
  the_rest(&h);
  matrix(&h);
  refused_launches(&h);
  return host_close(&h);
}
