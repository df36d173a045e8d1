//! Commands for whole collections: `gridmill dedupe` removes duplicates, `gridmill overlap` lists the puzzles
//! that two collections share, `gridmill split` makes parts that share none, and `gridmill stats` counts.

use std::io::BufWriter;
use std::iter;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::{Args, ValueEnum};
use gridmill_core::jobs::Status;
use gridmill_core::logic::Scale;
use gridmill_data::collection::{
    AttributeName, Buckets, DistinctWriter, DuplicateFinder, DuplicatesInOrder, KeyedRecords, OverlapWriter,
    PartBounds, Partition, SelectionWriter, SplitWriter, StratifiedPartition, TextMapper, TextSegments,
};
use gridmill_data::error::Error;
use gridmill_data::output::Destination;
use gridmill_data::packing::TableColumns;
use gridmill_report::{Clusters, CollectionCounts, Extras, MeasuredRecord, Report};
use indicatif::HumanCount;
use serde_json::{Map, json};

use super::canon::check_bands;
use crate::cli::End;
use crate::support::command_error::{changed, only_clues, refuse, report};
use crate::support::compare::{ComparedFile, Comparison, ComparisonArgs, SameArgs, check_forms, interrupted};
use crate::support::inputs::{InputSet, check_files, report_empty};
use crate::support::options::{Ratio, check_ratable, file_name, ratio, scale_parser};
use crate::support::outputs::{check_ending, finish_outputs, put, report_interrupted, unbuffered};
use crate::support::rows::{
    ColumnList, FormatsByName, check_records_name, check_rows_name, chosen_columns, column_list,
};
use crate::support::rows::{carried_types, copied_container_columns, find_attribute, strata_lines};
use crate::support::summary::{json_text, open_summary, plural, report_lines, write_summary};

const DEDUPE_HELP: &str = "\
Examples:
  gridmill dedupe puzzles.txt -o distinct.txt
      keeps every puzzle once: the first of those with the same cells, however blanks are written
  gridmill dedupe --isomorphic train.csv test.csv -o distinct.csv --list-duplicates duplicates.csv
      keeps every puzzle once in whatever disguise, and writes a list of the duplicates
  gridmill dedupe train.csv --against test.csv --isomorphic -o clean.csv
      removes leaks: puzzles of train.csv that are in test.csv, in whatever disguise, and also
      duplicates within train.csv
  gridmill dedupe huge.txt --memory 2G --tmp /scratch -o distinct.txt
      uses more memory, and a folder that has room for what does not fit into it

Kept lines are not changed and stay in their order, also headers, comments and remarks. You can give
several files if they have one format, one size of puzzles and, for CSV, the same header; their
records are written to one file. Records that can't be read are kept. Files are read twice; input
from a pipe is kept in a temporary file meanwhile.

Files given by --against are compared first, but none of their records is written, and their own
duplicates do not count. They may have another format. With --same-solution, puzzles without exactly
one solution are the same as no other puzzle, and kept.

The list has a row for each duplicate: file,record,line,first_file,first_record,first_line.

For puzzles of every size, and pencilmarks; with --isomorphic for 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 there are no duplicates, 1 there are some, or records that could not be compared
(malformed; with --same-solution without exactly one solution), 2 the job could not be done, 130 interrupted.";

/// Remove duplicates from collections, and puzzles that are in other collections
#[derive(Debug, Args)]
#[command(after_help = DEDUPE_HELP)]
pub(crate) struct Dedupe {
    /// Files of puzzles; - or no file means standard input. All of them are needed: if one can't be
    /// opened, nothing is written
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// Write the records to this file, which gets its name when it is complete [default: standard
    /// output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Leave out puzzles that are in this file, e.g. a test set; may be given several times; -
    /// for standard input
    #[arg(long, value_name = "OTHER")]
    against: Vec<PathBuf>,

    #[command(flatten)]
    same: SameArgs,

    /// Write a list of the duplicates to this file, as CSV
    #[arg(long, alias = "groups", value_name = "FILE")]
    list_duplicates: Option<PathBuf>,

    #[command(flatten)]
    comparison: ComparisonArgs,
}

