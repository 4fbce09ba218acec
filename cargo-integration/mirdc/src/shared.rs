use crate::arg::{Element, Plain};
use crate::{sys, Atomic, AtomicValue};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

/// An array in the shared memory of a block; make it with [`shared!`](crate::shared!) or as a
/// `static`.
///
/// ```
/// # use mirdc::prelude::*;
/// # fn kernel() {
/// let tile = shared![f32; 256];
/// tile.set(thread::x() as usize, 1.0);
/// barrier();
/// # }
/// ```
///
/// Elements are read and written by value. It starts uninitialised: a read before the first write
/// gives any value. Put a [`barrier`](crate::barrier) between one thread's write and another's read.
#[repr(transparent)]
pub struct Shared<T, const N: usize>(UnsafeCell<MaybeUninit<[T; N]>>);

// SAFETY: reachable only by value, and `Plain` has no invalid values.
unsafe impl<T: Plain, const N: usize> Sync for Shared<T, N> {}

impl<T: Plain, const N: usize> Shared<T, N> {
    /// For `static` items; a value of this type anywhere else is ordinary memory of its owner.
    #[allow(clippy::new_without_default)]
    #[inline(always)]
    pub const fn new() -> Self {
        Shared(UnsafeCell::new(MaybeUninit::uninit()))
    }
    /// Number of elements.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        N
    }
    /// True if there are none.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }
    /// The address of the first element.
    #[inline(always)]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.0.get().cast::<T>()
    }
    #[inline(always)]
    fn all(&self) -> *mut [T; N] {
        self.0.get().cast::<[T; N]>()
    }
    /// Reads an element; an index past the end traps.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        // SAFETY: indexing a raw array checks the bound.
        unsafe { (*self.all())[i] }
    }
    /// Writes an element; an index past the end traps.
    #[inline(always)]
    pub fn set(&self, i: usize, v: T) {
        unsafe { (*self.all())[i] = v }
    }
    /// Reads an element without looking at the length.
    ///
    /// # Safety
    /// `i` must be below `N`.
    #[inline(always)]
    pub unsafe fn get_unchecked(&self, i: usize) -> T {
        unsafe { *self.as_mut_ptr().add(i) }
    }
    /// Writes an element without looking at the length.
    ///
    /// # Safety
    /// `i` must be below `N`.
    #[inline(always)]
    pub unsafe fn set_unchecked(&self, i: usize, v: T) {
        unsafe { *self.as_mut_ptr().add(i) = v }
    }
}

impl<T: AtomicValue, const N: usize> Shared<T, N> {
    /// An element as an atomic; an index past the end traps.
    #[inline(always)]
    pub fn atomic(&self, i: usize) -> &Atomic<T> {
        // SAFETY: in bounds after the check; an atomic has the layout of its value.
        unsafe { &*(&raw mut (*self.0.get().cast::<[T; N]>())[i]).cast::<Atomic<T>>() }
    }
}

/// The part of shared memory whose size the launch (or `dynamic_shared = …`) gives.
#[derive(Clone, Copy)]
pub struct DynamicShared<T> {
    ptr: *mut T,
    len: usize,
}

/// The bytes of dynamic shared memory that this launch has.
#[inline(always)]
pub fn dynamic_shared_bytes() -> usize {
    // SAFETY: reads a register.
    unsafe { sys::dyn_shared_size() as usize }
}

/// All of dynamic shared memory from byte `offset` on as elements of type `T`. Calls with ranges
/// that overlap give the same memory. A wrong alignment or an offset past the end traps.
#[inline(always)]
pub fn dynamic_shared<T: Plain>(offset: usize) -> DynamicShared<T> {
    let bytes = dynamic_shared_bytes();
    if offset > bytes || offset % align_of::<T>() != 0 || size_of::<T>() == 0 {
        crate::thread::trap()
    }
    // SAFETY: the offset is inside.
    let ptr = unsafe { sys::dyn_shared().add(offset) }.cast::<T>();
    DynamicShared { ptr, len: (bytes - offset) / size_of::<T>().max(1) }
}

