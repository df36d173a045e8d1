//! `gridmill sort`.

use std::cmp::Ordering;
use std::path::Path;

use crate::common;
use crate::program::{Ran, Scratch, gridmill, run};

const A: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn sort(file: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("sort").arg(file).args(arguments))
}

/// Rows of puzzles with a rating and a source. Each field can be missing, and some fields are malformed.
fn rows(count: usize) -> Vec<String> {
    let puzzles = common::mixed_puzzles(200, 3);
    let row = |row: usize| {
        let scattered = row.wrapping_mul(2_654_435_761) >> 7;
        let puzzle =
            if scattered.is_multiple_of(97) { "bad".to_owned() } else { puzzles[row % 200].to_string() };
        let rating = match scattered % 23 {
            0 => String::new(),
            1 => "unrated".to_owned(),
            rating => format!("{}.{}", rating % 12, scattered % 10),
        };
        let source = ["web", "\"a, b\"", "", "bank"][scattered % 4];
        format!("{row},{puzzle},{rating},{source}\n")
    };
    (0..count).map(row).collect()
}

/// The order of two fields: numbers come first, then texts, then missing fields.
fn order(one: &str, other: &str, descending: bool) -> Ordering {
    let class = |field: &str| match (field, field.parse::<f64>()) {
        ("", _) => (2, 0.0),
        (_, Ok(number)) => (0, number),
        _ => (1, 0.0),
    };
    let ((one_class, one_number), (other_class, other_number)) = (class(one), class(other));
    let within = one_number.total_cmp(&other_number).then_with(|| one.cmp(other));
    let within = if one_class == 0 { one_number.total_cmp(&other_number) } else { within };
    one_class.cmp(&other_class).then(if descending { within.reverse() } else { within })
}

/// Sorts rows by the columns of `--by`. It is an independent check, because it uses no code of the program.
fn naively_sorted(mut rows: Vec<String>, by: &[&str], descending: bool) -> String {
    let field = |row: &str, name: &str| {
        let fields: Vec<&str> = row.trim_end().splitn(4, ',').collect();
        match name {
            "rating" => fields[2].to_owned(),
            "source" => fields[3].trim_matches('"').to_owned(),
            _ => fields[1].bytes().filter(|byte| (b'1'..=b'9').contains(byte)).count().to_string(),
        }
    };
    let is_bad = |row: &str| row.contains(",bad,");
    rows.sort_by(|one, other| {
        let fields = by.iter().map(|name| order(&field(one, name), &field(other, name), descending));
        let by_fields = fields.fold(Ordering::Equal, Ordering::then);
        is_bad(one).cmp(&is_bad(other)).then(if is_bad(one) { Ordering::Equal } else { by_fields })
    });
    rows.concat()
}

#[test]
fn sort_agrees_with_a_naive_sort_in_any_amount_of_memory() {
    let scratch = Scratch::new();
    let (rows, header) = (rows(6_000), "id,puzzle,rating,source\n");
    let file = scratch.file("p.csv", format!("{header}{}", rows.concat()));
    for (by, descending) in [
        (&["rating"][..], true),
        (&["rating"], false),
        (&["clues"], false),
        (&["source", "clues"], false),
        (&["source", "rating"], true),
    ] {
        let expected = naively_sorted(rows.clone(), by, descending);
        let by = by.join(",");
        let order = if descending { &["--descending"][..] } else { &[] };
        // With 64 KB of memory the sort needs about twenty runs of 300 records.
        for more in [&["-t1"][..], &["--memory", "64K", "-t3", "--chunk-bytes", "700"], &["--no-mmap"]] {
            let ran = sort(&file, &[&["--by", &by, "--max-messages", "0"], order, more].concat());
            assert_eq!(ran.code, Some(1), "some are malformed: {}", ran.err);
            assert!(ran.out == format!("{header}{expected}"), "{by} {more:?}");
            assert!(ran.err.ends_with("\nsorted 6,000 records, wrote 6,000\n"), "{}", ran.err);
        }
        let out = scratch.path("o.csv");
        let arguments = ["--by", &by, "--take", "250", "--memory", "64K", "-q", "-o", out.to_str().unwrap()];
        let ran = sort(&file, &[&arguments, order].concat());
        assert_eq!((ran.code, &*ran.out, &*ran.err), (Some(1), "", ""));
        let first: String = expected.split_inclusive('\n').take(250).collect();
        assert!(std::fs::read_to_string(&out).unwrap() == format!("{header}{first}"));
    }
}

#[test]
fn lines_of_several_files_and_of_pipes_are_sorted() {
    let scratch = Scratch::new();
    let [first, second] = [("a.txt", ["..", "1."]), ("b.txt", ["12", ".."])].map(|(name, beginnings)| {
        let line = |beginning: &str| format!("{beginning}{} {name}", &A[2..]);
        scratch.file(name, format!("# comment\n{}\n\nbad\n{}", line(beginnings[0]), line(beginnings[1])))
    });
    let line = |beginning: &str, name: &str| format!("{beginning}{} {name}\n", &A[2..]);
    let expected = [("..", "a.txt"), ("..", "b.txt"), ("1.", "a.txt"), ("12", "b.txt")];
    let expected = expected.map(|(beginning, name)| line(beginning, name)).concat() + "bad\nbad\n";
    let ran = run(gridmill().arg("sort").args([&first, &second]).args(["--by", "clues"]));
    assert_eq!((ran.code, ran.out), (Some(1), expected.clone()));
    assert!(ran.err.contains("a.txt:4:1: record 2: malformed"), "{}", ran.err);
    let text = std::fs::read_to_string(&second).unwrap();
    let ran = run(gridmill().args(["sort", "--by", "clues", "--descending", "-q"]).write_stdin(text));
    assert_eq!(ran.out, line("12", "b.txt") + &line("..", "b.txt") + "bad\n");
}

#[test]
fn json_lines_and_puzzles_in_rows_are_sorted_unchanged() {
    let scratch = Scratch::new();
    let object = |rating: &str| format!("{{\"puzzle\": \"{A}\", \"rating\":{rating}}}\n");
    let ratings = ["3", "null", "\"10\"", "2.5"];
    let file = scratch.file("p.jsonl", ratings.map(object).concat());
    let ran = sort(&file, &["--by", "rating", "-q"]);
    assert_eq!((ran.code, ran.out), (Some(0), ["2.5", "3", "\"10\"", "null"].map(object).concat()));
    let rows = |blanks: usize| {
        let cells = format!("{}{}", ".".repeat(blanks), &A[blanks..]);
        let row = |row: &[u8]| format!("|{}|\n", String::from_utf8_lossy(row));
        let rows: String = cells.as_bytes().chunks(9).map(row).collect();
        format!("Grid without {blanks}\n+---------+\n{rows}+---------+\n\n")
    };
    let file = scratch.file("p.txt", [0, 20, 10].map(rows).concat());
    let ran = sort(&file, &["--by", "clues", "-q"]);
    assert_eq!((ran.code, ran.out), (Some(0), [20, 10, 0].map(rows).concat()));
}