impl Dedupe {
    pub(crate) fn run(self) -> Result<End, Error> {
        check_files(self.files.iter().chain(&self.against))?;
        let (against_count, paths) = (self.against.len(), self.against.iter().chain(&self.files));
        let files = InputSet::of(paths, &self.comparison.common, self.output.as_deref());
        let mut output = files.open_output(self.output.as_deref())?;
        let list = self.list_duplicates.as_deref();
        check_rows_name(list, FormatsByName { json: false, container: true })?;
        let list =
            list.map(|path| files.open_another_output(path, |list| list.is_same(&output))).transpose()?;
        let is_taken = |file: &Destination| {
            file.is_same(&output) || list.as_ref().is_some_and(|list| file.is_same(list))
        };
        let summary = open_summary(&files, is_taken)?;
        let mut comparison = self.comparison.begin(self.same, files, against_count)?;
        let Some((files, found)) = comparison.compare()? else { return Ok(interrupted()) };
        check_records_name(self.output.as_deref(), &files[against_count].layout)?;
        let head = head_of(&files[against_count..], self.output.as_deref(), &mut output);
        let mut duplicates = DuplicatesInOrder::after_files(against_count, found);
        let is_bad = !duplicates.is_empty() || files.iter().any(|it| it.not_compared() > 0);
        let list = list.map(|mut list| {
            list.set_container_columns(&TableColumns::with_header_row(DistinctWriter::LIST_TYPES));
            list
        });
        let mut list = list.map(|list| BufWriter::with_capacity(1 << 16, list));
        let mut output = BufWriter::with_capacity(1 << 18, output);
        let mut distinct = DistinctWriter {
            duplicates,
            against_count,
            output: &mut output,
            list: list.as_mut(),
            names: files.iter().map(|it| it.name.display().to_string()).collect(),
            found: [0; 2],
            last: b'\n',
        };
        let written = write_distinct(&mut comparison, &files, head, &mut distinct);
        let found = distinct.found;
        let outputs = iter::once((output, "the records so far are"))
            .chain(list.map(|list| (list, "the list so far is")));
        let duplicates = found[0] + found[1];
        let done = format_args!("{duplicates} {}", plural(duplicates, "duplicate"));
        let finished = written.and_then(|whole| finish_outputs(outputs, whole, done));
        Ok(match finished.map_err(|error| error.noting_failures(is_bad))? {
            true => self.end(files.split_at(against_count), found, summary)?,
            false => End::Interrupted,
        })
    }

    fn end(
        &self,
        (others, files): (&[ComparedFile], &[ComparedFile]),
        [inside, in_others]: RemovedCounts,
        summary: Option<Destination>,
    ) -> Result<End, Error> {
        let sum = |of: &[ComparedFile], count: fn(&ComparedFile) -> u64| of.iter().map(count).sum::<u64>();
        let records = sum(files, |it| it.records);
        let [malformed, improper] = [sum(files, |it| it.malformed), sum(files, |it| it.improper)];
        let not_compared = sum(others, ComparedFile::not_compared);
        let in_conflict = sum(files, |it| it.in_conflict);
        let of_others = format!(" of the others{}", self.same.why_left_out());
        let lines = [
            (true, "records", records, ""),
            (true, "duplicates", inside, ""),
            (!others.is_empty(), "in others", in_others, ""),
            (malformed > 0, "malformed", malformed, ", kept"),
            (improper > 0, "improper", improper, ", without exactly one solution, kept"),
            (in_conflict > 0, "conflict", in_conflict, ", compared cell by cell; is --shape right?"),
            (not_compared > 0, "left out", not_compared, &of_others),
            (true, "kept", records - inside - in_others, ""),
        ];
        let figures = lines.iter().map(|(_, label, count, _)| (label.replace(' ', "_"), json!(count)));
        write_summary(summary, &figures.collect::<Map<_, _>>())?;
        if !self.comparison.common.quiet {
            let shown = lines.into_iter().filter(|(is_shown, ..)| *is_shown);
            let line = |(_, label, count, remark)| (label, format!("{}{remark}", HumanCount(count)));
            report_lines(10, &shown.map(line).collect::<Vec<_>>());
        }
        let bad = [inside, in_others, malformed, improper, not_compared, in_conflict];
        Ok(End::from_findings(false, bad != [0; 6]))
    }
}

