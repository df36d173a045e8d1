//! What the program does when the system refuses: calls that fail, are interrupted or move few bytes, threads and memory that
//! can't be had, clocks that go back.
//!
//! The tests are a sample; `scripts/faults` runs the whole table (`table.rs`) and records it.

// The shim is made for these.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

mod jobs;
mod run;
mod shim;
mod strace;
mod sweep;

mod inputs;
mod interrupts;
mod memory;
mod outputs;
#[cfg(feature = "serve")]
mod page;
mod resume;
mod table;
mod threads;
