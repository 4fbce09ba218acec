// for: std cpu
// Functions of the mathematics library, which on a GPU is another one.
fn q(r: f32) -> u64 { if r.is_nan() { 1 } else { r.to_bits() as u64 } } fn p(r: f64) -> u64 { if r.is_nan() { 1 } else { r.to_bits() } }
fn small(a: u64) -> f32 { (a % 4096) as f32 / 128.0 - 16.0 } fn smalld(a: u64) -> f64 { (a % 65536) as f64 / 1024.0 - 32.0 }
fn h4(a: u64, b: u64, c: u64, d: u64) -> u64 { a ^ b.rotate_left(13) ^ c.rotate_left(29) ^ d.rotate_left(47) }

tests! {
    library(a, b) { let (x, y) = (small(a), smalld(b)); h4(q(x.sin()), p(y.cos()), q(x.exp()), p(y.exp2())) ^ h4(q(x.abs().ln()), p(y.abs().log2()), q(x.abs().log10()), p(y.abs().powf(1.5))) ^ q(x.powi((b % 5) as i32 - 2)) }
}