/// How many records were removed because an earlier record of the same files equals them, and how many because a record of
/// `--against` does.
type RemovedCounts = [u64; 2];

/// The text before the records of an output, which comes from the first file. It is empty if the output
/// is a Parquet or Arrow table, because its header is stored as column names.
fn head_of<'c>(files: &'c [ComparedFile], path: Option<&Path>, output: &mut Destination) -> &'c [u8] {
    let layout = &files[0].layout;
    let types = || carried_types(layout, files.iter().map(|file| file.columns.as_ref()));
    match copied_container_columns(path, layout, types) {
        Some(columns) => {
            output.set_container_columns(&columns);
            &[]
        }
        None => &files[0].head,
    }
}

/// Writes `head`, and then the records that are not duplicates. The files of `--against` come first
/// and are skipped. Returns false if the run is stopped.
fn write_distinct(
    comparison: &mut Comparison<'_>,
    files: &[ComparedFile],
    head: &[u8],
    distinct: &mut DistinctWriter<'_>,
) -> Result<bool, Error> {
    let against_count = distinct.against_count;
    distinct.begin(head)?;
    for (index, file) in files.iter().enumerate().skip(against_count) {
        if index > against_count {
            distinct.end_line()?;
        }
        let mut take = |first, segments: &TextSegments| distinct.take(index, first, segments);
        if !comparison.reread(index, file, TextMapper::Lines, &mut take)? {
            return Ok(false);
        }
    }
    Ok(true)
}

const OVERLAP_HELP: &str = "\
Examples:
  gridmill overlap test.csv train.csv
      lists the puzzles of test.csv that are in train.csv:
      record,line,puzzle,other_record,other_line
  gridmill overlap test.csv train.csv --isomorphic -o leaks.csv
      finds them in whatever disguise
  gridmill overlap test.csv train.csv --same-solution --isomorphic -q && echo no leak
      finds puzzles that have the same solution, perhaps in disguise; for scripts

Each row names the first record of the second file that is the same. Puzzles are compared cell by
cell, however blanks are written, unless an option says otherwise. With --same-solution, puzzles
without exactly one solution are the same as no other puzzle. Files are read twice; input from a
pipe is kept in a temporary file meanwhile.

For puzzles of every size, and pencilmarks; with --isomorphic for 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 no puzzle is in both, 1 some are, or some records could not be compared (malformed;
with --same-solution without exactly one solution), or a file has no records, 2 the job could not
be done, 130 interrupted.";

/// List the puzzles of a collection that are also in another one
#[derive(Debug, Args)]
#[command(after_help = OVERLAP_HELP)]
pub(crate) struct Overlap {
    /// Puzzles to look for; - for standard input. Both names are needed
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Collection in which to look for them; - for standard input, for one of the two only
    #[arg(value_name = "OTHER")]
    other: PathBuf,

    /// Write the rows to this file, which gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write these columns of record, line, puzzle, other_record and other_line, in this order:
    /// names separated by commas, or numbers from 1
    #[arg(long, value_name = "NAMES", value_parser = column_list)]
    columns: Option<ColumnList>,

    #[command(flatten)]
    same: SameArgs,

    #[command(flatten)]
    comparison: ComparisonArgs,
}

