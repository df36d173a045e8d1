//! Candidates of the puzzles of a hunt, and which solutions have them.

use crate::grid::{BitSet, Cell, Digit, House, Shape};

/// A clue, as its cell times the side of the grid plus its digit less 1, e.g. 10 for a 2 in r1c2 of 9x9.
pub(super) type Clue = u16;

/// A set of candidates of a grid with at most 9 digits.
pub(super) type Candidates = BitSet<12>;

/// The clue that puts a digit into a cell.
#[inline]
pub(super) fn clue_of(cell: usize, digit: u8, side: usize) -> Clue {
    (cell * side + usize::from(digit) - 1) as Clue
}

/// The candidates of a solution.
pub(super) fn of_solution(solution: &[u8], side: usize) -> Candidates {
    match side {
        4 => of_cells::<4>(solution),
        6 => of_cells::<6>(solution),
        8 => of_cells::<8>(solution),
        _ => of_cells::<9>(solution),
    }
}

/// The candidates of a solution whose side is known to the compiler. As many cells as fit into a word are collected before the set
/// is changed, so that the compiler unrolls the loop: it takes 0.6 times as many instructions as cell by cell.
fn of_cells<const SIDE: usize>(solution: &[u8]) -> Candidates {
    let bits_of = |cells: &[u8]| {
        let bit_of = |(place, &digit): (usize, &u8)| 1 << (place * SIDE + usize::from(digit) - 1);
        cells.iter().enumerate().map(bit_of).fold(0, |bits, bit: u64| bits | bit)
    };
    let runs = solution.chunks_exact(64 / SIDE);
    let rest = runs.remainder();
    let mut candidates = Candidates::EMPTY;
    let rest_begins = (solution.len() - rest.len()) * SIDE;
    runs.enumerate()
        .for_each(|(run, cells)| candidates.insert_bits(run * (64 / SIDE) * SIDE, bits_of(cells)));
    candidates.insert_bits(rest_begins, bits_of(rest));
    candidates
}

/// All candidates of a cell.
pub(super) fn of_cell(cell: usize, side: usize) -> Candidates {
    (cell * side..(cell + 1) * side).fold(Candidates::EMPTY, Candidates::with)
}

/// Puts a clue into cells.
pub(super) fn put(cells: &mut [u8], clue: Clue, side: usize) {
    cells[usize::from(clue) / side] = (usize::from(clue) % side + 1) as u8;
}

/// The cell and the digit of a clue.
pub(super) fn cell_and_digit(clue: Clue, side: usize) -> (Cell, Digit) {
    let (cell, digit) = (usize::from(clue) / side, usize::from(clue) % side + 1);
    (Cell::new(cell), Digit::new(digit as u8).expect("digits begin with 1"))
}

/// For each candidate, those that a clue there excludes.
pub(super) fn excluded(shape: Shape) -> Vec<Candidates> {
    let side = shape.side();
    let mut excluded = vec![Candidates::EMPTY; shape.cells() * side];
    for house in House::all(shape) {
        for cell in house.cells(shape) {
            for digit in 0..side {
                let excluded = &mut excluded[cell.index() * side + digit];
                let in_house = house.cells(shape).map(|other| other.index() * side + digit);
                *excluded = in_house.fold(excluded.or(of_cell(cell.index(), side)), Candidates::with);
            }
        }
    }
    excluded
}

/// The candidates of the solutions of a base that are known so far.
pub(super) struct SeenCandidates {
    /// Those that at least one solution has.
    pub(super) in_any: Candidates,
    /// Those that several solutions have.
    pub(super) in_several: Candidates,
    pub(super) solutions: Vec<Candidates>,
}

impl SeenCandidates {
    /// No solution is known.
    pub(super) const NONE: SeenCandidates =
        SeenCandidates { in_any: Candidates::EMPTY, in_several: Candidates::EMPTY, solutions: Vec::new() };

