//! The 32 threads that run together: shuffles, votes, matches.
//!
//! The short forms take all 32 lanes: every thread of the warp must reach the call. The `_with`
//! forms take the mask of the lanes that take part; each lane named must reach the same call.
//! Lane numbers and distances are taken modulo 32, as the hardware does.

use crate::sys;

/// Lanes of a warp.
pub const SIZE: u32 = 32;
/// All lanes.
pub const FULL: u32 = !0;

/// This thread's lane, 0 to 31.
#[inline(always)]
pub fn lane() -> u32 {
    // SAFETY: reads a register.
    unsafe { sys::laneid() }
}
/// The warp's number in its block, as the hardware counts.
#[inline(always)]
pub fn id() -> u32 {
    unsafe { sys::warpid() }
}
/// The lanes that run this instruction together right now.
#[inline(always)]
pub fn active() -> u32 {
    unsafe { sys::activemask() }
}
/// Waits for the lanes of the mask; what they wrote before is visible to each other after.
#[inline(always)]
pub fn sync(mask: u32) {
    unsafe { sys::syncwarp(mask) }
}

mod sealed {
    pub trait Sealed {}
}

/// Values of 4 or 8 bytes that lanes can pass to each other.
pub trait WarpValue: Copy + sealed::Sealed {
    #[doc(hidden)]
    fn through(self, f: impl Fn(u32) -> u32) -> Self;
    #[doc(hidden)]
    fn matching(self, mask: u32) -> u32;
    #[doc(hidden)]
    unsafe fn matching_all(self, mask: u32, pred: *mut u32) -> u32;
}

macro_rules! value {
    (4: $($t:ty, $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl WarpValue for $t {
            #[inline(always)]
            fn through(self, f: impl Fn(u32) -> u32) -> Self { ($from)(f(($to)(self))) }
            #[inline(always)]
            fn matching(self, mask: u32) -> u32 {
                unsafe { sys::match_any_u32(mask, ($to)(self)) }
            }
            #[inline(always)]
            unsafe fn matching_all(self, mask: u32, pred: *mut u32) -> u32 {
                unsafe { sys::match_all_u32(mask, ($to)(self), pred) }
            }
        }
    )*};
    (8: $($t:ty, $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl WarpValue for $t {
            #[inline(always)]
            fn through(self, f: impl Fn(u32) -> u32) -> Self {
                let bits: u64 = ($to)(self);
                let (lo, hi) = (f(bits as u32), f((bits >> 32) as u32));
                ($from)((hi as u64) << 32 | lo as u64)
            }
            #[inline(always)]
            fn matching(self, mask: u32) -> u32 {
                unsafe { sys::match_any_u64(mask, ($to)(self)) }
            }
            #[inline(always)]
            unsafe fn matching_all(self, mask: u32, pred: *mut u32) -> u32 {
                unsafe { sys::match_all_u64(mask, ($to)(self), pred) }
            }
        }
    )*};
}
value! { 4:
    u32, |v: u32| v, |v: u32| v;
    i32, |v: i32| v as u32, |v: u32| v as i32;
    f32, |v: f32| v.to_bits(), |v: u32| f32::from_bits(v);
}
value! { 8:
    u64, |v: u64| v, |v: u64| v;
    i64, |v: i64| v as u64, |v: u64| v as i64;
    usize, |v: usize| v as u64, |v: u64| v as usize;
    isize, |v: isize| v as u64, |v: u64| v as isize;
    f64, |v: f64| v.to_bits(), |v: u64| f64::from_bits(v);
}

