//! The closed list of device operations.
//!
//! Built for the device (`--cfg mirdc_device`) each entry is a call of an external function that
//! the compiler knows by name. Built for the host it has a body of its own, so that kernels and
//! their helpers can be tested with plain `cargo test`. One table makes both.

#[cfg(not(mirdc_device))]
use crate::host::sim;

/// `fn name = symbol(args) -> result { host body }`
macro_rules! device_ops {
    ($( fn $name:ident = $sym:ident($($a:ident: $t:ty),* $(,)?) $(-> $r:ty)? $host:block )*) => {
        #[cfg(mirdc_device)]
        pub mod raw {
            #[allow(improper_ctypes)]
            unsafe extern "C" {
                $( pub fn $sym($($a: $t),*) $(-> $r)?; )*
            }
        }
        $(
            #[inline(always)]
            #[allow(unreachable_code, clippy::missing_safety_doc, clippy::too_many_arguments)]
            pub unsafe fn $name($($a: $t),*) $(-> $r)? {
                #[cfg(mirdc_device)]
                return unsafe { raw::$sym($($a),*) };
                #[cfg(not(mirdc_device))]
                $host
            }
        )*
    };
}

device_ops! {
    fn tid_x = __mirdc_tid_x() -> u32 { sim::thread(0) }
    fn tid_y = __mirdc_tid_y() -> u32 { sim::thread(1) }
    fn tid_z = __mirdc_tid_z() -> u32 { sim::thread(2) }
    fn ntid_x = __mirdc_ntid_x() -> u32 { sim::block_size(0) }
    fn ntid_y = __mirdc_ntid_y() -> u32 { sim::block_size(1) }
    fn ntid_z = __mirdc_ntid_z() -> u32 { sim::block_size(2) }
    fn ctaid_x = __mirdc_ctaid_x() -> u32 { sim::block(0) }
    fn ctaid_y = __mirdc_ctaid_y() -> u32 { sim::block(1) }
    fn ctaid_z = __mirdc_ctaid_z() -> u32 { sim::block(2) }
    fn nctaid_x = __mirdc_nctaid_x() -> u32 { sim::grid_size(0) }
    fn nctaid_y = __mirdc_nctaid_y() -> u32 { sim::grid_size(1) }
    fn nctaid_z = __mirdc_nctaid_z() -> u32 { sim::grid_size(2) }
    fn laneid = __mirdc_laneid() -> u32 { sim::lane() }
    fn warpid = __mirdc_warpid() -> u32 { sim::warp() }
    fn smid = __mirdc_smid() -> u32 { 0 }
    fn clock64 = __mirdc_clock64() -> u64 { sim::nanos() }
    fn globaltimer = __mirdc_globaltimer() -> u64 { sim::nanos() }
    fn nanosleep = __mirdc_nanosleep(ns: u32) { sim::sleep(ns) }

    fn barrier = __mirdc_barrier() { sim::barrier(false); }
    fn barrier_count = __mirdc_barrier_count(p: bool) -> u32 { sim::barrier(p) }
    fn barrier_and = __mirdc_barrier_and(p: bool) -> bool { sim::barrier(!p) == 0 }
    fn barrier_or = __mirdc_barrier_or(p: bool) -> bool { sim::barrier(p) != 0 }
    fn syncwarp = __mirdc_syncwarp(mask: u32) { sim::exchange(mask, 0); }

    fn shfl_idx_u32 = __mirdc_shfl_idx_u32(mask: u32, v: u32, lane: u32, width: u32) -> u32 {
        sim::shuffle(mask, v, width, |own, base, _| { let _ = own; base + (lane & (width - 1)) })
    }
    fn shfl_up_u32 = __mirdc_shfl_up_u32(mask: u32, v: u32, delta: u32, width: u32) -> u32 {
        // The hardware looks at five bits.
        let delta = delta & 31;
        sim::shuffle(mask, v, width, |own, base, _| {
            if delta <= own - base { own - delta } else { own }
        })
    }
    fn shfl_down_u32 = __mirdc_shfl_down_u32(mask: u32, v: u32, delta: u32, width: u32) -> u32 {
        let delta = delta & 31;
        sim::shuffle(mask, v, width, |own, _, last| {
            if delta <= last - own { own + delta } else { own }
        })
    }
    fn shfl_bfly_u32 = __mirdc_shfl_bfly_u32(mask: u32, v: u32, lanes: u32, width: u32) -> u32 {
        let lanes = lanes & 31;
        sim::shuffle(mask, v, width, |own, _, last| {
            if own ^ lanes <= last { own ^ lanes } else { own }
        })
    }
    fn vote_all = __mirdc_vote_all(mask: u32, p: bool) -> bool { sim::ballot(mask, !p) == 0 }
    fn vote_any = __mirdc_vote_any(mask: u32, p: bool) -> bool { sim::ballot(mask, p) != 0 }
    fn vote_uni = __mirdc_vote_uni(mask: u32, p: bool) -> bool {
        let b = sim::ballot(mask, p);
        b == 0 || b == mask
    }
    fn vote_ballot = __mirdc_vote_ballot(mask: u32, p: bool) -> u32 { sim::ballot(mask, p) }
    fn activemask = __mirdc_activemask() -> u32 { sim::active() }
    fn match_any_u32 = __mirdc_match_any_u32(mask: u32, v: u32) -> u32 {
        sim::match_any(mask, v as u64)
    }
    fn match_any_u64 = __mirdc_match_any_u64(mask: u32, v: u64) -> u32 { sim::match_any(mask, v) }
    fn match_all_u32 = __mirdc_match_all_u32(mask: u32, v: u32, pred: *mut u32) -> u32 {
        let m = sim::match_any(mask, v as u64);
        unsafe { *pred = (m == mask) as u32 };
        if m == mask { m } else { 0 }
    }
    fn match_all_u64 = __mirdc_match_all_u64(mask: u32, v: u64, pred: *mut u32) -> u32 {
        let m = sim::match_any(mask, v);
        unsafe { *pred = (m == mask) as u32 };
        if m == mask { m } else { 0 }
    }
    fn redux_add_u32 = __mirdc_redux_add_u32(mask: u32, v: u32) -> u32 {
        sim::reduce(mask, v, u32::wrapping_add)
    }
    fn redux_min_u32 = __mirdc_redux_min_u32(mask: u32, v: u32) -> u32 {
        sim::reduce(mask, v, |a, b| a.min(b))
    }
    fn redux_max_u32 = __mirdc_redux_max_u32(mask: u32, v: u32) -> u32 {
        sim::reduce(mask, v, |a, b| a.max(b))
    }
    fn redux_and_u32 = __mirdc_redux_and_u32(mask: u32, v: u32) -> u32 {
        sim::reduce(mask, v, |a, b| a & b)
    }
    fn redux_or_u32 = __mirdc_redux_or_u32(mask: u32, v: u32) -> u32 {
        sim::reduce(mask, v, |a, b| a | b)
    }
    fn redux_xor_u32 = __mirdc_redux_xor_u32(mask: u32, v: u32) -> u32 {
        sim::reduce(mask, v, |a, b| a ^ b)
    }
    fn redux_min_i32 = __mirdc_redux_min_i32(mask: u32, v: i32) -> i32 {
        sim::reduce(mask, v as u32, |a, b| (a as i32).min(b as i32) as u32) as i32
    }
    fn redux_max_i32 = __mirdc_redux_max_i32(mask: u32, v: i32) -> i32 {
        sim::reduce(mask, v as u32, |a, b| (a as i32).max(b as i32) as u32) as i32
    }

    fn fence = __mirdc_fence(order: u32, scope: u32) { let _ = scope; sim::fence(order) }

    fn dyn_shared = __mirdc_dyn_shared() -> *mut u8 { sim::dynamic_shared().0 }
    fn dyn_shared_size = __mirdc_dyn_shared_size() -> u32 { sim::dynamic_shared().1 }

    fn ldg_u8 = __mirdc_ldg_u8(p: *const u8) -> u8 { unsafe { *p } }
    fn ldg_u16 = __mirdc_ldg_u16(p: *const u16) -> u16 { unsafe { *p } }
    fn ldg_u32 = __mirdc_ldg_u32(p: *const u32) -> u32 { unsafe { *p } }
    fn ldg_u64 = __mirdc_ldg_u64(p: *const u64) -> u64 { unsafe { *p } }

    fn printf = __mirdc_printf(fmt: *const u8, args: *const u8, n_bytes: u32) -> i32 {
        unsafe { crate::host::print::printf(fmt, args, n_bytes) }
    }
    fn assert_fail = __mirdc_assert_fail(
        msg: *const u8, file: *const u8, line: u32, func: *const u8,
    ) -> ! { unsafe { crate::host::print::assert_fail(msg, file, line, func) } }
    fn converged_begin = __mirdc_converged_begin() {}
    fn converged_end = __mirdc_converged_end() {}
    fn emulated = __mirdc_emulated() -> bool { true }
    fn trap = __mirdc_trap() -> ! { panic!("device trap") }
    fn breakpoint = __mirdc_breakpoint() {}
    fn exit = __mirdc_exit() -> ! { sim::exit_thread() }
}