impl Overlap {
    pub(crate) fn run(self) -> Result<End, Error> {
        check_files([&self.file, &self.other])?;
        check_rows_name(self.output.as_deref(), FormatsByName { json: false, container: true })?;
        let known = OverlapWriter::COLUMNS.map(str::to_owned);
        let chosen = self.columns.as_ref().map(|list| chosen_columns(list, &known)).transpose()?;
        let columns = chosen.unwrap_or_else(|| (0..known.len()).collect());
        let files = [&self.other, &self.file];
        let files = InputSet::of(files, &self.comparison.common, self.output.as_deref());
        let mut output = files.open_output(self.output.as_deref())?;
        let summary = open_summary(&files, |file| file.is_same(&output))?;
        let types: Vec<_> = columns.iter().map(|&column| OverlapWriter::TYPES[column].clone()).collect();
        output.set_container_columns(&TableColumns::with_header_row(types));
        let mut comparison = self.comparison.begin(self.same, files, 1)?;
        let Some((files, found)) = comparison.compare()? else { return Ok(interrupted()) };
        let [other, file] = &files[..] else { unreachable!("two files are compared") };
        // The other file comes first. Duplicates within one file do not count.
        let mut duplicates = DuplicatesInOrder::across(found);
        let is_bad = !duplicates.is_empty() || files.iter().any(|it| it.not_compared() > 0);
        let mut output = BufWriter::with_capacity(1 << 16, output);
        let mut shared = OverlapWriter { duplicates, columns, output: &mut output, found: 0 };
        shared.begin()?;
        let mut take = |first, segments: &TextSegments| shared.take(1, first, segments);
        let written = comparison.reread(1, file, TextMapper::Cells, &mut take);
        let found = shared.found;
        let written = written.and_then(|whole| Ok((whole, unbuffered(output)?)));
        let (whole, output) = written.map_err(|error| error.noting_failures(is_bad))?;
        if !whole {
            let kept = output.keep_partial()?;
            report_interrupted(format_args!("{found} {}", plural(found, "row")), kept.as_deref());
            return Ok(End::Interrupted);
        }
        output.commit()?;
        let left_out = [file, other].map(ComparedFile::not_compared);
        let records = [file.records, other.records];
        write_summary(summary, &json!({ "records": records, "left_out": left_out, "in_both": found }))?;
        Ok(self.end(file, other, left_out, found))
    }

    fn end(&self, file: &ComparedFile, other: &ComparedFile, left_out: [u64; 2], found: u64) -> End {
        let empty: Vec<&ComparedFile> = [file, other].into_iter().filter(|it| it.records == 0).collect();
        empty.iter().for_each(|it| report_empty(&it.name));
        if !self.comparison.common.quiet {
            let both = |[file, other]: [u64; 2]| format!("{} and {}", HumanCount(file), HumanCount(other));
            let mut lines = vec![("records", both([file.records, other.records]))];
            if left_out != [0, 0] {
                lines.push(("left out", both(left_out) + self.same.why_left_out()));
            }
            lines.push(("in both", HumanCount(found).to_string()));
            report_lines(10, &lines);
        }
        if found == 0 && left_out == [0, 0] && empty.is_empty() { End::Good } else { End::Imperfect }
    }
}

const SPLIT_HELP: &str = "\
Examples:
  gridmill split puzzles.csv --ratio 90:10 -o train.csv -o test.csv
      makes parts of nine tenths and one tenth, at random; equal puzzles are put into one part
  gridmill split puzzles.csv --ratio 90:10 --isomorphic -o train.csv -o test.csv
      no puzzle of one part is in the other, in whatever disguise
  gridmill split puzzles.txt --ratio 8:1:1 --seed 7 -o train.txt -o valid.txt -o test.txt
      makes three parts; another seed gives other parts
  gridmill split rated.csv --ratio 8:1:1 --stratify 'rating by 0.5' -o train.csv -o valid.csv -o test.csv
      gives each part its share of easy and hard puzzles: 8, 1 and 1 tenths of each bin of 0.5

Puzzles that are the same are all put into one part, so that nothing leaks from part to part:
overlap finds nothing. All records are kept, duplicates too; use dedupe to remove those. Sizes are
as near to the ratio as possible without dividing a group of puzzles that are the same.

With --stratify each part gets its share of each value of a column, rounded up or down. Records
left over by rounding go to the part that is furthest below its share of all values so far, so the
parts also have the sizes of --ratio. Values are taken in rising order. You can name clues, for the
number of clues, a column of CSV, a key of JSON Lines, or hash or rating of puzzle banks;
column(clues) is a column of that name. Equal numbers are one value, and 'NAME by WIDTH' makes
bins of numbers, which begin at 0. A group of equal puzzles counts under the value of its first
puzzle. Puzzles without a value form a stratum of their own, and those that can't be compared
belong to no stratum. There can be up to 10,000 values.

