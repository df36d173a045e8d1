//! `gridmill canon`, as a user runs it, and its canonical forms.

use std::path::Path;

use crate::common::{as_lines, classics, easy_puzzles, mixed_puzzles, rng};
use crate::program::{Ran, Scratch, gridmill, run};
use gridmill_core::grid::{Isomorphism, Puzzle, Shape};
use gridmill_core::minlex::{Minlex, Transform};

use gridmill_core::solver::{EngineKind, SolutionLimit};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

fn canon(path: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("canon").arg(path).args(arguments))
}

fn header(ran: &Ran) -> &str {
    ran.out.lines().next().unwrap()
}

#[test]
fn canonical_forms_are_their_own_canonical_forms() {
    let scratch = Scratch::new();
    let file = scratch.file("puzzles.txt", as_lines(&classics()));
    let ran = canon(&file, &["-q"]);
    assert_eq!((ran.code, ran.err.as_str(), header(&ran)), (Some(0), "", "puzzle,canonical,status"));
    let mut minlex = Minlex::new();
    for (row, puzzle) in ran.rows().iter().zip(classics()) {
        let form = minlex.canonical(&puzzle).unwrap().form.to_string();
        assert_eq!(row[..], [puzzle.to_string(), form, "ok".to_owned()]);
    }
    let forms: String = ran.rows().iter().map(|row| row[1].clone() + "\n").collect();
    for row in canon(&scratch.file("forms.txt", forms), &[]).rows() {
        assert_eq!(row[0], row[1]);
    }
}

#[test]
fn isomorphs_have_the_same_canonical_form() {
    let scratch = Scratch::new();
    let puzzle: Puzzle = LINE.parse().unwrap();
    let mut rng = rng(3);
    let mut disguise = || Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(&puzzle);
    let disguises: Vec<Puzzle> = (0..100).map(|_| disguise()).collect();
    let file = scratch.file("puzzles.txt", as_lines(&disguises));
    let ran = canon(&file, &["--of-solution", "--transform", "--automorphisms"]);
    assert_eq!(header(&ran), "puzzle,canonical,transform,automorphisms,status");
    let rows = ran.rows();
    assert!(rows.iter().all(|row| row[1] == rows[0][1] && row[3..] == ["1", "unique"]));
    for options in [&["--transform"][..], &["--transform", "--maxlex"]] {
        let rows = canon(&file, options).rows();
        assert_eq!(rows.len(), 100);
        for row in &rows {
            let (puzzle, transform): (Puzzle, Transform) = (row[0].parse().unwrap(), row[2].parse().unwrap());
            assert_eq!(transform.isomorphism().apply_classic(&puzzle).to_string(), rows[0][1]);
            let is_in_order = if options.len() == 1 { row[0] >= row[1] } else { row[0] <= row[1] };
            assert!(is_in_order, "{row:?}");
        }
    }
}

#[test]
fn automorphisms_are_listed_as_transforms_to_the_puzzle_itself() {
    let scratch = Scratch::new();
    let symmetric = "123456789456789123789123456231564897564897231897231564312645978645978312978312645";
    let file = scratch.file("p.txt", format!("{symmetric}\n{LINE}\nbad\n"));
    let ran = canon(&file, &["--automorphisms", "--list-automorphisms"]);
    assert_eq!(header(&ran), "puzzle,canonical,automorphisms,automorphism_list,status");
    let rows = ran.rows();
    assert_eq!([&rows[0][2], &rows[1][2], &rows[2][2]], ["648", "1", ""]);
    assert_eq!((&*rows[1][3], &*rows[2][3]), ("-/123456789/123456789/123456789", ""));
    let list: Vec<&str> = rows[0][3].split(' ').collect();
    let distinct: std::collections::HashSet<_> = list.iter().collect();
    assert_eq!((list.len(), distinct.len(), list[0]), (648, 648, &*rows[1][3]));
    let puzzle: Puzzle = symmetric.parse().unwrap();
    for transform in list {
        let transform: Transform = transform.parse().unwrap();
        assert_eq!(transform.isomorphism().apply_classic(&puzzle), puzzle);
    }
    // With `--grid` these are the automorphisms of the solution, which has only the trivial one.
    let ran = canon(&file, &["--grid", "--list-automorphisms", "--columns", "automorphism_list"]);
    assert_eq!(ran.out.lines().nth(2), Some("-/123456789/123456789/123456789"));
}

