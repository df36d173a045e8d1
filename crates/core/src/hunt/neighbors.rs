//! The neighbors of a puzzle: the proper puzzles that are left if you take N of its clues away and put M others
//! in. Hunters of puzzles call this a vicinity search, {-N+M}.
//!
//! ```text
//! a puzzle ──► bases: the puzzle without N clues ──► the first solutions of each base
//!                  ┌── these are all: sets of M clues that exactly one solution has ──┐
//!                  └── there are more: probes of the clues that few solutions have ───┴──► minimal ones ──► found
//! ```
//!
//! The search avoids solving puzzles that turn out not to be proper. A base has hundreds of candidates, but a clue
//! that two of its solutions share can't single out one of them. So the first solutions rule out most candidates. Each of the others is
//! probed: it is added to the base, and up to two solutions of that are searched, which rule out other
//! candidates in turn. The solutions of many bases are listed together, because the lockstep engine needs
//! many puzzles at once. `ClueProbe` makes the probes of a base one after the other, because each rules out
//! others.
//!
//! If more than one clue is added and a base has too many solutions to list, each of its candidates makes
//! another base, to which one clue less is added.

use std::collections::HashMap;
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering};

use super::candidates::{
    Candidates, Clue, SeenCandidates, SolutionSets, cell_and_digit, clue_of, excluded, of_cell, of_solution,
    put,
};
use crate::generate::Minimizer;
use crate::grid::{Grid, Puzzle, Shape};
use crate::jobs::{JobPuzzle, PuzzleKey};
use crate::minlex::{Minlex, Transform};
use crate::solver::{Bounds, ClueProbe, Clues, Engine, SearchEnd, SolutionEngine, SolutionLists};

/// How many clues are exchanged at most.
const MAX_EXCHANGED: usize = 3;

/// A few clues, in order. Entries beyond their number are 0.
type FewClues = [Clue; MAX_EXCHANGED];

/// How many clues are taken away and put in, and which of the resulting puzzles are wanted.
///
/// ```
/// use gridmill_core::hunt::Exchange;
///
/// let exchange = Exchange { remove: 2, add: 1, ..Exchange::default() };
/// assert!(exchange.minimal);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// How many clues are taken away, 1 to 3.
    pub remove: usize,
    /// How many clues are put in, 1 to 3.
    pub add: usize,
    /// Whether only minimal puzzles are wanted.
    pub minimal: bool,
    /// How many clues a wanted puzzle has.
    pub clues: RangeInclusive<usize>,
    /// The cells that have a clue in a wanted puzzle, if they are prescribed: true for a clue.
    pub pattern: Option<Vec<bool>>,
}

/// One clue is exchanged for another, and the puzzle stays minimal.
impl Default for Exchange {
    fn default() -> Exchange {
        Exchange { remove: 1, add: 1, minimal: true, clues: 0..=usize::MAX, pattern: None }
    }
}

/// A puzzle that was found.
#[derive(Clone, Copy, Debug)]
pub struct Neighbor<'a> {
    /// Its cells in reading order, 0 for a blank.
    pub cells: &'a [u8],
    /// The clues that were taken away, as cells of a grid that holds nothing else.
    pub removed: &'a [u8],
    /// The clues that were put in, as cells of a grid that holds nothing else.
    pub added: &'a [u8],
}

/// Receives each neighbor with the number of its puzzle. It breaks to end the search.
pub type TakeNeighbor<'a> = dyn FnMut(usize, Neighbor<'_>) -> ControlFlow<()> + 'a;

/// Finds the neighbors of puzzles. Make one finder for each thread.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use gridmill_core::Puzzle;
/// use gridmill_core::hunt::{Exchange, NeighborFinder};
/// use gridmill_core::solver::{NEVER, Solvable};
///
/// let line = "000000010400000000020000000000050407008000300001090000300400200050100000000806000";
/// let puzzle: Puzzle = line.parse()?;
/// let mut found = Vec::new();
/// NeighborFinder::new(Exchange::default()).find(&[puzzle.clues()], &NEVER, &mut |_, neighbor| {
///     found.push(neighbor.cells.to_vec());
///     ControlFlow::Continue(())
/// });
/// assert!(found.iter().all(|cells| cells.iter().filter(|&&cell| cell != 0).count() == 17));
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
pub struct NeighborFinder {
    exchange: Exchange,
    /// The search for each shape so far.
    searches: HashMap<Shape, Box<dyn ShapeSearch>>,
}

