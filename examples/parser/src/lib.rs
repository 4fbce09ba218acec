//! A state machine with data in its states: each thread parses one fixed-size line of the form
//! `-12.50 ; 7; x` and adds up its numbers in hundredths.
#![no_std]

use mirdc::prelude::*;

/// Bytes of a line.
pub const LINE: usize = 32;

/// What the machine is in the middle of.
#[derive(Clone, Copy)]
enum State {
    Blank,
    Number { negative: bool, whole: i32 },
    Fraction { negative: bool, whole: i32, digits: u8, value: i32 },
    Junk(u8),
}

/// What a byte is to the machine.
#[derive(Clone, Copy)]
enum Token {
    Digit(i32),
    Point,
    Minus,
    End,
    Space,
    Other(u8),
}

fn classify(b: u8) -> Token {
    match b {
        b'0'..=b'9' => Token::Digit((b - b'0') as i32),
        b'.' => Token::Point,
        b'-' => Token::Minus,
        b';' | 0 => Token::End,
        b' ' | b'\t' => Token::Space,
        other => Token::Other(other),
    }
}

fn step(s: State, t: Token) -> State {
    match (s, t) {
        (s, Token::Space) => s,
        (State::Blank, Token::Digit(d)) => State::Number { negative: false, whole: d },
        (State::Blank, Token::Minus) => State::Number { negative: true, whole: 0 },
        (State::Number { negative, whole }, Token::Digit(d)) => {
            State::Number { negative, whole: whole.wrapping_mul(10).wrapping_add(d) }
        }
        (State::Number { negative, whole }, Token::Point) => {
            State::Fraction { negative, whole, digits: 0, value: 0 }
        }
        (State::Fraction { negative, whole, digits, value }, Token::Digit(d)) if digits < 2 => {
            State::Fraction { negative, whole, digits: digits + 1, value: value * 10 + d }
        }
        (State::Fraction { .. }, Token::Digit(_)) => s,
        (State::Junk(first), _) => State::Junk(first),
        (_, Token::Other(b)) => State::Junk(b),
        (_, Token::Minus) => State::Junk(b'-'),
        (_, Token::Point) => State::Junk(b'.'),
        (_, Token::End) => State::Blank,
    }
}

/// The value of a finished field in hundredths, or the first byte that did not fit.
fn finish(s: State) -> Result<Option<i32>, u8> {
    let (negative, hundredths) = match s {
        State::Blank => return Ok(None),
        State::Junk(b) => return Err(b),
        State::Number { negative, whole } => (negative, whole.wrapping_mul(100)),
        State::Fraction { negative, whole, digits, value } => {
            let scale = [100, 10, 1][digits as usize];
            (negative, whole.wrapping_mul(100).wrapping_add(value * scale))
        }
    };
    Ok(Some(if negative { hundredths.wrapping_neg() } else { hundredths }))
}

/// Sum of the line's numbers in hundredths in the low half; in the high half the number of fields,
/// or 0x8000_0000 plus the first wrong byte.
pub fn parse(line: &[u8]) -> u64 {
    let mut state = State::Blank;
    let (mut sum, mut fields) = (0i32, 0u32);
    for &b in line {
        let token = classify(b);
        if let Token::End = token {
            match finish(state) {
                Ok(Some(v)) => {
                    sum = sum.wrapping_add(v);
                    fields += 1;
                }
                Ok(None) => {}
                Err(wrong) => return (0x8000_0000 | wrong as u64) << 32 | sum as u32 as u64,
            }
            if b == 0 {
                break;
            }
            state = State::Blank;
        } else {
            state = step(state, token);
        }
    }
    (fields as u64) << 32 | sum as u32 as u64
}

#[mirdc::kernel(max_block = 256)]
pub fn parser(text: &[u8], mut out: PerThread<u64>) {
    let i = thread::index_x();
    let from = i.get() * LINE;
    if let (Some(line), Some(o)) = (text.get(from..from + LINE), out.at(i)) {
        *o = parse(line);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;
    use std::vec::Vec;

    fn line(s: &str) -> [u8; LINE] {
        let mut l = [0u8; LINE];
        l[..s.len()].copy_from_slice(s.as_bytes());
        l
    }

    #[test]
    fn adds_up_fields_and_names_the_first_wrong_byte() {
        let lines = [line("-12.50 ; 7; 0.255"), line(""), line("1; x2; 3"), line("5.5;;--3")];
        let text: Vec<u8> = lines.concat();
        let mut out = vec![0u64; 4];
        host::launch(1, 4, &mut out[..], |o| parser(&text, o));
        assert_eq!(out[0], 3 << 32 | (-1250i32 + 700 + 25) as u32 as u64);
        assert_eq!(out[1], 0);
        assert_eq!(out[2], (0x8000_0000u64 | b'x' as u64) << 32 | 100);
        assert_eq!(out[3], (0x8000_0000u64 | b'-' as u64) << 32 | 550);
    }
}
