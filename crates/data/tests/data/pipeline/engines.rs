//! Engines and outputs that misbehave.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::common;
use gridmill_core::grid::{Grid, Puzzle};
use gridmill_core::jobs::{Job, Solve, Status};
use gridmill_core::solver::{Bitmask, NEVER, Outcome, Request, Solver};
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::Rows;
use gridmill_data::pipeline;
use gridmill_data::pipeline::{ChunkSizing, Finished, Input, JobStage, RunOptions};
use gridmill_data::record::{ChunkReport, InputAmount, Observer};
use gridmill_data::text::{FormatOptions, GridPuzzle};

use super::{solved_lines, solving, wait_until};

/// Checks that chunks come in order and add up.
#[derive(Default)]
struct Watch {
    totals: InputAmount,
}

impl Observer for Watch {
    fn written(&mut self, chunk: &ChunkReport) {
        assert_eq!(chunk.before, self.totals);
        self.totals += chunk.size;
    }
}

/// Runs puzzles in small chunks on three threads.
fn run(
    puzzles: &[Puzzle],
    engine: &(dyn Fn() -> Box<dyn Solver> + Sync),
    output: &mut dyn Write,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("p.txt");
    std::fs::write(&path, common::as_lines(puzzles)).unwrap();
    let input = Input::open(Some(&path), true).unwrap();
    let stage = solving(engine, solved_lines());
    let options = RunOptions { threads: 3, chunk_bytes: Some(1000), ..RunOptions::new(&stage) };
    let mut watch = Watch::default();
    let finished = pipeline::run(&options, input, output, &mut watch, stop)?;
    assert_eq!(finished.totals, watch.totals);
    Ok(finished)
}

fn bitmask() -> Box<dyn Solver> {
    Box::new(Bitmask::new())
}

#[test]
fn rows_tally_and_totals_add_up() {
    let puzzles = common::mixed_puzzles(2_000, 50);
    let mut output = Vec::new();
    let finished = run(&puzzles, &bitmask, &mut output, &AtomicBool::new(false)).unwrap();
    assert!(!finished.stopped);
    assert_eq!(
        finished.totals,
        InputAmount { records: 2_000, puzzles: 2_000, lines: 2_000, bytes: 2_000 * 82 }
    );
    assert_eq!(finished.tally.statuses.records(), 2_000);

    let mut reader = csv::Reader::from_reader(output.as_slice());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(
        rows.iter().map(|row| row[0].to_owned()).collect::<Vec<_>>(),
        puzzles.iter().map(Puzzle::to_string).collect::<Vec<_>>()
    );
    for status in Status::ALL {
        let count = rows.iter().filter(|row| &row[2] == status.name()).count() as u64;
        assert_eq!(finished.tally.statuses.count(status as usize), count, "{}", status.name());
    }
    let searched = || rows.iter().filter(|row| &row[2] != "conflict");
    let sum = |column: usize| searched().map(|row| row[column].parse::<u64>().unwrap()).sum::<u64>();
    assert_eq!((finished.tally.guesses, finished.tally.nanos), (sum(3), sum(4)));
    assert_eq!(finished.tally.unguessed, searched().filter(|row| &row[3] == "0").count() as u64);
    let times = || searched().map(|row| row[4].parse::<u64>().unwrap());
    assert_eq!(finished.tally.extremes, Some((times().min().unwrap(), times().max().unwrap())));
}

/// Swaps two digits of the answer to one puzzle.
struct WrongEngine(Bitmask, Puzzle);

impl Solver for WrongEngine {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn solve_until(&mut self, puzzles: &[Puzzle], request: &Request, found: &mut [Outcome]) -> usize {
        let solved = self.0.solve_until(puzzles, request, found);
        for (puzzle, outcome) in puzzles.iter().zip(found) {
            if *puzzle == self.1 {
                let mut cells = *outcome.solution.unwrap().cells();
                cells.swap(3, 4);
                outcome.solution = gridmill_core::grid::Solution::from_cells(cells);
            }
        }
        solved
    }
}

#[test]
fn a_wrong_solution_is_never_written() {
    let puzzles = common::easy_puzzles(500, 51);
    let target = puzzles[321];
    let mut output = Vec::new();
    let liar = || -> Box<dyn Solver> { Box::new(WrongEngine(Bitmask::new(), target)) };
    let error = run(&puzzles, &liar, &mut output, &AtomicBool::new(false)).unwrap_err();
    match error.kind() {
        ErrorKind::WrongSolution { record, engine, puzzle } => {
            assert_eq!((*record, *engine, puzzle), (322, "liar", &target.to_string()));
        }
        other => panic!("{other}"),
    }
    assert!(!String::from_utf8(output).unwrap().contains(&target.to_string()));
}

