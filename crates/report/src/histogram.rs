//! Histograms for a terminal, over a logarithmic scale of times and other whole numbers.

use std::sync::LazyLock;

use gridmill_data::bench::Distribution;
use gridmill_data::output::duration;
use indicatif::HumanCount;

/// The maximal number of rows in a histogram.
const MOST_ROWS: usize = 20;

/// The length of the longest bar in characters.
const BAR: usize = 42;

/// The ends of bars, by eighths of a character.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Draws the times of puzzles for each engine as bars of block characters. Buckets are logarithmic, and the
/// same for all engines, so that you can compare them. No line is longer than 80 characters, except with
/// long names.
///
/// ```
/// let times = [900, 1_000, 1_100].into_iter().collect();
/// let text = gridmill_report::text_histogram(&[("bitmask".to_owned(), times)]);
/// assert!(text.starts_with("bitmask  p50 1.00 µs"), "{text}");
/// assert!(text.contains('█'));
/// ```
#[must_use]
pub fn text_histogram(engines: &[(String, Distribution)]) -> String {
    let least = engines.iter().map(|(_, times)| times.least()).min().unwrap_or(0);
    let most = engines.iter().map(|(_, times)| times.most()).max().unwrap_or(0);
    let edges = edges(least, most, MOST_ROWS);
    let of_engine = |(name, times): &(String, Distribution)| {
        let [p50, p90, p99] = [0.5, 0.9, 0.99].map(|share| duration(times.within(share)));
        let max = duration(times.most());
        format!("{name}  p50 {p50}  p90 {p90}  p99 {p99}  max {max}\n{}", rows(times, &edges))
    };
    engines.iter().map(of_engine).collect::<Vec<_>>().join("\n")
}

/// Counts the times in each bucket.
fn counts(times: &Distribution, edges: &[u64]) -> Vec<u64> {
    let mut counts = vec![0; edges.len() - 1];
    for (nanos, count) in times.values() {
        // Times below the resolution of the clock fall into the first bucket.
        let above = edges.partition_point(|&edge| edge <= nanos);
        counts[above.saturating_sub(1)] += count;
    }
    counts
}

/// Writes a row for each bucket, from the first to the last that is not empty.
fn rows(times: &Distribution, edges: &[u64]) -> String {
    let counts = counts(times, edges);
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let first = counts.iter().position(|&count| count > 0).unwrap_or(0);
    let last = counts.iter().rposition(|&count| count > 0).unwrap_or(0);
    let row = |(&edge, &count): (&u64, &u64)| {
        let share = 100.0 * count as f64 / times.len() as f64;
        let (bar, count) = (bar(count, most, BAR), HumanCount(count).to_string());
        format!("≥ {:>8} │{bar:<BAR$} {count:>11} {share:>6.2} %\n", duration(edge))
    };
    edges.iter().zip(&counts).skip(first).take(last - first + 1).map(row).collect()
}

/// Draws a bar whose length is proportional to `count`; `most` would have `width` characters. A count above
/// 0 gets at least an eighth of a character, so that it can be seen.
pub fn bar(count: u64, most: u64, width: usize) -> String {
    let eighths = (8.0 * width as f64 * count as f64 / most as f64).round() as usize;
    let eighths = eighths.max(usize::from(count > 0));
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Steps within a decade, from coarse to fine, with about equal ratios.
const STEPS: [&[f64]; 4] = [
    &[1.0],
    &[1.0, 2.0, 5.0],
    &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
    &[1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2],
];

/// Chooses the edges of buckets: the first is at most the least number, or 1, and the last is above the greatest. The
/// finest scale that gives few enough buckets is used.
pub(super) fn edges(least: u64, most: u64, most_buckets: usize) -> Vec<u64> {
    let finest_first = STEPS.iter().rev().map(|steps| edges_in(steps, least, most));
    let coarsest = || edges_in(STEPS[0], least, most);
    finest_first.into_iter().find(|edges| edges.len() <= most_buckets + 1).unwrap_or_else(coarsest)
}

/// The edges of all scales together, from 1 up, except the greatest number.
pub(super) fn all_edges() -> &'static [u64] {
    static ALL: LazyLock<Vec<u64>> = LazyLock::new(|| {
        let mut all: Vec<u64> = STEPS.into_iter().flat_map(edges_of).collect();
        all.sort_unstable();
        all.dedup();
        all.retain(|edge| *edge < u64::MAX);
        all
    });
    &ALL
}

