//! Rating puzzles: the scale, ranges of ratings, and the rater of a worker.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::command_error::CommandError;
use crate::grid::{Pencilmarks, Puzzle, Shape};
use crate::logic::{Profile, PuzzleRating, Rater, Rating, RatingEnd, Technique, TechniqueSet, Ties};
use crate::text::{GridPuzzle, Layout};

/// The most puzzles that are rated before the stop flag is read again: enough to be rated together.
const PORTION: usize = 256;

/// How long such a portion should take at most, so that an interrupt need not wait: if it takes longer, the next one is
/// smaller.
const SHORT: Duration = Duration::from_millis(50);

/// The scale of ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScaleArg {
    /// Sudoku Explainer 1.2.1
    Se,
    /// SukakuExplainer in its default settings, as published ratings have it: strong links and larger wings besides
    #[default]
    Sukaku,
    /// SukakuExplainer since January 2020: four strong links, UVWXYZ-wings and TUVWXYZ-wings besides
    #[value(name = "sukaku-2020")]
    Sukaku2020,
}

impl From<ScaleArg> for Profile {
    fn from(scale: ScaleArg) -> Profile {
        match scale {
            ScaleArg::Se => Profile::Se,
            ScaleArg::Sukaku => Profile::Sukaku,
            ScaleArg::Sukaku2020 => Profile::Sukaku2020,
        }
    }
}

/// The order that decides ties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TiesArg {
    /// That of the minlex form: isomorphs have one rating
    #[default]
    Minlex,
    /// The reading order of the grid as it is written, as in SukakuExplainer: for comparison with published ratings
    Reading,
}

impl From<TiesArg> for Ties {
    fn from(ties: TiesArg) -> Ties {
        match ties {
            TiesArg::Minlex => Ties::Minlex,
            TiesArg::Reading => Ties::Reading,
        }
    }
}

/// The scale of ratings, and the order that decides ties.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ScaleArgs {
    /// Whose techniques count, and at which ratings
    #[arg(long, value_name = "NAME", value_enum, default_value_t)]
    scale: ScaleArg,

    /// Which order of cells decides, from 7.5 up, where several chains lead to one deduction
    #[arg(long, value_name = "ORDER", value_enum, default_value_t)]
    ties: TiesArg,
}

impl ScaleArgs {
    /// Returns the techniques that count.
    pub(crate) fn profile(self) -> Profile {
        self.scale.into()
    }

    /// Returns the order that decides ties.
    pub(crate) fn ties(self) -> Ties {
        self.ties.into()
    }

    /// Returns the name of the scale with its version, as it is written beside ratings.
    pub(crate) fn version(self) -> &'static str {
        self.profile().version_with(self.ties())
    }
}

/// Reads a rating.
pub(crate) fn rating(text: &str) -> Result<Rating, String> {
    text.parse().map_err(|error| format!("{error}"))
}

/// Reads a rating, or a range: `4.2`, `3.0..4.2`, `4.2..` or `..4.2`.
pub(crate) fn rating_span(text: &str) -> Result<RangeInclusive<Rating>, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let is_range = text.contains("..");
    let end = |text: &str, open| if is_range && text.is_empty() { Ok(open) } else { rating(text) };
    let (least, most) = (end(least, Rating::LEAST)?, end(most, Rating::BEYOND)?);
    if least > most {
        return Err(format!("there is no rating from {least} to {most}: give the smaller one first"));
    }
    Ok(least..=most)
}

/// Reads the names of techniques, with a comma between two.
pub(crate) fn techniques(text: &str) -> Result<TechniqueSet, String> {
    let mut found = TechniqueSet::EMPTY;
    for name in text.split(',') {
        found.insert(name.trim().parse::<Technique>().map_err(|error| format!("{error}"))?);
    }
    Ok(found)
}

/// Refuses puzzles that have no rating.
pub(crate) fn check_ratable(layout: &Layout) -> Result<(), CommandError> {
    match layout.shape {
        Some(Shape::CLASSIC) => Ok(()),
        shape => Err(CommandError::NoRating { shape }),
    }
}

