//! A puzzle in place of a file's name.

use std::path::Path;

use crate::pipeline::Input;
use crate::text::{Batch, FormatOptions, GridPuzzle};

/// The name of the input that an argument holds.
const NAME: &str = "<argument>";

/// The fewest cells of text that is taken for a puzzle with a mistake in it. Names of files are shorter.
const LONG: usize = 64;

/// Returns an input of the puzzle that stands in place of a file's name; `None` if there is a file of that name, or the
/// text is no puzzle.
pub(crate) fn typed_puzzle(path: &Path) -> Option<Input> {
    let text = path.to_str()?;
    let is_typed = path.symlink_metadata().is_err() && (is_puzzle(text) || looks_like_one(text));
    is_typed.then(|| Input::from_bytes(NAME, format!("{text}\n").into_bytes()))
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

/// Returns whether a text can be meant as a puzzle only. What is wrong with it is told where records are read.
fn looks_like_one(text: &str) -> bool {
    let is_cell = |byte: u8| byte.is_ascii_alphanumeric() || b".-_*?|+ \n".contains(&byte);
    text.len() >= LONG && text.bytes().all(is_cell) && text.bytes().any(|byte| byte.is_ascii_digit())
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
    fn names_of_files_are_none() {
        for text in ["puzzles.txt", "data/puzzles.txt", "Cargo.toml", "1.txt", "a b", "", "-"] {
            assert!(!is_typed(text), "{text}");
        }
        assert!(!is_typed(&format!("{}.csv/x", "long".repeat(30))));
    }
}
