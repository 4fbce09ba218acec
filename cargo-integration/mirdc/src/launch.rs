//! What `launch!` and the functions beside the kernels are made of.
#![allow(missing_docs)]

use core::marker::PhantomData;

/// Memory of a GPU that a launch may hand to a kernel for `&[T]`, `PerThread<T>` or `Buffer<T>`.
///
/// # Safety
/// `parts` must give the device address of that many elements, which stay valid as long as the value
/// lives.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory of a GPU",
    note = "upload the values first: `let x = module.upload(&values)?`, then pass `&x` or `&mut x`"
)]
pub unsafe trait DeviceSlice {
    /// Of the slice.
    type Elem;
    /// Address and number of elements.
    fn parts(&self) -> (u64, u64);
}

/// FNV-1a of 128 bits.
pub const fn digest(mut h: u128, bytes: &[u8]) -> u128 {
    let mut i = 0;
    while i < bytes.len() {
        h = (h ^ bytes[i] as u128).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        i += 1;
    }
    h
}
pub const DIGEST_START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;

/// rustc names every closure of a function alike, so that the place of the launch must tell them
/// apart.
const CLOSURE: &[u8] = b"{{closure}}";

pub const fn names_closure(text: &[u8]) -> bool {
    let mut i = 0;
    while i + CLOSURE.len() <= text.len() {
        let mut n = 0;
        while n < CLOSURE.len() && text[i + n] == CLOSURE[n] {
            n += 1;
        }
        if n == CLOSURE.len() {
            return true;
        }
        i += 1;
    }
    false
}

/// Text in the form of a type.
pub struct Chars<const BYTES: u128, Rest>(PhantomData<Rest>);

/// The digest of a type's name.
#[cfg(mirdc_device)]
pub struct Digest<K>(PhantomData<K>);
#[cfg(mirdc_device)]
impl<K> Digest<K> {
    const WHOLE: u128 = digest(DIGEST_START, core::any::type_name::<K>().as_bytes());
    pub const LO: u64 = Self::WHOLE as u64;
    pub const HI: u64 = (Self::WHOLE >> 64) as u64;
    pub const HAS_CLOSURE: bool = names_closure(core::any::type_name::<K>().as_bytes());
}

// Marks in the bodies that the pass reads. None of them has a body that can be seen through.
#[cfg(mirdc_device)]
unsafe extern "C" {
    pub safe fn site_never() -> bool;
    pub safe fn site_end();
}
/// Digest and launch facts are numbers one by one: so rustc prints their values.
#[cfg(mirdc_device)]
macro_rules! launch_mark {
    ($(#[$doc:meta])* $name:ident<$($p:ident),*>($($arg:ident: $ty:ty)?)) => {
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        #[cfg_attr(mirdc_device, inline(never))]
        pub fn $name<$($p),*>(
            _lo: u64,
            _hi: u64,
            _has_closure: bool,
            _flags: u32,
            _block_x: u32,
            _block_y: u32,
            _block_z: u32,
            _max_block: u32,
            _min_blocks: u32,
            _cluster_x: u32,
            _cluster_y: u32,
            _cluster_z: u32,
            _dyn_shared: u32,
            _dyn_shared_align: u32,
            $($arg: $ty)?
        ) {
            site_end()
        }
    };
}
#[cfg(mirdc_device)]
launch_mark! {
    /// The beginning of a region with a call of a generic kernel.
    site_begin<K>()
}
#[cfg(mirdc_device)]
launch_mark! {
    /// A launch of a kernel that is not generic.
    site_kernel<K, Names, F>(_kernel: F)
}
#[cfg(mirdc_device)]
#[cfg_attr(mirdc_device, inline(never))]
pub fn site_arg<T, const N: usize, Name>() -> T {
    loop {
        site_end()
    }
}
#[cfg(mirdc_device)]
#[cfg_attr(mirdc_device, inline(never))]
pub fn site_declare<K, Name>(_lo: u64, _hi: u64) {
    site_end()
}

/// A kernel's name for the loader, and the bytes of its arguments.
#[cfg(mirdc_device)]
pub struct Launch(());
#[cfg(mirdc_device)]
impl Launch {
    /// Nothing is launched where the code is only read.
    pub const fn none() -> Launch {
        Launch(())
    }
    pub fn key(&self) -> &str {
        ""
    }
    pub fn path(&self) -> Option<&'static str> {
        None
    }
    pub fn what(&self) -> &str {
        ""
    }
    pub fn values(&self) -> &[(*const u8, usize)] {
        &[]
    }
}

#[cfg(not(mirdc_device))]
pub use host::Launch;

#[cfg(not(mirdc_device))]
mod host {
    use super::{digest, names_closure, DeviceSlice, DIGEST_START};
    use core::panic::Location;
    use std::boxed::Box;
    use std::format;
    use std::string::String;
    use std::vec::Vec;

    pub struct Launch {
        key: String,
        what: String,
        path: Option<&'static str>,
        values: Vec<(*const u8, usize)>,
        // What the values point to. Words of 16 bytes are aligned for every type that a kernel takes.
        _words: Vec<Box<[u128]>>,
    }

    impl Launch {
        #[track_caller]
        pub fn new<K>(name: &str, module: &str, path: Option<&'static str>) -> Launch {
            let key = core::any::type_name::<K>();
            let at = Location::caller();
            let mut d = digest(DIGEST_START, key.as_bytes());
            if names_closure(key.as_bytes()) {
                let file = at.file().rsplit(['/', '\\']).next().unwrap_or_default();
                let place = format!("@{file}:{}:{}", at.line(), at.column());
                d = digest(d, place.as_bytes());
            }
            let types = key.split_once('<').map_or("", |(_, rest)| rest);
            let types = if types.is_empty() { String::new() } else { format!("::<{types}") };
            Launch {
                key: format!("{name}_{d:032x}"),
                what: format!("`{module}::{name}{types}`, launched at {at}"),
                path,
                values: Vec::new(),
                _words: Vec::new(),
            }
        }
        pub fn value<T>(mut self, v: T) -> Launch {
            const {
                assert!(
                    !core::mem::needs_drop::<T>(),
                    "an argument of a kernel cannot have a destructor [MD0624]"
                )
            };
            let n = size_of::<T>();
            if n != 0 {
                let mut words = std::vec![0u128; n.div_ceil(16)].into_boxed_slice();
                let to = words.as_mut_ptr().cast::<u8>();
                // SAFETY: the words have room for the value's bytes.
                unsafe { core::ptr::copy_nonoverlapping((&raw const v).cast::<u8>(), to, n) };
                self.values.push((to, n));
                self._words.push(words);
            }
            self
        }
        pub fn slice<D: DeviceSlice>(self, v: &D) -> Launch {
            let (address, len) = v.parts();
            self.value([address, len])
        }
        pub fn slice2d<D: DeviceSlice>(self, v: &D, width: usize) -> Launch {
            let (address, len) = v.parts();
            self.value([address, len, width as u64])
        }
        /// The symbol of the instance, when a launch has made it.
        pub fn key(&self) -> &str {
            &self.key
        }
        /// The Rust path of a kernel that is not generic, or an instance named in the attribute.
        pub fn path(&self) -> Option<&'static str> {
            self.path
        }
        /// What a message calls it.
        pub fn what(&self) -> &str {
            &self.what
        }
        /// Address and size of each argument.
        pub fn values(&self) -> &[(*const u8, usize)] {
            &self.values
        }
    }
}