impl NeighborFinder {
    /// Makes a finder that has not allocated memory yet.
    ///
    /// # Panics
    ///
    /// If the number of clues to be taken away or put in is not 1 to 3.
    #[must_use]
    pub fn new(exchange: Exchange) -> NeighborFinder {
        let is_served = |clues| (1..=MAX_EXCHANGED).contains(&clues);
        assert!(is_served(exchange.remove) && is_served(exchange.add), "1 to 3 clues are exchanged");
        NeighborFinder { exchange, searches: HashMap::new() }
    }

    /// Checks whether the neighbors of puzzles of that shape can be found: those that have a minlex form.
    #[must_use]
    pub fn serves(shape: Shape) -> bool {
        Minlex::serves(shape)
    }

    /// Finds the neighbors of proper puzzles of one shape. Each neighbor is passed to `take` once, in the order of
    /// the puzzles, of the clues that were taken away, and of those that were put in. If an automorphism of a
    /// puzzle leads from one neighbor to another, one of them may be left out. Returns false if `take` broke, or if
    /// `stop` became true; some neighbors may be missing then.
    ///
    /// The puzzles are searched together, so pass some dozen if you exchange one clue for another. A puzzle
    /// takes about a millisecond for {-1+1}, and up to some seconds for {-2+2}.
    ///
    /// # Panics
    ///
    /// If the finder does not serve the shape of the puzzles.
    pub fn find(&mut self, puzzles: &[Clues<'_>], stop: &AtomicBool, take: &mut TakeNeighbor<'_>) -> bool {
        let Some(shape) = puzzles.first().map(|puzzle| puzzle.shape) else { return true };
        assert!(NeighborFinder::serves(shape), "puzzles of {shape} have no minlex form");
        let exchange = &self.exchange;
        let search = self.searches.entry(shape).or_insert_with(|| match shape == Shape::CLASSIC {
            true => Box::new(Search::new(shape, exchange.clone(), |_, cells| {
                Puzzle::from_cells(cells.try_into().expect("a classic grid has 81 cells")).expect("clues")
            })),
            false => Box::new(Search::new(shape, exchange.clone(), |shape, cells| {
                Grid::from_cells(shape, cells).expect("clues of the shape")
            })),
        });
        search.find(puzzles, stop, take).is_continue()
    }
}

/// A search in puzzles of one shape.
trait ShapeSearch: Send {
    fn find(
        &mut self,
        puzzles: &[Clues<'_>],
        stop: &AtomicBool,
        take: &mut TakeNeighbor<'_>,
    ) -> ControlFlow<()>;
}

/// How many solutions of a base are listed, by the number of clues that are still to be added (from 1). If there
/// are more, candidates are probed, or clues are added one by one. With 1,024 instead of 16,384, {-2+2} takes
/// 2.5 times as long.
const LISTED: [u64; MAX_EXCHANGED] = [64, 1 << 14, 1 << 14];

/// How many solutions are listed of a base with few clues. Such a base has thousands of solutions, so probes find
/// more in the same time. With 64, neighbors of 17-clue puzzles take 1.1 times as long, with 16 1.015 times.
const LISTED_OF_FEW: u64 = 4;

/// A 9x9 base with at most this many clues counts as one with few.
const FEW: usize = 18;

/// No proper 9x9 puzzle has fewer clues, as McGuire, Tugemann and Civario found by a complete search (2012).
const FEWEST_CLUES: usize = 17;

/// How many bases are listed together, so that their solutions take 5 MB at most.
const TOGETHER: [usize; MAX_EXCHANGED] = [512, 4, 4];

/// How many bases of puzzles are explored before their neighbors are handed out, so that few neighbors wait in memory.
const EXPLORED_TOGETHER: [usize; MAX_EXCHANGED] = [512, 32, 4];

/// The search in puzzles of one shape.
struct Search<P> {
    shape: Shape,
    exchange: Exchange,
    puzzle: fn(Shape, &[u8]) -> P,
    engine: Box<dyn SolutionEngine<P>>,
    lists: SolutionLists,
    probe: ClueProbe,
    minlex: Minlex,
    minimizer: Minimizer,
    /// For each candidate, those that a clue there excludes: the same digit in other cells, and other digits in
    /// the same cell.
    excluded: Vec<Candidates>,
    /// The candidates of the wanted cells.
    wanted: Candidates,
    /// Neighbors whose order and minimality are not known yet.
    found: Vec<Found>,
    /// For minimal neighbors by {-1+1}: for a puzzle and a clue of it, the candidates of the known solutions, without that clue,
    /// that have another digit in its cell.
    in_other_solutions: HashMap<(usize, Clue), Candidates>,
}

/// A puzzle to which clues are to be added.
#[derive(Clone, Debug)]
struct Base {
    /// The number of the puzzle it was made from.
    puzzle: usize,
    cells: Vec<u8>,
    removed: FewClues,
    added: FewClues,
    /// How many clues have been added.
    count: usize,
}

/// A neighbor, with its solution.
#[derive(Clone, Debug)]
struct Found {
    puzzle: usize,
    removed: FewClues,
    added: FewClues,
    solution: Vec<u8>,
}

impl Base {
    fn with(&self, clue: Clue, side: usize) -> Base {
        let mut next = self.clone();
        put(&mut next.cells, clue, side);
        next.added[next.count] = clue;
        next.count += 1;
        next
    }
}

impl<P: JobPuzzle> ShapeSearch for Search<P> {
    fn find(
        &mut self,
        puzzles: &[Clues<'_>],
        stop: &AtomicBool,
        take: &mut TakeNeighbor<'_>,
    ) -> ControlFlow<()> {
        let mut bases = Vec::new();
        for (puzzle, clues) in puzzles.iter().enumerate() {
            bases.extend(self.bases(puzzle, clues.cells));
        }
        for bases in bases.chunks(EXPLORED_TOGETHER[self.exchange.add - 1]) {
            self.in_other_solutions.clear();
            self.explore(bases, stop)?;
            self.hand_out(puzzles, stop, take)?;
        }
        ControlFlow::Continue(())
    }
}

impl<P: JobPuzzle> Search<P> {
    fn new(shape: Shape, exchange: Exchange, puzzle: fn(Shape, &[u8]) -> P) -> Search<P> {
        let side = shape.side();
        let is_wanted =
            |cell: usize| exchange.pattern.as_ref().is_none_or(|pattern| pattern.get(cell) == Some(&true));
        let cells = (0..shape.cells()).filter(|&cell| is_wanted(cell));
        let wanted = cells.fold(Candidates::EMPTY, |wanted, cell| wanted.or(of_cell(cell, side)));
        Search {
            shape,
            exchange,
            puzzle,
            engine: P::solver(Engine::fastest(Some(shape))),
            lists: SolutionLists::new(),
            probe: ClueProbe::new(),
            minlex: Minlex::new(),
            minimizer: Minimizer::default(),
            excluded: excluded(shape),
            wanted,
            found: Vec::new(),
            in_other_solutions: HashMap::new(),
        }
    }

