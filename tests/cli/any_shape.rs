//! `gridmill solve` with puzzles of every size: formats, alphabets, mixed sizes, and texts that can't be
//! read.

use crate::common;
use crate::common::grids::{clues_of, random_full, shape};
use crate::program::{Ran, Scratch, gridmill, run, solve, untimed};
use gridmill_core::grid::{Grid, Shape, rules};
use gridmill_data::text::Alphabet;

/// A few puzzles with most of their clues.
fn puzzles(shape: Shape, count: usize) -> Vec<Grid> {
    let mut rng = common::rng(shape.cells() as u64);
    let clues = shape.cells() * 3 / 4;
    let full = (0..count).map(|_| random_full(shape, &mut rng)).collect::<Vec<_>>();
    full.iter().map(|full| clues_of(shape, full, clues, &mut rng)).collect()
}

/// The text of puzzles, one per line.
fn lines(puzzles: &[Grid], write: &dyn Fn(&Grid) -> String) -> String {
    puzzles.iter().map(|puzzle| write(puzzle) + "\n").collect()
}

fn in_alphabet(name: &str) -> impl Fn(&Grid) -> String {
    let alphabet: Alphabet = name.parse().unwrap();
    move |puzzle| alphabet.write(puzzle.cells())
}

/// The rows of a puzzle in a frame, with a rule between bands and bars between stacks.
fn framed(puzzle: &Grid, cell: &dyn Fn(u8) -> String, gap: &str) -> String {
    let shape = puzzle.shape();
    let (side, wide) = (shape.side(), shape.box_columns());
    let stack = |cells: &[u8]| cells.iter().map(|&value| cell(value)).collect::<Vec<_>>().join(gap);
    let row = |row: &[u8]| format!("| {} |\n", row.chunks(wide).map(stack).collect::<Vec<_>>().join(" | "));
    let rule = format!("+{}\n", format!("{}+", "-".repeat(2 * wide + 1)).repeat(side / wide));
    let rows: Vec<String> = puzzle.cells().chunks(side).map(row).collect();
    let bands = rows.chunks(shape.box_rows()).map(<[String]>::concat).collect::<Vec<_>>();
    format!("{rule}{}{rule}", bands.join(&rule))
}

/// Asserts that every row holds the puzzle as it was written, and its solution in the same alphabet.
fn assert_solved(ran: &Ran, puzzles: &[Grid], alphabet: &Alphabet) {
    let rows = ran.rows();
    assert_eq!((ran.code, rows.len()), (Some(0), puzzles.len()), "{}", ran.err);
    for (row, puzzle) in rows.iter().zip(puzzles) {
        let row = &row[row.len() - 5..];
        assert_eq!(row[0], alphabet.write(puzzle.cells()));
        assert!(row[2] == "unique" || row[2] == "multiple", "{}", row[2]);
        let cells = cells_of(&row[1], alphabet);
        assert!(rules::is_solution(puzzle.shape(), puzzle.cells(), &cells), "{row:?}");
    }
}

fn cells_of(text: &str, alphabet: &Alphabet) -> Vec<u8> {
    if text.contains(' ') {
        return text.split(' ').map(|number| number.parse().unwrap()).collect();
    }
    text.bytes().map(|byte| alphabet.cell(byte).unwrap()).collect()
}

#[test]
fn lines_of_every_size_are_solved() {
    let scratch = Scratch::new();
    for (rows, columns, alphabet) in [
        (2, 2, "1-4"),
        (2, 3, "1-6"),
        (3, 2, "1-6"),
        (2, 4, "1-8"),
        (3, 4, "1-9A-C"),
        (2, 6, "A-L"),
        (4, 4, "1-9A-G"),
        (4, 4, "0-9A-F"),
        (4, 4, "A-P"),
        (3, 6, "1-9A-I"),
        (5, 5, "A-Y"),
        (5, 5, "1-9A-P"),
    ] {
        let shape = shape(rows, columns);
        let puzzles = puzzles(shape, 9);
        let file = scratch.file("p.txt", lines(&puzzles, &in_alphabet(alphabet)));
        let ran = solve(&file, &["--shape", &shape.to_string()]);
        assert_solved(&ran, &puzzles, &alphabet.parse().unwrap());
        let engine = if shape.side() <= 16 { "engine  lockstep on" } else { "engine  bitmask" };
        assert!(ran.err.contains(engine), "{}", ran.err);
        let usual = [(2, 2), (2, 3), (2, 4), (3, 4), (4, 4), (5, 5)].contains(&(rows, columns));
        if usual {
            assert_eq!(untimed(&solve(&file, &[]).out), untimed(&ran.out));
        }
    }
}

