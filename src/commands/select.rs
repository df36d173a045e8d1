//! `gridmill select` and `gridmill sort`: the records of files that meet conditions, or a random sample of
//! them; and the records of files, sorted by columns or by the number of clues.

use std::io::BufWriter;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;
use clap::builder::TypedValueParser;
use gridmill_core::jobs::Status;
use gridmill_data::collection::{
    Attribute, AttributeName, Conditions, Criteria, NamedCondition, RecordSorter, Sample, SelectionOrder,
    SelectionWriter, StratumCounts, TextSegments,
};
use gridmill_data::error::Error;
use gridmill_data::output::RowOutput;
use gridmill_data::text::Layout;
use gridmill_report::eprint_message;
use indicatif::HumanCount;
use serde_json::json;

use crate::cli::{End, TaskOptions};
use crate::support::command_error::{refuse, report};
use crate::support::compare::SpaceArgs;
use crate::support::inputs::InputArgs;
use crate::support::options::{RatingConditions, Span, check_ratable, one_of, span};
use crate::support::outputs::{finish_rows, flush, put_header, unbuffered};
use crate::support::parts::{PartArgs, with_resume_advice};
use crate::support::rows::check_records_name;
use crate::support::rows::{copied_container_columns, find_attribute, find_field, strata_lines};
use crate::support::summary::{open_summary, plural, put_summary, report_lines};

const SELECT_HELP: &str = "\
Examples:
  gridmill select puzzles.txt --clues 17..24 --status unique -o few.txt
      proper puzzles with 17 to 24 clues
  gridmill select train.csv --guesses 1.. --sample 1000 --seed 7 -o hard.csv
      a thousand puzzles that need a guess, chosen at random, in the order of the file
  gridmill select rated.csv --sample 1000 --stratify 'rating by 0.5' -o some.csv
      a thousand, with the same shares of easy and hard puzzles as the file, in steps of half a
      rating
  gridmill select rated.csv --where 'rating>=3' --where 'source!=web' -o hard.csv
      by other columns: rating is at least 3, and source is not web
  gridmill select made.csv --where 'clues_after < column(clues)' -o less.csv
      by comparing two columns
  gridmill select puzzles.txt --er 3.0..4.2 --technique x-wing -o wings.txt
      puzzles rated 3.0 to 4.2 in which an X-wing finds something
  gridmill select big.txt --skip 1000 --take 1000 | gridmill solve
      the second thousand; stops reading after it
  gridmill select big.txt --er 9.0.. -o hard.txt --resume
      a run of days; run the same command again to continue after an interruption
  gridmill select puzzles.txt --minimal --invert
      all records that are not minimal puzzles, including malformed ones
  zcat big.txt.gz | gridmill select - --sample 100
      from a pipe; only the sample is kept in memory

A record must meet all conditions. Rows and lines are copied unchanged. A CSV header is kept,
comments are removed. Puzzles in rows keep their frames, titles and the blank lines between them.
Malformed records only meet --status malformed, and records with two equal clues in a house meet no
condition about guesses. Guesses are those of the lockstep engine, or of bitmask for sizes above
16x16 and files of several sizes. --minimal leaves out larger puzzles that could not be proved
minimal in 20,000 guesses a clue.

Ratings are those of gridmill rate. Only puzzles with one solution have them; other puzzles, and
those that no technique of the scale solves, meet no condition about ratings. They are for 9x9
puzzles. Only puzzles that meet all other conditions are rated, and a small upper end takes less
time.

--where compares with = != < <= > and >=, and accepts 'level in (easy, hard)' and 'source contains
bank'. It uses columns of CSV, keys of JSON Lines, and hash and rating of puzzle banks. If the value
is a number, fields are compared as numbers; a field that is not a number is unequal to it, and
neither less nor greater. Texts can only be compared with = and !=. A missing field is empty. Write
column(NAME) after the relation to compare with a different field of the same record, by the same
rule: 'solution = column(answer)'. Anything else after it is the value itself.

--skip and --take count the records that meet the conditions; --sample chooses from the records that
they leave. If --take ends the reading, records after the last one count neither as read nor as
malformed.

