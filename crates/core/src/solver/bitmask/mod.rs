//! Boards of bits, one for each digit, and the most constrained cell first: the scalar engine for classic
//! puzzles. [`AnyBitmask`] is the engine for the other shapes.
//!
//! # Layout
//!
//! Every digit has a board of 81 bits, the cells that may still hold it, as three bands of 27:
//! ```text
//!             box 1     box 2     box 3
//! row 1   |  0  1  2 |  3  4  5 |  6  7  8 |
//! row 2   | 10 11 12 | 13 14 15 | 16 17 18 |    a band: one u32, bit 10 * row + column
//! row 3   | 20 21 22 | 23 24 25 | 26 27 28 |    three cells in a row of a box: a minirow
//! ```
//!
//! The three words of a digit are one vector of the `wide` crate, so that an operation on all cells is one
//! instruction for each digit (board.rs). Rows, columns and boxes are fields of the words, so that one table
//! look-up filters a whole band.
//!
//! # The search
//!
//! ```text
//! propagate until nothing changes:
//!     for each digit whose board has changed:
//!         locked candidates in the three bands and the three stacks      (board.rs)
//!         hidden singles: a cell alone in its row loses the other digits
//!     naked singles: a cell with one candidate takes it from its peers
//! solved: count it            dead: go back to the last state with another half
//! stuck:  choose a cell with two candidates, leave one half, go on with the other
//! ```
//!
//! The choice of the cell decides the size of the search tree. Until the search of a puzzle meets a
//! contradiction, the engine takes the first cell with two candidates, because in a puzzle with many
//! solutions one choice is as good as another. After a contradiction there is something to refute, so it
//! takes the cell with two candidates whose digits have the highest score: the number of peers that have the lower
//! digit as a candidate, plus the number that have the higher one, where peers with two candidates count twice in each.
//! If there is no cell with two candidates, it takes the first one of fewest candidates.
//!
//! The states of the search are an array inside the engine. The search can't be deeper than there are cells,
//! because a guess settles a cell. So nothing is allocated after the engine is made. A state is 176 bytes. A
//! guess copies it once, and propagation works in place.
//!
//! # What was tried
//!
//! Puzzles a second, one thread, at the x86-64 baseline, relative to this code:
//!
//! | change | easy | 17-clue | hardest 11+ | several solutions |
//! |---|---:|---:|---:|---:|
//! | words of 27 bits, three for a digit, and not a vector | 0.67 | 0.75 | 0.68 | 0.56 |
//! | score the cells of every guess, not only after a contradiction | 1.0 | 1.03 | 1.0 | 0.9 |
//! | before a contradiction, score the first three of the cells | 1.0 | 1.01 | 1.0 | 0.96 |
//! | before a contradiction, score the first six of them | 1.0 | 1.04 | 1.0 | 0.93 |
//! | compile for AVX2, BMI and POPCNT | 1.0 | 1.01 | 1.03 | 1.02 |
//! | find the minirows by shifts, not by a look-up for each row | 0.97 | 0.97 | 0.97 | 0.98 |
//! | apply a digit's locks once along the bands and once along the stacks, and again in the next round if its board changed | 0.85 | 0.79 | 0.82 | |
//! | finish all changed digits before looking for naked singles | 1.05 | 1.0 | 0.95 | 1.03 |
//! | after the stacks, end if the bands find nothing, before looking at the stacks again | 1.0 | 0.98 | 0.98 | 1.0 |
//!
//! When the boards were words, scoring the cells digit by digit instead of cell by cell was 0.95x on the
//! hardest, because the loops are too short to predict. The time is spent on mispredicted branches and on
//! chains of look-ups that depend on each other; fewer instructions alone changed nothing.

mod any;
mod board;
mod clue_probe;

use std::ops::ControlFlow;

use super::search::{Explorer, Flow, OneByOneEngine, SearchAccount};
use super::{Clues, EngineKind};
use crate::grid::{CELLS, Pencilmarks, Shape};
pub use any::AnyBitmask;
use board::{Board, CELL, FULL, NONE, PEERS_OF, PLACE, PLACES};
pub(crate) use clue_probe::ClueProbe;

