//! Chains and cycles of implications, without intermediate eliminations.
//!
//! ```text
//!  r1c2 is 3 -> r1c5 is not 3 -> r4c5 is 3 -> r4c2 is not 3 -> r6c2 is 3 -> r1c2 is not 3: a chain to the contrary
//! ```
//!
//! A *statement* is that a candidate stands ("on") or does not stand ("off"). A *weak link* leads from on to off: two
//! candidates of a cell, or two places of a digit in a house. A *strong link* leads from off to on: the only two
//! candidates of a cell (Y), or the only two places of a digit in a house (X). Every link holds in the other direction
//! for the contrary statements. The *complexity* of a chain is how many statements it has; of several chains, the sum.
//!
//! [`net::Net`] searches from all candidates at once, level by level, so that a way that is found is a shortest one.
//!
//! Source: Sudoku Explainer 1.2.1 and SukakuExplainer.

pub(crate) mod dynamic;
pub(crate) mod length;
mod multiple;
mod net;
mod patterns;
mod rings;
pub(crate) mod scratch;
mod search;
mod singles;
pub(crate) mod words;

pub(crate) use multiple::MultipleChains;
pub(crate) use singles::SingleChains;
