//! The progress and the diagnostics of a run, on standard error.

use std::fmt::{self, Write};
use std::io::{IsTerminal, stderr, stdout};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gridmill_data::error::Position;
use gridmill_data::output::RowOutput;
use gridmill_data::pipeline::{Input, RecordsBeforePart};
use gridmill_data::record::{ChunkReport, Diagnostic, Observer, StatusCounts};
use gridmill_report::eprint_message;
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::command_error::with_advice;

/// Shows progress and diagnostics on standard error, counts records, and reports written chunks to the
/// journal of the output, if it has one.
#[derive(Debug)]
pub(crate) struct Console<'o> {
    name: PathBuf,
    pub(crate) bar: ProgressBar,
    /// The number of written records, and the time when this number was reached.
    reached: Arc<Mutex<(u64, Duration)>>,
    /// The number of bytes read from the input, if it differs from the length of the text, e.g. because the
    /// input is compressed.
    position: Option<Arc<AtomicU64>>,
    /// How many more diagnostics may be printed; `None` to print none.
    room: Option<usize>,
    unprinted: u64,
    records: u64,
    /// The start of the part of the input that is read.
    begin: u64,
    /// The counts of records and lines before that part.
    before: Option<RecordsBeforePart>,
    output: Option<&'o RowOutput>,
    /// The number of records of each status.
    pub(crate) counts: StatusCounts,
}

impl<'o> Console<'o> {
    /// Makes a console for a run over an input, with a bar if `progress` is set. It prints up to
    /// `diagnostics` diagnostics and counts the rest; with `None` it prints none. It updates the journal of
    /// the output.
    pub(crate) fn new(
        input: &Input,
        progress: bool,
        diagnostics: Option<usize>,
        output: Option<&'o RowOutput>,
    ) -> Console<'o> {
        let len = input.known_len();
        let template = match len {
            Some(_) => "{bar:30} {percent:>3} %  {msg} puzzles  {elapsed} gone, {eta} to go{record_in_hand}",
            None => "{spinner} {msg} puzzles  {binary_bytes} read  {elapsed} gone",
        };
        let reached = Arc::new(Mutex::new((0, Duration::ZERO)));
        let shown = reached.clone();
        let record_in_hand = move |state: &ProgressState, text: &mut dyn Write| {
            // The error is ignored, because only the bar is affected.
            let _ = write_delay(text, *lock(&shown), state.elapsed());
        };
        let bar = new_bar(len, progress, style(template).with_key("record_in_hand", record_in_hand));
        if progress {
            bar.set_message("0");
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Console {
            name: input.name().to_owned(),
            bar,
            reached,
            position: input.position(),
            room: diagnostics,
            unprinted: 0,
            records: 0,
            begin: input.part_start(),
            before: input.before_part(),
            output,
            counts: StatusCounts::default(),
        }
    }

    /// Whether the output has a journal.
    pub(crate) fn has_journal(&self) -> bool {
        self.output.is_some_and(RowOutput::has_journal)
    }

    /// Removes the bar, and prints how many diagnostics were left out.
    pub(crate) fn finish(&mut self) {
        self.bar.finish_and_clear();
        if self.unprinted > 0 {
            let shown = HumanCount(self.unprinted);
            eprint_message(format_args!(
                "… and {shown} more that are malformed or in conflict: gridmill verify lists them all\n"
            ));
            self.unprinted = 0;
        }
    }

    fn report_diagnostic(&mut self, diagnostic: &Diagnostic) {
        let Some(room) = &mut self.room else { return };
        if *room == 0 {
            self.unprinted += 1;
            return;
        }
        *room -= 1;
        let before = self.before.as_ref().map(RecordsBeforePart::totals).unwrap_or_default();
        let position = Position {
            path: self.name.clone(),
            record: before.records + diagnostic.record,
            line: before.lines + diagnostic.line,
            column: diagnostic.column,
        };
        let problem = with_advice(diagnostic.problem);
        let message = format_args!("{position}: record {}: {problem}\n", position.record);
        self.bar.suspend(|| eprint_message(message));
    }
}

