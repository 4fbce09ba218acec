// A reduction over the 32 lanes of a warp; the result is lane 0's.
#pragma once
#include <cub/warp/warp_reduce.cuh>

namespace mirdc_cub {

template <class T, class F>
__device__ __forceinline__ bool warp_reduce(T value, F op, T &total) {
  using Reduce = cub::WarpReduce<T>;
  // For a whole warp CUB exchanges by shuffles and its storage is empty: the warps may share it.
  static_assert(sizeof(typename Reduce::TempStorage) == 1, "a warp needs no shared memory");
  typename Reduce::TempStorage temp;
  total = Reduce(temp).Reduce(value, op);
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane == 0;
}

} // namespace mirdc_cub
