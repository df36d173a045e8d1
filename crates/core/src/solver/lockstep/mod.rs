#![doc = include_str!("README.md")]

mod any;
mod any_batch_state;
mod any_sweep;
mod batch_state;
mod grid_solver;
mod guess;
mod lane_grid;
mod list_state;
mod search;
mod share;
mod sweep;

use std::fmt;
use std::sync::atomic::AtomicBool;

use super::{Outcome, SolutionLimit, Solver, SolverKind};
use crate::grid::Puzzle;
#[cfg(target_arch = "x86_64")]
use crate::simd::{Avx2, Avx512Base, Avx512Full};
use crate::simd::{Backend, Portable, Simd};
pub use any::AnyLockstep;
use batch_state::{BatchState, ClassicBatchState};
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
pub struct Lockstep {
    search: ClassicSearch,
}

/// A search of classic grids on one of the backends.
enum ClassicSearch {
    #[cfg(target_arch = "x86_64")]
    Avx512(Box<LaneSearch<Avx512Full, ClassicGrids<Avx512Full>>>),
    #[cfg(target_arch = "x86_64")]
    Avx512Base(Box<LaneSearch<Avx512Base, ClassicGrids<Avx512Base>>>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Box<LaneSearch<Avx2, ClassicGrids<Avx2>>>),
    Portable(Box<LaneSearch<Portable, ClassicGrids<Portable>>>),
}

fn search<S: Simd>(simd: S) -> LaneSearch<S, ClassicGrids<S>> {
    LaneSearch::new(simd, Box::new(ClassicGrids::new(simd)))
}

impl Lockstep {
    /// Returns an engine on the best backend of this processor.
    #[must_use]
    pub fn new() -> Lockstep {
        Lockstep::with_backend(Backend::best())
            .unwrap_or_else(|| Lockstep { search: ClassicSearch::Portable(Box::new(search(Portable))) })
    }

    /// Returns an engine on that backend; `None` if the processor can't run it.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Option<Lockstep> {
        let search = match backend {
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => ClassicSearch::Avx512(Box::new(search(Avx512Full::detect()?))),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512Base => ClassicSearch::Avx512Base(Box::new(search(Avx512Base::detect()?))),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => ClassicSearch::Avx2(Box::new(search(Avx2::detect()?))),
            Backend::Portable => ClassicSearch::Portable(Box::new(search(Portable))),
            #[cfg(not(target_arch = "x86_64"))]
            _ => return None,
        };
        Some(Lockstep { search })
    }

    /// Returns the backend of the engine.
    #[must_use]
    pub fn backend(&self) -> Backend {
        match &self.search {
            #[cfg(target_arch = "x86_64")]
            ClassicSearch::Avx512(_) => Backend::Avx512,
            #[cfg(target_arch = "x86_64")]
            ClassicSearch::Avx512Base(_) => Backend::Avx512Base,
            #[cfg(target_arch = "x86_64")]
            ClassicSearch::Avx2(_) => Backend::Avx2,
            ClassicSearch::Portable(_) => Backend::Portable,
        }
    }

    fn run(&mut self, batch_state: &mut (impl BatchState + ?Sized)) {
        match &mut self.search {
            #[cfg(target_arch = "x86_64")]
            ClassicSearch::Avx512(search) => entry::avx512(search, batch_state),
            #[cfg(target_arch = "x86_64")]
            ClassicSearch::Avx512Base(search) => entry::avx512_base(search, batch_state),
            #[cfg(target_arch = "x86_64")]
            ClassicSearch::Avx2(search) => entry::avx2(search, batch_state),
            ClassicSearch::Portable(search) => search.run(batch_state),
        }
    }
}

impl Default for Lockstep {
    fn default() -> Lockstep {
        Lockstep::new()
    }
}

impl fmt::Debug for Lockstep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lockstep").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

impl Solver for Lockstep {
    fn name(&self) -> &'static str {
        SolverKind::Lockstep.name()
    }

    fn memory(&self) -> Option<usize> {
        Some(match &self.search {
            #[cfg(target_arch = "x86_64")]
            ClassicSearch::Avx512(search) => search.memory(),
            #[cfg(target_arch = "x86_64")]
            ClassicSearch::Avx512Base(search) => search.memory(),
            #[cfg(target_arch = "x86_64")]
            ClassicSearch::Avx2(search) => search.memory(),
            ClassicSearch::Portable(search) => search.memory(),
        })
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
        assert_eq!(puzzles.len(), outcomes.len(), "a batch needs an outcome for each puzzle");
        self.run(&mut ClassicBatchState { puzzles, limit, outcomes });
        puzzles.len()
    }
}

/// An instance of the search for each backend, compiled for the features that the backend proves.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod entry {
    use super::lane_grid::LaneGrid;
    use super::{Avx2, Avx512Base, Avx512Full, BatchState, LaneSearch};

    pub(super) fn avx512<G: LaneGrid<Avx512Full>>(
        search: &mut LaneSearch<Avx512Full, G>,
        batch_state: &mut (impl BatchState + ?Sized),
    ) {
        #[target_feature(
            enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,avx512bitalg,avx512vpopcntdq,avx2,bmi1,bmi2,lzcnt,popcnt"
        )]
        fn run<G: LaneGrid<Avx512Full>>(
            search: &mut LaneSearch<Avx512Full, G>,
            batch_state: &mut (impl BatchState + ?Sized),
        ) {
            search.run(batch_state);
        }
        // SAFETY: the search holds an `Avx512Full`, which is only made where all these features are detected.
        unsafe { run(search, batch_state) }
    }

    pub(super) fn avx512_base<G: LaneGrid<Avx512Base>>(
        search: &mut LaneSearch<Avx512Base, G>,
        batch_state: &mut (impl BatchState + ?Sized),
    ) {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn run<G: LaneGrid<Avx512Base>>(
            search: &mut LaneSearch<Avx512Base, G>,
            batch_state: &mut (impl BatchState + ?Sized),
        ) {
            search.run(batch_state);
        }
        // SAFETY: the search holds an `Avx512Base`, which is only made where all these features are detected.
        unsafe { run(search, batch_state) }
    }

    pub(super) fn avx2<G: LaneGrid<Avx2>>(
        search: &mut LaneSearch<Avx2, G>,
        batch_state: &mut (impl BatchState + ?Sized),
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn run<G: LaneGrid<Avx2>>(
            search: &mut LaneSearch<Avx2, G>,
            batch_state: &mut (impl BatchState + ?Sized),
        ) {
            search.run(batch_state);
        }
        // SAFETY: the search holds an `Avx2`, which is only made where all these features are detected.
        unsafe { run(search, batch_state) }
    }
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
