//! The counts of a run.

use gridmill_core::jobs::{Answers, Column, Grade, Searchable, StatusInfo};
use gridmill_core::logic::Rating;
use hdrhistogram::Histogram;
use hdrhistogram::iterators::IterationValue;

use super::Subject;

/// The counts of a worker, merged at the end of a run.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// Records of each status.
    pub statuses: StatusCounts,
    /// Puzzles out of which others were made.
    pub made: u64,
    /// The clues of these puzzles, and of those that were made.
    pub clues: (u64, u64),
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
    times: Times,
    /// The ratings that puzzles have, in tenths and in order, each with its count.
    ratings: Vec<(u16, u64)>,
}

/// How many records have each status of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StatusCounts {
    /// By the place of the status among those of the job.
    counts: [u64; STATUSES],
    /// Records whose status is not right, or whose answer is not whole.
    pub failed: u64,
}

impl StatusCounts {
    /// Counts puzzles by their statuses, and so many records that are no puzzles.
    #[must_use]
    pub fn new(statuses: &[u8], infos: &[StatusInfo], malformed: usize) -> StatusCounts {
        let mut counts = [0; STATUSES];
        statuses.iter().for_each(|&status| counts[usize::from(status)] += 1);
        counts[infos.len() - 1] += malformed as u64;
        let is_right = |info: &StatusInfo| info.grade == Grade::Right;
        let failed = infos.iter().zip(counts).filter(|(info, _)| !is_right(info)).map(|(_, count)| count);
        StatusCounts { counts, failed: failed.sum() }
    }

    /// Returns the number of records with the status at that place among those of the job.
    #[must_use]
    pub fn count(&self, status: usize) -> u64 {
        self.counts[status]
    }

    /// Returns the number of all records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Adds other counts.
    pub fn merge(&mut self, others: &StatusCounts) {
        self.counts.iter_mut().zip(others.counts).for_each(|(count, more)| *count += more);
        self.failed += others.failed;
    }
}

/// The most statuses that a job has.
const STATUSES: usize = 8;

impl Tally {
    /// Returns the time, in nanoseconds, within which a share (0 to 1) of the searched puzzles stayed, to two
    /// figures. `None` if none was searched.
    #[must_use]
    pub fn time_at(&self, share: f64) -> Option<u64> {
        let (least, most) = self.extremes?;
        Some(self.times.all().value_at_quantile(share).clamp(least, most))
    }

    /// Counts guesses, times, ratings and clues, where a job has them.
    pub fn add_figures<S: Subject>(&mut self, puzzles: &[S], answers: &Answers) {
        let schema = answers.schema();
        let numbers = |column| schema.position(column).and_then(|column| answers.numbers(column));
        if let (Some(guesses), Some(nanos)) = (numbers(&Column::GUESSES), numbers(&Column::TIME)) {
            for ((&status, &guesses), &nanos) in answers.statuses().iter().zip(guesses).zip(nanos) {
                if schema.statuses[usize::from(status)].grade.is_readable() {
                    self.add_search(guesses, nanos);
                }
            }
        }
        for &tenths in numbers(&Column::ER).unwrap_or_default() {
            if let Ok(tenths) = tenths.try_into() {
                self.add_rating(Rating::tenths(tenths));
            }
        }
        for (puzzle, &clues) in puzzles.iter().zip(numbers(&Column::CLUES).unwrap_or_default()) {
            if clues != u64::MAX {
                self.made += 1;
                self.clues.0 += puzzle.puzzle().clue_count() as u64;
                self.clues.1 += clues;
            }
        }
    }

    #[inline]
    fn add_search(&mut self, guesses: u64, nanos: u64) {
        self.guesses += guesses;
        self.searched += 1;
        self.unguessed += u64::from(guesses == 0);
        self.nanos += nanos;
        let (least, most) = self.extremes.unwrap_or((nanos, nanos));
        self.extremes = Some((least.min(nanos), most.max(nanos)));
        self.times.add(nanos);
    }

    /// Counts a puzzle with that rating.
    pub fn add_rating(&mut self, rating: Rating) {
        self.add_ratings(rating.min(Rating::BEYOND).in_tenths(), 1);
    }

    fn add_ratings(&mut self, tenths: u16, count: u64) {
        match self.ratings.binary_search_by_key(&tenths, |&(known, _)| known) {
            Ok(place) => self.ratings[place].1 += count,
            Err(place) => self.ratings.insert(place, (tenths, count)),
        }
    }

    /// Iterates over the ratings that puzzles have, each with its count.
    pub fn ratings(&self) -> impl Iterator<Item = (Rating, u64)> {
        self.ratings.iter().map(|&(tenths, count)| (Rating::tenths(tenths), count))
    }