#[test]
fn every_engine_gives_every_status() {
    let scratch = Scratch::new();
    let text = "12..34....12..34\n1...............\n12.3...4........\n11..............\n123\n";
    let file = scratch.file("p.txt", text);
    let expected = ["unique", "multiple", "none", "conflict", "malformed"];
    for engine in ["auto", "lockstep", "bitmask", "dancing-links", "singles", "backtracking"] {
        let ran = solve(&file, &["--engine", engine]);
        let statuses = ran.statuses();
        assert_eq!(statuses[1..], expected[1..], "{engine}");
        assert_eq!(ran.code, Some(1));
        assert!(ran.err.contains("p.txt:4:1: record 4: conflict: row 1 holds two 1s"), "{}", ran.err);
    }
    let first = solve(&file, &["--first"]);
    assert_eq!(first.statuses()[1..3], ["solved", "none"]);
    let large = scratch.file("large.txt", ".".repeat(625));
    for arguments in [["--engine", "lockstep"], ["--backend", "portable"]] {
        let refused = solve(&large, &[&arguments[..], &["--alphabet", "A-Y"]].concat());
        assert_eq!((refused.code, refused.out.as_str()), (Some(2), ""));
        assert!(
            refused
                .err
                .contains("lockstep engine is for puzzles of one size up to 16x16, but these are 25x25"),
            "{}",
            refused.err
        );
    }
}

#[test]
fn grids_are_read_as_rows_frames_or_numbers() {
    let scratch = Scratch::new();
    let symbol = |value: u8| char::from(b".123456789ABCDEFGHIJKLMNOP"[usize::from(value)]).to_string();
    let number = |value: u8| value.to_string();
    for (rows, columns) in [(2, 2), (2, 3), (3, 2), (3, 4), (4, 4), (5, 5)] {
        let shape = shape(rows, columns);
        let (side, puzzles) = (shape.side(), puzzles(shape, 3));
        let name = if side > 9 { format!("1-9A-{}", symbol(side as u8)) } else { format!("1-{side}") };
        let symbols: Alphabet = name.parse().unwrap();
        let numbers = if side > 9 { Alphabet::numbers(side) } else { symbols.clone() };
        let rows_of = |puzzle: &Grid, cell: &dyn Fn(u8) -> String, gap: &str| {
            let row = |row: &[u8]| row.iter().map(|&value| cell(value)).collect::<Vec<_>>().join(gap) + "\n";
            puzzle.cells().chunks(side).map(row).collect::<String>() + "\n"
        };
        let all = |write: &dyn Fn(&Grid) -> String| puzzles.iter().map(write).collect::<String>();
        for (text, alphabet) in [
            (all(&|puzzle| rows_of(puzzle, &symbol, "")), &symbols),
            (all(&|puzzle| rows_of(puzzle, &symbol, " ")), &symbols),
            (all(&|puzzle| framed(puzzle, &symbol, "")), &symbols),
            (all(&|puzzle| framed(puzzle, &symbol, " ")), &symbols),
            (all(&|puzzle| rows_of(puzzle, &number, " ")), &numbers),
            (all(&|puzzle| framed(puzzle, &number, " ")), &numbers),
        ] {
            let ran = solve(&scratch.file("p.txt", &text), &["--shape", &shape.to_string()]);
            assert_solved(&ran, &puzzles, alphabet);
            assert!(ran.err.contains("(grid, mapped)"), "{}", ran.err);
            if shape.box_rows() <= shape.box_columns() {
                assert_eq!(untimed(&solve(&scratch.path("p.txt"), &[]).out), untimed(&ran.out), "{text}");
            }
        }
    }
}

