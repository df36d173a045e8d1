//! A slow engine for pencilmarks, which shares nothing with the others.

use std::sync::atomic::AtomicBool;

use gridmill::grid::{CELLS, Digit, Pencilmarks, Solution};
use gridmill::solver::{Outcome, SolutionLimit, Solver};

/// Backtracking by the cell with the fewest candidates left, with no other inference.
pub(crate) struct MarksOracle;

type Masks = [u16; CELLS];

impl Solver<Pencilmarks> for MarksOracle {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn solve_until(
        &mut self,
        puzzles: &[Pencilmarks],
        limit: SolutionLimit,
        outcomes: &mut [Outcome],
        _: &AtomicBool,
    ) -> usize {
        for (puzzle, outcome) in puzzles.iter().zip(outcomes) {
            *outcome = Outcome::NONE;
            let bits = |cell: usize| {
                let marks = puzzle.candidates()[cell];
                Digit::all(9)
                    .filter(|&digit| marks.contains(digit))
                    .fold(0, |bits, digit| bits | 1 << digit.get())
            };
            search(&std::array::from_fn(bits), &mut [0; CELLS], u64::from(limit.get()), outcome);
        }
        puzzles.len()
    }
}

fn search(masks: &Masks, digits: &mut [u8; CELLS], limit: u64, outcome: &mut Outcome) {
    let blanks = (0..CELLS).filter(|&cell| digits[cell] == 0);
    let Some(cell) = blanks.min_by_key(|&cell| masks[cell].count_ones()) else {
        outcome.solutions += 1;
        outcome.solution = outcome.solution.or(Solution::from_cells(*digits));
        return;
    };
    for digit in (1..=9).filter(|digit| masks[cell] >> digit & 1 != 0) {
        let mut less = *masks;
        for other in (0..CELLS).filter(|&other| sees(cell, other)) {
            less[other] &= !(1 << digit);
        }
        digits[cell] = digit;
        search(&less, digits, limit, outcome);
        digits[cell] = 0;
        if outcome.solutions >= limit {
            return;
        }
    }
}

fn sees(cell: usize, other: usize) -> bool {
    let (row, column) = (cell / 9 == other / 9, cell % 9 == other % 9);
    row || column || (cell / 27 == other / 27 && cell % 9 / 3 == other % 9 / 3)
}
