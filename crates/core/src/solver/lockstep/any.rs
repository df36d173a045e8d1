//! The lockstep engine for any shape up to 16x16.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::any_batch_state::{SinglePuzzleState, search_in_lanes};
use super::any_sweep::{AnyGrids, MAX_SIDE};
use super::batch_state::BatchState;
#[cfg(target_arch = "x86_64")]
use super::entry;
use super::list_state::list_in_lanes;
use super::search::LaneSearch;
use crate::grid::Shape;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512Base, Avx512Full};
use crate::simd::{Backend, Portable, Simd};
use crate::solver::account::SearchAccount;
use crate::solver::search::{Explorer, Terms};
use crate::solver::{Bounds, Clues, GridLike, Outcome, SearchEnd, SolutionLists, SolverKind};

/// The batch engine for any shape up to 16x16: a puzzle in each lane.
///
/// Batches fill the lanes. Where no puzzle is left, and the order of solutions does not matter, idle lanes
/// take part in other lanes' searches. A search that lists solutions in order uses one lane. Guesses are
/// counted as by [`Lockstep`](super::Lockstep); they and all answers don't depend on the backend.
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
    search: GridSearch,
}

/// A search of grids of any shape on one of the backends.
enum GridSearch {
    #[cfg(target_arch = "x86_64")]
    Avx512(ShapeSearch<Avx512Full>),
    #[cfg(target_arch = "x86_64")]
    Avx512Base(ShapeSearch<Avx512Base>),
    #[cfg(target_arch = "x86_64")]
    Avx2(ShapeSearch<Avx2>),
    Portable(ShapeSearch<Portable>),
}

/// A search on a backend, for grids of the last shape.
struct ShapeSearch<S: Simd> {
    simd: S,
    search: Option<Box<LaneSearch<S, AnyGrids<S>>>>,
}

impl<S: Simd> ShapeSearch<S> {
    fn new(simd: S) -> ShapeSearch<S> {
        ShapeSearch { simd, search: None }
    }

    /// Returns the bytes of memory on the heap.
    fn heap(&self) -> usize {
        self.search.as_ref().map_or(0, |search| search.memory())
    }

    /// Returns the search for grids of that shape; `None` if they don't fit into the lanes.
    fn fit(&mut self, shape: Shape) -> Option<&mut LaneSearch<S, AnyGrids<S>>> {
        if self.search.as_ref().is_none_or(|search| search.grids.shape() != shape) {
            let grids = AnyGrids::new(self.simd, shape)?;
            self.search = Some(Box::new(LaneSearch::new(self.simd, Box::new(grids))));
        }
        self.search.as_deref_mut()
    }
}

impl AnyLockstep {
    /// The largest side that the engine takes.
    pub const MAX_SIDE: usize = MAX_SIDE;

    /// Returns an engine on the best backend of this processor.
    #[must_use]
    pub fn new() -> AnyLockstep {
        AnyLockstep::with_backend(Backend::best())
            .unwrap_or_else(|| AnyLockstep { search: GridSearch::Portable(ShapeSearch::new(Portable)) })
    }

    /// Returns an engine on that backend; `None` if the processor can't run it.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Option<AnyLockstep> {
        let search = match backend {
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => GridSearch::Avx512(ShapeSearch::new(Avx512Full::detect()?)),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512Base => GridSearch::Avx512Base(ShapeSearch::new(Avx512Base::detect()?)),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => GridSearch::Avx2(ShapeSearch::new(Avx2::detect()?)),
            Backend::Portable => GridSearch::Portable(ShapeSearch::new(Portable)),
            #[cfg(not(target_arch = "x86_64"))]
            _ => return None,
        };
        Some(AnyLockstep { search })
    }

    fn run(&mut self, shape: Shape, batch_state: &mut dyn BatchState) {
        const TOO_LARGE: &str = "sixteen digits fit a lane, no more";
        match &mut self.search {
            #[cfg(target_arch = "x86_64")]
            GridSearch::Avx512(search) => entry::avx512(search.fit(shape).expect(TOO_LARGE), batch_state),
            #[cfg(target_arch = "x86_64")]
            GridSearch::Avx512Base(search) => {
                entry::avx512_base(search.fit(shape).expect(TOO_LARGE), batch_state);
            }
            #[cfg(target_arch = "x86_64")]
            GridSearch::Avx2(search) => entry::avx2(search.fit(shape).expect(TOO_LARGE), batch_state),
            GridSearch::Portable(search) => search.fit(shape).expect(TOO_LARGE).run(batch_state),
        }
    }
}

impl Default for AnyLockstep {
    fn default() -> AnyLockstep {
        AnyLockstep::new()
    }
}

impl fmt::Debug for AnyLockstep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyLockstep").finish_non_exhaustive()
    }
}

impl Explorer for AnyLockstep {
    const KIND: SolverKind = SolverKind::Lockstep;

    fn search_batch<P: GridLike>(
        &mut self,
        puzzles: &[P],
        terms: Terms<'_>,
        outcomes: &mut [Outcome<P::Solution>],
    ) -> usize {
        search_in_lanes(puzzles, terms, outcomes, |shape, state| self.run(shape, state))
    }

    fn list_batch(
        &mut self,
        puzzles: &[Clues<'_>],
        bounds: &Bounds,
        lists: &mut SolutionLists,
        stop: &AtomicBool,
    ) -> usize {
        list_in_lanes(puzzles, bounds, lists, stop, |shape, state| self.run(shape, state))
    }

    fn heap(&self) -> usize {
        match &self.search {
            #[cfg(target_arch = "x86_64")]
            GridSearch::Avx512(search) => search.heap(),
            #[cfg(target_arch = "x86_64")]
            GridSearch::Avx512Base(search) => search.heap(),
            #[cfg(target_arch = "x86_64")]
            GridSearch::Avx2(search) => search.heap(),
            GridSearch::Portable(search) => search.heap(),
        }
    }

    fn explore(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> ControlFlow<SearchEnd> {
        let mut single = SinglePuzzleState::new(clues.cells, account);
        self.run(clues.shape, &mut single);
        single.flow
    }
}
