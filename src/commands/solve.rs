//! `gridmill solve`: a file of puzzles into a CSV of solutions.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use gridmill_core::solver::SolutionLimit;
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{ChosenRows, Destination, RowOutput, SearchColumn};
use gridmill_data::pipeline::{Engine, Searchable, Solve as SolveStage, Stage};
use gridmill_data::text::Layout;
use gridmill_report::eprint_message;

use crate::cli::End;
use crate::support::command_error::CommandError;
use crate::support::engine::EngineArgs;
use crate::support::given::Given;
use crate::support::input_args::InputArgs;
use crate::support::input_set::InputSet;
use crate::support::interrupt::stop_on_interrupt;
use crate::support::outputs::finish_rows;
use crate::support::parts::{PartArgs, Parts};
use crate::support::rows::RowsArgs;
use crate::support::run_summary::summary_of;
use crate::support::stage_factory::{StageFactory, stage_for};
use crate::support::summary::Summary;

const EXAMPLES: &str = "\
Examples:
  gridmill solve puzzles.txt -o solutions.csv
      a row for every puzzle: puzzle,solution,status,guesses,time_ns
  gridmill solve train.csv --puzzle-column quizzes -o solved.csv --threads 8
      the columns of train.csv, and the new ones behind them
  gridmill solve train.csv --columns id,puzzle,solution -o out.csv
      these columns of train.csv and new ones, in this order; file, record and line may be among them
  gridmill solve 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
      a puzzle in place of a file; on a terminal the answer is a grid
  gridmill solve big.txt.gz -o solutions.csv.zst
      gzip, zstd, xz and zip are unpacked; .gz, .zst and .xz are written, by the name
  gridmill solve puzzles.jsonl -o solutions.jsonl
      objects such as {\"id\": 7, \"puzzle\": \"53..7....\"}, with solution, status, guesses and time_ns behind
  cut -f 2 table.tsv | gridmill solve - > solutions.csv
      from a pipe into a pipe
  gridmill solve puzzles.txt -o solutions.csv --summary run.json --quiet
      the figures for a program, nothing on the terminal
  gridmill solve big.txt --shard 3/64 -o part3.csv --resume --skip-existing
      the third of 64 parts, each for a process of its own: together they are the whole
  gridmill solve sixteen.txt --alphabet 0-9A-F -o solutions.csv
      16x16 puzzles whose 0 is a digit; the shape is that of the first puzzle
  gridmill solve twelve.txt --shape 2x6 -o solutions.csv
      12x12 puzzles with boxes of 2 rows and 6 columns, rather than 3 and 4
  gridmill solve sukaku.txt -o solutions.csv
      lines of 729 characters, pencilmarks: nine places a cell, . or 0 where a digit is eliminated

Status of a row: unique, multiple (the solution is the first one found), none, conflict (two equal
clues in a house), malformed (could not be read, or of another size than the first puzzle: --mixed
accepts all sizes); with --first: solved instead of unique and multiple.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be done,
130 interrupted.";

/// Solve every puzzle of a file, and prove that its solution is the only one
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Solve {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    /// Stop at the first solution of each puzzle: faster, and proves nothing about others
    #[arg(long)]
    first: bool,

    #[command(flatten)]
    rows: RowsArgs,

    #[command(flatten)]
    engine: EngineArgs,

    /// Write the summary to this file too, as JSON (- for standard output)
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

impl Solve {
    pub(crate) fn run(self, given: &Given) -> Result<End, Error> {
        if self.parts.are_done(self.input.output.as_deref(), self.input.common.quiet)? {
            return Ok(End::Good);
        }
        let mut files = self.input.open()?;
        let (output, json) = self.open_outputs(&mut files, given)?;
        // Only from here on: opening a named pipe as the output may wait for ever, and the first Ctrl-C must end that.
        let stop = stop_on_interrupt();
        if !self.input.detect(&mut files, &stop)? {
            return Ok(End::Interrupted);
        }
        let engine = self.engine.choose_for(files.layout())?;
        let rows = self.rows.chosen(&self.input, &mut files, SearchColumn::SOLVED)?;
        let summary = summary_of(&files, &self.input, engine);

        let begun = Instant::now();
        let stages = SolveStages { command: &self, engine, rows };
        let totals = files.run_in_parts(&output, &stop, &|layout| stage_for(&stages, layout))?;
        let complete = !totals.stopped && !totals.lacks_files;
        let summary = Summary { complete, ..summary.with_counts(&totals.tally, totals.wall(begun)) };
        if !self.input.common.quiet && !self.input.answers_a_person() {
            eprint_message(&summary);
        }
        let json = json.map(|json| write_json(json, &summary)).transpose()?;
        finish_rows(output, json, &totals, format_args!("{} whole records", totals.records))
    }

    /// Opens the outputs of the rows and of the summary.
    fn open_outputs(
        &self,
        files: &mut InputSet<'_>,
        given: &Given,
    ) -> Result<(RowOutput, Option<Destination>), Error> {
        let rows = self.input.open_rows(files, Some(Parts { args: &self.parts, given }))?;
        let Some(path) = &self.summary else { return Ok((rows, None)) };
        let json = files.open_output(Some(path))?;
        if rows.is_same(&json) {
            return Err(CommandError::SameOutput { path: path.clone() }.into());
        }
        Ok((rows, Some(json)))
    }
}

/// Makes stages that solve.
struct SolveStages<'a> {
    command: &'a Solve,
    engine: Engine,
    /// The rows with the columns that are chosen, if any are.
    rows: Option<ChosenRows>,
}

impl StageFactory for SolveStages<'_> {
    fn stage<'a, P: Searchable>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error> {
        Ok(Box::new(SolveStage {
            format: layout.format(),
            engine: Box::new(|| P::solver(self.engine)),
            limit: if self.command.first { SolutionLimit::FIRST } else { SolutionLimit::UNIQUENESS },
            rows: match &self.rows {
                Some(rows) => Box::new(rows.clone()),
                None => self.command.rows.solutions(&self.command.input, layout),
            },
            diagnostics: !self.command.input.common.quiet,
            sizing: P::sizing(self.engine),
        }))
    }
}

fn write_json(mut output: Destination, summary: &Summary) -> Result<Destination, Error> {
    let mut text = serde_json::to_string_pretty(summary).expect("a summary has only numbers and names");
    text.push('\n');
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    written.map_err(|error| ErrorKind::Write { error })?;
    Ok(output)
}
