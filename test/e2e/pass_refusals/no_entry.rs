// args: --entry shapes::area
//~ MD0172 there is no function `shapes::area`
pub fn area(x: u32) -> u32 {
    x
}
