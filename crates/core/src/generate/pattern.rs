//! Patterns as text.

use std::str::FromStr;

/// A pattern: which cells have clues, and the digits of those that are to have a certain one.
///
/// As text it has an x for any clue, a digit for a clue of that digit, a dot for a blank; white space and frames do not
/// count.
///
/// ```
/// use gridmill_core::generate::Pattern;
///
/// let pattern: Pattern = "x.5.".parse()?;
/// assert_eq!(pattern.clues, [true, false, true, false]);
/// assert_eq!(pattern.digits, Some(vec![0, 0, 5, 0]));
/// # Ok::<(), gridmill_core::generate::ForeignSymbol>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// For each cell whether it has a clue, for [`Recipe::pattern`](super::Recipe::pattern).
    pub clues: Vec<bool>,
    /// For each cell its digit, 0 for any; `None` if no digit is given. For [`Recipe::digits`](super::Recipe::digits).
    pub digits: Option<Vec<u8>>,
}

/// A character that a pattern does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is neither x, for a clue, nor . for a blank, nor a digit (1-9, A-P)")]
pub struct ForeignSymbol(char);

/// Reads x for any clue, a digit for a clue of that digit, . for a blank.
impl FromStr for Pattern {
    type Err = ForeignSymbol;

    fn from_str(text: &str) -> Result<Pattern, ForeignSymbol> {
        let mut pattern = Pattern { clues: Vec::new(), digits: None };
        let mut digits = Vec::new();
        for symbol in symbols(text) {
            digits.push(match symbol {
                'x' | 'X' | '.' => 0,
                other => digit(other).ok_or(ForeignSymbol(other))?,
            });
            pattern.clues.push(symbol != '.');
        }
        pattern.digits = Some(digits).filter(|digits| digits.iter().any(|&digit| digit != 0));
        Ok(pattern)
    }
}

/// Returns the cells of a grid, without white space and frames.
pub fn symbols(text: &str) -> impl Iterator<Item = char> {
    let is_frame = |symbol: char| "|+-=".contains(symbol) || ('\u{2500}'..='\u{257f}').contains(&symbol);
    text.chars().filter(move |&symbol| !symbol.is_whitespace() && !is_frame(symbol))
}

/// Returns the digit of a symbol: 1-9, then A-P for 10 to 25.
pub fn digit(symbol: char) -> Option<u8> {
    symbol.to_digit(26).filter(|&digit| digit > 0).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_line_ends_are_no_cells() {
        let framed = "+--+--+\n|x.|1.|\n│ G.|..│\n+--+--+\n";
        let Pattern { clues, digits } = framed.parse().unwrap();
        assert_eq!(clues, [true, false, true, false, true, false, false, false]);
        assert_eq!(digits, Some(vec![0, 0, 1, 0, 16, 0, 0, 0]));
        assert_eq!("x.X".parse::<Pattern>().unwrap().digits, None);
        assert_eq!("x.@".parse::<Pattern>(), Err(ForeignSymbol('@')));
    }
}