/// The scalar engine for puzzles of every shape, and for grids of candidates. It uses [`AnyBitmask`] for
/// shapes other than the classic one. A guess splits a cell into one digit and the others; the second branch
/// is not counted again.
///
/// ```
/// use gridmill_core::grid::{Digit, Pencilmarks, Puzzle};
/// use gridmill_core::solver::{Bitmask, Bounds, SolutionEngine};
///
/// let mut engine = Bitmask::new();
/// let mut count = |marks: &Pencilmarks| engine.count(marks, &Bounds::solutions(2)).solutions;
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse().unwrap();
/// let marks = Pencilmarks::from(&puzzle);
/// assert_eq!(count(&marks), 1);
///
/// // The solution has a 4 in the third cell.
/// let mut candidates = *marks.candidates();
/// candidates[2] = candidates[2].without(Digit::new(4).unwrap());
/// assert_eq!(count(&Pencilmarks::new(candidates)), 0);
/// ```
#[derive(Debug)]
pub struct Bitmask {
    /// The states of the search. The last one is current; each one before it keeps the other half of a guess.
    states: Box<[SearchState; CELLS + 1]>,
    /// The engine for other shapes. It is made when the first such puzzle comes.
    any: Option<Box<AnyBitmask>>,
}

impl Bitmask {
    /// Makes an engine with its stack of states.
    #[must_use]
    pub fn new() -> Bitmask {
        Bitmask { states: Box::new([SearchState::OPEN; CELLS + 1]), any: None }
    }

    /// Searches for the solutions that a state leaves. `None` means that clues contradict each other, so
    /// there are none.
    fn run(&mut self, state: Option<SearchState>, account: &mut SearchAccount<'_>) -> Flow {
        let Some(state) = state else { return ControlFlow::Continue(()) };
        self.states[0] = state;
        let (mut depth, mut contradicted) = (0, false);
        loop {
            match self.states[depth].propagate() {
                Propagated::Stuck => {
                    account.guess()?;
                    self.guess(depth, contradicted);
                    depth += 1;
                    continue;
                }
                Propagated::Solved => account.solution(&self.states[depth].digits())?,
                Propagated::Dead => contradicted = true,
            }
            if depth == 0 {
                return ControlFlow::Continue(());
            }
            depth -= 1;
        }
    }

    /// Splits the state at that depth: the next one gets one half of it.
    #[inline(always)]
    fn guess(&mut self, depth: usize, contradicted: bool) {
        let [state, next, ..] = &mut self.states[depth..] else {
            unreachable!("a guess settles a cell, so there are fewer of them than cells");
        };
        let spot = choose(state, contradicted);
        state.split(next, spot, spot.digits.trailing_zeros() as usize % 9);
    }
}

impl Default for Bitmask {
    fn default() -> Bitmask {
        Bitmask::new()
    }
}

impl OneByOneEngine for Bitmask {
    const KIND: EngineKind = EngineKind::Bitmask;

    fn heap(&self) -> usize {
        size_of_val(&*self.states) + self.any.as_ref().map_or(0, |any| size_of_val(&**any) + any.heap())
    }

    fn explore_clues(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> Flow {
        match clues.cells.try_into() {
            Ok(cells) if clues.shape == Shape::CLASSIC => self.run(SearchState::from_cells(cells), account),
            _ => self.any.get_or_insert_default().explore_clues(clues, account),
        }
    }
}

impl Explorer<Pencilmarks> for Bitmask {
    fn explore(&mut self, marks: &Pencilmarks, account: &mut SearchAccount<'_>) -> Flow {
        self.run(Some(SearchState::from_marks(marks)), account)
    }
}

/// A state of the search: the candidates of a puzzle.
#[derive(Clone, Copy, Debug)]
struct SearchState {
    /// For each digit, from 0, the cells that may hold it.
    boards: [Board; 9],
    /// Cells that are not settled. A settled cell has one candidate, which its peers have lost.
    open: Board,
    /// Four bits for each digit. Its board has changed since it was last examined if any of them is set.
    changed: u64,
}

/// The result of propagation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Propagated {
    /// Every cell is settled, and no rule is broken.
    Solved,
    /// There are open cells, and the rules settle none of them.
    Stuck,
    /// There is no solution.
    Dead,
}

