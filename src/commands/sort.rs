//! `gridmill sort`: the records of files, sorted by columns or by the number of clues.

use std::io::BufWriter;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;
use gridmill_data::collection::{
    Arrangement, Attribute, AttributeName, Criteria, RecordSorter, Selection, TextParts,
};
use gridmill_data::error::Error;
use gridmill_data::output::RowOutput;
use gridmill_data::text::Layout;
use gridmill_report::eprint_message;
use indicatif::HumanCount;
use serde_json::json;

use crate::cli::End;
use crate::support::columns::{find_attribute, standing_table};
use crate::support::command_error::report;
use crate::support::compare::SpaceArgs;
use crate::support::inputs::InputArgs;
use crate::support::outputs::{finish_rows, put_header, unbuffered};
use crate::support::rows::check_name;
use crate::support::summary::{open_summary, plural, put_summary};

const EXAMPLES: &str = "\
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
#[command(after_help = EXAMPLES)]
pub(crate) struct Sort {
    #[command(flatten)]
    input: InputArgs,

    /// Sort by clues or by columns, separated by commas; the first one decides first
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', required = true)]
    by: Vec<AttributeName>,

    /// Put the greatest numbers, or the last texts, first
    #[arg(long)]
    descending: bool,

    /// Take only the first N records: in their new order
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
        check_name(path, files.layout())?;
        let stop = Arc::clone(&files.stop);
        let sorter = RecordSorter::new(&self.space.space(), self.take, Arc::clone(&stop))?;
        let attributes = self.attributes(files.layout())?;
        let criteria = Criteria { attributes, takes_malformed: true, ..Criteria::default() };
        let standing = standing_table(path, files.layout(), || files.column_types());
        standing.iter().for_each(|columns| output.write_columns(columns));
        let mut output = BufWriter::with_capacity(1 << 18, output);
        if standing.is_none() {
            put_header(files.layout(), &mut output)?;
        }
        let mut selection = Selection::new(&mut output);
        selection.arrangement = Arrangement::Sorted(sorter);
        let mut take = |parts: &TextParts| {
            selection.take(parts)?;
            Ok(ControlFlow::Continue(()))
        };
        let mut totals =
            files.run(&mut take, None, &|layout, diagnostics| Ok(criteria.stage(layout, diagnostics)))?;
        if totals.stopped {
            report("interrupted before all records were read; nothing was written");
            return Ok(End::Interrupted);
        }
        let is_bad = totals.tally.statuses.failed > 0;
        let (written, _) = selection.finish().map_err(|error| error.after_bad(is_bad))?;
        let output = unbuffered(output).map_err(|error| error.after_bad(is_bad))?;
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
