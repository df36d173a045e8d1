//! Readers, writers, engines, rows and observers that fail or panic: every run ends with an error that says
//! why, nothing of it is kept, and everything else continues.

use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use gridmill_core::grid::{Grid, Puzzle};
use gridmill_core::solver::{
    Bitmask, Bounds, Outcome, Request, SearchResult, SolutionEngine, Solvable, Solver, SplitCounter,
};
use gridmill_data::error::{Error, ErrorKind, PLEASE_REPORT, process_result, record_panics};
use gridmill_data::output::{Destination, Rows};
use gridmill_data::pipeline::{
    Chunk, ChunkSizing, ChunkSlot, Finished, Input, JobStage, RunOptions, Workers, rows_to,
};
use gridmill_data::record::{AnsweredRecords, ChunkReport, Observer, Sink};

use super::{
    LONG, Scripted, SeenChunks, echo, in_time, input_of, numbered_lines, run, run_lines, solved_lines,
    solving, wait_until,
};
use crate::common;

/// Takes `room` bytes, and fails if it should take more. It may also fail when it is flushed.
struct FailingOutput {
    room: usize,
    at_flush: bool,
}

impl Write for FailingOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.room);
        self.room -= taken;
        if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.at_flush { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

#[test]
fn a_writer_that_fails_stops_the_run() {
    for room in [0, 3, 7, 100, 799] {
        in_time(move || {
            let stop = AtomicBool::new(false);
            let mut output = FailingOutput { room, at_flush: false };
            let error = run_lines(&Scripted::new(&echo), 100, &mut output, &stop).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
            assert!(stop.load(Ordering::Relaxed));
        });
    }
}

#[test]
fn an_output_that_cannot_be_flushed_is_an_error() {
    let mut output = FailingOutput { room: usize::MAX, at_flush: true };
    let error = run_lines(&Scripted::new(&echo), 10, &mut output, &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
}

#[test]
fn parts_are_refused_when_the_writer_has_failed() {
    in_time(|| {
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, _: &AtomicBool| {
            let begun = std::time::Instant::now();
            loop {
                rows.output.value.extend_from_slice(&chunk.text);
                if !rows.flush_part() {
                    return;
                }
                assert!(begun.elapsed() < LONG, "parts are taken but not written");
            }
        };
        let mut output = FailingOutput { room: 1_000, at_flush: false };
        let error =
            run_lines(&Scripted::new(&process), 100, &mut output, &AtomicBool::new(false)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Write { .. }), "{error}");
    });
}

/// The input is a gzip file without its end.
#[test]
fn a_reader_that_fails_midway_is_an_error_after_whole_rows() {
    in_time(|| {
        let lines = numbered_lines(100_000);
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(lines.as_bytes()).unwrap();
        let packed = encoder.finish().unwrap();
        let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
        let input = input_of(&packed[..packed.len() / 2], true);
        let error = run(&Scripted::new(&echo), input, 1_000, &mut output, &stop).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Read { .. }), "{error}");
        assert!(stop.load(Ordering::Relaxed));
        let rows = output.strip_prefix(b"header\n").unwrap();
        assert!(rows.len() > 100_000 && rows.len() % 8 == 0, "{} bytes", rows.len());
        assert!(lines.as_bytes().starts_with(rows));
    });
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("p.txt");
    std::fs::write(&path, numbered_lines(1_000)).unwrap();
    let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
        if chunk.seq == 100 {
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(7_900).unwrap();
        }
        echo(chunk, rows, stop);
    };
    let input = Input::open(Some(&path), true).unwrap();
    let error =
        run(&Scripted::new(&process), input, 8, &mut io::sink(), &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Shrunk { .. }), "{error}");
}

/// Checks that a run fails with the panic of its stage.
fn assert_panics(stage: &Scripted<'_>, input: Input) {
    let stop = AtomicBool::new(false);
    let error = run(stage, input, 8, &mut io::sink(), &stop).unwrap_err();
    match error.kind() {
        ErrorKind::Panicked { text, .. } => assert_eq!(text, "a defect of the stage"),
        other => panic!("{other}"),
    }
    assert!(stop.load(Ordering::Relaxed));
}

fn lines() -> Input {
    input_of(numbered_lines(200).as_bytes(), true)
}

/// The other workers have claimed later chunks, and wait for their numbers.
#[test]
fn a_worker_that_panics_ends_the_waiting_for_numbers() {
    in_time(|| {
        let claimed = SeenChunks::default();
        let read = |chunk: &Chunk<'_>| {
            claimed.add(chunk.seq);
            if chunk.seq == 10 {
                wait_until("the others wait", || (11..=13).all(|seq| claimed.has(seq)));
                panic!("a defect of the stage");
            }
        };
        assert_panics(&Scripted { read: &read, ..Scripted::new(&echo) }, lines());
    });
}

