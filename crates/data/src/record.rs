//! Records on their way from a worker to the writer: answers, counts, diagnostics. The pipeline knows sinks and observers
//! only by these traits, and no output format and no progress bar.

use std::path::Path;

use crc32fast::Hasher;
use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::{Answers, Column, DuplicateDigit, Grade, Proposed, Searchable, StatusInfo};
use gridmill_core::logic::Rating;
use gridmill_core::solver::Solvable;
use hdrhistogram::Histogram;
use hdrhistogram::iterators::IterationValue;

use crate::text::{Batch, Fault, PuzzleText, Record, SolutionFault};

/// The records of a chunk, or some of them, with the answers of a job to their puzzles.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredRecords<'a, P = Puzzle> {
    /// The name of the file of the chunk.
    pub file: &'a Path,
    /// The lines of the file in front of the chunk.
    pub lines_before: u64,
    /// The text of the chunk.
    pub chunk: &'a [u8],
    /// The number of the first record in its file, from 1.
    pub number: u64,
    /// Records of earlier files of the run.
    pub earlier_records: u64,
    /// The number of the first puzzle in the run, from 0.
    pub puzzle_number: u64,
    /// The records.
    pub records: &'a [Record],
    /// The puzzles of those that could be read.
    pub puzzles: &'a [P],
    /// Answers, one for each of these puzzles from the one at `first` on.
    pub answers: &'a Answers,
    /// The place of the first puzzle among the answers.
    pub first: usize,
}

impl<'a, P> AnsweredRecords<'a, P> {
    /// Returns the records of a chunk at the beginning of a file without a name, with an answer for each puzzle.
    #[must_use]
    pub fn of_chunk(chunk: &'a [u8], batch: &'a Batch<P>, answers: &'a Answers) -> AnsweredRecords<'a, P> {
        AnsweredRecords {
            file: Path::new(""),
            lines_before: 0,
            chunk,
            number: 1,
            earlier_records: 0,
            puzzle_number: 0,
            records: &batch.records,
            puzzles: &batch.puzzles,
            answers,
            first: 0,
        }
    }

    /// Iterates over the records in order: the number of each in its file, and if it could be read its puzzle, with the place
    /// of the answer.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &'a Record, Option<(&'a P, usize)>)> + use<'a, P> {
        let mut puzzles = self.puzzles.iter().zip(self.first..);
        (self.number..).zip(self.records).map(move |(number, record)| {
            (number, record, record.fault.map_or_else(|| puzzles.next(), |_| None))
        })
    }
}

/// Writes records with their answers: as rows of CSV or JSON, or as text for people.
pub trait Sink<P = Puzzle>: Sync {
    /// Appends what stands above all records.
    fn header(&self, _: &mut Vec<u8>) {}

    /// Appends the records.
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>);

    /// Returns whether a record may take megabytes. Records are then written one by one, so that others may take over in
    /// between, and memory holds few of them.
    fn is_bulky(&self) -> bool {
        false
    }
}

/// Writes nothing, where only the counts of a run matter.
impl<P> Sink<P> for () {
    fn write(&self, _: &AnsweredRecords<'_, P>, _: &mut Vec<u8>) {}
}

/// Watches a run. The writer calls it in the order of the input.
pub trait Observer {
    /// Receives the report on a chunk that has been written.
    fn written(&mut self, chunk: &ChunkReport);
}

/// The subject of a job in a record: a puzzle, perhaps with a proposed solution.
pub trait Subject {
    /// The type of the puzzle.
    type Puzzle: PuzzleText;

    /// Returns the puzzle.
    fn puzzle(&self) -> &Self::Puzzle;

    /// Returns why that which belongs to the puzzle could not be read, if it could not.
    fn fault(&self) -> Option<Fault> {
        None
    }
}

impl<P: PuzzleText> Subject for P {
    type Puzzle = P;

    #[inline]
    fn puzzle(&self) -> &P {
        self
    }
}

impl<P: PuzzleText> Subject for Proposed<P, SolutionFault> {
    type Puzzle = P;

    fn puzzle(&self) -> &P {
        &self.puzzle
    }

