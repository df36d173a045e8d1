//! The output of `gridmill bench`: the table, and details of engines and times.

use std::collections::HashSet;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use clap::Args;
use gridmill_core::grid::Grid;
use gridmill_core::simd::Backend;
use gridmill_core::solver::dancing_links::MatrixSize;
use gridmill_core::solver::{DancingLinks, Engine};
use gridmill_data::bench::{Contender, Distribution, Measurement, PuzzleCost, PuzzleSet};
use gridmill_data::error::Error;
use gridmill_data::output::{Destination, StandardOutput};
use gridmill_data::pipeline::Input;
use gridmill_report::{Panel, eprint_message, plot_svg, text_histogram};
use indicatif::{DecimalBytes, HumanCount};

use super::command_error::{refuse, report, same_output};
use super::measurement_table::{Circumstances, Export, MeasurementTable, Style, table};
use super::options::{file_name, up_to};
use super::outputs::{check_ending, finish_outputs, put};
use super::reading::PuzzleFile;
use super::summary::plural;
use crate::cli::End;

/// Options of the report. If the table is written for programs, everything else is written to standard error.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// How the table is written
    #[arg(long, value_enum, default_value_t)]
    to: Export,

    /// Say more about engines and puzzles: backend, memory, and rows, nodes and bytes of the exact-cover
    /// matrix that dancing-links searches
    #[arg(long)]
    pub(crate) detail: bool,

    /// Print this number of records that cost each engine the most guesses, with their times in the search that checks
    /// the answers. The puzzles are those that were measured: isomorphs, or with --no-permute those of the file
    #[arg(long, value_name = "K", value_parser = up_to(1_000_000))]
    pub(crate) hardest: Option<u64>,

    /// Print histograms of the times of single puzzles. They are taken in up to nine rounds of their own, and
    /// the median of each puzzle counts. A puzzle of lockstep is charged its share of the steps that it made
    /// together with others
    #[arg(long)]
    histogram: bool,

    /// Add percentiles of the times of single puzzles (see --histogram) to the table: p50, p90, p99 and the longest
    #[arg(long)]
    percentiles: bool,

    /// Save the measurements to this file, as --to json writes them, for --compare; compressed if its
    /// name ends in .gz, .zst or .xz
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Set the rates of an earlier run beside those of this one, from a file that --save or --to json
    /// wrote, compressed or not: a ratio above 1 is faster than before
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,

    /// Draw the times of single puzzles (see --histogram) as SVG: for each engine, the share of the puzzles solved within a time; a panel for
    /// each file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

/// The measurements of one file.
pub(crate) struct Measured<'a> {
    pub(crate) file: String,
    pub(crate) set: &'a PuzzleSet,
    pub(crate) measurements: Vec<Measurement>,
    pub(crate) detail: Option<String>,
    pub(crate) hardest: Option<String>,
}

/// All measurements, and their circumstances.
pub(crate) struct Report<'a> {
    pub(crate) circumstances: Circumstances,
    pub(crate) baseline: Option<MeasurementTable>,
    pub(crate) measured: Vec<Measured<'a>>,
}

impl ReportArgs {
    /// Whether the report shows times of single puzzles.
    pub(crate) fn wants_times(&self) -> bool {
        self.histogram || self.percentiles || self.plot.is_some()
    }

    /// Opens the files for the plot and the saved measurements. This happens before the measurements, so that
    /// a file that can't be written does not cost a long run.
    pub(crate) fn open(&self, files: &[PathBuf]) -> Result<[Option<Destination>; 2], Error> {
        if let Some(plot) = &self.plot {
            check_ending(plot, "svg", "--plot draws SVG")?;
        }
        let inputs: Vec<_> = files.iter().map(|path| file_name(Some(path))).collect();
        let open = |path: &Option<PathBuf>| {
            path.as_ref().map(|path| Destination::create_apart_from(Some(path), &inputs)).transpose()
        };
        let (plot, save) = (open(&self.plot)?, open(&self.save)?);
        match (&plot, &save, &self.save) {
            (Some(plot), Some(save), Some(path)) if plot.is_same(save) => Err(same_output(path)),
            _ => Ok([plot, save]),
        }
    }