--stratify represents each value of a column in proportion, by largest remainder. It takes clues
(the number of clues), or a column or key as --where does. If a column is itself called clues, write
column(clues). Equal numbers are one value, and 'NAME by WIDTH' makes bins of numbers, which begin
at 0. Records without a value are a stratum of their own. Memory holds up to N records of each
value, and there may be up to 10,000 values.

For puzzles of every size; --er and --technique for 9x9.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130
interrupted.";

/// Select the records of a file that meet conditions, or a random sample of them
#[derive(Debug, Args)]
#[command(after_help = SELECT_HELP)]
pub(crate) struct Select {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    conditions: ConditionArgs,

    /// Take the records that do not meet all conditions
    #[arg(long)]
    invert: bool,

    /// Skip the first N records (of those that meet the conditions)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, conflicts_with_all = ["resume", "shard"])]
    skip: u64,

    /// Take only the first N records (of those that meet the conditions)
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "shard"])]
    take: Option<u64>,

    /// Take N records at random
    #[arg(long, value_name = "N", conflicts_with_all = ["resume", "shard"])]
    sample: Option<usize>,

    /// Give each value its share: name a column, clues (their number), or bins as in 'rating by 0.5'
    #[arg(long, value_name = "COLUMN", requires = "sample")]
    stratify: Option<AttributeName>,

    /// Seed of the random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Debug, Args)]
struct ConditionArgs {
    /// How many clues: a number, or a range such as 17..24, 30.. or ..24
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    clues: Option<Span>,

    /// The verdict, or several separated by commas
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = status_parser())]
    status: Vec<Status>,

    /// Guesses of the search that finds whether there are no, one or several solutions: a number or a range
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    guesses: Option<Span>,

    /// Only proper puzzles from which no clue can be taken
    #[arg(long)]
    minimal: bool,

    #[command(flatten)]
    ratings: RatingConditions,

    /// A column, a relation and a value or column(NAME), as in rating>=3; may be given several times. Use
    /// quotes in a shell
    #[arg(long = "where", value_name = "CONDITION")]
    fields: Vec<NamedCondition>,
}

fn status_parser() -> impl TypedValueParser<Value = Status> {
    let known = [Status::Unique, Status::Multiple, Status::None, Status::Conflict, Status::Malformed];
    one_of(known.map(|status| (status.name(), "", status)))
}

