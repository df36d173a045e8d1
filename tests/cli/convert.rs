//! `gridmill convert`, as a user runs it.

use std::path::Path;

use crate::program::{Ran, Scratch, gridmill, run};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const OTHER: &str = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";
const FOUR: &str = "1.....3..4.....2";

const ANY_SIZE: [&str; 7] = ["line", "grid", "framed", "sdk", "numbers", "csv", "jsonl"];
const CLASSIC: [&str; 2] = ["hodoku", "pencilmarks"];

fn convert(path: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("convert").arg(path).args(arguments))
}

/// Asserts that a run succeeded, and returns its output.
fn good(ran: Ran) -> String {
    assert_eq!((ran.code, &*ran.err), (Some(0), ""), "{}", ran.out);
    ran.out
}

fn dataset(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(Path::new("datasets").join(name)).unwrap();
    text.lines().filter(|line| !line.starts_with('#')).take(12).map(str::to_owned).collect()
}

/// Lines of each size, and the arguments that are needed to read them.
fn of_all_sizes() -> [(Vec<String>, Vec<&'static str>); 4] {
    [
        (dataset("4x4.txt"), vec!["--shape", "2x2"]),
        (dataset("6x6.txt"), vec![]),
        (dataset("easy.txt"), vec![]),
        (dataset("16x16.txt"), vec!["--alphabet", "1-9A-G"]),
    ]
}

#[test]
fn every_format_converts_back_to_the_same_lines() {
    let scratch = Scratch::new();
    for (lines, options) in of_all_sizes() {
        let text = lines.join("\n") + "\n";
        let file = scratch.file("lines.txt", &text);
        let is_classic = lines[0].len() == 81;
        let side = lines[0].len().isqrt();
        for format in ANY_SIZE.iter().chain(CLASSIC.iter().filter(|_| is_classic)) {
            let converted =
                scratch.file("there", good(convert(&file, &[&["--to", format], &options[..]].concat())));
            let mut back = vec!["--to", "line"];
            if *format == "numbers" && side > 9 {
                back.extend(["--to-alphabet", "1-9A-G"]);
            } else {
                back.extend(&options);
            }
            if *format == "pencilmarks" {
                let refused = convert(&converted, &back);
                assert!(refused.code == Some(2) && refused.err.contains("but these are pencilmarks"));
                assert_eq!(
                    convert(&converted, &["--to", format]).out,
                    std::fs::read_to_string(&converted).unwrap()
                );
            } else {
                assert_eq!(good(convert(&converted, &back)), text, "{format} of {side}x{side}");
            }
        }
    }
}

#[test]
fn the_output_does_not_depend_on_threads_and_chunks() {
    let scratch = Scratch::new();
    for (lines, options) in of_all_sizes() {
        let text: String = lines.iter().flat_map(|line| [line, "\n", "bad\n"]).collect();
        let file = scratch.file("lines.txt", text);
        for format in ANY_SIZE {
            let out = |arguments: &[&str]| {
                let ran = convert(&file, &[&["--to", format], &options[..], arguments].concat());
                assert_eq!(ran.code, Some(1), "{}", ran.err);
                (ran.out, ran.err)
            };
            let whole = out(&["--threads", "1"]);
            assert_eq!(out(&["--threads", "3", "--chunk-bytes", "1"]), whole);
            assert_eq!(out(&["--threads", "2", "--chunk-bytes", "700", "--no-mmap"]), whole);
        }
    }
}

/// A record that is malformed in the input is written so that it is malformed in every other format too.
#[test]
fn unreadable_records_keep_their_places() {
    let scratch = Scratch::new();
    let file = scratch.file(
        "p.txt",
        format!("{LINE}\nbad, \"one\"\n# a comment\n[State]\n{OTHER} a remark\n---\n{LINE}\n"),
    );
    for format in ANY_SIZE.iter().filter(|format| **format != "numbers").chain(&["hodoku"]) {
        let ran = convert(&file, &["--to", format]);
        assert_eq!(ran.code, Some(1));
        assert!(
            ran.err.contains("p.txt:2:1: record 2: malformed") && ran.err.lines().count() == 3,
            "{}",
            ran.err
        );
        let converted = scratch.file("there", ran.out);
        let again = run(gridmill().arg("solve").arg(&converted).args(["--to", "csv"]));
        let statuses = again.statuses();
        assert_eq!(
            statuses,
            ["unique", "malformed", "malformed", "unique", "malformed", "unique"],
            "{format}"
        );
    }
    let lines = convert(&file, &[]).out;
    assert_eq!(lines, format!("{LINE}\nbad, \"one\"\n[State]\n{OTHER}\n---\n{LINE}\n"));
    let grids = convert(&file, &["--to", "grid"]).out;
    assert!(grids.contains("\n\n\"bad, \"one\"\"\n\n\"[State]\"\n\n1....7.9.\n"), "{grids}");
}

#[test]
fn tables_and_objects_keep_their_other_columns() {
    let scratch = Scratch::new();
    let table =
        format!("id;puzzle;x\n1;\"[[1,0,0,0],[0,0,3,0],[0,4,0,0],[0,0,0,2]]\";\"a;b\"\n2;bad;c\n#3;{FOUR}\n");
    let file = scratch.file("t.csv", table);
    let out = |to| convert(&file, &["--to", to, "-q"]).out;
    assert_eq!(out("csv"), format!("id;puzzle;x\n1;{FOUR};\"a;b\"\n2;bad;c\n#3;{FOUR};\n"));
    let objects = format!(
        "{{\"id\":\"1\",\"puzzle\":\"{FOUR}\",\"x\":\"a;b\"}}\n{{\"id\":\"2\",\"puzzle\":\"bad\",\"x\":\"c\"}}\n{{\"id\":\"#3\",\"puzzle\":\"{FOUR}\",\"x\":\"\"}}\n"
    );
    assert_eq!(out("jsonl"), objects);
    // The field is quoted, because a line that begins with # would be a comment.
    assert_eq!(out("line"), format!("{FOUR}\n2;bad;c\n\"#3;{FOUR}\"\n"));
    let objects = "{\"id\":1, \"puzzle\" : [1,0,0,0,0,0,3,0,0,4,0,0,0,0,0,2], \"t\":[\"a\"]}\nbad, x\n{\"puzzle\":\"bad\",\"id\":\"q\\\"\"}\n{}\n";
    let file = scratch.file("o.jsonl", objects);
    let out = |to| convert(&file, &["--to", to, "-q"]).out;
    let expected =
        format!("{{\"id\":1, \"puzzle\" : \"{FOUR}\", \"t\":[\"a\"]}}\n{{\"puzzle\":\"bad, x\"}}\n");
    assert_eq!(out("jsonl"), expected + "{\"puzzle\":\"bad\",\"id\":\"q\\\"\"}\n{}\n");
    let expected = format!("id,puzzle,t\n1,{FOUR},\"[\"\"a\"\"]\"\n,\"bad, x\",\n\"q\"\"\",bad,\n,,\n");
    assert_eq!(out("csv"), expected);
}

#[test]
fn keys_without_a_column_are_reported() {
    let scratch = Scratch::new();
    let mut lines = format!("{{\"puzzle\":\"{LINE}\"}}\n").repeat(1000);
    lines += &format!("{{\"puzzle\":\"{LINE}\",\"late\":1}}\n");
    let file = scratch.file("o.jsonl", lines);
    let ran = convert(&file, &["--to", "csv"]);
    assert_eq!((ran.code, ran.out.lines().count()), (Some(1), 1002));
    assert!(ran.err.contains("keys that are not among those of the first 64 KiB"), "{}", ran.err);
    assert!(convert(&file, &["--to", "jsonl"]).out.ends_with("\"late\":1}\n"));
}

#[test]
fn csv_columns_are_the_keys_of_all_json_files() {
    let scratch = Scratch::new();
    let first = scratch.file("a.jsonl", format!("{{\"a\":1,\"puzzle\":\"{LINE}\"}}\n"));
    let second = scratch.file("b.jsonl", format!("{{\"quiz\":\"{OTHER}\",\"b\":2}}\n"));
    let out = good(convert(&first, &[second.to_str().unwrap(), "--to", "csv"]));
    assert_eq!(out, format!("a,puzzle,quiz,b\n1,{LINE},,\n,,{OTHER},2\n"));
}

#[test]
fn the_output_format_follows_from_the_file_name() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{LINE} 1.2\n"));
    for (name, begins) in [
        ("a.csv", "puzzle\n53"),
        ("a.jsonl", "{\"puzzle\":\"53"),
        ("a.sdk", "[Puzzle]\n53..7....\n6"),
        ("a.txt", "53..7....6"),
    ] {
        let path = scratch.path(name);
        good(convert(&file, &["-o", path.to_str().unwrap()]));
        assert!(std::fs::read_to_string(&path).unwrap().starts_with(begins), "{name}");
    }
    let packed = scratch.path("a.csv.gz");
    good(convert(&file, &["-o", packed.to_str().unwrap()]));
    assert_eq!(std::fs::read(&packed).unwrap()[..2], [0x1f, 0x8b]);
    assert_eq!(good(convert(&packed, &[])), format!("{LINE}\n"));
}

