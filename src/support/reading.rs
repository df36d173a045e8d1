//! How puzzles are read: the arguments for that, files that are read into memory, and puzzles in place of
//! file names.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;
use clap::builder::TypedValueParser;
use gridmill_core::grid::{Grid, Shape};
use gridmill_data::bench::PuzzleSet;
use gridmill_data::error::{Error, Position};
use gridmill_data::pipeline::Input;
use gridmill_data::record::Places;
use gridmill_data::text::{
    Alphabet, Batch, Format, FormatChoice, FormatOptions, GridPuzzle, Layout, PuzzleKind,
    candidate_grid_line, usual_shape,
};

use super::command_error::{fault_advice, no_puzzles, only_clues, refuse, unused_alphabet};
use super::inputs::open_input;
use super::options::{one_of, separator};

/// The options about the format of files.
#[derive(Debug, Args)]
pub(crate) struct ReadingArgs {
    /// Format of the input
    #[arg(long, value_parser = format_parser(), default_value = "auto")]
    format: FormatChoice,

    /// The CSV column, by name or number, or the JSON key that holds the puzzles [default: the one
    /// named puzzle, puzzles, quizzes, quiz, question, sudoku, grid or board]
    #[arg(long, value_name = "NAME|N")]
    puzzle_column: Option<String>,

    /// Separator of CSV fields: a character, or tab [default: the one of , ; tab | that splits the
    /// header into columns, one of them with a known name]
    #[arg(long, value_name = "C", value_parser = separator)]
    delimiter: Option<u8>,

    /// Read CSV without a header: the first row is already a record, and columns are called 1, 2,
    /// ...
    #[arg(long)]
    no_header: bool,

    /// Rows x columns of a box, if the size allows several: 3x2 for 6x6, 2x6 for 12x12, ...
    /// [default: by the size of the first puzzle, with boxes at least as wide as high]
    #[arg(long, value_name = "RxC")]
    pub(crate) shape: Option<Shape>,

    /// The digits of puzzles above 9x9, in order: 1-9A-G, 0-9A-F or A-P for 16x16; may be given
    /// once for each size in the input [default: the usual ones, if only one alphabet fits]
    #[arg(long, value_name = "SYMBOLS")]
    alphabet: Vec<Alphabet>,

    /// Accept puzzles of several sizes; the length of a line gives its size
    #[arg(long)]
    mixed: bool,
}

fn format_parser() -> impl TypedValueParser<Value = FormatChoice> {
    one_of([
        ("auto", "See what the file's beginning looks like", FormatChoice::Auto),
        (
            "line",
            "One puzzle a line: a character for each cell, then perhaps a remark; or numbers separated by spaces",
            FormatChoice::Line,
        ),
        ("csv", "A header, and a puzzle in one of the columns", FormatChoice::Csv),
        ("jsonl", "JSON Lines: an object a line, the puzzle under one of the keys", FormatChoice::Jsonl),
        (
            "grid",
            "A row a line, with or without frames (.sdk and .ss too), or 81 numbers in lines of any length",
            FormatChoice::Grid,
        ),
        (
            "bank",
            "Lines of a puzzle bank: a hash of 12 hexadecimal digits, the puzzle, its rating",
            FormatChoice::Bank,
        ),
        (
            "hodoku",
            "Lines of a HoDoKu library: :technique:digits:cells:..., digits after + count as clues",
            FormatChoice::Hodoku,
        ),
        (
            "pencilmarks",
            "Lines of 729 characters: for each cell nine places, a digit each where it is a candidate, else . or 0; for solve, count, candidates, rate, explain, hint, verify, dedupe, overlap, split, sort and convert",
            FormatChoice::Pencilmarks,
        ),
    ])
}

impl ReadingArgs {
    /// The format options of the user.
    pub(crate) fn options(&self) -> FormatOptions {
        FormatOptions {
            format: self.format,
            puzzle_column: self.puzzle_column.clone(),
            separator: self.delimiter,
            no_header: self.no_header,
            shape: self.shape,
            alphabets: self.alphabet.clone(),
            mixed: self.mixed,
        }
    }

    /// Refuses `--mixed` for pencilmarks, because they are always 9x9.
    pub(crate) fn check_mixed(&self, layout: &Layout) -> Result<(), Error> {
        match self.mixed && layout.is_pencilmarks() {
            true => refuse(
                "--mixed is for puzzles with clues, but these are pencilmarks, which are all 9x9: leave it out",
            ),
            false => Ok(()),
        }
    }

    /// Refuses alphabets that none of these layouts can use.
    pub(crate) fn check_alphabets<'a>(
        &self,
        mut layouts: impl Iterator<Item = &'a Layout> + Clone,
    ) -> Result<(), Error> {
        let is_used =
            |alphabet: &&Alphabet| layouts.clone().any(|layout| layout.may_use_alphabet_of(alphabet.side()));
        let Some(alphabet) = self.alphabet.iter().find(|alphabet| !is_used(alphabet)) else { return Ok(()) };
        let shape = layouts.next().and_then(|layout| layout.shape);
        Err(unused_alphabet("--alphabet", alphabet, shape))
    }
}

