//! Finders, deductions and rounds.
//!
//! A [`Finder`] finds all deductions of a technique. A [`Scratch`] has the memory that finders keep from one
//! state to the next. A [`Round`] has all deductions of the first technique that finds something, limited to
//! those with the lowest rating, and applies them together.
//!
//! Some finders choose among equally good chains by the order of the cells, e.g. between two of the same length. They
//! work in the coordinates of the minlex form, because all isomorphs of a puzzle share it: such a finder then sees the
//! same state for each isomorph, and finds the same deductions.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cells::{CandidateSet, CellSet};
use super::chains::dynamic::DynamicMemory;
use super::chains::dynamic_pattern;
use super::chains::net::Nets;
use super::state::{Places, State, digits, houses_that_differ};
use super::technique::{Rating, Scale, Technique, TechniqueSet, Ties};
use super::techniques::strong_links::DigitLinks;
use crate::grid::{Puzzle, Shape, bits_of};
use crate::minlex::{Minlex, Transform};
use crate::solver::NEVER;

/// Finds all deductions of a technique, or of a few techniques that share their work (e.g. pointing and
/// claiming).
#[derive(Clone, Copy, Debug)]
pub struct Finder {
    least: Rating,
    /// Whether the order of cells and digits decides which of several ways to a deduction counts. If so, the
    /// finder works in the coordinates of the minlex form, or with [`Ties::Reading`] in those of the grid.
    /// Its patterns are then built from their links alone, because links are easy to move between
    /// coordinates.
    depends_on_order: bool,
    find: Find,
}

/// Reports *every* deduction in a state, up to the limit of the sink. A deduction must place or remove
/// something. The same deduction may be reported more than once.
pub(crate) type Find = fn(&State, &mut Scratch, &mut dyn DeductionSink);

impl Finder {
    /// Creates a finder whose deductions are rated `least` or higher.
    pub(crate) const fn new(least: Rating, find: Find) -> Finder {
        Finder { least, depends_on_order: false, find }
    }

    /// Creates a finder that depends on the order of cells and digits.
    pub(crate) const fn with_order(least: Rating, find: Find) -> Finder {
        Finder { least, depends_on_order: true, find }
    }

    /// The lowest rating of a deduction that it can find.
    #[must_use]
    pub const fn least(&self) -> Rating {
        self.least
    }

    /// Reports every deduction in the state to the sink, up to the limit of the sink. The same deduction may
    /// be reported more than once. The scratch must be new, or have compared this state ([`Scratch::note_changes`]),
    /// because some finders only look at what has changed.
    pub fn find(&self, state: &State, scratch: &mut Scratch, sink: &mut dyn DeductionSink) {
        (self.find)(state, scratch, sink);
    }
}

/// A change to the grid that a technique proves, with its rating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deduction {
    /// The technique that found it.
    pub technique: Technique,
    /// Its rating. A technique whose patterns have lengths has several, e.g. 6.6 and more for chains.
    pub rating: Rating,
    /// The cell and the digit (from 0) to place.
    pub placed: Option<(usize, usize)>,
    /// The candidates to remove. For a placement by a direct technique, these are the candidates that are
    /// removed on the way to it. They are only shown, because the round applies the placement alone.
    pub removed: CandidateSet,
}

impl Deduction {
    /// Creates a placement.
    #[must_use]
    pub const fn place(technique: Technique, rating: Rating, cell: usize, digit: usize) -> Deduction {
        Deduction { technique, rating, placed: Some((cell, digit)), removed: CandidateSet::EMPTY }
    }

    /// Creates an elimination.
    #[must_use]
    pub const fn remove(technique: Technique, rating: Rating, removed: CandidateSet) -> Deduction {
        Deduction { technique, rating, placed: None, removed }
    }
}

/// A statement of a chain: a digit is in one of some cells, or in none of them.
///
/// Most statements are about one cell. Several cells are a group, and lie in one line and in one box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupStatement {
    /// The cells.
    pub cells: CellSet,
    /// The digit, from 0.
    pub digit: usize,
    /// Whether the digit is in one of the cells. If false, it is in none of them.
    pub is_true: bool,
}

