use crate::arg::{Element, Plain};
use crate::sys;
use core::cell::UnsafeCell;

/// Ordering of an atomic access or fence, with the meaning it has in Rust and C++.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Ordering {
    /// No ordering beside the atomicity itself.
    Relaxed = 0,
    /// For loads.
    Acquire = 1,
    /// For stores.
    Release = 2,
    /// For operations that read and write.
    AcqRel = 3,
    /// One order that all threads agree on.
    SeqCst = 4,
}

/// Which threads an atomic access or fence is ordered against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Scope {
    /// Threads of the same block.
    Block = 0,
    /// All threads of the device.
    Device = 1,
    /// All devices and the host.
    System = 2,
}

/// Orders this thread's earlier accesses before its later ones.
#[inline(always)]
pub fn fence(order: Ordering, scope: Scope) {
    // SAFETY: no memory is touched.
    unsafe { sys::fence(order as u32, scope as u32) }
}

mod sealed {
    pub trait Sealed {}
}

/// Values that can be loaded and stored atomically: integers of 8 to 64 bits, `f32`, `f64`, and
/// raw pointers' `usize`.
pub trait AtomicValue: Plain + sealed::Sealed {
    #[doc(hidden)]
    unsafe fn load(p: *const Self, o: u32, s: u32) -> Self;
    #[doc(hidden)]
    unsafe fn store(p: *mut Self, v: Self, o: u32, s: u32);
}

/// Values that can be exchanged: integers of 16 to 64 bits and floats for compare-exchange.
pub trait AtomicExchange: AtomicValue {
    #[doc(hidden)]
    unsafe fn cas(p: *mut Self, old: Self, new: Self, o: u32, f: u32, s: u32) -> Self;
    #[doc(hidden)]
    fn same(a: Self, b: Self) -> bool;
}

/// 32- and 64-bit integers and floats.
pub trait AtomicNumber: AtomicExchange {
    #[doc(hidden)]
    unsafe fn swap(p: *mut Self, v: Self, o: u32, s: u32) -> Self;
    #[doc(hidden)]
    unsafe fn add(p: *mut Self, v: Self, o: u32, s: u32) -> Self;
    #[doc(hidden)]
    unsafe fn sub(p: *mut Self, v: Self, o: u32, s: u32) -> Self;
}

/// 32- and 64-bit integers.
pub trait AtomicInt: AtomicNumber {
    #[doc(hidden)]
    unsafe fn and(p: *mut Self, v: Self, o: u32, s: u32) -> Self;
    #[doc(hidden)]
    unsafe fn or(p: *mut Self, v: Self, o: u32, s: u32) -> Self;
    #[doc(hidden)]
    unsafe fn xor(p: *mut Self, v: Self, o: u32, s: u32) -> Self;
    #[doc(hidden)]
    unsafe fn min(p: *mut Self, v: Self, o: u32, s: u32) -> Self;
    #[doc(hidden)]
    unsafe fn max(p: *mut Self, v: Self, o: u32, s: u32) -> Self;
}

