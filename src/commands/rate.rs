//! `gridmill rate`: how hard puzzles are for people, on the scale of Sudoku Explainer.

use clap::Args;
use gridmill_core::jobs::Rate as RateJob;
use gridmill_core::logic::Rating;
use gridmill_data::error::Error;
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::Tally;
use gridmill_data::text::Layout;
use gridmill_report::RatingCounts;

use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand};
use crate::support::options::{ScaleArgs, check_ratable, rating};
use crate::support::parts::PartArgs;
use crate::support::rows::{RowsArgs, without_grids};

const EXAMPLES: &str = "\
Examples:
  gridmill rate puzzles.txt -o rated.csv
      a row for every puzzle: puzzle,er,ep,ed,hardest,steps,scale,status
  gridmill rate puzzles.txt --up-to 3.8 -o rated.csv
      easier work: puzzles above 3.8 get the status above, and no rating
  gridmill rate train.csv --techniques -o rated.csv.zst
      the columns of train.csv, the new ones, and a column for each technique, such as rounds_x-wing
  gridmill rate train.csv --columns id,er,hardest -o rated.csv
      the column id of train.csv, and two of the new ones
  gridmill rate puzzles.txt --scale se | gridmill select - --where 'er>=6'
      on the scale of Sudoku Explainer itself; puzzles of 6.0 and above
  gridmill rate big.txt --shard 3/64 -o part3.csv --resume --skip-existing
      the third of 64 parts, each for a process of its own: together they are the whole
  gridmill rate hard.txt --ties reading -o rated.csv
      for comparison with published ratings from 7.5 up

A puzzle is solved as people do, in rounds. In each the cheapest technique is taken that finds something, and all its
deductions of the lowest rating are made together, so a rating depends on the puzzle alone: isomorphs have the same one.
er is the highest rating of a round, ep the highest up to the first placement of a digit, ed that of the first round;
hardest is the technique of er, steps the number of rounds. Ratings can only be compared on one scale, of one version:
the column scale names both.

From 7.5 up it may depend on the order of cells which of several chains to one deduction counts, and so its rating. The
order is that of the minlex form, for all isomorphs the same. Published ratings depend on how the grid was written: they
are compared with --ties reading, which takes the cells in reading order. The column scale then ends in -reading.

With --up-to there is a column up_to, and a puzzle that rounds up to that rating do not solve has the status above:
its rating is higher than up_to. The columns of its rating, but for ep and ed where they are known, are empty, so that a
number in er is always a rating, and never a bound.

Status of a row: rated, above (with --up-to), unsolved (no technique goes on), multiple or none (solutions: only puzzles
with exactly one are rated), conflict (two equal clues in a house), malformed (could not be read).

For 9x9 puzzles, and pencilmarks, which are rated from the candidates that they have.

Exit codes: 0 every puzzle was rated, or is above, 1 some have another status, 2 the job could not be done,
130 interrupted.";

/// Rate how hard every puzzle of a file is for people, on the scale of Sudoku Explainer
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_args(without_grids), mut_arg("mixed", |mixed| mixed.hide(true)))]
pub(crate) struct Rate {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: RowsArgs,

    #[command(flatten)]
    scale: ScaleArgs,

    /// Try no technique above this rating
    #[arg(long, value_name = "RATING", value_parser = rating)]
    up_to: Option<Rating>,

    /// Add a column for each technique: in how many rounds it found something
    #[arg(long)]
    techniques: bool,

    /// Add the column time_ns: the nanoseconds that rating took
    #[arg(long)]
    times: bool,
}

impl JobCommand for Rate {
    type Job = RateJob;

    const TAKES_PENCILMARKS: bool = true;

    fn args(&self) -> JobArgs<'_> {
        JobArgs {
            input: &self.input,
            parts: Some(&self.parts),
            rows: Some(self.rows.choice(&self.input, None)),
        }
    }

    fn job(&self, layout: &Layout) -> Result<RateJob, Error> {
        Ok(RateJob {
            engine: layout.fastest_engine(),
            scale: self.scale.scale,
            ties: self.scale.ties,
            up_to: self.up_to,
            techniques: self.techniques,
            times: self.times,
        })
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        check_ratable(layout)
    }

    fn gains(&self, tally: &Tally) -> Vec<(&'static str, String)> {
        let limit = self.up_to.map(|limit| format!(", up to {limit}")).unwrap_or_default();
        let mut lines = vec![("scale", format!("{}{limit}", self.scale.version()))];
        lines.extend(RatingCounts::of(tally).lines());
        lines
    }

    /// A puzzle may take as long as a hundred others.
    fn sizing(&self, _: &Layout, _: &RateJob) -> ChunkSizing {
        ChunkSizing::RATINGS
    }
}
