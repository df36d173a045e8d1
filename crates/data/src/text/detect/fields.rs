//! Lines of several fields that are no CSV: lists of puzzles, and tables with other separators.

use super::header::{IsPuzzle, content};
use crate::text::FormatError;

/// How many puzzles with commas between them are a list: a comma may also set a solution apart.
const LIST_WITH_COMMAS: usize = 3;

/// Refuses lines in which several puzzles stand, or a puzzle among other fields. The first line decides.
pub(super) fn refuse_fields(text: &[u8], is_puzzle: IsPuzzle<'_>) -> Result<(), FormatError> {
    let Some(first) = content(text).next() else { return Ok(()) };
    let commas = Fields::of(first.text, b',', is_puzzle);
    if commas.is_list() && commas.puzzles >= LIST_WITH_COMMAS {
        return Err(FormatError::Fields { separator: ',', is_list: true });
    }
    let bars = Fields::of(first.text, b'|', is_puzzle);
    if bars.puzzles == 0 || bars.all < 2 || content(text).any(|line| is_puzzle(line.text)) {
        return Ok(());
    }
    Err(FormatError::Fields { separator: '|', is_list: bars.is_list() })
}

/// The fields of a line.
struct Fields {
    all: usize,
    puzzles: usize,
}

impl Fields {
    fn of(line: &[u8], separator: u8, is_puzzle: IsPuzzle<'_>) -> Fields {
        let fields = || line.split(|&byte| byte == separator).map(<[u8]>::trim_ascii);
        let fields = || fields().filter(|field| !field.is_empty());
        Fields { all: fields().count(), puzzles: fields().filter(|field| is_puzzle(field)).count() }
    }

    fn is_list(&self) -> bool {
        self.puzzles == self.all && self.all > 1
    }
}
