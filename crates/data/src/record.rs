//! Records on their way from a worker to the writer: answers, counts, diagnostics. The pipeline knows sinks
//! and observers only by the traits here, so that it depends on no output format and no progress bar.

use std::path::Path;

use crc32fast::Hasher;
use gridmill_core::grid::Puzzle;
use gridmill_core::jobs::{Answers, Column, DuplicateDigit, Grade, JobPuzzle, Proposed, StatusInfo};
use gridmill_core::logic::Rating;
use gridmill_core::solver::Solvable;
use hdrhistogram::Histogram;
use hdrhistogram::iterators::IterationValue;

use crate::text::{Batch, Fault, PuzzleText, Record, SolutionFault};

/// The records of a chunk, or some of them, with the answers of a job.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredRecords<'a, P = Puzzle> {
    /// The name of the file of the chunk.
    pub file: &'a Path,
    /// The number of lines in the file before the chunk.
    pub lines_before: u64,
    /// The text of the chunk.
    pub chunk: &'a [u8],
    /// The number of the first record in its file, from 1.
    pub number: u64,
    /// The number of records in earlier files of the run.
    pub earlier_records: u64,
    /// The number of the first puzzle in the run, from 0.
    pub puzzle_number: u64,
    /// The records.
    pub records: &'a [Record],
    /// The puzzles of the records that could be read.
    pub puzzles: &'a [P],
    /// The answers; there is one for each of these puzzles, beginning with the one at `first`.
    pub answers: &'a Answers,
    /// The index of the first puzzle's answer.
    pub first: usize,
}

impl<'a, P> AnsweredRecords<'a, P> {
    /// Treats a chunk as the beginning of a file without a name, with an answer for each puzzle.
    #[must_use]
    pub fn for_chunk(chunk: &'a [u8], batch: &'a Batch<P>, answers: &'a Answers) -> AnsweredRecords<'a, P> {
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

    /// Iterates over the records in order. Each comes with its number in the file and, if it could be read,
    /// with its puzzle and the index of the answer.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &'a Record, Option<(&'a P, usize)>)> + use<'a, P> {
        let mut puzzles = self.puzzles.iter().zip(self.first..);
        (self.number..).zip(self.records).map(move |(number, record)| {
            (number, record, record.fault.map_or_else(|| puzzles.next(), |_| None))
        })
    }
}

/// Writes records with their answers, e.g. as rows of CSV or JSON, or as text for people.
pub trait Sink<P = Puzzle>: Sync {
    /// Appends the text above all records, e.g. the header of CSV.
    fn header(&self, _: &mut Vec<u8>) {}

    /// Appends the records.
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>);

    /// Returns whether a record may take megabytes, e.g. when all solutions are listed. Records are then
    /// written one by one: between two of them the run can be stopped, and finished rows are passed on, so that memory
    /// holds few of them.
    fn is_bulky(&self) -> bool {
        false
    }
}

/// Writes nothing. This is for runs where only the counts matter.
impl<P> Sink<P> for () {
    fn write(&self, _: &AnsweredRecords<'_, P>, _: &mut Vec<u8>) {}
}

/// Watches a run, e.g. for a progress bar. The writer calls it in the order of the input.
pub trait Observer {
    /// Receives the report on a chunk that has been written.
    fn written(&mut self, chunk: &ChunkReport);
}

/// The puzzle of a record, which a job is asked about, perhaps with a proposed solution.
pub trait Subject {
    /// The type of the puzzle.
    type Puzzle: PuzzleText;

    /// The puzzle itself.
    fn puzzle(&self) -> &Self::Puzzle;

