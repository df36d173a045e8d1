//! `gridmill generate`, `minimize`, `minimal` and `shuffle`, as a user runs them. The oracle judges the
//! generated puzzles.

use std::collections::HashSet;

use crate::common;
use crate::common::wait_until;
use crate::process::Running;
use crate::program::{Ran, Scratch, gridmill, rows, run};
use gridmill_core::grid::{Grid, Puzzle, Shape, rules};
use gridmill_core::logic::{Rater, Rating, Scale, Technique};
use gridmill_core::solver::{AnyBitmask, Bounds, EngineKind, SearchEnd, SolutionEngine, SolutionLimit};

fn generate(arguments: &[&str]) -> Ran {
    run(gridmill().arg("generate").args(arguments))
}

/// The lines that a run prints. The run must succeed.
fn generated(arguments: &[&str]) -> Vec<String> {
    let ran = generate(arguments);
    assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
    ran.out.lines().map(str::to_owned).collect()
}

fn puzzle(line: &str) -> Puzzle {
    line.parse().unwrap()
}

/// The number of solutions that the oracle finds, up to two.
fn solutions(puzzle: &Puzzle) -> u64 {
    EngineKind::Backtracking.build().solve(puzzle, SolutionLimit::UNIQUENESS).solutions
}

fn without(puzzle: &Puzzle, cell: usize) -> Puzzle {
    let mut cells = *puzzle.cells();
    cells[cell] = 0;
    Puzzle::from_cells(cells).unwrap()
}

fn clued(puzzle: &Puzzle) -> impl Iterator<Item = usize> {
    let cells = *puzzle.cells();
    (0..81).filter(move |&cell| cells[cell] != 0)
}

fn is_minimal(puzzle: &Puzzle) -> bool {
    clued(puzzle).all(|cell| solutions(&without(puzzle, cell)) == 2)
}

#[test]
fn the_oracle_confirms_that_minimal_puzzles_are_minimal() {
    for method in ["bands", "backtracking", "cycle", "diagonal"] {
        let lines = generated(&["-n", "4", "--grid-method", method, "--minimal"]);
        assert_eq!(lines.len(), 4);
        for puzzle in lines.iter().map(|line| puzzle(line)) {
            assert_eq!(solutions(&puzzle), 1, "{method}: {puzzle}");
            assert!(is_minimal(&puzzle), "{method}: {puzzle}");
        }
    }
}

#[test]
fn columns_have_the_right_solutions_clues_and_guesses() {
    let ran = generate(&["-n", "40", "--to=csv", "--clues", "26..29", "--guesses", "1..3"]);
    assert!(ran.out.starts_with("puzzle,solution,clues,guesses\n"));
    let rows = ran.rows();
    assert_eq!(rows.len(), 40);
    for row in &rows {
        let (puzzle, solution) = (puzzle(&row[0]), puzzle(&row[1]));
        assert_eq!(solutions(&puzzle), 1);
        assert!(rules::is_solution(Shape::CLASSIC, puzzle.cells(), solution.cells()));
        assert_eq!(row[2], puzzle.clue_count().to_string());
        let outcome = EngineKind::Lockstep.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
        assert_eq!(row[3], outcome.guesses.to_string());
        assert!((26..=29).contains(&puzzle.clue_count()) && (1..=3).contains(&outcome.guesses));
    }
    assert!(rows.iter().map(|row| &row[2]).collect::<HashSet<_>>().len() > 1);
    assert!(ran.err.contains("gridmill-2, seed 1") && ran.err.contains("puzzles  40 of "), "{}", ran.err);
}

#[test]
fn singles_solve_puzzles_generated_with_no_guess() {
    for arguments in
        [&["--clues", "28"][..], &["--minimal"], &["--symmetry", "rotate180"], &["--shape", "2x3"]]
    {
        for line in generated(&[&["-n", "20", "--no-guess"], arguments].concat()) {
            let side = (line.len() as f64).sqrt() as usize;
            let shape = if side == 6 { Shape::new(2, 3).unwrap() } else { Shape::CLASSIC };
            let cells = line.bytes().map(|cell| if cell == b'.' { 0 } else { cell - b'0' }).collect();
            let grid = Grid::new(shape, cells).unwrap();
            // Without guesses the engine can only use naked and hidden singles.
            let searched = AnyBitmask::new().count(&grid, &Bounds { guesses: 0, ..Bounds::ALL });
            assert_eq!((searched.solutions, searched.end), (1, SearchEnd::Complete), "{line}");
        }
    }
}

