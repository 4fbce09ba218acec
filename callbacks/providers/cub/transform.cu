// The callback on one value.
#pragma once

namespace mirdc_cub {

template <class T, class U, class F>
__device__ __forceinline__ U transform(T value, F f) {
  return f(value);
}

} // namespace mirdc_cub