/// Declares the operations of one width, on the device as external functions and on the host over
/// `core::sync::atomic`.
macro_rules! width {
    ($m:ident, $t:ty, $host:ident, $load:ident, $store:ident) => {
        mod $m {
            #[cfg(mirdc_device)]
            unsafe extern "C" {
                fn $load(p: *const $t, o: u32, s: u32) -> $t;
                fn $store(p: *mut $t, v: $t, o: u32, s: u32);
            }
            #[inline(always)]
            pub unsafe fn load(p: *const $t, o: u32, s: u32) -> $t {
                #[cfg(mirdc_device)]
                return unsafe { $load(p, o, s) };
                #[cfg(not(mirdc_device))]
                return {
                    let _ = s;
                    unsafe { core::sync::atomic::$host::from_ptr(p.cast_mut()) }
                        .load(crate::host::sim::ordering(o))
                };
            }
            #[inline(always)]
            pub unsafe fn store(p: *mut $t, v: $t, o: u32, s: u32) {
                #[cfg(mirdc_device)]
                return unsafe { $store(p, v, o, s) };
                #[cfg(not(mirdc_device))]
                return {
                    let _ = s;
                    unsafe { core::sync::atomic::$host::from_ptr(p) }
                        .store(v, crate::host::sim::ordering(o))
                };
            }
        }
    };
}
width!(w8, u8, AtomicU8, __mirdc_atomic_load_u8, __mirdc_atomic_store_u8);
width!(w16, u16, AtomicU16, __mirdc_atomic_load_u16, __mirdc_atomic_store_u16);
width!(w32, u32, AtomicU32, __mirdc_atomic_load_u32, __mirdc_atomic_store_u32);
width!(w64, u64, AtomicU64, __mirdc_atomic_load_u64, __mirdc_atomic_store_u64);

macro_rules! cas {
    ($m:ident, $t:ty, $host:ident, $sym:ident) => {
        mod $m {
            #[cfg(mirdc_device)]
            unsafe extern "C" {
                fn $sym(p: *mut $t, old: $t, new: $t, o: u32, f: u32, s: u32) -> $t;
            }
            #[inline(always)]
            pub unsafe fn cas(p: *mut $t, old: $t, new: $t, o: u32, f: u32, s: u32) -> $t {
                #[cfg(mirdc_device)]
                return unsafe { $sym(p, old, new, o, f, s) };
                #[cfg(not(mirdc_device))]
                return {
                    let _ = s;
                    use crate::host::sim::ordering;
                    match unsafe { core::sync::atomic::$host::from_ptr(p) }.compare_exchange(
                        old,
                        new,
                        ordering(o),
                        ordering(f),
                    ) {
                        Ok(v) | Err(v) => v,
                    }
                };
            }
        }
    };
}
cas!(c16, u16, AtomicU16, __mirdc_atomic_cas_u16);
cas!(c32, u32, AtomicU32, __mirdc_atomic_cas_u32);
cas!(c64, u64, AtomicU64, __mirdc_atomic_cas_u64);

macro_rules! rmw {
    ($m:ident, $t:ty, $host:ident; $( $f:ident $hf:ident $sym:ident )*) => {
        mod $m {
            #[cfg(mirdc_device)]
            unsafe extern "C" {
                $( fn $sym(p: *mut $t, v: $t, o: u32, s: u32) -> $t; )*
            }
            $(
                #[inline(always)]
                pub unsafe fn $f(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                    #[cfg(mirdc_device)]
                    return unsafe { $sym(p, v, o, s) };
                    #[cfg(not(mirdc_device))]
                    return {
                        let _ = s;
                        unsafe { core::sync::atomic::$host::from_ptr(p) }
                            .$hf(v, crate::host::sim::ordering(o))
                    };
                }
            )*
        }
    };
}
rmw!(u32_ops, u32, AtomicU32;
    add fetch_add __mirdc_atomic_add_u32
    sub fetch_sub __mirdc_atomic_sub_u32
    and fetch_and __mirdc_atomic_and_u32
    or fetch_or __mirdc_atomic_or_u32
    xor fetch_xor __mirdc_atomic_xor_u32
    swap swap __mirdc_atomic_xchg_u32
    min fetch_min __mirdc_atomic_min_u32
    max fetch_max __mirdc_atomic_max_u32);
rmw!(u64_ops, u64, AtomicU64;
    add fetch_add __mirdc_atomic_add_u64
    sub fetch_sub __mirdc_atomic_sub_u64
    and fetch_and __mirdc_atomic_and_u64
    or fetch_or __mirdc_atomic_or_u64
    xor fetch_xor __mirdc_atomic_xor_u64
    swap swap __mirdc_atomic_xchg_u64
    min fetch_min __mirdc_atomic_min_u64
    max fetch_max __mirdc_atomic_max_u64);
