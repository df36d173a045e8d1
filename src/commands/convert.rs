//! `gridmill convert`: puzzles of any format in any other.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use gridmill_core::jobs::Read;
use gridmill_data::error::Error;
use gridmill_data::output::{ConvertedRows, RowOutput, Spelling};
use gridmill_data::pipeline::{ChunkSizing, JobStage};
use gridmill_data::record::{AnsweredRecords, Sink};
use gridmill_data::text::{Layout, PuzzleText};
use gridmill_report::eprint_message;

use crate::cli::End;
use crate::support::inputs::{InputArgs, InputSet};
use crate::support::outputs::finish_rows;
use crate::support::stages::{StageFactory, StageResult};
use crate::support::target::{FormArg, TargetArgs};

const EXAMPLES: &str = "\
Examples:
  gridmill convert puzzles.sdk -o puzzles.txt
      one puzzle a line, whatever the input is
  gridmill convert train.csv -o train.jsonl
      an object for every row, with a key for every column
  gridmill convert puzzles.txt --to framed | less
      grids to look at
  gridmill convert puzzles.txt --blank 0 -o zeros.txt.gz
      0 for a blank, compressed
  gridmill convert large.txt --to-alphabet 0-9A-F
      16x16 puzzles in hexadecimal digits
  gridmill convert train.csv --puzzle-column solution
      another column, here the solutions

CSV and JSON Lines keep the other columns and keys of CSV and JSON Lines; each becomes the other. All other forms
hold the puzzle alone: columns, comments, remarks behind a puzzle, ratings and titles are left out. A CSV input keeps
its separator; one without a header gets none. For CSV, the keys in the first 64 KiB of JSON input become columns: a
text is written as it is, null as nothing, anything else as JSON.

Digits stay those of the input, unless --to-alphabet names others. Numbers set apart by spaces become characters up
to 9x9; larger puzzles keep them, and 0 for a blank, unless --to-alphabet is given.

A record that can't be read comes out in its place: as its text on one line, in quotes among grids; in CSV and JSON
Lines with its other columns. Pencilmarks may become pencilmarks, csv or jsonl: other forms can't hold candidates.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130 interrupted.";

/// Convert puzzles from any format to any other
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Convert {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    target: TargetArgs,
}

impl Convert {
    pub(crate) fn run(self) -> Result<End, Error> {
        let mut files = self.input.open(None)?;
        let output = RowOutput::plain(files.open_output(self.input.output.as_deref())?);
        if !files.detect(true)? {
            return Ok(End::Interrupted);
        }
        let form = self.target.form(self.input.output_file());
        self.target.check(form, files.layout())?;
        let stages = ConvertStages {
            form,
            spelling: self.target.spelling(form),
            keys: keys(&files),
            lost: AtomicBool::new(false),
        };
        let totals = files.run(&mut |rows: &Vec<u8>| output.take(rows), None, &stages)?;
        let has_lost = stages.lost.load(Ordering::Relaxed);
        if has_lost {
            eprint_message(
                "gridmill: some objects have keys that are not among those of the first 64 KiB; CSV has no columns for them, --to jsonl keeps them\n",
            );
        }
        let end = finish_rows(output, None, &totals, format_args!("{} whole records", totals.records))?;
        Ok(if has_lost && end == End::Good { End::Imperfect } else { end })
    }
}

/// Returns the keys of JSON objects at the beginnings of the files, each once, in order.
fn keys(files: &InputSet<'_>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for key in files.layouts().filter_map(Layout::json_keys).flatten() {
        if !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    keys
}

/// Makes stages that write puzzles in a form.
struct ConvertStages {
    form: FormArg,
    spelling: Spelling,
    /// The keys of JSON input.
    keys: Vec<String>,
    /// Whether a key had no column.
    lost: AtomicBool,
}

impl StageFactory for ConvertStages {
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout, diagnostics: bool) -> StageResult<'a> {
        let rows = self.form.rows(layout, &self.keys);
        let sink = Converted { rows, spelling: &self.spelling, lost: &self.lost };
        Ok(Box::new(JobStage::<P> {
            diagnostics,
            keeps_long_lines: true,
            sizing: ChunkSizing::BATCHES,
            ..JobStage::new(&Read, layout, Box::new(sink))
        }))
    }
}

/// Writes puzzles in a form.
struct Converted<'a> {
    rows: ConvertedRows,
    spelling: &'a Spelling,
    lost: &'a AtomicBool,
}

impl<P: PuzzleText> Sink<P> for Converted<'_> {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.rows.header());
    }

    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        for (_, record, answered) in records.iter() {
            let puzzle = answered.map(|(puzzle, _)| puzzle);
            if !self.rows.write(records.chunk, record, puzzle, self.spelling, out) {
                self.lost.store(true, Ordering::Relaxed);
            }
        }
    }
}
