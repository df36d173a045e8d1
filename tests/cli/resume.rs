//! Runs that are interrupted, and then resumed with `--resume`.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::common::wait_until;
use crate::process::Running;
use crate::program::{Ran, Scratch};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLUTION: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// Puzzles that all differ, with their solutions if requested. One record is malformed, and one has no
/// solution.
fn text(records: usize, with_solutions: bool) -> String {
    let mut text = if with_solutions { "puzzle,solution\n".to_owned() } else { String::new() };
    for record in 0..records {
        let shift = |line: &str| -> String {
            let digit = |c: char| {
                c.to_digit(10).map_or(c, |d| char::from_digit((d - 1 + record as u32) % 9 + 1, 10).unwrap())
            };
            line.chars().map(digit).collect()
        };
        let mut puzzle = shift(LINE);
        match record {
            7 => puzzle = "xyz".repeat(27),
            9 => puzzle.replace_range(0..2, "11"),
            _ => {}
        }
        // Some later records have one clue less. They keep their length, because with different lengths it
        // would be too easy to find the place where a run stopped.
        if record % 3 == 1 && record > 9 {
            puzzle.replace_range(0..1, ".");
        }
        text += &puzzle;
        if with_solutions {
            text += &format!(",{}", shift(SOLUTION));
        }
        text.push('\n');
    }
    text
}

/// Starts the program in a folder.
fn start(scratch: &Scratch, line: &str) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridmill"));
    Running::spawn(command.args(line.split_whitespace()).current_dir(scratch.path("")))
}

/// Waits for the end of a run.
fn ended(mut run: Running) -> Ran {
    let code = run.end();
    Ran { code, out: run.output(), err: run.errors() }
}

/// Runs the program in a folder, with a text on its standard input.
fn run(scratch: &Scratch, line: &str, input: &str) -> Ran {
    let mut run = start(scratch, line);
    // An error is ignored, because a run that is refused at the start reads nothing.
    let _ = run.stdin.take().unwrap().write_all(input.as_bytes());
    ended(run)
}

/// Runs the program with the beginning of a text on its standard input, and stops it with Ctrl-C when its
/// journal counts rows of that text. The run continues when it gets the text again.
fn interrupted_run(scratch: &Scratch, line: &str, beginning: &str) -> Ran {
    let journal = || scratch.names().into_iter().find(|name| name.ends_with(".journal"));
    // The journal must be about standard input, because on a busy machine it may count rows of a file before
    // that.
    let input = if line.contains("a.txt - ") || line.contains("a.gz - ") { "\"input_index\":1," } else { "" };
    let has_rows = || journal().is_some_and(|name| counts_rows(&scratch.path(&name), input));
    let (at_once, later) = beginning.split_at(beginning.match_indices('\n').nth(11).unwrap().0 + 1);
    let mut ended_run = None;
    wait_until("a run keeps rows", || {
        let mut run = start(scratch, line);
        let mut input = run.stdin.take().unwrap();
        wait_until("there is a journal", || journal().is_some());
        input.write_all(at_once.as_bytes()).unwrap();
        // Written rows are added to the journal only if some time has passed since its last entry. So the
        // records are sent one by one. If a run reads all of them too soon, another run is tried.
        for line in later.split_inclusive('\n') {
            if has_rows() {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
            input.write_all(line.as_bytes()).unwrap();
        }
        run.interrupt();
        ended_run = Some(ended(run));
        drop(input);
        has_rows()
    });
    let ran = ended_run.unwrap();
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    ran
}

/// Returns whether a journal counts rows, and is about this input.
fn counts_rows(journal: &Path, input: &str) -> bool {
    let text = std::fs::read(journal).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.contains("\"written\":{") && text.contains(input)
}

/// The files of a folder with their contents.
fn state(scratch: &Scratch) -> BTreeMap<String, Vec<u8>> {
    scratch
        .names()
        .into_iter()
        .map(|name| (name.clone(), std::fs::read(scratch.path(&name)).unwrap()))
        .collect()
}

/// The content of a file without times.
fn untimed(path: &Path, has_times: bool) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap();
    if !has_times {
        return bytes;
    }
    let mut text = String::new();
    match path.extension().unwrap().to_str().unwrap() {
        "gz" => drop(flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap()),
        _ => text = String::from_utf8(bytes).unwrap(),
    }
    let timeless = text.lines().map(|line| line.rsplit_once([',', ':']).unwrap().0.to_owned() + "\n");
    timeless.collect::<String>().into_bytes()
}

