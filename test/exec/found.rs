// Reduced inputs of faults that were found once.
struct D<'a>(&'a core::cell::Cell<u64>, u64);
impl Drop for D<'_> { fn drop(&mut self) { self.0.set(self.0.get().wrapping_mul(31).wrapping_add(self.1)); } }
fn same<T>(x: T) -> T { x }

tests! {
    never_set(a, b) { let c = core::cell::Cell::new(a); { let g; let h = (D(&c, b), 5u8); if true ^ true { g = h.0; } let v = [1u64, b, 3]; c.set(c.get() ^ v[a as usize % 3]); } c.get() }
    spin_loop(a, b) { core::hint::spin_loop(); a ^ b }
    folded_index(a, b) { let mut v = [a, b]; if a > 5 { v[same(2usize) % 3] = 4; } v[1] ^ v[0] }
}