Rows and lines are not changed and stay in their order. Each part gets the header of CSV. Comments,
frames and titles stay with their puzzles. Records that can't be compared are put into the first
part: malformed ones and, with --same-solution, puzzles without exactly one solution. Several files
must have one format. Files are read twice; input from a pipe is kept in a temporary file meanwhile,
as are four bytes for each record.

For puzzles of every size, and pencilmarks; with --isomorphic for 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 every record was compared, 1 some could not be, 2 the job could not be done,
130 interrupted.";

/// Divide collections into parts that share no puzzle, e.g. train and test sets
#[derive(Debug, Args)]
#[command(after_help = SPLIT_HELP, override_usage = "gridmill split [FILE]... --ratio N:N -o PART -o PART")]
pub(crate) struct Split {
    /// Files of puzzles; - or no file means standard input. All of them are needed: if one can't be
    /// opened, nothing is written
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// Relative sizes of the parts: 90:10, or 8:1:1
    #[arg(long, value_name = "N:N", value_parser = ratio)]
    ratio: Ratio,

    /// Write a part to this file; give this option once for each part, in the order of the ratio.
    /// The files get their names when all are complete
    #[arg(short, long, value_name = "PART", required = true)]
    output: Vec<PathBuf>,

    #[command(flatten)]
    same: SameArgs,

    /// Seed of the random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Give each value its share: name a column, clues (their number), or bins as in 'rating by 0.5'
    #[arg(long, value_name = "COLUMN")]
    stratify: Option<AttributeName>,

    #[command(flatten)]
    comparison: ComparisonArgs,
}

impl Split {
    pub(crate) fn run(self) -> Result<End, Error> {
        check_files(&self.files)?;
        let files = InputSet::of(&self.files, &self.comparison.common, self.most_visible_output());
        let outputs = self.open_outputs(&files)?;
        let summary = open_summary(&files, |file| outputs.iter().any(|output| file.is_same(output)))?;
        let mut comparison = self.comparison.begin(self.same, files, 0)?;
        comparison.stratify = self.stratify.clone();
        let Some((files, plan)) = self.plan(&mut comparison)? else { return Ok(interrupted()) };
        for output in &self.output {
            check_records_name(Some(output), &files[0].layout)?;
        }
        let is_bad = files.iter().any(|it| it.not_compared() > 0);
        let begun = outputs.into_iter().zip(&self.output).map(|(mut output, path)| {
            let head = head_of(&files, Some(path), &mut output);
            let mut output = BufWriter::with_capacity(1 << 18, output);
            put(&mut output, head).map(|()| output)
        });
        let mut outputs = begun.collect::<Result<Vec<_>, Error>>()?;
        let strata = plan.strata;
        let selections = outputs.iter_mut().map(SelectionWriter::new).collect();
        let divided = SplitWriter::new(plan.parts, plan.buckets, selections);
        let divided = divided.and_then(|divided| divide(&mut comparison, &files, divided));
        let finished = divided.and_then(|(records, sizes)| {
            let outputs = outputs.into_iter().map(|output| (output, "a part so far is"));
            let done = format_args!("{records} {}", plural(records, "record"));
            finish_outputs(outputs, sizes.is_some(), done)?;
            Ok(sizes)
        });
        let sizes = finished.map_err(|error| error.noting_failures(is_bad))?;
        sizes.map_or(Ok(End::Interrupted), |sizes| self.end(&files, (&sizes, &strata), summary))
    }

    /// Reads the files for the first time, and chooses a part for each record; `None` if the run is stopped.
    fn plan(&self, comparison: &mut Comparison<'_>) -> Result<Option<(Vec<ComparedFile>, Plan)>, Error> {
        let Some(name) = &self.stratify else {
            let (mut partition, mut buckets) = (Partition::new(self.seed), Buckets::new(&comparison.space)?);
            let mut add = |_, _, keyed: &KeyedRecords| Ok(buckets.add(keyed, &mut partition)?);
            let collections = comparison.read_keys(&mut add)?;
            let plan = Plan { parts: partition.parts(&self.ratio), buckets, strata: Vec::new() };
            return Ok(collections.map(|collections| (collections, plan)));
        };
        let mut partition = StratifiedPartition::new(&comparison.space, self.seed)?;
        let Some(collections) = comparison.read_keys(&mut |_, _, keyed| partition.add(keyed))? else {
            return Ok(None);
        };
        let divided = partition.divide(&self.ratio, &comparison.files.stop)?;
        let Some((buckets, strata)) = divided else { return Ok(None) };
        let attribute = find_attribute(&collections[0].layout, name, "--stratify")?;
        let strata = strata_lines(&attribute, &strata);
        Ok(Some((collections, Plan { parts: PartBounds::one_per_bucket(self.ratio.len()), buckets, strata })))
    }

