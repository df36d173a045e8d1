//! Minlex forms.

use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::Shape;
use gridmill_core::minlex::Minlex;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::call::{Failure, Options, Reading};
use crate::columns::Columns;
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::{PartSize, Wide};
use crate::rows::Rows;

/// The names of the statuses.
pub(crate) const STATUSES: [&str; 3] = ["ok", "conflict", "malformed"];

/// The columns of minlex forms.
struct Canonical {
    form: Vec<u8>,
    /// The notations of the transforms, with zeros behind.
    transform: Vec<u8>,
    automorphisms: Vec<u32>,
    status: Vec<i8>,
}

/// Brings puzzles to the form that all their isomorphs share.
#[pyfunction]
pub(crate) fn canon<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = rows.get();
    check_served(rows.shape)?;
    let found = on_puzzles!(py, rows, options, |puzzles, stop| forms(&puzzles, stop))?;
    Columns::new(py)
        .add_wide("canonical", found.form, rows.shape.cells())?
        .add_wide("transform", found.transform, notation(rows.shape))?
        .add("automorphisms", found.automorphisms)?
        .add("status", found.status)
        .map(Columns::finish)
}

/// Raises an exception where puzzles of a shape have no form that could be found.
pub(super) fn check_served(shape: Shape) -> PyResult<()> {
    let expected = "expected puzzles of 4x4, 6x6, 8x8 or 9x9 cells, as larger ones have no minlex form here";
    if Minlex::serves(shape) {
        Ok(())
    } else {
        Err(PyValueError::new_err(format!("shape=\"{shape}\": {expected}")))
    }
}

/// Returns how long the notation of a transform is: `T/`, and rows, columns and digits with `/` between them.
fn notation(shape: Shape) -> usize {
    2 + 3 * shape.side() + 2
}

fn forms<P: Kind>(puzzles: &Reading<'_, P>, stop: &AtomicBool) -> Result<Canonical, Failure> {
    let (records, cells, width) = (puzzles.len(), puzzles.shape().cells(), notation(puzzles.shape()));
    let mut found = Canonical {
        form: vec![0; records * cells],
        transform: vec![0; records * width],
        automorphisms: vec![0; records],
        status: vec![2; records],
    };
    let places = (
        (Wide::new(&mut found.form, cells), Wide::new(&mut found.transform, width)),
        (&mut found.automorphisms[..], &mut found.status[..]),
    );
    puzzles.in_parts(PartSize::FORMS, places, stop, Minlex::new, |minlex, _, batch, places| {
        let ((mut forms, mut transforms), (automorphisms, status)) = places;
        for (place, puzzle) in batch.iter().take_while(|_| !stop.load(Ordering::Relaxed)) {
            let Some(canonical) = minlex.of_clues(puzzle.clues()) else {
                status[place] = 1;
                continue;
            };
            forms.of(place).copy_from_slice(canonical.form.cells());
            transforms.of(place).copy_from_slice(canonical.transform.to_string().as_bytes());
            automorphisms[place] = canonical.automorphisms;
            status[place] = 0;
        }
        Ok(())
    })?;
    Ok(found)
}
