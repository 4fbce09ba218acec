// Sorts a block's items, in the order of threads. It ends with a barrier, so that the next call may use
// the same temporary memory.
#include <cub/block/block_merge_sort.cuh>

namespace mirdc_cub {

template <class T, int BLOCK, int ITEMS, class F>
__device__ __forceinline__ void block_merge_sort(T (&items)[ITEMS], F less) {
  using Sort = cub::BlockMergeSort<T, BLOCK, ITEMS>;
  __shared__ typename Sort::TempStorage temp;
  Sort(temp).StableSort(items, less);
  __syncthreads();
}

}  // namespace mirdc_cub
