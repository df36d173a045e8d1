//! How rows are written: as CSV, as JSON Lines, as grids or as a Parquet or Arrow table; their columns, which the
//! user can choose and order, with their meanings; and the columns of the input that an option names. The name of
//! an output chooses a table, e.g. `-o rows.parquet`. Commands still write rows of CSV in this case, so this file
//! gives the types of their columns.

use std::path::Path;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum};
use gridmill_core::jobs::{
    Backdoors, Candidates, Canon, Check, Column, ColumnKind, Count, Enumerate, Job, Minimize, Neighbors,
    Rate, RedundantClues, Schema, Solve, Unavoidable, Verify,
};
use gridmill_core::logic::Rating;
use gridmill_data::collection::{Attribute, AttributeName, Field, StratumCounts};
use gridmill_data::error::Error;
use gridmill_data::output::Rows;
use gridmill_data::packing::{ColumnType, Container, TableColumns};
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleText, columns_meant, csv_fields, one_column};
use indicatif::HumanCount;

use super::command_error::{refuse, report};
use super::inputs::{InputArgs, InputSet};

#[derive(Debug, Args)]
pub(crate) struct RowsArgs {
    /// How rows are written [default: jsonl if the output's name ends in .jsonl or .ndjson, or if the input is
    /// JSON Lines and the name does not end in .csv; grid for a puzzle in place of a file, on a terminal; else csv]
    #[arg(long, value_name = "FORMAT")]
    to: Option<OutputFormat>,

    /// Write these columns, in this order: names of the input's columns and of new ones, separated
    /// by commas, or numbers from 1. Three more are available on request: file, record and line,
    /// i.e. the name of the input, the number of the record in it, and the line on which the record
    /// begins
    #[arg(long, value_name = "NAMES", value_parser = column_list)]
    columns: Option<ColumnList>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// Comma-separated values under a header
    Csv,
    /// JSON Lines: an object for each record
    Jsonl,
    /// Framed grids, to look at
    Grid,
}

/// Removes `grid` from the choices of `--to`, for a command that shows no grids. Other arguments stay
/// unchanged.
pub(crate) fn without_grids(argument: Arg) -> Arg {
    if argument.get_id() != "to" {
        return argument;
    }
    let forms =
        [OutputFormat::Csv, OutputFormat::Jsonl].map(|form| form.to_possible_value().unwrap_or_default());
    let parser = PossibleValuesParser::new(forms).try_map(|name| OutputFormat::from_str(&name, false));
    argument.value_parser(parser).help(
        "How rows are written [default: jsonl if the output's name ends in .jsonl or .ndjson, or if the input is \
         JSON Lines and the name does not end in .csv; else csv]",
    )
}

impl RowsArgs {
    /// The format of rows for these files. `has_grids` says whether the command can show grids instead.
    pub(crate) fn choice<'a>(&'a self, input: &'a InputArgs, has_grids: bool) -> RowsChoice<'a> {
        RowsChoice { args: self, input, has_grids }
    }
}

/// How a command writes its rows.
#[derive(Clone, Copy)]
pub(crate) struct RowsChoice<'a> {
    args: &'a RowsArgs,
    input: &'a InputArgs,
    /// Whether grids may replace rows, e.g. for a puzzle in place of a file, if the answer is shown on a
    /// terminal.
    has_grids: bool,
}