/// A link of a chain: if `from` holds, then `to` holds.
///
/// In dynamic chains, a statement can follow from several others together, e.g. from "off" for all other
/// candidates of its cell. Each of these has its own link to the statement, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The statement that is the condition.
    pub from: GroupStatement,
    /// The statement that follows.
    pub to: GroupStatement,
}

/// The parts of the grid that show a person the deduction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// The houses of the pattern, by index (see [`house`](super::house)).
    pub houses: Vec<usize>,
    /// The candidates that make the pattern.
    pub candidates: CandidateSet,
    /// The links, in order, if the pattern is a chain.
    pub links: Vec<Link>,
    /// The reason: one sentence with coordinates.
    pub reason: String,
}

impl Pattern {
    /// The cells that have a candidate of the pattern.
    #[must_use]
    pub fn cells(&self) -> CellSet {
        (0..9).fold(CellSet::EMPTY, |cells, digit| cells | self.candidates.cells(digit))
    }
}

/// Receives deductions while they are found.
pub trait DeductionSink {
    /// The highest rating that is still useful. A finder skips deductions with a higher rating. The limit may
    /// fall while a finder runs.
    fn limit(&self) -> Rating;

    /// Receives a deduction. Call `pattern` only if you show the deduction, because patterns are costly to
    /// build.
    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern);
}

impl dyn DeductionSink + '_ {
    /// Receives an elimination if it removes something and its rating is within the limit. Returns whether it
    /// removes something, whatever its rating.
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

/// The memory that finders keep. Create one per thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The order of cells that breaks ties.
    pub(crate) ties: Ties,
    pub(crate) changes: Changes,
    /// The strong links of each digit. They are kept until the cells of the digit change.
    pub(crate) strong_links: [DigitLinks; 9],
    /// The nets of candidates for chains.
    pub(crate) chains: Nets,
    /// The memory of dynamic chains. It is created when the first puzzle needs it, because it is large.
    pub(crate) dynamic: Option<DynamicMemory>,
    pub(super) minlex: Minlex,
}

impl Scratch {
    /// Compares a state with the previous one, for finders that only look at what has changed. Call it for
    /// each new state before you ask finders about it. Rounds do so themselves.
    pub fn note_changes(&mut self, state: &State) {
        self.changes.note_changes(state);
    }
}

const TECHNIQUES: usize = Technique::ALL.len();

/// For each technique, the houses and digits that have changed since the technique found nothing there.
///
/// This lets a technique skip houses (or digits) that cannot have anything new. It works only for techniques
/// whose deductions in a house follow from the candidates of that house alone, or whose deductions for a
/// digit follow from the cells of that digit. Call [`Changes::note_changes`] with the state before you ask.
#[derive(Debug)]
pub(crate) struct Changes {
    /// The places of the digits in the previous state.
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
    /// Compares a state with the previous one and adds the differences for every technique.
    pub(crate) fn note_changes(&mut self, state: &State) {
        let (houses, digits) = houses_that_differ(&self.places, state.all_places());
        self.houses.iter_mut().for_each(|changed| *changed |= houses);
        self.digits.iter_mut().for_each(|changed| *changed |= u32::from(digits));
        self.places = *state.all_places();
    }

    /// Calls `look` for each changed house. `look` sets the flag if the technique finds something there, and
    /// then the house is looked at again next time.
    pub(crate) fn look_at_houses(&mut self, technique: Technique, look: impl FnMut(usize, &mut bool)) {
        look_at(&mut self.houses[technique as usize], look);
    }

    /// Calls `look` for each changed digit. `look` sets the flag if the technique finds something, and then
    /// the digit is looked at again next time.
    pub(crate) fn look_at_digits(&mut self, technique: Technique, look: impl FnMut(usize, &mut bool)) {
        look_at(&mut self.digits[technique as usize], look);
    }
}

/// Calls `look` for each bit of the mask, and clears the bits for which it finds nothing.
#[inline]
fn look_at(changed: &mut u32, mut look: impl FnMut(usize, &mut bool)) {
    let mut finds = |bit: &usize| {
        let mut any = false;
        look(*bit, &mut any);
        any
    };
    *changed = bits_of(*changed).filter(&mut finds).fold(0, |found, bit| found | 1 << bit);
}

