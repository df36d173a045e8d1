//! Text → puzzles → verdicts → a listing of bad records: the stage of `verify` and `check`.

use std::sync::atomic::AtomicBool;

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::{Outcome, SolutionLimit, Solver};

use crate::collection::{Reason, Verifier};
use crate::output::{Listed, Listing};
use crate::pipeline::{Chunk, ChunkOutput, ChunkProcessor, ChunkSizing, InvalidSolution, RowSink, Stage};
use crate::record::{Places, Tally, Totals, Verdict, Verdicts};
use crate::text::{Batch, Cut, Format, PuzzleText};

/// The stage that gives every record a verdict, and lists the bad records, or all. Nothing is formatted for
/// records that are not listed.
pub struct Verify<'a, P: PuzzleText = Puzzle> {
    /// How the records are written.
    pub format: Box<dyn Format<P>>,
    /// Makes an engine, once for each worker.
    pub engine: Box<dyn Fn() -> Box<dyn Solver<P>> + Sync + 'a>,
    /// Makes a verifier, once for each worker.
    pub verifier: Box<dyn Fn() -> Box<dyn Verifier<P>> + Sync + 'a>,
    /// How records are listed; `None` for only verdicts.
    pub listing: Option<Listing>,
    /// Whether good records are listed too.
    pub all: bool,
    /// Whether the run ends at the first bad record.
    pub fail_fast: bool,
    /// How the input is cut.
    pub sizing: ChunkSizing,
}

impl<P: PuzzleText> Stage for Verify<'_, P> {
    fn cut(&self) -> &dyn Cut {
        &*self.format
    }

    fn sizing(&self) -> ChunkSizing {
        self.sizing
    }

    /// Appends nothing: the listing of several files has one header, which the command writes.
    fn header(&self, _: &mut Vec<u8>) {}

    fn processor<'a>(&'a self, stop: &'a AtomicBool) -> Box<dyn ChunkProcessor + 'a> {
        Box::new(VerifyProcessor {
            stage: self,
            engine: (self.engine)(),
            verifier: (self.verifier)(),
            batch: Batch::default(),
            open: Vec::new(),
            outcomes: Vec::new(),
            verdicts: Vec::new(),
            tally: Tally::default(),
            stop,
        })
    }
}

/// A worker's engine and verifier, and the memory that they use again from chunk to chunk.
struct VerifyProcessor<'a, P: PuzzleText> {
    stage: &'a Verify<'a, P>,
    engine: Box<dyn Solver<P>>,
    verifier: Box<dyn Verifier<P>>,
    batch: Batch<P>,
    /// The puzzles that must be searched, where not all must.
    open: Vec<P>,
    outcomes: Vec<Outcome<P::Solution>>,
    /// A verdict for each puzzle, once it is known.
    verdicts: Vec<Option<Verdict>>,
    /// Empty: verdicts are in the reports.
    tally: Tally,
    stop: &'a AtomicBool,
}

impl<P: PuzzleText> ChunkProcessor for VerifyProcessor<'_, P> {
    fn read(&mut self, chunk: &Chunk<'_>) -> Totals {
        chunk.read(&*self.stage.format, &mut self.batch)
    }

    fn process(&mut self, chunk: &Chunk<'_>, rows: &mut RowSink<'_>) {
        let output = &mut *rows.output;
        self.verdicts.clear();
        self.verifier.look(&chunk.text, &self.batch, &mut self.verdicts);
        output.cut_short = !self.search();
        let invalid = self.conclude();
        output.invalid = invalid
            .map(|puzzle| InvalidSolution::in_batch(self.engine.name(), &self.batch, puzzle, &output.report));
        if self.stage.fail_fast && self.end_at_first_bad() {
            (output.cut_short, output.ends_run) = (true, true);
        }
        output.report.verdicts = self.count();
        output.report.size.records = self.batch.records.len() as u64;
        if output.invalid.is_none()
            && (self.stage.all || output.report.verdicts.bad() > 0)
            && let Some(listing) = &self.stage.listing
        {
            self.list(listing, &chunk.text, output);
        }
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }
}

impl<P: PuzzleText> VerifyProcessor<'_, P> {
    /// Searches the puzzles without a verdict. If the run is stopped meanwhile, cuts the batch behind the
    /// last searched puzzle and returns false.
    fn search(&mut self) -> bool {
        let puzzles = &self.batch.puzzles;
        let all_open = self.verdicts.iter().all(Option::is_none);
        self.open.clear();
        if !all_open {
            let open = puzzles.iter().zip(&self.verdicts).filter(|(_, verdict)| verdict.is_none());
            self.open.extend(open.map(|(puzzle, _)| puzzle.clone()));
        }
        let open = if all_open { puzzles } else { &self.open };
        self.outcomes.resize(open.len(), Outcome::NONE);
        let limit = SolutionLimit::UNIQUENESS;
        let searched = self.engine.solve_until(open, limit, &mut self.outcomes, self.stop);
        let is_whole = searched == open.len();
        if !is_whole {
            let mut open = (0..self.verdicts.len()).filter(|&puzzle| self.verdicts[puzzle].is_none());
            let first = open.nth(searched).unwrap_or(self.verdicts.len());
            self.batch.truncate_before(first);
            self.verdicts.truncate(first);
        }
        is_whole
    }

    /// Gives every searched puzzle its verdict. Returns the first one whose outcome is invalid.
    fn conclude(&mut self) -> Option<usize> {
        let mut outcomes = self.outcomes.iter();
        let mut invalid = None;
        let open = self.verdicts.iter_mut().enumerate().filter(|(_, verdict)| verdict.is_none());
        for (index, verdict) in open {
            let puzzle = &self.batch.puzzles[index];
            *verdict = outcomes.next().and_then(|outcome| self.verifier.conclude(index, puzzle, outcome));
            if verdict.is_none() {
                invalid = invalid.or(Some(index));
            }
        }
        invalid
    }

    /// Cuts the batch behind the first bad record, and returns whether there is one.
    fn end_at_first_bad(&mut self) -> bool {
        let is_bad = |(_, read): (_, Option<(usize, &P)>)| !self.verdict(read).is_good();
        let Some(bad) = self.batch.iter().position(is_bad) else { return false };
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

    /// Returns the verdict on a record; `read` is its puzzle and that puzzle's number, if it could be read.
    fn verdict(&self, read: Option<(usize, &P)>) -> Verdict {
        read.map_or(Verdict::Malformed, |(index, _)| self.verdicts[index].unwrap_or(Verdict::None))
    }

    /// Appends the records that are to be listed.
    fn list(&self, listing: &Listing, chunk: &[u8], output: &mut ChunkOutput) {
        let before = output.report.before;
        let mut places = Places::of(chunk, before.lines);
        for (number, (record, read)) in (before.records + 1..).zip(self.batch.iter()) {
            let verdict = self.verdict(read);
            if verdict.is_good() && !self.stage.all {
                continue;
            }
            let reason = match (read, record.fault) {
                (Some((index, puzzle)), _) => self.verifier.explain(index, puzzle, record, verdict),
                (None, Some(fault)) => Reason::of_fault(&fault),
                (None, None) => Reason::of_puzzle(record, ""),
            };
            let (line, column) = places.at(reason.offset);
            let listed = Listed {
                record: number,
                line,
                column: reason.is_exact.then_some(column),
                text: record.text(chunk),
                puzzle: read.map(|(_, puzzle)| puzzle),
                verdict,
                reason: &reason.text,
                fault: reason.fault,
            };
            listing.row(&listed, &mut output.value);
        }
    }
}
