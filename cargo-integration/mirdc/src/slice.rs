use crate::arg::{Element, KernelArg, Plain};
use crate::thread::{self, ThreadIndex};
use crate::{grid, rt, Atomic, AtomicValue};
use core::marker::PhantomData;

/// A writable slice in which each thread reaches one element: that of its own index.
///
/// As a kernel parameter it is a pointer and a length. The host must hand over memory that nothing
/// else uses during the launch.
#[repr(C)]
pub struct PerThread<'a, T> {
    ptr: *mut T,
    len: usize,
    _lives: PhantomData<&'a mut [T]>,
}

unsafe impl<T: Element> KernelArg for PerThread<'_, T> {
    const KIND: u32 = rt::KIND_SLICE;
}

impl<'a, T> PerThread<'a, T> {
    /// # Safety
    /// `ptr` must point to `len` elements that only threads of this launch use, each through a
    /// `PerThread` of its own.
    #[inline(always)]
    pub unsafe fn from_raw_parts(ptr: *mut T, len: usize) -> Self {
        PerThread { ptr, len, _lives: PhantomData }
    }
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
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.ptr
    }
    /// The element of this thread, counted over the whole grid; `None` past the end.
    #[inline(always)]
    pub fn mine(&mut self) -> Option<&mut T> {
        self.at(thread::index())
    }
    /// The element of the given index, which only this thread can hold; `None` past the end.
    #[inline(always)]
    pub fn at(&mut self, i: ThreadIndex) -> Option<&mut T> {
        if i.get() < self.len {
            // SAFETY: in bounds, and the index belongs to this thread alone.
            Some(unsafe { &mut *self.ptr.add(i.get()) })
        } else {
            None
        }
    }
    /// Calls `f` for this thread's element and each one a whole grid further on, with its index:
    /// the grid-stride loop.
    #[inline(always)]
    pub fn for_each_strided(&mut self, mut f: impl FnMut(usize, &mut T)) {
        let step = grid::threads();
        let mut i = thread::global();
        while i < self.len {
            // SAFETY: in bounds; indices equal modulo the number of threads belong to one thread.
            f(i, unsafe { &mut *self.ptr.add(i) });
            i = i.wrapping_add(step);
        }
    }
}

/// A writable matrix, stored row by row, in which each thread reaches one element: that of its own
/// x and y index. `width` is given by the host, so that it is the same for all threads.
#[repr(C)]
pub struct PerThread2d<'a, T> {
    ptr: *mut T,
    len: usize,
    width: usize,
    _lives: PhantomData<&'a mut [T]>,
}

unsafe impl<T: Element> KernelArg for PerThread2d<'_, T> {
    const KIND: u32 = rt::KIND_AGGREGATE;
    const FIELDS: &'static [rt::Field] = &[
        rt::Field::of::<*mut T>("ptr", core::mem::offset_of!(Self, ptr)),
        rt::Field::of::<usize>("len", core::mem::offset_of!(Self, len)),
        rt::Field::of::<usize>("width", core::mem::offset_of!(Self, width)),
    ];
}

impl<'a, T> PerThread2d<'a, T> {
    /// # Safety
    /// As [`PerThread::from_raw_parts`]; all threads must get the same `width`.
    #[inline(always)]
    pub unsafe fn from_raw_parts(ptr: *mut T, len: usize, width: usize) -> Self {
        PerThread2d { ptr, len, width, _lives: PhantomData }
    }
    /// Elements in a row.
    #[inline(always)]
    pub fn width(&self) -> usize {
        self.width
    }
    /// Full rows.
    #[inline(always)]
    pub fn height(&self) -> usize {
        self.len.checked_div(self.width).unwrap_or(0)
    }
    /// The element at column `thread::global_x()` of row `thread::global_y()`; `None` outside.
    /// A launch that extends along z traps.
    #[inline(always)]
    pub fn mine(&mut self) -> Option<&mut T> {
        if crate::block::size_z() | grid::size_z() != 1 {
            thread::trap()
        }
        let (x, y) = (thread::global_x(), thread::global_y());
        let i = y.wrapping_mul(self.width).wrapping_add(x);
        if x < self.width && i < self.len {
            // SAFETY: in bounds, and x below the width makes the position this thread's alone.
            Some(unsafe { &mut *self.ptr.add(i) })
        } else {
            None
        }
    }
}

/// A writable slice that all threads share, read and written by value.
///
/// Reads and writes are plain: without a barrier or atomics between them, a thread may see an old
/// value of what another one wrote. They are never merged across a barrier.
#[repr(C)]
pub struct Buffer<'a, T> {
    ptr: *mut T,
    len: usize,
    _lives: PhantomData<&'a mut [T]>,
}

impl<T> Clone for Buffer<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Buffer<'_, T> {}

unsafe impl<T: Element> KernelArg for Buffer<'_, T> {
    const KIND: u32 = rt::KIND_SLICE;
}

impl<'a, T> Buffer<'a, T> {
    /// # Safety
    /// `ptr` must point to `len` elements that nothing outside this launch uses meanwhile.
    #[inline(always)]
    pub unsafe fn from_raw_parts(ptr: *mut T, len: usize) -> Self {
        Buffer { ptr, len, _lives: PhantomData }
    }
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
}

impl<'a, T: Plain> Buffer<'a, T> {
    /// Reads an element; an index past the end traps.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        // SAFETY: valid by construction; indexing a raw slice checks the bound.
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
    /// `i` must be below `len()`.
    #[inline(always)]
    pub unsafe fn get_unchecked(&self, i: usize) -> T {
        unsafe { *self.ptr.add(i) }
    }
    /// Writes an element without looking at the length.
    ///
    /// # Safety
    /// `i` must be below `len()`.
    #[inline(always)]
    pub unsafe fn set_unchecked(&self, i: usize, v: T) {
        unsafe { *self.ptr.add(i) = v }
    }
}

impl<'a, T: AtomicValue> Buffer<'a, T> {
    /// An element as an atomic; an index past the end traps.
    #[inline(always)]
    pub fn atomic(&self, i: usize) -> &'a Atomic<T> {
        // SAFETY: in bounds after the check; an atomic has the layout of its value.
        unsafe { &*(&raw mut (*self.all())[i]).cast::<Atomic<T>>() }
    }
}
