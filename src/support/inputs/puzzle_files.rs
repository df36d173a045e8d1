//! Whole files of puzzles, read into memory.

use std::path::{Path, PathBuf};

use gridmill_core::grid::Grid;
use gridmill_data::bench::PuzzleSet;
use gridmill_data::error::{Error, Position};
use gridmill_data::record::Places;
use gridmill_data::text::{Batch, Format, GridPuzzle, Layout};

use super::open_input;
use super::reading::ReadingArgs;
use crate::support::command_error::{no_puzzles, of_fault, only_clues, refuse};

/// The name of a file, and its puzzles.
pub(crate) struct PuzzleFile {
    pub(crate) name: PathBuf,
    pub(crate) set: PuzzleSet,
}

impl PuzzleFile {
    /// Reads files of puzzles, each in a format and of sizes of its own. Every record must be a puzzle.
    pub(crate) fn read_all(paths: &[PathBuf], reading: &ReadingArgs) -> Result<Vec<PuzzleFile>, Error> {
        let files = paths.iter().map(|path| PuzzleFile::read(path, reading));
        let (files, layouts): (Vec<_>, Vec<_>) = files.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        reading.check_alphabets(layouts.iter())?;
        Ok(files)
    }

    fn read(path: &Path, reading: &ReadingArgs) -> Result<(PuzzleFile, Layout), Error> {
        let input = open_input(path, false)?;
        let text = input.read_all()?;
        let name = || input.name().to_owned();
        let layout =
            reading.options().layout(&text, false).map_err(|error| Error::from(error).in_file(&name()))?;
        let layout = layout.expect("there is no more than the whole text");
        reading.check_mixed(&layout).map_err(|error| error.in_file(&name()))?;
        if layout.is_pencilmarks() {
            return Err(only_clues().in_file(&name()));
        }
        let set = if layout.is_classic() {
            PuzzleSet::Classic(puzzles(&*layout.format(), &text, layout.body, name)?)
        } else {
            let puzzles = puzzles(&*layout.format::<GridPuzzle>(), &text, layout.body, name)?;
            PuzzleSet::from(puzzles.into_iter().map(|puzzle| puzzle.grid).collect::<Vec<Grid>>())
        };
        if set.is_empty() {
            return Err(no_puzzles(input.name()));
        }
        Ok((PuzzleFile { name: name(), set }, layout))
    }

    /// Returns the last part of the file's path.
    pub(crate) fn short_name(&self) -> String {
        self.name.file_name().unwrap_or(self.name.as_os_str()).to_string_lossy().into_owned()
    }
}

/// Reads the puzzles of a text; `name` names it in errors. No record may be malformed.
fn puzzles<P>(
    format: &dyn Format<P>,
    text: &[u8],
    body: usize,
    name: impl Fn() -> PathBuf,
) -> Result<Vec<P>, Error> {
    let mut batch = Batch::default();
    format.read(&text[body..], &mut batch);
    let faults = batch.records.iter().enumerate().filter_map(|(index, record)| Some((index, record.fault?)));
    if let Some((index, fault)) = faults.into_iter().next() {
        let (line, column) = Places::of(text, 0).at(body + fault.offset as usize);
        let position = Position { path: name(), record: index as u64 + 1, line, column };
        let (record, advice) = (position.record, of_fault(fault.kind));
        return refuse(format!(
            "{position}: record {record}: {}{advice}; measuring needs a puzzle in every record",
            fault.kind
        ));
    }
    Ok(batch.puzzles)
}
