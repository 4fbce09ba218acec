/* The kernels of examples/ as one would write them in CUDA C++: the same algorithm, types, blocks and
 * parameters. A slice is an address and a length, as the examples take it. PTR is empty, or
 * __restrict__ for the column that promises more than the Rust kernels do. */
#include <cstdint>
#ifndef PTR
#define PTR
#endif
typedef uint64_t len_t;

template <class T> struct out2d {
  T *ptr;
  len_t len, width;
};

extern "C" __global__ void __launch_bounds__(1024)
    saxpy(float a, const float *PTR x, len_t, float *PTR y, len_t n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (int)n)
    y[i] = a * x[i] + y[i];
}

extern "C" __global__ void __launch_bounds__(256)
    dot(const float *PTR x, len_t nx, const float *PTR y, len_t ny, float *PTR partial, len_t) {
  __shared__ float tile[256];
  int n = (int)(nx < ny ? nx : ny), step = gridDim.x * 256, t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += step)
    sum += x[i] * y[i];
  tile[t] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half)
      tile[t] += tile[t + half];
    __syncthreads();
  }
  if (t == 0)
    partial[blockIdx.x] = tile[0];
}

struct market {
  float rate, volatility;
};
static __device__ float normal(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f,
              a5 = 1.330274429f;
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float poly = k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5))));
  float tail = 0.39894228f * expf(-0.5f * d * d) * poly;
  return d > 0 ? 1.0f - tail : tail;
}
extern "C" __global__ void __launch_bounds__(256)
    black_scholes(const float *PTR price, len_t n, const float *PTR strike, len_t,
                  const float *PTR years, len_t, market m, float *PTR call, len_t, float *PTR put,
                  len_t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (int)n)
    return;
  float s = price[i], x = strike[i], t = years[i];
  float spread = m.volatility * sqrtf(t);
  float d1 = (logf(s / x) + (m.rate + 0.5f * m.volatility * m.volatility) * t) / spread;
  float d2 = d1 - spread;
  float discounted = x * expf(-m.rate * t);
  float n1 = normal(d1), n2 = normal(d2);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}

extern "C" __global__ void __launch_bounds__(256)
    histogram(const uint8_t *PTR data, len_t n, uint32_t *PTR bins, len_t) {
  __shared__ uint32_t local[256];
  int t = threadIdx.x, step = gridDim.x * blockDim.x;
  local[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < (int)n; i += step)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  if (local[t] > 0)
    atomicAdd(&bins[t], local[t]);
}

extern "C" __global__ void __launch_bounds__(256)
    life(const uint8_t *PTR from, len_t, out2d<uint8_t> to, uint32_t width, uint32_t height) {
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int around = 0;
  for (uint32_t dy = 0; dy < 3; dy++)
    for (uint32_t dx = 0; dx < 3; dx++) {
      uint32_t column = (x + width + dx - 1) % width, row = (y + height + dy - 1) % height;
      if ((dx != 1 || dy != 1) && from[row * width + column] != 0)
        around++;
    }
  bool alive = from[y * width + x] != 0;
  to.ptr[y * width + x] = around == 3 || (alive && around == 2);
}

struct view {
  double left, top, step;
  uint32_t width, height, limit;
};
extern "C" __global__ void __launch_bounds__(256) mandelbrot(view v, out2d<uint32_t> out) {
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out.width || y * out.width + x >= out.len)
    return;
  double cr = v.left + x * v.step, ci = v.top - y * v.step, r = 0, i = 0;
  uint32_t k = 0;
  for (; k < v.limit; k++) {
    double nr = r * r - i * i + cr;
    i = r * i + i * r + ci;
    r = nr;
    if (r * r + i * i > 4.0)
      break;
  }
  out.ptr[y * out.width + x] = k;
}

