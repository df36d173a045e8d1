//! The basic techniques against their definitions.

use std::collections::BTreeSet;

use super::naive::{DEFINITIONS, Found};
use super::{deductions, on_the_way, setting, shown, thin_out};
use crate::common;
use gridmill_core::logic::{Deduction, Profile, Rating, Scratch, State, Technique};
use rand::RngExt;

/// The dearest of the basic techniques is the hidden quad.
const BASIC: Rating = Technique::HiddenQuad.least();

#[test]
fn basic_techniques_find_what_their_definitions_say() {
    let (states, mut counts) = (setting("GRIDMILL_LOGIC_STATES", 5_000) / 16, Counts::new());
    on_the_way(states, 92, Profile::Sukaku, |state, _| counts.compare(state));
    // Larger sets and fish need more room than puzzles leave them.
    let mut rng = common::rng(93);
    for _ in 0..states {
        let solution = common::random_grid(&mut rng);
        let mut state = State::BLANK;
        thin_out(&mut state, &solution, (rng.random_range(8..13), 16), &mut rng);
        counts.compare(&state);
    }
    for (technique, _) in DEFINITIONS {
        assert!(counts.found[technique as usize] > 0, "{technique} is in none of the states");
    }
}

/// Compares finders and definitions, and counts what is found.
struct Counts {
    found: [usize; Technique::ALL.len()],
    scratch: Scratch,
}

impl Counts {
    fn new() -> Counts {
        Counts { found: [0; Technique::ALL.len()], scratch: Scratch::default() }
    }

    fn compare(&mut self, state: &State) {
        self.scratch.see(state);
        let basic = Profile::Sukaku.finders().filter(|finder| finder.least() <= BASIC);
        let all: Vec<Deduction> =
            basic.flat_map(|finder| deductions(finder, state, &mut self.scratch)).collect();
        for (technique, definition) in DEFINITIONS {
            let of_technique = all.iter().filter(|deduction| deduction.technique == technique);
            let found: BTreeSet<_> = of_technique.flat_map(|deduction| outcomes(deduction, state)).collect();
            self.found[technique as usize] += found.len();
            let mut expected = Found::default();
            definition(state, &mut expected);
            let lacks: Vec<_> = expected.must.difference(&found).collect();
            let exceeds: Vec<_> = found.difference(&expected.may).collect();
            let agrees = lacks.is_empty() && exceeds.is_empty();
            assert!(agrees, "{technique} lacks {lacks:?}, has {exceeds:?} too:\n{}", shown(state));
        }
    }
}

/// Returns what a deduction places or removes.
fn outcomes(deduction: &Deduction, state: &State) -> Vec<(usize, usize)> {
    match deduction.placed {
        Some(placed) => vec![placed],
        None => deduction.removed.iter().filter(|&(cell, digit)| state.has(cell, digit)).collect(),
    }
}