    /// Opens one output for each part.
    fn open_outputs(&self, files: &InputSet<'_>) -> Result<Vec<Destination>, Error> {
        let (parts, outputs) = (self.ratio.len(), self.output.len());
        if parts != outputs {
            let there =
                if outputs == 1 { "is 1 output".to_owned() } else { format!("are {outputs} outputs") };
            return refuse(format!(
                "--ratio makes {parts} parts, but there {there}: give one -o for each part"
            ));
        }
        let mut opened: Vec<Destination> = Vec::new();
        for path in &self.output {
            let is_taken = |output: &Destination| opened.iter().any(|other| other.is_same(output));
            opened.push(files.open_another_output(path, is_taken)?);
        }
        Ok(opened)
    }

    /// Standard output if it is among the outputs, or else the first one. It decides whether rows appear on
    /// the terminal.
    fn most_visible_output(&self) -> Option<&Path> {
        let mut paths = self.output.iter().map(PathBuf::as_path);
        paths.clone().find(|path| file_name(Some(path)).is_none()).or_else(|| paths.next())
    }

    fn end(
        &self,
        files: &[ComparedFile],
        (sizes, strata): (&[u64], &[(String, String)]),
        summary: Option<Destination>,
    ) -> Result<End, Error> {
        let sum = |count: fn(&ComparedFile) -> u64| files.iter().map(count).sum::<u64>();
        let [records, malformed, improper] =
            [sum(|it| it.records), sum(|it| it.malformed), sum(|it| it.improper)];
        let names: Vec<String> = self.output.iter().map(|path| path.display().to_string()).collect();
        let parts = names.iter().zip(sizes).map(|(name, size)| json!({ "name": name, "records": size }));
        let parts: Vec<_> = parts.collect();
        let figures =
            json!({ "records": records, "parts": parts, "malformed": malformed, "improper": improper });
        write_summary(summary, &figures)?;
        if !self.comparison.common.quiet {
            let line = |count, remark: &str| format!("{}{remark}", HumanCount(count));
            let mut lines = vec![("records", line(records, ""))];
            for (name, &size) in names.iter().zip(sizes) {
                let percent = 100.0 * size as f64 / records.max(1) as f64;
                lines.push((name, line(size, &format!(", {percent:.2} %"))));
            }
            if malformed > 0 {
                lines.push(("malformed", line(malformed, &format!(", in {}", names[0]))));
            }
            if improper > 0 {
                let remark = format!(", without exactly one solution, in {}", names[0]);
                lines.push(("improper", line(improper, &remark)));
            }
            lines.extend(strata.iter().map(|(label, counts)| (&**label, counts.clone())));
            report_lines("malformed".len(), &lines);
        }
        Ok(End::from_findings(false, malformed + improper > 0))
    }
}

/// The assignment of records to parts.
struct Plan {
    parts: PartBounds,
    buckets: Buckets,
    /// How many records of each stratum each part gets, as lines of the summary.
    strata: Vec<(String, String)>,
}

/// Reads the files again, and writes each record to its part. Returns the number of written records, and the
/// number in each part; the latter is `None` if the run is stopped.
fn divide(
    comparison: &mut Comparison<'_>,
    files: &[ComparedFile],
    mut divided: SplitWriter<'_>,
) -> Result<(u64, Option<Vec<u64>>), Error> {
    for (index, file) in files.iter().enumerate() {
        if index > 0 {
            divided.end_line()?;
        }
        let mut take = |_, segments: &TextSegments| match divided.take(segments)? {
            true => Ok(()),
            false => Err(changed(&file.name)),
        };
        if !comparison.reread(index, file, TextMapper::Lines, &mut take)? {
            return Ok((divided.records, None));
        }
    }
    let written = |selection: SelectionWriter<'_>| Ok(selection.finish()?.0);
    let sizes = divided.selections.into_iter().map(written).collect::<Result<_, Error>>()?;
    Ok((divided.records, Some(sizes)))
}

