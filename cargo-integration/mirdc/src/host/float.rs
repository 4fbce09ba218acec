//! Float functions of the host: `std`, and the C library for what `std` lacks.

mod c {
    unsafe extern "C" {
        pub fn erf(x: f64) -> f64;
        pub fn erfc(x: f64) -> f64;
        pub fn tgamma(x: f64) -> f64;
        pub fn lgamma(x: f64) -> f64;
        pub fn erff(x: f32) -> f32;
        pub fn erfcf(x: f32) -> f32;
        pub fn tgammaf(x: f32) -> f32;
        pub fn lgammaf(x: f32) -> f32;
        pub fn fdim(x: f64, y: f64) -> f64;
        pub fn fdimf(x: f32, y: f32) -> f32;
    }
}

macro_rules! host_float {
    ($t:ident: $erf:ident $erfc:ident $tgamma:ident $lgamma:ident $fdim:ident
) => {
        pub mod $t {
            use super::c;
            host_float!(@c $t, erf $erf, erfc $erfc, tgamma $tgamma, lgamma $lgamma);
            pub fn fdim(x: $t, y: $t) -> $t { unsafe { c::$fdim(x, y) } }
            pub fn exp10(x: $t) -> $t { (10.0 as $t).powf(x) }
            host_float!(@std $t);
        }
    };
    (@c $t:ident, $($n:ident $f:ident),*) => {
        $( pub fn $n(x: $t) -> $t { unsafe { c::$f(x) } } )*
    };
    (@std $t:ident) => {
        host_float! { @one $t
            sin sin, cos cos, tan tan, asin asin, acos acos, atan atan, sinh sinh, cosh cosh,
            tanh tanh, asinh asinh, acosh acosh, atanh atanh, exp exp, exp2 exp2, expm1 exp_m1,
            log ln, log2 log2, log10 log10, log1p ln_1p, cbrt cbrt, floor floor, ceil ceil,
            trunc trunc, round round, rint round_ties_even, fabs abs, sqrt sqrt
        }
        host_float! { @two $t
            pow powf, atan2 atan2, hypot hypot, copysign copysign, fmin min, fmax max
        }
        pub fn rsqrt(x: $t) -> $t { 1.0 / x.sqrt() }
        pub fn fmod(x: $t, y: $t) -> $t { x % y }
        pub fn fma(x: $t, y: $t, z: $t) -> $t { x.mul_add(y, z) }
    };
    (@one $t:ident $($n:ident $m:ident),*) => { $( pub fn $n(x: $t) -> $t { x.$m() } )* };
    (@two $t:ident $($n:ident $m:ident),*) => { $( pub fn $n(x: $t, y: $t) -> $t { x.$m(y) } )* };
}
host_float!(f32: erff erfcf tgammaf lgammaf fdimf);
host_float!(f64: erf erfc tgamma lgamma fdim);
