//! `gridmill minimize --all`.

use crate::common;
use crate::program::{Scratch, gridmill, run};

const A: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

#[test]
fn all_minimal_puzzles_have_rows() {
    let scratch = Scratch::new();
    let (conflict, empty) = (A.replacen("53", "55", 1), ".".repeat(81));
    let file =
        scratch.file("p.csv", format!("id,puzzle\n1,bad\n2,{A}\n3,{empty}\n4,{conflict}\n5,{A}\n6,bad\n"));
    let listed = |more: &[&str]| {
        let ran = run(gridmill().args(["minimize", "--all"]).arg(&file).args(more));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        ran
    };
    let whole = listed(&[]);
    let out = &whole.out;
    for line in
        ["minimal  832", "unique                 2", "multiple               1", "malformed              2"]
    {
        assert!(whole.err.contains(line), "{line}: {}", whole.err);
    }
    let rows: Vec<(&str, &str)> = out.lines().skip(1).map(|row| row.split_once(',').unwrap()).collect();
    assert_eq!(out.lines().next(), Some("record,minimal"));
    let of = |record: &str| rows.iter().filter(|row| row.0 == record).map(|row| row.1).collect::<Vec<_>>();
    assert_eq!(["1", "2", "3", "4", "5", "6"].map(|record| of(record).len()), [0, 416, 0, 0, 416, 0]);
    assert!(rows.is_sorted_by_key(|row| row.0));
    let minimal = of("2");
    let places =
        |minimal: &&str| minimal.match_indices(|c| c != '.').map(|(place, _)| place).collect::<Vec<_>>();
    assert!(minimal.is_sorted_by_key(places));
    for puzzle in &minimal {
        assert!(puzzle.bytes().zip(A.bytes()).all(|(cell, clue)| cell == b'.' || cell == clue));
    }
    let checked = run(gridmill().args(["minimal", "-", "-q"]).write_stdin(minimal.join("\n"))).out;
    assert!(checked.lines().skip(1).all(|row| row.ends_with(",minimal,")));
    for more in [&["-t1"][..], &["-t3", "--chunk-bytes", "100000"], &["--no-mmap", "--chunk-bytes", "50"]] {
        assert_eq!(&listed(more).out, out, "{more:?}");
    }
    let few = listed(&["--limit", "3", "--columns", "id,minimal"]).out;
    let of_both =
        ["2", "5"].map(|id| minimal[..3].iter().map(|puzzle| format!("{id},{puzzle}\n")).collect::<String>());
    assert_eq!(few, format!("id,minimal\n{}", of_both.concat()));
}

#[test]
fn lists_of_many_parts_stay_in_order_and_end_at_a_budget() {
    let scratch = Scratch::new();
    let full = common::easy_puzzles(1, 3)[0].to_string();
    let file = scratch.file("p.txt", format!("bad\n{full}\nbad\n{full}\n{A}\n"));
    let listed = |more: &[&str]| {
        let ran = run(gridmill().args(["minimize", "--all"]).arg(&file).args(more));
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        ran
    };
    let columns = ["--columns", "record", "--limit", "2000"];
    let records = listed(&[&columns[..], &["-t1"]].concat()).out;
    assert!(records.lines().count() > 4000 && records.lines().skip(1).is_sorted());
    assert_eq!(listed(&[&columns[..], &["-t3", "--chunk-bytes", "100000"]].concat()).out, records);
    let of_budget = listed(&["--budget-guesses", "300"]);
    assert!(of_budget.err.contains("budget                 3"), "{}", of_budget.err);
}
