//! Every function of the math module that is not exact, on many numbers at once.
#![no_std]
use mirdc::prelude::*;

macro_rules! all {
    ($kernel:ident, $t:ty, one: $($f:ident)*, two: $($g:ident)*) => {
        /// `out` has a row for each function, in the order of ulp.c.
        #[mirdc::kernel(block = 128)]
        pub fn $kernel(x: &[$t], y: &[$t], out: Buffer<$t>) {
            let i = thread::global_x();
            if i < x.len() {
                let (n, x, y) = (x.len(), x[i], y[i]);
                let mut row = 0;
                $( out.set(row * n + i, mirdc::math::$f(x)); row += 1; )*
                $( out.set(row * n + i, mirdc::math::$g(x, y)); row += 1; )*
                let _ = row;
            }
        }
    };
}
all!(all_f32, f32,
    one: sinf cosf tanf asinf acosf atanf sinhf coshf tanhf asinhf acoshf atanhf expf exp2f exp10f expm1f logf log2f
         log10f log1pf cbrtf rsqrtf erff erfcf tgammaf lgammaf sqrtf,
    two: powf atan2f hypotf fmodf fdimf);
all!(all_f64, f64,
    one: sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log log2
         log10 log1p cbrt rsqrt erf erfc tgamma lgamma sqrt,
    two: pow atan2 hypot fmod fdim);
