//! For debug_info.py, which looks for the places marked `at NAME`.
#![no_std]
use mirdc::prelude::*;

#[derive(Clone, Copy, mirdc::KernelArg)]
pub struct Point {
    pub x: f32,
    pub y: f32,
    pub tag: u8,
}

pub enum Shape {
    Dot,
    Circle(f32),
    Rect { w: f32, h: f32 },
}

pub struct Node {
    pub value: u32,
    pub next: Option<&'static Node>,
}

static LAST: Node = Node { value: 9, next: None };

#[inline]
fn area(shape: &Shape) -> f32 {
    let factor = 3.0f32;
    match shape {
        Shape::Dot => 0.0,
        Shape::Circle(r) => {
            let square = *r * *r;
            factor * square // at square
        }
        Shape::Rect { w, h } => *w * *h,
    }
}

#[mirdc::kernel]
pub fn shapes(n: u32, input: &[f32], out: *mut f32, p: Point) {
    let i = thread::global_x();
    if i >= n as usize {
        return;
    }
    let fixed = [1.0f32, 2.0, p.x];
    let pair = (i as u32, p.y, -3i16);
    let shape = match i % 3 {
        0 => Shape::Dot,
        1 => Shape::Circle(p.x),
        _ => Shape::Rect { w: p.x, h: p.y },
    };
    let late: Option<u32> = if i > 5 { Some(i as u32) } else { None };
    let first: Option<&f32> = input.first().filter(|v| **v > 0.5 && i > 1);
    let node = Node { value: i as u32, next: if i == 2 { Some(&LAST) } else { None } };
    let flag = i == 2;
    let letter = 'ä';
    let mut sum = input[i];
    for k in 0..3 {
        let part = fixed[k] * sum;
        sum += part; // at loop
    }
    let sum = sum + area(&shape) + pair.1;
    let moved = |v: f32| {
        v + p.x // at closure
    };
    let all = moved(sum) + late.unwrap_or(3) as f32 + first.map_or(0.0, |v| *v);
    unsafe { *out.add(i) = all + node.value as f32 + flag as u8 as f32 + letter as u32 as f32 }; // at end
}