#[test]
fn lines_of_numbers_are_solved_and_read_again() {
    let scratch = Scratch::new();
    let (puzzles, numbers) = (puzzles(shape(4, 4), 4), Alphabet::numbers(16));
    let text = lines(&puzzles, &|puzzle| numbers.write(puzzle.cells()));
    let ran = solve(&scratch.file("p.txt", text), &[]);
    assert_solved(&ran, &puzzles, &numbers);
    let again = solve(&scratch.file("again.csv", &ran.out), &[]);
    assert!(again.rows().iter().all(|row| row[1] == row[5]), "{}", again.err);
    assert_eq!(again.code, Some(0));
}

#[test]
fn csv_columns_are_kept_in_the_output() {
    let scratch = Scratch::new();
    let (puzzles, name) = (puzzles(shape(4, 4), 5), "0-9A-F");
    let write = in_alphabet(name);
    let table = |header: &str| {
        let row = |(index, puzzle)| format!("{index},\"{}\",\"a, \"\"b\"\"\"\n", write(puzzle));
        format!("{header}\n{}", puzzles.iter().enumerate().map(row).collect::<String>())
    };
    let ran = solve(&scratch.file("t.csv", table("id,puzzle,x")), &[]);
    assert!(ran.out.starts_with("id,puzzle,x,solution,status,guesses,time_ns\n0,\""), "{}", ran.err);
    for (index, (row, puzzle)) in ran.rows().iter().zip(&puzzles).enumerate() {
        assert_eq!((&row[0], &row[1], &row[2][..]), (&index.to_string(), &write(puzzle), "a, \"b\""));
        let cells = cells_of(&row[3], &name.parse().unwrap());
        assert!(rules::is_solution(puzzle.shape(), puzzle.cells(), &cells));
    }
    let named = solve(&scratch.file("n.csv", table("id,cells,x")), &["--puzzle-column", "cells"]);
    assert_eq!(named.code, Some(0), "{}", named.err);
    let unnamed = solve(&scratch.path("n.csv"), &[]);
    assert!(unnamed.err.contains("its columns are: id, cells, x"), "{}", unnamed.err);

    let counts = run(gridmill().arg("count").arg(scratch.path("t.csv")));
    assert!(counts.out.starts_with("id,puzzle,x,solutions,status,guesses,time_ns\n"), "{}", counts.err);
}

#[test]
fn puzzles_of_other_sizes_are_malformed_without_mixed() {
    let scratch = Scratch::new();
    let classic = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let sixteen = lines(&puzzles(shape(4, 4), 1), &in_alphabet("1-9A-G"));
    let sizes =
        [".".repeat(36), ".".repeat(64), classic.to_owned(), sixteen.trim_end().to_owned(), "1".repeat(37)];
    for (first, size) in
        [(0, "6x6 (36 cells)"), (1, "8x8 (64 cells)"), (2, "9x9 (81 cells)"), (3, "16x16 (256 cells)")]
    {
        let mut order = sizes.clone();
        order.swap(0, first);
        let file = scratch.file("p.txt", order.join("\n"));
        for command in ["solve", "count"] {
            let limit: &[&str] = if command == "count" { &["--limit", "2"] } else { &[] };
            let command =
                |arguments: &[&str]| run(gridmill().arg(command).arg(&file).args(limit).args(arguments));
            let ran = command(&[]);
            assert_eq!(ran.code, Some(1));
            let statuses = ran.statuses();
            assert_ne!(statuses[0], "malformed");
            assert_eq!(statuses[1..], ["malformed"; 4], "{}", ran.err);
            let message = format!("cells, but the puzzles of this file are {size}; --mixed accepts both");
            assert_eq!(ran.err.matches(&message).count(), 3, "{}", ran.err);

            let mixed = command(&["--mixed"]);
            let readable = mixed.statuses().iter().filter(|status| *status != "malformed").count();
            assert_eq!((readable, mixed.code), (4, Some(1)), "{}", mixed.err);
            assert!(
                mixed
                    .err
                    .contains("p.txt:5:38: record 5: malformed: 37 cells are not a grid of a usual size"),
                "{}",
                mixed.err
            );
        }
        let listed = run(gridmill().args(["enumerate", "--limit", "1"]).arg(&file));
        assert_eq!((listed.rows().len(), listed.code), (1, Some(1)));
    }
    let refused = solve(&scratch.file("g.txt", "12..\n".repeat(8)), &["--mixed", "--format", "grid"]);
    assert!(
        refused.code == Some(2) && refused.err.contains("--mixed is for one puzzle a line"),
        "{}",
        refused.err
    );
}

