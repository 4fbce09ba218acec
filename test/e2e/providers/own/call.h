#pragma once

namespace own {

template <class F> __device__ __forceinline__ int call(F f, int value) {
  return f(value);
}

} // namespace own
