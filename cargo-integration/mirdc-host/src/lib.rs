//! Embeds, loads and launches GPU kernels compiled by mirdc.
//!
//! ```ignore
//! let bundle = mirdc_host::Bundle::from_bytes(mirdc_host::include_bundle!())?;
//! let gpu = bundle.load(0)?;
//! let x = gpu.upload(&[1.0f32, 2.0, 3.0])?;
//! let mut y = gpu.upload(&[10.0f32, 20.0, 30.0])?;
//! let saxpy = gpu.kernel("saxpy")?;
//! // SAFETY: the arguments are those of the kernel, and nothing else uses `y`.
//! unsafe { saxpy.launch(1, 256, Args::new().value(2.0f32).slice(&x).slice_mut(&mut y))? };
//! gpu.sync()?;
//! println!("{:?}", y.download()?);
//! ```
//!
//! With the feature `emulator`, `Emulator` runs the same kernels on the CPU and reports their mistakes, for
//! `cargo test` on machines without a GPU.
//!
//! Everything but [`include_bundle!`] needs the feature `link` and the library libmirdc; that opens
//! the CUDA driver only when a device is asked for, so that bundles can be listed and checked
//! anywhere.
#![deny(unsafe_op_in_unsafe_fn)]
#![warn(missing_docs)]

/// What elements in the memory of a GPU and of an emulator have in common.
#[cfg(feature = "link")]
macro_rules! elements {
    () => {
        /// Number of elements.
        #[cfg_attr(mirdc_device, inline(never))]
        pub fn len(&self) -> usize {
            self.len
        }
        /// True if there are none.
        #[cfg_attr(mirdc_device, inline(never))]
        pub fn is_empty(&self) -> bool {
            self.len == 0
        }
        /// The address, as a kernel sees it.
        #[cfg_attr(mirdc_device, inline(never))]
        pub fn address(&self) -> u64 {
            self.address
        }
    };
}
#[cfg(feature = "link")]
use elements;

#[cfg(feature = "link")]
mod api;
#[cfg(feature = "emulator")]
mod emulator;
#[cfg(feature = "link")]
mod ffi;
#[cfg(feature = "link")]
mod launch;

#[cfg(feature = "link")]
pub use api::*;
#[cfg(feature = "emulator")]
pub use emulator::*;

/// Embeds the bundle that `mirdc_build` made for this package, and gives its bytes.
///
/// It lies in the section `mirdc_bundle` of the program, where `mirdc-read` finds it and where it
/// survives link-time optimisation. It is empty when the build left device code out
/// (`MIRDC_SKIP=1`, documentation builds).
#[macro_export]
macro_rules! include_bundle {
    () => {
        $crate::include_bundle!(::core::env!(
            "MIRDC_BUNDLE",
            "no bundle: call mirdc_build::Builder::new().compile() in build.rs"
        ))
    };
    ($path:expr) => {{
        const LEN: usize = ::core::include_bytes!($path).len();
        #[repr(C, align(16))]
        struct Embedded([u8; LEN]);
        #[used]
        #[unsafe(link_section = "mirdc_bundle")]
        static EMBEDDED: Embedded = Embedded(*::core::include_bytes!($path));
        let bytes: &'static [u8] = &EMBEDDED.0;
        bytes
    }};
}
