//! The state of a simulated thread and block.

use std::boxed::Box;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::vec::Vec;

pub struct Context {
    grid: [u32; 3],
    block: [u32; 3],
    at: [u32; 3],
    thread: [u32; 3],
    shared: Option<Arc<Block>>,
}

impl Context {
    pub fn new(
        grid: [u32; 3],
        block: [u32; 3],
        at: [u32; 3],
        thread: [u32; 3],
        shared: Option<Arc<Block>>,
    ) -> Context {
        Context { grid, block, at, thread, shared }
    }
    pub fn linear(&self) -> usize {
        let [x, y, _] = self.block.map(|n| n as usize);
        (self.thread[2] as usize * y + self.thread[1] as usize) * x + self.thread[0] as usize
    }
    fn alone(&self) -> bool {
        self.block.iter().all(|&n| n == 1)
    }
}

std::thread_local! {
    static CURRENT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

/// Unwinds a simulated thread that called `exit`.
struct Exit;

pub fn run(ctx: Context, f: impl FnOnce()) {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            CURRENT.with(|c| *c.borrow_mut() = None);
        }
    }
    CURRENT.with(|c| *c.borrow_mut() = Some(ctx));
    let _reset = Reset;
    if let Err(e) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)) {
        if !e.is::<Exit>() {
            std::panic::resume_unwind(e);
        }
    }
}

pub fn exit_thread() -> ! {
    std::panic::resume_unwind(Box::new(Exit))
}

pub fn inside() -> bool {
    CURRENT.with(|c| c.borrow().is_some())
}

fn read<T>(default: T, f: impl FnOnce(&Context) -> T) -> T {
    CURRENT.with(|c| c.borrow().as_ref().map_or(default, f))
}
pub fn thread(i: usize) -> u32 {
    read(0, |c| c.thread[i])
}
pub fn block_size(i: usize) -> u32 {
    read(1, |c| c.block[i])
}
pub fn block(i: usize) -> u32 {
    read(0, |c| c.at[i])
}
pub fn grid_size(i: usize) -> u32 {
    read(1, |c| c.grid[i])
}
fn linear() -> usize {
    read(0, Context::linear)
}
pub fn lane() -> u32 {
    linear() as u32 % 32
}
pub fn warp() -> u32 {
    linear() as u32 / 32
}

pub fn nanos() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}
pub fn sleep(ns: u32) {
    std::thread::sleep(std::time::Duration::from_nanos(ns as u64));
}

pub fn ordering(o: u32) -> core::sync::atomic::Ordering {
    use core::sync::atomic::Ordering::*;
    [Relaxed, Acquire, Release, AcqRel, SeqCst][o as usize]
}
pub fn fence(o: u32) {
    if o != 0 {
        core::sync::atomic::fence(ordering(o));
    }
}

/// Where `lanes` of a warp, or the threads of a block, meet.
struct Meeting {
    arrived: Vec<bool>,
    values: Vec<u64>,
    round: u64,
    result: Vec<u64>,
}
impl Meeting {
    fn of(n: usize) -> Meeting {
        Meeting {
            arrived: std::vec![false; n],
            values: std::vec![0; n],
            round: 0,
            result: Vec::new(),
        }
    }
}

/// What the threads of a block share.
pub struct Block {
    state: Mutex<State>,
    changed: Condvar,
    dynamic: Box<[u128]>,
    dynamic_bytes: usize,
}
struct State {
    gone: Vec<bool>,
    failed: bool,
    block: Meeting,
    /// By warp and mask: parts of a warp may be at different places.
    warps: BTreeMap<(usize, u32), Meeting>,
}

impl Block {
    pub fn new(threads: usize, dynamic: usize) -> Block {
        Block {
            state: Mutex::new(State {
                gone: std::vec![false; threads],
                failed: false,
                block: Meeting::of(threads),
                warps: BTreeMap::new(),
            }),
            changed: Condvar::new(),
            dynamic: std::vec![0; dynamic.div_ceil(16)].into(),
            dynamic_bytes: dynamic,
        }
    }

    /// A thread that panics here must not take the others' view of the state with it.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
    fn wait<'a>(&self, s: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(s).unwrap_or_else(|e| e.into_inner())
    }

    /// A thread that ends, well or not: the others no longer wait for it.
    pub fn leave(&self, linear: usize, failed: bool) {
        let mut s = self.lock();
        s.gone[linear] = true;
        s.failed |= failed;
        let gone = s.gone.clone();
        settle(&mut s.block, |i| gone[i]);
        self.changed.notify_all();
    }

    /// Waits for all threads of the block that have not ended; gives everyone's values.
    fn meet_block(&self, linear: usize, value: u64) -> Vec<u64> {
        let mut s = self.lock();
        let round = s.block.round;
        s.block.arrived[linear] = true;
        s.block.values[linear] = value;
        let gone = s.gone.clone();
        settle(&mut s.block, |i| gone[i]);
        self.changed.notify_all();
        while s.block.round == round && !s.failed {
            s = self.wait(s);
        }
        check(&s, s.block.round == round);
        s.block.result.clone()
    }

    fn meet_warp(&self, linear: usize, mask: u32, value: u64) -> Vec<u64> {
        let (warp, lane) = (linear / 32, linear % 32);
        assert!(mask >> lane & 1 == 1, "a warp operation whose mask {mask:#x} lacks lane {lane}");
        let mut s = self.lock();
        let base = warp * 32;
        let absent: Vec<bool> =
            (0..32).map(|i| mask >> i & 1 == 0 || base + i >= s.gone.len()).collect();
        let key = (warp, mask);
        let m = s.warps.entry(key).or_insert_with(|| Meeting::of(32));
        let round = m.round;
        m.arrived[lane] = true;
        m.values[lane] = value;
        settle(m, |i| absent[i]);
        self.changed.notify_all();
        while s.warps[&key].round == round && !s.failed {
            let lost = (0..32).find(|&i| !absent[i] && s.gone[base + i]);
            if let Some(i) = lost {
                panic!("a warp operation waits for lane {i}, which has ended");
            }
            s = self.wait(s);
        }
        check(&s, s.warps[&key].round == round);
        s.warps[&key].result.clone()
    }
}

