//! How rows are written: as CSV, as JSON Lines, or as grids.

use std::path::Path;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use gridmill_core::jobs::Schema;
use gridmill_data::output::{Grids, KnownColumns, Rows};
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleText};
use gridmill_report::eprint_message;

use super::columns::ColumnsArgs;
use super::command_error::CommandError;
use super::inputs::{InputArgs, InputSet};
use super::values::one_of;

/// Extensions of files of JSON Lines.
pub(crate) const JSON_NAMES: [&str; 2] = ["jsonl", "ndjson"];

/// Extensions of compressed files.
const PACKED: [&str; 3] = ["gz", "zst", "xz"];

#[derive(Debug, Args)]
pub(crate) struct RowsArgs {
    /// How rows are written [default: jsonl if the output's name ends in .jsonl or .ndjson, or if the input is
    /// JSON Lines and the name does not end in .csv; grid for a puzzle in place of a file, on a terminal; else csv]
    #[arg(long, value_name = "FORMAT")]
    rows: Option<RowsArg>,

    #[command(flatten)]
    columns: ColumnsArgs,
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

impl RowsArgs {
    /// Returns how the rows of files are written, where these grids may be shown in place of them.
    pub(crate) fn choice<'a>(&'a self, input: &'a InputArgs, grids: Grids) -> RowsChoice<'a> {
        RowsChoice { form: self.rows, columns: &self.columns, input, grids: Some(grids) }
    }
}

/// How the rows of a command without grids are written.
#[derive(Debug, Args)]
pub(crate) struct TableRowsArgs {
    /// How rows are written [default: jsonl if the output's name ends in .jsonl or .ndjson, or if the input is
    /// JSON Lines and the name does not end in .csv; else csv]
    #[arg(long, value_name = "FORMAT", value_parser = table_forms())]
    rows: Option<RowsArg>,

    #[command(flatten)]
    columns: ColumnsArgs,
}

fn table_forms() -> impl TypedValueParser<Value = RowsArg> {
    let named = |form: RowsArg| (form.to_possible_value().expect("no form is hidden"), form);
    one_of([RowsArg::Csv, RowsArg::Jsonl].map(named))
}

impl TableRowsArgs {
    /// Returns how the rows of files are written.
    pub(crate) fn choice<'a>(&'a self, input: &'a InputArgs) -> RowsChoice<'a> {
        RowsChoice { form: self.rows, columns: &self.columns, input, grids: None }
    }
}

/// How the rows of a command are written.
#[derive(Clone, Copy)]
pub(crate) struct RowsChoice<'a> {
    form: Option<RowsArg>,
    columns: &'a ColumnsArgs,
    input: &'a InputArgs,
    /// The grids that may be shown in place of rows, as the answer to a puzzle in place of a file is on a terminal.
    grids: Option<Grids>,
}

impl RowsChoice<'_> {
    /// Returns rows of the columns that are chosen for some files, if any are, of a job with these columns.
    pub(crate) fn chosen(
        self,
        files: &mut InputSet<'_>,
        schema: &Schema,
    ) -> Result<Option<Rows>, CommandError> {
        let is_json = match self.form(files.layout()) {
            RowsArg::Grid if self.columns.are_given() => return Err(CommandError::ColumnsOfGrids),
            form => form == RowsArg::Jsonl,
        };
        let known = KnownColumns::of(files.layouts(), schema, is_json);
        let rows = self.columns.of(known.names())?.map(|columns| known.choose(&columns));
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
        let is_shown = || self.grids.is_some() && self.input.is_interactive() && !self.columns.are_given();
        self.form.map_or_else(is_shown, |form| form == RowsArg::Grid)
    }

    /// Returns whether rows are CSV.
    pub(crate) fn are_csv(self, layout: &Layout) -> bool {
        self.form(layout) == RowsArg::Csv
    }

    fn form(self, layout: &Layout) -> RowsArg {
        match self.form {
            Some(form) => form,
            None if self.are_grids() => RowsArg::Grid,
            None if tells_json(self.input.output.as_deref(), layout) => RowsArg::Jsonl,
            None => RowsArg::Csv,
        }
    }
}

/// Returns whether the name of an output, or the format of the input, tells JSON Lines.
fn tells_json(output: Option<&Path>, layout: &Layout) -> bool {
    let name = output.and_then(extension);
    let is = |extension: &str| name.as_deref() == Some(extension);
    JSON_NAMES.into_iter().any(is) || layout.json_keys().is_some() && !is("csv")
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
pub(crate) fn check_name(output: Option<&Path>, layout: &Layout) -> Result<(), CommandError> {
    let (Some(path), Some(name)) = (output, output.and_then(extension)) else { return Ok(()) };
    let format = match layout.json_keys() {
        Some(_) if name == "csv" => "JSON Lines",
        None if JSON_NAMES.contains(&&name[..]) => layout.format_name(),
        _ => return Ok(()),
    };
    Err(CommandError::OtherName { path: path.to_owned(), format })
}

/// Returns the extension of a name in lower case, in front of that of a compression.
pub(crate) fn extension(path: &Path) -> Option<String> {
    let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let last = extension(path)?;
    if PACKED.contains(&&last[..]) { extension(Path::new(path.file_stem()?)) } else { Some(last) }
}
