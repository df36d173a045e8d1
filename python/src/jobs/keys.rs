//! Keys that are equal for puzzles that count as the same, and who has the same one.

use std::sync::atomic::AtomicBool;

use gridmill::collection::{CanonicalKey, Equivalence, KeyBuilder};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use super::canon::check_served;
use crate::call::{Failure, Options, Reading, work};
use crate::columns::Columns;
use crate::for_kind;
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::{PartSize, Wide};
use crate::rows::Rows;

const BYTES: usize = CanonicalKey::BYTES;

/// The names of the statuses. Improper puzzles have no key by their solution.
pub(crate) const STATUSES: [&str; 3] = ["ok", "improper", "malformed"];

/// The columns of keys.
struct Keys {
    key: Vec<u8>,
    status: Vec<i8>,
}

impl Keys {
    /// Returns the key of a record.
    fn of(&self, record: usize) -> &[u8] {
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

fn equivalence(rows: &Rows, isomorphic: bool, solution: bool) -> PyResult<Equivalence> {
    if isomorphic {
        check_served(rows.shape)?;
    }
    Ok(Equivalence { isomorphic, solution })
}

fn built<P: Kind>(
    puzzles: &Reading<'_, P>,
    equivalence: Equivalence,
    stop: &AtomicBool,
) -> Result<Keys, Failure> {
    let records = puzzles.len();
    let mut found = Keys { key: vec![0; records * BYTES], status: vec![2; records] };
    let places = (Wide::new(&mut found.key, BYTES), &mut found.status[..]);
    let tools = || (KeyBuilder::<P>::with_engine(equivalence, || P::solver(puzzles.shape())), Vec::new());
    puzzles.in_parts(
        PartSize::FORMS,
        places,
        stop,
        tools,
        |(builder, keys), _, batch, (mut key, status)| {
            keys.clear();
            let built = builder.keys(&batch.puzzles, keys);
            built.map_err(|(puzzle, engine)| Failure::refuted(engine, &batch.puzzles[puzzle]))?;
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

/// Finds for each puzzle the first one that it equals: of `others`, or of those before it.
#[pyfunction]
pub(crate) fn same<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    others: Option<&Bound<'py, Rows>>,
    isomorphic: bool,
    solution: bool,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = rows.get();
    let others = others.map(Bound::get);
    let equivalence = equivalence(rows, isomorphic, solution)?;
    let (borrowed, borrowed_others) = (rows.borrow(py), others.map(|others| others.borrow(py)));
    let found = for_kind!(rows.shape, P => {
        let puzzles = Reading::<P>::new("puzzles", rows, &borrowed, options.keep)?;
        let others = others.zip(borrowed_others.as_ref());
        let others = others.map(|(others, borrowed)| Reading::<P>::new("others", others, borrowed, options.keep));
        let others = others.transpose()?;
        work(py, &options, |stop| {
            let keys = built(&puzzles, equivalence, stop)?;
            let others = others.map(|others| built(&others, equivalence, stop)).transpose()?;
            Ok((firsts(&keys, others.as_ref()), keys.status))
        })
    })?;
    Columns::new(py).add("same_as", found.0)?.add("status", found.1).map(Columns::finish)
}

/// Returns for each record the first other one with its key, or -1.
fn firsts(keys: &Keys, others: Option<&Keys>) -> Vec<i64> {
    let among = others.unwrap_or(keys);
    let mut order: Vec<usize> = (0..among.status.len()).filter(|&record| among.status[record] == 0).collect();
    order.par_sort_unstable_by(|&a, &b| among.of(a).cmp(among.of(b)).then(a.cmp(&b)));
    let first = |record: usize| {
        let wanted = keys.of(record);
        let place = order.partition_point(|&other| among.of(other) < wanted);
        let found = order.get(place).copied().filter(|&other| among.of(other) == wanted);
        found.filter(|&other| others.is_some() || other < record).map_or(-1, |other| other as i64)
    };
    let all = (0..keys.status.len()).into_par_iter();
    all.map(|record| if keys.status[record] == 0 { first(record) } else { -1 }).collect()
}
