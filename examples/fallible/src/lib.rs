//! Helpers that return `Result` and are called with `?`: checked money transfers, one a thread.
#![no_std]

use mirdc::prelude::*;

/// A transfer as the host hands it over.
#[repr(C)]
#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct Transfer {
    pub from: u32,
    pub to: u32,
    pub amount: i64,
    pub rate: u32,
}

/// Why a transfer is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    NoAccount(u32),
    NotPositive,
    TooPoor { missing: i64 },
    Overflow,
}

fn balance(accounts: &[i64], id: u32) -> Result<i64, Refusal> {
    accounts.get(id as usize).copied().ok_or(Refusal::NoAccount(id))
}

/// The fee, in parts of ten thousand, rounded up.
fn fee(amount: i64, rate: u32) -> Result<i64, Refusal> {
    let scaled = amount.checked_mul(rate as i64).ok_or(Refusal::Overflow)?;
    Ok(scaled.checked_add(9_999).ok_or(Refusal::Overflow)? / 10_000)
}

/// What the sender and the receiver would have after it.
pub fn check(accounts: &[i64], t: &Transfer) -> Result<(i64, i64), Refusal> {
    if t.amount <= 0 {
        return Err(Refusal::NotPositive);
    }
    let (from, to) = (balance(accounts, t.from)?, balance(accounts, t.to)?);
    let cost = t.amount.checked_add(fee(t.amount, t.rate)?).ok_or(Refusal::Overflow)?;
    let left = from.checked_sub(cost).ok_or(Refusal::Overflow)?;
    if left < 0 {
        return Err(Refusal::TooPoor { missing: -left });
    }
    Ok((left, to.checked_add(t.amount).ok_or(Refusal::Overflow)?))
}

/// A result in a form that the host reads: code, then two numbers.
fn encode(r: Result<(i64, i64), Refusal>) -> [i64; 3] {
    match r {
        Ok((a, b)) => [0, a, b],
        Err(Refusal::NoAccount(id)) => [1, id as i64, 0],
        Err(Refusal::NotPositive) => [2, 0, 0],
        Err(Refusal::TooPoor { missing }) => [3, missing, 0],
        Err(Refusal::Overflow) => [4, 0, 0],
    }
}

#[mirdc::kernel(max_block = 256)]
pub fn fallible(accounts: &[i64], transfers: &[Transfer], mut out: PerThread<[i64; 3]>) {
    let i = thread::index_x();
    if let (Some(t), Some(o)) = (transfers.get(i.get()), out.at(i)) {
        *o = encode(check(accounts, t));
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;

    #[test]
    fn each_refusal_has_its_case() {
        let accounts = [1000i64, 50, i64::MAX];
        let t = |from, to, amount, rate| Transfer { from, to, amount, rate };
        let all = [t(0, 1, 100, 250), t(0, 9, 1, 0), t(7, 9, 1, 0), t(0, 1, 0, 0),
                   t(1, 0, 50, 1), t(0, 2, 1, 0), t(0, 1, i64::MAX, 2)];
        let mut out = vec![[9i64; 3]; all.len()];
        host::launch(1, 8, &mut out[..], |o| fallible(&accounts, &all, o));
        assert_eq!(out, [[0, 897, 150], [1, 9, 0], [1, 7, 0], [2, 0, 0], [3, 1, 0], [4, 0, 0],
                         [4, 0, 0]]);
    }
}
