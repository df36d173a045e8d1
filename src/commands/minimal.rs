//! `gridmill minimal`: which puzzles are minimal, and which clues of the others are redundant.

use clap::Args;
use gridmill_core::generate::Minimizer;
use gridmill_core::jobs::Minimal as MinimalJob;
use gridmill_core::solver::{Engine, SolverKind};
use gridmill_data::error::Error;
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::Tally;
use gridmill_data::text::Layout;
use indicatif::HumanCount;

use crate::support::inputs::InputArgs;
use crate::support::job_run::JobCommand;
use crate::support::rows::{RowsChoice, TableRowsArgs};

const EXAMPLES: &str = "\
Examples:
  gridmill minimal puzzles.txt -o minimal.csv
      a row for every puzzle: puzzle,status,redundant
  gridmill generate --clues 30 | gridmill minimal -
      which of 30 clues could go

Status of a row: minimal; redundant (each of the clues listed could go alone, though perhaps not all of them
together); for puzzles without exactly one solution: multiple, none, conflict (two equal clues in a house);
malformed (could not be read); budget (a search took more guesses than --budget-guesses allows, so the list may not
be complete). Clues are listed as r1c1 for the first row and column, a space between two.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, in conflict or over budget, 2 the job could
not be done, 130 interrupted.";

/// Tell which puzzles are minimal, and which clues of the others are redundant
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Minimal {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    rows: TableRowsArgs,

    /// Give a search up after so many guesses; 9x9 puzzles are searched to the end
    #[arg(long, value_name = "N", default_value_t = Minimizer::GUESSES)]
    budget_guesses: u64,
}

impl JobCommand for Minimal {
    type Job = MinimalJob;

    fn input(&self) -> &InputArgs {
        &self.input
    }

    fn job(&self, _: &Layout) -> Result<MinimalJob, Error> {
        Ok(MinimalJob { budget_guesses: self.budget_guesses })
    }

    fn rows(&self) -> Option<RowsChoice<'_>> {
        Some(self.rows.choice(&self.input))
    }

    /// Puzzles of both statuses have one solution; those that are minimal are told in a line of their own.
    fn name_of(&self, status: &'static str) -> &'static str {
        if matches!(status, "minimal" | "redundant") { "unique" } else { status }
    }

    fn gains(&self, tally: &Tally) -> Vec<(&'static str, String)> {
        vec![("minimal", HumanCount(tally.statuses.count(MinimalJob::MINIMAL)).to_string())]
    }

    fn sizing(&self, layout: &Layout, _: &MinimalJob) -> ChunkSizing {
        ChunkSizing::for_puzzles(layout.kind(), Engine::Other(SolverKind::Bitmask))
    }
}
