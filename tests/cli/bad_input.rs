//! Bad input must not cause a panic, a lost record or a hang, and the message must say where it is.

use crate::program::{Ran, Scratch, gridmill, run, solve, untimed};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Solves a file with a bad text between two good puzzles, both mapped and piped. Returns the statuses of the
/// bad text, and the messages.
fn between(bad: &[u8]) -> (Vec<String>, String) {
    let scratch = Scratch::new();
    let text = [LINE.as_bytes(), b"\n", bad, b"\n", LINE.as_bytes(), b"\n"].concat();
    let mapped = solve(&scratch.file("p.txt", &text), &[]);
    let piped = run(gridmill().args(["solve", "-"]).write_stdin(text));
    assert_eq!(untimed(&mapped.out), untimed(&piped.out));
    assert_eq!(mapped.code, piped.code);
    let statuses = mapped.statuses();
    assert_eq!(statuses.first().map(String::as_str), Some("unique"), "{}", mapped.err);
    assert_eq!(statuses.last().map(String::as_str), Some("unique"), "{}", mapped.err);
    let bad = statuses.iter().any(|status| status == "malformed" || status == "conflict");
    assert_eq!(mapped.code, Some(i32::from(bad)));
    (statuses[1..statuses.len() - 1].to_vec(), mapped.err)
}

fn assert_malformed(bad: &[u8], message: &str) {
    let (statuses, messages) = between(bad);
    assert_eq!(statuses, ["malformed"], "{messages}");
    assert!(messages.contains(message), "{message}: {messages}");
}

fn assert_refused(ran: &Ran, message: &str) {
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains(message), "{message}: {}", ran.err);
    assert!(!ran.err.contains("panicked"));
}

#[test]
fn lines_of_wrong_length_are_malformed_records() {
    assert_malformed(&LINE.as_bytes()[..80], "p.txt:2:81: record 2: malformed: 80 cells where 81 are needed");
    assert_malformed(format!("{LINE}1").as_bytes(), "p.txt:2:82: record 2: malformed: text after cell 81");
    assert_malformed(b"1", "1 cell where 81 are needed");
}

#[test]
fn lists_of_wrong_length_are_malformed_records() {
    let list = |cells: &str| cells.chars().map(|cell| format!("{cell} ")).collect::<String>();
    let few = list(&LINE[..80].replace('.', "0"));
    assert_malformed(few.as_bytes(), "p.txt:2:161: record 2: malformed: 80 cells where 81 are needed");
    let more = list(&format!("{LINE}1"));
    assert_malformed(more.as_bytes(), "p.txt:2:163: record 2: malformed: text after cell 81");
    let letter = list(&LINE.replacen("53.", "53a", 1));
    assert_malformed(letter.as_bytes(), "p.txt:2:5: record 2: malformed: 'a' is neither digit nor blank");
    let remark = format!("{}  rated 1.2", &LINE[..80]);
    assert_malformed(remark.as_bytes(), "p.txt:2:81: record 2: malformed: 80 cells where 81 are needed");
}

#[test]
fn a_grid_with_a_row_missing_is_one_malformed_record() {
    let rule = "+---+---+---+\n";
    let rows: Vec<String> = LINE
        .as_bytes()
        .chunks(9)
        .map(|row| String::from_utf8_lossy(row).into_owned())
        .map(|row| format!("|{}|{}|{}|\n", &row[..3], &row[3..6], &row[6..]))
        .collect();
    let good = format!("{rule}{}{rule}", rows.concat());
    let text = format!("{good}{rule}{}{rule}{good}", rows[1..].concat());
    let scratch = Scratch::new();
    let ran = solve(&scratch.file("p.txt", text), &[]);
    assert_eq!(ran.statuses(), ["unique", "malformed", "unique"], "{}", ran.err);
    assert!(ran.err.contains("p.txt:20:14: record 2: malformed: 72 cells"), "{}", ran.err);
}

#[test]
fn invalid_characters_and_invalid_utf8_are_malformed_records() {
    assert_malformed(
        LINE.replacen("53.", "53a", 1).as_bytes(),
        "p.txt:2:3: record 2: malformed: 'a' is neither",
    );
    assert_malformed(LINE.replacen("53.", "53é", 1).as_bytes(), "'é' is neither digit nor blank");
    assert_malformed(LINE.replacen("53.", "53\0", 1).as_bytes(), "control character U+0000");
    let mut invalid = LINE.as_bytes().to_vec();
    invalid[4] = 0xff;
    assert_malformed(&invalid, "p.txt:2:5: record 2: malformed: the byte 0xFF is not UTF-8 text");
}

