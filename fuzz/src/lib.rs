//! What must hold of everything that gridmill reads: a check for each fuzz target, which takes any bytes and panics where
//! an invariant is broken.
//!
//! The targets in `fuzz_targets/` hand inputs of libFuzzer to these checks; `tests/corpus/` of the main crate hands them
//! the committed corpus.

#![allow(unreachable_pub)]

mod alphabets;
mod choices;
mod chunks;
mod codecs;
mod detection;
mod engines;
mod formats;
mod kinds;
mod minlex;
mod readers;
mod requests;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, and that of the directory of its corpus.
    pub name: &'static str,
    /// Panics where an invariant does not hold of an input.
    pub check: fn(&[u8]),
}

/// Every target.
pub const TARGETS: [Target; 8] = [
    Target { name: "alphabets", check: alphabets::check },
    Target { name: "chunks", check: chunks::check },
    Target { name: "codecs", check: codecs::check },
    Target { name: "detection", check: detection::check },
    Target { name: "engines", check: engines::check },
    Target { name: "minlex", check: minlex::check },
    Target { name: "readers", check: readers::check },
    Target { name: "requests", check: requests::check },
];

/// Checks an input of the target of that name.
///
/// # Panics
///
/// Where an invariant does not hold, or there is no such target.
pub fn check(target: &str, data: &[u8]) {
    let found = TARGETS.iter().find(|it| it.name == target);
    (found.expect("a target of that name").check)(data);
}
