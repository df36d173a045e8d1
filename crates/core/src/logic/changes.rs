//! The houses and digits that have changed since a technique looked at them and found nothing; it need not look at the
//! others again.

use super::cell_set::bits_of;
use super::places::{Places, houses_that_differ};
use super::state::{State, digits};
use super::technique::Technique;

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
