//! Keys that are equal for puzzles that count as the same.

use std::sync::atomic::AtomicBool;

use gridmill_core::solver::Engine;
use gridmill_data::collection::{CanonicalKey, Equivalence, KeyBuilder};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::answer::check_served;
use crate::call::{Failure, Options, Reading};
use crate::columns::Columns;
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::{PartSize, Wide};
use crate::rows::Rows;

const BYTES: usize = CanonicalKey::BYTES;

/// The names of the statuses. Improper puzzles have no key by their solution.
pub(crate) const STATUSES: [&str; 3] = ["ok", "improper", "malformed"];

/// The columns of keys.
pub(super) struct Keys {
    key: Vec<u8>,
    pub(super) status: Vec<i8>,
}

impl Keys {
    /// Returns the key of a record.
    pub(super) fn of(&self, record: usize) -> &[u8] {
        &self.key[record * BYTES..(record + 1) * BYTES]
    }
}

/// Returns the keys of puzzles.
#[pyfunction]
pub(crate) fn keys<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    isomorphic: bool,
    solution: bool,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = rows.get();
    let equivalence = equivalence(rows, isomorphic, solution)?;
    let found = on_puzzles!(py, rows, options, |puzzles, stop| built(&puzzles, equivalence, stop))?;
    Columns::new(py).add_wide("key", found.key, BYTES)?.add("status", found.status).map(Columns::finish)
}

pub(super) fn equivalence(rows: &Rows, isomorphic: bool, solution: bool) -> PyResult<Equivalence> {
    if isomorphic {
        check_served(rows.shape)?;
    }
    Ok(Equivalence { isomorphic, solution })
}

pub(super) fn built<P: Kind>(
    puzzles: &Reading<'_, P>,
    equivalence: Equivalence,
    stop: &AtomicBool,
) -> Result<Keys, Failure> {
    let records = puzzles.len();
    let mut found = Keys { key: vec![0; records * BYTES], status: vec![2; records] };
    let places = (Wide::new(&mut found.key, BYTES), &mut found.status[..]);
    let tools = || {
        (
            KeyBuilder::<P>::with_engine(equivalence, || P::solver(Engine::fastest(Some(puzzles.shape())))),
            Vec::new(),
        )
    };
    puzzles.in_parts(
        PartSize::FORMS,
        places,
        stop,
        tools,
        |(builder, keys), _, batch, (mut key, status)| {
            keys.clear();
            let built = builder.keys_until(&batch.puzzles, keys, stop);
            built.map_err(|refuted| Failure::refuted(refuted.engine, &batch.puzzles[refuted.puzzle]))?;
            for (&place, found) in batch.places.iter().zip(keys) {
                status[place] = i8::from(found.is_none());
                if let Some(found) = found {
                    key.of(place).copy_from_slice(found.bytes());
                }
            }
            Ok(())
        },
    )?;
    Ok(found)
}
