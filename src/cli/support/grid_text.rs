//! Grids and patterns given as values of options.

use std::path::Path;

use crate::record::Status;

/// A pattern: which cells have clues, and the digits of those that are to have a certain one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) clues: Vec<bool>,
    /// For each cell its digit, 0 for any; `None` if no digit is given.
    pub(crate) digits: Option<Vec<u8>>,
}

/// A full grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FullGrid(pub(crate) Vec<u8>);

/// Reads a pattern, or `@FILE` with one: x for any clue, a digit for a clue of that digit, . for a blank.
pub(crate) fn pattern(text: &str) -> Result<Pattern, String> {
    let mut pattern = Pattern { clues: Vec::new(), digits: None };
    let mut digits = Vec::new();
    for symbol in symbols(&content(text)?) {
        let digit = match symbol {
            'x' | 'X' | '.' => 0,
            other => digit(other).ok_or_else(|| {
                let advice = advice(text);
                format!(
                    "'{other}' is neither x, for a clue, nor . for a blank, nor a digit (1-9, A-P){advice}"
                )
            })?,
        };
        pattern.clues.push(symbol != '.');
        digits.push(digit);
    }
    pattern.digits = Some(digits).filter(|digits| digits.iter().any(|&digit| digit != 0));
    Ok(pattern)
}

/// Reads a full grid, or `@FILE` with one.
pub(crate) fn full_grid(text: &str) -> Result<FullGrid, String> {
    let cell = |symbol| match symbol {
        '.' | '0' => Ok(0),
        other => digit(other)
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

/// Returns the cells, without white space and frames.
fn symbols(text: &str) -> impl Iterator<Item = char> {
    let is_frame = |symbol: char| "|+-=".contains(symbol) || ('\u{2500}'..='\u{257f}').contains(&symbol);
    text.chars().filter(move |&symbol| !symbol.is_whitespace() && !is_frame(symbol))
}

/// Returns the digit of a symbol.
fn digit(symbol: char) -> Option<u8> {
    // 1-9, then A-P for 10 to 25.
    symbol.to_digit(26).filter(|&digit| digit > 0).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_line_ends_are_no_cells() {
        let framed = "+--+--+\n|x.|1.|\n│ G.|..│\n+--+--+\n";
        let Pattern { clues, digits } = pattern(framed).unwrap();
        assert_eq!(clues, [true, false, true, false, true, false, false, false]);
        assert_eq!(digits, Some(vec![0, 0, 1, 0, 16, 0, 0, 0]));
        assert_eq!(pattern("x.X").unwrap().digits, None);
        assert_eq!(full_grid("12\n3P\n").unwrap().0, [1, 2, 3, 25]);
        assert!(pattern("@/no/such/file").unwrap_err().contains("/no/such/file: can't be read"));
        assert!(full_grid("12?").is_err());
    }
}
