//! SHA-256 of many messages, one message a thread.
#![no_std]

use mirdc::prelude::*;

const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// Mixes one block of 16 words into the state.
fn compress(state: &mut [u32; 8], block: &[u32; 16]) {
    let mut w = *block;
    let mut s = *state;
    for i in 0..64 {
        let j = i % 16;
        if i >= 16 {
            let a = w[(i + 1) % 16];
            let b = w[(i + 14) % 16];
            let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            w[j] = w[j].wrapping_add(s0).wrapping_add(w[(i + 9) % 16]).wrapping_add(s1);
        }
        let s1 = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
        let ch = (s[4] & s[5]) ^ (!s[4] & s[6]);
        let t1 = s[7].wrapping_add(s1).wrapping_add(ch).wrapping_add(K[i]).wrapping_add(w[j]);
        let s0 = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
        let maj = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        s = [t1.wrapping_add(s0).wrapping_add(maj), s[0], s[1], s[2], s[3].wrapping_add(t1), s[4],
             s[5], s[6]];
    }
    for (a, b) in state.iter_mut().zip(s) {
        *a = a.wrapping_add(b);
    }
}

/// The byte at `i` of the padded message.
fn padded(message: &[u8], total: usize, i: usize) -> u8 {
    match message.get(i) {
        Some(b) => *b,
        None if i == message.len() => 0x80,
        None if i >= total - 8 => ((message.len() as u64 * 8) >> (8 * (total - 1 - i))) as u8,
        None => 0,
    }
}

/// The digest of a message.
pub fn digest(message: &[u8]) -> [u32; 8] {
    let mut state = START;
    let total = (message.len() + 9).next_multiple_of(64);
    let mut at = 0;
    while at < total {
        let mut block = [0u32; 16];
        for (k, word) in block.iter_mut().enumerate() {
            for b in 0..4 {
                *word = *word << 8 | padded(message, total, at + 4 * k + b) as u32;
            }
        }
        compress(&mut state, &block);
        at += 64;
    }
    state
}

/// Message `i` is `text[ends[i - 1]..ends[i]]`.
#[mirdc::kernel(max_block = 256)]
pub fn sha256(text: &[u8], ends: &[u32], mut out: PerThread<[u32; 8]>) {
    let i = thread::index_x();
    let n = i.get();
    if n >= ends.len() {
        return;
    }
    let from = if n == 0 { 0 } else { ends[n - 1] } as usize;
    if let Some(o) = out.at(i) {
        *o = digest(&text[from..ends[n] as usize]);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;

    #[test]
    fn knows_the_standard_examples() {
        let abc = [0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c,
                   0xb410ff61, 0xf20015ad];
        let empty = [0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c,
                     0xa495991b, 0x7852b855];
        let long = [0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039, 0xa33ce459, 0x64ff2167,
                    0xf6ecedd4, 0x19db06c1];
        let text = b"abcabcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        let mut out = vec![[0u32; 8]; 3];
        host::launch(1, 4, &mut out[..], |o| sha256(text, &[3, 3, 59], o));
        assert_eq!(out, [abc, empty, long]);
    }
}