    /// The reason why the proposed solution could not be read, if it could not.
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

/// The checksum of a text, with its length. Checksums of parts combine to that of the whole, so that
/// workers can compute them in parallel.
///
/// ```
/// use gridmill_data::record::Checksum;
///
/// let mut checksum = Checksum::of(b"1...\n");
/// checksum.append(Checksum::of(b"...2\n"));
/// assert_eq!(checksum, Checksum::of(b"1...\n...2\n"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Checksum {
    /// The length in bytes.
    pub bytes: u64,
    /// The CRC-32 of the bytes.
    #[serde(rename = "checksum")]
    pub crc32: u32,
}

impl Checksum {
    /// Computes the checksum of a text. This reads the text once, at tens of gigabytes a second if the
    /// processor has carry-less multiplication.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Checksum {
        Checksum { bytes: bytes.len() as u64, crc32: crc32fast::hash(bytes) }
    }

    /// Appends a part that follows this one. It takes constant time, because only the checksums are
    /// combined.
    pub fn append(&mut self, next: Checksum) {
        let mut all = Hasher::new_with_initial_len(self.crc32, self.bytes);
        all.combine(&Hasher::new_with_initial_len(next.crc32, next.bytes));
        *self = Checksum { bytes: self.bytes + next.bytes, crc32: all.finalize() };
    }
}

/// An amount of input: the size of a chunk, or of everything before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct InputAmount {
    /// Records.
    pub records: u64,
    /// Records that could be read as puzzles.
    pub puzzles: u64,
    /// Lines, including those before the first record.
    pub lines: u64,
    /// Bytes.
    pub bytes: u64,
}

impl InputAmount {
    /// Counts the lines and bytes of a chunk with that many records and puzzles.
    pub fn for_chunk(records: usize, puzzles: usize, chunk: &[u8]) -> InputAmount {
        let lines = count_lines(chunk) + u64::from(!chunk.ends_with(b"\n"));
        InputAmount { records: records as u64, puzzles: puzzles as u64, lines, bytes: chunk.len() as u64 }
    }
}

impl std::ops::AddAssign for InputAmount {
    fn add_assign(&mut self, more: InputAmount) {
        self.records += more.records;
        self.puzzles += more.puzzles;
        self.lines += more.lines;
        self.bytes += more.bytes;
    }
}

/// The report on a chunk, from the worker to the writer and the observer.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChunkReport {
    /// The input before the chunk.
    pub before: InputAmount,
    /// The size of the chunk.
    pub size: InputAmount,
    /// The diagnostics of its records.
    pub diagnostics: Vec<Diagnostic>,
    /// How many of its records have each status.
    pub statuses: StatusCounts,
    /// The data for the journal, if the run keeps one.
    pub journal: Option<Box<JournalFigures>>,
}

/// The data about a chunk that a journal needs.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct JournalFigures {
    /// The checksum of the chunk's text, including the lines that are skipped.
    pub checksum: Checksum,
    /// The counts of the chunk alone.
    pub tally: Tally,
    /// Whether the run was stopped inside the chunk, so that its rows cover less than its bytes. Such a chunk is not written.
    /// False if the stage shortened the bytes to match the rows.
    pub cut_short: bool,
}

/// A message about a record that could not be read or that breaks the rules. Records, lines and columns
/// count from 1.
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

/// The problem in a [`Diagnostic`].
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
    /// Finds the problem of a record, and its offset in the text of the chunk. Pass the puzzle of the
    /// record only if it is in conflict.
    #[must_use]
    pub fn find(record: &Record, in_conflict: Option<&impl JobPuzzle>) -> Option<(Problem, usize)> {
        if let Some(fault) = record.fault {
            return Some((Problem::Fault(fault), fault.offset as usize));
        }
        Some((Problem::Conflict(DuplicateDigit::find(in_conflict?)?), record.first_cell()))
    }
}

impl ChunkReport {
    /// Clears the report for the next chunk, which has the size `size` and follows `before`.
    pub(crate) fn begin(&mut self, before: InputAmount, size: InputAmount) {
        (self.before, self.size) = (before, size);
        self.diagnostics.clear();
        self.statuses = StatusCounts::default();
    }

