use crate::rt::{self, Field};
use core::mem::offset_of;

/// A type that a kernel may take as a parameter.
///
/// Implemented for numbers, `bool`, `char`, raw pointers, `&[T]`, [`PerThread`](crate::PerThread),
/// [`Buffer`](crate::Buffer), and arrays and tuples of such; derive it for structs. The value goes
/// to the device by its bytes, so types with a destructor and references to host memory have no
/// place here.
///
/// # Safety
/// `KIND` and `FIELDS` must describe the type's layout.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel parameter [MD0620]",
    label = "not a kernel parameter",
    note = "kernels take numbers, raw pointers, `&[T]`, `PerThread<T>`, `Buffer<T>`, and arrays, \
            tuples and structs of such; put `#[derive(Clone, Copy, mirdc::KernelArg)]` on your own \
            struct"
)]
pub unsafe trait KernelArg {
    #[doc(hidden)]
    const KIND: u32;
    #[doc(hidden)]
    const FIELDS: &'static [Field] = &[];
}

/// A type that may be an element of a device slice.
///
/// # Safety
/// The type must have the same layout and meaning on the host and on the device.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a device slice [MD0626]",
    note = "numbers, raw pointers, `Atomic<T>`, arrays and tuples of such, and structs with \
            `#[derive(Clone, Copy, mirdc::KernelArg)]` can"
)]
pub unsafe trait Element {}

/// A type for which every pattern of bytes that other threads may leave behind is a value.
///
/// That is what makes reading memory shared with other threads safe: a race gives an old or a
/// mixed value, never an invalid one. Derive it for structs of such types.
///
/// # Safety
/// Any initialised bytes must be a valid value, and the type must be `Copy`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot live in memory that several threads write [MD0627]",
    note = "integers, floats, raw pointers, and arrays, tuples and `#[derive(mirdc::Plain)]` \
            structs of such can; `bool`, `char`, enums and references cannot"
)]
pub unsafe trait Plain: Copy {}

macro_rules! scalars {
    (plain $($t:ty),*; other $($o:ty),*) => {
        $( unsafe impl KernelArg for $t { const KIND: u32 = rt::KIND_SCALAR; }
           unsafe impl Element for $t {}
           unsafe impl Plain for $t {} )*
        $( unsafe impl KernelArg for $o { const KIND: u32 = rt::KIND_SCALAR; }
           unsafe impl Element for $o {} )*
    };
}
scalars!(plain u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, crate::F16;
         other bool, char);

macro_rules! pointers {
    ($($p:ty),*) => {$(
        unsafe impl<T> KernelArg for $p { const KIND: u32 = rt::KIND_POINTER; }
        unsafe impl<T> Element for $p {}
        unsafe impl<T> Plain for $p {}
    )*};
}
pointers!(*const T, *mut T);

unsafe impl<T: Element> KernelArg for &[T] {
    const KIND: u32 = rt::KIND_SLICE;
}
unsafe impl<T: Element> KernelArg for &mut [T] {
    const KIND: u32 = rt::KIND_SLICE;
}

unsafe impl<T: KernelArg, const N: usize> KernelArg for [T; N] {
    const KIND: u32 = rt::KIND_AGGREGATE;
}
unsafe impl<T: Element, const N: usize> Element for [T; N] {}
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

unsafe impl<T: ?Sized> KernelArg for core::marker::PhantomData<T> {
    const KIND: u32 = rt::KIND_AGGREGATE;
}
unsafe impl<T: ?Sized> Element for core::marker::PhantomData<T> {}
unsafe impl<T: ?Sized> Plain for core::marker::PhantomData<T> {}
unsafe impl KernelArg for () {
    const KIND: u32 = rt::KIND_AGGREGATE;
}
unsafe impl Plain for () {}

macro_rules! tuples {
    ($( ($($t:ident $i:tt),+) )*) => {$(
        unsafe impl<$($t: KernelArg),+> KernelArg for ($($t,)+) {
            const KIND: u32 = rt::KIND_AGGREGATE;
            const FIELDS: &'static [Field] = &[
                $( Field::of::<$t>(stringify!($i), offset_of!(Self, $i)) ),+
            ];
        }
        unsafe impl<$($t: Element),+> Element for ($($t,)+) {}
        unsafe impl<$($t: Plain),+> Plain for ($($t,)+) {}
    )*};
}
tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
