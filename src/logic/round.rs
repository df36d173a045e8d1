//! Rounds: all deductions of the first technique that finds one, at its lowest rating, made together.

use super::cell_set::CandidateSet;
use super::deduction::{Deduction, Pattern, Sink};
use super::profile::Profile;
use super::rating::Rating;
use super::scratch::Scratch;
use super::state::State;
use super::technique::TechniqueSet;

/// What a round does: the union of all deductions of the lowest rating.
#[derive(Clone, Debug)]
pub struct Round {
    /// The rating of its deductions.
    pub rating: Rating,
    /// The techniques that found one.
    pub techniques: TechniqueSet,
    /// The candidates that stand: digits to be placed.
    pub placed: CandidateSet,
    /// The candidates that go.
    pub removed: CandidateSet,
    is_empty: bool,
}

impl Round {
    /// Returns a round without deductions, which takes those up to `limit`.
    #[must_use]
    pub const fn up_to(limit: Rating) -> Round {
        Round {
            rating: limit,
            techniques: TechniqueSet::EMPTY,
            placed: CandidateSet::EMPTY,
            removed: CandidateSet::EMPTY,
            is_empty: true,
        }
    }

    /// Returns the round of a state: all deductions up to `limit` of the first technique that finds one, at its lowest
    /// rating; `None` if there is none.
    pub fn of(state: &State, profile: Profile, limit: Rating, scratch: &mut Scratch) -> Option<Round> {
        let mut round = Round::up_to(limit);
        search(state, profile, scratch, &mut round, |round| round.is_empty);
        (!round.is_empty).then_some(round)
    }

    /// Carries out the deductions.
    pub fn apply(&self, state: &mut State) {
        for (cell, digit) in self.placed.iter() {
            state.place(cell, digit);
        }
        state.remove_all(&self.removed);
    }
}

impl Sink for Round {
    fn limit(&self) -> Rating {
        self.rating
    }

    fn found(&mut self, deduction: &Deduction, _: &dyn Fn() -> Pattern) {
        if deduction.rating > self.rating {
            return;
        }
        if deduction.rating < self.rating {
            *self = Round::up_to(deduction.rating);
        }
        self.is_empty = false;
        self.techniques.insert(deduction.technique);
        match deduction.placed {
            Some((cell, digit)) => self.placed.insert(cell, digit),
            None => self.removed.unite(&deduction.removed),
        }
    }
}

/// A deduction and what a person looks at to see it.
#[derive(Clone, Debug)]
pub struct Step {
    /// What is done.
    pub deduction: Deduction,
    /// Why.
    pub pattern: Pattern,
}

/// The deductions of the lowest rating one by one, each with its pattern.
#[derive(Clone, Debug)]
pub struct Steps {
    limit: Rating,
    /// The steps; equal deductions once.
    pub steps: Vec<Step>,
}

impl Steps {
    /// Returns the steps of a state: those up to `limit` of the first technique that finds one, at its lowest rating;
    /// none if there is none.
    pub fn of(state: &State, profile: Profile, limit: Rating, scratch: &mut Scratch) -> Steps {
        let mut steps = Steps { limit, steps: Vec::new() };
        search(state, profile, scratch, &mut steps, |steps| steps.steps.is_empty());
        steps
    }
}

impl Sink for Steps {
    fn limit(&self) -> Rating {
        self.limit
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        if deduction.rating > self.limit {
            return;
        }
        if deduction.rating < self.limit {
            self.limit = deduction.rating;
            self.steps.clear();
        }
        if self.steps.iter().all(|step| step.deduction != *deduction) {
            self.steps.push(Step { deduction: deduction.clone(), pattern: pattern() });
        }
    }
}

/// Asks the finders of the profile, the cheapest first, until one finds something.
///
/// A finder with several ratings can find something dearer than what a later one would find: a turbot fish of 4.3 comes
/// before an XY-wing of 4.2. The published ratings are made so.
fn search<S: Sink>(
    state: &State,
    profile: Profile,
    scratch: &mut Scratch,
    sink: &mut S,
    is_empty: fn(&S) -> bool,
) {
    for finder in profile.finders() {
        if finder.least() > sink.limit() || !is_empty(sink) {
            break;
        }
        finder.find(state, scratch, sink);
    }
}
