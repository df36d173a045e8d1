//! `gridmill enumerate`: every solution of each puzzle.

use clap::Args;
use gridmill_core::jobs::{Enumerate as EnumerateJob, Status};
use gridmill_data::error::Error;
use gridmill_data::output::{RowOutput, SolutionRows};
use gridmill_data::pipeline::{ChunkSizing, JobStage};
use gridmill_data::record::count_lines;
use gridmill_data::text::Layout;
use gridmill_data::with_kind;
use indicatif::HumanCount;

use crate::cli::End;
use crate::support::inputs::InputArgs;
use crate::support::options::{BudgetArgs, EngineArgs};
use crate::support::outputs::finish_rows;
use crate::support::rows::check_rows_name;
use crate::support::summary::report_run;

const EXAMPLES: &str = "\
Examples:
  gridmill enumerate puzzles.txt -o solutions.csv
      a row for every solution: record,solution; records count from 1
  echo ................ | gridmill enumerate - --limit 10
      ten of the grids of 4x4
  gridmill enumerate puzzles.txt --limit 2 -o two.csv
      up to two solutions of each puzzle, about as quick as count --limit 2
  gridmill enumerate puzzles.txt --changes --limit 100
      where solutions differ from the first one
  gridmill enumerate hexadecimal.txt --alphabet 0-9A-F | head
      16x16 puzzles whose 0 is a digit; ends when its reader does

A puzzle without a solution has no row. Solutions come in the order of the engine's search, the same for
any number of threads, and --limit lists the first ones. With --engine auto the first 1,024 of a puzzle
come in the order of lockstep, which searches many puzzles at once, and the others in that of bitmask.
Where a budget ends a list, the summary counts the puzzle as budget.

Exit codes: 0 every record was searched, 1 some were malformed, in conflict or over budget, 2 the job could not be
done, 130 interrupted (the second Ctrl-C ends it at once).";

/// List every solution of each puzzle of a file, of any shape
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Enumerate {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    engine: EngineArgs,

    /// List up to so many solutions of a puzzle, 0 for all of them
    #[arg(long, value_name = "N", default_value_t = 0)]
    limit: u64,

    /// Add a column with the cells in which a solution differs from the first one of its puzzle, and . elsewhere
    #[arg(long)]
    changes: bool,

    #[command(flatten)]
    budget: BudgetArgs,
}

impl Enumerate {
    pub(crate) fn run(self) -> Result<End, Error> {
        check_rows_name(self.input.output.as_deref(), false)?;
        let mut files = self.input.open(None)?;
        let output = RowOutput::plain(files.open_output(self.input.output.as_deref())?);
        if !files.detect(false)? {
            return Ok(End::Interrupted);
        }
        let (batch, single) = self.engine.choose_for_lists(files.layout().shape)?;
        let job = EnumerateJob {
            batch,
            single,
            limit: self.limit,
            changes: self.changes,
            budget: self.budget.of_each(),
        };
        let mut lines = 0;
        let mut take = |rows: &Vec<u8>| {
            lines += count_lines(rows);
            output.take(rows)
        };
        let totals = files.run(&mut take, None, &|layout, diagnostics| {
            let (sizing, sink) = (sizing(&job, layout), Box::new(SolutionRows { changes: job.changes }));
            Ok(with_kind!(layout.kind(), P => {
                Box::new(JobStage::<P> { diagnostics, sizing, ..JobStage::new(&job, layout, sink) })
            }))
        })?;
        // The first line is the header.
        let solutions = lines.saturating_sub(1);
        if !self.input.common.quiet {
            let gains = [("solutions", HumanCount(solutions).to_string())];
            report_run(&totals, &Status::ALL.map(Status::name), &gains);
        }
        finish_rows(output, None, &totals, format_args!("{solutions} solutions"))
    }
}

/// Up to how many solutions of each puzzle are so few that the input is cut as for `solve`.
const FEW: u64 = 4;

/// Returns how an input is cut.
fn sizing(job: &EnumerateJob, layout: &Layout) -> ChunkSizing {
    match job.batch {
        Some(batch) if (1..=FEW).contains(&job.limit) => ChunkSizing::for_puzzles(layout.kind(), batch),
        Some(_) => ChunkSizing::LISTS,
        None => ChunkSizing::SINGLES,
    }
}
