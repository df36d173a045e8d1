//! Rounds: all deductions of the first technique that finds one, at its lowest rating, made together.
//!
//! Some finders choose among equals by the order of cells. These work in the coordinates of the minlex form, because isomorphs
//! have the same one: so such a finder sees the same state for all of them, and finds the same.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cells::CandidateSet;
use super::chains::dynamic_reason;
use super::finder::{Deduction, Link, Pattern, Scratch, Sink};
use super::profile::{Profile, Ties};
use super::state::{State, digits};
use super::technique::{Rating, TechniqueSet};
use crate::grid::{CELLS, Puzzle};
use crate::minlex::{Minlex, Transform};
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

    /// Replaces its deductions by those of a state, as [`Round::of`] has them, and returns whether there are any. When
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

    /// Lowers its rating, and removes the deductions, because all of them are rated higher.
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
pub(super) struct Steps {
    limit: Rating,
    /// The steps; equal deductions once.
    steps: Vec<Step>,
}

impl Steps {
    /// Returns the steps of a state: those of its [`Round`], up to `limit`; none if there is none. When `stop` becomes true,
    /// steps that would be found from then on are left out.
    pub(super) fn of(
        state: &State,
        profile: Profile,
        limit: Rating,
        scratch: &mut Scratch,
        stop: &AtomicBool,
    ) -> Vec<Step> {
        let mut steps = Steps { limit: Rating::BEYOND, steps: Vec::new() };
        search(state, (profile, limit), scratch, stop, &mut steps, |steps| steps.steps.is_empty());
        if steps.limit > limit {
            steps.steps.clear();
        }
        steps.steps
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
/// A finder with several ratings can find something rated higher than what a later one would: a turbot fish of 4.3 comes
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

/// Fewer clues leave a puzzle several solutions, and those with the fewest take milliseconds to bring to minlex form.
const LEAST_CLUES: usize = 17;

/// Coordinates: for each cell and digit of a state the ones of another, and back.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    cells: [u8; CELLS],
    digits: [u8; 9],
    cells_back: [u8; CELLS],
    digits_back: [u8; 9],
}

impl Frame {
    /// Returns the coordinates of the minlex form of the clues; those of the clues themselves where they are too
    /// few for a proper puzzle.
    pub(crate) fn of_clues(clues: &Puzzle, minlex: &mut Minlex) -> Frame {
        let canonical = if clues.clue_count() < LEAST_CLUES { None } else { minlex.of(clues) };
        canonical.map_or_else(Frame::unmoved, |canonical| Frame::of_transform(&canonical.transform))
    }

    /// Returns the coordinates of the grid as it is written.
    pub(crate) fn unmoved() -> Frame {
        Frame::of_maps(std::array::from_fn(|cell| cell as u8), std::array::from_fn(|digit| digit as u8))
    }

    fn of_transform(transform: &Transform) -> Frame {
        let mut cells = [0; CELLS];
        for to in 0..CELLS {
            cells[transform.source(to / 9, to % 9)] = to as u8;
        }
        Frame::of_maps(cells, std::array::from_fn(|digit| transform.renamed(digit as u8 + 1) - 1))
    }

    fn of_maps(cells: [u8; CELLS], digits: [u8; 9]) -> Frame {
        let (mut cells_back, mut digits_back) = ([0; CELLS], [0; 9]);
        for (cell, &to) in cells.iter().enumerate() {
            cells_back[usize::from(to)] = cell as u8;
        }
        for (digit, &to) in digits.iter().enumerate() {
            digits_back[usize::from(to)] = digit as u8;
        }
        Frame { cells, digits, cells_back, digits_back }
    }

    /// Returns the state in these coordinates.
    pub(crate) fn moved(&self, state: &State) -> State {
        let mut values = [0; CELLS];
        for cell in 0..CELLS {
            let digit = state.value(cell).map(|digit| usize::from(digit.get()) - 1);
            values[usize::from(self.cells[cell])] = digit.map_or(0, |digit| self.digits[digit] + 1);
        }
        let values = Puzzle::from_cells(values).expect("digits are renamed to digits");
        State::of_clues_and_candidates(&values, |to| {
            digits(state.candidates(usize::from(self.cells_back[to])))
                .fold(0, |mask, digit| mask | 1 << self.digits[digit])
        })
    }

    fn candidate_back(&self, (cell, digit): (usize, usize)) -> (usize, usize) {
        (usize::from(self.cells_back[cell]), usize::from(self.digits_back[digit]))
    }

    fn candidates_back(&self, candidates: &CandidateSet) -> CandidateSet {
        candidates.iter().map(|candidate| self.candidate_back(candidate)).collect()
    }

    fn deduction_back(&self, deduction: &Deduction) -> Deduction {
        Deduction {
            placed: deduction.placed.map(|candidate| self.candidate_back(candidate)),
            removed: self.candidates_back(&deduction.removed),
            ..deduction.clone()
        }
    }

    fn link_back(&self, link: &Link) -> Link {
        let back = |(cell, digit, stands): (usize, usize, bool)| {
            let (cell, digit) = self.candidate_back((cell, digit));
            (cell, digit, stands)
        };
        Link { from: back(link.from), to: back(link.to) }
    }

    /// Returns the pattern of chains, which is all in its links: so is the reason.
    fn pattern_back(&self, pattern: &Pattern) -> Pattern {
        let links: Vec<Link> = pattern.links.iter().map(|link| self.link_back(link)).collect();
        let (candidates, reason) = (self.candidates_back(&pattern.candidates), dynamic_reason(&links));
        Pattern { candidates, links, reason, ..Pattern::default() }
    }
}

/// Takes deductions in the coordinates of a frame and hands them on in those of the state.
pub(crate) struct FramedSink<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) sink: &'a mut dyn Sink,
    /// Ends the search when it becomes true; what was found so far is not used.
    pub(crate) stop: &'a AtomicBool,
}

impl Sink for FramedSink<'_> {
    fn limit(&self) -> Rating {
        if self.stop.load(Ordering::Relaxed) { Rating::NONE } else { self.sink.limit() }
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        let (frame, back) = (self.frame, self.frame.deduction_back(deduction));
        self.sink.found(&back, &|| frame.pattern_back(&pattern()));
    }
}
