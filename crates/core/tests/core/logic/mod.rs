//! Solving as people do: what the techniques of both profiles find, on the way of many puzzles.
//!
//! Seeded samples run with the other tests; `scripts/check-logic` runs many more, and puzzles of a file.

mod isomorphs;
mod lanes;
mod links;
mod naive;
mod soundness;
mod techniques;
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

/// The rating up to which puzzles are followed: what is above it may take long.
const FOLLOWED: Rating = Rating::tenths(74);

/// Returns a number that the environment may raise.
fn setting(name: &str, usual: usize) -> usize {
    env::var(name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")))
}

/// Returns the proper puzzles of all levels: those of the file GRIDMILL_LOGIC_PUZZLES (the first word of 81 characters
/// of each line) in place of the committed ones, if there is such a setting.
fn puzzles() -> Vec<Puzzle> {
    let Ok(path) = env::var("GRIDMILL_LOGIC_PUZZLES") else {
        return common::proper();
    };
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let puzzle =
        |line: &str| line.split([' ', '\t', ',', ';', ':']).find(|word| word.len() == CELLS)?.parse().ok();
    text.lines().filter_map(puzzle).collect()
}

/// Returns seeded isomorphs of puzzles of all levels, without end.
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

/// Shows so many states to `look`, on the way of seeded puzzles to their solutions, with the solution. Every other
/// puzzle loses some wrong candidates at the start, which leads to states that are rare otherwise.
fn on_the_way(count: usize, seed: u64, profile: Profile, mut look: impl FnMut(&State, &Solution)) {
    let (mut left, mut rng, mut scratch) = (count, common::rng(seed), Scratch::default());
    for (index, puzzle) in sample(seed).enumerate() {
        let solution = solution_of(&puzzle);
        let mut state = State::of_puzzle(&puzzle);
        if index % 2 == 1 {
            thin_out(&mut state, &solution, (1, 8), &mut rng);
        }
        while !state.is_solved() {
            if left == 0 {
                return;
            }
            left -= 1;
            look(&state, &solution);
            match Round::of(&state, profile, FOLLOWED, &mut scratch) {
                Some(round) => round.apply(&mut state),
                None => give_away(&mut state, &solution, &mut rng),
            }
        }
    }
}

/// Removes such a share of the wrong candidates.
fn thin_out(state: &mut State, solution: &Solution, (some, of): (u32, u32), rng: &mut impl Rng) {
    for (cell, digit) in state.all_candidates().iter() {
        if usize::from(solution.cells()[cell]) != digit + 1 && rng.random_ratio(some, of) {
            state.remove(cell, digit);
        }
    }
}

/// Places one digit of the solution, where the techniques end.
fn give_away(state: &mut State, solution: &Solution, rng: &mut impl Rng) {
    let empty: Vec<usize> = state.empty().into_iter().collect();
    let &cell = empty.choose(rng).expect("an empty cell");
    state.place(cell, usize::from(solution.cells()[cell]) - 1);
}

/// Hands every deduction to a function, however dear it is.
struct Every<F>(F);

impl<F: FnMut(&Deduction, &dyn Fn() -> Pattern)> Sink for Every<F> {
    fn limit(&self) -> Rating {
        Rating::BEYOND
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        (self.0)(deduction, pattern);
    }
}

/// Returns every deduction of a finder.
fn deductions(finder: &Finder, state: &State, scratch: &mut Scratch) -> Vec<Deduction> {
    let mut found = Vec::new();
    finder.find(
        state,
        scratch,
        &mut Every(|deduction: &Deduction, _: &dyn Fn() -> Pattern| found.push(deduction.clone())),
    );
    found
}

/// Returns the grid of candidates, to tell a state in a message.
fn shown(state: &State) -> String {
    let cell = |cell: usize| match state.value(cell) {
        Some(digit) => format!("={}", digit.get()),
        None => (0..9).filter(|&digit| state.has(cell, digit)).map(|digit| (digit + 1).to_string()).collect(),
    };
    let row = |row: usize| (0..9).map(|column| cell(9 * row + column)).collect::<Vec<_>>().join(" ");
    (0..9).map(row).collect::<Vec<_>>().join("\n")
}
