// args: --entry k
pub fn k(x: u32) -> u32 {
    let m = std::sync::Mutex::new(x);
    *m.lock().unwrap() //~ MD0174 use the atomics of `core::sync::atomic`
}
