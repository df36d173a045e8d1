//! The run of `canon`, `minimal`, `minimize`, `rate` and `shuffle`: puzzles in any format, and rows that keep the columns of
//! the input.

use std::time::Instant;

use gridmill_core::logic::Technique;
use gridmill_core::solver::{Outcome, SolutionLimit, SolverKind};
use gridmill_data::error::Error;
use gridmill_data::output::{ChosenColumns, CsvRows, JsonLead, fields, put_text};
use gridmill_data::pipeline::{ChunkSizing, Engine, MapRows, RowMapper, Searchable, Stage};
use gridmill_data::record::{PlacedRecord, PuzzleLike, Status, Tally};
use gridmill_data::text::{CsvHeader, Layout, Record, SourceEcho};

use super::input_args::InputArgs;
use super::interrupt::stop_on_interrupt;
use super::outputs::finish_rows;
use super::parts::Parts;
use super::rows::{TableRowsArgs, check_name};
use super::run_summary::report_run;
use super::stage_factory::{StageFactory, stage_for};
use crate::cli::End;

/// The columns of the input, and the start of its rows.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) input: Option<CsvHeader>,
    rows: CsvRows,
    /// How rows begin in JSON Lines, and the new keys; `None` for CSV.
    json: Option<(JsonLead, Vec<NewKey>)>,
    /// The columns that are chosen, if any are.
    chosen: Option<ChosenColumns>,
}

/// A new key of JSON Lines, and whether its values are numbers.
#[derive(Clone, Debug)]
struct NewKey {
    key: Vec<u8>,
    is_number: bool,
}

/// New columns that hold numbers.
const NUMBERS: [&str; 8] = ["automorphisms", "clues", "er", "ep", "ed", "steps", "up_to", "time_ns"];

/// Returns whether a new column holds numbers.
fn holds_numbers(name: &str) -> bool {
    NUMBERS.contains(&name) || Technique::ALL.iter().any(|technique| technique.column() == name)
}

/// Makes the mappers of a command, for each kind of puzzle.
pub(crate) trait MapperFactory {
    type Mapper<P: Searchable>: RowMapper<P> + 'static;

    /// Returns the names of the new columns. Without any, only rows of a CSV input have a header.
    fn names(&self) -> Vec<&'static str>;

    /// Returns a function that makes a mapper for a file, one for each worker.
    fn mappers<P: Searchable>(
        &self,
        layout: &Layout,
        columns: Columns,
    ) -> Result<impl Fn() -> Self::Mapper<P> + Sync + 'static, Error>;

    /// Returns how rows are written; `None` where that is for the command to say.
    fn rows(&self) -> Option<&TableRowsArgs>;

    /// Whether a run ends with a summary.
    const HAS_SUMMARY: bool = true;

    /// Whether pencilmarks are taken too.
    const TAKES_PENCILMARKS: bool = false;

    /// Whether a puzzle with no solution, or several, is not right.
    const WANTS_PROPER: bool = false;

    /// Returns the name of a status in the summary.
    fn name_of(&self, status: Status) -> &'static str {
        status.name()
    }

    /// Returns what a complete run came to, for the summary: names and texts.
    fn gains(&self, _: &Tally) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns how an input is cut.
    fn sizing<P: Searchable>(&self, layout: &Layout) -> ChunkSizing {
        P::sizing(Engine::fastest_for(layout))
    }
}

/// Runs a mapper over the puzzles of some files. Its rows have new columns behind those of the input.
pub(crate) fn tabulate<F: MapperFactory>(
    input: &InputArgs,
    factory: &F,
    parts: Option<Parts<'_>>,
) -> Result<End, Error> {
    if let Some(parts) = parts
        && parts.args.are_done(input.output.as_deref(), input.common.quiet)?
    {
        return Ok(End::Good);
    }
    let mut files = input.open()?;
    let output = input.open_rows(&mut files, parts)?;
    let stop = stop_on_interrupt();
    let is_detected = match F::TAKES_PENCILMARKS {
        true => input.detect(&mut files, &stop)?,
        false => input.detect_clues(&mut files, &stop)?,
    };
    if !is_detected {
        return Ok(End::Interrupted);
    }
    let chosen = match factory.rows() {
        Some(rows) => rows.chosen(input, &mut files, &factory.names())?,
        None => None,
    };
    let stages = TableStages { factory, input, chosen };
    let begun = Instant::now();
    let totals = files.run_in_parts(&output, &stop, &|layout| stage_for(&stages, layout))?;
    if F::HAS_SUMMARY && !input.common.quiet {
        let gains = if totals.stopped { Vec::new() } else { factory.gains(&totals.tally) };
        report_run(&totals, totals.wall(begun), |status| factory.name_of(status), &gains);
    }
    let end = finish_rows(output, None, &totals, format_args!("{} whole records", totals.records))?;
    let has_improper = [Status::Multiple, Status::None].iter().any(|&status| totals.tally.count(status) > 0);
    Ok(if end == End::Good && F::WANTS_PROPER && has_improper { End::Imperfect } else { end })
}

/// Makes stages that map puzzles to rows.
struct TableStages<'f, F> {
    factory: &'f F,
    input: &'f InputArgs,
    chosen: Option<ChosenColumns>,
}

