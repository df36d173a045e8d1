//! `gridmill backdoors` and `gridmill unavoidable`.

use std::collections::HashSet;

use crate::program::{Ran, Scratch, gridmill, run};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
const HARD: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";

#[test]
fn backdoors_has_a_row_for_every_record_with_size_and_cells() {
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
fn all_lists_and_counts_every_backdoor() {
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
fn up_to_limits_the_techniques_and_requires_9x9() {
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

/// Each puzzle has the whole budget, and each set that is tried counts as a guess.
#[test]
fn the_search_for_backdoors_of_a_puzzle_stops_at_its_budget() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{HARD}\n{EASY}\n"));
    let ran =
        run(gridmill().args(["backdoors", "--budget-guesses", "40", "--columns", "size,status"]).arg(file));
    let expected = [["", "budget"], ["0", "unique"]].map(|row| row.map(str::to_owned).to_vec());
    assert_eq!((ran.code, ran.rows()), (Some(1), expected.to_vec()), "{}", ran.err);
}

fn unavoidable(text: String, arguments: &[&str]) -> Ran {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", text);
    run(gridmill().arg("unavoidable").arg(file).args(arguments))
}

#[test]
fn a_puzzle_and_its_solution_have_the_same_unavoidable_sets() {
    let ran = unavoidable(format!("{EASY}\n{SOLVED}\n"), &["--cells", "8"]);
    assert_eq!((ran.code, ran.out.lines().next()), (Some(0), Some("record,size,cells,hits")), "{}", ran.err);
    let (rows, is_clue) = (ran.rows(), |name: &str| {
        let place = |at: usize| name.as_bytes()[at] as usize - usize::from(b'1');
        EASY.as_bytes()[9 * place(1) + place(3)] != b'.'
    });
    let of = |record: &str| {
        let rows = rows.iter().filter(move |row| row[0] == record);
        rows.map(|row| (row[1].clone(), row[2].clone(), row[3].clone())).collect::<Vec<_>>()
    };
    let (puzzle, solved) = (of("1"), of("2"));
    assert!(puzzle.len() > 20 && puzzle.len() == solved.len());
    for ((size, cells, hits), (_, same, all)) in puzzle.iter().zip(&solved) {
        let names: Vec<&str> = cells.split(' ').collect();
        let clues = names.iter().filter(|name| is_clue(name)).count();
        assert_eq!((&names.len().to_string(), cells, &clues.to_string()), (size, same, hits));
        assert!(all == size && clues > 0, "a puzzle has a clue in each set");
    }
    let cells: HashSet<_> = puzzle.iter().map(|(_, cells, _)| cells).collect();
    assert_eq!(cells.len(), puzzle.len());
    assert!(ran.err.contains(&format!("sets  {}\n", 2 * puzzle.len())), "{}", ran.err);
}

#[test]
fn hits_selects_sets_by_their_number_of_clues() {
    let all = unavoidable(format!("{EASY}\n"), &["--cells", "10"]).rows();
    let once = unavoidable(format!("{EASY}\n"), &["--cells", "10", "--hits", "1"]).rows();
    let expected: Vec<_> = all.iter().filter(|row| row[3] == "1").cloned().collect();
    assert!(!once.is_empty() && once.len() < all.len());
    assert_eq!(once, expected);
}

#[test]
fn totals_has_a_row_for_every_record() {
    let blank = ".".repeat(81);
    let counted = ["--totals", "--columns", "record,sets,sizes,least_clues,status"];
    let ran = unavoidable(format!("{EASY}\n{blank}\nbad\n{SOLVED}\n"), &counted);
    let rows = ran.rows();
    assert_eq!(
        (ran.code, &rows[1][..], &rows[2][..]),
        (
            Some(1),
            &["2", "", "", "", "multiple"].map(str::to_owned)[..],
            &["3", "", "", "", "malformed"].map(str::to_owned)[..],
        )
    );
    assert_eq!(rows[0][1..], rows[3][1..]);
    let sizes: Vec<(usize, usize)> = rows[0][2]
        .split(' ')
        .map(|run| {
            run.split_once(':').map(|(size, sets)| (size.parse().unwrap(), sets.parse().unwrap())).unwrap()
        })
        .collect();
    assert!(sizes.is_sorted() && sizes[0].0 >= 4, "{sizes:?}");
    assert_eq!(rows[0][1], sizes.iter().map(|(_, sets)| sets).sum::<usize>().to_string());
    let least: usize = rows[0][3].parse().unwrap();
    assert!((8..=17).contains(&least), "{least}");
}

#[test]
fn unavoidable_sets_are_found_in_other_sizes() {
    let ran = unavoidable("1234341221434321\n".to_owned(), &[]);
    assert!(
        ran.code == Some(0) && ran.rows().iter().all(|row| row[1].parse::<usize>().unwrap() >= 4),
        "{}",
        ran.out
    );
    let ran = unavoidable("1234341221434321\n".to_owned(), &["--to", "jsonl"]);
    assert!(ran.code == Some(2) && ran.err.contains("--totals"), "{}", ran.err);
}