const STATS_HELP: &str = "\
Examples:
  gridmill stats puzzles.txt
      shows verdicts, numbers of clues, symmetries, guesses and times, and the number of duplicates
  gridmill stats train.csv test.csv --to json > stats.json
      counts two files as one collection, and writes JSON for a program
  gridmill stats puzzles.txt --isomorphic
      shows how many puzzles are others in disguise
  gridmill stats puzzles.txt --neighbors
      shows how many puzzles are one exchanged clue away from another, and the clusters of these
  gridmill stats puzzles.txt --backdoors --bands
      shows how many cells a backdoor has, and how many classes of bands the solutions have
  gridmill stats puzzles.txt --rating
      shows how hard they are for people: ratings, and the hardest technique of each puzzle
  gridmill stats puzzles.txt --rating --html report.html
      shows the table, and writes a page with pictures and tables to look at, print or send to
      others

Duplicates are records with the same cells as an earlier one, or with --isomorphic the same puzzle
in disguise (gridmill dedupe lists them). Symmetries are those of the places of clues; a puzzle may
have several. Guesses and times are those of the lockstep engine, for puzzles that obey the rules;
for sizes above 16x16 and files of several sizes they are those of bitmask.

Two puzzles are neighbors if one becomes the other when one clue is exchanged, in whatever disguise
(see gridmill neighbors). A cluster is a set of puzzles that are linked by neighbors; isomorphs are in one cluster.

Ratings are those of gridmill rate, for puzzles with exactly one solution; unsolved puzzles are
those that no technique of the scale solves.

A backdoor is a set of cells whose digits leave only singles to do; puzzles are counted by the size of
the smallest, up to 3 cells. The classes of bands and stacks are those of gridmill canon --bands; JSON
has the number of bands and stacks of each class.

For puzzles of every size; with --rating and --bands for 9x9 puzzles, with --isomorphic and --neighbors
for 4x4, 6x6, 8x8 and 9x9 puzzles.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be
done, 130 interrupted.";

/// Show what is in a collection: verdicts, clues, symmetries, guesses, times, duplicates
#[derive(Debug, Args)]
#[command(after_help = STATS_HELP)]
pub(crate) struct Stats {
    /// Files of puzzles; - or no file means standard input. If a file can't be opened, the figures
    /// are those of the others, and the exit code is 2
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    files: Vec<PathBuf>,

    /// Format of the figures
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    to: FiguresForm,

    /// Also write a report: a page with pictures and tables, in one file that any browser can open
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,

    /// Puzzles are the same if one is the other in disguise: rows, columns or digits permuted
    #[arg(long)]
    isomorphic: bool,

    /// Find neighbors: puzzles that become others of the collection if one clue is exchanged, in whatever disguise
    #[arg(long)]
    neighbors: bool,

    /// Count puzzles by the size of their smallest backdoors, as gridmill backdoors finds them
    #[arg(long)]
    backdoors: bool,

    /// Find the classes of the bands and stacks of solutions, 9x9 only
    #[arg(long)]
    bands: bool,

    /// Rate the puzzles: how hard they are for people, on the scale of Sudoku Explainer
    #[arg(long)]
    rating: bool,

    /// Scale of the ratings: which program's techniques and ratings are used [default: sukaku]
    #[arg(long, value_name = "NAME", value_parser = scale_parser(), requires = "rating")]
    scale: Option<Scale>,