impl<T: Plain> DynamicShared<T> {
    /// Number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }
    /// True if there are none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The address of the first element.
    #[inline(always)]
    pub fn as_mut_ptr(&self) -> *mut T {
        self.ptr
    }
    #[inline(always)]
    fn all(&self) -> *mut [T] {
        core::ptr::slice_from_raw_parts_mut(self.ptr, self.len)
    }
    /// Reads an element; an index past the end traps.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        // SAFETY: indexing a raw slice checks the bound.
        unsafe { (*self.all())[i] }
    }
    /// Writes an element; an index past the end traps.
    #[inline(always)]
    pub fn set(&self, i: usize, v: T) {
        unsafe { (*self.all())[i] = v }
    }
}

impl<T: AtomicValue> DynamicShared<T> {
    /// An element as an atomic; an index past the end traps.
    #[inline(always)]
    pub fn atomic(&self, i: usize) -> &'static Atomic<T> {
        let all = core::ptr::slice_from_raw_parts_mut(self.ptr, self.len);
        // SAFETY: in bounds after the check; shared memory lives as long as the block.
        unsafe { &*(&raw mut (*all)[i]).cast::<Atomic<T>>() }
    }
}

/// A value in constant memory: the kernel reads it, the host sets it before the launch.
#[repr(transparent)]
pub struct Constant<T>(UnsafeCell<T>);

// SAFETY: no thread of a launch writes it, and it is read by value.
unsafe impl<T: Element> Sync for Constant<T> {}

impl<T> Constant<T> {
    /// With the value it has until the host sets another one.
    #[inline(always)]
    pub const fn new(v: T) -> Self {
        Constant(UnsafeCell::new(v))
    }
    /// The address.
    #[inline(always)]
    pub const fn as_ptr(&self) -> *const T {
        self.0.get()
    }
}
impl<T: Copy + Element> Constant<T> {
    /// The value.
    #[inline(always)]
    pub fn get(&self) -> T {
        // SAFETY: nobody writes during a launch.
        unsafe { *self.0.get() }
    }
}
impl<T: Copy + Element, const N: usize> Constant<[T; N]> {
    /// One element; an index past the end traps.
    #[inline(always)]
    pub fn at(&self, i: usize) -> T {
        // SAFETY: nobody writes during a launch; indexing a raw array checks the bound.
        unsafe { (*self.0.get())[i] }
    }
}
impl<T: Copy + Element> Constant<T> {
    /// Sets the value as the host would before a launch. For tests.
    ///
    /// # Safety
    /// No simulated launch may be running.
    pub unsafe fn host_set(&self, v: T) {
        unsafe { *self.0.get() = v }
    }
}

/// A variable in global memory that all threads share and the host can read and set.
#[repr(transparent)]
pub struct Global<T>(UnsafeCell<T>);

// SAFETY: reachable only by value, and `Plain` has no invalid values.
unsafe impl<T: Plain> Sync for Global<T> {}

impl<T> Global<T> {
    /// With the value it has when the module is loaded.
    #[inline(always)]
    pub const fn new(v: T) -> Self {
        Global(UnsafeCell::new(v))
    }
    /// The address.
    #[inline(always)]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.0.get()
    }
}
impl<T: Plain> Global<T> {
    /// Reads it.
    #[inline(always)]
    pub fn get(&self) -> T {
        // SAFETY: `Plain` has no invalid values.
        unsafe { *self.0.get() }
    }
    /// Writes it.
    #[inline(always)]
    pub fn set(&self, v: T) {
        unsafe { *self.0.get() = v }
    }
}
impl<T: Plain, const N: usize> Global<[T; N]> {
    /// Reads an element; an index past the end traps.
    #[inline(always)]
    pub fn at(&self, i: usize) -> T {
        // SAFETY: indexing a raw array checks the bound.
        unsafe { (*self.0.get())[i] }
    }
    /// Writes an element; an index past the end traps.
    #[inline(always)]
    pub fn set_at(&self, i: usize, v: T) {
        unsafe { (*self.0.get())[i] = v }
    }
}
impl<T: AtomicValue> Global<T> {
    /// The variable as an atomic.
    #[inline(always)]
    pub fn atomic(&self) -> &Atomic<T> {
        // SAFETY: an atomic has the layout of its value.
        unsafe { &*self.0.get().cast::<Atomic<T>>() }
    }
}
