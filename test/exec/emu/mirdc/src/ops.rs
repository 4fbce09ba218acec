//! Device operations as the device crate has them; places in files of this path are the library's, and
//! messages name who called.
macro_rules! ops { ($($name:ident = $sym:ident($($a:ident: $t:ty),*) $(-> $r:ty)?;)*) => {
    $(#[inline(always)]
    pub unsafe fn $name($($a: $t),*) $(-> $r)? {
        unsafe extern "C" { fn $sym($($a: $t),*) $(-> $r)?; }
        unsafe { $sym($($a),*) }
    })*
}}
ops! {
    tid_x = __mirdc_tid_x() -> u32; tid_y = __mirdc_tid_y() -> u32; tid_z = __mirdc_tid_z() -> u32;
    ntid_x = __mirdc_ntid_x() -> u32; ntid_y = __mirdc_ntid_y() -> u32; ntid_z = __mirdc_ntid_z() -> u32;
    ctaid_x = __mirdc_ctaid_x() -> u32; ctaid_y = __mirdc_ctaid_y() -> u32; ctaid_z = __mirdc_ctaid_z() -> u32;
    nctaid_x = __mirdc_nctaid_x() -> u32; nctaid_y = __mirdc_nctaid_y() -> u32; nctaid_z = __mirdc_nctaid_z() -> u32;
    laneid = __mirdc_laneid() -> u32; warpid = __mirdc_warpid() -> u32; clock64 = __mirdc_clock64() -> u64;
    globaltimer = __mirdc_globaltimer() -> u64; nanosleep = __mirdc_nanosleep(ns: u32); smid = __mirdc_smid() -> u32;
    breakpoint = __mirdc_breakpoint();
    barrier = __mirdc_barrier(); barrier_count = __mirdc_barrier_count(p: bool) -> u32;
    barrier_and = __mirdc_barrier_and(p: bool) -> bool; barrier_or = __mirdc_barrier_or(p: bool) -> bool;
    syncwarp = __mirdc_syncwarp(m: u32); activemask = __mirdc_activemask() -> u32;
    shfl_idx = __mirdc_shfl_idx_u32(m: u32, v: u32, s: u32, w: u32) -> u32;
    shfl_up = __mirdc_shfl_up_u32(m: u32, v: u32, s: u32, w: u32) -> u32;
    shfl_down = __mirdc_shfl_down_u32(m: u32, v: u32, s: u32, w: u32) -> u32;
    shfl_bfly = __mirdc_shfl_bfly_u32(m: u32, v: u32, s: u32, w: u32) -> u32;
    vote_all = __mirdc_vote_all(m: u32, p: bool) -> bool; vote_any = __mirdc_vote_any(m: u32, p: bool) -> bool;
    vote_uni = __mirdc_vote_uni(m: u32, p: bool) -> bool; ballot = __mirdc_vote_ballot(m: u32, p: bool) -> u32;
    match_any = __mirdc_match_any_u32(m: u32, v: u32) -> u32;
    match_any64 = __mirdc_match_any_u64(m: u32, v: u64) -> u32;
    match_all = __mirdc_match_all_u32(m: u32, v: u32, p: *mut u32) -> u32;
    match_all64 = __mirdc_match_all_u64(m: u32, v: u64, p: *mut u32) -> u32;
    redux_add = __mirdc_redux_add_u32(m: u32, v: u32) -> u32; redux_min = __mirdc_redux_min_u32(m: u32, v: u32) -> u32;
    redux_max = __mirdc_redux_max_u32(m: u32, v: u32) -> u32; redux_and = __mirdc_redux_and_u32(m: u32, v: u32) -> u32;
    redux_or = __mirdc_redux_or_u32(m: u32, v: u32) -> u32; redux_xor = __mirdc_redux_xor_u32(m: u32, v: u32) -> u32;
    redux_smin = __mirdc_redux_min_i32(m: u32, v: u32) -> u32; redux_smax = __mirdc_redux_max_i32(m: u32, v: u32) -> u32;
    dyn_shared = __mirdc_dyn_shared() -> *mut u8; dyn_shared_size = __mirdc_dyn_shared_size() -> u32;
    ldg = __mirdc_ldg_u32(p: *const u32) -> u32;
    printf = __mirdc_printf(f: *const u8, a: *const u8, n: u32) -> i32;
    half_fma = __mirdc_f16_fma(a: u16, b: u16, c: u16) -> u16; half_of = __mirdc_f64_to_f16(a: f64) -> u16;
    half_add = __mirdc_f16_add(a: u16, b: u16) -> u16; half_to = __mirdc_f16_to_f32(a: u16) -> f32;
    rsqrt = __mirdc_rsqrt_f32(a: f32) -> f32; fast_div = __mirdc_fast_div_f32(a: f32, b: f32) -> f32;
    fast_sin = __mirdc_fast_sin_f32(a: f32) -> f32; ex2 = __mirdc_fast_ex2_f32(a: f32) -> f32;
    outside = outside_of_the_dump(a: u32) -> u32;
}
#[inline(always)]
pub unsafe fn assert_fail(text: &'static [u8]) -> ! {
    unsafe extern "C" { fn __mirdc_assert_fail(m: *const u8, f: *const u8, l: u32, n: *const u8) -> !; }
    unsafe { __mirdc_assert_fail(text.as_ptr(), c"f".as_ptr().cast(), 1, c"n".as_ptr().cast()) }
}
#[inline(always)]
pub unsafe fn leave() -> ! {
    unsafe extern "C" { fn __mirdc_exit() -> !; }
    unsafe { __mirdc_exit() }
}
