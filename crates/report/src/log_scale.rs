//! A logarithmic scale for times and other whole numbers.

use std::sync::LazyLock;

/// Steps within a decade, from coarse to fine, at about equal ratios.
const STEPS: [&[f64]; 4] = [
    &[1.0],
    &[1.0, 2.0, 5.0],
    &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
    &[1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2],
];

/// Returns the edges of buckets: the first at or below all numbers, the last above them.
pub(super) fn edges(least: u64, most: u64, most_buckets: usize) -> Vec<u64> {
    let finest_first = STEPS.iter().rev().map(|steps| edges_in(steps, least, most));
    let coarsest = || edges_in(STEPS[0], least, most);
    finest_first.into_iter().find(|edges| edges.len() <= most_buckets + 1).unwrap_or_else(coarsest)
}

/// Returns the edges of every scale together, from 1 up, but for the greatest number.
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

/// Returns the edges of one scale in all decades.
fn edges_of(steps: &[f64]) -> Vec<u64> {
    let edge = |decade: i32, step: f64| (step * 10_f64.powi(decade)).round() as u64;
    let mut all: Vec<u64> =
        (0..=19).flat_map(|decade| steps.iter().map(move |&step| edge(decade, step))).collect();
    // Fine steps of the first decade are less than 1 apart.
    all.dedup();
    all
}

fn edges_in(steps: &[f64], least: u64, most: u64) -> Vec<u64> {
    let all = edges_of(steps);
    let first = all.partition_point(|&edge| edge <= least.max(1)) - 1;
    let last = all.partition_point(|&edge| edge <= most.max(1)).min(all.len() - 1);
    all[first..=last].to_vec()
}

/// Returns the decades (1, 10, 100, ... nanoseconds) from the last one at or below `least` to the first one
/// at or above `most`, at least two.
pub(super) fn decades(least: u64, most: u64) -> Vec<u64> {
    let (low, high) = (least.max(1).ilog10(), most.max(1).ilog10());
    let high = if most > 10_u64.pow(high) { high + 1 } else { high };
    (low..=high.max(low + 1)).map(|power| 10_u64.saturating_pow(power)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_as_fine_as_there_is_room() {
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