impl<F: MapperFactory> StageFactory for TableStages<'_, F> {
    fn stage<'a, P: Searchable>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error> {
        let names = self.factory.names();
        let output = self.input.output.as_deref();
        if self.factory.rows().is_none() {
            check_name(output, layout)?;
        }
        let (columns, header) = match self.factory.rows() {
            Some(rows) if rows.are_json(output, layout) => (json_columns(layout, &names), Vec::new()),
            _ => columns(layout, &names),
        };
        let header = self.chosen.as_ref().map_or(header, |chosen| chosen.header().to_vec());
        let columns = Columns { chosen: self.chosen.clone(), ..columns };
        Ok(Box::new(MapRows {
            format: layout.format::<P>(),
            header,
            mapper: Box::new(self.factory.mappers::<P>(layout, columns)?),
            diagnostics: !self.input.common.quiet,
            sizing: self.factory.sizing::<P>(layout),
        }))
    }
}

/// Returns the columns of a file's rows, with new ones of these names, and the header above them.
fn columns(layout: &Layout, names: &[&str]) -> (Columns, Vec<u8>) {
    let input = layout.header.clone();
    let rows = CsvRows::with_columns(input.as_ref(), names);
    let is_plain = names.is_empty() && input.as_ref().is_none_or(|header| !header.is_written);
    let header = if is_plain { Vec::new() } else { rows.header_line().to_vec() };
    (Columns { input, rows, json: None, chosen: None }, header)
}

/// Returns the keys of rows of JSON Lines, with new ones of these names.
fn json_columns(layout: &Layout, names: &[&str]) -> Columns {
    let lead = JsonLead::of(layout);
    let new_key = |name: &&str| NewKey { key: lead.new_key(name), is_number: holds_numbers(name) };
    let keys = names.iter().map(new_key).collect();
    Columns { json: Some((lead, keys)), ..columns(layout, names).0 }
}

impl Columns {
    /// Appends a row: the columns of the input, and fields that need no quotes, one for each new column.
    pub(crate) fn write_row(
        &self,
        record: &PlacedRecord<'_>,
        puzzle: Option<&impl PuzzleLike>,
        new: &[&[u8]],
        out: &mut Vec<u8>,
    ) {
        if let Some(chosen) = &self.chosen {
            let put_new = |index: usize, out: &mut Vec<u8>| self.put_new(index, new[index], out);
            return chosen.write(record, puzzle, put_new, out);
        }
        if let Some((lead, keys)) = &self.json {
            lead.write(record.chunk, record.record, puzzle, out);
            for (index, (NewKey { key, .. }, field)) in keys.iter().zip(new).enumerate() {
                out.extend_from_slice(key);
                self.put_new(index, field, out);
            }
            return out.extend_from_slice(b"}\n");
        }
        self.rows.lead(record.record, record.text(), puzzle, out);
        for field in new {
            out.push(self.rows.separator());
            out.extend_from_slice(field);
        }
        out.push(b'\n');
    }

    /// Appends the field of a new column, which needs no quotes in CSV.
    fn put_new(&self, index: usize, field: &[u8], out: &mut Vec<u8>) {
        match (&self.json, field) {
            (None, field) => out.extend_from_slice(field),
            (Some(_), []) => out.extend_from_slice(b"null"),
            (Some((_, keys)), number) if keys[index].is_number => out.extend_from_slice(number),
            (Some(_), text) => put_text(text, out),
        }
    }

    /// Returns the fields of a record's row: those of a CSV row, as many as its header has, or the puzzle.
    pub(crate) fn fields(
        &self,
        chunk: &[u8],
        record: &Record,
        puzzle: Option<&impl PuzzleLike>,
    ) -> Vec<Vec<u8>> {
        let text = record.text(chunk);
        let Some(header) = &self.input else {
            let cells = match (puzzle, record.echo) {
                (Some(_), SourceEcho::Verbatim) => text.to_vec(),
                (Some(puzzle), _) => {
                    let mut cells = Vec::new();
                    puzzle.write(&mut cells);
                    cells
                }
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
pub(crate) fn status<P: PuzzleLike>(puzzle: &P, outcome: &Outcome<P::Solution>) -> Status {
    Status::of(puzzle, outcome, SolutionLimit::UNIQUENESS)
}

/// Returns the status of a puzzle of which so many solutions were found, up to two.
pub(crate) fn searched_status<P: PuzzleLike>(puzzle: &P, solutions: u64, is_given_up: bool) -> Status {
    status(puzzle, &Outcome { solutions, is_given_up, ..Outcome::NONE })
}

/// Returns how an input is cut for work that may take seconds a puzzle, unless they are classic ones.
pub(crate) fn singles_sizing<P: Searchable>() -> ChunkSizing {
    P::sizing(Engine::Other(SolverKind::Bitmask))
}

/// Appends a CSV row.
pub(crate) fn write_row(row: &[Vec<u8>], separator: u8, out: &mut Vec<u8>) {
    let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(out);
    // Neither call can fail: there is only one row, and memory takes every byte.
    let _ = writer.write_record(row);
    let _ = writer.flush();
}