/// Takes some bytes and then fails.
struct FullOutput(usize);

impl Write for FullOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_output_ends_the_run() {
    let puzzles = common::easy_puzzles(3_000, 52);
    for room in [0, 10, 100_000] {
        let stop = AtomicBool::new(false);
        let error = run(&puzzles, &bitmask, &mut FullOutput(room), &stop).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
        assert!(stop.load(Ordering::Relaxed));
    }
}

/// Counts puzzles, and calls a function at the hundredth.
struct ActsAtHundredth<'a>(Bitmask, &'a AtomicU64, &'a (dyn Fn() + Sync));

impl Solver for ActsAtHundredth<'_> {
    fn name(&self) -> &'static str {
        "at-the-hundredth"
    }

    fn solve_until(&mut self, puzzles: &[Puzzle], request: &Request, found: &mut [Outcome]) -> usize {
        let mut solved = 0;
        while solved < puzzles.len() && !request.stop.load(Ordering::Relaxed) {
            let end = puzzles.len().min(solved + 16);
            let before = self.1.fetch_add((end - solved) as u64, Ordering::Relaxed);
            let request = Request { stop: &NEVER, ..*request };
            self.0.solve_until(&puzzles[solved..end], &request, &mut found[solved..end]);
            if (before..before + (end - solved) as u64).contains(&100) {
                (self.2)();
            }
            solved = end;
        }
        solved
    }
}

#[test]
fn a_stopped_run_keeps_a_prefix() {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    static STOP: AtomicBool = AtomicBool::new(false);
    let puzzles = common::easy_puzzles(3_000, 54);
    let engine = || -> Box<dyn Solver> {
        Box::new(ActsAtHundredth(Bitmask::new(), &COUNT, &|| STOP.store(true, Ordering::Relaxed)))
    };
    let mut output = Vec::new();
    let finished = run(&puzzles, &engine, &mut output, &STOP).unwrap();
    assert!(finished.stopped);
    let mut reader = csv::Reader::from_reader(output.as_slice());
    let written: Vec<String> = reader.records().map(|row| row.unwrap()[0].to_owned()).collect();
    // How many rows come depends on timing: a worker that claimed an early chunk may find the run stopped
    // before it begins.
    assert!(written.len() < 3_000, "{}", written.len());
    assert_eq!(written.len() as u64, finished.totals.records);
    assert!(written.iter().zip(&puzzles).all(|(written, puzzle)| *written == puzzle.to_string()));
}

/// Delays its first puzzle until many others have been searched.
struct DelayedEngine<'a>(&'a AtomicU64);

impl Solver<GridPuzzle> for DelayedEngine<'_> {
    fn name(&self) -> &'static str {
        "held-up"
    }

    fn solve_until(&mut self, puzzles: &[GridPuzzle], _: &Request, found: &mut [Outcome<Grid>]) -> usize {
        found.fill(Outcome::NONE);
        if puzzles[0].grid.cells()[0] == 1 {
            wait_until("the others do not wait", || self.0.load(Ordering::Relaxed) >= 500);
        }
        self.0.fetch_add(puzzles.len() as u64, Ordering::Relaxed);
        puzzles.len()
    }
}

/// A puzzle that takes long delays only those of its own chunk.
#[test]
fn a_hard_puzzle_does_not_idle_the_other_workers() {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let text = format!("1{0}\n{1}", ".".repeat(255), format!("{}\n", ".".repeat(256)).repeat(2_000));
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("p.txt");
    std::fs::write(&path, &text).unwrap();
    let options = FormatOptions { alphabets: vec!["1-9A-G".parse().unwrap()], ..FormatOptions::default() };
    let layout = options.layout(text.as_bytes(), false).unwrap().unwrap();
    let job = Solve::default();
    let worker = || job.worker_with(Box::new(DelayedEngine(&COUNT)) as Box<dyn Solver<GridPuzzle>>);
    let rows = Rows::csv(&layout, &job.schema());
    let stage = JobStage {
        worker: Box::new(worker),
        sizing: ChunkSizing::SLOW,
        ..JobStage::new(&job, &layout, Box::new(rows))
    };
    let options = RunOptions { threads: 2, ..RunOptions::new(&stage) };
    let input = Input::open(Some(&path), true).unwrap();
    let mut output = Vec::new();
    pipeline::run(&options, input, &mut output, &mut Watch::default(), &AtomicBool::new(false)).unwrap();
    assert!(output.split(|&byte| byte == b'\n').nth(1).unwrap().starts_with(b"1..."));
}
