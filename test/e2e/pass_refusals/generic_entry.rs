// args: --entry area
pub fn area<T: Copy>(x: T) -> T { //~ MD0173 is generic
    x
}
