// args: --entry k
pub fn k(c: char) -> bool {
    c.is_alphabetic() //~ MD0174 work on the bytes of the text
}
