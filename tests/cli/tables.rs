//! CSV files with unusual columns, separators and cells.

use std::path::Path;

use crate::program::{Ran, Scratch, gridmill, run};

const PUZZLE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
const WRONG: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286197";

fn on(command: &str, file: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg(command).arg(file).args(arguments))
}

fn assert_refused(ran: &Ran, parts: &[&str]) {
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{}", ran.err);
    for part in parts {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

#[test]
fn ambiguous_solution_columns_must_be_chosen_by_option() {
    let scratch = Scratch::new();
    let table = format!("puzzle,solutions,solution\n{PUZZLE},{WRONG},{SOLVED}\n");
    let file = scratch.file("a.csv", table);
    let columns = "solutions (column 2), solution (column 3)";
    assert_refused(&on("check", &file, &[]), &["a.csv", columns, "--solution-column"]);
    for (column, code) in [("solutions", 1), ("solution", 0), ("2", 1), ("3", 0)] {
        let ran = on("check", &file, &["--solution-column", column]);
        assert_eq!(ran.code, Some(code), "{column}: {}", ran.err);
    }
}

#[test]
fn output_names_of_another_format_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{PUZZLE}\n"));
    let other = scratch.file("q.txt", format!("{PUZZLE}\n"));
    let lines = [
        "solve",
        "count",
        "rate",
        "canon",
        "minimal",
        "backdoors",
        "minimize",
        "explain",
        "convert",
        "dedupe",
        "select",
        "enumerate",
    ];
    let only_csv = ["verify", "check", "candidates", "unavoidable", "overlap"];
    let formats = [
        #[cfg(not(feature = "columnar"))]
        ("parquet", "Parquet"),
        ("xlsx.gz", "a spreadsheet"),
        ("json", "one JSON document"),
        ("svg", "an image"),
    ];
    let all = lines.iter().chain(&only_csv).flat_map(|command| formats.map(|format| (*command, format)));
    for (command, (ending, what)) in all.chain(only_csv.map(|command| (command, ("jsonl", "JSON Lines")))) {
        let output = scratch.path(&format!("o.{ending}"));
        let more: &[&str] = match command {
            "overlap" => &[other.to_str().unwrap()],
            "select" => &["--take", "1"],
            "candidates" => &["--counts"],
            _ => &[],
        };
        let arguments = [more, &["-o", output.to_str().unwrap()]].concat();
        assert_refused(
            &on(command, &file, &arguments),
            &[&format!("o.{ending}: this name suggests {what}"), ".csv"],
        );
        assert!(!output.exists(), "{command}");
    }
    if cfg!(not(feature = "columnar")) {
        for name in ["o.parquet", "o.pq", "o.arrow", "o.feather"] {
            let ran = on("solve", &file, &["-o", scratch.path(name).to_str().unwrap()]);
            assert_refused(&ran, &[name, ".csv or .jsonl, or build gridmill with --features columnar"]);
        }
    }
    // The option --to takes precedence over the name of the file.
    let output = scratch.path("o.json");
    let arguments = ["-q", "--to", "jsonl", "-o", output.to_str().unwrap()];
    assert_eq!(on("solve", &file, &arguments).code, Some(0));
    assert!(std::fs::read_to_string(output).unwrap().starts_with('{'));
}

#[test]
fn ambiguous_puzzle_columns_must_be_chosen_by_option() {
    let scratch = Scratch::new();
    let other = PUZZLE.replacen("53", "..", 1);
    for header in ["puzzle,quizzes", "puzzle,puzzle"] {
        let file = scratch.file("a.csv", format!("{header}\n{PUZZLE},{other}\n"));
        for command in ["solve", "verify", "stats", "dedupe", "select", "canon"] {
            assert_refused(&on(command, &file, &[]), &["a.csv", "(column 1), ", "--puzzle-column"]);
        }
        for (column, puzzle) in [("1", PUZZLE), ("2", &other)] {
            let ran = on("enumerate", &file, &["--puzzle-column", column]);
            let direct = run(gridmill().args(["enumerate", "-"]).write_stdin(format!("{puzzle}\n")));
            assert_eq!((ran.out, ran.code), (direct.out, direct.code), "{header}");
        }
    }
}

#[test]
fn help_lists_the_known_names_of_columns() {
    for command in ["solve", "check", "dedupe", "overlap"] {
        let help =
            run(gridmill().args([command, "--help"])).out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            help.contains("puzzle, puzzles, quizzes, quiz, question, sudoku, grid or board"),
            "{command}"
        );
    }
    let help = run(gridmill().args(["check", "--help"])).out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("solution, solutions, answer, answers, solved, solved_puzzle or result"));
}

