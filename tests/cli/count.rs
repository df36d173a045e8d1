//! `gridmill count` and `gridmill enumerate`, as a user runs them.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common;
use crate::common::grids::{clues_of, random_full, shape};
use crate::program::{Ran, Scratch, gridmill, run, untimed};
use gridmill_core::grid::{Grid, rules};
use gridmill_data::text::Alphabet;

fn count(path: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("count").arg(path).args(arguments))
}

fn enumerate(path: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("enumerate").arg(path).args(arguments))
}

/// The number of solutions in each row, and its status.
fn counts(ran: &Ran) -> Vec<(String, String)> {
    ran.rows().iter().map(|row| (row[1].clone(), row[2].clone())).collect()
}

fn assert_counts(counts: &[(String, String)], expected: &[(&str, &str)]) {
    let counts: Vec<_> = counts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(counts, expected);
}

#[test]
fn every_engine_counts_the_288_grids_of_4x4() {
    let scratch = Scratch::new();
    let file = scratch.file("four.txt", ".".repeat(16));
    for engine in ["bitmask", "dancing-links", "singles", "backtracking"] {
        let ran = count(&file, &["--engine", engine]);
        assert_eq!(ran.code, Some(0));
        assert!(ran.err.contains(&format!("    engine  {engine}, ")), "{}", ran.err);
        assert!(ran.out.starts_with("puzzle,solutions,status,guesses,time_ns\n"));
        assert_counts(&counts(&ran), &[("288", "multiple")]);
    }
}

/// The count is large enough to be split over threads, and must be the same for any number of them.
#[test]
fn grids_of_6x6_with_a_fixed_first_row_are_counted() {
    let scratch = Scratch::new();
    let file = scratch.file("six.txt", format!("123456{}", ".".repeat(30)));
    let ran = count(&file, &["--threads", "1"]);
    assert_counts(&counts(&ran), &[("39168", "multiple")]);
    assert_eq!(untimed(&ran.out), untimed(&count(&file, &["--threads", "2"]).out));
}

#[test]
#[ignore = "half a minute: cargo test --release --test cli count:: -- --ignored"]
fn the_28_200_960_grids_of_6x6_are_counted() {
    let scratch = Scratch::new();
    let file = scratch.file("six.txt", ".".repeat(36));
    let ran = count(&file, &["--threads", "1"]);
    assert_counts(&counts(&ran), &[("28200960", "multiple")]);
    assert_eq!(untimed(&ran.out), untimed(&count(&file, &["--threads", "2"]).out));
}

#[test]
fn wide_boxes_are_assumed_unless_a_shape_is_given() {
    let scratch = Scratch::new();
    // The two 1s are in the same box of 2x3, but in two boxes of 3x2.
    let file = scratch.file("six.txt", format!("1.......1{}", ".".repeat(27)));
    let wide = count(&file, &["--limit", "5"]);
    assert_eq!(counts(&wide)[0].1, "conflict");
    let high = count(&file, &["--limit", "5", "--shape", "3x2"]);
    assert_counts(&counts(&high), &[("5", "multiple")]);
    let other = count(&file, &["--shape", "2x2"]);
    assert!(
        other
            .err
            .contains("six.txt:1:37: record 1: malformed: 36 cells, but the puzzles of this file are 4x4"),
        "{}",
        other.err
    );
}

#[test]
fn fixtures_have_their_known_counts() {
    let scratch = Scratch::new();
    let fixtures = include_str!("../../datasets/fixtures/counts.txt");
    let lines = fixtures.lines().filter(|line| line.contains(':') && !line.starts_with('#'));
    let [mut puzzles, mut expected] = [String::new(), String::new()];
    for line in lines {
        let [puzzle, count, _] = line.split(':').collect::<Vec<_>>().try_into().unwrap();
        puzzles += &format!("{puzzle}\n");
        expected += &format!("{}\n", count.trim_end_matches('+'));
    }
    let ran = count(&scratch.file("p.txt", puzzles), &["--limit", "1000", "-q"]);
    let counted: String = ran.rows().iter().map(|row| format!("{}\n", row[1])).collect();
    assert_eq!(counted, expected);
}

/// A 16x16 puzzle, and its solution.
fn sixteen(alphabet: &str, clues: usize) -> (String, String) {
    let mut rng = common::rng(16);
    let full = random_full(shape(4, 4), &mut rng);
    let puzzle = clues_of(shape(4, 4), &full, clues, &mut rng);
    let alphabet: Alphabet = alphabet.parse().unwrap();
    (alphabet.write(puzzle.cells()), alphabet.write(&full))
}

