//! Times as people read them.

/// Three figures and a unit.
pub(super) fn duration(nanos: u64) -> String {
    let (value, unit) = match nanos {
        0..1_000 => return format!("{nanos} ns"),
        1_000..1_000_000 => (nanos as f64 / 1e3, "µs"),
        1_000_000..1_000_000_000 => (nanos as f64 / 1e6, "ms"),
        _ => (nanos as f64 / 1e9, "s"),
    };
    let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.decimals$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_figures() {
        let shown: Vec<_> =
            [7, 999, 1_000, 12_345, 123_456, 1_234_567, 98_765_432_100].into_iter().map(duration).collect();
        assert_eq!(shown, ["7 ns", "999 ns", "1.00 µs", "12.3 µs", "123 µs", "1.23 ms", "98.8 s"]);
    }
}
