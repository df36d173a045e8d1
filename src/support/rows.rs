//! How rows are written: as CSV, as JSON Lines, or as grids.

use std::path::Path;

use clap::{Args, ValueEnum};
use gridmill_data::output::{
    ChosenColumns, ChosenRows, CsvRows, GridRows, JsonRows, KnownColumns, SearchColumn,
};
use gridmill_data::record::{PuzzleLike, RowFormat};
use gridmill_data::text::Layout;
use gridmill_report::eprint_message;

use super::columns::ColumnsArgs;
use super::command_error::CommandError;
use super::input_args::InputArgs;
use super::input_set::InputSet;

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

/// How the rows of a table are written.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TableRowsArgs {
    /// How rows are written [default: jsonl if the output's name ends in .jsonl or .ndjson, or if the input is
    /// JSON Lines and the name does not end in .csv; else csv]
    #[arg(long, value_name = "FORMAT")]
    rows: Option<TableRowsArg>,

    #[command(flatten)]
    columns: ColumnsArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TableRowsArg {
    /// Comma-separated values under a header
    Csv,
    /// JSON Lines: an object a record
    Jsonl,
}

impl TableRowsArgs {
    /// Returns whether rows are JSON Lines.
    pub(crate) fn are_json(&self, output: Option<&Path>, layout: &Layout) -> bool {
        self.rows.map_or_else(|| tells_json(output, layout), |rows| rows == TableRowsArg::Jsonl)
    }

    /// Returns the columns that are chosen for the rows of some files with new columns of these names, if any are.
    pub(crate) fn chosen(
        &self,
        input: &InputArgs,
        files: &mut InputSet<'_>,
        new: &[&str],
    ) -> Result<Option<ChosenColumns>, CommandError> {
        let is_json = self.are_json(input.output.as_deref(), files.layout());
        chosen(&self.columns, files, new, is_json)
    }
}

/// Returns whether the name of an output, or the format of the input, tells JSON Lines.
pub(crate) fn tells_json(output: Option<&Path>, layout: &Layout) -> bool {
    let name = output.and_then(extension);
    let is = |extension: &str| name.as_deref() == Some(extension);
    JSON_NAMES.into_iter().any(is) || layout.json_keys().is_some() && !is("csv")
}

/// Returns the columns that are chosen of those that the rows of some files have.
fn chosen(
    columns: &ColumnsArgs,
    files: &mut InputSet<'_>,
    new: &[&str],
    is_json: bool,
) -> Result<Option<ChosenColumns>, CommandError> {
    let known = KnownColumns::of(files.layouts(), new, is_json);
    let chosen = columns.of(known.names())?.map(|columns| known.choose(&columns));
    if chosen.as_ref().is_some_and(ChosenColumns::wants_numbers) {
        files.number_rows();
    }
    Ok(chosen)
}

impl RowsArgs {
    /// Returns rows of the columns that are chosen for some files, if any are, of a command with these new columns.
    pub(crate) fn chosen(
        &self,
        input: &InputArgs,
        files: &mut InputSet<'_>,
        new: &'static [SearchColumn],
    ) -> Result<Option<ChosenRows>, CommandError> {
        let is_json = match self.choose(input, files.layout()) {
            RowsArg::Grid if self.columns.are_given() => return Err(CommandError::ColumnsOfGrids),
            rows => rows == RowsArg::Jsonl,
        };
        let names: Vec<&str> = new.iter().map(|column| column.name()).collect();
        let columns = chosen(&self.columns, files, &names, is_json)?;
        Ok(columns.map(|columns| ChosenRows::new(columns, new)))
    }

    /// Returns rows with solutions, for the output of a command.
    pub(crate) fn solutions<P: PuzzleLike>(
        &self,
        input: &InputArgs,
        layout: &Layout,
    ) -> Box<dyn RowFormat<P>> {
        match self.choose(input, layout) {
            RowsArg::Jsonl => Box::new(JsonRows::of(layout)),
            RowsArg::Csv => {
                report_left_out(layout);
                Box::new(layout.header.as_ref().map_or_else(CsvRows::for_lines, CsvRows::for_table))
            }
            RowsArg::Grid => Box::new(GridRows::of_solutions()),
        }
    }

    /// Returns rows with numbers of solutions up to a limit, 0 for none, for the output of a command; and with the
    /// cells that all solutions share, if that is wanted.
    pub(crate) fn counts<P: PuzzleLike>(
        &self,
        input: &InputArgs,
        layout: &Layout,
        shared: bool,
        limit: u64,
    ) -> Box<dyn RowFormat<P>> {
        let header = layout.header.as_ref();
        match (self.choose(input, layout), shared) {
            (RowsArg::Jsonl, false) => Box::new(JsonRows::of_counts(layout)),
            (RowsArg::Jsonl, true) => Box::new(JsonRows::of_shared_cells(layout)),
            (RowsArg::Csv, false) => Box::new(CsvRows::of_counts(header)),
            (RowsArg::Csv, true) => Box::new(CsvRows::of_shared_cells(header)),
            (RowsArg::Grid, _) => Box::new(GridRows::of_counts((limit > 0).then_some(limit))),
        }
    }

    /// Returns whether rows are grids.
    pub(crate) fn are_grids(&self, input: &InputArgs) -> bool {
        let is_shown = || input.answers_a_person() && !self.columns.are_given();
        self.rows.map_or_else(is_shown, |rows| rows == RowsArg::Grid)
    }

    fn choose(&self, input: &InputArgs, layout: &Layout) -> RowsArg {
        match self.rows {
            Some(rows) => rows,
            None if self.are_grids(input) => RowsArg::Grid,
            None if tells_json(input.output.as_deref(), layout) => RowsArg::Jsonl,
            None => RowsArg::Csv,
        }
    }
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
