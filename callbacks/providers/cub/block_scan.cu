// Prefix sums over a block. Each ends with a barrier, so that the next call may use the same
// temporary memory.
#include <cub/block/block_scan.cuh>

namespace mirdc_cub {

template <class T, int BLOCK, class F>
__device__ __forceinline__ T block_scan_inclusive(T value, F op) {
  using Scan = cub::BlockScan<T, BLOCK>;
  __shared__ typename Scan::TempStorage temp;
  T r;
  Scan(temp).InclusiveScan(value, r, op);
  __syncthreads();
  return r;
}

template <class T, int BLOCK, class F>
__device__ __forceinline__ T block_scan_exclusive(T value, T initial, F op) {
  using Scan = cub::BlockScan<T, BLOCK>;
  __shared__ typename Scan::TempStorage temp;
  T r;
  Scan(temp).ExclusiveScan(value, r, initial, op);
  __syncthreads();
  return r;
}

// CUB asks its first warp for the prefix of a tile; only thread 0's answer counts.
template <class T, class F>
struct Running {
  T &sum;
  F op;
  __device__ __forceinline__ T operator()(T tile) {
    T before = sum;
    if (threadIdx.x == 0)
      sum = op(before, tile);
    return before;
  }
};

template <class T, int BLOCK, class F>
__device__ __forceinline__ T block_scan_running(T value, T &running, F op) {
  using Scan = cub::BlockScan<T, BLOCK>;
  __shared__ typename Scan::TempStorage temp;
  Running<T, F> prefix{running, op};
  T r;
  Scan(temp).InclusiveScan(value, r, op, prefix);
  __syncthreads();
  return r;
}

}  // namespace mirdc_cub