/// A kind of puzzle that can be rated where it is 9x9.
pub(crate) trait Ratable: Sized {
    /// Rates proper 9x9 puzzles, and appends a rating for each.
    fn rate_batch(rater: &mut Rater, puzzles: &[Self], ratings: &mut Vec<PuzzleRating>, stop: &AtomicBool);
}

impl Ratable for Puzzle {
    fn rate_batch(rater: &mut Rater, puzzles: &[Puzzle], ratings: &mut Vec<PuzzleRating>, stop: &AtomicBool) {
        rater.rate_batch_until(puzzles, ratings, stop);
    }
}

impl Ratable for GridPuzzle {
    fn rate_batch(
        rater: &mut Rater,
        puzzles: &[GridPuzzle],
        ratings: &mut Vec<PuzzleRating>,
        stop: &AtomicBool,
    ) {
        let classic = |puzzle: &GridPuzzle| {
            let cells = puzzle.grid.cells().try_into().ok();
            cells.and_then(Puzzle::from_cells).expect("other shapes than 9x9 are refused")
        };
        let classic: Vec<Puzzle> = puzzles.iter().map(classic).collect();
        rater.rate_batch_until(&classic, ratings, stop);
    }
}

impl Ratable for Pencilmarks {
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
pub(crate) struct Rated {
    pub(crate) rating: PuzzleRating,
    pub(crate) nanos: u64,
}

impl Rated {
    /// Returns whether the techniques led into a contradiction: of a proper puzzle, a defect.
    pub(crate) fn is_refuted(&self) -> bool {
        self.rating.end == RatingEnd::Contradiction
    }
}

/// Rates batches of puzzles, for one worker.
pub(crate) struct BatchRater<P> {
    rater: Rater,
    /// Puzzles that are rated together: now, and at most.
    portion: usize,
    most: usize,
    puzzles: Vec<P>,
    ratings: Vec<PuzzleRating>,
}

impl<P: Ratable + Clone> BatchRater<P> {
    /// Returns a rater of batches.
    pub(crate) fn new(rater: Rater) -> BatchRater<P> {
        BatchRater { rater, portion: PORTION / 8, most: PORTION, puzzles: Vec::new(), ratings: Vec::new() }
    }

    /// Rates puzzles one by one, so that each has a time of its own.
    pub(crate) fn one_by_one(self) -> BatchRater<P> {
        BatchRater { portion: 1, most: 1, ..self }
    }

    /// Rates proper puzzles, in order. When `stop` becomes true, the ratings end early.
    pub(crate) fn rate<'p>(&mut self, puzzles: impl Iterator<Item = &'p P>, stop: &AtomicBool) -> Vec<Rated>
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_ratings_are_read() {
        let tenths = |least, most| Rating::tenths(least)..=Rating::tenths(most);
        assert_eq!(rating_span("4.2"), Ok(tenths(42, 42)));
        assert_eq!(rating_span("3..4.2"), Ok(tenths(30, 42)));
        assert_eq!(rating_span("3.0.."), Ok(tenths(30, 130)));
        assert_eq!(rating_span("..4"), Ok(tenths(10, 40)));
        assert_eq!(rating_span(".."), Ok(tenths(10, 130)));
        assert!(rating_span("4.2..3").unwrap_err().contains("no rating from 4.2 to 3.0"));
        for wrong in ["", "4.25", "0..3", "3..21", "3...4", "hard"] {
            assert!(rating_span(wrong).unwrap_err().contains("is no rating"), "{wrong}");
        }
    }

    #[test]
    fn techniques_are_read() {
        let both = techniques("x-wing, swordfish").unwrap();
        assert_eq!(both.iter().collect::<Vec<_>>(), [Technique::XWing, Technique::Swordfish]);
        assert!(techniques("x-wing,").unwrap_err().contains("the techniques are last-cell, "));
    }
}