    /// Reads the baseline, which must have been measured on the same puzzles. Prints which measurements it
    /// lacks, and where its circumstances differ, e.g. another number of threads.
    pub(crate) fn baseline(
        &self,
        files: &[(&PuzzleFile, Vec<Contender>)],
        circumstances: &Circumstances,
    ) -> Result<Option<MeasurementTable>, Error> {
        let Some(path) = &self.compare else { return Ok(None) };
        let text = String::from_utf8(Input::open(Some(path), false)?.read_all()?);
        let baseline =
            text.map_err(|error| error.to_string()).and_then(|text| MeasurementTable::from_json(&text));
        let name = path.display();
        let baseline = baseline.map_err(|reason| {
            Error::other(format!("{name}: it has no measurements that bench --save wrote: {reason}"))
        })?;
        for (file, _) in files {
            if baseline.has_other_puzzles(&file.short_name(), &file.set) {
                let file = file.name.display();
                return refuse(format!(
                    "{name}: it was measured on different puzzles from those that {file} has now: measure both again"
                ));
            }
        }
        report_missing(path, &baseline, files)?;
        let before = baseline.circumstances().into_iter();
        for (what, before, now) in before.flat_map(|before| before.differences(circumstances)) {
            report(format_args!("{name}: {what} was {before}, and is {now} now, so the ratios say little"));
        }
        Ok(Some(baseline))
    }

    pub(crate) fn print(&self, report: &Report<'_>, quiet: bool) -> Result<(), Error> {
        if report.measured.is_empty() {
            return Ok(());
        }
        let (table, more) = (report.table().to_text(self.to), self.more(&report.measured));
        let text = match self.to {
            Export::Table if quiet => format!("{table}{more}"),
            Export::Table => {
                let (version, compiler) = (env!("CARGO_PKG_VERSION"), env!("GRIDMILL_COMPILER"));
                format!("gridmill {version}, {compiler}\n{}\n\n{table}{more}", report.circumstances)
            }
            _ => {
                eprint_message(more);
                table
            }
        };
        put(&mut StandardOutput, text.as_bytes())
    }

    /// The details that the user asked for besides the table, file by file. Each begins with a blank line.
    fn more(&self, measured: &[Measured<'_>]) -> String {
        let mut text = String::new();
        for of_file in measured {
            if let Some(detail) = &of_file.detail {
                text += &format!("\n{}: detail\n\n{detail}", of_file.title());
            }
            if let Some(hardest) = &of_file.hardest {
                text += &format!("\n{}: the hardest\n\n{hardest}", of_file.title());
            }
            if self.histogram {
                let histogram = text_histogram(&of_file.times());
                text += &format!("\n{}: time per puzzle\n\n{histogram}", of_file.title());
            }
        }
        text
    }
}

/// Prints how many puzzles of a file have no solution or several, e.g. "2 of 100 puzzles have no solution".
/// If all have exactly one, it prints nothing.
pub(crate) fn report_improper(file: &str, checked: &Measurement) {
    let (none, several) = (checked.without_solution, checked.with_several.unwrap_or_default());
    let human = |count: usize| HumanCount(count as u64);
    let plural = if checked.puzzles == 1 { "" } else { "s" };
    let of_all = |count: usize| {
        let have = if count == 1 { "has" } else { "have" };
        format!("{} of {} puzzle{plural} {have}", human(count), human(checked.puzzles))
    };
    let text = match (none, several) {
        (0, 0) => return,
        (_, 0) => format!("{} no solution", of_all(none)),
        (0, _) => format!("{} several solutions", of_all(several)),
        _ => format!("{} no solution, {} several", of_all(none), human(several)),
    };
    report(format_args!("{file}: {text}"));
}

/// Prints how long each program takes to start, because its figures leave this out.
pub(crate) fn report_startup<'a>(file: &str, checked: impl Iterator<Item = &'a Measurement>) {
    for Measurement { contender, startup, .. } in checked {
        if let Some(seconds) = startup {
            let millis = 1e3 * seconds;
            report(format_args!(
                "{file}: {contender} takes {millis:.1} ms to start; its figures leave that out"
            ));
        }
    }
}