#[test]
fn alphabets_are_detected_from_the_symbols() {
    let scratch = Scratch::new();
    for alphabet in ["1-9A-G", "0-9A-F", "A-P"] {
        let (puzzle, solution) = sixteen(alphabet, 200);
        let file = scratch.file("sixteen.txt", format!("\u{feff}# 16x16\r\n\r\n{puzzle} ; a remark\r\n"));
        let ran = enumerate(&file, &[]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.rows().iter().any(|row| row[1] == solution), "{alphabet}");
        assert_eq!(count(&file, &[]).rows()[0][0], puzzle);
    }
}

#[test]
fn an_ambiguous_alphabet_is_an_error_that_suggests_options() {
    let scratch = Scratch::new();
    let file = scratch.file("open.txt", format!("{}\n1A{}\n", ".".repeat(81), ".".repeat(254)));
    let ran = count(&file, &["--limit", "2", "--mixed"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("16x16"), "{}", ran.err);
    assert!(ran.err.contains("choose --alphabet 1-9A-G or --alphabet 0-9A-F"), "{}", ran.err);
    let given = count(&file, &["--limit", "2", "--mixed", "--alphabet", "0-9A-F"]);
    assert_counts(&counts(&given), &[("2", "multiple"), ("2", "multiple")]);
    let none = count(&scratch.file("none.txt", "z".repeat(256)), &[]);
    assert!(none.err.contains("fit none of") && none.code == Some(2), "{}", none.err);
}

#[test]
fn no_record_is_lost() {
    let scratch = Scratch::new();
    let four = ".".repeat(16);
    let text = format!(
        "# six records\n{four}\n\n5{}\n11{}\nnonsense\n{}\n{four},remark",
        &four[1..],
        &four[2..],
        ".".repeat(70_000)
    );
    let ran = count(&scratch.file("bad.txt", text), &["--limit", "1"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.statuses(), ["solved", "malformed", "conflict", "malformed", "malformed", "solved"]);
    for message in [
        "bad.txt:4:1: record 2: malformed: '5' is neither digit nor blank",
        "bad.txt:5:1: record 3: conflict: row 1 holds two 1s",
        "bad.txt:6:9: record 4: malformed: 8 cells where 16 are needed",
        "bad.txt:7:1: record 5: malformed: the record is longer than 64 KiB",
    ] {
        assert!(ran.err.contains(message), "{message}: {}", ran.err);
    }
}

/// The search of the first puzzle is endless. The others end within the budget on any machine: the second
/// needs fewer guesses, and the third needs none.
#[test]
fn a_budget_ends_the_search_of_one_puzzle_only() {
    let scratch = Scratch::new();
    let [endless, many, proper] = [&".".repeat(81), &".".repeat(16), "1.....3..4.....2"];
    for (budget, value, other, counted) in [
        ("--budget-guesses", "500", many, ("288", "multiple")),
        ("--budget-time", "0.2", proper, ("1", "unique")),
    ] {
        let file = scratch.file("p.txt", format!("{endless}\n{other}\n"));
        let ran = count(&file, &[budget, value, "--mixed"]);
        assert_eq!((ran.code, &counts(&ran)[0].1[..]), (Some(1), "budget"));
        assert_counts(&counts(&ran)[1..], &[counted]);
    }
}

#[test]
fn every_solution_is_listed_once() {
    let scratch = Scratch::new();
    let six = format!("123456{}", ".".repeat(30));
    let file = scratch.file("p.txt", format!("{}\n{six}\n12{}\n", ".".repeat(16), ".".repeat(14)));
    let ran = enumerate(&file, &["--mixed", "--threads", "1"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let rows = ran.rows();
    let solutions_of = |record: &str| rows.iter().filter(|row| row[0] == record).count();
    assert_eq!([solutions_of("1"), solutions_of("2"), solutions_of("3")], [288, 39168, 24]);
    assert_eq!(rows.iter().collect::<HashSet<_>>().len(), rows.len());
    for row in &rows {
        let cells: Vec<u8> = row[1].bytes().map(|byte| byte - b'0').collect();
        let shape = if cells.len() == 16 { shape(2, 2) } else { shape(2, 3) };
        assert!(rules::is_valid_grid(shape, Grid::new(shape, cells).unwrap().cells()));
    }
    assert_eq!(ran.out, enumerate(&file, &["--mixed", "--threads", "2"]).out);

    let out = scratch.path("o.csv");
    let limited = enumerate(&file, &["--mixed", "--limit", "3", "-o", out.to_str().unwrap()]);
    assert_eq!((limited.code, limited.out.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(out).unwrap().lines().count(), 10);
}

#[test]
fn a_closed_output_pipe_is_a_success() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", ".".repeat(81));
    let mut child = Command::new(env!("CARGO_BIN_EXE_gridmill"))
        .arg("enumerate")
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), &ended.stderr[..]), (Some(0), &b""[..]));
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_count_and_enumerate() {
    use crate::process::Running;
    let scratch = Scratch::new();
    let (file, out) = (scratch.file("p.txt", ".".repeat(81)), scratch.path("o.csv"));
    let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
    for command in ["count", "enumerate"] {
        let mut child = Running::start(&[command, file, "-o", out]);
        child.wait_until_it_handles_signals();
        child.wait_until_it_has_worked();
        child.interrupt();
        assert_eq!(child.end(), Some(130), "{command}");
    }
}

/// The second puzzle would take weeks. A single puzzle is counted on all threads, with or without a limit.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_count_reports_the_solutions_found_so_far() {
    use crate::process::Running;
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{}\n{}\n", "1".repeat(81), ".".repeat(81)));
    let cases: [&[&str]; 4] = [
        &[],
        &["--limit", "1000000000000"],
        &["--resume"],
        &["--engine", "bitmask", "--budget-time", "1000"],
    ];
    for (case, more) in cases.into_iter().enumerate() {
        let out = scratch.path(&format!("{case}.csv"));
        let [file, out] = [&file, &out].map(|path| path.to_str().unwrap());
        // There is no message before the first solution is found, which takes longer on a slow machine. So
        // each attempt works ten times as long as the one before.
        let mut errors = String::new();
        let line = (1..=3).find_map(|waits| {
            let mut child = Running::start(&[&["count", file, "-o", out, "-t2"], more].concat());
            child.wait_until_it_handles_signals();
            (0..waits).for_each(|_| child.wait_until_it_has_worked());
            child.interrupt();
            assert_eq!(child.end(), Some(130), "{more:?}");
            errors = child.errors();
            errors.lines().find(|line| line.contains("record 2 has at least ")).map(str::to_owned)
        });
        let line = line.unwrap_or_else(|| panic!("{more:?}: {errors}"));
        assert!(line.ends_with(" solutions; its count is incomplete"), "{errors}");
    }
}

/// The counts must be the same as on one thread, whichever engine begins with the puzzle.
#[test]
fn counts_to_a_limit_are_the_same_for_any_number_of_threads() {
    let scratch = Scratch::new();
    let blank = [36, 81].map(|cells| ".".repeat(cells));
    for [first, second] in blank.map(|blank| [blank.clone(), format!("1{}", &blank[1..])]) {
        let file = scratch.file("p.txt", format!("{first}\n{second}\n"));
        for engine in ["auto", "bitmask"] {
            let ran = |threads| count(&file, &["--limit", "40000", "--engine", engine, "-t", threads]);
            let one = ran("1");
            assert_counts(&counts(&one), &[("40000", "multiple"); 2]);
            assert_eq!(untimed(&one.out), untimed(&ran("2").out), "{engine}");
        }
    }
}

fn count_grids(arguments: &[&str]) -> Ran {
    run(gridmill().args(["count", "--grids"]).args(arguments))
}

#[test]
fn full_grids_of_a_shape_are_counted_without_puzzles() {
    let ran = count_grids(&["--shape", "2x2"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "288\n"));
    assert!(ran.err.starts_with("288 full grids of 4x4, counted in "), "{}", ran.err);
    for shape in ["2x3", "3x2"] {
        let ran = count_grids(&["--shape", shape, "--quiet", "--threads", "2"]);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "28200960\n", ""));
    }
}

