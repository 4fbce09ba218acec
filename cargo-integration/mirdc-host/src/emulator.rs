//! libmirdc-emu: kernels on the CPU.
use crate::api::{c_string, owned, Args, Bundle, Dim3, Error, Memory, Result};
use std::ffi::{c_char, c_int, c_void};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;
use std::rc::Rc;

/// The C interface, as in emulator/emu.h.
#[allow(non_camel_case_types)]
mod ffi {
    use super::*;

    #[repr(C)]
    pub struct mirdc_emu {
        _private: [u8; 0],
    }
    #[repr(C)]
    pub struct mirdc_emu_options {
        pub struct_size: u32,
        pub opt: u32,
        pub checks: u32,
        pub max_findings: u32,
        pub stack_bytes: u64,
        pub source_root: *const c_char,
    }
    #[repr(C)]
    pub struct mirdc_emu_kernel {
        pub name: *const c_char,
        pub path: *const c_char,
        pub n_params: u32,
        pub param_bytes: u64,
        pub block: [u32; 3],
        pub max_block: u32,
        pub cluster: [u32; 3],
        pub has_dynamic_shared: c_int,
        pub dynamic_shared: u64,
    }
    #[repr(C)]
    pub struct mirdc_emu_param {
        pub name: *const c_char,
        pub type_: *const c_char,
        pub pass: c_int,
        pub offset: u64,
        pub size: u64,
        pub align: u64,
        pub element: *const c_char,
        pub element_size: u64,
    }
    #[repr(C)]
    pub struct mirdc_emu_static {
        pub name: *const c_char,
        pub symbol: *const c_char,
        pub address: u64,
        pub size: u64,
        pub writable: c_int,
    }
    #[repr(C)]
    pub struct mirdc_emu_launch {
        pub struct_size: u32,
        pub grid: [u32; 3],
        pub block: [u32; 3],
        pub dynamic_shared: u64,
        pub params: *const c_void,
        pub param_bytes: u64,
        pub time_limit_ms: u64,
    }
    #[repr(C)]
    pub struct mirdc_emu_finding {
        pub code: *const c_char,
        pub message: *const c_char,
        pub file: *const c_char,
        pub line: u32,
        pub column: u32,
        pub block: [u32; 3],
        pub thread: [u32; 3],
        pub has_thread: c_int,
        pub fatal: c_int,
        pub count: u64,
    }
    unsafe extern "C" {
        pub fn mirdc_emu_open(
            text: *const c_void,
            size: usize,
            name: *const c_char,
            options: *const mirdc_emu_options,
            out: *mut *mut mirdc_emu,
        ) -> c_int;
        pub fn mirdc_emu_close(e: *mut mirdc_emu);
        pub fn mirdc_emu_find_kernel(e: *const mirdc_emu, name: *const c_char) -> u32;
        pub fn mirdc_emu_get_kernel(
            e: *const mirdc_emu,
            kernel: u32,
            out: *mut mirdc_emu_kernel,
        ) -> c_int;
        pub fn mirdc_emu_get_param(
            e: *const mirdc_emu,
            kernel: u32,
            param: u32,
            out: *mut mirdc_emu_param,
        ) -> c_int;
        pub fn mirdc_emu_alloc(
            e: *mut mirdc_emu,
            name: *const c_char,
            size: u64,
            align: u64,
            writable: c_int,
        ) -> u64;
        pub fn mirdc_emu_release(e: *mut mirdc_emu, address: u64);
        pub fn mirdc_emu_find_static(
            e: *mut mirdc_emu,
            name: *const c_char,
            out: *mut mirdc_emu_static,
        ) -> c_int;
        pub fn mirdc_emu_run(
            e: *mut mirdc_emu,
            kernel: u32,
            launch: *const mirdc_emu_launch,
        ) -> c_int;
        pub fn mirdc_emu_printed(e: *const mirdc_emu, size: *mut usize) -> *const c_char;
        pub fn mirdc_emu_finding_count(e: *const mirdc_emu) -> usize;
        pub fn mirdc_emu_get_finding(
            e: *const mirdc_emu,
            i: usize,
            out: *mut mirdc_emu_finding,
        ) -> c_int;
        pub fn mirdc_emu_messages(e: *mut mirdc_emu, flags: u32) -> *const c_char;
    }
}

