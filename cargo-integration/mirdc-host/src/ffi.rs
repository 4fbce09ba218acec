//! The C interface of libmirdc, as in bundles/mirdc.h.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int, c_void};

#[repr(C)]
pub struct mirdc_error {
    pub status: c_int,
    pub cuda: c_int,
    pub code: [c_char; 8],
    pub text: [c_char; 1012],
}

/// Declares types that exist only behind pointers.
macro_rules! opaque {
    ($($t:ident),*) => {$( #[repr(C)] pub struct $t { _private: [u8; 0] } )*};
}
opaque!(mirdc_bundle, mirdc_module, mirdc_kernel);

#[repr(C)]
pub struct mirdc_kernel_info {
    pub name: *const c_char,
    pub path: *const c_char,
    pub n_params: usize,
    pub param_bytes: u64,
    pub facts: u32,
    pub block: [u32; 3],
    pub max_block: u32,
    pub min_blocks: u32,
    pub cluster: [u32; 3],
    pub dyn_shared: u64,
    pub dyn_shared_align: u32,
}

#[repr(C)]
pub struct mirdc_param_info {
    pub name: *const c_char,
    pub label: *const c_char,
    pub kind: c_int,
    pub size: u64,
    pub align: u64,
    pub offset: u64,
    pub n_fields: usize,
}

unsafe extern "C" {
    pub fn mirdc_version() -> *const c_char;
    pub fn mirdc_open_file(
        path: *const c_char,
        out: *mut *mut mirdc_bundle,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_open_memory(
        bytes: *const c_void,
        n: usize,
        out: *mut *mut mirdc_bundle,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_open_self(out: *mut *mut mirdc_bundle, err: *mut mirdc_error) -> c_int;
    pub fn mirdc_close(b: *mut mirdc_bundle);
    #[cfg(feature = "emulator")]
    pub fn mirdc_dump(
        b: *const mirdc_bundle,
        to: *mut c_void,
        room: usize,
        size: *mut usize,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_check(b: *const mirdc_bundle, err: *mut mirdc_error) -> c_int;
    pub fn mirdc_kernel_count(b: *const mirdc_bundle) -> usize;
    pub fn mirdc_kernel_at(b: *const mirdc_bundle, i: usize, out: *mut mirdc_kernel_info) -> c_int;
    pub fn mirdc_param_at(
        b: *const mirdc_bundle,
        kernel: *const c_char,
        i: usize,
        out: *mut mirdc_param_info,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_compare_descriptor(
        b: *const mirdc_bundle,
        descriptor: *const c_void,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_load(
        b: *const mirdc_bundle,
        device: c_int,
        out: *mut *mut mirdc_module,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_unload(m: *mut mirdc_module);
    pub fn mirdc_get_kernel(
        m: *mut mirdc_module,
        name: *const c_char,
        out: *mut *const mirdc_kernel,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_launch(
        k: *const mirdc_kernel,
        grid: *const u32,
        block: *const u32,
        dyn_shared: u64,
        stream: *mut c_void,
        args: *const *const c_void,
        sizes: *const usize,
        n: usize,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_sync(m: *mut mirdc_module, err: *mut mirdc_error) -> c_int;
    pub fn mirdc_set_global(
        m: *mut mirdc_module,
        name: *const c_char,
        offset: u64,
        bytes: *const c_void,
        n: usize,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_get_global(
        m: *mut mirdc_module,
        name: *const c_char,
        offset: u64,
        bytes: *mut c_void,
        n: usize,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_alloc(
        m: *mut mirdc_module,
        n: usize,
        out: *mut u64,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_free(m: *mut mirdc_module, p: u64, err: *mut mirdc_error) -> c_int;
    pub fn mirdc_upload(
        m: *mut mirdc_module,
        to: u64,
        from: *const c_void,
        n: usize,
        err: *mut mirdc_error,
    ) -> c_int;
    pub fn mirdc_download(
        m: *mut mirdc_module,
        to: *mut c_void,
        from: u64,
        n: usize,
        err: *mut mirdc_error,
    ) -> c_int;
}
