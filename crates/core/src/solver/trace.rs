//! Watching an engine fill and clear cells, for people who want to learn how it works.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use super::search::{Flow, SearchAccount};
use super::{Backtracking, Bounds, Clues, SearchEnd, Searched, Singles};
use crate::grid::{Cell, Digit};

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
/// use std::sync::atomic::AtomicBool;
///
/// use gridmill_core::grid::Grid;
/// use gridmill_core::solver::{Bounds, Solvable, TraceEvent, TracedEngine, trace};
///
/// let puzzle = Grid::new("2x2".parse().unwrap(), vec![1, 2, 0, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1]).unwrap();
/// let (mut events, go_on) = (Vec::new(), AtomicBool::new(false));
/// let mut watch = |event| {
///     events.push(event);
///     ControlFlow::Continue(())
/// };
/// let mut found = |_: &[u8]| ControlFlow::Continue(());
/// trace(TracedEngine::Backtracking, puzzle.clues(), &Bounds::ALL, &go_on, &mut watch, &mut found);
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
) -> Searched {
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
    use crate::solver::{GridSolver, Solvable};

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