#[test]
fn clues_have_the_requested_symmetry() {
    type Image = fn(usize, usize) -> (usize, usize);
    let images: [(&str, Image); 4] = [
        ("rotate180", |row, column| (8 - row, 8 - column)),
        ("rotate90", |row, column| (column, 8 - row)),
        ("mirror", |row, column| (row, 8 - column)),
        ("diagonal", |row, column| (column, row)),
    ];
    for (symmetry, image) in images {
        for clues in [&["--clues", "30..40"][..], &[]] {
            for line in generated(&[&["-n", "10", "--symmetry", symmetry], clues].concat()) {
                let puzzle = puzzle(&line);
                assert_eq!(solutions(&puzzle), 1);
                for cell in clued(&puzzle) {
                    let (row, column) = image(cell / 9, cell % 9);
                    assert_ne!(puzzle.cells()[9 * row + column], 0, "{symmetry}: {line}");
                }
            }
        }
    }
    // Every single clue is needed, although the clues are symmetric.
    for line in generated(&["-n", "2", "--symmetry", "rotate180", "--minimal"]) {
        assert!(is_minimal(&puzzle(&line)), "{line}");
    }
}

#[test]
fn clues_follow_the_pattern() {
    let pattern: String = (0..81).map(|cell| if cell % 2 == 0 { 'x' } else { '.' }).collect();
    for line in generated(&["-n", "5", "--pattern", &pattern]) {
        assert_eq!(solutions(&puzzle(&line)), 1);
        assert!(line.chars().zip(pattern.chars()).all(|(clue, wanted)| (clue == '.') == (wanted == '.')));
    }
}

const SOLUTION: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

#[test]
fn digits_in_a_pattern_are_kept_as_clues() {
    let scratch = Scratch::new();
    let rows: Vec<String> =
        (0..9).map(|row| if row % 2 == 0 { "x.x|.x.|x.x" } else { ".x.|x.x|.x." }.into()).collect();
    let frame = "+---+---+---+\n";
    let text = format!("{frame}{}\n{frame}", rows.join("\n")).replacen("x.x", "4.2", 1);
    let file = format!("@{}", scratch.file("pattern.txt", &text).to_str().unwrap());
    let lines = generated(&["-n", "3", "--pattern", &file]);
    let wanted: Vec<char> = text.chars().filter(|symbol| ".x42".contains(*symbol)).collect();
    for line in &lines {
        assert_eq!(solutions(&puzzle(line)), 1);
        for (clue, &wanted) in line.chars().zip(&wanted) {
            assert_eq!(clue == '.', wanted == '.');
            assert!("x.".contains(wanted) || clue == wanted, "{line}");
        }
    }
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), 3);
    // The option also takes the pattern itself instead of a file.
    assert_eq!(generated(&["-n", "3", "--pattern", &text]), lines);
}

#[test]
fn from_digs_puzzles_out_of_the_given_grid() {
    let scratch = Scratch::new();
    let file = format!("@{}", scratch.file("grid.txt", SOLUTION).to_str().unwrap());
    let lines =
        generated(&["-n", "5", "--from", &file, "--with-solution", "--symmetry", "rotate180", "--distinct"]);
    assert!(lines.iter().all(|line| line.ends_with(&format!(",{SOLUTION}"))), "{lines:?}");
    let all = generated(&["--from", SOLUTION, "--clues", "81"]);
    assert_eq!(all, [SOLUTION]);
}

