//! The invariants of everything that gridmill reads. Each fuzz target has a check, which takes any bytes, and
//! panics if an invariant is broken.
//!
//! The targets in `fuzz_targets/` call these checks with inputs of libFuzzer. `tests/corpus/` of the main
//! crate calls them with the committed corpus, so that old findings stay fixed.

#![allow(unreachable_pub)]

mod alphabets;
mod choices;
mod chunks;
mod codecs;
mod detection;
mod engines;
mod minlex;
mod readers;
mod requests;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, which is also the directory of its corpus.
    pub name: &'static str,
    /// The check. It panics if an invariant does not hold for an input.
    pub check: fn(&[u8]),
}

/// All targets.
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

/// Checks an input of the target with this name.
///
/// # Panics
///
/// If an invariant does not hold, or if there is no such target.
pub fn check(target: &str, data: &[u8]) {
    let found = TARGETS.iter().find(|it| it.name == target);
    (found.expect("a target of that name").check)(data);
}
