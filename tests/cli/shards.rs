//! `--shard` and `--skip-existing`: all parts of a file together are the whole.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{as_lines, easy_puzzles};
use crate::process::{Running, wait_for_rows};
use crate::program::{Ran, Scratch, gridmill, run, untimed};

const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/// Runs a command on one thread.
fn command(arguments: &[&str], files: &[&Path]) -> Ran {
    run(gridmill().args(arguments).args(["--threads", "1"]).args(files))
}

/// The joined outputs of all parts. Only the first header is kept.
fn parts(count: usize, header: bool, arguments: &[&str], files: &[&Path]) -> String {
    let part = |number: usize| {
        let ran = command(&[arguments, &["--shard", &format!("{number}/{count}")]].concat(), files);
        assert!(ran.code == Some(0) || ran.code == Some(1), "part {number} of {count}: {}", ran.err);
        let (first, rest) = ran.out.split_once('\n').filter(|_| header).unwrap_or(("", &ran.out));
        if header && number == 1 { format!("{first}\n{rest}") } else { rest.to_owned() }
    };
    (1..=count).map(part).collect()
}

/// Lines of text with puzzles, blank lines, comments, and lines that can't be read.
fn lines() -> String {
    let puzzles = as_lines(&easy_puzzles(6, 3));
    let mut lines: Vec<&str> = puzzles.lines().collect();
    lines.insert(1, "");
    lines.insert(3, "# a comment");
    lines.insert(4, "12");
    lines.push(LINE);
    lines.join("\n") + "\n"
}

/// Files of each format with one record per line: their name, their text, and whether their rows have
/// a header.
fn files() -> Vec<(&'static str, String, bool)> {
    let plain = lines();
    let puzzles: Vec<&str> = plain.lines().filter(|line| line.len() == 81).collect();
    let each = |row: &dyn Fn(usize, &str) -> String| -> String {
        puzzles.iter().enumerate().map(|(index, puzzle)| row(index, puzzle)).collect()
    };
    let list = |puzzle: &str| {
        let cells: Vec<_> = puzzle.chars().map(|cell| cell.to_digit(10).unwrap_or(0).to_string()).collect();
        cells.join(", ")
    };
    vec![
        ("no-end.txt", plain.trim_end().to_owned(), true),
        ("crlf.txt", plain.replace('\n', "\r\n"), true),
        ("mark.txt", format!("\u{feff}# title\n\n{plain}"), true),
        ("table.csv", format!("id,puzzle\n{}x\n", each(&|id, puzzle| format!("{id},{puzzle}\n"))), true),
        (
            "quotes.csv",
            format!("id,puzzle\n{}", each(&|id, puzzle| format!("\"{id}, \"\"a\"\"\",\"{puzzle}\"\n"))),
            true,
        ),
        (
            "lists.csv",
            format!("puzzle;id\n{}", each(&|id, puzzle| format!("\"[{}]\";{id}\n", list(puzzle)))),
            true,
        ),
        (
            "stray.csv",
            format!("id,puzzle\n\"a,{LINE}\n{}", each(&|id, puzzle| format!("{id},{puzzle}\n"))),
            true,
        ),
        ("objects.jsonl", each(&|id, puzzle| format!("{{\"id\": {id}, \"puzzle\": \"{puzzle}\"}}\n")), false),
        ("arrays.jsonl", each(&|_, puzzle| format!("{{\"puzzle\": [{}]}}\n", list(puzzle))), false),
        ("bank.txt", each(&|id, puzzle| format!("{id:012x} {} 1.2\n", puzzle.replace('.', "0"))), true),
        ("library.txt", each(&|id, puzzle| format!(":0000:x:{puzzle}:::{}\n", ":".repeat(id % 2))), true),
    ]
}

