//! Conditions on records, and the stage that keeps those that meet them.

use std::ops::{ControlFlow, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::generate::Minimizer;
use gridmill_core::jobs::{BatchSearch, Refuted, Status};
use gridmill_core::logic::{Rater, RatingCriteria};
use gridmill_core::solver::{Engine, Outcome, SolverKind};

use super::attribute::Attribute;
use super::fields::FieldCondition;
use super::readings::{PartKind, TextParts};
use crate::pipeline::{BatchMapper, ChunkSizing, MapBatch, ReadChunk, Stage};
use crate::text::{Layout, PuzzleText, lines_of};
use crate::with_kind;

/// What is wanted of a record. All of it must hold.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// How many clues; `None` for any number.
    pub clues: Option<RangeInclusive<u64>>,
    /// The verdicts; any if there are none.
    pub status: Vec<Status>,
    /// How many guesses it takes to prove the verdict.
    pub guesses: Option<RangeInclusive<u64>>,
    /// Whether no clue can be taken from the puzzle.
    pub minimal: bool,
    /// How hard for people, and by which techniques.
    pub ratings: Option<RatingCriteria>,
    /// What the fields of columns hold.
    pub fields: Vec<FieldCondition>,
}

impl Conditions {
    /// Returns whether records that can't be read meet the conditions.
    #[must_use]
    pub fn has_malformed(&self) -> bool {
        let others = self.clues.is_some() || self.guesses.is_some() || self.minimal;
        let others = others || !self.fields.is_empty() || self.ratings.is_some();
        self.status.contains(&Status::Malformed) && !others
    }
}

/// Which records are selected.
#[derive(Clone, Debug, Default)]
pub struct Criteria {
    /// What is wanted of them.
    pub conditions: Conditions,
    /// Whether those are selected that do not meet the conditions.
    pub invert: bool,
    /// Whether records that are left out, or can't be read, are marked.
    pub marks: bool,
    /// Whether records that can't be read are selected, whatever the conditions.
    pub takes_malformed: bool,
    /// The attributes of which the values of selected records are taken.
    pub attributes: Vec<Attribute>,
}

impl Criteria {
    /// Returns the stage that selects records of a file: it takes the lines of those that are selected, of puzzles in rows
    /// also the text between records.
    #[must_use]
    pub fn stage<'a>(&'a self, layout: &Layout, diagnostics: bool) -> Box<dyn Stage<TextParts> + 'a> {
        let conditions = &self.conditions;
        let slowest =
            if conditions.minimal { Engine::Other(SolverKind::Bitmask) } else { layout.fastest_engine() };
        let sizing = match conditions.ratings.is_some() {
            true => ChunkSizing::GRIDS,
            false => ChunkSizing::for_puzzles(layout.kind(), slowest),
        };
        let (engine, keeps_between) = (layout.fastest_engine(), !layout.has_a_record_a_line());
        with_kind!(layout.kind(), P => {
            let mapper = move || SelectMapper::<P> {
                judge: Judge::new(conditions, engine),
                criteria: self.clone(),
                keeps_between,
            };
            MapBatch::stage(layout, diagnostics, sizing, mapper)
        })
    }
}

/// Judges puzzles by conditions: finds out about them only what a condition needs, because each costs a search.
pub struct Judge<P: PuzzleText> {
    conditions: Conditions,
    search: Option<BatchSearch<P>>,
    minimizer: Option<Minimizer>,
    /// Rates puzzles, and says which ratings are wanted.
    rater: Option<(Rater, RatingCriteria)>,
}

/// Findings about the puzzles of a chunk.
struct Findings<'a, P: PuzzleText> {
    conditions: &'a Conditions,
    outcomes: &'a [Outcome<P::Solution>],
    minimal: Vec<bool>,
}

impl<P: PuzzleText> Findings<'_, P> {
    /// Returns whether the puzzle at `index` meets the conditions, those about fields and ratings apart.
    fn is_wanted(&self, index: usize, puzzle: &P) -> bool {
        let Findings { conditions, outcomes, .. } = self;
        let status = || Status::proved(puzzle, &outcomes[index]);
        let clues = puzzle.clue_count() as u64;
        // A puzzle in conflict was not searched.
        let has_guesses = |guesses: &RangeInclusive<u64>| {
            guesses.contains(&outcomes[index].guesses) && status() != Status::Conflict
        };
        conditions.clues.as_ref().is_none_or(|wanted| wanted.contains(&clues))
            && (conditions.status.is_empty() || conditions.status.contains(&status()))
            && conditions.guesses.as_ref().is_none_or(has_guesses)
            && (!conditions.minimal || self.minimal[index])
    }

    fn is_proper(&self, index: usize, puzzle: &P) -> bool {
        Status::proved(puzzle, &self.outcomes[index]) == Status::Unique
    }
}

