//! Text → puzzles → outcomes → row bytes: what one thread does with a chunk.

use std::sync::Mutex;

use crossbeam_channel::{Receiver, Sender};

use super::source::{Source, Text};
use super::{Job, Permit, lock};
use crate::error::Error;
use crate::grid::Puzzle;
use crate::record::{Answers, ChunkReport, Complaint, Status, Tally, Totals, count_lines};
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
    pub(super) fn new(job: &'a Job<'a>) -> Worker<'a> {
        Worker {
            job,
            solver: (job.engine)(),
            batch: Batch::default(),
            outcomes: Vec::new(),
            statuses: Vec::new(),
            tally: Tally::default(),
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
            let Some(text) = lock(source).claim(&mut permit)? else { break };
            let own = std::mem::take(&mut permit.input);
            self.process(if let Text::Lent(text) = text { text } else { &own }, &mut permit);
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

    fn process(&mut self, chunk: &[u8], permit: &mut Permit) {
        self.batch.clear();
        self.job.format.read(chunk, &mut self.batch);
        self.outcomes.resize(self.batch.puzzles.len(), Outcome::NONE);
        self.solver.solve_batch(&self.batch.puzzles, self.job.limit, &mut self.outcomes);
        let first_wrong = self.judge();
        let answers =
            Answers { chunk, batch: &self.batch, outcomes: &self.outcomes, statuses: &self.statuses };
        permit.rows.clear();
        self.job.rows.rows(&answers, &mut permit.rows);
        report(&answers, &mut permit.report, &mut self.tally);
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
        let mut read = self.batch.records.iter().enumerate().filter(|(_, record)| record.fault.is_none());
        let (record, _) = read.nth(puzzle)?;
        Some(Wrong { engine: self.solver.name(), record: record as u64, puzzle: self.batch.puzzles[puzzle] })
    }
}

fn report(answers: &Answers<'_>, report: &mut ChunkReport, tally: &mut Tally) {
    report.complaints.clear();
    for (index, answer) in answers.iter().enumerate() {
        tally.add(&answer);
        if !answer.status.is_readable() {
            report.complaints.extend(Complaint::about(&answer, index, answers.chunk));
        }
    }
    let chunk = answers.chunk;
    report.size = Totals {
        records: answers.batch.records.len() as u64,
        lines: count_lines(chunk) + u64::from(!chunk.ends_with(b"\n")),
        bytes: chunk.len() as u64,
    };
}