#[test]
fn a_worker_that_panics_with_its_chunk_ends_the_run() {
    for at in [0, 50, 199] {
        in_time(move || {
            let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
                assert!(chunk.seq != at, "a defect of the stage");
                echo(chunk, rows, stop);
            };
            assert_panics(&Scripted::new(&process), lines());
        });
    }
}

#[test]
fn a_worker_that_panics_between_two_parts_ends_the_run() {
    in_time(|| {
        let process = |chunk: &Chunk<'_>, rows: &mut ChunkSlot<'_>, stop: &AtomicBool| {
            echo(chunk, rows, stop);
            rows.flush_part();
            echo(chunk, rows, stop);
            rows.flush_part();
            assert!(chunk.seq != 20, "a defect of the stage");
        };
        assert_panics(&Scripted::new(&process), lines());
    });
}

/// Another worker waits for the pipe, which stays silent.
#[test]
fn a_worker_that_panics_does_not_wait_for_a_silent_pipe() {
    in_time(|| {
        let (reader, mut pipe) = io::pipe().unwrap();
        pipe.write_all(numbered_lines(1).as_bytes()).unwrap();
        let process = |_: &Chunk<'_>, _: &mut ChunkSlot<'_>, _: &AtomicBool| panic!("a defect of the stage");
        let input = File::from(std::os::fd::OwnedFd::from(reader));
        assert_panics(&Scripted::new(&process), Input::from_file(input, "<pipe>".into(), true).unwrap());
        drop(pipe);
    });
}

const PUZZLES: usize = 600;
const BEFORE: &str = "what was there before\n";

/// CountingEngine down, and panics from its end on: at the last step, and at each later one.
#[derive(Clone)]
struct Fuse(Arc<AtomicU64>);

impl Fuse {
    fn new(steps: u64) -> Fuse {
        Fuse(Arc::new(AtomicU64::new(steps)))
    }

    /// A fuse that never ends.
    fn endless() -> Fuse {
        Fuse::new(u64::MAX)
    }

    fn burn(&self) {
        let left =
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(1)));
        assert!(left.unwrap() > 0, "a planted defect");
    }
}

/// An engine that panics at a puzzle.
struct PoisonedEngine(Bitmask, Fuse);

impl Solver for PoisonedEngine {
    fn name(&self) -> &'static str {
        "poisoned"
    }

    fn solve_until(&mut self, puzzles: &[Puzzle], request: &Request, found: &mut [Outcome]) -> usize {
        puzzles.iter().for_each(|_| self.1.burn());
        self.0.solve_until(puzzles, request, found)
    }
}

/// An engine that counts in parts of a search. The function says what happens to each batch.
struct CountingEngine<F>(F);

impl<P: Solvable, F: FnMut(&mut [Outcome<P::Solution>], &AtomicBool) -> usize + Send> Solver<P>
    for CountingEngine<F>
{
    fn name(&self) -> &'static str {
        "poisoned"
    }

    fn solve_until(&mut self, _: &[P], request: &Request, found: &mut [Outcome<P::Solution>]) -> usize {
        (self.0)(found, request.stop)
    }
}

impl<P: Solvable, F: FnMut(&mut [Outcome<P::Solution>], &AtomicBool) -> usize + Send> SolutionEngine<P>
    for CountingEngine<F>
{
    fn search_until(
        &mut self,
        _: &P,
        _: &Bounds,
        _: &AtomicBool,
        _: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> SearchResult {
        unreachable!("all is counted")
    }
}

/// Makes an engine that gives up every puzzle after all allowed guesses, so that its search is split.
fn gives_up() -> Box<dyn SolutionEngine<Puzzle>> {
    Box::new(CountingEngine(|outcomes: &mut [Outcome], _: &AtomicBool| {
        outcomes.fill(Outcome { is_given_up: true, guesses: u64::MAX, ..Outcome::NONE });
        outcomes.len()
    }))
}

/// Makes an engine for the parts of a search. It panics at one of them, and searches the others until it is
/// stopped.
fn poisoned_part(fuse: Fuse) -> Box<dyn SolutionEngine> {
    Box::new(CountingEngine(move |_: &mut [Outcome<Grid>], stop: &AtomicBool| {
        fuse.burn();
        wait_until("another part has panicked", || stop.load(Ordering::Relaxed));
        0
    }))
}

struct PoisonedRows(Rows, Fuse);

impl Sink for PoisonedRows {
    fn header(&self, out: &mut Vec<u8>) {
        self.1.burn();
        Sink::<Puzzle>::header(&self.0, out);
    }

    fn write(&self, records: &AnsweredRecords<'_>, out: &mut Vec<u8>) {
        self.1.burn();
        self.0.write(records, out);
    }
}

struct PoisonedObserver(Fuse);

impl Observer for PoisonedObserver {
    fn written(&mut self, _: &ChunkReport) {
        self.0.burn();
    }
}

struct PoisonedOutput<'a>(&'a mut dyn Write, Fuse);