#[test]
fn parts_of_every_format_add_up_to_the_whole() {
    let scratch = Scratch::new();
    std::thread::scope(|scope| {
        for (name, text, header) in files() {
            let file = scratch.file(name, text);
            scope.spawn(move || {
                let whole = command(&["canon"], &[&file]);
                assert!(whole.out.lines().count() > 5, "{name}: {}", whole.err);
                for (count, options) in
                    [(3, &["canon"][..]), (4, &["canon", "--no-mmap", "--chunk-bytes", "100"])]
                {
                    assert_eq!(parts(count, header, options, &[&file]), whole.out, "{name} in {count}");
                }
            });
        }
    });
}

#[test]
fn parts_of_pencilmarks_add_up_to_the_whole() {
    let scratch = Scratch::new();
    let line: String = LINE
        .chars()
        .map(|cell| match cell {
            '.' => "123456789".to_owned(),
            digit => format!("{digit}........"),
        })
        .collect();
    let file = scratch.file("marks.txt", format!("{line}\n").repeat(3));
    let whole = command(&["rate"], &[&file]);
    assert_eq!(whole.out.lines().count(), 4, "{}", whole.err);
    assert_eq!(parts(2, true, &["rate"], &[&file]), whole.out);
}

#[test]
fn there_can_be_more_parts_than_records() {
    let scratch = Scratch::new();
    let file = scratch.file("a.txt", format!("# a\n{LINE}\n{LINE}\n\n"));
    let whole = command(&["solve"], &[&file]);
    assert_eq!(untimed(&parts(30, true, &["solve"], &[&file])), untimed(&whole.out));
    let empty = command(&["solve", "--shard", "20/20"], &[&file]);
    assert_eq!((empty.code, empty.out.as_str()), (Some(0), "puzzle,solution,status,guesses,time_ns\n"));
    assert!(empty.err.contains("part  20 of 20\n") && empty.err.contains("records  0\n"), "{}", empty.err);
    for command in ["verify", "check"] {
        let file = scratch.file("b.csv", format!("puzzle,solution\n{LINE},{LINE}\n"));
        let empty = run(gridmill().args([command, "--shard", "1/20"]).arg(&file));
        assert_eq!(empty.code, Some(0), "{}", empty.err);
        assert!(empty.err.contains("part 1 of 20"), "{}", empty.err);
    }
    let nothing = scratch.file("nothing.txt", "");
    for options in [&["solve", "--shard", "1/2"][..], &["solve", "--shard", "2/2", "--no-mmap"]] {
        let ran = command(options, &[&nothing]);
        assert_eq!((ran.code, ran.out.lines().count()), (Some(0), 1), "{}", ran.err);
    }
}

#[test]
fn several_files_are_divided_like_one_file() {
    let scratch = Scratch::new();
    let puzzles = as_lines(&easy_puzzles(9, 4));
    let lines: Vec<&str> = puzzles.lines().collect();
    let file = |name, lines: &[&str]| scratch.file(name, format!("n,puzzle\n,{}\n", lines.join("\n,")));
    let files = [file("a.csv", &lines[..2]), file("b.csv", &lines[2..3]), file("c.csv", &lines[3..])];
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let whole = command(&["canon"], &files);
    assert_eq!(whole.out.lines().count(), 10);
    for (count, options) in [(2, &["canon"][..]), (5, &["canon", "--no-mmap"])] {
        assert_eq!(parts(count, true, options, &files), whole.out, "{count}");
    }
    let whole = command(&["verify", "--all", "-o", "-"], &files);
    assert_eq!(parts(3, true, &["verify", "--all", "-o", "-"], &files), whole.out);
}

