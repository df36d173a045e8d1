//! `gridmill canon`: the form that all isomorphs of a puzzle share.

use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use rayon::prelude::*;

use super::End;
use super::canon_rows::{Canonizer, Columns, Done};
use super::count::{finish, put};
use super::shared::{file_name, open_input, stop_on_interrupt, tell_interrupted, thread_count, up_to};
use crate::error::{Error, ErrorKind};
use crate::output::{Console, CsvRows, Destination};
use crate::pipeline::{Input, Patient, THREAD_LIMIT};
use crate::record::{Observer, Totals, count_lines};
use crate::solver::SolverKind;
use crate::text::{Detected, Format, FormatChoice, detect};

const EXAMPLES: &str = "\
Examples:
  gridmill canon puzzles.txt -o canonical.csv
      a row for every puzzle: puzzle,canonical,status
  gridmill canon puzzles.txt | cut -d, -f2 | sort | uniq -d
      the forms of puzzles that occur twice, in whatever disguise
  gridmill canon puzzles.txt --grid --automorphisms
      the forms of the solutions, and how many symmetries each solution has
  gridmill canon puzzles.txt --transform
      and how to get from the puzzle to its form

The canonical form is the minlex form: the least of all isomorphs (bands, stacks, rows, columns
and digits permuted, rows and columns perhaps exchanged), read cell by cell, a blank below all
digits. Nothing is solved for it, so puzzles with no, one or many solutions have one; with --grid,
only those with one.

A transform, as in T/645312789/123564897/912345678: T if rows and columns change places first, - if
not; for each row, from the top, the one of the rows that comes there; for each column, from the
left, the one of the columns that comes there; for each digit from 1 to 9 its new name.

Status of a row: ok, conflict (two equal clues in a house), malformed (could not be read); with
--grid: unique, multiple, none, conflict, malformed. Only ok and unique rows have a form.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be
done, 130 interrupted.";

/// Bytes of input that a worker takes at once.
const CHUNK: usize = 64 * 1024;

/// Chunks for each thread that are worked on before their rows are written.
const CHUNKS_A_THREAD: usize = 4;

/// Bring every puzzle of a file to the form that all its isomorphs share
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Canon {
    /// The puzzles: a file, or - for standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// Write the rows to this file, which gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Solve the puzzles, and give the forms of their solutions
    #[arg(long)]
    grid: bool,

    /// Add a column with a symmetry that makes the form of the puzzle (of its solution, with --grid)
    #[arg(long)]
    transform: bool,

    /// Add a column with the number of ways to move the cells that change no more than the names of digits
    #[arg(long)]
    automorphisms: bool,

    /// How puzzles are written
    #[arg(long, default_value = "auto", value_parser = format_parser())]
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

fn format_parser() -> impl TypedValueParser<Value = FormatChoice> {
    PossibleValuesParser::new(["auto", "line", "csv", "grid"]).map(|name| match &name[..] {
        "line" => FormatChoice::Line,
        "csv" => FormatChoice::Csv,
        "grid" => FormatChoice::Grid,
        _ => FormatChoice::Auto,
    })
}

impl Canon {
    pub(super) fn run(self) -> Result<End, Error> {
        let input = open_input(&self.input, false)?;
        let mut output = Destination::open(file_name(self.output.as_deref()), input.file())?;
        let stop = stop_on_interrupt();
        let text = read(&input, &stop)?;
        if stop.load(Ordering::Relaxed) {
            tell_interrupted(format_args!("0 records"), None);
            return Ok(End::Interrupted);
        }
        let detected = detect(&text, self.format, self.puzzle_column.as_deref())?;
        let rows = self.columns().rows(detected.header.as_ref());
        put(&mut output, rows.header_line())?;

        let messages = (!self.quiet).then_some(self.max_messages);
        let mut console = Console::new(input.name().to_owned(), None, false, messages);
        let mut before = Totals { records: 0, lines: count_lines(&text[..detected.body]), bytes: 0 };
        let mut refused = 0;
        self.each_chunk(&text, &detected, &rows, &stop, &mut |done| {
            if let Some((record, puzzle)) = done.wrong {
                let (record, puzzle) = (before.records + record, puzzle.to_string());
                return Err(
                    ErrorKind::WrongSolution { record, engine: SolverKind::Lockstep.name(), puzzle }.into()
                );
            }
            put(&mut output, &done.rows)?;
            console.written(&before, &done.report);
            refused += done.report.complaints.len() as u64;
            before.records += done.report.size.records;
            before.lines += done.report.size.lines;
            Ok(())
        })?;
        console.finish();
        finish(output, &stop, refused, format_args!("{} records", before.records))
    }

    fn columns(&self) -> Columns {
        Columns { grid: self.grid, transform: self.transform, automorphisms: self.automorphisms }
    }

    /// Works on the text in pieces, on all threads, and hands what became of them to `take` in order, until
    /// the run is stopped.
    fn each_chunk(
        &self,
        text: &[u8],
        detected: &Detected,
        rows: &CsvRows,
        stop: &AtomicBool,
        take: &mut dyn FnMut(Done) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let threads = thread_count(self.threads);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(ErrorKind::Threads)?;
        let format = &*detected.format;
        let mut rest = &text[detected.body..];
        let mut chunks = std::iter::from_fn(|| next_chunk(format, &mut rest));
        while !stop.load(Ordering::Relaxed) {
            let some: Vec<&[u8]> = chunks.by_ref().take(CHUNKS_A_THREAD * threads).collect();
            if some.is_empty() {
                break;
            }
            let worker = || Canonizer::new(self.columns());
            let work = |worker: &mut Canonizer, chunk: &&[u8]| worker.work(format, rows, chunk);
            let done: Vec<Done> = pool.install(|| some.par_iter().map_init(worker, work).collect());
            done.into_iter().try_for_each(&mut *take)?;
        }
        Ok(())
    }
}

/// Reads all of an input, or what there is when the run is stopped.
fn read(input: &Input, stop: &AtomicBool) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    let read = Patient { file: input.file(), stop }.read_to_end(&mut text);
    read.map_err(|error| ErrorKind::Read { path: input.name().to_owned(), error })?;
    Ok(text)
}

/// Cuts whole records off a text.
fn next_chunk<'a>(format: &dyn Format, rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut size = CHUNK;
    let len = loop {
        if size >= rest.len() {
            break rest.len();
        }
        match format.whole(&rest[..size]) {
            0 => size *= 2,
            whole => break whole,
        }
    };
    let (chunk, after) = rest.split_at(len);
    *rest = after;
    (len > 0).then_some(chunk)
}