#[test]
fn columns_in_messages_count_characters() {
    let mut line = "é".repeat(3);
    line.push_str(LINE);
    assert_malformed(line.as_bytes(), ":2:1: ");
    assert_malformed("5é".as_bytes(), ":2:2: ");
}

#[test]
fn a_line_of_a_hundred_megabytes_is_one_malformed_record() {
    let (statuses, messages) = between(&vec![b'7'; 100 << 20]);
    assert_eq!(statuses, ["malformed"]);
    assert!(
        messages.contains("p.txt:2:1: record 2: malformed: the record is longer than 64 KiB"),
        "{messages}"
    );
    // The rest of the long line is skipped, so the next record is on line 3.
    let (statuses, messages) = between(&[&vec![b'7'; 1 << 20][..], b"\nbad"].concat());
    assert_eq!(statuses, ["malformed"; 2]);
    assert!(messages.contains("p.txt:3:1: record 3"), "{messages}");
}

/// A line that is too long is one record, wherever the chunks cut it, and the lines around it are read as
/// usual.
#[test]
fn long_lines_give_the_same_rows_for_any_chunk_size() {
    let scratch = Scratch::new();
    let rows: String = LINE.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row) + "\n").collect();
    for (format, puzzle) in [("line", LINE), ("grid", &format!("\n{rows}"))] {
        let mut text = format!("{puzzle}\n");
        for length in [65_535, 65_536, 65_537, 131_071, 131_073, 200_000, 400_000] {
            let lines =
                ["7".repeat(length), " ".repeat(length), "# ".repeat(length), " ".repeat(length) + LINE];
            lines.iter().for_each(|line| text.push_str(&format!("{line}\n{puzzle}\n")));
        }
        let file = scratch.file("p.txt", &text);
        let whole = solve(&file, &["--format", format, "--chunk-bytes", "67108864"]);
        for arguments in [
            &["--chunk-bytes", "1"][..],
            &["--chunk-bytes", "70000"],
            &["--no-mmap", "--chunk-bytes", "1"],
            &["--no-mmap"],
        ] {
            let cut = solve(&file, &[&["--format", format], arguments].concat());
            assert!(untimed(&cut.out) == untimed(&whole.out), "{format} {arguments:?}");
            let messages = |ran: &Ran| {
                ran.err.lines().filter(|line| line.contains("p.txt:")).map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(messages(&cut), messages(&whole), "{format} {arguments:?}");
        }
        let statuses = whole.statuses();
        assert_eq!(statuses.iter().filter(|status| *status == "unique").count(), 29, "{format}");
        // A line of spaces is a record only if it is longer than a record may be, because it is skipped as
        // blank otherwise. A comment is never a record.
        assert_eq!(statuses.len(), 29 + 7 + 5 + 7, "{format}");
    }
}

#[test]
fn equal_clues_in_a_house_are_a_conflict() {
    for (cells, house) in [([0, 8], "row 1"), ([3, 66], "column 4"), ([60, 80], "box 9")] {
        let mut line = [b'.'; 81];
        cells.iter().for_each(|&cell| line[cell] = b'6');
        let (statuses, messages) = between(&line);
        assert_eq!(statuses, ["conflict"]);
        assert!(
            messages.contains(&format!("p.txt:2:1: record 2: conflict: {house} holds two 6s")),
            "{messages}"
        );
    }
}

#[test]
fn conflict_messages_point_to_the_puzzle_in_its_csv_row() {
    let scratch = Scratch::new();
    let bad = LINE.replacen("53", "55", 1);
    let table = format!("id,puzzle\n10,{bad}\n11,\"{bad}\"\n12, {bad}\n");
    let ran = solve(&scratch.file("t.csv", table), &[]);
    for place in ["t.csv:2:4: ", "t.csv:3:5: ", "t.csv:4:5: "] {
        assert!(ran.err.contains(&format!("{place}record")), "{place}: {}", ran.err);
    }
}

#[test]
fn empty_and_solved_grids_get_a_status() {
    assert_eq!(between(&[b'.'; 81]).0, ["multiple"]);
    assert_eq!(between(&[b'0'; 81]).0, ["multiple"]);
    assert_eq!(between(&[b' '; 81]).0, ["multiple"]);
    assert_eq!(
        between(b"534678912672195348198342567859761423426853791713924856961537284287419635345286179").0,
        ["unique"]
    );
}