/// The numbers in the rows count the records over all files, or the puzzles.
#[test]
fn record_numbers_in_the_rows_of_parts_are_those_of_the_whole() {
    let scratch = Scratch::new();
    let text = lines();
    let (first, rest) = text.split_at(text.match_indices('\n').nth(3).unwrap().0 + 1);
    let files = [scratch.file("a.txt", first), scratch.file("b.txt", rest)];
    let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    for (options, header) in [
        (&["enumerate", "--limit", "2"][..], true),
        (&["enumerate", "--columns", "file,record,solution,puzzle"], true),
        (&["enumerate", "--to", "jsonl"], false),
        (&["candidates"], true),
        (&["candidates", "--counts"], true),
        (&["candidates", "--to", "grid"], false),
        (&["shuffle", "--copies", "3"], false),
        (&["explain", "--until", "1.5", "--grid", "never"], false),
        (&["convert", "--to", "jsonl"], false),
        (&["minimal"], true),
        (&["backdoors"], true),
        (&["unavoidable", "--cells", "4"], true),
        (&["minimize", "--seed", "5"], true),
        (&["select", "--clues", "1.."], false),
    ] {
        let whole = command(options, &files);
        assert!(whole.out.lines().count() > 5, "{options:?}: {}", whole.err);
        for count in [2, 5] {
            assert_eq!(parts(count, header, options, &files), whole.out, "{options:?} in {count}");
        }
    }
}

