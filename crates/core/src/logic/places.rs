//! The places of a digit in all 27 houses side by side, so that a vector instruction treats eight houses or more.

use super::cell_set::mask_of_flags;
use super::houses::{HOUSES, PEERS, houses_of, places_of};
use super::state::ALL_NINE;
use crate::grid::CELLS;

/// How many masks there are: one for each house, and some that fill vectors.
const LANES: usize = 32;

/// The mark of a house that has the digit; of two bits, so that it is not taken for one place.
const PLACED: u16 = 0x6000;

/// For each house, the places of a digit as a mask, or the mark that it is placed there.
///
/// The loops have no exits, so that they become vector code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(crate) struct Places([u16; LANES]);

impl Places {
    /// Every place of every house.
    pub(crate) const ALL: Places = {
        let mut all = [PLACED; LANES];
        let mut house = 0;
        while house < HOUSES {
            all[house] = ALL_NINE;
            house += 1;
        }
        Places(all)
    };

    /// The mask that keeps everything.
    pub(crate) const ANY: Places = Places([ALL_NINE | PLACED; LANES]);

    /// Returns the places of a house.
    #[inline]
    pub(crate) const fn of(&self, house: usize) -> u16 {
        self.0[house] & ALL_NINE
    }

    /// Removes a cell from its three houses.
    #[inline]
    pub(crate) const fn remove(&mut self, cell: usize) {
        let (houses, places) = (houses_of(cell), places_of(cell));
        self.0[houses[0]] &= !(1 << places[0]);
        self.0[houses[1]] &= !(1 << places[1]);
        self.0[houses[2]] &= !(1 << places[2]);
    }

    /// Keeps what is in the mask as well.
    #[inline]
    pub(crate) fn keep(&mut self, mask: &Places) {
        for (places, mask) in self.0.iter_mut().zip(&mask.0) {
            *places &= mask;
        }
    }

    /// Places the digit in a cell: its houses have it, and others lose the places that it sees.
    #[inline]
    pub(crate) fn place(&mut self, cell: usize) {
        for (places, mask) in self.0.iter_mut().zip(&UNSEEN[cell].0) {
            *places = *places & (mask | PLACED) | mask & PLACED;
        }
    }

    /// Returns the houses, as a mask, that have one place.
    #[inline]
    pub(crate) fn houses_of_one(&self) -> u32 {
        // Of a mask with one bit, and of no other, `lower` has only lower bits. No mask has the sign bit.
        self.houses_with_sign(|places| {
            let lower = places.wrapping_sub(1);
            lower.wrapping_sub(places ^ lower)
        })
    }

    /// Returns the houses, as a mask, that have neither the digit nor a place for it.
    #[inline]
    pub(crate) fn houses_of_none(&self) -> u32 {
        self.houses_with_sign(|places| places.wrapping_sub(1))
    }

    /// Returns the houses, as a mask, for which the result has the sign bit.
    #[inline]
    fn houses_with_sign(&self, result: impl Fn(u16) -> u16) -> u32 {
        let flags = self.0.map(|places| (result(places) >> 15) as u8);
        mask_of_flags(&flags) as u32
    }
}

/// Returns the houses, and the digits, in which two states differ, as masks.
pub(crate) fn houses_that_differ(digits: &[Places; 9], others: &[Places; 9]) -> (u32, u16) {
    let (mut differ, mut changed) = ([0; LANES], 0);
    for (digit, (places, other)) in digits.iter().zip(others).enumerate() {
        let mut any = 0;
        for lane in 0..LANES {
            let difference = places.0[lane] ^ other.0[lane];
            differ[lane] |= difference;
            any |= difference;
        }
        changed |= u16::from(any != 0) << digit;
    }
    (mask_of_flags(&differ.map(|lane| u8::from(lane != 0))) as u32, changed)
}

/// For each cell, all places but its own.
pub(crate) static BUT: [Places; CELLS] = {
    let mut but = [Places::ANY; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        but[cell].remove(cell);
        cell += 1;
    }
    but
};

/// For each cell, all places that it does not see, and the mark in its own houses.
static UNSEEN: [Places; CELLS] = {
    let mut unseen = [Places::ALL; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut other = 0;
        while other < CELLS {
            if PEERS[cell].contains(other) {
                unseen[cell].remove(other);
            }
            other += 1;
        }
        let mut kind = 0;
        while kind < 3 {
            unseen[cell].0[houses_of(cell)[kind]] = PLACED;
            kind += 1;
        }
        cell += 1;
    }
    unseen
};
