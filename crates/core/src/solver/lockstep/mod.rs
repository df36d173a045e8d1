#![doc = include_str!("README.md")]

mod any_sweep;
mod batch;
mod search;
mod sweep;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::{
    Bounds, GridLike, GridSolver, NEVER, Outcome, Searched, SolutionLimit, SolutionLists, Solver, SolverKind,
};
use crate::grid::{Puzzle, Shape};
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512Base, Avx512Full};
use crate::simd::{Backend, InLanes, Portable, Simd};
use any_sweep::AnyGrids;
use batch::{Batch, BatchState, list_in_lanes, search_in_lanes, search_in_one_lane};
use search::LaneSearch;
use sweep::ClassicGrids;

/// The batch engine: many puzzles in one vector, one in each lane.
///
/// A guess is a cell split into one digit and the others; the second branch is not counted again. Guesses
/// and answers don't depend on the backend. The time of a batch is charged to its puzzles by the sweeps
/// that each was in, a sweep being shared equally by the lanes alive in it.
///
/// ```
/// use gridmill_core::grid::Puzzle;
/// use gridmill_core::solver::{Lockstep, Outcome, SolutionLimit, Solver};
///
/// let puzzles = [Puzzle::EMPTY; 100];
/// let mut outcomes = [Outcome::NONE; 100];
/// Lockstep::new().solve_batch(&puzzles, SolutionLimit::new(7).unwrap(), &mut outcomes);
/// assert!(outcomes.iter().all(|outcome| outcome.solutions == 7));
/// ```
///
/// The solutions of a puzzle come in the order of its search in one lane: the same for every backend and any batch.
pub struct Lockstep {
    backend: Backend,
    search: ClassicSearch,
}

impl Lockstep {
    /// Returns an engine on the best backend of this processor.
    #[must_use]
    pub fn new() -> Lockstep {
        Lockstep::with_backend(Backend::best()).expect("the best backend is there")
    }

    /// Returns an engine on that backend; `None` if the processor can't run it.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Option<Lockstep> {
        Some(Lockstep { backend, search: classic_search(backend)? })
    }

    /// Returns the backend of the engine.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.backend
    }
}

impl Default for Lockstep {
    fn default() -> Lockstep {
        Lockstep::new()
    }
}

impl fmt::Debug for Lockstep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lockstep").field("backend", &self.backend).finish_non_exhaustive()
    }
}

impl Solver for Lockstep {
    fn name(&self) -> &'static str {
        SolverKind::Lockstep.name()
    }

    fn memory(&self) -> Option<usize> {
        Some(self.search.memory())
    }

    /// Solves always the whole batch: lanes idle at its end, so smaller batches to stop between would cost
    /// time.
    fn solve_until(
        &mut self,
        puzzles: &[Puzzle],
        limit: SolutionLimit,
        outcomes: &mut [Outcome],
        _: &AtomicBool,
    ) -> usize {
        search_in_lanes(puzzles, &limit.into(), true, outcomes, &NEVER, |_, state| self.search.run(state))
    }
}

/// Searches read `stop` in each sweep.
impl GridSolver<Puzzle> for Lockstep {
    fn search_until(
        &mut self,
        puzzle: &Puzzle,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        search_in_one_lane(puzzle, bounds, stop, found, |_, state| self.search.run(state))
    }

    fn count_until(
        &mut self,
        puzzles: &[Puzzle],
        bounds: &Bounds,
        outcomes: &mut [Outcome],
        stop: &AtomicBool,
    ) -> usize {
        search_in_lanes(puzzles, bounds, false, outcomes, stop, |_, state| self.search.run(state))
    }

    fn list_until(
        &mut self,
        puzzles: &[Puzzle],
        bounds: &Bounds,
        lists: &mut SolutionLists,
        stop: &AtomicBool,
    ) -> usize {
        list_in_lanes(puzzles, bounds, lists, stop, |_, state| self.search.run(state))
    }
}

/// The batch engine for any shape up to 16x16: a puzzle in each lane.
///
/// Batches fill the lanes. Where no puzzle is left, and the order of solutions does not matter, idle lanes
/// take part in other lanes' searches. A search that lists solutions in order uses one lane. Guesses are
/// counted as by [`Lockstep`]; they and all answers don't depend on the backend.
///
/// ```
/// use gridmill_core::grid::{Grid, Shape};
/// use gridmill_core::solver::{AnyLockstep, Outcome, SolutionLimit, Solver};
///
/// let blanks = vec![Grid::empty(Shape::new(2, 2).unwrap()); 10];
/// let mut outcomes = vec![Outcome::NONE; 10];
/// AnyLockstep::new().solve_batch(&blanks, SolutionLimit::new(100).unwrap(), &mut outcomes);
/// assert!(outcomes.iter().all(|outcome| outcome.solutions == 100));
/// ```
///
/// # Panics
///
/// A search panics where a side is above [`AnyLockstep::MAX_SIDE`].
pub struct AnyLockstep {
    backend: Backend,
    /// The search of grids of the last shape.
    search: Option<(Shape, AnySearch)>,
}

impl AnyLockstep {
    /// The largest side that the engine takes.
    pub const MAX_SIDE: usize = any_sweep::MAX_SIDE;

    /// Returns an engine on the best backend of this processor.
    #[must_use]
    pub fn new() -> AnyLockstep {
        AnyLockstep { backend: Backend::best(), search: None }
    }

