// Scans over a block. The barrier behind each keeps a second call, which may use the same memory, from
// starting while threads are still reading.
#pragma once
#include <cub/block/block_scan.cuh>

namespace mirdc_cub {

template <class T, int BLOCK, class F>
__device__ __forceinline__ T block_scan_inclusive(T value, F op) {
  using Scan = cub::BlockScan<T, BLOCK>;
  __shared__ typename Scan::TempStorage temp;
  T out;
  Scan(temp).InclusiveScan(value, out, op);
  __syncthreads();
  return out;
}

template <class T, int BLOCK, class F>
__device__ __forceinline__ T block_scan_exclusive(T value, T initial, F op) {
  using Scan = cub::BlockScan<T, BLOCK>;
  __shared__ typename Scan::TempStorage temp;
  T out;
  Scan(temp).ExclusiveScan(value, out, initial, op);
  __syncthreads();
  return out;
}

// What stands before the tile; CUB asks for it in the first warp, and takes the first lane's answer.
template <class T, class F> struct Running {
  T &running;
  F op;
  __device__ __forceinline__ T operator()(T tile) {
    T before = running;
    if (threadIdx.x == 0)
      running = op(before, tile);
    return before;
  }
};

template <class T, int BLOCK, class F>
__device__ __forceinline__ T block_scan_running(T value, T &running, F op) {
  using Scan = cub::BlockScan<T, BLOCK>;
  __shared__ typename Scan::TempStorage temp;
  Running<T, F> prefix{running, op};
  T out;
  Scan(temp).InclusiveScan(value, out, op, prefix);
  __syncthreads();
  return out;
}

} // namespace mirdc_cub
