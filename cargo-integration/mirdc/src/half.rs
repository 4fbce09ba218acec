use core::cmp::Ordering;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A 16-bit float (IEEE binary16), held as its bits so that stable Rust can carry it.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct F16(u16);

/// Makes the device operation or the host formula of each.
macro_rules! half_ops {
    ($( fn $name:ident = $sym:ident($($a:ident: $t:ty),*) -> $r:ty $host:block )*) => {$(
        #[inline(always)]
        fn $name($($a: $t),*) -> $r {
            #[cfg(mirdc_device)]
            return {
                unsafe extern "C" { fn $sym($($a: $t),*) -> $r; }
                // SAFETY: a pure function of its arguments.
                unsafe { $sym($($a),*) }
            };
            #[cfg(not(mirdc_device))]
            return $host;
        }
    )*};
}
half_ops! {
    fn add = __mirdc_f16_add(a: u16, b: u16) -> u16 { soft::from_f32(to_f32(a) + to_f32(b)) }
    fn sub = __mirdc_f16_sub(a: u16, b: u16) -> u16 { soft::from_f32(to_f32(a) - to_f32(b)) }
    fn mul = __mirdc_f16_mul(a: u16, b: u16) -> u16 { soft::from_f32(to_f32(a) * to_f32(b)) }
    fn div = __mirdc_f16_div(a: u16, b: u16) -> u16 { soft::from_f32(to_f32(a) / to_f32(b)) }
    fn fma = __mirdc_f16_fma(a: u16, b: u16, c: u16) -> u16 { soft::fma(a, b, c) }
    fn lt = __mirdc_f16_lt(a: u16, b: u16) -> bool { to_f32(a) < to_f32(b) }
    fn le = __mirdc_f16_le(a: u16, b: u16) -> bool { to_f32(a) <= to_f32(b) }
    fn eq = __mirdc_f16_eq(a: u16, b: u16) -> bool { to_f32(a) == to_f32(b) }
    fn to_f32 = __mirdc_f16_to_f32(a: u16) -> f32 { soft::to_f32(a) }
    fn to_f64 = __mirdc_f16_to_f64(a: u16) -> f64 { soft::to_f32(a) as f64 }
    fn from_f32 = __mirdc_f32_to_f16(a: f32) -> u16 { soft::from_f32(a) }
    fn from_f64 = __mirdc_f64_to_f16(a: f64) -> u16 { soft::from_f64(a) }
}

impl F16 {
    /// Zero.
    pub const ZERO: F16 = F16(0);
    /// One.
    pub const ONE: F16 = F16(0x3c00);
    /// The largest finite value, 65504.
    pub const MAX: F16 = F16(0x7bff);
    /// The smallest positive normal value.
    pub const MIN_POSITIVE: F16 = F16(0x0400);
    /// The difference between 1 and the next value.
    pub const EPSILON: F16 = F16(0x1400);
    /// Infinity.
    pub const INFINITY: F16 = F16(0x7c00);
    /// Not a number.
    pub const NAN: F16 = F16(0x7e00);

    /// From the bits.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> F16 {
        F16(bits)
    }
    /// The bits.
    #[inline(always)]
    pub const fn to_bits(self) -> u16 {
        self.0
    }
    /// Rounded to nearest, ties to even.
    #[inline(always)]
    pub fn from_f32(v: f32) -> F16 {
        F16(from_f32(v))
    }
    /// Rounded to nearest, ties to even, in one step.
    #[inline(always)]
    pub fn from_f64(v: f64) -> F16 {
        F16(from_f64(v))
    }
    /// Exact.
    #[inline(always)]
    pub fn to_f32(self) -> f32 {
        to_f32(self.0)
    }
    /// Exact.
    #[inline(always)]
    pub fn to_f64(self) -> f64 {
        to_f64(self.0)
    }
    /// `self * b + c`, rounded once.
    #[inline(always)]
    pub fn mul_add(self, b: F16, c: F16) -> F16 {
        F16(fma(self.0, b.0, c.0))
    }
    /// Absolute value.
    #[inline(always)]
    pub const fn abs(self) -> F16 {
        F16(self.0 & 0x7fff)
    }
    /// True for a NaN.
    #[inline(always)]
    pub const fn is_nan(self) -> bool {
        self.0 & 0x7fff > 0x7c00
    }
    /// True for neither infinity nor NaN.
    #[inline(always)]
    pub const fn is_finite(self) -> bool {
        self.0 & 0x7c00 != 0x7c00
    }
}

