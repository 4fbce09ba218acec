// A reduction of one thread's items.
#pragma once
#include <cub/thread/thread_reduce.cuh>

namespace mirdc_cub {

template <class T, int ITEMS, class F>
__device__ __forceinline__ T thread_reduce(const T (&items)[ITEMS], F op) {
  return cub::ThreadReduce(items, op);
}

} // namespace mirdc_cub