extern "C" __global__ void __launch_bounds__(256)
    matmul(const float *PTR a, len_t, const float *PTR b, len_t, out2d<float> c, uint32_t size) {
  __shared__ float ta[16][16], tb[16][16];
  int n = (int)size, tx = threadIdx.x, ty = threadIdx.y;
  int col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    ta[ty][tx] = row < n && tile + tx < n ? a[row * n + tile + tx] : 0.0f;
    tb[ty][tx] = tile + ty < n && col < n ? b[(tile + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; k++)
      sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  if (row < n && col < n)
    c.ptr[row * n + col] = sum;
}

struct body {
  float p[3], mass, v[3];
  uint32_t id;
};
struct step_of {
  float dt, soft2;
};
extern "C" __global__ void __launch_bounds__(128)
    nbody(const body *PTR from, len_t n, body *PTR to, len_t, step_of step) {
  __shared__ float x[128], y[128], z[128], m[128];
  int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x;
  body me = {};
  if (i < (int)n)
    me = from[i];
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < (int)n; first += 128) {
    bool there = first + t < (int)n;
    x[t] = there ? from[first + t].p[0] : 0.0f;
    y[t] = there ? from[first + t].p[1] : 0.0f;
    z[t] = there ? from[first + t].p[2] : 0.0f;
    m[t] = there ? from[first + t].mass : 0.0f;
    __syncthreads();
    for (int k = 0; k < 128; k++) {
      float dx = x[k] - me.p[0], dy = y[k] - me.p[1], dz = z[k] - me.p[2];
      float r2 = dx * dx + dy * dy + dz * dz + step.soft2;
      float inv = 1.0f / sqrtf(r2);
      float s = m[k] * inv * inv * inv;
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    __syncthreads();
  }
  if (i >= (int)n)
    return;
  me.v[0] += ax * step.dt;
  me.v[1] += ay * step.dt;
  me.v[2] += az * step.dt;
  for (int c = 0; c < 3; c++)
    me.p[c] += me.v[c] * step.dt;
  to[i] = me;
}

static __constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static __device__ uint32_t rotr(uint32_t v, int n) {
  return __funnelshift_r(v, v, n);
}
static __device__ void compress(uint32_t (&state)[8], const uint32_t (&block)[16]) {
  uint32_t w[16], s[8];
  for (int i = 0; i < 16; i++)
    w[i] = block[i];
  for (int i = 0; i < 8; i++)
    s[i] = state[i];
#pragma unroll
  for (int i = 0; i < 64; i++) {
    int j = i % 16;
    if (i >= 16) {
      uint32_t a = w[(i + 1) % 16], b = w[(i + 14) % 16];
      w[j] += (rotr(a, 7) ^ rotr(a, 18) ^ (a >> 3)) + w[(i + 9) % 16] +
              (rotr(b, 17) ^ rotr(b, 19) ^ (b >> 10));
    }
    uint32_t s1 = rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25);
    uint32_t ch = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t t1 = s[7] + s1 + ch + K[i] + w[j];
    uint32_t s0 = rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22);
    uint32_t maj = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    s[7] = s[6], s[6] = s[5], s[5] = s[4], s[4] = s[3] + t1;
    s[3] = s[2], s[2] = s[1], s[1] = s[0], s[0] = t1 + s0 + maj;
  }
  for (int i = 0; i < 8; i++)
    state[i] += s[i];
}
static __device__ uint8_t padded(const uint8_t *message, uint32_t n, uint32_t total, uint32_t i) {
  if (i < n)
    return message[i];
  if (i == n)
    return 0x80;
  return i >= total - 8 ? (uint8_t)(((uint64_t)n * 8) >> (8 * (total - 1 - i))) : 0;
}
struct digest {
  uint32_t w[8];
};
extern "C" __global__ void __launch_bounds__(256)
    sha256(const uint8_t *PTR text, len_t, const uint32_t *PTR ends, len_t n_ends, digest *PTR out,
           len_t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= (int)n_ends)
    return;
  uint32_t from = i == 0 ? 0 : ends[i - 1], n = ends[i] - from, total = (n + 9 + 63) / 64 * 64;
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (uint32_t at = 0; at < total; at += 64) {
    uint32_t block[16];
    for (int k = 0; k < 16; k++) {
      block[k] = 0;
      for (int b = 0; b < 4; b++)
        block[k] = block[k] << 8 | padded(text + from, n, total, at + 4 * k + b);
    }
    compress(state, block);
  }
  for (int k = 0; k < 8; k++)
    out[i].w[k] = state[k];
}

