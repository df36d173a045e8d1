//! The minlex coordinates, in which finders work whose choice among equals depends on the order of cells.
//!
//! Isomorphs have one minlex form. A finder that looks at a state in the coordinates of that form sees the same
//! state for all of them, so what it finds is the same too.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cell_set::CandidateSet;
use super::chains::dynamic_reason;
use super::deduction::{Deduction, Link, Pattern, Sink};
use super::rating::Rating;
use super::state::{State, digits};
use crate::grid::{CELLS, Puzzle};
use crate::minlex::{Minlex, Transform};

/// Fewer clues leave a puzzle several solutions, and those with the fewest take milliseconds to bring to minlex form.
const LEAST_CLUES: usize = 17;

/// Coordinates: for each cell and digit of a state the ones of another, and back.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    cells: [u8; CELLS],
    digits: [u8; 9],
    cells_back: [u8; CELLS],
    digits_back: [u8; 9],
}

impl Frame {
    /// Returns the coordinates of the minlex form of the clues; those of the clues themselves where they are too
    /// few for a proper puzzle.
    pub(crate) fn of_clues(clues: &Puzzle, minlex: &mut Minlex) -> Frame {
        let canonical = if clues.clue_count() < LEAST_CLUES { None } else { minlex.of(clues) };
        canonical.map_or_else(Frame::unmoved, |canonical| Frame::of_transform(&canonical.transform))
    }

    /// Returns the coordinates of the grid as it is written.
    pub(crate) fn unmoved() -> Frame {
        Frame::of_maps(std::array::from_fn(|cell| cell as u8), std::array::from_fn(|digit| digit as u8))
    }

    fn of_transform(transform: &Transform) -> Frame {
        let mut cells = [0; CELLS];
        for to in 0..CELLS {
            cells[transform.source(to / 9, to % 9)] = to as u8;
        }
        Frame::of_maps(cells, std::array::from_fn(|digit| transform.renamed(digit as u8 + 1) - 1))
    }

    fn of_maps(cells: [u8; CELLS], digits: [u8; 9]) -> Frame {
        let (mut cells_back, mut digits_back) = ([0; CELLS], [0; 9]);
        for (cell, &to) in cells.iter().enumerate() {
            cells_back[usize::from(to)] = cell as u8;
        }
        for (digit, &to) in digits.iter().enumerate() {
            digits_back[usize::from(to)] = digit as u8;
        }
        Frame { cells, digits, cells_back, digits_back }
    }

    /// Returns the state in these coordinates.
    pub(crate) fn moved(&self, state: &State) -> State {
        let mut values = [0; CELLS];
        for cell in 0..CELLS {
            let digit = state.value(cell).map(|digit| usize::from(digit.get()) - 1);
            values[usize::from(self.cells[cell])] = digit.map_or(0, |digit| self.digits[digit] + 1);
        }
        let values = Puzzle::from_cells(values).expect("digits are renamed to digits");
        State::of_clues_and_candidates(&values, |to| {
            digits(state.candidates(usize::from(self.cells_back[to])))
                .fold(0, |mask, digit| mask | 1 << self.digits[digit])
        })
    }

    fn candidate_back(&self, (cell, digit): (usize, usize)) -> (usize, usize) {
        (usize::from(self.cells_back[cell]), usize::from(self.digits_back[digit]))
    }

    fn candidates_back(&self, candidates: &CandidateSet) -> CandidateSet {
        let mut back = CandidateSet::EMPTY;
        for candidate in candidates.iter() {
            let (cell, digit) = self.candidate_back(candidate);
            back.insert(cell, digit);
        }
        back
    }

    fn deduction_back(&self, deduction: &Deduction) -> Deduction {
        Deduction {
            placed: deduction.placed.map(|candidate| self.candidate_back(candidate)),
            removed: self.candidates_back(&deduction.removed),
            ..deduction.clone()
        }
    }

    fn link_back(&self, link: &Link) -> Link {
        let back = |(cell, digit, stands): (usize, usize, bool)| {
            let (cell, digit) = self.candidate_back((cell, digit));
            (cell, digit, stands)
        };
        Link { from: back(link.from), to: back(link.to) }
    }

    /// Returns the pattern of chains, which is all in its links: so is the reason.
    fn pattern_back(&self, pattern: &Pattern) -> Pattern {
        let links: Vec<Link> = pattern.links.iter().map(|link| self.link_back(link)).collect();
        let (candidates, reason) = (self.candidates_back(&pattern.candidates), dynamic_reason(&links));
        Pattern { candidates, links, reason, ..Pattern::default() }
    }
}

/// Takes deductions in the coordinates of a frame and hands them on in those of the state.
pub(crate) struct FramedSink<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) sink: &'a mut dyn Sink,
    /// Nothing more is of use when it becomes true.
    pub(crate) stop: &'a AtomicBool,
}

impl Sink for FramedSink<'_> {
    fn limit(&self) -> Rating {
        if self.stop.load(Ordering::Relaxed) { Rating::NONE } else { self.sink.limit() }
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        let (frame, back) = (self.frame, self.frame.deduction_back(deduction));
        self.sink.found(&back, &|| frame.pattern_back(&pattern()));
    }
}