#[test]
fn blanks_and_digits_can_be_written_with_other_symbols() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{LINE}\n"));
    for format in ANY_SIZE.iter().filter(|format| **format != "numbers").chain(&["hodoku"]) {
        for blank in ["0", "-", "*", "_", "?", "x", "X"] {
            let converted = scratch.file("there", good(convert(&file, &["--to", format, "--blank", blank])));
            assert!(!std::fs::read_to_string(&converted).unwrap().contains('.'));
            assert_eq!(good(convert(&converted, &["--to", "line"])), format!("{LINE}\n"), "{format} {blank}");
        }
    }
    let letters = good(convert(&file, &["--to-alphabet", "A-I"]));
    assert!(letters.starts_with("EC..G....F..AIE"), "{letters}");
    let letters = scratch.file("letters.txt", letters);
    let hodoku = good(convert(&letters, &["--to", "hodoku", "--alphabet", "A-I"]));
    assert_eq!(hodoku, format!(":0000:x:{LINE}:::\n"));
}

#[test]
fn sizes_can_be_mixed() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{FOUR}\n{LINE}\n"));
    let out = good(convert(&file, &["--mixed", "--to-alphabet", "A-D", "--to-alphabet", "A-I"]));
    assert!(out.starts_with("A.....C..D.....B\nEC..G"), "{out}");
    let refused = convert(&file, &["--mixed", "--to", "hodoku"]);
    assert!(refused.code == Some(2) && refused.err.contains("of mixed sizes"), "{}", refused.err);
}

