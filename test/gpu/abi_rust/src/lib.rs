//! The kernels of ../../abi.rs, so that a host program in Rust has the very types.
#![no_std]
#[path = "../../abi.rs"]
pub mod abi;
