use crate::ffi;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;
use std::rc::Rc;

/// What went wrong, as libmirdc says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// `mirdc_status` of bundles/mirdc.h.
    pub status: i32,
    /// The CUDA driver's result, 0 if none.
    pub cuda: i32,
    /// A diagnostic code such as `MD0504`, or empty.
    pub code: String,
    /// One line.
    pub text: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.code.is_empty() {
            Ok(())
        } else {
            write!(f, " [{}]", self.code)
        }
    }
}
impl std::error::Error for Error {}

/// Results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

fn text(p: &[c_char]) -> String {
    let bytes: Vec<u8> = p.iter().take_while(|&&c| c != 0).map(|&c| c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// # Safety
/// `p` must be NULL or point to text that ends with zero.
pub(crate) unsafe fn owned(p: *const c_char) -> String {
    if p.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
}

fn call(f: impl FnOnce(*mut ffi::mirdc_error) -> c_int) -> Result<()> {
    let mut e = ffi::mirdc_error { status: 0, cuda: 0, code: [0; 8], text: [0; 1012] };
    match f(&mut e) {
        0 => Ok(()),
        status => Err(Error { status, cuda: e.cuda, code: text(&e.code), text: text(&e.text) }),
    }
}

pub(crate) fn c_string(s: &str) -> Result<CString> {
    CString::new(s).map_err(|_| Error {
        status: 1,
        cuda: 0,
        code: String::new(),
        text: "a name cannot contain a zero byte".into(),
    })
}

/// The version of libmirdc.
pub fn version() -> String {
    // SAFETY: a static text.
    unsafe { owned(ffi::mirdc_version()) }
}

/// The launch facts and parameters of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Symbol.
    pub name: String,
    /// Rust path.
    pub path: String,
    /// Bytes of all parameters.
    pub param_bytes: u64,
    /// Parameters, in order.
    pub params: Vec<ParamInfo>,
    /// Exact block, if the kernel asks for one.
    pub block: Option<[u32; 3]>,
    /// Most threads of a block, if limited.
    pub max_block: Option<u32>,
    /// Exact dynamic shared memory, if the kernel asks for it.
    pub dynamic_shared: Option<u64>,
}

/// One parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParamInfo {
    /// As in the source.
    pub name: String,
    /// The Rust type.
    pub ty: String,
    /// Bytes.
    pub size: u64,
    /// Bytes.
    pub align: u64,
}

/// A bundle of device code. It can be listed and checked without a GPU.
pub struct Bundle(*mut ffi::mirdc_bundle);

// SAFETY: libmirdc's bundles are immutable and may be used by several threads.
unsafe impl Send for Bundle {}
unsafe impl Sync for Bundle {}

impl Drop for Bundle {
    #[cfg_attr(mirdc_device, inline(never))]
    fn drop(&mut self) {
        // SAFETY: made by an open function, closed once.
        unsafe { ffi::mirdc_close(self.0) }
    }
}