#[test]
fn impossible_conversions_are_refused_before_writing() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{LINE}\n"));
    let four = scratch.file("four.txt", format!("{FOUR}\n"));
    let sixteen = scratch.file("sixteen.txt", dataset("16x16.txt").join("\n"));
    let marks = scratch.file("marks.txt", good(convert(&file, &["--to", "pencilmarks"])));
    let refusals: [(&Path, &[&str], &str); 4] = [
        (&four, &["--to", "pencilmarks", "--shape", "2x2"], "but these are 4x4"),
        (&marks, &["--to", "csv", "--blank", "0"], "--blank has no effect on pencilmarks"),
        (
            &sixteen,
            &["--to-alphabet", "0-9A-F", "--blank", "0"],
            "--blank 0 is a digit in the alphabet 0-9A-F",
        ),
        (&file, &["--to", "table"], "possible values: line, grid"),
    ];
    for (path, arguments, reason) in refusals {
        let output = scratch.path("out.txt");
        let ran = convert(path, &[arguments, &["-o", output.to_str().unwrap()]].concat());
        assert!(ran.code == Some(2) && ran.err.contains(reason), "{arguments:?}: {}", ran.err);
        assert!(!output.exists());
    }
    assert_eq!(good(convert(&sixteen, &["--blank", "0"])).lines().count(), 12);
    let table = good(convert(&marks, &["--to", "csv"]));
    assert_eq!(
        good(convert(&scratch.file("m.csv", table), &["--to", "pencilmarks"])),
        std::fs::read_to_string(&marks).unwrap()
    );
}

#[test]
fn a_column_of_solutions_can_be_converted() {
    let file = Path::new("datasets/fixtures/test.csv");
    let solutions = good(convert(file, &["--puzzle-column", "solution"]));
    assert_eq!(solutions.lines().count(), 8);
    assert!(solutions.bytes().all(|byte| byte == b'\n' || (b'1'..=b'9').contains(&byte)));
}

#[test]
fn an_empty_file_is_converted_to_a_header_only() {
    let scratch = Scratch::new();
    let file = scratch.file("empty.txt", "");
    assert_eq!(good(convert(&file, &["--to", "csv"])), "puzzle\n");
    assert_eq!(good(convert(&file, &["--to", "framed"])), "");
    let file = scratch.file("empty.csv", "id,puzzle\n");
    assert_eq!(good(convert(&file, &["--to", "csv"])), "id,puzzle\n");
    let rows = scratch.file("rows.csv", format!("7,{LINE}\n"));
    assert_eq!(
        good(convert(&rows, &["--to", "csv", "--no-header", "--blank", "0"])),
        format!("7,{}\n", LINE.replace('.', "0"))
    );
}
