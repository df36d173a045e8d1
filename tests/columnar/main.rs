//! Parquet and Arrow files as input and output. The tests convert an output back to CSV with `convert`, so
//! that they can compare rows of text.

use std::fs;
use std::io::Read;
use std::path::Path;

#[path = "../common/mod.rs"]
mod common;
// Only other tests use most of it.
#[allow(dead_code)]
#[path = "../cli/program.rs"]
mod program;

use crate::common::{as_lines, easy_puzzles, mixed_puzzles};
use crate::program::{Ran, Scratch, gridmill, run};

/// A table with malformed records, and with columns of each kind that is copied, like datasets on Hugging
/// Face.
const TABLE: &str = "\
source,question,answer,rating
easy,53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79,534678912672195348198342567859761423426853791713924856961537284287419635345286179,1
\"a, b\",1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..,,
,bad,\"two \"\"lines\"\"
of text\",7
twice,53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79,534678912672195348198342567859761423426853791713924856961537284287419635345286179,3
";

/// The file extensions of columnar formats. One is in capitals, because case doesn't matter.
const ENDINGS: [&str; 4] = ["parquet", "PQ", "arrow", "feather"];

fn on(command: &str, file: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg(command).arg(file).args(arguments).arg("--quiet"))
}

/// Runs a command with an output of this name, and returns the path of the output.
fn written(
    scratch: &Scratch,
    command: &str,
    file: &Path,
    arguments: &[&str],
    name: &str,
) -> std::path::PathBuf {
    let output = scratch.path(name);
    let ran = on(command, file, &[arguments, &["-o", output.to_str().unwrap()]].concat());
    assert!(
        matches!(ran.code, Some(0 | 1)) && ran.err.lines().all(|line| line.contains("malformed")),
        "{command}: {}",
        ran.err
    );
    output
}

