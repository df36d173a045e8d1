//! Making puzzles.

use std::ops::RangeInclusive;

use gridmill_core::generate::{GenerateError, Goal, GridMethod, ParallelGenerator, Pattern, Recipe, Refused};
use gridmill_core::grid::{Shape, Symmetry};
use gridmill_core::logic::{Profile, Rating, RatingWish, Technique, TechniqueSet};
use numpy::IntoPyArray;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::answer::rating;
use super::columns::{FoundColumn, numbers, wide};
use crate::kind::GivenShape;
use crate::threads;

/// The puzzles that are wanted.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wanted {
    count: u64,
    seed: u64,
    shape: Option<GivenShape>,
    clues: Option<(usize, usize)>,
    symmetry: Option<String>,
    minimal: bool,
    pattern: Option<String>,
    guesses: Option<(u64, u64)>,
    no_guess: bool,
    er: Option<(f64, f64)>,
    techniques: Vec<String>,
    scale: String,
    method: Option<String>,
    distinct: bool,
    no_isomorphs: bool,
    attempts: Option<u64>,
}

/// The columns of made puzzles.
#[derive(Default)]
struct Puzzles {
    puzzle: Vec<u8>,
    solution: Vec<u8>,
    clues: Vec<u32>,
    guesses: Vec<u64>,
    er: Vec<f64>,
}

/// Makes puzzles with exactly one solution.
#[pyfunction]
pub(crate) fn generate<'py>(
    py: Python<'py>,
    wanted: Wanted,
    threads: Option<usize>,
) -> PyResult<Vec<FoundColumn<'py>>> {
    let (shape, _) = GivenShape::read(wanted.shape.as_ref())?;
    let recipe = wanted.recipe(shape)?;
    let scale = recipe.rating.as_ref().map(|wish| wish.scale.version());
    let attempts = wanted.attempts.unwrap_or(recipe.usual_attempts());
    let goal = Goal { count: wanted.count, attempts, refused: wanted.refused() };
    let workers = threads.unwrap_or_else(threads::usual);
    let mut made = Puzzles::default();
    // The generator has threads of its own.
    let found = threads::work(py, Some(1), |stop| {
        let generator = ParallelGenerator::new(recipe, wanted.seed, None, workers)?;
        generator.make::<GenerateError>(&goal, stop, &mut |one| {
            made.puzzle.extend_from_slice(one.puzzle.cells());
            made.solution.extend_from_slice(one.solution.cells());
            made.clues.push(one.puzzle.clue_count() as u32);
            made.guesses.push(one.guesses);
            made.er.extend(one.rating.as_ref().map(|rating| rating.er.number()));
            Ok(())
        })
    })?;
    found.map_err(|error| match error {
        GenerateError::NotFound { .. } => PyRuntimeError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    })?;
    let mut columns = vec![
        ("puzzle", "cells", wide(py, made.puzzle, shape.cells())?, None, None),
        ("solution", "cells", wide(py, made.solution, shape.cells())?, None, None),
        numbers(py, "clues", made.clues, None),
        numbers(py, "guesses", made.guesses, None),
    ];
    if let Some(scale) = scale {
        let present = vec![false; made.er.len()].into_pyarray(py);
        columns.push(numbers(py, "er", made.er, None));
        columns.push(("scale", "name", PyString::new(py, scale).into_any(), Some(present), None));
    }
    Ok(columns)
}

impl Wanted {
    fn recipe(&self, shape: Shape) -> PyResult<Recipe> {
        let pattern = self.pattern.as_ref().map(|text| text.parse::<Pattern>()).transpose();
        let pattern = pattern.map_err(|error| PyValueError::new_err(format!("pattern: {error}")))?;
        let (pattern, digits) = pattern.map_or((None, None), |pattern| (Some(pattern.clues), pattern.digits));
        let symmetries = Symmetry::ALL.map(|symmetry| (symmetry.name(), symmetry));
        let methods = GridMethod::ALL.map(|method| (method.name(), method));
        Ok(Recipe {
            shape,
            method: named("method", self.method.as_deref(), &methods)?,
            clues: self.clues.map(|(least, most)| least..=most),
            minimal: self.minimal,
            symmetry: named("symmetry", self.symmetry.as_deref(), &symmetries)?,
            pattern,
            digits,
            guesses: self.guesses.map(|(least, most)| least..=most),
            singles: self.no_guess,
            rating: self.rating()?,
            ..Recipe::default()
        })
    }

    fn rating(&self) -> PyResult<Option<RatingWish>> {
        if self.er.is_none() && self.techniques.is_empty() {
            return Ok(None);
        }
        let ratings =
            self.er.map_or(Ok(Rating::LEAST..=Rating::BEYOND), |(least, most)| ratings(least, most))?;
        let scale: Profile =
            self.scale.parse().map_err(|error| PyValueError::new_err(format!("scale: {error}")))?;
        let mut techniques = TechniqueSet::EMPTY;
        for name in &self.techniques {
            let technique: Technique =
                name.parse().map_err(|error| PyValueError::new_err(format!("technique: {error}")))?;
            techniques.insert(technique);
        }
        let techniques = if self.techniques.is_empty() { Vec::new() } else { vec![techniques] };
        Ok(Some(RatingWish { scale, ratings, techniques }))
    }

    fn refused(&self) -> Refused {
        match (self.no_isomorphs, self.distinct) {
            (true, _) => Refused::Isomorphic,
            (_, true) => Refused::Equal,
            _ => Refused::None,
        }
    }
}

fn ratings(least: f64, most: f64) -> PyResult<RangeInclusive<Rating>> {
    match (rating(least), rating(most)) {
        (Some(least), Some(most)) => Ok(least..=most),
        _ => Err(PyValueError::new_err(format!(
            "er=({least}, {most}): expected ratings from 1.0 to 13.0 in tenths"
        ))),
    }
}

/// Returns what has that name.
fn named<T: Copy>(argument: &str, name: Option<&str>, all: &[(&'static str, T)]) -> PyResult<Option<T>> {
    let Some(name) = name else { return Ok(None) };
    match all.iter().find(|(other, _)| *other == name) {
        Some(&(_, found)) => Ok(Some(found)),
        None => {
            let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
            let names = names.join(", ");
            Err(PyValueError::new_err(format!("{argument}={name:?}: expected one of {names}")))
        }
    }
}
