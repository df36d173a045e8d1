//! Fish: in some parallel lines, a digit has places in as many crossing lines only.
//!
//! ```text
//!  X-wing in rows 2 and 6          (x: has the digit; *: loses it)
//!  . * . . . * . . .
//!  - x - - - x - - -     each of the two rows places the digit in one
//!  . * . . . * . . .     of the two columns, so both columns have it
//!  - x - - - x - - -     within these rows
//! ```
//!
//! Ratings: X-wing (two lines) 3.2, swordfish (three) 3.8, jellyfish (four) 5.2. Source: Sudoku Explainer 1.2.1.

use super::subsets::for_each_subset;
use crate::logic::cell_set::{CandidateSet, CellSet};
use crate::logic::deduction::{Deduction, Pattern, Sink};
use crate::logic::finder::Finder;
use crate::logic::houses::{COLUMN, HOUSE};
use crate::logic::rating::Rating;
use crate::logic::scratch::Scratch;
use crate::logic::state::{State, digits};
use crate::logic::technique::Technique;
use crate::logic::words::{digit_name, digit_names};

/// Fish of `N` lines.
pub(crate) struct Fish<const N: usize>;

impl<const N: usize> Finder for Fish<N> {
    fn least(&self) -> Rating {
        Self::TECHNIQUE.least()
    }

    fn find(&self, state: &State, _: &mut Scratch, sink: &mut dyn Sink) {
        for digit in 0..9 {
            // With fewer lines to go, the other lines make a smaller fish.
            if open_rows(digit, state) >= 2 * N {
                self.find_in(&Lines { digit, base: 0, cover: COLUMN }, state, sink);
                self.find_in(&Lines { digit, base: COLUMN, cover: 0 }, state, sink);
            }
        }
    }
}

impl<const N: usize> Fish<N> {
    const TECHNIQUE: Technique = [Technique::XWing, Technique::Swordfish, Technique::Jellyfish][N - 2];

    fn find_in(&self, lines: &Lines, state: &State, sink: &mut dyn Sink) {
        let places = std::array::from_fn(|line| state.places(lines.digit, lines.base + line));
        for_each_subset::<N>(&places, |base, cover| {
            let outside = lines_at(lines.cover, cover) - lines_at(lines.base, base);
            let removed = state.cells_of(lines.digit) & outside;
            if !removed.is_empty() {
                let removed = CandidateSet::of(lines.digit, removed);
                let deduction = Deduction::remove(Self::TECHNIQUE, self.least(), removed);
                sink.found(&deduction, &|| lines.pattern(base, cover, state));
            }
        });
    }
}

/// Returns how many rows have places for a digit.
fn open_rows(digit: usize, state: &State) -> usize {
    (0..9).filter(|&row| state.places(digit, row) != 0).count()
}

/// Returns the cells of some parallel lines.
fn lines_at(first: usize, lines: u16) -> CellSet {
    digits(lines).fold(CellSet::EMPTY, |cells, line| cells | HOUSE[first + line])
}

/// A digit, the direction of the lines that hold it, and that of the lines that lose it: the first house of each.
struct Lines {
    digit: usize,
    base: usize,
    cover: usize,
}

impl Lines {
    fn pattern(&self, base: u16, cover: u16, state: &State) -> Pattern {
        let houses = |first: usize, lines: u16| digits(lines).map(move |line| first + line);
        let (kind, crossing) = if self.base == 0 { ("rows", "columns") } else { ("columns", "rows") };
        Pattern {
            houses: houses(self.base, base).chain(houses(self.cover, cover)).collect(),
            candidates: CandidateSet::of(self.digit, state.cells_of(self.digit) & lines_at(self.base, base)),
            reason: format!(
                "{kind} {} hold {} only in {crossing} {}, so no other cell of these {crossing} holds it",
                digit_names(base),
                digit_name(self.digit),
                digit_names(cover),
            ),
            ..Pattern::default()
        }
    }
}