/// The cell of a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    /// Its place on a [`Board`].
    place: usize,
    /// Its candidates, a bit for each.
    digits: u32,
}

impl SearchState {
    /// The state in which every digit is possible everywhere.
    const OPEN: SearchState = SearchState { boards: [FULL; 9], open: FULL, changed: ALL_CHANGED };

    /// The state that the clues leave. `None` if two of them contradict each other.
    fn from_cells(cells: &[u8; CELLS]) -> Option<SearchState> {
        // The arrays are by digit, with 0 for a blank. Their length is a power of two, so that indices need
        // no check.
        let (mut boards, mut clues) = ([FULL; 16], [NONE; 16]);
        for_each_clue(cells, |place, digit| {
            boards[digit % 16] &= !PEERS_OF[place];
            clues[digit % 16] |= CELL[place];
        });
        let (mut given, mut broken) = (NONE, NONE);
        for digit in 1..=9 {
            given |= clues[digit];
            broken |= clues[digit] & !boards[digit];
        }
        let open = FULL & !given;
        let boards = std::array::from_fn(|digit| boards[digit + 1] & (open | clues[digit + 1]));
        board::is_empty(broken).then_some(SearchState { boards, open, changed: ALL_CHANGED })
    }

    /// The state with given candidates. Cells with one candidate are still open, because they are found as
    /// naked singles.
    fn from_marks(marks: &Pencilmarks) -> SearchState {
        let mut boards = [NONE; 9];
        for (&place, digits) in PLACE.iter().zip(marks.candidates()) {
            for (digit, board) in boards.iter_mut().enumerate() {
                if digits.mask() >> digit & 1 == 1 {
                    *board |= CELL[usize::from(place)];
                }
            }
        }
        let mut state = SearchState { boards, ..SearchState::OPEN };
        // All clues are settled together here, so that propagation need not settle them digit by digit. The
        // result is ignored, because the search finds again whether the state is dead.
        let _ = state.settle_naked_singles();
        state
    }

    /// Applies locked candidates, hidden singles and naked singles until there is a result.
    fn propagate(&mut self) -> Propagated {
        loop {
            let mut digits = self.changed;
            while digits != 0 {
                let digit = digits.trailing_zeros() as usize / 4;
                let this = nibble(digit);
                digits &= !this;
                self.changed &= !this;
                let [top, middle, bottom, _] = *self.boards[digit].as_array();
                let [top, middle, bottom] = board::apply_locks([top, middle, bottom]);
                let board = Board::new([top, middle, bottom, 0]);
                if board::is_empty(board) {
                    return Propagated::Dead;
                }
                self.boards[digit] = board;
                let singles = board::alone_in_row(board) & self.open;
                if !board::is_empty(singles) {
                    self.settle_hidden_singles(digit, board, singles);
                }
            }
            if self.changed == 0 && board::is_empty(self.open) {
                return Propagated::Solved;
            }
            match self.settle_naked_singles() {
                None => return Propagated::Dead,
                Some(false) if self.changed == 0 => return Propagated::Stuck,
                Some(_) => {}
            }
        }
    }

    /// Settles a digit in open cells where it is alone in its row. Rows are enough: the locked candidates of
    /// the digit have been applied, so a cell that is alone in its column or box is alone in its row too.
    #[inline(always)]
    fn settle_hidden_singles(&mut self, digit: usize, board: Board, singles: Board) {
        self.open &= !singles;
        let mut lost = 0;
        for other in 0..9 {
            let board = self.boards[other];
            lost |= u64::from(board::bands_with(board & singles)) << (4 * other);
            self.boards[other] = board & !singles;
        }
        self.boards[digit] = board;
        self.changed |= lost & !nibble(digit);
    }

