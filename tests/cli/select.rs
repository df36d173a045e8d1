//! `gridmill select`.

use std::path::Path;

use crate::common;
use crate::program::{Ran, Scratch, gridmill, run};

const A: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const A_SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// The puzzle has seventeen clues, so it is minimal.
const SEVENTEEN: &str = "000000010400000000020000000000050407008000300001090000300400200050100000000806000";

fn select(file: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("select").arg(file).args(arguments))
}

#[test]
fn each_condition_selects_the_right_records() {
    let scratch = Scratch::new();
    let (conflict, empty) = (A.replacen("53", "55", 1), ".".repeat(81));
    let lines = [A, SEVENTEEN, "bad", A_SOLVED, &conflict, &empty];
    let text = format!("# comment\n{A} remark\r\n{SEVENTEEN}\nbad\n\n{A_SOLVED}\n{conflict}\n{empty}");
    let file = scratch.file("p.txt", text);
    let selected = |arguments: &[&str]| {
        let ran = select(&file, arguments);
        assert_eq!(ran.code, Some(1), "one record is malformed: {}", ran.err);
        let index = |line: &str| lines.iter().position(|it| line.starts_with(it)).unwrap().to_string();
        ran.out.lines().map(index).collect::<String>()
    };
    for (arguments, expected) in [
        (&[][..], "01345"),
        (&["--clues", "17..30"], "014"),
        (&["--clues", "..17"], "15"),
        (&["--status", "unique"], "013"),
        (&["--status", "multiple,conflict"], "45"),
        (&["--status", "malformed"], "2"),
        (&["--status", "unique", "--clues", "30"], "0"),
        (&["--guesses", "0", "--status", "unique", "--clues", "30.."], "03"),
        (&["--minimal"], "1"),
        (&["--minimal", "--clues", "18.."], ""),
        (&["--minimal", "--invert"], "02345"),
        (&["--status", "unique", "--invert"], "245"),
        (&["--invert"], "2"),
    ] {
        assert_eq!(selected(arguments), expected, "{arguments:?}");
    }
    let ran = select(&file, &["--clues", "30"]);
    assert_eq!(ran.out, format!("{A} remark\r\n{conflict}\n"));
    assert!(ran.err.contains("p.txt:4:1: record 3: malformed"), "{}", ran.err);
    assert!(ran.err.ends_with("selected 2 of 6 records\n"), "{}", ran.err);
}

#[test]
fn selected_rows_are_written_unchanged() {
    let scratch = Scratch::new();
    let file = scratch.file("p.csv", format!("id,puzzle,note\n1,{A},\"a\nb\"\n2,{SEVENTEEN},\n3,\"{A}\",c"));
    let out = scratch.path("o.csv");
    let ran = select(&file, &["--clues", "30", "-q", "-o", out.to_str().unwrap()]);
    assert_eq!((ran.code, &*ran.out, &*ran.err), (Some(0), "", ""));
    let expected = format!("id,puzzle,note\n1,{A},\"a\nb\"\n3,\"{A}\",c\n");
    assert_eq!(std::fs::read_to_string(out).unwrap(), expected);
}

#[test]
fn a_sample_is_the_same_for_a_seed() {
    let scratch = Scratch::new();
    let text = common::as_lines(&common::mixed_puzzles(2_000, 8));
    let file = scratch.file("p.txt", &text);
    let sample = |arguments: &[&str]| {
        let ran = select(&file, &[&["--sample", "50", "-q"], arguments].concat());
        assert_eq!(ran.code, Some(0));
        // The lines are in the order of the file, and none occurs twice.
        let mut lines = text.lines();
        assert!(ran.out.lines().all(|chosen| lines.any(|line| line == chosen)));
        ran.out
    };
    let first = sample(&["--threads", "1"]);
    assert_eq!(first.lines().count(), 50);
    assert_eq!(sample(&["--threads", "3", "--chunk-bytes", "500"]), first);
    assert_eq!(sample(&["--no-mmap"]), first);
    assert_ne!(sample(&["--seed", "2"]), first);
    let unique = sample(&["--status", "unique", "--clues", "..28"]);
    assert!(
        unique.lines().all(|line| line.parse::<gridmill_core::grid::Puzzle>().unwrap().clue_count() <= 28)
    );
    assert_eq!(select(&file, &["--sample", "5000", "-q"]).out, text);
    assert_eq!(select(&file, &["--sample", "0", "-q"]).out, "");
}

