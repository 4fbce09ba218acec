// Reductions over a block, by CUB's three algorithms. The result is valid in thread 0. Each ends with
// a barrier, so that the next call may use the same temporary memory.
#include <cub/block/block_reduce.cuh>

namespace mirdc_cub {

template <class T, int BLOCK, cub::BlockReduceAlgorithm ALGORITHM, class F>
__device__ __forceinline__ bool reduce_by(T value, F op, T &total) {
  using Reduce = cub::BlockReduce<T, BLOCK, ALGORITHM>;
  __shared__ typename Reduce::TempStorage temp;
  T r = Reduce(temp).Reduce(value, op);
  __syncthreads();
  if (threadIdx.x != 0)
    return false;
  total = r;
  return true;
}

template <class T, int BLOCK, class F>
__device__ __forceinline__ bool block_reduce(T value, F op, T &total) {
  return reduce_by<T, BLOCK, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(value, op, total);
}

template <class T, int BLOCK, class F>
__device__ __forceinline__ bool block_reduce_raking(T value, F op, T &total) {
  return reduce_by<T, BLOCK, cub::BLOCK_REDUCE_RAKING>(value, op, total);
}

template <class T, int BLOCK, class F>
__device__ __forceinline__ bool block_reduce_raking_commutative(T value, F op, T &total) {
  return reduce_by<T, BLOCK, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(value, op, total);
}

}  // namespace mirdc_cub
