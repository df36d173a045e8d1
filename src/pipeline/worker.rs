//! Text → puzzles → outcomes → row bytes: what one thread does with a chunk.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender};

use super::source::{Chunk, Source, Text};
use super::{Job, Permit, lock};
use crate::error::Error;
use crate::grid::Puzzle;
use crate::record::{Answers, ChunkReport, Complaint, Places, Status, Tally, Totals, count_lines};
use crate::solver::{Outcome, Solver};
use crate::text::Batch;

/// A worker with everything that it uses again from chunk to chunk.
pub(super) struct Worker<'a> {
    job: &'a Job<'a>,
    solver: Box<dyn Solver>,
    batch: Batch,
    outcomes: Vec<Outcome>,
    statuses: Vec<Status>,
    tally: Tally,
    stop: &'a AtomicBool,
}

/// A solution that is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrong {
    pub(super) engine: &'static str,
    /// The record, from 0 in its chunk.
    pub(super) record: u64,
    pub(super) puzzle: Puzzle,
}

impl<'a> Worker<'a> {
    pub(super) fn new(job: &'a Job<'a>, stop: &'a AtomicBool) -> Worker<'a> {
        Worker {
            job,
            solver: (job.engine)(),
            batch: Batch::default(),
            outcomes: Vec::new(),
            statuses: Vec::new(),
            tally: Tally::default(),
            stop,
        }
    }

    /// Works until the source is dry or the writer is gone.
    pub(super) fn run(
        &mut self,
        source: &Mutex<Source<'_>>,
        permits: &Receiver<Permit>,
        finished: &Sender<Option<Permit>>,
    ) -> Result<(), Error> {
        while let Ok(mut permit) = permits.recv() {
            let Some(Chunk { text, too_long }) = lock(source).claim(&mut permit)? else { break };
            let own = std::mem::take(&mut permit.input);
            let text = if let Text::Lent(text) = text { text } else { &own };
            self.read(text, too_long);
            permit.cut_short = !self.solve();
            self.process(text, &mut permit);
            permit.input = own;
            if finished.send(Some(permit)).is_err() {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn into_tally(self) -> Tally {
        self.tally
    }

    fn read(&mut self, chunk: &[u8], too_long: bool) {
        self.batch.clear();
        if too_long {
            self.job.format.read_too_long(chunk, &mut self.batch);
        } else {
            self.job.format.read(chunk, &mut self.batch);
        }
    }

    /// Solves the batch. If the run is stopped meanwhile, the batch loses what has not been solved by then,
    /// and false comes back.
    fn solve(&mut self) -> bool {
        let all = self.batch.puzzles.len();
        let grain = self.solver.grain();
        self.outcomes.resize(all, Outcome::NONE);
        let mut solved = 0;
        while solved < all {
            if solved > 0 && self.stop.load(Ordering::Relaxed) {
                self.cut(solved);
                return false;
            }
            let end = all.min(solved.saturating_add(grain));
            let (puzzles, outcomes) = (&self.batch.puzzles[solved..end], &mut self.outcomes[solved..end]);
            self.solver.solve_batch(puzzles, self.job.limit, outcomes);
            solved = end;
        }
        true
    }

    /// Cuts the batch before a puzzle.
    fn cut(&mut self, puzzle: usize) {
        let record = self.record_of(puzzle).unwrap_or_default();
        self.batch.records.truncate(record);
        self.batch.puzzles.truncate(puzzle);
        self.outcomes.truncate(puzzle);
    }

    fn process(&mut self, chunk: &[u8], permit: &mut Permit) {
        let first_wrong = self.judge();
        let answers =
            Answers { chunk, batch: &self.batch, outcomes: &self.outcomes, statuses: &self.statuses };
        permit.rows.clear();
        self.job.rows.rows(&answers, &mut permit.rows);
        answers.iter().for_each(|answer| self.tally.add(&answer));
        report(&answers, self.job.complaints, &mut permit.report);
        permit.wrong = first_wrong.and_then(|wrong| self.locate(wrong));
    }

    /// Gives every puzzle its status, and checks every solution. Returns the first puzzle that has a
    /// wrong one.
    fn judge(&mut self) -> Option<usize> {
        self.statuses.clear();
        let mut wrong = None;
        for (index, (puzzle, outcome)) in self.batch.puzzles.iter().zip(&self.outcomes).enumerate() {
            let sound = match &outcome.solution {
                Some(solution) => outcome.solutions > 0 && solution.solves(puzzle),
                None => outcome.solutions == 0,
            };
            if !sound {
                wrong = wrong.or(Some(index));
            }
            self.statuses.push(Status::of(puzzle, outcome, self.job.limit));
        }
        wrong
    }

    fn locate(&self, puzzle: usize) -> Option<Wrong> {
        let record = self.record_of(puzzle)? as u64;
        Some(Wrong { engine: self.solver.name(), record, puzzle: self.batch.puzzles[puzzle] })
    }

    /// Which record, from 0, holds a puzzle of the batch?
    fn record_of(&self, puzzle: usize) -> Option<usize> {
        let mut read = self.batch.records.iter().enumerate().filter(|(_, record)| record.fault.is_none());
        read.nth(puzzle).map(|(record, _)| record)
    }
}

fn report(answers: &Answers<'_>, complaints: bool, report: &mut ChunkReport) {
    report.complaints.clear();
    if complaints {
        let mut places = Places::of(answers.chunk);
        let complaints = answers.iter().enumerate();
        let complaints = complaints.filter(|(_, answer)| !answer.status.is_readable());
        report
            .complaints
            .extend(complaints.filter_map(|(index, answer)| Complaint::about(&answer, index, &mut places)));
    }
    let chunk = answers.chunk;
    report.size = Totals {
        records: answers.batch.records.len() as u64,
        lines: count_lines(chunk) + u64::from(!chunk.ends_with(b"\n")),
        bytes: chunk.len() as u64,
    };
}
