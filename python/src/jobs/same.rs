//! Puzzles that count as the same: keys, which are equal for these, and the first one with the key of each.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::jobs::{Answers, CanonicalKey, Job, Keys as KeysJob};
use gridmill_core::solver::Engine;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use rayon::prelude::*;

use super::answer::check_served;
use super::{FoundColumn, names, numbers, wide};
use crate::call::{Failure, Options, Reading};
use crate::kind::Kind;
use crate::on_puzzles;
use crate::parts::{PartSize, Wide};
use crate::rows::Rows;

const BYTES: usize = CanonicalKey::BYTES;

/// The names of the statuses. Improper puzzles have no key by their solution.
const STATUSES: [&str; 3] = ["ok", "improper", "malformed"];

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
) -> PyResult<Vec<FoundColumn<'py>>> {
    let rows = rows.get();
    let job = keys_job(rows, isomorphic, solution)?;
    let found = on_puzzles!(py, rows, &options, |puzzles, stop| built(&puzzles, job, stop))?;
    let missing = found.status.iter().map(|&status| status != 0).collect::<Vec<_>>().into_pyarray(py);
    let key = ("key", "bytes", wide(py, found.key, BYTES)?, Some(missing), None);
    Ok(vec![key, names(py, "status", found.status, STATUSES.to_vec())])
}

fn keys_job(rows: &Rows, isomorphic: bool, solution: bool) -> PyResult<KeysJob> {
    if isomorphic {
        check_served(rows.shape)?;
    }
    let of_solutions = solution.then(|| Engine::fastest(Some(rows.shape)));
    Ok(KeysJob { isomorphic, of_solutions })
}

fn built<P: Kind>(puzzles: &Reading<'_, P>, job: KeysJob, stop: &AtomicBool) -> Result<Keys, Failure> {
    let records = puzzles.len();
    let mut found = Keys { key: vec![0; records * BYTES], status: vec![2; records] };
    let places = (Wide::new(&mut found.key, BYTES), &mut found.status[..]);
    let tools = || (job.worker::<P>(), Answers::new(job.schema()));
    puzzles.in_parts(
        PartSize::FORMS,
        places,
        stop,
        tools,
        |(worker, answers), _, batch, (mut key, status)| {
            answers.clear();
            let built = worker.answer(&batch.puzzles, 0, stop, answers);
            built.map_err(|refuted| Failure::refuted(refuted.engine, &batch.puzzles[refuted.puzzle]))?;
            for (&place, answer) in batch.places.iter().zip(0..answers.len()) {
                let found = answers.key(answer);
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
) -> PyResult<Vec<FoundColumn<'py>>> {
    let rows = rows.get();
    let others = others.map(Bound::get);
    let job = keys_job(rows, isomorphic, solution)?;
    let (firsts, status) = on_puzzles!(py, rows, ("others", others), &options, |puzzles, others, stop| {
        let keys = built(&puzzles, job, stop)?;
        let others = others.map(|others| built(&others, job, stop)).transpose()?;
        Ok((firsts(&keys, others.as_ref(), stop), keys.status))
    })?;
    let missing = firsts.iter().map(|&first| first < 0).collect();
    Ok(vec![numbers(py, "same_as", firsts, Some(missing)), names(py, "status", status, STATUSES.to_vec())])
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
