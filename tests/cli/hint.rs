//! `gridmill hint`, as a user runs it.

use serde_json::Value;

use crate::program::{Ran, Scratch, gridmill, run};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLUTION: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

fn hint(arguments: &[&str]) -> Ran {
    run(gridmill().arg("hint").args(arguments))
}

fn object(arguments: &[&str]) -> Value {
    let ran = hint(&[arguments, &["--to=jsonl"]].concat());
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {} {}", ran.out, ran.err))
}

#[test]
fn a_hint_is_one_step_with_reason_grid_and_rating() {
    let ran = hint(&[EASY]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = ran.out.lines().filter(|line| !line.starts_with(['+', '|'])).collect();
    assert_eq!(
        lines,
        [
            "record 1: unique",
            "hidden single in a box, 1.2 (scale sukaku-1)",
            "- 8 has no other place in box 2 than r1c6",
            "  so r1c6 is 8",
            "6 other deductions have this rating",
        ]
    );
    assert_eq!(ran.out.lines().count(), lines.len() + 13);
    assert!(!hint(&[EASY, "--grid=never"]).out.contains('|'));
    assert_eq!(hint(&[EASY]).out, ran.out);
}

#[test]
fn all_shows_every_step_with_the_same_rating() {
    let text = hint(&[EASY, "--all", "--grid=never"]).out;
    assert_eq!((text.matches("\n- ").count(), text.matches("\n  so ").count()), (7, 7), "{text}");
    assert!(!text.contains("--all"));
    let (one, all) = (object(&[EASY]), object(&[EASY, "--all"]));
    assert_eq!((&one["hint"]["rating"], &one["hint"]["deductions"]), (&1.2.into(), &7.into()));
    assert_eq!(one["hint"]["steps"].as_array().unwrap().len(), 1);
    assert_eq!(all["hint"]["steps"].as_array().unwrap().len(), 7);
    assert_eq!(one["hint"]["steps"][0], all["hint"]["steps"][0]);
    let candidate = serde_json::json!({"cell": "r1c6", "digit": 8});
    assert_eq!((&one["hint"]["steps"][0]["placed"], &one["hint"]["scale"]), (&candidate, &"sukaku-1".into()));
    assert_eq!(object(&[EASY, "--ties", "reading"])["hint"]["scale"], "sukaku-1-reading");
}

#[test]
fn following_the_hints_solves_a_puzzle() {
    let mut cells: Vec<char> = EASY.chars().collect();
    for _ in 0..51 {
        let answer = object(&[&cells.iter().collect::<String>()]);
        let placed = &answer["hint"]["steps"][0]["placed"];
        let cell: Vec<u32> =
            placed["cell"].as_str().unwrap().chars().filter_map(|it| it.to_digit(10)).collect();
        let digit = placed["digit"].as_u64().unwrap() as u32;
        cells[(cell[0] * 9 + cell[1]) as usize - 10] = char::from_digit(digit, 10).unwrap();
    }
    assert_eq!(cells.iter().collect::<String>(), SOLUTION);
    let ran = hint(&[SOLUTION]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "record 1: unique\nevery cell has its digit\n"));
    assert_eq!(object(&[SOLUTION])["hint"]["steps"], serde_json::json!([]));
}

#[test]
fn hint_continues_from_pencilmarks() {
    let ran = run(gridmill().args(["explain", EASY, "--to=jsonl", "--until", "2"]));
    let explained: Value = serde_json::from_str(&ran.out).unwrap();
    let marks = explained["explanation"]["pencilmarks"].as_str().unwrap().to_owned();
    let scratch = Scratch::new();
    let file = scratch.file("marks.txt", &marks);
    let ran = hint(&[file.to_str().unwrap(), "--grid=never"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.out.starts_with("record 1: unique\nlast cell of a house, 1.0 (scale sukaku-1)\n"),
        "{}",
        ran.out
    );
    // Removing the digit of the solution from the candidates of a cell leaves no solution.
    let mut wrong = marks.into_bytes();
    let cell =
        (0..81).find(|cell| wrong[cell * 9..][..9].iter().filter(|&&mark| mark != b'.').count() > 2).unwrap();
    let digit = SOLUTION.as_bytes()[cell];
    wrong[cell * 9 + usize::from(digit - b'1')] = b'.';
    let ran = hint(&[&String::from_utf8(wrong).unwrap()]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "record 1: none: there is no solution\n"));
}

/// You can pass the grid that `explain` shows before a round as an argument to `hint`.
#[test]
fn hint_accepts_the_candidate_grid_of_explain() {
    let wing = "3.9...4..2..7.9....87......75..6.23.6..9.4..8.28.5..41......59....1.6..7..6...1.4";
    let text = run(gridmill().args(["explain", wing])).out;
    let round = &text[text.find(": XY-wing\n").unwrap()..];
    let grid: Vec<&str> = round.lines().skip(1).take_while(|line| line.starts_with(['+', '|'])).collect();
    let ran = hint(&[&grid.join("\n")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("record 1: unique\nXY-wing, 4.2 (scale sukaku-1)\n+--"), "{}", ran.out);
    let reason = round.lines().skip(1 + grid.len()).take(3).collect::<Vec<_>>().join("\n");
    assert!(ran.out.contains(&reason), "{} {reason}", ran.out);
}

#[test]
fn puzzles_without_exactly_one_solution_get_no_hint() {
    for (puzzle, text) in [
        (".".repeat(81), "record 1: multiple: several solutions, and only one can be explained\n"),
        (format!("55{}", &EASY[2..]), "record 1: conflict: row 1 holds two 5s\n"),
        (EASY[1..].to_owned(), "record 1: malformed\n"),
    ] {
        let ran = hint(&[&puzzle]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), text));
        assert!(object(&[&puzzle])["hint"].is_null());
    }
    let ran = hint(&["1.....3..4.....2"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("techniques are for 9x9 puzzles"), "{}", ran.err);
}
