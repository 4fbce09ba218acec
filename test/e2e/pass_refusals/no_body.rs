// args: --entry k
pub fn k(c: char) -> usize {
    c.to_uppercase().count() //~ MD0174 work on the bytes of the text
}
