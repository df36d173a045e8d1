//! The commands for collections, with puzzles of every size.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common;
use crate::common::grids::{clues_of, random_full, shape};
use crate::program::{Ran, Scratch, gridmill, run};
use gridmill_core::grid::{Grid, Shape};
use gridmill_data::text::Alphabet;

fn command(name: &str, files: &[&Path], arguments: &[&str]) -> Ran {
    run(gridmill().arg(name).args(files).args(arguments))
}

/// The shapes, with alphabets that need no option.
fn shapes() -> [(Shape, Alphabet); 8] {
    let all = [
        (2, 2, "1-4"),
        (2, 3, "1-6"),
        (3, 2, "1-6"),
        (2, 4, "1-8"),
        (3, 3, "1-9"),
        (3, 4, "1-9A-C"),
        (4, 4, "1-9A-G"),
        (5, 5, "A-Y"),
    ];
    all.map(|(high, wide, alphabet)| (shape(high, wide), alphabet.parse().unwrap()))
}

/// Puzzles of a shape, each with this part of the cells as clues.
fn puzzles(shape: Shape, part: f64, count: usize) -> Vec<Grid> {
    let mut rng = common::rng(shape.cells() as u64);
    let clues = (part * shape.cells() as f64) as usize;
    let full = (0..count).map(|_| random_full(shape, &mut rng)).collect::<Vec<_>>();
    full.iter().map(|full| clues_of(shape, full, clues, &mut rng)).collect()
}

/// Counts solutions, up to two, by trying cell by cell. It shares no code with the engines, so that it
/// can check them.
fn solutions(shape: Shape, cells: &mut [u8]) -> usize {
    let side = shape.side();
    let Some(cell) = cells.iter().position(|&cell| cell == 0) else { return 1 };
    let box_of = |cell: usize| (cell / side / shape.box_rows(), cell % side / shape.box_columns());
    let mut found = 0;
    for digit in 1..=side as u8 {
        let sees = |other: usize| {
            other / side == cell / side || other % side == cell % side || box_of(other) == box_of(cell)
        };
        if found < 2 && !(0..cells.len()).any(|other| cells[other] == digit && sees(other)) {
            cells[cell] = digit;
            found += solutions(shape, cells);
        }
    }
    cells[cell] = 0;
    found.min(2)
}

fn cells_of(text: &str, alphabet: &Alphabet) -> Vec<u8> {
    text.bytes().map(|byte| alphabet.cell(byte).unwrap()).collect()
}

#[test]
fn duplicates_and_overlaps_of_every_shape_are_found() {
    let scratch = Scratch::new();
    for (shape, alphabet) in shapes() {
        let puzzles = puzzles(shape, 0.5, 6);
        let lines: Vec<String> = puzzles.iter().map(|puzzle| alphabet.write(puzzle.cells())).collect();
        let distinct: BTreeSet<&String> = lines.iter().collect();
        assert_eq!(distinct.len(), lines.len());
        let zeros = lines[1].replace('.', "0");
        let text = format!("{}\n{zeros}\n{}\n", lines.join("\n"), lines[4]);
        let file = scratch.file("p.txt", text);
        let named = ["--shape", &shape.to_string()];
        let ran = command("dedupe", &[&file], &named);
        assert_eq!((ran.code, ran.out), (Some(1), lines.join("\n") + "\n"), "{shape}: {}", ran.err);
        let other = scratch.file("q.txt", format!("{}\n{zeros}\n", lines[5]));
        for threads in ["-t1", "-t3"] {
            let ran = command("overlap", &[&other, &file], &[&named[..], &[threads]].concat());
            let rows = ran.rows().into_iter().map(|row| row.join(" ")).collect::<Vec<_>>();
            assert_eq!(rows, [format!("1 1 {} 6 6", lines[5]), format!("2 2 {} 2 2", lines[1])], "{shape}");
        }
    }
}

