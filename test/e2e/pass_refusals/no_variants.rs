// args: --entry k
// debug-info: s/name: "Spade"/name: "Club"/
#[derive(Clone, Copy)]
pub enum Card {
    Spade(u32),
    Joker,
}
pub fn k(c: Card) -> u32 {
    match c {
        Card::Spade(n) => n, //~ MD0177 variant `Spade` of `Card` is not known
        Card::Joker => 0,
    }
}