    /// Adds a solution that is not known.
    pub(super) fn add(&mut self, solution: Candidates) {
        self.in_several = self.in_several.or(self.in_any.and(solution));
        self.in_any = self.in_any.or(solution);
        self.solutions.push(solution);
    }

    /// The candidates of the solutions that lack a clue.
    pub(super) fn without(&self, clue: Clue) -> Candidates {
        let lacking = self.solutions.iter().filter(|solution| !solution.has(clue.into()));
        lacking.fold(Candidates::EMPTY, |candidates, &solution| candidates.or(solution))
    }
}

/// For each of some candidates, the set of the solutions that have it.
pub(super) struct SolutionSets {
    candidates: Vec<Clue>,
    side: usize,
    /// The words of a set.
    words: usize,
    /// The sets, one after the other.
    sets: Vec<u64>,
    solutions: usize,
}

impl SolutionSets {
    pub(super) fn new(candidates: Candidates, solutions: &[&[u8]], side: usize) -> SolutionSets {
        let candidates: Vec<Clue> = candidates.iter().map(|clue| clue as Clue).collect();
        let words = solutions.len().div_ceil(64);
        let mut places = vec![usize::MAX; side * side * side];
        candidates.iter().enumerate().for_each(|(place, &clue)| places[usize::from(clue)] = place);
        let mut sets = vec![0; candidates.len() * words];
        for (number, solution) in solutions.iter().enumerate() {
            for (cell, &digit) in solution.iter().enumerate() {
                let place = places[usize::from(clue_of(cell, digit, side))];
                if place != usize::MAX {
                    sets[place * words + number / 64] |= 1 << (number % 64);
                }
            }
        }
        SolutionSets { candidates, side, words, sets, solutions: solutions.len() }
    }

    /// The set of all solutions.
    pub(super) fn all(&self) -> Vec<u64> {
        let bits = |word: usize| match self.solutions - 64 * word {
            left @ 0..64 => (1 << left) - 1,
            _ => u64::MAX,
        };
        (0..self.words).map(bits).collect()
    }

    fn set(&self, place: usize) -> &[u64] {
        &self.sets[place * self.words..][..self.words]
    }

    /// Chooses `left` more candidates, from place `from` on, in every way for which exactly one solution in `among`
    /// has them all. Passes the choice and the number of that solution to `take`. If `is_minimal`, several solutions must
    /// have all candidates but the last.
    pub(super) fn choose(
        &self,
        among: &[u64],
        from: usize,
        left: usize,
        is_minimal: bool,
        chosen: &mut Vec<Clue>,
        take: &mut dyn FnMut(&[Clue], usize),
    ) {
        for (place, &clue) in self.candidates.iter().enumerate().skip(from) {
            let set = self.set(place);
            chosen.push(clue);
            if left == 1 {
                only(among, set).into_iter().for_each(|solution| take(chosen, solution));
            } else {
                let both: Vec<u64> = among.iter().zip(set).map(|(one, other)| one & other).collect();
                let count: u32 = both.iter().map(|word| word.count_ones()).sum();
                if count > u32::from(is_minimal) {
                    self.choose(&both, self.next_cell(place), left - 1, is_minimal, chosen, take);
                }
            }
            chosen.pop();
        }
    }

    /// The place of the first candidate in a later cell than that of a candidate.
    fn next_cell(&self, place: usize) -> usize {
        let cell = |clue: Clue| usize::from(clue) / self.side;
        let is_same = |&&clue: &&Clue| cell(clue) == cell(self.candidates[place]);
        place + self.candidates[place..].iter().take_while(is_same).count()
    }
}

/// The number of the only solution in both sets. `None` if there is none, or several.
#[inline]
fn only(one: &[u64], other: &[u64]) -> Option<usize> {
    let mut found = None;
    for (word, (one, other)) in one.iter().zip(other).enumerate() {
        let both = one & other;
        if both == 0 {
            continue;
        }
        if found.is_some() || both & (both - 1) != 0 {
            return None;
        }
        found = Some(64 * word + both.trailing_zeros() as usize);
    }
    found
}
