// Constants that are string literals: their bytes are printed nowhere but in a run of their own.
struct A;
struct B;
const NAME: &str = "grüße";
const RAW: &'static [u8] = br#"a"b"#;
const JOINED: &str = concat!("x", 1, 'c');
const OTHER: &str = JOINED;
mod inner { const HIDDEN: &str = "hidden"; pub fn get(i: usize) -> u8 { HIDDEN.as_bytes()[i % HIDDEN.len()] } }
trait Named { const N: &'static str; const D: &'static str = "dflt"; fn sum(&self) -> u64 { Self::N.bytes().chain(Self::D.bytes()).map(u64::from).sum() } }
impl Named for A { const N: &'static str = "A"; }
impl Named for B { const N: &'static str = "Bee"; const D: &'static str = "own"; }

macro_rules! text { ($n:ident = $v:expr) => { pub(super) const $n: &str = $v; } }
mod outer {
    mod deep { text!(IN_MODULE = "by a macro"); }
    pub fn get(i: usize) -> u8 { deep::IN_MODULE.as_bytes()[i % deep::IN_MODULE.len()] }
}

tests! {
    length_of_const(a, b) { NAME.len() as u64 + a }
    lengths_of_consts(a, b) { (NAME.len() + RAW.len() * 16 + JOINED.len() * 256 + OTHER.len() * 4096) as u64 ^ a }
    bytes_of_const(a, b) { const MSG: &str = "inside"; NAME.bytes().fold(a, |s, c| s.wrapping_mul(31).wrapping_add(c as u64)) ^ MSG.as_bytes()[b as usize % MSG.len()] as u64 }
    chars_of_const(a, b) { NAME.chars().fold(a, |s, c| s.wrapping_mul(31) ^ c as u64) ^ RAW[b as usize % 3] as u64 ^ (OTHER == "x1c") as u64 }
    hidden_const(a, b) { inner::get(a as usize) as u64 }
    string_of_trait(a, b) { A.sum() ^ B.sum() << 20 ^ A::N.len() as u64 ^ a }
    const_by_macro(a, b) { macro_rules! here { ($v:literal) => { const Q: &[u8] = $v; } } here!(b"in a body"); outer::get(a as usize) as u64 ^ Q[b as usize % 9] as u64 }
}
