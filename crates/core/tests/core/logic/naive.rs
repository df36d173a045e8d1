//! The basic techniques, written naively from their definitions as loops over all combinations, and a test
//! that compares the finders with them.
//!
//! Each definition collects two sets of deductions. `may` has all deductions of the technique, and a finder
//! must not report others. `must` has those that a finder has to report. The difference are patterns beside
//! which there is always a cheaper one with the same result: a set or a fish larger than its complement, a
//! last cell as another hidden single, or a pattern with a cell or a line that is a single itself. No rating
//! depends on them.

use std::collections::BTreeSet;

use super::{deductions, for_each_state, setting, shown, thin_out};
use crate::common;
use gridmill_core::logic::{Deduction, Rating, Scale, Scratch, State, Technique};
use rand::RngExt;

/// The highest rating of the basic techniques is that of the hidden quad.
const BASIC: Rating = Technique::HiddenQuad.least();

#[test]
fn basic_techniques_match_their_definitions() {
    let (states, mut counts) = (setting("GRIDMILL_LOGIC_STATES", 5_000) / 16, Counts::new());
    for_each_state(states, 92, Scale::Sukaku, |state, _| counts.compare(state));
    // Large sets and fish need more empty cells than puzzles usually leave.
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

/// Compares finders with definitions, and counts the deductions.
struct Counts {
    found: [usize; Technique::ALL.len()],
    scratch: Scratch,
}

impl Counts {
    fn new() -> Counts {
        Counts { found: [0; Technique::ALL.len()], scratch: Scratch::default() }
    }

    fn compare(&mut self, state: &State) {
        self.scratch.note_changes(state);
        let basic = Scale::Sukaku.finders().filter(|finder| finder.least() <= BASIC);
        let all: Vec<Deduction> =
            basic.flat_map(|finder| deductions(finder, state, &mut self.scratch)).collect();
        for (technique, definition) in DEFINITIONS {
            let of_technique = all.iter().filter(|deduction| deduction.technique == technique);
            let found: BTreeSet<_> = of_technique.flat_map(|deduction| outcomes(deduction, state)).collect();
            self.found[technique as usize] += found.len();
            let mut expected = Expected::default();
            definition(state, &mut expected);
            let lacks: Vec<_> = expected.must.difference(&found).collect();
            let exceeds: Vec<_> = found.difference(&expected.may).collect();
            let agrees = lacks.is_empty() && exceeds.is_empty();
            assert!(agrees, "{technique} lacks {lacks:?}, has {exceeds:?} too:\n{}", shown(state));
        }
    }
}

/// The candidates that a deduction places or removes.
fn outcomes(deduction: &Deduction, state: &State) -> Vec<(usize, usize)> {
    match deduction.placed {
        Some(placed) => vec![placed],
        None => deduction.removed.iter().filter(|&(cell, digit)| state.has(cell, digit)).collect(),
    }
}

/// Placements or eliminations, as cell and digit from 0.
type Outcomes = BTreeSet<(usize, usize)>;

/// The deductions of a technique in a state.
#[derive(Debug, Default)]
struct Expected {
    must: Outcomes,
    may: Outcomes,
}

impl Expected {
    fn add(&mut self, must: bool, outcomes: impl IntoIterator<Item = (usize, usize)>) {
        let outcomes: Vec<_> = outcomes.into_iter().collect();
        if must {
            self.must.extend(outcomes.iter().copied());
        }
        self.may.extend(outcomes);
    }
}

/// The definition of a technique.
type Definition = fn(&State, &mut Expected);

/// The techniques that are defined here.
const DEFINITIONS: [(Technique, Definition); 19] = [
    (Technique::LastCell, |state, found| hidden_singles(state, found, Technique::LastCell)),
    (Technique::HiddenSingleBox, |state, found| hidden_singles(state, found, Technique::HiddenSingleBox)),
    (Technique::HiddenSingleLine, |state, found| hidden_singles(state, found, Technique::HiddenSingleLine)),
    (Technique::DirectPointing, |state, found| direct_locked(state, found, &boxes(), &lines())),
    (Technique::DirectClaiming, |state, found| direct_locked(state, found, &lines(), &boxes())),
    (Technique::DirectHiddenPair, |state, found| direct_hidden_set(state, found, 2)),
    (Technique::NakedSingle, naked_singles),
    (Technique::DirectHiddenTriplet, |state, found| direct_hidden_set(state, found, 3)),
    (Technique::Pointing, |state, found| locked(state, found, &boxes(), &lines())),
    (Technique::Claiming, |state, found| locked(state, found, &lines(), &boxes())),
    (Technique::NakedPair, |state, found| naked_set(state, found, 2)),
    (Technique::NakedTriplet, |state, found| naked_set(state, found, 3)),
    (Technique::NakedQuad, |state, found| naked_set(state, found, 4)),
    (Technique::HiddenPair, |state, found| hidden_set(state, found, 2)),
    (Technique::HiddenTriplet, |state, found| hidden_set(state, found, 3)),
    (Technique::HiddenQuad, |state, found| hidden_set(state, found, 4)),
    (Technique::XWing, |state, found| fish(state, found, 2)),
    (Technique::Swordfish, |state, found| fish(state, found, 3)),
    (Technique::Jellyfish, |state, found| fish(state, found, 4)),
];

/// A house, given by its nine cells.
type House = Vec<usize>;

fn rows() -> Vec<House> {
    (0..9).map(|row| (0..9).map(|column| 9 * row + column).collect()).collect()
}

fn columns() -> Vec<House> {
    (0..9).map(|column| (0..9).map(|row| 9 * row + column).collect()).collect()
}

fn boxes() -> Vec<House> {
    let corner = |index: usize| index / 3 * 27 + index % 3 * 3;
    (0..9).map(|index| (0..9).map(|place| corner(index) + place / 3 * 9 + place % 3).collect()).collect()
}

fn lines() -> Vec<House> {
    [rows(), columns()].concat()
}

fn houses() -> Vec<House> {
    [rows(), columns(), boxes()].concat()
}

fn is_empty(state: &State, cell: usize) -> bool {
    state.value(cell).is_none()
}

/// The cells of a house that may hold a digit.
fn places(state: &State, house: &[usize], digit: usize) -> Vec<usize> {
    house.iter().copied().filter(|&cell| state.has(cell, digit)).collect()
}

fn candidates(state: &State, cell: usize) -> Vec<usize> {
    (0..9).filter(|&digit| state.has(cell, digit)).collect()
}

/// All choices of `size` items, in the order of the items.
fn choices<T: Clone>(items: &[T], size: usize) -> Vec<Vec<T>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, first) in items.iter().enumerate() {
        for mut rest in choices(&items[index + 1..], size - 1) {
            rest.insert(0, first.clone());
            all.push(rest);
        }
    }
    all
}

