//! Locked candidates of one digit, from tables.
//!
//! In a band, the digit needs three minirows, one in each row and one in each box. Of the nine minirows only
//! those can hold it that belong to such a choice among the possible ones: that covers pointing, claiming and
//! every combination of them, and there are only 512 cases. A stack is a transposed band: three columns and
//! three boxes.

use super::board::ROWS;
use crate::grid::Bands;

/// For each set of minirows of a band that hold candidates (bit `3 * row + box`): the cells of the minirows
/// that may keep them.
static BAND: [u32; 512] = {
    let mut table = [0; 512];
    let mut present = 0;
    while present < 512 {
        let mut place = 0;
        while place < 9 {
            if matchable(present) >> place & 1 == 1 {
                table[present] |= 0b111 << (place / 3 * 10 + place % 3 * 3);
            }
            place += 1;
        }
        present += 1;
    }
    table
};

/// For each set of cells of a row: the minirows that hold them.
static ROW: [u8; 512] = {
    let mut table = [0; 512];
    let mut row = 0;
    while row < 512 {
        table[row] =
            (row & 0o7 != 0) as u8 | ((row & 0o70 != 0) as u8) << 1 | ((row & 0o700 != 0) as u8) << 2;
        row += 1;
    }
    table
};

/// For each set of minicolumns of a stack that hold candidates (bit `3 * band + column`): those that may keep
/// them, as bits `10 * band + column`.
static STACK: [u32; 512] = {
    let mut table = [0; 512];
    let mut present = 0;
    while present < 512 {
        let keep = matchable(present);
        table[present] = keep & 0o7 | (keep & 0o70) << 7 | (keep & 0o700) << 14;
        present += 1;
    }
    table
};

/// Returns the places of a 3x3 pattern that belong to some choice of three present ones with no two in a row
/// or a column.
const fn matchable(present: usize) -> u32 {
    let mut keep = 0;
    let mut first = 0;
    while first < 3 {
        let mut second = 0;
        while second < 3 {
            let third = 3 - first - second;
            let choice = 1 << first | 1 << (3 + second) | 1 << (6 + third % 3);
            if first != second && present & choice == choice {
                keep |= choice as u32;
            }
            second += 1;
        }
        first += 1;
    }
    keep
}

/// Removes the candidates that locked candidates of bands and stacks eliminate, until neither finds more.
/// Nothing is left if the digit has no place in some house.
#[inline(always)]
pub(super) fn apply([mut top, mut middle, mut bottom]: Bands) -> Bands {
    // Three words with names, so that they stay in registers.
    loop {
        top &= BAND[minirows(top)];
        middle &= BAND[minirows(middle)];
        bottom &= BAND[minirows(bottom)];
        let before = [top, middle, bottom];
        let keep = kept_by_stacks(columns(top) | columns(middle) << 10 | columns(bottom) << 20);
        top &= every_row(keep & 0x1ff);
        middle &= every_row((keep >> 10) & 0x1ff);
        bottom &= every_row(keep >> 20);
        // Each filter leaves its own result unchanged, so only a change by the second one calls for the first
        // one again.
        if before == [top, middle, bottom] {
            return before;
        }
    }
}

/// Returns the columns that may keep their candidates, of those that hold one, band by band (bit `10 * band +
/// column`).
#[inline(always)]
fn kept_by_stacks(columns: u32) -> u32 {
    (0..3)
        .fold(0, |keep, stack| keep | STACK[gather((columns >> (3 * stack)) & (ROWS * 0b111))] << (3 * stack))
}

/// Returns a row's columns in each row of a band.
#[inline(always)]
fn every_row(columns: u32) -> u32 {
    columns * ROWS
}

/// Returns the minirows of a band that hold a candidate: bit `3 * row + box`.
#[inline(always)]
fn minirows(band: u32) -> usize {
    let row = |shift: u32| usize::from(ROW[(band >> shift & 0x1ff) as usize]);
    row(0) | row(10) << 3 | row(20) << 6
}

/// Returns the columns of a band that hold a candidate.
#[inline(always)]
fn columns(band: u32) -> u32 {
    (band | band >> 10 | band >> 20) & 0x1ff
}

/// Puts three fields of three bits, ten apart, side by side.
#[inline(always)]
fn gather(fields: u32) -> usize {
    (fields.wrapping_mul(1 | 1 << 7 | 1 << 14) >> 14 & 0x1ff) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries every choice of three places in three rows and columns.
    fn matchable_naive(present: usize) -> u32 {
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let choices = orders.map(|order| (0..3).fold(0, |choice, row| choice | 1 << (3 * row + order[row])));
        choices
            .into_iter()
            .filter(|choice| present & choice == *choice)
            .fold(0, |keep, choice| keep | choice as u32)
    }

    #[test]
    fn tables_keep_what_the_naive_definition_keeps() {
        for present in 0..512 {
            let keep = matchable_naive(present);
            for place in 0..9 {
                let kept = keep >> place & 1;
                assert_eq!(BAND[present] >> (place / 3 * 10 + place % 3 * 3) & 0b111, 0b111 * kept);
                assert_eq!(STACK[present] >> (place / 3 * 10 + place % 3) & 1, kept);
            }
            assert_eq!(STACK[present].count_ones(), keep.count_ones());
        }
    }

    #[test]
    fn a_digit_locked_in_a_column_leaves_the_other_boxes() {
        // Box 1 has the digit in column 1 only, so boxes 4 and 7 lose it there.
        let full = ROWS * 0x1ff;
        let expected = [full & !(ROWS * 0b110), full & !ROWS, full & !ROWS];
        assert_eq!(apply([expected[0], full, full]), expected);
    }

    #[test]
    fn a_house_without_a_place_is_dead() {
        let full = ROWS * 0x1ff;
        let no_column_one = full & !ROWS;
        assert_eq!(apply([no_column_one; 3]), [0; 3]);
        assert_eq!(apply([full, full & !0x1ff, full]), [0; 3]);
        assert_eq!(apply([full; 3]), [full; 3]);
    }
}