impl RowsChoice<'_> {
    /// The rows with the columns that the user chose, if any, for a job with these columns.
    pub(crate) fn with_chosen_columns(
        self,
        files: &mut InputSet<'_>,
        schema: &Schema,
    ) -> Result<Option<Rows>, Error> {
        let is_json = match self.format(files.layout()) {
            OutputFormat::Grid if self.args.columns.is_some() => {
                return refuse(
                    "--columns chooses columns of CSV or keys of JSON Lines, and grids have none: leave --to grid or --columns out",
                );
            }
            form => form == OutputFormat::Jsonl,
        };
        let columns =
            |names: &[String]| self.args.columns.as_ref().map(|list| chosen_columns(list, names)).transpose();
        let rows = Rows::chosen(files.layouts(), schema, is_json, columns)?;
        files.needs_numbers |= rows.as_ref().is_some_and(Rows::wants_numbers);
        Ok(rows)
    }

    /// Makes the sink for rows with all columns of a file.
    pub(crate) fn sink<P: PuzzleText>(self, layout: &Layout, schema: &Schema) -> Box<dyn Sink<P>> {
        let is_json = self.format(layout) == OutputFormat::Jsonl;
        Box::new(match is_json {
            _ if schema.has_lists() => Rows::lists(schema, is_json),
            true => Rows::json(layout, schema),
            false => Rows::csv(layout, schema),
        })
    }

    /// Whether the user chose the format of rows by an option, so that the name of the output does not
    /// matter.
    pub(crate) fn is_format_chosen(self) -> bool {
        self.args.to.is_some()
    }

    /// Whether rows are written as grids.
    pub(crate) fn are_grids(self) -> bool {
        let is_shown = || self.has_grids && self.input.is_interactive() && self.args.columns.is_none();
        self.args.to.map_or_else(is_shown, |form| form == OutputFormat::Grid)
    }

    /// If rows are CSV and the input is JSON Lines, reports that the CSV has no columns for the other keys.
    pub(crate) fn report_left_out(self, layout: &Layout) {
        if self.format(layout) == OutputFormat::Csv && layout.json_keys().is_some_and(|keys| keys.len() > 1) {
            report("the CSV has only the puzzles of the objects; --to jsonl keeps all keys");
        }
    }

    fn format(self, layout: &Layout) -> OutputFormat {
        let output = self.input.output.as_deref();
        let names_csv = || has_extension(output, &["csv"]) || is_container_name(output);
        let stays_json = || layout.json_keys().is_some() && !names_csv();
        match self.args.to {
            Some(form) => form,
            None if self.are_grids() => OutputFormat::Grid,
            None if is_json_name(output) || stays_json() => OutputFormat::Jsonl,
            None => OutputFormat::Csv,
        }
    }
}

/// Whether the name of an output chooses JSON Lines.
pub(crate) fn is_json_name(output: Option<&Path>) -> bool {
    has_extension(output, &["jsonl", "ndjson"])
}

/// Whether the name of an output has one of these extensions. A compression may follow, e.g. `.csv.gz`.
pub(crate) fn has_extension(output: Option<&Path>, known: &[&str]) -> bool {
    output.and_then(extension).is_some_and(|extension| known.contains(&&*extension))
}

/// Extensions of formats that no command writes for rows. The first two are an exception if the feature
/// `columnar` is enabled.
const FOREIGN: [(&[&str], &str); 8] = [
    (&["parquet", "pq"], "Parquet"),
    (&["arrow", "feather", "ipc"], "Arrow"),
    (&["xlsx", "xls", "ods"], "a spreadsheet"),
    (&["json"], "one JSON document"),
    (&["npy", "npz", "pkl"], "arrays of Python"),
    (&["svg", "png", "jpg", "gif"], "an image"),
    (&["pdf"], "PDF"),
    (&["html", "htm"], "HTML"),
];

/// The formats, besides CSV, that the name of an output may choose.
#[derive(Clone, Copy)]
pub(crate) struct FormatsByName {
    /// JSON Lines.
    pub(crate) json: bool,
    /// Parquet or Arrow.
    pub(crate) container: bool,
}

/// Refuses an output whose name suggests a format that the command can't write, e.g. `rows.xlsx`.
pub(crate) fn check_rows_name(output: Option<&Path>, formats: FormatsByName) -> Result<(), Error> {
    let Some(path) = output else { return Ok(()) };
    let can_be_table = formats.container && Container::from_name(path).is_some();
    if can_be_table && Container::IS_BUILT {
        return Ok(());
    }
    let suggested = match FOREIGN.iter().find(|(endings, _)| has_extension(output, endings)) {
        Some((_, format)) => format,
        None if !formats.json && is_json_name(output) => "JSON Lines",
        None => return Ok(()),
    };
    let (path, rows) = (path.display(), if formats.json { "CSV or JSON Lines" } else { "CSV" });
    let names = if formats.json { ".csv or .jsonl" } else { ".csv" };
    let built = if can_be_table { ", or build gridmill with --features columnar" } else { "" };
    refuse(format!(
        "{path}: this name suggests {suggested}, but the rows are {rows}: choose one that ends in {names}{built}"
    ))
}

