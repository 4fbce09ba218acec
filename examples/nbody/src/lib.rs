//! One step of a gravitational n-body simulation, all pairs, bodies passed through shared memory.
#![no_std]

use mirdc::prelude::*;

/// Bodies that a block keeps in shared memory at a time.
pub const TILE: usize = 128;

/// Place, mass and velocity of a body.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, mirdc::Plain, mirdc::KernelArg)]
pub struct Body {
    pub p: [f32; 3],
    pub mass: f32,
    pub v: [f32; 3],
    pub id: u32,
}

/// What is the same for all bodies of a step.
#[repr(C)]
#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct Step {
    /// Seconds.
    pub dt: f32,
    /// Square of the softening length, so that close bodies do not fly apart.
    pub soft2: f32,
}

/// Acceleration of a body at `p` by one of mass `m` at `q`.
pub fn pull(p: [f32; 3], q: [f32; 3], m: f32, soft2: f32) -> [f32; 3] {
    let d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + soft2;
    let inv = 1.0 / r2.sqrt();
    let s = m * inv * inv * inv;
    d.map(|c| c * s)
}

/// Reads all bodies from `from` and writes each one's next state to `to`.
#[mirdc::kernel(block = 128)]
pub fn nbody(from: &[Body], mut to: PerThread<Body>, step: Step) {
    let x = shared![f32; TILE];
    let y = shared![f32; TILE];
    let z = shared![f32; TILE];
    let m = shared![f32; TILE];
    let i = thread::index_x();
    let t = thread::x() as usize;
    let me = from.get(i.get()).copied();
    let p = me.map_or([0.0; 3], |b| b.p);
    let mut a = [0.0f32; 3];
    let mut first = 0;
    while first < from.len() {
        // A tile's missing bodies have no mass.
        let b = from.get(first + t);
        x.set(t, b.map_or(0.0, |b| b.p[0]));
        y.set(t, b.map_or(0.0, |b| b.p[1]));
        z.set(t, b.map_or(0.0, |b| b.p[2]));
        m.set(t, b.map_or(0.0, |b| b.mass));
        barrier();
        for k in 0..TILE {
            let d = pull(p, [x.get(k), y.get(k), z.get(k)], m.get(k), step.soft2);
            for c in 0..3 {
                a[c] += d[c];
            }
        }
        barrier();
        first += TILE;
    }
    if let (Some(mut b), Some(out)) = (me, to.at(i)) {
        for c in 0..3 {
            b.v[c] += a[c] * step.dt;
            b.p[c] += b.v[c] * step.dt;
        }
        *out = b;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    #[test]
    fn equals_all_pairs_one_by_one() {
        let bodies: Vec<Body> = (0..200u32)
            .map(|i| Body {
                p: [i as f32 * 0.37 % 3.0, i as f32 * 0.71 % 5.0, i as f32 * 0.13 % 2.0],
                mass: 1.0 + (i % 3) as f32,
                v: [0.0, 0.1, 0.0],
                id: i,
            })
            .collect();
        let step = Step { dt: 0.01, soft2: 0.05 };
        let mut next = bodies.clone();
        host::launch_blocks(2, 128, 0, &mut next[..], |to| nbody(&bodies, to, step));
        for (b, got) in bodies.iter().zip(&next) {
            let mut a = [0.0f32; 3];
            for o in &bodies {
                let d = pull(b.p, o.p, o.mass, step.soft2);
                for c in 0..3 {
                    a[c] += d[c];
                }
            }
            for c in 0..3 {
                let v = b.v[c] + a[c] * step.dt;
                assert!((got.v[c] - v).abs() <= 1e-5 * (1.0 + v.abs()), "{got:?}");
            }
            assert_eq!(got.id, b.id);
        }
    }
}
