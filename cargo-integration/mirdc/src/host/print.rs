//! printf and assert of simulated threads, in Rust so that the output is captured by the test
//! runner like all other output.

use core::ffi::{c_char, CStr};
use std::string::String;

/// Walks the packed arguments: each at a multiple of its own size.
struct Args {
    next: *const u8,
    used: usize,
    len: usize,
}
impl Args {
    fn bytes(&mut self, n: usize) -> u64 {
        self.used = self.used.next_multiple_of(n);
        assert!(self.used + n <= self.len, "printf: fewer arguments than conversions");
        let mut v = 0u64;
        // SAFETY: inside the area given; little-endian.
        unsafe {
            core::ptr::copy_nonoverlapping(self.next.add(self.used), (&raw mut v).cast::<u8>(), n);
        }
        self.used += n;
        v
    }
}

/// # Safety
/// `fmt` ends with zero; `args` has `n` bytes packed as the format asks.
pub unsafe fn printf(fmt: *const u8, args: *const u8, n: u32) -> i32 {
    let fmt = unsafe { CStr::from_ptr(fmt.cast::<c_char>()) };
    let mut args = Args { next: args, used: 0, len: n as usize };
    let mut count = 0;
    let text = unsafe { format(fmt.to_bytes(), &mut args, &mut count) };
    std::print!("{text}");
    count
}

unsafe fn format(fmt: &[u8], args: &mut Args, count: &mut i32) -> String {
    let fmt = String::from_utf8_lossy(fmt);
    let mut out = String::new();
    let mut rest = &fmt[..];
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| c.is_ascii_alphabetic() && !"hlzjt".contains(c) || c == '%');
        let Some(end) = end else { break };
        let (spec, conv) = (&rest[..end], rest.as_bytes()[end]);
        rest = &rest[end + 1..];
        if conv == b'%' {
            out.push('%');
            continue;
        }
        unsafe { one(&mut out, spec, conv, args) };
        *count += 1;
    }
    out.push_str(rest);
    out
}

/// One conversion through the C library, which knows flags, width and precision.
unsafe fn one(out: &mut String, spec: &str, conv: u8, args: &mut Args) {
    unsafe extern "C" {
        fn snprintf(buf: *mut c_char, n: usize, fmt: *const c_char, ...) -> i32;
    }
    let long = spec.contains(['l', 'z', 'j', 't']);
    let flags: String = spec.chars().filter(|c| !c.is_ascii_alphabetic()).collect();
    let mut buf = [0u8; 512];
    let p = buf.as_mut_ptr().cast::<c_char>();
    let c_fmt = std::format!("%{flags}{}{}\0", if long { "l" } else { "" }, conv as char);
    let f = c_fmt.as_ptr().cast::<c_char>();
    // SAFETY: the conversion and the value agree, and the buffer's size is given.
    unsafe {
        match conv {
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => {
                snprintf(p, buf.len(), f, f64::from_bits(args.bytes(8)))
            }
            b's' => {
                let text = CStr::from_ptr(args.bytes(8) as *const c_char);
                snprintf(p, buf.len(), f, text.as_ptr())
            }
            b'p' => snprintf(p, buf.len(), f, args.bytes(8)),
            _ if long => snprintf(p, buf.len(), f, args.bytes(8)),
            _ => snprintf(p, buf.len(), f, args.bytes(4) as u32),
        };
    }
    let n = buf.iter().position(|&b| b == 0).unwrap_or(0);
    out.push_str(&String::from_utf8_lossy(&buf[..n]));
}

/// # Safety
/// The texts end with zero.
pub unsafe fn assert_fail(msg: *const u8, file: *const u8, line: u32, _func: *const u8) -> ! {
    let text = |p: *const u8| unsafe { CStr::from_ptr(p.cast::<c_char>()) }.to_string_lossy();
    panic!("{}:{line}: device assertion failed: {}", text(file), text(msg))
}