rmw!(i32_ops, i32, AtomicI32;
    min fetch_min __mirdc_atomic_min_i32
    max fetch_max __mirdc_atomic_max_i32);
rmw!(i64_ops, i64, AtomicI64;
    min fetch_min __mirdc_atomic_min_i64
    max fetch_max __mirdc_atomic_max_i64);

/// A type that is carried by the unsigned integer of its width.
macro_rules! value {
    ($($t:ty as $c:ty: $w:ident, $to:path, $from:path;)*) => {$(
        impl sealed::Sealed for $t {}
        impl AtomicValue for $t {
            #[inline(always)]
            unsafe fn load(p: *const $t, o: u32, s: u32) -> $t {
                $from(unsafe { $w::load(p.cast::<$c>(), o, s) })
            }
            #[inline(always)]
            unsafe fn store(p: *mut $t, v: $t, o: u32, s: u32) {
                unsafe { $w::store(p.cast::<$c>(), $to(v), o, s) }
            }
        }
    )*};
}
macro_rules! exchange {
    ($($t:ty as $c:ty: $m:ident, $to:path, $from:path;)*) => {$(
        impl AtomicExchange for $t {
            #[inline(always)]
            unsafe fn cas(p: *mut $t, old: $t, new: $t, o: u32, f: u32, s: u32) -> $t {
                unsafe { $from($m::cas(p.cast::<$c>(), $to(old), $to(new), o, f, s)) }
            }
            #[inline(always)]
            fn same(a: $t, b: $t) -> bool { $to(a) == $to(b) }
        }
    )*};
}

/// Conversions between a value and the unsigned integer that carries it.
mod carry {
    macro_rules! int {
        ($($to:ident $from:ident: $t:ty, $c:ty;)*) => {$(
            #[inline(always)]
            pub fn $to(v: $t) -> $c { v as $c }
            #[inline(always)]
            pub fn $from(v: $c) -> $t { v as $t }
        )*};
    }
    int! {
        u8_to u8_from: u8, u8;
        i8_to i8_from: i8, u8;
        u16_to u16_from: u16, u16;
        i16_to i16_from: i16, u16;
        u32_to u32_from: u32, u32;
        i32_to i32_from: i32, u32;
        u64_to u64_from: u64, u64;
        i64_to i64_from: i64, u64;
        usize_to usize_from: usize, u64;
        isize_to isize_from: isize, u64;
    }
    #[inline(always)]
    pub fn f32_to(v: f32) -> u32 {
        v.to_bits()
    }
    #[inline(always)]
    pub fn f32_from(v: u32) -> f32 {
        f32::from_bits(v)
    }
    #[inline(always)]
    pub fn f64_to(v: f64) -> u64 {
        v.to_bits()
    }
    #[inline(always)]
    pub fn f64_from(v: u64) -> f64 {
        f64::from_bits(v)
    }
}

value! {
    u8 as u8: w8, carry::u8_to, carry::u8_from;
    i8 as u8: w8, carry::i8_to, carry::i8_from;
    u16 as u16: w16, carry::u16_to, carry::u16_from;
    i16 as u16: w16, carry::i16_to, carry::i16_from;
    u32 as u32: w32, carry::u32_to, carry::u32_from;
    i32 as u32: w32, carry::i32_to, carry::i32_from;
    f32 as u32: w32, carry::f32_to, carry::f32_from;
    u64 as u64: w64, carry::u64_to, carry::u64_from;
    i64 as u64: w64, carry::i64_to, carry::i64_from;
    usize as u64: w64, carry::usize_to, carry::usize_from;
    isize as u64: w64, carry::isize_to, carry::isize_from;
    f64 as u64: w64, carry::f64_to, carry::f64_from;
}
exchange! {
    u16 as u16: c16, carry::u16_to, carry::u16_from;
    i16 as u16: c16, carry::i16_to, carry::i16_from;
    u32 as u32: c32, carry::u32_to, carry::u32_from;
    i32 as u32: c32, carry::i32_to, carry::i32_from;
    f32 as u32: c32, carry::f32_to, carry::f32_from;
    u64 as u64: c64, carry::u64_to, carry::u64_from;
    i64 as u64: c64, carry::i64_to, carry::i64_from;
    usize as u64: c64, carry::usize_to, carry::usize_from;
    isize as u64: c64, carry::isize_to, carry::isize_from;
    f64 as u64: c64, carry::f64_to, carry::f64_from;
}

