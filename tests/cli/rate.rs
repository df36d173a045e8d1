//! `gridmill rate`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{as_lines, easy_puzzles, mixed_puzzles, rng};
use crate::program::{Ran, Scratch, gridmill, rows, run};
use gridmill_core::grid::{Digit, DigitSet, Isomorphism, Pencilmarks, Puzzle, Shape};
use gridmill_core::logic::{PuzzleRating, Rater, Rating, RatingEnd, Scale, Technique};
use gridmill_core::solver::{EngineKind, SolutionLimit};
use serde_json::{Value, json};

/// A puzzle that hidden singles solve.
const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// A puzzle that singles don't solve.
const HARD: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";
const HEADER: &str = "puzzle,er,ep,ed,hardest,steps,scale,status";

fn rate(file: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("rate").arg(file).args(arguments))
}

/// The rows by the names of their columns.
fn named(ran: &Ran) -> Vec<BTreeMap<String, String>> {
    let header: Vec<&str> = ran.out.lines().next().unwrap().split(',').collect();
    let name = |row: Vec<String>| header.iter().map(|name| (*name).to_owned()).zip(row).collect();
    ran.rows().into_iter().map(name).collect()
}

fn is_proper(puzzle: &Puzzle) -> bool {
    EngineKind::Bitmask.build().solve(puzzle, SolutionLimit::UNIQUENESS).solutions == 1
}

fn rating(puzzle: &Puzzle, limit: Rating) -> PuzzleRating {
    Rater::new(Scale::Sukaku, limit).rate(puzzle)
}

/// The expected rating fields in the row of a puzzle, up to 3.8.
fn expected(puzzle: &Puzzle) -> Vec<String> {
    let found = rating(puzzle, Rating::tenths(38));
    let text = |rating: Option<Rating>| rating.map(|rating| rating.to_string()).unwrap_or_default();
    let is_solved = found.end == RatingEnd::Solved;
    let whole = |text: String| if is_solved { text } else { String::new() };
    vec![
        whole(found.er.to_string()),
        text(found.ep),
        text(found.ed),
        whole(found.hardest.map(|technique| technique.slug().to_owned()).unwrap_or_default()),
        whole(found.round_count.to_string()),
        "sukaku-1".to_owned(),
        "3.8".to_owned(),
        if is_solved { "rated" } else { "above" }.to_owned(),
    ]
}

#[test]
fn rows_have_the_ratings_of_the_library_in_order() {
    let scratch = Scratch::new();
    let mut puzzles: Vec<Puzzle> = easy_puzzles(40, 3).into_iter().chain(mixed_puzzles(60, 5)).collect();
    puzzles.insert(7, HARD.parse().unwrap());
    let ran = rate(&scratch.file("p.txt", as_lines(&puzzles)), &["-q", "--up-to", "3.8"]);
    let rows = ran.rows();
    assert_eq!(rows.len(), puzzles.len());
    for (row, puzzle) in rows.iter().zip(&puzzles) {
        assert_eq!(row[0], puzzle.to_string());
        if is_proper(puzzle) {
            assert_eq!(row[1..], expected(puzzle));
        } else {
            let statuses = ["multiple", "none", "conflict"];
            assert!(row[1..8].iter().all(String::is_empty) && statuses.contains(&&*row[8]), "{row:?}");
        }
    }
    let count = |status: &str| rows.iter().filter(|row| row[8] == status).count();
    assert!(["rated", "above", "multiple"].into_iter().all(|status| count(status) > 0), "{}", ran.out);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
}