#[test]
fn of_solution_writes_the_canonical_form_of_the_solution() {
    let scratch = Scratch::new();
    let mixed = mixed_puzzles(300, 5);
    let ran =
        canon(&scratch.file("mixed.txt", as_lines(&mixed)), &["--of-solution", "--transform", "--quiet"]);
    let mut engine = EngineKind::Bitmask.build();
    let mut statuses: Vec<String> = Vec::new();
    for (row, puzzle) in ran.rows().into_iter().zip(&mixed) {
        let outcome = engine.solve(puzzle, SolutionLimit::UNIQUENESS);
        assert_eq!(row[3] == "unique", outcome.solutions == 1, "{puzzle}");
        if outcome.solutions == 1 {
            let solution = outcome.solution.unwrap();
            let transform: Transform = row[2].parse().unwrap();
            let grid = Puzzle::from_cells(*solution.cells()).unwrap();
            assert_eq!(transform.isomorphism().apply_classic(&grid).to_string(), row[1]);
            assert_eq!(Minlex::new().canonical(&grid).unwrap().form.to_string(), row[1]);
        } else {
            assert_eq!(row[1..3], ["", ""]);
        }
        statuses.push(row[3].clone());
    }
    statuses.sort();
    statuses.dedup();
    assert_eq!(statuses, ["conflict", "multiple", "none", "unique"]);
    assert_eq!(ran.code, Some(1));
}

#[test]
fn bad_records_are_rows_without_a_form() {
    let scratch = Scratch::new();
    let conflict = LINE.replacen("53", "55", 1);
    let file = scratch.file("bad.txt", format!("{LINE}\nnonsense\n# remark\n{conflict}\n{LINE} x\n"));
    let ran = canon(&file, &["--automorphisms"]);
    let rows = ran.rows();
    assert_eq!(ran.code, Some(1));
    assert_eq!(rows[1], ["nonsense", "", "", "malformed"]);
    assert_eq!(rows[2], [&conflict, "", "", "conflict"]);
    assert_eq!((rows.len(), &rows[0][..]), (4, &rows[3][..]));
    assert!(ran.err.contains("bad.txt:2:1: record 2: malformed"), "{}", ran.err);
    assert!(ran.err.contains("bad.txt:4:1: record 3: conflict: row 1 holds two 5s"), "{}", ran.err);
    assert_eq!(canon(&file, &["--quiet"]).err, "");
    let nothing = canon(&scratch.path("nothing.txt"), &["-o", scratch.path("out.csv").to_str().unwrap()]);
    assert_eq!((nothing.code, scratch.names()), (Some(2), vec!["bad.txt".to_owned()]));
}

#[test]
fn tables_and_grids_are_read() {
    let scratch = Scratch::new();
    let form = canon(&scratch.file("line.txt", LINE), &[]).rows()[0][1].clone();
    let table = scratch.file("table.csv", format!("id,cells,status\n7,{LINE},x\n"));
    let ran = canon(&table, &["--puzzle-column", "cells"]);
    assert_eq!(ran.out, format!("id,cells,status,canonical,gridmill_status\n7,{LINE},x,{form},ok\n"));
    let rows: Vec<&str> = (0..9).map(|row| &LINE[9 * row..][..9]).collect();
    let ran = canon(&scratch.file("grid.txt", rows.join("\n")), &["--format", "grid"]);
    assert_eq!(ran.out, format!("puzzle,canonical,status\n{LINE},{form},ok\n"));
}

/// Each thread gets more than one chunk, and there is a record that is too long in the middle.
#[test]
fn rows_are_the_same_for_any_number_of_threads() {
    let scratch = Scratch::new();
    let lines = as_lines(&easy_puzzles(5000, 2));
    let text = format!("{lines}{}\n{lines}", "1".repeat(200_000));
    let file = scratch.file("many.txt", text);
    let one = canon(&file, &["--threads", "1", "--transform"]);
    let two = canon(&file, &["--threads", "2", "--transform"]);
    assert_eq!((one.rows().len(), one.code), (10_001, Some(1)));
    assert!(one.out == two.out);
    assert!(one.err.contains("many.txt:5001:1: record 5001: malformed"), "{}", one.err);
    assert!(
        one.err.contains("   records  10,001\n            ok                10,000   99.99 %"),
        "{}",
        one.err
    );
}

#[test]
fn bands_option_writes_the_class_of_each_band_and_stack() {
    let scratch = Scratch::new();
    let symmetric = "123456789456789123789123456231564897564897231897231564312645978645978312978312645";
    let file = scratch.file("p.txt", format!("{symmetric}\n{LINE}\n{}\n", ".".repeat(81)));
    let columns = "band1,band2,band3,stack1,stack2,stack3,status";
    let ran = canon(&file, &["--of-solution", "--bands", "--columns", columns]);
    let rows = ran.rows();
    assert_eq!((ran.code, rows[0].join(",").as_str()), (Some(0), "1,1,1,1,1,1,unique"), "{}", ran.err);
    assert_eq!(rows[1].join(","), "379,244,209,368,174,331,unique");
    assert_eq!(rows[2].join(","), ",,,,,,multiple");
    let small = scratch.file("s.txt", "1234341221434321\n");
    let ran = canon(&small, &["--of-solution", "--bands"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("classes of bands are for grids of one size, 9x9"),
        "{}",
        ran.err
    );
    assert_eq!(canon(&file, &["--bands"]).code, Some(2));
}