/// Refuses an output whose name suggests a format that differs from that of the records, which are copied unchanged.
pub(crate) fn check_records_name(output: Option<&Path>, layout: &Layout) -> Result<(), Error> {
    let Some(path) = output else { return Ok(()) };
    let is_table = layout.header.is_some();
    let must_be_table = is_container_name(output) && !is_table;
    if !must_be_table && FOREIGN.iter().any(|(endings, _)| has_extension(output, endings)) {
        return check_rows_name(output, FormatsByName { json: true, container: is_table });
    }
    let format = match layout.json_keys() {
        _ if must_be_table => layout.format_name(),
        Some(_) if has_extension(output, &["csv"]) => "JSON Lines",
        None if is_json_name(output) => layout.format_name(),
        _ => return Ok(()),
    };
    let path = path.display();
    refuse(format!(
        "{path}: records are written unchanged, in {format}: choose another name, or convert them first (gridmill convert)"
    ))
}

/// The extension of a name in lower case, without that of a compression, e.g. `csv` for `A.CSV.gz`.
pub(crate) fn extension(path: &Path) -> Option<String> {
    let last = path.extension()?.to_str()?.to_ascii_lowercase();
    match &*last {
        "gz" | "zst" | "xz" => Some(Path::new(path.file_stem()?).extension()?.to_str()?.to_ascii_lowercase()),
        _ => Some(last),
    }
}

/// Names of columns, or their numbers. This is a type alias, because clap treats a plain `Vec` as an argument
/// that is given several times.
pub(crate) type ColumnList = Vec<String>;

/// Parses names as in a CSV row: with commas between them, and in quotes if they contain one.
pub(crate) fn column_list(text: &str) -> Result<ColumnList, String> {
    let names = csv_fields(text.as_bytes(), b',');
    let names: Vec<String> = names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    let is_row = !names.is_empty() && !text.contains(['\n', '\r']);
    is_row.then_some(names).ok_or_else(|| "give names of columns, as in record,status".to_owned())
}

/// The indices of the listed columns among the known ones.
pub(crate) fn chosen_columns(list: &[String], known: &[String]) -> Result<Vec<usize>, Error> {
    let mut chosen = Vec::with_capacity(list.len());
    for name in list {
        let none = |known: Vec<String>| {
            let known = known.join(", ");
            Error::other(format!("there is no column '{name}' for --columns; the columns are: {known}"))
        };
        let several = |columns: Vec<String>| {
            let columns = columns.join(", ");
            Error::other(format!(
                "'{name}' for --columns may mean several columns: {columns}; choose one by its number"
            ))
        };
        let column = one_column(known, &columns_meant(known, Some(name), &[]), none, several)?;
        if chosen.contains(&column) {
            let name = &known[column];
            return refuse(format!("--columns names {name} more than once: each column is written once"));
        }
        chosen.push(column);
    }
    Ok(chosen)
}