/// All deductions of the first technique that finds something, limited to those with its lowest rating.
#[derive(Clone, Debug)]
pub struct Round {
    /// The rating of its deductions.
    pub rating: Rating,
    /// The techniques that found a deduction.
    pub techniques: TechniqueSet,
    /// The digits to place.
    pub placed: CandidateSet,
    /// The candidates to remove.
    pub removed: CandidateSet,
    /// The single deductions without duplicates. `None` if the round does not keep them.
    pub(super) steps: Option<Vec<Step>>,
}

impl Round {
    /// Creates an empty round that accepts deductions rated `limit` or lower.
    #[must_use]
    pub const fn with_limit(limit: Rating) -> Round {
        Round {
            rating: limit,
            techniques: TechniqueSet::EMPTY,
            placed: CandidateSet::EMPTY,
            removed: CandidateSet::EMPTY,
            steps: None,
        }
    }

    /// Finds the round of a state: all deductions of the first technique that finds something, at its lowest
    /// rating. `None` if no technique finds anything, or if the round is rated above `limit`.
    pub fn find(state: &State, scale: Scale, limit: Rating, scratch: &mut Scratch) -> Option<Round> {
        let mut round = Round::with_limit(Rating::BEYOND);
        if round.refill(state, scale, limit, scratch, &NEVER) { Some(round) } else { None }
    }

    /// Creates an empty round that also keeps the single deductions, for explanations.
    pub(super) fn with_steps() -> Round {
        Round { steps: Some(Vec::new()), ..Round::with_limit(Rating::BEYOND) }
    }

