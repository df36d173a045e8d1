//! The techniques other than chains, one file per family. Each file starts with drawings, ratings and
//! sources.

pub(crate) mod singles;
pub(crate) mod strong_links;
pub(crate) mod subsets;
pub(crate) mod unique;
pub(crate) mod wings;

/// `Trial`: tests a single technique in a state made by hand.
#[cfg(test)]
pub(crate) mod tests {
    use crate::grid::Puzzle;
    use crate::logic::cells::{candidate_names, cell_name, digit_name};
    use crate::logic::finder::{Deduction, DeductionSink, Find, Pattern, Scratch};
    use crate::logic::state::State;
    use crate::logic::technique::Rating;

    /// A state and what a finder found in it. A new trial has every candidate in every cell.
    pub(crate) struct Trial {
        state: State,
        found: Vec<(Deduction, String)>,
        limit: Rating,
    }

    impl Trial {
        pub(crate) fn new() -> Trial {
            Trial { state: State::BLANK, found: Vec::new(), limit: Rating::BEYOND }
        }

        /// Creates a trial from the candidates of all cells, e.g. `12 3 ...`. A cell with one candidate has this
        /// digit placed.
        pub(crate) fn from_candidates(cells: &str) -> Trial {
            let candidates: Vec<u16> = cells.split_whitespace().map(mask).collect();
            let placed = |cell: usize| {
                if candidates[cell].is_power_of_two() { candidates[cell].ilog2() as u8 + 1 } else { 0 }
            };
            let clues = Puzzle::from_cells(std::array::from_fn(placed)).unwrap();
            Trial { state: State::from_clues_and_candidates(&clues, |cell| candidates[cell]), ..Trial::new() }
        }

        /// Removes all candidates of a cell except the given digits.
        pub(crate) fn only(mut self, cell: &str, digits: &str) -> Trial {
            for digit in 1..=9 {
                if !digits.contains(&digit.to_string()) {
                    self.state.remove(index(cell), digit - 1);
                }
            }
            self
        }

        /// Removes a digit from a row (`r1`), a column (`c1`) or a box (`b1`), except from the given cells.
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

        /// Sets the limit of the sink, in tenths, so that finders skip deductions with a higher rating.
        pub(crate) fn up_to(mut self, limit: u16) -> Trial {
            self.limit = Rating::tenths(limit);
            self
        }

        /// Runs a finder. Lists each deduction once, sorted, with its rating, its technique, and the digit that
        /// it places or the candidates that it removes.
        pub(crate) fn find(&mut self, find: Find) -> Vec<String> {
            let state = self.state.clone();
            self.found.clear();
            find(&state, &mut Scratch::default(), self);
            self.found.sort_by_key(|(deduction, _)| line(deduction));
            self.found.iter().map(|(deduction, _)| line(deduction)).collect()
        }

        /// The reasons of what the last call of `find` found.
        pub(crate) fn reasons(&self) -> Vec<&str> {
            self.found.iter().map(|(_, reason)| reason.as_str()).collect()
        }
    }

    impl DeductionSink for Trial {
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

    /// Converts a name such as `r4c5` into the index of the cell.
    fn index(cell: &str) -> usize {
        let number = |place: usize| usize::from(cell.as_bytes()[place] - b'1');
        number(1) * 9 + number(3)
    }

    /// Converts digits such as `135` into a mask.
    fn mask(digits: &str) -> u16 {
        digits.bytes().fold(0, |mask, digit| mask | 1 << (digit - b'1'))
    }
}