/// The list of rows that a program would write for these cells, with the given separators between numbers and
/// between rows.
fn list(cells: &str, between: [&str; 2]) -> String {
    let numbers: Vec<String> = cells.replace('.', "0").chars().map(String::from).collect();
    let rows: Vec<String> = numbers.chunks(9).map(|row| format!("[{}]", row.join(between[0]))).collect();
    format!("[{}]", rows.join(between[1]))
}

#[test]
fn fields_can_have_other_separators() {
    let scratch = Scratch::new();
    for (separator, arguments) in [
        (";", &[][..]),
        ("\t", &[]),
        ("|", &[]),
        ("\t", &["--delimiter", "tab"]),
        ("\t", &["--delimiter", "\\t"]),
        (":", &["--delimiter", ":"]),
    ] {
        let row = |fields: &[&str]| fields.join(separator) + "\n";
        let head = row(&["name", "puzzle", "solution"]);
        let text = head.clone() + &row(&["a, \"b\"", PUZZLE, SOLVED]) + &row(&["x"]);
        let file = scratch.file("t.csv", text);
        let solved = on("count", &file, &[arguments, &["-q"]].concat());
        assert_eq!(solved.code, Some(1), "{separator:?}: {}", solved.err);
        let columns = ["name", "puzzle", "solution", "solutions", "status", "guesses", "time_ns"];
        assert_eq!(solved.out.lines().next(), Some(&*columns.join(separator)));
        let counted = ["a, \"b\"", PUZZLE, SOLVED, "1", "unique", "0", ""].join(separator);
        assert!(solved.out.lines().nth(1).unwrap().starts_with(&counted), "{}", solved.out);
        assert!(
            solved.out.lines().nth(2).unwrap().starts_with(&["x", "", "", "0", "malformed"].join(separator))
        );
        let checked = on("check", &file, &[arguments, &["--all"]].concat());
        assert!(checked.code == Some(1) && checked.out.contains(":2: ok"), "{} {}", checked.out, checked.err);
        let chosen = on("select", &file, &[arguments, &["--status", "malformed", "-q"]].concat());
        assert_eq!(chosen.out, head + "x\n");
        let first = on("canon", &file, arguments).out;
        let last = first.lines().nth(1).unwrap().rsplit_once(separator);
        assert_eq!(last.map(|(_, status)| status), Some("ok"), "{first}");
        let shuffled = on("shuffle", &file, arguments).out;
        assert_eq!(shuffled.lines().nth(1).unwrap().split(separator).count(), 3, "{shuffled}");
    }
    let ran = on("solve", &scratch.file("t.csv", "puzzle\n"), &["--delimiter", "x"]);
    assert_refused(&ran, &["give one of , ; | : ! / & ~ ^ or tab"]);
}

#[test]
fn rows_without_a_header_are_read() {
    let scratch = Scratch::new();
    let rows = format!("a,{PUZZLE},{SOLVED}\nb,{PUZZLE},{WRONG}\n");
    let file = scratch.file("t.csv", &rows);
    let solved = on("enumerate", &file, &["--no-header"]);
    assert_eq!((solved.code, solved.out), (Some(0), format!("record,solution\n1,{SOLVED}\n2,{SOLVED}\n")));
    let tabled = on("canon", &file, &["--no-header"]);
    assert!(tabled.out.starts_with("1,2,3,canonical,status\na,"), "{}", tabled.out);
    let checked = on("check", &file, &["--no-header", "--solution-column", "3"]);
    assert_eq!((checked.code, checked.out.lines().count()), (Some(1), 1), "{}", checked.err);
    assert_refused(&on("check", &file, &["--no-header"]), &["its columns are: 1, 2, 3"]);
    assert_eq!(on("select", &file, &["--no-header", "-q"]).out, rows);
    assert_eq!(on("dedupe", &file, &["--no-header", "-q"]).out, format!("a,{PUZZLE},{SOLVED}\n"));
    assert_eq!(on("shuffle", &file, &["--no-header"]).out.lines().count(), 2);
    let third = on("enumerate", &file, &["--no-header", "--puzzle-column", "3", "--limit", "1"]);
    assert_eq!(third.out, format!("record,solution\n1,{SOLVED}\n"));
    assert_refused(&on("solve", &file, &[]), &["no header row; --no-header reads it"]);
    assert_refused(&on("solve", &file, &["--puzzle-column", "2"]), &["--no-header"]);
}