macro_rules! int {
    ($($t:ty as $c:ty: $ops:ident, $minmax:ident as $mt:ty;)*) => {$(
        impl AtomicNumber for $t {
            #[inline(always)]
            unsafe fn swap(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $ops::swap(p.cast::<$c>(), v as $c, o, s) as $t }
            }
            #[inline(always)]
            unsafe fn add(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $ops::add(p.cast::<$c>(), v as $c, o, s) as $t }
            }
            #[inline(always)]
            unsafe fn sub(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $ops::sub(p.cast::<$c>(), v as $c, o, s) as $t }
            }
        }
        impl AtomicInt for $t {
            #[inline(always)]
            unsafe fn and(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $ops::and(p.cast::<$c>(), v as $c, o, s) as $t }
            }
            #[inline(always)]
            unsafe fn or(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $ops::or(p.cast::<$c>(), v as $c, o, s) as $t }
            }
            #[inline(always)]
            unsafe fn xor(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $ops::xor(p.cast::<$c>(), v as $c, o, s) as $t }
            }
            #[inline(always)]
            unsafe fn min(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $minmax::min(p.cast::<$mt>(), v as $mt, o, s) as $t }
            }
            #[inline(always)]
            unsafe fn max(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $minmax::max(p.cast::<$mt>(), v as $mt, o, s) as $t }
            }
        }
    )*};
}
int! {
    u32 as u32: u32_ops, u32_ops as u32;
    i32 as u32: u32_ops, i32_ops as i32;
    u64 as u64: u64_ops, u64_ops as u64;
    i64 as u64: u64_ops, i64_ops as i64;
    usize as u64: u64_ops, u64_ops as u64;
    isize as u64: u64_ops, i64_ops as i64;
}

macro_rules! float {
    ($($m:ident, $t:ident as $c:ty: $ops:ident, $sym:ident;)*) => {$(
        mod $m {
            #[cfg(mirdc_device)]
            unsafe extern "C" {
                fn $sym(p: *mut $t, v: $t, o: u32, s: u32) -> $t;
            }
            #[inline(always)]
            pub unsafe fn add(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                #[cfg(mirdc_device)]
                return unsafe { $sym(p, v, o, s) };
                #[cfg(not(mirdc_device))]
                return {
                    use super::{AtomicExchange, AtomicValue};
                    let mut old = unsafe { <$t as AtomicValue>::load(p, 0, s) };
                    loop {
                        let seen = unsafe { <$t as AtomicExchange>::cas(p, old, old + v, o, 0, s) };
                        if seen.to_bits() == old.to_bits() {
                            break old;
                        }
                        old = seen;
                    }
                };
            }
        }
        impl AtomicNumber for $t {
            #[inline(always)]
            unsafe fn swap(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                $t::from_bits(unsafe { $ops::swap(p.cast::<$c>(), v.to_bits(), o, s) })
            }
            #[inline(always)]
            unsafe fn add(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $m::add(p, v, o, s) }
            }
            #[inline(always)]
            unsafe fn sub(p: *mut $t, v: $t, o: u32, s: u32) -> $t {
                unsafe { $m::add(p, -v, o, s) }
            }
        }
    )*};
}
float! {
    f32_ops, f32 as u32: u32_ops, __mirdc_atomic_add_f32;
    f64_ops, f64 as u64: u64_ops, __mirdc_atomic_add_f64;
}

