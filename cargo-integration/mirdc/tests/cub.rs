//! The models of native algorithms against plain references.
use mirdc::{cub, prelude::*};

fn values(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2654435761).rotate_left(7)).collect()
}

/// One block; each thread stores what `f` makes of its value.
fn block<R: Copy + Default + Send + Sync + mirdc::Plain + mirdc::Element>(
    n: u32,
    f: impl Fn(u32) -> R + Sync,
) -> Vec<R> {
    let x = values(n);
    let mut out = vec![R::default(); n as usize];
    host::launch_blocks(1, n, 0, &mut out[..], |mut o: PerThread<R>| {
        let r = f(x[thread::x() as usize]);
        *o.mine().unwrap() = r;
    });
    out
}

#[test]
fn reductions_are_in_the_first_thread_alone() {
    macro_rules! check {
        ($($n:literal)*) => {$(
            let sum = |a: u32, b: u32| a.wrapping_add(b);
            let got = block($n, |x| cub::block_reduce::<u32, $n, _>(x, sum).map_or([0, 0], |t| [1, t]));
            assert_eq!(got[0], [1, values($n).into_iter().fold(0u32, u32::wrapping_add)]);
            assert!(got[1..].iter().all(|g| g[0] == 0));
            let max = block($n, |x| cub::block_reduce_raking::<u32, $n, _>(x, u32::max).unwrap_or(0));
            assert_eq!(max[0], values($n).into_iter().max().unwrap());
        )*};
    }
    check!(1 31 32 33 64 100 256);
}

#[test]
fn operators_that_do_not_commute_keep_their_order() {
    // Composition of x -> a*x + b, packed as two halves.
    fn then(f: u32, g: u32) -> u32 {
        let (fa, fb) = (f & 0xffff, f >> 16);
        let (ga, gb) = (g & 0xffff, g >> 16);
        ((fa * ga) & 0xffff) | (((ga * fb + gb) & 0xffff) << 16)
    }
    let want = values(256).into_iter().reduce(then).unwrap();
    assert_eq!(block(256, |x| cub::block_reduce::<u32, 256, _>(x, then).unwrap_or(0))[0], want);
    let scan = block(256, |x| cub::block_scan_inclusive::<u32, 256, _>(x, then));
    let mut all = values(256);
    for i in 1..256 {
        all[i] = then(all[i - 1], all[i]);
    }
    assert_eq!(scan, all);
}

#[test]
fn scans_start_where_they_are_told_to() {
    let x = values(64);
    let ex = block(64, |x| cub::block_scan_exclusive::<u32, 64, _>(x, 7, u32::wrapping_add));
    let mut sum = 7u32;
    for i in 0..64 {
        assert_eq!(ex[i], sum);
        sum = sum.wrapping_add(x[i]);
    }
    let run = block(64, |x| {
        let mut running = 100;
        let a = cub::block_scan_running::<u32, 64, _>(x, &mut running, u32::wrapping_add);
        let b = cub::block_scan_running::<u32, 64, _>(x, &mut running, u32::wrapping_add);
        [a, b, running]
    });
    let total = x.iter().fold(0u32, |a, b| a.wrapping_add(*b));
    let mut sum = 100u32;
    for i in 0..64 {
        sum = sum.wrapping_add(x[i]);
        assert_eq!(run[i][..2], [sum, sum.wrapping_add(total)]);
    }
    assert_eq!(run[0][2], total.wrapping_mul(2).wrapping_add(100));
}

#[test]
fn a_warp_reduces_by_itself() {
    let got = block(96, |x| cub::warp_reduce(x, u32::wrapping_add).map_or([0, 0], |t| [1, t]));
    for (w, x) in values(96).chunks(32).enumerate() {
        assert_eq!(got[w * 32], [1, x.iter().fold(0u32, |a, b| a.wrapping_add(*b))]);
        assert!(got[w * 32 + 1..w * 32 + 32].iter().all(|g| g[0] == 0));
    }
}

#[test]
fn items_of_threads() {
    let key = 0x5555;
    let got = block(32, |x| {
        let mut items = [x, x >> 3, x >> 7];
        let sum = cub::thread_reduce(&items, |a: u32, b: u32| a.wrapping_sub(b));
        cub::block_merge_sort::<u32, 32, 3, _>(&mut items, move |a, b| (a ^ key) < (b ^ key));
        [items[0], items[1], items[2], sum]
    });
    let mut all: Vec<u32> = values(32).into_iter().flat_map(|x| [x, x >> 3, x >> 7]).collect();
    for (t, x) in all.chunks(3).enumerate() {
        assert_eq!(got[t][3], x[0].wrapping_sub(x[1]).wrapping_sub(x[2]));
    }
    all.sort_by_key(|x| x ^ key);
    let sorted: Vec<u32> = got.iter().flat_map(|g| g[..3].to_vec()).collect();
    assert_eq!(sorted, all);
}

#[test]
fn neighbours_and_single_values() {
    let got = block(33, |x| {
        [
            cub::adjacent_difference::<u32, 33, _>(x, u32::wrapping_sub),
            cub::transform(x, |x: u32| x / 3),
        ]
    });
    let x = values(33);
    for i in 0..33 {
        let left = if i == 0 { x[0] } else { x[i].wrapping_sub(x[i - 1]) };
        assert_eq!(got[i], [left, x[i] / 3]);
    }
}
