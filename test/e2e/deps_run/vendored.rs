// Functions of small crates that many use. They are fetched from Debian, where that can be reached.
use core::hash::Hasher;
use arrayvec::ArrayVec;
use num_traits::{Num, PrimInt, WrappingMul};
fn gcd<T: PrimInt>(a: T, b: T) -> T { if b.is_zero() { a } else { gcd(b, a % b) } }
fn power<T: Num + Copy + WrappingMul>(x: T, n: u32) -> T { let mut r = T::one(); for _ in 0..n { r = r.wrapping_mul(&x); } r }
bitflags::bitflags! { struct Fl: u32 { const A = 1; const B = 2; const C = 4; const AB = Self::A.bits | Self::B.bits; } }
tests! {
    fnv(a, b) { let mut h = fnv::FnvHasher::default(); h.write(&a.to_le_bytes()); h.write_u64(b); h.finish() }
    sip(a, b) { let mut h = siphasher::sip::SipHasher13::new_with_keys(a, b); h.write_u64(a ^ b); h.write(&[1, 2, b as u8]); h.finish() }
    sip128(a, b) { use siphasher::sip128::Hasher128; let mut h = siphasher::sip128::SipHasher24::new_with_keys(b, a); h.write_u32(a as u32); let r = h.finish128(); r.h1 ^ r.h2 }
    arrayvec(a, b) { let mut v = ArrayVec::<u64, 5>::new(); v.push(a); v.push(b); for i in 0..a % 3 { v.push(i); } v.swap_remove(0); v.insert(1, 77); let full = v.is_full() as u64; let last = v.pop().unwrap_or(9); v.iter().fold(last ^ full, |s, x| s.wrapping_mul(31) ^ *x) ^ v.len() as u64 }
    numbers(a, b) { gcd(a, b) ^ gcd(a as u8, b as u8) as u64 ^ power(a as u32 | 1, (b % 9) as u32) as u64 ^ power(b, 3) }
    random(a, b) { let mut r = oorandom::Rand32::new_inc(a, b); let x = r.rand_u32(); let y = r.rand_range(3..90); let z = r.rand_float(); x as u64 ^ (y as u64) << 32 ^ z.to_bits() as u64 }
    adler(a, b) { let mut d = adler::Adler32::new(); d.write_slice(&a.to_le_bytes()); d.write_slice(&[b as u8; 21]); d.checksum() as u64 }
    half(a, b) { let x = half::f16::from_f32((a % 5000) as f32 / 3.0); let y = half::bf16::from_f64(b as f64); x.to_bits() as u64 ^ (x.to_f32().to_bits() as u64) << 16 ^ y.to_bits() as u64 ^ (x < half::f16::from_bits(b as u16)) as u64 }
    flags(a, b) { let mut f = Fl::from_bits_truncate(a as u32); f.insert(Fl::AB); f.toggle(Fl::from_bits(b as u32 & 7).unwrap()); f.bits() as u64 ^ (f.contains(Fl::C) as u64) << 8 ^ (f.is_all() as u64) << 9 }
    random_core(a, b) { use rand_core::RngCore; struct R(u64); impl RngCore for R { fn next_u32(&mut self) -> u32 { self.next_u64() as u32 } fn next_u64(&mut self) -> u64 { self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1); self.0 } fn fill_bytes(&mut self, d: &mut [u8]) { rand_core::impls::fill_bytes_via_next(self, d) } fn try_fill_bytes(&mut self, d: &mut [u8]) -> Result<(), rand_core::Error> { self.fill_bytes(d); Ok(()) } } let mut r = R(a); let mut k = [0u8; 11]; r.fill_bytes(&mut k); r.next_u32() as u64 ^ k[10] as u64 ^ (k[(b % 11) as usize] as u64) << 40 }
}
