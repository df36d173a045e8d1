//! Text → puzzles → a row for every solution: the work of `enumerate`.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use super::lock;
use super::solve::{read, wrong};
use super::stage::{ChunkProcessor, ChunkSizing, InvalidSolution, Output, Piece, Stage};
use crate::grid::rules;
use crate::record::{Answers, Status, Tally};
use crate::solver::{Bounds, End, GridOutcome, GridSolver, Searched, SolutionLimit};
use crate::text::{Batch, Cut, Format, GridPuzzle};

/// Rows are handed over to the writer when there are so many bytes of them.
const PART: usize = 64 * 1024;

/// A row for every solution of every puzzle: `record,solution`, records counted from 1.
pub struct List<'a> {
    format: &'a dyn Format<GridPuzzle>,
    engine: &'a (dyn Fn() -> Box<dyn GridSolver> + Sync),
    bounds: Bounds,
    diagnostics: bool,
    counted: Mutex<Batch<GridPuzzle>>,
}

impl<'a> List<'a> {
    /// Lists up to a number of solutions of each puzzle, 0 for all of them. `diagnostics` says whether the
    /// observer will tell what is wrong with single records.
    #[must_use]
    pub fn new(
        format: &'a dyn Format<GridPuzzle>,
        engine: &'a (dyn Fn() -> Box<dyn GridSolver> + Sync),
        limit: u64,
        diagnostics: bool,
    ) -> List<'a> {
        List { format, engine, bounds: Bounds::solutions(limit), diagnostics, counted: Mutex::default() }
    }
}

impl Stage for List<'_> {
    fn cut(&self) -> &dyn Cut {
        self.format
    }

    fn grain(&self) -> ChunkSizing {
        ChunkSizing::SINGLES
    }

    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"record,solution\n");
    }

    fn begin<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        let (engine, batch, tally) = ((self.engine)(), Batch::default(), Tally::default());
        Box::new(Listing { plan: self, engine, batch, tally, stop })
    }

    fn count(&self, piece: Piece<'_>) -> u64 {
        let mut batch = lock(&self.counted);
        read(self.format, piece, &mut batch);
        batch.records.len() as u64
    }
}

struct Listing<'a> {
    plan: &'a List<'a>,
    engine: Box<dyn GridSolver>,
    batch: Batch<GridPuzzle>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl ChunkProcessor for Listing<'_> {
    fn work(&mut self, piece: Piece<'_>, output: &mut Output<'_>) {
        read(self.plan.format, piece, &mut self.batch);
        (output.done.wrong, output.done.cut_short) = (None, false);
        let (mut outcomes, mut statuses) = (Vec::new(), Vec::new());
        for index in 0..self.batch.puzzles.len() {
            let record = self.batch.record_of(index).unwrap_or_default() as u64;
            let (searched, wrong) = self.list(index, record, piece.before + record + 1, output);
            let (solutions, guesses) = (searched.solutions, searched.guesses);
            let outcome = GridOutcome { solutions, guesses, only_counted: true, ..GridOutcome::NONE };
            statuses.push(Status::of(&self.batch.puzzles[index], &outcome, SolutionLimit::UNIQUENESS));
            outcomes.push(outcome);
            if wrong.is_some() || searched.end == End::Stopped {
                output.done.cut_short = true;
                output.done.wrong = wrong;
                self.batch.records.truncate(record as usize);
                break;
            }
        }
        let answers =
            Answers { chunk: piece.text, batch: &self.batch, outcomes: &outcomes, statuses: &statuses };
        answers.iter().for_each(|answer| self.tally.add(&answer));
        output.done.report.fill(&answers, self.plan.diagnostics);
    }

    fn into_tally(self: Box<Self>) -> Tally {
        self.tally
    }
}

impl Listing<'_> {
    /// Writes a row for each solution of a puzzle of the batch, each checked. Ends early, and says so, if a
    /// solution is none, or nobody takes the rows.
    fn list(
        &mut self,
        index: usize,
        record: u64,
        number: u64,
        output: &mut Output<'_>,
    ) -> (Searched, Option<InvalidSolution>) {
        let Listing { plan, engine, batch, stop, .. } = self;
        let puzzle = &batch.puzzles[index];
        let (name, shape) = (engine.name(), puzzle.grid.shape());
        let lead = format!("{number},");
        let mut found_wrong = None;
        let searched = engine.search_until(&puzzle.grid, &plan.bounds, stop, &mut |cells| {
            if !rules::is_solution(shape, puzzle.grid.cells(), cells) {
                found_wrong = Some(wrong(name, record, puzzle));
                return ControlFlow::Break(());
            }
            let rows = &mut output.done.rows;
            rows.extend_from_slice(lead.as_bytes());
            puzzle.alphabet.write_to(cells, rows);
            rows.push(b'\n');
            if rows.len() < PART || output.pass_on() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        (searched, found_wrong)
    }
}
