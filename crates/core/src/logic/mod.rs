//! Solving as people do: candidates, narrowed by techniques, each with its reason and its rating.
//!
//! A [`State`] holds digits and candidates. A [`Finder`] hands all deductions of its technique to a [`Sink`]. A
//! [`Round`] unites those of the lowest rating and makes them together, so that nothing depends on the order of cells,
//! and a [`Rater`] goes from round to round. [`Steps`] are the same deductions one by one, with their patterns, and an
//! [`Explainer`] tells them round by round. Where a technique itself needs an order of cells, [`Ties`] tell which one.

mod batch_rater;
mod cell_set;
mod chains;
mod changes;
mod deduction;
mod explanation;
mod finder;
mod frame;
mod houses;
mod lanes;
mod places;
mod profile;
mod rater;
mod rating;
mod round;
mod scratch;
mod state;
mod technique;
mod techniques;
mod ties;
mod wish;
mod words;

pub use batch_rater::{BatchRater, Ratable, Rated};
pub use cell_set::{CandidateSet, CellSet};
pub use deduction::{Deduction, Link, Pattern, Sink};
pub use explanation::{ExplainedRound, Explainer, Explanation, ExplanationEnd, Until};
pub use finder::Finder;
pub use houses::house;
pub use profile::{Profile, UnknownProfile};
pub use rater::{PuzzleRating, Rater, RatingEnd};
pub use rating::{ParseRatingError, Rating};
pub use round::{Round, Step, Steps};
pub use scratch::Scratch;
pub use state::State;
pub use technique::{Technique, TechniqueSet, UnknownTechnique};
pub use ties::{Ties, UnknownTies};
pub use wish::RatingWish;
pub use words::{cell_name, cell_names, digit_name, digit_names};
