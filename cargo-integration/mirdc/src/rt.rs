//! What the macros expand to. Not for direct use; the layouts are fixed by docs/abi.md.
#![allow(missing_docs)]

pub use crate::launch::*;
use crate::KernelArg;

pub const MAGIC: u64 = 0x4e52_4b43_4452_4d49;
pub const PROTOCOL: u32 = 1;

pub const FLAG_BLOCK: u32 = 1;
pub const FLAG_MAX_BLOCK: u32 = 1 << 1;
pub const FLAG_MIN_BLOCKS: u32 = 1 << 2;
pub const FLAG_DYNAMIC_SHARED: u32 = 1 << 3;
pub const FLAG_CLUSTER: u32 = 1 << 4;
/// The entry is a device function that other device code links against, not a kernel.
pub const FLAG_EXPORT: u32 = 1 << 31;

pub const KIND_UNKNOWN: u32 = 0;
pub const KIND_SCALAR: u32 = 1;
pub const KIND_POINTER: u32 = 2;
pub const KIND_SLICE: u32 = 3;
pub const KIND_AGGREGATE: u32 = 4;

/// Text as the compiler reads it from the descriptor's bytes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Str {
    ptr: *const u8,
    len: usize,
}

impl Str {
    pub const fn new(s: &'static str) -> Str {
        Str { ptr: s.as_ptr(), len: s.len() }
    }
    pub const fn get(&self) -> &'static str {
        // SAFETY: only made by `new`.
        unsafe { core::str::from_utf8_unchecked(core::slice::from_raw_parts(self.ptr, self.len)) }
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Field {
    pub name: Str,
    pub offset: u64,
    pub size: u64,
    pub align: u64,
}

impl Field {
    pub const fn of<T>(name: &'static str, offset: usize) -> Field {
        Field {
            name: Str::new(name),
            offset: offset as u64,
            size: size_of::<T>() as u64,
            align: align_of::<T>() as u64,
        }
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Param {
    pub name: Str,
    pub size: u64,
    pub align: u64,
    pub kind: u32,
    n_fields: u32,
    fields: *const Field,
}

// SAFETY: points to immutable statics only.
unsafe impl Sync for Param {}

impl Param {
    pub const fn of<T: KernelArg>(name: &'static str) -> Param {
        assert!(
            !core::mem::needs_drop::<T>(),
            "a kernel parameter cannot have a destructor [MD0624]"
        );
        Param {
            name: Str::new(name),
            size: size_of::<T>() as u64,
            align: align_of::<T>() as u64,
            kind: T::KIND,
            n_fields: T::FIELDS.len() as u32,
            fields: T::FIELDS.as_ptr(),
        }
    }
    pub const fn fields(&self) -> &'static [Field] {
        // SAFETY: only made by `of`.
        unsafe { core::slice::from_raw_parts(self.fields, self.n_fields as usize) }
    }
}

/// The launch facts given in the attribute.
#[derive(Clone, Copy)]
pub struct Facts {
    pub flags: u32,
    pub block: [u32; 3],
    pub max_block: u32,
    pub min_blocks: u32,
    pub cluster: [u32; 3],
    pub dyn_shared: u64,
    pub dyn_shared_align: u32,
}

pub const NO_FACTS: Facts = Facts {
    flags: 0,
    block: [0; 3],
    max_block: 0,
    min_blocks: 0,
    cluster: [0; 3],
    dyn_shared: 0,
    dyn_shared_align: 0,
};

/// The kernel descriptor, protocol version 1.
#[repr(C)]
pub struct Kernel {
    pub magic: u64,
    pub protocol: u32,
    pub flags: u32,
    pub block: [u32; 3],
    pub max_block: u32,
    pub min_blocks: u32,
    pub cluster: [u32; 3],
    pub dyn_shared: u64,
    pub dyn_shared_align: u32,
    n_params: u32,
    pub entry: *const (),
    pub name: Str,
    pub path: Str,
    params: *const Param,
}

// SAFETY: points to immutable statics and a function only.
unsafe impl Sync for Kernel {}

const _: () = {
    assert!(size_of::<Str>() == 16);
    assert!(size_of::<Field>() == 40);
    assert!(size_of::<Param>() == 48);
    assert!(size_of::<Kernel>() == 112);
    assert!(core::mem::offset_of!(Kernel, block) == 16);
    assert!(core::mem::offset_of!(Kernel, dyn_shared) == 48);
    assert!(core::mem::offset_of!(Kernel, entry) == 64);
    assert!(core::mem::offset_of!(Kernel, params) == 104);
};

impl Kernel {
    pub const fn new(
        facts: Facts,
        entry: *const (),
        name: &'static str,
        path: &'static str,
        params: &'static [Param],
    ) -> Kernel {
        check_facts(&facts);
        check_params(params);
        Kernel {
            magic: MAGIC,
            protocol: PROTOCOL,
            flags: facts.flags,
            block: facts.block,
            max_block: facts.max_block,
            min_blocks: facts.min_blocks,
            cluster: facts.cluster,
            dyn_shared: facts.dyn_shared,
            dyn_shared_align: facts.dyn_shared_align,
            n_params: params.len() as u32,
            entry,
            name: Str::new(name),
            path: Str::new(path),
            params: params.as_ptr(),
        }
    }
    pub const fn params(&self) -> &'static [Param] {
        // SAFETY: only made by `new`.
        unsafe { core::slice::from_raw_parts(self.params, self.n_params as usize) }
    }
}

pub const fn check_facts(f: &Facts) {
    let threads = f.block[0] as u64 * f.block[1] as u64 * f.block[2] as u64;
    if f.flags & FLAG_BLOCK != 0 {
        assert!(threads > 0, "block: every extent must be at least 1 [MD0628]");
        assert!(threads <= 1024, "block: at most 1024 threads [MD0628]");
        assert!(f.block[2] <= 64, "block: the z extent is at most 64 [MD0628]");
    }
    if f.flags & FLAG_MAX_BLOCK != 0 {
        assert!(f.max_block >= 1 && f.max_block <= 1024, "max_block must be 1 to 1024 [MD0628]");
        assert!(threads <= f.max_block as u64, "block has more threads than max_block [MD0628]");
    }
    if f.flags & FLAG_MIN_BLOCKS != 0 {
        assert!(f.min_blocks >= 1 && f.min_blocks <= 32, "min_blocks must be 1 to 32 [MD0628]");
    }
    if f.flags & FLAG_CLUSTER != 0 {
        let n = f.cluster[0] as u64 * f.cluster[1] as u64 * f.cluster[2] as u64;
        assert!(n >= 1 && n <= 16, "cluster must have 1 to 16 blocks [MD0628]");
    }
    if f.flags & FLAG_DYNAMIC_SHARED != 0 {
        assert!(f.dyn_shared <= 227 * 1024, "dynamic_shared: at most 232448 bytes [MD0628]");
        assert!(
            f.dyn_shared_align.is_power_of_two() && f.dyn_shared_align <= 1024,
            "dynamic_shared_align must be a power of two of at most 1024 [MD0628]"
        );
    }
}

/// The most that all parameters together may take.
pub const MAX_PARAM_BYTES: u64 = 32764;

const fn check_params(params: &[Param]) {
    let mut end = 0u64;
    let mut i = 0;
    while i < params.len() {
        let p = &params[i];
        end = end.next_multiple_of(p.align) + p.size;
        i += 1;
    }
    assert!(end <= MAX_PARAM_BYTES, "the kernel's parameters take more than 32764 bytes [MD0625]");
}

#[inline(always)]
pub fn assert_failed(msg: &'static str, file: &'static str, line: u32, func: &'static str) -> ! {
    // SAFETY: the macro ends each text with a zero byte.
    unsafe { crate::sys::assert_fail(msg.as_ptr(), file.as_ptr(), line, func.as_ptr()) }
}

/// Prints; `args` is the packed argument area.
#[inline(always)]
pub fn print<A>(fmt: &'static str, args: &A) -> i32 {
    // SAFETY: the macro ends the text with a zero byte and packs as the format asks.
    unsafe {
        crate::sys::printf(fmt.as_ptr(), (args as *const A).cast::<u8>(), size_of::<A>() as u32)
    }
}

#[inline(always)]
pub fn print_plain(fmt: &'static str) -> i32 {
    // SAFETY: as above, and there is nothing to read.
    unsafe { crate::sys::printf(fmt.as_ptr(), core::ptr::null(), 0) }
}

/// The argument area of `printf!` with a given number of arguments.
macro_rules! argument_areas {
    ($($name:ident $($t:ident)+;)*) => {$(
        #[repr(C)]
        pub struct $name<$($t),+>($(pub $t),+);
    )*};
}
argument_areas! {
    Args1 A;
    Args2 A B;
    Args3 A B C;
    Args4 A B C D;
    Args5 A B C D E;
    Args6 A B C D E F;
    Args7 A B C D E F G;
    Args8 A B C D E F G H;
    Args9 A B C D E F G H I;
    Args10 A B C D E F G H I J;
    Args11 A B C D E F G H I J K;
    Args12 A B C D E F G H I J K L;
    Args13 A B C D E F G H I J K L M;
    Args14 A B C D E F G H I J K L M N;
    Args15 A B C D E F G H I J K L M N O;
    Args16 A B C D E F G H I J K L M N O P;
}

/// An argument of `%d`, `%u`, `%x`, `%c`: what C's variable arguments make of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed with a 32-bit integer conversion [MD0630]",
    note = "use `%ld`, `%lu`, `%lx` for 64-bit integers, `%f` for floats, `%p` for pointers, `%s` for text"
)]
pub trait PrintInt32: Copy {
    fn promote(self) -> u32;
}
/// An argument of `%ld`, `%lu`, `%lx`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed with a 64-bit integer conversion [MD0630]",
    note = "use `%d`, `%u`, `%x` for integers of up to 32 bits, `%f` for floats"
)]
pub trait PrintInt64: Copy {
    fn promote(self) -> u64;
}
macro_rules! print_int {
    ($tr:ident $o:ty: $($t:ty),*) => {$(
        impl $tr for $t {
            #[inline(always)]
            fn promote(self) -> $o { self as $o }
        }
    )*};
}
print_int!(PrintInt32 u32: i8, i16, i32, u8, u16, u32, bool, char);
print_int!(PrintInt64 u64: i64, u64, isize, usize);