/// The value of lane `lane`.
#[inline(always)]
pub fn shuffle<T: WarpValue>(v: T, lane: u32) -> T {
    shuffle_with(FULL, v, lane, SIZE)
}
/// The value of the lane `delta` below; lanes below `delta` keep their own.
#[inline(always)]
pub fn shuffle_up<T: WarpValue>(v: T, delta: u32) -> T {
    shuffle_up_with(FULL, v, delta, SIZE)
}
/// The value of the lane `delta` above; the last `delta` lanes keep their own.
#[inline(always)]
pub fn shuffle_down<T: WarpValue>(v: T, delta: u32) -> T {
    shuffle_down_with(FULL, v, delta, SIZE)
}
/// The value of the lane whose number differs in the bits of `lanes`.
#[inline(always)]
pub fn shuffle_xor<T: WarpValue>(v: T, lanes: u32) -> T {
    shuffle_xor_with(FULL, v, lanes, SIZE)
}
/// [`shuffle`] among the lanes of the mask, in groups of `width` (a power of two up to 32).
#[inline(always)]
pub fn shuffle_with<T: WarpValue>(mask: u32, v: T, lane: u32, width: u32) -> T {
    v.through(
        #[inline(always)]
        |v| unsafe { sys::shfl_idx_u32(mask, v, lane, width) },
    )
}
/// [`shuffle_up`] among the lanes of the mask, in groups of `width`.
#[inline(always)]
pub fn shuffle_up_with<T: WarpValue>(mask: u32, v: T, delta: u32, width: u32) -> T {
    v.through(
        #[inline(always)]
        |v| unsafe { sys::shfl_up_u32(mask, v, delta, width) },
    )
}
/// [`shuffle_down`] among the lanes of the mask, in groups of `width`.
#[inline(always)]
pub fn shuffle_down_with<T: WarpValue>(mask: u32, v: T, delta: u32, width: u32) -> T {
    v.through(
        #[inline(always)]
        |v| unsafe { sys::shfl_down_u32(mask, v, delta, width) },
    )
}
/// [`shuffle_xor`] among the lanes of the mask, in groups of `width`.
#[inline(always)]
pub fn shuffle_xor_with<T: WarpValue>(mask: u32, v: T, lanes: u32, width: u32) -> T {
    v.through(
        #[inline(always)]
        |v| unsafe { sys::shfl_bfly_u32(mask, v, lanes, width) },
    )
}

/// True if `p` holds in every lane.
#[inline(always)]
pub fn all(p: bool) -> bool {
    all_with(FULL, p)
}
/// True if `p` holds in some lane.
#[inline(always)]
pub fn any(p: bool) -> bool {
    any_with(FULL, p)
}
/// True if `p` is the same in every lane.
#[inline(always)]
pub fn uniform(p: bool) -> bool {
    uniform_with(FULL, p)
}
/// The lanes in which `p` holds, one bit each.
#[inline(always)]
pub fn ballot(p: bool) -> u32 {
    ballot_with(FULL, p)
}
/// [`all`] among the lanes of the mask.
#[inline(always)]
pub fn all_with(mask: u32, p: bool) -> bool {
    unsafe { sys::vote_all(mask, p) }
}
/// [`any`] among the lanes of the mask.
#[inline(always)]
pub fn any_with(mask: u32, p: bool) -> bool {
    unsafe { sys::vote_any(mask, p) }
}
/// [`uniform`] among the lanes of the mask.
#[inline(always)]
pub fn uniform_with(mask: u32, p: bool) -> bool {
    unsafe { sys::vote_uni(mask, p) }
}
/// [`ballot`] among the lanes of the mask.
#[inline(always)]
pub fn ballot_with(mask: u32, p: bool) -> u32 {
    unsafe { sys::vote_ballot(mask, p) }
}

/// The lanes that hold the same value (by bits) as this one.
#[inline(always)]
pub fn match_any<T: WarpValue>(v: T) -> u32 {
    v.matching(FULL)
}
/// [`match_any`] among the lanes of the mask.
#[inline(always)]
pub fn match_any_with<T: WarpValue>(mask: u32, v: T) -> u32 {
    v.matching(mask)
}
/// True if all lanes hold the same value (by bits).
#[inline(always)]
pub fn match_all<T: WarpValue>(v: T) -> bool {
    match_all_with(FULL, v)
}
/// [`match_all`] among the lanes of the mask.
#[inline(always)]
pub fn match_all_with<T: WarpValue>(mask: u32, v: T) -> bool {
    let mut pred = 0u32;
    unsafe { v.matching_all(mask, &raw mut pred) };
    pred != 0
}

macro_rules! reduce {
    ($( $(#[$m:meta])* $name:ident($t:ty) = $op:ident; )*) => {$(
        $(#[$m])*
        /// Needs compute capability 8.0.
        #[inline(always)]
        pub fn $name(mask: u32, v: $t) -> $t { unsafe { sys::$op(mask, v) } }
    )*};
}
reduce! {
    /// The sum over the lanes of the mask.
    reduce_add(u32) = redux_add_u32;
    /// The smallest over the lanes of the mask.
    reduce_min(u32) = redux_min_u32;
    /// The largest over the lanes of the mask.
    reduce_max(u32) = redux_max_u32;
    /// The bits that all lanes of the mask have.
    reduce_and(u32) = redux_and_u32;
    /// The bits that some lane of the mask has.
    reduce_or(u32) = redux_or_u32;
    /// The exclusive or over the lanes of the mask.
    reduce_xor(u32) = redux_xor_u32;
    /// The smallest over the lanes of the mask.
    reduce_min_i32(i32) = redux_min_i32;
    /// The largest over the lanes of the mask.
    reduce_max_i32(i32) = redux_max_i32;
}