impl Bundle {
    fn open(
        f: impl FnOnce(*mut *mut ffi::mirdc_bundle, *mut ffi::mirdc_error) -> c_int,
    ) -> Result<Bundle> {
        let mut b = ptr::null_mut();
        call(|e| f(&mut b, e))?;
        Ok(Bundle(b))
    }
    /// From a bundle file, or a program with embedded bundles.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn open_file(path: impl AsRef<Path>) -> Result<Bundle> {
        let path = c_string(&path.as_ref().to_string_lossy())?;
        // SAFETY: all pointers are valid during the calls; so in the others of this file.
        Bundle::open(|b, e| unsafe { ffi::mirdc_open_file(path.as_ptr(), b, e) })
    }
    /// From bytes, such as those of [`include_bundle!`](crate::include_bundle).
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn from_bytes(bytes: &[u8]) -> Result<Bundle> {
        Bundle::open(|b, e| unsafe {
            ffi::mirdc_open_memory(bytes.as_ptr().cast::<c_void>(), bytes.len(), b, e)
        })
    }
    /// The bundles embedded in the running program.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn embedded() -> Result<Bundle> {
        Bundle::open(|b, e| unsafe { ffi::mirdc_open_self(b, e) })
    }
    /// Compares all digests.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn check(&self) -> Result<()> {
        call(|e| unsafe { ffi::mirdc_check(self.0, e) })
    }
    /// All kernels.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn kernels(&self) -> Result<Vec<KernelInfo>> {
        (0..unsafe { ffi::mirdc_kernel_count(self.0) }).map(|i| self.kernel_at(i)).collect()
    }
    fn kernel_at(&self, i: usize) -> Result<KernelInfo> {
        // SAFETY: plain data, filled by the call.
        let mut k: ffi::mirdc_kernel_info = unsafe { std::mem::zeroed() };
        call(|_| unsafe { ffi::mirdc_kernel_at(self.0, i, &mut k) })?;
        let mut params = Vec::new();
        for p in 0..k.n_params {
            // SAFETY: as above; the texts live as long as the bundle.
            let mut info: ffi::mirdc_param_info = unsafe { std::mem::zeroed() };
            call(|e| unsafe { ffi::mirdc_param_at(self.0, k.name, p, &mut info, e) })?;
            let (name, ty) = unsafe { (owned(info.name), owned(info.label)) };
            params.push(ParamInfo { name, ty, size: info.size, align: info.align });
        }
        Ok(KernelInfo {
            name: unsafe { owned(k.name) },
            path: unsafe { owned(k.path) },
            param_bytes: k.param_bytes,
            params,
            block: (k.facts & 1 != 0).then_some(k.block),
            max_block: (k.facts & 2 != 0).then_some(k.max_block),
            dynamic_shared: (k.facts & 8 != 0).then_some(k.dyn_shared),
        })
    }
    /// Compares a kernel's descriptor in this program (`mirdc::kernel_of!(path)`) with the bundle, so
    /// that a program and a bundle of different sources are told apart.
    ///
    /// # Safety
    /// `descriptor` must be a `mirdc::rt::Kernel`.
    #[cfg_attr(mirdc_device, inline(never))]
    pub unsafe fn compare_descriptor<T>(&self, descriptor: &'static T) -> Result<()> {
        let p = (descriptor as *const T).cast::<c_void>();
        call(|e| unsafe { ffi::mirdc_compare_descriptor(self.0, p, e) })
    }
    /// The prepared MIR in it, if it was built with `embed_dump`.
    #[cfg(feature = "emulator")]
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn dump(&self) -> Result<Vec<u8>> {
        let mut n = 0;
        call(|e| unsafe { ffi::mirdc_dump(self.0, ptr::null_mut(), 0, &mut n, e) })?;
        let mut v = vec![0u8; n];
        call(|e| unsafe {
            ffi::mirdc_dump(self.0, v.as_mut_ptr().cast::<c_void>(), n, &mut n, e)
        })?;
        Ok(v)
    }
    /// Loads the code for a device, in its primary context.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn load(&self, device: i32) -> Result<Module> {
        let mut m = ptr::null_mut();
        call(|e| unsafe { ffi::mirdc_load(self.0, device, &mut m, e) })?;
        Ok(Module(Rc::new(Loaded(m))))
    }
}

struct Loaded(*mut ffi::mirdc_module);
impl Drop for Loaded {
    #[cfg_attr(mirdc_device, inline(never))]
    fn drop(&mut self) {
        // SAFETY: made by `mirdc_load`, unloaded once.
        unsafe { ffi::mirdc_unload(self.0) }
    }
}

/// Device code that is loaded on a GPU.
#[derive(Clone)]
pub struct Module(Rc<Loaded>);

