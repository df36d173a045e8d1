//! The progress bar of `generate`.

use std::fmt::{self, Write};
use std::io::{IsTerminal, stderr, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Puzzles, and seconds, after which the time that is left can be estimated.
const MEANINGFUL: (u64, u64) = (20, 2);

/// Returns a bar for so many puzzles, which draws itself ten times a second. `attempts` counts on as they are
/// made. There is no bar where it would be drawn between rows at a terminal.
pub(crate) fn bar(count: u64, attempts: Arc<AtomicU64>, quiet: bool, rows_to_stdout: bool) -> ProgressBar {
    if quiet || !stderr().is_terminal() || rows_to_stdout && stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let text = move |state: &ProgressState, text: &mut dyn Write| {
        let attempts = attempts.load(Ordering::Relaxed);
        // A failure to write is that of the bar alone.
        let _ = write_progress(text, [state.pos(), count, attempts], state.elapsed());
    };
    let style = ProgressStyle::with_template("{bar:30} {progress}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("progress", text);
    let target = ProgressDrawTarget::stderr_with_hz(10);
    let bar = ProgressBar::with_draw_target(Some(count), target).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Writes how many puzzles of the wanted ones were found in how many attempts, and the time that is left by the
/// mean rate, once there is one.
fn write_progress(
    text: &mut dyn Write,
    [found, wanted, attempts]: [u64; 3],
    elapsed: Duration,
) -> fmt::Result {
    let [found_text, wanted_text, attempts] = [found, wanted, attempts].map(HumanCount);
    let gone = HumanDuration(Duration::from_secs(elapsed.as_secs()));
    write!(text, "{found_text} of {wanted_text} puzzles, {attempts} attempts  {gone:#} gone")?;
    if found < MEANINGFUL.0 || elapsed.as_secs() < MEANINGFUL.1 {
        return Ok(());
    }
    let left = elapsed.as_secs_f64() / found as f64 * wanted.saturating_sub(found) as f64;
    // Of more than a year nothing useful can be said.
    match Duration::try_from_secs_f64(left) {
        Ok(left) if left.as_secs() < 31_536_000 => write!(text, ", about {:#} to go", HumanDuration(left)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_when_it_is_known() {
        let text = |counts, seconds| {
            let mut text = String::new();
            write_progress(&mut text, counts, Duration::from_secs(seconds)).unwrap();
            text
        };
        assert_eq!(text([0, 1000, 4096], 9), "0 of 1,000 puzzles, 4,096 attempts  9s gone");
        assert_eq!(text([19, 1000, 50], 9), "19 of 1,000 puzzles, 50 attempts  9s gone");
        assert_eq!(text([100, 1000, 50], 1), "100 of 1,000 puzzles, 50 attempts  1s gone");
        let known = "500 of 1,000 puzzles, 600 attempts  10s gone, about 10s to go";
        assert_eq!(text([500, 1000, 600], 10), known);
        assert!(!text([20, u64::MAX, 600], 10).contains("to go"));
    }
}
