//! `gridmill backdoors`, as a user runs it.

use crate::program::{Scratch, gridmill, run};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const HARD: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";

#[test]
fn every_record_has_a_row_with_the_size_and_the_cells() {
    let scratch = Scratch::new();
    let (multiple, conflict) = (".".repeat(81), format!("11{}", ".".repeat(79)));
    let file = scratch.file("p.txt", [EASY, &multiple, HARD, &conflict, "bad", ""].join("\n"));
    let ran = run(gridmill().arg("backdoors").arg(&file));
    let expected = [
        [EASY, "0", "", "unique"],
        [&multiple, "", "", "multiple"],
        [HARD, "2", "r1c2 r6c2", "unique"],
        [&conflict, "", "", "conflict"],
        ["bad", "", "", "malformed"],
    ];
    assert_eq!(
        (ran.code, ran.rows()),
        (Some(1), expected.map(|row| row.map(str::to_owned).to_vec()).to_vec())
    );
}

#[test]
fn all_sets_are_listed_and_counted() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{EASY}\n{HARD}\n"));
    let ran =
        run(gridmill().args(["backdoors", "--all", "--columns", "size,backdoor,sets,backdoors"]).arg(&file));
    let rows = ran.rows();
    assert_eq!(rows[0], ["0", "", "1", ""]);
    let sets: Vec<&str> = rows[1][3].split("; ").collect();
    assert_eq!((&*rows[1][0], &*rows[1][1], &*rows[1][2], sets.len()), ("2", sets[0], "33", 33));
    assert!(sets.iter().all(|set| set.split(' ').count() == 2), "{sets:?}");
}

#[test]
fn techniques_up_to_a_rating_are_for_9x9() {
    let scratch = Scratch::new();
    let hard = scratch.file("p.txt", format!("{HARD}\n"));
    let ran =
        run(gridmill().args(["backdoors", "--up-to", "1.0", "--columns", "size,backdoor,status"]).arg(hard));
    assert_eq!((ran.code, ran.rows()), (Some(0), vec![["", "", "more"].map(str::to_owned).to_vec()]));
    let small = scratch.file("s.txt", "1..4.4......3..1\n");
    let ran = run(gridmill().args(["backdoors", "--up-to", "4.2"]).arg(small));
    assert!(
        ran.code == Some(2) && ran.err.contains("ratings are for puzzles of one size, 9x9"),
        "{}",
        ran.err
    );
}

/// The budget is for each puzzle, and one set that is tried is a guess.
#[test]
fn a_puzzle_is_given_up_at_its_budget() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{HARD}\n{EASY}\n"));
    let ran =
        run(gridmill().args(["backdoors", "--budget-guesses", "40", "--columns", "size,status"]).arg(file));
    let expected = [["", "budget"], ["0", "unique"]].map(|row| row.map(str::to_owned).to_vec());
    assert_eq!((ran.code, ran.rows()), (Some(1), expected.to_vec()), "{}", ran.err);
}
