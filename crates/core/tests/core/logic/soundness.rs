//! No technique contradicts the solution, and every deduction changes something.

use super::{DeductionFn, PROFILES, for_each_state, setting, shown};
use gridmill_core::grid::Solution;
use gridmill_core::logic::{Deduction, Pattern, Profile, Rating, Scratch, State};

/// Finders are slow from these ratings up. They are tested on one state in this many only.
const SLOW: [(Rating, usize); 3] =
    [(Rating::tenths(95), 10_000), (Rating::tenths(90), 500), (Rating::tenths(75), 40)];

#[test]
fn no_finder_contradicts_the_solution() {
    let states = setting("GRIDMILL_LOGIC_STATES", 5_000);
    for profile in PROFILES {
        let (mut scratch, mut seen) = (Scratch::default(), 0);
        for_each_state(states / 2, 90, profile, |state, solution| {
            seen += 1;
            check(profile, seen, state, solution, &mut scratch);
        });
        assert_eq!(seen, states / 2);
    }
}

fn check(profile: Profile, seen: usize, state: &State, solution: &Solution, scratch: &mut Scratch) {
    scratch.see(state);
    for finder in profile.finders() {
        let slow = SLOW.into_iter().find(|&(rating, _)| finder.least() >= rating);
        if slow.is_some_and(|(_, states)| !seen.is_multiple_of(states)) {
            continue;
        }
        let mut found = 0;
        let sink = |deduction: &Deduction, pattern: &dyn Fn() -> Pattern| {
            found += 1;
            let fault = fault(deduction, finder.least(), state, solution)
                .or_else(|| if found % 16 == 1 { fault_of_reason(&pattern()) } else { None });
            if let Some(fault) = fault {
                panic!("{profile}: {fault}\n{deduction:?}\n{}\n{}", pattern().reason, shown(state));
            }
        };
        finder.find(state, scratch, &mut DeductionFn(sink));
    }
}

/// The problem with a deduction, if there is one.
fn fault(deduction: &Deduction, least: Rating, state: &State, solution: &Solution) -> Option<&'static str> {
    let right = |cell: usize, digit: usize| usize::from(solution.cells()[cell]) == digit + 1;
    let Deduction { technique, rating, placed, removed } = deduction;
    let changes = match placed {
        Some((cell, digit)) => state.has(*cell, *digit),
        None => removed.iter().any(|(cell, digit)| state.has(cell, digit)),
    };
    if !changes {
        Some("a deduction changes nothing")
    } else if placed.is_some_and(|(cell, digit)| !right(cell, digit)) {
        Some("a digit is placed that the solution does not have")
    } else if removed.iter().any(|(cell, digit)| right(cell, digit)) {
        Some("a digit of the solution is removed")
    } else if *rating < technique.least() || *rating < least {
        Some("a rating is below the least of its technique or finder")
    } else {
        None
    }
}

/// The problem with a reason, if there is one.
fn fault_of_reason(pattern: &Pattern) -> Option<&'static str> {
    let reason = &pattern.reason;
    if reason.is_empty() || reason.ends_with('.') || reason.trim() != reason {
        Some("a reason is not one sentence without a stop")
    } else if pattern.candidates.is_empty() && pattern.links.is_empty() {
        Some("a pattern shows nothing")
    } else {
        None
    }
}