    fn fault(&self) -> Option<Fault> {
        self.solution.as_ref().err().map(|fault| fault.0)
    }
}

/// A part of a text that is known by its length and its checksum alone.
///
/// ```
/// use gridmill_data::record::Span;
///
/// let mut span = Span::of(b"1...\n");
/// span.append(Span::of(b"...2\n"));
/// assert_eq!(span, Span::of(b"1...\n...2\n"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// Bytes.
    pub bytes: u64,
    /// The CRC-32 of the bytes.
    pub checksum: u32,
}

impl Span {
    /// Returns the span of some bytes. Reads them once, at tens of gigabytes a second where the processor has
    /// carry-less multiplication.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Span {
        Span { bytes: bytes.len() as u64, checksum: crc32fast::hash(bytes) }
    }

    /// Adds the bytes of the span behind this one, in constant time.
    pub fn append(&mut self, next: Span) {
        let mut all = Hasher::new_with_initial_len(self.checksum, self.bytes);
        all.combine(&Hasher::new_with_initial_len(next.checksum, next.bytes));
        *self = Span { bytes: self.bytes + next.bytes, checksum: all.finalize() };
    }
}

/// An amount of input: that of a chunk, or in front of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Totals {
    /// Records.
    pub records: u64,
    /// Records that could be read as puzzles.
    pub puzzles: u64,
    /// Lines, those before the first record included.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Totals {
    /// Returns the size of a chunk with so many records, and puzzles among them.
    pub fn of_chunk(records: usize, puzzles: usize, chunk: &[u8]) -> Totals {
        let lines = count_lines(chunk) + u64::from(!chunk.ends_with(b"\n"));
        Totals { records: records as u64, puzzles: puzzles as u64, lines, bytes: chunk.len() as u64 }
    }
}

impl std::ops::AddAssign for Totals {
    fn add_assign(&mut self, more: Totals) {
        self.records += more.records;
        self.puzzles += more.puzzles;
        self.lines += more.lines;
        self.bytes += more.bytes;
    }
}

/// The report on a chunk.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChunkReport {
    /// The input in front of it.
    pub before: Totals,
    /// Its size.
    pub size: Totals,
    /// The diagnostics of its records.
    pub diagnostics: Vec<Diagnostic>,
    /// How many of its records have each status.
    pub statuses: StatusCounts,
    /// The facts for the journal, where the run keeps one.
    pub item: Option<Box<JournalItem>>,
}

/// The facts of a chunk that a journal needs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct JournalItem {
    /// The text of the chunk, with the lines that are skipped.
    pub span: Span,
    /// The counts of the chunk alone.
    pub tally: Tally,
    /// Whether the run was stopped within the chunk.
    pub cut_short: bool,
}

/// A record that could not be read, or that breaks the rules. Records, lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The record.
    pub record: u64,
    /// The line.
    pub line: u64,
    /// The column, in characters.
    pub column: u64,
    /// The problem.
    pub problem: Problem,
}

/// The problem that a [`Diagnostic`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The record is malformed.
    #[error("malformed: {}", _0.kind)]
    Fault(Fault),
    /// Two clues contradict each other.
    #[error("conflict: {_0}")]
    Conflict(DuplicateDigit),
}

impl Problem {
    /// Returns the problem of a record that is no puzzle, or whose puzzle is given because it is in conflict, and where it
    /// is in the text of the chunk.
    #[must_use]
    pub fn find(record: &Record, in_conflict: Option<&impl Searchable>) -> Option<(Problem, usize)> {
        if let Some(fault) = record.fault {
            return Some((Problem::Fault(fault), fault.offset as usize));
        }
        Some((Problem::Conflict(DuplicateDigit::find(in_conflict?)?), record.first_cell()))
    }
}

impl ChunkReport {
    /// Clears the report, for a chunk of size `size` behind `before`.
    pub(crate) fn begin(&mut self, before: Totals, size: Totals) {
        (self.before, self.size) = (before, size);
        self.diagnostics.clear();
        self.statuses = StatusCounts::default();
    }

    /// Returns whether a record of the chunk is not right.
    #[must_use]
    pub fn has_bad(&self) -> bool {
        self.statuses.failed > 0
    }