/// The commands that write the answers of a job, each with all columns that its options may add.
pub(crate) fn job_columns() -> [(&'static str, Schema); 13] {
    let count = Count { shared: true, ..Count::default() };
    let rate = Rate { techniques: true, times: true, up_to: Some(Rating::BEYOND), ..Rate::default() };
    let canon = Canon {
        transform: true,
        automorphisms: true,
        automorphism_list: true,
        bands: true,
        ..Canon::default()
    };
    [
        ("solve", Solve::default().schema()),
        ("count", count.schema()),
        ("enumerate", Enumerate { changes: true, ..Enumerate::default() }.schema()),
        ("candidates", Candidates::default().schema()),
        ("rate", rate.schema()),
        ("canon", canon.schema()),
        ("backdoors", Backdoors { all: true, ..Backdoors::default() }.schema()),
        ("unavoidable", Unavoidable { totals: true, ..Unavoidable::default() }.schema()),
        ("minimize", Minimize::default().schema()),
        ("minimal", RedundantClues::default().schema()),
        ("neighbors", Neighbors::default().schema()),
        ("verify", Verify::default().schema()),
        ("check", Check::default().schema()),
    ]
}

/// The columns of a job with their names. Neighbouring columns with the same meaning are merged, e.g. those
/// of all techniques.
fn groups(schema: &Schema) -> impl Iterator<Item = (String, &Column)> {
    schema.columns.chunk_by(|one, next| one.meaning == next.meaning).map(|columns| match columns {
        [first, .., last] => (format!("{} to {}", first.name, last.name), first),
        _ => (columns[0].name.to_owned(), &columns[0]),
    })
}

/// The meaning of a column. For the status column, the names of all statuses are included.
fn meaning(schema: &Schema, column: &Column) -> String {
    if column.kind != ColumnKind::Status {
        return column.meaning.to_owned();
    }
    let mut names: Vec<&str> = schema.statuses.iter().map(|status| status.name).collect();
    names.dedup();
    format!("{}: {}", column.meaning, names.join(", "))
}

/// Adds the meanings of new columns to the help of `--columns`, and the list of numeric columns to that of
/// `--where`.
pub(crate) fn with_meanings(command: Command, jobs: &[(&str, Schema)]) -> Command {
    let (option, head, lines) = if command.get_name() == "select" {
        let columns = jobs.iter().flat_map(|(_, schema)| groups(schema));
        let mut numbers: Vec<String> = Vec::new();
        for (name, _) in columns.filter(|(_, column)| column.kind.is_number()) {
            if !numbers.contains(&name) {
                numbers.push(name);
            }
        }
        ("fields", "Of the columns that gridmill writes these are numbers: ", numbers.join(", "))
    } else {
        let is_there = command.get_arguments().any(|argument| argument.get_id() == "columns");
        let found = jobs.iter().find(|(name, _)| is_there && *name == command.get_name());
        let Some((_, schema)) = found else { return command };
        let line = |(name, column)| format!("\n- {name}: {}", meaning(schema, column));
        ("columns", "New columns:", groups(schema).map(line).collect())
    };
    command.mut_arg(option, |argument| {
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        argument.long_help(format!("{help}\n\n{head}{lines}"))
    })
}

/// The largest number of strata that a summary lists one by one.
const STRATA_SHOWN: usize = 20;

/// Finds the attribute that an option names, in files with this layout.
pub(crate) fn find_attribute(
    layout: &Layout,
    name: &AttributeName,
    option: &str,
) -> Result<Attribute, Error> {
    name.resolve(|column| find_field(layout, column, option))
}

/// The lines of a summary about strata: a label, and the records taken and present, e.g. "5 of 100". If there
/// are many strata, one line with their number.
pub(crate) fn strata_lines(attribute: &Attribute, strata: &[StratumCounts]) -> Vec<(String, String)> {
    if strata.len() > STRATA_SHOWN {
        return vec![("strata".to_owned(), HumanCount(strata.len() as u64).to_string())];
    }
    let counts = |stratum: &StratumCounts| {
        let taken = stratum.taken.iter().map(|&taken| HumanCount(taken).to_string());
        format!("{} of {}", taken.collect::<Vec<_>>().join(" + "), HumanCount(stratum.records))
    };
    strata.iter().map(|stratum| (stratum.label(attribute), counts(stratum))).collect()
}

/// The columns of a puzzle bank besides the puzzle, and their places in a line.
const OF_BANKS: [(&str, usize); 2] = [("hash", 0), ("rating", 2)];

/// Finds the field that an option names: a column by its name or its number from 1, or a key.
pub(crate) fn find_field(layout: &Layout, name: &str, option: &str) -> Result<Field, Error> {
    let unknown = |unit, known: &[String]| {
        let known = known.join(", ");
        Error::other(format!("there is no {unit} '{name}' for {option}; the {unit}s are: {known}"))
    };
    if let Some(header) = &layout.header {
        let several = |columns: Vec<String>| {
            let columns = columns.join(", ");
            Error::other(format!(
                "'{name}' for {option} may mean several columns: {columns}; choose one by its number"
            ))
        };
        let names = header.names();
        let meant = columns_meant(&names, Some(name), &[]);
        let index = one_column(&names, &meant, |known| unknown("column", &known), several)?;
        return Ok(Field::Column { index, separator: header.separator });
    }
    if let Some(keys) = layout.json_keys() {
        let found = keys.iter().find(|key| *key == name);
        return found.cloned().map(Field::Key).ok_or_else(|| unknown("key", keys));
    }
    if layout.format_name() != "bank" {
        return refuse(format!(
            "{option} is for CSV, JSON Lines and puzzle banks, but this file has another format"
        ));
    }
    let word = OF_BANKS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    let known = || OF_BANKS.map(|(known, _)| known.to_owned());
    word.map(|(_, place)| Field::Word(*place)).ok_or_else(|| unknown("column", &known()))
}

/// Whether the name of an output chooses a Parquet or Arrow table, and this build can write one.
pub(crate) fn is_container_name(output: Option<&Path>) -> bool {
    Container::IS_BUILT && output.and_then(Container::from_name).is_some()
}

/// Refuses `--resume` for Parquet and Arrow, because the end of such a file describes all its rows.
pub(crate) fn refuse_resumed_container(output: &Path) -> Result<(), Error> {
    let Some(container) = Container::from_name(output).filter(|_| Container::IS_BUILT) else { return Ok(()) };
    let path = output.display();
    refuse(format!(
        "{path}: --resume continues the rows of an earlier run, but a {container} table can't be continued: write .csv, and convert it at the end (gridmill convert)"
    ))
}

/// The types of the columns that an output takes over from its inputs. A column has its type if all files
/// agree, or else it is text. The puzzle is always text.
pub(crate) fn carried_types<'a>(
    layout: &Layout,
    mut tables: impl Iterator<Item = Option<&'a Vec<ColumnType>>>,
) -> Vec<ColumnType> {
    let Some(header) = &layout.header else { return Vec::new() };
    let Some(mut types) = tables.next().flatten().cloned() else { return Vec::new() };
    for table in tables {
        let others = table.into_iter().flatten().map(Some).chain(std::iter::repeat(None));
        for (kind, other) in types.iter_mut().zip(others) {
            if other != Some(kind) {
                *kind = ColumnType::Text;
            }
        }
    }
    if let Some(puzzles) = types.get_mut(header.column) {
        *puzzles = ColumnType::Text;
    }
    types
}