#[test]
fn bytes_are_the_same_for_any_threads_and_chunks() {
    let scratch = Scratch::new();
    let puzzles: Vec<Puzzle> = easy_puzzles(60, 4).into_iter().chain(mixed_puzzles(60, 9)).collect();
    let text = as_lines(&puzzles);
    let file = scratch.file("p.txt", &text);
    let all = |arguments: &[&'static str]| [&["--up-to", "3.8", "--techniques"], arguments].concat();
    let first = rate(&file, &all(&["-t1"])).out;
    for arguments in [&["-t3"][..], &["-t2", "--chunk-bytes", "100"], &["-t4", "--chunk-bytes", "1000"]] {
        assert!(rate(&file, &all(arguments)).out == first, "{arguments:?}");
    }
    let piped = run(gridmill().args(["rate", "-"]).args(all(&[])).write_stdin(text.clone()));
    assert!(piped.out == first);
    let packed = scratch.path("o.csv.gz");
    run(gridmill().arg("rate").arg(&file).args(all(&["-o"])).arg(&packed));
    let mut unpacked = String::new();
    let mut decoder = flate2::read::MultiGzDecoder::new(std::fs::File::open(packed).unwrap());
    std::io::Read::read_to_string(&mut decoder, &mut unpacked).unwrap();
    assert!(unpacked == first);
    let two = run(gridmill().arg("rate").args(all(&[])).args([&file, &file]));
    assert_eq!(two.out.lines().count(), 1 + 2 * puzzles.len());
    assert!(two.out.ends_with(first.split_once('\n').unwrap().1));
}

#[test]
fn isomorphs_have_the_same_rating() {
    let scratch = Scratch::new();
    let mut rng = rng(6);
    let puzzle: Puzzle = easy_puzzles(1, 8)[0];
    let disguises: Vec<Puzzle> =
        (0..20).map(|_| Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(&puzzle)).collect();
    let ran = rate(&scratch.file("p.txt", as_lines(&disguises)), &["-q", "--techniques"]);
    let rows = ran.rows();
    assert!(rows.iter().all(|row| row[1..] == rows[0][1..]) && ran.code == Some(0), "{}", ran.out);
}

#[test]
fn input_columns_are_kept_and_every_record_has_a_row() {
    let scratch = Scratch::new();
    let (conflict, several) = (EASY.replacen("53", "55", 1), ".".repeat(81));
    let text =
        format!("id,puzzle,er\n1,{EASY},x\n2,{},y\n3,{conflict},\"a,b\"\n4,{several},\n5\n", &EASY[1..]);
    let ran = rate(&scratch.file("p.csv", text), &[]);
    let rows = ran.rows();
    let ratings: Vec<String> = rows.iter().map(|row| row[3..].join(" ")).collect();
    assert!(ran.out.starts_with("id,puzzle,er,gridmill_er,ep,ed,hardest,steps,scale,status\n"));
    assert_eq!(ratings[0], "1.2 1.2 1.2 hidden-single-box 14 sukaku-1 rated");
    assert_eq!(
        ratings[1..],
        ["malformed", "conflict", "multiple", "malformed"].map(|it| format!("      {it}"))
    );
    assert!(rows[0][..3] == ["1", EASY, "x"] && rows[2][2] == "a,b" && rows[4][0] == "5");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("p.csv:3:83: record 2: malformed"), "{}", ran.err);
}

#[test]
fn a_puzzle_above_the_limit_has_no_rating() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{EASY}\n{HARD}\n"));
    let ran = rate(&file, &["--up-to", "2.3"]);
    assert_eq!(ran.out.lines().next(), Some("puzzle,er,ep,ed,hardest,steps,scale,up_to,status"));
    let ratings: Vec<String> = ran.rows().iter().map(|row| row[1..].join(" ")).collect();
    assert_eq!(ratings[0], "1.2 1.2 1.2 hidden-single-box 14 sukaku-1 2.3 rated");
    assert_eq!(ratings[1], " 1.2 1.2   sukaku-1 2.3 above");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("above ") && ran.err.contains("scale  sukaku-1, up to 2.3\n"), "{}", ran.err);
    assert!(named(&rate(&file, &["--up-to", "1"])).iter().all(|row| row["status"] == "above"));
    // A rating that equals the limit is still within it.
    assert_eq!(named(&rate(&file, &["--up-to", "1.2"]))[0]["status"], "rated");
}

#[test]
fn techniques_counts_the_rounds_of_each_technique() {
    let scratch = Scratch::new();
    let puzzle: Puzzle = EASY.parse().unwrap();
    let ran = rate(&scratch.file("p.txt", EASY), &["--techniques"]);
    let found = rating(&puzzle, Rating::BEYOND);
    let row = &named(&ran)[0];
    for technique in Technique::ALL {
        let column = format!("rounds_{technique}");
        assert_eq!(row[&column], found.rounds[*technique as usize].to_string(), "{column}");
    }
    assert!(row["rounds_hidden-single-box"].parse::<u32>().unwrap() > 1);
}

#[test]
fn a_summary_has_the_scale_and_a_histogram() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{EASY}\n{EASY}\n"));
    let ran = rate(&file, &[]);
    for part in [
        "   records  2\n            rated                  2  100.00 %\n",
        "     scale  sukaku-1\n   ratings  min 1.2  p50 1.2  p90 1.2  p99 1.2  max 1.2\n",
        "            1.2        │██████████████████████████████             2  100.00 %\n",
        " wall time  ",
    ] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    let se = rate(&file, &["--scale", "se", "--times"]);
    assert!(se.err.contains("scale  se-1\n"), "{}", se.err);
    let row = &named(&se)[0];
    assert!(row["scale"] == "se-1" && row["time_ns"].parse::<u64>().unwrap() > 0, "{}", se.out);
}

