//! The macros of the mirdc device crate. Use them through the `mirdc` crate.

extern crate proc_macro;

mod args;
mod derive;
mod kernel;
mod launch;
mod lex;
mod printf;
mod ptx;
mod register;
mod shared;
mod signature;

use proc_macro::TokenStream;

/// Marks a function as a kernel that the host can launch.
///
/// | argument | meaning |
/// |---|---|
/// | `block = N`, `block = (x, y, z)` | the launch must use exactly this block |
/// | `max_block = N` | the launch may use at most this many threads a block |
/// | `min_blocks = N` | keep registers low enough for this many blocks on a multiprocessor |
/// | `cluster = N`, `cluster = (x, y, z)` | blocks of a cluster |
/// | `dynamic_shared = BYTES` | the launch must use exactly this much dynamic shared memory |
/// | `dynamic_shared_align = N` | its alignment (16) |
/// | `instances(f32, name = <f64, 4>)` | instances of a generic kernel, beside those that launches ask for |
/// | `crate = path` | where the `mirdc` crate is found, if not at `::mirdc` |
///
/// The function stays as it is and can be called on the host too, where it runs in the simulator.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(args, item, kernel::Role::Kernel)
}

/// Exports an `extern "C"` function to other device code, such as CUDA C++, under its own name.
#[proc_macro_attribute]
pub fn device_export(args: TokenStream, item: TokenStream) -> TokenStream {
    kernel::expand(args, item, kernel::Role::Export)
}

/// Declares a registration function: a Rust function, generic over a callback, whose body is native
/// C++ of a provider.
///
/// ```ignore
/// #[mirdc::register(provider = "cub", entry = "block_reduce")]
/// pub fn block_reduce<T: Copy, const BLOCK: u32, F: Fn(T, T) -> T>(value: T, op: F) -> Option<T>;
/// ```
///
/// The function has no body. Its generic parameters are given to the entry by their names; a type
/// parameter with a bound `Fn(…) -> …` is a callback. A result `Option<T>` is an entry that returns
/// `bool` and stores the value through one more argument. On the host the function panics.
#[proc_macro_attribute]
pub fn register(args: TokenStream, item: TokenStream) -> TokenStream {
    register::expand(args, item)
}

/// Lets a struct, or an enum without destructor, be a kernel parameter passed by value.
#[proc_macro_derive(KernelArg)]
pub fn derive_kernel_arg(item: TokenStream) -> TokenStream {
    derive::kernel_arg(item)
}

/// Lets a struct live in memory that several threads write.
#[proc_macro_derive(Plain)]
pub fn derive_plain(item: TokenStream) -> TokenStream {
    derive::plain(item)
}

/// The descriptor of a kernel, for host code: `kernel_of!(path::to::kernel)` is a
/// `&'static mirdc::rt::Kernel`.
#[proc_macro]
pub fn kernel_of(input: TokenStream) -> TokenStream {
    kernel::kernel_of(input)
}

/// Launches a kernel with typed arguments: `launch!(MODULE, GRID, BLOCK, path::kernel(ARGUMENTS))`.
///
/// Arguments stand in the order of the kernel's parameters: device memory (`&x`, `&mut y` of a
/// `mirdc::DeviceSlice`, such as mirdc-host's `DeviceVec`) for `&[T]`, `PerThread<T>`
/// and `Buffer<T>`, `(&mut y, width)` for `PerThread2d<T>`, values for everything else. A generic
/// kernel is compiled for the types of each launch; `path::kernel::<f32, _>(…)` gives them by hand. The
/// path goes through the kernel's module (`shapes::map`, not `map` after `use shapes::map`).
/// Bytes of dynamic shared memory may stand before the kernel. Expands to the unsafe call
/// `MODULE.launch_prepared(GRID, BLOCK, Option<BYTES>, &rt::Launch)`.
#[proc_macro]
pub fn launch(input: TokenStream) -> TokenStream {
    launch::expand(input)
}

/// Prints from a kernel, with C's conversions: `printf!("%d: %f\n", i, x)`. Conversions and
/// arguments are checked against each other at compile time.
#[proc_macro]
pub fn printf(input: TokenStream) -> TokenStream {
    printf::expand(input)
}

/// Inline PTX: `ptx!("add.u32 {0}, {1}, {2};", out(u32) r, in(u32) a, in(u32) b)`.
///
/// Operands are `in(TYPE) value`, `out(TYPE) place`, `inout(TYPE) place`, numbered from 0. Types:
/// 16-, 32- and 64-bit integers, floats, raw pointers as `u64`. `options(pure)` promises that the
/// text only computes its outputs from its inputs; otherwise it may do anything. A block
/// `host { … }` at the end is what runs on the host instead; without it the host panics.
/// Literal braces are doubled.
#[proc_macro]
pub fn ptx(input: TokenStream) -> TokenStream {
    ptx::expand(input)
}

/// Declares an array in the block's shared memory and yields a reference to it:
/// `shared![f32; 256]` is a `&'static mirdc::Shared<f32, 256>`.
///
/// Every thread of a block that runs the line gets the same array; it starts uninitialised.
#[proc_macro]
pub fn shared(input: TokenStream) -> TokenStream {
    shared::expand(input)
}
