//! Scores partly filled grids: how many cells are right, and whether the solution can still be reached.

use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{Answers, Job, Solve, Worker, why_not_solution};
use gridmill_core::solver::{Budget, Engine, SolutionLimit};
use gridmill_data::text::PuzzleText;
use numpy::IntoPyArray;
use pyo3::prelude::*;

use crate::arrays::{FoundColumn, numbers};
use crate::call::{BATCHES, Batch, Options, RecordParser, Slot, Values, wrong_answer};
use crate::given_records::GivenRecords;
use crate::on_puzzles;
use crate::threads::{Watch, spare_worker};

/// The columns of counts.
const COUNTS: [&str; 4] = ["right", "wrong", "open", "changed"];

/// The status of a grid, in the order of [`STATUSES`].
#[derive(Clone, Copy)]
enum Status {
    Solved,
    Solvable,
    Unsolvable,
    Conflict,
    Changed,
    Malformed,
}

const STATUSES: &str = "solved solvable unsolvable conflict changed malformed";

/// Scores grids against their solutions. If puzzles are given, their clues are not counted as right, and changed clues
/// are found.
#[pyfunction]
pub(crate) fn score<'py>(
    py: Python<'py>,
    grids: &Bound<'py, GivenRecords>,
    puzzles: Option<&Bound<'py, GivenRecords>>,
    solutions: &Bound<'py, GivenRecords>,
    options: Options<'py>,
) -> PyResult<Vec<FoundColumn<'py>>> {
    let (grids, puzzles, solutions) = (grids.get(), puzzles.map(Bound::get), solutions.get());
    let records = grids.len(py);
    let borrowed = puzzles.and_then(|puzzles| puzzles.borrow(py));
    let puzzles = puzzles.map(|puzzles| (puzzles, puzzles.view(borrowed.as_ref())));
    let mut columns: Vec<Values> = COUNTS.iter().map(|_| Values::numbers(0_i32, records)).collect();
    columns.push(Values::numbers(Status::Malformed as i8, records));
    on_puzzles!(py, grids, Some(solutions), &options, |grids, solutions, watch| {
        let puzzles =
            puzzles.map(|(records, view)| RecordParser::new(records, view, options.keep)).transpose()?;
        let solutions = solutions.as_ref().expect("they are given");
        let slots = columns.iter_mut().map(Values::slot).collect();
        ScoreInput { grids: &grids, puzzles, solutions }.score(slots, watch)
    })?;
    let statuses = columns.pop().expect("it was pushed").into_numbers::<i8>().into_pyarray(py).into_any();
    let counts = COUNTS.iter().zip(columns).map(|(name, mut values)| {
        let missing = std::mem::take(&mut values.missing);
        numbers(py, name, values.into_numbers::<i32>(), Some(missing))
    });
    let mut found: Vec<_> = counts.collect();
    found.push(("status", "names", statuses, None, Some(STATUSES.to_owned())));
    Ok(found)
}

/// The records of a call.
struct ScoreInput<'a, P: PuzzleText> {
    grids: &'a RecordParser<'a, P>,
    puzzles: Option<RecordParser<'a, P>>,
    solutions: &'a RecordParser<'a, P>,
}

/// The memory of a thread.
struct Tools<P> {
    puzzles: Batch<P>,
    solutions: Batch<P>,
    /// Grids for which only a search can decide whether they have a solution, and their places.
    doubtful: (Vec<P>, Vec<usize>),
    worker: Box<dyn Worker<P>>,
    answers: Answers,
}