    /// Forgets all counts, and keeps the memory.
    pub fn clear(&mut self) {
        (self.statuses, self.made, self.clues, self.extremes) = Default::default();
        (self.guesses, self.searched, self.unguessed, self.nanos) = Default::default();
        self.times.clear();
        self.ratings.clear();
    }

    /// Adds the counts of another worker.
    pub fn merge(&mut self, other: &Tally) {
        self.statuses.merge(&other.statuses);
        self.made += other.made;
        self.clues = (self.clues.0 + other.clues.0, self.clues.1 + other.clues.1);
        self.guesses += other.guesses;
        self.searched += other.searched;
        self.unguessed += other.unguessed;
        self.nanos += other.nanos;
        self.extremes = match (self.extremes, other.extremes) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
        self.times.merge(&other.times);
        other.ratings.iter().for_each(|&(tenths, count)| self.add_ratings(tenths, count));
    }
}

/// The first number of nanoseconds that is not short.
const SHORT: usize = 512;

/// The times charged to puzzles, to two figures. In a file they are pairs of a time and its count.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(into = "Vec<(u64, u64)>", from = "Vec<(u64, u64)>")]
struct Times {
    histogram: Histogram<u64>,
    /// The number of charges of each short time that are not in the histogram: most are short, and a number in an array is
    /// quicker to count up.
    short: [u32; SHORT],
}

impl Default for Times {
    fn default() -> Times {
        const HOUR: u64 = 3_600_000_000_000;
        // Two figures are enough for a table, and take 40 KB, which stay in the cache.
        let histogram = Histogram::new_with_bounds(1, HOUR, 2).expect("the bounds are in order");
        Times { histogram, short: [0; SHORT] }
    }
}

impl Times {
    #[inline]
    fn add(&mut self, nanos: u64) {
        match self.short.get_mut(nanos.min(SHORT as u64) as usize) {
            Some(count) if *count < u32::MAX => *count += 1,
            _ => self.histogram.saturating_record(nanos),
        }
    }

    fn merge(&mut self, other: &Times) {
        self.histogram.add(&other.histogram).expect("all tallies have the same bounds");
        other.add_short_to(&mut self.histogram);
    }

    fn clear(&mut self) {
        if !self.histogram.is_empty() {
            self.histogram.reset();
        }
        self.short = [0; SHORT];
    }

    fn all(&self) -> Histogram<u64> {
        let mut all = self.histogram.clone();
        self.add_short_to(&mut all);
        all
    }

    fn add_short_to(&self, histogram: &mut Histogram<u64>) {
        for (nanos, &count) in (0..).zip(&self.short).filter(|(_, count)| **count > 0) {
            histogram.saturating_record_n(nanos, count.into());
        }
    }
}

impl From<Times> for Vec<(u64, u64)> {
    fn from(times: Times) -> Vec<(u64, u64)> {
        let recorded = |it: IterationValue<u64>| (it.value_iterated_to(), it.count_at_value());
        times.all().iter_recorded().map(recorded).collect()
    }
}

impl From<Vec<(u64, u64)>> for Times {
    fn from(counts: Vec<(u64, u64)>) -> Times {
        let mut times = Times::default();
        counts.into_iter().for_each(|(time, count)| times.histogram.saturating_record_n(time, count));
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_tally_is_the_same_to_the_percentile() {
        let mut tally =
            Tally { guesses: 3, searched: 40, unguessed: 7, nanos: u64::MAX / 2, ..Tally::default() };
        tally.extremes = Some((5, 7_200_000_000_000));
        (tally.times.short[5], tally.times.short[511]) = (30, u32::MAX);
        for nanos in [600, 1_000_003, 77_777_777, 7_200_000_000_000] {
            tally.times.histogram.saturating_record(nanos);
        }
        tally.statuses.counts[2] = 40;
        tally.add_rating(Rating::BEYOND);
        let text = serde_json::to_string(&tally).unwrap();
        let read: Tally = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!((read.statuses, read.extremes), (tally.statuses, tally.extremes));
        assert_eq!(read.nanos, tally.nanos);
        for share in 0..=1000 {
            let share = f64::from(share) / 1000.0;
            assert_eq!(read.time_at(share), tally.time_at(share), "{share}");
        }
        // Counting goes on as it would have.
        let (mut all, mut again) = (tally.clone(), read);
        all.merge(&tally);
        again.merge(&tally);
        assert_eq!(all.time_at(0.999_999), again.time_at(0.999_999));
    }
}
