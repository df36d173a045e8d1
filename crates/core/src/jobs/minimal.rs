//! Whether puzzles are minimal, and which of their clues are redundant.

use std::sync::atomic::Ordering;

use super::{Column, ColumnKind, Job, PORTION, Schema, Searchable, Status, StatusInfo, Worker, worker_from};
use crate::generate::Minimizer;
use crate::solver::{Clues, Solvable};

/// Finds the redundant clues of puzzles: each of them could go alone, though perhaps not all together.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Minimal, Value};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let answers = Minimal::default().answer(&[puzzle])?;
/// assert_eq!(answers.value(0, 0), Value::Text("redundant"));
/// assert!(matches!(answers.value(1, 0), Value::Text(clues) if clues.starts_with("r1c1")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Minimal {
    /// The guesses after which a search is given up. Classic puzzles are searched to the end.
    pub budget_guesses: u64,
}

impl Default for Minimal {
    fn default() -> Minimal {
        Minimal { budget_guesses: Minimizer::GUESSES }
    }
}

impl Minimal {
    /// The place of the status `minimal` among the statuses: that of `unique`.
    pub const MINIMAL: usize = Status::Unique as usize;
}

/// In the place of this status, which no puzzle has here, is that of puzzles with one solution and redundant clues.
const REDUNDANT: Status = Status::Solved;

impl Job for Minimal {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &Status::infos_with([
            (Status::Unique, StatusInfo::right("minimal")),
            (REDUNDANT, StatusInfo::right("redundant")),
        ]);
        let redundant = "the clues that could each go alone, such as r1c1 r9c9";
        let columns = vec![Column::STATUS, Column::new("redundant", ColumnKind::Text, redundant)];
        Schema { columns, statuses: STATUSES }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let mut minimizer = Minimizer::new(None).with_guesses(self.budget_guesses);
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for portion in puzzles.chunks(PORTION).take_while(|_| !stop.load(Ordering::Relaxed)) {
                let clues: Vec<Clues<'_>> = portion.iter().map(Solvable::clues).collect();
                let found = minimizer.redundant_until(&clues, stop);
                for (puzzle, found) in portion.iter().zip(&found) {
                    let status = Status::of_two(puzzle, found.solutions, found.is_given_up);
                    let is_redundant = status == Status::Unique && !found.result.is_empty();
                    answers.push_status(if is_redundant { REDUNDANT } else { status } as u8);
                    let names = found.result.iter().map(|cell| cell.name(puzzle.shape()));
                    answers.push_text(1, names.collect::<Vec<_>>().join(" "));
                }
                if found.len() < portion.len() {
                    break;
                }
            }
            Ok(())
        })
    }
}