    /// Returns whether any record of the chunk has failed.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.statuses.failed > 0
    }

    /// Adds the diagnostics of malformed records and of puzzles in conflict. `is_conflict` takes the index
    /// of a puzzle in the batch.
    pub(crate) fn diagnose<S: Subject>(
        &mut self,
        chunk: &[u8],
        batch: &Batch<S>,
        is_conflict: impl Fn(usize) -> bool,
    ) {
        let mut places = Places::new(chunk, self.before.lines);
        for (record, (at, read)) in (self.before.records + 1..).zip(batch.iter()) {
            let conflict = read.filter(|&(index, _)| is_conflict(index));
            let conflict = conflict.map(|(_, subject)| subject.puzzle());
            let Some((problem, offset)) = Problem::find(at, conflict) else { continue };
            let (line, column) = places.at(offset);
            self.diagnostics.push(Diagnostic { record, line, column, problem });
        }
    }
}

/// Finds the lines and columns of places in a text. It remembers the last place, so that all look-ups from
/// front to back together read the text once.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    text: &'a [u8],
    lines_before: u64,
    /// The start of the line up to which lines have been counted.
    line_start: usize,
    lines: u64,
}

impl<'a> Places<'a> {
    /// Starts at the beginning of a text that follows `lines_before` lines.
    #[must_use]
    pub fn new(text: &'a [u8], lines_before: u64) -> Places<'a> {
        Places { text, lines_before, line_start: 0, lines: lines_before }
    }

    /// The line and the column (in characters) of the byte at `offset`. Both count from 1.
    pub fn at(&mut self, offset: usize) -> (u64, u64) {
        let offset = offset.min(self.text.len());
        if offset < self.line_start {
            *self = Places::new(self.text, self.lines_before);
        }
        let passed = &self.text[self.line_start..offset];
        self.lines += count_lines(passed);
        self.line_start += memchr::memrchr(b'\n', passed).map_or(0, |feed| feed + 1);
        let line = String::from_utf8_lossy(&self.text[self.line_start..offset]);
        (self.lines + 1, line.chars().count() as u64 + 1)
    }
}

/// Counts line feeds.
#[must_use]
pub fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// The counts of a worker, merged at the end of a run.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// The number of records with each status.
    pub statuses: StatusCounts,
    /// The number of puzzles that were minimized.
    #[serde(rename = "made")]
    pub minimized: u64,
    /// The clues of these puzzles before and after that.
    pub clues: (u64, u64),
    /// The number of grids listed, or of records selected.
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
    /// The shortest and the longest time charged to a puzzle, in nanoseconds.
    pub extremes: Option<(u64, u64)>,
    times: Times,
    /// The ratings of the puzzles, in tenths and sorted, each with its count.
    ratings: Vec<(u16, u64)>,
    /// The first record whose count was stopped, and how many of its solutions were found. A resumed run
    /// counts it again.
    #[serde(skip)]
    pub unfinished: Option<(u64, u64)>,
}

/// How many records have each status of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StatusCounts {
    /// Counts by the index of the status in the job.
    counts: [u64; STATUSES],
    /// The number of records whose status is a failure, or whose answer is incomplete.
    pub failed: u64,
}

impl StatusCounts {
    /// Counts puzzles by their statuses, and adds `malformed` records without a puzzle.
    #[must_use]
    pub fn new(statuses: &[u8], infos: &[StatusInfo], malformed: usize) -> StatusCounts {
        let mut counts = [0; STATUSES];
        statuses.iter().for_each(|&status| counts[usize::from(status)] += 1);
        counts[infos.len() - 1] += malformed as u64;
        let is_right = |info: &StatusInfo| info.grade == Grade::Right;
        let failed = infos.iter().zip(counts).filter(|(info, _)| !is_right(info)).map(|(_, count)| count);
        StatusCounts { counts, failed: failed.sum() }
    }

    /// The number of records with the status of that index in the job.
    #[must_use]
    pub fn count(&self, status: usize) -> u64 {
        self.counts[status]
    }

