//! Finders: the trait of all techniques, the deductions that they find, and the memory that they keep.

use super::cells::{CandidateSet, CellSet, bits_of};
use super::chains::dynamic::DynamicMemory;
use super::chains::net::Nets;
use super::profile::Ties;
use super::state::{Places, State, digits, houses_that_differ};
use super::technique::{Rating, Technique};
use super::techniques::strong_links::DigitLinks;
use crate::minlex::Minlex;

/// Finds all deductions of a technique, or of a few that share their work.
#[derive(Clone, Copy, Debug)]
pub struct Finder {
    least: Rating,
    depends_on_order: bool,
    find: Find,
}

/// Hands *every* deduction in a state up to the limit of the sink to the sink. A deduction that places or removes
/// nothing is none. The same deduction may be handed over more than once.
pub(crate) type Find = fn(&State, &mut Scratch, &mut dyn Sink);

impl Finder {
    /// Returns a finder of deductions that are rated `least` or higher.
    pub(crate) const fn new(least: Rating, find: Find) -> Finder {
        Finder { least, depends_on_order: false, find }
    }

    /// Returns a finder that depends on the order of cells and digits.
    pub(crate) const fn by_order(least: Rating, find: Find) -> Finder {
        Finder { least, depends_on_order: true, find }
    }

    /// Returns the least rating of what it can find.
    #[must_use]
    pub const fn least(&self) -> Rating {
        self.least
    }

    /// Returns whether, of several ways to one deduction, the order of cells and digits decides which one counts. Such a
    /// finder is asked in the coordinates of the minlex form, and its reasons are made of the links of the pattern; with
    /// [`Ties::Reading`] it is asked in those of the grid.
    pub(crate) const fn depends_on_order(&self) -> bool {
        self.depends_on_order
    }

    /// Hands every deduction in the state up to the limit of the sink to the sink. The same deduction may be handed over
    /// more than once. The scratch has seen the state ([`Scratch::see`]), or is new.
    pub fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        (self.find)(state, scratch, sink);
    }
}

/// A deduction: what may be done with the grid, by which technique, at which rating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deduction {
    /// The technique that found it.
    pub technique: Technique,
    /// Its rating; techniques with lengths have several.
    pub rating: Rating,
    /// The cell and the digit (from 0) that can be placed.
    pub placed: Option<(usize, usize)>,
    /// The candidates that can be removed. With a placement of a direct technique: what is removed on the way to it, for
    /// display; the placement alone is carried out.
    pub removed: CandidateSet,
}

impl Deduction {
    /// Returns a placement.
    #[must_use]
    pub const fn place(technique: Technique, rating: Rating, cell: usize, digit: usize) -> Deduction {
        Deduction { technique, rating, placed: Some((cell, digit)), removed: CandidateSet::EMPTY }
    }

    /// Returns an elimination.
    #[must_use]
    pub const fn remove(technique: Technique, rating: Rating, removed: CandidateSet) -> Deduction {
        Deduction { technique, rating, placed: None, removed }
    }
}

/// A link of a chain: if the first statement holds, so does the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Cell, digit (from 0), and whether the statement is that it stands there.
    pub from: (usize, usize, bool),
    /// Cell, digit and whether it stands there, of the second statement.
    pub to: (usize, usize, bool),
}

/// The pattern that shows a deduction to a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The houses it lives in, by index (see [`house`](super::house)).
    pub houses: Vec<usize>,
    /// The candidates that make the pattern.
    pub candidates: CandidateSet,
    /// The links of chains, in order.
    pub links: Vec<Link>,
    /// The reason, a sentence with coordinates.
    pub reason: String,
}

impl Pattern {
    /// Returns the cells of the pattern.
    #[must_use]
    pub fn cells(&self) -> CellSet {
        (0..9).fold(CellSet::EMPTY, |cells, digit| cells | self.candidates.cells(digit))
    }
}

/// Takes the deductions as they are found.
pub trait Sink {
    /// The highest rating that is still of use: a finder leaves out what is rated higher.
    fn limit(&self) -> Rating;

    /// Takes a deduction; `pattern` is called only where it will be shown.
    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern);
}

impl dyn Sink + '_ {
    /// Takes an elimination, unless it removes nothing or is rated above the limit. Returns whether it removes something.
    pub(crate) fn remove(
        &mut self,
        technique: Technique,
        rating: Rating,
        removed: CandidateSet,
        pattern: &dyn Fn() -> Pattern,
    ) -> bool {
        let removes = !removed.is_empty();
        if removes && rating <= self.limit() {
            self.found(&Deduction::remove(technique, rating, removed), pattern);
        }
        removes
    }
}

