//! Operations without a safe form.

use crate::sys;

mod sealed {
    pub trait Sealed {}
}

/// Numbers of 1 to 8 bytes.
pub trait Word: Copy + sealed::Sealed {
    #[doc(hidden)]
    unsafe fn load(p: *const Self) -> Self;
}
macro_rules! word {
    ($($t:ty as $c:ty: $op:ident, $from:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Word for $t {
            #[inline(always)]
            unsafe fn load(p: *const $t) -> $t { ($from)(unsafe { sys::$op(p.cast::<$c>()) }) }
        }
    )*};
}
word! {
    u8 as u8: ldg_u8, |v| v;
    i8 as u8: ldg_u8, |v| v as i8;
    u16 as u16: ldg_u16, |v| v;
    i16 as u16: ldg_u16, |v| v as i16;
    u32 as u32: ldg_u32, |v| v;
    i32 as u32: ldg_u32, |v| v as i32;
    f32 as u32: ldg_u32, f32::from_bits;
    u64 as u64: ldg_u64, |v| v;
    i64 as u64: ldg_u64, |v| v as i64;
    f64 as u64: ldg_u64, f64::from_bits;
}

/// A read through the read-only data path.
///
/// # Safety
/// `p` must be valid, and no thread may write there during the whole launch.
#[inline(always)]
pub unsafe fn load_read_only<T: Word>(p: *const T) -> T {
    unsafe { T::load(p) }
}
