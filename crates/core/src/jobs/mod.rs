//! Jobs: questions about every puzzle of a batch, e.g. its solution, its rating or its minlex form.
//!
//! A job is plain data: its options, with defaults. Its [`Schema`] lists the columns and statuses of its
//! answers. It makes a [`Worker`], which answers one batch of puzzles after another and adds to [`Answers`].
//! A job does not know texts, files or rows; the code that writes answers uses the schema instead, so that a
//! new job needs no code there. Each job is in one file here, sometimes together with a similar one, and that
//! file has everything about it.
//!
//! ```
//! use gridmill_core::Puzzle;
//! use gridmill_core::jobs::{Job, RedundantClues, Value};
//!
//! let full = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
//! let line = full.replacen("5", ".", 1);
//! let answers = RedundantClues::default().answer(&[line.parse::<Puzzle>()?])?;
//! assert_eq!(answers.value(0, 0), Value::Text("redundant"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod canon;
mod check;
mod explain;
mod hunt;
mod minimize;
mod search;
mod solve;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use crate::solver::NEVER;
pub use answers::{Absent, Answers, Column, ColumnKind, Grade, Schema, StatusInfo, Steps, Value};
pub use canon::{Canon, Keys, PuzzleKey};
pub use check::{Check, Proposed, Verify, why_not_solution};
pub use explain::{Explain, Rate, Trace, TraceRecord};
pub use hunt::{Backdoors, Neighbors, Unavoidable};
pub use minimize::{Minimize, MinimizeAll, RedundantClues};
pub use search::{BatchSearch, CountOptions, DuplicateDigit, JobPuzzle, Status};
pub use solve::{Candidates, Count, Enumerate, Solve};

/// How many puzzles are answered before the stop flag is read again, if they take long.
const PORTION: usize = 256;

/// A question about every puzzle, with its options.
pub trait Job: Sync {
    /// Whether answers depend on the numbers of puzzles, because random numbers are drawn.
    const IS_RANDOM: bool = false;

    /// The columns and statuses of the answers.
    fn schema(&self) -> Schema;

    /// Makes a worker for puzzles of one kind. Make one for each thread, because it keeps its memory from
    /// batch to batch.
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>>;

    /// Answers some puzzles on this thread.
    ///
    /// # Errors
    ///
    /// If an engine gives an answer that breaks the rules, which is a bug in this library.
    fn answer<P: JobPuzzle>(&self, puzzles: &[P]) -> Result<Answers> {
        let mut answers = Answers::new(self.schema());
        self.worker().answer(puzzles, 0, &NEVER, &mut answers)?;
        Ok(answers)
    }
}

/// Answers puzzles, a batch at a time.
pub trait Worker<P>: Send {
    /// Adds an answer for each puzzle. `first` is the number of the first one, from 0, for jobs that draw
    /// random numbers. If `stop` becomes true, the answers may end early, after any puzzle.
    ///
    /// # Errors
    ///
    /// If an engine gives an answer that breaks the rules. Ignore the answers then, because the last ones may
    /// be incomplete.
    fn answer(&mut self, puzzles: &[P], first: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()>;

    /// Answers as [`Worker::answer`] does, but passes values to `take` in parts if a puzzle may have more of
    /// them than memory should hold.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Worker::answer`].
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

/// A function can be a worker too, for jobs without lists of any length. It captures its engine and its
/// memory.
impl<P, F> Worker<P> for F
where
    F: FnMut(&[P], u64, &AtomicBool, &mut Answers) -> Result<()> + Send,
{
    fn answer(&mut self, puzzles: &[P], first: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        self(puzzles, first, stop, answers)
    }
}

/// Makes a worker of a function. This helps the compiler to infer the types of a closure.
fn worker_from<P>(
    answer: impl FnMut(&[P], u64, &AtomicBool, &mut Answers) -> Result<()> + Send + 'static,
) -> Box<dyn Worker<P>> {
    Box::new(answer)
}

/// Receives the values so far, and the number of puzzles that they belong to. These have no status yet, and
/// the last one may get more values. The function may remove the values ([`Answers::clear_grids`]); `Break`
/// ends the search.
pub type TakePart<'a> = dyn FnMut(&mut Answers, usize) -> ControlFlow<()> + 'a;

/// The result of a job. It is an error only if an engine is wrong.
pub type Result<T, E = WrongAnswer> = std::result::Result<T, E>;

/// The first puzzle of a batch for which an engine gave an answer that breaks the rules, which is a bug in
/// this library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{engine} gave an answer that breaks the rules for puzzle {puzzle}, counted from 0")]
pub struct WrongAnswer {
    /// The place of the puzzle in the batch, from 0.
    pub puzzle: usize,
    /// The name of the engine, or of the scale of ratings.
    pub engine: &'static str,
}

/// A job that asks nothing, for callers that only read puzzles and write them in another form. Its answers
/// have no columns, and every puzzle has the status `read`.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, ReadOnly};
///
/// assert_eq!(ReadOnly.answer(&[Puzzle::EMPTY; 3])?.len(), 3);
/// # Ok::<(), gridmill_core::jobs::WrongAnswer>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOnly;

impl Job for ReadOnly {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &[StatusInfo::right("read"), StatusInfo::MALFORMED];
        Schema { columns: Vec::new(), statuses: STATUSES }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        worker_from(|puzzles, _, _, answers| {
            puzzles.iter().for_each(|_| answers.push_status(0));
            Ok(())
        })
    }
}
