//! How the cells of converted puzzles are written.

use gridmill_core::grid::{Digit, Shape};

use crate::text::{Alphabet, PuzzleText};

/// The character of a blank, and the alphabets that replace those of the input.
#[derive(Clone, Debug)]
pub struct Spelling {
    blank: u8,
    /// The alphabet of each side that gets another one.
    replaced: Vec<Option<Alphabet>>,
    /// The digits of each side up to 9.
    digits: Vec<Option<Alphabet>>,
}

impl Spelling {
    /// Returns the spelling with that blank and these alphabets, each for its side. Puzzles of other sides keep their
    /// digits, but that numbers of one character become such digits.
    pub fn new(blank: u8, alphabets: impl IntoIterator<Item = Alphabet>) -> Spelling {
        Spelling { blank, replaced: by_side(alphabets), digits: by_side((4..=9).map(Alphabet::digits)) }
    }

    /// Appends the cells of a puzzle as one line; candidates as they are.
    #[inline]
    pub(super) fn write<P: PuzzleText>(&self, puzzle: &P, out: &mut Vec<u8>) {
        if P::HAS_CANDIDATES {
            return puzzle.write(out);
        }
        let start = out.len();
        match self.alphabet_for(puzzle) {
            None => puzzle.write(out),
            Some(alphabet) => alphabet.write_to(puzzle.cells(), out),
        }
        if self.blank != b'.' {
            // Branchless, so that it becomes vector code.
            out[start..].iter_mut().for_each(|byte| *byte = if *byte == b'.' { self.blank } else { *byte });
        }
    }

    /// Returns the alphabet that replaces that of a puzzle.
    #[inline]
    fn alphabet_for(&self, puzzle: &impl PuzzleText) -> Option<&Alphabet> {
        let side = puzzle.shape().side();
        let has_numbers = || Digit::new(1).and_then(|digit| puzzle.symbol(digit)).is_none();
        let of_numbers = || self.digits[side].as_ref().filter(|_| has_numbers());
        self.replaced[side].as_ref().or_else(of_numbers)
    }
}

fn by_side(alphabets: impl IntoIterator<Item = Alphabet>) -> Vec<Option<Alphabet>> {
    let mut sides = vec![None; Shape::MAX_SIDE + 1];
    for alphabet in alphabets {
        let side = alphabet.side();
        sides[side] = Some(alphabet);
    }
    sides
}
