// args: --entry k
use core::cell::Cell;
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
    let (x, y) = (Cell::new(x), Cell::new(y));
    let list: [&Cell<dyn Area>; 2] = [&x, &y]; //~ MD0180 a trait object inside of another type
    unsafe { (*list[1].as_ptr()).area() }
}
