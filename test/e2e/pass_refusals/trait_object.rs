// args: --entry k
pub trait Area {
    fn area(&self) -> u32;
}
impl Area for u32 {
    fn area(&self) -> u32 {
        *self
    }
}
impl Area for u8 {
    fn area(&self) -> u32 {
        1
    }
}
pub fn k(x: u32, y: u8) -> u32 {
    let list: [&dyn Area; 2] = [&x, &y]; //~ MD0180 a trait object
    list[(x & 1) as usize].area()
}