#[test]
fn invalid_cells_lengths_and_conflicts_are_reported() {
    let scratch = Scratch::new();
    let sixteen = lines(&puzzles(shape(4, 4), 2), &in_alphabet("1-9A-G"));
    let bad = sixteen.replacen(|c: char| c.is_ascii_alphanumeric(), "z", 1);
    let text = format!("{sixteen}{bad}{}\n{sixteen}", &sixteen[..255]);
    let ran = solve(&scratch.file("p.txt", text), &[]);
    let statuses = ran.statuses();
    let malformed =
        statuses.iter().enumerate().filter(|(_, status)| *status == "malformed").map(|(at, _)| at);
    assert_eq!(malformed.collect::<Vec<_>>(), [2, 4], "{}", ran.err);
    assert_eq!(statuses.len(), 7);
    assert!(ran.err.contains("'z' is neither digit nor blank"), "{}", ran.err);
    assert!(
        ran.err.contains("p.txt:5:256: record 5: malformed: 255 cells where 256 are needed"),
        "{}",
        ran.err
    );

    let numbers = vec!["1 2 3 17"; 64].join(" ");
    let large = solve(&scratch.file("n.txt", numbers), &["--shape", "4x4"]);
    assert!(
        large.err.contains("n.txt:1:7: record 1: malformed: 17 is too large for a 16x16 puzzle"),
        "{}",
        large.err
    );

    let conflict = solve(&scratch.file("c.txt", format!("GG{}", ".".repeat(254))), &["--alphabet", "1-9A-G"]);
    assert!(conflict.err.contains("conflict: row 1 holds two Gs"), "{}", conflict.err);
}

#[test]
fn a_missing_row_makes_only_its_own_grid_malformed() {
    let scratch = Scratch::new();
    let symbol = |value: u8| char::from(b".123456789ABCDEFG"[usize::from(value)]).to_string();
    for (rows, columns) in [(2, 3), (4, 4)] {
        let grid = framed(&puzzles(shape(rows, columns), 1)[0], &symbol, "");
        let bad: String = grid
            .lines()
            .enumerate()
            .filter(|(at, _)| *at != 2)
            .map(|(_, line)| format!("{line}\n"))
            .collect();
        let ran = solve(&scratch.file("p.txt", format!("{grid}\n{bad}\n{grid}")), &[]);
        let cells = (rows * columns).pow(2);
        assert_eq!(ran.statuses()[1], "malformed");
        assert_eq!(ran.statuses().len(), 3, "{}", ran.err);
        let message = format!("malformed: {} cells where {cells} are needed", cells - rows * columns);
        assert!(ran.err.contains(&message), "{}", ran.err);
    }
}

