//! `gridmill bench --program`: measures other programs together with the engines. In these tests, most
//! programs are shell scripts.

use std::process::Command;

use crate::common::wait_until;
use crate::process::{Running, send};
use crate::program::{Ran, Scratch, gridmill, run};

const PROPER: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
const NONE: &str = "55...............................................................................";

/// Benchmarks programs and one engine on puzzles as they are, not on isomorphs of them.
fn race(scratch: &Scratch, puzzles: &[&str], options: &[&str]) -> Ran {
    let file = scratch.file("p.txt", puzzles.join("\n"));
    let fixed = ["--no-permute", "--engine", "bitmask", "--rounds", "1", "--to", "csv"];
    run(gridmill().arg("bench").arg(file).args(fixed).args(options))
}

/// A command that takes a shell some time, because it starts twenty other shells. A program is measured only
/// if its puzzles take longer than its start, and this command ensures that on every machine.
const TAKES_TIME: &str = "for start in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sh -c :; done";

/// A program that prints lines once for each pass, i.e. for every two puzzles that it reads.
fn printing(lines: &[&str]) -> String {
    let lines = lines.join("\\n");
    format!("a=sh -c 'while read line && read line; do {TAKES_TIME}; printf \"{lines}\\n\"; done'")
}

fn engines(ran: &Ran) -> Vec<String> {
    ran.rows().into_iter().map(|row| row[2].clone()).collect()
}

#[test]
fn a_program_can_read_a_file_or_a_pipe_and_can_write_a_file() {
    let gridmill_itself = env!("CARGO_BIN_EXE_gridmill");
    let programs = [
        format!("file={gridmill_itself} solve {{}} -q -t 1"),
        format!("piped={gridmill_itself} solve - -q -t 1"),
        format!("written='{gridmill_itself}' solve {{}} -o {{out}} -q -t 1"),
    ];
    // The puzzles take each program much longer than its start.
    let scratch = Scratch::new();
    let puzzles = include_str!("../../datasets/classics.txt").repeat(300);
    let file = scratch.file("classics.txt", puzzles);
    let mut bench = gridmill();
    bench.args(["bench", file.to_str().unwrap(), "--engine", "bitmask", "--rounds", "1", "--to", "json"]);
    bench.args(programs.iter().flat_map(|program| ["--program", program]));
    let ran = run(&mut bench);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let messages: Vec<&str> = ran.err.lines().collect();
    assert_eq!(messages.len(), 3, "{}", ran.err);
    assert!(messages[0].starts_with("gridmill: classics.txt: file takes "), "{}", ran.err);
    assert!(messages[0].ends_with(" ms to start; its figures leave that out"), "{}", ran.err);
    let lines: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let lines = lines.as_array().unwrap();
    let names: Vec<_> = lines.iter().map(|line| line["engine"].as_str().unwrap()).collect();
    assert_eq!(names, ["bitmask", "file", "piped", "written"]);
    for line in &lines[1..] {
        let [startup, round] =
            [&line["startup_seconds"], &line["round_seconds"][0]].map(|n| n.as_f64().unwrap());
        assert!(startup > 0.0 && round > 0.0, "{line}");
        let rate = line["puzzles_per_second"].as_f64().unwrap();
        assert!((rate * round / (41.0 * 300.0) - 1.0).abs() < 1e-9, "{line}");
        assert!(line["guesses_per_puzzle"].is_null() && line["share_without_guess"].is_null(), "{line}");
        if cfg!(target_os = "linux") {
            let [processor, peak] =
                [&line["processor_seconds"], &line["peak_memory_bytes"]].map(|n| n.as_f64().unwrap());
            assert!(processor >= 0.0 && peak > 1e6, "{line}");
        }
    }
    assert!(lines[0]["processor_seconds"].is_null() && lines[0]["peak_memory_bytes"].is_null());
    assert!(lines[0]["startup_seconds"].is_null() && !lines[0]["guesses_per_puzzle"].is_null());
}

#[test]
fn a_program_gets_the_isomorphs_of_the_seed() {
    let scratch = Scratch::new();
    let (file, received) = (scratch.file("p.txt", PROPER), scratch.path("seen.txt"));
    let program = format!("a=sh -c 'head -n 1 {{}} >> {}'", received.display());
    let isomorph = |seed: &str| {
        let ran = run(gridmill().arg("bench").arg(&file).args(["--program", &program, "--seed", seed]));
        assert_eq!(ran.code, Some(2));
        let text = std::fs::read_to_string(&received).unwrap();
        std::fs::remove_file(&received).unwrap();
        assert!(ran.err.contains(&format!("the solution of {}", text.trim())), "{}", ran.err);
        text
    };
    assert_eq!(isomorph("1").len(), 82);
    assert_ne!(isomorph("1"), isomorph("2"));
}