#[test]
fn a_collection_can_have_mixed_sizes() {
    let scratch = Scratch::new();
    let lines: Vec<String> = [(2, 2), (2, 3), (3, 3), (2, 2), (4, 4)]
        .map(|(high, wide)| puzzles(shape(high, wide), 0.9, 1)[0].to_string())
        .to_vec();
    let blank = ".".repeat(16);
    let file = scratch.file("p.txt", format!("{}\n{blank}\n", lines.join("\n")));
    let ran = command("dedupe", &[&file], &["--mixed"]);
    let expected = [&lines[0], &lines[1], &lines[2], &lines[4], &blank];
    assert_eq!(ran.out.lines().collect::<Vec<_>>(), expected, "{}", ran.err);
    let ran = command("select", &[&file], &["--mixed", "--status", "multiple"]);
    assert_eq!(ran.out, format!("{blank}\n"), "{}", ran.err);
    let ran = command("stats", &[&file], &["--mixed"]);
    assert!(
        ran.out.contains("records                         6\nduplicates                      1"),
        "{}",
        ran.out
    );
    let ran = command("minimal", &[&file], &["--mixed", "-t2"]);
    assert!(ran.rows().iter().take(5).all(|row| row[1] == "redundant"), "{}", ran.out);
    let ran = command("shuffle", &[&file], &["--mixed"]);
    let lengths = |text: &str| text.lines().map(str::len).collect::<Vec<_>>();
    assert_eq!(lengths(&ran.out), [16, 36, 81, 16, 256, 16]);
    let ran = command("canon", &[&file], &["--mixed"]);
    assert!(ran.code == Some(2) && ran.err.contains("these are of mixed sizes"), "{}", ran.err);
}

#[test]
fn shuffles_keep_the_number_of_clues_and_solutions() {
    let scratch = Scratch::new();
    for (shape, alphabet) in shapes() {
        let puzzles = puzzles(shape, 0.8, 4);
        let lines: Vec<String> = puzzles.iter().map(|puzzle| alphabet.write(puzzle.cells())).collect();
        let file = scratch.file("p.txt", lines.join("\n"));
        let named = ["--shape", &shape.to_string(), "--copies", "3", "--seed", "5"];
        let ran = command("shuffle", &[&file], &named);
        let shuffled: Vec<&str> = ran.out.lines().collect();
        assert_eq!((ran.code, shuffled.len()), (Some(0), 12), "{shape}: {}", ran.err);
        for (index, line) in shuffled.iter().enumerate() {
            let mut cells = cells_of(line, &alphabet);
            let puzzle = &puzzles[index / 3];
            let clues = cells.iter().filter(|&&cell| cell != 0).count();
            assert_eq!(clues, puzzle.clue_count());
            assert_ne!(*line, lines[index / 3]);
            assert_eq!(
                solutions(shape, &mut cells),
                solutions(shape, &mut puzzle.cells().to_vec()),
                "{line}"
            );
        }
        let threads = [&named[..], &["-t3", "--chunk-bytes", "300"]].concat();
        assert_eq!(command("shuffle", &[&file], &threads).out, ran.out);
    }
}

#[test]
fn shuffle_transforms_solutions_like_their_puzzles() {
    let scratch = Scratch::new();
    for (shape, alphabet) in [((2, 3), "1-6"), ((3, 4), "1-9A-C"), ((4, 4), "0-9A-F")] {
        let (shape, alphabet): (_, Alphabet) =
            (crate::common::grids::shape(shape.0, shape.1), alphabet.parse().unwrap());
        let mut rng = common::rng(3);
        let full = random_full(shape, &mut rng);
        let puzzle = clues_of(shape, &full, shape.cells() - 5, &mut rng);
        let row = format!("7,{},{}", alphabet.write(puzzle.cells()), alphabet.write(&full));
        let file = scratch.file("p.csv", format!("id,puzzle,solution\n{row}\n"));
        let named = ["--alphabet", &alphabet.to_string(), "--shape", &shape.to_string()];
        let ran = command("shuffle", &[&file], &[&named[..], &["--copies", "4", "-q"]].concat());
        assert!(ran.rows().iter().all(|row| row[0] == "7"));
        let more = scratch.file("q.csv", &ran.out);
        let checked = command("check", &[&more], &named);
        assert_eq!((checked.code, ran.out.lines().count()), (Some(0), 5), "{}{}", checked.out, checked.err);
    }
}

