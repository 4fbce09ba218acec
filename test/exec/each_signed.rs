// each TYPE: i8 i16 i32 i64 i128
fn wide_TYPE(a: u64, b: u64) -> TYPE { ((a as u128) << 64 | (b.rotate_left(17) as u128)) as TYPE ^ (a as TYPE) }
fn out_TYPE(x: TYPE) -> u64 { (x as u128 as u64) ^ ((x as u128 >> 64) as u64).rotate_left(7) }

tests! {
    neg_TYPE(a, b) { out_TYPE(-wide_TYPE(a, b)) }
    abs_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).abs()) }
    unsigned_abs_TYPE(a, b) { wide_TYPE(a, b).unsigned_abs() as u64 }
    wrapping_abs_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).wrapping_abs()) }
    overflowing_neg_TYPE(a, b) { let (x, o) = wide_TYPE(a, b).overflowing_neg(); out_TYPE(x) ^ o as u64 }
    saturating_neg_TYPE(a, b) { out_TYPE(wide_TYPE(a, b).saturating_neg()) ^ out_TYPE((a as TYPE).saturating_abs()) }
    times_minus_one_TYPE(a, b) { out_TYPE((a as TYPE).wrapping_mul(-1)) ^ out_TYPE((0 as TYPE).wrapping_sub(b as TYPE)) }
    signum_TYPE(a, b) { wide_TYPE(a, b).signum() as u64 }
    rem_euclid_TYPE(a, b) { if b as TYPE == 0 { 0 } else { out_TYPE(wide_TYPE(a, b).wrapping_rem_euclid(b as TYPE)) } }
    div_euclid_TYPE(a, b) { if b as TYPE == 0 { 0 } else { out_TYPE(wide_TYPE(a, b).wrapping_div_euclid(b as TYPE)) } }
    is_negative_TYPE(a, b) { wide_TYPE(a, b).is_negative() as u64 * 2 + (a as TYPE).is_positive() as u64 }
    neg_literal_TYPE(a, b) { out_TYPE((a as TYPE) / -1) ^ b }
    rem_literal_TYPE(a, b) { out_TYPE((a as TYPE) % -1) ^ b }
}
