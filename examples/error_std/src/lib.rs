//! Refused: `println!` formats text with the host's machinery. `mirdc::printf!` prints from a kernel.

use mirdc::prelude::*;

#[mirdc::kernel]
pub fn report(values: &[u32]) {
    let i = thread::global_x();
    if i < values.len() {
        println!("{i}: {}", values[i]);
    }
}
