//! `gridmill solve`: a file of puzzles into a CSV of solutions.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::End;
use super::shared::{file_name, open_input, stop_on_interrupt, tell_interrupted, thread_count, up_to};
use crate::error::{Error, ErrorKind};
use crate::output::{Console, CsvRows, Destination, Summary, tell};
use crate::pipeline::{self, CHUNK_LIMIT, Finished, Input, Job, THREAD_LIMIT};
use crate::record::Status;
use crate::simd::Backend;
use crate::solver::{Lockstep, SolutionLimit, Solver, SolverKind};
use crate::text::{Detected, FormatChoice, detect, is_decided};

const EXAMPLES: &str = "\
Examples:
  gridmill solve puzzles.txt -o solutions.csv
      a row for every puzzle: puzzle,solution,status,guesses,time_ns
  gridmill solve train.csv --puzzle-column quizzes -o solved.csv --threads 8
      the columns of train.csv, and the new ones behind them
  zcat big.txt.gz | gridmill solve - > solutions.csv
      from a pipe into a pipe
  gridmill solve puzzles.txt -o solutions.csv --summary run.json --quiet
      the figures for a program, nothing on the terminal

Status of a row: unique, multiple (the solution is the first one found), none, conflict (two equal
clues in a house), malformed (could not be read); with --first: solved instead of unique and multiple.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be done,
130 interrupted.";

