//! Grids and patterns given as values of options.

use std::path::Path;

use gridmill_core::generate::{Pattern, digit_of_symbol, symbols};
use gridmill_core::jobs::Status;

/// A full grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FullGrid(pub(crate) Vec<u8>);

/// Reads a pattern, or `@FILE` with one: x for any clue, a digit for a clue of that digit, . for a blank.
pub(crate) fn pattern(text: &str) -> Result<Pattern, String> {
    content(text)?.parse().map_err(|error| format!("{error}{}", advice(text)))
}

/// Reads a full grid, or `@FILE` with one.
pub(crate) fn full_grid(text: &str) -> Result<FullGrid, String> {
    let cell = |symbol| match symbol {
        '.' | '0' => Ok(0),
        other => digit_of_symbol(other)
            .ok_or_else(|| format!("'{other}' is no digit: 1-9, and A-P for 10 to 25{}", advice(text))),
    };
    let content = content(text)?;
    let grid = without_verdict(&content);
    symbols(grid).map(cell).collect::<Result<_, _>>().map(FullGrid)
}

/// Returns what to do about a text that is no grid.
fn advice(text: &str) -> String {
    match text.strip_prefix('@') {
        Some(path) => format!("; {path} must hold one grid and nothing else, as lines or in rows"),
        None if Path::new(text).is_file() => format!("; to read the file, write @{text}"),
        None => "; a file is named behind an @".to_owned(),
    }
}

/// Returns a text without the last line that `solve` and `count` write below a grid.
fn without_verdict(text: &str) -> &str {
    let (grid, last) = text.trim_end().rsplit_once('\n').unwrap_or((text, ""));
    let is_verdict =
        |status: Status| last.strip_prefix(status.name()).is_some_and(|rest| rest.starts_with(','));
    if Status::ALL.into_iter().any(is_verdict) { grid } else { text }
}

/// Returns the text itself, or that of the file behind an @.
fn content(text: &str) -> Result<String, String> {
    match text.strip_prefix('@') {
        Some(path) => {
            std::fs::read_to_string(path).map_err(|error| format!("{path}: can't be read: {error}"))
        }
        None => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_read_in_place_or_from_a_file() {
        assert_eq!(full_grid("12\n3P\n").unwrap().0, [1, 2, 3, 25]);
        assert_eq!(pattern("|x.|").unwrap().clues, [true, false]);
        assert!(pattern("x?").unwrap_err().contains("behind an @"));
        assert!(pattern("@/no/such/file").unwrap_err().contains("/no/such/file: can't be read"));
        assert!(full_grid("12?").is_err());
    }
}
