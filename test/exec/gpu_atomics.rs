// gpu: Atomics of the core library, on a slot of global memory that belongs to the thread. On the host the
// slot is a thread's own variable.
use core::sync::atomic::{self, Ordering::*, *};
#[cfg(mirdc_device)] static mut SLOTS: [[u64; 2]; 32768] = [[0; 2]; 32768];
#[cfg(mirdc_device)] fn slot() -> *mut u64 { unsafe { (&raw mut SLOTS[mirdc::thread::global_x() as usize & 32767]) as *mut u64 } }
#[cfg(not(mirdc_device))] thread_local! { static SLOT: core::cell::UnsafeCell<[u64; 2]> = const { core::cell::UnsafeCell::new([0; 2]) } }
#[cfg(not(mirdc_device))] fn slot() -> *mut u64 { SLOT.with(|s| s.get() as *mut u64) }
fn start(a: u64, b: u64) -> *mut u64 { let p = slot(); unsafe { p.write_volatile(a); p.add(1).write_volatile(b); } p }
fn end(p: *mut u64, r: u64) -> u64 { unsafe { p.read_volatile() ^ p.add(1).read_volatile().rotate_left(13) ^ r.rotate_left(29) } }
macro_rules! all { ($t:ty, $n:ty, $a:expr, $b:expr) => {{
    let p = start($a, $b);
    let x = unsafe { <$t>::from_ptr((p as *mut $n).add(($b as usize / 3) % (16 / core::mem::size_of::<$n>()))) };
    let v = $b as $n;
    let mut r = 0u64;
    r = r.rotate_left(5) ^ x.fetch_add(v, Relaxed) as u64;
    r = r.rotate_left(5) ^ x.fetch_sub(v ^ 9, Acquire) as u64;
    r = r.rotate_left(5) ^ x.fetch_and(v | 0x55, Release) as u64;
    r = r.rotate_left(5) ^ x.fetch_or(v & 0x13, AcqRel) as u64;
    r = r.rotate_left(5) ^ x.fetch_xor(v, SeqCst) as u64;
    r = r.rotate_left(5) ^ x.fetch_nand(v ^ 0x3c, SeqCst) as u64;
    r = r.rotate_left(5) ^ x.fetch_max($a as $n, Relaxed) as u64;
    r = r.rotate_left(5) ^ x.fetch_min(v ^ 1, AcqRel) as u64;
    r = r.rotate_left(5) ^ x.swap(v.wrapping_mul(3), Acquire) as u64;
    r = r.rotate_left(5) ^ match x.compare_exchange(v.wrapping_mul(3), v ^ 0x77, AcqRel, Acquire) { Ok(k) => k as u64, Err(k) => !(k as u64) };
    r = r.rotate_left(5) ^ match x.compare_exchange(v, $a as $n, SeqCst, Relaxed) { Ok(k) => k as u64, Err(k) => !(k as u64) };
    r = r.rotate_left(5) ^ x.load(SeqCst) as u64;
    x.store(v ^ 0x21, Release);
    r = r.rotate_left(5) ^ x.load(Acquire) as u64;
    x.store(v ^ 0x22, SeqCst);
    atomic::fence(SeqCst);
    r = r.rotate_left(5) ^ x.load(Relaxed) as u64;
    end(p, r)
}} }

tests! {
    atomic_u8(a, b) { all!(AtomicU8, u8, a, b) }
    atomic_i8(a, b) { all!(AtomicI8, i8, a, b) }
    atomic_u16(a, b) { all!(AtomicU16, u16, a, b) }
    atomic_i16(a, b) { all!(AtomicI16, i16, a, b) }
    atomic_u32(a, b) { all!(AtomicU32, u32, a, b) }
    atomic_i32(a, b) { all!(AtomicI32, i32, a, b) }
    atomic_u64(a, b) { all!(AtomicU64, u64, a, b) }
    atomic_i64(a, b) { all!(AtomicI64, i64, a, b) }
    atomic_bool(a, b) { let p = start(0x0101_0101_0101_0101, 0x0100_0100_0101_0001); let x = unsafe { AtomicBool::from_ptr((p as *mut bool).add((b % 16) as usize)) }; let v = a & 1 == 1; let r = x.fetch_and(v, AcqRel) as u64 | (x.fetch_or(!v, SeqCst) as u64) << 1 | (x.fetch_xor(true, Relaxed) as u64) << 2 | (x.swap(v, Acquire) as u64) << 3 | (x.fetch_nand(v, Relaxed) as u64) << 4; end(p, r) }
    atomic_ptr(a, b) { let p = start(a, b); let x = unsafe { AtomicPtr::from_ptr(p as *mut *mut u8) }; let r = x.swap(b as *mut u8, AcqRel) as u64 ^ match x.compare_exchange(b as *mut u8, (a ^ b) as *mut u8, SeqCst, SeqCst) { Ok(k) => k as u64, Err(_) => 7 }; end(p, r ^ x.load(Relaxed) as u64) }
    fetch_update(a, b) { let p = start(a, b); let x = unsafe { AtomicU16::from_ptr((p as *mut u16).add((b % 8) as usize)) }; let r = match x.fetch_update(SeqCst, Relaxed, |k| if k & 1 == 0 { Some(k.wrapping_add(5)) } else { None }) { Ok(k) => k as u64, Err(k) => !(k as u64) }; end(p, r) }
}