#[test]
fn invalid_conditions_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{A}\n"));
    for (arguments, part) in [
        (&["--clues", "24..17"][..], "the smaller one first"),
        (&["--status", "good"], "possible values: unique, multiple, none, conflict, malformed"),
        (&["-o", file.to_str().unwrap()], "is also an input"),
    ] {
        let ran = select(&file, arguments);
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(part), "{}", ran.err);
    }
}

#[test]
fn where_selects_by_columns_keys_and_fields_of_banks() {
    let scratch = Scratch::new();
    let rows = [
        ("1", "1.5", "\"web, \"\"x\"\"\""),
        ("2", "3", "book"),
        ("3", "10", "book"),
        ("4", "", "web"),
        ("5", "?", ""),
    ];
    let table = |separator: &str| {
        let row = |(id, rating, from): &(&str, &str, &str)| [id, rating, A, from].join(separator) + "\n";
        ["id", "Rating", "puzzle", "from"].join(separator) + "\n" + &rows.iter().map(row).collect::<String>()
    };
    let (csv, tabs) = (scratch.file("p.csv", table(",")), scratch.file("p.tsv", table("\t")));
    let object = |&(id, rating, from): &(&str, &str, &str)| {
        let rating = match rating {
            "" => "null".to_owned(),
            "?" => "\"?\"".to_owned(),
            number => number.to_owned(),
        };
        let from =
            if from.starts_with('"') { "\"web, \\\"x\\\"\"".to_owned() } else { format!("\"{from}\"") };
        format!("{{\"id\": {id}, \"Rating\": {rating}, \"puzzle\": \"{A}\", \"from\": {from}}}\n")
    };
    let jsonl = scratch.file("p.jsonl", rows.iter().map(object).collect::<String>());
    for file in [&csv, &tabs, &jsonl] {
        for (conditions, expected) in [
            (&["Rating>=3"][..], "23"),
            (&["Rating<10"], "12"),
            (&["Rating != 3"], "1345"),
            (&["Rating="], "4"),
            (&["Rating>1", "from=book", "id!=3"], "2"),
            (&["from=web, \"x\""], "1"),
            (&["from!=book"], "145"),
        ] {
            let arguments: Vec<&str> =
                conditions.iter().flat_map(|&condition| ["--where", condition]).chain(["-q"]).collect();
            let ran = select(file, &arguments);
            assert_eq!((ran.code, &*ran.err), (Some(0), ""), "{conditions:?}");
            let lines = ran.out.lines().filter(|line| line.contains(A));
            let ids: String =
                lines.map(|line| &line[if line.starts_with('{') { 7..8 } else { 0..1 }]).collect();
            assert_eq!(ids, expected, "{conditions:?} {}", file.display());
        }
    }
    // Columns can be given by number and in other letter case, and conditions can be combined with others.
    // Unreadable records match no condition.
    let table = table(",") + &format!("6,5,{SEVENTEEN},\n7,5,short,\n");
    let file = scratch.file("q.csv", table);
    let ran = select(&file, &["--where", "2>=3", "--where", "RATING<9", "--clues", "17", "-q"]);
    assert_eq!((ran.code, ran.out), (Some(1), format!("id,Rating,puzzle,from\n6,5,{SEVENTEEN},\n")));
    let ran = select(&file, &["--where", "id=7", "--status", "malformed", "-q"]);
    assert_eq!(ran.out, "id,Rating,puzzle,from\n");
    let ran = select(&file, &["--where", "id<=6", "--invert", "-q"]);
    assert_eq!(ran.out, "id,Rating,puzzle,from\n7,5,short,\n");
    let bank = scratch.file("p.txt", format!("a1b2c3d4e5f6 {A}  1.2\n0123456789ab {SEVENTEEN} 10.7\n"));
    assert_eq!(
        select(&bank, &["--where", "rating>1.2", "-q"]).out,
        format!("0123456789ab {SEVENTEEN} 10.7\n")
    );
    assert_eq!(
        select(&bank, &["--where", "hash=a1b2c3d4e5f6", "-q"]).out,
        format!("a1b2c3d4e5f6 {A}  1.2\n")
    );
}

