//! Verifying: whether puzzles are proper, and why they are not.

use super::answers::NO_REASON;
use super::{
    Column, DuplicateDigit, Job, Schema, Search, Searchable, Status, StatusInfo, Worker, worker_from,
};
use crate::solver::{Engine, Solver};

/// Verifies that puzzles have exactly one solution.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Value, Verify};
///
/// let proper = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let twice = proper.replacen("53", "55", 1);
/// let answers = Verify::default().answer(&[proper.parse::<Puzzle>()?, twice.parse()?])?;
/// assert_eq!([answers.value(0, 0), answers.value(1, 0)], [Value::Text("unique"), Value::Missing]);
/// assert_eq!(answers.value(0, 1), Value::Text("conflict"));
/// assert_eq!(answers.value(1, 1), Value::Text("row 1 holds two 5s"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Verify {
    /// The engine; the default is the fastest for 9x9.
    pub engine: Engine,
}

impl Verify {
    /// The places of the statuses.
    const UNIQUE: u8 = 0;
    const MULTIPLE: u8 = 1;
    const NONE: u8 = 2;
    const CONFLICT: u8 = 3;

    /// Makes a worker that searches with an engine of your own.
    #[must_use]
    pub fn worker_with<P: Searchable>(&self, engine: Box<dyn Solver<P>>) -> Box<dyn Worker<P>> {
        let mut search = Search::with(engine);
        worker_from(move |puzzles, _, stop, answers| {
            for (puzzle, status, _) in search.prove(puzzles, stop)? {
                match status {
                    Status::Unique => answers.push_verdict(Verify::UNIQUE, NO_REASON),
                    Status::None => answers.push_verdict(Verify::NONE, Some("no solution")),
                    Status::Conflict => answers.push_verdict(Verify::CONFLICT, DuplicateDigit::find(puzzle)),
                    _ => answers.push_verdict(Verify::MULTIPLE, Some("two solutions or more")),
                }
            }
            Ok(())
        })
    }
}

impl Job for Verify {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &[
            StatusInfo::right("unique"),
            StatusInfo::wrong("multiple"),
            StatusInfo::wrong("none"),
            StatusInfo::CONFLICT,
            StatusInfo::MALFORMED,
        ];
        Schema { columns: vec![Column::VERDICT, Column::REASON], statuses: STATUSES }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        self.worker_with(P::solver(self.engine))
    }
}
