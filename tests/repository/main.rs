//! The repository matches its documents: examples, promises, the places of `unsafe`, and the way of a puzzle
//! through the code.

mod examples;
mod promises;
mod unsafe_code;
mod way;