#[test]
fn missing_figures_of_a_program_are_dashes() {
    let scratch = Scratch::new();
    let program = printing(&[SOLVED, SOLVED]);
    let options = ["--program", &program, "--to", "md", "--percentiles", "--histogram", "--detail", "-q"];
    let file = scratch.file("p.txt", [PROPER, PROPER].join("\n"));
    let ran = run(gridmill().arg("bench").arg(file).args(["--no-permute", "--rounds", "1"]).args(options));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let cells: Vec<&str> = ran.out.lines().last().unwrap().split('|').map(str::trim).collect();
    assert_eq!((cells[3], &cells[7..13]), ("a", &["-"; 6][..]), "{}", ran.out);
    let detail = ran.err.lines().find(|line| line.starts_with("a ")).unwrap();
    assert_eq!(detail.split_whitespace().collect::<Vec<_>>(), ["a", "-", "-", "-"]);
    assert!(!ran.err.contains("a  p50"), "{}", ran.err);
}

#[test]
fn a_baseline_includes_programs() {
    let scratch = Scratch::new();
    let (program, saved) = (printing(&[SOLVED, SOLVED]), scratch.path("before.json"));
    let saved = saved.to_str().unwrap();
    let before = race(&scratch, &[PROPER, PROPER], &["--program", &program, "--save", saved]);
    assert_eq!(before.code, Some(0), "{}", before.err);
    let after = race(&scratch, &[PROPER, PROPER], &["--program", &program, "--compare", saved, "-q"]);
    assert_eq!((after.code, after.err.as_str()), (Some(0), ""));
    assert_eq!(after.rows()[1][14], before.rows()[1][3]);
    // Baselines of earlier versions have neither processor time nor memory.
    let mut lines: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(saved).unwrap()).unwrap();
    for line in lines.as_array_mut().unwrap() {
        let line = line.as_object_mut().unwrap();
        line.remove("processor_seconds");
        line.remove("peak_memory_bytes");
    }
    std::fs::write(saved, lines.to_string()).unwrap();
    let after = race(&scratch, &[PROPER, PROPER], &["--program", &program, "--compare", saved, "-q"]);
    assert_eq!((after.code, after.err.as_str()), (Some(0), ""));
    assert_eq!(after.rows()[1][14], before.rows()[1][3]);
}