/// The lines of a summary that have counts.
fn counts(messages: &str) -> Vec<String> {
    let others = ["gridmill:", "input", "engine", "wall time", "a puzzle", "<stdin>:", "a.txt:"];
    let lines =
        messages.lines().filter(|line| !others.iter().any(|other| line.trim_start().starts_with(other)));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_resumed_run_gives_the_same_result_as_an_uninterrupted_run() {
    // The jobs are concurrent, because each run waits for its journal.
    let jobs = [
        ("solve -", "o.csv", true),
        ("solve -", "o.jsonl.gz", true),
        ("solve - --threads 3 --chunk-bytes 200", "o.csv.gz", true),
        ("count - --limit 9", "o.csv", true),
        ("rate -", "o.csv.zst", false),
        ("canon -", "o.csv.xz", false),
        ("canon -", "o.jsonl", false),
        ("verify - --all", "o.csv.gz", false),
        ("verify -", "o.csv", false),
        ("check - --all", "o.csv", false),
        ("enumerate - --limit 3", "o.csv", false),
        ("enumerate - --limit 2", "o.jsonl", false),
        ("candidates - --counts", "o.csv", false),
        ("candidates - --to grid", "o.txt", false),
        ("shuffle - --copies 2", "o.txt", false),
        ("explain - --until 2.0", "o.txt", false),
        ("explain - --until 2.0", "o.jsonl.gz", false),
        ("convert - --to grid", "o.txt", false),
        ("minimal -", "o.csv", false),
        ("minimize - --seed 3", "o.csv", false),
        ("select - --status unique,malformed", "o.txt", false),
    ];
    std::thread::scope(|scope| {
        for (line, output, has_times) in jobs {
            scope.spawn(move || assert_resumed_run_equals_uninterrupted_run(line, output, has_times));
        }
    });
}

fn assert_resumed_run_equals_uninterrupted_run(line: &str, output: &str, has_times: bool) {
    let scratch = Scratch::new();
    let whole = text(60, line.starts_with("check"));
    let reference = run(&scratch, &format!("{line} -o {output}"), &whole);
    let expected = untimed(&scratch.path(output), has_times);
    std::fs::remove_file(scratch.path(output)).unwrap();

    let resume = format!("{line} -o {output} --resume");
    let beginning = &whole[..whole.match_indices('\n').nth(25).unwrap().0 + 1];
    let stopped = interrupted_run(&scratch, &resume, beginning);
    assert!(stopped.err.contains("run the same command again to continue"), "{line}: {}", stopped.err);
    assert_eq!(scratch.names(), [format!("{output}.journal"), format!("{output}.partial")]);
    let resumed = run(&scratch, &resume, &whole);
    assert!(resumed.err.contains("gridmill: continuing after "), "{line}: {}", resumed.err);
    assert_eq!(resumed.code, reference.code, "{line}: {}", resumed.err);
    assert_eq!(counts(&resumed.err), counts(&reference.err), "{line}");
    assert_eq!(scratch.names(), [output]);
    assert!(untimed(&scratch.path(output), has_times) == expected, "{line} to {output}");
    // The first run has already printed the message about the malformed record.
    assert!(!resumed.err.contains("record 8"), "{line}: {}", resumed.err);
}

/// The first file is complete, and is not read again. The interrupt comes while the second one is read.
#[test]
fn a_run_of_several_files_resumes_within_a_file() {
    for (command, has_times) in [("solve", true), ("verify --all", false)] {
        let scratch = Scratch::new();
        let whole = text(40, false);
        scratch.file("a.txt", &whole);
        let reference = run(&scratch, &format!("{command} a.txt - -o one.csv"), &whole);
        let line = format!("{command} a.txt - -o o.csv --resume");
        interrupted_run(&scratch, &line, &whole[..82 * 30]);
        let resumed = run(&scratch, &line, &whole);
        assert_eq!(resumed.code, reference.code);
        assert_eq!(counts(&resumed.err), counts(&reference.err));
        assert!(untimed(&scratch.path("o.csv"), has_times) == untimed(&scratch.path("one.csv"), has_times));
        assert_eq!(scratch.names(), ["a.txt", "o.csv", "one.csv"]);
    }
}

/// If a part of a file could not be read, the resumed run reports it again.
#[test]
fn a_damaged_file_is_reported_again_after_resuming() {
    let scratch = Scratch::new();
    let whole = text(40, false);
    let mut packed = Vec::new();
    flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast())
        .write_all(whole.as_bytes())
        .unwrap();
    scratch.file("a.gz", &packed[..packed.len() - 3]);
    let reference = run(&scratch, "verify a.gz - -o one.csv", &whole);
    let line = "verify a.gz - -o o.csv --resume";
    interrupted_run(&scratch, line, &whole[..82 * 30]);
    let resumed = run(&scratch, line, &whole);
    assert_eq!((resumed.code, reference.code), (Some(2), Some(2)), "{}", resumed.err);
    let messages = |ran: &Ran| {
        ran.err.lines().filter(|line| line.contains("a.gz")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(messages(&resumed), messages(&reference));
    assert!(std::fs::read(scratch.path("o.csv")).unwrap() == std::fs::read(scratch.path("one.csv")).unwrap());
}

/// A folder with the journal of an interrupted run. The run has completed a file, and has read a part of
/// standard input.
fn after_interrupted_run() -> Scratch {
    let scratch = Scratch::new();
    let whole = text(40, false);
    scratch.file("a.txt", &whole);
    interrupted_run(&scratch, RESUME, &whole[..82 * 30]);
    scratch
}

const RESUME: &str = "solve a.txt - -o o.csv --resume";

/// Changes the bytes of the journal, the rows or the input.
fn change(scratch: &Scratch, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(scratch.path(name)).unwrap();
    change(&mut bytes);
    std::fs::write(scratch.path(name), bytes).unwrap();
}

#[test]
fn a_run_that_cannot_be_resumed_is_refused_and_changes_no_file() {
    let scratch = after_interrupted_run();
    let kept = state(&scratch);
    let whole = text(40, false);
    let other = text(41, false).replacen(LINE, SOLUTION, 1);
    let refused = |line: &str, input: &str, reason: &str| {
        let before = state(&scratch);
        let ran = run(&scratch, line, input);
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.err);
        assert!(ran.err.contains(reason), "{line}: {}", ran.err);
        assert!(state(&scratch) == before, "{line}: {reason}");
    };
    let restore = || kept.iter().for_each(|(name, bytes)| std::fs::write(scratch.path(name), bytes).unwrap());

    refused("solve a.txt - -o o.csv --resume --first", &whole, "--first was 'false', and now it is 'true'");
    refused("count a.txt - -o o.csv --resume", &whole, "the command was 'solve', and now it is 'count'");
    refused("solve - -o o.csv --resume", &whole, "it read a.txt -, and this reads -");
    refused("solve - -o - --resume", &whole, "--resume needs an output file");
    refused("solve - -o /dev/null --resume", &whole, "--resume needs an output that is a regular file");
    refused("solve a.txt o.csv.partial -o o.csv --resume", &whole, "is also an input");
    refused(RESUME, &other, "differs from what an earlier run read");
    refused(RESUME, &whole[..82 * 3], "differs from what an earlier run read");

    // The last change also changes the time of the file, so it must come last.
    type Change<'a> = (&'a str, &'a str, &'a dyn Fn(&mut Vec<u8>));
    let changes: [Change<'_>; 7] = [
        ("o.csv.journal", "it is damaged", &|bytes| bytes[40] ^= 1),
        ("o.csv.journal", "it is damaged", &|bytes| bytes.truncate(bytes.len() - 1)),
        ("o.csv.journal", "it is damaged", &Vec::clear),
        ("o.csv.journal", "of another version of gridmill", &|bytes| bytes[17] = b'9'),
        ("o.csv.partial", "bytes of the", &|bytes| bytes.truncate(100)),
        ("o.csv.partial", "these are not the rows", &|bytes| {
            let last = bytes.len() - 60;
            bytes[last] ^= 1;
        }),
        ("a.txt", "a.txt has changed since", &|_| ()),
    ];
    for (name, reason, how) in changes {
        change(&scratch, name, how);
        refused(RESUME, &whole, reason);
        if name != "a.txt" {
            std::fs::write(scratch.path(name), &kept[name]).unwrap();
        }
    }
    restore();
    std::fs::remove_file(scratch.path("o.csv.journal")).unwrap();
    refused(RESUME, &whole, "the journal of these rows is missing");
    restore();
    std::fs::remove_file(scratch.path("o.csv.partial")).unwrap();
    refused(RESUME, &whole, "a.txt has changed since");
}

