//! A height field whose noise is written in CUDA C++. The kernel and the interpolation are Rust: the
//! kernel calls `terrain_sample` of `native/terrain.cu`, which calls `terrain_blend` back.
//!
//! ```text
//! nvcc -arch=sm_75 -dc -dlto -o terrain.o native/terrain.cu
//! cargo mirdc build --extern-lto terrain.o
//! ```
#![no_std]

use mirdc::prelude::*;

/// As in `native/terrain.h`.
#[derive(Clone, Copy, mirdc::KernelArg)]
#[repr(C)]
pub struct Terrain {
    pub seed: u32,
    pub octaves: u32,
}

/// As in `native/terrain.h`; comes back by value.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Sample {
    pub height: u32,
    pub octaves: u16,
    pub water: bool,
}

unsafe extern "C" {
    fn terrain_sample(t: *const Terrain, x: u32, y: u32) -> Sample;
}

/// Between `a` and `b`, at `f` of 256 parts, along a smooth curve.
#[mirdc::device_export]
pub extern "C" fn terrain_blend(a: u32, b: u32, f: u32) -> u32 {
    let s = f * f * (768 - 2 * f) >> 16; // 3f² - 2f³, in 256ths
    (a * (256 - s) + b * s) >> 8
}

/// Each thread computes one height; water is counted.
#[mirdc::kernel(max_block = 1024)]
pub fn heights(t: Terrain, width: u32, mut out: PerThread<u32>, water: Buffer<u32>) {
    let i = thread::index_x();
    if let Some(out) = out.at(i) {
        let n = i.get() as u32;
        // SAFETY: the function reads `t` and nothing else.
        let s = unsafe { terrain_sample(&t, n % width, n / width) };
        *out = s.height | (s.octaves as u32) << 24;
        if s.water {
            water.atomic(0).fetch_add(1, Ordering::Relaxed, Scope::Device);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blending_meets_both_ends_and_stays_between() {
        for (a, b) in [(0, 0xffff), (0xffff, 0), (17, 4000)] {
            assert_eq!(terrain_blend(a, b, 0), a);
            for f in 0..256 {
                let v = terrain_blend(a, b, f);
                assert!(v >= a.min(b) && v <= a.max(b));
            }
        }
    }
}