/// Prints which files and engines the baseline lacks, each once. If it lacks all of them, this is an error,
/// because there is nothing to compare.
fn report_missing(
    path: &Path,
    baseline: &MeasurementTable,
    files: &[(&PuzzleFile, Vec<Contender>)],
) -> Result<(), Error> {
    let mut missing = Vec::new();
    let mut wanted = 0;
    for (file, engines) in files {
        wanted += engines.len();
        let name = file.short_name();
        missing.extend(engines.iter().filter_map(|engine| baseline.lack(&name, &engine.to_string())));
    }
    if missing.len() == wanted {
        let path = path.display();
        return refuse(format!(
            "{path}: there is nothing to compare: it has no measurements of these engines on files with these names"
        ));
    }
    let mut reported = HashSet::new();
    for lack in missing.into_iter().filter(|lack| reported.insert(lack.clone())) {
        report(format_args!("{}: it has no measurement of {lack}", path.display()));
    }
    Ok(())
}

impl Report<'_> {
    fn table(&self) -> MeasurementTable {
        let mut table = MeasurementTable::default();
        for Measured { file, set, measurements, .. } in &self.measured {
            let add = |measurement| table.add(file, set, measurement, &self.circumstances);
            measurements.iter().for_each(add);
        }
        if let Some(baseline) = &self.baseline {
            table.compare(baseline);
        }
        table
    }

    /// Writes the plot and the measurements. If the run was stopped, they are kept as incomplete files, but
    /// only if at least one file was measured.
    pub(crate) fn finish(
        &self,
        [plot, save]: [Option<Destination>; 2],
        (files, stopped): (usize, bool),
    ) -> Result<End, Error> {
        let done = self.measured.len();
        let plot = plot.map(|plot| written(plot, &self.plot())).transpose()?;
        let save = save.map(|save| written(save, &self.table().to_text(Export::Json))).transpose()?;
        let all = plot.into_iter().chain(save).filter(|_| done > 0 || !stopped);
        let outputs = all.map(|output| (output, "their measurements are"));
        let things = plural(files as u64, "file");
        let is_whole = finish_outputs(outputs, !stopped, format_args!("{done} of {files} {things}"))?;
        Ok(if is_whole { End::Good } else { End::Interrupted })
    }

    fn plot(&self) -> String {
        let panel = |of_file: &Measured<'_>| Panel { title: of_file.title(), curves: of_file.times() };
        let panels: Vec<Panel> = self.measured.iter().map(panel).collect();
        let subtitle = format!("gridmill {}, {}", env!("CARGO_PKG_VERSION"), self.circumstances);
        plot_svg("Time per puzzle, by engine", &subtitle, &panels)
    }
}

/// Writes a text to an output, and passes the output on.
fn written(output: Destination, text: &str) -> Result<BufWriter<Destination>, Error> {
    let mut output = BufWriter::new(output);
    put(&mut output, text.as_bytes())?;
    Ok(output)
}

impl Measured<'_> {
    fn title(&self) -> String {
        let plural = if self.set.len() == 1 { "" } else { "s" };
        format!("{}, {} puzzle{plural}", self.file, HumanCount(self.set.len() as u64))
    }

    /// The times of single puzzles, by engine. External programs have none, because they solve whole files.
    fn times(&self) -> Vec<(String, Distribution)> {
        let of = |measurement: &Measurement| (measurement.contender.to_string(), measurement.distribution());
        self.measurements.iter().map(of).filter(|(_, times)| !times.is_empty()).collect()
    }
}

/// The figures of a matrix, in the order of the printed columns.
const FIGURES: [fn(&MatrixSize) -> usize; 4] =
    [|matrix| matrix.columns, |matrix| matrix.rows, |matrix| matrix.nodes, |matrix| matrix.bytes];