    /// The number of all records.
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

/// The maximal number of statuses of a job.
const STATUSES: usize = 8;

impl Tally {
    /// The time, in nanoseconds, that a share (0 to 1) of the searched puzzles did not exceed, to two
    /// figures. `None` if no puzzle was searched.
    #[must_use]
    pub fn time_at(&self, share: f64) -> Option<u64> {
        let (least, most) = self.extremes?;
        Some(self.times.all().value_at_quantile(share).clamp(least, most))
    }

    /// Counts guesses, times, ratings and clues, if the job has these columns.
    pub fn add_figures<S: Subject>(&mut self, puzzles: &[S], answers: &Answers) {
        let schema = answers.schema();
        let numbers = |column| schema.position(column).and_then(|column| answers.numbers(column));
        if let (Some(guesses), Some(nanos)) = (numbers(&Column::GUESSES), numbers(&Column::TIME)) {
            for ((&status, &guesses), &nanos) in answers.statuses().iter().zip(guesses).zip(nanos) {
                if schema.statuses[usize::from(status)].grade.is_searchable() {
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
                self.minimized += 1;
                self.clues.0 += puzzle.puzzle().clue_count() as u64;
                self.clues.1 += clues;
            }
        }
    }

    /// Counts the grids in the lists of the answers.
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

    /// Counts `count` puzzles with a rating.
    pub fn add_rating(&mut self, rating: Rating, count: u64) {
        let tenths = rating.min(Rating::BEYOND).in_tenths();
        match self.ratings.binary_search_by_key(&tenths, |&(known, _)| known) {
            Ok(place) => self.ratings[place].1 += count,
            Err(place) => self.ratings.insert(place, (tenths, count)),
        }
    }

    /// Iterates over the ratings, each with the number of puzzles.
    pub fn ratings(&self) -> impl Iterator<Item = (Rating, u64)> {
        self.ratings.iter().map(|&(tenths, count)| (Rating::tenths(tenths), count))
    }

    /// Resets all counts. The memory is kept for the next chunk.
    pub fn clear(&mut self) {
        (self.statuses, self.minimized, self.clues, self.listed, self.extremes) = Default::default();
        (self.guesses, self.searched, self.unguessed, self.nanos) = Default::default();
        self.unfinished = None;
        self.times.clear();
        self.ratings.clear();
    }

    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: &Tally) {
        self.statuses.merge(&other.statuses);
        self.minimized += other.minimized;
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

/// Times below this many nanoseconds are short.
const SHORT: usize = 512;

/// The times charged to puzzles, to two figures. They are stored in a file as pairs of a time and its
/// count.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(into = "Vec<(u64, u64)>", from = "Vec<(u64, u64)>")]
struct Times {
    histogram: Histogram<u64>,
    /// How often each short time occurred, beyond the counts in the histogram. Most times are short, and
    /// incrementing an array is faster than recording in a histogram.
    short: [u32; SHORT],
}

impl Default for Times {
    fn default() -> Times {
        const HOUR: u64 = 3_600_000_000_000;
        // Two figures are enough for a table. They take 40 KB, which stay in the cache.
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
    fn checksums_of_parts_combine_to_that_of_the_whole() {
        let text: Vec<u8> = (0..200u32).map(|at| (at * at % 251) as u8).collect();
        for first in 0..=text.len() {
            for second in [first, (first + 7).min(text.len()), text.len()] {
                let mut checksum = Checksum::default();
                for part in [&text[..first], &text[first..second], &text[second..]] {
                    checksum.append(Checksum::of(part));
                }
                assert_eq!(checksum, Checksum::of(&text), "cut at {first} and {second}");
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
        // A tally that was read back counts on like the original.
        let (mut all, mut again) = (tally.clone(), read);
        all.merge(&tally);
        again.merge(&tally);
        assert_eq!(all.time_at(0.999_999), again.time_at(0.999_999));
    }
}
