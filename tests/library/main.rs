//! The library, without the program.

#[path = "../common/mod.rs"]
mod common;

mod destination;
mod engines;
mod examples;
mod layers;
mod lists;
mod lockstep;
mod logic;
mod pipeline;
mod promises;
mod records;
mod shapes;
mod solve_all;
mod text;
mod unsafe_code;
mod way;
