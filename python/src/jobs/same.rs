//! Puzzles that are the same as others.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use super::keys::{Keys, built, equivalence};
use crate::call::{Options, Reading, work};
use crate::columns::Columns;
use crate::for_kind;
use crate::rows::Rows;

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
            Ok((firsts(&keys, others.as_ref(), stop), keys.status))
        })
    })?;
    Columns::new(py).add("same_as", found.0)?.add("status", found.1).map(Columns::finish)
}

/// Keys are compared in so many parts, each by one thread.
const PARTS: u8 = 128;

/// The part of records without a key.
const NO_PART: u8 = u8::MAX;

/// Returns for each record the first other one with its key, or -1. Ends early, with a result of no account, when `stop`
/// becomes true.
fn firsts(keys: &Keys, others: Option<&Keys>, stop: &AtomicBool) -> Vec<i64> {
    let among = others.unwrap_or(keys);
    let (parts, parts_among) = (parts(keys), others.map(parts));
    let parts_among = parts_among.as_ref().unwrap_or(&parts);
    let pairs: Vec<Vec<(usize, usize)>> = (0..PARTS)
        .into_par_iter()
        .map(|part| {
            let go_on = |_: &usize| !stop.load(Ordering::Relaxed);
            // A part may be empty, and looking for its records takes a while all the same.
            if stop.load(Ordering::Relaxed) {
                return Vec::new();
            }
            let mut first = HashMap::new();
            for record in places(parts_among, part).take_while(go_on) {
                first.entry(among.of(record)).or_insert(record);
            }
            let found = places(&parts, part).take_while(go_on);
            let found = found.filter_map(|record| Some((record, *first.get(keys.of(record))?)));
            found.filter(|&(record, first)| others.is_some() || first < record).collect()
        })
        .collect();
    let mut firsts = vec![-1; keys.status.len()];
    for (record, first) in pairs.into_iter().flatten() {
        firsts[record] = first as i64;
    }
    firsts
}

/// Returns the part of each record: the same for equal keys.
fn parts(keys: &Keys) -> Vec<u8> {
    let part = |record: usize| {
        let mut hasher = DefaultHasher::new();
        hasher.write(keys.of(record));
        (hasher.finish() % u64::from(PARTS)) as u8
    };
    let all = (0..keys.status.len()).into_par_iter();
    all.map(|record| if keys.status[record] == 0 { part(record) } else { NO_PART }).collect()
}

/// Returns the records of a part, in order.
fn places(parts: &[u8], part: u8) -> impl Iterator<Item = usize> {
    parts.iter().enumerate().filter(move |&(_, &other)| other == part).map(|(record, _)| record)
}
