//! The engines by name, the engine of a job (its kind, and for lockstep the backend), and functions that
//! solve many puzzles in memory with the fastest engine. You can also watch an engine fill and clear cells,
//! if you want to learn how it works.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::search::{Flow, SearchAccount};
use super::{
    AnyLockstep, Backtracking, Bitmask, Bounds, CluePuzzle, Clues, DancingLinks, Lockstep, Outcome,
    SearchEnd, SearchResult, Singles, SolutionEngine, SolutionLimit, Solvable, Solver,
};
use crate::grid::{Cell, Digit, Puzzle, Shape};
use crate::simd::Backend;

named! {
    /// The engines, by name.
    ///
    /// ```
    /// use gridmill_core::grid::Puzzle;
    /// use gridmill_core::solver::{EngineKind, SolutionLimit};
    ///
    /// let puzzle: Puzzle = ".6.5.1.9.1...9..539....7....4.8...7.......5.8.817.5.3.....5.2............76..8...".parse().unwrap();
    /// let mut engine = EngineKind::Bitmask.build();
    /// let outcome = engine.solve(&puzzle, SolutionLimit::UNIQUENESS);
    /// assert_eq!(outcome.solutions, 1);
    /// assert!(outcome.solution.unwrap().solves(&puzzle));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum EngineKind {
        /// [`Lockstep`]: a puzzle in each lane of a vector; for batches.
        Lockstep = "lockstep",
        /// [`Bitmask`]: a board of bits for each digit, the most constrained cell first.
        Bitmask = "bitmask",
        /// [`DancingLinks`]: Algorithm X on the exact-cover matrix.
        DancingLinks = "dancing-links",
        /// [`Singles`]: naked singles, then a guess in the first blank.
        Singles = "singles",
        /// [`Backtracking`]: cell by cell in reading order; the oracle of the tests.
        Backtracking = "backtracking",
    }
}

impl EngineKind {
    /// Makes a new engine of this kind for classic puzzles.
    #[must_use]
    pub fn build(self) -> Box<dyn SolutionEngine<Puzzle>> {
        match self {
            EngineKind::Lockstep => Box::new(Lockstep::new()),
            other => other.build_any_shape(),
        }
    }

    /// Makes a new engine of this kind for puzzles of every shape that it [serves](EngineKind::serves).
    #[must_use]
    pub fn build_any_shape<P: CluePuzzle>(self) -> Box<dyn SolutionEngine<P>> {
        match self {
            EngineKind::Lockstep => Box::new(AnyLockstep::new()),
            EngineKind::Bitmask => Box::new(Bitmask::new()),
            EngineKind::DancingLinks => Box::new(DancingLinks::new()),
            EngineKind::Singles => Box::new(Singles::new()),
            EngineKind::Backtracking => Box::new(Backtracking::new()),
        }
    }

    /// Checks whether the engine can search grids of that shape. Only [`EngineKind::Lockstep`] has a limit,
    /// because its lanes have 16 bits, one for each digit.
    #[must_use]
    pub const fn serves(self, shape: Shape) -> bool {
        !matches!(self, EngineKind::Lockstep) || shape.side() <= AnyLockstep::MAX_SIDE
    }
}

/// Which engine a job uses: its kind, and for the lockstep engine its backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The lockstep engine on a backend.
    Lockstep(Backend),
    /// Another engine.
    Other(EngineKind),
}

/// The default is the fastest engine for 9x9.
impl Default for Engine {
    fn default() -> Engine {
        Engine::fastest(Some(Shape::CLASSIC))
    }
}

impl Engine {
    /// Chooses the fastest engine for puzzles with clues of a shape, or of any shape for `None`. The choice
    /// rests on measurements: `scripts/measure engines`, with figures in `docs/measuring.md`.
    #[must_use]
    pub fn fastest(shape: Option<Shape>) -> Engine {
        match shape.is_some_and(|shape| EngineKind::Lockstep.serves(shape)) {
            true => Engine::Lockstep(Backend::best()),
            false => Engine::Other(EngineKind::Bitmask),
        }
    }

