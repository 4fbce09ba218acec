// Each thread's value and that of the thread before; thread 0 keeps its own. It ends with a barrier, so
// that the next call may use the same temporary memory.
#include <cub/block/block_adjacent_difference.cuh>

namespace mirdc_cub {

template <class T, int BLOCK, class F>
__device__ __forceinline__ T adjacent_difference(T value, F op) {
  using Difference = cub::BlockAdjacentDifference<T, BLOCK>;
  __shared__ typename Difference::TempStorage temp;
  T in[1] = {value}, out[1];
  Difference(temp).SubtractLeft(in, out, op);
  __syncthreads();
  return out[0];
}

}  // namespace mirdc_cub
