//! Tests of the techniques of all profiles, on states that occur while many puzzles are solved.
//!
//! The other tests run on small seeded samples. `scripts/check-logic` runs them on many more states, or on
//! the puzzles of a file.

mod lanes;
mod links;
mod naive;
mod soundness;
mod ties;

use std::env;
use std::fs;

use crate::common;
use gridmill_core::grid::{CELLS, Isomorphism, Puzzle, Shape, Solution};
use gridmill_core::logic::{Deduction, Finder, Pattern, Profile, Rating, Round, Scratch, Sink, State};
use gridmill_core::solver::{Bitmask, SolutionLimit, Solver};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

const PROFILES: [Profile; 3] = [Profile::Se, Profile::Sukaku, Profile::Sukaku2020];

/// The highest rating of rounds in these tests, because harder techniques take long.
const FOLLOWED: Rating = Rating::tenths(74);

/// A number that you can set in the environment.
fn setting(name: &str, usual: usize) -> usize {
    env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// The proper puzzles of all levels. If GRIDMILL_LOGIC_PUZZLES names a file, its puzzles are used instead of
/// the committed ones (the first word of 81 characters in each line).
fn puzzles() -> Vec<Puzzle> {
    let Ok(path) = env::var("GRIDMILL_LOGIC_PUZZLES") else {
        return common::proper();
    };
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let puzzle =
        |line: &str| line.split([' ', '\t', ',', ';', ':']).find(|word| word.len() == CELLS)?.parse().ok();
    text.lines().filter_map(puzzle).collect()
}

/// An endless sequence of seeded isomorphs of puzzles of all levels.
fn sample(seed: u64) -> impl Iterator<Item = Puzzle> {
    let (puzzles, mut rng) = (puzzles(), common::rng(seed));
    std::iter::repeat_with(move || {
        let puzzle = puzzles.choose(&mut rng).expect("some puzzles");
        Isomorphism::random(Shape::CLASSIC, &mut rng).apply_classic(puzzle)
    })
}

fn solution_of(puzzle: &Puzzle) -> Solution {
    let outcome = Bitmask::new().solve(puzzle, SolutionLimit::UNIQUENESS);
    assert_eq!(outcome.solutions, 1, "{puzzle}");
    outcome.solution.unwrap()
}

/// Calls `look` with `count` states that lead from seeded puzzles to their solutions. DeductionFn other puzzle
/// loses some wrong candidates at the start, because this leads to states that are rare otherwise.
fn for_each_state(count: usize, seed: u64, profile: Profile, mut look: impl FnMut(&State, &Solution)) {
    let (mut left, mut rng, mut scratch) = (count, common::rng(seed), Scratch::default());
    for (index, puzzle) in sample(seed).enumerate() {
        let solution = solution_of(&puzzle);
        let mut state = State::from_puzzle(&puzzle);
        if index % 2 == 1 {
            thin_out(&mut state, &solution, (1, 8), &mut rng);
        }
        while !state.is_solved() {
            if left == 0 {
                return;
            }
            left -= 1;
            look(&state, &solution);
            match Round::find(&state, profile, FOLLOWED, &mut scratch) {
                Some(round) => round.apply(&mut state),
                None => place_one(&mut state, &solution, &mut rng),
            }
        }
    }
}

/// Removes a share of the wrong candidates, e.g. one in eight.
fn thin_out(state: &mut State, solution: &Solution, (some, of): (u32, u32), rng: &mut impl Rng) {
    for (cell, digit) in state.all_candidates().iter() {
        if usize::from(solution.cells()[cell]) != digit + 1 && rng.random_ratio(some, of) {
            state.remove(cell, digit);
        }
    }
}

/// Places one digit of the solution, so that a puzzle continues where the techniques find nothing.
fn place_one(state: &mut State, solution: &Solution, rng: &mut impl Rng) {
    let empty: Vec<usize> = state.empty().into_iter().collect();
    let &cell = empty.choose(rng).expect("an empty cell");
    state.place(cell, usize::from(solution.cells()[cell]) - 1);
}

/// A sink that passes every deduction to a function, whatever its rating.
struct DeductionFn<F>(F);

impl<F: FnMut(&Deduction, &dyn Fn() -> Pattern)> Sink for DeductionFn<F> {
    fn limit(&self) -> Rating {
        Rating::BEYOND
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        (self.0)(deduction, pattern);
    }
}

/// All deductions of a finder.
fn deductions(finder: &Finder, state: &State, scratch: &mut Scratch) -> Vec<Deduction> {
    let mut found = Vec::new();
    finder.find(
        state,
        scratch,
        &mut DeductionFn(|deduction: &Deduction, _: &dyn Fn() -> Pattern| found.push(deduction.clone())),
    );
    found
}

/// The grid of candidates as text, for messages of failed tests.
fn shown(state: &State) -> String {
    let cell = |cell: usize| match state.value(cell) {
        Some(digit) => format!("={}", digit.get()),
        None => (0..9).filter(|&digit| state.has(cell, digit)).map(|digit| (digit + 1).to_string()).collect(),
    };
    let row = |row: usize| (0..9).map(|column| cell(9 * row + column)).collect::<Vec<_>>().join(" ");
    (0..9).map(row).collect::<Vec<_>>().join("\n")
}