#[test]
fn skip_and_take_count_only_records_that_meet_the_conditions() {
    let scratch = Scratch::new();
    let puzzles = common::easy_puzzles(300, 6);
    let lines: Vec<String> = puzzles.iter().map(|puzzle| format!("{puzzle}\n")).collect();
    let file = scratch.file("p.txt", format!("{}bad\n{}bad\n", lines[..200].concat(), lines[200..].concat()));
    let clues =
        |line: &&String| line.trim().parse::<gridmill_core::grid::Puzzle>().unwrap().clue_count() <= 34;
    assert!((30..270).contains(&lines.iter().filter(clues).count()));
    // Records after the last selected one are not read, so they don't count as malformed.
    for (skip, take, code) in [
        (0, 10, 0),
        (120, 30, 0),
        (190, 10, 0),
        (190, 11, 1),
        (290, 10, 1),
        (295, 50, 1),
        (0, 0, 0),
        (400, 5, 1),
    ] {
        for more in [&["-t1"][..], &["-t3", "--chunk-bytes", "300"], &["--no-mmap", "--chunk-bytes", "5000"]]
        {
            let window = [skip.to_string(), take.to_string()];
            let ran = select(&file, &[&["--skip", &window[0], "--take", &window[1]], more].concat());
            let expected: String = lines.iter().skip(skip).take(take).map(String::as_str).collect();
            assert_eq!((ran.code, ran.out), (Some(code), expected), "{skip} {take} {more:?}");
            if (skip, take) == (190, 11) {
                assert!(
                    ran.err.ends_with("selected 11 of the first 202 records, 1 of them malformed\n"),
                    "{}",
                    ran.err
                );
            }
        }
    }
    let ran = select(&file, &["--skip", "20", "--take", "7", "--clues", "..34", "-q"]);
    let expected: Vec<&String> = lines.iter().filter(clues).skip(20).take(7).collect();
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 7));
    assert!(ran.out.split_inclusive('\n').eq(expected.into_iter().map(String::as_str)));
    let ran = select(&file, &["--skip", "290", "-q"]);
    assert_eq!((ran.code, ran.out), (Some(1), lines[290..].concat()));
    let sample = select(&file, &["--skip", "100", "--take", "50", "--sample", "5", "-q"]).out;
    assert_eq!(sample.lines().count(), 5);
    assert!(sample.split_inclusive('\n').all(|line| lines[100..150].iter().any(|other| other == line)));
    // Two files make one table, and a file that can't be opened still sets the exit code.
    let args = ["--skip", "200", "--take", "102", "-q"];
    let ran = run(gridmill().arg("select").args([&file, &file]).args(args));
    assert_eq!((ran.code, ran.out), (Some(1), lines[200..].concat() + &lines[..2].concat()));
    let ran = run(gridmill().arg("select").arg(scratch.path("no")).arg(&file).args(["--take", "1"]));
    assert_eq!((ran.code, ran.out), (Some(2), lines[0].clone()));
}

/// A table with `rows` rows in random order: 70 % have the level easy, 20 % hard, and 10 % none. The ratings
/// are from 0.0 to 9.9.
fn table_of_levels(rows: usize) -> String {
    let row = |row: usize| {
        let level = ["easy", "hard", ""][[0, 0, 1, 0, 0, 2, 0, 0, 1, 0][row % 10]];
        format!("{row},{A},{level},{}.{}\n", row / 10 % 10, row % 10)
    };
    format!("id,puzzle,level,rating\n{}", (0..rows).map(row).collect::<String>())
}

