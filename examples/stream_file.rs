//! Reads the records of a file one by one, then runs the same file through the pipeline into a writer.
//!
//! `cargo run --release --example stream_file`

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{Job, Solve};
use gridmill_data::output::Rows;
use gridmill_data::pipeline::{self, JobStage, RunOptions};
use gridmill_data::record::{ChunkReport, Observer};
use gridmill_data::{FormatOptions, Input, Records};

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", run()?);
    Ok(())
}

/// The output of this example.
pub(crate) fn run() -> Result<String, Box<dyn Error>> {
    let path = Path::new("datasets/fixtures/train.csv");
    Ok(read_records(path)? + &solve_file(path)?)
}

/// Reads one record after another, in order. This needs little memory, because records are not kept.
fn read_records(path: &Path) -> Result<String, gridmill_data::Error> {
    let records: Records = Input::open(Some(path), true)?.records(&FormatOptions::default())?;
    let (mut clues, mut faults) = (0, String::new());
    for record in records {
        match record?.puzzle {
            Ok(puzzle) => clues += puzzle.clue_count(),
            Err(fault) => faults += &format!("{fault}\n"),
        }
    }
    Ok(format!("{faults}{clues} clues\n"))
}

/// Solves a file of any size on all cores. Rows are still in the order of the records.
fn solve_file(path: &Path) -> Result<String, gridmill_data::Error> {
    let stop = AtomicBool::new(false);
    let mut input = Input::open(Some(path), true)?;
    let layout = input.detect(&FormatOptions::default(), &stop)?.expect("it is never stopped");
    let job = Solve { engine: layout.fastest_engine(), ..Solve::default() };
    let rows = Rows::csv(&layout, &job.schema());
    let stage: JobStage<'_> = JobStage::new(&job, &layout, Box::new(rows));
    let (mut rows, mut progress) = (Vec::new(), Progress::default());
    let finished = pipeline::run(&RunOptions::new(&stage), input, &mut rows, &mut progress, &stop)?;
    let guesses = finished.tally.guesses;
    let first = rows.split(|&byte| byte == b'\n').next().unwrap_or_default();
    Ok(format!("{}\n{} rows, {guesses} guesses\n", String::from_utf8_lossy(first), progress.rows))
}

/// An observer that is called for every written chunk.
#[derive(Default)]
struct Progress {
    rows: u64,
}

impl Observer for Progress {
    fn written(&mut self, chunk: &ChunkReport) {
        self.rows += chunk.size.records;
    }
}
