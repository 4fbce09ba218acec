// Chains so long that rustc leaves part of them: a wrapper around the exported function has the rest flattened.
tests! {
    scan_take_while(a, b) { let x = [a as u32 % 50, b as u32 % 40, 3, 9]; x.iter().scan(1u32, |s, v| { *s = s.wrapping_mul(*v | 1); Some(*s) }).take_while(|v| *v < 1 << 20).count() as u64 }
    step_flat_map(a, b) { (1..=a as u32 % 9).rev().step_by(2).flat_map(|i| (0..i).map(move |j| i * j)).sum::<u32>() as u64 ^ b }
    skip_while_last(a, b) { let x = [a as u32 % 50, b as u32 % 40, 3, 9]; x.iter().enumerate().rev().skip_while(|(_, v)| **v < 5).map(|(i, v)| i as u32 * v).last().unwrap_or(7) as u64 }
    windows_max(a, b) { let x = [a as u32 % 50, b as u32 % 40, 3, 9]; x.windows(2).map(|w| w[0].abs_diff(w[1])).max().unwrap() as u64 }
    change_map_fold(a, b) { let mut x = [a as u32, b as u32, 3, 9]; x.iter_mut().map(|v| { *v = v.rotate_left(1); *v }).fold(0u32, |s, v| s.wrapping_mul(7).wrapping_add(v)) as u64 ^ x[1] as u64 }
}
