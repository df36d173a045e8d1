//! Minimal puzzles, which have no redundant clues; and which clues of a puzzle are redundant.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::solve::PART_CELLS;
use super::{
    Answers, Column, ColumnKind, Job, JobPuzzle, PORTION, Result, Schema, Status, StatusInfo, TakePart,
    Worker, worker_from,
};
use crate::generate::{MinimalLister, Minimizer};
use crate::solver::Budget;

/// Takes clues out of puzzles in random orders until none can be removed. The order depends on the seed and
/// on the number of the puzzle, or on its clues.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Minimize, Value};
///
/// let full: Puzzle = "534678912672195348198342567859761423426853791713924856961537284287419635345286179".parse()?;
/// let answers = Minimize { orders: 10, ..Minimize::default() }.answer(&[full])?;
/// let Value::Number(clues) = answers.value(2, 0) else { panic!("it has a minimal puzzle") };
/// assert!((17..30).contains(&clues));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minimize {
    /// The seed of the random orders.
    pub seed: u64,
    /// How many orders are tried. The result with the fewest clues counts.
    pub orders: usize,
    /// Whether the orders depend on the clues of a puzzle instead of its number, so that it has the same
    /// result in any batch.
    pub by_clues: bool,
    /// The number of guesses after which a search is given up and its clue stays. Classic puzzles are
    /// searched completely.
    pub search_guesses: u64,
    /// How much all searches of a puzzle together may cost. After that, clues stay unless a search without guesses
    /// proves them redundant.
    pub budget: Budget,
}

impl Default for Minimize {
    fn default() -> Minimize {
        Minimize {
            seed: 1,
            orders: 1,
            by_clues: false,
            search_guesses: Minimizer::GUESSES,
            budget: Budget::NONE,
        }
    }
}

impl Job for Minimize {
    const IS_RANDOM: bool = true;

    fn schema(&self) -> Schema {
        let minimal = "a minimal puzzle with the same solution";
        let columns = vec![Column::new("minimal", ColumnKind::Cells, minimal), Column::STATUS, Column::CLUES];
        Schema { columns, statuses: Status::INFOS }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let Minimize { seed, orders, by_clues, search_guesses, budget } = *self;
        let mut minimizer = Minimizer::new(search_guesses, by_clues).within(budget);
        let size = (PORTION / orders).max(1);
        worker_from(move |puzzles: &[P], first, stop, answers| {
            for (first, portion) in (first..).step_by(size).zip(puzzles.chunks(size)) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let found = minimizer.minimize_until(portion, first, seed, orders, stop);
                for (puzzle, found) in portion.iter().zip(&found) {
                    let status = Status::from_two(puzzle, found.solutions, found.is_given_up);
                    answers.push_status(status as u8);
                    let minimal = found.result.as_ref();
                    answers.cells(0).push(minimal.map_or(&[], |minimal| minimal.cells()));
                    let clues = minimal.map(|minimal| minimal.clue_count() as u64);
                    answers.push_numbers(2, [clues].into_iter());
                }
                if found.len() < portion.len() {
                    break;
                }
            }
            Ok(())
        })
    }
}

/// Lists all minimal puzzles within puzzles: the sets of their clues that have one solution, and would lose
/// it with any clue fewer. They come in the order of the places of their clues.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, MinimizeAll, Value};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let answers = MinimizeAll::default().answer(&[puzzle])?;
/// let Value::Grids(minimal) = answers.value(0, 0) else { panic!("it has minimal puzzles") };
/// assert_eq!(minimal.len() / 81, 416);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct MinimizeAll {
    /// How many minimal puzzles of a puzzle are listed, the first ones; 0 for all.
    pub limit: u64,
    /// How much all searches of a puzzle together may cost. Its list ends there.
    pub budget: Budget,
}

