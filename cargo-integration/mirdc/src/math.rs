//! Float functions, as CUDA's device library has them: `math::sinf(x)`, `math::sin(x)`, or by
//! [`FloatExt`] `x.sin()`.
//!
//! In a `no_std` crate the trait supplies what `core` lacks. In a crate with `std` the inherent
//! methods of `f32` and `f64` come first and mean the same.

use crate::sys;

macro_rules! functions {
    ($( $(#[$m:meta])* $f32:ident = $op32:ident, $f64:ident = $op64:ident ($($a:ident),+); )*) => {$(
        $(#[$m])*
        #[inline(always)]
        pub fn $f32($($a: f32),+) -> f32 { sys::$op32($($a),+) }
        $(#[$m])*
        #[inline(always)]
        pub fn $f64($($a: f64),+) -> f64 { sys::$op64($($a),+) }
    )*};
}
functions! {
    /// Sine of an angle in radians.
    sinf = sin_f32, sin = sin_f64(x);
    /// Cosine of an angle in radians.
    cosf = cos_f32, cos = cos_f64(x);
    /// Tangent of an angle in radians.
    tanf = tan_f32, tan = tan_f64(x);
    /// Arc sine.
    asinf = asin_f32, asin = asin_f64(x);
    /// Arc cosine.
    acosf = acos_f32, acos = acos_f64(x);
    /// Arc tangent.
    atanf = atan_f32, atan = atan_f64(x);
    /// Angle of the point (x, y).
    atan2f = atan2_f32, atan2 = atan2_f64(y, x);
    /// Hyperbolic sine.
    sinhf = sinh_f32, sinh = sinh_f64(x);
    /// Hyperbolic cosine.
    coshf = cosh_f32, cosh = cosh_f64(x);
    /// Hyperbolic tangent.
    tanhf = tanh_f32, tanh = tanh_f64(x);
    /// Inverse hyperbolic sine.
    asinhf = asinh_f32, asinh = asinh_f64(x);
    /// Inverse hyperbolic cosine.
    acoshf = acosh_f32, acosh = acosh_f64(x);
    /// Inverse hyperbolic tangent.
    atanhf = atanh_f32, atanh = atanh_f64(x);
    /// e to the power x.
    expf = exp_f32, exp = exp_f64(x);
    /// 2 to the power x.
    exp2f = exp2_f32, exp2 = exp2_f64(x);
    /// 10 to the power x.
    exp10f = exp10_f32, exp10 = exp10_f64(x);
    /// e to the power x, less 1.
    expm1f = expm1_f32, expm1 = expm1_f64(x);
    /// Natural logarithm.
    logf = log_f32, log = log_f64(x);
    /// Logarithm to the base 2.
    log2f = log2_f32, log2 = log2_f64(x);
    /// Logarithm to the base 10.
    log10f = log10_f32, log10 = log10_f64(x);
    /// Natural logarithm of 1 + x.
    log1pf = log1p_f32, log1p = log1p_f64(x);
    /// Square root, rounded to nearest.
    sqrtf = sqrt_f32, sqrt = sqrt_f64(x);
    /// One over the square root.
    rsqrtf = rsqrt_f32, rsqrt = rsqrt_f64(x);
    /// Cube root.
    cbrtf = cbrt_f32, cbrt = cbrt_f64(x);
    /// x to the power y.
    powf = pow_f32, pow = pow_f64(x, y);
    /// Length of the vector (x, y).
    hypotf = hypot_f32, hypot = hypot_f64(x, y);
    /// Error function.
    erff = erf_f32, erf = erf_f64(x);
    /// 1 less the error function.
    erfcf = erfc_f32, erfc = erfc_f64(x);
    /// Gamma function.
    tgammaf = tgamma_f32, tgamma = tgamma_f64(x);
    /// Logarithm of the gamma function's absolute value.
    lgammaf = lgamma_f32, lgamma = lgamma_f64(x);
    /// Largest integer not above x.
    floorf = floor_f32, floor = floor_f64(x);
    /// Smallest integer not below x.
    ceilf = ceil_f32, ceil = ceil_f64(x);
    /// x without its fraction.
    truncf = trunc_f32, trunc = trunc_f64(x);
    /// Nearest integer, halves away from zero.
    roundf = round_f32, round = round_f64(x);
    /// Nearest integer, halves to even.
    rintf = rint_f32, rint = rint_f64(x);
    /// Absolute value.
    fabsf = fabs_f32, fabs = fabs_f64(x);
    /// Remainder of the division, with the sign of x.
    fmodf = fmod_f32, fmod = fmod_f64(x, y);
    /// x with the sign of y.
    copysignf = copysign_f32, copysign = copysign_f64(x, y);
    /// The smaller; a NaN loses.
    fminf = fmin_f32, fmin = fmin_f64(x, y);
    /// The larger; a NaN loses.
    fmaxf = fmax_f32, fmax = fmax_f64(x, y);
    /// x less y where that is positive, else 0.
    fdimf = fdim_f32, fdim = fdim_f64(x, y);
    /// x times y plus z, rounded once.
    fmaf = fma_f32, fma = fma_f64(x, y, z);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// By repeated squaring, as compiler runtimes do it.
macro_rules! powi {
    ($x:expr, $n:expr, $t:ty) => {{
        let mut base: $t = $x;
        let mut left = $n.unsigned_abs();
        let mut result: $t = 1.0;
        while left != 0 {
            if left & 1 != 0 {
                result *= base;
            }
            base *= base;
            left >>= 1;
        }
        if $n < 0 {
            1.0 / result
        } else {
            result
        }
    }};
}

macro_rules! div_euclid {
    ($x:expr, $y:expr, $trunc:path) => {{
        let q = $trunc($x / $y);
        if $x % $y < 0.0 {
            if $y > 0.0 {
                q - 1.0
            } else {
                q + 1.0
            }
        } else {
            q
        }
    }};
}

macro_rules! rem_euclid {
    ($x:expr, $y:expr, $abs:path) => {{
        let r = $x % $y;
        if r < 0.0 {
            r + $abs($y)
        } else {
            r
        }
    }};
}

macro_rules! extension {
    ($( $(#[$m:meta])* $name:ident($($a:ident),*) = $f32:ident $f64:ident; )*) => {
        /// The methods of `std`'s floats for `no_std` crates, and a few that only GPUs have.
        pub trait FloatExt: Copy + sealed::Sealed {
            $( $(#[$m])* fn $name(self $(, $a: Self)*) -> Self; )*
            /// Sine and cosine.
            fn sin_cos(self) -> (Self, Self);
            /// To an integer power.
            fn powi(self, n: i32) -> Self;
            /// Logarithm to a base.
            fn log(self, base: Self) -> Self;
            /// What `trunc` takes away.
            fn fract(self) -> Self;
            /// The integer `n` for which `self` is `n * rhs` and a remainder that is not negative.
            fn div_euclid(self, rhs: Self) -> Self;
            /// That remainder.
            fn rem_euclid(self, rhs: Self) -> Self;
        }
        impl FloatExt for f32 {
            $( #[inline(always)] fn $name(self $(, $a: f32)*) -> f32 { sys::$f32(self $(, $a)*) } )*
            #[inline(always)]
            fn sin_cos(self) -> (f32, f32) { (sys::sin_f32(self), sys::cos_f32(self)) }
            #[inline(always)]
            fn powi(self, n: i32) -> f32 { powi!(self, n, f32) }
            #[inline(always)]
            fn log(self, base: f32) -> f32 { sys::log_f32(self) / sys::log_f32(base) }
            #[inline(always)]
            fn fract(self) -> f32 { self - sys::trunc_f32(self) }
            #[inline(always)]
            fn div_euclid(self, rhs: f32) -> f32 { div_euclid!(self, rhs, sys::trunc_f32) }
            #[inline(always)]
            fn rem_euclid(self, rhs: f32) -> f32 { rem_euclid!(self, rhs, sys::fabs_f32) }
        }
        impl FloatExt for f64 {
            $( #[inline(always)] fn $name(self $(, $a: f64)*) -> f64 { sys::$f64(self $(, $a)*) } )*
            #[inline(always)]
            fn sin_cos(self) -> (f64, f64) { (sys::sin_f64(self), sys::cos_f64(self)) }
            #[inline(always)]
            fn powi(self, n: i32) -> f64 { powi!(self, n, f64) }
            #[inline(always)]
            fn log(self, base: f64) -> f64 { sys::log_f64(self) / sys::log_f64(base) }
            #[inline(always)]
            fn fract(self) -> f64 { self - sys::trunc_f64(self) }
            #[inline(always)]
            fn div_euclid(self, rhs: f64) -> f64 { div_euclid!(self, rhs, sys::trunc_f64) }
            #[inline(always)]
            fn rem_euclid(self, rhs: f64) -> f64 { rem_euclid!(self, rhs, sys::fabs_f64) }
        }
    };
}
extension! {
    /// Sine of an angle in radians.
    sin() = sin_f32 sin_f64;
    /// Cosine of an angle in radians.
    cos() = cos_f32 cos_f64;
    /// Tangent of an angle in radians.
    tan() = tan_f32 tan_f64;
    /// Arc sine.
    asin() = asin_f32 asin_f64;
    /// Arc cosine.
    acos() = acos_f32 acos_f64;
    /// Arc tangent.
    atan() = atan_f32 atan_f64;
    /// Angle of the point (`x`, `self`).
    atan2(x) = atan2_f32 atan2_f64;
    /// Hyperbolic sine.
    sinh() = sinh_f32 sinh_f64;
    /// Hyperbolic cosine.
    cosh() = cosh_f32 cosh_f64;
    /// Hyperbolic tangent.
    tanh() = tanh_f32 tanh_f64;
    /// Inverse hyperbolic sine.
    asinh() = asinh_f32 asinh_f64;
    /// Inverse hyperbolic cosine.
    acosh() = acosh_f32 acosh_f64;
    /// Inverse hyperbolic tangent.
    atanh() = atanh_f32 atanh_f64;
    /// e to this power.
    exp() = exp_f32 exp_f64;
    /// 2 to this power.
    exp2() = exp2_f32 exp2_f64;
    /// 10 to this power.
    exp10() = exp10_f32 exp10_f64;
    /// e to this power, less 1.
    exp_m1() = expm1_f32 expm1_f64;
    /// Natural logarithm.
    ln() = log_f32 log_f64;
    /// Logarithm to the base 2.
    log2() = log2_f32 log2_f64;
    /// Logarithm to the base 10.
    log10() = log10_f32 log10_f64;
    /// Natural logarithm of 1 + x.
    ln_1p() = log1p_f32 log1p_f64;
    /// Square root, rounded to nearest.
    sqrt() = sqrt_f32 sqrt_f64;
    /// One over the square root.
    rsqrt() = rsqrt_f32 rsqrt_f64;
    /// Cube root.
    cbrt() = cbrt_f32 cbrt_f64;
    /// To a power.
    powf(y) = pow_f32 pow_f64;
    /// Length of the vector (`self`, `y`).
    hypot(y) = hypot_f32 hypot_f64;
    /// Gamma function.
    tgamma() = tgamma_f32 tgamma_f64;
    /// Logarithm of the gamma function's absolute value.
    lgamma() = lgamma_f32 lgamma_f64;
    /// Largest integer not above.
    floor() = floor_f32 floor_f64;
    /// Smallest integer not below.
    ceil() = ceil_f32 ceil_f64;
    /// Without the fraction.
    trunc() = trunc_f32 trunc_f64;
    /// Nearest integer, halves away from zero.
    round() = round_f32 round_f64;
    /// Nearest integer, halves to even.
    round_ties_even() = rint_f32 rint_f64;
    /// `self` less `y` where that is positive, else 0.
    fdim(y) = fdim_f32 fdim_f64;
    /// `self` times `y` plus `z`, rounded once.
    mul_add(y, z) = fma_f32 fma_f64;
}

/// `f32` functions that use the hardware's approximations: a few units in the last place off, more
/// for large arguments. The host computes them exactly.
pub mod fast {
    use crate::sys;

    macro_rules! functions {
        ($( $(#[$m:meta])* $name:ident = $op:ident($($a:ident),+); )*) => {$(
            $(#[$m])*
            #[inline(always)]
            pub fn $name($($a: f32),+) -> f32 { sys::$op($($a),+) }
        )*};
    }
    functions! {
        /// Sine of an angle in radians.
        sin = fast_sin(x);
        /// Cosine of an angle in radians.
        cos = fast_cos(x);
        /// Tangent of an angle in radians.
        tan = fast_tan(x);
        /// e to the power x.
        exp = fast_exp(x);
        /// 2 to the power x.
        exp2 = fast_exp2(x);
        /// 10 to the power x.
        exp10 = fast_exp10(x);
        /// Natural logarithm.
        ln = fast_log(x);
        /// Logarithm to the base 2.
        log2 = fast_log2(x);
        /// Logarithm to the base 10.
        log10 = fast_log10(x);
        /// x to the power y.
        pow = fast_pow(x, y);
        /// x divided by y.
        div = fast_div(x, y);
        /// 1 divided by x.
        recip = fast_rcp(x);
    }
}
