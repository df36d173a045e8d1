//! What travels from a worker to the writer: verdicts, what was counted, what was wrong. The pipeline
//! knows rows and observers by the traits here, and no output format and no progress bar.

use hdrhistogram::Histogram;

use crate::grid::rules::Conflict;
use crate::grid::{Puzzle, Shape, rules};
use crate::solver::{Outcome, SolutionLimit};
use crate::text::{Batch, Fault, Record};

/// The verdict on a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Exactly one solution: proved.
    Unique,
    /// More than one solution.
    Multiple,
    /// No solution, though no two clues contradict each other directly.
    None,
    /// A solution was found, and no other one was looked for.
    Solved,
    /// Two equal clues in a house.
    Conflict,
    /// The record could not be read.
    Malformed,
}

impl Status {
    /// Every status, in the order in which summaries list them.
    pub const ALL: [Status; 6] =
        [Status::Unique, Status::Solved, Status::Multiple, Status::None, Status::Conflict, Status::Malformed];

    /// As it is written in a row.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Status::Unique => "unique",
            Status::Multiple => "multiple",
            Status::None => "none",
            Status::Solved => "solved",
            Status::Conflict => "conflict",
            Status::Malformed => "malformed",
        }
    }

    /// The verdict on a puzzle, from what a search under `limit` found.
    #[must_use]
    pub fn of(puzzle: &Puzzle, outcome: &Outcome, limit: SolutionLimit) -> Status {
        match outcome.solutions {
            0 if find_conflict(puzzle).is_some() => Status::Conflict,
            0 => Status::None,
            1 if limit == SolutionLimit::FIRST => Status::Solved,
            1 => Status::Unique,
            _ => Status::Multiple,
        }
    }

    /// Was the record read as a puzzle that obeys the rules?
    #[must_use]
    pub const fn is_readable(self) -> bool {
        !matches!(self, Status::Conflict | Status::Malformed)
    }
}

fn find_conflict(puzzle: &Puzzle) -> Option<Conflict> {
    rules::find_conflict(Shape::CLASSIC, puzzle.cells())
}

/// The records of a chunk with what became of them.
#[derive(Clone, Copy, Debug)]
pub struct Answers<'a> {
    /// The text of the chunk.
    pub chunk: &'a [u8],
    /// Its records and puzzles.
    pub batch: &'a Batch,
    /// An outcome for each puzzle.
    pub outcomes: &'a [Outcome],
    /// A status for each puzzle.
    pub statuses: &'a [Status],
}

/// One record with what became of it.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The record.
    pub record: &'a Record,
    /// The verdict on it.
    pub status: Status,
    /// The puzzle and what its search found, if the record could be read.
    pub solved: Option<(&'a Puzzle, &'a Outcome)>,
}

impl<'a> Answers<'a> {
    /// The records in order.
    pub fn iter(&self) -> impl Iterator<Item = Answer<'a>> + use<'a> {
        let mut puzzles = self.batch.puzzles.iter().zip(self.outcomes).zip(self.statuses);
        self.batch.records.iter().map(move |record| {
            let read = if record.fault.is_none() { puzzles.next() } else { None };
            match read {
                Some((solved, &status)) => Answer { record, status, solved: Some(solved) },
                None => Answer { record, status: Status::Malformed, solved: None },
            }
        })
    }
}

/// How answers become bytes of the output.
pub trait RowFormat: Sync {
    /// Appends what stands above the first row.
    fn header(&self, out: &mut Vec<u8>);

    /// Appends a row for each record.
    fn rows(&self, answers: &Answers<'_>, out: &mut Vec<u8>);
}

/// Whoever watches a run. Called by the writer, in the order of the input.
pub trait Observer {
    /// A chunk has been written. `before` is what had been written until then.
    fn written(&mut self, before: &Totals, chunk: &ChunkReport);
}

/// How far the output has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Records written.
    pub records: u64,
    /// Lines of the input, those before the first record included.
    pub lines: u64,
    /// Bytes of the input.
    pub bytes: u64,
}

/// What is to be told about a chunk.
#[derive(Clone, Debug, Default)]
pub struct ChunkReport {
    /// Its records, lines and bytes.
    pub size: Totals,
    /// What was wrong with its records.
    pub complaints: Vec<Complaint>,
}

/// A record that could not be read, or that breaks the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The record, from 0 in its chunk.
    pub record: u64,
    /// The line, from 0 in its chunk.
    pub line: u64,
    /// The column, from 1, in characters.
    pub column: u64,
    /// What is wrong.
    pub reason: Reason,
}

