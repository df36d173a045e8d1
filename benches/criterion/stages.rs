//! The stages of `gridmill solve`, one by one: parse, solve, check and format. Times are for a batch of
//! 10,000 easy puzzles; throughput is in puzzles.

#[path = "../../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gridmill_core::jobs::{Job, Solve, Status};
use gridmill_core::solver::{Engine, EngineKind, Outcome, SolutionLimit};
use gridmill_data::output::Rows;
use gridmill_data::record::{AnsweredRecords, Sink};
use gridmill_data::text::{Batch, ClassicReader, CsvFormat, CsvHeader, Format, LineFormat};

const PUZZLES: usize = 10_000;

fn stages(criterion: &mut Criterion) {
    let puzzles = common::easy_puzzles(PUZZLES, 1);
    let lines = common::as_lines(&puzzles);
    let limit = SolutionLimit::UNIQUENESS;
    let mut outcomes = vec![Outcome::NONE; PUZZLES];
    let mut engine = EngineKind::Bitmask.build();
    engine.solve_batch(&puzzles, limit, &mut outcomes);
    for (puzzle, outcome) in puzzles.iter().zip(&outcomes) {
        assert!(outcome.solutions == 1 && outcome.solution.unwrap().solves(puzzle));
    }

    let mut group = criterion.benchmark_group("stages");
    group.throughput(Throughput::Elements(PUZZLES as u64));

    let mut batch = Batch::default();
    group.bench_function("parse/line", |bencher| {
        bencher.iter(|| {
            batch.clear();
            LineFormat(ClassicReader).read(black_box(lines.as_bytes()), &mut batch);
            assert_eq!(batch.puzzles.len(), PUZZLES);
        });
    });
    let table: String = puzzles.iter().enumerate().map(|(id, puzzle)| format!("{id},{puzzle},x\n")).collect();
    group.bench_function("parse/csv", |bencher| {
        bencher.iter(|| {
            batch.clear();
            CsvFormat { column: 1, width: 3, separator: b',', reader: ClassicReader }
                .read(black_box(table.as_bytes()), &mut batch);
            assert_eq!(batch.puzzles.len(), PUZZLES);
        });
    });
    group.bench_function("solve/bitmask", |bencher| {
        bencher.iter(|| engine.solve_batch(black_box(&puzzles), limit, &mut outcomes));
    });
    group.bench_function("check", |bencher| {
        bencher.iter(|| {
            let is_correct = |(puzzle, outcome): (_, &Outcome)| outcome.solution.unwrap().solves(puzzle);
            assert!(black_box(&puzzles).iter().zip(&outcomes).all(is_correct));
        });
    });

    batch.clear();
    LineFormat(ClassicReader).read(lines.as_bytes(), &mut batch);
    let job = Solve { engine: Engine::Other(EngineKind::Bitmask), limit, ..Solve::default() };
    let answers = job.answer(&batch.puzzles).expect("correct answers");
    let records = AnsweredRecords::for_chunk(lines.as_bytes(), &batch, &answers);
    let mut out = Vec::new();
    group.bench_function("format/bytes", |bencher| {
        let rows = Rows::with_header(&CsvHeader::puzzle_alone(), &job.schema());
        bencher.iter(|| {
            out.clear();
            rows.write(black_box(&records), &mut out);
        });
    });
    group.bench_function("format/csv-crate", |bencher| {
        bencher.iter(|| {
            out.clear();
            write_with_csv_crate(black_box(&records), &outcomes, &mut out);
        });
    });
}

/// Writes the same rows with the csv crate, in its fastest way.
fn write_with_csv_crate(records: &AnsweredRecords<'_>, outcomes: &[Outcome], out: &mut Vec<u8>) {
    let mut writer = csv::Writer::from_writer(out);
    let (mut guesses, mut nanos) = (itoa::Buffer::new(), itoa::Buffer::new());
    for ((_, record, _), outcome) in records.iter().zip(outcomes) {
        writer.write_field(record.text(records.chunk)).unwrap();
        writer.write_field(outcome.solution.unwrap().to_ascii()).unwrap();
        writer.write_field(Status::Unique.name()).unwrap();
        writer.write_field(guesses.format(outcome.guesses)).unwrap();
        writer.write_field(nanos.format(outcome.nanos)).unwrap();
        writer.write_record(None::<&[u8]>).unwrap();
    }
    writer.flush().unwrap();
}

criterion_group!(benches, stages);
criterion_main!(benches);