impl Job for MinimizeAll {
    fn schema(&self) -> Schema {
        let minimal = "the minimal puzzles, one after the other";
        let columns = vec![Column::new("minimal", ColumnKind::Grids, minimal), Column::STATUS];
        Schema { columns, statuses: Status::INFOS }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        Box::new(MinimizeAllWorker { limit: self.limit, lister: MinimalLister::new(self.budget) })
    }
}

/// Lists minimal puzzles, in parts if the caller wants that.
struct MinimizeAllWorker {
    limit: u64,
    lister: MinimalLister,
}

impl<P: JobPuzzle> Worker<P> for MinimizeAllWorker {
    fn answer(&mut self, puzzles: &[P], first: u64, stop: &AtomicBool, answers: &mut Answers) -> Result<()> {
        self.answer_in_parts(puzzles, first, stop, answers, &mut |_, _| ControlFlow::Continue(()))
    }

    fn answer_in_parts(
        &mut self,
        puzzles: &[P],
        _: u64,
        stop: &AtomicBool,
        answers: &mut Answers,
        take: &mut TakePart<'_>,
    ) -> Result<()> {
        let mut cells = 0;
        for (index, puzzle) in puzzles.iter().enumerate() {
            answers.cells(0).push(&[]);
            let listed = self.lister.list(puzzle, self.limit, stop, &mut |minimal| {
                answers.cells(0).lengthen(minimal.iter().copied());
                cells += minimal.len();
                if cells < PART_CELLS {
                    return ControlFlow::Continue(());
                }
                cells = 0;
                take(answers, index + 1)
            });
            let Some(listed) = listed else {
                // The puzzle gets no status, because its list is incomplete, but the caller gets what was
                // found.
                let _ = take(answers, index + 1);
                break;
            };
            answers.push_status(Status::from_two(puzzle, listed.solutions, listed.is_given_up) as u8);
        }
        Ok(())
    }
}

/// Finds the redundant clues of puzzles. Each of them could be removed alone, but perhaps not all together.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, RedundantClues, Value};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let answers = RedundantClues::default().answer(&[puzzle])?;
/// assert_eq!(answers.value(0, 0), Value::Text("redundant"));
/// assert!(matches!(answers.value(1, 0), Value::Text(clues) if clues.starts_with("r1c1")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedundantClues {
    /// The number of guesses after which a search is given up. Classic puzzles are searched completely.
    pub search_guesses: u64,
    /// How much all searches of a puzzle together may cost before it is given up.
    pub budget: Budget,
}

impl Default for RedundantClues {
    fn default() -> RedundantClues {
        RedundantClues { search_guesses: Minimizer::GUESSES, budget: Budget::NONE }
    }
}

impl RedundantClues {
    /// The place of the status `minimal`, which is that of `unique`.
    pub const MINIMAL: usize = Status::Unique as usize;
}

/// This status is used for puzzles with one solution and redundant clues, because no puzzle is only "solved"
/// here.
const REDUNDANT: Status = Status::Solved;

impl Job for RedundantClues {
    fn schema(&self) -> Schema {
        const STATUSES: &[StatusInfo] = &Status::infos_with([
            (Status::Unique, StatusInfo::right("minimal")),
            (REDUNDANT, StatusInfo::right("redundant")),
        ]);
        let redundant = "the clues that could each go alone, such as r1c1 r9c9";
        let columns = vec![Column::STATUS, Column::new("redundant", ColumnKind::Text, redundant)];
        Schema { columns, statuses: STATUSES }
    }

    #[inline(never)]
    fn worker<P: JobPuzzle>(&self) -> Box<dyn Worker<P>> {
        let mut minimizer = Minimizer::new(self.search_guesses, false).within(self.budget);
        worker_from(move |puzzles: &[P], _, stop, answers| {
            for portion in puzzles.chunks(PORTION).take_while(|_| !stop.load(Ordering::Relaxed)) {
                let found = minimizer.redundant_until(portion, stop);
                for (puzzle, found) in portion.iter().zip(&found) {
                    let status = Status::from_two(puzzle, found.solutions, found.is_given_up);
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