/// The columns of a Parquet or Arrow table to which records are copied unchanged; `None` if the output is no
/// such table. `types` is called only if it is one.
pub(crate) fn copied_container_columns(
    output: Option<&Path>,
    layout: &Layout,
    types: impl FnOnce() -> Vec<ColumnType>,
) -> Option<TableColumns> {
    if is_container_name(output) { copied_columns(layout, types()) } else { None }
}

/// The columns of records that are copied unchanged, without their header; `None` if they are not a table.
pub(crate) fn copied_columns(layout: &Layout, types: Vec<ColumnType>) -> Option<TableColumns> {
    let header = layout.header.as_ref()?;
    Some(TableColumns { types, separator: header.separator, names: Some(header.names()) })
}

#[cfg(test)]
mod tests {
    use gridmill_data::text::FormatOptions;

    use super::*;

    fn document(name: &str) -> String {
        std::fs::read_to_string(format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    /// The texts in backquotes.
    fn quoted(text: &str) -> Vec<&str> {
        text.split('`').skip(1).step_by(2).collect()
    }

    /// The rows of the table below a heading, each as its first cell and the others.
    fn table<'a>(text: &'a str, head: &str) -> Vec<(&'a str, &'a str)> {
        let lines = text.lines().skip_while(|line| *line != head).skip(2);
        lines.map_while(|line| line.strip_prefix("| ")?.split_once(" | ")).collect()
    }

    fn statuses(schema: &Schema) -> Vec<&'static str> {
        let mut names: Vec<_> = schema.statuses.iter().map(|status| status.name).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn the_documented_new_columns_are_those_of_the_schemas() {
        let mut expected = "| command | column | holds |\n|---|---|---|\n".to_owned();
        for (command, schema) in job_columns() {
            for (name, column) in groups(&schema) {
                let (name, meaning) = (name.replace(" to ", "` to `"), meaning(&schema, column));
                expected += &format!("| `{command}` | `{name}` | {meaning} |\n");
            }
        }
        assert!(
            document("formats.md").contains(&format!("\n{expected}\n")),
            "docs/formats.md lacks:\n{expected}"
        );
    }

    #[test]
    fn rows_have_the_columns_that_the_documents_list() {
        let (formats, python) = (document("formats.md"), document("python.md"));
        let commands = table(&formats, "| command | columns or lines |");
        let schemas = [
            ("solve", Solve::default().schema()),
            ("count", Count::default().schema()),
            ("candidates", Candidates::default().schema()),
            ("rate", Rate::default().schema()),
            ("canon", Canon::default().schema()),
            ("backdoors", Backdoors::default().schema()),
            ("minimize", Minimize::default().schema()),
            ("minimal", RedundantClues::default().schema()),
            ("verify", Verify::default().schema()),
            ("check", Check::default().schema()),
        ];
        for (command, schema) in &schemas {
            let names = format!(",{}", schema.names().collect::<Vec<_>>().join(","));
            let row = commands.iter().find(|row| quoted(row.0).contains(command)).unwrap();
            assert!(quoted(row.1).iter().any(|list| list.ends_with(&names)), "{command}: {names}");
        }
        let all = job_columns();
        let with_all_columns = |command: &str| &all.iter().find(|(name, _)| *name == command).unwrap().1;
        // Python has no array columns for lists of automorphisms.
        let canon = Canon { transform: true, automorphisms: true, ..Canon::default() }.schema();
        for schema in [&schemas[0].1, &schemas[1].1, &schemas[3].1, &canon, with_all_columns("minimize")] {
            let names = schema.names().map(|name| format!(", `{name}`")).collect::<String>();
            assert!(python.contains(&format!("Columns: `puzzle`{names}")), "docs/python.md: {names}");
        }
        let solve: Vec<_> = schemas[0].1.names().collect();
        let columns =
            document("guide.md").lines().find(|line| line.starts_with("The columns are ")).map(str::to_owned);
        assert_eq!(quoted(columns.as_deref().unwrap())[1..], solve);
    }

    #[test]
    fn ratings_have_the_columns_and_statuses_that_the_documents_list() {
        let (formats, rate) = (document("formats.md"), &job_columns()[4].1);
        let rows = table(&formats, "| column of `rate` | meaning |");
        let is_listed = |name: &&str| !name.starts_with("rounds_");
        let listed: Vec<_> = rows.iter().flat_map(|row| quoted(row.0)).filter(is_listed).collect();
        assert_eq!(listed, rate.names().filter(|name| is_listed(name)).collect::<Vec<_>>());
        let is_known = |name: &str| rate.names().any(|other| other == name);
        assert!(rows.iter().flat_map(|row| quoted(row.0)).all(is_known));
        let mut names = quoted(rows.iter().find(|row| quoted(row.0) == ["status"]).unwrap().1);
        names.sort_unstable();
        assert_eq!(names, statuses(rate));
    }

    #[test]
    fn the_documents_list_the_statuses_of_solve() {
        let expected = statuses(&Solve::default().schema());
        for name in ["guide.md", "python.md"] {
            let text = document(name);
            let mut listed: Vec<_> =
                table(&text, "| status | meaning |").iter().flat_map(|row| quoted(row.0)).collect();
            listed.sort_unstable();
            assert_eq!(listed, expected, "{name}");
        }
    }

    fn chosen(list: &str) -> Result<Vec<usize>, String> {
        let known = ["id", "a, b", "note", "note", "Status", "", "9"].map(str::to_owned);
        let list = column_list(list)?;
        chosen_columns(&list, &known).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_are_chosen_by_name_and_by_number() {
        for (list, expected) in [
            ("id,status", &[0, 4][..]),
            (" STATUS , id", &[4, 0]),
            ("\"a, b\",id", &[1, 0]),
            ("4,3,1", &[3, 2, 0]),
            ("9,,id", &[6, 5, 0]),
            ("\"\"", &[5]),
        ] {
            assert_eq!(chosen(list).as_deref(), Ok(expected), "{list}");
        }
    }

    #[test]
    fn an_unclear_list_of_columns_is_refused() {
        for (list, expected) in [
            ("", "give names"),
            ("id\nnote", "give names"),
            ("id,x", "no column 'x' for --columns; the columns are: id, a, b, note"),
            ("note", "note (column 3), note (column 4); choose one by its number"),
            ("id,status,1", "--columns names id more than once"),
            ("8", "no column '8'"),
            ("0", "no column '0'"),
        ] {
            let refusal = chosen(list).unwrap_err();
            assert!(refusal.contains(expected), "{list}: {refusal}");
        }
    }

    #[test]
    fn types_are_carried_over_if_all_files_have_them() {
        let layout = FormatOptions::default().layout(b"id,puzzle,x\n", false).unwrap().unwrap();
        let (number, rating) = (ColumnType::Number, ColumnType::Rating);
        let (first, second) = (vec![number.clone(), number.clone(), rating], vec![number.clone(); 3]);
        let carried = |tables: &[Option<&Vec<ColumnType>>]| carried_types(&layout, tables.iter().copied());
        assert_eq!(carried(&[Some(&second)]), [number.clone(), ColumnType::Text, number.clone()]);
        assert_eq!(carried(&[Some(&first), Some(&second)]), [number, ColumnType::Text, ColumnType::Text]);
        assert_eq!(carried(&[Some(&first), None]), [ColumnType::Text, ColumnType::Text, ColumnType::Text]);
        assert!(carried(&[None, Some(&first)]).is_empty());
    }
}
