// args: --entry k
#[inline]
pub fn k(x: &[i32], y: &mut [i32]) {
    for (o, v) in y.iter_mut().zip(x.iter().scan(0, |s, v| { *s += *v; Some(*s) })) {
        *o = v;
    }
}
//~ MD0176 the layout of
