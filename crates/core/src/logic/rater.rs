//! Rating puzzles: round after round, until nothing moves.

use std::sync::atomic::{AtomicBool, Ordering};

use super::cell_set::CandidateSet;
use super::lanes::{Batch, Lanes};
use super::profile::Profile;
use super::rating::Rating;
use super::round::Round;
use super::scratch::Scratch;
use super::state::State;
use super::technique::{Technique, TechniqueSet};
use super::ties::Ties;
use crate::grid::{Pencilmarks, Puzzle};
use crate::simd::Backend;
use crate::solver::NEVER;

/// How the rating of a puzzle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingEnd {
    /// Every cell has its digit: the ratings are those of the puzzle.
    Solved,
    /// The techniques up to the limit do not solve it: it is harder than the limit.
    AboveLimit,
    /// Some cell or digit lost its last candidate: the puzzle has no solution.
    Contradiction,
}

impl RatingEnd {
    /// Returns how it ended, where no round is left.
    fn of(state: &State) -> RatingEnd {
        match state {
            _ if state.is_contradictory() => RatingEnd::Contradiction,
            _ if state.is_solved() => RatingEnd::Solved,
            _ => RatingEnd::AboveLimit,
        }
    }
}

/// The rating of a puzzle, and the rounds behind it.
///
/// Where [`end`](PuzzleRating::end) is not [`RatingEnd::Solved`], the rounds until then are counted: `er` is no rating of
/// the puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuzzleRating {
    /// How it ended; what follows is of the rounds until then.
    pub end: RatingEnd,
    /// ER: the highest rating of a round.
    pub er: Rating,
    /// EP: the highest rating up to the first placement; `None` where none was made.
    pub ep: Option<Rating>,
    /// ED: the rating of the first round; `None` where there was none.
    pub ed: Option<Rating>,
    /// The technique of the highest rating; of several, the first in the list.
    pub hardest: Option<Technique>,
    /// How many rounds.
    pub steps: u32,
    /// For each technique, in how many rounds it found something.
    pub rounds: [u16; Technique::ALL.len()],
}

impl PuzzleRating {
    /// The rating of no rounds.
    pub const NONE: PuzzleRating = PuzzleRating {
        end: RatingEnd::AboveLimit,
        er: Rating::tenths(0),
        ep: None,
        ed: None,
        hardest: None,
        steps: 0,
        rounds: [0; Technique::ALL.len()],
    };

    /// Returns the techniques that found something.
    #[must_use]
    pub fn techniques(&self) -> TechniqueSet {
        let mut found = TechniqueSet::EMPTY;
        let all = Technique::ALL.iter().zip(self.rounds);
        all.filter(|(_, rounds)| *rounds > 0).for_each(|(&technique, _)| found.insert(technique));
        found
    }

    /// Adds a round, which is made behind those before.
    pub(super) fn add(&mut self, round: &Round) {
        self.steps += 1;
        for technique in round.techniques.iter() {
            self.rounds[technique as usize] += 1;
        }
        if round.rating > self.er {
            self.er = round.rating;
            self.hardest = round.techniques.iter().next();
        }
        self.ed.get_or_insert(round.rating);
        if !round.placed.is_empty() {
            self.ep.get_or_insert(self.er);
        }
    }

    /// Adds rounds that a lane made, behind those before.
    pub(super) fn add_lane_rounds(&mut self, made: &LaneRounds) {
        if made.first == 0 {
            return;
        }
        self.ed.get_or_insert(LANE_TECHNIQUES[made.first.trailing_zeros() as usize].least());
        if let Some(highest) = made.at_placement.checked_ilog2() {
            self.ep.get_or_insert(LANE_TECHNIQUES[highest as usize].least().max(self.er));
        }
        for (technique, count) in LANE_TECHNIQUES.into_iter().zip(made.counts) {
            self.steps += u32::from(count);
            self.rounds[technique as usize] += count;
            if count > 0 && technique.least() > self.er {
                self.er = technique.least();
                self.hardest = Some(technique);
            }
        }
    }
}

/// The techniques of the rounds that lanes make, in order.
pub(super) const LANE_TECHNIQUES: [Technique; 10] = [
    Technique::LastCell,
    Technique::HiddenSingleBox,
    Technique::HiddenSingleLine,
    Technique::DirectPointing,
    Technique::DirectClaiming,
    Technique::DirectHiddenPair,
    Technique::NakedSingle,
    Technique::DirectHiddenTriplet,
    Technique::Pointing,
    Technique::Claiming,
];

