//! Black-Scholes prices of European options: exp, ln, sqrt and a polynomial for the normal
//! distribution, one option a thread.
#![no_std]

use mirdc::prelude::*;

/// What all options of a run share.
#[repr(C)]
#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct Market {
    pub rate: f32,
    pub volatility: f32,
}

/// The cumulative normal distribution (Abramowitz and Stegun 26.2.17).
fn normal(d: f32) -> f32 {
    const A: [f32; 5] = [0.319_381_53, -0.356_563_78, 1.781_477_9, -1.821_255_9, 1.330_274_5];
    const RSQRT_2PI: f32 = 0.398_942_28;
    let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
    let poly = A.iter().rev().fold(0.0, |acc, a| (acc + a) * k);
    let tail = RSQRT_2PI * (-0.5 * d * d).exp() * poly;
    if d > 0.0 { 1.0 - tail } else { tail }
}

#[mirdc::kernel(max_block = 256)]
pub fn black_scholes(
    price: &[f32],
    strike: &[f32],
    years: &[f32],
    market: Market,
    mut call: PerThread<f32>,
    mut put: PerThread<f32>,
) {
    let i = thread::index_x();
    let n = i.get();
    if n >= price.len() {
        return;
    }
    let (s, x, t) = (price[n], strike[n], years[n]);
    let spread = market.volatility * t.sqrt();
    let d1 = ((s / x).ln() + (market.rate + 0.5 * market.volatility * market.volatility) * t) / spread;
    let d2 = d1 - spread;
    let discounted = x * (-market.rate * t).exp();
    let (n1, n2) = (normal(d1), normal(d2));
    if let Some(c) = call.at(i) {
        *c = s * n1 - discounted * n2;
    }
    if let Some(p) = put.at(i) {
        *p = discounted * (1.0 - n2) - s * (1.0 - n1);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec;

    #[test]
    fn call_and_put_keep_their_parity() {
        let price = [100.0f32, 90.0, 20.0, 5.0];
        let strike = [100.0f32, 110.0, 10.0, 50.0];
        let years = [1.0f32, 0.5, 2.0, 10.0];
        let market = Market { rate: 0.02, volatility: 0.3 };
        let (mut call, mut put) = (vec![0.0f32; 4], vec![0.0f32; 4]);
        host::launch(1, 8, (&mut call[..], &mut put[..]), |(c, p)| {
            black_scholes(&price, &strike, &years, market, c, p)
        });
        assert!((call[0] - 12.8216).abs() < 2e-3, "{}", call[0]);
        for i in 0..4 {
            let parity = price[i] - strike[i] * (-market.rate * years[i]).exp();
            assert!((call[i] - put[i] - parity).abs() < 1e-3);
        }
    }
}
