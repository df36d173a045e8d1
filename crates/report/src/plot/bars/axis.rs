//! The labels and lines at the axes of a plot.

use indicatif::HumanCount;

/// Lines across the plot, at most, without the ground.
const MOST_RULES: u64 = 4;

/// The least space between two labels.
const SPACE: f64 = 7.0;

/// Where a label may stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) center: f64,
    pub(super) width: f64,
    /// How soon it gives way: 0 stays longest.
    pub(super) rank: u8,
}

/// Returns the counts at which there is a line across the plot: multiples of 1, 2 or 5 and a power of ten.
pub(super) fn rules(most: u64) -> Vec<u64> {
    let steps = (0..19).flat_map(|power| [1, 2, 5].map(|step| step * 10_u64.pow(power)));
    let step = steps.into_iter().find(|step| most / step <= MOST_RULES).unwrap_or(most);
    (1..=most / step).map(|index| index * step).collect()
}

/// Returns a count as short as can be: 9,500, 20k, 1.5M.
pub(crate) fn short_count(count: u64) -> String {
    let unit = [("G", 1_000_000_000), ("M", 1_000_000), ("k", 1_000)];
    match unit.into_iter().find(|(_, size)| count >= 10_000 && count >= *size) {
        Some((name, size)) => format!("{}{name}", count as f64 / size as f64),
        None => HumanCount(count).to_string(),
    }
}

/// Returns the indices of the labels that have room: all of as many ranks as there may be, or if there is no room for all
/// of the first rank, some of them at equal distances.
pub(super) fn with_room(places: &[Place]) -> Vec<usize> {
    let up_to = |rank: u8| (0..places.len()).filter(|index| places[*index].rank <= rank).collect::<Vec<_>>();
    let highest = places.iter().map(|place| place.rank).max().unwrap_or(0);
    let fitting = (0..=highest).rev().map(up_to).find(|indices| has_room(places, indices));
    fitting.unwrap_or_else(|| {
        let first = up_to(0);
        let every = |step: usize| first.iter().copied().step_by(step).collect::<Vec<_>>();
        (2..=first.len()).map(every).find(|indices| has_room(places, indices)).unwrap_or_default()
    })
}

fn has_room(places: &[Place], indices: &[usize]) -> bool {
    indices.windows(2).all(|pair| {
        let (left, right) = (places[pair[0]], places[pair[1]]);
        right.center - left.center >= f64::midpoint(left.width, right.width) + SPACE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_at_round_counts() {
        assert_eq!(rules(1), [1]);
        assert_eq!(rules(9), [2, 4, 6, 8]);
        assert_eq!(rules(1_000), [500, 1_000]);
        assert_eq!(rules(4_321), [1_000, 2_000, 3_000, 4_000]);
        assert!(rules(u64::MAX).len() <= 4, "{:?}", rules(u64::MAX));
    }

    #[test]
    fn long_counts_are_shortened() {
        let shown = [0, 9_500, 20_000, 1_500_000, 3_000_000_000].map(short_count);
        assert_eq!(shown, ["0", "9,500", "20k", "1.5M", "3G"]);
    }

    #[test]
    fn labels_of_lower_rank_give_way() {
        let places = |distance: f64| -> Vec<Place> {
            let rank = |index: usize| u8::from(!index.is_multiple_of(5));
            (0..20)
                .map(|index| Place { center: distance * index as f64, width: 10.0, rank: rank(index) })
                .collect()
        };
        assert_eq!(with_room(&places(20.0)).len(), 20);
        assert_eq!(with_room(&places(4.0)), [0, 5, 10, 15]);
        assert_eq!(with_room(&places(2.0)), [0, 10]);
        assert!(with_room(&[]).is_empty());
    }
}