fn union(lists: &[Vec<usize>]) -> BTreeSet<usize> {
    lists.iter().flatten().copied().collect()
}

fn hidden_singles(state: &State, found: &mut Expected, technique: Technique) {
    for house in houses() {
        let empty = house.iter().filter(|&&cell| is_empty(state, cell)).count();
        let is_box = house[3] != house[0] + 3 && house[3] != house[0] + 27;
        let kind = if is_box { Technique::HiddenSingleBox } else { Technique::HiddenSingleLine };
        // The last cell of a house is also a hidden single, but the last cell is cheaper.
        let (must, may) = match technique {
            Technique::LastCell => (empty == 1, empty == 1),
            _ => (kind == technique && empty > 1, kind == technique),
        };
        for digit in 0..9 {
            if let ([cell], true) = (&places(state, &house, digit)[..], may) {
                found.add(must, [(*cell, digit)]);
            }
        }
    }
}

fn naked_singles(state: &State, found: &mut Expected) {
    for cell in 0..81 {
        if let [digit] = candidates(state, cell)[..] {
            found.add(true, [(cell, digit)]);
        }
    }
}

/// Calls `look` for each digit and each two houses of `from` and `to`, if all places of the digit in the
/// first house are also in the second. The flag says whether there are at least two places.
fn each_locked(
    state: &State,
    from: &[House],
    to: &[House],
    mut look: impl FnMut(usize, &House, &House, bool),
) {
    for digit in 0..9 {
        for first in from {
            let places = places(state, first, digit);
            for second in to {
                if !places.is_empty() && places.iter().all(|cell| second.contains(cell)) {
                    look(digit, first, second, places.len() > 1);
                }
            }
        }
    }
}

fn locked(state: &State, found: &mut Expected, from: &[House], to: &[House]) {
    each_locked(state, from, to, |digit, first, second, must| {
        let others = places(state, second, digit).into_iter().filter(|cell| !first.contains(cell));
        found.add(must, others.map(|cell| (cell, digit)));
    });
}