#[test]
fn puzzles_of_other_shapes_have_exactly_one_solution() {
    for (shape, count, more) in [
        ("2x2", "20", &[][..]),
        ("2x3", "20", &[]),
        ("3x2", "5", &["--minimal"]),
        ("4x4", "2", &["--clues", "140"]),
    ] {
        let lines = generated(&[&["-n", count, "--shape", shape, "--with-solution"], more].concat());
        let shape: Shape = shape.parse().unwrap();
        let cells = |text: &str| text.chars().map(|c| c.to_digit(36).unwrap_or(0) as u8).collect::<Vec<u8>>();
        for line in &lines {
            let (clues, solution) = line.split_once(',').unwrap();
            assert!(rules::is_solution(shape, &cells(clues), &cells(solution)), "{line}");
            let grid = Grid::new(shape, cells(clues)).unwrap();
            let mut engine = EngineKind::DancingLinks.build_any_shape();
            assert_eq!(engine.count(&grid, &Bounds::solutions(2)).solutions, 1, "{line}");
        }
        assert!(lines.len() == count.parse::<usize>().unwrap());
    }
}

/// The largest shapes for each number of cells, and the flattest boxes.
#[test]
fn large_shapes_are_generated_with_default_options() {
    for (shape, most) in [("4x4", 110), ("10x2", 210), ("5x5", 350)] {
        let ran = generate(&["--shape", shape, "--to=csv"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.contains("up to 10,200 guesses a puzzle"), "{}", ran.err);
        let clues: usize = ran.rows()[0][2].parse().unwrap();
        assert!(clues <= most, "{shape}: {clues}");
    }
}

/// Pins the output of the algorithm. If these bytes change, the algorithm has changed and needs a new name.
#[test]
fn output_is_the_same_for_any_number_of_threads_and_any_backend() {
    let all = ["-n", "300", "--seed", "5", "--to=csv"];
    let expected = generate(&[&all[..], &["--threads", "1"]].concat()).out;
    assert_eq!(generate(&[&all[..], &["--threads", "2"]].concat()).out, expected);
    for backend in common::backends() {
        assert_eq!(generate(&[&all[..], &["--backend", backend.name()]].concat()).out, expected, "{backend}");
    }
    // A shorter run has the first puzzles of a longer one. Another seed gives other puzzles.
    let few = generate(&["-n", "7", "--seed", "5", "--to=csv"]).out;
    assert!(expected.starts_with(&few) && few.lines().count() == 8);
    assert_ne!(generate(&["-n", "7", "--seed", "6", "--to=csv"]).out, few);
    // FNV-1a.
    let hash = |text: &str| {
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    };
    let rare = ["-n", "10", "--guesses", "4..", "--symmetry", "mirror"];
    let rare: Vec<String> =
        ["1", "2"].map(|threads| generate(&[&rare[..], &["-t", threads]].concat()).out).into();
    assert_eq!(rare[0], rare[1]);
    let any = generate(&["-n", "50", "--shape", "2x3", "--seed", "9"]).out;
    let pinned = [expected, rare[0].clone(), any].map(|text| format!("{:016x}", hash(&text)));
    assert_eq!(pinned, ["890cf77d0f562756", "3de5bf659345eab9", "de30a44285269ec9"]);
}

#[test]
fn all_288_full_grids_of_4x4_are_generated() {
    let ran =
        generate(&["--shape", "2x2", "-n", "1000", "--clues", "16", "--distinct", "--attempts", "5000"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(2), 288));
    assert!(ran.err.contains("found 288 of 1000 puzzles, and then none in 5000 attempts"), "{}", ran.err);
    assert_eq!(ran.out.lines().collect::<HashSet<_>>().len(), 288);
}

/// The full grids of the method `cycle` are mostly isomorphs, so only a few of them remain.
#[test]
fn no_isomorphs_keeps_one_puzzle_of_each_class() {
    let grids = ["--clues", "81", "--grid-method", "cycle", "-n", "200", "--attempts", "300"];
    let all = generate(&grids);
    assert_eq!((all.code, all.out.lines().count()), (Some(0), 200));
    let refused = generate(&[&grids[..], &["--no-isomorphs"]].concat());
    let forms = |out: &str| {
        let mut minlex = gridmill_core::minlex::Minlex::new();
        out.lines().map(|line| minlex.canonical(&line.parse().unwrap()).unwrap().form).collect::<HashSet<_>>()
    };
    assert_eq!(refused.code, Some(2));
    assert!(refused.out.lines().count() < 20 && forms(&refused.out) == forms(&all.out), "{}", refused.out);
    assert_eq!(forms(&refused.out).len(), refused.out.lines().count());
    let other = generate(&["--shape", "4x4", "--no-isomorphs"]);
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("--no-isomorphs") && other.err.contains("these are 16x16"), "{}", other.err);
    // All 4x4 grids are isomorphs of one of two grids.
    let small =
        generate(&["--shape", "2x2", "--clues", "16", "-n", "3", "--no-isomorphs", "--attempts", "300"]);
    assert_eq!((small.code, small.out.lines().count()), (Some(2), 2), "{}", small.err);
}