/// The name of the input if an argument is a puzzle.
const NAME: &str = "<argument>";

/// The smallest length at which a text counts as a puzzle with a mistake. Names of files are shorter.
const LONG: usize = 64;

/// The largest side at which a puzzle is as short as a file name.
const SHORT: usize = 6;

/// The characters between rows of a puzzle, besides white space.
const SEPARATORS: [char; 4] = ['/', ',', ';', '|'];

/// An input with the puzzle that is written in place of a file name; `None` if a file of that name exists, or
/// if the text is not a puzzle. Mistakes in the puzzle are reported later, when its record is read.
pub(crate) fn argument_puzzle(path: &Path) -> Option<Input> {
    let text = path.to_str().filter(|_| path.symlink_metadata().is_err())?;
    let lines = match (candidate_grid_line(text), rows(text)) {
        (Some(marks), _) => marks,
        (None, Some(rows)) => rows.join("\n"),
        (None, None) if is_puzzle(text) || looks_like_one(text) => text.to_owned(),
        (None, None) => return None,
    };
    Some(Input::from_bytes(NAME, format!("{lines}\n").into_bytes()))
}

/// How files are read. If the only argument is a puzzle in rows, and one of the rows has a mistake, detection would not
/// recognise the format, so it is set here. Options of the user have priority.
pub(crate) fn options_for_argument(paths: &[PathBuf], options: FormatOptions) -> FormatOptions {
    let [path] = paths else { return options };
    let is_open = options.format == FormatChoice::Auto && options.shape.is_none() && !options.mixed;
    let text = path.to_str().filter(|_| is_open && path.symlink_metadata().is_err());
    let is_plain = |text: &&str| is_puzzle(text) || candidate_grid_line(text).is_some();
    let Some(rows) = text.filter(|text| !is_plain(text)).and_then(rows) else { return options };
    let side = sides().find(|&side| are_rows_of(&rows, side));
    let shape = side.and_then(usual_shape);
    let format = if shape.is_some() { FormatChoice::Grid } else { FormatChoice::Auto };
    FormatOptions { format, shape, ..options }
}

/// Whether several arguments are the rows of one puzzle, because the user forgot the quotes.
pub(crate) fn are_rows<'a>(paths: impl Iterator<Item = &'a Path> + Clone) -> bool {
    let names: Option<Vec<&str>> = paths.clone().map(Path::to_str).collect();
    names.is_some_and(|names| names.len() > 1 && rows(&names.join(" ")).is_some())
        && paths.into_iter().all(|path| path.symlink_metadata().is_err())
}

/// Whether a text can be read as one puzzle.
fn is_puzzle(text: &str) -> bool {
    let text = text.as_bytes();
    let Ok(Some(layout)) = FormatOptions::default().layout(text, false) else { return false };
    if layout.is_pencilmarks() {
        return true;
    }
    let mut batch = Batch::default();
    layout.format::<GridPuzzle>().read(&text[layout.body_start..], &mut batch);
    batch.puzzles.len() == 1 && batch.records.len() == 1
}

/// Whether a text can only be meant as a puzzle, because it has the cells of a grid or is too long for a
/// name.
fn looks_like_one(text: &str) -> bool {
    let cells: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let is_grid = sides().any(|side| cells.len() == side * side && are_cells(&cells, side));
    let is_long = text.len() >= LONG && cells.iter().any(u8::is_ascii_digit);
    is_grid || is_long && cells.iter().all(|&byte| is_cell(byte) || b"|+".contains(&byte))
}

/// The rows of a puzzle on one line or several, even if some rows contain mistakes; `None` if the text is not
/// a puzzle.
fn rows(text: &str) -> Option<Vec<&str>> {
    let of_words = text.split_whitespace().collect();
    let of_marks = SEPARATORS.map(|mark| text.split(mark).map(str::trim).collect());
    [of_words]
        .into_iter()
        .chain(of_marks)
        .find(|rows: &Vec<&str>| sides().any(|side| are_rows_of(rows, side)))
}

/// Whether texts are the rows of a grid. There may be one row too many or too few, but at least three
/// quarters of them must have the right length.
fn are_rows_of(rows: &[&str], side: usize) -> bool {
    let whole = rows.iter().filter(|row| row.len() == side).count();
    rows.len().abs_diff(side) <= 1
        && rows.iter().all(|row| row.len().abs_diff(side) <= 2)
        && whole * 4 >= side * 3
        && are_cells(rows.concat().as_bytes(), side)
}

/// The possible sides of grids with boxes, e.g. 4, 6, 8 and 9.
fn sides() -> impl Iterator<Item = usize> {
    (4..=Shape::MAX_SIDE).filter(|&side| (2..side).any(|rows| side % rows == 0))
}

