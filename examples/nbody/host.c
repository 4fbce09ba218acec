/* Runs steps of the n-body simulation on the GPU and compares one with the CPU. */
#include <math.h>
#include <string.h>

#include "examples/common/mirdc_host.h"

struct body {
  float p[3], mass, v[3];
  uint32_t id;
};
struct step {
  float dt, soft2;
};

static void reference(const struct body *from, struct body *to, size_t n, struct step s) {
  for (size_t i = 0; i < n; i++) {
    double a[3] = {0};
    for (size_t j = 0; j < n; j++) {
      double d[3], r2 = s.soft2;
      for (int c = 0; c < 3; c++) {
        d[c] = (double)from[j].p[c] - from[i].p[c];
        r2 += d[c] * d[c];
      }
      double inv = 1 / sqrt(r2);
      for (int c = 0; c < 3; c++)
        a[c] += d[c] * from[j].mass * inv * inv * inv;
    }
    to[i] = from[i];
    for (int c = 0; c < 3; c++) {
      to[i].v[c] = (float)(from[i].v[c] + a[c] * s.dt);
      to[i].p[c] = from[i].p[c] + to[i].v[c] * s.dt;
    }
  }
}

int main(int argc, char **argv) {
  struct host h;
  host_open(&h, argc, argv, "nbody.mirdc");
  size_t n = 2000, bytes = n * sizeof(struct body);
  struct body *from = host_memory(bytes), *to = host_memory(bytes), *want = host_memory(bytes);
  struct step s = {0.01f, 0.05f};
  uint64_t seed = 4;
  for (size_t i = 0; i < n; i++) {
    from[i] = (struct body){.mass = host_random_f32(&seed), .id = (uint32_t)i};
    for (int c = 0; c < 3; c++)
      from[i].p[c] = 10 * host_random_f32(&seed);
  }
  reference(from, want, n, s);
  mirdc_devptr df = host_upload(&h, from, bytes), dt = host_zeros(&h, bytes);
  LAUNCH(&h, "nbody", DIM((uint32_t)((n + 127) / 128)), DIM(128), 0, SLICE(df, n), SLICE(dt, n),
         ARG(s));
  host_download(&h, to, dt, bytes);
  bool ids = true;
  float *got_f = host_memory(n * 6 * sizeof(float)), *want_f = host_memory(n * 6 * sizeof(float));
  for (size_t i = 0; i < n; i++) {
    ids = ids && to[i].id == i && to[i].mass == from[i].mass;
    memcpy(got_f + 6 * i, to[i].p, 12);
    memcpy(got_f + 6 * i + 3, to[i].v, 12);
    memcpy(want_f + 6 * i, want[i].p, 12);
    memcpy(want_f + 6 * i + 3, want[i].v, 12);
  }
  host_check(&h, "nbody keeps what does not move", ids);
  host_same_f32(&h, "nbody", got_f, want_f, n * 6, 2e-5f, 2e-4f);
  return host_close(&h);
}
