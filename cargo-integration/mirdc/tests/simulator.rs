//! Kernels run on the CPU: indices, barriers, shared memory, warps, atomics, printf.
use mirdc::prelude::*;
use mirdc::{Ordering::*, Scope::*};

#[mirdc::kernel]
fn square(x: &[u32], mut y: PerThread<u32>) {
    let i = thread::index();
    if let Some(out) = y.at(i) {
        *out = x[i.get()] * x[i.get()];
    }
}

#[test]
fn each_thread_writes_the_element_of_its_own_index() {
    let x: Vec<u32> = (0..100).collect();
    let mut y = vec![7; 100];
    host::launch((2, 2), (3, 3, 3), &mut y[..], |y| square(&x, y));
    assert!(y.iter().enumerate().all(|(i, &v)| v == (i * i) as u32 || i >= 108));
}

#[test]
fn a_kernel_called_outside_a_launch_is_one_thread() {
    let mut y = [0; 3];
    square(&[5, 6, 7], unsafe { PerThread::from_raw_parts(y.as_mut_ptr(), 3) });
    assert_eq!(y, [25, 0, 0]);
}

#[mirdc::kernel(block = 64)]
fn block_sum(x: &[u32], sums: Buffer<u32>) {
    let part = shared![u32; 64];
    let t = thread::x() as usize;
    part.set(t, x[thread::global_x()]);
    barrier();
    let mut step = 32;
    while step > 0 {
        if t < step {
            part.set(t, part.get(t) + part.get(t + step));
        }
        barrier();
        step /= 2;
    }
    if t == 0 {
        sums.set(block::x() as usize, part.get(0));
    }
}

#[test]
fn a_reduction_through_shared_memory_is_right_in_every_block() {
    let x: Vec<u32> = (0..256).collect();
    let mut sums = vec![0; 4];
    host::launch_blocks(4, 64, 0, host::buffer(&mut sums), |s| block_sum(&x, s));
    let want: Vec<u32> = x.chunks(64).map(|c| c.iter().sum()).collect();
    assert_eq!(sums, want);
}

#[test]
fn threads_that_return_early_do_not_hold_up_a_barrier() {
    let mut out = vec![0u32; 33];
    host::launch_blocks(1, 33, 0, host::buffer(&mut out), |out| {
        if thread::x() >= 30 {
            return;
        }
        out.set(thread::x() as usize, thread::barrier_count(thread::x() % 3 == 0));
    });
    assert!(out[..30].iter().all(|&n| n == 10));
}