const SLICE_ADDRESS: c_int = 3;
/// `MIRDC_ERROR_` of bundles/mirdc.h.
const STATUS_FILE: i32 = 2;
const STATUS_NOT_FOUND: i32 = 4;
const STATUS_LAUNCH: i32 = 7;
const STATUS_TRAP: i32 = 9;

fn error(status: i32, code: &str, text: String) -> Error {
    Error { status, cuda: 0, code: code.into(), text }
}

/// How an emulator works.
#[derive(Clone, Debug)]
pub struct EmulatorOptions {
    /// LLVM's optimisation of the emulated code, 0 to 3.
    pub opt_level: u32,
    /// Accesses outside of buffers, statics and shared memory.
    pub bounds: bool,
    /// Reads of shared memory that nobody wrote.
    pub uninit: bool,
    /// Accesses by several threads that nothing orders.
    pub races: bool,
    /// Barriers and warp operations that not all threads reach.
    pub divergence: bool,
    /// Stack of each thread; 0: 1 MiB.
    pub stack_bytes: u64,
    /// A launch ends with an error after so long; 0: never.
    pub time_limit_ms: u64,
    /// Folder of the package, to show source lines in messages.
    pub source_root: Option<String>,
}

impl Default for EmulatorOptions {
    fn default() -> Self {
        EmulatorOptions {
            opt_level: 2,
            bounds: true,
            uninit: true,
            races: true,
            divergence: true,
            stack_bytes: 0,
            time_limit_ms: 60_000,
            source_root: None,
        }
    }
}

struct Open {
    raw: *mut ffi::mirdc_emu,
    time_limit_ms: u64,
}
impl Drop for Open {
    #[cfg_attr(mirdc_device, inline(never))]
    fn drop(&mut self) {
        // SAFETY: made by `mirdc_emu_open`, closed once.
        unsafe { ffi::mirdc_emu_close(self.raw) }
    }
}

impl Open {
    fn messages(&self) -> String {
        // SAFETY: open; the text stays until the next call.
        unsafe { owned(ffi::mirdc_emu_messages(self.raw, 0)) }
    }
}

/// Kernels that run on the CPU, thread by thread, with their mistakes reported.
///
/// ```ignore
/// let emu = mirdc_host::Emulator::from_bundle(&bundle)?;
/// let x = emu.upload(&[1.0f32, 2.0, 3.0]);
/// let mut y = emu.upload(&[0.0f32; 3]);
/// // SAFETY: the arguments are those of the kernel.
/// unsafe { emu.launch("double", 1, 32, Args::new().slice(&x).slice_mut(&mut y))? };
/// assert_eq!(y.download(), [2.0, 4.0, 6.0]);
/// ```
#[derive(Clone)]
pub struct Emulator(Rc<Open>);

/// What a launch came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emulated {
    /// False when a trap, a fault, a deadlock or the time limit ended it early.
    pub completed: bool,
    /// What is wrong, in the order of discovery.
    pub findings: Vec<Finding>,
    /// What the kernel printed.
    pub printed: String,
    /// All findings as they are shown to people.
    pub messages: String,
}

impl Emulated {
    fn without_findings(self) -> Result<()> {
        match self.findings.first() {
            None if self.completed => Ok(()),
            first => {
                let code = first.map_or("", |f| &f.code);
                let status = if self.completed { STATUS_LAUNCH } else { STATUS_TRAP };
                Err(error(status, code, self.messages.clone()))
            }
        }
    }
}

/// Something that is wrong with a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Such as `MD0831`.
    pub code: String,
    /// One line.
    pub message: String,
    /// The Rust source, or empty.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// Block and thread, if one is to blame.
    pub thread: Option<([u32; 3], [u32; 3])>,
    /// Times that it happened at the same place.
    pub count: u64,
}