#[test]
fn an_input_without_records_gives_a_header_only() {
    let scratch = Scratch::new();
    for text in ["", "\n\r\n\n", "# only\n# comments", "\u{feff}", "   \t \n"] {
        let ran = solve(&scratch.file("p.txt", text), &[]);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (Some(0), "puzzle,solution,status,guesses,time_ns\n"),
            "{text:?}"
        );
        let piped = run(gridmill().args(["solve", "-q", "-"]).write_stdin(text));
        assert_eq!((piped.code, piped.out), (Some(0), ran.out), "{text:?}");
    }
}

#[test]
fn unix_and_windows_line_ends_are_read() {
    let text = format!("\u{feff}{LINE}\r\n\r\n{LINE}\n# x\r\n{LINE} remark\r\n{LINE}");
    let scratch = Scratch::new();
    let ran = solve(&scratch.file("p.txt", text), &[]);
    assert_eq!((ran.code, ran.statuses()), (Some(0), vec!["unique".to_owned(); 4]), "{}", ran.err);
    assert!(ran.rows().iter().all(|row| row[0] == LINE));
}

#[test]
fn inputs_that_cannot_be_read_are_refused() {
    let scratch = Scratch::new();
    assert_refused(&solve(&scratch.path("missing.txt"), &[]), "missing.txt: can't be opened");
    assert_refused(&solve(scratch.path("x").parent().unwrap(), &[]), "is a directory");
    assert_refused(&solve(&scratch.file("p.bz2", b"BZh91AY&SY"), &[]), "bzcat");
    assert_refused(&solve(&scratch.file("p.npy", b"\x93NUMPY\x01\0v\0{}"), &[]), "numpy.load('FILE')");
    assert_refused(&solve(&scratch.file("u.txt", b"\xff\xfe5\0"), &[]), "UTF-16");
    assert_refused(&solve(&scratch.file("c.csv", format!("{LINE}\n")), &["--format", "csv"]), "--no-header");
    assert_refused(&solve(&scratch.file("e.csv", ""), &["--format", "csv"]), "no header");
    let headless = format!("1,{LINE},x\n2,{LINE},y\n");
    assert_refused(&solve(&scratch.file("h.csv", headless), &[]), "no header row");
    let old_lines = format!("{LINE}\r{LINE}\r");
    assert_refused(&solve(&scratch.file("o.txt", old_lines), &[]), "tr '\\r' '\\n' < FILE");
    let table = format!("id,cells\n1,{LINE}\n");
    assert_refused(&solve(&scratch.file("t.csv", table), &[]), "its columns are: id, cells");
}

/// A Parquet or Arrow table is recognised even without the feature that reads it, so that the message can
/// name the feature.
#[cfg(not(feature = "columnar"))]
#[test]
fn columnar_files_are_refused_with_two_remedies() {
    let scratch = Scratch::new();
    let (build, stream) = (
        "; build gridmill with --features columnar to read it, or pipe it in: ",
        b"\xff\xff\xff\xff\x10\0\0\0",
    );
    for (bytes, what, command) in [
        (&b"PAR1\x15\x04"[..], "is a Parquet file", "duckdb -csv -c \"FROM 'FILE'\" | gridmill COMMAND -"),
        (b"ARROW1\0\0", "is an Arrow file", "python3 -c \"import pandas; "),
        (stream, "is an Arrow stream", "python3 -c \"import pyarrow.ipc as ipc; "),
    ] {
        assert_refused(&solve(&scratch.file("x", bytes), &[]), &format!("{what}{build}{command}"));
    }
}

#[test]
fn lines_that_look_like_other_formats_are_not_refused() {
    let scratch = Scratch::new();
    for text in [format!("{LINE},{LINE}\n"), format!("bad|{LINE}\n{LINE}\n"), "[Puzzle]\n".to_owned()] {
        assert_ne!(solve(&scratch.file("in", &text), &[]).code, Some(2), "{text}");
    }
}