/// A value that several threads may access at once, on the device and from the host.
///
/// It has the size of its value and an alignment equal to that size. A kernel may take
/// `&[Atomic<T>]`; shared arrays, [`Buffer`](crate::Buffer) and [`Global`](crate::Global) give
/// their elements as atomics. Orderings and scopes must be constants.
#[repr(transparent)]
pub struct Atomic<T>(UnsafeCell<T>);

// SAFETY: all access is atomic.
unsafe impl<T: AtomicValue> Sync for Atomic<T> {}
unsafe impl<T: AtomicValue> Element for Atomic<T> {}

impl<T> Atomic<T> {
    /// With a start value.
    #[inline(always)]
    pub const fn new(v: T) -> Self {
        Atomic(UnsafeCell::new(v))
    }
    /// The address.
    #[inline(always)]
    pub const fn as_ptr(&self) -> *mut T {
        self.0.get()
    }
    /// The value, when nobody else can hold a reference.
    #[inline(always)]
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: AtomicValue> Atomic<T> {
    /// The atomic at an address.
    ///
    /// # Safety
    /// `p` must be valid and aligned for `'a`, and used only atomically meanwhile.
    #[inline(always)]
    pub unsafe fn from_ptr<'a>(p: *mut T) -> &'a Atomic<T> {
        unsafe { &*p.cast::<Atomic<T>>() }
    }
    /// Reads. `Release` and `AcqRel` are refused.
    #[inline(always)]
    pub fn load(&self, order: Ordering, scope: Scope) -> T {
        // SAFETY: the cell is valid; so in all methods here.
        unsafe { T::load(self.as_ptr(), order as u32, scope as u32) }
    }
    /// Writes. `Acquire` and `AcqRel` are refused.
    #[inline(always)]
    pub fn store(&self, v: T, order: Ordering, scope: Scope) {
        unsafe { T::store(self.as_ptr(), v, order as u32, scope as u32) }
    }
}

impl<T: AtomicExchange> Atomic<T> {
    /// Writes `new` if the value is `old` (compared by bits); gives `Ok(old)` or `Err(found)`.
    #[inline(always)]
    pub fn compare_exchange(
        &self,
        old: T,
        new: T,
        success: Ordering,
        failure: Ordering,
        scope: Scope,
    ) -> Result<T, T> {
        let found = unsafe {
            T::cas(self.as_ptr(), old, new, success as u32, failure as u32, scope as u32)
        };
        if T::same(found, old) {
            Ok(found)
        } else {
            Err(found)
        }
    }
}

macro_rules! methods {
    ($tr:ident: $( $(#[$m:meta])* $name:ident = $op:ident; )*) => {
        impl<T: $tr> Atomic<T> {
            $(
                $(#[$m])*
                #[inline(always)]
                pub fn $name(&self, v: T, order: Ordering, scope: Scope) -> T {
                    unsafe { <T as $tr>::$op(self.as_ptr(), v, order as u32, scope as u32) }
                }
            )*
        }
    };
}
methods! { AtomicNumber:
    /// Writes `v` and gives the value before.
    swap = swap;
    /// Adds and gives the value before. Integers wrap around; of floats the order of additions, and so
    /// the rounding, is not fixed.
    fetch_add = add;
    /// Subtracts, as `fetch_add` adds, and gives the value before.
    fetch_sub = sub;
}
methods! { AtomicInt:
    /// Ands the bits and gives the value before.
    fetch_and = and;
    /// Ors the bits and gives the value before.
    fetch_or = or;
    /// Exclusive-ors the bits and gives the value before.
    fetch_xor = xor;
    /// Keeps the smaller and gives the value before.
    fetch_min = min;
    /// Keeps the larger and gives the value before.
    fetch_max = max;
}
