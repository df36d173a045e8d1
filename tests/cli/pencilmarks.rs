//! Grids of candidates: the engine against a slow search, and `solve`, `count` and `verify` of lines of 729.

use crate::common::{as_lines, mixed_puzzles, random_grid, rng};
use crate::program::{Scratch, gridmill, run, solve, untimed};
use gridmill_core::grid::{CELLS, Cell, Digit, DigitSet, House, Pencilmarks, Puzzle, Shape, Solution, rules};
use gridmill_core::solver::{Bitmask, Bounds, GridSolver, PencilmarkBitmask, SolutionLimit, Solver};
use rand::{Rng, RngExt};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Counts solutions up to a limit: a cell of fewest candidates at a time, by the rules and nothing else.
struct Oracle {
    peers: Vec<Vec<usize>>,
    limit: usize,
}

impl Oracle {
    fn new(limit: usize) -> Oracle {
        let houses: Vec<Vec<Cell>> =
            House::all(Shape::CLASSIC).map(|house| house.cells(Shape::CLASSIC).collect()).collect();
        let see = |cell: Cell, other: Cell| {
            cell != other && houses.iter().any(|house| house.contains(&cell) && house.contains(&other))
        };
        let peers = |cell| {
            Cell::all(Shape::CLASSIC).filter(|&other| see(cell, other)).map(Cell::index).collect::<Vec<_>>()
        };
        Oracle { peers: Cell::all(Shape::CLASSIC).map(peers).collect(), limit }
    }

    fn solutions(&self, marks: &Pencilmarks) -> Vec<[u8; CELLS]> {
        let mut found = Vec::new();
        self.search(&mut [0; CELLS], marks.candidates(), &mut found);
        found
    }

    fn search(&self, cells: &mut [u8; CELLS], marks: &[DigitSet; CELLS], found: &mut Vec<[u8; CELLS]>) {
        let fits = |cell: usize, digit: Digit| {
            marks[cell].contains(digit) && self.peers[cell].iter().all(|&peer| cells[peer] != digit.get())
        };
        let choices = |cell: usize| Digit::all(9).filter(|&digit| fits(cell, digit)).collect::<Vec<_>>();
        let open = (0..CELLS).filter(|&cell| cells[cell] == 0).map(|cell| (cell, choices(cell)));
        let Some((cell, digits)) = open.min_by_key(|(_, digits)| digits.len()) else {
            found.push(*cells);
            return;
        };
        for digit in digits {
            cells[cell] = digit.get();
            self.search(cells, marks, found);
            cells[cell] = 0;
            if found.len() == self.limit {
                return;
            }
        }
    }
}

/// The candidates of a grid's digits, and of others as often as that out of a hundred; now and then a digit of the
/// grid is missing.
fn random_marks(grid: &Solution, percent: u32, rng: &mut impl Rng) -> Pencilmarks {
    let missing = if rng.random_ratio(1, 4) { Some(rng.random_range(0..CELLS)) } else { None };
    Pencilmarks::new(std::array::from_fn(|cell| {
        let keeps = |digit: &Digit| match digit.get() == grid.cells()[cell] {
            true => missing != Some(cell),
            false => rng.random_ratio(percent, 100),
        };
        Digit::all(9).filter(keeps).fold(DigitSet::EMPTY, DigitSet::with)
    }))
}