    /// Makes the engine for classic puzzles. The backend is available, because that was checked when it was
    /// chosen.
    #[must_use]
    pub fn classic(self) -> Box<dyn SolutionEngine<Puzzle>> {
        match self {
            Engine::Lockstep(backend) => Box::new(Lockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build(),
        }
    }

    /// Makes the engine for puzzles of the shape for which it was chosen.
    #[must_use]
    pub fn any_shape<P: CluePuzzle>(self) -> Box<dyn SolutionEngine<P>> {
        match self {
            Engine::Lockstep(backend) => Box::new(AnyLockstep::with_backend(backend).unwrap_or_default()),
            Engine::Other(kind) => kind.build_any_shape(),
        }
    }

    /// The kind of the engine.
    #[must_use]
    pub const fn kind(self) -> EngineKind {
        match self {
            Engine::Lockstep(_) => EngineKind::Lockstep,
            Engine::Other(kind) => kind,
        }
    }

    /// The name of the engine, e.g. `lockstep`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.kind().name()
    }

    /// Lists the features that the processor lacks for a faster backend. The list is empty if the engine does not use
    /// the best backend of this processor, or has no backend.
    #[must_use]
    pub fn lacking(self) -> Vec<&'static str> {
        match self {
            Engine::Lockstep(backend) if backend == Backend::best() => Backend::lacking_for_faster(),
            _ => Vec::new(),
        }
    }

    /// The name of the backend, e.g. `avx2`, if the engine has one.
    #[must_use]
    pub fn backend(self) -> Option<&'static str> {
        match self {
            Engine::Lockstep(backend) => Some(backend.name()),
            Engine::Other(_) => None,
        }
    }
}

/// The number of puzzles that a thread takes at once: enough to fill the lanes of the engine, and few enough
/// that no thread waits long for the last one.
const MIN_PART: usize = 128;
const MAX_PART: usize = 3200;

/// How many parts each thread gets, so that all threads finish at about the same time. For example, 51,200
/// puzzles on 4 threads make 64 parts of 800.
const PARTS_PER_THREAD: usize = 16;

/// Solves puzzles on all cores with the fastest engine, [`Lockstep`], each up to its second solution, so that
/// you can see whether a puzzle has no solution, one, or several. It is [`solve_all_up_to`] with
/// [`SolutionLimit::UNIQUENESS`].
///
/// ```
/// use gridmill_core::{Puzzle, solve_all};
///
/// let text = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";
/// let puzzles: [Puzzle; 2] = [text.parse()?, Puzzle::EMPTY];
/// let outcomes = solve_all(&puzzles);
/// assert_eq!((outcomes[0].solutions, outcomes[1].solutions), (1, 2));
/// println!("{}", outcomes[0].solution.unwrap());
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
///
/// # Panics
///
/// In the same cases as [`solve_all_up_to`].
#[must_use]
pub fn solve_all(puzzles: &[Puzzle]) -> Vec<Outcome> {
    solve_all_up_to(puzzles, SolutionLimit::UNIQUENESS)
}

/// Solves puzzles on all cores with the fastest engine, [`Lockstep`], each up to a number of solutions.
/// `outcomes[i]` belongs to `puzzles[i]`.
///
/// It runs on the threads of the current rayon pool. By default that is one thread for each core; call it
/// inside `pool.install` to use a pool of yours. Everything that it returns except the times is the same for
/// any number of threads. Every solution is checked against the rules and the clues, as everywhere in
/// gridmill.
///
/// A puzzle takes from less than a microsecond to some hundred, and an outcome takes 112 bytes. If you have
/// only one puzzle, [solve](Solver::solve) it with [`Bitmask`](super::Bitmask), because a few puzzles leave
/// most of the lanes idle. If the puzzles do not fit into memory, use the pipeline of `gridmill-data`.
///
/// # Panics
///
/// If the engine returns a grid that is not a solution, which is a bug in gridmill.
#[must_use]
pub fn solve_all_up_to(puzzles: &[Puzzle], limit: SolutionLimit) -> Vec<Outcome> {
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    let part = (puzzles.len() / (PARTS_PER_THREAD * rayon::current_num_threads())).clamp(MIN_PART, MAX_PART);
    let parts = puzzles.par_chunks(part).zip(outcomes.par_chunks_mut(part));
    parts.for_each_init(Lockstep::new, |engine, (puzzles, outcomes)| {
        engine.solve_batch(puzzles, limit, outcomes);
        check(engine.name(), puzzles, outcomes);
    });
    outcomes
}