/// Details of the measured engines, as two tables for a terminal: the backend and the memory of each engine,
/// and the size of the puzzles' exact-cover matrices, which `dancing-links` searches. This takes a few
/// microseconds per puzzle.
pub(crate) fn detail(set: &PuzzleSet, measurements: &[Measurement]) -> String {
    let mut engine = DancingLinks::new();
    let row = |name: String, [columns, rows, nodes, bytes]: [String; 4]| [name, columns, rows, nodes, bytes];
    let mut rows = vec![["exact-cover matrix", "columns", "rows", "nodes", "bytes"].map(str::to_owned)];
    for shape in set.shapes() {
        let matrix = engine.matrix_of(&Grid::empty(shape));
        let figures = FIGURES.map(|figure| count(figure(&matrix)));
        rows.push(row(format!("empty grid, boxes of {shape}"), figures));
    }
    let matrices: Vec<MatrixSize> = set.grids().map(|grid| engine.matrix_of(&grid)).collect();
    let mean = |figure: fn(&MatrixSize) -> usize| {
        let sum: f64 = matrices.iter().map(|matrix| figure(matrix) as f64).sum();
        count((sum / matrices.len() as f64).round() as usize)
    };
    let least = |figure| count(matrices.iter().map(figure).min().unwrap_or(0));
    let most = |figure| count(matrices.iter().map(figure).max().unwrap_or(0));
    rows.push(row("puzzles, mean".to_owned(), FIGURES.map(mean)));
    rows.push(row("puzzles, least".to_owned(), FIGURES.map(least)));
    rows.push(row("puzzles, most".to_owned(), FIGURES.map(most)));
    let mut engines = vec![["engine", "backend", "puzzles at once", "memory a thread"].map(str::to_owned)];
    engines.extend(measurements.iter().map(engine_row));
    format!("{}\n{}", table(&engines, &[0, 1], Style::Plain), table(&rows, &[0], Style::Plain))
}

/// The puzzles that cost each engine the most guesses, as a table for a terminal. Records count from 1.
pub(crate) fn hardest(set: &PuzzleSet, measurements: &[Measurement]) -> String {
    let mut rows = vec![["engine", "record", "guesses", "µs", "puzzle"].map(str::to_owned)];
    for measurement in measurements {
        rows.extend(measurement.hardest.iter().map(|&PuzzleCost { puzzle, guesses, nanos }| {
            let micros = format!("{:.3}", nanos as f64 / 1e3);
            let guesses = HumanCount(guesses).to_string();
            let engine = measurement.contender.to_string();
            [engine, (puzzle + 1).to_string(), guesses, micros, set.grid(puzzle).to_string()]
        }));
    }
    table(&rows, &[0, 4], Style::Plain)
}

fn engine_row(measurement: &Measurement) -> [String; 4] {
    let backend = match measurement.contender.engine() {
        Some(Engine::Lockstep(backend)) => Some(backend),
        _ => None,
    };
    let at_once = match measurement.contender {
        Contender::Program(_) => "-".to_owned(),
        _ => backend.map_or(1, Backend::lanes).to_string(),
    };
    [
        measurement.contender.to_string(),
        backend.map_or("-", Backend::name).to_owned(),
        at_once,
        measurement.memory.map_or_else(|| "-".to_owned(), |bytes| DecimalBytes(bytes as u64).to_string()),
    ]
}

fn count(number: usize) -> String {
    HumanCount(number as u64).to_string()
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Puzzle;

    use super::*;

    #[test]
    fn clues_remove_rows_from_the_matrix() {
        let mut one_clue = [0; 81];
        one_clue[40] = 5;
        let puzzles = vec![Puzzle::EMPTY, Puzzle::from_cells(one_clue).unwrap()];
        let text = detail(&PuzzleSet::Classic(puzzles), &[]);
        let rows: Vec<Vec<&str>> =
            text.lines().skip(3).map(|line| line.rsplitn(5, "  ").map(str::trim).collect()).collect();
        let figures = |row: usize| [rows[row][3], rows[row][2], rows[row][1], rows[row][0]];
        assert_eq!(figures(0), ["324", "729", "2,916", "26,244"], "{text}");
        // The clue removes nine candidates of its cell, and one of each of its twenty peers.
        assert_eq!(figures(1), ["324", "715", "2,858", "25,780"], "{text}");
        assert_eq!(figures(2), ["324", "700", "2,800", "25,316"], "{text}");
        assert_eq!(figures(3), figures(0), "{text}");
    }
}