#[test]
fn ragged_rows_and_open_quotes_do_not_affect_other_records() {
    let scratch = Scratch::new();
    let text = format!(
        "id,puzzle,x\n1,{LINE},a\n2,{LINE}\n3,{LINE},b,c\n4,\"{LINE},d\n5,{LINE},e\n6,oops,f\n\n7,{LINE},g\n"
    );
    let ran = solve(&scratch.file("t.csv", text), &[]);
    assert_eq!(ran.code, Some(1));
    let expected = ["unique", "malformed", "malformed", "malformed", "unique", "malformed", "unique"];
    assert_eq!(ran.statuses(), expected, "{}", ran.out);
    let rows = ran.rows();
    assert!(rows.iter().all(|row| row.len() == 7));
    assert_eq!(rows[1][..3], ["2", LINE, ""]);
    assert_eq!(rows[2][..3], ["3", LINE, "b,c"]);
    assert_eq!(rows[3][..3], ["4", &format!("\"{LINE}"), "d"]);
    assert_eq!(rows[5][..3], ["6", "oops", "f"]);
    for message in [
        "t.csv:3:1: record 2: malformed: the row has 2 fields, but the header has 3",
        "t.csv:4:1: record 3: malformed: the row has 4 fields, but the header has 3",
        "t.csv:5:3: record 4: malformed: the quoted field has no closing quote",
        "t.csv:7:3: record 6: malformed: 'o' is neither digit nor blank",
    ] {
        assert!(ran.err.contains(message), "{message}: {}", ran.err);
    }
}

#[test]
fn an_output_that_is_the_input_is_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", LINE);
    let link = scratch.path("link.txt");
    std::fs::hard_link(&file, &link).unwrap();
    for output in [&file, &link] {
        assert_refused(&run(gridmill().arg("solve").arg(&file).arg("-o").arg(output)), "is also an input");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), LINE);
    assert_eq!(scratch.names(), ["link.txt", "p.txt"]);
}

#[test]
fn summaries_that_would_overwrite_something_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", LINE);
    let summary = |name: &str| {
        let path = scratch.path(name);
        let mut command = gridmill();
        command.arg("solve").arg(&file).arg("-o").arg(scratch.path("o.csv")).arg("--summary").arg(path);
        run(&mut command)
    };
    assert_refused(&summary("p.txt"), "is also an input");
    assert_refused(&summary("o.csv"), "two outputs would both be written to");
    assert_refused(&summary("./o.csv"), "two outputs would both be written to");
    assert_refused(&summary("none/s.json"), "can't be written");
    let both = run(gridmill().arg("solve").arg(&file).args(["--summary", "-"]));
    assert_refused(&both, "two outputs would both be written to");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), LINE);
    assert_eq!(scratch.names(), ["p.txt"], "no output was created");
    let printed =
        run(gridmill().arg("solve").arg(&file).arg("-o").arg(scratch.path("o.csv")).args(["--summary", "-"]));
    assert!(printed.code == Some(0) && printed.out.starts_with('{'), "{}", printed.out);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", LINE);
    for (option, value) in [("--threads", "0"), ("--threads", "2000"), ("--chunk-bytes", "99999999999")] {
        assert_refused(&solve(&file, &[option, value]), "is not in 1..=");
    }
    assert_eq!(solve(&file, &["--threads", "1024", "--chunk-bytes", "67108864"]).code, Some(0));
}

#[test]
fn outputs_that_cannot_be_written_are_refused() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", format!("{LINE}\n").repeat(10_000));
    let to = |output: &str| run(gridmill().arg("solve").arg(&file).arg("-o").arg(output));
    assert_refused(&to("/no/such/directory/o.csv"), "/no/such/directory/o.csv: can't be written");
    assert_refused(&to(scratch.path("x").parent().unwrap().to_str().unwrap()), "can't be written");
    assert_refused(&to(scratch.path("new/").to_str().unwrap()), "not a directory");
    if cfg!(target_os = "linux") {
        assert_refused(&to("/dev/full"), "writing the output failed: /dev/full: No space left on device");
    }
    assert_eq!(scratch.names(), ["p.txt"]);
}

#[test]
fn at_most_20_messages_are_printed_by_default() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", "bad\n".repeat(1000));
    let ran = solve(&file, &[]);
    assert_eq!(ran.rows().len(), 1000);
    assert_eq!(ran.err.matches("p.txt:").count(), 20, "{}", ran.err);
    assert!(ran.err.contains("980 more"));
    assert_eq!(solve(&file, &["--max-messages", "1000"]).err.matches("p.txt:").count(), 1000);
}

