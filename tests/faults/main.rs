//! Runs in which the system refuses something: calls fail, are interrupted or transfer only a few bytes,
//! threads and memory are refused, and clocks are set back.
//!
//! The tests are a sample, because the whole table takes minutes. `scripts/faults` runs all of it
//! (`table.rs`) and records the results.

// The shim supports only these systems.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

mod jobs;
mod run;
mod shim;
mod strace;
mod sweep;

mod files;
#[cfg(feature = "serve")]
mod page;
mod resume;
mod system;
mod table;
