//! How many puzzles have each rating, counted by all workers, and a histogram of them.

use std::sync::atomic::{AtomicU64, Ordering};

use gridmill_core::logic::Rating;
use gridmill_data::record::Tally;
use indicatif::HumanCount;

use super::bar;

/// Rows of the histogram, at most.
const MOST_ROWS: usize = 20;

/// Tenths that a row of the histogram may cover: the fewest are taken that need no more than [`MOST_ROWS`].
const WIDTHS: [usize; 4] = [1, 2, 5, 10];

/// Characters of the longest bar.
const BAR: usize = 30;

/// Counts of puzzles by their rating in tenths.
#[derive(Debug)]
pub struct RatingCounts([AtomicU64; Rating::BEYOND.in_tenths() as usize + 1]);

impl Default for RatingCounts {
    fn default() -> RatingCounts {
        RatingCounts(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl RatingCounts {
    /// Returns the counts of a run that rates.
    pub fn of(tally: &Tally) -> RatingCounts {
        let counts = RatingCounts::default();
        for (rating, puzzles) in tally.ratings() {
            counts.0[usize::from(rating.in_tenths())].store(puzzles, Ordering::Relaxed);
        }
        counts
    }

    /// Counts a puzzle.
    pub(crate) fn add(&self, rating: Rating) {
        let count = &self.0[usize::from(rating.min(Rating::BEYOND).in_tenths())];
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the ratings that puzzles have, each with its count.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Rating, u64)> {
        let counts = (0..).zip(&self.0).map(|(tenths, count)| (tenths, count.load(Ordering::Relaxed)));
        counts.filter(|(_, count)| *count > 0).map(|(tenths, count)| (Rating::tenths(tenths), count))
    }

    /// Returns the least rating within which each share (0 to 1) of the puzzles stays; `None` without a puzzle.
    pub(crate) fn within<const N: usize>(&self, shares: [f64; N]) -> Option<[Rating; N]> {
        let counts: Vec<(Rating, u64)> = self.all().collect();
        let all: u64 = counts.iter().map(|(_, count)| count).sum();
        let (highest, _) = *counts.last()?;
        Some(shares.map(|share| {
            let mut left = (share * all as f64).ceil().max(1.0) as u64;
            let found = counts.iter().find(|(_, count)| {
                let is_within = *count >= left;
                left = left.saturating_sub(*count);
                is_within
            });
            found.map_or(highest, |(rating, _)| *rating)
        }))
    }

    /// Returns the lines of a summary: quantiles, and a histogram.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let Some([min, p50, p90, p99, max]) = self.within([0.0, 0.5, 0.9, 0.99, 1.0]) else {
            return Vec::new();
        };
        let mut lines = vec![("ratings", format!("min {min}  p50 {p50}  p90 {p90}  p99 {p99}  max {max}"))];
        let counts: Vec<u64> = self.0.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        lines.extend(histogram(&counts).into_iter().map(|row| ("", row)));
        lines
    }
}

/// Returns a row for each rating that puzzles have; for a few neighbouring ones together where there are many.
fn histogram(counts: &[u64]) -> Vec<String> {
    let rows = |width: &usize| {
        let sums = counts.chunks(*width).map(|counts| counts.iter().sum::<u64>());
        sums.enumerate().filter(|(_, sum)| *sum > 0).collect::<Vec<_>>()
    };
    let fits = |width: &&usize| rows(width).len() <= MOST_ROWS;
    let width = *WIDTHS.iter().find(fits).unwrap_or(&WIDTHS[WIDTHS.len() - 1]);
    let (rows, all) = (rows(&width), counts.iter().sum::<u64>());
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(1);
    let row = |(index, count): (usize, u64)| {
        let first = Rating::tenths((index * width) as u16);
        let label = if width == 1 {
            first.to_string()
        } else {
            format!("{first} to {}", first.plus(width as u16 - 1))
        };
        let share = 100.0 * count as f64 / all as f64;
        let (bar, count) = (bar(count, most, BAR), HumanCount(count).to_string());
        format!("{label:<10} │{bar:<BAR$} {count:>13}  {share:>6.2} %")
    };
    rows.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_ratings_have_a_row_each_and_many_share_rows() {
        let counts = RatingCounts::default();
        for tenths in [12, 12, 12, 15] {
            counts.add(Rating::tenths(tenths));
        }
        let lines = counts.lines();
        assert_eq!(lines[0], ("ratings", "min 1.2  p50 1.2  p90 1.5  p99 1.5  max 1.5".to_owned()));
        assert!(
            lines[1].1.starts_with("1.2        │███") && lines[1].1.ends_with(" 3   75.00 %"),
            "{lines:?}"
        );
        assert!(lines.len() == 3 && lines[2].1.starts_with("1.5        │"), "{lines:?}");
        (10..120).for_each(|tenths| counts.add(Rating::tenths(tenths)));
        let lines = counts.lines();
        assert!(lines.len() == 12 && lines[1].1.starts_with("1.0 to 1.9 │"), "{lines:?}");
        assert!(lines.iter().all(|(_, text)| text.chars().count() <= 68), "{lines:?}");
    }

    #[test]
    fn without_a_rating_there_are_no_lines() {
        assert!(RatingCounts::default().lines().is_empty());
    }
}