/// Whether characters may be the cells of a puzzle of this side. At least one must be a digit or a blank. In
/// a small puzzle most cells must be these, and letters must be capitals, so that names of files are not
/// mistaken for puzzles.
fn are_cells(cells: &[u8], side: usize) -> bool {
    let plain = cells.iter().filter(|&&byte| byte.is_ascii_digit() || is_blank(byte)).count();
    let is_name = side <= SHORT && (plain * 2 <= cells.len() || cells.iter().any(u8::is_ascii_lowercase));
    plain > 0 && !is_name && cells.iter().all(|&byte| is_cell(byte))
}

fn is_cell(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || is_blank(byte)
}

fn is_blank(byte: u8) -> bool {
    b".-_*?".contains(&byte)
}

/// A file of puzzles in memory.
pub(crate) struct PuzzleFile {
    pub(crate) name: PathBuf,
    pub(crate) set: PuzzleSet,
}

impl PuzzleFile {
    /// Reads files of puzzles. Formats and sizes may differ from file to file. Every record must be a puzzle.
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
        let options = input.known_options(&reading.options(), &AtomicBool::new(false));
        let options = options.map_err(|error| error.in_file(&name()))?;
        let layout = options.layout(&text, false).map_err(|error| Error::from(error).in_file(&name()))?;
        let layout = layout.expect("there is no more than the whole text");
        reading.check_mixed(&layout).map_err(|error| error.in_file(&name()))?;
        if layout.is_pencilmarks() {
            return Err(only_clues().in_file(&name()));
        }
        let set = if layout.kind() == PuzzleKind::Classic {
            PuzzleSet::Classic(puzzles(&*layout.format(), &text, layout.body_start, name)?)
        } else {
            let puzzles = puzzles(&*layout.format::<GridPuzzle>(), &text, layout.body_start, name)?;
            PuzzleSet::from(puzzles.into_iter().map(|puzzle| puzzle.grid).collect::<Vec<Grid>>())
        };
        if set.is_empty() {
            return Err(no_puzzles(input.name()));
        }
        Ok((PuzzleFile { name: name(), set }, layout))
    }

    /// The last part of the file's path.
    pub(crate) fn short_name(&self) -> String {
        self.name.file_name().unwrap_or(self.name.as_os_str()).to_string_lossy().into_owned()
    }
}

/// Reads the puzzles of a text. `name` is used in errors. No record may be malformed.
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
        let (line, column) = Places::new(text, 0).at(body + fault.offset as usize);
        let position = Position { path: name(), record: index as u64 + 1, line, column };
        let (record, advice) = (position.record, fault_advice(fault.kind));
        return refuse(format!(
            "{position}: record {record}: {}{advice}; measuring needs a puzzle in every record",
            fault.kind
        ));
    }
    Ok(batch.puzzles)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSIC: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn is_typed(text: &str) -> bool {
        argument_puzzle(Path::new(text)).is_some()
    }

    #[test]
    fn puzzles_of_any_shape_are_recognized() {
        let rows: Vec<&str> = (0..9).map(|row| &CLASSIC[row * 9..][..9]).collect();
        for text in [CLASSIC, "1.....3..4.....2", &".".repeat(36), &rows.join("\n"), &"123456789".repeat(81)]
        {
            assert!(is_typed(text), "{text}");
        }
    }

    #[test]
    fn puzzles_with_typos_are_still_recognized() {
        assert!(is_typed(&CLASSIC[1..]) && is_typed(&CLASSIC.replace('8', "A")));
    }

    #[test]
    fn grids_with_an_ambiguous_shape_or_alphabet_are_puzzles() {
        for cells in [16, 36, 64, 81, 100, 144, 225, 256, 324, 400, 576, 625] {
            for text in [".".repeat(cells), format!("A{}", ".".repeat(cells - 1))] {
                assert!(is_typed(&text), "{text}");
            }
        }
        assert!(!is_typed(&"a".repeat(16)) && !is_typed(&"A".repeat(36)) && !is_typed(&".".repeat(63)));
    }

    #[test]
    fn all_rows_may_be_on_one_line() {
        let nine: Vec<&str> = (0..9).map(|row| &CLASSIC[row * 9..][..9]).collect();
        let sixteen = vec!["A..............."; 16];
        for mut grid in [nine, sixteen, vec!["1.2.", "....", "....", "...."], ["1.....", "......"].repeat(3)]
        {
            for mark in [" ", "  ", "/", ",", ";", "|", ", ", "\n"] {
                assert_eq!(rows(&grid.join(mark)).as_ref(), Some(&grid), "{mark}");
            }
            grid[1] = &grid[1][1..];
            assert_eq!(rows(&grid.join(" ")), Some(grid));
        }
        assert_eq!(rows(CLASSIC), None);
    }

    #[test]
    fn grids_of_candidates_are_puzzles() {
        assert!(is_typed(&"7 129 ".repeat(41)[..241]));
    }

    #[test]
    fn names_of_files_are_not_puzzles() {
        for text in [
            "puzzles.txt",
            "data/puzzles.txt",
            "Cargo.toml",
            "1.txt",
            "a b",
            "",
            "-",
            "puzzles_2024.txt",
            "long/file/name/that",
        ] {
            assert!(!is_typed(text), "{text}");
        }
        assert!(!is_typed(&format!("{}.csv/x", "long".repeat(30))));
    }
}
