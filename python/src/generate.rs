//! Generates puzzles for the package.

use std::sync::atomic::Ordering;

use gridmill_core::generate::{
    DuplicatePolicy, GenerateError, Goal, GridMethod, MadeStats, ParallelGenerator, Pattern, Recipe,
};
use gridmill_core::grid::{Shape, Symmetry};
use gridmill_core::logic::{RatingCriteria, TechniqueSet};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::answer::{all_arguments, rating, unreadable};
use crate::arrays::{FoundColumn, numbers, wide};
use crate::given_records::read_shape;
use crate::threads::{self, Progress};

/// The arguments of `generate`: how many puzzles, and which ones.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GenerateArgs<'py> {
    count: u64,
    first: u64,
    seed: u64,
    shape: Option<Bound<'py, PyAny>>,
    clues: Option<(usize, usize)>,
    symmetry: Option<String>,
    minimal: bool,
    pattern: Option<String>,
    guesses: Option<(u64, u64)>,
    no_guess: bool,
    er: Option<(f64, f64)>,
    technique: Vec<String>,
    scale: String,
    method: Option<String>,
    distinct: bool,
    no_isomorphs: bool,
    attempts: Option<u64>,
}

/// Generates puzzles that have exactly one solution.
#[pyfunction]
pub(crate) fn generate<'py>(
    py: Python<'py>,
    arguments: &Bound<'py, PyDict>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Vec<FoundColumn<'py>>> {
    let arguments: GenerateArgs<'_> = all_arguments(arguments)?;
    let (shape, _) = read_shape(arguments.shape.as_ref())?;
    let recipe = arguments.recipe(shape)?;
    let scale = recipe.rating.as_ref().map(|criteria| criteria.scale.version());
    let attempts = arguments.attempts.unwrap_or(recipe.default_max_failed_attempts());
    let duplicates = DuplicatePolicy::from_flags(arguments.distinct, arguments.no_isomorphs);
    let mut goal = Goal {
        count: arguments.count,
        max_failed_attempts: attempts,
        duplicates,
        earlier: MadeStats::default(),
    };
    let before = goal.leave_out(arguments.first, &recipe);
    let workers = threads.unwrap_or_else(threads::usual);
    let (mut puzzles, mut solutions) = (Vec::new(), Vec::new());
    let (mut clues, mut guesses, mut ratings) = (Vec::new(), Vec::new(), Vec::new());
    // One thread is enough here, because the generator starts its own.
    let progress = Progress { function: progress.as_ref(), total: before.saturating_add(arguments.count) };
    let found = threads::work(py, Some(1), &progress, |watch| {
        let generator = ParallelGenerator::new(recipe, arguments.seed, None, workers)?;
        generator.make::<GenerateError>(&goal, &watch.stop, &mut |one, so_far| {
            watch.done.fetch_add(1, Ordering::Relaxed);
            if so_far.puzzles <= before {
                return Ok(());
            }
            puzzles.extend_from_slice(one.puzzle.cells());
            solutions.extend_from_slice(one.solution.cells());
            clues.push(one.puzzle.clue_count() as u32);
            guesses.push(one.guesses);
            ratings.extend(one.rating.as_ref().map(|rating| rating.er.number()));
            Ok(())
        })
    })?;
    found.map_err(|error| match error {
        GenerateError::NotFound { .. } => PyRuntimeError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    })?;
    let mut columns = vec![
        ("puzzle", "cells", wide(py, puzzles, shape.cells())?, None, None),
        ("solution", "cells", wide(py, solutions, shape.cells())?, None, None),
        numbers(py, "clues", clues, None),
        numbers(py, "guesses", guesses, None),
    ];
    if let Some(scale) = scale {
        columns.push(numbers(py, "er", ratings, None));
        columns.push(("scale", "name", PyString::new(py, scale).into_any(), None, None));
    }
    Ok(columns)
}

impl GenerateArgs<'_> {
    fn recipe(&self, shape: Shape) -> PyResult<Recipe> {
        let pattern = pattern(self.pattern.as_deref())?;
        Ok(Recipe {
            shape,
            method: named("method", self.method.as_deref(), &GridMethod::ALL, GridMethod::name)?,
            clues: self.clues.map(|(least, most)| least..=most),
            minimal: self.minimal,
            symmetry: named("symmetry", self.symmetry.as_deref(), &Symmetry::ALL, Symmetry::name)?,
            digits: pattern.as_ref().and_then(|pattern| pattern.digits.clone()),
            pattern: pattern.map(|pattern| pattern.clues),
            guesses: self.guesses.map(|(least, most)| least..=most),
            singles: self.no_guess,
            rating: rating_criteria(self.er, &self.technique, &self.scale)?,
            ..Recipe::default()
        })
    }
}

/// The cells that have clues, if they are prescribed.
pub(crate) fn pattern(text: Option<&str>) -> PyResult<Option<Pattern>> {
    text.map(str::parse).transpose().map_err(|error| unreadable("pattern", &error))
}

/// The ratings and techniques that puzzles must have, or `None` if any will do.
pub(crate) fn rating_criteria(
    er: Option<(f64, f64)>,
    technique: &[String],
    scale: &str,
) -> PyResult<Option<RatingCriteria>> {
    let span = |(least, most)| {
        let span = rating(least).zip(rating(most)).map(|(least, most)| least..=most);
        let expected = "expected ratings from 1.0 to 13.0 in tenths";
        span.ok_or_else(|| PyValueError::new_err(format!("er=({least}, {most}): {expected}")))
    };
    let span = er.map(span).transpose()?;
    let scale = scale.parse().map_err(|error| unreadable("scale", &error))?;
    let mut techniques = TechniqueSet::EMPTY;
    for name in technique {
        techniques.insert(name.parse().map_err(|error| unreadable("technique", &error))?);
    }
    let techniques = if technique.is_empty() { Vec::new() } else { vec![techniques] };
    Ok(RatingCriteria::new(scale, span, techniques))
}

/// The value with that name, or an exception that lists all names.
fn named<T: Copy>(
    argument: &str,
    name: Option<&str>,
    all: &[T],
    name_of: fn(T) -> &'static str,
) -> PyResult<Option<T>> {
    let Some(name) = name else { return Ok(None) };
    let found = all.iter().copied().find(|&one| name_of(one) == name);
    found.map(Some).ok_or_else(|| {
        let names = all.iter().map(|&one| name_of(one)).collect::<Vec<_>>().join(", ");
        PyValueError::new_err(format!("{argument}={name:?}: expected one of {names}"))
    })
}
