//! Finders: the trait of all techniques, the deductions that they find, and the memory that they keep. Rounds: all
//! deductions of the first technique that finds one, at its lowest rating, made together.
//!
//! Some finders choose among equals by the order of cells. These work in the coordinates of the minlex form, because isomorphs
//! have the same one: so such a finder sees the same state for all of them, and finds the same.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cells::{CandidateSet, CellSet};
use super::chains::dynamic::DynamicMemory;
use super::chains::dynamic_pattern;
use super::chains::net::Nets;
use super::state::{Places, State, digits, houses_that_differ};
use super::technique::{Profile, Rating, Technique, TechniqueSet, Ties};
use super::techniques::strong_links::DigitLinks;
use crate::grid::{Puzzle, Shape, bits_of};
use crate::minlex::{Minlex, Transform};
use crate::solver::NEVER;

/// Finds all deductions of a technique, or of a few that share their work.
#[derive(Clone, Copy, Debug)]
pub struct Finder {
    least: Rating,
    /// Whether, of several ways to one deduction, the order of cells and digits decides which one counts. Such a
    /// finder is asked in the coordinates of the minlex form, and its reasons are made of the links of the pattern; with
    /// [`Ties::Reading`] it is asked in those of the grid.
    depends_on_order: bool,
    find: Find,
}

/// Hands *every* deduction in a state up to the limit of the sink to the sink. A deduction that places or removes
/// nothing is none. The same deduction may be handed over more than once.
pub(crate) type Find = fn(&State, &mut Scratch, &mut dyn Sink);

impl Finder {
    /// Returns a finder of deductions that are rated `least` or higher.
    pub(crate) const fn new(least: Rating, find: Find) -> Finder {
        Finder { least, depends_on_order: false, find }
    }

    /// Returns a finder that depends on the order of cells and digits.
    pub(crate) const fn by_order(least: Rating, find: Find) -> Finder {
        Finder { least, depends_on_order: true, find }
    }

    /// Returns the least rating of what it can find.
    #[must_use]
    pub const fn least(&self) -> Rating {
        self.least
    }

    /// Hands every deduction in the state up to the limit of the sink to the sink. The same deduction may be handed over
    /// more than once. The scratch has seen the state ([`Scratch::see`]), or is new.
    pub fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn Sink) {
        (self.find)(state, scratch, sink);
    }
}

/// A deduction: what may be done with the grid, by which technique, at which rating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deduction {
    /// The technique that found it.
    pub technique: Technique,
    /// Its rating; techniques with lengths have several.
    pub rating: Rating,
    /// The cell and the digit (from 0) that can be placed.
    pub placed: Option<(usize, usize)>,
    /// The candidates that can be removed. With a placement of a direct technique: what is removed on the way to it, for
    /// display; the placement alone is carried out.
    pub removed: CandidateSet,
}

impl Deduction {
    /// Returns a placement.
    #[must_use]
    pub const fn place(technique: Technique, rating: Rating, cell: usize, digit: usize) -> Deduction {
        Deduction { technique, rating, placed: Some((cell, digit)), removed: CandidateSet::EMPTY }
    }

    /// Returns an elimination.
    #[must_use]
    pub const fn remove(technique: Technique, rating: Rating, removed: CandidateSet) -> Deduction {
        Deduction { technique, rating, placed: None, removed }
    }
}

/// A node of a chain, a statement: a digit stands in one of some cells, or in none of them.
///
/// Most nodes have one cell. A node of several is a group, which lies in one line and in one box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The cells.
    pub cells: CellSet,
    /// The digit, from 0.
    pub digit: usize,
    /// Whether the digit stands in one of them.
    pub stands: bool,
}

/// A link of a chain: if the first statement holds, so does the second.
///
/// In dynamic chains a statement may rest on several others together, e.g. on all other candidates of its cell: each of
/// these has a link to it, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The first statement.
    pub from: Node,
    /// The second one.
    pub to: Node,
}

