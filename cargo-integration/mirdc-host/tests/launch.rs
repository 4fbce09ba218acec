//! Against a bundle with the kernels `saxpy` and `scale` and a stand-in for the CUDA driver:
//! MIRDC_TEST_BUNDLE and MIRDC_LIBCUDA say where they are (see test/e2e/cargo_host.sh).
#![cfg(feature = "link")]
use mirdc_host::{Args, Bundle};

fn bundle() -> Bundle {
    let path = std::env::var("MIRDC_TEST_BUNDLE").expect("MIRDC_TEST_BUNDLE names a bundle");
    Bundle::open_file(path).unwrap()
}

#[test]
fn kernels_are_listed_with_parameters_and_launch_facts() {
    let b = bundle();
    b.check().unwrap();
    let all = b.kernels().unwrap();
    assert_eq!(all.len(), 2);
    let (saxpy, scale) = (&all[0], &all[1]);
    assert_eq!((saxpy.name.as_str(), saxpy.path.as_str()), ("saxpy", "demo::saxpy"));
    assert_eq!((saxpy.block, saxpy.max_block, saxpy.dynamic_shared), (None, Some(256), None));
    let got: Vec<_> =
        saxpy.params.iter().map(|p| (&p.name[..], &p.ty[..], p.size, p.align)).collect();
    let want = [
        ("a", "f32", 4, 4),
        ("x", "*const f32", 8, 8),
        ("y", "*mut f32", 8, 8),
        ("n", "u32", 4, 4),
    ];
    assert_eq!(got, want);
    assert_eq!((scale.dynamic_shared, scale.param_bytes), (Some(1024), 32));
}

#[test]
fn bytes_that_are_no_bundle_are_refused_with_a_code() {
    let e = Bundle::from_bytes(b"this is no bundle, whatever it may be").err().unwrap();
    assert!(e.code.starts_with("MD05") && !e.text.is_empty(), "{e}");
    assert!(Bundle::open_file("/nowhere/at/all").is_err());
    assert!(Bundle::open_file("a\0b").is_err());
}

#[test]
fn a_kernel_runs_on_uploaded_data() {
    let gpu = bundle().load(0).unwrap();
    let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let dx = gpu.upload(&x).unwrap();
    let dy = gpu.upload(&[1.0f32; 100]).unwrap();
    let kernel = gpu.kernel("demo::saxpy").unwrap();
    let args = Args::new().value(2.0f32).value(dx.address()).value(dy.address()).value(100u32);
    // SAFETY: the arguments are those of the kernel, and the buffers have 100 elements.
    unsafe { kernel.launch(1, 128, args).unwrap() };
    gpu.sync().unwrap();
    let want: Vec<f32> = x.iter().map(|v| 2.0 * v + 1.0).collect();
    assert_eq!(dy.download().unwrap(), want);
    assert_eq!((dy.len(), dy.is_empty()), (100, false));
}

#[test]
fn slices_structs_and_constants_reach_the_kernel() {
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Pair {
        scale: f32,
        bias: f64,
    }
    let gpu = bundle().load(0).unwrap();
    let mut table = [0.0f32; 64];
    table[1] = 100.0;
    gpu.set_global("TABLE", &table).unwrap();
    assert_eq!(unsafe { gpu.get_global::<[f32; 64]>("TABLE") }.unwrap()[1], 100.0);
    let mut data = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let kernel = gpu.kernel("scale").unwrap();
    let args = Args::new().slice_mut(&mut data).value(Pair { scale: 10.0, bias: 0.5 }).value(());
    // SAFETY: the arguments are those of the kernel.
    unsafe { kernel.launch((1, 1, 1), 4, args).unwrap() };
    gpu.sync().unwrap();
    assert_eq!(data.download().unwrap(), [10.5, 120.5, 30.5, 40.5]);
}

#[test]
fn a_launch_that_breaks_the_facts_is_refused_before_it_starts() {
    let gpu = bundle().load(0).unwrap();
    let y = gpu.upload(&[0.0f32]).unwrap();
    let kernel = gpu.kernel("saxpy").unwrap();
    let args = || Args::new().value(2.0f32).value(y.address()).value(y.address()).value(1u32);
    let e = unsafe { kernel.launch(1, 512, args()) }.unwrap_err();
    assert!(e.text.contains("256"), "{e}");
    let e = unsafe { kernel.launch(1, 32, args().value(1u64)) }.unwrap_err();
    assert!(e.text.contains("argument"), "{e}");
    let e = unsafe { kernel.launch_with(1, 32, 1 << 30, args()) }.unwrap_err();
    assert_eq!(e.status, 7, "{e}");
    assert_eq!(gpu.kernel("nothing").err().unwrap().status, 4);
}
