// Called from Rust and calling back; compiled for the GPU by nvcc and for the host by g++.
#include <stddef.h>
#include <stdint.h>
struct S3 { uint8_t a; uint64_t b; float c; };
struct P2 { float x, y; };
struct Big { uint32_t v[9]; };
struct Sm { uint8_t a, b, c; };
typedef __int128 i128;
extern "C" __device__ bool c_bool(bool x) { return !x; }
extern "C" __device__ int8_t c_i8(int8_t x) { return x - 1; }
extern "C" __device__ int64_t c_widen(int8_t x, uint8_t y, int16_t z, uint16_t w) { return (int64_t)x + y * 1000 + z * 1000000ll + w * 1000000000ll; }
extern "C" __device__ uint16_t c_u16(uint16_t x) { return x + 1; }
extern "C" __device__ S3 c_s3(S3 s) { S3 r; r.a = s.a + 1; r.b = s.b * 3; r.c = s.c * 0.5f; return r; }
extern "C" __device__ P2 c_p2(P2 s, float k) { P2 r; r.x = s.y * k; r.y = s.x; return r; }
extern "C" __device__ Big c_big(Big s, int k) { s.v[k] += 7; return s; }
extern "C" __device__ Sm c_sm(Sm s) { Sm r; r.a = s.c; r.b = s.a; r.c = s.b + 1; return r; }
extern "C" __device__ i128 c_i128(i128 x, int k) { return x * k; }
extern "C" __device__ void c_ptr(const uint32_t *p, uint32_t *q, size_t n) { for (size_t i = 0; i < n; i++) q[i] = p[i] * 2; }
extern "C" __device__ int64_t r_widen(int8_t x, uint8_t y, int16_t z, bool b);
extern "C" __device__ S3 r_s3(S3 s);
extern "C" __device__ P2 r_p2(P2 s, float k);
extern "C" __device__ Big r_big(Big s, int k);
extern "C" __device__ bool r_bool(bool b);
extern "C" __device__ uint64_t c_back(int64_t v) {
  S3 s; s.a = (uint8_t)v; s.b = v * 5; s.c = (float)(v & 0xff); s = r_s3(s);
  P2 p; p.x = 1.5f; p.y = (float)(v & 15); p = r_p2(p, 3.0f);
  Big b; for (int i = 0; i < 9; i++) b.v[i] = (uint32_t)(v + i); b = r_big(b, (int)(v & 7));
  uint64_t t = (uint64_t)r_widen((int8_t)v, (uint8_t)(v >> 8), (int16_t)(v >> 16), r_bool(v & 1));
  t ^= s.a + s.b * 7 + (uint64_t)s.c * 1001 + (uint64_t)(p.x * 10) + ((uint64_t)p.y << 40);
  for (int i = 0; i < 9; i++) t = t * 31 + b.v[i];
  return t;
}
