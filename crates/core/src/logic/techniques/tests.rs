//! Trials of single techniques in states made by hand, for tests.

use crate::grid::Puzzle;
use crate::logic::cells::{candidate_names, cell_name, digit_name};
use crate::logic::finder::{Deduction, Find, Pattern, Scratch, Sink};
use crate::logic::state::State;
use crate::logic::technique::Rating;

/// A state, at first blank with every candidate, and what a finder found in it.
pub(crate) struct Trial {
    state: State,
    found: Vec<(Deduction, String)>,
    limit: Rating,
}

impl Trial {
    pub(crate) fn new() -> Trial {
        Trial { state: State::BLANK, found: Vec::new(), limit: Rating::BEYOND }
    }

    /// Returns a trial of a grid given by the candidates of its cells; one candidate is a placed digit.
    pub(crate) fn of(cells: &str) -> Trial {
        let candidates: Vec<u16> = cells.split_whitespace().map(mask).collect();
        let placed = |cell: usize| {
            if candidates[cell].is_power_of_two() { candidates[cell].ilog2() as u8 + 1 } else { 0 }
        };
        let clues = Puzzle::from_cells(std::array::from_fn(placed)).unwrap();
        Trial { state: State::of_clues_and_candidates(&clues, |cell| candidates[cell]), ..Trial::new() }
    }

    /// Leaves a cell these digits.
    pub(crate) fn only(mut self, cell: &str, digits: &str) -> Trial {
        for digit in 1..=9 {
            if !digits.contains(&digit.to_string()) {
                self.state.remove(index(cell), digit - 1);
            }
        }
        self
    }

    /// Takes a digit from the cells of a row (`r1`), a column (`c1`) or a box (`b1`) but for some of them.
    pub(crate) fn confine(mut self, digit: usize, house: &str, cells: &str) -> Trial {
        let (kind, number) = house.split_at(1);
        let number: usize = number.parse().unwrap();
        let house = number - 1 + 9 * "rcb".find(kind).unwrap();
        let kept: Vec<usize> = cells.split(' ').map(index).collect();
        for cell in crate::logic::cells::HOUSE[house] {
            if !kept.contains(&cell) {
                self.state.remove(cell, digit - 1);
            }
        }
        self
    }

    /// Places a digit.
    pub(crate) fn place(mut self, digit: usize, cell: &str) -> Trial {
        self.state.place(index(cell), digit - 1);
        self
    }

    /// Makes deductions that are rated higher useless.
    pub(crate) fn up_to(mut self, limit: u16) -> Trial {
        self.limit = Rating::tenths(limit);
        self
    }

    /// Returns what the finder finds, each deduction once, sorted: rating, technique, and the candidates that go or
    /// the digit that is placed.
    pub(crate) fn find(&mut self, find: Find) -> Vec<String> {
        let state = self.state.clone();
        self.found.clear();
        find(&state, &mut Scratch::default(), self);
        self.found.sort_by_key(|(deduction, _)| line(deduction));
        self.found.iter().map(|(deduction, _)| line(deduction)).collect()
    }

    /// Returns the reasons of what was found last.
    pub(crate) fn reasons(&self) -> Vec<&str> {
        self.found.iter().map(|(_, reason)| reason.as_str()).collect()
    }
}

impl Sink for Trial {
    fn limit(&self) -> Rating {
        self.limit
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        assert!(deduction.removed.iter().all(|(cell, digit)| self.state.has(cell, digit)));
        assert!(deduction.rating >= deduction.technique.least());
        let known = self.found.iter().any(|(other, _)| other == deduction);
        if deduction.rating <= self.limit && !known {
            self.found.push((deduction.clone(), pattern().reason));
        }
    }
}

fn line(deduction: &Deduction) -> String {
    let done = match deduction.placed {
        Some((cell, digit)) => format!("{} is {}", cell_name(cell), digit_name(digit)),
        None => candidate_names(&deduction.removed),
    };
    format!("{} {}: {done}", deduction.rating, deduction.technique)
}

/// Returns the index of a cell such as `r4c5`.
fn index(cell: &str) -> usize {
    let number = |place: usize| usize::from(cell.as_bytes()[place] - b'1');
    number(1) * 9 + number(3)
}

/// Returns the mask of digits such as `135`.
fn mask(digits: &str) -> u16 {
    digits.bytes().fold(0, |mask, digit| mask | 1 << (digit - b'1'))
}