#[test]
fn a_run_that_finds_no_puzzle_ends_and_leaves_no_file() {
    let scratch = Scratch::new();
    let path = scratch.path("none.txt");
    let ran = generate(&["--clues", "17", "--attempts", "500", "-o", path.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("found 0 of 1 puzzle,") && ran.err.contains("--attempts"), "{}", ran.err);
    assert!(ran.err.contains("(the fewest clues reached were 2"), "{}", ran.err);
    assert!(scratch.names().is_empty());
    // A file from an earlier run is kept, and is not reported as a result of this run.
    scratch.file("none.txt.partial", "earlier\n");
    let again = generate(&["--clues", "17", "--attempts", "50", "-o", path.to_str().unwrap()]);
    assert!(again.err.trim_end().ends_with("none.txt.partial belongs to an earlier run"), "{}", again.err);
    assert_eq!(std::fs::read(scratch.path("none.txt.partial")).unwrap(), b"earlier\n");
}

#[test]
fn an_output_named_csv_is_written_as_csv() {
    let scratch = Scratch::new();
    for name in ["made.csv", "made.txt"] {
        generated(&["-n", "2", "-o", scratch.path(name).to_str().unwrap()]);
    }
    let text = |name| std::fs::read_to_string(scratch.path(name)).unwrap();
    assert!(text("made.csv").starts_with("puzzle,solution,clues,guesses\n"));
    let puzzles: Vec<String> =
        rows(text("made.csv").as_bytes()).into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(text("made.txt").lines().collect::<Vec<_>>(), puzzles);
}

#[test]
fn a_grid_written_by_solve_can_be_dug() {
    let scratch = Scratch::new();
    let path = scratch.path("solved.txt");
    let file = path.to_str().unwrap();
    let solved = run(gridmill().args(["solve", LINE, "--to", "grid", "-q", "-o", file]));
    assert_eq!(solved.code, Some(0), "{}", solved.err);
    assert_eq!(generated(&["--from", &format!("@{file}"), "--clues", "81"]), [SOLUTION]);
    let unmarked = generate(&["--from", file]);
    assert!(unmarked.err.contains(&format!("to read the file, write @{file}")), "{}", unmarked.err);
    let table = scratch.file("table.csv", format!("puzzle,solution\n{LINE},{SOLUTION}\n"));
    let table = generate(&["--from", &format!("@{}", table.to_str().unwrap())]);
    assert!(table.err.contains("must hold one grid and nothing else"), "{}", table.err);
}

#[test]
fn a_grid_and_a_pattern_determine_one_puzzle() {
    let clued = "x".repeat(80) + ".";
    assert_eq!(generated(&["--from", SOLUTION, "--pattern", &clued]), [format!("{}.", &SOLUTION[..80])]);
    let several = generate(&["--from", SOLUTION, "--pattern", &clued, "-n", "3"]);
    assert_eq!((several.code, several.out.as_str()), (Some(2), ""));
    assert!(several.err.contains("make only one puzzle, but 3 are asked for"), "{}", several.err);
    // The pattern has every digit, and a clue in all rows and columns but one, but the puzzle has many
    // solutions.
    let sparse: String = (0..81).map(|cell| if cell % 4 == 0 { 'x' } else { '.' }).collect();
    let none = generate(&["--from", SOLUTION, "--pattern", &sparse]);
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("has several solutions") && !none.err.contains("--attempts"), "{}", none.err);
}