impl Module {
    fn raw(&self) -> *mut ffi::mirdc_module {
        self.0 .0
    }
    /// By symbol or Rust path.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let name = c_string(name)?;
        let mut raw = ptr::null();
        call(|e| unsafe { ffi::mirdc_get_kernel(self.raw(), name.as_ptr(), &mut raw, e) })?;
        Ok(Kernel { raw, _module: self.clone() })
    }
    /// Device memory with a copy of the values.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn upload<T: Copy>(&self, values: &[T]) -> Result<DeviceVec<T>> {
        let bytes = size_of_val(values);
        let mut ptr = 0;
        call(|e| unsafe { ffi::mirdc_alloc(self.raw(), bytes.max(1), &mut ptr, e) })?;
        let v =
            DeviceVec { address: ptr, len: values.len(), module: self.clone(), _type: PhantomData };
        if bytes != 0 {
            let from = values.as_ptr().cast::<c_void>();
            call(|e| unsafe { ffi::mirdc_upload(self.raw(), ptr, from, bytes, e) })?;
        }
        Ok(v)
    }
    /// Waits until all launches have ended. A trapped kernel is an error that names the place.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn sync(&self) -> Result<()> {
        call(|e| unsafe { ffi::mirdc_sync(self.raw(), e) })
    }
    /// Sets a `mirdc::Constant` or `mirdc::Global`.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn set_global<T: Copy>(&self, name: &str, value: &T) -> Result<()> {
        let name = c_string(name)?;
        let from = (value as *const T).cast::<c_void>();
        call(|e| unsafe {
            ffi::mirdc_set_global(self.raw(), name.as_ptr(), 0, from, size_of::<T>(), e)
        })
    }
    /// Reads a `mirdc::Constant` or `mirdc::Global`.
    ///
    /// # Safety
    /// `T` must be the type of the static's value.
    #[cfg_attr(mirdc_device, inline(never))]
    pub unsafe fn get_global<T: Copy>(&self, name: &str) -> Result<T> {
        let name = c_string(name)?;
        let mut v = std::mem::MaybeUninit::<T>::uninit();
        call(|e| unsafe {
            let to = v.as_mut_ptr().cast::<c_void>();
            ffi::mirdc_get_global(self.raw(), name.as_ptr(), 0, to, size_of::<T>(), e)
        })?;
        // SAFETY: filled by the call, and the caller vouches for the type.
        Ok(unsafe { v.assume_init() })
    }
}

/// Elements in the memory of a GPU.
pub struct DeviceVec<T> {
    address: u64,
    len: usize,
    module: Module,
    _type: PhantomData<T>,
}

impl<T> Drop for DeviceVec<T> {
    #[cfg_attr(mirdc_device, inline(never))]
    fn drop(&mut self) {
        // After a trap the context is gone and so is the memory: nothing to report here.
        let _ = call(|e| unsafe { ffi::mirdc_free(self.module.raw(), self.address, e) });
    }
}

impl<T: Copy> DeviceVec<T> {
    crate::elements!();
    /// A copy of the elements, after earlier launches.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn download(&self) -> Result<Vec<T>> {
        let mut v = Vec::with_capacity(self.len);
        let bytes = self.len * size_of::<T>();
        if bytes != 0 {
            let to = v.as_mut_ptr() as *mut c_void;
            call(|e| unsafe {
                ffi::mirdc_download(self.module.raw(), to, self.address, bytes, e)
            })?;
        }
        // SAFETY: the call has filled them.
        unsafe { v.set_len(self.len) };
        Ok(v)
    }
}

/// The size of a grid or a block: a number, or `(x, y)`, or `(x, y, z)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3(pub [u32; 3]);
impl From<u32> for Dim3 {
    fn from(x: u32) -> Dim3 {
        Dim3([x, 1, 1])
    }
}
impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Dim3 {
        Dim3([x, y, 1])
    }
}
impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Dim3 {
        Dim3([x, y, z])
    }
}

/// Arguments of a launch, in the order of the kernel's parameters.
#[derive(Default)]
pub struct Args<'a> {
    values: Vec<Vec<u128>>,
    sizes: Vec<usize>,
    _lives: PhantomData<&'a mut ()>,
}

