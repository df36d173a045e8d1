//! Rounds: all deductions of the first technique that finds one, at its lowest rating, made together.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cell_set::CandidateSet;
use super::deduction::{Deduction, Pattern, Sink};
use super::frame::{Frame, FramedSink};
use super::profile::Profile;
use super::rating::Rating;
use super::scratch::Scratch;
use super::state::State;
use super::technique::TechniqueSet;
use super::ties::Ties;
use crate::solver::NEVER;

/// A round: the union of all deductions of the first technique that finds one, at its lowest rating.
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

    /// Returns the round of a state: all deductions of the first technique that finds one, at its lowest rating.
    /// `None` if there is none, or if it is rated above `limit`.
    pub fn of(state: &State, profile: Profile, limit: Rating, scratch: &mut Scratch) -> Option<Round> {
        let mut round = Round::up_to(Rating::BEYOND);
        if round.refill(state, profile, limit, scratch, &NEVER) { Some(round) } else { None }
    }

    /// Forgets its deductions for those of a state, as [`Round::of`] has them, and returns whether there are any. When
    /// `stop` becomes true, what is found from then on is left out.
    pub(crate) fn refill(
        &mut self,
        state: &State,
        profile: Profile,
        limit: Rating,
        scratch: &mut Scratch,
        stop: &AtomicBool,
    ) -> bool {
        *self = Round::up_to(Rating::BEYOND);
        search(state, (profile, limit), scratch, stop, self, |round| round.is_empty);
        !self.is_empty && self.rating <= limit
    }

    /// Forgets what is dearer than the rating.
    fn lower_to(&mut self, rating: Rating) {
        if self.is_empty {
            self.rating = rating;
        } else {
            *self = Round::up_to(rating);
        }
    }

    /// Carries out the deductions.
    pub fn apply(&self, state: &mut State) {
        state.place_all(&self.placed);
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
            self.lower_to(deduction.rating);
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
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The placement or elimination.
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
    /// Returns the steps of a state: those of its [`Round`], up to `limit`; none if there is none.
    pub fn of(state: &State, profile: Profile, limit: Rating, scratch: &mut Scratch) -> Steps {
        Steps::until(state, profile, limit, scratch, &NEVER)
    }

    /// Returns what [`Steps::of`] does. When `stop` becomes true, steps that would be found from then on are left out.
    pub(crate) fn until(
        state: &State,
        profile: Profile,
        limit: Rating,
        scratch: &mut Scratch,
        stop: &AtomicBool,
    ) -> Steps {
        let mut steps = Steps { limit: Rating::BEYOND, steps: Vec::new() };
        search(state, (profile, limit), scratch, stop, &mut steps, |steps| steps.steps.is_empty());
        if steps.limit > limit {
            steps.steps.clear();
        }
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

/// Asks the finders of the profile in order until one finds something, as long as one of those left can find
/// something rated up to `limit`.
///
/// A finder with several ratings can find something dearer than what a later one would: a turbot fish of 4.3 comes
/// before an XY-wing of 4.2. So what is found first is found whatever the limit. In a contradictory state there is
/// nothing to find.
fn search<S: Sink>(
    state: &State,
    (profile, limit): (Profile, Rating),
    scratch: &mut Scratch,
    stop: &AtomicBool,
    sink: &mut S,
    is_empty: fn(&S) -> bool,
) {
    let mut framed = None;
    for (index, finder) in profile.finders_up_to(limit).enumerate() {
        // The first finder, that of hidden singles, costs less than what follows, and mostly finds something.
        if index == 1 {
            if state.is_contradictory() {
                break;
            }
            scratch.see(state);
        }
        if finder.depends_on_order() {
            let (frame, state) = framed.get_or_insert_with(|| {
                let frame = match scratch.ties {
                    Ties::Minlex => Frame::of_clues(state.clues(), &mut scratch.minlex),
                    Ties::Reading => Frame::unmoved(),
                };
                let moved = frame.moved(state);
                (frame, moved)
            });
            finder.find(state, scratch, &mut FramedSink { frame, sink, stop });
        } else {
            finder.find(state, scratch, sink);
        }
        if !is_empty(sink) || stop.load(Ordering::Relaxed) {
            break;
        }
    }
}