    /// Adds diagnostics of the records of a chunk that are no puzzles, or whose clues contradict each other;
    /// `is_conflict` says that of a puzzle by its index in the batch.
    pub(crate) fn diagnose<S: Subject>(
        &mut self,
        chunk: &[u8],
        batch: &Batch<S>,
        is_conflict: impl Fn(usize) -> bool,
    ) {
        let mut places = Places::of(chunk, self.before.lines);
        for (record, (at, read)) in (self.before.records + 1..).zip(batch.iter()) {
            let conflict = read.filter(|&(index, _)| is_conflict(index));
            let conflict = conflict.map(|(_, subject)| subject.puzzle());
            let Some((problem, offset)) = Problem::find(at, conflict) else { continue };
            let (line, column) = places.at(offset);
            self.diagnostics.push(Diagnostic { record, line, column, problem });
        }
    }
}

/// Finds lines and columns of a text. All look-ups from front to back together cost one reading.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    text: &'a [u8],
    lines_before: u64,
    /// How far lines have been counted: the start of a line.
    line_start: usize,
    lines: u64,
}

impl<'a> Places<'a> {
    /// Starts at the front of a text with so many lines in front of it.
    #[must_use]
    pub fn of(text: &'a [u8], lines_before: u64) -> Places<'a> {
        Places { text, lines_before, line_start: 0, lines: lines_before }
    }

    /// Returns the line and the column, in characters, of the byte at `offset`. Both count from 1.
    pub fn at(&mut self, offset: usize) -> (u64, u64) {
        let offset = offset.min(self.text.len());
        if offset < self.line_start {
            *self = Places::of(self.text, self.lines_before);
        }
        let passed = &self.text[self.line_start..offset];
        self.lines += count_lines(passed);
        self.line_start += memchr::memrchr(b'\n', passed).map_or(0, |feed| feed + 1);
        let line = String::from_utf8_lossy(&self.text[self.line_start..offset]);
        (self.lines + 1, line.chars().count() as u64 + 1)
    }
}

/// Returns the number of line feeds.
#[must_use]
pub fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// The counts of a worker, merged at the end of a run.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// Records of each status.
    pub statuses: StatusCounts,
    /// Puzzles out of which others were made.
    pub made: u64,
    /// The clues of these puzzles, and of those that were made.
    pub clues: (u64, u64),
    /// The grids that were listed, or the records that were selected.
    #[serde(default)]
    pub listed: u64,
    /// Guesses over all puzzles.
    pub guesses: u64,
    /// Puzzles searched, whatever the result.
    pub searched: u64,
    /// Puzzles searched without a guess.
    pub unguessed: u64,
    /// Nanoseconds charged to all puzzles.
    pub nanos: u64,
    /// The least and the most time charged to a puzzle, in nanoseconds.
    pub extremes: Option<(u64, u64)>,
    times: Times,
    /// The ratings that puzzles have, in tenths and in order, each with its count.
    ratings: Vec<(u16, u64)>,
    /// The first record whose count was stopped, and how many solutions were found of it. A continued run counts it again.
    #[serde(skip)]
    pub unfinished: Option<(u64, u64)>,
}

/// How many records have each status of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StatusCounts {
    /// By the place of the status among those of the job.
    counts: [u64; STATUSES],
    /// Records whose status is not right, or whose answer is not whole.
    pub failed: u64,
}

impl StatusCounts {
    /// Counts puzzles by their statuses, and so many records that are no puzzles.
    #[must_use]
    pub fn new(statuses: &[u8], infos: &[StatusInfo], malformed: usize) -> StatusCounts {
        let mut counts = [0; STATUSES];
        statuses.iter().for_each(|&status| counts[usize::from(status)] += 1);
        counts[infos.len() - 1] += malformed as u64;
        let is_right = |info: &StatusInfo| info.grade == Grade::Right;
        let failed = infos.iter().zip(counts).filter(|(info, _)| !is_right(info)).map(|(_, count)| count);
        StatusCounts { counts, failed: failed.sum() }
    }

    /// Returns the number of records with the status at that place among those of the job.
    #[must_use]
    pub fn count(&self, status: usize) -> u64 {
        self.counts[status]
    }

