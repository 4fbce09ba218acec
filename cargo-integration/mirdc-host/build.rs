//! Tells the linker where libmirdc is: $MIRDC_LIB_DIR, the source tree's build folder, or the
//! library folder of the prefix that this crate is installed under.
use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=MIRDC_LIB_DIR");
    if env::var_os("CARGO_FEATURE_LINK").is_none() {
        return;
    }
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let given = env::var_os("MIRDC_LIB_DIR").map(PathBuf::from);
    let near = ["../../build/lib", "../../../../lib"].map(|up| here.join(up));
    let found = given.into_iter().chain(near).find(|d| d.join("libmirdc.so").exists());
    if let Some(dir) = found {
        let dir = dir.canonicalize().unwrap_or(dir);
        println!("cargo::rustc-link-search=native={}", dir.display());
        // Reaches the tests of this package only; programs find libmirdc as the system does.
        println!("cargo::rustc-link-arg=-Wl,-rpath,{}", dir.display());
    }
    println!("cargo::rustc-link-lib=dylib=mirdc");
    if env::var_os("CARGO_FEATURE_EMULATOR").is_some() {
        println!("cargo::rustc-link-lib=dylib=mirdc-emu");
    }
}