#[test]
fn puzzles_of_shapes_below_9x9_are_minimized() {
    let scratch = Scratch::new();
    for (shape, alphabet) in shapes().into_iter().filter(|(shape, _)| shape.side() < 9) {
        let puzzles = puzzles(shape, 0.95, 3);
        let lines: Vec<String> = puzzles.iter().map(|puzzle| alphabet.write(puzzle.cells())).collect();
        let file = scratch.file("p.txt", lines.join("\n"));
        let shaped = ["--shape", &shape.to_string()];
        let ran = command("minimize", &[&file], &shaped);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(command("minimize", &[&file], &[&shaped[..], &["-t3"]].concat()).out, ran.out);
        let minimal: Vec<String> = ran.rows().into_iter().map(|row| row[1].clone()).collect();
        for (line, row) in minimal.iter().zip(ran.rows()) {
            let mut cells = cells_of(line, &alphabet);
            let clues: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell] != 0).collect();
            assert_eq!(row[2..], ["unique".to_owned(), clues.len().to_string()]);
            if shape.side() <= 6 {
                assert_eq!(solutions(shape, &mut cells), 1, "{line}");
                for cell in clues {
                    let digit = std::mem::take(&mut cells[cell]);
                    assert_eq!(solutions(shape, &mut cells), 2, "{line}");
                    cells[cell] = digit;
                }
            }
        }
        let file = scratch.file("q.txt", minimal.join("\n"));
        let ran = command("minimal", &[&file], &shaped);
        assert!(ran.rows().iter().all(|row| row[1..] == ["minimal", ""]), "{}", ran.out);
        assert_eq!(
            command("select", &[&file], &[&shaped[..], &["--minimal", "-q"]].concat()).out.lines().count(),
            3
        );
    }
}

#[test]
fn redundant_clues_are_listed_and_a_budget_ends_searches() {
    let scratch = Scratch::new();
    let full = "1234341221434321";
    let file = scratch.file("p.txt", format!("{full}\n{}\n", ".".repeat(16)));
    let ran = command("minimal", &[&file], &[]);
    let all: Vec<String> = (0..16).map(|cell| format!("r{}c{}", cell / 4 + 1, cell % 4 + 1)).collect();
    assert_eq!(ran.rows()[0][1..], ["redundant".to_owned(), all.join(" ")]);
    assert_eq!(ran.rows()[1][1..], ["multiple", ""]);
    let ran = command("minimize", &[&file], &["--search-guesses", "0"]);
    assert_eq!((ran.code, &*ran.rows()[1][2]), (Some(1), "budget"), "{}", ran.out);
    // The puzzle still has one solution, even if a search was stopped.
    let mut cells = cells_of(&ran.rows()[0][1], &"1-4".parse().unwrap());
    assert_eq!(solutions(shape(2, 2), &mut cells), 1);
}

