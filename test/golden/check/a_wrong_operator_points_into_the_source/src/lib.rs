#[mirdc::kernel]
pub fn scale(a: f32, y: &mut [f32], i: usize) {
    let n = y.len();
    y[i] *= a;
}