#[test]
fn a_stratified_sample_has_each_value_in_proportion() {
    let scratch = Scratch::new();
    let text = table_of_levels(2_000);
    let file = scratch.file("p.csv", &text);
    let sample = |stratify: &str, more: &[&str]| {
        let ran = select(&file, &[&["--sample", "50", "--stratify", stratify], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let mut lines = text.lines();
        assert!(ran.out.lines().all(|chosen| lines.any(|line| line == chosen)));
        (ran.out, ran.err)
    };
    let (first, summary) = sample("level", &[]);
    let count = |level: &str| first.lines().filter(|row| row.split(',').nth(2) == Some(level)).count();
    assert_eq!(["easy", "hard", ""].map(count), [35, 10, 5]);
    let lines = "  easy  35 of 1,400\n  hard  10 of 400\n(none)  5 of 200\n";
    assert_eq!(summary, format!("selected 50 of 2,000 records\n{lines}"));
    assert_eq!(sample("level", &["--threads", "3", "--chunk-bytes", "500"]).0, first);
    assert_eq!(sample("level", &["--no-mmap", "--threads", "1"]).0, first);
    assert_ne!(sample("level", &["--seed", "2"]).0, first);
    let (binned, summary) = sample("rating by 2.5", &[]);
    let count = |low: f64| {
        let rating = |row: &str| row.rsplit(',').next().unwrap().parse::<f64>().unwrap();
        binned.lines().skip(1).filter(|row| (low..low + 2.5).contains(&rating(row))).count()
    };
    let mut counts = [0.0, 2.5, 5.0, 7.5].map(count);
    counts.sort_unstable();
    assert_eq!(counts, [12, 12, 13, 13]);
    assert!(summary.contains("\n 0.0 to below 2.5  1"), "{summary}");
    assert!(sample("rating", &[]).1.ends_with("\nstrata  100\n"));
    assert!(sample("clues", &[]).1.ends_with("\n30  50 of 2,000\n"));
    // The sample is from a pipe, with conditions, and --take ends the run before all records are read.
    let more = ["--where", "level!=", "--take", "90", "--sample", "10", "--stratify", "level"];
    let ran = run(gridmill().args(["select", "-"]).args(more).write_stdin(text.clone()));
    let lines = "easy  8 of 70\nhard  2 of 20\n";
    assert_eq!((ran.code, ran.err), (Some(0), format!("selected 10 of the first 100 records\n{lines}")));
}

#[test]
fn invalid_strata_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("p.csv", table_of_levels(10_001));
    for (arguments, part) in [
        (&["--stratify", "level"][..], "--sample"),
        (&["--sample", "5", "--stratify", "id"], "more than 10,000 different values"),
    ] {
        let ran = select(&file, arguments);
        assert!(ran.code == Some(2) && ran.out.lines().count() < 2, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert_eq!(select(&file, &["--sample", "5", "--stratify", "id by 7", "-q"]).code, Some(0));
}

#[test]
fn columns_are_compared_with_each_other() {
    let scratch = Scratch::new();
    let wrong = format!("{}97", &A_SOLVED[..79]);
    let rows = [
        format!("1,{A},{A_SOLVED},{A_SOLVED},30,9"),
        format!("2,{A},{A_SOLVED},{wrong},9.0,30"),
        format!("3,{A},{A_SOLVED},,30,30.0"),
        format!("4,{A},,,,"),
        format!("5,{A},x,column(answer),30,x"),
    ];
    let csv = scratch.file("p.csv", format!("id,puzzle,solution,answer,clues,after\n{}\n", rows.join("\n")));
    let objects = rows.iter().map(|row| {
        let [id, puzzle, solution, answer, clues, after] =
            row.split(',').map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
        let object = serde_json::json!({
            "id": id, "puzzle": puzzle, "solution": solution, "answer": answer, "clues": clues, "after": after,
        });
        object.to_string() + "\n"
    });
    let json = scratch.file("p.jsonl", objects.collect::<String>());
    for (conditions, expected) in [
        (&["solution = column(answer)"][..], "14"),
        (&["solution != column(answer)"], "235"),
        (&["after < column(clues)"], "1"),
        (&["after<=column( clues )"], "13"),
        (&["after>column(clues)", "solution!=column(answer)"], "2"),
        (&["answer in (column(answer))"], "5"),
    ] {
        let conditions: Vec<&str> = conditions.iter().flat_map(|condition| ["--where", condition]).collect();
        let ran = select(&csv, &[&["-q"], &conditions[..]].concat());
        let found: String = ran.out.lines().skip(1).map(|row| &row[..1]).collect();
        assert_eq!((ran.code, &*found), (Some(0), expected), "{conditions:?}: {}", ran.err);
        let ran = select(&json, &[&["-q"], &conditions[..]].concat());
        let id = |row: &str| serde_json::from_str::<serde_json::Value>(row).unwrap()["id"].clone();
        let found: String = ran.out.lines().map(|row| id(row).as_str().unwrap().to_owned()).collect();
        assert_eq!((ran.code, &*found), (Some(0), expected), "{conditions:?}: {}", ran.err);
    }
}

#[test]
fn take_ends_the_run_while_the_input_pipe_is_still_open() {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_gridmill"))
        .args(["select", "--take", "2", "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    write!(pipe, "{A}\n{SEVENTEEN}\n{A}\n").unwrap();
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!((out, child.wait().unwrap().code()), (format!("{A}\n{SEVENTEEN}\n"), Some(0)));
    drop(pipe);
}

#[test]
fn take_writes_the_last_grid_completely() {
    let scratch = Scratch::new();
    let text: Vec<String> = [A, SEVENTEEN, A_SOLVED].map(|line| framed("Grid", line) + "\n").into();
    let file = scratch.file("p.txt", text.concat());
    for more in ["80", "100000"] {
        let ran = select(&file, &["--skip", "1", "--take", "1", "-q", "--chunk-bytes", more]);
        assert_eq!((ran.code, ran.out), (Some(0), text[1].clone()));
        let ran = select(&file, &["--skip", "1", "--take", "2", "-q", "--chunk-bytes", more]);
        assert_eq!((ran.code, ran.out), (Some(0), text[1..].concat()));
    }
}

/// A grid in a frame, with a title above it.
fn framed(title: &str, line: &str) -> String {
    let row = |row: &[u8]| format!("|{}|\n", String::from_utf8_lossy(row));
    let rows: Vec<String> = line.as_bytes().chunks(9).map(row).collect();
    format!("{title}\n+---------+\n{}+---------+\n", rows.concat())
}

#[test]
fn puzzles_in_rows_keep_their_frames_titles_and_blank_lines() {
    let scratch = Scratch::new();
    let full = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let lines: Vec<String> =
        (0..6).map(|blank| format!("{}{}", ".".repeat(blank * 5), &full[blank * 5..])).collect();
    for gap in ["\n", "\n\n", ""] {
        let framed: Vec<String> =
            lines.iter().enumerate().map(|(number, line)| framed(&format!("Grid {number}"), line)).collect();
        let file = scratch.file("p.txt", framed.join(gap));
        for more in [&["-t1"][..], &["-t3", "--chunk-bytes", "150"]] {
            let ran = select(&file, &[&["--clues", "57..75", "--invert"], more].concat());
            let first = [&framed[0], &framed[1], &framed[5]].map(String::as_str).join(gap);
            assert_eq!((ran.code, ran.out), (Some(0), first), "{}", ran.err);
            let ran = select(&file, &[&["--clues", "..76", "--sample", "9"], more].concat());
            assert_eq!(ran.out, framed[1..].join(gap));
        }
    }
    // A single rule between two grids belongs to both.
    let rows = |line: &str| {
        line.as_bytes().chunks(9).map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect::<String>()
    };
    let rule = "+---------+\n";
    let text = format!("{rule}{}{rule}{}{rule}{}{rule}", rows(&lines[0]), rows(&lines[1]), rows(&lines[2]));
    let file = scratch.file("q.txt", text);
    let ran = select(&file, &["--clues", "76"]);
    assert_eq!(ran.out, format!("{rule}{}{rule}", rows(&lines[1])));
    let ran = select(&file, &["--clues", "..76"]);
    assert_eq!(ran.out, format!("{rule}{}{rule}{}{rule}", rows(&lines[1]), rows(&lines[2])));
}

#[test]
fn puzzles_in_conflict_match_no_number_of_guesses() {
    let scratch = Scratch::new();
    let good = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let conflict = good.replacen("53", "55", 1);
    let file = scratch.file("p.txt", format!("{good}\n{conflict}\n"));
    assert_eq!(select(&file, &["--guesses", "0"]).out, format!("{good}\n"));
    assert_eq!(select(&file, &["--guesses", "0..", "--invert"]).out, format!("{conflict}\n"));
}

/// The puzzle needs more than singles.
const HARD: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";

#[test]
fn ratings_and_techniques_select_proper_puzzles() {
    let scratch = Scratch::new();
    let (conflict, empty) = (A.replacen("53", "55", 1), ".".repeat(81));
    let lines = [A, HARD, "bad", &conflict, &empty];
    let file = scratch.file("p.csv", format!("puzzle,level\n{},\n", lines.join(",x\n")));
    let selected = |arguments: &[&str]| {
        let ran = select(&file, arguments);
        assert_eq!(ran.code, Some(1), "one record is malformed: {}", ran.err);
        let index = |line: &str| lines.iter().position(|it| line.starts_with(it)).unwrap().to_string();
        ran.out.lines().skip(1).map(index).collect::<String>()
    };
    for (arguments, expected) in [
        (&["--er", "1.2"][..], "0"),
        (&["--er", "1.0..1.5"], "0"),
        (&["--er", "1.5..2.3"], ""),
        (&["--er", "..2.3", "--invert"], "1234"),
        (&["--er", "..2.3", "--technique", "last-cell"], "0"),
        (&["--er", "..2.3", "--technique", "x-wing"], ""),
        (&["--er", "..2.3", "--technique", "x-wing,last-cell"], "0"),
        (&["--er", "..2.3", "--technique", "x-wing", "--technique", "last-cell"], ""),
        (&["--technique", "hidden-single-box", "--clues", "30", "--scale", "se"], "0"),
        (&["--er", "..2.3", "--where", "level!=x"], ""),
        (&["--er", "..2.3", "--status", "malformed"], ""),
        (&["--er", "..2.3", "--minimal"], ""),
    ] {
        assert_eq!(selected(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn select_uses_the_same_ratings_as_rate() {
    let scratch = Scratch::new();
    let puzzles = common::easy_puzzles(80, 12).into_iter().chain(common::mixed_puzzles(40, 12));
    let file = scratch.file("p.txt", common::as_lines(&puzzles.collect::<Vec<_>>()));
    let rated = run(gridmill().arg("rate").arg(&file).args(["--up-to", "2.3", "-q"])).rows();
    let is_wanted = |row: &&Vec<String>| row[1].parse().is_ok_and(|er: f64| er >= 1.5);
    let expected: String = rated.iter().filter(is_wanted).map(|row| row[0].clone() + "\n").collect();
    assert!(!expected.is_empty());
    for arguments in [&["-t1"][..], &["-t3", "--chunk-bytes", "500"]] {
        let ran = select(&file, &[&["-q", "--er", "1.5..2.3"], arguments].concat());
        assert_eq!((ran.code, &ran.out), (Some(0), &expected));
    }
}

#[test]
fn invalid_rating_options_are_rejected_with_clear_messages() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", A);
    for (arguments, part) in [
        (&["--er", "hard"][..], "is not a rating"),
        (&["--technique", "x-wing", "--scale", "hodoku"], "[possible values: se, sukaku, sukaku-2020]"),
        (&["--scale", "se"], "--er"),
        (&["--er", "1.2", "--mixed"], "but these are of mixed sizes"),
    ] {
        let ran = select(&file, arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}