impl Emulator {
    /// From prepared MIR, the content of a `.pmir.json` file. `name` is shown in messages.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn from_dump(text: &[u8], name: &str, options: &EmulatorOptions) -> Result<Emulator> {
        let name = c_string(name)?;
        let root = options.source_root.as_deref().map(c_string).transpose()?;
        let checks = options.bounds as u32
            | (options.uninit as u32) << 1
            | (options.races as u32) << 2
            | (options.divergence as u32) << 3;
        let o = ffi::mirdc_emu_options {
            struct_size: size_of::<ffi::mirdc_emu_options>() as u32,
            opt: options.opt_level,
            checks,
            max_findings: 0,
            stack_bytes: options.stack_bytes,
            source_root: root.as_ref().map_or(ptr::null(), |r| r.as_ptr()),
        };
        let mut raw = ptr::null_mut();
        // SAFETY: all pointers are valid during the call; so in the others of this file.
        let status = unsafe {
            let text_p = text.as_ptr().cast::<c_void>();
            ffi::mirdc_emu_open(text_p, text.len(), name.as_ptr(), &o, &mut raw)
        };
        let open = Open { raw, time_limit_ms: options.time_limit_ms };
        match status {
            0 => Ok(Emulator(Rc::new(open))),
            _ => Err(error(STATUS_FILE, "", open.messages())),
        }
    }
    /// From a `.pmir.json` file.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn open_file(path: impl AsRef<Path>) -> Result<Emulator> {
        let path = path.as_ref();
        let text = std::fs::read(path)
            .map_err(|e| error(STATUS_FILE, "MD0001", format!("{}: {e}", path.display())))?;
        Emulator::from_dump(&text, &path.to_string_lossy(), &EmulatorOptions::default())
    }
    /// From a bundle that was built with its prepared MIR in it (`mirdc_build::Builder::embed_dump`).
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn from_bundle(bundle: &Bundle) -> Result<Emulator> {
        Emulator::from_dump(&bundle.dump()?, "the bundle", &EmulatorOptions::default())
    }

    /// Memory with a copy of the values.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn upload<T: Copy>(&self, values: &[T]) -> EmulatedVec<T> {
        let (bytes, align) = (size_of_val(values), align_of::<T>());
        // SAFETY: as above; the name is a static text.
        let address = unsafe {
            ffi::mirdc_emu_alloc(self.0.raw, c"buffer".as_ptr(), bytes as u64, align as u64, 1)
        };
        assert!(address != 0, "no memory for {bytes} bytes in the emulator");
        let mut v =
            EmulatedVec { address, len: values.len(), emulator: self.clone(), _type: PhantomData };
        v.set(values);
        v
    }

    fn find_static(&self, name: &str, size: usize) -> Result<u64> {
        let c_name = c_string(name)?;
        // SAFETY: plain data, filled by the call.
        let mut st: ffi::mirdc_emu_static = unsafe { std::mem::zeroed() };
        if unsafe { ffi::mirdc_emu_find_static(self.0.raw, c_name.as_ptr(), &mut st) } == 0 {
            let text = format!("the host can see no static `{name}`");
            return Err(error(STATUS_NOT_FOUND, "MD0841", text));
        }
        if st.size != size as u64 {
            let text = format!("static `{name}` has {} bytes, not {size}", st.size);
            return Err(error(STATUS_LAUNCH, "MD0841", text));
        }
        Ok(st.address)
    }
    /// Sets a `mirdc::Constant` or `mirdc::Global`. They keep their values from launch to launch.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn set_global<T: Copy>(&self, name: &str, value: &T) -> Result<()> {
        let address = self.find_static(name, size_of::<T>())?;
        // SAFETY: the static has the size of the value.
        unsafe { ptr::copy_nonoverlapping(value, address as *mut T, 1) };
        Ok(())
    }
    /// Reads a `mirdc::Constant` or `mirdc::Global`.
    ///
    /// # Safety
    /// `T` must be the type of the static's value.
    #[cfg_attr(mirdc_device, inline(never))]
    pub unsafe fn get_global<T: Copy>(&self, name: &str) -> Result<T> {
        let address = self.find_static(name, size_of::<T>())?;
        // SAFETY: of that size, and the caller vouches for the type.
        Ok(unsafe { ptr::read_unaligned(address as *const T) })
    }

    /// Runs a kernel to its end. Anything that is found is an error whose text shows it all.
    ///
    /// # Safety
    /// The arguments must have the types of the parameters.
    #[cfg_attr(mirdc_device, inline(never))]
    pub unsafe fn launch(
        &self,
        kernel: &str,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        args: Args<'_>,
    ) -> Result<()> {
        unsafe { self.run(kernel, grid, block, None, args) }?.without_findings()
    }
    /// What `mirdc::launch!` expands to: runs the kernel that the types of the arguments ask for to
    /// its end. Anything that is found is an error, as is an instance that is not in the dump.
    ///
    /// # Safety
    /// The memory that its arguments point to must live until the kernel has ended.
    #[cfg_attr(mirdc_device, inline(never))]
    pub unsafe fn launch_prepared(
        &self,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        dynamic_shared: Option<u64>,
        launch: &mirdc::rt::Launch,
    ) -> Result<()> {
        let names = [Some(launch.key()), launch.path()];
        let Some(kernel) = names.into_iter().flatten().find(|n| self.number_of(n).is_ok()) else {
            let text = format!("the dump has no kernel for {}", launch.what());
            return Err(error(STATUS_NOT_FOUND, "MD0915", text));
        };
        let values = launch.values().iter().map(|&(p, n)| {
            // SAFETY: the launch owns so many bytes there.
            unsafe { std::slice::from_raw_parts(p, n) }
        });
        unsafe { self.run_values(kernel, grid.into(), block.into(), dynamic_shared, values) }?
            .without_findings()
    }
    /// Runs a kernel and gives what was found. An error says why it could not begin.
    /// `dynamic_shared` None: what the kernel was compiled for, or none.
    ///
    /// # Safety
    /// As [`Emulator::launch`].
    #[cfg_attr(mirdc_device, inline(never))]
    pub unsafe fn run(
        &self,
        kernel: &str,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        dynamic_shared: Option<u64>,
        args: Args<'_>,
    ) -> Result<Emulated> {
        unsafe { self.run_values(kernel, grid.into(), block.into(), dynamic_shared, args.bytes()) }
    }

    fn number_of(&self, kernel: &str) -> Result<(u32, ffi::mirdc_emu_kernel)> {
        let (raw, c_name) = (self.0.raw, c_string(kernel)?);
        // SAFETY: plain data, filled by the call.
        let mut k: ffi::mirdc_emu_kernel = unsafe { std::mem::zeroed() };
        let number = unsafe { ffi::mirdc_emu_find_kernel(raw, c_name.as_ptr()) };
        if unsafe { ffi::mirdc_emu_get_kernel(raw, number, &mut k) } == 0 {
            let text = format!("there is no kernel `{kernel}`");
            return Err(error(STATUS_NOT_FOUND, "MD0844", text));
        }
        Ok((number, k))
    }
    /// # Safety
    /// As [`Emulator::launch`].
    unsafe fn run_values<'a>(
        &self,
        kernel: &str,
        grid: Dim3,
        block: Dim3,
        dynamic_shared: Option<u64>,
        values: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Emulated> {
        let raw = self.0.raw;
        let (number, k) = self.number_of(kernel)?;
        let params = self.pack(kernel, number, &k, values)?;
        let launch = ffi::mirdc_emu_launch {
            struct_size: size_of::<ffi::mirdc_emu_launch>() as u32,
            grid: grid.0,
            block: block.0,
            dynamic_shared: dynamic_shared.unwrap_or(k.dynamic_shared),
            params: params.as_ptr().cast::<c_void>(),
            param_bytes: k.param_bytes,
            time_limit_ms: self.0.time_limit_ms,
        };
        match unsafe { ffi::mirdc_emu_run(raw, number, &launch) } {
            3 => Err(error(STATUS_LAUNCH, "", self.0.messages())),
            status => Ok(self.result(status != 2)),
        }
    }

    /// The block of parameters: each argument at its parameter's place, a slice at those of two.
    fn pack<'a>(
        &self,
        kernel: &str,
        number: u32,
        k: &ffi::mirdc_emu_kernel,
        values: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Vec<u128>> {
        let mut block = vec![0u128; (k.param_bytes as usize).div_ceil(16).max(1)];
        let fail = |text: String| error(STATUS_LAUNCH, "MD0841", text);
        let mut at = 0;
        for bytes in values {
            // SAFETY: plain data, filled by the call.
            let mut p: ffi::mirdc_emu_param = unsafe { std::mem::zeroed() };
            if unsafe { ffi::mirdc_emu_get_param(self.0.raw, number, at, &mut p) } == 0 {
                return Err(fail(format!("kernel `{kernel}` takes fewer arguments")));
            }
            let whole_slice = p.pass == SLICE_ADDRESS && bytes.len() == 16;
            if !whole_slice && bytes.len() as u64 != p.size {
                // SAFETY: a text of the emulator.
                let name = unsafe { owned(p.name) };
                let (want, got) = (p.size, bytes.len());
                let text = format!("`{name}` of kernel `{kernel}` has {want} bytes, not {got}");
                return Err(fail(text));
            }
            // SAFETY: the parameter lies in the block; both parts of a slice are next to each other.
            unsafe {
                let to = block.as_mut_ptr().cast::<u8>().add(p.offset as usize);
                ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
            }
            at += 1 + whole_slice as u32;
        }
        if at != k.n_params {
            return Err(fail(format!("kernel `{kernel}` takes more arguments")));
        }
        Ok(block)
    }

    fn result(&self, completed: bool) -> Emulated {
        let (raw, mut n) = (self.0.raw, 0);
        // SAFETY: the text has so many bytes.
        let printed = unsafe {
            let p = ffi::mirdc_emu_printed(raw, &mut n);
            std::slice::from_raw_parts(p.cast::<u8>(), n)
        };
        let printed = String::from_utf8_lossy(printed).into_owned();
        let count = unsafe { ffi::mirdc_emu_finding_count(raw) };
        let findings = (0..count).map(|i| self.finding(i)).collect();
        Emulated { completed, findings, printed, messages: self.0.messages() }
    }
    fn finding(&self, i: usize) -> Finding {
        // SAFETY: plain data, filled by the call; the texts belong to the emulator.
        unsafe {
            let mut f: ffi::mirdc_emu_finding = std::mem::zeroed();
            ffi::mirdc_emu_get_finding(self.0.raw, i, &mut f);
            Finding {
                code: owned(f.code),
                message: owned(f.message),
                file: owned(f.file),
                line: f.line,
                column: f.column,
                thread: (f.has_thread != 0).then_some((f.block, f.thread)),
                count: f.count,
            }
        }
    }
}

