//! What `minimal`, `minimize` and `shuffle` have in common: classic puzzles in any format that `solve` reads, a
//! portion at a time, and rows that carry the columns of the input along.

use std::io::{BufWriter, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::End;
use super::count::{finish, put};
use super::shared::{file_name, open_input, stop_on_interrupt, thread_count, up_to};
use crate::error::{Error, ErrorKind};
use crate::grid::{CELLS, Puzzle, Shape, rules};
use crate::output::{Console, Destination, fields, free_name, printable};
use crate::pipeline::{CHUNK_BYTES, Patient, THREAD_LIMIT};
use crate::record::{ChunkReport, Complaint, Observer, Places, Reason, Status, Totals, count_lines};
use crate::solver::{Outcome, SolutionLimit};
use crate::text::{Batch, CsvHeader, Detected, Echo, FormatChoice, Record, detect};

/// Puzzles that a thread takes at once.
pub(super) const PORTION: usize = 256;

#[derive(Debug, Args)]
pub(super) struct TableArgs {
    /// The puzzles: a file, or - for standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// Write the rows to this file, which gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How puzzles are written: auto, line, csv or grid, as for solve
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = formats())]
    format: FormatChoice,

    /// The CSV column that holds the puzzles, where its name is not a known one
    #[arg(long, value_name = "NAME")]
    puzzle_column: Option<String>,

    /// Worker threads [default: one for each core]
    #[arg(short, long, env = "GRIDMILL_THREADS", value_name = "N", value_parser = up_to(THREAD_LIMIT))]
    threads: Option<u64>,

    /// Print at most this many messages about records that are malformed or in conflict
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_messages: usize,

    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

fn formats() -> impl TypedValueParser<Value = FormatChoice> {
    PossibleValuesParser::new(["auto", "line", "csv", "grid"]).map(|name| match name.as_str() {
        "line" => FormatChoice::Line,
        "csv" => FormatChoice::Csv,
        "grid" => FormatChoice::Grid,
        _ => FormatChoice::Auto,
    })
}

/// An input that has been read, and what its rows go to.
pub(super) struct Table {
    /// The columns of the input, if it is CSV.
    pub(super) header: Option<CsvHeader>,
    text: Vec<u8>,
    detected: Detected,
    output: BufWriter<Destination>,
    console: Console,
    stop: Arc<AtomicBool>,
    pub(super) pool: rayon::ThreadPool,
}

/// Some records of the input, in order.
pub(super) struct Portion<'a> {
    pub(super) text: &'a [u8],
    pub(super) batch: &'a Batch,
    /// How many puzzles came before.
    pub(super) puzzles_before: u64,
}

/// A record, and its puzzle if it could be read.
pub(super) type Read1<'a> = (&'a Record, Option<(usize, &'a Puzzle)>);

impl Portion<'_> {
    /// The records, each with its puzzle and the puzzle's place among those of the portion.
    pub(super) fn records(&self) -> impl Iterator<Item = Read1<'_>> {
        let mut puzzles = self.batch.puzzles.iter().enumerate();
        let puzzle = move |record: &Record| record.fault.is_none().then(|| puzzles.next()).flatten();
        let mut puzzle = puzzle;
        self.batch.records.iter().map(move |record| (record, puzzle(record)))
    }
}

impl TableArgs {
    /// Reads the input, all of it, and finds out its format.
    pub(super) fn open(&self) -> Result<Table, Error> {
        let input = open_input(&self.input, false)?;
        let output = Destination::open(file_name(self.output.as_deref()), input.file())?;
        let stop = stop_on_interrupt();
        let mut text = Vec::new();
        let read = Patient { file: input.file(), stop: &stop }.read_to_end(&mut text);
        read.map_err(|error| ErrorKind::Read { path: input.name().to_owned(), error })?;
        let mut detected = detect(&text, self.format, self.puzzle_column.as_deref())?;
        let messages = (!self.quiet).then_some(self.max_messages);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(thread_count(self.threads)).build();
        Ok(Table {
            header: detected.header.take(),
            text,
            detected,
            output: BufWriter::with_capacity(1 << 16, output),
            console: Console::new(input.name().to_owned(), None, false, messages),
            stop,
            pool: pool.map_err(ErrorKind::Threads)?,
        })
    }
}

