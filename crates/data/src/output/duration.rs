//! Durations as text.

/// Returns a duration with three figures and a unit.
pub fn duration(nanos: u64) -> String {
    let (value, unit) = match nanos {
        0..1_000 => return format!("{nanos} ns"),
        1_000..1_000_000 => (nanos as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (nanos as f64 / 1e6, "ms"),
        _ => (nanos as f64 / 1e9, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

/// Returns a duration with as few figures as it needs: 1 µs, 20 ms.
pub fn short_duration(nanos: u64) -> String {
    let unit = [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000), ("ns", 1)];
    let unit = unit.into_iter().find(|&(_, size)| nanos >= size && nanos.is_multiple_of(size));
    unit.map_or_else(|| "0 ns".to_owned(), |(name, size)| format!("{} {name}", nanos / size))
}

/// Returns a duration in the greatest unit that it reaches, with all its figures: 820 ns, 1.2 µs.
pub fn exact_duration(nanos: u64) -> String {
    let unit = [("s", 1_000_000_000_u64), ("ms", 1_000_000), ("µs", 1_000)];
    let unit = unit.into_iter().find(|&(_, size)| nanos >= size);
    unit.map_or_else(
        || format!("{nanos} ns"),
        |(name, size)| format!("{} {name}", nanos as f64 / size as f64),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_durations_say_no_more_than_they_must() {
        let shown = [0, 1, 200, 1_000, 1_500, 20_000_000, 100_000_000_000].map(short_duration);
        assert_eq!(shown, ["0 ns", "1 ns", "200 ns", "1 µs", "1500 ns", "20 ms", "100 s"]);
    }

    #[test]
    fn exact_durations_keep_all_figures() {
        let shown = [0, 820, 1_000, 1_200, 15_000, 390_000_000, 2_000_000_000].map(exact_duration);
        assert_eq!(shown, ["0 ns", "820 ns", "1 µs", "1.2 µs", "15 µs", "390 ms", "2 s"]);
    }

    #[test]
    fn durations_have_three_figures() {
        let shown: Vec<_> =
            [7, 999, 1_000, 12_345, 123_456, 1_234_567, 98_765_432_100].into_iter().map(duration).collect();
        assert_eq!(shown, ["7 ns", "999 ns", "1.00 µs", "12.3 µs", "123 µs", "1.23 ms", "98.8 s"]);
    }
}
