//! Formats of other programs: puzzle banks, HoDoKu's libraries, `.sdk` and `.ss` files.

use crate::program::{Ran, Scratch, gridmill, run, solve, untimed};

const PUZZLES: [&str; 3] = [
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
    "..3.2.6..9..3.5..1..18.64....81.29..7.......8..67.82....26.95..8..2.3..9..5.1.3..",
    "2...8.3...6..7..84.3.5..2.9...1.54.8.........4.27.6...3.1..7.4.72..4..6...4.1...3",
];

fn rows_of(puzzle: &str) -> Vec<&str> {
    puzzle.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap()).collect()
}

/// A puzzle in the way SimpleSudoku saves and shows it.
fn framed(puzzle: &str, bar: &str, edge: &str, rule: &str) -> String {
    let row = |row: &&str| format!("{bar}{}|{}|{}{bar}\n", &row[..3], &row[3..6], &row[6..]);
    let bands: Vec<String> = rows_of(puzzle).chunks(3).map(|band| band.iter().map(row).collect()).collect();
    format!("{edge}{}{edge}", bands.join(rule))
}

fn bank() -> String {
    let line = |(index, puzzle): (usize, &&str)| {
        let cells = puzzle.replace('.', if index == 1 { "." } else { "0" });
        format!("0000183b305{index:x} {cells}  {index}.2\n")
    };
    PUZZLES.iter().enumerate().map(line).collect()
}

fn library() -> String {
    let [first, second, third] = PUZZLES;
    let placed = second.replacen("9..3", "+9..3", 1).replacen("8.64", "8.6+4", 1);
    format!("# a library\n:0000:x:{first}:::\n:0702:1:{placed}:714 723:114:2 r1c3:\n:0300-1:29:{third}::::\n")
}

/// Asserts that the puzzles were solved. Their blanks may be written in another way.
fn assert_solved(ran: &Ran, format: &str) {
    let rows = ran.rows();
    assert_eq!((ran.code, rows.len()), (Some(0), PUZZLES.len()), "{}", ran.err);
    assert!(ran.err.contains(&format!("({format}, ")), "{}", ran.err);
    for (row, puzzle) in rows.iter().zip(PUZZLES) {
        assert_eq!((row[0].replace('0', "."), row[2].as_str()), (puzzle.to_owned(), "unique"));
    }
}

/// Solves a file in chunks of all sizes, with several threads, and from a pipe. The rows must always be the
/// same.
fn assert_same_however_read(scratch: &Scratch, text: &str) -> Ran {
    let file = scratch.file("puzzles", text);
    let whole = solve(&file, &[]);
    for bytes in ["1", "7", "100", "700"] {
        for threads in ["1", "3"] {
            let ran = solve(&file, &["--chunk-bytes", bytes, "--threads", threads]);
            assert_eq!((untimed(&ran.out), ran.code), (untimed(&whole.out), whole.code), "{bytes} {threads}");
        }
    }
    let piped = run(gridmill().args(["solve", "-"]).write_stdin(text));
    assert_eq!(untimed(&piped.out), untimed(&whole.out));
    let unmapped = solve(&file, &["--no-mmap", "--chunk-bytes", "700"]);
    assert_eq!(untimed(&unmapped.out), untimed(&whole.out));
    whole
}

#[test]
fn every_format_is_detected_from_its_beginning() {
    let scratch = Scratch::new();
    let all = |write: &dyn Fn(&str) -> String| PUZZLES.map(write).concat();
    let rows = |puzzle: &str| rows_of(puzzle).join("\n") + "\n";
    let edge = "*-----------*\n";
    for (text, format) in [
        (bank(), "bank"),
        (library(), "hodoku"),
        (
            all(&|puzzle| format!("#ARuud\n#DAt random\n#CStart\n#B03-08-2006\n#SSudoCue\n{}", rows(puzzle))),
            "grid",
        ),
        (all(&|puzzle| format!("[Puzzle]\n{}[State]\n{}", rows(puzzle), rows(PUZZLES[0]))), "grid"),
        (all(&|puzzle| format!("#AMe\r\n[Puzzle]\r\n{}\r\n", rows(puzzle).replace('\n', "\r\n"))), "grid"),
        (all(&|puzzle| framed(puzzle, "", "", "-----------\n") + "\n"), "grid"),
        (all(&|puzzle| framed(puzzle, "", "", "-----------\n").replace('.', "X") + "\n"), "grid"),
        (all(&|puzzle| framed(puzzle, "|", edge, edge)), "grid"),
        (
            all(&|puzzle| framed(puzzle, "|", edge, "|---+---+---|\n") + "Simple Sudoku Version 4.2n\n\n"),
            "grid",
        ),
    ] {
        assert_solved(&assert_same_however_read(&scratch, &text), format);
    }
}