    /// Lists the bases of a puzzle: one for each set of clues that can be taken away, in order. Of sets that
    /// automorphisms turn into each other, only the first is taken, because the others have isomorphic neighbors.
    fn bases(&mut self, puzzle: usize, cells: &[u8]) -> Vec<Base> {
        let (side, images) = (self.shape.side(), self.images(cells));
        let clues: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell] != 0).collect();
        let Exchange { remove, add, clues: ref wanted, ref pattern, .. } = self.exchange;
        let pattern_clues = |pattern: &Vec<bool>| pattern.iter().filter(|has_clue| **has_clue).count();
        let is_wanted = |clues: usize| {
            wanted.contains(&clues) && pattern.as_ref().is_none_or(|pattern| pattern_clues(pattern) == clues)
        };
        if clues.len() < remove || !is_wanted(clues.len() - remove + add) {
            return Vec::new();
        }
        let is_first = |set: &[usize]| {
            images.iter().all(|images| {
                let mut image: Vec<usize> = set.iter().map(|&cell| usize::from(images[cell])).collect();
                image.sort_unstable();
                set <= &image[..]
            })
        };
        let is_in_pattern = |base: &Base| {
            let Some(pattern) = pattern else { return true };
            (0..cells.len()).all(|cell| base.cells[cell] == 0 || pattern.get(cell) == Some(&true))
        };
        let base = |set: &Vec<usize>| {
            let mut base = Base {
                puzzle,
                cells: cells.to_vec(),
                removed: [0; MAX_EXCHANGED],
                added: [0; MAX_EXCHANGED],
                count: 0,
            };
            for (place, &cell) in set.iter().enumerate() {
                base.removed[place] = clue_of(cell, cells[cell], side);
                base.cells[cell] = 0;
            }
            base
        };
        let sets = subsets(&clues, remove);
        sets.iter().filter(|set| is_first(set)).map(base).filter(is_in_pattern).collect()
    }

