//! The whole pipeline, from file to file. One benchmark uses an engine that does nothing, to measure
//! everything except solving. The others use `bitmask` and `lockstep`, on one and two threads. Throughput is
//! in puzzles.

#[path = "../../tests/common/mod.rs"]
mod common;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gridmill_core::grid::{Puzzle, Solution};
use gridmill_core::jobs::{Job, Solve, Status};
use gridmill_core::solver::{EngineKind, Outcome, Request, Solver};
use gridmill_data::output::{Destination, Rows};
use gridmill_data::pipeline;
use gridmill_data::pipeline::{ChunkSizing, Input, JobStage, RunOptions};
use gridmill_data::record::{ChunkReport, Observer};
use gridmill_data::text::{ClassicReader, CsvHeader, LineFormat};

const PUZZLES: usize = 1_000_000;

/// An engine that already knows the answer, because all puzzles of its file have the same solution.
struct Stub(Solution);

impl Solver for Stub {
    fn name(&self) -> &'static str {
        "stub"
    }

    fn solve_until(&mut self, puzzles: &[Puzzle], _: &Request, outcomes: &mut [Outcome]) -> usize {
        outcomes.fill(Outcome { solutions: 1, solution: Some(self.0), nanos: 1000, ..Outcome::NONE });
        puzzles.len()
    }
}

/// An observer that ignores all events.
struct NoObserver;

impl Observer for NoObserver {
    fn written(&mut self, _: &ChunkReport) {}
}

fn run(
    path: &Path,
    output: &Path,
    threads: usize,
    mmap: bool,
    engine: &(dyn Fn() -> Box<dyn Solver> + Sync),
) {
    let input = Input::open(Some(path), mmap).unwrap();
    let mut destination = Destination::create_apart_from(Some(output), &[Some(path)]).unwrap();
    let (solve, schema) = (Solve::default(), Solve::default().schema());
    let stage = JobStage {
        format: Box::new(LineFormat(ClassicReader)),
        worker: Box::new(|| solve.worker_with(engine())),
        sink: Box::new(Rows::with_header(&CsvHeader::puzzle_alone(), &schema)),
        schema,
        diagnostics: true,
        fail_fast: false,
        keeps_long_lines: false,
        sizing: ChunkSizing::BATCHES,
    };
    let options = RunOptions { threads, ..RunOptions::new(&stage) };
    let report =
        pipeline::run(&options, input, &mut destination, &mut NoObserver, &AtomicBool::new(false)).unwrap();
    destination.commit().unwrap();
    assert_eq!(report.tally.statuses.count(Status::Unique as usize), PUZZLES as u64);
}

/// Removes the output of the previous run, because otherwise the measured time would include its replacement.
fn remove_output(output: &Path) {
    let _ = std::fs::remove_file(output);
}

fn whole_pipeline(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let (one_grid, easy, output) =
        (dir.path().join("one.txt"), dir.path().join("easy.txt"), dir.path().join("out.csv"));
    let mut rng = common::rng(1);
    let grid = common::random_grid(&mut rng);
    let puzzles: Vec<Puzzle> =
        (0..PUZZLES).map(|index| common::clues_of(&grid, 30 + index % 8, &mut rng)).collect();
    std::fs::write(&one_grid, common::as_lines(&puzzles)).unwrap();
    std::fs::write(&easy, common::as_lines(&common::easy_puzzles(PUZZLES, 1))).unwrap();

    let mut group = criterion.benchmark_group("pipeline");
    group.throughput(Throughput::Elements(PUZZLES as u64)).sample_size(15);
    for (name, mmap) in [("mapped", true), ("streamed", false)] {
        group.bench_function(BenchmarkId::new("all-but-solving", name), |bencher| {
            bencher.iter_batched(
                || remove_output(&output),
                |()| run(&one_grid, &output, 1, mmap, &|| Box::new(Stub(grid))),
                BatchSize::PerIteration,
            );
        });
    }
    for (kind, threads) in [
        (EngineKind::Bitmask, 1),
        (EngineKind::Bitmask, 2),
        (EngineKind::Lockstep, 1),
        (EngineKind::Lockstep, 2),
    ] {
        group.bench_function(BenchmarkId::new(format!("{kind}/threads"), threads), |bencher| {
            bencher.iter_batched(
                || remove_output(&output),
                |()| run(&easy, &output, threads, true, &|| kind.build()),
                BatchSize::PerIteration,
            );
        });
    }
}

criterion_group!(benches, whole_pipeline);
criterion_main!(benches);
