//! Runs every example of README.md and docs/, and compares its output with that in the document, so that the
//! documents stay correct.
//!
//! A block marked `console` holds commands after `$ `. A `\` at the end of a line continues a command. Below
//! each command is its output on both streams. There, `…` with the spaces around it matches any text within a
//! line, and a line of `…` matches any number of lines. A command must end with exit code 0, or with N if it
//! ends in `# exit N`, e.g. `# exit 1`. The commands of a document run in order, in one directory with a copy
//! of datasets/. Blocks marked `sh` and `text` are not run. Blocks marked `python` are run by
//! python/tests/test_docs.py.
//!
//! Help texts are documents too: a test checks that they fit into a terminal of any width.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::HANG;
use crate::program::{gridmill, run};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PROGRAM: &str = env!("CARGO_BIN_EXE_gridmill");
const LANGUAGES: [&str; 5] = ["console", "python", "sh", "text", "rust"];

struct Example {
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// The documents, as paths from the root.
fn documents() -> Vec<PathBuf> {
    let entries = fs::read_dir(Path::new(ROOT).join("docs")).unwrap();
    let names = entries.map(|entry| Path::new("docs").join(entry.unwrap().file_name()));
    let pages = names.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let all = ["README.md", "CONTRIBUTING.md", "datasets/README.md", "src/README.md"].map(PathBuf::from);
    let crates =
        ["core", "data", "report", "page"].map(|name| Path::new("crates").join(name).join("README.md"));
    all.into_iter().chain(crates).chain(pages).collect()
}

/// Each fenced block: the number of its first line, its language, and its lines.
fn blocks(text: &str) -> Vec<(usize, &str, Vec<&str>)> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| !line.starts_with("```"));
            found.push((at + 2, language, inside.collect()));
        }
    }
    found
}

/// The examples of a block that begins at line `first` of its document.
fn examples(first: usize, block: &[&str]) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    for (line, text) in (first..).zip(block) {
        if let Some(command) = text.strip_prefix("$ ") {
            found.push(Example { line, command: command.to_owned(), expected: Vec::new() });
            continue;
        }
        let example = found.last_mut().unwrap_or_else(|| panic!("line {line}: output without a command"));
        if example.command.ends_with('\\') {
            example.command += &format!("\n{text}");
        } else {
            example.expected.push((*text).to_owned());
        }
    }
    for example in &mut found {
        while example.expected.last().is_some_and(String::is_empty) {
            example.expected.pop();
        }
    }
    found
}

/// Returns whether a line is as expected. Each `…` with the spaces around it matches any characters.
fn line_matches(expected: &str, line: &str) -> bool {
    match expected.split_once('…') {
        None => expected == line,
        Some((start, rest)) => line.strip_prefix(start.trim_end()).is_some_and(|tail| {
            let mut ends = (0..=tail.len()).filter(|&at| tail.is_char_boundary(at));
            ends.any(|at| line_matches(rest.trim_start(), &tail[at..]))
        }),
    }
}

/// Returns whether lines are as expected. A line of `…` matches any lines.
fn output_matches(expected: &[String], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=lines.len()).any(|at| output_matches(rest, &lines[at..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && output_matches(rest, others)),
    }
}

/// The expected exit code of a command.
fn expected_code(command: &str) -> i32 {
    command.rsplit_once("# exit ").map_or(0, |(_, code)| code.trim().parse().unwrap())
}

