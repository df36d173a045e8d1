//! Running the program.

#![allow(unreachable_pub)]

use std::path::{Path, PathBuf};

use assert_cmd::Command;

use crate::common::HANG;

/// A directory for the files of one test.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    pub fn new() -> Scratch {
        Scratch(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// The names in the directory, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// The command for the program. `GRIDMILL_THREADS` is removed, so that the environment of the tests doesn't
/// disturb it. `GRIDMILL_CPU` is kept, so that it hides features from the program too.
pub fn gridmill() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridmill"));
    command.env_remove("GRIDMILL_THREADS").timeout(HANG);
    command
}

/// The output of a run, and its exit code.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// The rows below the header, as fields.
    pub fn rows(&self) -> Vec<Vec<String>> {
        rows(self.out.as_bytes())
    }

    /// The statuses of all rows.
    pub fn statuses(&self) -> Vec<String> {
        // The last columns are status, guesses, time_ns.
        self.rows().into_iter().map(|row| row[row.len() - 3].clone()).collect()
    }
}

pub fn rows(csv: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(csv);
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Runs the program and collects its output.
pub fn run(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs `gridmill solve` on a file, with the rows on standard output.
pub fn solve(path: &Path, arguments: &[&str]) -> Ran {
    run(gridmill().arg("solve").arg(path).args(arguments))
}

/// Rows without their last column, which is the time.
pub fn untimed(csv: &str) -> String {
    csv.lines().map(|line| line.rsplit_once(',').map_or(line, |(row, _)| row).to_owned() + "\n").collect()
}

/// The texts of a document, which must be well-formed.
pub fn texts_of(svg: &str) -> Vec<String> {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(svg);
    let (mut texts, mut depth) = (vec![String::new()], 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                start.attributes().for_each(|attribute| drop(attribute.unwrap()));
                depth += 1;
                texts.push(String::new());
            }
            Event::Empty(empty) => empty.attributes().for_each(|attribute| drop(attribute.unwrap())),
            Event::End(_) => depth -= 1,
            Event::Text(text) => *texts.last_mut().unwrap() += &text,
            Event::GeneralRef(entity) => {
                let character = quick_xml::escape::resolve_xml_entity(&entity).unwrap();
                *texts.last_mut().unwrap() += character;
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{svg}");
    texts.iter().map(|text| text.trim().to_owned()).collect()
}
