//! `gridmill verify` and `gridmill check` on collections with planted faults.

use std::path::{Path, PathBuf};

use crate::program::{Ran, Scratch, gridmill, rows, run, solve};

const CLASSIC: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// The puzzle has two solutions, because two rows in different bands are blank. The first solution is the one
/// above.
const TWO: &str = ".........672195348198342567.........426853791713924856961537284287419635345286179";
const NONE: &str = "532.7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const CONFLICT: &str = "53..7...56..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const ESCARGOT: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";

fn judge(command: &str, files: &[&Path], arguments: &[&str]) -> Ran {
    run(gridmill().arg(command).args(files).args(arguments))
}

fn verify(file: &Path, arguments: &[&str]) -> Ran {
    judge("verify", &[file], arguments)
}

fn check(file: &Path, arguments: &[&str]) -> Ran {
    judge("check", &[file], arguments)
}

/// The listing, without the directory of the files.
fn listing(ran: &Ran, scratch: &Scratch) -> Vec<String> {
    let directory = format!("{}/", scratch.path("").display().to_string().trim_end_matches('/'));
    ran.out.lines().map(|line| line.replace(&directory, "")).collect()
}

/// The rows of the table, with runs of blanks reduced to one.
fn table(ran: &Ran) -> Vec<String> {
    ran.err.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// One record of every kind. Blank lines and comments count as lines.
fn planted() -> String {
    format!(
        "# planted\n{CLASSIC}\n{TWO}\n\n{NONE} remark\n{CONFLICT}\n{ESCARGOT}\n{}\n  {}!\n{SOLVED}\n",
        &CLASSIC[1..],
        CLASSIC
    )
}

const PLANTED: [&str; 5] = [
    "p.txt:3: multiple: two solutions or more",
    "p.txt:5: none: no solution",
    "p.txt:6: conflict: row 1 holds two 5s",
    "p.txt:8:81: malformed: 80 cells where 81 are needed",
    "p.txt:9:84: malformed: text after cell 81; separate a remark with a comma, a semicolon or a tab",
];

#[test]
fn planted_records_are_found() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", planted());
    let ran = verify(&file, &[]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(listing(&ran, &scratch), PLANTED);
    let name = file.display();
    let first = format!("{name} 8 unique 3 37.50 %");
    let rest = ["multiple 1 12.50 %", "none 1 12.50 %", "conflict 1 12.50 %", "malformed 2 25.00 %"];
    assert_eq!(table(&ran), [&["file records verdict count share", &first][..], &rest].concat());

    let all = verify(&file, &["--all", "--quiet"]);
    assert_eq!((all.code, all.err.as_str()), (Some(1), ""));
    let good = listing(&all, &scratch).into_iter().filter(|line| !PLANTED.contains(&line.as_str()));
    assert_eq!(good.collect::<Vec<_>>(), ["p.txt:2: unique", "p.txt:7: unique", "p.txt:10: unique"]);
}

#[test]
fn quiet_does_not_change_the_exit_code() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", "bad\n");
    let quiet = verify(&file, &["--quiet"]);
    assert_eq!((quiet.code, &quiet.out[..], &quiet.err[..]), (Some(1), "", ""));
    for asked in [&["-q", "--all"][..], &["-q", "-o", "-"]] {
        assert!(verify(&file, asked).out.contains("malformed"), "{asked:?}");
    }
}

#[test]
fn every_engine_gives_the_same_verdicts() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", planted());
    for engine in ["lockstep", "bitmask", "dancing-links", "singles", "backtracking"] {
        assert_eq!(listing(&verify(&file, &["--engine", engine]), &scratch), PLANTED, "{engine}");
    }
}

