//! Solving as people do: candidates, narrowed by techniques, each with its reason and its rating.
//!
//! A [`State`] holds digits and candidates. A [`Finder`] hands all deductions of its technique to a [`Sink`]. A
//! [`Round`] unites those of the lowest rating and makes them together, so that nothing depends on the order of cells,
//! and a [`Rater`] goes from round to round. A [`Step`] is one of these deductions with its pattern, and an
//! [`Explainer`] lists them round by round. Where a technique itself needs an order of cells, [`Ties`] say which one.

mod cells;
mod chains;
mod explanation;
mod finder;
mod lanes;
mod rater;
mod state;
mod technique;
mod techniques;

pub use cells::{CandidateSet, CellSet, cell_name, cell_names, digit_name, digit_names, group_name, house};
pub use explanation::{ExplainedRound, Explainer, Explanation, ExplanationEnd, Until};
pub use finder::{Deduction, Finder, Link, Node, Pattern, Round, Scratch, Sink, Step};
pub use rater::{PuzzleRating, Rater, RatingEnd, RatingWish};
pub use state::State;
pub use technique::{Profile, Rating, Technique, TechniqueSet, Ties, UnknownName};
