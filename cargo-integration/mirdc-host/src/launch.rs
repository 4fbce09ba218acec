use crate::{DeviceVec, Dim3, Error, Kernel, Module, Result};
use mirdc::rt::Launch;

/// `MIRDC_ERROR_NOT_FOUND` of bundles/mirdc.h.
const NOT_FOUND: i32 = 4;

// SAFETY: the memory lives as long as the vector.
unsafe impl<T: Copy> mirdc::DeviceSlice for DeviceVec<T> {
    type Elem = T;
    fn parts(&self) -> (u64, u64) {
        (self.address(), self.len() as u64)
    }
}

impl Module {
    /// What `mirdc::launch!` expands to: finds the kernel, checks geometry and arguments, starts it
    /// and returns before it ends. An instance that is not in the bundle is an error that names it.
    ///
    /// # Safety
    /// Nothing else may use what the kernel writes until [`Module::sync`], and the memory that its
    /// arguments point to must live until then.
    #[cfg_attr(mirdc_device, inline(never))]
    pub unsafe fn launch_prepared(
        &self,
        grid: impl Into<Dim3>,
        block: impl Into<Dim3>,
        dynamic_shared: Option<u64>,
        launch: &Launch,
    ) -> Result<()> {
        let values: Vec<_> = launch.values().iter().map(|v| v.0.cast()).collect();
        let sizes: Vec<_> = launch.values().iter().map(|v| v.1).collect();
        let kernel = self.kernel_of_launch(launch)?;
        let shared = dynamic_shared.unwrap_or(u64::MAX);
        unsafe { kernel.launch_raw(grid.into(), block.into(), shared, &values, &sizes) }
    }

    fn kernel_of_launch(&self, launch: &Launch) -> Result<Kernel> {
        let by_key = self.kernel(launch.key());
        let found = match (launch.path(), by_key) {
            (Some(path), Err(_)) => self.kernel(path),
            (_, found) => found,
        };
        found.map_err(|e| match e.status {
            NOT_FOUND => Error {
                text: format!("the bundle has no kernel for {}", launch.what()),
                code: "MD0915".into(),
                ..e
            },
            _ => e,
        })
    }
}
