//! Conditions on records, and the stage that keeps the records that meet them.

use std::ops::{ControlFlow, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_core::generate::Minimizer;
use gridmill_core::jobs::{BatchSearch, Refuted, Status};
use gridmill_core::logic::{Rater, RatingCriteria};
use gridmill_core::solver::{Engine, Outcome, SolverKind};

use super::attribute::Attribute;
use super::fields::FieldCondition;
use super::passes::{PartKind, TextParts};
use crate::pipeline::{BatchMapper, ChunkSizing, MapBatch, ReadChunk, Stage};
use crate::text::{Layout, PuzzleText, lines_of};
use crate::with_kind;

/// Conditions on a record. It has to meet all of them.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// The number of clues; `None` for any number.
    pub clues: Option<RangeInclusive<u64>>,
    /// The verdicts to keep; empty for any verdict.
    pub status: Vec<Status>,
    /// The number of guesses that the engine needs to prove the verdict.
    pub guesses: Option<RangeInclusive<u64>>,
    /// Whether the puzzle has to be minimal: if you remove any clue, it has several solutions.
    pub minimal: bool,
    /// The rating, and the techniques that a person needs.
    pub ratings: Option<RatingCriteria>,
    /// The values of fields in columns.
    pub fields: Vec<FieldCondition>,
}

impl Conditions {
    /// Returns whether the conditions ask for records that can't be read. All other conditions are about a
    /// puzzle, so with one of them, no such record qualifies.
    #[must_use]
    pub fn accepts_malformed(&self) -> bool {
        let others = self.clues.is_some() || self.guesses.is_some() || self.minimal;
        let others = others || !self.fields.is_empty() || self.ratings.is_some();
        self.status.contains(&Status::Malformed) && !others
    }
}

/// Which records are selected.
#[derive(Clone, Debug, Default)]
pub struct Criteria {
    /// The conditions that a record has to meet.
    pub conditions: Conditions,
    /// Whether to select the records that do *not* meet the conditions.
    pub invert: bool,
    /// Whether records that are left out or can't be read leave a mark in the output. You need the marks if
    /// you count them.
    pub marks: bool,
    /// Whether to select records that can't be read, whatever the conditions are.
    pub takes_malformed: bool,
    /// The attributes whose values are collected for the selected records.
    pub attributes: Vec<Attribute>,
}

impl Criteria {
    /// Makes the stage that selects records of a file. It collects the lines of the selected records. For
    /// puzzles in rows it also collects the text between records, because a frame may belong to the record
    /// above or below it.
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

/// Judges puzzles by conditions. It computes only what a condition needs, because each of these answers
/// costs a search.
pub struct Judge<P: PuzzleText> {
    conditions: Conditions,
    search: Option<BatchSearch<P>>,
    minimizer: Option<Minimizer>,
    /// Rates puzzles, and holds the ratings to keep.
    rater: Option<(Rater, RatingCriteria)>,
}

/// Search results for the puzzles of a chunk.
struct Findings<'a, P: PuzzleText> {
    conditions: &'a Conditions,
    outcomes: &'a [Outcome<P::Solution>],
    minimal: Vec<bool>,
}

impl<P: PuzzleText> Findings<'_, P> {
    /// Returns whether the puzzle at `index` meets the conditions, except those about fields and ratings.
    fn is_wanted(&self, index: usize, puzzle: &P) -> bool {
        let Findings { conditions, outcomes, .. } = self;
        let status = || Status::proved(puzzle, &outcomes[index]);
        let clues = puzzle.clue_count() as u64;
        // The engine did not search a puzzle in conflict, so its number of guesses means nothing.
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
    /// Prepares what the conditions need; searches run on `engine`.
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

    /// Returns for each puzzle whether it meets the conditions; `None` if `stop` became true during the
    /// search. `has_fields` takes the index of a puzzle, and says whether its record meets the conditions
    /// about fields.
    ///
    /// # Errors
    ///
    /// If the answer of an engine or a technique breaks the rules of Sudoku.
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

/// Collects the lines of the selected records, and for puzzles in rows also the text between records. A
/// record that is left out becomes an empty part if the text between records is kept, or if marks are
/// wanted.
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
            let is_wanted = read.map_or_else(
                || conditions.accepts_malformed() || *takes_malformed,
                |(number, _)| wanted[number],
            );
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
