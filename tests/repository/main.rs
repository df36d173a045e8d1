//! The repository holds what its documents say: examples, promises, where `unsafe` is, the way of a puzzle.

mod examples;
mod instances;
mod promises;
mod unsafe_code;
mod way;