/// Pointing or claiming that leaves the digit only one place in a house parallel to the first.
fn direct_locked(state: &State, found: &mut Expected, from: &[House], to: &[House]) {
    each_locked(state, from, to, |digit, first, second, must| {
        for third in from {
            let parallel = third.iter().all(|cell| !first.contains(cell));
            let before = places(state, third, digit);
            let after: Vec<usize> = before.iter().copied().filter(|cell| !second.contains(cell)).collect();
            if let ([cell], true) = (&after[..], parallel && before.len() > 1) {
                found.add(must, [(*cell, digit)]);
            }
        }
    });
}

/// Cells of a house that have only as many digits as cells. The other cells of the house lose these digits.
fn naked_set(state: &State, found: &mut Expected, size: usize) {
    for house in houses() {
        let empty: Vec<usize> = house.iter().copied().filter(|&cell| is_empty(state, cell)).collect();
        // A cell with more candidates is in no such set. It is left out, because the loops below are long.
        let few = |&cell: &usize| candidates(state, cell).len() <= size;
        for cells in choices(&empty.iter().copied().filter(few).collect::<Vec<_>>(), size) {
            let held: Vec<Vec<usize>> = cells.iter().map(|&cell| candidates(state, cell)).collect();
            let digits = union(&held);
            if digits.len() != size {
                continue;
            }
            let must = empty.len() >= 2 * size && held.iter().all(|digits| digits.len() > 1);
            for &digit in &digits {
                let others = places(state, &house, digit).into_iter().filter(|cell| !cells.contains(cell));
                found.add(must, others.map(|cell| (cell, digit)));
            }
        }
    }
}

/// Calls `look` for each house with some digits that have as many cells in it as digits. The flag says
/// whether each digit has at least two places.
fn each_hidden_set(
    state: &State,
    size: usize,
    mut look: impl FnMut(&House, &[usize], &BTreeSet<usize>, bool),
) {
    for house in houses() {
        let few = |&digit: &usize| (1..=size).contains(&places(state, &house, digit).len());
        for digits in choices(&(0..9).filter(few).collect::<Vec<_>>(), size) {
            let held: Vec<Vec<usize>> = digits.iter().map(|&digit| places(state, &house, digit)).collect();
            let cells = union(&held);
            if cells.len() == size {
                look(&house, &digits, &cells, held.iter().all(|places| places.len() > 1));
            }
        }
    }
}

fn hidden_set(state: &State, found: &mut Expected, size: usize) {
    each_hidden_set(state, size, |house, digits, cells, must| {
        let empty = house.iter().filter(|&&cell| is_empty(state, cell)).count();
        for &cell in cells {
            let others = candidates(state, cell).into_iter().filter(|digit| !digits.contains(digit));
            found.add(must && empty > 2 * size, others.map(|digit| (cell, digit)));
        }
    });
}

/// A hidden set that leaves another digit only one place in its house.
fn direct_hidden_set(state: &State, found: &mut Expected, size: usize) {
    each_hidden_set(state, size, |house, digits, cells, must| {
        for digit in (0..9).filter(|digit| !digits.contains(digit)) {
            let before = places(state, house, digit);
            let after: Vec<usize> = before.iter().copied().filter(|cell| !cells.contains(cell)).collect();
            if let ([cell], true) = (&after[..], before.len() > 1) {
                found.add(must, [(*cell, digit)]);
            }
        }
    });
}

/// Parallel lines in which a digit has places only in as many crossing lines. The crossing lines lose it
/// elsewhere.
fn fish(state: &State, found: &mut Expected, size: usize) {
    for (along, across) in [(rows(), columns()), (columns(), rows())] {
        for digit in 0..9 {
            let open = along.iter().filter(|line| !places(state, line, digit).is_empty()).count();
            let few = |&line: &usize| (1..=size).contains(&places(state, &along[line], digit).len());
            for chosen in choices(&(0..9).filter(few).collect::<Vec<_>>(), size) {
                let held: Vec<Vec<usize>> =
                    chosen.iter().map(|&line| places(state, &along[line], digit)).collect();
                let cells = union(&held);
                let crossing: Vec<&House> =
                    across.iter().filter(|line| line.iter().any(|cell| cells.contains(cell))).collect();
                if crossing.len() != size {
                    continue;
                }
                let must = open >= 2 * size && held.iter().all(|places| places.len() > 1);
                for line in crossing {
                    let others = places(state, line, digit).into_iter().filter(|cell| !cells.contains(cell));
                    found.add(must, others.map(|cell| (cell, digit)));
                }
            }
        }
    }
}
