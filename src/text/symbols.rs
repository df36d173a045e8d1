//! What each byte stands for, as a table.

use super::Alphabet;
use super::alphabet::BLANKS;

/// No cell.
const FOREIGN: u8 = 0xff;

/// The cell that each byte stands for.
#[derive(Clone, Copy)]
pub(super) struct Symbols([u8; 256]);

impl Symbols {
    fn new(cell: impl Fn(u8) -> Option<u8>) -> Symbols {
        Symbols(std::array::from_fn(|byte| cell(byte as u8).unwrap_or(FOREIGN)))
    }

    /// Those of an alphabet.
    pub(super) fn of(alphabet: &Alphabet) -> Symbols {
        Symbols::new(|byte| alphabet.cell(byte))
    }

    /// All that could be cells of a puzzle of that side, in one of the alphabets or another: which ones, it
    /// does not say.
    pub(super) fn possible(side: usize, given: &[Alphabet]) -> Symbols {
        let mut alphabets: Vec<&Alphabet> = given.iter().filter(|alphabet| alphabet.side() == side).collect();
        let usual = if side > 9 { Alphabet::conventions(side) } else { vec![Alphabet::digits(side)] };
        if alphabets.is_empty() {
            alphabets.extend(&usual);
        }
        let is_cell = |byte| alphabets.iter().any(|alphabet| alphabet.cell(byte).is_some());
        Symbols::new(|byte| (is_cell(byte) || BLANKS.contains(&byte)).then_some(0))
    }

    /// The cell that a byte stands for: a digit, or 0 for a blank.
    #[inline]
    pub(super) fn cell(&self, byte: u8) -> Option<u8> {
        Some(self.0[usize::from(byte)]).filter(|&cell| cell != FOREIGN)
    }

    /// Are all of them cells?
    pub(super) fn have(&self, text: &[u8]) -> bool {
        text.iter().all(|&byte| self.cell(byte).is_some())
    }
}

impl std::fmt::Debug for Symbols {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cells = (0..=255u8).filter(|&byte| self.cell(byte).is_some()).map(char::from);
        write!(f, "Symbols({})", cells.collect::<String>())
    }
}
