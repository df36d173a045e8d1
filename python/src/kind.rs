//! How records are read, and how Python says a size.

use std::sync::Arc;

use gridmill_core::Shape;
use gridmill_data::text::{Alphabet, FormatChoice, FormatError, FormatOptions, HEAD_BYTES, PuzzleText};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::rows::{Given, View};

/// Returns the reader of the texts of some records. It learns from the first of them which characters are digits, unless
/// that is said. 9x9 puzzles have the usual ones.
pub(crate) fn reader_for<P: PuzzleText>(
    view: View<'_>,
    shape: Shape,
    alphabet: Option<&Alphabet>,
) -> PyResult<P::Reader> {
    let is_known = alphabet.is_some() || shape == Shape::CLASSIC;
    let head = if is_known { Vec::new() } else { head(view) };
    let usual = || usual_alphabet(shape).filter(|_| head.is_empty());
    let alphabets = alphabet.cloned().or_else(usual).into_iter().collect();
    let options =
        FormatOptions { format: FormatChoice::Line, shape: Some(shape), alphabets, ..Default::default() };
    let layout = options.layout(&head, false).map_err(|error| {
        let advice = match error {
            FormatError::NoAlphabet { fit: true, .. } => {
                "; say which behind the shape, such as shape=\"4x4 1-9A-G\""
            }
            _ => "",
        };
        PyValueError::new_err(format!("{error}{advice}"))
    })?;
    Ok(P::reader(&layout.expect("there is no more text")))
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

/// Reads the rows and columns of a box, `"2x3"` or `(2, 3)`, and the alphabet if one is given; those of 9x9 puzzles for `None`.
pub(crate) fn read_shape(given: Option<&Bound<'_, PyAny>>) -> PyResult<(Shape, Option<Alphabet>)> {
    let Some(given) = given else { return Ok((Shape::CLASSIC, None)) };
    if let Ok(text) = given.extract::<String>() {
        return of_text(&text);
    }
    match given.extract::<(usize, usize)>() {
        Ok((rows, columns)) => match Shape::new(rows, columns) {
            Some(shape) => Ok((shape, None)),
            None => Err(no_shape(&format!("({rows}, {columns})"))),
        },
        Err(_) => Err(no_shape(&given.repr()?.to_string())),
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