/// The output is the same for any number of threads and any chunk size, and whether the input is mapped,
/// read, or piped.
#[test]
fn the_output_is_deterministic() {
    let scratch = Scratch::new();
    let mut rng = common::rng(77);
    let grids = common::grids::mixed(shape(4, 4), 0.6, 120, &mut rng);
    let mut text = lines(&grids, &in_alphabet("1-9A-G"));
    text.insert_str(10_000, "\n# a comment in the middle of a line\n");
    let table = format!("id,puzzle\n{}", lines(&grids, &|grid| format!("x,{}", in_alphabet("1-9A-G")(grid))));
    let rows = lines(&grids, &|grid| framed(grid, &|value| value.to_string(), " "));
    for text in [text, table, rows] {
        let file = scratch.file("p.txt", &text);
        for command in [&["solve"][..], &["count", "--limit", "3"], &["enumerate", "--limit", "3"]] {
            let output = |arguments: &[&str]| {
                let ran = run(gridmill().args(command).arg(&file).args(arguments).arg("-q"));
                if command[0] == "enumerate" { ran.out } else { untimed(&ran.out) }
            };
            let expected = output(&["-t", "1"]);
            assert!(expected.lines().count() > 100);
            for arguments in [
                &["-t", "2"][..],
                &["-t", "8", "--chunk-bytes", "1"],
                &["-t", "2", "--chunk-bytes", "1000000"],
                &["-t", "8", "--no-mmap", "--chunk-bytes", "700"],
            ] {
                assert!(output(arguments) == expected, "{command:?} {arguments:?}");
            }
            let piped = run(gridmill().args(command).args(["-", "-q"]).write_stdin(text.clone()));
            let piped = if command[0] == "enumerate" { piped.out } else { untimed(&piped.out) };
            assert!(piped == expected, "{command:?}");
        }
    }
}

#[test]
fn an_alphabet_of_another_size_is_refused() {
    let scratch = Scratch::new();
    let classic = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79\n";
    let file = scratch.file("p.txt", classic);
    for command in
        ["solve", "count", "enumerate", "verify", "check", "canon", "rate", "select", "stats", "dedupe"]
    {
        let ran = run(gridmill().arg(command).arg(&file).args(["--alphabet", "0-9A-F"]));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command}: {}", ran.err);
        assert!(ran.err.contains("is for 16x16 puzzles, but these are 9x9"), "{command}: {}", ran.err);
    }
    for (alphabet, code) in [("0-9A-F", 0), ("A-Y", 2)] {
        let large = scratch.file(
            "l.txt",
            "0123456789ABCDEF456789ABCDEF012389ABCDEF01234567CDEF0123456789AB".to_owned() + &".".repeat(192),
        );
        let ran = run(gridmill()
            .args(["verify", "-q", "--alphabet", alphabet, "--alphabet", "0-9A-F"])
            .args([&file, &large]));
        let is_refused = ran.err.contains("--alphabet A-Y is for 25x25 puzzles");
        assert_eq!((ran.code != Some(2), is_refused), (code == 0, code == 2), "{}", ran.err);
    }
    let mixed = run(gridmill().arg("solve").arg(&file).args(["--alphabet", "0-9A-F", "--mixed", "-q"]));
    assert_eq!(mixed.code, Some(0), "{}", mixed.err);
    let marks = scratch.file("m.txt", "123456789".repeat(81));
    let ran = run(gridmill().arg("solve").arg(&marks).arg("--mixed"));
    assert!(ran.code == Some(2) && ran.err.contains("--mixed is for puzzles with clues"), "{}", ran.err);
}

/// A grid of 36 cells can have boxes of 2x3 or of 3x2. The wider boxes are assumed. If some puzzle has no
/// solution with them, the message suggests the other shape.
#[test]
fn the_other_box_shape_is_suggested_if_a_puzzle_has_no_solution() {
    let high = ".......623....6...3...4.5.31.6....5.\n";
    for command in ["solve", "count", "verify"] {
        let suggests = |arguments: &[&str]| {
            run(gridmill().arg(command).arg("-").args(arguments).write_stdin(high))
                .err
                .contains("give --shape 3x2")
        };
        assert!(suggests(&[]), "{command}");
        assert!(
            !suggests(&["--shape", "2x3"]) && !suggests(&["--shape", "3x2"]) && !suggests(&["-q"]),
            "{command}"
        );
    }
}