#[test]
fn the_summary_has_no_averages_if_nothing_was_minimized() {
    let ran = run(gridmill().arg("minimize").write_stdin(".".repeat(81) + "\n"));
    assert!(ran.err.contains("multiple") && !ran.err.contains(" removed: "), "{}", ran.err);
}

#[test]
fn puzzles_found_before_the_attempts_ran_out_are_kept() {
    let scratch = Scratch::new();
    let path = scratch.path("few.csv");
    let all_grids =
        ["--shape", "2x2", "-n", "300", "--clues", "16", "--distinct", "--attempts", "2000", "--to=csv"];
    let ran = generate(&[&all_grids[..], &["-o", path.to_str().unwrap()]].concat());
    assert_eq!((ran.code, scratch.names()), (Some(2), vec!["few.csv.partial".to_owned()]));
    let kept = std::fs::read(scratch.path("few.csv.partial")).unwrap();
    assert_eq!(rows(&kept).len(), 288);
    let message = "found 288 of 300 puzzles, and then none in 2000 attempts";
    assert!(ran.err.contains(message) && ran.err.contains("the puzzles found are in "), "{}", ran.err);
    assert!(ran.err.trim_end().ends_with("few.csv.partial"), "{}", ran.err);
}

#[test]
fn invalid_options_are_rejected_with_clear_messages() {
    for (arguments, message) in [
        (&["--guesses", "-1"][..], "'-1'"),
        (&["--from", SOLUTION, "--grid-method", "bands"], "cannot be used with"),
        (&["--scale", "se"], "--er"),
        (&["--er", "1.2", "--scale", "x"], "[possible values: se, sukaku, sukaku-2020]"),
        (&["--resume", "-o", "made.txt", "--distinct"], "cannot be used with"),
        (&["--backend", "mmx"], "avx512"),
        (&["--attempts", "0"], "0 is not in"),
    ] {
        let ran = generate(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.contains(message), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn puzzles_are_written_as_json_objects_and_in_chosen_columns() {
    let rows = generate(&["-n", "3", "--er", "..2.0", "--to", "csv", "-q"]).rows();
    let objects = generate(&["-n", "3", "--er", "..2.0", "--to", "jsonl", "-q"]).out;
    for (row, object) in rows.iter().zip(objects.lines()) {
        let object: serde_json::Value = serde_json::from_str(object).unwrap();
        assert_eq!((&object["puzzle"], &object["solution"]), (&(*row[0]).into(), &(*row[1]).into()));
        let numbers = ["clues", "guesses", "er"].map(|key| object[key].to_string());
        assert_eq!(numbers, [&row[2], &row[3], &row[4]].map(ToString::to_string));
        assert_eq!(object["scale"], *row[5]);
    }
    let chosen = generate(&["-n", "3", "--er", "..2.0", "--to", "csv", "--columns", "er,puzzle", "-q"]).out;
    let expected = rows.iter().map(|row| format!("{},{}\n", &row[4], &row[0]));
    assert_eq!(chosen, format!("er,puzzle\n{}", expected.collect::<String>()));
}

/// A run that is killed can be resumed. Then its file and summary are the same as those of an uninterrupted
/// run.
#[test]
fn a_killed_run_can_be_resumed() {
    let scratch = Scratch::new();
    let whole = generate(&["-n", "12000", "--er", "..2.0", "--seed", "8", "--to", "csv"]);
    let out = scratch.path("o.csv");
    let arguments =
        ["generate", "-n", "12000", "--er", "..2.0", "--seed", "8", "--resume", "-o", out.to_str().unwrap()];
    let mut child = Running::start(&arguments);
    let journal = scratch.path("o.csv.journal");
    wait_until("the journal counts puzzles", || {
        let text = std::fs::read(&journal).unwrap_or_default();
        String::from_utf8_lossy(&text).contains("\"made\":[")
    });
    child.send("KILL");
    child.end();
    let resumed = run(gridmill().args(arguments));
    assert_eq!(resumed.code, Some(0), "{}", resumed.err);
    assert!(resumed.err.contains("gridmill: continuing after "), "{}", resumed.err);
    assert!(std::fs::read_to_string(&out).unwrap() == whole.out);
    let figures = |ran: &Ran| -> Vec<String> {
        let lines = ran.err.lines().filter(|line| !line.contains("gridmill") && !line.contains("wall time"));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(figures(&resumed), figures(&whole));
    assert_eq!(scratch.names(), ["o.csv"]);
}

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// A proper puzzle, an unreadable one, one with a conflict, and one with many solutions.
fn mixed() -> String {
    format!("{LINE}\n..bad\n55{}\n{}\n", &LINE[2..], ".".repeat(81))
}

#[test]
fn minimize_and_minimal_agree_and_write_a_row_for_every_record() {
    let scratch = Scratch::new();
    let file = scratch.file("mixed.txt", mixed());
    let minimized = run(gridmill().arg("minimize").arg(&file));
    assert_eq!(minimized.code, Some(1));
    assert!(minimized.err.contains("mixed.txt:2:3: record 2: malformed"), "{}", minimized.err);
    assert!(minimized.err.contains("mixed.txt:3:1: record 3: conflict"), "{}", minimized.err);
    let status: Vec<String> = minimized.rows().iter().map(|row| row[2].clone()).collect();
    assert_eq!(status, ["unique", "malformed", "conflict", "multiple"]);
    let minimal = puzzle(&minimized.rows()[0][1]);
    assert!(solutions(&minimal) == 1 && is_minimal(&minimal));
    assert!(clued(&minimal).all(|cell| minimal.cells()[cell] == puzzle(LINE).cells()[cell]));

    let file = scratch.file("both.txt", format!("{}{minimal}\n", mixed()));
    let judged = run(gridmill().arg("minimal").arg(&file).args(["--threads", "2"]));
    let found = judged.rows();
    let status: Vec<&str> = found.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(status, ["redundant", "malformed", "conflict", "multiple", "minimal"]);
    let first = puzzle(LINE);
    let redundant = clued(&first).filter(|&cell| solutions(&without(&first, cell)) == 1);
    let expected: Vec<String> = redundant.map(|cell| format!("r{}c{}", cell / 9 + 1, cell % 9 + 1)).collect();
    assert_eq!(found[0][2], expected.join(" "));
    assert_eq!(found[4][2], "");
}

#[test]
fn trying_more_orders_never_leaves_more_clues() {
    let scratch = Scratch::new();
    let file = scratch.file("made.csv", generate(&["-n", "10", "--clues", "40", "--to=csv"]).out);
    let clues = |orders: &str| {
        let ran = run(gridmill().arg("minimize").arg(&file).args(["--all-orders", orders]));
        assert!(ran.out.starts_with("puzzle,solution,clues,guesses,minimal,status,gridmill_clues\n"));
        ran.rows().iter().map(|row| row[6].parse().unwrap()).collect::<Vec<u32>>()
    };
    let (one, many) = (clues("1"), clues("50"));
    assert!(one.iter().zip(&many).all(|(one, many)| many <= one));
    assert!(one.iter().sum::<u32>() > many.iter().sum());
}

#[test]
fn shuffled_rows_keep_solutions_with_their_puzzles() {
    let scratch = Scratch::new();
    let original = generate(&["-n", "20", "--to=csv"]).out;
    let file = scratch.file("made.csv", &original);
    let shuffled = run(gridmill().arg("shuffle").arg(&file).args(["--copies", "3"]));
    assert_eq!((shuffled.code, shuffled.err.as_str()), (Some(0), ""));
    assert!(shuffled.out.starts_with("puzzle,solution,clues,guesses\n"));
    let (before, after) = (rows(original.as_bytes()), shuffled.rows());
    assert_eq!(after.len(), 60);
    for (index, row) in after.iter().enumerate() {
        let (puzzle, solution) = (puzzle(&row[0]), puzzle(&row[1]));
        assert!(rules::is_solution(Shape::CLASSIC, puzzle.cells(), solution.cells()));
        assert_eq!(solutions(&puzzle), 1);
        assert_eq!((row[2].clone(), &row[3]), (puzzle.clue_count().to_string(), &before[index / 3][3]));
    }
    assert_eq!(after.iter().map(|row| &row[0]).collect::<HashSet<_>>().len(), 60);
    let again = run(gridmill().arg("shuffle").arg(&file).args(["--copies", "3", "--threads", "2"]));
    assert_eq!(again.out, shuffled.out);
    let other = run(gridmill().arg("shuffle").arg(&file).args(["--copies", "3", "--seed", "2"]));
    assert_ne!(other.out, shuffled.out);
}

#[test]
fn shuffle_writes_lines_if_the_input_is_lines() {
    let scratch = Scratch::new();
    let ran = run(gridmill().arg("shuffle").arg(scratch.file("mixed.txt", mixed())));
    assert_eq!(ran.code, Some(1));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((lines.len(), lines[1]), (4, "..bad"));
    assert_eq!((puzzle(lines[0]).clue_count(), solutions(&puzzle(lines[0]))), (30, 1));
    assert!(ran.err.contains("mixed.txt:2:3: record 2: malformed") && !ran.err.contains("conflict"));
}

#[test]
fn ratings_are_in_the_requested_range_for_any_number_of_threads() {
    let all = ["-n", "6", "--er", "1.5..2.3", "--seed", "4", "--to=csv", "--clues", "24..30"];
    let ran = generate(&[&all[..], &["-t1"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("puzzle,solution,clues,guesses,er,scale\n"), "{}", ran.out);
    assert_eq!(generate(&[&all[..], &["-t3"]].concat()).out, ran.out);
    let mut rater = Rater::new(Scale::Sukaku, Rating::BEYOND);
    for row in ran.rows() {
        let rating = rater.rate(&puzzle(&row[0])).er;
        assert!((Rating::tenths(15)..=Rating::tenths(23)).contains(&rating), "{row:?}");
        assert_eq!(row[4..], [rating.to_string(), "sukaku-1".to_owned()]);
        assert!((24..=30).contains(&clued(&puzzle(&row[0])).count()));
    }
    assert!(ran.err.contains("   ratings  1.5 to ") && ran.err.contains(", sukaku-1\n"), "{}", ran.err);
    let plain = generate(&["-n", "1", "--er", "1.5", "--scale", "se", "--no-guess"]);
    assert_eq!(rater.rate(&puzzle(plain.out.trim())).er, Rating::tenths(15));
    let pairs = generate(&["-n", "2", "--technique", "direct-hidden-pair,naked-single", "--er", "..2.3"]);
    for line in pairs.out.lines() {
        let found = rater.rate(&puzzle(line)).techniques();
        let is_wanted = [Technique::DirectHiddenPair, Technique::NakedSingle].map(|it| found.contains(it));
        assert!(is_wanted.contains(&true), "{line}");
    }
    assert_eq!(pairs.out.lines().count(), 2, "{}", pairs.err);
    let none = generate(&["--er", "1.0", "--attempts", "5", "-t1"]);
    assert!(none.code == Some(2) && none.err.contains("found 0 of 1 puzzle"), "{}", none.err);
}

#[test]
fn minimize_all_writes_a_row_for_every_minimal_puzzle() {
    let scratch = Scratch::new();
    let (conflict, empty) = (LINE.replacen("53", "55", 1), ".".repeat(81));
    let file = scratch
        .file("p.csv", format!("id,puzzle\n1,bad\n2,{LINE}\n3,{empty}\n4,{conflict}\n5,{LINE}\n6,bad\n"));
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
        assert!(puzzle.bytes().zip(LINE.bytes()).all(|(cell, clue)| cell == b'.' || cell == clue));
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
fn long_lists_of_minimal_puzzles_stay_in_order_and_stop_at_the_budget() {
    let scratch = Scratch::new();
    let full = common::easy_puzzles(1, 3)[0].to_string();
    let file = scratch.file("p.txt", format!("bad\n{full}\nbad\n{full}\n{LINE}\n"));
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