/// The edges of one scale in all decades.
fn edges_of(steps: &[f64]) -> Vec<u64> {
    let edge = |decade: i32, step: f64| (step * 10_f64.powi(decade)).round() as u64;
    let mut all: Vec<u64> =
        (0..=19).flat_map(|decade| steps.iter().map(move |&step| edge(decade, step))).collect();
    // Fine steps in the first decade are less than 1 apart, so they would be repeated.
    all.dedup();
    all
}

fn edges_in(steps: &[f64], least: u64, most: u64) -> Vec<u64> {
    let all = edges_of(steps);
    let first = all.partition_point(|&edge| edge <= least.max(1)) - 1;
    let last = all.partition_point(|&edge| edge <= most.max(1)).min(all.len() - 1);
    all[first..=last].to_vec()
}

/// Lists the decades (1, 10, 100, ... nanoseconds) from the last one that is at most `least` to the first
/// one that is at least `most`. There are at least two.
pub(super) fn decades(least: u64, most: u64) -> Vec<u64> {
    let (low, high) = (least.max(1).ilog10(), most.max(1).ilog10());
    let high = if most > 10_u64.pow(high) { high + 1 } else { high };
    (low..=high.max(low + 1)).map(|power| 10_u64.saturating_pow(power)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_proportional_to_the_counts() {
        let times = (0..1000).map(|index| if index < 750 { 1_000 } else { 2_000 }).collect();
        let text = text_histogram(&[("x".to_owned(), times)]);
        let blocks: Vec<usize> =
            text.lines().map(|line| line.chars().filter(|&block| block == '█').count()).collect();
        // The title, then the rows from 1 µs to 1.8 µs. The two rows in the middle are empty.
        assert_eq!(blocks, [0, 42, 0, 0, 14], "{text}");
        assert!(text.lines().nth(1).unwrap().ends_with("750  75.00 %"), "{text}");
    }

    #[test]
    fn lines_fit_into_80_columns() {
        let times: Distribution = (0..60).map(|power| (1.8_f64.powi(power)) as u64).collect();
        let text = text_histogram(&[("lockstep-portable".to_owned(), times)]);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.lines().count() <= 1 + MOST_ROWS, "{text}");
    }

    #[test]
    fn every_time_is_in_a_bucket() {
        let (quick, slow): (Distribution, Distribution) =
            ([0, 1, 2].into_iter().collect(), [10; 7].into_iter().collect());
        let edges = edges(0, 10, MOST_ROWS);
        for times in [quick, slow] {
            assert_eq!(counts(&times, &edges).iter().sum::<u64>(), times.len());
        }
    }
}

#[cfg(test)]
mod log_scale_tests {
    use super::*;

    #[test]
    fn edges_are_as_fine_as_the_number_of_rows_allows() {
        assert_eq!(edges(100, 199, 20), [100, 120, 150, 180, 220]);
        assert_eq!(edges(100, 199, 3), [100, 150, 200]);
        assert_eq!(edges(99, 100, 20), [82, 100, 120]);
        assert_eq!(edges(0, 8, 20), [1, 2, 3, 4, 5, 6, 7, 8, 10]);
        assert_eq!(edges(44, 954_000, 20).len(), 15);
        assert_eq!(edges(0, u64::MAX, 5).len(), 20);
    }

    #[test]
    fn edges_enclose_the_times() {
        for (least, most) in [(1, 1), (7, 7), (10, 10), (44, 1_000_000), (999, 12_345_678_901)] {
            let edges = edges(least, most, 20);
            assert!(edges[0] <= least && *edges.last().unwrap() > most, "{edges:?}");
            assert!(edges.is_sorted() && edges.len() <= 21, "{edges:?}");
        }
    }

    #[test]
    fn decades_enclose_the_times() {
        assert_eq!(decades(44, 954_000), [10, 100, 1_000, 10_000, 100_000, 1_000_000]);
        assert_eq!(decades(100, 1000), [100, 1000]);
        assert_eq!(decades(0, 0), [1, 10]);
        assert_eq!(decades(5, 10), [1, 10]);
    }
}
