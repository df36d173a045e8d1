//! The hot path allocates nothing: after the buffers have grown, a second batch makes no allocation.

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::grids;
use gridmill_core::grid::{Grid, Pencilmarks, Puzzle};
use gridmill_core::jobs::{Answers, Check, Job, Proposed, Solve, Value, Verify};
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::{Bitmask, Bounds, EngineKind, NEVER, Outcome, SolutionLimit, Solver};
use gridmill_data::output::Rows;
use gridmill_data::record::{AnsweredRecords, Sink};
use gridmill_data::text::{
    Alphabet, BankReader, Batch, ClassicReader, CsvFormat, CsvHeader, Format, FormatOptions, GridFormat,
    GridPuzzle, HodokuReader, LineFormat, PencilmarkReader,
};

struct CountingAllocator;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged to the system's allocator, and counting allocates nothing.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Runs some work twice, and counts the allocations of the second run.
fn allocations_of_the_second(mut work: impl FnMut()) -> u64 {
    work();
    allocations_of(work)
}

/// Counts the allocations of some work.
fn allocations_of(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn the_counter_counts_allocations() {
    assert!(allocations_of_the_second(|| drop(std::hint::black_box(vec![1; 100]))) > 0);
}

#[test]
fn solving_a_second_batch_allocates_nothing() {
    let puzzles = common::mixed_puzzles(2_000, 30);
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    for kind in EngineKind::ALL {
        let mut engine = kind.build();
        for limit in [SolutionLimit::FIRST, SolutionLimit::UNIQUENESS] {
            let count = allocations_of_the_second(|| engine.solve_batch(&puzzles, limit, &mut outcomes));
            assert_eq!(count, 0, "{kind}");
        }
    }
}

/// The puzzles are proper, because the reasons of other verdicts are texts, which allocate.
#[test]
fn verifying_and_checking_a_second_batch_allocate_nothing() {
    let puzzles = common::easy_puzzles(500, 34);
    let mut answers = Answers::new(Verify::default().schema());
    let mut worker = Verify::default().worker();
    let mut verify = || {
        answers.clear();
        worker.answer(&puzzles, 0, &NEVER, &mut answers).unwrap();
    };
    assert_eq!(allocations_of_the_second(&mut verify), 0);

    let solved = Solve::default().answer(&puzzles).unwrap();
    let solution = |index| match solved.value(0, index) {
        Value::Cells(cells) => cells.try_into().ok(),
        _ => None,
    };
    let pairs = puzzles.iter().enumerate().map(|(index, &puzzle)| Proposed {
        puzzle,
        solution: solution(index).and_then(Puzzle::from_cells).ok_or("no solution"),
    });
    let pairs: Vec<_> = pairs.collect();
    let mut answers = Answers::new(Check::default().schema());
    let mut worker = Check::default().worker();
    let mut check = || {
        answers.clear();
        worker.answer(&pairs, 0, &NEVER, &mut answers).unwrap();
    };
    assert_eq!(allocations_of_the_second(&mut check), 0);
    assert!(answers.len() == 500 && answers.statuses().iter().all(|&status| status == 0));
}

#[test]
fn canonical_forms_allocate_nothing() {
    let puzzles = common::mixed_puzzles(500, 31);
    let mut minlex = Minlex::new();
    let mut forms =
        || assert!(puzzles.iter().filter(|puzzle| minlex.canonical(puzzle).is_some()).count() > 100);
    // Two lists of candidates are swapped at every row, nine times per puzzle, so two runs are needed until
    // both have grown.
    forms();
    assert_eq!(allocations_of_the_second(&mut forms), 0);
}

/// After a search for a shape, searching any other puzzle of that shape needs no more memory.
#[test]
fn searching_any_shape_allocates_nothing() {
    let mut rng = common::rng(33);
    for shape in [(2, 2), (2, 3), (3, 3), (3, 4), (4, 4)].map(|(rows, columns)| grids::shape(rows, columns)) {
        let full = Grid::new(shape, grids::random_full(shape, &mut rng)).unwrap();
        let mut puzzles = grids::mixed(shape, 0.7, 30, &mut rng);
        puzzles.push(Grid::empty(shape));
        for mut engine in EngineKind::ALL.map(EngineKind::build_any_shape) {
            engine.count(&full, &Bounds::ALL);
            let bounds = Bounds { guesses: 10_000, ..Bounds::solutions(100) };
            for grid in &puzzles {
                let count = allocations_of(|| {
                    engine.count(grid, &bounds);
                });
                assert_eq!(count, 0, "{}: {grid}", engine.name());
            }
        }
    }
}

/// Lines as grids of nine rows.
fn as_grids(lines: &str) -> String {
    let rows = |line: &str| {
        line.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>()
    };
    lines.lines().map(|line| rows(line) + "\n").collect()
}

#[test]
fn reading_a_second_chunk_allocates_nothing() {
    let puzzles = common::easy_puzzles(500, 31);
    let lines = common::as_lines(&puzzles);
    let table: String = puzzles.iter().map(|puzzle| format!("1,\"{puzzle}\",x\n")).collect();
    let grids = as_grids(&lines);
    let around = |before: &str, after: &str| -> String {
        puzzles.iter().map(|puzzle| format!("{before}{puzzle}{after}\n")).collect()
    };
    let formats: [(&dyn Format, &str); 5] = [
        (&LineFormat(BankReader(ClassicReader)), &around("0000183b305c ", "  1.2")),
        (&LineFormat(HodokuReader::default()), &around(":0702:1:", ":714 723::")),
        (&LineFormat(ClassicReader), &lines),
        (&CsvFormat { column: 1, width: 3, separator: b',', reader: ClassicReader }, &table),
        (&GridFormat::classic(grids.as_bytes()), &grids),
    ];
    for (format, text) in formats {
        let mut batch = Batch::default();
        let count = allocations_of_the_second(|| {
            batch.clear();
            assert_eq!(format.complete_len(text.as_bytes()), text.len());
            format.read(text.as_bytes(), &mut batch);
        });
        assert_eq!(batch.puzzles, puzzles, "{text:.99}");
        assert_eq!(count, 0, "{text:.99}");
    }
}

/// Covers the way of pencilmarks from text to outcomes.
#[test]
fn reading_and_solving_pencilmarks_allocates_nothing() {
    let puzzles = common::mixed_puzzles(300, 35);
    let text: String = puzzles.iter().map(|puzzle| format!("{}\n", Pencilmarks::from(puzzle))).collect();
    let (mut batch, mut engine) = (Batch::default(), Bitmask::new());
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    let count = allocations_of_the_second(|| {
        batch.clear();
        LineFormat(PencilmarkReader).read(text.as_bytes(), &mut batch);
        engine.solve_batch(&batch.puzzles, SolutionLimit::UNIQUENESS, &mut outcomes);
    });
    assert_eq!(count, 0);
}

/// Covers the way of puzzles of any shape from text to rows, after a batch of that size.
#[test]
fn reading_and_writing_any_shape_allocates_nothing() {
    let mut rng = common::rng(34);
    let puzzles = grids::mixed(grids::shape(4, 4), 0.7, 40, &mut rng);
    let alphabet: Alphabet = "1-9A-G".parse().unwrap();
    let line = |grid: &Grid| alphabet.write(grid.cells());
    let lines: String = puzzles.iter().map(|grid| line(grid) + "\n").collect();
    let table = format!(
        "id,puzzle\n{}",
        puzzles.iter().map(|grid| format!("1,{}\n", line(grid))).collect::<String>()
    );
    let rows = |line: String| {
        line.as_bytes().chunks(16).map(|row| String::from_utf8_lossy(row) + "\n").collect::<String>() + "\n"
    };
    let grids: String = puzzles.iter().map(|grid| rows(line(grid))).collect();
    for text in [lines, table, grids] {
        let layout = FormatOptions::default().layout(text.as_bytes(), false).unwrap().unwrap();
        let (format, text) = (layout.format::<GridPuzzle>(), &text.as_bytes()[layout.body_start..]);
        let job = Solve { engine: layout.fastest_engine(), ..Solve::default() };
        let csv = Rows::csv(&layout, &job.schema());
        let mut batch = Batch::default();
        format.read(text, &mut batch);
        assert_eq!(batch.puzzles.len(), 40);
        let (mut worker, mut answers) = (job.worker(), Answers::new(job.schema()));
        let mut out = Vec::new();
        let count = allocations_of_the_second(|| {
            batch.clear();
            out.clear();
            format.read(text, &mut batch);
            answers.clear();
            worker.answer(&batch.puzzles, 0, &NEVER, &mut answers).unwrap();
            csv.write(&AnsweredRecords::for_chunk(text, &batch, &answers), &mut out);
        });
        assert_eq!(count, 0, "{}", layout.format_name());
    }
}

#[test]
fn writing_rows_allocates_nothing() {
    let puzzles = common::easy_puzzles(500, 32);
    let lines = common::as_lines(&puzzles);
    let grids = as_grids(&lines);
    let job = Solve::default();
    let (mut worker, mut answers) = (job.worker(), Answers::new(job.schema()));
    let formats: [(&dyn Format, &str); 2] =
        [(&LineFormat(ClassicReader), &lines), (&GridFormat::classic(grids.as_bytes()), &grids)];
    for (format, text) in formats {
        let mut batch = Batch::default();
        format.read(text.as_bytes(), &mut batch);
        let rows = Rows::with_header(&CsvHeader::puzzle_alone(), &job.schema());
        let mut out = Vec::new();
        let count = allocations_of_the_second(|| {
            out.clear();
            answers.clear();
            worker.answer(&batch.puzzles, 0, &NEVER, &mut answers).unwrap();
            rows.write(&AnsweredRecords::for_chunk(text.as_bytes(), &batch, &answers), &mut out);
        });
        assert_eq!(out.iter().filter(|&&byte| byte == b'\n').count(), puzzles.len());
        assert_eq!(count, 0, "{text:.99}");
    }
}
