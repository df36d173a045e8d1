//! `gridmill candidates`, as a user runs it.

use std::path::Path;

use crate::program::{Ran, Scratch, gridmill, run};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn candidates(path: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("candidates").arg(path).args(arguments))
}

fn dataset(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name)
}

#[test]
fn rows_hold_candidates_and_a_status_for_every_record() {
    let scratch = Scratch::new();
    let conflict = format!("55{}", &LINE[2..]);
    // The row and the box of the third cell allow a 1, but no solution has it there.
    let none = format!("531{}", &LINE[3..]);
    let file = scratch.file("p.txt", format!("{LINE}\n{conflict}\n{none}\n53..7\n{}\n", ".".repeat(81)));
    let ran = candidates(&file, &[]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.starts_with("puzzle,candidates,status\n"));
    assert!(ran.err.contains("record 2: conflict") && ran.err.contains("record 4: malformed"), "{}", ran.err);
    let rows = ran.rows();
    let statuses: Vec<&str> = rows.iter().map(|row| row[2].as_str()).collect();
    assert_eq!(statuses, ["unique", "conflict", "none", "malformed", "multiple"]);
    assert!(rows[0][1].starts_with("....5......3.........4...") && rows[0][1].len() == 729);
    assert!(rows[1..4].iter().all(|row| row[1].is_empty()));
    assert_eq!(rows[4][1], "123456789".repeat(81));
}

#[test]
fn candidates_are_read_again_as_pencilmarks_with_the_same_solutions() {
    let scratch = Scratch::new();
    let file = dataset("multiple.txt");
    let head = std::fs::read_to_string(&file).unwrap().lines().take(10).collect::<Vec<_>>().join("\n");
    let file = scratch.file("m.txt", head);
    let rows = scratch.path("rows.csv");
    let written = candidates(&file, &["-o", rows.to_str().unwrap()]);
    assert_eq!((written.code, written.err.as_str()), (Some(0), ""));
    let solutions = |ran: Ran, column: usize| -> Vec<String> {
        ran.rows().iter().map(|row| row[column].clone()).collect()
    };
    let of_clues = run(gridmill().arg("count").arg(&file));
    let of_marks = run(gridmill().arg("count").arg(&rows).args(["--puzzle-column", "candidates"]));
    assert_eq!(solutions(of_marks, 3), solutions(of_clues, 1));
}

#[test]
fn counts_match_the_enumerated_solutions_up_to_the_cap() {
    let scratch = Scratch::new();
    let file = scratch.file("four.txt", "12..............\n1...............\n11..............\n");
    let listed = run(gridmill().arg("enumerate").arg(&file).arg("-q"));
    for cap in [1, 5, 1000] {
        let ran = candidates(&file, &["--counts", "--cap", &cap.to_string(), "--quiet"]);
        assert_eq!(ran.code, Some(1));
        let mut expected = Vec::new();
        for (record, cell) in [1, 2].into_iter().flat_map(|record| (0..16).map(move |cell| (record, cell))) {
            for digit in '1'..='4' {
                let holds = |row: &&Vec<String>| {
                    row[0] == record.to_string() && row[1].chars().nth(cell) == Some(digit)
                };
                let solutions = listed.rows().iter().filter(holds).count().min(cap);
                let capped = if solutions == cap { "yes" } else { "no" };
                if solutions > 0 {
                    let (row, column) = (cell / 4 + 1, cell % 4 + 1);
                    expected.push(format!("{record},r{row}c{column},{digit},{solutions},{capped}"));
                }
            }
        }
        let rows: Vec<&str> = ran.out.lines().collect();
        assert_eq!(rows[0], "record,cell,digit,solutions,capped");
        assert_eq!(rows[1..], expected);
    }
}

#[test]
fn a_grid_shows_the_candidates_of_each_cell() {
    let scratch = Scratch::new();
    let file = scratch.file("four.txt", "12..............");
    let ran = candidates(&file, &["--to", "grid"]);
    let grid = "record 1: multiple
+---------+-----------+
| 1   2   | 34   34   |
| 34  34  | 12   12   |
+---------+-----------+
| 234 134 | 1234 1234 |
| 234 134 | 1234 1234 |
+---------+-----------+
";
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), grid));
}

#[test]
fn large_puzzles_have_a_place_for_each_digit() {
    let scratch = Scratch::new();
    let text = std::fs::read_to_string(dataset("16x16.txt")).unwrap();
    let line = text.lines().find(|line| !line.starts_with('#')).unwrap();
    let ran = candidates(&scratch.file("p.txt", line), &[]);
    let rows = ran.rows();
    assert_eq!((rows[0][1].len(), rows[0][2].as_str()), (16 * 16 * 16, "unique"));
    assert_eq!(rows[0][1].bytes().filter(|&place| place != b'.').count(), 256);

    let full = (0..256).map(|cell| (cell % 16 + 4 * (cell / 16 % 4) + cell / 64) % 16 + 1);
    let clues: Vec<String> = full.map(|digit| digit.to_string()).collect();
    let line = format!("0 0 {}", clues[2..].join(" "));
    let ran = candidates(&scratch.file("n.txt", line), &["--format", "line"]);
    let zeros = |count: usize| vec!["0"; count].join(" ");
    let first = format!("1 {} 2 {} 3 ", zeros(15 + 1), zeros(14 + 2));
    assert!(ran.rows()[0][1].starts_with(&first), "{}", ran.out);
    assert_eq!(ran.rows()[0][2], "unique");
}

#[test]
fn rows_keep_input_columns_and_do_not_depend_on_threads() {
    let scratch = Scratch::new();
    let file = scratch.file("t.csv", format!("id,puzzle,status\n7,{LINE},old\n8,{},older\n", ".".repeat(81)));
    let one = candidates(&file, &["--threads", "1"]);
    assert!(one.out.starts_with("id,puzzle,status,candidates,gridmill_status\n7,5"), "{}", one.out);
    let two = candidates(&file, &["--threads", "2", "--chunk-bytes", "10"]);
    assert_eq!(one.out, two.out);
}

#[test]
fn a_cap_needs_counts() {
    let ran = candidates(&dataset("4x4.txt"), &["--cap", "3"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--counts"), "{}", ran.err);
}