    #[command(flatten)]
    comparison: ComparisonArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FiguresForm {
    /// A table to read
    #[default]
    Table,
    /// One JSON object
    Json,
}

impl Stats {
    pub(crate) fn run(self) -> Result<End, Error> {
        let files = InputSet::new(&self.files, &self.comparison.common, None)?;
        let output = Destination::create(None)?;
        let report = self.html.as_deref().map(|path| report_file(path, &files)).transpose()?;
        let is_taken = |file: &Destination| {
            file.is_same(&output) || report.as_ref().is_some_and(|report| file.is_same(report))
        };
        let summary = open_summary(&files, is_taken)?;
        let mut comparison = self.comparison.begin(self.same(), files, 0)?;
        let stop = Arc::clone(&comparison.files.stop);
        let mut finder = DuplicateFinder::new(&comparison.space)?;
        let mut clusters = self.neighbors.then(|| Clusters::new(&comparison.space)).transpose()?;
        let mut counts = CollectionCounts::new(self.extras());
        for index in 0..comparison.files.paths().len() {
            let Some((input, layout)) = comparison.open(index)? else { return Ok(End::Interrupted) };
            if layout.is_pencilmarks() {
                return Err(only_clues().in_file(input.name()));
            }
            if self.rating {
                check_ratable(&layout).map_err(|error| error.in_file(input.name()))?;
            }
            if self.neighbors {
                check_forms(&layout, false).map_err(|error| error.in_file(input.name()))?;
            }
            if self.bands {
                check_bands(&layout).map_err(|error| error.in_file(input.name()))?;
            }
            let mut record = 0;
            let mut take = |records: &Vec<MeasuredRecord>| {
                counts.add_chunk(records, &mut finder, index as u32, record)?;
                clusters.as_mut().map_or(Ok(()), |clusters| clusters.add_chunk(records))?;
                record += records.len() as u64;
                Ok(ControlFlow::Continue(()))
            };
            let keys = self.same().keys(&layout);
            let stage =
                MeasuredRecord::stage(keys, self.extras(), &layout, comparison.max_messages.is_some());
            if comparison.run(input, &*stage, true, &mut take)?.is_none() {
                return Ok(without_figures());
            }
        }
        let duplicates = finder.find(&stop)?.try_fold(0, |count, found| found.map(|_| count + 1))?;
        if stop.load(Ordering::Relaxed) {
            return Ok(without_figures());
        }
        let bad = [Status::Malformed, Status::Conflict].map(|status| counts.by_field().status(status));
        let bad: u64 = bad.iter().sum();
        let names = comparison.files.paths().iter().map(|path| path.display().to_string()).collect();
        let figures = counts.figures(names, duplicates);
        let figures = match clusters {
            Some(clusters) => figures.with_clusters(clusters, &stop)?,
            None => figures,
        };
        let counts = counts.by_field();
        let found = Report { figures: &figures, counts, isomorphs_are_duplicates: self.isomorphic };
        write_summary(summary, &figures)?;
        self.write(&found, output, report).map_err(|error| error.noting_failures(bad > 0))?;
        Ok(End::from_findings(comparison.files.lacks_files, bad > 0))
    }

    fn same(&self) -> SameArgs {
        SameArgs { isomorphic: self.isomorphic, same_solution: false }
    }

    fn extras(&self) -> Extras {
        let scale = self.rating.then(|| self.scale.unwrap_or(Scale::Sukaku));
        Extras { scale, neighbors: self.neighbors, backdoors: self.backdoors, bands: self.bands }
    }

    /// Writes the report to its file, and the figures to the output. The figures are written even if the
    /// report fails, so that they are not lost.
    fn write(
        &self,
        found: &Report<'_>,
        mut output: Destination,
        report: Option<Destination>,
    ) -> Result<(), Error> {
        let text = match self.to {
            FiguresForm::Table => found.figures.to_string(),
            FiguresForm::Json => json_text(found.figures),
        };
        let reported = report.map_or(Ok(()), |mut file| {
            put(&mut file, found.to_html().as_bytes())?;
            file.commit()
        });
        put(&mut output, text.as_bytes())?;
        output.commit()?;
        reported
    }
}

/// Opens the file of the report. This happens before anything is counted, so that a wrong name fails
/// immediately.
fn report_file(path: &Path, files: &InputSet<'_>) -> Result<Destination, Error> {
    check_ending(path, "html", "--html writes HTML")?;
    files.open_output(Some(path))
}

fn without_figures() -> End {
    report("interrupted; no figures were written");
    End::Interrupted
}