#[test]
fn a_program_that_answers_wrongly_is_left_out() {
    let wrong = SOLVED.replace('1', "x").replace('2', "1").replace('x', "2");
    let claim = format!("55{}", &SOLVED[2..]);
    let scratch = Scratch::new();
    for (puzzles, lines, message) in [
        (
            [PROPER, PROPER],
            [SOLVED, &wrong],
            format!(
                "puzzle 2 gets a wrong answer; expected the solution of {PROPER}, but the line is '{wrong}'"
            ),
        ),
        ([PROPER, PROPER], [SOLVED, "?"], "puzzle 2 gets no answer".to_owned()),
        (
            [PROPER, NONE],
            [SOLVED, &claim],
            format!("puzzle 2 gets a wrong answer; expected none, as {NONE} has no"),
        ),
        ([PROPER, NONE], [SOLVED, SOLVED], "more answers than puzzles".to_owned()),
    ] {
        let ran = race(&scratch, &puzzles, &["--program", &printing(&lines), "-q"]);
        assert_eq!((ran.code, engines(&ran)), (Some(2), vec!["bitmask".to_owned()]), "{}", ran.err);
        assert!(ran.err.starts_with("gridmill: p.txt: 'a': ") && ran.err.contains(&message), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
}

#[test]
fn puzzles_without_a_solution_need_no_answer() {
    let scratch = Scratch::new();
    for second in ["no solution", ""] {
        let ran = race(&scratch, &[PROPER, NONE], &["--program", &printing(&[SOLVED, second])]);
        assert_eq!((ran.code, engines(&ran).len()), (Some(0), 2), "{}", ran.err);
    }
}

#[test]
fn a_program_that_fails_is_left_out_of_all_files() {
    let scratch = Scratch::new();
    let (first, second) = (scratch.file("1.txt", PROPER), scratch.file("2.txt", PROPER));
    let files = [first.to_str().unwrap(), second.to_str().unwrap()];
    for (program, message) in [
        (
            "a=sh -c 'echo first >&2; echo worse >&2; exit 3'",
            "the command ended with exit status: 3: sh -c 'echo first >&2; echo worse >&2; exit 3'; its last message is: worse",
        ),
        ("a=sh -c 'kill -9 $$'", "the command ended with signal: 9 (SIGKILL): sh -c"),
        ("a=./no-such-solver {}", "the command can't be started: ./no-such-solver {}: No such file"),
        ("a=true {out}", "puzzle 1 gets no answer"),
        ("a=yes", "the command writes too much, more than 4 kB a puzzle: yes"),
    ] {
        let options = ["--engine", "bitmask", "--rounds", "1", "--to", "csv", "-q", "--program", program];
        let ran = run(gridmill().arg("bench").args(files).args(options));
        assert_eq!((ran.code, engines(&ran)), (Some(2), vec!["bitmask".to_owned(); 2]), "{}", ran.err);
        assert!(ran.err.starts_with("gridmill: 1.txt: 'a': ") && ran.err.contains(message), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
}

/// Processes that the program started must end with it. Here that is a `sleep` that would take much longer
/// than any test.
#[test]
fn a_program_that_hangs_is_killed_and_left_out() {
    let scratch = Scratch::new();
    let id = scratch.path("id");
    let program = format!("a=sh -c 'sleep 100000 & echo $! > {}; wait'", id.display());
    let ran = race(&scratch, &[PROPER], &["--program", &program, "--program-timeout", "0.3", "-q"]);
    assert_eq!((ran.code, engines(&ran)), (Some(2), vec!["bitmask".to_owned()]), "{}", ran.err);
    assert!(
        ran.err.starts_with("gridmill: p.txt: 'a': the command was killed after 0.3 s: sh -c "),
        "{}",
        ran.err
    );
    let id = std::fs::read_to_string(id).unwrap();
    wait_until("the process that it started has ended", || !send("0", id.trim()) || is_zombie(id.trim()));
    let alone = race(&scratch, &[PROPER], &["--program-timeout", "5"]);
    assert_eq!(alone.code, Some(2));
    assert!(alone.err.contains("--program"), "{}", alone.err);
}

#[test]
fn programs_are_refused_for_puzzles_that_are_not_9x9() {
    for file in ["4x4", "6x6"] {
        let path = format!("datasets/{file}.txt");
        let ran = run(gridmill().args(["bench", &path, "--program", "a=cat"]));
        assert_eq!(ran.code, Some(2));
        let message = format!("'a' does not solve puzzles of {file} with boxes of ");
        assert!(ran.err.contains(&message), "{}", ran.err);
        assert!(
            ran.err.contains("; lockstep, bitmask, dancing-links, singles and backtracking do"),
            "{}",
            ran.err
        );
    }
}

/// Both the input and the output of the program are larger than the buffer of a pipe.
#[test]
fn a_program_may_write_before_it_has_read_everything() {
    let scratch = Scratch::new();
    let line = format!("{PROPER},{SOLVED}");
    let answer = format!("sed \"s/.*/{line}{}/\"", " ".repeat(3000));
    let program = format!("a=sh -c 'read first || exit 0; {TAKES_TIME}; (echo $first; cat) | {answer}'");
    let ran = race(&scratch, &[PROPER; 500], &["--program", &program]);
    assert_eq!((ran.code, engines(&ran).len()), (Some(0), 2), "{}", ran.err);
}

#[test]
fn ctrl_c_kills_a_program_that_hangs() {
    let scratch = Scratch::new();
    let (one, two) = (scratch.file("1.txt", PROPER), scratch.file("2.txt", format!("{PROPER}\n{SOLVED}\n")));
    let id = scratch.path("id");
    // The program answers a file with one puzzle. With two puzzles it starts a process that hangs.
    let id_path = id.display();
    let program = format!(
        "a=sh -c 'if [ $(sort -u {{}} | wc -l) -gt 1 ]; then sleep 600 & echo $! > {id_path}; wait; fi; if [ -s {{}} ]; then {TAKES_TIME}; fi; sed s/.*/{SOLVED}/ {{}}'"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridmill"));
    command.arg("bench").args([&one, &two]);
    let options = ["--no-permute", "--engine", "bitmask", "--rounds", "1", "--to", "csv", "--program"];
    let mut child = Running::spawn(command.args(options).arg(&program));
    wait_until("the program runs", || std::fs::read_to_string(&id).is_ok_and(|id| id.ends_with('\n')));
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    let table = child.output();
    assert_eq!(table.lines().count(), 3, "{table}");
    let id = std::fs::read_to_string(id).unwrap();
    wait_until("the program has ended", || !send("0", id.trim()) || is_zombie(id.trim()));
}

/// Returns whether a process has ended, but its exit code has not been read yet.
fn is_zombie(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}
