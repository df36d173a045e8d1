//! What the commands for puzzles of any shape have in common: their arguments, and the way from records to
//! answers in the order of the input.

use std::io::{self, BufWriter, Cursor, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use rayon::prelude::*;

use super::records::{Record, Records};
use super::shared::{file_name, open_input, stop_on_interrupt, thread_count, up_to};
use crate::error::{Error, ErrorKind};
use crate::grid::{Shape, rules};
use crate::output::{Console, Destination};
use crate::pipeline::{Input, Patient, THREAD_LIMIT};
use crate::record::{ChunkReport, Complaint, Observer, Places, Reason, Totals};
use crate::solver::{GridSolver, SolverKind};
use crate::text::{Alphabet, GridLine, GridLines, HEAD_BYTES, refuse_other_than_text};

/// How much of a stream is read to find out its alphabet.
const SURVEY_BYTES: u64 = 1 << 20;

#[derive(Debug, Args)]
pub(super) struct PuzzleArgs {
    /// The puzzles, one a line: a file, or - for standard input
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    input: PathBuf,

    /// Write the rows to this file, which gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Rows x columns of a box, where the length of a line leaves it open: 3x2 for 36 cells, ... [default:
    /// as wide as high, or wider]
    #[arg(long, value_name = "RxC")]
    shape: Option<Shape>,

    /// The digits of puzzles above 9x9, in order: 1-9A-G, 0-9A-F or A-P for 16x16; may be given once for
    /// each side [default: what the characters of the file prove]
    #[arg(long, value_name = "SYMBOLS")]
    alphabet: Vec<Alphabet>,

    /// How to search
    #[arg(long, value_enum, default_value_t)]
    engine: EngineArg,

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

/// The engines for any shape.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum EngineArg {
    /// Masks of candidates, the most constrained cell first
    #[default]
    Bitmask,
    /// Algorithm X on the exact-cover matrix
    DancingLinks,
    /// Naked singles, then a guess in the first blank
    Singles,
    /// Cell by cell in reading order: simple, and slow
    Backtracking,
}

/// A job that is ready to go.
pub(super) struct Opened {
    pub(super) output: Destination,
    pub(super) stop: Arc<AtomicBool>,
    input: Input,
    /// What was read of a stream to find out its alphabet.
    head: Vec<u8>,
    lines: GridLines,
    console: Console,
    pool: rayon::ThreadPool,
}

/// Why a record holds no puzzle to search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Refusal {
    pub(super) reason: Reason,
    column: u64,
}

/// An answer on its way to the output.
pub(super) struct Answered<T> {
    pub(super) record: Record,
    /// The record, from 0.
    pub(super) index: u64,
    pub(super) answer: Result<T, Refusal>,
}

/// Takes answers in order, and writes what it makes of them.
type Take<'a, T> = dyn FnMut(Answered<T>, &GridLines, &mut dyn Write) -> Result<ControlFlow<()>, Error> + 'a;

impl PuzzleArgs {
    /// A new engine of the kind that was asked for.
    pub(super) fn engine(&self) -> Box<dyn GridSolver> {
        let kind = match self.engine {
            EngineArg::Bitmask => SolverKind::Bitmask,
            EngineArg::DancingLinks => SolverKind::DancingLinks,
            EngineArg::Singles => SolverKind::Singles,
            EngineArg::Backtracking => SolverKind::Backtracking,
        };
        kind.build_any_shape()
    }

    /// Opens what is read and written, and finds out the alphabets.
    pub(super) fn open(&self) -> Result<Opened, Error> {
        let input = open_input(&self.input, false)?;
        let output = Destination::open(file_name(self.output.as_deref()), input.file())?;
        let stop = stop_on_interrupt();
        let lines = GridLines::new(self.shape, self.alphabet.clone());
        let (head, lines) = survey(&input, lines, &stop)?;
        let messages = (!self.quiet).then_some(self.max_messages);
        let console = Console::new(input.name().to_owned(), None, false, messages);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(thread_count(self.threads))
            .build()
            .map_err(ErrorKind::Threads)?;
        Ok(Opened { output, stop, input, head, lines, console, pool })
    }
}