#[test]
fn a_header_that_is_too_long_is_refused() {
    let scratch = Scratch::new();
    let line = ".".repeat(81);
    let file = scratch.file("h.csv", format!("puzzle,{}\n{line},1\n", "n".repeat(100_000)));
    for command in ["solve", "verify", "dedupe", "select"] {
        let ran = run(gridmill().arg(command).arg(&file));
        assert_eq!((ran.code, &*ran.out), (Some(2), ""), "{command}");
        assert!(ran.err.contains("h.csv: the header of the CSV input is longer than 64 KiB"), "{}", ran.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_can_be_written_to_dev_stdout() {
    let scratch = Scratch::new();
    let file = scratch.file("p.txt", ".".repeat(81));
    let ran = run(gridmill().args(["count", "--limit", "2", "-q", "-o", "/dev/stdout"]).arg(&file));
    assert_eq!((ran.code, ran.rows().len(), &*ran.err), (Some(0), 1, ""));
    assert_eq!(scratch.names(), ["p.txt"]);
}

#[test]
fn shuffle_copies_records_that_it_cannot_read() {
    let scratch = Scratch::new();
    let mut bytes = b"12\xff\xfe bad\n".to_vec();
    bytes.extend(vec![b'x'; 300_000]);
    bytes.extend(b"\r\nbad");
    let ran = gridmill().args(["shuffle", "-q"]).arg(scratch.file("p.txt", &bytes)).output().unwrap();
    let mut expected = bytes;
    expected.retain(|&byte| byte != b'\r');
    expected.push(b'\n');
    assert!(ran.stdout == expected, "{} of {} bytes", ran.stdout.len(), expected.len());
}

/// This must be an error, because otherwise the runtime opens /dev/null instead, and the input would seem to
/// have no records.
#[cfg(unix)]
#[test]
fn a_closed_standard_input_is_an_error() {
    let program = env!("CARGO_BIN_EXE_gridmill");
    for command in ["solve -", "solve", "verify -", "stats -", "dedupe -", "matrix -"] {
        let line = format!("{program} {command} <&-");
        let ran = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
        let message = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(2), "{command}: {message}");
        assert!(message.contains("standard input is closed"), "{command}: {message}");
    }
    // Standard input is not needed if a puzzle or a file is named.
    let ran = std::process::Command::new("sh")
        .args(["-c", &format!("{program} solve 1.....3..4.....2 -q <&-")])
        .output();
    assert_eq!(ran.unwrap().status.code(), Some(0));
}

/// This must be an error, because otherwise the runtime opens /dev/null instead, and the rows would be lost.
#[cfg(unix)]
#[test]
fn a_closed_standard_output_is_an_error() {
    let program = env!("CARGO_BIN_EXE_gridmill");
    let run = |command: &str| {
        let line = format!("{program} {command}");
        std::process::Command::new("sh").args(["-c", &line]).output().unwrap()
    };
    let puzzle = "1.....3..4.....2";
    for command in
        ["solve", "count", "enumerate", "canon", "select", "dedupe", "stats", "shuffle", "candidates"]
    {
        let ran = run(&format!("{command} {puzzle} -q >&-"));
        let message = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(ran.status.code(), Some(2), "{command}: {message}");
        assert!(message.contains("standard output is closed"), "{command}: {message}");
    }
    for command in ["generate -q", "bench -q --rounds 1 datasets/4x4.txt", "man", "completions bash"] {
        assert_eq!(run(&format!("{command} >&-")).status.code(), Some(2), "{command}");
    }
    // These runs write nothing to standard output.
    assert_eq!(run(&format!("verify {puzzle} -q >&-")).status.code(), Some(0));
    assert_eq!(run(&format!("solve {puzzle} -q -o /dev/null >&-")).status.code(), Some(0));
    assert_eq!(run(&format!("solve {puzzle} -q > /dev/null")).status.code(), Some(0));
}

/// JSON that is not JSON Lines is refused, and the message has a `jq` command that converts it.
#[test]
fn remedies_for_json_fit_its_shape() {
    let scratch = Scratch::new();
    for (text, remedy) in [
        ("[[1,0,0,0],[0,0,3,0],[0,4,0,0],[0,0,0,2]]\n", "jq -c '{puzzle: .}' FILE"),
        ("[[[1,0,0,0],[0,0,3,0],[0,4,0,0],[0,0,0,2]]]\n", "jq -c '{puzzle: .[]}' FILE"),
        ("[\"1.....3..4.....2\",\"1.....3..4.....2\"]\n", "jq -c '{puzzle: .[]}' FILE"),
        ("\"1.....3..4.....2\"\n\"1.....3..4.....2\"\n", "jq -r . FILE"),
    ] {
        let ran = run(gridmill().arg("solve").arg(scratch.file("x.json", text)));
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{text}");
        assert!(ran.err.contains(remedy), "{text}: {}", ran.err);
    }
}
