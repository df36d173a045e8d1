//! Making the puzzles of a round: all of it follows from the seed and the number of the round.

mod classic;
mod grid;
mod marks;

use gridmill_core::grid::Shape;
use gridmill_core::solver::SolutionLimit;
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

use crate::bases::{Bases, Proper};
use crate::kind::{Kind, SHAPES};

/// Puzzles of a round with the usual limit: those of a chunk of the pipeline.
const PUZZLES: usize = 3200;

/// Puzzles that share an isomorphism; each has another base.
const DISGUISED_ALIKE: usize = 16;

/// Makes puzzles of the bases.
pub(crate) struct Maker<'a> {
    bases: &'a Bases,
}

/// The type of a round's puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    Classic,
    Marks,
    /// A row of `SHAPES`.
    Shape(usize),
}

/// What all puzzles of a round have in common.
pub(crate) struct Plan {
    pub(crate) theme: Theme,
    pub(crate) limit: SolutionLimit,
    pub(crate) puzzles: usize,
    /// Puzzles that an engine gets at once: all, but in some rounds fewer.
    pub(crate) at_once: usize,
}

/// Returns the shape of a row of `SHAPES`.
pub(crate) fn shape_of(row: usize) -> Shape {
    SHAPES[row].shape.expect("a shape that there is")
}

/// Returns the generator of a round.
pub(crate) fn rng(seed: u64, round: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(round);
    rng
}

impl Plan {
    pub(crate) fn new(round: u64, rng: &mut impl Rng) -> Plan {
        let theme = match round % 64 {
            16 => Theme::Marks,
            48 => Theme::Shape(drawn(SHAPES.iter().map(|row| row.share), rng)),
            _ => Theme::Classic,
        };
        let (limit, part) = match rng.random_range(0..256) {
            0 => (1, 1),
            1 => (3, 2),
            2 => (10, 4),
            3 => (100, 20),
            4 => (500, 100),
            _ => (2, 1),
        };
        let all = match theme {
            Theme::Shape(row) => 40_000 / shape_of(row).cells(),
            _ => PUZZLES,
        };
        let puzzles = (all / part).max(8);
        let at_once = if rng.random_ratio(1, 32) { rng.random_range(1..=puzzles.min(200)) } else { puzzles };
        Plan { theme, limit: SolutionLimit::new(limit).expect("at least one"), puzzles, at_once }
    }
}

impl<'a> Maker<'a> {
    pub(crate) fn new(bases: &'a Bases) -> Maker<'a> {
        Maker { bases }
    }

    /// Returns a proper puzzle out of the larger sets.
    fn any_proper(&self, rng: &mut impl Rng) -> &'a Proper {
        let sets = [&self.bases.easy, &self.bases.medium, &self.bases.minimal];
        one_of(sets[rng.random_range(0..sets.len())], rng)
    }
}

fn one_of<'a, T>(set: &'a [T], rng: &mut impl Rng) -> &'a T {
    &set[rng.random_range(0..set.len())]
}

/// Draws an index, each as likely as its share.
fn drawn(shares: impl Iterator<Item = u32> + Clone, rng: &mut impl Rng) -> usize {
    let mut rest = rng.random_range(0..shares.clone().sum());
    let mut shares = shares.enumerate();
    loop {
        let (index, share) = shares.next().expect("what is drawn is less than the sum");
        match rest.checked_sub(share) {
            Some(less) => rest = less,
            None => return index,
        }
    }
}

/// Draws one of the kinds of a table.
fn kind_of(table: &[(Kind, &str, u32)], rng: &mut impl Rng) -> Kind {
    table[drawn(table.iter().map(|row| row.2), rng)].0
}