/// What a [`Complaint`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The record is malformed.
    Fault(Fault),
    /// Two clues contradict each other.
    Conflict(Conflict),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Fault(fault) => write!(f, "malformed: {}", fault.kind),
            Reason::Conflict(conflict) => {
                write!(f, "conflict: {} holds two {}s", conflict.house, conflict.digit)
            }
        }
    }
}

impl Complaint {
    /// What is wrong with an answer, if anything is. `index` is the record's place in the chunk.
    #[must_use]
    pub fn about(answer: &Answer<'_>, index: usize, places: &mut Places<'_>) -> Option<Complaint> {
        let (reason, offset) = match (answer.record.fault, answer.solved) {
            (Some(fault), _) => (Reason::Fault(fault), fault.offset as usize),
            (None, Some((puzzle, _))) if answer.status == Status::Conflict => {
                (Reason::Conflict(find_conflict(puzzle)?), answer.record.first_cell())
            }
            _ => return None,
        };
        let (line, column) = places.at(offset);
        Some(Complaint { record: index as u64, line, column, reason })
    }
}

/// Lines and columns of a chunk. Asked for from front to back, all of them together cost one reading.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    chunk: &'a [u8],
    /// Where the lines have been counted up to: the start of a line.
    line_start: usize,
    lines: u64,
}

impl<'a> Places<'a> {
    /// The places of a chunk.
    #[must_use]
    pub fn of(chunk: &'a [u8]) -> Places<'a> {
        Places { chunk, line_start: 0, lines: 0 }
    }

    /// The line, from 0, and the column, from 1 in characters, of a byte.
    pub fn at(&mut self, offset: usize) -> (u64, u64) {
        let offset = offset.min(self.chunk.len());
        if offset < self.line_start {
            *self = Places::of(self.chunk);
        }
        let passed = &self.chunk[self.line_start..offset];
        self.lines += count_lines(passed);
        self.line_start += memchr::memrchr(b'\n', passed).map_or(0, |feed| feed + 1);
        let line = String::from_utf8_lossy(&self.chunk[self.line_start..offset]);
        (self.lines, line.chars().count() as u64 + 1)
    }
}

/// Line feeds in some bytes.
#[must_use]
pub fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// What a worker counts. Merged at the end of a run.
#[derive(Clone, Debug)]
pub struct Tally {
    counts: [u64; Status::ALL.len()],
    /// Guesses over all puzzles.
    pub guesses: u64,
    /// Puzzles searched, whatever came of it.
    pub searched: u64,
    /// Puzzles searched without a guess.
    pub unguessed: u64,
    /// Nanoseconds charged to all puzzles.
    pub nanos: u64,
    /// The least and the most that were charged to one.
    pub extremes: Option<(u64, u64)>,
    times: Histogram<u64>,
}

impl Default for Tally {
    fn default() -> Tally {
        const HOUR: u64 = 3_600_000_000_000;
        // Two figures, as one puts it in a table: 40 KB, which stay in the cache.
        let times = Histogram::new_with_bounds(1, HOUR, 2).expect("the bounds are in order");
        Tally { counts: [0; 6], guesses: 0, searched: 0, unguessed: 0, nanos: 0, extremes: None, times }
    }
}

impl Tally {
    /// Records with that status.
    #[must_use]
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }

    /// All records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The time, in nanoseconds, that a share of the searched puzzles (0 to 1) stayed within, to two
    /// figures. `None` if there were none.
    #[must_use]
    pub fn time_at(&self, share: f64) -> Option<u64> {
        let (least, most) = self.extremes?;
        Some(self.times.value_at_quantile(share).clamp(least, most))
    }

    /// Counts one answer.
    #[inline]
    pub fn add(&mut self, answer: &Answer<'_>) {
        self.counts[answer.status as usize] += 1;
        if let Some((_, outcome)) = answer.solved
            && answer.status.is_readable()
        {
            self.guesses += u64::from(outcome.guesses);
            self.searched += 1;
            self.unguessed += u64::from(outcome.guesses == 0);
            self.nanos += outcome.nanos;
            let (least, most) = self.extremes.unwrap_or((outcome.nanos, outcome.nanos));
            self.extremes = Some((least.min(outcome.nanos), most.max(outcome.nanos)));
            self.times.saturating_record(outcome.nanos);
        }
    }

    /// Adds what another worker counted.
    pub fn merge(&mut self, other: &Tally) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.guesses += other.guesses;
        self.searched += other.searched;
        self.unguessed += other.unguessed;
        self.nanos += other.nanos;
        self.extremes = match (self.extremes, other.extremes) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
        self.times.add(&other.times).expect("all tallies have the same bounds");
    }
}
