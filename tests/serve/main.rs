//! `gridmill serve`, as browsers, other programs and attackers use it.

mod bodies;
mod client;
#[cfg(unix)]
mod crowds;
#[cfg(unix)]
mod ends;
mod files;
mod gate;
mod heads;
#[cfg(target_os = "linux")]
mod streams;
