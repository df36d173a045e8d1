//! The engines, and which puzzles each of them gets.

use gridmill_core::grid::{Grid, Pencilmarks, Puzzle};
use gridmill_core::simd::Backend;
use gridmill_core::solver::{AnyLockstep, Backtracking, Bitmask, DancingLinks, EngineKind, Lockstep, Solver};

use crate::batch::Soakable;
use crate::marks_oracle::MarksOracle;
use crate::tally::{BACKTRACKING, BITMASK, COLUMNS, DANCING_LINKS};

/// An engine, and its share of the puzzles.
pub(crate) struct Engine<P: Soakable> {
    /// Its column in the report.
    pub(crate) column: usize,
    /// The engine gets one of this many puzzles (e.g. 1 of 400), because some engines are slow.
    pub(crate) every: usize,
    /// Whether the engine can solve a puzzle in reasonable time. If not, it does not get the puzzle.
    pub(crate) can_solve: fn(&P) -> bool,
    /// Whether it is a backend of lockstep. If so, its solutions and guesses must be those of the other
    /// backends.
    pub(crate) is_backend: bool,
    /// Whether the engine may give up. If it does, the puzzle is not counted for it.
    pub(crate) may_give_up: bool,
    pub(crate) solver: Box<dyn Solver<P>>,
}

impl<P: Soakable> Engine<P> {
    fn new(column: usize, every: usize, solver: impl Solver<P> + 'static) -> Engine<P> {
        Engine {
            column,
            every,
            can_solve: |_| true,
            is_backend: false,
            may_give_up: false,
            solver: Box::new(solver),
        }
    }

    fn backend(backend: Backend, solver: Box<dyn Solver<P>>) -> Engine<P> {
        let column =
            COLUMNS.iter().position(|name| *name == backend.name()).expect("each backend has a column");
        Engine { column, every: 1, can_solve: |_| true, is_backend: true, may_give_up: false, solver }
    }
}

/// The engines for each type of puzzle. The first engine of each list gets all puzzles.
pub(crate) struct Engines {
    pub(crate) classic: Vec<Engine<Puzzle>>,
    pub(crate) marks: Vec<Engine<Pencilmarks>>,
    /// For shapes that lockstep can solve.
    pub(crate) grids: Vec<Engine<Grid>>,
    pub(crate) large_grids: Vec<Engine<Grid>>,
}

impl Engines {
    /// All engines that this processor can run.
    pub(crate) fn new() -> Engines {
        let backends = || Backend::ALL.into_iter();
        let classic = backends().filter_map(|backend| {
            Some(Engine::backend(backend, Box::new(Lockstep::with_backend(backend)?) as _))
        });
        let grids = backends().filter_map(|backend| {
            Some(Engine::backend(backend, Box::new(AnyLockstep::with_backend(backend)?) as _))
        });
        Engines {
            classic: classic
                .chain([
                    Engine::new(BITMASK, 4, Bitmask::new()),
                    Engine::new(DANCING_LINKS, 400, DancingLinks::new()),
                    Engine {
                        can_solve: |puzzle: &Puzzle| puzzle.clue_count() >= 45,
                        ..Engine::new(BACKTRACKING, 100, Backtracking::new())
                    },
                ])
                .collect(),
            marks: vec![
                Engine::new(BITMASK, 1, Bitmask::new()),
                Engine { may_give_up: true, ..Engine::new(BACKTRACKING, 400, MarksOracle) },
            ],
            grids: grids
                .chain([
                    any_shape_bitmask(),
                    Engine::new(DANCING_LINKS, 10, DancingLinks::new()),
                    Engine {
                        can_solve: |grid| grid.shape().side() <= 6,
                        ..Engine::new(BACKTRACKING, 10, Backtracking::new())
                    },
                ])
                .collect(),
            large_grids: vec![any_shape_bitmask(), Engine::new(DANCING_LINKS, 10, DancingLinks::new())],
        }
    }
}

/// The bitmask engine, built as gridmill builds it for any shape.
fn any_shape_bitmask() -> Engine<Grid> {
    let solver: Box<dyn Solver<Grid>> = EngineKind::Bitmask.build_any_shape::<Grid>();
    Engine { column: BITMASK, every: 1, can_solve: |_| true, is_backend: false, may_give_up: false, solver }
}
