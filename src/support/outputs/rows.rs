//! How rows are written: as CSV, as JSON Lines, or as grids.

use std::path::Path;

use clap::{Arg, Args, ValueEnum};
use gridmill_core::jobs::Schema;
use gridmill_data::error::Error;
use gridmill_data::output::{Grids, Rows};
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleText};
use gridmill_report::eprint_message;

use super::columns::{ColumnList, chosen_columns, column_list};
use crate::support::command_error::refuse;
use crate::support::inputs::{InputArgs, InputSet};
use crate::support::options::values::one_of;

#[derive(Debug, Args)]
pub(crate) struct RowsArgs {
    /// How rows are written [default: jsonl if the output's name ends in .jsonl or .ndjson, or if the input is
    /// JSON Lines and the name does not end in .csv; grid for a puzzle in place of a file, on a terminal; else csv]
    #[arg(long, value_name = "FORMAT")]
    rows: Option<RowsArg>,

    /// Write these columns, in this order: names with commas between them, those of the input and new ones, or numbers
    /// from 1; and file, record and line, which are not written otherwise: the name of the input, the number of the
    /// record in it, and the line on which that begins
    #[arg(long, value_name = "NAMES", value_parser = column_list)]
    columns: Option<ColumnList>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RowsArg {
    /// Comma-separated values under a header
    Csv,
    /// JSON Lines: an object a record
    Jsonl,
    /// Framed grids, to look at
    Grid,
}

/// Changes the argument about rows for a command without grids, and leaves the others.
pub(crate) fn without_grids(argument: Arg) -> Arg {
    if argument.get_id() != "rows" {
        return argument;
    }
    let forms = [
        ("csv", "Comma-separated values under a header", RowsArg::Csv),
        ("jsonl", "JSON Lines: an object a record", RowsArg::Jsonl),
    ];
    argument.value_parser(one_of(forms)).help(
        "How rows are written [default: jsonl if the output's name ends in .jsonl or .ndjson, or if the input is \
         JSON Lines and the name does not end in .csv; else csv]",
    )
}

impl RowsArgs {
    /// Returns how the rows of files are written. `grids` may be shown in place of them, for a command that has any.
    pub(crate) fn choice<'a>(&'a self, input: &'a InputArgs, grids: Option<Grids>) -> RowsChoice<'a> {
        RowsChoice { args: self, input, grids }
    }
}

/// How the rows of a command are written.
#[derive(Clone, Copy)]
pub(crate) struct RowsChoice<'a> {
    args: &'a RowsArgs,
    input: &'a InputArgs,
    /// The grids that may be shown in place of rows, as the answer to a puzzle in place of a file is on a terminal.
    grids: Option<Grids>,
}

impl RowsChoice<'_> {
    /// Returns rows of the columns that are chosen for some files, if any are, of a job with these columns.
    pub(crate) fn chosen(self, files: &mut InputSet<'_>, schema: &Schema) -> Result<Option<Rows>, Error> {
        let is_json = match self.form(files.layout()) {
            RowsArg::Grid if self.args.columns.is_some() => {
                return refuse(
                    "--columns chooses columns of CSV or keys of JSON Lines, and grids have none: leave --rows grid or --columns out",
                );
            }
            form => form == RowsArg::Jsonl,
        };
        let columns =
            |names: &[String]| self.args.columns.as_ref().map(|list| chosen_columns(list, names)).transpose();
        let rows = Rows::chosen(files.layouts(), schema, is_json, columns)?;
        files.numbers_rows = rows.as_ref().is_some_and(Rows::wants_numbers);
        Ok(rows)
    }

    /// Makes the sink of rows with all columns of a file.
    pub(crate) fn sink<P: PuzzleText>(self, layout: &Layout, schema: &Schema) -> Box<dyn Sink<P>> {
        match (self.form(layout), self.grids) {
            (RowsArg::Jsonl, _) => Box::new(Rows::json(layout, schema)),
            (RowsArg::Grid, Some(grids)) => Box::new(grids),
            _ => Box::new(Rows::csv(layout, schema)),
        }
    }

    /// Returns whether rows are grids.
    pub(crate) fn are_grids(self) -> bool {
        let is_shown = || self.grids.is_some() && self.input.is_interactive() && self.args.columns.is_none();
        self.args.rows.map_or_else(is_shown, |form| form == RowsArg::Grid)
    }

    /// Returns whether rows are CSV.
    pub(crate) fn are_csv(self, layout: &Layout) -> bool {
        self.form(layout) == RowsArg::Csv
    }

    fn form(self, layout: &Layout) -> RowsArg {
        match self.args.rows {
            Some(form) => form,
            None if self.are_grids() => RowsArg::Grid,
            None if tells_json(self.input.output.as_deref()) => RowsArg::Jsonl,
            None if layout.json_keys().is_some()
                && !has_extension(self.input.output.as_deref(), &["csv"]) =>
            {
                RowsArg::Jsonl
            }
            None => RowsArg::Csv,
        }
    }
}

/// Returns whether the name of an output tells JSON Lines.
pub(crate) fn tells_json(output: Option<&Path>) -> bool {
    has_extension(output, &["jsonl", "ndjson"])
}

/// Returns whether the name of an output has one of these extensions, perhaps in front of that of a compression.
pub(crate) fn has_extension(output: Option<&Path>, known: &[&str]) -> bool {
    output.and_then(extension).is_some_and(|extension| known.contains(&&*extension))
}

/// Reports that CSV has no columns for the keys of JSON Lines.
pub(crate) fn report_left_out(layout: &Layout) {
    if layout.json_keys().is_some_and(|keys| keys.len() > 1) {
        eprint_message(
            "gridmill: of the objects only the puzzles are in the CSV; --rows jsonl keeps all keys\n",
        );
    }
}

/// Refuses an output whose name tells another format than that of records that are written as they stand.
pub(crate) fn check_name(output: Option<&Path>, layout: &Layout) -> Result<(), Error> {
    let Some(path) = output else { return Ok(()) };
    let format = match layout.json_keys() {
        Some(_) if has_extension(output, &["csv"]) => "JSON Lines",
        None if tells_json(output) => layout.format_name(),
        _ => return Ok(()),
    };
    let path = path.display();
    refuse(format!(
        "{path}: records are written as they stand, in {format}: choose another name, or convert them first (gridmill convert)"
    ))
}

/// Returns the extension of a name in lower case, in front of that of a compression.
pub(crate) fn extension(path: &Path) -> Option<String> {
    let last = path.extension()?.to_str()?.to_ascii_lowercase();
    match &*last {
        "gz" | "zst" | "xz" => Some(Path::new(path.file_stem()?).extension()?.to_str()?.to_ascii_lowercase()),
        _ => Some(last),
    }
}
