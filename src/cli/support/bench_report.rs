//! The output of `gridmill bench`: the table, and more about engines and times.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use indicatif::HumanCount;

use super::interrupt::end_on_interrupt;
use super::puzzle_files::PuzzleFile;
use crate::bench::{Distribution, Measurement};
use crate::error::{Error, ErrorKind};
use crate::output::{
    Destination, Detail, Export, MeasurementTable, Panel, Plot, TextHistogram, eprint_message,
};

/// What to say. Where the table is for programs, all else goes to standard error.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    export: Export,

    /// Say more about engines and puzzles: backend, memory, and rows, nodes and bytes of the exact-cover
    /// matrix that dancing-links searches
    #[arg(long)]
    pub(crate) detail: bool,

    /// Print histograms of the times of single puzzles. They are taken in up to nine rounds of their own, and
    /// the median of each puzzle counts. A puzzle of lockstep is charged its share of the steps that it made
    /// together with others
    #[arg(long)]
    histogram: bool,

    /// Draw the same times as SVG: for each engine, the share of the puzzles solved within a time; a panel for
    /// each file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// A file that was measured.
pub(crate) struct Measured {
    pub(crate) file: String,
    pub(crate) puzzles: usize,
    pub(crate) measurements: Vec<Measurement>,
    pub(crate) detail: Option<Detail>,
}

/// All measurements, and how they were made.
pub(crate) struct Report<'a> {
    pub(crate) circumstances: &'a str,
    pub(crate) measured: &'a [Measured],
}

impl ReportArgs {
    /// Returns whether the times of single puzzles are to be shown.
    pub(crate) fn wants_times(&self) -> bool {
        self.histogram || self.plot.is_some()
    }

    /// Opens the plot before anything is measured, to know that it can be written. Ctrl-C then leaves nothing
    /// of it.
    pub(crate) fn open_plot(&self, files: &[PuzzleFile]) -> Result<Option<Destination>, Error> {
        let Some(path) = &self.plot else { return Ok(None) };
        let inputs: Vec<&File> = files.iter().filter_map(|file| file.input.file()).collect();
        end_on_interrupt();
        Destination::open_beside(Some(path), &inputs).map(Some)
    }

    pub(crate) fn print(&self, report: &Report<'_>) -> Result<(), Error> {
        let (table, more) = (report.table(self.export), self.more(report.measured));
        let text = match self.export {
            Export::Table => format!("{}\n{}\n\n{table}{more}", version(), report.circumstances),
            _ => {
                eprint_message(more);
                table
            }
        };
        io::stdout().write_all(text.as_bytes()).map_err(|error| ErrorKind::Write { error }.into())
    }

    /// Returns what was asked for beside the table: file by file, each behind a blank line.
    fn more(&self, measured: &[Measured]) -> String {
        let mut text = String::new();
        for of_file in measured {
            if let Some(detail) = &of_file.detail {
                text += &format!("\n{}: detail\n\n{detail}", of_file.title());
            }
            if self.histogram {
                let histogram = TextHistogram::new(of_file.times());
                text += &format!("\n{}: time per puzzle\n\n{histogram}", of_file.title());
            }
        }
        text
    }
}

impl Report<'_> {
    fn table(&self, export: Export) -> String {
        let mut measurements = MeasurementTable::default();
        for of_file in self.measured {
            of_file.measurements.iter().for_each(|measurement| measurements.add(&of_file.file, measurement));
        }
        measurements.to_text(export)
    }

    /// Draws the plot, if one was asked for.
    pub(crate) fn draw(&self, destination: Option<Destination>) -> Result<(), Error> {
        let Some(mut destination) = destination else { return Ok(()) };
        let panel = |of_file: &Measured| Panel { title: of_file.title(), curves: of_file.times() };
        let plot = Plot {
            title: "Time per puzzle, by engine".to_owned(),
            subtitle: format!("gridmill {}, {}", env!("CARGO_PKG_VERSION"), self.circumstances),
            panels: self.measured.iter().map(panel).collect(),
        };
        let written = destination.write_all(plot.to_svg().as_bytes());
        written.map_err(|error| ErrorKind::Write { error })?;
        destination.commit()
    }
}

impl Measured {
    fn title(&self) -> String {
        let plural = if self.puzzles == 1 { "" } else { "s" };
        format!("{}, {} puzzle{plural}", self.file, HumanCount(self.puzzles as u64))
    }

    fn times(&self) -> Vec<(String, Distribution)> {
        let of = |measurement: &Measurement| (measurement.contender.to_string(), measurement.distribution());
        self.measurements.iter().map(of).collect()
    }
}

fn version() -> String {
    format!("gridmill {}, {}", env!("CARGO_PKG_VERSION"), env!("GRIDMILL_COMPILER"))
}