#[test]
fn ties_by_reading_order_give_a_different_scale() {
    // The order of the cells decides the rating of this puzzle.
    const TIED: &str = "29......48...2.91...6.......6.1.3....3.58..76..1..2..3.8.....49......2......1..87";
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", TIED);
    for (ties, er, scale) in [("minlex", "7.7", "sukaku-1"), ("reading", "7.8", "sukaku-1-reading")] {
        let ran = rate(&file, &["--ties", ties]);
        let row = &named(&ran)[0];
        assert_eq!((row["er"].as_str(), row["scale"].as_str()), (er, scale));
        assert!(ran.err.contains(&format!("scale  {scale}\n")), "{}", ran.err);
        let explained = run(gridmill().args(["explain", TIED, "--grid", "never", "--ties", ties])).out;
        let end = explained.lines().last().unwrap_or_default();
        assert!(end.contains(&format!("ER {er}, ")) && end.ends_with(&format!("(scale {scale})")), "{end}");
    }
    assert_eq!(rate(&file, &["-q"]).out, rate(&file, &["-q", "--ties", "minlex"]).out);
}

#[test]
fn ratings_in_json_lines_are_numbers() {
    let scratch = Scratch::new();
    let text = json!({"id": 7, "puzzle": EASY}).to_string()
        + "\n"
        + &json!({"puzzle": HARD}).to_string()
        + "\nbad\n";
    let ran = rate(&scratch.file("p.jsonl", text), &["--up-to", "2.3", "--techniques", "--times"]);
    let rows: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[0]["id"], &rows[0]["er"], &rows[0]["steps"]), (&json!(7), &json!(1.2), &json!(14)));
    assert!(rows[0]["rounds_hidden-single-box"].is_u64() && rows[0]["time_ns"].is_u64(), "{}", ran.out);
    assert_eq!((&rows[0]["up_to"], &rows[0]["hardest"]), (&json!(2.3), &json!("hidden-single-box")));
    assert_eq!((&rows[1]["er"], &rows[1]["status"]), (&Value::Null, &json!("above")));
    assert_eq!((&rows[2]["puzzle"], &rows[2]["ed"]), (&json!("bad"), &Value::Null));
}

#[test]
fn pencilmarks_are_rated_from_their_candidates() {
    let scratch = Scratch::new();
    let puzzle: Puzzle = HARD.parse().unwrap();
    let solution = EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS).solution.unwrap();
    // Each blank has two candidates: the digit of the solution, and the next digit.
    let set = |digits: &[u8]| {
        digits.iter().fold(DigitSet::EMPTY, |set, &digit| set.with(Digit::new(digit).unwrap()))
    };
    let marks = Pencilmarks::new(std::array::from_fn(|cell| match puzzle.cells()[cell] {
        0 => set(&[solution.cells()[cell], solution.cells()[cell] % 9 + 1]),
        clue => set(&[clue]),
    }));
    let mut text = marks.to_ascii().to_vec();
    text.extend(format!("\n{}\n", "123456789".repeat(81)).bytes());
    let ran = rate(&scratch.file("p.txt", text), &["-q", "--up-to", "3.8"]);
    let rows = named(&ran);
    let mut rater = Rater::new(Scale::Sukaku, Rating::tenths(38));
    let found = rater.rate(&marks);
    assert!(found.end == RatingEnd::Solved && rater.rate(&puzzle).end == RatingEnd::AboveLimit);
    assert_eq!((&rows[0]["er"], &rows[0]["steps"]), (&found.er.to_string(), &found.round_count.to_string()));
    assert_eq!(rows[1]["status"], "multiple");
}

#[test]
fn invalid_options_are_rejected_with_clear_messages() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", EASY);
    for (arguments, part) in [
        (["--scale", "hodoku"], "[possible values: se, sukaku, sukaku-2020]"),
        (["--ties", "clues"], "[possible values: minlex, reading]"),
        (["--up-to", "21"], "is not a rating"),
        (["--up-to", "0.9"], "is not a rating"),
    ] {
        let ran = rate(&file, &arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

#[test]
fn a_full_grid_is_rated_zero_with_no_rounds() {
    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    let ran = run(gridmill().args(["rate", SOLVED]));
    assert_eq!((ran.code, ran.out), (Some(0), format!("{HEADER}\n{SOLVED},0.0,,,,0,sukaku-1,rated\n")));
}

#[test]
fn an_empty_input_has_a_header_and_no_rating() {
    let ran = run(gridmill().args(["rate", "-"]).write_stdin(""));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), format!("{HEADER}\n").as_str()), "{}", ran.err);
    assert!(!ran.err.contains("ratings"), "{}", ran.err);
}

#[test]
fn a_compressed_table_is_read() {
    let scratch = Scratch::new();
    let text = format!("name,puzzle\nWikipedia,{EASY}\n");
    let packed = scratch.file("p.csv.zst", rusty_zstd::compress(text.as_bytes(), 1).unwrap());
    let rated = scratch.path("o.csv");
    let ran = rate(&packed, &["-o", rated.to_str().unwrap()]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    let rows = rows(&std::fs::read(rated).unwrap());
    assert_eq!(
        rows,
        [["Wikipedia", EASY, "1.2", "1.2", "1.2", "hidden-single-box", "14", "sukaku-1", "rated"]]
    );
}