/// The count takes a minute or more, so its first line must be shown before the first step ends.
#[cfg(target_os = "linux")]
#[test]
fn progress_of_counting_full_grids_is_shown_immediately() {
    use std::io::Read;
    let line = format!("{} count --grids --shape 2x5", env!("CARGO_BIN_EXE_gridmill"));
    // `script` runs a command on a terminal of its own.
    let mut command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm");
    let mut child = crate::process::Running::spawn(&mut command);
    let (mut terminal, mut shown) = (child.stdout.take().unwrap(), Vec::new());
    while !String::from_utf8_lossy(&shown).contains("finding the classes of bands") {
        let mut more = [0; 256];
        let read = terminal.read(&mut more).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&more[..read]);
    }
    assert!(!String::from_utf8_lossy(&shown).contains(" steps "));
    // Closing the terminal ends the run.
    drop((child, terminal));
}

#[test]
fn the_number_of_full_grids_can_be_written_to_a_file() {
    let scratch = Scratch::new();
    let path = scratch.path("number.txt");
    let ran = count_grids(&["--shape", "2x4", "--quiet", "-o", path.to_str().unwrap()]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    assert_eq!(std::fs::read_to_string(path).unwrap(), "29136487207403520\n");
}

#[test]
fn counting_full_grids_of_large_shapes_is_refused() {
    for shape in ["2x6", "3x4", "5x5"] {
        let ran = count_grids(&["--shape", shape]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains(&format!("the full grids of shape {shape} are too many")), "{}", ran.err);
    }
}

#[test]
fn options_for_puzzles_are_refused_with_grids() {
    let others: [&[&str]; 11] = [
        &["puzzles.txt"],
        &["-"],
        &["--limit", "3"],
        &["--engine", "bitmask"],
        &["--budget-time", "1"],
        &["--mixed"],
        &["--alphabet", "1-9"],
        &["--format", "line"],
        &["--to", "jsonl"],
        &["--delimiter", ";"],
        &["--no-header"],
    ];
    for other in others {
        let ran = count_grids(&[&["--shape", "2x2"], other].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        assert!(ran.err.contains("'--grids' cannot be used with"), "{}", ran.err);
    }
    let ran = count_grids(&[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--shape <RxC>"), "{}", ran.err);
}

#[test]
fn counting_takes_the_same_guesses_as_solving() {
    let scratch = Scratch::new();
    let lines: Vec<&str> = include_str!("../../datasets/hard.txt").lines().take(15).collect();
    let several = include_str!("../../datasets/multiple.txt").lines().next().unwrap();
    let file = scratch.file("p.txt", format!("{}\n{several}\n", lines.join("\n")));
    // Column 3 has the guesses, and column 2 the status.
    let guesses =
        |ran: &Ran| ran.rows().into_iter().map(|row| (row[2].clone(), row[3].clone())).collect::<Vec<_>>();
    for engine in ["lockstep", "bitmask", "dancing-links", "singles"] {
        let solved = guesses(&crate::program::solve(&file, &["--engine", engine]));
        let limited = guesses(&count(&file, &["--engine", engine, "--limit", "2"]));
        assert_eq!(solved, limited, "{engine}");
        let ran = count(&file, &["--engine", engine, "-t3"]);
        assert_eq!(solved[..15], guesses(&ran)[..15], "{engine}");
        assert_eq!(ran.rows()[15][2], "multiple");
        assert!(ran.rows()[15][1].parse::<u64>().unwrap() > 1);
    }
}

#[test]
fn the_reported_times_include_a_spent_time_budget() {
    let scratch = Scratch::new();
    let file = scratch.file("blank", format!("{0}\n{0}\n", ".".repeat(81)));
    // Both puzzles are searched at the same time, and share the budget.
    let rows = count(&file, &["--budget-time", "0.02"]).rows();
    let nanos: u64 = rows.iter().map(|row| row[4].parse::<u64>().unwrap()).sum();
    assert!(rows.iter().all(|row| row[2] == "budget") && nanos >= 19_000_000, "{rows:?}");
}

/// Lanes count only a limited number of solutions. Another engine counts the rest, and must keep to the
/// limit.
#[test]
fn counts_up_to_large_limits_are_the_same_for_every_engine() {
    let scratch = Scratch::new();
    let blank = [16, 36].map(|cells| ".".repeat(cells));
    for (blank, limit, expected) in
        [(&blank[0], "5000", "288"), (&blank[1], "1024", "1024"), (&blank[1], "1500", "1500")]
    {
        let file = scratch.file("p.txt", format!("{blank}\n"));
        for engine in ["auto", "lockstep", "bitmask"] {
            let ran = count(&file, &["--limit", limit, "--engine", engine]);
            assert_eq!(counts(&ran), [(expected.to_owned(), "multiple".to_owned())], "{engine}");
        }
    }
}
