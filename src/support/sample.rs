//! A random sample of records that pass by.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Chooses a number of the records that are offered; every set of them is equally likely. Memory holds only
/// those chosen so far.
pub(crate) struct Sample {
    size: usize,
    offered: u64,
    /// Records with their places among those offered.
    chosen: Vec<(u64, Vec<u8>)>,
    /// The slot of the record that was offered last, if it was chosen.
    last: Option<usize>,
    rng: ChaCha8Rng,
}

impl Sample {
    pub(crate) fn new(size: usize, seed: u64) -> Sample {
        Sample { size, offered: 0, chosen: Vec::new(), last: None, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    pub(crate) fn offer(&mut self, record: &[u8]) {
        let place = self.offered;
        self.offered += 1;
        if self.chosen.len() < self.size {
            self.last = Some(self.chosen.len());
            self.chosen.push((place, record.to_vec()));
            return;
        }
        let slot = self.rng.random_range(0..self.offered);
        self.last = None;
        if let Some(chosen) = self.chosen.get_mut(slot as usize) {
            *chosen = (place, record.to_vec());
            self.last = Some(slot as usize);
        }
    }

    /// Appends text to the record that was offered last, if it was chosen.
    pub(crate) fn extend_last(&mut self, text: &[u8]) {
        let chosen = self.last.and_then(|slot| self.chosen.get_mut(slot));
        chosen.into_iter().for_each(|(_, record)| record.extend_from_slice(text));
    }

    /// Returns the records, in the order in which they were offered.
    pub(crate) fn into_records(mut self) -> impl Iterator<Item = Vec<u8>> {
        self.chosen.sort_unstable_by_key(|(place, _)| *place);
        self.chosen.into_iter().map(|(_, record)| record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_as_likely() {
        let mut counts = [0; 20];
        for seed in 0..2_000 {
            let mut sample = Sample::new(5, seed);
            (0..20_u8).for_each(|record| sample.offer(&[record]));
            let records: Vec<u8> = sample.into_records().map(|record| record[0]).collect();
            assert_eq!(records.len(), 5);
            assert!(records.is_sorted());
            records.iter().for_each(|&record| counts[usize::from(record)] += 1);
        }
        // 500 are expected, give or take 19.
        assert!(counts.iter().all(|count| (400..600).contains(count)), "{counts:?}");
    }
}
