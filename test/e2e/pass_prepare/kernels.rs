#![no_std]
use mirdc::prelude::*;

static TILE: mirdc::Shared<f32, 64> = mirdc::Shared::new();
static SCALE: mirdc::Constant<f32> = mirdc::Constant::new(2.0);
static TABLE: [u16; 4] = [7, 5, 3, 1];
static NAMES: [&[u8]; 2] = [b"on", b"off"];

#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct Step {
    pub by: f32,
    pub times: u32,
    pub unused: u64,
}

#[mirdc::kernel(block = (32, 2, 1), min_blocks = 2, dynamic_shared = 1024)]
pub fn tiled(step: Step, x: &[f32], mut y: PerThread<f32>) {
    let i = thread::index_x();
    let t = thread::x() as usize & 63;
    TILE.set(t, x[i.get()]);
    barrier();
    if let Some(out) = y.at(i) {
        let k = TABLE[t & 3] as usize + NAMES[t & 1].len();
        *out = TILE.get(t ^ 1) * step.by + SCALE.get() + (k as u32 + step.times) as f32;
    }
}

mod inner {
    #[mirdc::kernel(max_block = 256)]
    fn hidden(out: *mut u32, a: u32, b: u32) {
        let r: u32;
        mirdc::ptx!("add.u32 {0}, {1}, {2}; // $ {{}}", out(u32) r, in(u32) a, in(u32) b);
        assert!(a != 9, "nine is not allowed");
        unsafe { *out = r + super::sum(a, b) };
    }
    pub fn plain(a: u8, b: Option<u16>) -> Result<u32, u8> {
        b.map(|b| b as u32 + a as u32).ok_or(a)
    }
}

#[mirdc::device_export]
pub extern "C" fn sum(a: u32, b: u32) -> u32 {
    if cfg!(feature = "wide") { a.wrapping_mul(b) } else { a + b }
}
