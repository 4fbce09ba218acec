//! The Mandelbrot set: escape times of a grid of points, one point a thread, in f64.
#![no_std]

use mirdc::prelude::*;

/// The part of the plane that the picture shows.
#[repr(C)]
#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct View {
    pub left: f64,
    pub top: f64,
    /// Distance of neighbouring points.
    pub step: f64,
    pub width: u32,
    pub height: u32,
    pub limit: u32,
}

/// A complex number, with just what the iteration needs.
#[derive(Clone, Copy)]
struct Complex {
    re: f64,
    im: f64,
}

impl core::ops::Add for Complex {
    type Output = Complex;
    fn add(self, o: Complex) -> Complex {
        Complex { re: self.re + o.re, im: self.im + o.im }
    }
}

impl core::ops::Mul for Complex {
    type Output = Complex;
    fn mul(self, o: Complex) -> Complex {
        Complex { re: self.re * o.re - self.im * o.im, im: self.re * o.im + self.im * o.re }
    }
}

impl Complex {
    fn norm2(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
}

/// Steps until the point escapes, at most `limit`.
fn escape(c: Complex, limit: u32) -> u32 {
    let mut z = Complex { re: 0.0, im: 0.0 };
    (0..limit)
        .find(|_| {
            z = z * z + c;
            z.norm2() > 4.0
        })
        .unwrap_or(limit)
}

#[mirdc::kernel(max_block = 256)]
pub fn mandelbrot(view: View, mut out: PerThread2d<u32>) {
    let (x, y) = (thread::global_x(), thread::global_y());
    let c = Complex {
        re: view.left + x as f64 * view.step,
        im: view.top - y as f64 * view.step,
    };
    if let Some(o) = out.mine() {
        *o = escape(c, view.limit);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;

    #[test]
    fn knows_points_inside_and_outside() {
        let view = View { left: -2.0, top: 1.0, step: 0.25, width: 12, height: 9, limit: 50 };
        let mut out = vec![99u32; 12 * 9];
        host::launch((2, 2), (8, 8), host::matrix(&mut out, 12), |o| mandelbrot(view, o));
        assert_eq!(out[4 * 12 + 8], 50); // the origin
        assert_eq!(out[0], 0); // -2 + i escapes at once
        assert!(out.iter().all(|&n| n <= 50));
    }
}
