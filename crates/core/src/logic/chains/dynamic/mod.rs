//! Dynamic forcing chains: what follows from an assumption, with every candidate gone that the assumption rules out.
//!
//! ```text
//!  r1c2 is 3 ──> r1c5 is not 3 ──┐
//!     └──> ... ──> r7c5 is not 3 ┴──> r4c5 is 3     an "on" may rest on several "offs"
//! ```
//!
//! * Contradiction: a candidate, on or off, makes some candidate both on and off, so it is the contrary.
//! * Double: a candidate, on as well as off, leads to the same statement (in cells of three candidates and more).
//! * Cell: every candidate of a cell leads to the same statement.
//! * House: a digit in any of its places in a house leads to the same statement.
//! * Nishio: a contradiction among the candidates of one digit.
//!
//! [`propagation`] pursues one assumption, [`search`] compares what follows from several.
//!
//! Ratings: Nishio 7.5, dynamic 8.5, with the implications of [`plus`] 9.0, with those of
//! [`nested`] 9.5 to 10.5, and what the length adds. Source: Sudoku
//! Explainer 1.2.1.

mod board;
mod consequences;
mod handover;
mod implications;
mod nested;
mod nishio;
mod node;
mod origin;
mod plus;
mod propagation;
mod reach;
mod scratch;
mod search;
mod single;
mod trace;
pub(crate) mod words;

pub(crate) use handover::DynamicChains;
pub(crate) use nested::NestedChains;
pub(crate) use nishio::Nishio;
pub(crate) use plus::DynamicPlus;
pub(crate) use scratch::DynamicScratch;

#[cfg(test)]
mod tests;
