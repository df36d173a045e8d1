//! The sizes of puzzles, as Python says them.

use gridmill::Shape;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The rows and columns of a box: `"2x3"`, or `(2, 3)`.
#[derive(FromPyObject)]
pub(crate) enum GivenShape {
    /// As text.
    Text(String),
    /// As numbers.
    Numbers(usize, usize),
    /// As nothing that is a shape.
    Other(Py<PyAny>),
}

impl GivenShape {
    /// Returns the shape that is meant; that of 9x9 puzzles for `None`.
    pub(crate) fn read(given: Option<&GivenShape>) -> PyResult<Shape> {
        let (text, shape) = match given {
            None => return Ok(Shape::CLASSIC),
            Some(GivenShape::Text(text)) => (format!("{text:?}"), text.parse().ok()),
            Some(&GivenShape::Numbers(rows, columns)) => {
                (format!("({rows}, {columns})"), Shape::new(rows, columns))
            }
            Some(GivenShape::Other(given)) => {
                (Python::attach(|py| given.bind(py).repr().map(|text| text.to_string()))?, None)
            }
        };
        shape.ok_or_else(|| {
            PyValueError::new_err(format!(
                "shape={text}: expected the rows and columns of a box, such as \"2x3\" for 6x6 puzzles, up to 25x25"
            ))
        })
    }
}
