extern "C" __device__ unsigned long long __mirdc_trap_buf = 0;
__constant__ float TABLE[64];
extern "C" __global__ void __launch_bounds__(256) saxpy(float a, const float *x, float *y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
struct Pair { float scale; double bias; };
extern "C" __global__ void scale(float *data, unsigned long long n, Pair p) {
  extern __shared__ float dyn[];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  dyn[threadIdx.x] = i < n ? data[i] : 0.f;
  __syncthreads();
  if (i >= n) {
    volatile unsigned *b = (volatile unsigned *)__mirdc_trap_buf;
    if (b) { b[1] = 7; b[2]=blockIdx.x;b[3]=blockIdx.y;b[4]=blockIdx.z;b[5]=threadIdx.x;b[6]=threadIdx.y;b[7]=threadIdx.z; __threadfence_system(); b[0]=1; }
    asm volatile("trap;");
  }
  data[i] = dyn[threadIdx.x] * p.scale + (float)p.bias + TABLE[threadIdx.x & 63];
}