impl Observer for Console<'_> {
    fn written(&mut self, chunk: &ChunkReport) {
        self.counts.merge(&chunk.statuses);
        for diagnostic in &chunk.diagnostics {
            self.report_diagnostic(diagnostic);
        }
        self.records = chunk.before.records + chunk.size.records;
        if !self.bar.is_hidden() {
            *lock(&self.reached) = (self.records, self.bar.elapsed());
            let rate = self.records as f64 / self.bar.elapsed().as_secs_f64().max(1e-3);
            let (done, rate) = (HumanCount(self.records), HumanCount(rate as u64));
            self.bar.set_message(format!("{done} ({rate}/s)"));
        }
        let read = self.position.as_ref().map(|position| position.load(Ordering::Relaxed));
        self.bar.set_position(read.unwrap_or(chunk.before.bytes + chunk.size.bytes - self.begin));
        if let Some(output) = self.output {
            output.written(chunk);
        }
    }
}

/// Locks the state of a bar. A poisoned lock is fine, because a panic can't leave the state half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// If a record takes longer than this, the bar names it.
const LONG: Duration = Duration::from_secs(2);

/// Writes which record holds up all others, and for how long, if it takes long, e.g. ", 5s at record 1,001".
fn write_delay(text: &mut dyn Write, (written, since): (u64, Duration), elapsed: Duration) -> fmt::Result {
    let time = elapsed.saturating_sub(since);
    if time < LONG {
        return Ok(());
    }
    let time = HumanDuration(Duration::from_secs(time.as_secs()));
    write!(text, ", {time:#} at record {}", HumanCount(written + 1))
}

/// Makes a bar, which is drawn only if `is_shown` is set.
pub(crate) fn new_bar(len: Option<u64>, is_shown: bool, style: ProgressStyle) -> ProgressBar {
    let target = if is_shown { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
    ProgressBar::with_draw_target(len, target).with_style(style)
}

/// The style of a bar.
pub(crate) fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The numbers of puzzles and of seconds after which the remaining time can be estimated.
const MEANINGFUL: (u64, u64) = (20, 2);

/// Makes a bar for `count` puzzles, which is drawn ten times per second. It also shows `attempts`, which
/// other threads increase. There is no bar if rows appear on the same terminal, because they would mix.
pub(crate) fn making_bar(
    count: u64,
    attempts: Arc<AtomicU64>,
    quiet: bool,
    rows_to_stdout: bool,
) -> ProgressBar {
    if quiet || !stderr().is_terminal() || rows_to_stdout && stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let text = move |state: &ProgressState, text: &mut dyn Write| {
        let attempts = attempts.load(Ordering::Relaxed);
        // The error is ignored, because only the bar is affected.
        let _ = write_progress(text, [state.pos(), count, attempts], state.elapsed());
    };
    let bar = new_bar(Some(count), true, style("{bar:30} {progress}").with_key("progress", text));
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Writes the numbers of found puzzles and attempts. It adds the remaining time by the mean rate, if enough
/// puzzles have been found for an estimate.
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
    // An estimate of more than a year would not be useful.
    match Duration::try_from_secs_f64(left) {
        Ok(left) if left.as_secs() < 31_536_000 => write!(text, ", about {:#} to go", HumanDuration(left)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_that_holds_up_all_others_is_named() {
        let text = |written, since, elapsed| {
            let mut text = String::new();
            let [since, elapsed] = [since, elapsed].map(Duration::from_millis);
            write_delay(&mut text, (written, since), elapsed).unwrap();
            text
        };
        assert_eq!(text(16, 1000, 2999), "");
        assert_eq!(text(16, 1000, 26_500), ", 25s at record 17");
        assert_eq!(text(1999, 5000, 4000), "");
        assert_eq!(text(1999, 0, 61_000), ", 61s at record 2,000");
    }

    #[test]
    fn the_time_left_is_shown_when_it_is_known() {
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
