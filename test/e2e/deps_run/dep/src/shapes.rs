#[derive(Clone, Copy)] pub enum Shape { Circle { r: f32 }, Rect { w: f32, h: f32 }, Dot }
impl Shape { #[inline(never)] pub fn area(&self) -> f32 { match *self { Shape::Circle { r } => r * r * 3.0, Shape::Rect { w, h } => w * h, Shape::Dot => 0.0 } } }
pub trait Area { fn all(&self) -> f32; }
impl<const N: usize> Area for [Shape; N] { fn all(&self) -> f32 { self.iter().map(|s| s.area()).sum() } }
