// args: --entry k
use core::fmt::Write;
pub struct Count(u32);
impl Write for Count {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        self.0 += s.len() as u32;
        Ok(())
    }
}
pub fn k(x: u32) -> u32 {
    let mut c = Count(0);
    let _ = write!(c, "{x:>5}"); //~ MD0179 formats text
    c.0
}
