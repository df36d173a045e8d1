//! The kinds of puzzles: 9x9, and any other size.

use std::sync::Arc;

use gridmill::Shape;
use gridmill::grid::Puzzle;
use gridmill::record::PuzzleLike;
use gridmill::solver::{GridLike, GridSolver, Lockstep, Solver, SolverKind};
use gridmill::text::{
    Alphabet, ClassicReader, FormatChoice, FormatOptions, GridPuzzle, HEAD_BYTES, PuzzleText,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::rows::{Given, View};

/// A kind of puzzles: how they are read and solved.
pub(crate) trait Kind: PuzzleLike + PuzzleText + GridLike + 'static {
    /// Returns the reader of the texts of some records.
    fn reader_for(view: View<'_>, shape: Shape) -> PyResult<Self::Reader>;

    /// Returns the fastest engine.
    fn solver(shape: Shape) -> Box<dyn Solver<Self>>;

    /// Returns the fastest engine that searches within bounds.
    fn bounded_solver(shape: Shape) -> Box<dyn GridSolver<Self>>;
}

impl Kind for Puzzle {
    fn reader_for(_: View<'_>, _: Shape) -> PyResult<ClassicReader> {
        Ok(ClassicReader)
    }

    fn solver(_: Shape) -> Box<dyn Solver> {
        Box::new(Lockstep::new())
    }

    fn bounded_solver(_: Shape) -> Box<dyn GridSolver<Puzzle>> {
        Box::new(Lockstep::new())
    }
}

impl Kind for GridPuzzle {
    /// Learns from the first texts which characters are digits.
    fn reader_for(view: View<'_>, shape: Shape) -> PyResult<Self::Reader> {
        let mut head = Vec::new();
        view.for_each(0..view.len(), |given| {
            if let Given::Text(text) = given
                && head.len() < HEAD_BYTES
            {
                head.extend_from_slice(text);
                head.push(b'\n');
            }
        });
        let alphabets =
            if head.is_empty() { usual_alphabet(shape).into_iter().collect() } else { Vec::new() };
        let options = FormatOptions {
            format: FormatChoice::Line,
            shape: Some(shape),
            alphabets,
            ..FormatOptions::default()
        };
        let layout =
            options.layout(&head, false).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self::reader(&layout.expect("there is no more text")))
    }

    fn solver(shape: Shape) -> Box<dyn Solver<GridPuzzle>> {
        engine(shape).build_any_shape()
    }

    fn bounded_solver(shape: Shape) -> Box<dyn GridSolver<GridPuzzle>> {
        engine(shape).build_any_shape()
    }
}

/// Returns the engine for puzzles of a shape.
pub(crate) fn engine(shape: Shape) -> SolverKind {
    if SolverKind::Lockstep.serves(shape) { SolverKind::Lockstep } else { SolverKind::Bitmask }
}

/// Returns the alphabet of sides above 9 where no text shows one: digits, and letters behind them.
fn usual_alphabet(shape: Shape) -> Option<Alphabet> {
    Alphabet::conventions(shape.side()).into_iter().next().filter(|_| shape.side() > 9)
}

/// Returns the alphabet of arrays.
pub(crate) fn alphabet_of_cells(shape: Shape) -> Arc<Alphabet> {
    Arc::new(usual_alphabet(shape).unwrap_or_else(|| Alphabet::digits(shape.side())))
}