/// The rounds that a lane made.
pub(super) struct LaneRounds {
    /// The technique of the first one, as a bit; 0 for none.
    pub(super) first: u16,
    /// The techniques up to the first placement; 0 for none.
    pub(super) at_placement: u16,
    /// How many rounds each technique has.
    pub(super) counts: [u16; LANE_TECHNIQUES.len()],
}

/// Rates puzzles by the techniques of a profile, up to a limit; one for each thread.
///
/// A rating does not depend on the order of cells, unless [`Rater::with_ties`] says so: all isomorphs of a puzzle have
/// the same one. The time it takes goes
/// from microseconds, for puzzles that singles solve, to many milliseconds for those that need chains.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::logic::{Profile, Rater, Rating, RatingEnd};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let rating = Rater::new(Profile::Sukaku, Rating::BEYOND).rate(&puzzle);
/// assert_eq!(rating.end, RatingEnd::Solved);
/// assert_eq!(rating.er.to_string(), "1.2");
/// assert_eq!(rating.hardest.map(|technique| technique.slug()), Some("hidden-single-box"));
///
/// let rating = Rater::new(Profile::Sukaku, Rating::tenths(10)).rate(&puzzle);
/// assert_eq!(rating.end, RatingEnd::AboveLimit);
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[derive(Debug)]
pub struct Rater {
    rounds: Rounds,
    lanes: Lanes,
}

impl Rater {
    /// Returns a rater that goes up to the limit.
    #[must_use]
    pub fn new(profile: Profile, limit: Rating) -> Rater {
        Rater { rounds: Rounds::new(profile, limit), lanes: Lanes::new() }
    }

    /// Returns a rater whose batches are rated on that backend; `None` if the processor can't run it. Ratings do not
    /// depend on it.
    ///
    /// ```
    /// use gridmill_core::logic::{Profile, Rater, Rating};
    /// use gridmill_core::simd::Backend;
    ///
    /// assert!(Rater::with_backend(Profile::Se, Rating::BEYOND, Backend::Portable).is_some());
    /// ```
    #[must_use]
    pub fn with_backend(profile: Profile, limit: Rating, backend: Backend) -> Option<Rater> {
        Some(Rater { rounds: Rounds::new(profile, limit), lanes: Lanes::with_backend(backend)? })
    }

    /// Decides ties in that order. With [`Ties::Reading`] ratings are nearest to published ones, and depend on how the
    /// grid is written; the name of their scale is that of [`Profile::version_with`].
    ///
    /// ```
    /// use gridmill_core::Puzzle;
    /// use gridmill_core::logic::{Profile, Rater, Rating, Ties};
    ///
    /// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
    /// let rating = Rater::new(Profile::Sukaku, Rating::BEYOND).with_ties(Ties::Reading).rate(&puzzle);
    /// assert_eq!(rating.er.to_string(), "1.2");
    /// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
    /// ```
    #[must_use]
    pub fn with_ties(mut self, ties: Ties) -> Rater {
        self.rounds.scratch.ties = ties;
        self
    }

    /// Rates a puzzle, which must be proper: some techniques use that there is one solution.
    pub fn rate(&mut self, puzzle: &Puzzle) -> PuzzleRating {
        self.rate_until(puzzle, &NEVER)
    }

    /// Rates a puzzle as [`Rater::rate`] does until `stop` becomes true: then it ends within some milliseconds, and the
    /// rating is of no account.
    pub fn rate_until(&mut self, puzzle: &Puzzle, stop: &AtomicBool) -> PuzzleRating {
        self.rounds.rate(puzzle, stop)
    }

    /// Rates proper puzzles, and appends a rating for each. Many together take less time than one by one.
    ///
    /// ```
    /// use gridmill_core::Puzzle;
    /// use gridmill_core::logic::{Profile, Rater, Rating};
    ///
    /// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
    /// let mut ratings = Vec::new();
    /// Rater::new(Profile::Sukaku, Rating::BEYOND).rate_batch(&[puzzle; 10], &mut ratings);
    /// assert!(ratings.len() == 10 && ratings.iter().all(|rating| rating.er == Rating::tenths(12)));
    /// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
    /// ```
    pub fn rate_batch(&mut self, puzzles: &[Puzzle], ratings: &mut Vec<PuzzleRating>) {
        self.rate_batch_until(puzzles, ratings, &NEVER);
    }

