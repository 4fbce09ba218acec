/* Checks transfers on the GPU and on the CPU. */
#include "examples/common/mirdc_host.h"

struct transfer {
  uint32_t from, to;
  int64_t amount;
  uint32_t rate;
};

static void reference(const int64_t *accounts, size_t n, const struct transfer *t, int64_t out[3]) {
  int64_t scaled, fee, cost, left, sum;
  out[0] = out[1] = out[2] = 0;
  if (t->amount <= 0) {
    out[0] = 2;
  } else if (t->from >= n || t->to >= n) {
    out[0] = 1;
    out[1] = t->from >= n ? t->from : t->to;
  } else if (__builtin_mul_overflow(t->amount, (int64_t)t->rate, &scaled) ||
             __builtin_add_overflow(scaled, 9999, &fee) ||
             __builtin_add_overflow(t->amount, fee / 10000, &cost) ||
             __builtin_sub_overflow(accounts[t->from], cost, &left)) {
    out[0] = 4;
  } else if (left < 0) {
    out[0] = 3;
    out[1] = -left;
  } else if (__builtin_add_overflow(accounts[t->to], t->amount, &sum)) {
    out[0] = 4;
  } else {
    out[1] = left;
    out[2] = sum;
  }
}

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "fallible.mirdc");
  size_t accounts = 100, n = 10000;
  int64_t *a = host_memory(accounts * 8), *got = host_memory(n * 24), *want = host_memory(n * 24);
  struct transfer *t = host_memory(n * sizeof *t);
  uint64_t seed = 12;
  for (size_t i = 0; i < accounts; i++)
    a[i] = i % 10 ? (int64_t)(host_random(&seed) % 100000) : INT64_MAX;
  for (size_t i = 0; i < n; i++) {
    t[i] = (struct transfer){.from = (uint32_t)(host_random(&seed) % 105),
                             .to = (uint32_t)(host_random(&seed) % 105),
                             .amount = (int64_t)(host_random(&seed) % 120000) - 5000,
                             .rate = (uint32_t)(host_random(&seed) % 500)};
    if (i % 50 == 0)
      t[i].amount = INT64_MAX / 3;
    reference(a, accounts, &t[i], want + 3 * i);
  }
  mirdc_devptr da = host_upload(&h, a, accounts * 8), dt = host_upload(&h, t, n * sizeof *t);
  mirdc_devptr dg = host_zeros(&h, n * 24);
  LAUNCH(&h, "fallible", DIM((uint32_t)((n + 255) / 256)), DIM(256), 0, SLICE(da, accounts),
         SLICE(dt, n), SLICE(dg, n));
  host_download(&h, got, dg, n * 24);
  host_same_bytes(&h, "fallible", got, want, n * 24);
  return host_close(&h);
}