impl Write for PoisonedOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.burn();
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.1.burn();
        self.0.flush()
    }
}

/// The fuse of each part of a run.
struct Fuses {
    engine: Fuse,
    making: Fuse,
    rows: Fuse,
    observer: Fuse,
    output: Fuse,
}

impl Fuses {
    fn endless() -> Fuses {
        let [engine, making, rows, observer, output] = [(); 5].map(|()| Fuse::endless());
        Fuses { engine, making, rows, observer, output }
    }
}

/// Solves puzzles in many small chunks.
fn solve(workers: &Workers, text: &str, output: &mut dyn Write, fuses: Fuses) -> Result<Finished, Error> {
    let Fuses { engine, making, rows, observer, output: writing } = fuses;
    let make = || -> Box<dyn Solver> {
        making.burn();
        Box::new(PoisonedEngine(Bitmask::new(), engine.clone()))
    };
    let stage = solving(&make, PoisonedRows(solved_lines(), rows));
    let options = RunOptions { chunk_bytes: Some(500), ..RunOptions::new(&stage) };
    let input = Input::from_bytes("<puzzles>", text.as_bytes().to_vec());
    let mut output = PoisonedOutput(output, writing);
    workers.run(
        &options,
        input,
        &mut rows_to(&mut output),
        &mut PoisonedObserver(observer),
        &AtomicBool::new(false),
    )
}

fn puzzles() -> &'static str {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| common::as_lines(&common::easy_puzzles(20, 71)).repeat(PUZZLES / 20));
    &TEXT
}

/// Runs to an existing file, like the program does.
fn run_to(path: &Path, run: impl FnOnce(&mut dyn Write) -> Result<Finished, Error>) -> Result<(), Error> {
    let mut output = Destination::create(Some(path))?;
    run(&mut output)?;
    output.commit()
}

/// Checks that a run fails with its panic in time, and keeps nothing, and that its threads can do another
/// run.
fn assert_fails(
    what: &str,
    threads: usize,
    run: impl FnOnce(&Workers, &mut dyn Write) -> Result<Finished, Error> + Send + 'static,
) {
    let what = format!("{what}, {threads} threads");
    in_time(move || {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("rows.csv");
        fs::write(&path, BEFORE).unwrap();
        let workers = Workers::new(threads).unwrap();
        let error = run_to(&path, |output| run(&workers, output)).unwrap_err();
        match error.kind() {
            ErrorKind::Panicked { text, .. } => assert_eq!(text, "a planted defect", "{what}"),
            other => panic!("{what}: {other}"),
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), BEFORE, "{what}");
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1, "{what}: a temporary file stays");
        let finished = solve(&workers, puzzles(), &mut io::sink(), Fuses::endless()).unwrap();
        assert_eq!(finished.totals.records, PUZZLES as u64, "{what}");
    });
}

/// Checks this for a part of the run that panics at its first, second, middle and last step.
fn assert_part_fails(what: &str, last: u64, fuses: impl Fn(Fuse) -> Fuses + Copy + Send + 'static) {
    for (threads, steps) in
        [1, 4].into_iter().flat_map(|threads| [0, 1, last / 2, last].map(|at| (threads, at)))
    {
        assert_fails(&format!("{what} after {steps} steps"), threads, move |workers, output| {
            solve(workers, puzzles(), output, fuses(Fuse::new(steps)))
        });
    }
}

#[test]
fn an_engine_that_panics_fails_the_run() {
    assert_part_fails("engine", PUZZLES as u64 - 1, |engine| Fuses { engine, ..Fuses::endless() });
}

#[test]
fn an_engine_that_cannot_be_made_fails_the_run() {
    assert_fails("one engine", 1, |workers, output| {
        solve(workers, puzzles(), output, Fuses { making: Fuse::new(0), ..Fuses::endless() })
    });
    assert_fails("all engines but one", 4, |workers, output| {
        solve(workers, puzzles(), output, Fuses { making: Fuse::new(1), ..Fuses::endless() })
    });
}

#[test]
fn rows_that_panic_fail_the_run() {
    assert_part_fails("rows", 60, |rows| Fuses { rows, ..Fuses::endless() });
}

#[test]
fn an_observer_that_panics_fails_the_run() {
    assert_part_fails("observer", 60, |observer| Fuses { observer, ..Fuses::endless() });
}

