//! Each function can only stop for the reason behind its name's arrow in panics.py.
pub fn equal(x: u32) {
    assert_eq!(x, 3);
}
pub fn differ(x: u32) {
    assert_ne!(x, 3, "because of {x}");
}
pub fn never(x: u32) {
    if x > 3 {
        unreachable!("no {x} here");
    }
}
pub fn wanted(x: Option<u32>) -> u32 {
    x.expect("a number")
}
pub fn unwrapped(x: Option<u32>) -> u32 {
    x.unwrap()
}
pub fn strict(x: i32) -> i32 {
    x.strict_add(7)
}
pub fn range(x: &[u8], i: usize) -> &[u8] {
    &x[i..]
}
pub fn element(x: &[u8], i: usize) -> u8 {
    x[i]
}
pub fn divided(x: u32, y: u32) -> u32 {
    x / y
}
