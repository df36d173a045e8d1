//! Jobs: what is asked of every puzzle of a batch, e.g. its solution, its rating, its minlex form.
//!
//! A job is plain data: its options, with defaults. It says which columns and statuses its answers have ([`Schema`]),
//! and makes a [`Worker`], which answers one batch of puzzles after another into [`Answers`]. A job knows nothing of
//! text, files or rows: what writes its answers asks the schema. Each job is in one file here, alone or beside one that
//! is like it, and everything of it is there.
//!
//! ```
//! use gridmill_core::Puzzle;
//! use gridmill_core::jobs::{Job, Minimal, Value};
//!
//! let full = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
//! let line = full.replacen("5", ".", 1);
//! let answers = Minimal::default().answer(&[line.parse::<Puzzle>()?])?;
//! assert_eq!(answers.value(0, 0), Value::Text("redundant"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod canon;
mod check;
mod count;
mod explain;
mod minimize;
mod rate;
mod read;
mod search;
mod solve;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use crate::solver::NEVER;
pub use answers::{Absent, Answers, Column, ColumnKind, Grade, Schema, StatusInfo, Steps, Value};
pub use canon::{Canon, CanonicalKey, Keys};
pub use check::{Check, Proposed, Verify, problem};
pub use count::{Candidates, Count};
pub use explain::{Explain, Trace, TraceRecord};
pub use minimize::{Minimal, Minimize, MinimizeAll};
pub use rate::Rate;
pub use read::Read;

pub use search::{CountTerms, DuplicateDigit, Search, Searchable, Status};
pub use solve::{Enumerate, Solve};

/// The most puzzles that are answered before the stop flag is read again, where they take long.
const PORTION: usize = 256;

/// A question that is asked of every puzzle, with its options.
pub trait Job: Sync {
    /// Whether answers depend on the numbers of puzzles, because random numbers are drawn.
    const DRAWS: bool = false;

    /// Returns the columns and statuses of the answers.
    fn schema(&self) -> Schema;

    /// Makes a worker for puzzles of a kind. It serves one thread, and keeps its memory from batch to batch.
    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>>;

    /// Answers some puzzles on this thread.
    ///
    /// # Errors
    ///
    /// Where an engine gives an answer that breaks the rules: a defect of this library.
    fn answer<P: Searchable>(&self, puzzles: &[P]) -> Result<Answers> {
        let mut answers = Answers::new(self.schema());
        self.worker().answer(puzzles, 0, &NEVER, &mut answers)?;
        Ok(answers)
    }
}

/// Answers puzzles, a batch at a time.
pub trait Worker<P>: Send {
    /// Adds an answer for each puzzle. `first` is the number of the first one, from 0, for jobs that draw random numbers. When
    /// `stop` becomes true, the answers may end early, behind any of the puzzles.
    ///
    /// # Errors
    ///
    /// Where an engine gives an answer that breaks the rules. Ignore the answers then: the last ones may be incomplete.
    fn answer(&mut self, puzzles: &[P], first: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()>;

    /// Answers as [`Worker::answer`] does, and hands over values in parts where a puzzle may have more of them than memory
    /// should hold.
    ///
    /// # Errors
    ///
    /// As [`Worker::answer`].
    fn answer_in_parts(
        &mut self,
        puzzles: &[P],
        first: u64,
        stop: &AtomicBool,
        answers: &mut Answers,
        _: &mut TakePart<'_>,
    ) -> Result<()> {
        self.answer(puzzles, first, stop, answers)
    }
}

/// A function answers too, for jobs without lists of any length: they make one that keeps its engine and its memory.
impl<P, F> Worker<P> for F
where
    F: FnMut(&[P], u64, &AtomicBool, &mut Answers) -> Result<()> + Send,
{
    fn answer(&mut self, puzzles: &[P], first: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        self(puzzles, first, stop, answers)
    }
}

/// Makes a worker of a function.
fn worker_from<P>(
    answer: impl FnMut(&[P], u64, &AtomicBool, &mut Answers) -> Result<()> + Send + 'static,
) -> Box<dyn Worker<P>> {
    Box::new(answer)
}

/// Takes the values so far of so many puzzles, which have no status yet, and may remove them
/// ([`Answers::clear_grids`]). The last puzzle may have more. `Break` ends the search.
pub type TakePart<'a> = dyn FnMut(&mut Answers, usize) -> ControlFlow<()> + 'a;

/// The result of a job, which is wrong only where an engine is.
pub type Result<T, E = Refuted> = std::result::Result<T, E>;

/// The first puzzle of a batch for which an engine gave an answer that breaks the rules: a defect of this library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{engine} gave an answer that breaks the rules for puzzle {puzzle}, counted from 0")]
pub struct Refuted {
    /// The place of the puzzle in the batch.
    pub puzzle: usize,
    /// The name of the engine, or of the scale of ratings.
    pub engine: &'static str,
}