#[test]
fn an_output_that_panics_fails_the_run() {
    assert_part_fails("output", 60, |output| Fuses { output, ..Fuses::endless() });
}

#[test]
fn a_part_of_a_split_search_that_panics_fails_the_run() {
    for (threads, steps) in [(1, 0), (4, 0), (4, 1)] {
        assert_fails(&format!("part {steps}"), threads, move |workers, output| {
            let fuse = Fuse::new(steps);
            let make = || -> Box<dyn Solver> {
                let fuse = fuse.clone();
                let part = Box::new(move || poisoned_part(fuse.clone()));
                Box::new(SplitCounter::new(gives_up(), part))
            };
            let stage = JobStage { sizing: ChunkSizing::SLOW, ..solving(&make, solved_lines()) };
            let input = Input::from_bytes("<blank>", ".".repeat(81).into_bytes());
            let watch = &mut PoisonedObserver(Fuse::endless());
            workers.run(&RunOptions::new(&stage), input, &mut rows_to(output), watch, &AtomicBool::new(false))
        });
    }
}

#[test]
fn the_error_names_the_worker_and_its_records() {
    let workers = Workers::new(1).unwrap();
    let fuses = Fuses { engine: Fuse::new(10), ..Fuses::endless() };
    let error = solve(&workers, puzzles(), &mut io::sink(), fuses).unwrap_err();
    match error.kind() {
        ErrorKind::Panicked { part, records: Some((first, last)), .. } => {
            assert_eq!(part, "worker-0");
            assert!((2..=11).contains(first) && (11..20).contains(last), "{first} to {last}");
        }
        other => panic!("{other}"),
    }
}

/// The variable that tells `ends` (below) to run in a child process, with the path of its output.
const CHILD: &str = "GRIDMILL_TEST_PANICS_TO";

/// Runs like the program in a child process, and ends it. The output is a file in a scratch folder; its
/// name says what panics: a worker, the main thread or another thread.
#[test]
#[ignore = "ends the process, and is run by another test"]
fn ends() {
    let Ok(path) = std::env::var(CHILD) else { return };
    let run = |output: &mut dyn Write| {
        let engine = if path.ends_with("worker") { Fuse::new(100) } else { Fuse::endless() };
        let done = solve(&Workers::new(2)?, puzzles(), output, Fuses { engine, ..Fuses::endless() });
        assert!(!path.ends_with("main"), "a planted defect");
        if path.ends_with("beside") {
            let beside = std::thread::spawn(|| panic!("a planted defect"));
            return beside.join().map_err(|_| Error::other("what was beside has ended"));
        }
        done
    };
    record_panics();
    let ended = catch_unwind(AssertUnwindSafe(|| run_to(Path::new(&path), run)));
    let Err(error) = process_result(ended) else { std::process::exit(99) };
    let report = if matches!(error.kind(), ErrorKind::Panicked { .. }) { PLEASE_REPORT } else { "" };
    eprintln!("gridmill: {error}{report}");
    std::process::exit(2);
}

/// Runs a child process that panics, and returns its messages. Checks that it exits with 2 and leaves no
/// file.
fn messages(name: &str, backtrace: &str) -> String {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join(name);
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["pipeline::failures::ends", "--exact", "--ignored", "--nocapture"]);
    let ended = again.env(CHILD, &path).env("RUST_BACKTRACE", backtrace).output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    String::from_utf8(ended.stderr).unwrap()
}

const DEFECT: &str = ": a planted defect. This is a bug in gridmill; please report it with the input\n";

#[test]
fn the_program_reports_a_panic_on_one_line_with_its_place() {
    let of_worker = messages("worker", "0");
    assert!(of_worker.starts_with("gridmill: worker-"), "{of_worker}");
    assert!(of_worker.contains(" panicked at crates/data/tests/data/pipeline/failures.rs:"), "{of_worker}");
    assert!(of_worker.contains(", in records "), "{of_worker}");
    assert!(of_worker.ends_with(DEFECT), "{of_worker}");
    let of_main = messages("main", "0");
    let place = "gridmill: the command panicked at crates/data/tests/data/pipeline/failures.rs:";
    assert!(of_main.starts_with(place) && of_main.ends_with(DEFECT), "{of_main}");
    let beside = messages("beside", "0");
    let (report, error) = beside.split_once('\n').unwrap();
    assert!(report.starts_with("gridmill: a thread panicked at crates/data/tests/"), "{report}");
    assert_eq!(error, "gridmill: what was beside has ended\n");
    assert_eq!([of_worker, of_main].map(|text| text.lines().count()), [1, 1]);
}

#[test]
fn the_program_prints_a_backtrace_on_request() {
    let text = messages("worker", "1");
    assert!(text.contains("stack backtrace:") && text.ends_with(DEFECT), "{text}");
}