    /// Rates a batch as [`Rater::rate_batch`] does until `stop` becomes true: then it ends within some milliseconds,
    /// and what it appended for this batch is of no account.
    pub fn rate_batch_until(
        &mut self,
        puzzles: &[Puzzle],
        ratings: &mut Vec<PuzzleRating>,
        stop: &AtomicBool,
    ) {
        let Rater { rounds, lanes } = self;
        if puzzles.len() < LEAST_BATCH || rounds.lane_levels() < 3 {
            ratings.extend(puzzles.iter().map(|puzzle| rounds.rate(puzzle, stop)));
            return;
        }
        let start = ratings.len();
        ratings.resize(start + puzzles.len(), PuzzleRating::NONE);
        lanes.rate(Batch::new(puzzles, rounds, &mut ratings[start..], stop));
    }

    /// Rates a grid of candidates, which must have one solution.
    pub fn rate_pencilmarks(&mut self, marks: &Pencilmarks) -> PuzzleRating {
        self.rate_pencilmarks_until(marks, &NEVER)
    }

    /// Rates a grid of candidates until `stop` becomes true: then it ends within some milliseconds, and
    /// the rating is of no account.
    pub fn rate_pencilmarks_until(&mut self, marks: &Pencilmarks, stop: &AtomicBool) -> PuzzleRating {
        let mut rating = PuzzleRating::NONE;
        self.rounds.finish(State::of_pencilmarks(marks), &mut rating, stop);
        rating
    }
}

/// The fewest puzzles for which lanes pay.
const LEAST_BATCH: usize = 6;

/// Makes rounds one by one.
#[derive(Debug)]
pub(super) struct Rounds {
    profile: Profile,
    limit: Rating,
    scratch: Scratch,
    /// The last one, in memory that serves for the next.
    round: Round,
}

/// The changes of some rounds, up to one behind which there are hidden singles.
#[derive(Debug)]
pub(super) struct Advance {
    pub(super) placed: CandidateSet,
    pub(super) removed: CandidateSet,
}

impl Rounds {
    fn new(profile: Profile, limit: Rating) -> Rounds {
        Rounds { profile, limit, scratch: Scratch::default(), round: Round::up_to(limit) }
    }

    /// Returns how many of the techniques of lanes are within the limit.
    pub(super) fn lane_levels(&self) -> usize {
        LANE_TECHNIQUES.iter().filter(|technique| technique.least() <= self.limit).count()
    }

    /// Rates a puzzle.
    pub(super) fn rate(&mut self, puzzle: &Puzzle, stop: &AtomicBool) -> PuzzleRating {
        let mut rating = PuzzleRating::NONE;
        self.finish(State::of_puzzle(puzzle), &mut rating, stop);
        rating
    }

    /// Goes from round to round until the grid is full, or nothing moves.
    pub(super) fn finish(&mut self, mut state: State, rating: &mut PuzzleRating, stop: &AtomicBool) {
        while self.next(&mut state, rating, stop) {}
        rating.end = RatingEnd::of(&state);
    }

    /// Goes from round to round until there are hidden singles. Returns what changed; `None` where none come any more.
    pub(super) fn advance(
        &mut self,
        state: &mut State,
        rating: &mut PuzzleRating,
        stop: &AtomicBool,
    ) -> Option<Advance> {
        let mut advance = Advance { placed: CandidateSet::EMPTY, removed: CandidateSet::EMPTY };
        while self.next(state, rating, stop) {
            advance.placed.unite(&self.round.placed);
            advance.removed.unite(&self.round.removed);
            if state.has_hidden_single() {
                return Some(advance);
            }
        }
        rating.end = RatingEnd::of(state);
        None
    }

    /// Makes the next round, and adds it to the rating; `false` if the grid is full, or nothing moves, or all stops.
    fn next(&mut self, state: &mut State, rating: &mut PuzzleRating, stop: &AtomicBool) -> bool {
        if state.is_solved()
            || stop.load(Ordering::Relaxed)
            || !self.round.refill(state, self.profile, self.limit, &mut self.scratch, stop)
        {
            return false;
        }
        rating.add(&self.round);
        self.round.apply(state);
        true
    }
}