/// Solve every puzzle of a file, and prove that its solution is the only one
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Solve {
    /// The puzzles: a file, or - for standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// Write the rows to this file, which gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// How puzzles are written
    #[arg(long, value_enum, default_value_t)]
    format: FormatArg,

    /// The CSV column that holds the puzzles, where its name is not a known one
    #[arg(long, value_name = "NAME")]
    puzzle_column: Option<String>,

    /// Stop at the first solution of each puzzle: faster, and proves nothing about others
    #[arg(long)]
    first: bool,

    /// How to solve
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArg,

    /// The vector unit for the lockstep engine
    #[arg(long, value_enum, default_value_t)]
    backend: BackendArg,

    /// Worker threads [default: one for each core]
    #[arg(short, long, env = "GRIDMILL_THREADS", value_name = "N",
        value_parser = up_to(THREAD_LIMIT))]
    threads: Option<u64>,

    /// Write the summary to this file too, as JSON (- for standard output)
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,

    /// Print at most this many messages about records that are malformed or in conflict
    #[arg(long, value_name = "N", default_value_t = 20)]
    max_messages: usize,

    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,

    /// Show no progress bar
    #[arg(long)]
    no_progress: bool,

    /// Read the file instead of mapping it: for files that change meanwhile, and for some network drives
    #[arg(long)]
    no_mmap: bool,

    /// Bytes of input that a worker takes at once; the output does not depend on it
    #[arg(long, value_name = "BYTES", hide_short_help = true, value_parser = up_to(CHUNK_LIMIT))]
    chunk_bytes: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum FormatArg {
    /// See what the file's beginning looks like
    #[default]
    Auto,
    /// One puzzle a line: 81 characters, then perhaps a remark
    Line,
    /// A header, and a puzzle in one of the columns
    Csv,
    /// Nine rows a puzzle, with or without frames, or 81 numbers in lines of any length
    Grid,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum EngineArg {
    /// The fastest
    #[default]
    Auto,
    /// A puzzle in each lane of a vector: for batches
    Lockstep,
    /// Boards of bits, the most constrained cell first
    Bitmask,
    /// Algorithm X on the exact-cover matrix
    DancingLinks,
    /// Naked singles, then a guess in the first blank
    Singles,
    /// Cell by cell in reading order: simple, and slow
    Backtracking,
}

impl From<FormatArg> for FormatChoice {
    fn from(format: FormatArg) -> FormatChoice {
        match format {
            FormatArg::Auto => FormatChoice::Auto,
            FormatArg::Line => FormatChoice::Line,
            FormatArg::Csv => FormatChoice::Csv,
            FormatArg::Grid => FormatChoice::Grid,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BackendArg {
    /// The best that this processor has
    #[default]
    Auto,
    /// AVX-512, 32 puzzles at once
    Avx512,
    /// AVX2, 16 puzzles at once
    Avx2,
    /// Any processor, 8 puzzles at once
    Portable,
}

/// The engine of a run.
#[derive(Clone, Copy, Debug)]
enum Engine {
    Lockstep(Backend),
    Other(SolverKind),
}

impl Engine {
    fn choose(engine: EngineArg, backend: BackendArg) -> Result<Engine, Error> {
        let wanted = match backend {
            BackendArg::Auto => None,
            BackendArg::Avx512 => Some(Backend::Avx512),
            BackendArg::Avx2 => Some(Backend::Avx2),
            BackendArg::Portable => Some(Backend::Portable),
        };
        match (engine, wanted) {
            (EngineArg::Auto | EngineArg::Lockstep, None) => Ok(Engine::Lockstep(Backend::best())),
            (EngineArg::Auto | EngineArg::Lockstep, Some(backend)) if backend.is_available() => {
                Ok(Engine::Lockstep(backend))
            }
            (_, Some(backend)) => Err(ErrorKind::NoBackend { backend: backend.name() }.into()),
            (EngineArg::Bitmask, None) => Ok(Engine::Other(SolverKind::Bitmask)),
            (EngineArg::DancingLinks, None) => Ok(Engine::Other(SolverKind::DancingLinks)),
            (EngineArg::Singles, None) => Ok(Engine::Other(SolverKind::Singles)),
            (EngineArg::Backtracking, None) => Ok(Engine::Other(SolverKind::Backtracking)),
        }
    }

    fn build(self) -> Box<dyn Solver> {
        match self {
            // Availability was asked when the backend was chosen, and does not change.
            Engine::Lockstep(backend) => Box::new(Lockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Engine::Lockstep(_) => SolverKind::Lockstep.name(),
            Engine::Other(kind) => kind.name(),
        }
    }

    fn backend(self) -> Option<&'static str> {
        match self {
            Engine::Lockstep(backend) => Some(backend.name()),
            Engine::Other(_) => None,
        }
    }
}

impl Solve {
    pub(super) fn run(self) -> Result<End, Error> {
        let engine = Engine::choose(self.engine, self.backend)?;
        let mut input = open_input(&self.input, !self.no_mmap)?;
        let (mut output, json) = self.open_outputs(&input)?;
        // Not before: what may wait for ever to be opened, a named pipe, must end at the first Ctrl-C.
        let stop = stop_on_interrupt();
        let Some(detected) = self.detect(&mut input, &stop)? else {
            tell("gridmill: interrupted before the first record\n");
            return Ok(End::Interrupted);
        };
        let mut console = self.console(&input);
        let summary = self.summary_of(&input, &detected, engine);
        let rows = detected.header.as_ref().map_or_else(CsvRows::for_lines, CsvRows::for_table);
        let job = Job {
            format: &*detected.format,
            engine: &|| engine.build(),
            limit: if self.first { SolutionLimit::FIRST } else { SolutionLimit::UNIQUENESS },
            rows: &rows,
            complaints: !self.quiet,
            threads: thread_count(self.threads),
            chunk_bytes: self.chunk_bytes.map(|bytes| bytes as usize),
        };

        let begun = Instant::now();
        let finished = pipeline::run(&job, input, &mut output, &mut console, &stop);
        console.finish();
        let finished = finished?;
        let kept = if finished.stopped { output.keep_partial()? } else { output.commit().map(|()| None)? };
        let summary =
            Summary { complete: !finished.stopped, ..summary.with_counts(&finished.tally, begun.elapsed()) };
        self.conclude(&summary, &finished, kept.as_deref());
        json.map_or(Ok(()), |json| write_json(json, &summary))?;
        Ok(end(&finished))
    }

    /// Opens what the rows and the summary go to.
    fn open_outputs(&self, input: &Input) -> Result<(Destination, Option<Destination>), Error> {
        let rows = Destination::open(file_name(self.output.as_deref()), input.file())?;
        let Some(path) = &self.summary else { return Ok((rows, None)) };
        let json = Destination::open(file_name(Some(path)), input.file())?;
        if json.is_same(&rows) {
            return Err(ErrorKind::SameOutput { path: path.clone() }.into());
        }
        Ok((rows, Some(json)))
    }

    /// Finds out the format; `None` if the run is stopped before that.
    fn detect(&self, input: &mut Input, stop: &AtomicBool) -> Result<Option<Detected>, Error> {
        let choice = self.format.into();
        let head = input.head(&|head| is_decided(head, choice), stop)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let detected = detect(&head, choice, self.puzzle_column.as_deref())?;
        input.set_body(&head, detected.body);
        Ok(Some(detected))
    }

    fn console(&self, input: &Input) -> Console {
        let progress = !self.quiet && !self.no_progress && std::io::stderr().is_terminal();
        let messages = (!self.quiet).then_some(self.max_messages);
        Console::new(input.name().to_owned(), input.known_len(), progress, messages)
    }

    fn summary_of(&self, input: &Input, detected: &Detected, engine: Engine) -> Summary {
        let name = input.name().display().to_string();
        Summary {
            backend: engine.backend(),
            ..Summary::new(
                name,
                detected.format.name(),
                input.is_mapped(),
                engine.name(),
                thread_count(self.threads),
            )
        }
    }

    /// Says what the run came to.
    fn conclude(&self, summary: &Summary, finished: &Finished, kept: Option<&Path>) {
        if !self.quiet {
            tell(summary);
        }
        if finished.stopped {
            tell_interrupted(format_args!("{} whole records", finished.totals.records), kept);
        }
    }
}

fn end(finished: &Finished) -> End {
    let bad = finished.tally.count(Status::Malformed) + finished.tally.count(Status::Conflict);
    match (finished.stopped, bad) {
        (true, _) => End::Interrupted,
        (false, 0) => End::Good,
        (false, _) => End::Imperfect,
    }
}

fn write_json(mut output: Destination, summary: &Summary) -> Result<(), Error> {
    let mut text = serde_json::to_string_pretty(summary).expect("a summary has only numbers and names");
    text.push('\n');
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    written.map_err(|error| ErrorKind::Write { error })?;
    output.commit()
}
