//! Minimal puzzles out of others: redundant clues are taken away.

use std::sync::atomic::Ordering;

use super::{Column, ColumnKind, Job, PORTION, Schema, Searchable, Status, Worker, worker_from};
use crate::generate::Minimizer;
use crate::solver::{Clues, Solvable};

/// Takes clues out of puzzles in random orders until none can go. The order depends on the seed and on the number of the
/// puzzle, or on its clues.
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
#[derive(Clone, Copy, Debug)]
pub struct Minimize {
    /// The seed of the random orders.
    pub seed: u64,
    /// How many orders are tried; the result with the fewest clues counts.
    pub orders: usize,
    /// Whether the orders depend on the clues of a puzzle in place of its number: then it becomes the same in any batch.
    pub by_clues: bool,
    /// The guesses after which a search is given up, and its clue stays. Classic puzzles are searched to the end.
    pub budget_guesses: u64,
}

impl Default for Minimize {
    fn default() -> Minimize {
        Minimize { seed: 1, orders: 1, by_clues: false, budget_guesses: Minimizer::GUESSES }
    }
}

impl Job for Minimize {
    const DRAWS: bool = true;

    fn schema(&self) -> Schema {
        let minimal = "a minimal puzzle with the same solution";
        let columns = vec![Column::new("minimal", ColumnKind::Cells, minimal), Column::STATUS, Column::CLUES];
        Schema { columns, statuses: Status::INFOS }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let Minimize { seed, orders, by_clues, budget_guesses } = *self;
        let minimizer = Minimizer::new(None).with_guesses(budget_guesses);
        let mut minimizer = minimizer.with_orders_by_clues(by_clues);
        let size = (PORTION / orders).max(1);
        worker_from(move |puzzles: &[P], first, stop, answers| {
            for (first, portion) in (first..).step_by(size).zip(puzzles.chunks(size)) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let clues: Vec<Clues<'_>> = portion.iter().map(Solvable::clues).collect();
                let found = minimizer.minimize_until(&clues, first, seed, orders, stop);
                for (puzzle, found) in portion.iter().zip(&found) {
                    let status = Status::of_two(puzzle, found.solutions, found.is_given_up);
                    answers.push_status(status as u8);
                    let minimal = found.result.as_ref();
                    answers.cells(0).push(minimal.map_or(&[], |minimal| minimal.cells()));
                    answers.push_number(2, minimal.map(|minimal| minimal.clue_count() as u64));
                }
                if found.len() < portion.len() {
                    break;
                }
            }
            Ok(())
        })
    }
}