/// Runs a shell command; returns its exit code and its output on both streams.
fn run_example(command: &str, folder: &Path) -> (i32, String) {
    let programs = Path::new(PROGRAM).parent().unwrap().to_str().unwrap();
    let output = assert_cmd::Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .timeout(HANG)
        .current_dir(folder)
        .env("PATH", format!("{programs}:{}", std::env::var("PATH").unwrap()))
        .env("LC_ALL", "C")
        .env_remove("GRIDMILL_THREADS")
        .output()
        .unwrap();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs the examples of a document; returns their number, and a report of each one that failed.
fn failures(document: &str, text: &str) -> (usize, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(ROOT).join("datasets"), &folder.path().join("datasets"));
    let console = blocks(text).into_iter().filter(|(_, language, _)| *language == "console");
    let all: Vec<_> = console.flat_map(|(first, _, block)| examples(first, &block)).collect();
    let failed = all.iter().filter_map(|Example { line, command, expected }| {
        let (code, printed) = run_example(command, folder.path());
        let lines: Vec<_> = printed.trim_end_matches('\n').lines().collect();
        let wanted = expected_code(command);
        let good = code == wanted && output_matches(expected, &lines);
        (!good).then(|| {
            let (shown, got) = (expected.join("\n"), lines.join("\n"));
            format!("{document}:{line}: {command}\nexpected, exit code {wanted}:\n{shown}\ngot, exit code {code}:\n{got}\n")
        })
    });
    (all.len(), failed.collect())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn documents_show_what_the_program_prints() {
    let ran = std::thread::scope(|scope| {
        let start = |path: PathBuf| {
            scope.spawn(move || {
                let text = fs::read_to_string(Path::new(ROOT).join(&path)).unwrap();
                failures(path.to_str().unwrap(), &text)
            })
        };
        let running: Vec<_> = documents().into_iter().map(start).collect();
        running.into_iter().map(|run| run.join().unwrap()).collect::<Vec<_>>()
    });
    let failed: Vec<_> = ran.iter().flat_map(|(_, failed)| failed.as_slice()).map(String::as_str).collect();
    assert!(failed.is_empty(), "{} examples failed\n\n{}", failed.len(), failed.join("\n"));
    assert!(ran[0].0 > 0, "README.md has no examples");
}

#[test]
fn a_wrong_example_is_reported_with_its_place() {
    let fails = |text: &str| failures("a.md", &format!("```console\n{text}\n```")).1.join("");
    for good in [
        "$ echo 1 2\n1 2",
        "$ echo 1 2 3\n1  …  3\n\n$ echo 4\n4",
        "$ printf '1\\n2\\n3\\n'\n…\n3",
        "$ exit 3 # exit 3",
        "$ echo 1 \\\n  2; echo 3 >&2\n1 2\n3",
        "$ gridmill --version\ngridmill …",
        "$ test -f datasets/classics.txt",
    ] {
        assert_eq!(fails(good), "");
    }
    for bad in [
        "$ echo 1 2\n1 3",
        "$ echo 1 2 3\n1 … 4",
        "$ echo 1; echo 2\n1",
        "$ echo 1\n1\n2",
        "$ printf '1\\n2\\n3\\n'\n…\n2",
        "$ echo 1",
        "$ echo 1; false\n1",
        "$ true # exit 1",
    ] {
        assert!(fails(bad).starts_with("a.md:2: "), "{bad}");
    }
    assert!(fails("$ echo 1\n1\n$ echo 2\n3").starts_with("a.md:4: echo 2\nexpected, exit code 0:\n3\n"));
}

#[test]
fn every_block_has_a_known_language() {
    for path in documents() {
        let text = fs::read_to_string(Path::new(ROOT).join(&path)).unwrap();
        for (line, language, _) in blocks(&text) {
            assert!(LANGUAGES.contains(&language), "{}:{line}: language {language:?}", path.display());
        }
    }
}

/// The anchors of a document's headings.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        heading.chars().filter(|&letter| letter.is_alphanumeric() || letter == '-').collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_files_and_headings_that_exist() {
    for path in documents() {
        let document = Path::new(ROOT).join(&path);
        let text = fs::read_to_string(&document).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (link, _) in links.filter(|(link, _)| !link.contains("://")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { document.clone() } else { document.with_file_name(file) };
            assert!(target.exists(), "{}: {link}: no such file", path.display());
            let found =
                || anchors(&fs::read_to_string(&target).unwrap()).iter().any(|heading| heading == anchor);
            assert!(anchor.is_empty() || found(), "{}: {link}: no such heading", path.display());
        }
    }
}

/// Paragraphs after the options fill the lines of a terminal: no line is too long, and none ends where the
/// next word would have fitted.
#[test]
fn help_is_wrapped_at_any_width() {
    let commands = run(gridmill().arg("--help")).out;
    let commands = commands.lines().skip_while(|line| *line != "Commands:").skip(1);
    // A line that is indented further continues the description of a command.
    let lines = commands.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names: Vec<&str> = lines.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        for width in [60, 80, 120] {
            let help = run(gridmill().args([name, "--help"]).env("COLUMNS", width.to_string())).out;
            let lines: Vec<&str> = help.lines().collect();
            let too_long = |line: &&&str| line.chars().count() > width && line.trim().contains(' ');
            assert_eq!(lines.iter().find(too_long), None, "{name} at {width}");
            let start = lines.iter().position(|line| line.starts_with("Example"));
            let start = start.unwrap_or_else(|| panic!("{name} has no examples"));
            for pair in lines[start..].windows(2) {
                let [indent, next] = [pair[0], pair[1]].map(|line| line.len() - line.trim_start().len());
                let word = pair[1].split_whitespace().next();
                let Some(word) = word.filter(|_| indent == next && [0, 6].contains(&indent)) else {
                    continue;
                };
                let joined = pair[0].chars().count() + 1 + word.chars().count();
                assert!(pair[0].is_empty() || joined > width.min(100), "{name} at {width}: {pair:?}");
            }
        }
    }
}
