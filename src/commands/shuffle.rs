//! `gridmill shuffle`: turns puzzles into random isomorphs.

use clap::Args;
use gridmill_core::jobs::{Read, Schema};
use gridmill_data::error::Error;
use gridmill_data::output::Isomorphs;
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleText};

use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand};
use crate::support::options::up_to;
use crate::support::rows::check_name;

const EXAMPLES: &str = "\
Examples:
  gridmill shuffle puzzles.txt -o disguised.txt
      for each puzzle a random isomorph, which is as hard and has as many solutions
  gridmill shuffle train.csv --times 10 --seed 3 -o more.csv
      ten rows for each row; puzzle, solution and any other grid of a row get the same change

Digits are renamed, bands and stacks, rows in a band and columns in a stack get another order, and the grid is
transposed or not. CSV comes out as CSV, with its header; anything else as one puzzle a line. What can't be read is
repeated as it stands, once. Only puzzles with square boxes are transposed.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130 interrupted.";

/// Turn every puzzle into a random isomorph
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Shuffle {
    #[command(flatten)]
    input: InputArgs,

    /// Seed of the random changes
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Isomorphs of each puzzle
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = up_to(1_000_000))]
    times: u64,
}

impl JobCommand for Shuffle {
    type Job = Read;

    const HAS_SUMMARY: bool = false;

    fn args(&self) -> JobArgs<'_> {
        JobArgs { input: &self.input, parts: None, rows: None }
    }

    fn job(&self, _: &Layout) -> Result<Read, Error> {
        Ok(Read)
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        check_name(self.input.output.as_deref(), layout)
    }

    fn sink<P: PuzzleText>(&self, layout: &Layout, _: &Schema) -> Box<dyn Sink<P> + '_> {
        Box::new(Isomorphs::<P>::new(self.seed, self.times, layout))
    }
}
