//! `gridmill solve`: a file of puzzles into a CSV of solutions.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use crate::cli::End;
use crate::cli::support::engine::{Engine, EngineArgs};
use crate::cli::support::input_args::{InputArgs, keep};
use crate::cli::support::input_set::{Files, InputSet, Turn};
use crate::cli::support::puzzle_kind::PuzzleKind;
use crate::cli::support::shared::stop_on_interrupt;
use crate::error::{Error, ErrorKind};
use crate::grid::{Pencilmarks, Puzzle};
use crate::output::{CsvRows, Destination, Summary, eprint_message};
use crate::pipeline::{Finished, Input, Solve as Stage};
use crate::solver::SolutionLimit;
use crate::text::{GridPuzzle, Layout};

const EXAMPLES: &str = "\
Examples:
  gridmill solve puzzles.txt -o solutions.csv
      a row for every puzzle: puzzle,solution,status,guesses,time_ns
  gridmill solve train.csv --puzzle-column quizzes -o solved.csv --threads 8
      the columns of train.csv, and the new ones behind them
  gridmill solve big.txt.gz -o solutions.csv.zst
      gzip, zstd, xz and zip are unpacked; .gz, .zst and .xz are written, by the name
  cut -f 2 table.tsv | gridmill solve - > solutions.csv
      from a pipe into a pipe
  gridmill solve puzzles.txt -o solutions.csv --summary run.json --quiet
      the figures for a program, nothing on the terminal
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
    reading: InputArgs,

    /// Stop at the first solution of each puzzle: faster, and proves nothing about others
    #[arg(long)]
    first: bool,

    #[command(flatten)]
    engine: EngineArgs,

    /// Write the summary to this file too, as JSON (- for standard output)
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
}

impl Solve {
    pub(crate) fn run(self) -> Result<End, Error> {
        let files = self.reading.open()?;
        let (mut output, json) = self.open_outputs(&files)?;
        // Not before: what may wait for ever to be opened, a named pipe, must end at the first Ctrl-C.
        let stop = stop_on_interrupt();
        let Some(course) = self.reading.look_at_any(files, &stop)? else { return Ok(End::Interrupted) };
        let engine = self.engine.choose_for(course.layout())?;
        let summary = self.summary_of(&course, engine);

        let begun = Instant::now();
        let sum = course.run(&self.reading, &mut output, &stop, |layout, turn| {
            // Classic puzzles have a way of their own, which knows their size.
            let solve = match layout.is_classic() {
                true => Solve::solve::<Puzzle>,
                false if layout.is_pencilmarks() => Solve::solve::<Pencilmarks>,
                false => Solve::solve::<GridPuzzle>,
            };
            solve(&self, layout, engine, turn)
        })?;
        let summary = Summary { complete: !sum.stopped, ..summary.with_counts(&sum.tally, begun.elapsed()) };
        if !self.reading.common.quiet {
            eprint_message(&summary);
        }
        let json = json.map(|json| write_json(json, &summary)).transpose()?;
        keep(output, json, &sum, format_args!("{} whole records", sum.records))
    }

    /// Solves puzzles of a kind.
    fn solve<P: PuzzleKind>(
        &self,
        layout: &Layout,
        engine: Engine,
        turn: Turn<'_>,
    ) -> Result<Finished, Error> {
        turn.run(&Stage {
            format: &*P::format(layout),
            engine: &|| P::search(engine),
            limit: if self.first { SolutionLimit::FIRST } else { SolutionLimit::UNIQUENESS },
            rows: &layout.header.as_ref().map_or_else(CsvRows::for_lines, CsvRows::for_table),
            diagnostics: !self.reading.common.quiet,
            grain: P::grain(engine),
        })
    }

    /// Opens what the rows and the summary go to.
    fn open_outputs(&self, files: &Files) -> Result<(Destination, Option<Destination>), Error> {
        let rows = self.reading.open_output(files)?;
        let Some(path) = &self.summary else { return Ok((rows, None)) };
        let json = files.open_output(Some(path))?;
        if json.is_same(&rows) {
            return Err(ErrorKind::SameOutput { path: path.clone() }.into());
        }
        Ok((rows, Some(json)))
    }

    fn summary_of(&self, course: &InputSet, engine: Engine) -> Summary {
        let names = course.inputs().map(|input| input.name().display().to_string()).collect();
        let is_mapped = course.inputs().all(Input::is_mapped);
        let (format, threads) = (course.layout().format_name(), self.reading.common.threads());
        let summary = Summary::new(names, format, is_mapped, engine.name(), threads);
        Summary { backend: engine.backend(), ..summary }
    }
}

fn write_json(mut output: Destination, summary: &Summary) -> Result<Destination, Error> {
    let mut text = serde_json::to_string_pretty(summary).expect("a summary has only numbers and names");
    text.push('\n');
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    written.map_err(|error| ErrorKind::Write { error })?;
    Ok(output)
}
