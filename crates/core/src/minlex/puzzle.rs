//! The minlex form of a puzzle with blanks.
//!
//! Row by row from the top, every choice that leads to the least rows so far is an [`Arrangement`]. An
//! arrangement has settled the rows from the top, and the columns in which these have clues. Columns without
//! a clue so far, and stacks without one, are free: they may still change places. They are to the left of the
//! settled ones, for a blank is less than a digit.
//!
//! A row under an arrangement has one least form. In each stack its cells in free columns are sorted: blanks,
//! named digits by their names, new digits. Free stacks are sorted by the same rule. That leaves open the
//! order of new digits in the free columns of a stack, and of free stacks that have equally many new digits
//! and nothing else: each order becomes an arrangement for the next row. No other choice has to be kept, and
//! no two arrangements are equal.
//!
//! Rows without a clue are alike if they are in one band, and so are bands without a clue: only the first one
//! of them is tried. That, and the columns that stay free, keep empty and sparse puzzles cheap. Puzzles
//! that have only full and empty rows have the most arrangements: 1296 for each full row that may come first.

use super::arrangement::Arrangement;
use super::{Canonical, Matrix, unpack};

/// The search, with its memory.
#[derive(Debug, Default)]
pub(super) struct PuzzleSearch {
    arrangements: Vec<Arrangement>,
    /// The arrangements with one more row.
    next: Vec<Arrangement>,
    /// Arrangements, and rows that are the least under them.
    least: Vec<(u32, u8)>,
}

impl PuzzleSearch {
    /// Returns the minlex form of a puzzle that obeys the rules.
    pub(super) fn minlex(&mut self, sides: &[Matrix; 2]) -> Canonical {
        let blank = sides.map(|lines| blank_rows(&lines));
        self.arrangements.clear();
        self.arrangements.extend([false, true].map(Arrangement::new));
        let mut rows = [0; 9];
        for (place, row) in rows.iter_mut().enumerate() {
            *row = self.add_row(sides, blank, place);
        }
        let best = &self.arrangements[0];
        let rows_alike = alike(blank[usize::from(best.transposed)]);
        let columns_alike = alike(blank[usize::from(!best.transposed)]);
        Canonical {
            form: unpack(&rows),
            transform: best.transform(),
            automorphisms: self.arrangements.len() as u32 * rows_alike * columns_alike,
        }
    }

    /// Replaces the arrangements by those with one more row, the least possible, and returns that row.
    fn add_row(&mut self, sides: &[Matrix; 2], blank: [u16; 2], place: usize) -> u64 {
        let mut best = u64::MAX;
        self.least.clear();
        for (number, arrangement) in self.arrangements.iter().enumerate() {
            let side = usize::from(arrangement.transposed);
            let mut rows = distinct(arrangement.open_rows(place), blank[side]);
            while rows != 0 {
                let row = rows.trailing_zeros() as usize;
                rows &= rows - 1;
                let packed = arrangement.pack(&arrangement.lay(&sides[side][row]));
                if packed > best {
                    continue;
                }
                if packed < best {
                    best = packed;
                    self.least.clear();
                }
                self.least.push((number as u32, row as u8));
            }
        }
        self.next.clear();
        for &(number, row) in &self.least {
            let arrangement = &self.arrangements[number as usize];
            let line = &sides[usize::from(arrangement.transposed)][usize::from(row)];
            arrangement.with_row(place, row).settle(line, &arrangement.lay(line), &mut self.next);
        }
        std::mem::swap(&mut self.arrangements, &mut self.next);
        best
    }
}

/// Returns the set of rows without a clue.
fn blank_rows(lines: &Matrix) -> u16 {
    lines.iter().enumerate().map(|(row, line)| u16::from(line == &[0; 9]) << row).sum()
}

/// Returns the open rows, only one of those that are alike.
#[inline]
fn distinct(open: u16, blank: u16) -> u16 {
    let (mut distinct, mut blank_band) = (open, false);
    for band in [0o7, 0o70, 0o700] {
        let alike = open & blank & band;
        distinct &= !(alike & alike.wrapping_sub(1));
        if alike == band {
            if blank_band {
                distinct &= !band;
            }
            blank_band = true;
        }
    }
    distinct
}

/// Returns the number of orders of the rows without a clue.
fn alike(blank: u16) -> u32 {
    const FACTORIALS: [u32; 4] = [1, 1, 2, 6];
    let bands = [0o7, 0o70, 0o700].map(|band| (blank & band).count_ones() as usize);
    let blank_bands = bands.iter().filter(|&&rows| rows == 3).count();
    bands.iter().map(|&rows| FACTORIALS[rows]).product::<u32>() * FACTORIALS[blank_bands]
}
