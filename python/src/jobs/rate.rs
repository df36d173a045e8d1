//! Rating.

use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::grid::{Puzzle, Shape};
use gridmill_core::logic::{Profile, PuzzleRating, Rater, Rating, RatingEnd, Technique, Ties};
use gridmill_core::solver::{Lockstep, SolutionLimit};
use gridmill_data::record::Status;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::solve::search;
use crate::call::{Failure, Options, Reading, work};
use crate::columns::{Columns, place_in};
use crate::parts::{PartSize, Wide};
use crate::rows::Rows;

/// The verdict on a puzzle that was to be rated.
#[derive(Clone, Copy)]
enum RatingStatus {
    Rated,
    /// Harder than the limit.
    Above,
    /// No technique goes on.
    Unsolved,
    Multiple,
    None,
    Conflict,
    Malformed,
}

/// The names of the statuses, in their order.
pub(crate) const STATUSES: [&str; 7] =
    ["rated", "above", "unsolved", "multiple", "none", "conflict", "malformed"];

/// Returns the names of all techniques.
pub(crate) fn techniques() -> Vec<&'static str> {
    Technique::ALL.iter().map(|technique| technique.slug()).collect()
}

/// The columns of ratings.
struct Rated {
    er: Vec<f64>,
    ep: Vec<f64>,
    ed: Vec<f64>,
    hardest: Vec<i8>,
    steps: Vec<u32>,
    rounds: Vec<u16>,
    status: Vec<i8>,
}

/// Rates puzzles, up to a rating.
#[pyfunction]
pub(crate) fn rate<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Rows>,
    up_to: Option<f64>,
    scale: &str,
    ties: &str,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = rows.get();
    if rows.shape != Shape::CLASSIC {
        let shape = rows.shape;
        return Err(PyValueError::new_err(format!("shape=\"{shape}\": only 9x9 puzzles are rated")));
    }
    let wrong = |name: &str, error: &dyn std::fmt::Display| PyValueError::new_err(format!("{name}: {error}"));
    let profile: Profile = scale.parse().map_err(|error| wrong("scale", &error))?;
    let ties: Ties = ties.parse().map_err(|error| wrong("ties", &error))?;
    let limit = up_to.map(|up_to| {
        rating(up_to).ok_or_else(|| {
            PyValueError::new_err(format!("up_to={up_to}: expected a rating from 1.0 to 13.0 in tenths"))
        })
    });
    let limit = limit.transpose()?;
    let borrowed = rows.borrow(py);
    let puzzles = Reading::<Puzzle>::new("puzzles", rows, &borrowed, options.keep)?;
    let rater = || Rater::new(profile, limit.unwrap_or(Rating::BEYOND)).with_ties(ties);
    let found = work(py, &options, |stop| rated(&puzzles, rater, limit.is_some(), stop))?;
    Columns::new(py)
        .add("er", found.er)?
        .add("ep", found.ep)?
        .add("ed", found.ed)?
        .add("hardest", found.hardest)?
        .add("steps", found.steps)?
        .add_wide("rounds", found.rounds, Technique::ALL.len())?
        .add("status", found.status)?
        .add_object("scale", profile.version_with(ties))
        .map(Columns::finish)
}

/// Returns a rating of tenths.
pub(super) fn rating(number: f64) -> Option<Rating> {
    let tenths = (number * 10.0).round();
    let is_tenth = (tenths - number * 10.0).abs() < 1e-6;
    let rating = Rating::tenths(tenths as u16);
    (is_tenth && (Rating::LEAST..=Rating::BEYOND).contains(&rating)).then_some(rating)
}

fn rated(
    puzzles: &Reading<'_, Puzzle>,
    rater: impl Fn() -> Rater + Send + Sync,
    is_limited: bool,
    stop: &AtomicBool,
) -> Result<Rated, Failure> {
    let (records, width) = (puzzles.len(), Technique::ALL.len());
    let mut found = Rated {
        er: vec![f64::NAN; records],
        ep: vec![f64::NAN; records],
        ed: vec![f64::NAN; records],
        hardest: vec![-1; records],
        steps: vec![0; records],
        rounds: vec![0; records * width],
        status: vec![RatingStatus::Malformed as i8; records],
    };
    let places = (
        (&mut found.er[..], (&mut found.ep[..], &mut found.ed[..])),
        (
            (&mut found.hardest[..], &mut found.steps[..]),
            (Wide::new(&mut found.rounds, width), &mut found.status[..]),
        ),
    );
    let tools = || Tools {
        engine: Lockstep::new(),
        outcomes: Vec::new(),
        rater: rater(),
        proper: Vec::new(),
        ratings: Vec::new(),
    };
    puzzles.in_parts(PartSize::RATINGS, places, stop, tools, |tools, _, batch, places| {
        let ((er, (ep, ed)), ((hardest, steps), (mut rounds, status))) = places;
        search(&mut tools.engine, batch, SolutionLimit::UNIQUENESS, &mut tools.outcomes, stop)?;
        tools.rate_proper(&batch.puzzles, stop);
        let mut ratings = tools.ratings.iter();
        for ((place, puzzle), outcome) in batch.iter().zip(&tools.outcomes) {
            status[place] = match Status::of(puzzle, outcome, SolutionLimit::UNIQUENESS) {
                Status::Unique => {
                    // There is none where Ctrl-C ended the rating.
                    let Some(rating) = ratings.next() else { break };
                    ep[place] = rating.ep.map_or(f64::NAN, Rating::number);
                    ed[place] = rating.ed.map_or(f64::NAN, Rating::number);
                    if rating.end == RatingEnd::Solved {
                        er[place] = rating.er.number();
                        hardest[place] =
                            rating.hardest.map_or(-1, |technique| place_in(Technique::ALL, technique));
                        steps[place] = rating.steps;
                        rounds.of(place).copy_from_slice(&rating.rounds);
                    }
                    status_of(rating.end, is_limited, puzzle, stop)? as i8
                }
                Status::Conflict => RatingStatus::Conflict as i8,
                Status::None => RatingStatus::None as i8,
                _ => RatingStatus::Multiple as i8,
            };
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the status of a proper puzzle.
fn status_of(
    end: RatingEnd,
    is_limited: bool,
    puzzle: &Puzzle,
    stop: &AtomicBool,
) -> Result<RatingStatus, Failure> {
    match end {
        RatingEnd::Solved => Ok(RatingStatus::Rated),
        RatingEnd::AboveLimit if is_limited => Ok(RatingStatus::Above),
        RatingEnd::Contradiction if !stop.load(Ordering::Relaxed) => Err(Failure::refuted("rate", puzzle)),
        _ => Ok(RatingStatus::Unsolved),
    }
}

/// The tools of a thread that rates puzzles.
struct Tools {
    engine: Lockstep,
    outcomes: Vec<gridmill_core::Outcome>,
    rater: Rater,
    /// The proper puzzles of a part, and their ratings.
    proper: Vec<Puzzle>,
    ratings: Vec<PuzzleRating>,
}

impl Tools {
    /// Rates the puzzles that have exactly one solution.
    fn rate_proper(&mut self, puzzles: &[Puzzle], stop: &AtomicBool) {
        self.proper.clear();
        let found = puzzles.iter().zip(&self.outcomes).filter(|(_, outcome)| outcome.solutions == 1);
        self.proper.extend(found.map(|(puzzle, _)| puzzle));
        self.ratings.clear();
        self.rater.rate_batch_until(&self.proper, &mut self.ratings, stop);
    }
}
