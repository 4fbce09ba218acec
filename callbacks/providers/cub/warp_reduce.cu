// The reduction of one warp, by shuffles; it needs no temporary memory. Valid in lane 0.
#include <cub/warp/warp_reduce.cuh>

namespace mirdc_cub {

template <class T, class F>
__device__ __forceinline__ bool warp_reduce(T value, F op, T &total) {
  using Reduce = cub::WarpReduce<T>;
  typename Reduce::TempStorage none;
  T r = Reduce(none).Reduce(value, op);
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane != 0)
    return false;
  total = r;
  return true;
}

}  // namespace mirdc_cub
