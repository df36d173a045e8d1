//! Solves puzzles as people do: techniques narrow down the candidates, and each deduction has a reason and a
//! rating.
//!
//! A [`State`] holds the placed digits and the remaining candidates. A [`Finder`] reports all deductions of
//! its technique to a [`DeductionSink`]. A [`Round`] collects the deductions with the lowest rating and applies them
//! together, so that the order of the cells does not matter. A [`Rater`] makes round after round and records
//! their ratings. An [`Explainer`] also keeps every deduction with its pattern (a [`Step`]), so that you can
//! show why it holds.
//!
//! A few techniques need an order of cells to break ties, e.g. between two chains of equal length. [`Ties`]
//! says which order they use.

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
pub use finder::{Deduction, DeductionSink, Finder, GroupStatement, Link, Pattern, Round, Scratch, Step};
pub use rater::{PuzzleRating, Rater, RatingCriteria, RatingEnd};
pub use state::State;
pub use technique::{Rating, Scale, Technique, TechniqueSet, Ties, UnknownName};
