//! The kinds of puzzles, 9x9 and any other size, and how Python says a size.

use std::sync::Arc;

use gridmill_core::Shape;
use gridmill_core::grid::Puzzle;
use gridmill_core::solver::GridLike;
use gridmill_data::text::{
    Alphabet, ClassicReader, FormatChoice, FormatError, FormatOptions, GridPuzzle, HEAD_BYTES, PuzzleText,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::rows::{Given, View};

/// A kind of puzzles: how they are read and solved.
pub(crate) trait Kind: PuzzleText + GridLike + 'static {
    /// Returns the reader of the texts of some records.
    fn reader_for(view: View<'_>, shape: Shape, alphabet: Option<&Alphabet>) -> PyResult<Self::Reader>;

    /// Returns the alphabet in which the puzzle was written, if it is not the only one of its size.
    fn alphabet(&self) -> Option<Arc<Alphabet>>;
}

impl Kind for Puzzle {
    fn reader_for(_: View<'_>, _: Shape, _: Option<&Alphabet>) -> PyResult<ClassicReader> {
        Ok(ClassicReader)
    }

    fn alphabet(&self) -> Option<Arc<Alphabet>> {
        None
    }
}

impl Kind for GridPuzzle {
    /// Learns from the first texts which characters are digits, unless that is said.
    fn reader_for(view: View<'_>, shape: Shape, alphabet: Option<&Alphabet>) -> PyResult<Self::Reader> {
        let head = if alphabet.is_some() { Vec::new() } else { head(view) };
        let usual = || usual_alphabet(shape).filter(|_| head.is_empty());
        let alphabets = alphabet.cloned().or_else(usual).into_iter().collect();
        let options = FormatOptions {
            format: FormatChoice::Line,
            shape: Some(shape),
            alphabets,
            ..FormatOptions::default()
        };
        let layout = options.layout(&head, false).map_err(|error| {
            let advice = match error {
                FormatError::NoAlphabet { fit: true, .. } => {
                    "; say which behind the shape, such as shape=\"4x4 1-9A-G\""
                }
                _ => "",
            };
            PyValueError::new_err(format!("{error}{advice}"))
        })?;
        Ok(Self::reader(&layout.expect("there is no more text")))
    }

    fn alphabet(&self) -> Option<Arc<Alphabet>> {
        Some(Arc::clone(&self.alphabet))
    }
}

/// Returns the first texts, a line each.
fn head(view: View<'_>) -> Vec<u8> {
    let mut head = Vec::new();
    for start in (0..view.len()).step_by(LINES) {
        view.for_each(start..view.len().min(start + LINES), |given| {
            if let Given::Text(text) = given {
                head.extend_from_slice(text);
                head.push(b'\n');
            }
        });
        if head.len() > HEAD_BYTES {
            break;
        }
    }
    head
}

/// Records that are looked at together.
const LINES: usize = 100;

/// Returns the alphabet of sides above 9 where no text shows one: digits, and letters behind them.
fn usual_alphabet(shape: Shape) -> Option<Alphabet> {
    Alphabet::conventions(shape.side()).into_iter().next().filter(|_| shape.side() > 9)
}

/// Returns the alphabet of arrays.
pub(crate) fn alphabet_of_cells(shape: Shape) -> Arc<Alphabet> {
    Arc::new(usual_alphabet(shape).unwrap_or_else(|| Alphabet::digits(shape.side())))
}

/// The rows and columns of a box: `"2x3"`, or `(2, 3)`.
#[derive(FromPyObject)]
pub(crate) enum GivenShape {
    /// As text.
    Text(String),
    /// As numbers.
    Numbers(usize, usize),
    /// As something else.
    Other(Py<PyAny>),
}

impl GivenShape {
    /// Returns the shape that is meant, that of 9x9 puzzles for `None`, and the alphabet if one is given.
    pub(crate) fn read(given: Option<&GivenShape>) -> PyResult<(Shape, Option<Alphabet>)> {
        match given {
            None => Ok((Shape::CLASSIC, None)),
            Some(GivenShape::Text(text)) => of_text(text),
            Some(&GivenShape::Numbers(rows, columns)) => match Shape::new(rows, columns) {
                Some(shape) => Ok((shape, None)),
                None => Err(no_shape(&format!("({rows}, {columns})"))),
            },
            Some(GivenShape::Other(other)) => {
                Err(no_shape(&Python::attach(|py| other.bind(py).repr().map(|text| text.to_string()))?))
            }
        }
    }
}

/// Reads a shape, and perhaps an alphabet behind it.
fn of_text(text: &str) -> PyResult<(Shape, Option<Alphabet>)> {
    let (shape, alphabet) =
        text.split_once(' ').map_or((text, None), |(shape, alphabet)| (shape, Some(alphabet)));
    let shape: Shape = shape.parse().map_err(|_| no_shape(&format!("{text:?}")))?;
    let alphabet = alphabet.map(|alphabet| {
        let read: Result<Alphabet, String> = alphabet.trim().parse();
        let (needed, found) = (shape.side(), read.as_ref().map_or(0, Alphabet::side));
        let read = read.and_then(|read| match found == needed {
            true => Ok(read),
            false => Err(format!("expected {needed} digits, found {found}")),
        });
        read.map_err(|why| PyValueError::new_err(format!("shape={text:?}: {why}")))
    });
    Ok((shape, alphabet.transpose()?))
}

/// Returns the exception of what is no shape.
fn no_shape(given: &str) -> PyErr {
    PyValueError::new_err(format!(
        "shape={given}: expected the rows and columns of a box, such as \"2x3\" for 6x6 puzzles, up to 25x25"
    ))
}
