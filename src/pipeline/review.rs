//! Text → puzzles → verdicts → a listing of those that are not good: the work of `verify` and `check`.

use std::sync::atomic::AtomicBool;

use super::Search;
use super::solve::{keep_searched, read, wrong};
use super::stage::{ChunkOutput, ChunkProcessor, ChunkSizing, InvalidSolution, Output, Piece, Stage};
use crate::collection::{Reason, Verifier};
use crate::grid::Puzzle;
use crate::output::{Listed, Listing};
use crate::record::{Finding, Places, PuzzleLike, Tally, Totals, Verdict, Verdicts};
use crate::solver::SolutionLimit;
use crate::text::{Batch, Cut, Format};

/// A verdict on every record, and a listing of them: of those that are not good, or of all. Nothing is
/// formatted for records that are not listed.
pub struct Review<'a, J, P: PuzzleLike = Puzzle> {
    /// How the records are written.
    pub format: &'a dyn Format<P>,
    /// Makes an engine, once for each worker.
    pub engine: &'a (dyn Fn() -> Box<dyn Search<P>> + Sync),
    /// Makes a judge, once for each worker.
    pub judge: &'a (dyn Fn() -> J + Sync),
    /// How records are listed.
    pub listing: &'a Listing,
    /// Are good records listed too?
    pub all: bool,
    /// Is the first bad record the last one that is looked at?
    pub fail_fast: bool,
    /// How the input is cut.
    pub grain: ChunkSizing,
}

impl<P: PuzzleLike, J: Verifier<P>> Stage for Review<'_, J, P> {
    fn cut(&self) -> &dyn Cut {
        self.format
    }

    fn grain(&self) -> ChunkSizing {
        self.grain
    }

    /// The listing of several files has one header, and whoever runs them writes it.
    fn header(&self, _: &mut Vec<u8>) {}

    fn begin<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        Box::new(Reviewing {
            plan: self,
            engine: (self.engine)(),
            judge: (self.judge)(),
            batch: Batch::default(),
            open: Vec::new(),
            outcomes: Vec::new(),
            verdicts: Vec::new(),
            stop,
        })
    }
}

/// A worker's engine and judge, with everything else that it uses again from chunk to chunk.
struct Reviewing<'a, J, P: PuzzleLike> {
    plan: &'a Review<'a, J, P>,
    engine: Box<dyn Search<P>>,
    judge: J,
    batch: Batch<P>,
    /// The puzzles that must be searched, if these are not all.
    open: Vec<P>,
    outcomes: Vec<P::Outcome>,
    /// A verdict for each puzzle, once it is known.
    verdicts: Vec<Option<Verdict>>,
    stop: &'a AtomicBool,
}

impl<P: PuzzleLike, J: Verifier<P>> ChunkProcessor for Reviewing<'_, J, P> {
    fn work(&mut self, piece: Piece<'_>, output: &mut Output<'_>) {
        let done = &mut *output.done;
        read(self.plan.format, piece, &mut self.batch);
        self.verdicts.clear();
        self.judge.look(piece.text, &self.batch, &mut self.verdicts);
        done.cut_short = !self.search();
        done.wrong = self.conclude();
        if self.plan.fail_fast && self.end_at_first_bad() {
            done.cut_short = true;
        }
        let verdicts = self.count();
        done.report.verdicts = verdicts;
        done.report.size = Totals::of_chunk(self.batch.records.len(), piece.text);
        done.gaps.clear();
        if done.wrong.is_none() && (self.plan.all || verdicts.bad() > 0) {
            self.list(piece.text, done);
        }
    }

    fn into_tally(self: Box<Self>) -> Tally {
        Tally::default()
    }
}

