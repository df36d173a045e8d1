//! A slow engine for pencilmarks. It shares no code with the other engines, so that it doesn't share their
//! bugs.

use gridmill_core::grid::{CELLS, Digit, Pencilmarks, Solution};
use gridmill_core::solver::{Outcome, Request, Solver};

/// Backtracking that tries the cell with the fewest candidates first, without any other inference.
pub(crate) struct MarksOracle;

type Masks = [u16; CELLS];

/// A search gives up after this many tried digits, because some grids would take minutes.
const MAX_STEPS: u32 = 20_000;

struct Search<'a> {
    limit: u64,
    steps: u32,
    digits: [u8; CELLS],
    outcome: &'a mut Outcome,
}

impl Solver<Pencilmarks> for MarksOracle {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn solve_until(&mut self, puzzles: &[Pencilmarks], request: &Request, found: &mut [Outcome]) -> usize {
        for (puzzle, outcome) in puzzles.iter().zip(found) {
            *outcome = Outcome::NONE;
            let bits = |cell: usize| {
                let marks = puzzle.candidates()[cell];
                Digit::all(9)
                    .filter(|&digit| marks.contains(digit))
                    .fold(0, |bits, digit| bits | 1 << digit.get())
            };
            let limit = request.bounds.solutions;
            let mut search = Search { limit, steps: 0, digits: [0; CELLS], outcome };
            search.descend(&std::array::from_fn(bits));
        }
        puzzles.len()
    }
}

impl Search<'_> {
    fn descend(&mut self, masks: &Masks) {
        let blanks = (0..CELLS).filter(|&cell| self.digits[cell] == 0);
        let Some(cell) = blanks.min_by_key(|&cell| masks[cell].count_ones()) else {
            self.outcome.solutions += 1;
            self.outcome.solution = self.outcome.solution.or(Solution::from_cells(self.digits));
            return;
        };
        for digit in (1..=9).filter(|digit| masks[cell] >> digit & 1 != 0) {
            let mut fewer = *masks;
            for other in (0..CELLS).filter(|&other| sees(cell, other)) {
                fewer[other] &= !(1 << digit);
            }
            self.steps += 1;
            self.outcome.is_given_up |= self.steps > MAX_STEPS;
            self.digits[cell] = digit;
            self.descend(&fewer);
            self.digits[cell] = 0;
            if self.outcome.is_given_up || self.outcome.solutions >= self.limit {
                return;
            }
        }
    }
}

fn sees(cell: usize, other: usize) -> bool {
    let (row, column) = (cell / 9 == other / 9, cell % 9 == other % 9);
    row || column || (cell / 27 == other / 27 && cell % 9 / 3 == other % 9 / 3)
}
