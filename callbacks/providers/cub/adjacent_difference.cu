// The operator on each thread's value and that of the thread before.
#pragma once
#include <cub/block/block_adjacent_difference.cuh>

namespace mirdc_cub {

template <class T, int BLOCK, class F>
__device__ __forceinline__ T adjacent_difference(T value, F op) {
  using Difference = cub::BlockAdjacentDifference<T, BLOCK>;
  __shared__ typename Difference::TempStorage temp;
  T in[1] = {value}, out[1];
  Difference(temp).SubtractLeft(in, out, op);
  // A second call may use the same memory.
  __syncthreads();
  return out[0];
}

} // namespace mirdc_cub