/// Ends the round if all that count have arrived.
fn settle(m: &mut Meeting, excused: impl Fn(usize) -> bool) {
    let n = m.arrived.len();
    if m.arrived.iter().any(|&a| a) && (0..n).all(|i| m.arrived[i] || excused(i)) {
        m.result = m.values.clone();
        m.result.extend(m.arrived.iter().map(|&a| a as u64));
        m.arrived.fill(false);
        m.round += 1;
    }
}

fn check(s: &State, unfinished: bool) {
    if s.failed && unfinished {
        // Another thread's panic is the one to report.
        exit_thread();
    }
}

fn current(what: &str) -> Option<(Arc<Block>, usize)> {
    CURRENT.with(|c| {
        let c = c.borrow();
        let ctx = c.as_ref()?;
        match &ctx.shared {
            Some(s) => Some((Arc::clone(s), ctx.linear())),
            None if ctx.alone() => None,
            None => panic!("{what} needs host::launch_blocks: the threads must run at once"),
        }
    })
}

/// Waits for the block; gives the number of threads with `p`.
pub fn barrier(p: bool) -> u32 {
    match current("a barrier") {
        None => p as u32,
        Some((b, linear)) => {
            let r = b.meet_block(linear, p as u64);
            let n = r.len() / 2;
            (0..n).filter(|&i| r[n + i] != 0 && r[i] != 0).count() as u32
        }
    }
}

/// The values of the mask's lanes; lanes outside give 0.
pub fn exchange(mask: u32, v: u64) -> [u64; 32] {
    let mut out = [0; 32];
    match current("a warp operation") {
        None => out[0] = v,
        Some((b, linear)) => {
            let r = b.meet_warp(linear, mask, v);
            for (i, o) in out.iter_mut().enumerate() {
                *o = if mask >> i & 1 == 1 && r[32 + i] != 0 { r[i] } else { 0 };
            }
        }
    }
    out
}

/// `pick(own lane, first lane of the group, last lane of the group)` names the lane to read.
pub fn shuffle(mask: u32, v: u32, width: u32, pick: impl Fn(u32, u32, u32) -> u32) -> u32 {
    assert!(width.is_power_of_two() && width <= 32, "shuffle width {width}");
    let all = exchange(mask, v as u64);
    let own = lane();
    let base = own & !(width - 1);
    all[pick(own, base, base + width - 1) as usize] as u32
}

pub fn ballot(mask: u32, p: bool) -> u32 {
    let all = exchange(mask, p as u64);
    (0..32).filter(|&i| all[i] != 0).fold(0, |m, i| m | 1 << i)
}

pub fn match_any(mask: u32, v: u64) -> u32 {
    // Two rounds, so that "absent" cannot be taken for the value 0.
    let here = ballot(mask, true);
    let all = exchange(mask, v);
    (0..32).filter(|&i| here >> i & 1 == 1 && all[i] == v).fold(0, |m, i| m | 1 << i)
}

pub fn reduce(mask: u32, v: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    let here = ballot(mask, true);
    let all = exchange(mask, v as u64);
    (0..32).filter(|&i| here >> i & 1 == 1).map(|i| all[i] as u32).reduce(f).unwrap_or(v)
}

/// The lanes of this warp that exist; which of them are at the same place is not known here.
pub fn active() -> u32 {
    CURRENT.with(|c| {
        let c = c.borrow();
        let Some(ctx) = c.as_ref() else { return 1 };
        if ctx.shared.is_none() {
            return 1 << (ctx.linear() % 32);
        }
        let threads = ctx.block.iter().map(|&n| n as usize).product::<usize>();
        let lanes = (threads - ctx.linear() / 32 * 32).min(32);
        if lanes == 32 {
            !0
        } else {
            (1 << lanes) - 1
        }
    })
}

pub fn dynamic_shared() -> (*mut u8, u32) {
    CURRENT.with(|c| match c.borrow().as_ref().and_then(|c| c.shared.as_ref()) {
        Some(b) => (b.dynamic.as_ptr().cast_mut().cast::<u8>(), b.dynamic_bytes as u32),
        None => (core::ptr::without_provenance_mut(16), 0),
    })
}
