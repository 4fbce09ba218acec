//! The device crate of mirdc: what a GPU kernel written in Rust uses.
//!
//! ```
//! use mirdc::prelude::*;
//!
//! #[mirdc::kernel]
//! fn scale(k: f32, mut v: PerThread<f32>) {
//!     if let Some(x) = v.mine() {
//!         *x *= k;
//!     }
//! }
//! # fn main() {
//! let mut v = [1.0, 2.0, 3.0];
//! host::launch(1, 32, &mut v[..], |v| scale(2.0, v));
//! assert_eq!(v, [2.0, 4.0, 6.0]);
//! # }
//! ```
//!
//! The crate is `no_std` and everything in it is a thin wrapper that is inlined away. Compiled for
//! the device (`--cfg mirdc_device`, which the compiler sets) the wrappers are calls of device
//! operations; compiled for the host they run in the simulator of [`host`].
//!
//! Memory that another thread may write is never reachable through `&T`, `&[T]` or `&mut [T]`:
//! rustc may assume that such memory does not change and merges two reads of it, across a barrier
//! too. Use [`Shared`], [`PerThread`], [`Buffer`], [`Atomic`] or raw pointers.
#![no_std]
// The pass alone compiles for the device, and allows unstable features for that.
#![cfg_attr(mirdc_device, allow(stable_features), feature(const_type_name))]
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

#[cfg(not(mirdc_device))]
extern crate std;

// Lets the macros' `::mirdc` paths work inside this crate too.
extern crate self as mirdc;

pub use mirdc_macros::{
    device_export, kernel, kernel_of, launch, printf, ptx, register, shared, KernelArg, Plain,
};

mod arg;
mod atomic;
pub mod block;
pub mod cub;
pub mod grid;
mod half;
pub mod host;
pub mod intrinsics;
mod launch;
pub mod math;
#[doc(hidden)]
pub mod rt;
mod shared;
mod slice;
#[allow(missing_docs)]
#[doc(hidden)]
pub mod sys;
pub mod thread;
pub mod warp;

pub use arg::{Element, KernelArg, Plain};
pub use atomic::{fence, Atomic, AtomicInt, AtomicNumber, AtomicValue, Ordering, Scope};
pub use half::F16;
pub use launch::DeviceSlice;
pub use shared::{dynamic_shared, dynamic_shared_bytes, Constant, DynamicShared, Global, Shared};
pub use slice::{Buffer, PerThread, PerThread2d};
pub use thread::{assume_converged, barrier, ThreadIndex};

/// What a kernel usually needs: `use mirdc::prelude::*;`
pub mod prelude {
    pub use crate::device_assert;
    pub use crate::math::FloatExt;
    pub use crate::{
        barrier, block, fence, grid, host, math, thread, warp, Atomic, Buffer, Constant, Global,
        Ordering, PerThread, PerThread2d, Scope, Shared, ThreadIndex, F16,
    };
    pub use mirdc_macros::{printf, ptx, shared};
}

/// Stops the kernel with a message when the condition is false, in every build.
///
/// On the device the file, the line and the condition are printed as CUDA's `assert` does; on the
/// host it panics.
#[macro_export]
macro_rules! device_assert {
    ($c:expr $(,)?) => {
        $crate::device_assert!($c, ::core::stringify!($c))
    };
    ($c:expr, $msg:expr $(,)?) => {
        if !$c {
            $crate::rt::assert_failed(
                ::core::concat!($msg, "\0"),
                ::core::concat!(::core::file!(), "\0"),
                ::core::line!(),
                ::core::concat!(::core::module_path!(), "\0"),
            )
        }
    };
}