impl Select {
    pub(crate) fn run(self, task_options: &TaskOptions) -> Result<End, Error> {
        let path = self.input.output.as_deref();
        let Some((mut files, output, mut summary)) = self.parts.open(task_options, &self.input)? else {
            return Ok(End::Good);
        };
        if !files.detect(false)? {
            return Ok(End::Interrupted);
        }
        check_records_name(self.input.output.as_deref(), files.layout())?;
        if self.conditions.ratings.criteria().is_some() {
            check_ratable(files.layout())?;
        }
        let conditions = self.conditions.resolve(files.layout())?;
        let attribute = self.stratify.as_ref().map(|name| find_attribute(files.layout(), name, "--stratify"));
        let attributes = Vec::from_iter(attribute.transpose()?);
        let copied = copied_container_columns(path, files.layout(), || files.column_types());
        copied.iter().for_each(|columns| output.set_container_columns(columns));
        let mut rows = output.buffered();
        let has_begun = output.progress().is_some_and(|progress| progress.has_begun());
        if !has_begun && copied.is_none() {
            put_header(files.layout(), &mut *rows)?;
        }
        let sample = self.sample.map(|size| SelectionOrder::Sample(Sample::new(size, self.seed)));
        let mut selection = SelectionWriter::with_writer(&mut *rows);
        (selection.left_to_skip, selection.left_to_take) = (self.skip, self.take);
        selection.order = sample.unwrap_or(SelectionOrder::All);
        selection.keeps_text_between = !files.layout().has_one_record_per_line();
        if selection.keeps_text_between && output.has_journal() {
            return refuse(
                "--resume takes files with one record per line: convert these files first (gridmill convert --to line)",
            );
        }
        let mut take = |segments: &TextSegments| {
            selection.take(segments)?;
            if output.has_journal() {
                // The rows must be flushed here, because the journal may report this chunk as written as soon
                // as this closure ends.
                selection.flush()?;
            }
            Ok(if selection.is_complete { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        };
        let quiet = self.input.common.quiet;
        let (invert, marks_left_out) = (self.invert, self.take.is_some());
        let criteria = Criteria { conditions, invert, marks_left_out, attributes, ..Criteria::default() };
        let stages = |layout: &Layout, diagnostics| Ok(criteria.stage(layout, diagnostics));
        let totals = files.run(&mut take, Some(&output), &stages);
        // Reading may continue a little after the last selected record. Malformed records there don't count,
        // and errors of workers there don't matter.
        if selection.is_complete {
            let (records, malformed) = (selection.records, selection.malformed);
            let (selected, strata) = selection.finish()?;
            flush(&mut *rows)?;
            drop(rows);
            put_summary(summary.as_mut(), &figures(selected, records, malformed, true))?;
            output.commit(summary)?;
            if !quiet {
                report_early(selected, records, malformed);
                report_strata(&criteria.attributes, &strata);
            }
            return Ok(End::from_findings(files.lacks_files, malformed > 0));
        }
        let totals = totals.map_err(|error| with_resume_advice(error, output.resumable_partial()))?;
        let is_bad = totals.tally.statuses.failed > 0;
        let (selected, strata) = selection.finish().map_err(|error| error.noting_failures(is_bad))?;
        flush(&mut *rows).map_err(|error| error.noting_failures(is_bad))?;
        drop(rows);
        // The journal also counts the records that an earlier run selected.
        let selected = if has_begun { totals.tally.listed } else { selected };
        let malformed = totals.tally.statuses.count(Status::Malformed as usize);
        put_summary(summary.as_mut(), &figures(selected, totals.records, malformed, !totals.stopped))?;
        if !quiet && !totals.stopped {
            let things = plural(totals.records, "record");
            let (selected, records) = (HumanCount(selected), HumanCount(totals.records));
            eprint_message(format_args!("selected {selected} of {records} {things}\n"));
            report_strata(&criteria.attributes, &strata);
        }
        let were = if totals.records == 1 { "record was" } else { "records were" };
        finish_rows(output, summary, &totals, format_args!("{} {were} read", totals.records))
    }
}

/// The figures of a run, for `--summary`.
fn figures(selected: u64, records: u64, malformed: u64, complete: bool) -> serde_json::Value {
    json!({ "complete": complete, "records": records, "selected": selected, "malformed": malformed })
}

/// Reports a run that ended early, because it had found as many records as `--take` wants.
fn report_early(selected: u64, records: u64, malformed: u64) {
    let things = plural(records, "record");
    let [selected, records] = [selected, records].map(HumanCount);
    let malformed = match malformed {
        0 => String::new(),
        malformed => format!(", {} of them malformed", HumanCount(malformed)),
    };
    eprint_message(format_args!("selected {selected} of the first {records} {things}{malformed}\n"));
}

/// Reports how many records of each stratum were taken, if there are strata.
fn report_strata(attributes: &[Attribute], strata: &[StratumCounts]) {
    if let [attribute] = attributes {
        let lines = strata_lines(attribute, strata);
        report_lines(0, &lines.iter().map(|(label, counts)| (&**label, counts.clone())).collect::<Vec<_>>());
    }
}

impl ConditionArgs {
    /// The conditions for files with this layout.
    fn resolve(&self, layout: &Layout) -> Result<Conditions, Error> {
        let field =
            |predicate: &NamedCondition| predicate.resolve(|name| find_field(layout, name, "--where"));
        Ok(Conditions {
            clues: self.clues.map(|span| span.up_to(u64::MAX)),
            status: self.status.clone(),
            guesses: self.guesses.map(|span| span.up_to(u64::MAX)),
            minimal: self.minimal,
            ratings: self.ratings.criteria(),
            fields: self.fields.iter().map(field).collect::<Result<_, Error>>()?,
        })
    }
}

const SORT_HELP: &str = "\
Examples:
  gridmill sort rated.csv --by er --descending -o hardest.csv
      the hardest first
  gridmill sort rated.csv --by er --descending --take 100 -o top.csv
      the hundred hardest
  gridmill sort puzzles.txt --by clues -o sorted.txt
      the fewest clues first
  gridmill sort train.csv --by source,clues -o sorted.csv
      by the column source, then by the number of clues

--by takes clues (the number of clues), a column of CSV, a key of JSON Lines, or hash or rating of
puzzle banks. If a column is itself called clues, write column(clues). Numbers are compared as
numbers and come before texts, which are compared byte by byte. Records with an empty field come
after both, also with --descending, and malformed records come last. 'NAME by WIDTH' sorts by bins
of numbers. Records that are equal in all columns keep their order.

Rows and lines are copied unchanged. A CSV header is kept, comments are removed. Puzzles in rows
keep their frames and titles. You can sort several files into one if they have the same format, and
for CSV the same header. Files are read once, so they may be pipes.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130
interrupted.";

/// Sort the records of files by columns, or by the number of clues
#[derive(Debug, Args)]
#[command(after_help = SORT_HELP)]
pub(crate) struct Sort {
    #[command(flatten)]
    input: InputArgs,

    /// Sort by clues or by columns, separated by commas; the first one decides first
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', required = true)]
    by: Vec<AttributeName>,

    /// Put the greatest numbers, or the last texts, first
    #[arg(long)]
    descending: bool,

    /// Take only the first N records (in the new order)
    #[arg(long, value_name = "N")]
    take: Option<u64>,

    #[command(flatten)]
    space: SpaceArgs,
}

impl Sort {
    pub(crate) fn run(self) -> Result<End, Error> {
        let mut files = self.input.open(None)?;
        let path = self.input.output.as_deref();
        let mut output = files.open_output(path)?;
        let mut summary = open_summary(&files, |file| file.is_same(&output))?;
        if !files.detect(true)? {
            return Ok(End::Interrupted);
        }
        check_records_name(path, files.layout())?;
        let stop = Arc::clone(&files.stop);
        let sorter = RecordSorter::new(&self.space.space(), self.take, Arc::clone(&stop))?;
        let attributes = self.attributes(files.layout())?;
        let criteria = Criteria { attributes, takes_malformed: true, ..Criteria::default() };
        let copied = copied_container_columns(path, files.layout(), || files.column_types());
        copied.iter().for_each(|columns| output.set_container_columns(columns));
        let mut output = BufWriter::with_capacity(1 << 18, output);
        if copied.is_none() {
            put_header(files.layout(), &mut output)?;
        }
        let mut selection = SelectionWriter::new(&mut output);
        selection.order = SelectionOrder::Sorted(sorter);
        let mut take = |segments: &TextSegments| {
            selection.take(segments)?;
            Ok(ControlFlow::Continue(()))
        };
        let mut totals =
            files.run(&mut take, None, &|layout, diagnostics| Ok(criteria.stage(layout, diagnostics)))?;
        if totals.stopped {
            report("interrupted before all records were read; nothing was written");
            return Ok(End::Interrupted);
        }
        let is_bad = totals.tally.statuses.failed > 0;
        let (written, _) = selection.finish().map_err(|error| error.noting_failures(is_bad))?;
        let output = unbuffered(output).map_err(|error| error.noting_failures(is_bad))?;
        totals.stopped = stop.load(Ordering::Relaxed);
        let malformed = totals.tally.statuses.failed;
        let figures = json!({ "complete": !totals.stopped, "records": totals.records, "written": written, "malformed": malformed });
        put_summary(summary.as_mut(), &figures)?;
        if !self.input.common.quiet && !totals.stopped {
            let [written, records] = [written, totals.records].map(HumanCount);
            let things = plural(totals.records, "record");
            eprint_message(format_args!("sorted {records} {things}, wrote {written}\n"));
        }
        finish_rows(RowOutput::plain(output), summary, &totals, format_args!("{written} sorted records"))
    }

    /// The attributes that decide the order, for files with this layout.
    fn attributes(&self, layout: &Layout) -> Result<Vec<Attribute>, Error> {
        let attribute = |name| {
            let mut attribute = find_attribute(layout, name, "--by")?;
            attribute.descending = self.descending;
            Ok(attribute)
        };
        self.by.iter().map(attribute).collect()
    }
}
