//! Histograms for a terminal.

use std::fmt;

use gridmill_data::bench::Distribution;
use indicatif::HumanCount;

use super::log_scale::edges;
use gridmill_data::output::duration;

/// Rows of a histogram, at most.
const MOST_ROWS: usize = 20;

/// Characters of the longest bar.
const BAR: usize = 42;

/// Ends of bars, by the eighth of a character.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The times of puzzles by engine, as bars of block characters over logarithmic buckets, which are the same
/// for all engines. No line is longer than 80 characters, but for long names.
///
/// ```
/// use gridmill_report::TextHistogram;
///
/// let histogram = TextHistogram::new(vec![("bitmask".to_owned(), [900, 1_000, 1_100].into_iter().collect())]);
/// let text = histogram.to_string();
/// assert!(text.starts_with("bitmask  p50 1.00 µs"), "{text}");
/// assert!(text.contains('█'));
/// ```
#[derive(Clone, Debug)]
pub struct TextHistogram {
    engines: Vec<(String, Distribution)>,
    edges: Vec<u64>,
}

impl TextHistogram {
    /// Returns histograms of engines, each with its name.
    #[must_use]
    pub fn new(engines: Vec<(String, Distribution)>) -> TextHistogram {
        let least = engines.iter().map(|(_, times)| times.least()).min().unwrap_or(0);
        let most = engines.iter().map(|(_, times)| times.most()).max().unwrap_or(0);
        TextHistogram { engines, edges: edges(least, most, MOST_ROWS) }
    }

    /// Returns how many times are in each bucket.
    fn counts(&self, times: &Distribution) -> Vec<u64> {
        let mut counts = vec![0; self.edges.len() - 1];
        for (nanos, count) in times.values() {
            // Times below the resolution of the clock are in the first bucket.
            let above = self.edges.partition_point(|&edge| edge <= nanos);
            counts[above.saturating_sub(1)] += count;
        }
        counts
    }

    fn rows(&self, times: &Distribution, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts(times);
        let most = counts.iter().copied().max().unwrap_or(0).max(1);
        let first = counts.iter().position(|&count| count > 0).unwrap_or(0);
        let last = counts.iter().rposition(|&count| count > 0).unwrap_or(0);
        for (&edge, &count) in self.edges.iter().zip(&counts).skip(first).take(last - first + 1) {
            let share = 100.0 * count as f64 / times.len() as f64;
            let (bar, count) = (bar(count, most, BAR), HumanCount(count).to_string());
            writeln!(f, "≥ {:>8} │{bar:<BAR$} {count:>11} {share:>6.2} %", duration(edge))?;
        }
        Ok(())
    }
}

/// Returns a bar of a length in proportion to the greatest count, which has `width` characters: at least an eighth of a
/// character, if the count is not 0.
pub fn bar(count: u64, most: u64, width: usize) -> String {
    let eighths = (8.0 * width as f64 * count as f64 / most as f64).round() as usize;
    let eighths = eighths.max(usize::from(count > 0));
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

impl fmt::Display for TextHistogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, times)) in self.engines.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            let [p50, p90, p99] = [0.5, 0.9, 0.99].map(|share| duration(times.within(share)));
            writeln!(f, "{name}  p50 {p50}  p90 {p90}  p99 {p99}  max {}", duration(times.most()))?;
            self.rows(times, f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_proportion() {
        let times = (0..1000).map(|index| if index < 750 { 1_000 } else { 2_000 }).collect();
        let text = TextHistogram::new(vec![("x".to_owned(), times)]).to_string();
        let blocks: Vec<usize> =
            text.lines().map(|line| line.chars().filter(|&block| block == '█').count()).collect();
        // The title, then the rows from 1 µs to 1.8 µs, of which the two in the middle are empty.
        assert_eq!(blocks, [0, 42, 0, 0, 14], "{text}");
        assert!(text.lines().nth(1).unwrap().ends_with("750  75.00 %"), "{text}");
    }

    #[test]
    fn no_line_is_longer_than_a_terminal() {
        let times: Distribution = (0..60).map(|power| (1.8_f64.powi(power)) as u64).collect();
        let text = TextHistogram::new(vec![("lockstep-portable".to_owned(), times)]).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.lines().count() <= 1 + MOST_ROWS, "{text}");
    }

    #[test]
    fn every_time_is_in_a_bucket() {
        let (quick, slow): (Distribution, Distribution) =
            ([0, 1, 2].into_iter().collect(), [10; 7].into_iter().collect());
        let histogram = TextHistogram::new(vec![("a".to_owned(), quick), ("b".to_owned(), slow)]);
        for (_, times) in &histogram.engines {
            assert_eq!(histogram.counts(times).iter().sum::<u64>(), times.len());
        }
    }
}
