//! Text → classic puzzles → judgements → rows: the work of commands that have more to say of a puzzle than what
//! its search found.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::lock;
use super::solve::{read, wrong};
use super::stage::{ChunkProcessor, ChunkSizing, InvalidSolution, Output, Piece, Stage};
use crate::grid::Puzzle;
use crate::record::{Answers, Status, Tally};
use crate::solver::Outcome;
use crate::text::{Batch, Cut, Format, Record};

/// Puzzles that are judged between two looks at the flag that stops a run.
const PORTION: usize = 256;

/// What a command has to say of puzzles. Each worker has one.
pub trait RowMapper: Send {
    /// What is said of one.
    type Said;

    /// Judges puzzles, of which the first is number `first` of the file, from 0.
    fn judge(&mut self, puzzles: &[Puzzle], first: u64, said: &mut Vec<Self::Said>);

    /// The engine, if what it said of a puzzle is wrong by the rules.
    fn refuted(&self, _puzzle: &Puzzle, _said: &Self::Said) -> Option<&'static str> {
        None
    }

    /// Appends the rows of a record, whose puzzle has been judged if it could be read, and returns its status.
    fn rows(
        &self,
        chunk: &[u8],
        record: &Record,
        judged: Option<(&Puzzle, &Self::Said)>,
        out: &mut Vec<u8>,
    ) -> Status;
}

/// Every puzzle judged, and rows for every record.
pub struct Tabulate<'a, J> {
    format: &'a dyn Format,
    header: Vec<u8>,
    make: &'a (dyn Fn() -> J + Sync),
    diagnostics: bool,
    counted: Mutex<Batch>,
}

impl<'a, J: RowMapper> Tabulate<'a, J> {
    /// Rows under that header, by a judge for each worker. `diagnostics` says whether the observer will tell what
    /// is wrong with single records.
    #[must_use]
    pub fn new(
        format: &'a dyn Format,
        header: Vec<u8>,
        make: &'a (dyn Fn() -> J + Sync),
        diagnostics: bool,
    ) -> Tabulate<'a, J> {
        Tabulate { format, header, make, diagnostics, counted: Mutex::default() }
    }
}

impl<J: RowMapper> Stage for Tabulate<'_, J> {
    fn cut(&self) -> &dyn Cut {
        self.format
    }

    fn grain(&self) -> ChunkSizing {
        ChunkSizing::BATCHES
    }

    fn keeps_long_lines(&self) -> bool {
        true
    }

    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
    }

    fn begin<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        Box::new(Tabulating {
            plan: self,
            judge: (self.make)(),
            batch: Batch::default(),
            said: Vec::new(),
            tally: Tally::default(),
            stop,
        })
    }

    /// Puzzles, not records: what is said of one is to depend on nothing else in the file.
    fn count(&self, piece: Piece<'_>) -> u64 {
        let mut batch = lock(&self.counted);
        read(self.format, piece, &mut batch);
        batch.puzzles.len() as u64
    }
}

struct Tabulating<'a, J: RowMapper> {
    plan: &'a Tabulate<'a, J>,
    judge: J,
    batch: Batch,
    said: Vec<J::Said>,
    tally: Tally,
    stop: &'a AtomicBool,
}

impl<J: RowMapper> ChunkProcessor for Tabulating<'_, J> {
    fn work(&mut self, piece: Piece<'_>, output: &mut Output<'_>) {
        read(self.plan.format, piece, &mut self.batch);
        output.done.cut_short = !self.judge(piece.before);
        let mut statuses = Vec::with_capacity(self.batch.puzzles.len());
        let mut judged = self.batch.puzzles.iter().zip(&self.said);
        for record in &self.batch.records {
            let judged = if record.fault.is_none() { judged.next() } else { None };
            let status = self.judge.rows(piece.text, record, judged, &mut output.done.rows);
            if record.fault.is_none() {
                statuses.push(status);
            }
        }
        let outcomes = vec![Outcome::NONE; statuses.len()];
        let answers =
            Answers { chunk: piece.text, batch: &self.batch, outcomes: &outcomes, statuses: &statuses };
        answers.iter().for_each(|answer| self.tally.add(&answer));
        output.done.report.fill(&answers, self.plan.diagnostics);
        output.done.wrong = self.first_wrong();
    }

    fn into_tally(self: Box<Self>) -> Tally {
        self.tally
    }
}

impl<J: RowMapper> Tabulating<'_, J> {
    fn first_wrong(&self) -> Option<InvalidSolution> {
        let mut said = self.batch.puzzles.iter().zip(&self.said).enumerate();
        said.find_map(|(index, (puzzle, said))| {
            let engine = self.judge.refuted(puzzle, said)?;
            Some(wrong(engine, self.batch.record_of(index)? as u64, puzzle))
        })
    }

    /// Judges the batch. If the run is stopped meanwhile, the batch loses what has not been judged by then, and
    /// false comes back.
    fn judge(&mut self, first: u64) -> bool {
        self.said.clear();
        for portion in self.batch.puzzles.chunks(PORTION) {
            if self.stop.load(Ordering::Relaxed) && !self.said.is_empty() {
                let judged = self.said.len();
                let record = self.batch.record_of(judged).unwrap_or_default();
                self.batch.records.truncate(record);
                self.batch.puzzles.truncate(judged);
                return false;
            }
            self.judge.judge(portion, first + self.said.len() as u64, &mut self.said);
        }
        true
    }
}
