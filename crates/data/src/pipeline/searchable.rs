//! The kinds of puzzles: how they are searched and rated.

use std::time::Duration;

use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_core::logic::Ratable;
use gridmill_core::solver::{
    Bounds, Counter, GridLike, GridSolver, PencilmarkBitmask, Solver, SplitCounter, StagedCounter,
};

use super::{ChunkSizing, Engine};
use crate::record::PuzzleLike;
use crate::text::{GridPuzzle, PuzzleText};

/// A kind of puzzle: how it is searched and rated, and how a file of it is cut.
pub trait Searchable: PuzzleLike + PuzzleText + Ratable + 'static {
    /// Makes the engine for these puzzles.
    fn solver(engine: Engine) -> Box<dyn Solver<Self>>;

    /// Makes the engine that searches these puzzles within bounds.
    fn bounded_solver(engine: Engine) -> Box<dyn GridSolver<Self>>;

    /// Makes a solver that counts all solutions, within a time for each puzzle.
    fn counter(engine: Engine, time: Option<Duration>) -> Box<dyn Solver<Self>>;

    /// Returns how an input is cut for the engine.
    fn sizing(engine: Engine) -> ChunkSizing;
}

/// Makes a counter that splits what takes long over all threads.
fn split_counter<P: Searchable + GridLike>(engine: Engine, time: Option<Duration>) -> Box<dyn Solver<P>> {
    let make = Box::new(move || engine.any_shape());
    Box::new(SplitCounter::new(P::bounded_solver(engine), make, time))
}

impl Searchable for Puzzle {
    fn solver(engine: Engine) -> Box<dyn Solver> {
        engine.classic()
    }

    fn bounded_solver(engine: Engine) -> Box<dyn GridSolver<Puzzle>> {
        engine.bounded_classic()
    }

    fn counter(engine: Engine, time: Option<Duration>) -> Box<dyn Solver> {
        let counter = split_counter(engine, time);
        // Other engines for classic puzzles have no bounds.
        match engine {
            Engine::Other(_) if time.is_none() => Box::new(StagedCounter::new(engine.classic(), counter)),
            _ => counter,
        }
    }

    fn sizing(_: Engine) -> ChunkSizing {
        ChunkSizing::BATCHES
    }
}

impl Searchable for GridPuzzle {
    fn solver(engine: Engine) -> Box<dyn Solver<GridPuzzle>> {
        engine.any_shape()
    }

    fn bounded_solver(engine: Engine) -> Box<dyn GridSolver<GridPuzzle>> {
        engine.any_shape()
    }

    fn counter(engine: Engine, time: Option<Duration>) -> Box<dyn Solver<GridPuzzle>> {
        split_counter(engine, time)
    }

    fn sizing(engine: Engine) -> ChunkSizing {
        engine.sizing()
    }
}

/// Always the engine that takes candidates.
impl Searchable for Pencilmarks {
    fn solver(_: Engine) -> Box<dyn Solver<Pencilmarks>> {
        Box::new(PencilmarkBitmask::new())
    }

    fn bounded_solver(_: Engine) -> Box<dyn GridSolver<Pencilmarks>> {
        Box::new(PencilmarkBitmask::new())
    }

    fn counter(engine: Engine, time: Option<Duration>) -> Box<dyn Solver<Pencilmarks>> {
        let bounds = time.map_or(Bounds::ALL, |time| Bounds::ALL.and_time(time));
        Box::new(Counter::new(Pencilmarks::bounded_solver(engine), bounds))
    }

    fn sizing(_: Engine) -> ChunkSizing {
        ChunkSizing::GRIDS
    }
}