#[test]
#[should_panic(expected = "needs host::launch_blocks")]
fn a_barrier_in_a_sequential_launch_is_refused() {
    host::launch(1, 2, (), |()| barrier());
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_panic_in_one_thread_ends_the_launch_with_its_message() {
    let s = [1u32, 2];
    host::launch_blocks(1, 4, 0, (), |()| {
        let i = thread::x() as usize;
        let v = if i == 3 { s[i] } else { 0 };
        barrier();
        assert_eq!(v, 0);
    });
}

fn on_a_warp(f: impl Fn(u32) -> u64 + Sync) -> Vec<u64> {
    let mut out = vec![0u64; 32];
    host::launch_blocks(1, 32, 0, host::buffer(&mut out), |out| {
        out.set(thread::x() as usize, f(warp::lane()));
    });
    out
}

#[test]
fn shuffles_move_values_as_the_hardware_does() {
    let f = on_a_warp(|l| warp::shuffle(l as u64 * 10, 35) as u64);
    assert!(f.iter().all(|&v| v == 30), "the lane is taken modulo the width: {f:?}");
    let f = on_a_warp(|l| warp::shuffle_up(l, 3) as u64);
    assert_eq!((f[2], f[3], f[31]), (2, 0, 28));
    let f = on_a_warp(|l| warp::shuffle_down_with(warp::FULL, l as f32, 3, 8) as u64);
    assert_eq!((f[0], f[4], f[5], f[12], f[13]), (3, 7, 5, 15, 13));
    let f = on_a_warp(|l| warp::shuffle_xor((l as u64) << 40 | 1, 16));
    assert_eq!((f[0], f[31]), (16 << 40 | 1, 15 << 40 | 1));
    let f = on_a_warp(|l| warp::shuffle(-(l as f64), 31).to_bits());
    assert!(f.iter().all(|&v| f64::from_bits(v) == -31.0));
}

#[test]
fn votes_matches_and_reductions_see_all_lanes() {
    assert!(on_a_warp(|l| warp::ballot(l % 2 == 1) as u64).iter().all(|&v| v == 0xaaaa_aaaa));
    assert!(on_a_warp(|l| warp::all(l < 31) as u64).iter().all(|&v| v == 0));
    assert!(on_a_warp(|l| warp::any(l == 31) as u64).iter().all(|&v| v == 1));
    assert!(on_a_warp(|_| warp::uniform(false) as u64).iter().all(|&v| v == 1));
    let m = on_a_warp(|l| warp::match_any(l % 4) as u64);
    assert_eq!((m[0], m[3]), (0x1111_1111, 0x8888_8888));
    assert!(on_a_warp(|_| warp::match_all(5u64) as u64).iter().all(|&v| v == 1));
    assert!(on_a_warp(|l| warp::match_all(l) as u64).iter().all(|&v| v == 0));
    assert!(on_a_warp(|l| warp::reduce_add(warp::FULL, l) as u64).iter().all(|&v| v == 496));
    let m = on_a_warp(|l| warp::reduce_min_i32(warp::FULL, l as i32 - 9) as i64 as u64);
    assert!(m.iter().all(|&v| v as i64 == -9));
}

#[test]
fn a_mask_takes_in_only_its_lanes() {
    let f = on_a_warp(|l| if l < 8 { warp::ballot_with(0xff, l > 5) as u64 } else { 99 });
    assert_eq!((f[0], f[7], f[8]), (0xc0, 0xc0, 99));
}

#[test]
fn parts_of_a_warp_meet_apart() {
    let f = on_a_warp(|l| {
        if l < 16 {
            (warp::reduce_add(0xffff, l) + warp::ballot_with(0xffff, l == 1)) as u64
        } else {
            warp::match_any_with(0xffff_0000, l & 1) as u64
        }
    });
    assert_eq!((f[0], f[15], f[16], f[31]), (122, 122, 0x5555_0000, 0xaaaa_0000));
}

#[test]
#[should_panic(expected = "waits for lane 3, which has ended")]
fn a_lane_that_ended_is_missed_by_a_warp_operation() {
    on_a_warp(|l| if l == 3 { 0 } else { warp::ballot(true) as u64 });
}

#[mirdc::kernel]
fn count(x: &[u8], bins: &[Atomic<u32>]) {
    let i = thread::global_x();
    if i < x.len() {
        bins[x[i] as usize % bins.len()].fetch_add(1, Relaxed, Device);
    }
}

#[test]
fn atomics_count_every_thread_once() {
    let x: Vec<u8> = (0..=255).collect();
    let bins: Vec<Atomic<u32>> = (0..4).map(|_| Atomic::new(0)).collect();
    host::launch(3, 100, (), |()| count(&x, &bins));
    assert!(bins.iter().all(|b| b.load(SeqCst, System) == 64));
}

#[test]
fn every_atomic_operation_returns_the_old_value() {
    let a = Atomic::new(10i32);
    assert_eq!(a.fetch_add(5, Relaxed, Block), 10);
    assert_eq!(a.fetch_sub(20, AcqRel, Device), 15);
    assert_eq!(a.fetch_min(-9, SeqCst, System), -5);
    assert_eq!(a.fetch_max(3, Relaxed, Device), -9);
    assert_eq!(a.fetch_and(6, Relaxed, Device), 3);
    assert_eq!(a.fetch_or(9, Relaxed, Device), 2);
    assert_eq!(a.fetch_xor(1, Relaxed, Device), 11);
    assert_eq!(a.swap(7, Relaxed, Device), 10);
    assert_eq!(a.compare_exchange(7, 8, AcqRel, Acquire, Device), Ok(7));
    assert_eq!(a.compare_exchange(7, 9, AcqRel, Acquire, Device), Err(8));
    a.store(1, Release, Device);
    assert_eq!(a.into_inner(), 1);
    let f = Atomic::new(1.5f64);
    assert_eq!(f.fetch_add(2.0, Relaxed, Device), 1.5);
    assert_eq!(f.fetch_sub(0.5, Relaxed, Device), 3.5);
    assert_eq!(f.swap(-0.0, Relaxed, Device), 3.0);
    assert_eq!(f.swap(3.5, Relaxed, Device).to_bits(), (-0.0f64).to_bits());
    assert_eq!(f.load(Acquire, Device), 3.5);
    let b = Atomic::new(-3i8);
    b.store(-4, Relaxed, Block);
    assert_eq!(b.load(Relaxed, Block), -4);
}

#[test]
fn dynamic_shared_memory_has_the_size_of_the_launch() {
    let mut out = vec![0u32; 8];
    host::launch_blocks(1, 8, 64, host::buffer(&mut out), |out| {
        let words = mirdc::dynamic_shared::<u32>(32);
        assert_eq!((mirdc::dynamic_shared_bytes(), words.len()), (64, 8));
        let t = thread::x() as usize;
        words.set(7 - t, t as u32);
        barrier();
        out.set(t, words.get(t));
    });
    assert_eq!(out, [7, 6, 5, 4, 3, 2, 1, 0]);
}

#[mirdc::kernel]
fn transpose(x: &[u32], mut y: PerThread2d<u32>) {
    let (w, h) = (y.width(), y.height());
    if let Some(out) = y.mine() {
        *out = x[thread::global_x() * h + thread::global_y()];
        let _ = w;
    }
}

#[test]
fn a_matrix_view_gives_each_thread_its_column_and_row() {
    let x: Vec<u32> = (0..12).collect();
    let mut y = vec![0; 12];
    host::launch((2, 2), (2, 4), host::matrix(&mut y, 3), |y| transpose(&x, y));
    assert_eq!(y, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
}

#[test]
fn a_grid_stride_loop_visits_every_element_once() {
    let mut y = vec![0u32; 1000];
    host::launch(2, 32, &mut y[..], |mut y| y.for_each_strided(|i, v| *v += i as u32 + 1));
    assert!(y.iter().enumerate().all(|(i, &v)| v == i as u32 + 1));
}

#[test]
#[should_panic(expected = "device trap")]
fn a_one_dimensional_index_in_a_two_dimensional_launch_traps() {
    host::launch((1, 2), 1, (), |()| {
        thread::index_x();
    });
}

static TABLE: Constant<[u32; 4]> = Constant::new([1, 2, 3, 4]);
static TOTAL: mirdc::Global<u32> = mirdc::Global::new(100);

#[test]
fn constants_and_globals_hold_their_values() {
    assert_eq!((TABLE.at(2), TABLE.get()), (3, [1, 2, 3, 4]));
    TOTAL.set(TOTAL.get() + 1);
    assert_eq!(TOTAL.atomic().fetch_add(1, Relaxed, Device), 101);
    assert_eq!(TOTAL.get(), 102);
}

#[test]
fn printf_counts_its_conversions() {
    let n = printf!("%d %5.2f %s %lu %c %p %%\n", -1i32, 2.5f32, c"text", 7u64, 'x', &1u8);
    assert_eq!(n, 6);
    assert_eq!(printf!("nothing\n"), 0);
}

#[test]
#[should_panic(expected = "device assertion failed: 1 + 1 == 3")]
fn a_failed_device_assertion_names_the_condition() {
    device_assert!(1 + 1 == 2);
    device_assert!(1 + 1 == 3);
}

#[test]
fn inline_ptx_runs_its_host_block() {
    let (a, b) = (3u32, 4u32);
    let mut r;
    ptx!("add.u32 {0}, {1}, {2};", out(u32) r, in(u32) a, in(u32) b, host { r = a + b; });
    assert_eq!(r, 7);
    r += 1;
    assert_eq!(r, 8);
}

#[test]
#[should_panic(expected = "inline PTX has no host body")]
fn inline_ptx_without_a_host_block_panics() {
    let r: u32;
    ptx!("mov.u32 {0}, %laneid;", out(u32) r, options(pure));
    assert_eq!(r, 0);
}

#[test]
fn a_thread_that_exits_does_not_end_the_launch() {
    let mut out = vec![0u32; 4];
    host::launch(1, 4, host::buffer(&mut out), |out| {
        if thread::x() == 1 {
            thread::exit();
        }
        out.set(thread::x() as usize, 1);
    });
    assert_eq!(out, [1, 0, 1, 1]);
}
