//! The sizes of puzzles, as Python says them.

use gridmill_core::Shape;
use gridmill_data::text::Alphabet;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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
