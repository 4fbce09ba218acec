//! Compiles the GPU kernels of a package from its `build.rs`:
//!
//! ```no_run
//! // build.rs
//! mirdc_build::Builder::new().arch("sm_90").compile();
//! ```
//!
//! The package's own library (or its binaries, if it has no library) is compiled for the device; the
//! bundle is embedded with `mirdc_host::include_bundle!()`. The work is done by `cargo-mirdc`,
//! which is looked for beside `$MIRDC`, then in the source tree or installation that this crate
//! comes from, then on `PATH`.
//!
//! Cargo's variables `MIRDC_ARCH`, `MIRDC_DIR`, `MIRDC_CUDA` and `MIRDC_SKIP=1` (an empty bundle,
//! for machines without mirdc) are honoured.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What to compile, and how. Unset options have the defaults of `cargo mirdc build`.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    args: Vec<OsString>,
    driver: Option<PathBuf>,
}

/// Why there is no bundle.
#[derive(Debug)]
pub enum Error {
    /// `cargo-mirdc` was not found; the places that were looked at.
    NotFound(Vec<PathBuf>),
    /// It could not be started.
    NotStarted(PathBuf, std::io::Error),
    /// It failed; its messages stand on standard error.
    Failed(Option<i32>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NotFound(places) => {
                write!(f, "cannot find `cargo-mirdc`; looked at")?;
                for (i, p) in places.iter().enumerate() {
                    write!(f, "{} {}", if i == 0 { "" } else { "," }, p.display())?;
                }
                write!(
                    f,
                    " and on PATH; install mirdc, set MIRDC to the path of `mirdc`, or set \
                     MIRDC_SKIP=1 to build without device code"
                )
            }
            Error::NotStarted(p, e) => write!(f, "cannot start {}: {e}", p.display()),
            Error::Failed(Some(101)) => write!(f, "the device code was not compiled; see below"),
            Error::Failed(Some(n)) => write!(f, "cargo-mirdc failed with status {n}; see below"),
            Error::Failed(None) => write!(f, "cargo-mirdc was killed"),
        }
    }
}

impl std::error::Error for Error {}

impl Builder {
    /// Everything by default.
    pub fn new() -> Builder {
        Builder::default()
    }
    fn option(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Builder {
        let mut word = OsString::from(format!("--{name}="));
        word.push(value.as_ref());
        self.args.push(word);
        self
    }
    /// A GPU architecture to compile for, such as `sm_90`. Can be given several times.
    pub fn arch(self, arch: &str) -> Builder {
        self.option("arch", arch)
    }
    /// Compiles the library. The default if there is one.
    pub fn lib(mut self) -> Builder {
        self.args.push("--lib".into());
        self
    }
    /// Compiles a binary of the package.
    pub fn bin(self, name: &str) -> Builder {
        self.option("bin", name)
    }
    /// Fuses multiplications with additions, or not.
    pub fn fmad(self, on: bool) -> Builder {
        self.option("fmad", if on { "on" } else { "off" })
    }
    /// Keeps source lines for profilers.
    pub fn line_info(mut self) -> Builder {
        self.args.push("--line-info".into());
        self
    }
    /// Keeps the place of a trap for the loader, or not.
    pub fn trap_info(self, on: bool) -> Builder {
        self.option("trap-info", if on { "on" } else { "off" })
    }
    /// Keeps the prepared MIR in the bundle, so that `mirdc_host::Emulator` can run its kernels.
    pub fn embed_dump(mut self) -> Builder {
        self.args.push("--embed-dump".into());
        self
    }
    /// Links a file too: LTO-IR, PTX, cubin, fatbin, object or archive. The order counts.
    pub fn extern_lto(self, file: impl AsRef<Path>) -> Builder {
        println!("cargo::rerun-if-changed={}", file.as_ref().display());
        self.option("extern-lto", file.as_ref())
    }
    /// The CUDA toolkit to use.
    pub fn cuda(self, dir: impl AsRef<Path>) -> Builder {
        self.option("cuda", dir.as_ref())
    }
    /// Any further option of `cargo mirdc build`.
    pub fn arg(mut self, arg: &str) -> Builder {
        self.args.push(arg.into());
        self
    }
    /// The `cargo-mirdc` to use.
    pub fn driver(mut self, path: impl Into<PathBuf>) -> Builder {
        self.driver = Some(path.into());
        self
    }

    /// Compiles, and ends the build script with an error that Cargo shows if that fails.
    pub fn compile(self) {
        if let Err(e) = self.try_compile() {
            println!("cargo::error={e}");
            std::process::exit(1);
        }
    }

    /// Compiles, and gives the path of the bundle.
    pub fn try_compile(self) -> Result<PathBuf, Error> {
        println!("cargo::rerun-if-env-changed=MIRDC");
        println!("cargo::rerun-if-env-changed=MIRDC_SKIP");
        let bundle = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("mirdc.bundle");
        let program = match self.find() {
            Ok(p) => p,
            Err(e) => {
                // Without mirdc the crate can still be built, when that is wanted.
                let wanted = env::var_os("MIRDC_SKIP").is_some_and(|v| v != "0" && !v.is_empty());
                if wanted && std::fs::write(&bundle, b"").is_ok() {
                    println!("cargo::rustc-env=MIRDC_BUNDLE={}", bundle.display());
                    println!("cargo::warning=device code is not compiled: MIRDC_SKIP is set");
                    return Ok(bundle);
                }
                return Err(e);
            }
        };
        let status = Command::new(&program)
            .args(["mirdc", "build", "--build-script"])
            .args(&self.args)
            .stdin(Stdio::null())
            .status()
            .map_err(|e| Error::NotStarted(program, e))?;
        if status.success() {
            Ok(bundle)
        } else {
            Err(Error::Failed(status.code()))
        }
    }

    fn find(&self) -> Result<PathBuf, Error> {
        if let Some(p) = &self.driver {
            return if p.is_file() { Ok(p.clone()) } else { Err(Error::NotFound(vec![p.clone()])) };
        }
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut places = Vec::new();
        if let Some(m) = env::var_os("MIRDC").filter(|m| !m.is_empty()) {
            places.push(PathBuf::from(m).with_file_name("cargo-mirdc"));
        }
        // CRATES/mirdc-build in the source tree, or in PREFIX/share/mirdc/crates.
        for up in ["../../build/bin/cargo-mirdc", "../../../../bin/cargo-mirdc"] {
            places.push(here.join(up));
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let on_path = env::split_paths(&path).map(|d| d.join("cargo-mirdc"));
        let found = places.iter().cloned().chain(on_path).find(|p| p.is_file());
        found.ok_or(Error::NotFound(places))
    }
}