/// Buffers of the finders, made once for a thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Where the order of cells decides, which one it is.
    pub(crate) ties: Ties,
    pub(crate) changes: Changes,
    /// The strong links of each digit, kept until its cells change.
    pub(crate) strong_links: [DigitLinks; 9],
    /// The nets of chains.
    pub(crate) chains: Nets,
    /// The memory of dynamic chains, made when it is first needed.
    pub(crate) dynamic: Option<DynamicMemory>,
    pub(super) minlex: Minlex,
}

impl Scratch {
    /// Compares a state with the one before, for finders that look only at what has changed. It is called for each state
    /// before finders are asked about it, as rounds do.
    pub fn see(&mut self, state: &State) {
        self.changes.see(state);
    }
}

const TECHNIQUES: usize = Technique::ALL.len();

/// For each technique, the houses and the digits that have changed since it found nothing there.
///
/// It is of use to techniques whose deductions in a house follow from the candidates of that house alone, or those of a
/// digit from the cells of that digit. Before it is asked, it must have seen the state.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The state seen last.
    places: [Places; 9],
    houses: [u32; TECHNIQUES],
    digits: [u16; TECHNIQUES],
}

impl Default for Changes {
    fn default() -> Changes {
        Changes { places: [Places::ALL; 9], houses: [u32::MAX >> 5; TECHNIQUES], digits: [0x1ff; TECHNIQUES] }
    }
}

impl Changes {
    /// Compares a state with the one before.
    pub(crate) fn see(&mut self, state: &State) {
        let (houses, digits) = houses_that_differ(&self.places, state.all_places());
        self.houses.iter_mut().for_each(|changed| *changed |= houses);
        self.digits.iter_mut().for_each(|changed| *changed |= digits);
        self.places = *state.all_places();
    }

    /// Calls `look` with each house that has changed; it returns whether the technique found something there.
    pub(crate) fn look_at_houses(&mut self, technique: Technique, mut look: impl FnMut(usize) -> bool) {
        let changed = &mut self.houses[technique as usize];
        *changed = bits_of(*changed).filter(|&house| look(house)).fold(0, |found, house| found | 1 << house);
    }

    /// Calls `look` with each digit that has changed; it returns whether the technique found something of it.
    pub(crate) fn look_at_digits(&mut self, technique: Technique, mut look: impl FnMut(usize) -> bool) {
        let changed = &mut self.digits[technique as usize];
        *changed = digits(*changed).filter(|&digit| look(digit)).fold(0, |found, digit| found | 1 << digit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn houses(changes: &mut Changes, finds: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = Vec::new();
        changes.look_at_houses(Technique::NakedPair, |house| {
            seen.push(house);
            finds(house)
        });
        seen
    }

    fn digits_of(changes: &mut Changes) -> Vec<usize> {
        let mut seen = Vec::new();
        changes.look_at_digits(Technique::XWing, |digit| {
            seen.push(digit);
            false
        });
        seen
    }

    #[test]
    fn a_house_is_looked_at_until_nothing_is_found_and_again_when_it_has_changed() {
        let (mut changes, mut state) = (Changes::default(), State::BLANK);
        changes.see(&state);
        assert_eq!(houses(&mut changes, |house| house == 4).len(), 27);
        changes.see(&state);
        assert_eq!(houses(&mut changes, |_| false), [4]);
        assert!(houses(&mut changes, |_| false).is_empty());
        state.remove(80, 3);
        changes.see(&state);
        changes.see(&state);
        assert_eq!(houses(&mut changes, |_| false), [8, 17, 26]);
    }

    #[test]
    fn a_digit_is_looked_at_again_when_it_has_changed() {
        let (mut changes, mut state) = (Changes::default(), State::BLANK);
        changes.see(&state);
        assert_eq!(digits_of(&mut changes).len(), 9);
        state.remove(80, 3);
        changes.see(&state);
        assert_eq!(digits_of(&mut changes), [3]);
        state.place(0, 0);
        changes.see(&state);
        assert_eq!(digits_of(&mut changes).len(), 9, "the cell loses every digit");
    }

    #[test]
    fn techniques_do_not_share_what_they_have_seen() {
        let mut changes = Changes::default();
        changes.see(&State::BLANK);
        changes.look_at_houses(Technique::HiddenPair, |_| false);
        assert_eq!(houses(&mut changes, |_| false).len(), 27);
    }
}
