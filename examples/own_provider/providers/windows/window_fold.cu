// Each thread folds its value and those of the WIDTH - 1 threads before it, from left to right. Where
// the block begins, the window is shorter.
template <class T, int BLOCK, int WIDTH, class F>
__device__ __forceinline__ T window_fold(T value, F op) {
  __shared__ T all[BLOCK];
  all[threadIdx.x] = value;
  __syncthreads();
  int at = (int)threadIdx.x, first = at + 1 > WIDTH ? at + 1 - WIDTH : 0;
  T r = all[first];
  for (int i = first + 1; i <= at; i++)
    r = op(r, all[i]);
  __syncthreads();
  return r;
}