/// Elements in the memory of an emulator.
pub struct EmulatedVec<T> {
    address: u64,
    len: usize,
    emulator: Emulator,
    _type: PhantomData<T>,
}

impl<T> Drop for EmulatedVec<T> {
    #[cfg_attr(mirdc_device, inline(never))]
    fn drop(&mut self) {
        // SAFETY: given by `mirdc_emu_alloc`, given back once.
        unsafe { ffi::mirdc_emu_release(self.emulator.0.raw, self.address) }
    }
}

impl<T: Copy> EmulatedVec<T> {
    crate::elements!();
    /// A copy of the elements.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn download(&self) -> Vec<T> {
        let mut v = Vec::with_capacity(self.len);
        // SAFETY: the memory has so many elements, and no kernel runs.
        unsafe {
            ptr::copy_nonoverlapping(self.address as *const T, v.as_mut_ptr(), self.len);
            v.set_len(self.len);
        }
        v
    }
    /// Replaces the elements; there must be as many.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn set(&mut self, values: &[T]) {
        assert_eq!(values.len(), self.len);
        // SAFETY: as above.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), self.address as *mut T, self.len) }
    }
}

// SAFETY: the memory lives as long as the vector.
unsafe impl<T: Copy> mirdc::DeviceSlice for EmulatedVec<T> {
    type Elem = T;
    fn parts(&self) -> (u64, u64) {
        (self.address, self.len as u64)
    }
}

impl<T> Memory for EmulatedVec<T> {
    #[cfg_attr(mirdc_device, inline(never))]
    fn raw_parts(&self) -> [u64; 2] {
        [self.address, self.len as u64]
    }
}
