//! Finds the neighbors in a collection: puzzles that become isomorphs of each other if one clue is replaced by a
//! different one.
//!
//! Two puzzles are neighbors if removing one clue from each leaves the same puzzle. So each puzzle has a key for each
//! of its clues: that of the minlex form without this clue. Puzzles with a common key are linked. Isomorphs have all
//! keys in common, so they are linked too.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::PuzzleKey;
use gridmill_data::collection::{DuplicateFinder, Place, Space, SpaceError};
use indicatif::HumanCount;
use serde::Serialize;

use super::MeasuredRecord;

/// Links the puzzles of a collection. Keys that do not fit into memory are sorted in temporary files. Each
/// record also takes twelve bytes of memory.
pub struct Clusters {
    finder: DuplicateFinder,
    records: u64,
}

/// The clusters of linked puzzles.
#[derive(Debug, Serialize)]
pub(crate) struct ClusterFigures {
    /// The number of records that have a neighbor or an isomorph.
    linked: u64,
    /// The number of clusters of each size. A record with neither a neighbor nor an isomorph is a cluster of 1.
    clusters: BTreeMap<u64, u64>,
}

impl Clusters {
    /// Makes a value without records.
    ///
    /// # Errors
    ///
    /// If no temporary file can be made.
    pub fn new(space: &Space) -> Result<Clusters, SpaceError> {
        Ok(Clusters { finder: DuplicateFinder::new(space)?, records: 0 })
    }

    /// Adds the records of a chunk.
    ///
    /// # Errors
    ///
    /// If temporary files can't be written.
    pub fn add_chunk(&mut self, records: &[MeasuredRecord]) -> Result<(), SpaceError> {
        records.iter().try_for_each(|record| self.add(&record.neighbor_keys))
    }

    /// Adds a record with the keys of its puzzle.
    fn add(&mut self, keys: &[PuzzleKey]) -> Result<(), SpaceError> {
        let place = Place { file: 0, record: self.records, line: 0 };
        self.records += 1;
        keys.iter().try_for_each(|key| self.finder.add(key, place))
    }

    /// Finds the clusters. They are incomplete if `stop` becomes true.
    pub(crate) fn figures(self, stop: &AtomicBool) -> Result<ClusterFigures, SpaceError> {
        let mut parents: Vec<u32> = (0..self.records as u32).collect();
        for found in self.finder.find(stop)? {
            let found = found?;
            let [one, other] = [found.at, found.first].map(|place| root(&mut parents, place.record as u32));
            parents[one.max(other) as usize] = one.min(other);
        }
        let mut sizes = vec![0; parents.len()];
        for record in 0..parents.len() as u32 {
            sizes[root(&mut parents, record) as usize] += 1;
        }
        let mut clusters = BTreeMap::new();
        for size in sizes.into_iter().filter(|&size| size > 0) {
            *clusters.entry(size).or_default() += 1;
        }
        Ok(ClusterFigures { linked: self.records - clusters.get(&1).unwrap_or(&0), clusters })
    }
}

/// Returns the first record of a cluster. Halves the path to it, so that later calls are faster (union-find).
fn root(parents: &mut [u32], mut record: u32) -> u32 {
    while parents[record as usize] != record {
        let next = parents[parents[record as usize] as usize];
        parents[record as usize] = next;
        record = next;
    }
    record
}

/// Rows for a terminal: how many puzzles have a neighbor or an isomorph, and how many clusters there are of each size.
impl fmt::Display for ClusterFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let records: u64 = self.clusters.iter().map(|(size, count)| size * count).sum();
        super::row(f, "linked", "", self.linked, records)?;
        for (size, count) in &self.clusters {
            let share = 100.0 * (size * count) as f64 / records.max(1) as f64;
            let label = format!("clusters of {size}");
            writeln!(
                f,
                "{label:<18}  {:>13}  {share:>6.2} % of the records",
                HumanCount(*count).to_string()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Shape;
    use gridmill_core::solver::NEVER;

    use super::*;

    #[test]
    fn records_with_a_common_key_are_in_one_cluster() {
        let space = Space { memory: 1 << 20, folder: std::env::temp_dir() };
        let mut clusters = Clusters::new(&space).unwrap();
        let key = |number: u8| PuzzleKey::from_cells(Shape::CLASSIC, &[number; 81]);
        for keys in [&[1, 2][..], &[3], &[2, 4], &[5], &[4, 4], &[3], &[]] {
            clusters.add(&keys.iter().map(|&number| key(number)).collect::<Vec<_>>()).unwrap();
        }
        let found = clusters.figures(&NEVER).unwrap();
        assert_eq!((found.linked, found.clusters), (5, BTreeMap::from([(1, 2), (2, 1), (3, 1)])));
    }
}
