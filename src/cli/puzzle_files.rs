//! Whole files of puzzles, read into memory.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::records::{Record, Records};
use super::shared::open_input;
use crate::error::{Error, ErrorKind, Position};
use crate::grid::{Grid, Shape};
use crate::measure::PuzzleSet;
use crate::pipeline::Input;
use crate::record::Places;
use crate::text::{Alphabet, Batch, Fault, FaultKind, FormatChoice, GridLines, detect, is_skipped};

/// A file and the puzzles in it.
pub(super) struct PuzzleFile {
    pub(super) input: Input,
    pub(super) set: PuzzleSet,
}

impl PuzzleFile {
    /// Reads a file of classic puzzles in any format, or of puzzles of other shapes, one a line. There must
    /// be a puzzle in every record.
    pub(super) fn read(
        path: &Path,
        shape: Option<Shape>,
        alphabets: &[Alphabet],
    ) -> Result<PuzzleFile, Error> {
        let input = open_input(path, false)?;
        let mut text = Vec::new();
        let name = || input.name().to_owned();
        input.file().read_to_end(&mut text).map_err(|error| ErrorKind::Read { path: name(), error })?;
        let may_be_classic = alphabets.is_empty() && shape.is_none_or(|shape| shape == Shape::CLASSIC);
        let set = match may_be_classic && !is_of_other_shape(&text) {
            true => classic(&text, name())?,
            false => any_shape(&text, GridLines::new(shape, alphabets.to_vec()), name())?,
        };
        if set.is_empty() {
            return Err(ErrorKind::NoPuzzles { path: name() }.into());
        }
        Ok(PuzzleFile { input, set })
    }

    /// The last part of its name.
    pub(super) fn short_name(&self) -> String {
        let name = self.input.name();
        name.file_name().unwrap_or(name.as_os_str()).to_string_lossy().into_owned()
    }
}

/// Is the first record a line of another shape than the classic one?
fn is_of_other_shape(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n');
    let Some(first) = lines.find(|line| !is_skipped(line)) else { return false };
    match GridLines::new(None, Vec::new()).read(first.trim_ascii_end()) {
        Ok(line) => line.grid.shape() != Shape::CLASSIC,
        Err(fault) => matches!(fault.kind, FaultKind::NoAlphabet { .. }),
    }
}

fn classic(text: &[u8], path: PathBuf) -> Result<PuzzleSet, Error> {
    let found = detect(text, FormatChoice::Auto, None)?;
    let mut batch = Batch::default();
    found.format.read(&text[found.body..], &mut batch);
    let malformed = batch.records.iter().enumerate().find_map(|(index, record)| Some((index, record.fault?)));
    if let Some((index, fault)) = malformed {
        let (line, column) = Places::of(text).at(found.body + fault.offset as usize);
        return Err(not_a_puzzle(path, index, line, column, fault));
    }
    Ok(PuzzleSet::Classic(batch.puzzles))
}

fn any_shape(text: &[u8], lines: GridLines, path: PathBuf) -> Result<PuzzleSet, Error> {
    let mut survey = lines.survey();
    records(text).for_each(|record| survey.add(&record.text));
    let lines = survey.conclude()?;
    let read = |(index, record): (usize, Record)| match lines.read(&record.text) {
        Ok(line) => Ok(line.grid),
        Err(fault) => {
            let (_, column) = Places::of(&record.text).at(fault.offset as usize);
            Err(not_a_puzzle(path.clone(), index, record.line, column, fault))
        }
    };
    records(text).enumerate().map(read).collect::<Result<Vec<Grid>, _>>().map(PuzzleSet::from)
}

fn records(text: &[u8]) -> impl Iterator<Item = Record> {
    let mut records = Records::new(text);
    let batches = std::iter::from_fn(move || {
        let batch = records.batch().expect("memory can be read");
        (!batch.is_empty()).then_some(batch)
    });
    batches.flatten()
}

/// Lines and records are counted from 0 here, columns from 1.
fn not_a_puzzle(path: PathBuf, record: usize, line: u64, column: u64, fault: Fault) -> Error {
    let position = Position { path, record: record as u64 + 1, line: line + 1, column };
    ErrorKind::NotAPuzzle { position, fault: fault.kind }.into()
}