#[test]
fn random_eliminations_agree_with_a_slow_search() {
    let (mut rng, mut engine) = (rng(7), PencilmarkBitmask::new());
    let oracle = Oracle::new(40);
    let mut kinds = [0; 3];
    for round in 0..300 {
        let grid = random_grid(&mut rng);
        let marks = random_marks(&grid, 17 + round % 8 * 3, &mut rng);
        let expected = oracle.solutions(&marks);
        let mut found = Vec::new();
        let searched = engine.search_until(&marks, &Bounds::solutions(40), &false.into(), &mut |cells| {
            found.push(<[u8; CELLS]>::try_from(cells).unwrap());
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(searched.solutions as usize, found.len());
        assert_eq!(found.len(), expected.len(), "{marks}");
        for cells in &found {
            assert!(rules::is_valid_grid(Shape::CLASSIC, cells));
            assert!(marks.are_solved_by(&Solution::from_cells(*cells).unwrap()), "{marks}");
        }
        let sorted = |mut all: Vec<[u8; CELLS]>| {
            all.sort_unstable();
            all
        };
        kinds[found.len().min(2)] += 1;
        if found.len() < 40 {
            assert_eq!(sorted(found), sorted(expected));
        }
    }
    assert!(kinds.iter().all(|&kind| kind > 20), "{kinds:?}");
}

#[test]
fn clues_as_candidates_are_the_same_puzzles() {
    let (mut engine, mut marked) = (Bitmask::new(), PencilmarkBitmask::new());
    for puzzle in mixed_puzzles(1_000, 11) {
        let outcome = engine.solve(&puzzle, SolutionLimit::UNIQUENESS);
        let mut first = None;
        let marks = Pencilmarks::from(&puzzle);
        let searched = marked.search_until(&marks, &Bounds::solutions(2), &false.into(), &mut |cells| {
            first = first.or(Solution::from_cells(cells.try_into().unwrap()));
            std::ops::ControlFlow::Continue(())
        });
        assert_eq!(searched.solutions, outcome.solutions, "{puzzle}");
        if outcome.solutions == 1 {
            assert_eq!(first, outcome.solution);
        }
    }
}

/// Puzzles as lines of pencilmarks.
fn marks_of(lines: &str) -> String {
    lines.lines().map(|line| Pencilmarks::from(&line.parse::<Puzzle>().unwrap()).to_string() + "\n").collect()
}

#[test]
fn rows_are_those_of_puzzles_of_clues() {
    let scratch = Scratch::new();
    let lines = as_lines(&mixed_puzzles(200, 3));
    let (plain, marked) = (scratch.file("plain", &lines), scratch.file("marked", marks_of(&lines)));
    let (expected, ran) = (solve(&plain, &["--engine", "bitmask"]), solve(&marked, &[]));
    assert_eq!(ran.code, expected.code);
    assert!(ran.err.contains("(pencilmarks, mapped)") && ran.err.contains("engine  bitmask"), "{}", ran.err);
    let text = marks_of(&lines);
    assert_eq!(ran.rows().len(), 200);
    for ((row, expected), line) in ran.rows().iter().zip(expected.rows()).zip(text.lines()) {
        assert_eq!((row[0].as_str(), &row[2]), (line, &expected[2]));
        if row[2] == "unique" {
            assert_eq!(row[1], expected[1]);
        }
    }
    for arguments in
        [&["--chunk-bytes", "700"][..], &["--threads", "3"], &["--no-mmap", "--chunk-bytes", "1500"]]
    {
        assert_eq!(untimed(&solve(&marked, arguments).out), untimed(&ran.out));
    }
    let piped = run(gridmill().args(["solve", "-"]).write_stdin(text));
    assert_eq!(untimed(&piped.out), untimed(&ran.out));

    let count = |path| run(gridmill().arg("count").arg(path).args(["--limit", "50", "-q"]));
    let counts = |path| count(path).rows().iter().map(|row| row[1..3].to_vec()).collect::<Vec<_>>();
    assert_eq!(counts(&marked), counts(&plain));
    let verdicts = |path| {
        let ran = run(gridmill().arg("verify").arg(path).args(["--all", "-o", "-", "-q"]));
        (ran.code, ran.rows().iter().map(|row| row[4..].to_vec()).collect::<Vec<_>>())
    };
    assert_eq!(verdicts(&marked), verdicts(&plain));
}

#[test]
fn eliminations_decide() {
    let scratch = Scratch::new();
    let cells = LINE.parse::<Puzzle>().unwrap();
    let unique = Pencilmarks::from(&cells).to_string();
    // The solution has a 4 in the third cell.
    let none = unique.replacen("123456789", "123.56789", 1);
    let empty = unique.replacen("123456789", ".........", 1);
    // A proper puzzle without two of its clues, and with what is left of its solutions.
    let open = "..4.7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    let multiple = marks_of(open).trim_end().to_owned();
    let settled = multiple.replacen("123456789", "....5....", 1).replacen("123456789", "..3......", 1);
    let conflict = unique.replacen("123456789", "....5....", 1);
    let zeros = unique.replace('.', "0");
    let all = [&unique, &none, &empty, &settled, &conflict, &zeros].map(|line| &line[..]);
    let text = all.join("\n");
    let ran = solve(&scratch.file("p", &text), &[]);
    assert_eq!(ran.statuses(), ["unique", "none", "none", "unique", "conflict", "unique"]);
    assert!(ran.err.contains("p:5:1: record 5: conflict: row 1 holds two 5s"), "{}", ran.err);
    assert_eq!((ran.code, &ran.rows()[5][0]), (Some(1), &unique));
    assert_eq!(ran.rows()[1][1], "");

    let blank = scratch.file("blank", "123456789".repeat(81) + " all of them\n");
    assert_eq!(solve(&blank, &[]).statuses(), ["multiple"]);
    assert_eq!(solve(&blank, &["--first"]).statuses(), ["solved"]);
    let counted = run(gridmill().arg("count").arg(&blank).args(["--budget-guesses", "1000", "-q"]));
    assert_eq!((counted.code, counted.statuses()), (Some(1), vec!["budget".to_owned()]));
}

#[test]
fn an_output_is_an_input_again() {
    let scratch = Scratch::new();
    let text = marks_of(&as_lines(&mixed_puzzles(20, 5)));
    let first = solve(&scratch.file("p", &text), &[]);
    let table = scratch.file("p.csv", &first.out);
    for arguments in [&[][..], &["--chunk-bytes", "700"], &["--no-mmap"]] {
        let again = solve(&table, arguments);
        assert!(again.err.contains("(csv, "), "{}", again.err);
        assert_eq!(again.statuses(), first.statuses());
        let column = |rows: Vec<Vec<String>>, at: usize| {
            rows.into_iter().map(move |row| row[at].clone()).collect::<Vec<_>>()
        };
        assert_eq!(column(again.rows(), 0), column(first.rows(), 0));
        assert_eq!(column(again.rows(), 5), column(first.rows(), 1));
    }
    let canon = run(gridmill().arg("canon").arg(&table));
    assert!(canon.code == Some(2) && canon.err.contains("these are pencilmarks"), "{}", canon.err);
}

#[test]
fn bad_lines_cost_themselves_only() {
    let scratch = Scratch::new();
    let good = marks_of(LINE);
    for (bad, diagnostic) in [
        (good[1..].to_owned(), "2:4: record 2: malformed: 5 in the place of 4"),
        (good[..700].to_owned() + "\n", "2:701: record 2: malformed: 700 characters"),
        (good.replacen("123", "12?", 1), "2:21: record 2: malformed: '?' is neither digit nor blank"),
        (format!("{LINE}\n"), "2:1: record 2: malformed: 5 in the place of 1"),
        (format!("\u{e9}{good}"), "2:1: record 2: malformed: '\u{e9}' is neither"),
    ] {
        let file = scratch.file("p", format!("{good}{bad}{good}"));
        let ran = solve(&file, &["--chunk-bytes", "700"]);
        assert_eq!(
            (ran.code, ran.statuses()),
            (Some(1), ["unique", "malformed", "unique"].map(str::to_owned).to_vec())
        );
        assert!(ran.err.contains(&format!("p:{diagnostic}")), "{}", ran.err);
    }
    // Known by the first line that can be read, or by name.
    let file = scratch.file("p", format!("bad\n{good}"));
    assert_eq!(solve(&file, &[]).statuses(), ["malformed", "unique"]);
    let file = scratch.file("p", format!("{LINE}\n{good}"));
    assert_eq!(solve(&file, &[]).statuses(), ["unique", "malformed"]);
    assert_eq!(solve(&file, &["--format", "pencilmarks"]).statuses(), ["malformed", "unique"]);
}

#[test]
fn what_does_not_take_pencilmarks_says_so() {
    let scratch = Scratch::new();
    let file = scratch.file("p", marks_of(LINE));
    for command in
        ["enumerate", "canon", "check", "bench", "select", "stats", "minimize", "minimal", "shuffle"]
    {
        let ran = run(gridmill().arg(command).arg(&file));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{command}");
        assert!(
            ran.err.contains("takes puzzles of clues, and these are pencilmarks"),
            "{command}: {}",
            ran.err
        );
    }
    for (command, files) in [("dedupe", 1), ("overlap", 2)] {
        let ran = run(gridmill().arg(command).arg("--isomorphic").args(vec![&file; files]));
        let expected = "canonical forms are for puzzles of clues, and these are pencilmarks";
        assert!(ran.code == Some(2) && ran.err.contains(expected), "{command}: {}", ran.err);
    }
    for engine in ["lockstep", "dancing-links", "singles", "backtracking"] {
        let ran = solve(&file, &["--engine", engine]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains(&format!("the engine {engine} does not take pencilmarks")), "{}", ran.err);
    }
    assert_eq!(solve(&file, &["--engine", "bitmask"]).code, Some(0));
    assert_eq!(solve(&file, &["--backend", "portable"]).code, Some(2));
    let shaped = solve(&file, &["--format", "pencilmarks", "--shape", "2x2"]);
    assert!(
        shaped.code == Some(2) && shaped.err.contains("the format pencilmarks is for 9x9"),
        "{}",
        shaped.err
    );
}

#[test]
fn equal_pencilmarks_are_found_and_no_others() {
    let scratch = Scratch::new();
    let marks = marks_of(LINE).trim().to_owned();
    // The same clues, but a candidate less.
    let place = marks.find('9').unwrap();
    let less = format!("{}.{}", &marks[..place], &marks[place + 1..]);
    let (file, other) =
        (scratch.file("p", format!("{marks}\n{less}\n{marks}\n")), scratch.file("q", format!("{less}\n")));
    let ran = run(gridmill().arg("dedupe").arg(&file));
    assert_eq!((ran.code, ran.out), (Some(1), format!("{marks}\n{less}\n")));
    let ran = run(gridmill().arg("overlap").args([&file, &other]));
    assert_eq!(ran.rows(), [["2", "2", &less, "1", "1"]], "{}", ran.err);
    // Clues may have the solution of pencilmarks, but equal none.
    let clues = scratch.file("c", format!("{LINE}\n"));
    let ran = run(gridmill().arg("overlap").args([&clues, &file]));
    assert!(ran.code == Some(2) && ran.err.contains("(the format)"), "{}", ran.err);
    let ran = run(gridmill().arg("overlap").args([&clues, &file]).arg("--same-solution"));
    assert_eq!(ran.rows().len(), 1, "{}", ran.err);
}