/// The same for one-argument and two-argument float functions.
macro_rules! float_ops {
    ($( $name:ident $f32:ident = $sym32:ident, $f64:ident = $sym64:ident ($($a:ident),+) )*) => {
        $( device_ops_float!($f32, $sym32, f32, $name, $($a),+);
           device_ops_float!($f64, $sym64, f64, $name, $($a),+); )*
    };
}
macro_rules! device_ops_float {
    ($fn:ident, $sym:ident, $t:ident, $host:ident, $($a:ident),+) => {
        #[inline(always)]
        pub fn $fn($($a: $t),+) -> $t {
            #[cfg(mirdc_device)]
            {
                unsafe extern "C" { fn $sym($($a: $t),+) -> $t; }
                // SAFETY: a pure function of its arguments.
                return unsafe { $sym($($a),+) };
            }
            #[cfg(not(mirdc_device))]
            crate::host::float::$t::$host($($a),+)
        }
    };
}

float_ops! {
    sin sin_f32 = __mirdc_sin_f32, sin_f64 = __mirdc_sin_f64(x)
    cos cos_f32 = __mirdc_cos_f32, cos_f64 = __mirdc_cos_f64(x)
    tan tan_f32 = __mirdc_tan_f32, tan_f64 = __mirdc_tan_f64(x)
    asin asin_f32 = __mirdc_asin_f32, asin_f64 = __mirdc_asin_f64(x)
    acos acos_f32 = __mirdc_acos_f32, acos_f64 = __mirdc_acos_f64(x)
    atan atan_f32 = __mirdc_atan_f32, atan_f64 = __mirdc_atan_f64(x)
    sinh sinh_f32 = __mirdc_sinh_f32, sinh_f64 = __mirdc_sinh_f64(x)
    cosh cosh_f32 = __mirdc_cosh_f32, cosh_f64 = __mirdc_cosh_f64(x)
    tanh tanh_f32 = __mirdc_tanh_f32, tanh_f64 = __mirdc_tanh_f64(x)
    asinh asinh_f32 = __mirdc_asinh_f32, asinh_f64 = __mirdc_asinh_f64(x)
    acosh acosh_f32 = __mirdc_acosh_f32, acosh_f64 = __mirdc_acosh_f64(x)
    atanh atanh_f32 = __mirdc_atanh_f32, atanh_f64 = __mirdc_atanh_f64(x)
    exp exp_f32 = __mirdc_exp_f32, exp_f64 = __mirdc_exp_f64(x)
    exp2 exp2_f32 = __mirdc_exp2_f32, exp2_f64 = __mirdc_exp2_f64(x)
    exp10 exp10_f32 = __mirdc_exp10_f32, exp10_f64 = __mirdc_exp10_f64(x)
    expm1 expm1_f32 = __mirdc_expm1_f32, expm1_f64 = __mirdc_expm1_f64(x)
    log log_f32 = __mirdc_log_f32, log_f64 = __mirdc_log_f64(x)
    log2 log2_f32 = __mirdc_log2_f32, log2_f64 = __mirdc_log2_f64(x)
    log10 log10_f32 = __mirdc_log10_f32, log10_f64 = __mirdc_log10_f64(x)
    log1p log1p_f32 = __mirdc_log1p_f32, log1p_f64 = __mirdc_log1p_f64(x)
    cbrt cbrt_f32 = __mirdc_cbrt_f32, cbrt_f64 = __mirdc_cbrt_f64(x)
    rsqrt rsqrt_f32 = __mirdc_rsqrt_f32, rsqrt_f64 = __mirdc_rsqrt_f64(x)
    erf erf_f32 = __mirdc_erf_f32, erf_f64 = __mirdc_erf_f64(x)
    erfc erfc_f32 = __mirdc_erfc_f32, erfc_f64 = __mirdc_erfc_f64(x)
    tgamma tgamma_f32 = __mirdc_tgamma_f32, tgamma_f64 = __mirdc_tgamma_f64(x)
    lgamma lgamma_f32 = __mirdc_lgamma_f32, lgamma_f64 = __mirdc_lgamma_f64(x)
    floor floor_f32 = __mirdc_floor_f32, floor_f64 = __mirdc_floor_f64(x)
    ceil ceil_f32 = __mirdc_ceil_f32, ceil_f64 = __mirdc_ceil_f64(x)
    trunc trunc_f32 = __mirdc_trunc_f32, trunc_f64 = __mirdc_trunc_f64(x)
    round round_f32 = __mirdc_round_f32, round_f64 = __mirdc_round_f64(x)
    rint rint_f32 = __mirdc_rint_f32, rint_f64 = __mirdc_rint_f64(x)
    fabs fabs_f32 = __mirdc_fabs_f32, fabs_f64 = __mirdc_fabs_f64(x)
    sqrt sqrt_f32 = __mirdc_sqrt_f32, sqrt_f64 = __mirdc_sqrt_f64(x)
    pow pow_f32 = __mirdc_pow_f32, pow_f64 = __mirdc_pow_f64(x, y)
    atan2 atan2_f32 = __mirdc_atan2_f32, atan2_f64 = __mirdc_atan2_f64(y, x)
    hypot hypot_f32 = __mirdc_hypot_f32, hypot_f64 = __mirdc_hypot_f64(x, y)
    fmod fmod_f32 = __mirdc_fmod_f32, fmod_f64 = __mirdc_fmod_f64(x, y)
    copysign copysign_f32 = __mirdc_copysign_f32, copysign_f64 = __mirdc_copysign_f64(x, y)
    fmin fmin_f32 = __mirdc_fmin_f32, fmin_f64 = __mirdc_fmin_f64(x, y)
    fmax fmax_f32 = __mirdc_fmax_f32, fmax_f64 = __mirdc_fmax_f64(x, y)
    fdim fdim_f32 = __mirdc_fdim_f32, fdim_f64 = __mirdc_fdim_f64(x, y)
    fma fma_f32 = __mirdc_fma_f32, fma_f64 = __mirdc_fma_f64(x, y, z)
}

