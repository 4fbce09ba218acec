//! What the macros write into kernel descriptors.
#![allow(clippy::too_many_arguments)]
use mirdc::prelude::*;
use mirdc::rt;
use mirdc::{kernel_of, KernelArg};

#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
struct Camera {
    id: u8,
    pos: [f32; 3],
    scale: f64,
}

#[derive(Clone, Copy, KernelArg)]
struct Pair<T>(T, u16)
where
    T: Copy;

#[derive(Clone, Copy, KernelArg)]
#[allow(dead_code)]
enum Mode {
    Off,
    On(u32),
}

mod inner {
    use super::*;
    #[mirdc::kernel(block = (16, 8), min_blocks = 2, dynamic_shared = 64 * 4)]
    pub unsafe fn all<'a>(
        n: usize,
        p: *const f32,
        x: &'a [f32],
        mut y: PerThread<'a, f32>,
        cam: Camera,
        _: (u8, u32),
        Pair(a, _): Pair<f32>,
        _mode: Mode,
        _nothing: (),
        h: F16,
    ) {
        let _ = (n, p, x, cam.id, cam.pos, cam.scale, a, h);
        y.mine();
    }
}

#[test]
fn a_descriptor_holds_names_facts_and_parameters() {
    let k = kernel_of!(inner::all);
    assert_eq!((k.magic, k.protocol), (rt::MAGIC, 1));
    assert_eq!(k.flags, rt::FLAG_BLOCK | rt::FLAG_MIN_BLOCKS | rt::FLAG_DYNAMIC_SHARED);
    assert_eq!((k.block, k.max_block, k.min_blocks), ([16, 8, 1], 0, 2));
    assert_eq!((k.dyn_shared, k.dyn_shared_align), (256, 16));
    assert_eq!((k.name.get(), k.path.get()), ("all", "descriptor::inner::all"));
    let got: Vec<_> = k.params().iter().map(|p| (p.name.get(), p.size, p.align, p.kind)).collect();
    let want = [
        ("n", 8, 8, rt::KIND_SCALAR),
        ("p", 8, 8, rt::KIND_POINTER),
        ("x", 16, 8, rt::KIND_SLICE),
        ("y", 16, 8, rt::KIND_SLICE),
        ("cam", 24, 8, rt::KIND_AGGREGATE),
        ("arg5", 8, 4, rt::KIND_AGGREGATE),
        ("arg6", 8, 4, rt::KIND_AGGREGATE),
        ("_mode", 8, 4, rt::KIND_AGGREGATE),
        ("_nothing", 0, 1, rt::KIND_AGGREGATE),
        ("h", 2, 2, rt::KIND_SCALAR),
    ];
    assert_eq!(got, want);
}

#[test]
fn fields_of_structs_and_tuples_have_their_offsets() {
    let k = kernel_of!(inner::all);
    let fields = |i: usize| -> Vec<_> {
        let p: &rt::Param = &k.params()[i];
        p.fields().iter().map(|f| (f.name.get(), f.offset, f.size, f.align)).collect()
    };
    assert_eq!(fields(4), [("id", 0, 1, 1), ("pos", 4, 12, 4), ("scale", 16, 8, 8)]);
    let tuple = fields(5);
    assert_eq!((tuple[0].0, tuple[0].1), ("0", core::mem::offset_of!((u8, u32), 0) as u64));
    assert_eq!((tuple[1].0, tuple[1].1), ("1", core::mem::offset_of!((u8, u32), 1) as u64));
    let pair = fields(6);
    assert_eq!(pair[1], ("1", core::mem::offset_of!(Pair<f32>, 1) as u64, 2, 2));
    assert!(fields(7).is_empty() && fields(0).is_empty());
}

#[mirdc::kernel(max_block = 128, cluster = (2, 1), instances(<f32, 3>, big = <u64, { 2 + 2 }>))]
fn scale<T: Copy + core::ops::MulAssign + KernelArg + mirdc::Element, const N: usize>(
    k: T,
    mut v: PerThread<'_, [T; N]>,
) {
    if let Some(v) = v.mine() {
        for x in v {
            *x *= k;
        }
    }
}

#[test]
fn instances_of_a_generic_kernel_are_kernels_of_their_own() {
    let (a, b) = (kernel_of!(scale_f32_3), kernel_of!(big));
    assert_eq!((a.name.get(), b.name.get()), ("scale_f32_3", "big"));
    assert_eq!((a.params()[0].size, b.params()[0].size), (4, 8));
    assert_eq!(a.flags, rt::FLAG_MAX_BLOCK | rt::FLAG_CLUSTER);
    assert_eq!((a.cluster, a.max_block), ([2, 1, 1], 128));
    assert_ne!(a.entry, b.entry);
    let mut v = [[1.0f32, 2.0, 3.0]; 2];
    host::launch(1, 2, &mut v[..], |v| scale(2.0, v));
    assert_eq!(v, [[2.0, 4.0, 6.0]; 2]);
}

const SIDE: u32 = 8;

#[mirdc::kernel(block = (SIDE, SIDE * 2))]
fn sized_by_a_constant() {}

#[test]
fn facts_may_be_constant_expressions() {
    assert_eq!(kernel_of!(sized_by_a_constant).block, [8, 16, 1]);
    assert!(kernel_of!(sized_by_a_constant).params().is_empty());
}

#[test]
fn a_kernel_inside_a_function_has_a_descriptor() {
    #[mirdc::kernel]
    fn local(_x: &[u8]) {}
    assert_eq!(kernel_of!(local).name.get(), "local");
}

#[mirdc::device_export]
pub extern "C" fn mirdc_test_twice(x: f32) -> f32 {
    2.0 * x
}

#[test]
fn an_exported_function_is_marked_as_such() {
    assert_eq!(__mirdc_export_mirdc_test_twice.flags, rt::FLAG_EXPORT);
    assert_eq!(mirdc_test_twice(4.0), 8.0);
}

#[cfg(any())]
#[mirdc::kernel]
fn not_there(x: Missing) {}
