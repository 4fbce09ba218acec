// Comparisons whose library code goes through `ControlFlow`.

tests! {
    tuple_order(a, b) { ((a as i8, b) < (b as i8, a)) as u64 | ((((a, b)) == (b, a)) as u64) << 1 }
    array_eq(a, b) { let x = [a as u8, b as u8, 3, 4, 5]; let y = [b as u8, a as u8, 3, 4, 5]; (x == y) as u64 | ((x < y) as u64) << 1 }
    byte_strings(a, b) { let s: &[u8] = if a & 1 == 0 { b"hello" } else { b"help" }; (s == b"hello") as u64 | ((s < &b"help"[..]) as u64) << 1 | ((s.starts_with(b"hel")) as u64) << 2 | (s[(b % 6) as usize] as u64) << 8 }
    iter_any(a, b) { let v = [1u64, 2, a, b, 9]; (v.iter().any(|x| *x == b % 10) as u64) | (v.iter().all(|x| *x < 100) as u64) << 1 }
}