/// Functions that trade accuracy for speed; the host computes them exactly.
macro_rules! fast_ops {
    ($( fn $name:ident = $sym:ident($($a:ident),+) = $host:expr; )*) => {$(
        #[inline(always)]
        pub fn $name($($a: f32),+) -> f32 {
            #[cfg(mirdc_device)]
            {
                unsafe extern "C" { fn $sym($($a: f32),+) -> f32; }
                // SAFETY: a pure function of its arguments.
                return unsafe { $sym($($a),+) };
            }
            #[cfg(not(mirdc_device))]
            $host
        }
    )*};
}
fast_ops! {
    fn fast_sin = __mirdc_fast_sin_f32(x) = x.sin();
    fn fast_cos = __mirdc_fast_cos_f32(x) = x.cos();
    fn fast_tan = __mirdc_fast_tan_f32(x) = x.tan();
    fn fast_exp = __mirdc_fast_exp_f32(x) = x.exp();
    fn fast_exp2 = __mirdc_fast_ex2_f32(x) = x.exp2();
    fn fast_exp10 = __mirdc_fast_exp10_f32(x) = 10f32.powf(x);
    fn fast_log = __mirdc_fast_log_f32(x) = x.ln();
    fn fast_log2 = __mirdc_fast_log2_f32(x) = x.log2();
    fn fast_log10 = __mirdc_fast_log10_f32(x) = x.log10();
    fn fast_pow = __mirdc_fast_pow_f32(x, y) = x.powf(y);
    fn fast_div = __mirdc_fast_div_f32(x, y) = x / y;
    fn fast_rcp = __mirdc_fast_rcp_f32(x) = 1.0 / x;
}