/// The rows of a columnar file, as CSV. `convert` can take any column for the puzzles, because it copies
/// cells that aren't puzzles unchanged.
fn as_csv(file: &Path) -> String {
    let ran = on("convert", file, &["--to", "csv", "--puzzle-column", "1", "--max-messages", "0"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    ran.out
}

/// Writes a table as a Parquet file.
fn parquet(scratch: &Scratch, name: &str, table: &str) -> std::path::PathBuf {
    let file = scratch.file(&format!("{name}.csv"), table);
    written(scratch, "convert", &file, &[], &format!("{name}.parquet"))
}

#[test]
fn columnar_outputs_have_the_same_rows_as_csv() {
    let scratch = Scratch::new();
    let table = scratch.file("table.csv", TABLE);
    let lines = scratch.file("lines.txt", as_lines(&mixed_puzzles(60, 1)));
    let other = lines.to_str().unwrap();
    let jobs: [(&str, &Path, &[&str]); 22] = [
        ("solve", &table, &["--columns", "source,question,rating,solution,status,guesses,record,line,file"]),
        ("solve", &lines, &["--columns", "puzzle,solution,status,guesses"]),
        ("count", &lines, &["--limit", "20", "--columns", "puzzle,solutions,status"]),
        ("rate", &table, &["--techniques"]),
        ("canon", &table, &["--transform", "--automorphisms"]),
        ("minimize", &table, &[]),
        ("minimal", &lines, &[]),
        ("enumerate", &lines, &["--limit", "3", "--changes"]),
        ("candidates", &lines, &[]),
        ("verify", &table, &["--all"]),
        ("check", &table, &["--all", "--columns", "record,verdict,reason"]),
        ("convert", &table, &[]),
        ("convert", &lines, &[]),
        ("shuffle", &table, &["--times", "2"]),
        ("dedupe", &table, &[]),
        ("select", &table, &["--where", "rating>=1", "--invert"]),
        ("select", &table, &["--sample", "2"]),
        ("sort", &table, &["--by", "rating", "--descending"]),
        ("enumerate", &lines, &["--limit", "2", "--columns", "solution,record"]),
        ("overlap", &table, &[other]),
        ("generate", Path::new("--count=20"), &[]),
        ("solve", &table, &["--no-header", "--puzzle-column", "2", "--columns", "1,2,status"]),
    ];
    for (number, (command, file, arguments)) in jobs.into_iter().enumerate() {
        let csv = fs::read_to_string(written(&scratch, command, file, arguments, &format!("{number}.csv")))
            .unwrap();
        // The CSV is converted too, so that both texts have only the quotes that their fields need.
        let texts = scratch.file("texts.csv", &csv);
        let expected = as_csv(&texts);
        for ending in ENDINGS {
            let output = written(&scratch, command, file, arguments, &format!("{number}.{ending}"));
            assert_eq!(as_csv(&output), expected, "{command} {arguments:?} to {ending}");
        }
    }
}

#[test]
fn yes_and_no_of_candidates_become_booleans() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", "1.....3..4.....2\n");
    let arguments = ["--counts", "--cap", "1"];
    let csv = fs::read_to_string(written(&scratch, "candidates", &file, &arguments, "o.csv")).unwrap();
    let output = written(&scratch, "candidates", &file, &arguments, "o.parquet");
    assert_eq!(as_csv(&output), csv.replace(",yes", ",true").replace(",no", ",false"));
}

#[test]
fn a_parquet_table_is_read_like_its_csv_by_every_command() {
    let scratch = Scratch::new();
    let (csv, table) = (scratch.file("t.csv", TABLE), parquet(&scratch, "table", TABLE));
    let stream = fs::read(&table).unwrap();
    for (command, arguments) in [
        ("solve", &["--columns", "rating,solution,status,line"][..]),
        ("rate", &[]),
        ("stats", &["--json"]),
        ("verify", &[]),
        ("check", &["--solution-column", "answer"]),
        ("select", &["--where", "rating>2", "--skip", "1"]),
        ("select", &["--where", "source contains b"]),
        ("dedupe", &["--isomorphic"]),
        ("shuffle", &["--seed", "7"]),
        ("explain", &["--json"]),
        ("convert", &["--to", "grid"]),
    ] {
        let named = |ran: Ran, name: &Path| {
            let unnamed =
                |text: String| text.replace(name.to_str().unwrap(), "NAME").replace("<stdin>", "NAME");
            (ran.code, unnamed(ran.out), unnamed(ran.err))
        };
        // Times in nanoseconds are left out, because they differ in every run.
        let timeless = |(code, out, err): (Option<i32>, String, String)| {
            (command != "stats").then_some((code, out, err))
        };
        let expected = timeless(named(on(command, &csv, arguments), &csv));
        assert_eq!(
            timeless(named(on(command, &table, arguments), &table)),
            expected,
            "{command} {arguments:?}"
        );
        let piped =
            run(gridmill().args([command, "-", "--quiet"]).args(arguments).write_stdin(stream.clone()));
        assert_eq!(timeless(named(piped, Path::new("<stdin>"))), expected, "{command} {arguments:?} -");
    }
}

#[test]
fn the_parts_of_a_table_keep_its_columns() {
    let scratch = Scratch::new();
    let table = parquet(&scratch, "table", TABLE);
    let outputs = ["a.parquet", "b.csv"].map(|name| scratch.path(name));
    let [first, second] = outputs.each_ref().map(|path| path.to_str().unwrap());
    let ran = on("split", &table, &["--ratio", "1:1", "-o", first, "-o", second]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let rows = [as_csv(&outputs[0]), fs::read_to_string(&outputs[1]).unwrap()];
    for part in &rows {
        assert!(part.starts_with("source,question,answer,rating\n"), "{part}");
    }
    assert_eq!(rows.concat().len(), TABLE.len() + "source,question,answer,rating\n".len());
}

#[test]
fn the_same_rows_give_the_same_bytes() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", as_lines(&easy_puzzles(3000, 5)));
    for ending in ["parquet", "arrow"] {
        let bytes = |threads: &str, chunk: &str| {
            let options =
                ["--columns", "record,puzzle,solution,status,guesses", "-t", threads, "--chunk-bytes", chunk];
            fs::read(written(&scratch, "solve", &file, &options, &format!("o.{ending}"))).unwrap()
        };
        let expected = bytes("1", "100000");
        for (threads, chunk) in [("2", "100000"), ("2", "1000"), ("1", "83")] {
            assert!(
                bytes(threads, chunk) == expected,
                "{ending}: {threads} threads, chunks of {chunk} bytes"
            );
        }
    }
}

#[test]
fn resume_accepts_a_table_as_input_but_not_as_output() {
    let scratch = Scratch::new();
    let table = parquet(&scratch, "table", TABLE);
    let whole = fs::read(written(&scratch, "canon", &table, &[], "whole.csv")).unwrap();
    let output = written(&scratch, "canon", &table, &["--resume"], "o.csv");
    assert!(fs::read(output).unwrap() == whole);
    let output = fs::read(written(&scratch, "canon", &table, &["--resume"], "o.csv.gz")).unwrap();
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(&output[..]).read_to_end(&mut unpacked).unwrap();
    assert!(unpacked == whole);
    let output = scratch.path("o.parquet");
    for command in ["solve", "verify"] {
        let ran = on(command, &table, &["--resume", "-o", output.to_str().unwrap()]);
        assert_eq!((ran.code, output.exists()), (Some(2), false), "{command}");
        assert!(ran.err.contains("a Parquet table can't be continued"), "{}", ran.err);
    }
}

#[test]
fn rows_that_begin_with_a_hash_are_not_comments() {
    let scratch = Scratch::new();
    let lines = as_lines(&easy_puzzles(3, 7));
    let rows: String = lines.lines().map(|puzzle| format!("#1,{puzzle}\n")).collect();
    let file = scratch.file("p.csv", format!("# a comment\nid,puzzle\n{rows}"));
    for command in ["dedupe", "shuffle", "canon", "solve", "convert"] {
        let table = written(&scratch, command, &file, &[], "o.parquet");
        assert_eq!(as_csv(&table).matches("#1").count(), 3, "{command}");
        let again = written(&scratch, command, &table, &[], "again.parquet");
        assert_eq!(as_csv(&again).matches("#1").count(), 3, "{command}");
    }
}

#[test]
fn line_outputs_and_text_options_are_refused_for_tables() {
    let scratch = Scratch::new();
    let (lines, table) = (scratch.file("p.txt", "1.....3..4.....2\n"), parquet(&scratch, "table", TABLE));
    let output = scratch.path("o.parquet");
    let output = output.to_str().unwrap();
    for (command, file, arguments, expected) in [
        (
            "dedupe",
            &lines,
            &["-o", output][..],
            "records are written unchanged, in line: choose another name, or convert",
        ),
        ("select", &lines, &["--take", "1", "-o", output], "records are written unchanged, in line"),
        ("shuffle", &lines, &["-o", output], "records are written unchanged, in line"),
        ("explain", &lines, &["-o", output], "o.parquet: this name suggests Parquet"),
        ("solve", &table, &["--shard", "1/2"], "this one is a Parquet table: convert it first"),
        (
            "solve",
            &table,
            &["--format", "line"],
            "a Parquet table, which has columns and names of its own: leave --format",
        ),
        ("solve", &table, &["--delimiter", ";"], "leave --format, --delimiter and --no-header out"),
        ("solve", &table, &["--puzzle-column", "x"], "its columns are: source, question, answer, rating"),
    ] {
        let ran = on(command, file, arguments);
        assert_eq!((ran.code, Path::new(output).exists()), (Some(2), false), "{command}: {}", ran.err);
        assert!(ran.err.contains(expected), "{command}: {}", ran.err);
    }
}

#[test]
fn damaged_tables_are_refused() {
    let scratch = Scratch::new();
    let output = scratch.path("o.csv");
    let csv = scratch.file("t.csv", TABLE);
    for ending in ["parquet", "arrow"] {
        let whole = fs::read(written(&scratch, "convert", &csv, &[], &format!("t.{ending}"))).unwrap();
        let mut changed = whole.clone();
        let footer = whole.len() - 40;
        changed[footer..footer + 20].fill(0xa5);
        for (bytes, expected) in [
            (&whole[..whole.len() - 1], "is cut short: its end is missing"),
            (&changed, "can't be unpacked: "),
        ] {
            let file = scratch.file("x", bytes);
            let ran = on("solve", &file, &["-o", output.to_str().unwrap()]);
            assert_eq!((ran.code, output.exists()), (Some(2), false), "{}", ran.err);
            assert!(ran.err.contains("x: reading failed: the ") && ran.err.contains(expected), "{}", ran.err);
            assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        }
    }
}