#[test]
fn isomorphs_of_small_puzzles_have_the_same_canonical_form() {
    let scratch = Scratch::new();
    for (shape, alphabet) in shapes().into_iter().filter(|(shape, _)| shape.side() <= 9) {
        let puzzles = puzzles(shape, 0.7, 3);
        let lines: Vec<String> = puzzles.iter().map(|puzzle| alphabet.write(puzzle.cells())).collect();
        let file = scratch.file("p.txt", lines.join("\n"));
        let shaped = ["--shape", &shape.to_string()];
        let shuffled = command("shuffle", &[&file], &[&shaped[..], &["--copies", "2"]].concat());
        let other = scratch.file("q.txt", &shuffled.out);
        let ran = command("canon", &[&other], &[&shaped[..], &["--transform", "--automorphisms"]].concat());
        let forms: Vec<_> = ran.rows().iter().map(|row| (row[1].clone(), row[3].clone())).collect();
        assert_eq!((ran.code, forms.len()), (Some(0), 6), "{}", ran.err);
        assert!(forms.chunks(2).all(|two| two[0] == two[1]), "{}", ran.out);
        let distinct: BTreeSet<_> = forms.iter().map(|(form, _)| form).collect();
        assert_eq!(distinct.len(), 3, "{shape}");
        let ran = command("canon", &[&other], &[&shaped[..], &["--of-solution", "-t3"]].concat());
        let is_right = |row: &Vec<String>| (row[2] == "unique") == (row[1].len() == shape.cells());
        assert!(ran.rows().iter().all(is_right) && ran.out.contains("unique"), "{}", ran.out);
        let ran = command("dedupe", &[&other], &[&shaped[..], &["--isomorphic", "-q"]].concat());
        assert_eq!(ran.out.lines().count(), 3, "{shape}");
        let ran = command("overlap", &[&other, &file], &[&shaped[..], &["--isomorphic", "-q"]].concat());
        assert_eq!(ran.rows().len(), 6, "{shape}");
        let ran = command("stats", &[&other], &[&shaped[..], &["--isomorphic"]].concat());
        assert!(ran.out.contains("duplicates                      3   50.00 %"), "{}", ran.out);
    }
    let large = scratch.file("r.txt", ".".repeat(256));
    let ran = command("canon", &[&large], &["--alphabet", "A-P"]);
    assert!(ran.code == Some(2) && ran.err.contains("up to 9x9, but these are 16x16"), "{}", ran.err);
    // The help must not offer an option that is refused.
    assert!(!run(gridmill().args(["canon", "--help"])).out.contains("--mixed"));
    assert!(run(gridmill().args(["shuffle", "--help"])).out.contains("--mixed"));
}

#[test]
fn a_transform_of_a_4x4_puzzle_has_four_rows_columns_and_digits() {
    let ran = run(gridmill().args(["canon", "-", "--transform"]).write_stdin("...2.....3......\n"));
    assert_eq!(ran.out.lines().next(), Some("puzzle,canonical,transform,status"));
    let transform = &ran.rows()[0][2];
    let lengths: Vec<usize> = transform.split('/').map(str::len).collect();
    assert_eq!(lengths, [1, 4, 4, 4], "{transform}");
}

#[test]
fn summaries_report_removed_clues_and_other_results() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", "1234341221434321\n1234341221434321\n................\nbad\n");
    let ran = command("minimize", &[&file], &[]);
    let minimal: usize = ran.rows().iter().take(2).map(|row| row[3].parse::<usize>().unwrap()).sum();
    let expected = format!(
        "   records  4\n            unique                 2   50.00 %\n            multiple               1   25.00 %\n            \
         malformed              1   25.00 %\n     clues  {} removed: from 16.00 to {:.2} per puzzle\n wall time  ",
        32 - minimal,
        minimal as f64 / 2.0
    );
    assert!(ran.err.contains(&expected), "{}", ran.err);
    let ran = command("minimal", &[&file], &[]);
    assert!(ran.err.contains("\n   minimal  0\n wall time"), "{}", ran.err);
    let ran = command("enumerate", &[&file], &["--limit", "10"]);
    assert!(ran.err.contains("\n solutions  12\n wall time"), "{}", ran.err);
    let ran = command("canon", &[&file], &[]);
    assert!(ran.err.contains("\n            ok                     3   75.00 %\n"), "{}", ran.err);
    let quiet = command("canon", &[&file], &["-q"]);
    assert!(quiet.err.is_empty() && quiet.out == ran.out, "{}", quiet.err);
    assert!(!command("shuffle", &[&file], &[]).err.contains("wall time"));
}