impl<P: PuzzleLike, J: Verifier<P>> Reviewing<'_, J, P> {
    /// Searches the puzzles that have no verdict yet. If the run is stopped meanwhile, the batch loses what
    /// has not been searched by then, and false comes back.
    fn search(&mut self) -> bool {
        let puzzles = &self.batch.puzzles;
        let all_open = self.verdicts.iter().all(Option::is_none);
        self.open.clear();
        if !all_open {
            let open = puzzles.iter().zip(&self.verdicts).filter(|(_, verdict)| verdict.is_none());
            self.open.extend(open.map(|(puzzle, _)| puzzle.clone()));
        }
        let open = if all_open { puzzles } else { &self.open };
        self.outcomes.resize(open.len(), P::Outcome::NONE);
        let limit = SolutionLimit::UNIQUENESS;
        let searched = self.engine.search(open, limit, &mut self.outcomes, self.stop);
        let is_whole = searched == open.len();
        if !is_whole {
            let mut open = (0..self.verdicts.len()).filter(|&puzzle| self.verdicts[puzzle].is_none());
            let first = open.nth(searched).unwrap_or(self.verdicts.len());
            keep_searched(&mut self.batch, first);
            self.verdicts.truncate(first);
        }
        is_whole
    }

    /// Gives every puzzle that was searched its verdict. Returns the first one for which something was found
    /// that can't be true.
    fn conclude(&mut self) -> Option<InvalidSolution> {
        let mut found = self.outcomes.iter();
        let mut wrong_one = None;
        for (index, verdict) in self.verdicts.iter_mut().enumerate().filter(|(_, verdict)| verdict.is_none())
        {
            let puzzle = &self.batch.puzzles[index];
            *verdict = found.next().and_then(|found| self.judge.conclude(index, puzzle, found));
            if verdict.is_none() {
                wrong_one = wrong_one.or(Some(index));
            }
        }
        let index = wrong_one?;
        let record = self.batch.record_of(index)? as u64;
        Some(wrong(self.engine.name(), record, &self.batch.puzzles[index]))
    }

    /// Cuts the batch behind the first record that is not good. Is there one?
    fn end_at_first_bad(&mut self) -> bool {
        let bad = self.judged().position(|(_, judged)| !verdict_of(judged).is_good());
        let Some(bad) = bad else { return false };
        self.batch.records.truncate(bad + 1);
        let puzzles = self.batch.records.iter().filter(|record| record.fault.is_none()).count();
        self.batch.puzzles.truncate(puzzles);
        self.verdicts.truncate(puzzles);
        true
    }

    fn count(&self) -> Verdicts {
        let mut verdicts = Verdicts::default();
        self.verdicts.iter().flatten().for_each(|&verdict| verdicts.add(verdict, 1));
        let malformed = self.batch.records.len() - self.batch.puzzles.len();
        verdicts.add(Verdict::Malformed, malformed as u64);
        verdicts
    }

    /// The records, each with the number and the verdict of its puzzle, if it could be read.
    fn judged(&self) -> impl Iterator<Item = (usize, Option<(usize, Verdict)>)> {
        let mut puzzles = self.verdicts.iter().map(|verdict| verdict.unwrap_or(Verdict::None)).enumerate();
        let records = self.batch.records.iter().enumerate();
        records.map(move |(index, record)| (index, record.fault.map_or_else(|| puzzles.next(), |_| None)))
    }

    /// Lists the records of the batch that are to be listed.
    fn list(&self, chunk: &[u8], done: &mut ChunkOutput) {
        let mut places = Places::of(chunk);
        for (index, judged) in self.judged() {
            let verdict = verdict_of(judged);
            if verdict.is_good() && !self.plan.all {
                continue;
            }
            let record = &self.batch.records[index];
            let puzzle = judged.map(|(puzzle, _)| &self.batch.puzzles[puzzle]);
            let reason = match (judged, record.fault) {
                (Some((number, _)), _) => {
                    self.judge.explain(number, &self.batch.puzzles[number], record, verdict)
                }
                (None, Some(fault)) => Reason::of_fault(&fault),
                (None, None) => Reason::of_puzzle(record, ""),
            };
            let (line, column) = places.at(reason.offset);
            let column = reason.is_exact.then_some(column);
            let text = record.text(chunk);
            let listed =
                Listed { record: index as u64, line, column, text, puzzle, verdict, reason: &reason.text };
            self.plan.listing.row(&listed, &mut done.rows, &mut done.gaps);
        }
    }
}

fn verdict_of(judged: Option<(usize, Verdict)>) -> Verdict {
    judged.map_or(Verdict::Malformed, |(_, verdict)| verdict)
}
