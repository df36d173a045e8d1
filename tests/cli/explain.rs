//! `gridmill explain`, as a user runs it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::program::{Ran, Scratch, gridmill, run};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLUTION: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
/// A puzzle that needs an XY-wing, and several easier techniques.
const WING: &str = "3.9...4..2..7.9....87......75..6.23.6..9.4..8.28.5..41......59....1.6..7..6...1.4";
/// A puzzle in which singles place only a few digits.
const HARDEST: &str = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";

fn explain(arguments: &[&str]) -> Ran {
    run(gridmill().arg("explain").args(arguments))
}

fn json(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn the_steps_lead_to_the_solution() {
    let ran = explain(&[EASY]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.starts_with("record 1: unique\n+-----"), "{}", ran.out);
    let mut cells: Vec<char> = EASY.chars().collect();
    for placed in ran.out.split([' ', ',', '\n']).filter(|word| word.contains('=')) {
        let [_, row, _, column, _, digit] = placed.chars().collect::<Vec<_>>()[..] else {
            panic!("{placed}")
        };
        let place = |symbol: char| symbol.to_digit(10).unwrap() as usize - 1;
        cells[place(row) * 9 + place(column)] = digit;
    }
    assert_eq!(cells.iter().collect::<String>(), SOLUTION);
    let last = ran.out.lines().rfind(|line| line.starts_with("solved")).unwrap();
    assert!(
        last.starts_with("solved in ") && last.ends_with("ER 1.2, EP 1.2, ED 1.2 (scale sukaku-1)"),
        "{last}"
    );
    assert!(ran.out.ends_with("| 3 4 5 | 2 8 6 | 1 7 9 |\n+-------+-------+-------+\n"), "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.len() <= 80), "{}", ran.out);
}

#[test]
fn the_scale_is_printed_with_its_version() {
    let ran = explain(&[EASY, "--scale", "se", "--grid", "never"]);
    assert!(ran.out.ends_with("ED 1.2 (scale se-1)\n"), "{}", ran.out);
    let object = json(&explain(&[EASY, "--scale", "se", "--to=jsonl"]).out);
    assert_eq!(object["explanation"]["scale"], "se-1");
    let object = json(&explain(&[EASY, "--ties", "reading", "--to=jsonl"]).out);
    assert_eq!(object["explanation"]["scale"], "sukaku-1-reading");
}

#[test]
fn until_accepts_a_rating_or_the_number_of_a_round() {
    let explanation = |until: &str| {
        let ran = explain(&[EASY, "--to=jsonl", "--until", until]);
        assert_eq!(ran.code, Some(0), "{until}");
        json(&ran.out)["explanation"].clone()
    };
    let two = explanation("2");
    assert_eq!((two["rounds"].as_array().unwrap().len(), &two["end"]), (2, &"until".into()));
    assert_eq!((&two["er"], &two["at_least"]), (&Value::Null, &Value::Null));
    let none = explanation("1.0");
    assert_eq!((none["rounds"].as_array().unwrap().len(), &none["end"]), (0, &"until".into()));
    assert_eq!(explanation("2.0")["end"], "solved");
    let text = explain(&[EASY, "--until", "1.0", "--grid", "never"]).out;
    assert_eq!(
        text,
        "record 1: unique\n\nstopped after 0 rounds: the next step is above 1.0 (scale sukaku-1)\n"
    );
}

#[test]
fn wrong_values_are_rejected_before_reading() {
    for (arguments, message) in [
        (["--until", "4.25"], "is not a rating: give 1.0 to 13.0 in tenths, such as 4.2"),
        (["--until", "13.1"], "is not a rating: give 1.0 to 13.0"),
        (["--until", "0"], "the number of a round, such as 12"),
        (["--until", "far"], "give a rating with a point, such as 4.2"),
        (["--scale", "hodoku"], "possible values: se, sukaku"),
        (["--ties", "clues"], "possible values: minlex, reading"),
        (["--trace", "lockstep"], "possible values: backtracking, singles"),
        (["--limit", "5"], "--trace"),
    ] {
        let ran = explain(&[&["no-such-file"], &arguments[..]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.contains(message), "{}", ran.err);
    }
}

/// Together with the clues, the digits that the rounds place must be the cells of the final state.
#[test]
fn the_rounds_in_json_add_up_to_the_final_state() {
    let ran = explain(&[EASY, HARDEST, "--to=jsonl", "--until", "2.3"]);
    let objects: Vec<Value> = ran.out.lines().map(json).collect();
    assert_eq!(objects.len(), 2);
    for (object, puzzle) in objects.iter().zip([EASY, HARDEST]) {
        assert_eq!((&object["puzzle"], &object["status"]), (&puzzle.into(), &"unique".into()));
        let explanation = &object["explanation"];
        let mut placed: BTreeMap<String, u64> = BTreeMap::new();
        for round in explanation["rounds"].as_array().unwrap() {
            for step in round["steps"].as_array().unwrap() {
                assert_eq!(step["rating"], round["rating"]);
                assert!(round["techniques"].as_array().unwrap().contains(&step["technique"]));
                assert!(!step["reason"].as_str().unwrap().is_empty());
                let candidate = &step["placed"];
                placed.insert(
                    candidate["cell"].as_str().unwrap().to_owned(),
                    candidate["digit"].as_u64().unwrap(),
                );
            }
        }
        let cells: String = (0..81)
            .map(|cell| match placed.get(&format!("r{}c{}", cell / 9 + 1, cell % 9 + 1)) {
                Some(digit) => digit.to_string(),
                None => puzzle[cell..=cell].to_owned(),
            })
            .collect();
        assert_eq!(explanation["cells"], cells);
        assert_eq!(explanation["pencilmarks"].as_str().unwrap().len(), 729);
    }
    assert_eq!(objects[0]["explanation"]["cells"], SOLUTION);
}

#[test]
fn techniques_solve_one_of_the_hardest_puzzles() {
    let ran = explain(&[HARDEST]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("solved in ") && ran.out.ends_with("-+\n"), "{}", ran.out);
}

#[test]
fn eliminations_are_printed_with_reason_and_grid() {
    let ran = explain(&[WING]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(ran.out.contains("(scale sukaku-1)") && ran.out.contains("solved in "), "{}", ran.out);
    assert!(ran.out.contains(": ER 4.2, EP 1.2, ED 1.2"), "{}", ran.out);
    assert!(ran.out.contains(", 4.2: XY-wing\n+---"), "{}", ran.out);
    assert!(ran.out.contains("- whichever of ") && ran.out.contains("\n  so "), "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.len() <= 80), "{}", ran.out);
}

/// Each step places a digit or removes candidates. A placed digit belongs to the solution, and a removed
/// candidate does not.
#[test]
fn no_deduction_removes_a_candidate_of_the_solution() {
    let explanation = json(&explain(&[WING, "--to=jsonl"]).out)["explanation"].clone();
    let solution: Vec<u64> = explanation["cells"]
        .as_str()
        .unwrap()
        .chars()
        .map(|digit| digit.to_digit(10).unwrap().into())
        .collect();
    let of_solution = |candidate: &Value| {
        let name: Vec<usize> = candidate["cell"]
            .as_str()
            .unwrap()
            .split(['r', 'c'])
            .skip(1)
            .map(|it| it.parse().unwrap())
            .collect();
        solution[name[0] * 9 + name[1] - 10] == candidate["digit"].as_u64().unwrap()
    };
    let rounds = explanation["rounds"].as_array().unwrap();
    let mut removed = 0;
    for step in rounds.iter().flat_map(|round| round["steps"].as_array().unwrap()) {
        assert!(step["placed"].is_null() || of_solution(&step["placed"]), "{step}");
        let eliminated = step["removed"].as_array().unwrap();
        assert!(!eliminated.iter().any(of_solution), "{step}");
        assert!(!step["placed"].is_null() || !eliminated.is_empty(), "{step}");
        removed += eliminated.len();
    }
    assert!(removed > 0);
    let highest = rounds.iter().map(|round| round["rating"].as_f64().unwrap()).fold(0.0, f64::max);
    assert_eq!(explanation["er"].as_f64(), Some(highest));
}

#[test]
fn ratings_are_the_same_as_those_of_rate() {
    let dataset = concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/medium.txt");
    let text = std::fs::read_to_string(dataset).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).take(12).collect();
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", lines.join("\n"));
    for scale in ["se", "sukaku"] {
        let rated = run(gridmill().arg("rate").arg(&file).args(["-q", "--scale", scale]));
        let explained = explain(&[file.to_str().unwrap(), "--to=jsonl", "--scale", scale]);
        let explained: Vec<Vec<String>> = explained
            .out
            .lines()
            .map(|line| {
                let explanation = &json(line)["explanation"];
                ["er", "ep", "ed"]
                    .iter()
                    .map(|key| explanation[key].to_string().replace("null", ""))
                    .collect()
            })
            .collect();
        let rated: Vec<Vec<String>> = rated.rows().iter().map(|row| row[1..4].to_vec()).collect();
        assert_eq!(explained, rated, "{scale}");
    }
}

#[test]
fn puzzles_without_exactly_one_solution_get_their_status() {
    let scratch = Scratch::new();
    let conflict = format!("55{}", &EASY[2..]);
    let none = format!("531{}", &EASY[3..]);
    let blank = ".".repeat(81);
    let file = scratch.file("p.txt", format!("{EASY}\n{conflict}\n{none}\n53..7\n{blank}\n"));
    let ran = explain(&[file.to_str().unwrap(), "--grid", "never"]);
    assert_eq!(ran.code, Some(1));
    let headings: Vec<&str> = ran.out.lines().filter(|line| line.starts_with("record")).collect();
    assert_eq!(
        headings,
        [
            "record 1: unique",
            "record 2: conflict: row 1 holds two 5s",
            "record 3: none: there is no solution",
            "record 4: malformed",
            "record 5: multiple: several solutions, and only one can be explained",
        ]
    );
    assert!(ran.err.contains("record 4: malformed: 5 cells"), "{}", ran.err);
    let ran = explain(&[file.to_str().unwrap(), "--to=jsonl", "-q"]);
    let objects: Vec<Value> = ran.out.lines().map(json).collect();
    let statuses: Vec<&str> = objects.iter().map(|object| object["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["unique", "conflict", "none", "malformed", "multiple"]);
    assert!(objects[1..].iter().all(|object| object["explanation"].is_null()));
    for puzzle in [&none, &blank] {
        assert_eq!(explain(&[puzzle]).code, Some(1));
    }
}

#[test]
fn explanations_can_start_from_pencilmarks() {
    let marks =
        json(&explain(&[EASY, "--to=jsonl", "--until", "3"]).out)["explanation"]["pencilmarks"].clone();
    let ran = explain(&[marks.as_str().unwrap(), "--to=jsonl"]);
    let object = json(&ran.out);
    assert_eq!((ran.code, &object["explanation"]["cells"]), (Some(0), &SOLUTION.into()), "{}", ran.err);
    let whole = json(&explain(&[EASY, "--to=jsonl"]).out)["explanation"]["rounds"].as_array().unwrap().len();
    assert!(object["explanation"]["rounds"].as_array().unwrap().len() <= whole - 3);
    // The first two cells have only the candidate 1, which is a conflict.
    let mut wrong = "123456789".repeat(81);
    wrong.replace_range(0..18, "1........1........");
    let ran = explain(&[&wrong]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "record 1: conflict: row 1 holds two 1s\n"));
}

#[test]
fn json_objects_keep_the_input_columns() {
    let scratch = Scratch::new();
    let file = scratch.file("t.csv", format!("id,puzzle,status\n7,{EASY},old\n"));
    let object = json(&explain(&[file.to_str().unwrap(), "--to=jsonl"]).out);
    assert_eq!(
        (&object["id"], &object["status"], &object["gridmill_status"]),
        (&"7".into(), &"old".into(), &"unique".into())
    );
    let out = scratch.path("o.jsonl");
    let ran = explain(&[file.to_str().unwrap(), "-o", out.to_str().unwrap()]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    assert_eq!(json(&std::fs::read_to_string(out).unwrap()), object);
}

#[test]
fn the_text_does_not_depend_on_threads() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{EASY}\n").repeat(60));
    let file = file.to_str().unwrap();
    let one = explain(&[file, "--threads", "1"]);
    let two = explain(&[file, "--threads", "2", "--chunk-bytes", "100"]);
    assert_eq!((one.code, &one.out), (Some(0), &two.out));
    assert_eq!(one.out.matches("\n\nrecord ").count(), 59);
}

#[test]
fn colours_are_off_without_a_terminal_unless_requested() {
    let plain = explain(&[EASY, "--grid", "every"]).out;
    assert!(!plain.contains('\u{1b}'));
    let colours = explain(&[EASY, "--grid", "every", "--color", "always"]).out;
    assert!(colours.contains("\u{1b}[1m") && colours.contains("\u{1b}[32m"));
    assert_eq!(console::strip_ansi_codes(&colours), plain);
}

#[test]
fn reasons_and_grids_can_be_shown_for_every_round() {
    let rounds = json(&explain(&[EASY, "--to=jsonl"]).out)["explanation"]["rounds"].as_array().unwrap().len();
    let text = explain(&[EASY, "--grid", "every", "--reasons"]).out;
    assert_eq!(text.matches("\n+-").count(), 4 * (rounds + 1), "{text}");
    assert!(text.contains("\n- 8 has no other place in box 2 than r1c6\n  so r1c6 is 8\n"), "{text}");
    let never = explain(&[EASY, "--grid", "never"]).out;
    assert!(!never.contains('|'), "{never}");
}

#[test]
fn sizes_other_than_9x9_are_refused_except_for_traces() {
    let ran = explain(&["1.....3..4.....2"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("techniques are for 9x9 puzzles, but these are 4x4"), "{}", ran.err);
    let ran = explain(&["1.....3..4.....2", "--trace", "backtracking", "--limit", "5"]);
    assert_eq!(ran.code, Some(0));
    assert_eq!(
        ran.out,
        "record 1: backtracking
1  r1c2 = 2, a guess
2  r1c3 = 4
3  r1c4 can hold no digit
4  r1c3 cleared
5  r1c2 = 3
cut off after 5 events: --limit shows more
"
    );
}

#[test]
fn a_trace_ends_at_the_first_solution() {
    for engine in ["backtracking", "singles"] {
        let ran = explain(&[EASY, "--trace", engine, "--limit", "100000"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let mut cells: Vec<String> = EASY.chars().map(String::from).collect();
        for line in ran.out.lines() {
            let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
            let [_, name, what, ..] = words[..] else { continue };
            let Some((row, column)) = name.strip_prefix('r').and_then(|name| name.split_once('c')) else {
                continue;
            };
            let cell = (row.parse::<usize>().unwrap() - 1) * 9 + column.parse::<usize>().unwrap() - 1;
            match what {
                "=" => cells[cell] = words[3].to_owned(),
                "cleared" => cells[cell] = ".".to_owned(),
                _ => {}
            }
        }
        assert_eq!(cells.concat(), SOLUTION, "{engine}");
        assert!(ran.out.lines().last().unwrap().starts_with("solved after "), "{}", ran.out);
        assert!(ran.out.starts_with(&format!("record 1: {engine}\n")), "{}", ran.out);
    }
}

#[test]
fn traces_can_be_json_objects() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", "1.....3..4.....2\n11..............\nx\n12..............\n");
    let ran = explain(&[file.to_str().unwrap(), "--trace", "singles", "--to=jsonl", "--limit", "20", "-q"]);
    assert_eq!(ran.code, Some(1));
    let objects: Vec<Value> = ran.out.lines().map(json).collect();
    let statuses: Vec<&str> = objects.iter().map(|object| object["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["solved", "conflict", "malformed", "solved"]);
    let first = &objects[0]["trace"];
    assert_eq!((&first["complete"], first["events"].as_array().unwrap().len()), (&true.into(), 12));
    assert_eq!(
        first["events"][0],
        serde_json::json!({"event":"filled","cell":"r1c4","digit":4,"guess":false})
    );
    assert!(objects[1]["trace"].is_null());
}

#[test]
fn traces_of_pencilmarks_are_refused() {
    let ran = explain(&[&"123456789".repeat(81), "--trace", "singles"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("puzzles with clues"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn explain_ends_on_ctrl_c_and_on_a_closed_pipe() {
    use crate::process::{Running, wait_for_rows};
    let scratch = Scratch::new();
    let out = scratch.path("o.txt");
    // The input is endless.
    let start = |arguments: &[&str]| {
        let mut child = Running::start(&[&["explain", "-"], arguments].concat());
        let feeder = child.feed_for_ever(format!("{EASY}\n"));
        (child, feeder)
    };
    let (mut child, feeder) = start(&["-o", out.to_str().unwrap()]);
    wait_for_rows(&scratch, "o.txt", 1);
    child.interrupt();
    assert_eq!(child.end(), Some(130));
    feeder.join().unwrap();

    let (mut child, feeder) = start(&["-q"]);
    drop(child.stdout.take());
    assert_eq!(child.end(), Some(0));
    feeder.join().unwrap();
}
