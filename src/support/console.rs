//! The progress bar and the diagnostics of a run, on standard error.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gridmill_data::error::Position;
use gridmill_data::output::{CountedBefore, RowOutput};
use gridmill_data::record::{ChunkReport, Diagnostic, Observer, Problem, StatusCounts};
use gridmill_data::text::{FaultAdvice, no_advice};
use gridmill_report::eprint_message;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows the progress and the diagnostics of a run on standard error.
#[derive(Debug)]
pub(crate) struct Console {
    name: PathBuf,
    bar: ProgressBar,
    /// How many bytes of the input have been read, where that differs from the bytes of text.
    position: Option<Arc<AtomicU64>>,
    /// Diagnostics that may still be printed; `None` to print none.
    room: Option<usize>,
    unprinted: u64,
    records: u64,
    advice: FaultAdvice,
    /// Where in the input the part begins that is read.
    begin: u64,
    /// What is in front of it.
    before: Option<CountedBefore>,
}

impl Console {
    /// Makes a console for an input of that name and length, with a bar if `progress` is set. It prints up to
    /// `diagnostics` diagnostics and counts the rest; with `None` it prints none.
    #[must_use]
    pub(crate) fn new(
        name: PathBuf,
        len: Option<u64>,
        progress: bool,
        diagnostics: Option<usize>,
    ) -> Console {
        let target =
            if progress { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
        let template = match len {
            Some(_) => "{bar:30} {percent:>3} %  {msg} puzzles  {elapsed} gone, {eta} to go",
            None => "{spinner} {msg} puzzles  {binary_bytes} read  {elapsed} gone",
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(len, target).with_style(style);
        Console {
            name,
            bar,
            position: None,
            room: diagnostics,
            unprinted: 0,
            records: 0,
            advice: no_advice,
            begin: 0,
            before: None,
        }
    }

    /// Adds advice about faults to the diagnostics.
    #[must_use]
    pub(crate) fn with_advice(self, advice: FaultAdvice) -> Console {
        Console { advice, ..self }
    }

    /// Measures progress by a shared position, such as that in a compressed file.
    #[must_use]
    pub(crate) fn with_position(self, position: Option<Arc<AtomicU64>>) -> Console {
        Console { position, ..self }
    }

    /// Takes the part of the input that is read: where it begins, and what is in front of it, which is added to the
    /// numbers of records and lines.
    #[must_use]
    pub(crate) fn with_part(self, begin: u64, before: Option<CountedBefore>) -> Console {
        Console { begin, before, ..self }
    }

    /// Removes the bar, and prints how many diagnostics were not printed.
    pub(crate) fn finish(&mut self) {
        self.bar.finish_and_clear();
        if self.unprinted > 0 {
            let shown = indicatif::HumanCount(self.unprinted);
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
        let before = self.before.as_ref().map(CountedBefore::totals).unwrap_or_default();
        let position = Position {
            path: self.name.clone(),
            record: before.records + diagnostic.record,
            line: before.lines + diagnostic.line,
            column: diagnostic.column,
        };
        let advice = match diagnostic.problem {
            Problem::Fault(fault) => (self.advice)(fault.kind),
            Problem::Conflict(_) => "",
        };
        let message =
            format_args!("{position}: record {}: {}{advice}\n", position.record, diagnostic.problem);
        self.bar.suspend(|| eprint_message(message));
    }
}

impl Observer for Console {
    fn written(&mut self, chunk: &ChunkReport) {
        for diagnostic in &chunk.diagnostics {
            self.report_diagnostic(diagnostic);
        }
        self.records = chunk.before.records + chunk.size.records;
        if !self.bar.is_hidden() {
            let rate = self.records as f64 / self.bar.elapsed().as_secs_f64().max(1e-3);
            let (done, rate) = (indicatif::HumanCount(self.records), indicatif::HumanCount(rate as u64));
            self.bar.set_message(format!("{done} ({rate}/s)"));
        }
        let read = self.position.as_ref().map(|position| position.load(Ordering::Relaxed));
        self.bar.set_position(read.unwrap_or(chunk.before.bytes + chunk.size.bytes - self.begin));
    }
}

/// Tells a console what was written, and the journal of an output, if there is one; and counts the records.
pub(crate) struct Watched<'a> {
    pub(crate) console: Console,
    pub(crate) journal: Option<&'a RowOutput>,
    pub(crate) counts: StatusCounts,
}

impl Observer for Watched<'_> {
    fn written(&mut self, chunk: &ChunkReport) {
        self.counts.merge(&chunk.statuses);
        self.console.written(chunk);
        if let Some(output) = self.journal {
            output.written(chunk);
        }
    }
}
