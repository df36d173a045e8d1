//! Runs rounds on one thread.

use gridmill_core::grid::{Grid, Pencilmarks, Puzzle};
use gridmill_core::solver::EngineKind;

use crate::bases::Bases;
use crate::batch::Batch;
use crate::compare::{Case, Comparison};
use crate::engines::Engines;
use crate::make::{Maker, Plan, Theme, rng, shape_of};
use crate::tally::Tally;

/// The engines and batches of one thread. Their memory is reused in each round.
pub(crate) struct Soaker<'a> {
    seed: u64,
    maker: Maker<'a>,
    classic: (Batch<Puzzle>, Comparison<Puzzle>),
    marks: (Batch<Pencilmarks>, Comparison<Pencilmarks>),
    grids: (Batch<Grid>, Comparison<Grid>),
    large_grids: (Batch<Grid>, Comparison<Grid>),
}

impl<'a> Soaker<'a> {
    pub(crate) fn new(seed: u64, bases: &'a Bases, engines: Engines) -> Soaker<'a> {
        Soaker {
            seed,
            maker: Maker::new(bases),
            classic: (Batch::new(), Comparison::new(engines.classic)),
            marks: (Batch::new(), Comparison::new(engines.marks)),
            grids: (Batch::new(), Comparison::new(engines.grids)),
            large_grids: (Batch::new(), Comparison::new(engines.large_grids)),
        }
    }

    /// Generates the puzzles of a round, and compares all engines on them.
    pub(crate) fn round(&mut self, round: u64) -> Result<Tally, Box<Case>> {
        let mut rng = rng(self.seed, round);
        let plan = Plan::new(round, &mut rng);
        let mut tally = Tally::new();
        match plan.theme {
            Theme::Classic => {
                let (batch, comparison) = &mut self.classic;
                batch.clear(plan.limit);
                self.maker.classic(plan.puzzles, &mut rng, batch);
                comparison.compare(batch, &plan, round, &mut tally)?;
            }
            Theme::Marks => {
                let (batch, comparison) = &mut self.marks;
                batch.clear(plan.limit);
                self.maker.marks(plan.puzzles, &mut rng, batch);
                comparison.compare(batch, &plan, round, &mut tally)?;
            }
            Theme::Shape(row) => {
                let has_lockstep = EngineKind::Lockstep.serves(shape_of(row));
                let (batch, comparison) = if has_lockstep { &mut self.grids } else { &mut self.large_grids };
                batch.clear(plan.limit);
                self.maker.grids(row, plan.puzzles, &mut rng, batch);
                comparison.compare(batch, &plan, round, &mut tally)?;
            }
        }
        Ok(tally)
    }
}