#[test]
fn a_second_run_with_the_same_output_is_refused() {
    let scratch = Scratch::new();
    let mut first = start(&scratch, "solve - -o o.csv --resume");
    let mut input = first.stdin.take().unwrap();
    wait_until("there is a journal", || scratch.path("o.csv.journal").exists());
    let second = run(&scratch, "solve - -o o.csv --resume", LINE);
    assert_eq!(second.code, Some(2));
    assert!(
        second.err.contains("another run is writing this file; wait until it has ended"),
        "{}",
        second.err
    );
    input.write_all(LINE.as_bytes()).unwrap();
    drop(input);
    assert_eq!(ended(first).code, Some(0));
    assert_eq!(scratch.names(), ["o.csv"]);
}

#[test]
fn a_new_run_reports_the_interrupted_one_and_removes_its_files_when_complete() {
    let scratch = after_interrupted_run();
    let whole = text(40, false);
    let before = state(&scratch);
    // This run is stopped before its end, so that the earlier run can still be resumed.
    let mut child = start(&scratch, "solve - -o o.csv");
    let mut input = child.stdin.take().unwrap();
    input.write_all(whole.as_bytes()).unwrap();
    let length = |name: &String| std::fs::metadata(scratch.path(name)).map_or(0, |data| data.len());
    let has_rows = |name: &String| name.ends_with(".gridmill-tmp") && length(name) > 1_000;
    wait_until("rows are written", || scratch.names().iter().any(has_rows));
    child.interrupt();
    let stopped = ended(child);
    drop(input);
    assert!(stopped.err.contains("o.csv.journal belongs to a run that was interrupted"), "{}", stopped.err);
    assert!(!stopped.err.contains("they are in"), "{}", stopped.err);
    assert!(state(&scratch) == before);

    let restarted = run(&scratch, "solve a.txt -o o.csv", "");
    assert!(
        restarted.err.contains("--resume continues that run; this one starts again"),
        "{}",
        restarted.err
    );
    assert_eq!(scratch.names(), ["a.txt", "o.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_interrupted_before_any_row_leaves_no_file() {
    let scratch = Scratch::new();
    let mut child = start(&scratch, "solve - -o o.csv --resume");
    let input = child.stdin.take().unwrap();
    wait_until("there is a journal", || scratch.path("o.csv.journal").exists());
    child.wait_until_it_handles_signals();
    child.wait_until_it_sleeps();
    child.interrupt();
    assert_eq!(ended(child).code, Some(130));
    drop(input);
    assert_eq!(scratch.names(), [""; 0]);
}

/// The last steps are repeated in two cases: all rows are written, but the file doesn't have its name yet; or
/// it has its name, but the journal still exists.
#[test]
fn a_run_that_stopped_between_its_last_steps_is_finished_by_resuming() {
    for has_name in [false, true] {
        let scratch = Scratch::new();
        let whole = text(40, false);
        let mut child = start(&scratch, "solve - -o o.csv --resume --summary s.json");
        let mut input = child.stdin.take().unwrap();
        wait_until("there is a journal", || scratch.path("o.csv.journal").exists());
        // Renaming the file fails, because a folder has the name.
        std::fs::create_dir(scratch.path("o.csv")).unwrap();
        input.write_all(whole.as_bytes()).unwrap();
        drop(input);
        let failed = ended(child);
        assert_eq!(failed.code, Some(2), "{}", failed.err);
        std::fs::remove_dir(scratch.path("o.csv")).unwrap();
        assert_eq!(scratch.names(), ["o.csv.journal", "o.csv.partial"]);
        if has_name {
            std::fs::rename(scratch.path("o.csv.partial"), scratch.path("o.csv")).unwrap();
            // With a lock, the first run seems to be still at its last steps.
            let output = std::fs::OpenOptions::new().write(true).open(scratch.path("o.csv")).unwrap();
            output.lock().unwrap();
            let second = run(&scratch, "solve - -o o.csv --resume --summary s.json", &whole);
            assert!(
                second.code == Some(2)
                    && second.err.contains("another run is writing this file; wait until it has ended"),
                "{}",
                second.err
            );
            assert_eq!(scratch.names(), ["o.csv", "o.csv.journal"]);
        }
        let resumed = run(&scratch, "solve - -o o.csv --resume --summary s.json", &whole);
        assert_eq!(resumed.code, Some(1), "{}", resumed.err);
        assert_eq!(scratch.names(), ["o.csv", "s.json"]);
        let reference = run(&scratch, "solve - -o one.csv", &whole);
        assert_eq!(counts(&resumed.err), counts(&reference.err));
        assert!(untimed(&scratch.path("o.csv"), true) == untimed(&scratch.path("one.csv"), true));
        let summary = std::fs::read_to_string(scratch.path("s.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        assert_eq!(summary["records"], 40, "{summary}");
    }
}

#[test]
fn an_unrelated_file_named_like_a_journal_is_left_alone() {
    let scratch = Scratch::new();
    scratch.file("o.csv.journal", "my diary");
    scratch.file("o.csv.partial", LINE);
    assert_eq!(run(&scratch, "canon o.csv.partial -o o.csv", "").code, Some(0));
    assert_eq!(scratch.names(), ["o.csv", "o.csv.journal", "o.csv.partial"]);
    assert_eq!(std::fs::read_to_string(scratch.path("o.csv.journal")).unwrap(), "my diary");
}

/// A failed write keeps the earlier rows, and the message says how to continue.
#[test]
fn a_run_can_be_resumed_after_a_failed_write() {
    let scratch = Scratch::new();
    let whole = text(4_000, false);
    let limited = "ulimit -f 400; exec \"$0\" solve - -o o.csv --resume --threads 1";
    let mut shell = Command::new("sh");
    shell.args(["-c", limited, env!("CARGO_BIN_EXE_gridmill")]).current_dir(scratch.path(""));
    let mut child = Running::spawn(&mut shell);
    let mut input = child.stdin.take().unwrap();
    let mut lines = whole.split_inclusive('\n');
    // The journal counts rows only after some time. Until then records are sent one by one, so that the rows
    // stay far below the limit.
    let has_rows = || counts_rows(&scratch.path("o.csv.journal"), "");
    let length = || std::fs::metadata(scratch.path("o.csv.partial")).map_or(0, |rows| rows.len());
    while !has_rows() {
        let before = length();
        input.write_all(lines.next().unwrap().as_bytes()).unwrap();
        wait_until("the row is written", || length() > before || has_rows());
    }
    let _ = input.write_all(lines.collect::<String>().as_bytes());
    drop(input);
    let failed = ended(child);
    assert_eq!(failed.code, Some(2), "{}", failed.err);
    assert!(failed.err.contains("o.csv.partial; run the same command again to continue"), "{}", failed.err);
    assert_eq!(scratch.names(), ["o.csv.journal", "o.csv.partial"]);
    let resumed = run(&scratch, "solve - -o o.csv --resume", &whole);
    assert_eq!(resumed.code, Some(1), "{}", resumed.err);
    run(&scratch, "solve - -o one.csv", &whole);
    assert!(untimed(&scratch.path("o.csv"), true) == untimed(&scratch.path("one.csv"), true));
}

#[test]
fn a_fail_fast_run_is_complete_at_the_first_bad_record() {
    let scratch = Scratch::new();
    let ran = run(&scratch, "verify - --fail-fast -o o.csv --resume", &text(40, false));
    let reference = run(&scratch, "verify - --fail-fast -o one.csv", &text(40, false));
    assert_eq!((ran.code, reference.code), (Some(1), Some(1)), "{}", ran.err);
    assert_eq!(counts(&ran.err), counts(&reference.err));
    assert!(std::fs::read(scratch.path("o.csv")).unwrap() == std::fs::read(scratch.path("one.csv")).unwrap());
    assert_eq!(scratch.names(), ["o.csv", "one.csv"]);
}

#[test]
fn temporary_files_of_killed_runs_are_reported_and_removed() {
    for line in ["solve - -o o.csv", "solve - -o o.csv --resume"] {
        let scratch = Scratch::new();
        scratch.file("o.csv.aBc123.gridmill-tmp", "a row");
        scratch.file("o.csv.other", "not ours");
        let ran = run(&scratch, line, LINE);
        assert!(ran.err.contains("o.csv.aBc123.gridmill-tmp, left by a run that was killed"), "{}", ran.err);
        assert_eq!(scratch.names(), ["o.csv", "o.csv.other"]);
    }
}

#[test]
fn an_output_that_is_a_link_is_kept_by_a_resumed_run() {
    let scratch = Scratch::new();
    std::os::unix::fs::symlink("real.dat", scratch.path("o.csv.gz")).unwrap();
    let whole = text(40, false);
    interrupted_run(&scratch, "canon - -o o.csv.gz --resume", &whole[..82 * 20]);
    let resumed = run(&scratch, "canon - -o o.csv.gz --resume", &whole);
    assert_eq!(resumed.code, Some(1), "{}", resumed.err);
    assert_eq!(scratch.names(), ["o.csv.gz", "real.dat"]);
    run(&scratch, "canon - -o one.csv.gz", &whole);
    assert!(
        std::fs::read(scratch.path("real.dat")).unwrap()
            == std::fs::read(scratch.path("one.csv.gz")).unwrap()
    );
}