    /// Returns the number of all records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Adds other counts.
    pub fn merge(&mut self, others: &StatusCounts) {
        self.counts.iter_mut().zip(others.counts).for_each(|(count, more)| *count += more);
        self.failed += others.failed;
    }
}

/// The most statuses that a job has.
const STATUSES: usize = 8;

impl Tally {
    /// Returns the time, in nanoseconds, within which a share (0 to 1) of the searched puzzles stayed, to two
    /// figures. `None` if none was searched.
    #[must_use]
    pub fn time_at(&self, share: f64) -> Option<u64> {
        let (least, most) = self.extremes?;
        Some(self.times.all().value_at_quantile(share).clamp(least, most))
    }

    /// Counts guesses, times, ratings and clues, where a job has them.
    pub fn add_figures<S: Subject>(&mut self, puzzles: &[S], answers: &Answers) {
        let schema = answers.schema();
        let numbers = |column| schema.position(column).and_then(|column| answers.numbers(column));
        if let (Some(guesses), Some(nanos)) = (numbers(&Column::GUESSES), numbers(&Column::TIME)) {
            for ((&status, &guesses), &nanos) in answers.statuses().iter().zip(guesses).zip(nanos) {
                if schema.statuses[usize::from(status)].grade.is_readable() {
                    self.add_search(guesses, nanos);
                }
            }
        }
        for &tenths in numbers(&Column::ER).unwrap_or_default() {
            if let Ok(tenths) = tenths.try_into() {
                self.add_rating(Rating::tenths(tenths), 1);
            }
        }
        for (puzzle, &clues) in puzzles.iter().zip(numbers(&Column::CLUES).unwrap_or_default()) {
            if clues != u64::MAX {
                self.made += 1;
                self.clues.0 += puzzle.puzzle().clue_count() as u64;
                self.clues.1 += clues;
            }
        }
    }

    /// Counts the grids that answers list at present.
    pub(crate) fn add_lists<S: Subject>(&mut self, puzzles: &[S], answers: &Answers) {
        let listed = |(answer, subject): (usize, &S)| answers.grids(answer, subject.puzzle().cells().len());
        self.listed += puzzles.iter().enumerate().map(listed).sum::<usize>() as u64;
    }

    #[inline]
    fn add_search(&mut self, guesses: u64, nanos: u64) {
        self.guesses += guesses;
        self.searched += 1;
        self.unguessed += u64::from(guesses == 0);
        self.nanos += nanos;
        let (least, most) = self.extremes.unwrap_or((nanos, nanos));
        self.extremes = Some((least.min(nanos), most.max(nanos)));
        self.times.add(nanos);
    }

    /// Counts so many puzzles with that rating.
    pub fn add_rating(&mut self, rating: Rating, count: u64) {
        let tenths = rating.min(Rating::BEYOND).in_tenths();
        match self.ratings.binary_search_by_key(&tenths, |&(known, _)| known) {
            Ok(place) => self.ratings[place].1 += count,
            Err(place) => self.ratings.insert(place, (tenths, count)),
        }
    }

    /// Iterates over the ratings that puzzles have, each with its count.
    pub fn ratings(&self) -> impl Iterator<Item = (Rating, u64)> {
        self.ratings.iter().map(|&(tenths, count)| (Rating::tenths(tenths), count))
    }

    /// Forgets all counts, and keeps the memory.
    pub fn clear(&mut self) {
        (self.statuses, self.made, self.clues, self.listed, self.extremes) = Default::default();
        (self.guesses, self.searched, self.unguessed, self.nanos) = Default::default();
        self.unfinished = None;
        self.times.clear();
        self.ratings.clear();
    }

    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: &Tally) {
        self.statuses.merge(&other.statuses);
        self.made += other.made;
        self.clues = (self.clues.0 + other.clues.0, self.clues.1 + other.clues.1);
        self.listed += other.listed;
        self.guesses += other.guesses;
        self.searched += other.searched;
        self.unguessed += other.unguessed;
        self.nanos += other.nanos;
        self.extremes = match (self.extremes, other.extremes) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
        self.times.merge(&other.times);
        other.ratings().for_each(|(rating, count)| self.add_rating(rating, count));
        self.unfinished = self.unfinished.into_iter().chain(other.unfinished).min();
    }
}