impl Table {
    /// Writes a header, and has `rows` write the rows of each portion. Complains of records that can't be read, and
    /// of puzzles whose clues contradict each other if `conflicts` says so.
    pub(super) fn run(
        mut self,
        header: Option<Vec<u8>>,
        conflicts: bool,
        mut rows: impl FnMut(&rayon::ThreadPool, &Portion<'_>, &mut dyn Write) -> Result<(), Error>,
    ) -> Result<End, Error> {
        header.iter().try_for_each(|header| put(&mut self.output, header))?;
        let mut batch = Batch::default();
        let (mut at, mut puzzles_before, mut bad) = (self.detected.body, 0, 0);
        let mut totals = Totals { lines: count_lines(&self.text[..at]), ..Totals::default() };
        while at < self.text.len() && !self.stop.load(Ordering::Relaxed) {
            let rest = &self.text[at..];
            let text = &rest[..self.whole(rest)];
            batch.clear();
            self.detected.format.read(text, &mut batch);
            let portion = Portion { text, batch: &batch, puzzles_before };
            let complaints = complaints(&portion, conflicts);
            bad += complaints.len() as u64;
            rows(&self.pool, &portion, &mut self.output)?;
            self.console.written(&totals, &ChunkReport { size: Totals::default(), complaints });
            totals.records += batch.records.len() as u64;
            totals.lines += count_lines(text);
            puzzles_before += batch.puzzles.len() as u64;
            at += text.len();
        }
        self.console.finish();
        let output =
            self.output.into_inner().map_err(|error| ErrorKind::Write { error: error.into_error() })?;
        finish(output, &self.stop, bad, format_args!("{} records", totals.records))
    }

    /// The bytes of a portion of whole records.
    fn whole(&self, rest: &[u8]) -> usize {
        let mut window = CHUNK_BYTES;
        while window < rest.len() {
            match self.detected.format.whole(&rest[..window]) {
                0 => window *= 2,
                whole => return whole,
            }
        }
        rest.len()
    }

    /// The columns of the input and new ones behind them.
    pub(super) fn header_with(&self, new: &[&str]) -> Vec<u8> {
        let input = self.header.as_ref().map_or(&b"puzzle"[..], |header| &header.text);
        let taken: Vec<String> = fields(input)
            .iter()
            .map(|name| String::from_utf8_lossy(name).trim().to_ascii_lowercase())
            .collect();
        let mut header = input.to_vec();
        for name in new {
            header.push(b',');
            header.extend_from_slice(free_name(name, &taken).as_bytes());
        }
        header.push(b'\n');
        header
    }
}

/// What is wrong with the records of a portion.
fn complaints(portion: &Portion<'_>, conflicts: bool) -> Vec<Complaint> {
    let mut places = Places::of(portion.text);
    let mut complaint = |(index, (record, puzzle)): (usize, Read1<'_>)| {
        let conflict = |(_, puzzle): (usize, &Puzzle)| rules::find_conflict(Shape::CLASSIC, puzzle.cells());
        let (reason, offset) = match record.fault {
            Some(fault) => (Reason::Fault(fault), fault.offset as usize),
            None if conflicts => (Reason::Conflict(puzzle.and_then(conflict)?), record.first_cell()),
            None => return None,
        };
        let (line, column) = places.at(offset);
        Some(Complaint { record: index as u64, line, column, reason })
    };
    portion.records().enumerate().filter_map(&mut complaint).collect()
}

/// The verdict on a puzzle, by a search for two solutions.
pub(super) fn status(puzzle: &Puzzle, outcome: &Outcome) -> Status {
    Status::of(puzzle, outcome, SolutionLimit::UNIQUENESS)
}

/// The fields of a record's row: those of a CSV row, as many as its header has, or the puzzle.
pub(super) fn row_of(header: Option<&CsvHeader>, text: &[u8], read: Read1<'_>) -> Vec<Vec<u8>> {
    let (record, puzzle) = read;
    let text = record.text(text);
    let Some(header) = header else {
        let cells: Vec<u8> = match (puzzle, record.echo) {
            (Some(_), Echo::Verbatim) if text.len() == CELLS => text.to_vec(),
            (Some((_, puzzle)), _) => puzzle.to_ascii().to_vec(),
            (None, _) => printable(text).into_bytes(),
        };
        return vec![cells];
    };
    let mut row = match record.echo {
        Echo::Verbatim | Echo::Ragged => fields(text).iter().map(<[u8]>::to_vec).collect(),
        Echo::Puzzle | Echo::Field => {
            let mut row = vec![Vec::new(); header.column];
            row.push(printable(text).into_bytes());
            row
        }
    };
    row.resize(header.width, Vec::new());
    row
}

/// Writes a CSV row.
pub(super) fn write_row(row: &[Vec<u8>], output: &mut dyn Write) -> Result<(), Error> {
    let mut bytes = Vec::new();
    let mut writer = csv::Writer::from_writer(&mut bytes);
    // Neither call can fail: there is no other row to differ from, and memory takes every byte.
    let _ = writer.write_record(row);
    let _ = writer.flush();
    drop(writer);
    put(output, &bytes)
}
