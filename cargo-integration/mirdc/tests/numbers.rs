//! Half precision and math on the host.
use mirdc::prelude::*;

#[test]
fn every_half_survives_the_way_through_f32_and_f64() {
    for bits in 0..=u16::MAX {
        let h = F16::from_bits(bits);
        if h.is_nan() {
            assert!(h.to_f32().is_nan() && F16::from_f32(h.to_f32()).is_nan());
        } else {
            assert_eq!(F16::from_f32(h.to_f32()).to_bits(), bits);
            assert_eq!(F16::from_f64(h.to_f64()).to_bits(), bits);
        }
    }
}

#[test]
fn conversion_rounds_to_nearest_even_at_every_midpoint() {
    for bits in 0..0x7bffu16 {
        let (lo, hi) = (F16::from_bits(bits), F16::from_bits(bits + 1));
        let mid = (lo.to_f64() + hi.to_f64()) / 2.0;
        let even = if bits & 1 == 0 { bits } else { bits + 1 };
        assert_eq!(F16::from_f64(mid).to_bits(), even, "between {lo} and {hi}");
        assert_eq!(F16::from_f64(mid.next_up()).to_bits(), bits + 1);
        assert_eq!(F16::from_f64(mid.next_down()).to_bits(), bits);
        assert_eq!(F16::from_f64(-mid.next_up()).to_bits(), (bits + 1) | 0x8000);
    }
}

#[test]
fn the_ends_of_the_range_become_zero_and_infinity() {
    assert_eq!(F16::from_f32(65519.99), F16::MAX);
    assert_eq!(F16::from_f32(65520.0), F16::INFINITY);
    assert_eq!(F16::from_f64(2f64.powi(-25)).to_bits(), 0);
    assert_eq!(F16::from_f64(2f64.powi(-25).next_up()).to_bits(), 1);
    assert_eq!(F16::from_f64(-1e-30).to_bits(), 0x8000);
    assert_eq!(F16::from_f64(1e300), F16::INFINITY);
    assert_eq!(F16::from_f32(f32::NEG_INFINITY).to_bits(), 0xfc00);
}

#[test]
fn arithmetic_rounds_once() {
    let h = F16::from_f32;
    assert_eq!(h(1.0) + h(0.0004), F16::ONE);
    assert_eq!(h(3.0) / h(2.0) - h(0.5), F16::ONE);
    assert_eq!(-h(2.0) * h(3.0), h(-6.0));
    assert!(h(1.0) < h(2.0) && h(-0.0) == h(0.0) && F16::NAN != F16::NAN);
    assert_eq!(F16::NAN.partial_cmp(&F16::ONE), None);
    // 1.0009765625 squared is 1.001953125 + 2^-20: just above a value of the format.
    let e = F16::from_bits(0x3c01);
    assert_eq!(e.mul_add(e, -(e * e)).to_f64(), 2f64.powi(-20));
}

#[test]
fn the_fused_product_equals_exact_rational_arithmetic() {
    let mut seed = 12345u64;
    for _ in 0..200_000 {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let [a, b, c] = [16, 32, 48].map(|s| F16::from_bits((seed >> s) as u16));
        let got = a.mul_add(b, c);
        // The product is exact in f64; the sum is exact unless the exponents are far apart.
        let (p, c64) = (a.to_f64() * b.to_f64(), c.to_f64());
        let sum = p + c64;
        if sum.is_nan() {
            assert!(got.is_nan());
            continue;
        }
        let exact = sum - p == c64 && sum - c64 == p;
        if exact || !sum.is_finite() {
            assert_eq!(got.to_bits(), F16::from_f64(sum).to_bits(), "{a} * {b} + {c}");
        }
    }
}

#[test]
fn trait_and_functions_agree_with_std() {
    fn both(x: f64) -> [f64; 4] {
        [FloatExt::sin(x), FloatExt::exp(x), FloatExt::powi(x, -3), FloatExt::round_ties_even(x)]
    }
    assert_eq!(both(2.5), [2.5f64.sin(), 2.5f64.exp(), 1.0 / 15.625, 2.0]);
    assert_eq!(math::sinf(1.0), 1f32.sin());
    assert_eq!(math::fmaf(2.0, 3.0, 4.0), 10.0);
    assert!((math::erf(0.5) - 0.5204998778130465).abs() < 1e-15);
    assert!((math::tgamma(5.0) - 24.0).abs() < 1e-12);
    assert_eq!(math::rsqrt(4.0), 0.5);
    assert_eq!(FloatExt::sin_cos(0f32), (0.0, 1.0));
    assert_eq!(math::fdim(3.0, 1.0), 2.0);
    assert_eq!(math::copysignf(1.0, -0.0), -1.0);
}

#[test]
fn euclidean_division_and_fractions_are_those_of_std() {
    let values =
        [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.75, -7.25, 1e30, -1e-30, f64::INFINITY, f64::NAN];
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    for x in values {
        assert!(same(FloatExt::fract(x), x.fract()), "{x}");
        assert!(same(FloatExt::fract(x as f32) as f64, (x as f32).fract() as f64), "{x}");
        for y in values {
            assert!(same(FloatExt::div_euclid(x, y), x.div_euclid(y)), "{x} {y}");
            assert!(same(FloatExt::rem_euclid(x, y), x.rem_euclid(y)), "{x} {y}");
            let (v, w) = (x as f32, y as f32);
            assert!(same(FloatExt::div_euclid(v, w) as f64, v.div_euclid(w) as f64), "{v} {w}");
            assert!(same(FloatExt::rem_euclid(v, w) as f64, v.rem_euclid(w) as f64), "{v} {w}");
        }
    }
}