    /// Settles the cells with one candidate. `None` if a cell has none; otherwise whether there were any.
    #[inline(always)]
    fn settle_naked_singles(&mut self) -> Option<bool> {
        let (mut once, mut twice) = (NONE, NONE);
        for &board in &self.boards {
            twice |= once & board;
            once |= board;
        }
        if once != FULL {
            return None;
        }
        let singles = self.open & !twice;
        if board::is_empty(singles) {
            return Some(false);
        }
        self.open &= twice;
        self.clear_peers(singles);
        Some(true)
    }

    /// Removes the only candidate of each of those cells from its peers.
    #[inline(always)]
    fn clear_peers(&mut self, singles: Board) {
        let mut placed = 0;
        for digit in 0..9 {
            placed |= u64::from(board::bands_with(self.boards[digit] & singles)) << (4 * digit);
        }
        self.changed |= placed;
        while placed != 0 {
            let at = placed.trailing_zeros() as usize;
            placed &= placed - 1;
            let (digit, band) = (at / 4 % 9, at % 4);
            let mut board = self.boards[digit];
            let mut left = board.as_array()[band] & singles.as_array()[band];
            while left != 0 {
                let place = 32 * band + left.trailing_zeros() as usize;
                left &= left - 1;
                board &= !PEERS_OF[place % PLACES];
            }
            self.boards[digit] = board;
        }
    }

    /// Guesses a candidate of a cell. `next` becomes the state with that digit, and this state keeps the other
    /// candidates. If there is only one other, it is settled too.
    #[inline(always)]
    fn split(&mut self, next: &mut SearchState, Spot { place, digits }: Spot, taken: usize) {
        let others = digits & !(1 << taken);
        *next = *self;
        next.take(taken, place);
        let mut left = others;
        while left != 0 {
            next.lose(left.trailing_zeros() as usize % 9, place);
            left &= left - 1;
        }
        self.lose(taken, place);
        if others.is_power_of_two() {
            self.take(others.trailing_zeros() as usize % 9, place);
        }
    }

    /// Settles a cell, and removes its digit from its peers.
    #[inline(always)]
    fn take(&mut self, digit: usize, place: usize) {
        self.open &= !CELL[place % PLACES];
        self.boards[digit] &= !PEERS_OF[place % PLACES];
        self.changed |= nibble(digit);
    }

    /// Removes a candidate.
    #[inline(always)]
    fn lose(&mut self, digit: usize, place: usize) {
        self.boards[digit] &= !CELL[place % PLACES];
        self.changed |= nibble(digit);
    }

    /// The digits of a solved state.
    fn digits(&self) -> [u8; CELLS] {
        let mut planes = [NONE; 4];
        for (digit, &board) in (1..).zip(&self.boards) {
            for (bit, plane) in planes.iter_mut().enumerate() {
                if digit >> bit & 1 == 1 {
                    *plane |= board;
                }
            }
        }
        let planes = planes.map(Board::to_array);
        let mut cells = [0; CELLS];
        for (row, cells) in cells.as_chunks_mut::<9>().0.iter_mut().enumerate() {
            let (mut first, mut last) = (0, 0);
            for (bit, plane) in planes.iter().enumerate() {
                let columns = plane[row / 3] >> (row % 3 * 10);
                first |= bytes_of(columns) << bit;
                last |= (columns >> 8 & 1) << bit;
            }
            cells[..8].copy_from_slice(&first.to_le_bytes());
            cells[8] = last as u8;
        }
        cells
    }
}

/// Calls `take` with the place and the digit of each clue.
#[inline(always)]
fn for_each_clue(cells: &[u8; CELLS], mut take: impl FnMut(usize, usize)) {
    // The clues of 27 cells are collected before the first one is used, because a branch for each cell would
    // often be mispredicted.
    for (band, cells) in cells.as_chunks::<27>().0.iter().enumerate() {
        let mut clues = 0;
        for (cell, &digit) in cells.iter().enumerate() {
            clues |= u32::from(digit != 0) << cell;
        }
        while clues != 0 {
            let cell = clues.trailing_zeros() as usize % 27;
            clues &= clues - 1;
            take(usize::from(PLACE[27 * band + cell]) % PLACES, cells[cell].into());
        }
    }
}

const ALL_CHANGED: u64 = 0xf_ffff_ffff;

