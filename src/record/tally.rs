//! The counts of a run.

use hdrhistogram::Histogram;

use super::{PuzzleLike, RecordOutcome, Status};

/// The counts of a worker, merged at the end of a run.
#[derive(Clone, Debug)]
pub struct Tally {
    counts: [u64; Status::ALL.len()],
    /// Guesses over all puzzles.
    pub guesses: u64,
    /// Puzzles searched, whatever the result.
    pub searched: u64,
    /// Puzzles searched without a guess.
    pub unguessed: u64,
    /// Nanoseconds charged to all puzzles.
    pub nanos: u64,
    /// The least and the most time charged to a puzzle, in nanoseconds.
    pub extremes: Option<(u64, u64)>,
    times: Histogram<u64>,
    /// The number of charges of each short time since times were last counted in `times`: most are short, and a number in
    /// an array is quicker to count up.
    short_times: [u32; SHORT],
}

/// The first number of nanoseconds that is not short.
const SHORT: usize = 512;

impl Default for Tally {
    fn default() -> Tally {
        const HOUR: u64 = 3_600_000_000_000;
        // Two figures are enough for a table, and take 40 KB, which stay in the cache.
        let times = Histogram::new_with_bounds(1, HOUR, 2).expect("the bounds are in order");
        Tally {
            counts: [0; Status::ALL.len()],
            guesses: 0,
            searched: 0,
            unguessed: 0,
            nanos: 0,
            extremes: None,
            times,
            short_times: [0; SHORT],
        }
    }
}

impl Tally {
    /// Returns the number of records with that status.
    #[must_use]
    pub fn count(&self, status: Status) -> u64 {
        self.counts[status as usize]
    }

    /// Returns the number of records that are malformed, in conflict or over budget.
    #[must_use]
    pub fn failed(&self) -> u64 {
        [Status::Malformed, Status::Conflict, Status::Budget].map(|status| self.count(status)).iter().sum()
    }

    /// Returns the number of all records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the time, in nanoseconds, within which a share (0 to 1) of the searched puzzles stayed, to two
    /// figures. `None` if none was searched.
    #[must_use]
    pub fn time_at(&self, share: f64) -> Option<u64> {
        let (least, most) = self.extremes?;
        let mut times = self.times.clone();
        self.add_short_times(&mut times);
        Some(times.value_at_quantile(share).clamp(least, most))
    }

    /// Counts one record.
    #[inline]
    pub fn add<P: PuzzleLike>(&mut self, record: &RecordOutcome<'_, P>) {
        self.counts[record.status as usize] += 1;
        if let Some((_, found)) = record.searched
            && record.status.is_readable()
        {
            let (guesses, nanos) = (found.guesses, found.nanos);
            self.guesses += guesses;
            self.searched += 1;
            self.unguessed += u64::from(guesses == 0);
            self.nanos += nanos;
            let (least, most) = self.extremes.unwrap_or((nanos, nanos));
            self.extremes = Some((least.min(nanos), most.max(nanos)));
            match self.short_times.get_mut(nanos.min(SHORT as u64) as usize) {
                Some(count) if *count < u32::MAX => *count += 1,
                _ => self.times.saturating_record(nanos),
            }
        }
    }

    fn add_short_times(&self, times: &mut Histogram<u64>) {
        for (nanos, &count) in (0..).zip(&self.short_times).filter(|(_, count)| **count > 0) {
            times.saturating_record_n(nanos, count.into());
        }
    }

    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: &Tally) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        self.guesses += other.guesses;
        self.searched += other.searched;
        self.unguessed += other.unguessed;
        self.nanos += other.nanos;
        self.extremes = match (self.extremes, other.extremes) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
        self.times.add(&other.times).expect("all tallies have the same bounds");
        other.add_short_times(&mut self.times);
    }
}
