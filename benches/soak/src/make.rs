//! Generates the puzzles of a round. They depend only on the seed and the number of the round, so that each
//! round can be repeated.

mod classic;
mod grid;
mod marks;

use gridmill_core::grid::Shape;
use gridmill_core::solver::SolutionLimit;
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

use crate::bases::{Bases, Proper};
use crate::kind::{Kind, SHAPES};

/// The number of puzzles in a round with the usual limit. A chunk of gridmill's pipeline has the same size.
const PUZZLES: usize = 3200;

/// How many consecutive puzzles get the same isomorphism. Each of them has its own random base puzzle.
const PUZZLES_PER_ISOMORPHISM: usize = 16;

/// Generates puzzles from the base puzzles.
pub(crate) struct Maker<'a> {
    bases: &'a Bases,
}

/// The type of puzzles in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    Classic,
    Marks,
    /// The index of a row in `SHAPES`.
    Shape(usize),
}

/// The properties that all puzzles of a round share.
pub(crate) struct Plan {
    pub(crate) theme: Theme,
    pub(crate) limit: SolutionLimit,
    pub(crate) puzzles: usize,
    /// How many puzzles an engine gets in one call: usually all of them, but fewer in some rounds.
    pub(crate) per_call: usize,
}

/// The shape of a row in `SHAPES`.
pub(crate) fn shape_of(row: usize) -> Shape {
    SHAPES[row].shape.expect("a valid shape")
}

/// The random number generator of a round.
pub(crate) fn rng(seed: u64, round: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(round);
    rng
}

impl Plan {
    pub(crate) fn new(round: u64, rng: &mut impl Rng) -> Plan {
        let theme = match round % 64 {
            16 => Theme::Marks,
            48 => Theme::Shape(draw(SHAPES.iter().map(|row| row.share), rng)),
            _ => Theme::Classic,
        };
        let (limit, divisor) = match rng.random_range(0..256) {
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
        let puzzles = (all / divisor).max(8);
        let per_call = if rng.random_ratio(1, 32) { rng.random_range(1..=puzzles.min(200)) } else { puzzles };
        Plan { theme, limit: SolutionLimit::new(limit).expect("at least one"), puzzles, per_call }
    }
}

impl<'a> Maker<'a> {
    pub(crate) fn new(bases: &'a Bases) -> Maker<'a> {
        Maker { bases }
    }

    /// A random proper puzzle from the larger sets.
    fn any_proper(&self, rng: &mut impl Rng) -> &'a Proper {
        let sets = [&self.bases.easy, &self.bases.medium, &self.bases.minimal];
        one_of(sets[rng.random_range(0..sets.len())], rng)
    }
}

fn one_of<'a, T>(set: &'a [T], rng: &mut impl Rng) -> &'a T {
    &set[rng.random_range(0..set.len())]
}

/// Draws an index, with a probability proportional to its share.
fn draw(shares: impl Iterator<Item = u32> + Clone, rng: &mut impl Rng) -> usize {
    let mut rest = rng.random_range(0..shares.clone().sum());
    let mut shares = shares.enumerate();
    loop {
        let (index, share) = shares.next().expect("the drawn number is less than the sum");
        match rest.checked_sub(share) {
            Some(less) => rest = less,
            None => return index,
        }
    }
}

/// Draws a kind from a table, by its share.
fn draw_kind(table: &[(Kind, &str, u32)], rng: &mut impl Rng) -> Kind {
    table[draw(table.iter().map(|row| row.2), rng)].0
}