/// The messages about records.
fn messages(ran: &Ran) -> String {
    ran.err.lines().filter(|line| line.contains(": record ")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn record_and_line_numbers_in_messages_are_those_of_the_file() {
    let scratch = Scratch::new();
    let broken = lines().replace(LINE, &LINE.replace('8', "x")).repeat(3);
    let table: String = broken.lines().map(|line| format!("{line},{line}\n")).collect();
    let files = [("a.txt", format!("# {LINE}\n\n{broken}")), ("b.csv", format!("puzzle,solution\n{table}"))];
    for (name, text) in files {
        let file = scratch.file(name, text);
        for options in [&["canon"][..], &["canon", "--no-mmap"]] {
            let whole = command(options, &[&file]);
            let parts: String = (1..=4)
                .map(|part| {
                    messages(&command(&[options, &["--shard", &format!("{part}/4")]].concat(), &[&file]))
                })
                .collect();
            assert!(
                messages(&whole).contains(":2") && messages(&whole).lines().count() >= 3,
                "{}",
                whole.err
            );
            assert_eq!(parts, messages(&whole), "{name}");
        }
        for options in [&["verify"][..], &["verify", "--all", "-o", "-"], &["check", "--all", "--no-mmap"]] {
            if options[0] == "check" && name == "a.txt" {
                continue;
            }
            let whole = command(options, &[&file]);
            assert_eq!(whole.code, Some(1), "{}", whole.err);
            assert_eq!(parts(4, options.contains(&"-o"), options, &[&file]), whole.out, "{name}");
        }
    }
}

#[test]
fn a_long_record_belongs_to_the_part_where_it_begins() {
    let scratch = Scratch::new();
    let long = "7".repeat(300_000);
    let file = scratch.file("a.txt", format!("{LINE}\n{long}\n{LINE}\n#{long}\n{LINE}\n{long}"));
    let whole = command(&["canon", "--max-messages", "0"], &[&file]);
    assert_eq!(whole.out.lines().count(), 6, "{}", whole.err);
    for options in [&["canon", "--quiet"][..], &["canon", "--quiet", "--no-mmap"]] {
        assert_eq!(parts(7, true, options, &[&file]), whole.out);
    }
}

#[test]
fn inputs_that_cannot_be_divided_are_refused() {
    let scratch = Scratch::new();
    let grid =
        LINE.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap()).collect::<Vec<_>>().join("\n");
    let rows = scratch.file("rows.txt", format!("{grid}\n\n{grid}\n"));
    let feed = format!("id,puzzle\n1,{LINE}\n\"2\n\",{LINE}\n3,{LINE}\n");
    let feed = scratch.file("feed.csv", feed);
    let packed = scratch.path("a.txt.gz");
    run(gridmill().args(["convert", "--to", "line", "-o"]).arg(&packed).arg(LINE));
    let refused = |input: &Path, options: &[&str], reason: &str| {
        for command in ["solve", "count", "verify", "rate", "canon"] {
            let output = scratch.path("out.csv");
            let ran = run(gridmill()
                .arg(command)
                .arg(input)
                .args(["--shard", "1/1", "-o"])
                .arg(&output)
                .args(options));
            assert_eq!(ran.code, Some(2), "{command} {}", ran.err);
            assert!(ran.err.contains(reason) && ran.err.lines().count() == 1, "{command}: {}", ran.err);
            assert_eq!(scratch.names(), ["a.txt.gz", "feed.csv", "rows.txt"], "{command}");
        }
    };
    refused(&rows, &[], "has records that span several lines: convert it first (gridmill convert --to line)");
    refused(&feed, &[], "feed.csv:3: this row has line breaks in quotes");
    refused(&feed, &["--no-mmap"], "feed.csv:3: this row has line breaks in quotes");
    refused(&packed, &[], "is compressed: unpack it first");
    refused(Path::new("-"), &[], "is standard input: write it to a file first");
    refused(Path::new(LINE), &[], "is a puzzle, not a file: leave --shard out");
}

#[test]
fn a_part_is_read_even_if_another_part_has_multiline_rows() {
    let scratch = Scratch::new();
    let rows = format!("1,{LINE}\n").repeat(20);
    let file = scratch.file("a.csv", format!("id,puzzle\n{rows}\"2\n\",{LINE}\n"));
    for options in [&["canon", "--shard", "1/2"][..], &["canon", "--shard", "1/2", "--no-mmap"]] {
        assert_eq!(command(options, &[&file]).code, Some(0));
    }
    assert_eq!(command(&["canon", "--shard", "2/2"], &[&file]).code, Some(2));
}

#[test]
fn the_summary_names_the_part() {
    let scratch = Scratch::new();
    let file = scratch.file("a.txt", format!("{LINE}\n").repeat(8));
    let ran = command(
        &["solve", "--shard", "2/4", "--summary", scratch.path("s.json").to_str().unwrap()],
        &[&file],
    );
    assert!(ran.err.contains("      part  2 of 4\n") && ran.err.contains("   records  2\n"), "{}", ran.err);
    let json = std::fs::read_to_string(scratch.path("s.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["part"], &json["records"]), (&"2 of 4".into(), &2.into()));
    let ran = command(&["canon", "--shard", "2/4"], &[&file]);
    assert!(ran.err.contains("      part  2 of 4\n"), "{}", ran.err);
}

#[test]
fn skip_existing_leaves_an_existing_output_unchanged() {
    let scratch = Scratch::new();
    let output = scratch.file("out.csv", "of yesterday");
    for command in ["solve", "count", "verify", "check", "rate", "canon"] {
        let skip = |quiet: &[&str]| {
            let missing = scratch.path("missing.txt");
            run(gridmill().arg(command).arg(missing).args(["--skip-existing", "-o"]).arg(&output).args(quiet))
        };
        let ran = skip(&[]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.ends_with("out.csv: already exists; nothing was done\n"), "{}", ran.err);
        assert_eq!(skip(&["--quiet"]).err, "");
    }
    assert_eq!(std::fs::read_to_string(&output).unwrap(), "of yesterday");
    std::fs::remove_file(&output).unwrap();
    let written = run(gridmill().args(["canon", LINE, "--skip-existing", "-o"]).arg(&output));
    assert_eq!((written.code, std::fs::read_to_string(&output).unwrap().lines().count()), (Some(0), 2));
    let nameless = run(gridmill().args(["canon", LINE, "--skip-existing", "-o", "-"]));
    assert!(
        nameless.code == Some(2) && nameless.err.contains("--skip-existing needs an output file"),
        "{}",
        nameless.err
    );
}

#[test]
fn an_interrupted_part_can_be_resumed() {
    let scratch = Scratch::new();
    let output = scratch.path("o.csv");
    // Ctrl-C is sent when there are rows. If a run has ended by then, it is repeated with more records.
    let mut records = 3_000;
    let (file, options) = loop {
        let file = scratch.file("a.txt", format!("{LINE}\n").repeat(records));
        let [input, out] = [&file, &output].map(|path| path.to_str().unwrap().to_owned());
        let options =
            "--shard 2/3 --resume --skip-existing --quiet --threads 1 --chunk-bytes 82 -o".split(' ');
        let options: Vec<String> =
            ["rate".to_owned(), input].into_iter().chain(options.map(str::to_owned)).chain([out]).collect();
        let mut child = Running::start(&options.iter().map(String::as_str).collect::<Vec<_>>());
        wait_for_rows(&scratch, "o.csv", 3);
        child.interrupt();
        if child.end() == Some(130) {
            break (file, options);
        }
        std::fs::remove_file(&output).unwrap();
        records *= 4;
    };
    let other = run(gridmill().args(&options).args(["--shard", "1/3"]));
    assert_eq!(other.code, Some(2), "{}", other.err);
    let ran = run(gridmill().args(&options));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let whole = command(&["rate", "--shard", "2/3"], &[&file]);
    assert_eq!(std::fs::read_to_string(&output).unwrap(), whole.out);
    assert_eq!(scratch.names(), ["a.txt", "o.csv"]);
}

/// Runs a shell script with the program in its path.
fn shell(script: &str, folder: &Path) -> bool {
    let programs = Path::new(env!("CARGO_BIN_EXE_gridmill")).parent().unwrap().to_str().unwrap();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    let mut shell = Command::new("bash");
    shell.args(["-euc", script]).current_dir(folder).env("PATH", path).stderr(Stdio::null());
    shell.status().unwrap().success()
}

#[test]
fn the_shard_examples_of_the_guide_give_the_whole_output() {
    let guide = include_str!("../../docs/guide.md");
    let commands: Vec<&str> = guide.lines().filter(|line| line.contains("--shard {}/")).collect();
    let [with_parallel, with_xargs] = commands[..] else { panic!("{commands:?}") };
    let arguments = with_xargs.split_once(" gridmill ").unwrap().1;
    assert!(with_parallel.contains(&format!(" gridmill {arguments} ::: ")));
    let together = guide.lines().find(|line| line.contains("part{1..8}.csv")).unwrap();
    let scratch = Scratch::new();
    let file = scratch.file("big.txt", as_lines(&easy_puzzles(40, 5)));
    let whole = command(&["solve"], &[&file]);
    let folder = file.parent().unwrap();
    let joins_to_the_whole = || {
        assert!(shell(&format!("{together}\nrm part*"), folder));
        let all = std::fs::read_to_string(scratch.path("all.csv")).unwrap();
        assert_eq!(untimed(&all), untimed(&whole.out));
    };
    for part in 1..=8 {
        let arguments = arguments.replace("{}", &part.to_string());
        assert_eq!(run(gridmill().current_dir(folder).args(arguments.split(' '))).code, Some(0));
    }
    joins_to_the_whole();
    // The real tools run the examples too, if they are installed.
    for (tool, example) in [("xargs --version", with_xargs), ("parallel --version", with_parallel)] {
        if shell(&format!("{tool} | grep -q GNU"), folder) {
            assert!(shell(example, folder), "{example}");
            joins_to_the_whole();
        }
    }
}

#[test]
fn number_columns_of_parts_are_those_of_the_whole_file() {
    let scratch = Scratch::new();
    let file = scratch.file("a.txt", lines());
    let more = scratch.file("b.txt", lines());
    for columns in ["record,line,status", "line,puzzle", "record"] {
        for arguments in [["solve", "--columns", columns], ["canon", "--columns", columns]] {
            let whole = command(&arguments, &[&file, &more]);
            for count in [2, 5] {
                assert_eq!(
                    parts(count, true, &arguments, &[&file, &more]),
                    whole.out,
                    "{arguments:?} {count}"
                );
            }
        }
    }
    let listing = ["verify", "--all", "--columns", "file,record,line,verdict"];
    assert_eq!(parts(3, true, &listing, &[&file, &more]), command(&listing, &[&file, &more]).out);
}