/// The four bits of a digit in [`SearchState::changed`].
#[inline(always)]
fn nibble(digit: usize) -> u64 {
    0xf << (4 * digit)
}

/// Spreads the lowest eight bits to a byte each, lowest first. For example, 0b101 becomes 0x010001.
#[inline(always)]
fn bytes_of(bits: u32) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let own = (u64::from(bits & 0xff) * EACH) & 0x8040_2010_0804_0201;
    (own + 0x7f * EACH) >> 7 & EACH
}

/// Chooses the cell to guess in. Of several cells with two candidates, it is the first one, or the one of the
/// highest score if `scored`.
#[inline(always)]
fn choose(state: &SearchState, scored: bool) -> Spot {
    let (mut one, mut two, mut three, mut four) = (NONE, NONE, NONE, NONE);
    for &cells in &state.boards {
        four |= three & cells;
        three |= two & cells;
        two |= one & cells;
        one |= cells;
    }
    let pairs = state.open & two & !three;
    let threes = state.open & three & !four;
    match () {
        () if !board::is_empty(pairs) && scored => best_pair(state, pairs),
        () if !board::is_empty(pairs) => first(state, pairs),
        () if !board::is_empty(threes) => first(state, threes),
        () => first(state, state.open),
    }
}

/// The first of those cells.
#[inline(always)]
fn first(state: &SearchState, cells: Board) -> Spot {
    let band = board::bands_with(cells).trailing_zeros() as usize % 3;
    spot(state, band, cells.as_array()[band].trailing_zeros() as usize % 32)
}

/// A cell and its candidates.
#[inline(always)]
fn spot(state: &SearchState, band: usize, bit: usize) -> Spot {
    let place = 32 * band + bit;
    Spot { place, digits: digits_at(&state.boards, place) }
}

/// The digits whose boards have a cell, a bit for each.
#[inline(always)]
fn digits_at(boards: &[Board; 9], place: usize) -> u32 {
    let (band, bit) = (place / 32 % 3, place % 32);
    (0..9).fold(0, |digits, digit| digits | (boards[digit].as_array()[band] >> bit & 1) << digit)
}

/// Finds the cell of the highest score, the first of several.
fn best_pair(state: &SearchState, pairs: Board) -> Spot {
    let mut best = first(state, pairs);
    let mut highest = 0;
    for band in 0..3 {
        let mut left = pairs.as_array()[band];
        while left != 0 {
            let spot = spot(state, band, left.trailing_zeros() as usize);
            left &= left - 1;
            let score = score(state, pairs, spot);
            if score > highest {
                (highest, best) = (score, spot);
            }
        }
    }
    best
}

/// The score of a cell: the places of its two digits among its peers, where those in `pairs` count twice.
#[inline(always)]
fn score(state: &SearchState, pairs: Board, Spot { place, digits }: Spot) -> u32 {
    let peers = PEERS_OF[place % PLACES];
    let (low, high) = (digits.trailing_zeros(), (digits & (digits - 1)).trailing_zeros());
    let reach = |digit: u32| {
        let met = state.boards[digit as usize % 9] & peers;
        cells(met) + cells(met & pairs)
    };
    reach(low) + reach(high)
}

