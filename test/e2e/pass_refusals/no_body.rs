// args: --entry sorted
pub fn sorted(x: &mut [u32]) {
    x.sort_unstable(); //~ MD0174 write the sort in this crate
}