macro_rules! operators {
    ($($tr:ident $f:ident $tra:ident $fa:ident $op:ident;)*) => {$(
        impl $tr for F16 {
            type Output = F16;
            #[inline(always)]
            fn $f(self, b: F16) -> F16 { F16($op(self.0, b.0)) }
        }
        impl $tra for F16 {
            #[inline(always)]
            fn $fa(&mut self, b: F16) { *self = F16($op(self.0, b.0)) }
        }
    )*};
}
operators! {
    Add add AddAssign add_assign add;
    Sub sub SubAssign sub_assign sub;
    Mul mul MulAssign mul_assign mul;
    Div div DivAssign div_assign div;
}
impl Neg for F16 {
    type Output = F16;
    #[inline(always)]
    fn neg(self) -> F16 {
        F16(self.0 ^ 0x8000)
    }
}
impl PartialEq for F16 {
    #[inline(always)]
    fn eq(&self, b: &F16) -> bool {
        eq(self.0, b.0)
    }
}
impl PartialOrd for F16 {
    #[inline(always)]
    fn partial_cmp(&self, b: &F16) -> Option<Ordering> {
        if lt(self.0, b.0) {
            Some(Ordering::Less)
        } else if lt(b.0, self.0) {
            Some(Ordering::Greater)
        } else if eq(self.0, b.0) {
            Some(Ordering::Equal)
        } else {
            None
        }
    }
    #[inline(always)]
    fn lt(&self, b: &F16) -> bool {
        lt(self.0, b.0)
    }
    #[inline(always)]
    fn le(&self, b: &F16) -> bool {
        le(self.0, b.0)
    }
    #[inline(always)]
    fn gt(&self, b: &F16) -> bool {
        lt(b.0, self.0)
    }
    #[inline(always)]
    fn ge(&self, b: &F16) -> bool {
        le(b.0, self.0)
    }
}
impl From<F16> for f32 {
    #[inline(always)]
    fn from(v: F16) -> f32 {
        v.to_f32()
    }
}
impl From<F16> for f64 {
    #[inline(always)]
    fn from(v: F16) -> f64 {
        v.to_f64()
    }
}
impl core::fmt::Debug for F16 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Debug::fmt(&self.to_f32(), f)
    }
}
impl core::fmt::Display for F16 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(&self.to_f32(), f)
    }
}

/// Conversions in integer arithmetic, for the host.
#[cfg(not(mirdc_device))]
mod soft {
    pub fn to_f32(h: u16) -> f32 {
        let sign = ((h as u32) & 0x8000) << 16;
        let (exp, frac) = (((h >> 10) & 31) as u32, (h & 0x3ff) as u32);
        let bits = match (exp, frac) {
            (0, _) => (frac as f32 * (1.0 / 16_777_216.0)).to_bits(),
            (31, 0) => 0x7f80_0000,
            (31, _) => 0x7fc0_0000 | frac << 13,
            _ => (exp + 112) << 23 | frac << 13,
        };
        f32::from_bits(sign | bits)
    }

    pub fn from_f32(v: f32) -> u16 {
        from_f64(v as f64)
    }

    pub fn from_f64(v: f64) -> u16 {
        let bits = v.to_bits();
        let sign = (bits >> 48) as u16 & 0x8000;
        let exp = ((bits >> 52) & 0x7ff) as i32 - 1023;
        let frac = bits & ((1 << 52) - 1);
        if exp == 1024 {
            return sign | if frac != 0 { 0x7e00 } else { 0x7c00 };
        }
        // Below the smallest normal the unit in the last place stays 2^-24.
        let drop = if exp < -14 { 42 + (-14 - exp) } else { 42 };
        if drop > 54 {
            return sign;
        }
        let rounded = round_shift(frac | 1 << 52, drop as u32);
        // A carry out of the fraction moves into the exponent, up to infinity.
        let scaled = if exp < -14 { rounded } else { rounded + (((exp + 14) as u64) << 10) };
        sign | if exp > 15 { 0x7c00 } else { scaled.min(0x7c00) as u16 }
    }

    /// Shifts right and rounds to nearest, ties to even.
    fn round_shift(v: u64, n: u32) -> u64 {
        let (whole, rest, half) = (v >> n, v & ((1 << n) - 1), 1u64 << (n - 1));
        whole + (rest > half || (rest == half && whole & 1 == 1)) as u64
    }

    /// Value in units of 2^-24; finite only.
    fn units(h: u16) -> i128 {
        let (exp, frac) = (((h >> 10) & 31) as u32, (h & 0x3ff) as i128);
        let v = if exp == 0 { frac } else { (frac | 0x400) << (exp - 1) };
        if h & 0x8000 != 0 {
            -v
        } else {
            v
        }
    }

    /// Exact in integers of 2^-48, then rounded once.
    pub fn fma(a: u16, b: u16, c: u16) -> u16 {
        let finite = |h: u16| h & 0x7c00 != 0x7c00;
        let float = || from_f32(to_f32(a) * to_f32(b) + to_f32(c));
        if !finite(a) || !finite(b) || !finite(c) {
            return float();
        }
        let exact = units(a) * units(b) + (units(c) << 24);
        if exact == 0 {
            return float();
        }
        let sign = if exact < 0 { 0x8000 } else { 0 };
        let mag = exact.unsigned_abs();
        let top = 127 - mag.leading_zeros() as i32;
        // Keep 11 bits, or down to 2^-24 for small values; a sticky bit keeps the rounding right.
        let drop = (top - 10).max(24) as u32;
        let sticky = (mag & ((1 << (drop - 2)) - 1) != 0) as u64;
        let rounded = round_shift(((mag >> (drop - 2)) as u64) << 1 | sticky, 3);
        sign | (rounded + ((drop as u64 - 24) << 10)).min(0x7c00) as u16
    }
}
