//! A puzzle in place of a file's name.

use std::path::Path;

use gridmill_core::grid::Shape;
use gridmill_data::pipeline::Input;
use gridmill_data::text::{Batch, FormatChoice, FormatOptions, GridPuzzle, candidate_grid_line, usual_shape};

/// The name of the input that an argument holds.
const NAME: &str = "<argument>";

/// The fewest characters of text that is taken for a puzzle with a mistake in it. Names of files are shorter.
const LONG: usize = 64;

/// The greatest side whose puzzles are as short as names of files.
const SHORT: usize = 6;

/// The characters that may stand between the rows of a puzzle, besides white space.
const SEPARATORS: [char; 4] = ['/', ',', ';', '|'];

/// Returns an input of the puzzle that stands in place of a file's name; `None` if there is a file of that name, or the
/// text is no puzzle. What is wrong with the puzzle is told where records are read.
pub(crate) fn typed_puzzle(path: &Path) -> Option<Input> {
    let text = path.to_str().filter(|_| path.symlink_metadata().is_err())?;
    let lines = match (candidate_grid_line(text), rows(text)) {
        (Some(marks), _) => marks,
        (None, Some(rows)) => rows.join("\n"),
        (None, None) if is_puzzle(text) || looks_like_one(text) => text.to_owned(),
        (None, None) => return None,
    };
    Some(Input::from_bytes(NAME, format!("{lines}\n").into_bytes()))
}

/// Returns how a puzzle is read that stands in place of a file's name: rows in which there is a mistake don't show what
/// they are. Options that the user gave stay.
pub(crate) fn options_for_typed(path: &Path, options: FormatOptions) -> FormatOptions {
    let is_open = options.format == FormatChoice::Auto && options.shape.is_none() && !options.mixed;
    let text = path.to_str().filter(|_| is_open && path.symlink_metadata().is_err());
    let is_plain = |text: &&str| is_puzzle(text) || candidate_grid_line(text).is_some();
    let Some(rows) = text.filter(|text| !is_plain(text)).and_then(rows) else { return options };
    let side = sides().find(|&side| are_rows_of(&rows, side));
    let shape = side.and_then(usual_shape);
    let format = if shape.is_some() { FormatChoice::Grid } else { FormatChoice::Auto };
    FormatOptions { format, shape, ..options }
}

/// Returns whether several arguments are the rows of one puzzle, and not names of files.
pub(crate) fn are_rows<'a>(paths: impl Iterator<Item = &'a Path> + Clone) -> bool {
    let names: Option<Vec<&str>> = paths.clone().map(Path::to_str).collect();
    names.is_some_and(|names| names.len() > 1 && rows(&names.join(" ")).is_some())
        && paths.into_iter().all(|path| path.symlink_metadata().is_err())
}

/// Returns whether a text reads as one puzzle.
fn is_puzzle(text: &str) -> bool {
    let text = text.as_bytes();
    let Ok(Some(layout)) = FormatOptions::default().layout(text, false) else { return false };
    if layout.is_pencilmarks() {
        return true;
    }
    let mut batch = Batch::default();
    layout.format::<GridPuzzle>().read(&text[layout.body..], &mut batch);
    batch.puzzles.len() == 1 && batch.records.len() == 1
}

/// Returns whether a text can be meant as a puzzle only: it has the cells of a grid, or is too long for a name.
fn looks_like_one(text: &str) -> bool {
    let cells: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let is_grid = sides().any(|side| cells.len() == side * side && are_cells(&cells, side));
    let is_long = text.len() >= LONG && cells.iter().any(u8::is_ascii_digit);
    is_grid || is_long && cells.iter().all(|&byte| is_cell(byte) || b"|+".contains(&byte))
}

/// Returns the rows of a puzzle that is written on one line or several, a row here or there with a mistake; `None` if
/// the text is none.
fn rows(text: &str) -> Option<Vec<&str>> {
    let of_words = text.split_whitespace().collect();
    let of_marks = SEPARATORS.map(|mark| text.split(mark).map(str::trim).collect());
    [of_words]
        .into_iter()
        .chain(of_marks)
        .find(|rows: &Vec<&str>| sides().any(|side| are_rows_of(rows, side)))
}

/// Returns whether texts are the rows of a grid: as many as that, or one more or less, and most of them whole.
fn are_rows_of(rows: &[&str], side: usize) -> bool {
    let whole = rows.iter().filter(|row| row.len() == side).count();
    rows.len().abs_diff(side) <= 1
        && rows.iter().all(|row| row.len().abs_diff(side) <= 2)
        && whole * 4 >= side * 3
        && are_cells(rows.concat().as_bytes(), side)
}

/// Returns the sides of grids that have boxes.
fn sides() -> impl Iterator<Item = usize> {
    (4..=Shape::MAX_SIDE).filter(|&side| (2..side).any(|rows| side % rows == 0))
}

/// Returns whether characters may be the cells of a puzzle of that side, with a blank or a digit among them. In a small
/// puzzle most are these, and letters are capitals: names of files have other ones.
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

#[cfg(test)]
mod tests {
    use super::*;

    const CLASSIC: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn is_typed(text: &str) -> bool {
        typed_puzzle(Path::new(text)).is_some()
    }

    #[test]
    fn puzzles_of_any_shape_are_known() {
        let rows: Vec<&str> = (0..9).map(|row| &CLASSIC[row * 9..][..9]).collect();
        for text in [CLASSIC, "1.....3..4.....2", &".".repeat(36), &rows.join("\n"), &"123456789".repeat(81)]
        {
            assert!(is_typed(text), "{text}");
        }
    }

    #[test]
    fn mistakes_are_told_of_the_puzzle() {
        assert!(is_typed(&CLASSIC[1..]) && is_typed(&CLASSIC.replace('8', "A")));
    }

    #[test]
    fn grids_of_an_open_shape_or_alphabet_are_puzzles() {
        for cells in [16, 36, 64, 81, 100, 144, 225, 256, 324, 400, 576, 625] {
            for text in [".".repeat(cells), format!("A{}", ".".repeat(cells - 1))] {
                assert!(is_typed(&text), "{text}");
            }
        }
        assert!(!is_typed(&"a".repeat(16)) && !is_typed(&"A".repeat(36)) && !is_typed(&".".repeat(63)));
    }

    #[test]
    fn rows_may_stand_on_one_line() {
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
    fn names_of_files_are_none() {
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