#[test]
fn good_files_exit_with_0_and_unreadable_ones_with_2() {
    let scratch = Scratch::new();
    let good = scratch.file("good.txt", format!("{CLASSIC}\n{ESCARGOT}\n"));
    let ran = verify(&good, &[]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    let missing = judge("verify", &[&good, &scratch.path("missing.txt")], &["--all"]);
    assert_eq!((missing.code, missing.out.lines().count()), (Some(2), 2));
    assert!(missing.err.contains("missing.txt: can't be opened"), "{}", missing.err);
    let rows = scratch.file("x.csv", "id,x\n1,2\n");
    let ran = judge("verify", &[&good, &rows], &["--format", "csv", "--puzzle-column", "y"]);
    assert!(ran.code == Some(2) && ran.err.contains("x.csv: the CSV input has no column 'y'"), "{}", ran.err);
}

#[test]
fn several_files_and_standard_input_are_verified() {
    let scratch = Scratch::new();
    let (a, b) = (scratch.file("a.txt", planted()), scratch.file("b.csv", format!("id,puzzle\n7,{NONE}\n")));
    let mut command = gridmill();
    let ran = run(command.args(["verify", "-"]).args([&b, &a]).write_stdin(format!("{CLASSIC}\n{TWO}\n")));
    assert_eq!(ran.code, Some(1));
    let lines = listing(&ran, &scratch);
    assert_eq!(lines[..2], ["<stdin>:2: multiple: two solutions or more", "b.csv:2: none: no solution"]);
    assert_eq!(lines[2..], PLANTED.map(|line| line.replacen('p', "a", 1)));
    let table = table(&ran);
    let total = table.iter().position(|row| row == "all files 11 unique 4 36.36 %").unwrap();
    assert_eq!(table[total + 1..][..2], ["multiple 2 18.18 %", "none 2 18.18 %"]);
}

#[test]
fn fail_fast_stops_at_the_first_bad_record() {
    let scratch = Scratch::new();
    let many = format!("{}{}", format!("{CLASSIC}\n").repeat(3000), planted());
    let (file, next) = (scratch.file("m.txt", many), scratch.file("next.txt", NONE));
    for arguments in
        [["--threads", "1"], ["--threads", "3"], ["--chunk-bytes", "100"], ["--engine", "bitmask"]]
    {
        let ran = judge("verify", &[&file, &next], &[&arguments[..], &["--fail-fast"]].concat());
        assert_eq!(ran.code, Some(1));
        assert_eq!(listing(&ran, &scratch), ["m.txt:3003: multiple: two solutions or more"]);
        assert_eq!(
            table(&ran)[1..],
            [format!("{} 3,002 unique 3,001 99.97 %", file.display()), "multiple 1 0.03 %".to_owned()]
        );
    }
    let good = scratch.file("good.txt", CLASSIC);
    let ran = judge("verify", &[&good, &next], &["--fail-fast", "--all"]);
    assert_eq!(listing(&ran, &scratch), ["good.txt:1: unique", "next.txt:1: none: no solution"]);
}

#[test]
fn output_is_the_same_for_any_threads_chunks_and_engine() {
    let scratch = Scratch::new();
    let text = planted().repeat(60) + &format!("{}\n", ".".repeat(70_000)) + &planted();
    let file = scratch.file("p.txt", &text);
    for arguments in [&["--all"][..], &["-o", "-"], &["-o", "-", "--all"], &[]] {
        let ran = |more: &[&str]| verify(&file, &[arguments, more].concat());
        let expected = ran(&["--threads", "1"]);
        assert!(expected.out.contains("the record is longer than 64 KiB"));
        for more in [
            &["--threads", "2"][..],
            &["--threads", "5", "--chunk-bytes", "1"],
            &["--chunk-bytes", "1000", "--no-mmap"],
            &["--engine", "bitmask", "--backend", "auto"],
        ] {
            let other = ran(more);
            assert!(
                (&other.out, &other.err, other.code) == (&expected.out, &expected.err, Some(1)),
                "{more:?}"
            );
        }
        let mut piped = gridmill();
        let piped = run(piped.args(["verify", "-"]).args(arguments).write_stdin(text.as_bytes()));
        assert!(piped.out == expected.out.replace(&file.display().to_string(), "<stdin>"));
    }
}

#[test]
fn the_listing_is_csv_on_request() {
    let scratch = Scratch::new();
    let text = format!("{CLASSIC}\n{TWO}\nbad, \"very\"\n{}\n", ".".repeat(16));
    let (file, out) = (scratch.file("a,b.txt", text), scratch.path("o.csv"));
    let ran = verify(&file, &["-o", out.to_str().unwrap(), "--all"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    let written = std::fs::read(&out).unwrap();
    assert!(written.starts_with(b"file,record,line,puzzle,verdict,reason\n"));
    let name = file.to_str().unwrap();
    assert_eq!(
        rows(&written),
        [
            [name, "1", "1", CLASSIC, "unique", ""],
            [name, "2", "2", TWO, "multiple", "two solutions or more"],
            [name, "3", "3", "bad, \"very\"", "malformed", "'b' is neither digit nor blank"],
            [
                name,
                "4",
                "4",
                "................",
                "malformed",
                "16 cells, but the puzzles of this file are 9x9 (81 cells); --mixed accepts both"
            ],
        ]
    );
    let bad = verify(&file, &["-o", "-"]);
    assert_eq!(rows(bad.out.as_bytes()).len(), 3);

    let input = file.to_str().unwrap();
    let other = scratch.file("other.txt", CLASSIC);
    let same = judge("verify", &[&other, &file], &["-o", input]);
    assert!(same.code == Some(2) && same.err.contains("is also an input"), "{}", same.err);
    assert_eq!(scratch.names(), ["a,b.txt", "o.csv", "other.txt"]);
}

#[test]
fn every_size_and_form_is_verified() {
    let scratch = Scratch::new();
    let four = "1234341221434321";
    let text = format!("{four}\n{}\n11{}\n1.34341221434321\n", ".".repeat(16), ".".repeat(14));
    let ran = verify(&scratch.file("four.txt", text), &[]);
    let expected =
        ["four.txt:2: multiple: two solutions or more", "four.txt:3: conflict: row 1 holds two 1s"];
    assert_eq!(listing(&ran, &scratch), expected);

    // If a grid has a line per row, a puzzle is reported with the line of its first row, and a malformed cell
    // with its own line.
    let rows = |line: &str| -> String {
        line.as_bytes().chunks(9).map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect()
    };
    let grids = [CLASSIC, TWO, &CLASSIC.replacen("4..8.3..1", "4..8z3..1", 1)].map(rows).join("\n");
    let ran = verify(&scratch.file("grids.txt", grids), &[]);
    let expected = [
        "grids.txt:11: multiple: two solutions or more",
        "grids.txt:25:5: malformed: 'z' is neither digit nor blank",
    ];
    assert_eq!(listing(&ran, &scratch), expected);

    let side = |box_side: usize| {
        let side = box_side * box_side;
        let digit = |cell: usize| (cell / side % box_side * box_side + cell / side / box_side + cell) % side;
        (0..side * side).map(|cell| char::from(b'A' + digit(cell) as u8)).collect::<String>()
    };
    for (name, full) in [("16.txt", side(4)), ("25.txt", side(5))] {
        let blank = full.replacen('P', ".", 1);
        let twice = full.replacen('A', "B", 1);
        let text = format!("{full}\n{blank}\n{twice}\n");
        let ran = verify(&scratch.file(name, text), &["--all", "-q"]);
        let lines = listing(&ran, &scratch);
        assert_eq!(lines[..2], [format!("{name}:1: unique"), format!("{name}:2: unique")], "{}", ran.err);
        assert_eq!(lines[2..], [format!("{name}:3: conflict: row 1 holds two Bs")]);
    }
    let mixed = format!("{four}\n{CLASSIC}\n{}\n", ".".repeat(36));
    let ran = verify(&scratch.file("mixed.txt", mixed), &["--mixed"]);
    assert_eq!(listing(&ran, &scratch), ["mixed.txt:3: multiple: two solutions or more"]);
}

/// A table of puzzles and solutions, with one fault of each kind.
fn answered(scratch: &Scratch) -> PathBuf {
    let rows = [
        format!("1,{CLASSIC},{SOLVED},x"),
        format!("2,\"{CLASSIC}\",\"{SOLVED}\",\"x, y\""),
        format!("3,{CLASSIC},{},", SOLVED.replacen("912", "91.", 1)),
        format!("4,{CLASSIC},{},", SOLVED.replacen("53467", "33457", 1)),
        format!("5,{CLASSIC},{},", SOLVED.replacen("912", "911", 1)),
        format!("6,{TWO},{SOLVED},"),
        format!("7,{CLASSIC},{},", &SOLVED[1..]),
        format!("8,{},{SOLVED},", &CLASSIC[1..]),
        format!("9,{CLASSIC},,"),
        format!("10,{CLASSIC}"),
        format!("11,{CONFLICT},{SOLVED},"),
        format!("12,{NONE},{SOLVED},"),
        format!("13,{},{SOLVED},", ".".repeat(81)),
    ];
    scratch.file("a.csv", format!("id,quizzes,Solutions,note\n{}\n", rows.join("\n")))
}

const ANSWERED: [&str; 11] = [
    "a.csv:4: wrong: row 1, column 9 of the solution is blank",
    "a.csv:5: wrong: row 1, column 1 is 5 in the puzzle and 3 in the solution",
    "a.csv:6: wrong: row 1 holds two 1s in the solution",
    "a.csv:7: not-unique: the solution is right, and not the only one",
    "a.csv:8:165: malformed: solution: 80 cells where 81 are needed",
    "a.csv:9:83: malformed: 80 cells where 81 are needed",
    "a.csv:10:85: malformed: solution: 0 cells where 81 are needed",
    "a.csv:11:1: malformed: the row has 2 fields, but the header has 4",
    "a.csv:12: wrong: row 1, column 9 is 5 in the puzzle and 2 in the solution",
    "a.csv:13: wrong: row 1, column 3 is 2 in the puzzle and 4 in the solution",
    "a.csv:14: not-unique: the solution is right, and not the only one",
];

#[test]
fn planted_wrong_solutions_are_found() {
    let scratch = Scratch::new();
    let file = answered(&scratch);
    for more in [
        &[][..],
        &["--chunk-bytes", "1"],
        &["--threads", "1"],
        &["--engine", "bitmask"],
        &["--alphabet", "123456789"],
    ] {
        let ran = check(&file, more);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert_eq!(listing(&ran, &scratch), ANSWERED, "{more:?}");
        let counts = ["ok 2 15.38 %", "not-unique 2 15.38 %", "wrong 5 38.46 %", "malformed 4 30.77 %"];
        let first = format!("{} 13 {}", file.display(), counts[0]);
        assert_eq!(table(&ran)[1..], [&[first.as_str()], &counts[1..]].concat());
    }
    let ran = check(&file, &["--fail-fast", "--all"]);
    assert_eq!(listing(&ran, &scratch), ["a.csv:2: ok", "a.csv:3: ok", ANSWERED[0]]);
    let columns = ["--puzzle-column", "quizzes", "--solution-column", "note"];
    let ran = check(&file, &columns);
    assert!(ran.out.starts_with(&format!("{}:2:", file.display())), "{}", ran.out);
}

#[test]
fn lines_of_puzzle_and_solution_are_checked() {
    let scratch = Scratch::new();
    let text =
        format!("{CLASSIC},{SOLVED}\n{CLASSIC}\t{SOLVED} easy\n{TWO};{SOLVED}\n{CLASSIC}\n{CLASSIC},x\n");
    let ran = check(&scratch.file("l.txt", text), &[]);
    assert_eq!(
        listing(&ran, &scratch),
        [
            "l.txt:3: not-unique: the solution is right, and not the only one",
            "l.txt:4:82: malformed: solution: 0 cells where 81 are needed",
            "l.txt:5:84: malformed: solution: 1 cell where 81 are needed",
        ]
    );
    let four = "1234341221434321";
    let text = format!("1.34341221434321,{four}\n................,{four}\n1.34341221434321 {}\n", &four[1..]);
    let ran = check(&scratch.file("4.txt", text), &["--all"]);
    let lines = listing(&ran, &scratch);
    assert_eq!(
        lines[..2],
        ["4.txt:1: ok", "4.txt:2: not-unique: the solution is right, and not the only one"]
    );
    assert!(lines[2].starts_with("4.txt:3:33: malformed: solution: 15 cells"), "{}", lines[2]);
}

#[test]
fn a_solution_of_another_size_is_malformed() {
    let scratch = Scratch::new();
    let four = "1234341221434321";
    let file = scratch.file("m.csv", format!("puzzle,answer\n{CLASSIC},{four}\n{four},{four}\n"));
    let mixed = check(&file, &["--mixed"]);
    let expected = "m.csv:2: malformed: the solution is 4x4 and the puzzle 9x9";
    assert_eq!(listing(&mixed, &scratch), [expected]);
    let lines = listing(&check(&file, &[]), &scratch);
    assert!(lines[0].starts_with("m.csv:2:99: malformed: solution: 16 cells, but"), "{}", lines[0]);
    assert!(lines[1].starts_with("m.csv:3:17: malformed: 16 cells, but"), "{}", lines[1]);
}

#[test]
fn check_accepts_the_output_of_solve() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{CLASSIC}\n{ESCARGOT}\n"));
    let solved = solve(&file, &[]);
    let ran = run(gridmill().args(["check", "-"]).write_stdin(solved.out));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
}

#[test]
fn a_file_without_solutions_is_refused() {
    let scratch = Scratch::new();
    let table = check(&scratch.file("t.csv", format!("id,puzzle\n1,{CLASSIC}\n")), &[]);
    assert_eq!(table.code, Some(2));
    let message =
        "t.csv: the CSV input has no column with a usual name for solutions; its columns are: id, puzzle";
    assert!(table.err.contains(message), "{}", table.err);
    let rows: String =
        CLASSIC.as_bytes().chunks(9).map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect();
    let grid = check(&scratch.file("g.txt", rows), &[]);
    assert!(grid.code == Some(2) && grid.err.contains("this file has another format"), "{}", grid.err);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_listing_so_far() {
    use crate::process::{Running, wait_for_rows};
    use std::io::Write;

    let scratch = Scratch::new();
    let out = scratch.path("o.csv");
    let mut child = Running::start(&["verify", "-", "--all", "-o", out.to_str().unwrap()]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{CLASSIC}\n{TWO}\n").as_bytes()).unwrap();
    wait_for_rows(&scratch, "o.csv", 2);
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    drop(input);
    let message = child.errors();
    assert!(message.contains("interrupted after 2 records, in <stdin>\n"), "{message}");
    assert!(message.contains("the listing so far is in ") && message.contains("o.csv.partial"), "{message}");
    let kept = std::fs::read(scratch.path("o.csv.partial")).unwrap();
    assert_eq!(rows(&kept).len(), 2);
}

const FOUR: &str = "1.....3..4.....2";

/// An empty pipe is not accepted as a collection of proper puzzles.
#[test]
fn an_input_without_records_is_not_accepted() {
    let scratch = Scratch::new();
    let (empty, comments) = (scratch.file("empty.txt", ""), scratch.file("c.txt", "# nothing\n\n"));
    let one = scratch.file("one.csv", format!("puzzle,solution\n{FOUR},1324423124133142\n"));
    for command in ["verify", "check"] {
        for file in [&empty, &comments] {
            let ran = run(gridmill().args([command, "-q"]).arg(file));
            assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
            assert!(ran.err.ends_with(": it has no records\n"), "{}", ran.err);
        }
        let piped = run(gridmill().args([command, "-q"]).write_stdin(""));
        assert_eq!((piped.code, piped.err.as_str()), (Some(1), "gridmill: <stdin>: it has no records\n"));
    }
    let overlap = run(gridmill().args(["overlap", "-q"]).args([&one, &empty]));
    assert_eq!(overlap.code, Some(1));
    assert!(overlap.err.contains("empty.txt: it has no records"), "{}", overlap.err);
}

/// The records before the damage are verified, and so are the other files.
#[test]
fn a_damaged_file_does_not_stop_the_other_files() {
    use std::io::Write;
    let scratch = Scratch::new();
    let lines = format!("{FOUR}\n").repeat(100_000);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(lines.as_bytes()).unwrap();
    let mut bytes = packed.finish().unwrap();
    bytes.truncate(bytes.len() - 100);
    let (damaged, good) = (scratch.file("d.gz", bytes), scratch.file("g.txt", format!("{FOUR}\n")));
    let ran = run(gridmill().arg("verify").args([&damaged, &good]));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("d.gz: reading failed: the gzip data is cut short"), "{}", ran.err);
    assert!(ran.err.contains("d.gz, not whole") && ran.err.contains("g.txt"), "{}", ran.err);
    assert_eq!(run(gridmill().arg("verify").arg(&damaged)).code, Some(2));
}

/// The bar makes room for listed records. There is no bar if all records are listed, because the list itself
/// shows the progress.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_a_bar_beside_the_list() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", planted());
    let program = env!("CARGO_BIN_EXE_gridmill");
    for (command, has_bar) in [("verify", true), ("verify --all", false), ("verify --no-progress", false)] {
        let line = format!("{program} {command} {}", file.display());
        // `script` runs a command on a terminal of its own.
        let mut on_terminal = std::process::Command::new("script");
        on_terminal
            .args(["-qec", &line, "/dev/null"])
            .env("TERM", "xterm")
            .stdin(std::process::Stdio::null());
        let ran = on_terminal.output().unwrap();
        let shown = String::from_utf8_lossy(&ran.stdout);
        assert_eq!(ran.status.code(), Some(1), "{command}: {shown}");
        assert_eq!(shown.contains(" to go"), has_bar, "{command}: {shown}");
        assert!(shown.contains("two solutions or more"), "{command}: {shown}");
    }
}
