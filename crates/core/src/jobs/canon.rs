//! The minlex form, which all isomorphs of a puzzle share.

use std::sync::atomic::Ordering;

use super::{
    Answers, Column, ColumnKind, Job, Schema, Search, Searchable, Status, StatusInfo, Worker, worker_from,
};
use crate::minlex::{CanonicalCells, Minlex};
use crate::solver::{Clues, Engine};

/// Brings puzzles, or their solutions, to the form that all isomorphs share. For shapes that [`Minlex::serves`].
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Canon, Job};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let renamed = Puzzle::from_cells(puzzle.cells().map(|cell| if cell == 0 { 0 } else { 10 - cell })).unwrap();
/// let answers = Canon::default().answer(&[puzzle, renamed])?;
/// assert_eq!(answers.value(0, 0), answers.value(0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Canon {
    /// Solves the puzzles, where the forms of their solutions are wanted.
    pub of_solutions: Option<Engine>,
    /// Whether there is a column with a transform that leads to the form.
    pub transform: bool,
    /// Whether there is a column with the number of automorphisms.
    pub automorphisms: bool,
}

/// The statuses of puzzles that are not solved.
const STATUSES: &[StatusInfo] = &[StatusInfo::right("ok"), StatusInfo::CONFLICT, StatusInfo::MALFORMED];

impl Job for Canon {
    fn schema(&self) -> Schema {
        let form = "the least of all isomorphs, read cell by cell";
        let transform = "a way from the puzzle to its form, such as T/645312789/123564897/912345678";
        let automorphisms = "how many ways to move the cells change no more than the names of digits";
        let mut columns = vec![Column::new("canonical", ColumnKind::Cells, form)];
        columns.extend(self.transform.then_some(Column::new("transform", ColumnKind::Text, transform)));
        let automorphisms = Column::new("automorphisms", ColumnKind::SmallNumber, automorphisms);
        columns.extend(self.automorphisms.then_some(automorphisms));
        columns.push(Column::STATUS);
        Schema { columns, statuses: self.of_solutions.map_or(STATUSES, |_| Status::INFOS) }
    }

    fn worker<P: Searchable>(&self) -> Box<dyn Worker<P>> {
        let (job, mut minlex, mut search) = (*self, Minlex::new(), self.of_solutions.map(Search::new));
        worker_from(move |puzzles: &[P], _, stop, answers| {
            let Some(search) = &mut search else {
                for puzzle in puzzles.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
                    let form = minlex.cells_of(puzzle.clues());
                    job.push(u8::from(form.is_none()), form.as_ref(), answers);
                }
                return Ok(());
            };
            for (puzzle, status, only) in search.prove(puzzles, stop)? {
                let form = only.and_then(|cells| minlex.cells_of(Clues { shape: puzzle.shape(), cells }));
                job.push(status as u8, form.as_ref(), answers);
            }
            Ok(())
        })
    }
}

impl Canon {
    /// Adds an answer.
    fn push(&self, status: u8, form: Option<&CanonicalCells>, answers: &mut Answers) {
        answers.push_status(status);
        answers.cells(0).push(form.map_or(&[], |form| form.cells()));
        let mut column = 1;
        if self.transform {
            let transform = form.map_or_else(String::new, |form| form.transform.to_string());
            answers.push_text(column, &transform);
            column += 1;
        }
        if self.automorphisms {
            answers.push_number(column, form.map(|form| form.automorphisms.into()));
        }
    }
}
