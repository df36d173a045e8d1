//! The lockstep engine for other shapes than the classic one.

use std::fmt;
use std::ops::ControlFlow;

use super::any_batch_state::{GridBatchState, SinglePuzzleState};
use super::any_sweep::{AnyGrids, MAX_SIDE};
use super::batch_state::BatchState;
use super::entry;
use super::search::Search;
use crate::grid::Shape;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512};
use crate::simd::{Backend, Portable, Simd};
use crate::solver::account::SearchAccount;
use crate::solver::search::{Explorer, Terms};
use crate::solver::{Clues, GridLike, Outcome, SearchEnd, SolverKind};

/// The batch engine for any shape up to 16x16: a puzzle in each lane.
///
/// Batches fill the lanes; where no puzzle is left, and the order of solutions leaves no trace, idle lanes take
/// part in other lanes' searches. One puzzle by itself, solutions in order, is searched in one lane. Guesses are
/// counted as by [`Lockstep`](super::Lockstep); they and all answers are the same for every backend.
///
/// ```
/// use gridmill::grid::{Grid, Shape};
/// use gridmill::solver::{AnyLockstep, Outcome, SolutionLimit, Solver};
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
    search: AnySearch,
}

/// The search on one of the backends.
enum AnySearch {
    #[cfg(target_arch = "x86_64")]
    Avx512(Lanes<Avx512>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Lanes<Avx2>),
    Portable(Lanes<Portable>),
}

/// The lanes of a backend, for grids of the last shape.
struct Lanes<S: Simd> {
    simd: S,
    search: Option<Box<Search<S, AnyGrids<S>>>>,
}

impl<S: Simd> Lanes<S> {
    fn new(simd: S) -> Lanes<S> {
        Lanes { simd, search: None }
    }

    /// Bytes on the heap.
    fn heap(&self) -> usize {
        self.search.as_ref().map_or(0, |search| search.memory())
    }

    /// The search for grids of that shape; `None` if they don't fit.
    fn fit(&mut self, shape: Shape) -> Option<&mut Search<S, AnyGrids<S>>> {
        if self.search.as_ref().is_none_or(|search| search.field.shape() != shape) {
            let grids = AnyGrids::new(self.simd, shape)?;
            self.search = Some(Box::new(Search::new(self.simd, Box::new(grids))));
        }
        self.search.as_deref_mut()
    }
}

impl AnyLockstep {
    /// The largest side that it takes.
    pub const MAX_SIDE: usize = MAX_SIDE;

    /// An engine on the best backend that this processor has.
    #[must_use]
    pub fn new() -> AnyLockstep {
        AnyLockstep::with_backend(Backend::best())
            .unwrap_or_else(|| AnyLockstep { search: AnySearch::Portable(Lanes::new(Portable)) })
    }

    /// An engine on that backend; `None` if the processor can't run it.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Option<AnyLockstep> {
        let search = match backend {
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => AnySearch::Avx512(Lanes::new(Avx512::detect()?)),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => AnySearch::Avx2(Lanes::new(Avx2::detect()?)),
            Backend::Portable => AnySearch::Portable(Lanes::new(Portable)),
            #[cfg(not(target_arch = "x86_64"))]
            _ => return None,
        };
        Some(AnyLockstep { search })
    }

    fn run(&mut self, shape: Shape, batch_state: &mut impl BatchState) {
        const TOO_LARGE: &str = "sixteen digits fit a lane, no more";
        match &mut self.search {
            #[cfg(target_arch = "x86_64")]
            AnySearch::Avx512(lanes) => entry::avx512(lanes.fit(shape).expect(TOO_LARGE), batch_state),
            #[cfg(target_arch = "x86_64")]
            AnySearch::Avx2(lanes) => entry::avx2(lanes.fit(shape).expect(TOO_LARGE), batch_state),
            AnySearch::Portable(lanes) => lanes.fit(shape).expect(TOO_LARGE).run(batch_state),
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
        assert_eq!(puzzles.len(), outcomes.len(), "a batch needs an outcome for each puzzle");
        // The clock of a puzzle starts with its search, so with time to keep they come one by one.
        let go_together =
            |one: &P, other: &P| !terms.bounds.is_timed() && one.clues().shape == other.clues().shape;
        let mut solved = 0;
        for puzzles in puzzles.chunk_by(go_together) {
            let outcomes = &mut outcomes[solved..][..puzzles.len()];
            let mut batch_state = GridBatchState::new(puzzles, terms, outcomes);
            self.run(puzzles[0].clues().shape, &mut batch_state);
            if batch_state.is_stopped {
                break;
            }
            solved += puzzles.len();
        }
        solved
    }

    fn heap(&self) -> usize {
        match &self.search {
            #[cfg(target_arch = "x86_64")]
            AnySearch::Avx512(lanes) => lanes.heap(),
            #[cfg(target_arch = "x86_64")]
            AnySearch::Avx2(lanes) => lanes.heap(),
            AnySearch::Portable(lanes) => lanes.heap(),
        }
    }

    fn explore(&mut self, clues: Clues<'_>, account: &mut SearchAccount<'_>) -> ControlFlow<SearchEnd> {
        let mut single = SinglePuzzleState::new(clues.cells, account);
        self.run(clues.shape, &mut single);
        single.flow
    }
}