#[test]
fn bad_lines_do_not_affect_other_records() {
    let scratch = Scratch::new();
    let (bank, library) = (bank(), library());
    let puzzle = PUZZLES[0];
    for (text, diagnostic) in [
        (
            format!("{bank}{puzzle}\n{bank}"),
            "4:1: record 4: malformed: the line is not one of a puzzle bank: a hash",
        ),
        (format!("{bank}0000183b305c {}\n{bank}", &puzzle[1..]), "4:94: record 4: malformed: 80 cells"),
        (format!("{bank}0000183b305c z{puzzle}\n{bank}"), "4:14: record 4: malformed: 'z' is neither"),
        (
            format!("{library}{puzzle}\n{library}"),
            "5:1: record 4: malformed: the line is not one of a HoDoKu library",
        ),
        (format!("{library}:0000:x:{puzzle}1:::\n{library}"), "5:91: record 4: malformed: 82 cells"),
        (
            format!("{library}:0000:x:{puzzle}:714 7a3::\n{library}"),
            "5:95: record 4: malformed: a deleted candidate",
        ),
        (
            format!("{library}:0000:x:5+{}:::\n{library}", &puzzle[2..]),
            "5:11: record 4: malformed: '.' is neither",
        ),
    ] {
        let ran = assert_same_however_read(&scratch, &text);
        let mut expected = ["unique"; 7];
        expected[3] = "malformed";
        assert_eq!((ran.code, ran.statuses()), (Some(1), expected.map(str::to_owned).to_vec()), "{text}");
        assert!(ran.err.contains(&format!("puzzles:{diagnostic}")), "{}", ran.err);
        let text = text.lines().nth(if ran.err.contains("5:") { 4 } else { 3 }).unwrap();
        assert_eq!(ran.rows()[3][0], text);
    }
}

#[test]
fn other_commands_read_these_formats() {
    let scratch = Scratch::new();
    let plain = scratch.file("plain", PUZZLES.join("\n"));
    let run_on =
        |arguments: &[&str], file: &std::path::Path| run(gridmill().args(arguments).arg(file).arg("-q"));
    for (name, text) in [("bank", bank()), ("library", library())] {
        let file = scratch.file(name, &text);
        assert_eq!(run_on(&["verify"], &file).code, Some(0));
        let (counts, expected) = (run_on(&["count"], &file), run_on(&["count"], &plain));
        assert_eq!(untimed(&counts.out).replace('0', "."), untimed(&expected.out).replace('0', "."));
        let listed = |file| run_on(&["enumerate"], file).out;
        assert_eq!(listed(&file), listed(&plain));
        let forms =
            |file| run_on(&["canon"], file).rows().into_iter().map(|row| row[1].clone()).collect::<Vec<_>>();
        assert_eq!(forms(&file), forms(&plain));
        // Selected records are copied unchanged, as whole lines.
        let selected = run_on(&["select", "--clues", "32"], &file).out;
        let second = text.lines().find(|line| line.contains("b3051") || line.contains(":0702:"));
        assert_eq!(selected.strip_suffix('\n'), second);
        let double = scratch.file("double", text.repeat(2));
        let distinct = run_on(&["dedupe"], &double).out;
        let records = |text: &str| {
            text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(records(&distinct), records(&text));
        let both = run(gridmill().arg("overlap").args([&file, &plain]).arg("-q"));
        assert_eq!(both.rows().len(), 3);
    }
}

/// JSON lines can be long, because they hold explanations or answers of language models.
#[test]
fn json_objects_can_have_long_texts() {
    let scratch = Scratch::new();
    let trace = "x".repeat(70_000);
    let [first, second, third] = PUZZLES;
    let ran = assert_same_however_read(
        &scratch,
        &format!(
            "{{\"trace\":\"{trace}\",\"puzzle\":\"{first}\",\"status\":1}}\n{{\"puzzle\":\"{second}\",\"trace\":\"{trace}\"}}\n{{\"puzzle\":\"{third}\"}}\n"
        ),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let rows: Vec<&str> = ran.out.lines().collect();
    assert!(rows[0].contains(",\"status\":1,\"") && rows[0].contains("\"gridmill_status\":\"unique\""));
    assert!(rows[1..].iter().all(|row| row.contains("\"gridmill_status\":\"unique\"")));
    assert_eq!(rows.len(), 3);
}

#[test]
fn a_bank_of_another_size_is_read() {
    let scratch = Scratch::new();
    let file = scratch.file("four", "0000183b305c 12..34....12..34  0.1\n0000183b305d ................\n");
    let ran = solve(&file, &[]);
    assert_eq!(ran.statuses(), ["unique", "multiple"]);
    assert_eq!(ran.rows()[0][0], "12..34....12..34");
    let mixed = scratch.file("mixed", format!("0000183b305c 12..34....12..34  0.1\n{}", bank()));
    assert_eq!(solve(&mixed, &["--mixed"]).statuses(), ["unique"; 4]);
    assert_eq!(solve(&mixed, &[]).statuses(), ["unique", "malformed", "malformed", "malformed"]);
}

#[test]
fn the_format_can_be_chosen() {
    let scratch = Scratch::new();
    let bad = "nothing to go by\n";
    for (format, text) in [("bank", bank()), ("hodoku", library())] {
        let file = scratch.file("p", format!("{bad}{text}"));
        assert_eq!(solve(&file, &["--format", format]).statuses()[1..], ["unique"; 3]);
        assert_eq!(solve(&file, &[]).statuses()[1..], ["unique"; 3]);
    }
    let file = scratch.file("library", library());
    let refused = solve(&file, &["--format", "hodoku", "--shape", "2x2"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.contains("the format hodoku is for 9x9 puzzles: leave --shape out"),
        "{}",
        refused.err
    );
    let mixed = solve(&file, &["--mixed"]);
    assert_eq!(mixed.statuses(), ["unique"; 3]);
}