    /// Returns an engine on that backend; `None` if the processor can't run it.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Option<AnyLockstep> {
        backend.is_available().then_some(AnyLockstep { backend, search: None })
    }

    fn run(&mut self, shape: Shape, batch_state: &mut dyn BatchState) {
        self.search.take_if(|(known, _)| *known != shape);
        let (_, search) = self.search.get_or_insert_with(|| {
            let search = any_search(self.backend, shape);
            (shape, search.expect("sixteen digits fit a lane, no more"))
        });
        search.run(batch_state);
    }
}

impl Default for AnyLockstep {
    fn default() -> AnyLockstep {
        AnyLockstep::new()
    }
}

impl fmt::Debug for AnyLockstep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyLockstep").field("backend", &self.backend).finish_non_exhaustive()
    }
}

impl<P: GridLike> Solver<P> for AnyLockstep {
    fn name(&self) -> &'static str {
        SolverKind::Lockstep.name()
    }

    fn memory(&self) -> Option<usize> {
        Some(size_of::<AnyLockstep>() + self.search.as_ref().map_or(0, |(_, search)| search.memory()))
    }

    fn solve_until(
        &mut self,
        puzzles: &[P],
        limit: SolutionLimit,
        outcomes: &mut [Outcome<P::Solution>],
        stop: &AtomicBool,
    ) -> usize {
        search_in_lanes(puzzles, &limit.into(), true, outcomes, stop, |shape, state| self.run(shape, state))
    }
}

/// Searches read `stop` in each sweep.
impl<P: GridLike> GridSolver<P> for AnyLockstep {
    fn search_until(
        &mut self,
        puzzle: &P,
        bounds: &Bounds,
        stop: &AtomicBool,
        found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Searched {
        search_in_one_lane(puzzle, bounds, stop, found, |shape, state| self.run(shape, state))
    }

    fn count_until(
        &mut self,
        puzzles: &[P],
        bounds: &Bounds,
        outcomes: &mut [Outcome<P::Solution>],
        stop: &AtomicBool,
    ) -> usize {
        search_in_lanes(puzzles, bounds, false, outcomes, stop, |shape, state| self.run(shape, state))
    }

    fn list_until(
        &mut self,
        puzzles: &[P],
        bounds: &Bounds,
        lists: &mut SolutionLists,
        stop: &AtomicBool,
    ) -> usize {
        list_in_lanes(puzzles, bounds, lists, stop, |shape, state| self.run(shape, state))
    }
}

type ClassicSearch = Box<dyn for<'a> InLanes<Batch<'a, Puzzle>>>;
type AnySearch = Box<dyn for<'a> InLanes<dyn BatchState + 'a>>;

/// Returns a search of classic puzzles; `None` if the processor can't run the backend.
fn classic_search(backend: Backend) -> Option<ClassicSearch> {
    fn search<S: Simd>(simd: S) -> Option<Box<LaneSearch<S, ClassicGrids<S>>>> {
        LaneSearch::new(simd, Shape::CLASSIC).map(Box::new)
    }
    Some(match backend {
        #[cfg(target_arch = "x86_64")]
        Backend::Avx512 => search(Avx512Full::detect()?)?,
        #[cfg(target_arch = "x86_64")]
        Backend::Avx512Base => search(Avx512Base::detect()?)?,
        #[cfg(target_arch = "x86_64")]
        Backend::Avx2 => search(Avx2::detect()?)?,
        Backend::Portable => search(Portable)?,
        #[cfg(not(target_arch = "x86_64"))]
        _ => return None,
    })
}

/// Returns a search of grids of that shape; `None` if the processor can't run the backend, or they don't fit into lanes.
fn any_search(backend: Backend, shape: Shape) -> Option<AnySearch> {
    fn search<S: Simd>(simd: S, shape: Shape) -> Option<Box<LaneSearch<S, AnyGrids<S>>>> {
        LaneSearch::new(simd, shape).map(Box::new)
    }
    Some(match backend {
        #[cfg(target_arch = "x86_64")]
        Backend::Avx512 => search(Avx512Full::detect()?, shape)?,
        #[cfg(target_arch = "x86_64")]
        Backend::Avx512Base => search(Avx512Base::detect()?, shape)?,
        #[cfg(target_arch = "x86_64")]
        Backend::Avx2 => search(Avx2::detect()?, shape)?,
        Backend::Portable => search(Portable, shape)?,
        #[cfg(not(target_arch = "x86_64"))]
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Bitmask;

    /// Solves a few puzzles of every kind, few enough for an interpreter, in batches that leave lanes empty.
    #[test]
    fn a_small_batch_has_the_solutions_of_bitmask_on_every_backend() {
        let lines = [
            "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
            "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
            "55..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
            "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..",
            "534678912672195348198342567859761423426853791713924856961537284287419635345286179",
            ".................................................................................",
        ];
        let puzzles: Vec<Puzzle> = lines.iter().map(|line| line.parse().unwrap()).collect();
        let limit = SolutionLimit::new(3).unwrap();
        crate::simd::report_untested();
        for mut engine in Backend::ALL.into_iter().filter_map(Lockstep::with_backend) {
            let mut outcomes = [Outcome::NONE; 6];
            engine.solve_batch(&puzzles, limit, &mut outcomes);
            for (puzzle, outcome) in puzzles.iter().zip(&outcomes) {
                let expected = Bitmask::new().solve(puzzle, limit);
                assert_eq!(outcome.solutions, expected.solutions, "{}: {puzzle}", engine.backend());
                assert!(outcome.solution.is_none_or(|solution| solution.solves(puzzle)));
            }
        }
    }
}
