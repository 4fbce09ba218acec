#include "call.h"

namespace own {

template <class F> __device__ __forceinline__ int twice(int value, F f) {
  return call(f, call(f, value));
}

} // namespace own
