//! Adding single clues to the same puzzle, each without the others, and searching each result for up to two solutions.

use std::ops::ControlFlow;

use super::board::{self, Board, CELL, NONE, PLACE};
use super::{Bitmask, Propagated, SearchState, Spot, choose, digits_at, first};
use crate::grid::{Cell, Digit, Grid, Shape};
use crate::solver::{Bounds, Clues, SolutionEngine, Solvable};

/// Searches puzzles that have one clue more than a base. It propagates the base only once, and each candidate that
/// it proves impossible makes the following searches faster. For a base of 16 clues, a clue with no solution takes
/// 0.25 µs, an eighth of what the lockstep engine takes for the whole puzzle. A clue with two solutions takes 1 to
/// 2 µs, half of what lockstep takes.
#[derive(Debug)]
pub(crate) struct ClueProbe {
    engine: Bitmask,
    base: ProbedBase,
    experience: Experience,
}

/// The base of a [`ClueProbe`].
#[derive(Debug)]
enum ProbedBase {
    /// There is none, or it has no solution.
    Dead,
    /// The candidates of a classic puzzle.
    Classic(Box<SearchState>),
    Other(Box<Grid>),
}

impl ClueProbe {
    pub(crate) fn new() -> ClueProbe {
        ClueProbe { engine: Bitmask::new(), base: ProbedBase::Dead, experience: Experience::NONE }
    }

    /// Takes a puzzle as the base. `seen` has cells with their digits in solutions of the puzzle that are already known.
    pub(crate) fn set_base(
        &mut self,
        Clues { shape, cells }: Clues<'_>,
        seen: impl Iterator<Item = (Cell, Digit)>,
    ) {
        self.experience = Experience::NONE;
        if shape == Shape::CLASSIC {
            seen.for_each(|(cell, digit)| {
                let (digit, cells) = (usize::from(digit.get()) - 1, CELL[usize::from(PLACE[cell.index()])]);
                self.experience.add(digit, cells);
            });
        }
        self.base = match cells.try_into() {
            Ok(cells) if shape == Shape::CLASSIC => match SearchState::from_cells(cells) {
                Some(mut state) => {
                    state.propagate();
                    ProbedBase::Classic(Box::new(state))
                }
                None => ProbedBase::Dead,
            },
            _ => Grid::from_cells(shape, cells)
                .map_or(ProbedBase::Dead, |grid| ProbedBase::Other(Box::new(grid))),
        };
    }

    /// Puts a clue into the base, passes up to two solutions of that to `see`, and takes the clue out again.
    /// Returns how many solutions there are, up to two.
    pub(crate) fn probe(&mut self, cell: Cell, digit: Digit, see: &mut dyn FnMut(&[u8])) -> u64 {
        match &mut self.base {
            ProbedBase::Dead => 0,
            ProbedBase::Other(base) => {
                let mut found = |solution: &[u8]| {
                    see(solution);
                    ControlFlow::Continue(())
                };
                self.engine.search(&base.narrowed(cell, digit), &Bounds::solutions(2), &mut found).solutions
            }
            ProbedBase::Classic(base) => {
                let (place, digit) = (usize::from(PLACE[cell.index()]), usize::from(digit.get()) - 1);
                if board::is_empty(base.boards[digit] & CELL[place]) {
                    return 0;
                }
                let experience = &mut self.experience;
                let search = if experience.is_wide() { search::<true> } else { search::<false> };
                let solutions = search(&mut self.engine, base.settled(digit, place), experience, see);
                if solutions == 0 {
                    base.lose(digit, place);
                    base.propagate();
                }
                solutions
            }
        }
    }
}