#[test]
fn column_options_are_refused_without_columns() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{PUZZLE}\n"));
    for option in [&["--puzzle-column", "x"][..], &["--delimiter", ";"], &["--no-header"]] {
        for command in ["solve", "verify", "stats", "dedupe", "select"] {
            let ran = on(command, &file, &[&["--format", "line"], option].concat());
            assert_refused(&ran, &["p.txt", "no columns", option[0]]);
        }
    }
    let ran =
        on("check", &scratch.file("l.txt", format!("{PUZZLE},{SOLVED}\n")), &["--solution-column", "y"]);
    assert_refused(&ran, &["l.txt", "--solution-column"]);
}

#[test]
fn a_puzzle_can_be_a_list_of_numbers() {
    let scratch = Scratch::new();
    let lists = [[", ", ", "], [",", ","], [" ", "\n "]];
    for between in lists {
        let (puzzle, solution) = (list(PUZZLE, between), list(SOLVED, between));
        let file = scratch.file("t.csv", format!("quizzes,solutions,id\n\"{puzzle}\",\"{solution}\",7\n"));
        let solved = on("solve", &file, &["-q"]);
        assert_eq!((solved.code, &solved.rows()[0][3]), (Some(0), &SOLVED.to_owned()), "{}", solved.err);
        assert_eq!(solved.rows()[0][..3], [puzzle.clone(), solution, "7".to_owned()]);
        assert_eq!(on("check", &file, &[]).code, Some(0), "{between:?}");
        let alone = scratch.file("a.csv", format!("puzzle\n\"{}\"\n", puzzle.replace(['[', ']'], "")));
        let alone = scratch.file("a.csv", std::fs::read_to_string(alone).unwrap().replacen('"', "\"[", 1));
        assert_eq!(on("verify", &alone, &[]).code, Some(0), "{between:?}");
    }
    let grid: Vec<String> = (0..16)
        .map(|row| format!("[{}]", vec![(row + 1).to_string(); 1].join(", ") + &", 0".repeat(15)))
        .collect();
    let large = scratch.file("l.csv", format!("id,puzzle\n1,\"[{}]\"\n", grid.join(", ")));
    let ran = on("enumerate", &large, &["--limit", "1"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 2), "{}", ran.err);
    let short = list(&PUZZLE[9..], [", ", ", "]);
    let bad = on(
        "solve",
        &scratch.file("b.csv", format!("puzzle,x\n\"{short}\",1\n\"{}\",1\n", list(PUZZLE, [",", ","]))),
        &[],
    );
    assert!(bad.code == Some(1) && bad.err.contains(":2:") && bad.err.contains("malformed"), "{}", bad.err);
}

#[test]
fn long_fields_are_read_and_an_overlong_row_is_malformed() {
    let scratch = Scratch::new();
    let long = "long, ".repeat(40_000);
    let endless = "x".repeat(2 << 20);
    let text = format!("note,puzzle,id\n\"{long}\",{PUZZLE},1\n{endless},{PUZZLE},2\nshort,{PUZZLE},3\n");
    let file = scratch.file("t.csv", &text);
    let piped = run(gridmill().args(["solve", "-q"]).write_stdin(text));
    for ran in [on("solve", &file, &["-q"]), on("solve", &file, &["-q", "--no-mmap", "-t1"]), piped] {
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        assert_eq!(ran.statuses(), ["unique", "malformed", "unique"]);
        let rows = ran.rows();
        assert_eq!((rows[0][0].len(), &*rows[0][2]), (long.len(), "1"));
        assert_eq!((rows[1][0].chars().count(), &*rows[2][2]), (201, "3"));
    }
}

const FOUR: &str = "1.....3..4.....2";
const FOUR_SOLVED: &str = "1324423124133142";

/// A list of lists, in the form in which programs write arrays.
fn rows_of_numbers(cells: &str) -> String {
    let row = |row: &str| {
        format!("[{}]", row.replace('.', "0").chars().map(String::from).collect::<Vec<_>>().join(", "))
    };
    let rows: Vec<String> = (0..4).map(|index| row(&cells[index * 4..][..4])).collect();
    format!("[{}]", rows.join(", "))
}

