//! The run of `canon`, `minimal`, `minimize` and `shuffle`: classic puzzles in any format, and rows that keep
//! the columns of the input.

use super::input_args::InputArgs;
use super::interrupt::stop_on_interrupt;
use super::outputs::finish_output;
use crate::cli::End;
use crate::error::Error;
use crate::grid::Puzzle;
use crate::output::{CsvRows, fields};
use crate::pipeline::{MapRows, RowMapper};
use crate::record::Status;
use crate::solver::{Outcome, SolutionLimit};
use crate::text::{CsvHeader, Layout, Record, SourceEcho};

/// The columns of the input, and the start of its rows.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) input: Option<CsvHeader>,
    rows: CsvRows,
}

/// Runs a mapper over the puzzles of some files. Its rows have these columns behind those of the input;
/// without new columns, only rows of a CSV input have a header.
pub(crate) fn tabulate<M: RowMapper>(
    input: &InputArgs,
    names: &[&str],
    mapper: impl Fn(Columns) -> M + Sync,
) -> Result<End, Error> {
    let mut files = input.open()?;
    let mut output = input.open_output(&files)?;
    let stop = stop_on_interrupt();
    if !input.detect_classic(&mut files, &stop)? {
        return Ok(End::Interrupted);
    }
    let totals = files.run(&mut output, &stop, &|layout| {
        let (columns, header) = columns(layout, names);
        let (format, diagnostics, mapper) = (layout.format(), !input.common.quiet, &mapper);
        Ok(Box::new(MapRows {
            format,
            header,
            mapper: Box::new(move || mapper(columns.clone())),
            diagnostics,
        }))
    })?;
    finish_output(output, None, &totals, format_args!("{} whole records", totals.records))
}

/// Returns the columns of a file's rows, with new ones of these names, and the header above them.
fn columns(layout: &Layout, names: &[&str]) -> (Columns, Vec<u8>) {
    let input = layout.header.clone();
    let rows = CsvRows::with_columns(input.as_ref(), names);
    let is_plain = names.is_empty() && input.as_ref().is_none_or(|header| !header.is_written);
    let header = if is_plain { Vec::new() } else { rows.header_line().to_vec() };
    (Columns { input, rows }, header)
}

impl Columns {
    /// Appends a row: the columns of the input, and fields that need no quotes.
    pub(crate) fn write_row(
        &self,
        chunk: &[u8],
        record: &Record,
        puzzle: Option<&Puzzle>,
        new: &[&[u8]],
        out: &mut Vec<u8>,
    ) {
        self.rows.lead(record, record.text(chunk), puzzle, out);
        for field in new {
            out.push(self.rows.separator());
            out.extend_from_slice(field);
        }
        out.push(b'\n');
    }

    /// Returns the fields of a record's row: those of a CSV row, as many as its header has, or the puzzle.
    pub(crate) fn fields(&self, chunk: &[u8], record: &Record, puzzle: Option<&Puzzle>) -> Vec<Vec<u8>> {
        let text = record.text(chunk);
        let Some(header) = &self.input else {
            let cells = match (puzzle, record.echo) {
                (Some(_), SourceEcho::Verbatim) => text.to_vec(),
                (Some(puzzle), _) => puzzle.to_ascii().to_vec(),
                (None, _) => text.to_vec(),
            };
            return vec![cells];
        };
        let mut row = match record.echo {
            SourceEcho::Verbatim | SourceEcho::Ragged => {
                fields(text, header.separator).iter().map(<[u8]>::to_vec).collect()
            }
            SourceEcho::Puzzle | SourceEcho::Field => {
                let mut row = vec![Vec::new(); header.column];
                row.push(text.to_vec());
                row
            }
        };
        row.resize(header.width, Vec::new());
        row
    }

    /// Returns the index of the puzzle among the fields.
    pub(crate) fn puzzle(&self) -> usize {
        self.input.as_ref().map_or(0, |header| header.column)
    }
}

/// Returns the status of a puzzle, by a search for two solutions.
pub(crate) fn status(puzzle: &Puzzle, outcome: &Outcome) -> Status {
    Status::of(puzzle, outcome, SolutionLimit::UNIQUENESS)
}

/// Appends a CSV row.
pub(crate) fn write_row(row: &[Vec<u8>], separator: u8, out: &mut Vec<u8>) {
    let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(out);
    // Neither call can fail: there is only one row, and memory takes every byte.
    let _ = writer.write_record(row);
    let _ = writer.flush();
}