/// Searches a state for two solutions. Guesses prefer digits that few known solutions have, because solutions that
/// differ much say more about the other candidates. With this preference, neighbors of 17-clue puzzles take 0.64 of the
/// instructions that they take without, neighbors of the hardest 0.95. Other changes were not worth it. The figures are
/// the time of neighbors of 17-clue puzzles, and after "and" that of the hardest, relative to the code of the day:
///
/// - all bases wide: 1.0 and 1.18; none: 1.19 and 0.99;
/// - scored guesses after the first contradiction, not after twelve: 1.14 and 1.04;
/// - leaving the first guess, not the last one, for the second solution: 1.76 and 1.16;
/// - two or three guesses before the next propagation: 1.0 to 1.1;
/// - solutions made without a search, by swapping two digits in some rows of a known one: 0.93, for 150 lines;
/// - one to eight more solutions, by trying another unseen digit at the last guesses: 1.0;
/// - keeping the digits of a known solution in most cells, and searching the others first: 1.01;
/// - only clues that break a symmetry, e.g. in one of two empty rows of a band, which 8 % of the bases have: 0.98;
/// - probing digit by digit, or the cells with most unseen digits first: 0.96 to 0.97 times as many probes with
///   solutions, before the time of the choice.
fn search<const WIDE: bool>(
    engine: &mut Bitmask,
    state: SearchState,
    experience: &mut Experience,
    see: &mut dyn FnMut(&[u8]),
) -> u64 {
    engine.states[0] = state;
    experience.searches += 1;
    let (mut depth, mut contradictions, mut solutions) = (0, 0, 0);
    loop {
        let [state, next, ..] = &mut engine.states[depth..] else {
            unreachable!("a guess settles a cell, so there are fewer of them than cells");
        };
        match state.propagate() {
            Propagated::Stuck => {
                let (spot, taken) = experience.guess::<WIDE>(state, contradictions);
                state.split(next, spot, taken);
                depth += 1;
                continue;
            }
            Propagated::Solved => {
                solutions += 1;
                (0..).zip(state.boards).for_each(|(digit, cells)| experience.add(digit, cells));
                see(&state.digits());
                if solutions == 2 {
                    return solutions;
                }
            }
            Propagated::Dead => {
                contradictions += 1;
                experience.contradictions += 1;
            }
        }
        if depth == 0 {
            return solutions;
        }
        depth -= 1;
    }
}

/// A search that has met this many contradictions chooses cells by their score, because there is something to refute.
const SCORED: u32 = 12;

/// In a wide base, a search that has met this many contradictions no longer prefers unseen digits in cells with more
/// than two candidates.
const NARROW: u32 = 4;

/// The known solutions of a base, and how many contradictions its searches have met.
#[derive(Debug)]
struct Experience {
    /// For each digit, from 0, the cells that hold it in some known solution.
    in_any: [Board; 9],
    /// Those that hold it in several known solutions.
    in_several: [Board; 9],
    searches: u32,
    contradictions: u32,
}

impl Experience {
    const NONE: Experience =
        Experience { in_any: [NONE; 9], in_several: [NONE; 9], searches: 0, contradictions: 0 };

    /// Checks whether the searches met few contradictions, at most two each. Then the base has so many solutions that a
    /// guess may well take an unseen candidate of a cell with many.
    fn is_wide(&self) -> bool {
        self.contradictions <= 2 * self.searches
    }

    /// Adds the cells that hold a digit in one solution.
    fn add(&mut self, digit: usize, cells: Board) {
        self.in_several[digit] |= self.in_any[digit] & cells;
        self.in_any[digit] |= cells;
    }

    /// Chooses a cell and the digit to try there first. Preferred are, in this order: a digit that no known solution
    /// has there, in a cell with two candidates; in a `WIDE` base, before `NARROW` contradictions, the same in any
    /// cell; in a `WIDE` base, a digit that only one known solution has there, in a cell with two candidates.
    fn guess<const WIDE: bool>(&self, state: &SearchState, contradictions: u32) -> (Spot, usize) {
        let (mut one, mut two, mut three, mut unseen, mut seldom) = (NONE, NONE, NONE, NONE, NONE);
        for (digit, &cells) in state.boards.iter().enumerate() {
            three |= two & cells;
            two |= one & cells;
            one |= cells;
            unseen |= cells & !self.in_any[digit];
            if WIDE {
                seldom |= cells & !self.in_several[digit];
            }
        }
        let pairs = state.open & two & !three;
        let in_any_cell = if WIDE && contradictions < NARROW { state.open & unseen } else { NONE };
        let preferred = [pairs & unseen, in_any_cell, pairs & seldom];
        let spot = match preferred.into_iter().find(|&cells| !board::is_empty(cells)) {
            Some(cells) => first(state, cells),
            None => choose(state, contradictions >= SCORED),
        };
        let lacking = |boards: &[Board; 9]| spot.digits & !digits_at(boards, spot.place);
        let unseen = lacking(&self.in_any);
        let preferred = if WIDE && unseen == 0 { lacking(&self.in_several) } else { unseen };
        let digits = if preferred == 0 { spot.digits } else { preferred };
        (spot, digits.trailing_zeros() as usize % 9)
    }
}

impl SearchState {
    /// The state with that digit in that cell.
    fn settled(&self, digit: usize, place: usize) -> SearchState {
        let mut next = *self;
        for other in (0..9).filter(|&other| other != digit) {
            if !board::is_empty(next.boards[other] & CELL[place]) {
                next.lose(other, place);
            }
        }
        next.take(digit, place);
        next
    }
}