fn check(engine: &str, puzzles: &[Puzzle], outcomes: &[Outcome]) {
    for (puzzle, outcome) in puzzles.iter().zip(outcomes) {
        assert!(
            puzzle.is_consistent_with(outcome),
            "the engine '{engine}' gave a grid that is not a solution. Please report this puzzle: {puzzle}"
        );
    }
}

/// A change that an engine makes to a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// The cell gets the digit. If it had another one, the new digit replaces it.
    Filled {
        /// The cell.
        cell: Cell,
        /// Its digit.
        digit: Digit,
        /// Whether this is a guess, i.e. the engine knew of a higher digit for the cell.
        is_guess: bool,
    },
    /// The cell is empty again.
    Cleared {
        /// The cell.
        cell: Cell,
    },
    /// No digit is possible in the empty cell, so the engine must backtrack.
    Dead {
        /// The cell.
        cell: Cell,
    },
}

/// Receives the events of an engine, and breaks to end the search.
pub(super) trait Watch: FnMut(TraceEvent) -> Flow {}

impl<F: FnMut(TraceEvent) -> Flow> Watch for F {}

named! {
    /// The engines that you can watch.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum TracedEngine {
        /// [`Backtracking`].
        Backtracking = "backtracking",
        /// [`Singles`].
        Singles = "singles",
    }
}

