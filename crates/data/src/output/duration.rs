//! Durations as text.

const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000), ("ns", 1)];

/// Returns the greatest unit that a duration reaches, and the nanoseconds in it.
fn unit_of(nanos: u64) -> (&'static str, u64) {
    UNITS.into_iter().find(|&(_, size)| nanos >= size).unwrap_or(("ns", 1))
}

/// Returns a duration with three figures and a unit.
pub fn duration(nanos: u64) -> String {
    let (unit, size) = unit_of(nanos);
    let value = nanos as f64 / size as f64;
    let decimals = match value {
        _ if size == 1 => 0,
        value if value < 10.0 => 2,
        value => usize::from(value < 100.0),
    };
    format!("{value:.decimals$} {unit}")
}

/// Returns a duration with as few figures as it needs: 1 µs, 20 ms.
pub fn short_duration(nanos: u64) -> String {
    let whole = UNITS.into_iter().find(|&(_, size)| nanos >= size && nanos.is_multiple_of(size));
    let (unit, size) = whole.unwrap_or(("ns", 1));
    format!("{} {unit}", nanos / size)
}

/// Returns a duration in the greatest unit that it reaches, with all its figures: 820 ns, 1.2 µs.
pub fn exact_duration(nanos: u64) -> String {
    let (unit, size) = unit_of(nanos);
    format!("{} {unit}", nanos as f64 / size as f64)
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
