// A stable sort of a block's items by a comparison.
#pragma once
#include <cub/block/block_merge_sort.cuh>

namespace mirdc_cub {

template <class T, int BLOCK, int ITEMS, class F>
__device__ __forceinline__ void block_merge_sort(T (&items)[ITEMS], F less) {
  using Sort = cub::BlockMergeSort<T, BLOCK, ITEMS>;
  __shared__ typename Sort::TempStorage temp;
  Sort(temp).StableSort(items, less);
  // A second call may use the same memory.
  __syncthreads();
}

} // namespace mirdc_cub
