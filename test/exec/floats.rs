// Floats. NaNs are made equal: their payload is not fixed.
fn o32(x: f32) -> u64 { if x != x { 0x7fc0_0000 } else { x.to_bits() as u64 } }
fn o64(x: f64) -> u64 { if x != x { 0x7ff8_0000_0000_0000 } else { x.to_bits() } }
fn s(a: u64) -> f32 { f32::from_bits(a as u32 ^ (a >> 32) as u32) }
fn d(a: u64) -> f64 { f64::from_bits(a) }

tests! {
    add32(a, b) { o32(s(a) + s(b)) }
    sub32(a, b) { o32(s(a) - s(b)) }
    mul32(a, b) { o32(s(a) * s(b)) }
    div32(a, b) { o32(s(a) / s(b)) }
    rem32(a, b) { o32(s(a) % s(b)) }
    add64(a, b) { o64(d(a) + d(b)) }
    sub64(a, b) { o64(d(a) - d(b)) }
    mul64(a, b) { o64(d(a) * d(b)) }
    div64(a, b) { o64(d(a) / d(b)) }
    rem64(a, b) { o64(d(a) % d(b)) }
    neg32(a, b) { (-s(a)).to_bits() as u64 ^ b }
    neg64(a, b) { (-d(a)).to_bits() ^ b }
    cmp32(a, b) { let (x, y) = (s(a), s(b)); (x < y) as u64 | ((x <= y) as u64) << 1 | ((x > y) as u64) << 2 | ((x >= y) as u64) << 3 | ((x == y) as u64) << 4 | ((x != y) as u64) << 5 }
    cmp64(a, b) { let (x, y) = (d(a), d(b)); (x < y) as u64 | ((x <= y) as u64) << 1 | ((x > y) as u64) << 2 | ((x >= y) as u64) << 3 | ((x == y) as u64) << 4 | ((x != y) as u64) << 5 }
    not_less32(a, b) { !(s(a) < s(b)) as u64 | (!(s(a) >= s(b)) as u64) << 1 }
    partial_cmp(a, b) { match d(a).partial_cmp(&d(b)) { None => 9, Some(o) => o as i8 as u64 } }
    total_cmp(a, b) { s(a).total_cmp(&s(b)) as i8 as u64 | (d(a).total_cmp(&d(b)) as i8 as u64) << 8 }
    widen(a, b) { o64(s(a) as f64) ^ b }
    narrow(a, b) { o32(d(a) as f32) ^ b }
    abs(a, b) { s(a).abs().to_bits() as u64 ^ d(b).abs().to_bits().rotate_left(8) }
    copysign(a, b) { s(a).copysign(s(b)).to_bits() as u64 ^ d(a).copysign(d(b)).to_bits().rotate_left(32) }
    signs(a, b) { s(a).is_sign_negative() as u64 | (d(b).is_sign_positive() as u64) << 1 | (s(b).is_nan() as u64) << 2 | (d(a).is_finite() as u64) << 3 | (s(a).is_infinite() as u64) << 4 }
    min32(a, b) { o32(s(a).min(s(b)) + 0.0) }
    max32(a, b) { o32(s(a).max(s(b)) + 0.0) }
    min64(a, b) { o64(d(a).min(d(b)) + 0.0) }
    max64(a, b) { o64(d(a).max(d(b)) + 0.0) }
    clamp(a, b) { o32(s(a).clamp(-2.5, 1e20)) ^ b }
    bits_match(a, b) { let r = match s(a).to_bits() >> 23 { 0 => 1, 0xff => 2, x if x > 0xff => 3, _ => 4 }; r + b % 2 }
    classify(a, b) { d(a).classify() as u64 ^ (s(b).classify() as u64) << 4 }
    signum(a, b) { o32(s(a).signum()) ^ o64(d(b).signum()) }
    recip(a, b) { o32(s(a).recip()) ^ o64(d(b).recip()).rotate_left(3) }
    degrees(a, b) { o32(s(a).to_degrees()) ^ o64(d(b).to_radians()).rotate_left(3) }
    sum_of_array(a, b) { let v = [s(a), s(b), 1.5, -0.25]; let mut t = 0.0f32; for x in v { t += x; } o32(t) }
    dot3(a, b) { #[derive(Clone, Copy)] struct V { x: f32, y: f32, z: f32 } impl V { fn dot(self, o: V) -> f32 { self.x * o.x + self.y * o.y + self.z * o.z } fn scale(self, k: f32) -> V { V { x: self.x * k, y: self.y * k, z: self.z * k } } } let v = V { x: s(a), y: s(b), z: (a >> 40) as f32 }; let w = v.scale(0.5); o32(v.dot(w)) }
}
