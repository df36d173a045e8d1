//! Leaves the compiler's version with the program, for the head of `gridmill bench`.

use std::env;
use std::process::Command;

fn main() {
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(compiler).arg("--version").output();
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo::rustc-env=GRIDMILL_COMPILER={}", version.unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
}