impl<P: PuzzleText> Judge<P> {
    /// Judges by conditions, and searches with that engine.
    #[must_use]
    pub fn new(conditions: &Conditions, engine: Engine) -> Judge<P> {
        let needs_search =
            !conditions.status.is_empty() || conditions.guesses.is_some() || conditions.ratings.is_some();
        Judge {
            search: needs_search.then(|| BatchSearch::proof(engine)),
            minimizer: conditions.minimal.then(Minimizer::default),
            rater: conditions.ratings.clone().map(|wish| (wish.rater(), wish)),
            conditions: conditions.clone(),
        }
    }

    /// Returns which puzzles meet the conditions; `None` if `stop` became true meanwhile. `has_fields` says of a puzzle, by its
    /// index, whether its record meets those about fields.
    ///
    /// # Errors
    ///
    /// Where an engine, or a technique, gave an answer that breaks the rules.
    pub fn judge(
        &mut self,
        puzzles: &[P],
        has_fields: impl Fn(usize) -> bool,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<bool>>, Refuted> {
        let outcomes = match &mut self.search {
            Some(search) => search.run(puzzles, stop)?,
            None => &[],
        };
        let mut minimal = Vec::new();
        if let Some(minimizer) = &mut self.minimizer {
            let redundant = minimizer.redundant_until(puzzles, stop).into_iter();
            minimal.extend(redundant.map(|it| it.solutions == 1 && !it.is_given_up && it.result.is_empty()));
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let found = Findings { conditions: &self.conditions, outcomes, minimal };
        let is_wanted = |(index, puzzle)| found.is_wanted(index, puzzle) && has_fields(index);
        let mut wanted: Vec<bool> = puzzles.iter().enumerate().map(is_wanted).collect();
        if let Some((rater, wish)) = &mut self.rater {
            let is_rated = |&index: &usize| wanted[index] && found.is_proper(index, &puzzles[index]);
            let proper: Vec<usize> = (0..puzzles.len()).filter(is_rated).collect();
            let rated = rater.rate_all(proper.iter().map(|&index| &puzzles[index]), stop);
            if rated.len() < proper.len() {
                return Ok(None);
            }
            wanted.fill(false);
            for (index, (rating, _)) in proper.into_iter().zip(rated) {
                if rating.is_refuted() {
                    return Err(Refuted { puzzle: index, engine: wish.scale.version() });
                }
                wanted[index] = wish.admits(&rating);
            }
        }
        Ok(Some(wanted))
    }
}

/// Takes the lines of the selected records; of puzzles in rows also the text between records, and nothing for
/// each record that is left out; so also where the others are to be marked.
struct SelectMapper<P: PuzzleText> {
    judge: Judge<P>,
    criteria: Criteria,
    keeps_between: bool,
}

impl<P: PuzzleText> BatchMapper<P, TextParts> for SelectMapper<P> {
    fn map(&mut self, chunk: &ReadChunk<'_, P>, parts: &mut TextParts) -> Result<ControlFlow<()>, Refuted> {
        let &ReadChunk { text, batch, stop, .. } = chunk;
        let Criteria { conditions, invert, marks, takes_malformed, attributes } = &self.criteria;
        let mut lines_of_puzzles = Vec::new();
        if !conditions.fields.is_empty() {
            let records = batch.iter().zip(lines_of(text, &batch.records));
            lines_of_puzzles
                .extend(records.filter_map(|((_, read), lines)| read.map(|_| text[lines].trim_ascii_end())));
        }
        let has_fields =
            |index| conditions.fields.iter().all(|condition| condition.holds(lines_of_puzzles[index]));
        let Some(wanted) = self.judge.judge(&batch.puzzles, has_fields, stop)? else {
            return Ok(ControlFlow::Break(()));
        };
        let mut done = 0;
        for ((_, read), lines) in batch.iter().zip(lines_of(text, &batch.records)) {
            if self.keeps_between {
                parts.push(PartKind::Between, &text[done..lines.start]);
            }
            done = lines.end;
            let lines = &text[lines];
            let is_wanted = read
                .map_or_else(|| conditions.has_malformed() || *takes_malformed, |(number, _)| wanted[number]);
            if *marks && read.is_none() {
                parts.push(PartKind::Malformed, &[]);
            }
            if is_wanted != *invert {
                parts.push(PartKind::Record, lines);
                if !attributes.is_empty() {
                    let clues = read.map(|(_, puzzle)| puzzle.clue_count());
                    parts.values.push(attributes, clues, lines.trim_ascii_end());
                }
            } else if self.keeps_between || *marks {
                parts.push(PartKind::LeftOut, &[]);
            }
        }
        if self.keeps_between {
            parts.push(PartKind::Between, &text[done..]);
        }
        Ok(ControlFlow::Continue(()))
    }
}