#[inline(always)]
pub fn print_int32<T: PrintInt32>(v: T) -> u32 {
    v.promote()
}
#[inline(always)]
pub fn print_int64<T: PrintInt64>(v: T) -> u64 {
    v.promote()
}

/// An argument of `%f`, `%e`, `%g`, `%a`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed with a floating-point conversion [MD0630]",
    note = "use `%d` or `%u` for integers"
)]
pub trait PrintFloat: Copy {
    fn promote(self) -> f64;
}
impl PrintFloat for f32 {
    #[inline(always)]
    fn promote(self) -> f64 {
        self as f64
    }
}
impl PrintFloat for f64 {
    #[inline(always)]
    fn promote(self) -> f64 {
        self
    }
}
impl PrintFloat for crate::F16 {
    #[inline(always)]
    fn promote(self) -> f64 {
        self.to_f32() as f64
    }
}

/// An argument of `%p`.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be printed with `%p` [MD0630]")]
pub trait PrintPtr: Copy {
    fn promote(self) -> u64;
}
impl<T> PrintPtr for *const T {
    #[inline(always)]
    fn promote(self) -> u64 {
        self as u64
    }
}
impl<T> PrintPtr for *mut T {
    #[inline(always)]
    fn promote(self) -> u64 {
        self as u64
    }
}
impl<T> PrintPtr for &T {
    #[inline(always)]
    fn promote(self) -> u64 {
        self as *const T as u64
    }
}

