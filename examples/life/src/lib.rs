//! Conway's game of life on a torus, one cell a thread.
#![no_std]

use mirdc::prelude::*;

/// A cell as it is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Dead,
    Alive,
}

impl From<u8> for Cell {
    fn from(v: u8) -> Cell {
        if v == 0 { Cell::Dead } else { Cell::Alive }
    }
}

/// The next state by the state and the number of living neighbours.
fn next(cell: Cell, neighbours: u32) -> Cell {
    match (cell, neighbours) {
        (Cell::Alive, 2 | 3) | (Cell::Dead, 3) => Cell::Alive,
        _ => Cell::Dead,
    }
}

/// One generation; `width` and `height` are at least 1.
#[mirdc::kernel(block = (32, 8))]
pub fn life(from: &[u8], mut to: PerThread2d<u8>, width: u32, height: u32) {
    let (x, y) = (thread::global_x() as u32, thread::global_y() as u32);
    if x >= width || y >= height {
        return;
    }
    let at = |dx: u32, dy: u32| -> Cell {
        let column = (x + width + dx - 1) % width;
        let row = (y + height + dy - 1) % height;
        from[row as usize * width as usize + column as usize].into()
    };
    let mut neighbours = 0;
    for dy in 0..3 {
        for dx in 0..3 {
            if (dx, dy) != (1, 1) && at(dx, dy) == Cell::Alive {
                neighbours += 1;
            }
        }
    }
    if let Some(out) = to.mine() {
        *out = next(at(1, 1), neighbours) as u8;
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn a_blinker_turns_and_a_block_stays() {
        let (w, h) = (9usize, 7usize);
        let mut cells = vec![0u8; w * h];
        for i in [w + 3, 2 * w + 3, 3 * w + 3, 5 * w, 5 * w + 1, 6 * w, 6 * w + 1] {
            cells[i] = 1;
        }
        let mut out = vec![7u8; w * h];
        host::launch((1, 1), (32, 8), host::matrix(&mut out, w), |o| {
            life(&cells, o, w as u32, h as u32)
        });
        let alive: Vec<usize> = (0..w * h).filter(|&i| out[i] == 1).collect();
        assert_eq!(alive, [2 * w + 2, 2 * w + 3, 2 * w + 4, 5 * w, 5 * w + 1, 6 * w, 6 * w + 1]);
    }
}
