//! Rating batches of puzzles of any kind that can be rated, for one worker.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{PuzzleRating, Rater, RatingEnd, State};
use crate::grid::{Grid, Pencilmarks, Puzzle};

/// The most puzzles that are rated before the stop flag is read again: enough to be rated together.
const PORTION: usize = 256;

/// How long such a portion should take at most, so that an interrupt need not wait: if it takes longer, the next one is
/// smaller.
const SHORT: Duration = Duration::from_millis(50);

/// A kind of puzzle that can be rated and explained where it is 9x9.
pub trait Ratable: Sized {
    /// Returns the state that people begin with. The puzzle must be 9x9.
    fn state(&self) -> State;

    /// Rates proper 9x9 puzzles, and appends a rating for each.
    fn rate_batch(rater: &mut Rater, puzzles: &[Self], ratings: &mut Vec<PuzzleRating>, stop: &AtomicBool);
}

impl Ratable for Puzzle {
    fn state(&self) -> State {
        State::of_puzzle(self)
    }

    fn rate_batch(rater: &mut Rater, puzzles: &[Puzzle], ratings: &mut Vec<PuzzleRating>, stop: &AtomicBool) {
        rater.rate_batch_until(puzzles, ratings, stop);
    }
}

impl Ratable for Grid {
    fn state(&self) -> State {
        classic(self).state()
    }

    fn rate_batch(rater: &mut Rater, puzzles: &[Grid], ratings: &mut Vec<PuzzleRating>, stop: &AtomicBool) {
        let classic: Vec<Puzzle> = puzzles.iter().map(classic).collect();
        rater.rate_batch_until(&classic, ratings, stop);
    }
}

/// Returns a 9x9 grid as a classic puzzle.
fn classic(grid: &Grid) -> Puzzle {
    grid.to_classic().expect("other shapes than 9x9 are refused")
}

impl Ratable for Pencilmarks {
    fn state(&self) -> State {
        State::of_pencilmarks(self)
    }

    fn rate_batch(
        rater: &mut Rater,
        puzzles: &[Pencilmarks],
        ratings: &mut Vec<PuzzleRating>,
        stop: &AtomicBool,
    ) {
        ratings.extend(puzzles.iter().map(|marks| rater.rate_pencilmarks_until(marks, stop)));
    }
}

/// The rating of a puzzle, and the time that it took.
#[derive(Clone, Debug)]
pub struct Rated {
    /// The rating.
    pub rating: PuzzleRating,
    /// Nanoseconds.
    pub nanos: u64,
}

impl Rated {
    /// Returns whether the techniques led into a contradiction: of a proper puzzle, a defect.
    pub fn is_refuted(&self) -> bool {
        self.rating.end == RatingEnd::Contradiction
    }
}

/// Rates batches of puzzles, for one worker.
pub struct BatchRater<P> {
    rater: Rater,
    /// Puzzles that are rated together: now, and at most.
    portion: usize,
    most: usize,
    puzzles: Vec<P>,
    ratings: Vec<PuzzleRating>,
}

impl<P: Ratable + Clone> BatchRater<P> {
    /// Returns a rater of batches.
    pub fn new(rater: Rater) -> BatchRater<P> {
        BatchRater { rater, portion: PORTION / 8, most: PORTION, puzzles: Vec::new(), ratings: Vec::new() }
    }

    /// Rates puzzles one by one, so that each has a time of its own.
    pub fn one_by_one(self) -> BatchRater<P> {
        BatchRater { portion: 1, most: 1, ..self }
    }

    /// Rates proper puzzles, in order. When `stop` becomes true, the ratings end early.
    pub fn rate<'p>(&mut self, puzzles: impl Iterator<Item = &'p P>, stop: &AtomicBool) -> Vec<Rated>
    where
        P: 'p,
    {
        self.puzzles.clear();
        self.puzzles.extend(puzzles.cloned());
        let mut rated = Vec::with_capacity(self.puzzles.len());
        while rated.len() < self.puzzles.len() && !stop.load(Ordering::Relaxed) {
            let rest = &self.puzzles[rated.len()..];
            let portion = &rest[..self.portion.min(rest.len())];
            let begun = Instant::now();
            P::rate_batch(&mut self.rater, portion, &mut self.ratings, stop);
            let time = begun.elapsed();
            let nanos = time.as_nanos() as u64 / portion.len() as u64;
            if stop.load(Ordering::Relaxed) {
                self.ratings.clear();
                break;
            }
            rated.extend(self.ratings.drain(..).map(|rating| Rated { rating, nanos }));
            self.portion =
                if time > SHORT { (self.portion / 2).max(1) } else { (self.portion * 2).min(self.most) };
        }
        rated
    }
}
