// args: --entry k
pub fn k(x: u64) -> u64 {
    let r: u64;
    unsafe { core::arch::asm!("lea {0}, [{1} + 5]", out(reg) r, in(reg) x) }; //~ MD0188 assembly of the host
    r
}