/// The pattern that shows a deduction to a person.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The houses it lives in, by index (see [`house`](super::house)).
    pub houses: Vec<usize>,
    /// The candidates that make the pattern.
    pub candidates: CandidateSet,
    /// The links of chains, in order.
    pub links: Vec<Link>,
    /// The reason, a sentence with coordinates.
    pub reason: String,
}

impl Pattern {
    /// Returns the cells of the pattern.
    #[must_use]
    pub fn cells(&self) -> CellSet {
        (0..9).fold(CellSet::EMPTY, |cells, digit| cells | self.candidates.cells(digit))
    }
}

/// Takes the deductions as they are found.
pub trait Sink {
    /// The highest rating that is still of use: a finder leaves out what is rated higher.
    fn limit(&self) -> Rating;

    /// Takes a deduction; `pattern` is called only where it will be shown.
    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern);
}

impl dyn Sink + '_ {
    /// Takes an elimination, unless it removes nothing or is rated above the limit. Returns whether it removes something.
    pub(crate) fn remove(
        &mut self,
        technique: Technique,
        rating: Rating,
        removed: CandidateSet,
        pattern: &dyn Fn() -> Pattern,
    ) -> bool {
        let removes = !removed.is_empty();
        if removes && rating <= self.limit() {
            self.found(&Deduction::remove(technique, rating, removed), pattern);
        }
        removes
    }
}

/// Buffers of the finders, made once for a thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Where the order of cells decides, which one it is.
    pub(crate) ties: Ties,
    pub(crate) changes: Changes,
    /// The strong links of each digit, kept until its cells change.
    pub(crate) strong_links: [DigitLinks; 9],
    /// The nets of chains.
    pub(crate) chains: Nets,
    /// The memory of dynamic chains, made when it is first needed.
    pub(crate) dynamic: Option<DynamicMemory>,
    pub(super) minlex: Minlex,
}

impl Scratch {
    /// Compares a state with the one before, for finders that look only at what has changed. It is called for each state
    /// before finders are asked about it, as rounds do.
    pub fn see(&mut self, state: &State) {
        self.changes.see(state);
    }
}

const TECHNIQUES: usize = Technique::ALL.len();

/// For each technique, the houses and the digits that have changed since it found nothing there.
///
/// It is of use to techniques whose deductions in a house follow from the candidates of that house alone, or those of a
/// digit from the cells of that digit. Before it is asked, it must have seen the state.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The state seen last.
    places: [Places; 9],
    houses: [u32; TECHNIQUES],
    digits: [u32; TECHNIQUES],
}

impl Default for Changes {
    fn default() -> Changes {
        Changes { places: [Places::ALL; 9], houses: [u32::MAX >> 5; TECHNIQUES], digits: [0x1ff; TECHNIQUES] }
    }
}

impl Changes {
    /// Compares a state with the one before.
    pub(crate) fn see(&mut self, state: &State) {
        let (houses, digits) = houses_that_differ(&self.places, state.all_places());
        self.houses.iter_mut().for_each(|changed| *changed |= houses);
        self.digits.iter_mut().for_each(|changed| *changed |= u32::from(digits));
        self.places = *state.all_places();
    }

    /// Calls `look` with each house that has changed, and a flag that it sets if the technique finds something there.
    pub(crate) fn look_at_houses(&mut self, technique: Technique, look: impl FnMut(usize, &mut bool)) {
        look_at(&mut self.houses[technique as usize], look);
    }

    /// Calls `look` with each digit that has changed, and a flag that it sets if the technique finds something of it.
    pub(crate) fn look_at_digits(&mut self, technique: Technique, look: impl FnMut(usize, &mut bool)) {
        look_at(&mut self.digits[technique as usize], look);
    }
}