/// An argument of `%s`: text that ends with a zero byte.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be printed with `%s` [MD0630]",
    note = "pass a C string literal, `c\"text\"`, or a pointer to bytes that end with zero"
)]
pub trait PrintText: Copy {
    fn promote(self) -> u64;
}
impl PrintText for *const u8 {
    #[inline(always)]
    fn promote(self) -> u64 {
        self as u64
    }
}
impl PrintText for *const i8 {
    #[inline(always)]
    fn promote(self) -> u64 {
        self as u64
    }
}
impl PrintText for &core::ffi::CStr {
    #[inline(always)]
    fn promote(self) -> u64 {
        self.as_ptr() as u64
    }
}

/// Whether models stand in for native algorithms: everywhere but on a GPU.
#[inline(always)]
pub fn emulated() -> bool {
    // SAFETY: a constant of the target.
    unsafe { crate::sys::emulated() }
}

/// What a registration function without a model does on the host.
#[cfg(not(mirdc_device))]
pub fn native_on_host(entry: &str) -> ! {
    panic!("`{entry}` is native code for GPUs and has no model for the host")
}

#[cold]
pub fn no_host_body() -> ! {
    panic!("inline PTX has no host body; give it one with `host {{ … }}`")
}

/// Chooses between the two bodies that the `ptx!` macro makes.
#[cfg(mirdc_device)]
#[macro_export]
#[doc(hidden)]
macro_rules! __mirdc_device_or_host {
    ({ $($device:tt)* } { $($host:tt)* }) => { $($device)* };
}
#[cfg(not(mirdc_device))]
#[macro_export]
#[doc(hidden)]
macro_rules! __mirdc_device_or_host {
    ({ $($device:tt)* } { $($host:tt)* }) => { $($host)* };
}