impl<P: PuzzleText> ScoreInput<'_, P> {
    fn score(&self, slots: Vec<Slot<'_>>, watch: &Watch) -> PyResult<()> {
        self.grids.require_as_many(self.puzzles.as_ref())?;
        let empty = self.grids.empty();
        let engine = Engine::fastest(Some(empty.shape()));
        let one = SolutionLimit::new(1).expect("1 is a limit");
        let search = Solve { engine, limit: one, budget: Budget::NONE };
        let tools = || Tools {
            puzzles: Batch::new(),
            solutions: Batch::new(),
            doubtful: (Vec::new(), Vec::new()),
            worker: spare_worker(&search, || search.worker()),
            answers: Answers::new(search.schema()),
        };
        self.grids.in_parts(&BATCHES, slots, watch, tools, |tools, range, batch, mut slots| {
            self.solutions.read(range.clone(), &mut tools.solutions)?;
            if let Some(puzzles) = &self.puzzles {
                puzzles.read(range.clone(), &mut tools.puzzles)?;
            }
            for (place, grid) in batch.iter() {
                let puzzle = if self.puzzles.is_some() { tools.puzzles.at(place) } else { Some(&empty) };
                let (Some(puzzle), Some(solution)) = (puzzle, tools.solutions.at(place)) else { continue };
                let has_solution = solution.cells().iter().any(|&digit| digit != 0);
                if let Some(reason) =
                    Some(solution).filter(|_| has_solution).and_then(|found| why_not_solution(puzzle, found))
                {
                    self.solutions.refuse(range.start + place, &reason)?;
                    continue;
                }
                let counted = counts(grid.cells(), puzzle.cells(), solution.cells());
                let [_, wrong, open, changed] = counted;
                for (slot, count) in slots.iter_mut().zip(counted) {
                    slot.of(place).copy_from_slice(&count.to_ne_bytes());
                    slot.missing[place] = false;
                }
                // Without a puzzle, other solutions do not count.
                let is_wrong = self.puzzles.is_none() && has_solution && wrong > 0;
                let status = if changed > 0 {
                    Status::Changed
                } else if is_wrong {
                    grid.find_conflict().map_or(Status::Unsolvable, |_| Status::Conflict)
                } else if open == 0 && puzzle.is_solved_by(grid.cells()) {
                    Status::Solved
                } else if wrong == 0 && has_solution {
                    Status::Solvable
                } else {
                    tools.doubtful.0.push(grid.clone());
                    tools.doubtful.1.push(place);
                    continue;
                };
                slots[COUNTS.len()].of(place)[0] = status as u8;
            }
            tools.search(&mut slots[COUNTS.len()], &watch.stop)
        })
    }
}

impl<P: PuzzleText> Tools<P> {
    /// Searches for a solution of each doubtful grid.
    fn search(&mut self, statuses: &mut Slot<'_>, stop: &AtomicBool) -> PyResult<()> {
        let (grids, places) = &mut self.doubtful;
        self.answers.clear();
        let answered = self.worker.answer(grids, 0, stop, &mut self.answers);
        answered.map_err(|wrong| wrong_answer(wrong.engine, &grids[wrong.puzzle]))?;
        let names = self.answers.schema().statuses;
        for (&code, &place) in self.answers.statuses().iter().zip(&*places) {
            let status = match names[usize::from(code)].name {
                "solved" => Status::Solvable,
                "conflict" => Status::Conflict,
                _ => Status::Unsolvable,
            };
            statuses.of(place)[0] = status as u8;
        }
        grids.clear();
        places.clear();
        Ok(())
    }
}

/// The numbers of right, wrong and open cells that are not clues, and of clues that were changed or removed. The
/// numbers are signed, because training code subtracts them for rewards.
fn counts(grid: &[u8], puzzle: &[u8], solution: &[u8]) -> [i32; 4] {
    let mut counts = [0; 4];
    for ((&cell, &clue), &digit) in grid.iter().zip(puzzle).zip(solution) {
        let is_free = clue == 0;
        let is_filled = is_free & (cell != 0);
        counts[0] += i32::from(is_filled & (cell == digit));
        counts[1] += i32::from(is_filled & (cell != digit));
        counts[2] += i32::from(is_free & (cell == 0));
        counts[3] += i32::from(!is_free & (cell != clue));
    }
    counts
}