    /// Replaces the deductions by those that [`Round::find`] finds in a state. Returns whether there are any.
    /// If `stop` becomes true, deductions found after that are left out.
    ///
    /// The finders of the scale are asked in order until one finds something, or until none of the
    /// remaining ones can find anything rated `limit` or lower. A finder with several ratings can find
    /// something with a higher rating than a later finder would, e.g. a turbot fish of 4.3 comes before an
    /// XY-wing of 4.2. So finders search without the limit, and the round is compared with it at the end.
    /// Otherwise the limit would decide what is found first.
    ///
    /// A contradictory state has no round.
    pub(super) fn refill(
        &mut self,
        state: &State,
        scale: Scale,
        limit: Rating,
        scratch: &mut Scratch,
        stop: &AtomicBool,
    ) -> bool {
        self.clear(Rating::BEYOND);
        let mut framed = None;
        for (index, finder) in scale.finders_up_to(limit).enumerate() {
            // Hidden singles are found first, cost less than this check, and are nearly always there. So the
            // check comes after them.
            if index == 1 {
                if state.is_contradictory() {
                    break;
                }
                scratch.note_changes(state);
            }
            if finder.depends_on_order {
                let (frame, state) = framed.get_or_insert_with(|| {
                    let frame = match scratch.ties {
                        Ties::Minlex => Frame::for_clues(state.clues(), &mut scratch.minlex),
                        Ties::Reading => Frame::identity(),
                    };
                    let converted = frame.convert(state);
                    (frame, converted)
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

    /// Removes all deductions and accepts new ones rated `limit` or lower.
    fn clear(&mut self, limit: Rating) {
        if self.techniques != TechniqueSet::EMPTY {
            self.techniques = TechniqueSet::EMPTY;
            (self.placed, self.removed) = (CandidateSet::EMPTY, CandidateSet::EMPTY);
            self.steps.iter_mut().for_each(Vec::clear);
        }
        self.rating = limit;
    }

    /// Applies the deductions to a state.
    pub fn apply(&self, state: &mut State) {
        state.place_all(&self.placed);
        state.remove_all(&self.removed);
    }
}

impl DeductionSink for Round {
    fn limit(&self) -> Rating {
        self.rating
    }

    fn found(&mut self, deduction: &Deduction, pattern: &dyn Fn() -> Pattern) {
        if deduction.rating > self.rating {
            return;
        }
        if deduction.rating < self.rating {
            // All earlier deductions have a higher rating than this one.
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

/// A deduction with its pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The placement or elimination.
    pub deduction: Deduction,
    /// Why it holds.
    pub pattern: Pattern,
}

/// The fewest clues of a proper puzzle. Puzzles with fewer clues have several solutions, and the minlex form
/// of those with very few clues takes milliseconds to find, so they keep their own coordinates.
const LEAST_CLUES: usize = 17;

/// Coordinates of a state. The transform leads from the grid to these coordinates.
#[derive(Clone, Debug)]
struct Frame(Transform);

impl Frame {
    /// The coordinates of the minlex form of the clues. If there are too few clues for a proper puzzle, the
    /// coordinates of the grid.
    // Not inlined, because an inlined copy counts the clues in every round, although few rounds get here: 7 %
    // more instructions.
    #[inline(never)]
    fn for_clues(clues: &Puzzle, minlex: &mut Minlex) -> Frame {
        let canonical = if clues.clue_count() < LEAST_CLUES { None } else { minlex.canonical(clues) };
        canonical.map_or_else(Frame::identity, |canonical| Frame(canonical.transform))
    }

    /// The coordinates of the grid as it is written.
    fn identity() -> Frame {
        Frame(Transform::identity(Shape::CLASSIC))
    }

    /// Converts a state into these coordinates.
    fn convert(&self, state: &State) -> State {
        let values = Puzzle::from_cells(*state.values()).expect("digits are placed");
        State::from_clues_and_candidates(&self.0.isomorphism().apply_classic(&values), |to| {
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

    /// Converts the pattern of a chain back. The links are all that needs converting, because candidates and
    /// reason are built from them.
    fn pattern_back(&self, pattern: &Pattern) -> Pattern {
        let back = |GroupStatement { cells, digit, is_true }: GroupStatement| {
            let cells = cells.into_iter().map(|cell| self.cell_back(cell)).collect();
            GroupStatement { cells, digit: self.digit_back(digit), is_true }
        };
        let links = pattern.links.iter().map(|link| Link { from: back(link.from), to: back(link.to) });
        dynamic_pattern(links.collect())
    }
}

/// Converts deductions from the coordinates of a frame back to those of the grid, and passes them on.
struct FramedSink<'a> {
    frame: &'a Frame,
    sink: &'a mut dyn DeductionSink,
    /// Ends the search when it becomes true. The deductions found so far are then discarded.
    stop: &'a AtomicBool,
}

impl DeductionSink for FramedSink<'_> {
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

    fn changed_houses(changes: &mut Changes, finds: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut seen = Vec::new();
        changes.look_at_houses(Technique::NakedPair, |house, any| {
            seen.push(house);
            *any = finds(house);
        });
        seen
    }

    fn changed_digits(changes: &mut Changes) -> Vec<usize> {
        let mut seen = Vec::new();
        changes.look_at_digits(Technique::XWing, |digit, _| seen.push(digit));
        seen
    }

    #[test]
    fn a_house_without_deductions_is_skipped_until_it_changes() {
        let (mut changes, mut state) = (Changes::default(), State::BLANK);
        changes.note_changes(&state);
        assert_eq!(changed_houses(&mut changes, |house| house == 4).len(), 27);
        changes.note_changes(&state);
        assert_eq!(changed_houses(&mut changes, |_| false), [4]);
        assert!(changed_houses(&mut changes, |_| false).is_empty());
        state.remove(80, 3);
        changes.note_changes(&state);
        changes.note_changes(&state);
        assert_eq!(changed_houses(&mut changes, |_| false), [8, 17, 26]);
    }

    #[test]
    fn a_digit_is_skipped_until_it_changes() {
        let (mut changes, mut state) = (Changes::default(), State::BLANK);
        changes.note_changes(&state);
        assert_eq!(changed_digits(&mut changes).len(), 9);
        state.remove(80, 3);
        changes.note_changes(&state);
        assert_eq!(changed_digits(&mut changes), [3]);
        state.place(0, 0);
        changes.note_changes(&state);
        assert_eq!(changed_digits(&mut changes).len(), 9, "the cell loses every digit");
    }

    #[test]
    fn each_technique_tracks_changes_on_its_own() {
        let mut changes = Changes::default();
        changes.note_changes(&State::BLANK);
        changes.look_at_houses(Technique::HiddenPair, |_, _| {});
        assert_eq!(changed_houses(&mut changes, |_| false).len(), 27);
    }
}
