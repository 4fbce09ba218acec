// each TYPE: i8 u8 i16 u16 i32 u32 i64 u64 i128 u128
//
// Arithmetic of every width. `wide_TYPE` makes a value of 128 bits out of the two arguments.
fn wide_TYPE(a: u64, b: u64) -> TYPE { ((a as u128) << 64 | (b.rotate_left(17) as u128)) as TYPE ^ (a as TYPE) }
fn out_TYPE(x: TYPE) -> u64 { (x as u128 as u64) ^ ((x as u128 >> 64) as u64).rotate_left(7) }

tests! {
    add_TYPE(a, b) { out_TYPE(wide_TYPE(a, b) + b as TYPE) }
    sub_TYPE(a, b) { out_TYPE(wide_TYPE(a, b) - b as TYPE) }
    mul_TYPE(a, b) { out_TYPE(wide_TYPE(a, b) * b as TYPE) }
    small_mul_TYPE(a, b) { out_TYPE((a as TYPE) * (b as TYPE)) }
    div_TYPE(a, b) { out_TYPE(wide_TYPE(a, b) / b as TYPE) }
    rem_TYPE(a, b) { out_TYPE(wide_TYPE(a, b) % b as TYPE) }
    div_small_TYPE(a, b) { out_TYPE((a as TYPE) / (b as TYPE)) }
    rem_small_TYPE(a, b) { out_TYPE((a as TYPE) % (b as TYPE)) }
    div_swapped_TYPE(a, b) { out_TYPE(b as TYPE / wide_TYPE(a, b)) }
    shl_TYPE(a, b) { out_TYPE(wide_TYPE(a, b) << (b as u32)) }
    shr_TYPE(a, b) { out_TYPE(wide_TYPE(a, b) >> (b as u32)) }
    shl_by_i8_TYPE(a, b) { out_TYPE(wide_TYPE(a, b) << (b as i8)) }
    shr_by_u64_TYPE(a, b) { out_TYPE(wide_TYPE(a, b) >> b) }
    shl_by_u128_TYPE(a, b) { out_TYPE(wide_TYPE(b, a) << (b as u128 % 200)) }
    wrapping_shl_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).wrapping_shl(b as u32)) }
    wrapping_shr_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).wrapping_shr(b as u32)) }
    checked_shl_TYPE(a, b) { match wide_TYPE(a, b).checked_shl(b as u32) { Some(x) => out_TYPE(x), None => 77 } }
    not_TYPE(a, b) { out_TYPE(!wide_TYPE(a, b)) }
    bits_TYPE(a, b) { out_TYPE((wide_TYPE(a, b) & b as TYPE) | (wide_TYPE(b, a) ^ a as TYPE)) }
    wrapping_add_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).wrapping_add(wide_TYPE(b, a))) }
    wrapping_sub_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).wrapping_sub(wide_TYPE(b, a))) }
    wrapping_mul_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).wrapping_mul(wide_TYPE(b, a))) }
    wrapping_neg_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).wrapping_neg()) }
    wrapping_div_TYPE(a, b) { if b as TYPE == 0 { 1 } else { out_TYPE(wide_TYPE(a, b).wrapping_div(b as TYPE)) } }
    wrapping_rem_TYPE(a, b) { if b as TYPE == 0 { 1 } else { out_TYPE(wide_TYPE(a, b).wrapping_rem(b as TYPE)) } }
    checked_add_TYPE(a, b) { match wide_TYPE(a, b).checked_add(wide_TYPE(b, a)) { Some(x) => out_TYPE(x), None => 5 } }
    checked_sub_TYPE(a, b) { match wide_TYPE(a, b).checked_sub(wide_TYPE(b, a)) { Some(x) => out_TYPE(x), None => 5 } }
    checked_mul_TYPE(a, b) { match wide_TYPE(a, b).checked_mul(b as TYPE) { Some(x) => out_TYPE(x), None => 5 } }
    checked_mul2_TYPE(a, b) { match (a as TYPE).checked_mul(b as TYPE) { Some(x) => out_TYPE(x), None => 5 } }
    checked_div_TYPE(a, b) { match wide_TYPE(a, b).checked_div(b as TYPE) { Some(x) => out_TYPE(x), None => 5 } }
    checked_rem_TYPE(a, b) { match wide_TYPE(a, b).checked_rem(b as TYPE) { Some(x) => out_TYPE(x), None => 5 } }
    checked_neg_TYPE(a, b) { match wide_TYPE(a, b).checked_neg() { Some(x) => out_TYPE(x), None => 5 } }
    saturating_add_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).saturating_add(wide_TYPE(b, a))) }
    saturating_sub_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).saturating_sub(wide_TYPE(b, a))) }
    saturating_mul_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).saturating_mul(b as TYPE)) }
    overflowing_add_TYPE(a, b) { let (x, o) = wide_TYPE(a, b).overflowing_add(b as TYPE); out_TYPE(x) ^ (o as u64) << 63 }
    overflowing_sub_TYPE(a, b) { let (x, o) = wide_TYPE(a, b).overflowing_sub(b as TYPE); out_TYPE(x) ^ (o as u64) << 63 }
    overflowing_mul_TYPE(a, b) { let (x, o) = wide_TYPE(a, b).overflowing_mul(b as TYPE); out_TYPE(x) ^ (o as u64) << 63 }
    count_ones_TYPE(a, b) { wide_TYPE(a, b).count_ones() as u64 }
    leading_zeros_TYPE(a, b) { wide_TYPE(a, b).leading_zeros() as u64 | (a as TYPE).leading_zeros() as u64 * 1000 }
    trailing_zeros_TYPE(a, b) { wide_TYPE(a, b).trailing_zeros() as u64 | (a as TYPE).trailing_zeros() as u64 * 1000 }
    leading_ones_TYPE(a, b) { wide_TYPE(a, b).leading_ones() as u64 }
    swap_bytes_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).swap_bytes()) }
    reverse_bits_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).reverse_bits()) }
    rotate_left_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).rotate_left(b as u32)) }
    rotate_right_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).rotate_right(b as u32)) }
    compare_TYPE(a, b) { let (x, y) = (wide_TYPE(a, b), b as TYPE); (x < y) as u64 | ((x <= y) as u64) << 1 | ((x > y) as u64) << 2 | ((x >= y) as u64) << 3 | ((x == y) as u64) << 4 | ((x != y) as u64) << 5 | ((a as TYPE == b as TYPE) as u64) << 6 }
    ordering_TYPE(a, b) { match (a as TYPE).cmp(&(b as TYPE)) { core::cmp::Ordering::Less => 1, core::cmp::Ordering::Equal => 2, core::cmp::Ordering::Greater => 3, } }
    min_max_TYPE(a, b) { out_TYPE((a as TYPE).min(wide_TYPE(a, b))) ^ out_TYPE((b as TYPE).max(wide_TYPE(b, a))).rotate_left(9) }
    clamp_TYPE(a, b) { let (lo, hi) = if (a as TYPE) < b as TYPE { (a as TYPE, b as TYPE) } else { (b as TYPE, a as TYPE) }; out_TYPE(wide_TYPE(a, b).clamp(lo, hi)) }
    to_all_TYPE(a, b) { let x = wide_TYPE(a, b); (x as i8 as u64) ^ (x as u8 as u64).rotate_left(3) ^ (x as i16 as u64).rotate_left(5) ^ (x as u16 as u64).rotate_left(11) ^ (x as i32 as u64).rotate_left(13) ^ (x as u32 as u64).rotate_left(17) ^ (x as i64 as u64).rotate_left(19) ^ (x as u64).rotate_left(23) ^ ((x as i128 >> 40) as u64).rotate_left(29) ^ ((x as u128 >> 70) as u64).rotate_left(31) }
    to_f32_TYPE(a, b) { (wide_TYPE(a, b) as f32).to_bits() as u64 | ((a as TYPE as f32).to_bits() as u64) << 32 }
    to_f64_TYPE(a, b) { (wide_TYPE(a, b) as f64).to_bits() ^ (b as TYPE as f64).to_bits().rotate_left(32) }
    from_f32_TYPE(a, b) { out_TYPE(f32::from_bits(a as u32) as TYPE) ^ out_TYPE(f32::from_bits(b as u32) as TYPE).rotate_left(21) }
    from_f64_TYPE(a, b) { out_TYPE(f64::from_bits(a) as TYPE) ^ out_TYPE(f64::from_bits(b) as TYPE).rotate_left(21) }
    from_scaled_TYPE(a, b) { out_TYPE((a as f64 * 1e3) as TYPE) ^ out_TYPE((-(b as f64) * 1e22) as TYPE) ^ out_TYPE((b as f32 * 1e25) as TYPE) }
    pow_TYPE(a, b) { out_TYPE((a as TYPE).wrapping_pow((b & 31) as u32)) }
    is_power_TYPE(a, b) { (wide_TYPE(a, b).count_ones() == 1) as u64 }
    match_TYPE(a, b) { let r = match wide_TYPE(a, b) { 0 => 1, 1..=5 => 2, 17 => 3, 100..=127 => 4, x if x & 1 == 0 => 5, _ => 6 }; r + b % 3 }
    abs_diff_TYPE(a, b) { let d = wide_TYPE(a, b).abs_diff(b as TYPE); d as u64 ^ (d as u128 >> 64) as u64 }
    ilog_TYPE(a, b) { match wide_TYPE(a, b).checked_ilog2() { Some(x) => x as u64, None => 99 } }
}
