// Reductions over a block; the result is the first thread's.
//
// The barrier behind each algorithm keeps a second call, which may use the same memory, from starting while
// threads are still reading.
#pragma once
#include <cub/block/block_reduce.cuh>

namespace mirdc_cub {

template <class T, int BLOCK, cub::BlockReduceAlgorithm ALGORITHM, class F>
__device__ __forceinline__ bool reduce(T value, F op, T &total) {
  using Reduce = cub::BlockReduce<T, BLOCK, ALGORITHM>;
  __shared__ typename Reduce::TempStorage temp;
  total = Reduce(temp).Reduce(value, op);
  __syncthreads();
  return threadIdx.x == 0;
}

template <class T, int BLOCK, class F>
__device__ __forceinline__ bool block_reduce(T value, F op, T &total) {
  return reduce<T, BLOCK, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(value, op, total);
}

template <class T, int BLOCK, class F>
__device__ __forceinline__ bool block_reduce_raking(T value, F op, T &total) {
  return reduce<T, BLOCK, cub::BLOCK_REDUCE_RAKING>(value, op, total);
}

template <class T, int BLOCK, class F>
__device__ __forceinline__ bool block_reduce_raking_commutative(T value, F op, T &total) {
  return reduce<T, BLOCK, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(value, op, total);
}

} // namespace mirdc_cub