/// Searches a puzzle, given by its clues, within bounds, and passes everything that the engine does with a
/// cell to `watch`, in order. `found` gets the solutions. The search ends as searches do, or when `watch` or
/// `found` breaks. The events are the same in every run.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use gridmill_core::grid::Grid;
/// use gridmill_core::solver::{Bounds, NEVER, Solvable, TraceEvent, TracedEngine, trace};
///
/// let puzzle = Grid::new("2x2".parse().unwrap(), vec![1, 2, 0, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]).unwrap();
/// let mut events = Vec::new();
/// let mut watch = |event| {
///     events.push(event);
///     ControlFlow::Continue(())
/// };
/// let mut found = |_: &[u8]| ControlFlow::Continue(());
/// trace(TracedEngine::Backtracking, puzzle.clues(), &Bounds::ALL, &NEVER, &mut watch, &mut found);
/// assert!(matches!(events[0], TraceEvent::Filled { cell, digit, .. } if cell.index() == 2 && digit.get() == 3));
/// assert!(matches!(events[1], TraceEvent::Cleared { .. }));
/// ```
pub fn trace(
    engine: TracedEngine,
    clues: Clues<'_>,
    bounds: &Bounds,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(TraceEvent) -> ControlFlow<()>,
    found: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> SearchResult {
    let mut account = SearchAccount::new(bounds, stop, found);
    let watch = &mut |event| watch(event).map_break(|()| SearchEnd::Stopped);
    let flow = match engine {
        TracedEngine::Backtracking => Backtracking::new().explore_watched(clues, &mut account, watch),
        TracedEngine::Singles => Singles::new().explore_watched(clues, &mut account, watch),
    };
    account.close(flow)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{CELLS, Grid, Puzzle, Shape};
    use crate::solver::{SolutionEngine, Solvable};

    #[test]
    #[should_panic(expected = "the engine 'liar' gave a grid that is not a solution")]
    fn a_wrong_solution_panics() {
        let solved = Lockstep::new().solve(&Puzzle::EMPTY, SolutionLimit::FIRST);
        let mut cells = *solved.solution.unwrap().cells();
        cells.swap(0, 1);
        let wrong = crate::grid::Solution::from_cells(cells);
        check("liar", &[Puzzle::EMPTY], &[Outcome { solution: wrong, ..solved }]);
    }

    static GO_ON: AtomicBool = AtomicBool::new(false);
    const ENGINES: [TracedEngine; 2] = [TracedEngine::Backtracking, TracedEngine::Singles];
    const PUZZLE: &str = ".6.5.1.9.1...9..539....7....4.8...7.......5.8.817.5.3.....5.2............76..8...";

    /// Applies events to a grid, and checks that each is possible.
    fn replay(cells: &mut [u8], event: TraceEvent) {
        match event {
            TraceEvent::Filled { cell, digit, .. } => cells[cell.index()] = digit.get(),
            TraceEvent::Cleared { cell } => {
                assert_ne!(cells[cell.index()], 0);
                cells[cell.index()] = 0;
            }
            TraceEvent::Dead { cell } => assert_eq!(cells[cell.index()], 0),
        }
    }

    #[test]
    fn events_lead_to_the_solution_with_the_guesses_of_the_engine() {
        let puzzle: Puzzle = PUZZLE.parse().unwrap();
        let grid = Grid::from(puzzle);
        for engine in ENGINES {
            let mut cells = puzzle.cells().to_vec();
            let (mut guesses, mut solution) = (0, Vec::new());
            let mut watch = |event| {
                replay(&mut cells, event);
                guesses += u64::from(matches!(event, TraceEvent::Filled { is_guess: true, .. }));
                ControlFlow::Continue(())
            };
            let mut found = |cells: &[u8]| {
                solution = cells.to_vec();
                ControlFlow::Continue(())
            };
            let bounds = Bounds::solutions(1);
            let searched = trace(engine, grid.clues(), &bounds, &GO_ON, &mut watch, &mut found);
            let untraced = match engine {
                TracedEngine::Backtracking => Backtracking::new().count(&grid, &bounds),
                TracedEngine::Singles => Singles::new().count(&grid, &bounds),
            };
            assert_eq!(searched, untraced, "{engine:?}");
            assert_eq!((searched.solutions, guesses), (1, searched.guesses), "{engine:?}");
            assert_eq!((cells.len(), cells), (CELLS, solution), "{engine:?}");
        }
    }

    #[test]
    fn watcher_can_end_a_search() {
        let blank = Grid::empty(Shape::CLASSIC);
        for engine in ENGINES {
            let mut events = 0;
            let mut watch = |_| {
                events += 1;
                if events == 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let mut found = |_: &[u8]| ControlFlow::Continue(());
            let searched = trace(engine, blank.clues(), &Bounds::ALL, &GO_ON, &mut watch, &mut found);
            assert_eq!((searched.end, events), (SearchEnd::Stopped, 1000));
        }
    }

    #[test]
    fn traces_without_solution_clear_every_filled_cell() {
        // A 1 fits the third cell by its row and box, but no solution has it there.
        let line = "531.7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
        let puzzle: Puzzle = line.parse().unwrap();
        for engine in ENGINES {
            let mut cells = puzzle.cells().to_vec();
            let mut dead = 0;
            let mut watch = |event| {
                replay(&mut cells, event);
                dead += usize::from(matches!(event, TraceEvent::Dead { .. }));
                ControlFlow::Continue(())
            };
            let mut found = |_: &[u8]| ControlFlow::Continue(());
            let grid = Grid::from(puzzle);
            let searched = trace(engine, grid.clues(), &Bounds::ALL, &GO_ON, &mut watch, &mut found);
            assert_eq!((searched.solutions, searched.end), (0, SearchEnd::Complete));
            assert!(dead > 0 && (engine == TracedEngine::Singles || cells == puzzle.cells()), "{engine:?}");
        }
    }
}
