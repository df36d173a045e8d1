//! The repository matches its documents: examples, promises, the places of `unsafe`, and the path of a puzzle
//! through the code.

mod examples;
mod promises;
mod puzzle_path;
mod unsafe_code;