/// Counts the cells of a board.
#[inline(always)]
fn cells(board: Board) -> u32 {
    board.as_array()[..3].iter().map(|band| band.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Grid;
    use crate::grid::Puzzle;
    use crate::solver::{Bounds, SearchEnd, SolutionEngine};

    /// Returns the number of solutions, and a sum over them that does not depend on their order.
    fn found(engine: &mut dyn SolutionEngine, grid: &Grid) -> (u64, u64) {
        let mut sum = 0u64;
        let weigh = |(cell, &digit): (u64, &u8)| (cell + 1) * (cell + 1) * u64::from(digit).pow(3);
        let searched = engine.search(grid, &Bounds::ALL, &mut |cells| {
            sum += (0..).zip(cells).map(weigh).sum::<u64>().pow(2) % 1_000_003;
            ControlFlow::Continue(())
        });
        assert_eq!(searched.end, SearchEnd::Complete);
        (searched.solutions, sum)
    }

    #[test]
    fn both_engines_list_the_same_solutions() {
        let (mut either, mut any) = (Bitmask::new(), AnyBitmask::new());
        let lines = [
            "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..",
            "5.....9..6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
            "5........6..195....98....6.8.......34..8....17...2...6.6....2.....419..5....8..79",
            "55..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
        ];
        for line in lines {
            let cells = line.bytes().map(|byte| if byte == b'.' { 0 } else { byte - b'0' }).collect();
            let grid = Grid::new(Shape::CLASSIC, cells).unwrap();
            assert_eq!(found(&mut either, &grid), found(&mut any, &grid), "{line}");
        }
        let grid = Grid::empty(Shape::new(2, 2).unwrap());
        assert_eq!(found(&mut either, &grid), found(&mut any, &grid));
    }

    /// The candidates of a cell.
    fn here(state: &SearchState, place: usize) -> Vec<usize> {
        (0..9).filter(|&digit| !board::is_empty(state.boards[digit] & CELL[place])).collect()
    }

    #[test]
    fn a_split_divides_the_candidates_of_the_cell() {
        let place = PLACE[40].into();
        for digits in [0x1ff, 0b11, 0b100_000_100] {
            let mut state = SearchState::OPEN;
            (0..9).filter(|digit| digits >> digit & 1 == 0).for_each(|digit| state.lose(digit, place));
            let (before, mut next) = (here(&state, place), SearchState::OPEN);
            state.split(&mut next, Spot { place, digits }, digits.trailing_zeros() as usize);
            assert_eq!(here(&next, place), before[..1]);
            assert_eq!(here(&state, place), before[1..]);
            let left = |digit: usize, state: &SearchState| {
                state.boards[digit].as_array().iter().map(|band| band.count_ones()).sum::<u32>()
            };
            assert_eq!(left(before[0], &next), 61);
            assert_eq!(left(before[1], &state), if before.len() == 2 { 61 } else { 81 });
        }
    }

    #[test]
    fn a_solved_state_has_the_digits_of_the_clues() {
        let line = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        let puzzle: Puzzle = line.parse().unwrap();
        let state = SearchState::from_cells(puzzle.cells()).unwrap();
        assert_eq!(&state.digits(), puzzle.cells());
    }

    #[test]
    fn a_bit_becomes_a_byte() {
        for bits in 0..256 {
            let expected = std::array::from_fn(|bit| (bits >> bit & 1) as u8);
            assert_eq!(bytes_of(bits).to_le_bytes(), expected);
        }
    }

    /// A state in which the digits 3 and 7 (from 0) are left in some cells, and all digits elsewhere.
    fn with_pairs(cells: &[usize]) -> SearchState {
        let mut state = SearchState::OPEN;
        for &cell in cells {
            for digit in (0..9).filter(|digit| ![3, 7].contains(digit)) {
                state.boards[digit] &= !board::CELL[usize::from(PLACE[cell])];
            }
        }
        state
    }

    #[test]
    fn the_score_is_the_number_of_peers_with_pairs_twice() {
        // The middle cell, one of its row, one of its box and column, and one that it does not see.
        let state = with_pairs(&[40, 36, 31, 0]);
        let pairs = state.boards[3] & !state.boards[0];
        let middle = spot(&state, 1, usize::from(PLACE[40]) % 32);
        assert_eq!(middle.digits, 1 << 3 | 1 << 7);
        assert_eq!(score(&state, pairs, middle), 2 * (20 + 2));
    }

    #[test]
    fn a_scored_choice_is_the_cell_with_most_pairs_around() {
        let state = with_pairs(&[0, 36, 40, 43]);
        let place = |scored| choose(&state, scored).place;
        assert_eq!(place(false), usize::from(PLACE[0]));
        assert_eq!(place(true), usize::from(PLACE[36]));
    }

    #[test]
    fn an_empty_grid_guesses_in_its_first_cell() {
        for scored in [false, true] {
            assert_eq!(choose(&SearchState::OPEN, scored), Spot { place: 0, digits: 0x1ff });
        }
    }
}