/// Reads a file through, or the beginning of a stream, which is handed back, for the alphabets.
fn survey(input: &Input, lines: GridLines, stop: &AtomicBool) -> Result<(Vec<u8>, GridLines), Error> {
    let failed = |error| ErrorKind::Read { path: input.name().to_owned(), error };
    let mut file = input.file();
    let start = file.metadata().is_ok_and(|metadata| metadata.is_file()).then(|| file.stream_position());
    let mut head = Vec::new();
    let patient = Patient { file, stop };
    let bytes = match (&start, lines.is_settled()) {
        (None, true) => 0,
        (None, false) => SURVEY_BYTES,
        (Some(_), _) => HEAD_BYTES as u64,
    };
    patient.take(bytes).read_to_end(&mut head).map_err(failed)?;
    refuse_other_than_text(&head)?;
    if lines.is_settled() && start.is_none() {
        return Ok((head, lines));
    }
    let mut survey = lines.survey();
    // All of a file, and of a stream what has been read, without a last line that may be cut.
    let rest: Box<dyn Read> = match &start {
        Some(_) => Box::new(Patient { file, stop }),
        None => Box::new(io::empty()),
    };
    let whole = match (&start, (head.len() as u64) < SURVEY_BYTES) {
        (None, false) => memchr::memrchr(b'\n', &head).unwrap_or(0),
        _ => head.len(),
    };
    let mut records = Records::new(Cursor::new(&head[..whole]).chain(rest));
    loop {
        let batch = records.batch().map_err(failed)?;
        if batch.is_empty() {
            break;
        }
        batch.iter().for_each(|record| survey.add(&record.text));
    }
    if let Some(start) = start {
        file.seek(SeekFrom::Start(start.map_err(failed)?)).map_err(failed)?;
        head.clear();
    }
    Ok((head, survey.conclude()?))
}

impl Opened {
    /// Puts `work` to every puzzle, on all threads, and hands the answers to `take` in the order of the
    /// input, until it breaks off or the run is stopped. Returns how many records were refused.
    pub(super) fn each<T: Send>(
        &mut self,
        work: &(dyn Fn(&GridLine<'_>) -> T + Sync),
        take: &mut Take<'_, T>,
    ) -> Result<u64, Error> {
        let Opened { output, stop, input, head, lines, console, pool } = self;
        let mut output = BufWriter::with_capacity(1 << 16, output);
        let reader = Cursor::new(&head[..]).chain(Patient { file: input.file(), stop });
        let mut records = Records::new(reader);
        let (mut index, mut refused) = (0, 0);
        'run: while !stop.load(Ordering::Relaxed) {
            let batch = records.batch();
            let batch = batch.map_err(|error| ErrorKind::Read { path: input.name().to_owned(), error })?;
            if batch.is_empty() {
                break;
            }
            let answer = |record: Record| (judge(lines, &record).map(|line| work(&line)), record);
            let answers: Vec<_> = pool.install(|| batch.into_par_iter().map(answer).collect());
            for (answer, record) in answers {
                if let Err(refusal) = &answer {
                    complain(console, index, record.line, *refusal);
                    refused += 1;
                }
                if take(Answered { record, index, answer }, lines, &mut output)?.is_break() {
                    break 'run;
                }
                index += 1;
            }
            output.flush().map_err(|error| ErrorKind::Write { error })?;
        }
        output.flush().map_err(|error| ErrorKind::Write { error })?;
        console.finish();
        Ok(refused)
    }
}

/// Reads a record, and refuses it if two clues contradict each other.
pub(super) fn judge<'a>(lines: &'a GridLines, record: &'a Record) -> Result<GridLine<'a>, Refusal> {
    let column = |offset| Places::of(&record.text).at(offset).1;
    let line = lines
        .read(&record.text)
        .map_err(|fault| Refusal { reason: Reason::Fault(fault), column: column(fault.offset as usize) })?;
    match rules::find_conflict(line.grid.shape(), line.grid.cells()) {
        None => Ok(line),
        Some(conflict) => Err(Refusal { reason: Reason::Conflict(conflict), column: column(0) }),
    }
}

fn complain(console: &mut Console, index: u64, line: u64, refusal: Refusal) {
    let complaint = Complaint { record: 0, line: 0, column: refusal.column, reason: refusal.reason };
    let before = Totals { records: index, lines: line, bytes: 0 };
    console.written(&before, &ChunkReport { size: Totals::default(), complaints: vec![complaint] });
}
