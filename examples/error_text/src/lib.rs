//! Refused: the text lies in the host's memory. As `&[u8]` it could be copied to the device.
#![no_std]

use mirdc::prelude::*;

/// Counts how often each block's thread finds its letter.
#[mirdc::kernel(block = 26)]
pub fn letters(text: &str, counts: Buffer<u32>) {
    let letter = b'a' + thread::x() as u8;
    let n = text.bytes().filter(|b| *b == letter).count();
    counts.set(thread::x() as usize, n as u32);
}
