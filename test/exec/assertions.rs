// for: debug
// Checks that only debug assertions bring: pointers that are null or not aligned, enums without such a value.
use core::mem::*;
#[repr(u8)] #[derive(Clone, Copy)] enum Few { A = 2, B = 5, C = 9 }
#[inline(never)] fn read(p: *const u64) -> u64 { unsafe { *p } }
tests! {
    through_pointers(a, b) { let m = [a, b, a ^ b]; let p = m.as_ptr(); let n = (a % 3) as usize; unsafe { let q = p.add(n); *q ^ read(q) ^ *(q as *const u32) as u64 } }
    enum_from_bits(a, b) { let x: Few = unsafe { transmute([2u8, 5, 9][(a % 3) as usize]) }; (match x { Few::A => b, Few::B => b ^ 1, Few::C => b ^ 2 }) ^ x as u64 }
    writes(a, b) { let mut m = [a; 4]; let p = &raw mut m as *mut u64; for i in 0..4 { unsafe { *p.add(i) = b.rotate_left(i as u32); } } m[(a % 4) as usize] }
}