/// The first number of nanoseconds that is not short.
const SHORT: usize = 512;

/// The times charged to puzzles, to two figures. In a file they are pairs of a time and its count.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(into = "Vec<(u64, u64)>", from = "Vec<(u64, u64)>")]
struct Times {
    histogram: Histogram<u64>,
    /// The number of charges of each short time that are not in the histogram: most are short, and a number in an array is
    /// quicker to count up.
    short: [u32; SHORT],
}

impl Default for Times {
    fn default() -> Times {
        const HOUR: u64 = 3_600_000_000_000;
        // Two figures are enough for a table, and take 40 KB, which stay in the cache.
        let histogram = Histogram::new_with_bounds(1, HOUR, 2).expect("the bounds are in order");
        Times { histogram, short: [0; SHORT] }
    }
}

impl Times {
    #[inline]
    fn add(&mut self, nanos: u64) {
        match self.short.get_mut(nanos.min(SHORT as u64) as usize) {
            Some(count) if *count < u32::MAX => *count += 1,
            _ => self.histogram.saturating_record(nanos),
        }
    }

    fn merge(&mut self, other: &Times) {
        self.histogram.add(other.all()).expect("all tallies have the same bounds");
    }

    fn clear(&mut self) {
        if !self.histogram.is_empty() {
            self.histogram.reset();
        }
        self.short = [0; SHORT];
    }

    fn all(&self) -> Histogram<u64> {
        let mut all = self.histogram.clone();
        for (nanos, &count) in (0..).zip(&self.short).filter(|(_, count)| **count > 0) {
            all.saturating_record_n(nanos, count.into());
        }
        all
    }
}

impl From<Times> for Vec<(u64, u64)> {
    fn from(times: Times) -> Vec<(u64, u64)> {
        let recorded = |it: IterationValue<u64>| (it.value_iterated_to(), it.count_at_value());
        times.all().iter_recorded().map(recorded).collect()
    }
}

impl From<Vec<(u64, u64)>> for Times {
    fn from(counts: Vec<(u64, u64)>) -> Times {
        let mut times = Times::default();
        counts.into_iter().for_each(|(time, count)| times.histogram.saturating_record_n(time, count));
        times
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn parts_make_the_span_of_the_whole_wherever_it_is_cut() {
        let text: Vec<u8> = (0..200u32).map(|at| (at * at % 251) as u8).collect();
        for first in 0..=text.len() {
            for second in [first, (first + 7).min(text.len()), text.len()] {
                let mut span = Span::default();
                for part in [&text[..first], &text[first..second], &text[second..]] {
                    span.append(Span::of(part));
                }
                assert_eq!(span, Span::of(&text), "cut at {first} and {second}");
            }
        }
    }

    #[test]
    fn a_stored_tally_is_the_same_to_the_percentile() {
        let mut tally =
            Tally { guesses: 3, searched: 40, unguessed: 7, nanos: u64::MAX / 2, ..Tally::default() };
        tally.extremes = Some((5, 7_200_000_000_000));
        (tally.times.short[5], tally.times.short[511]) = (30, u32::MAX);
        for nanos in [600, 1_000_003, 77_777_777, 7_200_000_000_000] {
            tally.times.histogram.saturating_record(nanos);
        }
        tally.statuses.counts[2] = 40;
        tally.add_rating(Rating::BEYOND, 1);
        let text = serde_json::to_string(&tally).unwrap();
        let read: Tally = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!((read.statuses, read.extremes), (tally.statuses, tally.extremes));
        assert_eq!(read.nanos, tally.nanos);
        for share in 0..=1000 {
            let share = f64::from(share) / 1000.0;
            assert_eq!(read.time_at(share), tally.time_at(share), "{share}");
        }
        // Counting goes on as it would have.
        let (mut all, mut again) = (tally.clone(), read);
        all.merge(&tally);
        again.merge(&tally);
        assert_eq!(all.time_at(0.999_999), again.time_at(0.999_999));
    }
}