/// Calls `look` with each bit, and leaves those of which it finds something.
#[inline]
fn look_at(changed: &mut u32, mut look: impl FnMut(usize, &mut bool)) {
    let mut finds = |bit: &usize| {
        let mut any = false;
        look(*bit, &mut any);
        any
    };
    *changed = bits_of(*changed).filter(&mut finds).fold(0, |found, bit| found | 1 << bit);
}

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
            if finder.depends_on_order {
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

/// Coordinates of a state: a transform leads from those of the grid to them.
#[derive(Clone, Debug)]
struct Frame(Transform);

impl Frame {
    /// Returns the coordinates of the minlex form of the clues; those of the clues themselves where they are too
    /// few for a proper puzzle.
    // Inlined, it has the clues counted in every round, although few rounds come here: 7 % more instructions.
    #[inline(never)]
    fn of_clues(clues: &Puzzle, minlex: &mut Minlex) -> Frame {
        let canonical = if clues.clue_count() < LEAST_CLUES { None } else { minlex.of(clues) };
        canonical.map_or_else(Frame::unmoved, |canonical| Frame(canonical.transform))
    }

    /// Returns the coordinates of the grid as it is written.
    fn unmoved() -> Frame {
        Frame(Transform::identity(Shape::CLASSIC))
    }

    /// Returns the state in these coordinates.
    fn moved(&self, state: &State) -> State {
        let values = Puzzle::from_cells(*state.values()).expect("digits are placed");
        State::of_clues_and_candidates(&self.0.isomorphism().apply_classic(&values), |to| {
            let candidates = state.candidates(self.cell_back(to));
            digits(candidates).fold(0, |mask, digit| mask | 1 << (self.0.renamed(digit as u8 + 1) - 1))
        })
    }

    fn cell_back(&self, cell: usize) -> usize {
        self.0.source(cell / 9, cell % 9)
    }

    fn digit_back(&self, digit: usize) -> usize {
        (0..8).find(|&from| usize::from(self.0.renamed(from + 1)) == digit + 1).map_or(8, usize::from)
    }

    fn candidate_back(&self, (cell, digit): (usize, usize)) -> (usize, usize) {
        (self.cell_back(cell), self.digit_back(digit))
    }

    /// Returns the pattern of chains, which is all in its links.
    fn pattern_back(&self, pattern: &Pattern) -> Pattern {
        let back = |Node { cells, digit, stands }: Node| {
            let cells = cells.into_iter().map(|cell| self.cell_back(cell)).collect();
            Node { cells, digit: self.digit_back(digit), stands }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn houses(changes: &mut Changes, finds: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = Vec::new();
        changes.look_at_houses(Technique::NakedPair, |house, any| {
            seen.push(house);
            *any = finds(house);
        });
        seen
    }

    fn digits_of(changes: &mut Changes) -> Vec<usize> {
        let mut seen = Vec::new();
        changes.look_at_digits(Technique::XWing, |digit, _| seen.push(digit));
        seen
    }

    #[test]
    fn a_house_is_looked_at_until_nothing_is_found_and_again_when_it_has_changed() {
        let (mut changes, mut state) = (Changes::default(), State::BLANK);
        changes.see(&state);
        assert_eq!(houses(&mut changes, |house| house == 4).len(), 27);
        changes.see(&state);
        assert_eq!(houses(&mut changes, |_| false), [4]);
        assert!(houses(&mut changes, |_| false).is_empty());
        state.remove(80, 3);
        changes.see(&state);
        changes.see(&state);
        assert_eq!(houses(&mut changes, |_| false), [8, 17, 26]);
    }

    #[test]
    fn a_digit_is_looked_at_again_when_it_has_changed() {
        let (mut changes, mut state) = (Changes::default(), State::BLANK);
        changes.see(&state);
        assert_eq!(digits_of(&mut changes).len(), 9);
        state.remove(80, 3);
        changes.see(&state);
        assert_eq!(digits_of(&mut changes), [3]);
        state.place(0, 0);
        changes.see(&state);
        assert_eq!(digits_of(&mut changes).len(), 9, "the cell loses every digit");
    }

    #[test]
    fn techniques_do_not_share_what_they_have_seen() {
        let mut changes = Changes::default();
        changes.see(&State::BLANK);
        changes.look_at_houses(Technique::HiddenPair, |_, _| {});
        assert_eq!(houses(&mut changes, |_| false).len(), 27);
    }
}
