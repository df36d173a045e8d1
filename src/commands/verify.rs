//! `gridmill verify`: verifies that every puzzle of some files has exactly one solution.

use clap::Args;
use gridmill_core::jobs::{self, Job, Schema, Worker};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::text::{Format, Layout, PuzzleText};

use crate::cli::End;
use crate::support::given::Given;
use crate::support::review::{ReviewArgs, ReviewCommand};

const EXAMPLES: &str = "\
Examples:
  gridmill verify puzzles.txt
      the puzzles that are not proper, one a line; how many there are of each kind
  gridmill verify *.txt --quiet && echo all proper
      for scripts: nothing but an exit code
  gridmill verify puzzles.csv more.txt --all -o verdicts.csv
      a row for every record: file,record,line,puzzle,verdict,reason
  gridmill verify puzzles.txt --columns record,verdict,reason -o bad.csv
      only these columns; without -o the list is CSV too
  zcat big.txt.gz | gridmill verify - --fail-fast
      from a pipe, up to the first puzzle that is not proper
  gridmill verify big.txt --shard 3/64
      the third of 64 parts, with the numbers that records and lines have in the file

Lines of 729 characters are pencilmarks: nine places a cell, . or 0 where a digit is eliminated.

Verdicts: unique (a proper puzzle), multiple (two solutions or more), none (no solution), conflict (two
equal clues in a house), malformed (could not be read, or of another size than the first puzzle: --mixed
accepts all sizes).

Exit codes: 0 every record is a proper puzzle, 1 some are not, or there are none, 2 the job could not be done, 130 interrupted.";

/// Prove that every puzzle of some files has exactly one solution, and list those that have not
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Verify {
    #[command(flatten)]
    review: ReviewArgs,
}

impl Verify {
    pub(crate) fn run(&self, given: &Given) -> Result<End, Error> {
        self.review.run(self, given)
    }
}

impl ReviewCommand for Verify {
    const TAKES_PENCILMARKS: bool = true;

    type Subject<P: PuzzleText> = P;

    fn schema(&self) -> Schema {
        jobs::Verify::default().schema()
    }

    fn format<P: PuzzleText>(&self, layout: &Layout) -> Result<Box<dyn Format<P>>, Error> {
        Ok(layout.format())
    }

    fn worker<P: PuzzleText>(&self, engine: Engine) -> Box<dyn Worker<P>> {
        jobs::Verify { engine }.worker()
    }
}
