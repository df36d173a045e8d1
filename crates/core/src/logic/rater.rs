//! Rating puzzles: round after round, until nothing moves; one by one, or in batches.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::cells::CandidateSet;
use super::finder::{Round, Scratch};
use super::lanes::{Batch, Lanes};
use super::state::State;
use super::technique::{Profile, Rating, Technique, TechniqueSet, Ties};
use crate::grid::{Puzzle, Shape};
use crate::simd::Backend;
use crate::solver::{NEVER, Solvable};

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

/// The rating of a puzzle, and the rounds that it comes from.
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

    /// Returns whether the techniques led into a contradiction: of a proper puzzle, a defect.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.end == RatingEnd::Contradiction
    }

    /// Returns the techniques that found something.
    #[must_use]
    pub fn techniques(&self) -> TechniqueSet {
        let mut found = TechniqueSet::EMPTY;
        let all = Technique::ALL.iter().zip(self.rounds);
        all.filter(|(_, rounds)| *rounds > 0).for_each(|(&technique, _)| found.insert(technique));
        found
    }

    /// Adds the next round.
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

    /// Adds the next rounds, which a lane made: the techniques of the first one and of those up to the first placement, as
    /// bits, 0 for none, and how many rounds each technique has.
    pub(super) fn add_lane_rounds(
        &mut self,
        first: u16,
        at_placement: u16,
        counts: [u16; LANE_TECHNIQUES.len()],
    ) {
        if first == 0 {
            return;
        }
        self.ed.get_or_insert(LANE_TECHNIQUES[first.trailing_zeros() as usize].least());
        if let Some(highest) = at_placement.checked_ilog2() {
            self.ep.get_or_insert(LANE_TECHNIQUES[highest as usize].least().max(self.er));
        }
        for (technique, count) in LANE_TECHNIQUES.into_iter().zip(counts) {
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
    /// Puzzles that are rated together: now, and at most.
    portion: usize,
    most: usize,
}

impl Rater {
    /// Returns a rater that goes up to the limit.
    #[must_use]
    pub fn new(profile: Profile, limit: Rating) -> Rater {
        Rater::with_backend(profile, limit, Backend::best()).expect("the best backend is there")
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
        let (rounds, lanes) = (Rounds::new(profile, limit), backend.with_lanes(Shape::CLASSIC)?);
        Some(Rater { rounds, lanes, portion: PORTION / 8, most: PORTION })
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

    /// Lets [`Rater::rate_all`] rate puzzles one by one, so that each has a time of its own.
    #[must_use]
    pub fn one_by_one(self) -> Rater {
        Rater { portion: 1, most: 1, ..self }
    }

    /// Rates a puzzle, which must be proper: some techniques use that there is one solution.
    pub fn rate<P: Solvable>(&mut self, puzzle: &P) -> PuzzleRating {
        self.rate_until(puzzle, &NEVER)
    }

    /// Rates a puzzle as [`Rater::rate`] does until `stop` becomes true: then it ends within some milliseconds, and the
    /// rating means nothing.
    pub fn rate_until<P: Solvable>(&mut self, puzzle: &P, stop: &AtomicBool) -> PuzzleRating {
        self.rounds.rate(State::of(puzzle), stop)
    }

    /// Rates proper puzzles, and appends a rating for each. Many together take less time than one by one. When `stop` becomes
    /// true, it ends within some milliseconds, and what it appended for this batch means nothing.
    ///
    /// ```
    /// use gridmill_core::Puzzle;
    /// use gridmill_core::logic::{Profile, Rater, Rating};
    /// use gridmill_core::solver::NEVER;
    ///
    /// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
    /// let mut ratings = Vec::new();
    /// Rater::new(Profile::Sukaku, Rating::BEYOND).rate_batch_until(&[puzzle; 10], &mut ratings, &NEVER);
    /// assert!(ratings.len() == 10 && ratings.iter().all(|rating| rating.er == Rating::tenths(12)));
    /// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
    /// ```
    pub fn rate_batch_until<P: Solvable>(
        &mut self,
        puzzles: &[P],
        ratings: &mut Vec<PuzzleRating>,
        stop: &AtomicBool,
    ) {
        let Rater { rounds, lanes, .. } = self;
        let clues: Vec<Puzzle> = puzzles.iter().map_while(Solvable::classic).collect();
        let levels = rounds.lane_levels();
        if clues.len() < puzzles.len() || clues.len() < LEAST_BATCH || levels < 3 {
            ratings.extend(puzzles.iter().map(|puzzle| rounds.rate(State::of(puzzle), stop)));
            return;
        }
        let start = ratings.len();
        ratings.resize(start + puzzles.len(), PuzzleRating::NONE);
        lanes.rate(Batch { puzzles: &clues, taken: 0, rounds, levels, ratings: &mut ratings[start..], stop });
    }

    /// Rates proper puzzles, in order, and returns each rating with the nanoseconds that it took. When `stop` becomes true,
    /// the ratings end early.
    pub fn rate_all<'p, P: Solvable + Clone + 'p>(
        &mut self,
        puzzles: impl Iterator<Item = &'p P>,
        stop: &AtomicBool,
    ) -> Vec<(PuzzleRating, u64)> {
        let puzzles: Vec<P> = puzzles.cloned().collect();
        let (mut rated, mut ratings) = (Vec::with_capacity(puzzles.len()), Vec::new());
        while rated.len() < puzzles.len() && !stop.load(Ordering::Relaxed) {
            let rest = &puzzles[rated.len()..];
            let portion = &rest[..self.portion.min(rest.len())];
            let begun = Instant::now();
            self.rate_batch_until(portion, &mut ratings, stop);
            let time = begun.elapsed();
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let nanos = time.as_nanos() as u64 / portion.len() as u64;
            rated.extend(ratings.drain(..).map(|rating| (rating, nanos)));
            self.portion =
                if time > SHORT { (self.portion / 2).max(1) } else { (self.portion * 2).min(self.most) };
        }
        rated
    }
}

/// The most puzzles that are rated before the stop flag is read again: enough to be rated together.
const PORTION: usize = 256;

/// How long such a portion should take at most, so that an interrupt need not wait: if it takes longer, the next one is
/// smaller.
const SHORT: Duration = Duration::from_millis(50);

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

impl Rounds {
    fn new(profile: Profile, limit: Rating) -> Rounds {
        Rounds { profile, limit, scratch: Scratch::default(), round: Round::up_to(limit) }
    }

    /// Returns how many of the techniques of lanes are within the limit.
    pub(super) fn lane_levels(&self) -> usize {
        LANE_TECHNIQUES.iter().filter(|technique| technique.least() <= self.limit).count()
    }

    /// Rates a puzzle from a state on.
    pub(super) fn rate(&mut self, state: State, stop: &AtomicBool) -> PuzzleRating {
        let mut rating = PuzzleRating::NONE;
        self.finish(state, &mut rating, stop);
        rating
    }

    /// Goes from round to round until the grid is full, or nothing moves.
    pub(super) fn finish(&mut self, mut state: State, rating: &mut PuzzleRating, stop: &AtomicBool) {
        while self.next(&mut state, rating, stop) {}
        rating.end = RatingEnd::of(&state);
    }

    /// Goes from round to round until there are hidden singles. Returns what was placed and what was removed; `None` where
    /// none come any more.
    pub(super) fn advance(
        &mut self,
        state: &mut State,
        rating: &mut PuzzleRating,
        stop: &AtomicBool,
    ) -> Option<[CandidateSet; 2]> {
        let [mut placed, mut removed] = [CandidateSet::EMPTY; 2];
        while self.next(state, rating, stop) {
            placed.unite(&self.round.placed);
            removed.unite(&self.round.removed);
            if state.has_hidden_single() {
                return Some([placed, removed]);
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

/// The ratings and techniques that are wanted of puzzles.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::logic::{Profile, Rating, RatingWish};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let easy = RatingWish { scale: Profile::Sukaku, ratings: Rating::LEAST..=Rating::tenths(15), techniques: Vec::new() };
/// assert!(easy.admits(&easy.rater().rate(&puzzle)));
/// let harder = RatingWish { ratings: Rating::tenths(20)..=Rating::BEYOND, ..easy };
/// assert!(!harder.admits(&harder.rater().rate(&puzzle)));
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatingWish {
    /// The scale.
    pub scale: Profile,
    /// The ratings of the puzzle.
    pub ratings: RangeInclusive<Rating>,
    /// Techniques that find something on the way to the solution: at least one of each set.
    pub techniques: Vec<TechniqueSet>,
}

impl RatingWish {
    /// Returns a wish for ratings, or for any, and for techniques; `None` where neither is wanted.
    #[must_use]
    pub fn new(
        scale: Profile,
        ratings: Option<RangeInclusive<Rating>>,
        techniques: Vec<TechniqueSet>,
    ) -> Option<RatingWish> {
        let is_any = ratings.is_some() || !techniques.is_empty();
        let ratings = ratings.unwrap_or(Rating::LEAST..=Rating::BEYOND);
        is_any.then_some(RatingWish { scale, ratings, techniques })
    }

    /// Returns a rater that goes as far as the wish: no further than the highest rating.
    #[must_use]
    pub fn rater(&self) -> Rater {
        Rater::new(self.scale, *self.ratings.end())
    }

    /// Returns whether a rating is as wanted. One that did not come to the end is not.
    #[must_use]
    pub fn admits(&self, rating: &PuzzleRating) -> bool {
        let found = rating.techniques();
        rating.end == RatingEnd::Solved
            && self.ratings.contains(&rating.er)
            && self.techniques.iter().all(|wanted| wanted.meets(found))
    }
}