    /// For each automorphism of a puzzle, the cell to which each cell moves. The list is empty if there is only the one
    /// that changes nothing.
    fn images(&mut self, cells: &[u8]) -> Vec<Vec<u16>> {
        let clues = Clues { shape: self.shape, cells };
        if self.minlex.canonical_cells(clues).is_none_or(|form| form.automorphisms == 1) {
            return Vec::new();
        }
        let images = |transform: &Transform| {
            let isomorphism = transform.isomorphism();
            let mut images = vec![0; cells.len()];
            (0..).zip(isomorphism.sources()).for_each(|(to, &from)| images[usize::from(from)] = to);
            images
        };
        Transform::automorphisms(clues).iter().flatten().map(images).collect()
    }

    /// Finds the clues that can be added to bases, which all have the same number left to add.
    fn explore(&mut self, bases: &[Base], stop: &AtomicBool) -> ControlFlow<()> {
        let Some(first) = bases.first() else { return ControlFlow::Continue(()) };
        let left = self.exchange.add - first.count;
        let clues = first.cells.iter().filter(|&&cell| cell != 0).count();
        let limit = if left == 1 && clues <= FEW { LISTED_OF_FEW } else { LISTED[left - 1] };
        for bases in bases.chunks(TOGETHER[left - 1]) {
            let puzzles = bases.iter().map(|base| (self.puzzle)(self.shape, &base.cells));
            self.list(puzzles.collect(), limit, stop);
            let mut open = Vec::new();
            for (place, base) in bases.iter().enumerate() {
                if stop.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                let seen = match self.lists.searched(place).end {
                    SearchEnd::Complete => self.combine(place, base, left),
                    _ if left == 1 => self.probe(place, base, stop)?,
                    _ => {
                        open.push(base);
                        continue;
                    }
                };
                if let Exchange { remove: 1, add: 1, minimal: true, .. } = self.exchange {
                    let removed = base.removed[0];
                    self.in_other_solutions.insert((base.puzzle, removed), seen.without(removed));
                }
            }
            // The lists have been used before the bases with another clue need them.
            for base in open {
                let addable = self.addable(base);
                let next: Vec<Base> =
                    addable.iter().map(|clue| base.with(clue as Clue, self.shape.side())).collect();
                self.explore(&next, stop)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Lists the solutions of puzzles, up to `limit` of each. The lists are incomplete if `stop` became true.
    fn list(&mut self, puzzles: Vec<P>, limit: u64, stop: &AtomicBool) {
        self.engine.list_until(&puzzles, &Bounds::solutions(limit), &mut self.lists, stop);
    }

    /// The candidates that may be added to a base: those that no clue excludes, in wanted cells after the last
    /// clue that was added. Clues that were removed are not put back.
    fn addable(&self, base: &Base) -> Candidates {
        let side = self.shape.side();
        let clues = base.cells.iter().enumerate().filter(|(_, digit)| **digit != 0);
        let excluded = clues.map(|(cell, &digit)| self.excluded[usize::from(clue_of(cell, digit, side))]);
        let mut addable = excluded.fold(self.wanted, Candidates::minus);
        for &clue in &base.removed[..self.exchange.remove] {
            addable = addable.without(clue.into());
        }
        if let Some(&last) = base.added[..base.count].last() {
            let before = 0..(usize::from(last) / side + 1) * side;
            addable = before.fold(addable, Candidates::without);
        }
        addable
    }

    /// Finds the sets of `left` clues that occur together in exactly one solution of a base. If the neighbor must be
    /// minimal, two kinds of sets with a redundant clue are left out: those whose clues without the last occur together
    /// in only one solution, and those of several clues of which one alone occurs in only one. `hand_out` drops the
    /// other puzzles that are not minimal. Returns the candidates of all solutions.
    fn combine(&mut self, place: usize, base: &Base, left: usize) -> SeenCandidates {
        let side = self.shape.side();
        let solutions: Vec<&[u8]> = self.lists.solutions(place).collect();
        let addable = self.addable(base);
        let mut seen = SeenCandidates::NONE;
        solutions.iter().for_each(|solution| seen.add(of_solution(solution, side)));
        let is_minimal = self.exchange.minimal;
        if solutions.is_empty() || is_minimal && solutions.len() == 1 {
            return seen;
        }
        let candidates = match left {
            1 => seen.in_any.minus(seen.in_several),
            _ if is_minimal => seen.in_several,
            _ => seen.in_any,
        };
        let sets = SolutionSets::new(addable.and(candidates), &solutions, side);
        let all = sets.all();
        let found = &mut self.found;
        sets.choose(&all, 0, left, is_minimal, &mut Vec::new(), &mut |chosen, solution| {
            let mut added = base.added;
            added[base.count..][..left].copy_from_slice(chosen);
            let solution = solutions[solution].to_vec();
            found.push(Found { puzzle: base.puzzle, removed: base.removed, added, solution });
        });
        seen
    }

    /// Finds the candidates that occur in exactly one solution of a base, for bases with many solutions. Returns the
    /// candidates of the solutions that are known at the end.
    fn probe(&mut self, place: usize, base: &Base, stop: &AtomicBool) -> ControlFlow<(), SeenCandidates> {
        let side = self.shape.side();
        let mut seen = SeenCandidates::NONE;
        self.lists.solutions(place).for_each(|solution| seen.add(of_solution(solution, side)));
        let mut open = self.addable(base);
        let known = seen.in_any.iter().map(|clue| cell_and_digit(clue as Clue, side));
        self.probe.set_base(Clues { shape: self.shape, cells: &base.cells }, known);
        loop {
            open = open.minus(seen.in_several);
            let Some(candidate) = open.minus(seen.in_any).first().or_else(|| open.first()) else {
                break;
            };
            open = open.without(candidate);
            let clue = candidate as Clue;
            let (cell, digit) = cell_and_digit(clue, side);
            let known = match seen.in_any.has(candidate) {
                true => seen.solutions.iter().copied().find(|solution| solution.has(candidate)),
                false => None,
            };
            let mut only = Vec::new();
            let solutions = self.probe.probe(cell, digit, &mut |solution| {
                only.clear();
                only.extend_from_slice(solution);
                let solution = of_solution(solution, side);
                if known != Some(solution) {
                    seen.add(solution);
                }
            });
            if stop.load(Ordering::Relaxed) {
                return ControlFlow::Break(());
            }
            if solutions == 1 {
                let Base { puzzle, removed, added, .. } = base.with(clue, side);
                self.found.push(Found { puzzle, removed, added, solution: only });
            }
        }
        ControlFlow::Continue(seen)
    }

    /// The cells of the clues of a neighbor that may be redundant. Let P - r + a be a neighbor of a puzzle P, and c another
    /// clue of both. A solution of P - c that lacks c and has a also solves P - r + a - c, and it is not the solution
    /// of the neighbor, which has c. So c is needed if such a solution is known. (For the hardest puzzles, {-1+1} then
    /// takes 0.72 times as long as with a search for each clue.) With 17 clues, each is needed.
    fn doubtful(&self, found: &Found, cells: &[u8]) -> Vec<u16> {
        let side = self.shape.side();
        let is_doubtful = |&cell: &usize| {
            let others = || self.in_other_solutions.get(&(found.puzzle, clue_of(cell, cells[cell], side)));
            cells[cell] != 0 && !others().is_some_and(|candidates| candidates.has(found.added[0].into()))
        };
        match cells.iter().filter(|&&digit| digit != 0).count() {
            FEWEST_CLUES if self.shape == Shape::CLASSIC => Vec::new(),
            _ => (0..cells.len()).filter(is_doubtful).map(|cell| cell as u16).collect(),
        }
    }

    /// Hands out what was found, in order. Only minimal puzzles are, if these are wanted. (Asking the bitmask engine for
    /// each clue in turn, in place of digs in lockstep, made the whole search take 1.4 times as long for the hardest.)
    fn hand_out(
        &mut self,
        puzzles: &[Clues<'_>],
        stop: &AtomicBool,
        take: &mut TakeNeighbor<'_>,
    ) -> ControlFlow<()> {
        let (shape, side) = (self.shape, self.shape.side());
        let mut found = std::mem::take(&mut self.found);
        found.sort_unstable_by_key(|found| (found.puzzle, found.removed, found.added));
        let Exchange { remove, add, minimal, .. } = self.exchange;
        let grid_of = |clues: &[Clue]| {
            let mut cells = vec![0; shape.cells()];
            clues.iter().for_each(|&clue| put(&mut cells, clue, side));
            cells
        };
        let cells_of = |found: &Found| {
            let mut cells = puzzles[found.puzzle].cells.to_vec();
            found.removed[..remove].iter().for_each(|&clue| cells[usize::from(clue) / side] = 0);
            found.added[..add].iter().for_each(|&clue| put(&mut cells, clue, side));
            cells
        };
        for part in found.chunks(256) {
            let cells: Vec<Vec<u8>> = part.iter().map(cells_of).collect();
            let are_minimal = match minimal {
                true => {
                    let with_doubts = |(cells, found): (&Vec<u8>, &Found)| {
                        (cells.clone(), found.solution.clone(), self.doubtful(found, cells))
                    };
                    let solved = cells.iter().zip(part).map(with_doubts).collect();
                    let Some(are) = self.minimizer.are_minimal(shape, solved, stop) else {
                        return ControlFlow::Break(());
                    };
                    are
                }
                false => vec![true; part.len()],
            };
            for ((found, cells), _) in part.iter().zip(&cells).zip(are_minimal).filter(|(_, is)| *is) {
                let (removed, added) = (grid_of(&found.removed[..remove]), grid_of(&found.added[..add]));
                take(found.puzzle, Neighbor { cells, removed: &removed, added: &added })?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// For each clue, the key of the minlex form of the puzzle without it. Two puzzles have one in common if they are
/// neighbors by {-1+1}, in whatever disguise, or isomorphs. There are none if the puzzle has no minlex form.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::hunt::base_keys;
/// use gridmill_core::minlex::Minlex;
/// use gridmill_core::solver::Solvable;
///
/// let line = ".................1.....2.3......3.2...1.4......5....6..3......4.7..8...962...7...";
/// let puzzle: Puzzle = line.parse()?;
/// let keys = base_keys(&mut Minlex::new(), puzzle.clues());
/// assert_eq!(keys.len(), 17);
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[must_use]
pub fn base_keys(minlex: &mut Minlex, Clues { shape, cells }: Clues<'_>) -> Vec<PuzzleKey> {
    let mut base = cells.to_vec();
    let mut key_without = |cell: usize| {
        base[cell] = 0;
        let form = minlex.canonical_cells(Clues { shape, cells: &base });
        base[cell] = cells[cell];
        form.map(|form| PuzzleKey::from_cells(shape, form.cells()))
    };
    (0..cells.len()).filter(|&cell| cells[cell] != 0).filter_map(&mut key_without).collect()
}

/// Lists the subsets with `count` of the items, in order.
fn subsets(items: &[usize], count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let with_first = |first: usize| {
        let rest = subsets(&items[first + 1..], count - 1);
        rest.into_iter().map(move |rest| [&[items[first]], &rest[..]].concat())
    };
    (0..items.len()).flat_map(with_first).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::generate::Generator;
    use crate::generate::Recipe;
    use crate::grid::rules;
    use crate::solver::{DancingLinks, NEVER};

    /// How many solutions a puzzle has, up to two.
    fn count(shape: Shape, cells: &[u8]) -> u64 {
        if rules::find_conflict(shape, cells).is_some() {
            return 0;
        }
        Grid::from_cells(shape, cells)
            .map_or(0, |grid| DancingLinks::new().count(&grid, &Bounds::solutions(2)).solutions)
    }

    fn is_minimal(shape: Shape, cells: &[u8]) -> bool {
        let without = |cell: usize| {
            let mut fewer = cells.to_vec();
            fewer[cell] = 0;
            fewer
        };
        (0..cells.len()).filter(|&cell| cells[cell] != 0).all(|cell| count(shape, &without(cell)) > 1)
    }

    /// Tries every set of clues to remove, and every set to add.
    fn tried(shape: Shape, cells: &[u8], exchange: &Exchange) -> BTreeSet<Vec<u8>> {
        let side = shape.side();
        let clues: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell] != 0).collect();
        let mut found = BTreeSet::new();
        for removed in subsets(&clues, exchange.remove) {
            let mut base = cells.to_vec();
            removed.iter().for_each(|&cell| base[cell] = 0);
            let is_new =
                |&clue: &usize| base[clue / side] == 0 && usize::from(cells[clue / side]) != clue % side + 1;
            let addable: Vec<usize> = (0..cells.len() * side).filter(is_new).collect();
            for added in subsets(&addable, exchange.add) {
                let mut next = base.clone();
                added.iter().for_each(|&clue| put(&mut next, clue as Clue, side));
                let clues = next.iter().filter(|&&cell| cell != 0).count();
                if clues == base.iter().filter(|&&cell| cell != 0).count() + exchange.add
                    && count(shape, &next) == 1
                    && (!exchange.minimal || is_minimal(shape, &next))
                {
                    found.insert(next);
                }
            }
        }
        found
    }

    fn found(shape: Shape, puzzles: &[Vec<u8>], exchange: &Exchange) -> Vec<Vec<Vec<u8>>> {
        let clues: Vec<Clues<'_>> = puzzles.iter().map(|cells| Clues { shape, cells }).collect();
        let mut found = vec![Vec::new(); puzzles.len()];
        NeighborFinder::new(exchange.clone()).find(&clues, &NEVER, &mut |puzzle, neighbor| {
            let cells = puzzles[puzzle].iter().zip(neighbor.removed).zip(neighbor.added);
            let made: Vec<u8> = cells
                .map(|((&cell, &removed), &added)| if added != 0 { added } else { cell - removed })
                .collect();
            assert_eq!(made, neighbor.cells);
            found[puzzle].push(made);
            ControlFlow::Continue(())
        });
        found
    }

    fn forms<'a>(shape: Shape, puzzles: impl IntoIterator<Item = &'a Vec<u8>>) -> BTreeSet<Vec<u8>> {
        let mut minlex = Minlex::new();
        let mut form = |cells| minlex.canonical_cells(Clues { shape, cells }).unwrap().cells().to_vec();
        puzzles.into_iter().map(|cells| form(cells)).collect()
    }

    fn generated(shape: &str, minimal: bool, count: usize) -> Vec<Vec<u8>> {
        let recipe = Recipe { shape: shape.parse().unwrap(), minimal, ..Recipe::default() };
        let made = Generator::new(&recipe, 5, None).unwrap().attempts(0..count as u64);
        made.into_iter().flatten().map(|made| made.puzzle.cells().to_vec()).collect()
    }

    fn check(shape: &str, puzzles: &[Vec<u8>], exchange: &Exchange) {
        let shape: Shape = shape.parse().unwrap();
        for (puzzle, found) in puzzles.iter().zip(found(shape, puzzles, exchange)) {
            let tried = tried(shape, puzzle, exchange);
            assert!(found.iter().all(|found| tried.contains(found)), "{exchange:?} {puzzle:?}");
            assert_eq!(forms(shape, &found), forms(shape, &tried), "{exchange:?} {puzzle:?}");
            assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
        }
    }

    #[test]
    fn neighbors_are_those_that_trying_everything_finds() {
        let (one, two) = ([(1, 1)], [(1, 2), (2, 1)]);
        let small = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2)];
        for (shape, count, exchanges) in
            [("2x2", 2, &small[..]), ("2x3", 2, &one), ("2x3", 1, &two), ("3x3", 1, &one)]
        {
            let puzzles = generated(shape, true, count);
            for &(remove, add) in exchanges {
                for minimal in [true, false] {
                    check(shape, &puzzles, &Exchange { remove, add, minimal, ..Exchange::default() });
                }
            }
        }
    }

    #[test]
    fn redundant_clues_and_symmetric_puzzles_have_all_neighbors() {
        // The second puzzle has automorphisms.
        let puzzles = vec![
            vec![1, 2, 3, 4, 3, 4, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0],
            vec![1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 1],
        ];
        let proper: Vec<_> =
            puzzles.into_iter().filter(|cells| count("2x2".parse().unwrap(), cells) == 1).collect();
        assert!(!proper.is_empty());
        for minimal in [true, false] {
            check("2x2", &proper, &Exchange { minimal, ..Exchange::default() });
        }
    }

    #[test]
    fn patterns_and_numbers_of_clues_filter_neighbors() {
        let shape: Shape = "2x2".parse().unwrap();
        let puzzles = generated("2x2", true, 3);
        let exchange = Exchange { remove: 2, add: 2, ..Exchange::default() };
        for (puzzle, all) in puzzles.iter().zip(found(shape, &puzzles, &exchange)) {
            let pattern: Vec<bool> = puzzle.iter().map(|&cell| cell != 0).collect();
            let has_pattern = |cells: &&Vec<u8>| {
                cells.iter().zip(&pattern).all(|(&cell, &has_clue)| (cell != 0) == has_clue)
            };
            let wanted = Exchange { pattern: Some(pattern.clone()), ..exchange.clone() };
            let with_pattern = found(shape, std::slice::from_ref(puzzle), &wanted).remove(0);
            assert_eq!(forms(shape, &with_pattern), forms(shape, all.iter().filter(has_pattern)));
            let clues = pattern.iter().filter(|has_clue| **has_clue).count();
            let more = Exchange { clues: clues + 1..=16, ..exchange.clone() };
            assert!(found(shape, std::slice::from_ref(puzzle), &more)[0].is_empty());
        }
    }

    #[test]
    fn a_stopped_search_says_so() {
        let puzzles = generated("3x3", true, 1);
        let clues = [Clues { shape: Shape::CLASSIC, cells: &puzzles[0] }];
        let mut take = |_, _: Neighbor<'_>| ControlFlow::Continue(());
        assert!(!NeighborFinder::new(Exchange::default()).find(&clues, &AtomicBool::new(true), &mut take));
    }
}