#[test]
fn solutions_in_lists_are_shuffled_with_their_puzzles() {
    let scratch = Scratch::new();
    for puzzle in [FOUR.to_owned(), format!("\"{}\"", rows_of_numbers(FOUR))] {
        let text = format!("puzzle,solution\n{puzzle},\"{}\"\n", rows_of_numbers(FOUR_SOLVED));
        let file = scratch.file("lists.csv", text);
        assert_eq!(on("check", &file, &["-q"]).code, Some(0));
        let shuffled = on("shuffle", &file, &["-q"]);
        let again = scratch.file("shuffled.csv", &shuffled.out);
        assert_eq!(on("check", &again, &["-q"]).code, Some(0), "{}", shuffled.out);
    }
}

#[test]
fn lists_in_json_strings_are_read() {
    let scratch = Scratch::new();
    let text =
        format!("puzzle,solution\n\"{}\",\"{}\"\n", rows_of_numbers(FOUR), rows_of_numbers(FOUR_SOLVED));
    let json = on("convert", &scratch.file("lists.csv", text), &["--to", "jsonl", "-q"]);
    let checked = on("check", &scratch.file("lists.jsonl", &json.out), &["-q"]);
    assert_eq!(checked.code, Some(0), "{} {}", json.out, checked.err);
}

#[test]
fn a_column_is_not_checked_against_itself() {
    let scratch = Scratch::new();
    let csv = scratch.file("a.csv", format!("puzzle,answer\n{FOUR_SOLVED},{FOUR_SOLVED}\n"));
    let objects = format!("{{\"puzzle\":\"{FOUR_SOLVED}\",\"answer\":\"{FOUR_SOLVED}\"}}\n");
    let json = scratch.file("a.jsonl", objects);
    for file in [&csv, &json] {
        assert_eq!(on("check", file, &["-q"]).code, Some(0));
        let same = on("check", file, &["--puzzle-column", "answer", "--solution-column", "answer"]);
        assert_refused(&same, &["would be read from the same column"]);
    }
    assert_eq!(on("check", &json, &["--puzzle-column", "answer"]).code, Some(2));
    assert_eq!(on("check", &json, &["--solution-column", "2", "-q"]).code, Some(0));
}

/// The two quotes are in different rows. Both rows are records, and the first one is malformed.
#[test]
fn a_stray_quote_swallows_no_row() {
    let scratch = Scratch::new();
    let rows = format!("\"web,{FOUR}\nwe\"b,{FOUR}\nbook,{FOUR}\n");
    let file = scratch.file("q.csv", format!("source,puzzle\n{rows}"));
    let ran = on("verify", &file, &["--all", "-q"]);
    let verdicts: Vec<&str> = ran.out.lines().map(|line| line.split(": ").nth(1).unwrap()).collect();
    assert_eq!((ran.code, &verdicts[..]), (Some(1), &["malformed", "unique", "unique"][..]), "{}", ran.out);
}

#[test]
fn output_names_must_fit_the_format_of_unchanged_records() {
    let scratch = Scratch::new();
    let csv = scratch.file("a.csv", format!("puzzle\n{FOUR}\n"));
    let json = scratch.file("a.jsonl", format!("{{\"puzzle\":\"{FOUR}\"}}\n"));
    for (file, name) in [(&csv, "o.jsonl"), (&json, "o.csv")] {
        let out = scratch.path(name);
        for command in ["select", "dedupe", "shuffle"] {
            if command == "shuffle" && name == "o.csv" {
                continue;
            }
            let ran = on(command, file, &["-o", out.to_str().unwrap()]);
            assert_refused(&ran, &["records are written unchanged", "gridmill convert"]);
        }
    }
    assert_eq!(scratch.names(), ["a.csv", "a.jsonl"]);
}

#[test]
fn columns_with_the_same_name_become_two_keys() {
    let scratch = Scratch::new();
    let file = scratch.file("two.csv", format!("puzzle,note,note\n{FOUR},a,b\n"));
    for command in ["convert", "solve"] {
        let ran = on(command, &file, &["--to", "jsonl"]);
        assert!(ran.out.contains("\"note\":\"a\",\"note_2\":\"b\""), "{}", ran.out);
    }
}
