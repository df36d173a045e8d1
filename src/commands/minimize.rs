//! `gridmill minimize`: takes redundant clues out of puzzles.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Args;
use gridmill_core::generate::{Minimized, Minimizer};
use gridmill_core::grid::Grid;
use gridmill_core::solver::Clues;
use gridmill_data::error::Error;
use gridmill_data::pipeline::{ChunkSizing, RowMapper, Searchable};
use gridmill_data::record::{PlacedRecord, PuzzleLike, Status, Tally};
use gridmill_data::text::Layout;
use indicatif::HumanCount;

use crate::cli::End;
use crate::support::input_args::InputArgs;
use crate::support::rows::TableRowsArgs;
use crate::support::tabulate::{Columns, MapperFactory, searched_status, singles_sizing, tabulate};
use crate::support::values::up_to;

const EXAMPLES: &str = "\
Examples:
  gridmill minimize puzzles.txt -o minimal.csv
      a row for every puzzle: puzzle,minimal,status,clues
  gridmill minimize puzzles.txt --orders 100 --seed 3
      a hundred tries a puzzle, of which the one with the fewest clues is kept

Clues go one by one in random order as long as one solution is left; what comes out depends on the order, the seed
and the place of the puzzle in the file. clues counts those of the minimal puzzle.

Status of a row: unique; for puzzles without exactly one solution, which have no minimal one: multiple, none,
conflict (two equal clues in a house); malformed (could not be read); budget (a search took more guesses than
--budget-guesses allows: the puzzle that is given has one solution, but perhaps a clue too many; nothing is given if
the puzzle itself took too many).

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, in conflict or over budget, 2 the job could not be
done, 130 interrupted.";

/// Take clues out of every puzzle until none can go
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Minimize {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    rows: TableRowsArgs,

    /// Seed of the random orders
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Try so many random orders a puzzle, and keep the result with the fewest clues
    #[arg(long, alias = "all-orders", value_name = "N", default_value_t = 1, value_parser = up_to(1_000_000))]
    orders: u64,

    /// Give a search up after so many guesses; 9x9 puzzles are searched to the end
    #[arg(long, value_name = "N", default_value_t = Minimizer::GUESSES)]
    budget_guesses: u64,

    #[clap(skip)]
    clues: Arc<ClueCounts>,
}

/// Clues of all puzzles for which there is a minimal one.
#[derive(Debug, Default)]
struct ClueCounts {
    puzzles: AtomicU64,
    before: AtomicU64,
    behind: AtomicU64,
}

impl ClueCounts {
    fn add(&self, before: usize, behind: usize) {
        let counts = [(&self.puzzles, 1), (&self.before, before), (&self.behind, behind)];
        counts.into_iter().for_each(|(count, more)| {
            count.fetch_add(more as u64, Ordering::Relaxed);
        });
    }

    /// Returns the clues taken out, and those of a puzzle before and behind that.
    fn text(&self) -> String {
        let [puzzles, before, behind] =
            [&self.puzzles, &self.before, &self.behind].map(|count| count.load(Ordering::Relaxed));
        let each = |clues: u64| clues as f64 / puzzles.max(1) as f64;
        let (taken, before, behind) = (HumanCount(before - behind), each(before), each(behind));
        format!("{taken} taken out: {before:.2} a puzzle, {behind:.2} are left")
    }
}

impl Minimize {
    pub(crate) fn run(self) -> Result<End, Error> {
        tabulate(&self.input, &self, None)
    }
}

impl MapperFactory for Minimize {
    type Mapper<P: Searchable> = MinimizeMapper;

    fn rows(&self) -> Option<&TableRowsArgs> {
        Some(&self.rows)
    }

    fn names(&self) -> Vec<&'static str> {
        vec!["minimal", "status", "clues"]
    }

    fn gains(&self, _: &Tally) -> Vec<(&'static str, String)> {
        let has_any = self.clues.puzzles.load(Ordering::Relaxed) > 0;
        has_any.then(|| ("clues", self.clues.text())).into_iter().collect()
    }

    fn mappers<P: Searchable>(
        &self,
        _: &Layout,
        columns: Columns,
    ) -> Result<impl Fn() -> MinimizeMapper + Sync + 'static, Error> {
        let (seed, orders, guesses) = (self.seed, self.orders as usize, self.budget_guesses);
        let clues = Arc::clone(&self.clues);
        Ok(move || MinimizeMapper {
            minimizer: Minimizer::new(None).with_guesses(guesses),
            seed,
            orders,
            clues: Arc::clone(&clues),
            columns: columns.clone(),
        })
    }

    fn sizing<P: Searchable>(&self, _: &Layout) -> ChunkSizing {
        singles_sizing::<P>()
    }
}

pub(crate) struct MinimizeMapper {
    minimizer: Minimizer,
    seed: u64,
    orders: usize,
    clues: Arc<ClueCounts>,
    columns: Columns,
}

impl<P: PuzzleLike> RowMapper<P> for MinimizeMapper {
    type Answer = Minimized<Option<Grid>>;

    fn portion(&self) -> usize {
        (256 / self.orders).max(1)
    }

    fn answer(&mut self, puzzles: &[P], first: u64, stop: &AtomicBool, answers: &mut Vec<Self::Answer>) {
        let clues: Vec<Clues<'_>> = puzzles.iter().map(PuzzleLike::as_clues).collect();
        answers.extend(self.minimizer.minimize_until(&clues, first, self.seed, self.orders, stop));
    }

    fn rows(
        &self,
        record: &PlacedRecord<'_>,
        answered: Option<(&P, &Self::Answer)>,
        out: &mut Vec<u8>,
    ) -> Status {
        let status = answered.map_or(Status::Malformed, |(puzzle, found)| {
            searched_status(puzzle, found.solutions, found.is_given_up)
        });
        let (mut cells, mut clues) = (Vec::new(), String::new());
        if let Some((puzzle, Minimized { result: Some(minimal), .. })) = answered {
            puzzle.write_cells(minimal.cells(), &mut cells);
            clues = minimal.clue_count().to_string();
            self.clues.add(puzzle.clue_count(), minimal.clue_count());
        }
        let new = [&cells[..], status.name().as_bytes(), clues.as_bytes()];
        self.columns.write_row(record, answered.map(|(puzzle, _)| puzzle), &new, out);
        status
    }
}
