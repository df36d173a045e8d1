//! Rounds: all deductions of the first technique that finds one, at its lowest rating, made together.
//!
//! Some finders choose among equals by the order of cells. These work in the coordinates of the minlex form, because isomorphs
//! have the same one: so such a finder sees the same state for all of them, and finds the same.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cells::CandidateSet;
use super::chains::dynamic_pattern;
use super::finder::{Deduction, Link, Pattern, Scratch, Sink};
use super::profile::{Profile, Ties};
use super::state::{State, digits};
use super::technique::{Rating, TechniqueSet};
use crate::grid::{CELLS, Puzzle};
use crate::minlex::Minlex;
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
    /// The deductions one by one, equal ones once; `None` where they are not kept.
    pub(super) steps: Option<Vec<Step>>,
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
            steps: None,
        }
    }

    /// Returns the round of a state: all deductions of the first technique that finds one, at its lowest rating.
    /// `None` if there is none, or if it is rated above `limit`.
    pub fn of(state: &State, profile: Profile, limit: Rating, scratch: &mut Scratch) -> Option<Round> {
        let mut round = Round::up_to(Rating::BEYOND);
        if round.refill(state, profile, limit, scratch, &NEVER) { Some(round) } else { None }
    }

    /// Returns a round without deductions, which keeps those that it takes one by one.
    pub(super) fn with_steps() -> Round {
        Round { steps: Some(Vec::new()), ..Round::up_to(Rating::BEYOND) }
    }

    /// Replaces its deductions by those of a state, as [`Round::of`] has them, and returns whether there are any. When
    /// `stop` becomes true, what is found from then on is left out.
    ///
    /// Asks the finders of the profile in order until one finds something, as long as one of those left can find
    /// something rated up to `limit`. A finder with several ratings can find something rated higher than what a later
    /// one would: a turbot fish of 4.3 comes before an XY-wing of 4.2. So what is found first is found whatever the
    /// limit. In a contradictory state there is nothing to find.
    pub(super) fn refill(
        &mut self,
        state: &State,
        profile: Profile,
        limit: Rating,
        scratch: &mut Scratch,
        stop: &AtomicBool,
    ) -> bool {
        self.clear(Rating::BEYOND);
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
                finder.find(state, scratch, &mut FramedSink { frame, sink: self, stop });
            } else {
                finder.find(state, scratch, self);
            }
            if self.techniques != TechniqueSet::EMPTY || stop.load(Ordering::Relaxed) {
                break;
            }
        }
        self.techniques != TechniqueSet::EMPTY && self.rating <= limit
    }

    /// Removes the deductions, and takes those up to `limit`.
    fn clear(&mut self, limit: Rating) {
        if self.techniques != TechniqueSet::EMPTY {
            self.techniques = TechniqueSet::EMPTY;
            (self.placed, self.removed) = (CandidateSet::EMPTY, CandidateSet::EMPTY);
            self.steps.iter_mut().for_each(Vec::clear);
        }
        self.rating = limit;
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

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        if deduction.rating > self.rating {
            return;
        }
        if deduction.rating < self.rating {
            // All that was found before is rated higher.
            self.clear(deduction.rating);
        }
        self.techniques.insert(deduction.technique);
        match deduction.placed {
            Some((cell, digit)) => self.placed.insert(cell, digit),
            None => self.removed.unite(&deduction.removed),
        }
        if let Some(steps) = &mut self.steps
            && steps.iter().all(|step| step.deduction != *deduction)
        {
            steps.push(Step { deduction: deduction.clone(), pattern: pattern() });
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

/// Fewer clues leave a puzzle several solutions, and those with the fewest take milliseconds to bring to minlex form.
const LEAST_CLUES: usize = 17;

/// Coordinates: for each cell and digit of a state the ones of another, and back.
#[derive(Clone, Debug)]
struct Frame {
    cells: [u8; CELLS],
    digits: [u8; 9],
    cells_back: [u8; CELLS],
    digits_back: [u8; 9],
}

impl Frame {
    /// Returns the coordinates of the minlex form of the clues; those of the clues themselves where they are too
    /// few for a proper puzzle.
    // Inlined, it has the clues counted in every round, although few rounds come here: 7 % more instructions.
    #[inline(never)]
    fn of_clues(clues: &Puzzle, minlex: &mut Minlex) -> Frame {
        let canonical = if clues.clue_count() < LEAST_CLUES { None } else { minlex.of(clues) };
        let Some(canonical) = canonical else { return Frame::unmoved() };
        let transform = &canonical.transform;
        let mut cells = [0; CELLS];
        for to in 0..CELLS {
            cells[transform.source(to / 9, to % 9)] = to as u8;
        }
        Frame::of_maps(cells, std::array::from_fn(|digit| transform.renamed(digit as u8 + 1) - 1))
    }

    /// Returns the coordinates of the grid as it is written.
    fn unmoved() -> Frame {
        Frame::of_maps(std::array::from_fn(|cell| cell as u8), std::array::from_fn(|digit| digit as u8))
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
    fn moved(&self, state: &State) -> State {
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

    /// Returns the pattern of chains, which is all in its links.
    fn pattern_back(&self, pattern: &Pattern) -> Pattern {
        let back = |(cell, digit, stands)| {
            let (cell, digit) = self.candidate_back((cell, digit));
            (cell, digit, stands)
        };
        let links = pattern.links.iter().map(|link| Link { from: back(link.from), to: back(link.to) });
        dynamic_pattern(links.collect())
    }
}

/// Takes deductions in the coordinates of a frame and hands them on in those of the state.
struct FramedSink<'a> {
    frame: &'a Frame,
    sink: &'a mut dyn Sink,
    /// Ends the search when it becomes true; what was found so far is not used.
    stop: &'a AtomicBool,
}

impl Sink for FramedSink<'_> {
    fn limit(&self) -> Rating {
        if self.stop.load(Ordering::Relaxed) { Rating::NONE } else { self.sink.limit() }
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        let frame = self.frame;
        let back = Deduction {
            placed: deduction.placed.map(|candidate| frame.candidate_back(candidate)),
            removed: deduction.removed.iter().map(|candidate| frame.candidate_back(candidate)).collect(),
            ..*deduction
        };
        self.sink.found(&back, &|| frame.pattern_back(&pattern()));
    }
}
