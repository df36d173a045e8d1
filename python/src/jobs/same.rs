//! Puzzles that count as the same: the first one with the key of each.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::jobs::CanonicalKey;
use rayon::prelude::*;

use crate::call::Values;

/// Keys are compared in so many parts, each by one thread.
const PARTS: u8 = 128;

/// The part of records without a key.
const NO_PART: u8 = u8::MAX;

/// Returns the part of each record: the same for equal keys.
fn parts_of(keys: &Values) -> Vec<u8> {
    let part = |key: &[u8]| {
        let mut hasher = DefaultHasher::new();
        hasher.write(key);
        (hasher.finish() % u64::from(PARTS)) as u8
    };
    let records = keys.bytes.par_chunks_exact(CanonicalKey::BYTES).zip(&keys.missing);
    records.map(|(key, &missing)| if missing { NO_PART } else { part(key) }).collect()
}

/// Returns for each record the first other one with its key, or -1. Ends early, with a result of no account, when `stop`
/// becomes true.
pub(super) fn firsts(keys: &Values, others: Option<&Values>, stop: &AtomicBool) -> Vec<i64> {
    let (parts, parts_among) = (parts_of(keys), others.map(parts_of));
    let parts_among = parts_among.as_ref().unwrap_or(&parts);
    let (keys, _) = keys.bytes.as_chunks::<{ CanonicalKey::BYTES }>();
    let among = others.map_or(keys, |others| others.bytes.as_chunks().0);
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
                first.entry(&among[record]).or_insert(record);
            }
            let found = places(&parts, part).take_while(go_on);
            let found = found.filter_map(|record| Some((record, *first.get(&keys[record])?)));
            found.filter(|&(record, first)| others.is_some() || first < record).collect()
        })
        .collect();
    let mut firsts = vec![-1; keys.len()];
    for (record, first) in pairs.into_iter().flatten() {
        firsts[record] = first as i64;
    }
    firsts
}

/// Returns the records of a part, in order.
fn places(parts: &[u8], part: u8) -> impl Iterator<Item = usize> {
    parts.iter().enumerate().filter(move |&(_, &other)| other == part).map(|(record, _)| record)
}