impl<'a> Args<'a> {
    /// None yet.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn new() -> Args<'a> {
        Args::default()
    }
    /// A number, a raw device pointer, or a struct passed by value. A value of size 0 is left out.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn value<T: Copy>(mut self, v: T) -> Args<'a> {
        let n = size_of::<T>();
        if n != 0 {
            // Words of 16 bytes are aligned for every type that a kernel takes.
            let mut words = vec![0u128; n.div_ceil(16)];
            // SAFETY: the words have room for the value's bytes.
            unsafe {
                ptr::copy_nonoverlapping(
                    (&raw const v).cast::<u8>(),
                    words.as_mut_ptr().cast::<u8>(),
                    n,
                );
            }
            self.values.push(words);
            self.sizes.push(n);
        }
        self
    }
    /// For `&[T]`.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn slice(self, v: &'a impl Memory) -> Args<'a> {
        self.value(v.raw_parts())
    }
    /// For `PerThread<T>`, `Buffer<T>` and `&[Atomic<T>]`.
    #[cfg_attr(mirdc_device, inline(never))]
    pub fn slice_mut(self, v: &'a mut impl Memory) -> Args<'a> {
        self.value(v.raw_parts())
    }
    #[cfg(feature = "emulator")]
    pub(crate) fn bytes(&self) -> impl Iterator<Item = &[u8]> {
        self.values.iter().zip(&self.sizes).map(|(v, &n)| {
            // SAFETY: the words hold at least so many bytes.
            unsafe { std::slice::from_raw_parts(v.as_ptr().cast::<u8>(), n) }
        })
    }
}

/// Memory that a kernel can be given as a slice.
pub trait Memory {
    /// Address and number of elements.
    fn raw_parts(&self) -> [u64; 2];
}
impl<T> Memory for DeviceVec<T> {
    #[cfg_attr(mirdc_device, inline(never))]
    fn raw_parts(&self) -> [u64; 2] {
        [self.address, self.len as u64]
    }
}

/// A kernel of a loaded module.
pub struct Kernel {
    raw: *const ffi::mirdc_kernel,
    _module: Module,
}

impl Kernel {
    /// Starts the kernel and returns before it ends. Geometry, dynamic shared memory and the
    /// arguments' number and sizes are checked first. Dynamic shared memory is what the kernel was
    /// compiled for, or none.
    ///
    /// # Safety
    /// The arguments must have the types of the parameters, and nothing else may use what the
    /// kernel writes until [`Module::sync`].
    #[cfg_attr(mirdc_device, inline(never))]
    pub unsafe fn launch(
        &self,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        args: Args<'_>,
    ) -> Result<()> {
        unsafe { self.launch_with(grid, block, u64::MAX, args) }
    }
    /// The same with an amount of dynamic shared memory.
    ///
    /// # Safety
    /// As [`Kernel::launch`].
    #[cfg_attr(mirdc_device, inline(never))]
    pub unsafe fn launch_with(
        &self,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        dynamic_shared: u64,
        args: Args<'_>,
    ) -> Result<()> {
        let ptrs: Vec<_> = args.values.iter().map(|v| v.as_ptr().cast::<c_void>()).collect();
        unsafe { self.launch_raw(grid.into(), block.into(), dynamic_shared, &ptrs, &args.sizes) }
    }
    /// # Safety
    /// As [`Kernel::launch`]; the pointers are those of values of the given sizes.
    pub(crate) unsafe fn launch_raw(
        &self,
        grid: Dim3,
        block: Dim3,
        dynamic_shared: u64,
        values: &[*const c_void],
        sizes: &[usize],
    ) -> Result<()> {
        call(|e| unsafe {
            ffi::mirdc_launch(
                self.raw,
                grid.0.as_ptr(),
                block.0.as_ptr(),
                dynamic_shared,
                ptr::null_mut(),
                values.as_ptr(),
                sizes.as_ptr(),
                values.len(),
                e,
            )
        })
    }
}
