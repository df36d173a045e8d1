//! Coordinates and digits in words, for the reasons of deductions.

use super::cell_set::{CandidateSet, CellSet};
use super::state::digits;

/// Returns the coordinates of a cell: `r4c5`.
pub fn cell_name(cell: usize) -> String {
    format!("r{}c{}", cell / 9 + 1, cell % 9 + 1)
}

/// Returns a digit, which counts from 0 inside, as people write it.
pub const fn digit_name(digit: usize) -> u8 {
    digit as u8 + 1
}

/// Returns the coordinates of some cells: `r1c2, r3c2 and r4c5`.
pub fn cell_names(cells: CellSet) -> String {
    listed(cells.into_iter().map(cell_name).collect())
}

/// Returns the digits of a mask: `3, 4 and 7`.
pub fn digit_names(mask: u16) -> String {
    listed(digits(mask).map(|digit| digit_name(digit).to_string()).collect())
}

/// Returns candidates, digit by digit: `3 in r1c2 and r4c5, 7 in r1c2`.
pub(crate) fn candidate_names(candidates: &CandidateSet) -> String {
    let some = (0..9).filter(|&digit| !candidates.cells(digit).is_empty());
    let of_digit = |digit| format!("{} in {}", digit_name(digit), cell_names(candidates.cells(digit)));
    some.map(of_digit).collect::<Vec<_>>().join("; ")
}

/// Returns names as a list: `3, 4 and 7`.
pub(crate) fn listed(mut names: Vec<String>) -> String {
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
    }
}