static __device__ uint32_t warp_scan_add(uint32_t v) {
  uint32_t lane = threadIdx.x % 32;
  for (int d = 1; d < 32; d *= 2) {
    uint32_t below = __shfl_up_sync(~0u, v, d);
    if (lane >= d)
      v += below;
  }
  return v;
}
extern "C" __global__ void __launch_bounds__(512)
    warp_scan(const uint32_t *PTR data, len_t n, uint32_t *PTR out, len_t n_out, uint32_t *PTR totals,
              len_t) {
  __shared__ uint32_t sums[16];
  int i = blockIdx.x * 512 + threadIdx.x, t = threadIdx.x;
  uint32_t scanned = warp_scan_add(i < (int)n ? data[i] : 0);
  if (t % 32 == 31)
    sums[t / 32] = scanned;
  __syncthreads();
  if (t < 32) {
    uint32_t w = warp_scan_add(t < 16 ? sums[t] : 0);
    if (t < 16)
      sums[t] = w;
  }
  __syncthreads();
  uint32_t sum = scanned + (t < 32 ? 0 : sums[t / 32 - 1]);
  if (i < (int)n_out)
    out[i] = sum;
  if (t == 511)
    totals[blockIdx.x] = sum;
}

struct stats {
  int64_t sum;
  int32_t smallest, largest;
  uint32_t first_above, rises;
  int64_t pairs;
};
extern "C" __global__ void __launch_bounds__(256)
    iterators(const int32_t *PTR samples, len_t n, stats *PTR out, len_t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((i + 1) * 64 > (int)n)
    return;
  const int32_t *row = samples + i * 64;
  stats s = {0, INT32_MAX, INT32_MIN, 64, 0, 0};
  for (int k = 0; k < 64; k++)
    s.sum += row[k];
  int64_t mean = s.sum / 64;
  for (int k = 0; k < 32; k++)
    s.pairs += (int64_t)(k + 1) * row[2 * k] * row[2 * k + 1];
  for (int k = 0; k < 64; k++)
    s.smallest = row[k] < s.smallest ? row[k] : s.smallest;
  for (int k = 0; k < 64; k++)
    s.largest = row[k] > s.largest ? row[k] : s.largest;
  for (int k = 0; k < 64; k++)
    if (row[k] > mean) {
      s.first_above = k;
      break;
    }
  for (int k = 1; k < 64; k++)
    s.rises += row[k] > row[k - 1];
  out[i] = s;
}

enum state_kind { BLANK, NUMBER, FRACTION, JUNK };
struct parser_state {
  state_kind kind;
  bool negative;
  int32_t whole, value;
  uint8_t digits, junk;
};
static __device__ void step_state(parser_state &s, uint8_t b) {
  bool digit = b >= '0' && b <= '9';
  if (b == ' ' || b == '\t' || s.kind == JUNK)
    return;
  if (s.kind == BLANK && digit)
    s.kind = NUMBER, s.negative = false, s.whole = b - '0';
  else if (s.kind == BLANK && b == '-')
    s.kind = NUMBER, s.negative = true, s.whole = 0;
  else if (s.kind == NUMBER && digit)
    s.whole = (int32_t)((uint32_t)s.whole * 10 + (b - '0'));
  else if (s.kind == NUMBER && b == '.')
    s.kind = FRACTION, s.digits = 0, s.value = 0;
  else if (s.kind == FRACTION && digit) {
    if (s.digits < 2)
      s.digits++, s.value = s.value * 10 + (b - '0');
  } else
    s.kind = JUNK, s.junk = b;
}
extern "C" __global__ void __launch_bounds__(256)
    parser(const uint8_t *PTR text, len_t n, uint64_t *PTR out, len_t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((i + 1) * 32 > (int)n)
    return;
  const uint8_t *line = text + i * 32;
  parser_state s = {BLANK, false, 0, 0, 0, 0};
  uint32_t sum = 0, fields = 0;
  uint64_t wrong = 0;
  for (int k = 0; k < 32; k++) {
    uint8_t b = line[k];
    if (b != ';' && b != 0) {
      step_state(s, b);
      continue;
    }
    if (s.kind == JUNK) {
      wrong = 0x80000000u | s.junk;
      break;
    }
    if (s.kind != BLANK) {
      uint32_t v = (uint32_t)s.whole * 100;
      if (s.kind == FRACTION)
        v += (uint32_t)s.value * (s.digits == 0 ? 100 : s.digits == 1 ? 10 : 1);
      sum += s.negative ? 0 - v : v;
      fields++;
    }
    if (b == 0)
      break;
    s.kind = BLANK;
  }
  out[i] = (wrong ? wrong : fields) << 32 | sum;
}
