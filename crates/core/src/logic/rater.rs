//! Rates puzzles one by one or in batches: it makes round after round until the puzzle is solved or nothing
//! more is found.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::cells::CandidateSet;
use super::finder::{Round, Scratch};
use super::lanes::{Batch, Lanes};
use super::state::State;
use super::technique::{Rating, Scale, Technique, TechniqueSet, Ties};
use crate::grid::{Puzzle, Shape};
use crate::simd::Backend;
use crate::solver::{NEVER, Solvable};

/// Why a rating ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatingEnd {
    /// Every cell has its digit, so the ratings are those of the puzzle.
    Solved,
    /// The techniques up to the limit do not solve the puzzle. It is harder than the limit.
    AboveLimit,
    /// A cell or a digit lost its last candidate, so the puzzle has no solution.
    Contradiction,
}

impl RatingEnd {
    /// Why the rating ended, for a state in which no round is left.
    fn from_state(state: &State) -> RatingEnd {
        match state {
            _ if state.is_contradictory() => RatingEnd::Contradiction,
            _ if state.is_solved() => RatingEnd::Solved,
            _ => RatingEnd::AboveLimit,
        }
    }
}

/// The rating of a puzzle, and counts of the rounds that it comes from.
///
/// Check [`end`](PuzzleRating::end) first. If it is not [`RatingEnd::Solved`], the fields only cover the
/// rounds that were made, and `er` is not the rating of the puzzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuzzleRating {
    /// Why the rating ended. The other fields cover the rounds up to then.
    pub end: RatingEnd,
    /// ER: the highest rating of a round.
    pub er: Rating,
    /// EP: the highest rating of a round up to the first placement. `None` if nothing was placed.
    pub ep: Option<Rating>,
    /// ED: the rating of the first round. `None` if there was no round.
    pub ed: Option<Rating>,
    /// The technique with the highest rating. If there are several, that of the first round with this rating; within
    /// the round, the first in the list of techniques.
    pub hardest: Option<Technique>,
    /// The number of rounds.
    pub round_count: u32,
    /// For each technique, the number of rounds in which it found something.
    pub rounds: [u16; Technique::ALL.len()],
}

impl PuzzleRating {
    /// The rating before the first round.
    pub const NONE: PuzzleRating = PuzzleRating {
        end: RatingEnd::AboveLimit,
        er: Rating::tenths(0),
        ep: None,
        ed: None,
        hardest: None,
        round_count: 0,
        rounds: [0; Technique::ALL.len()],
    };

    /// Whether the techniques led to a contradiction. For a proper puzzle, this is a defect of gridmill.
    #[must_use]
    pub fn is_refuted(&self) -> bool {
        self.end == RatingEnd::Contradiction
    }

    /// The techniques that found something.
    #[must_use]
    pub fn techniques(&self) -> TechniqueSet {
        let mut found = TechniqueSet::EMPTY;
        let all = Technique::ALL.iter().zip(self.rounds);
        all.filter(|(_, rounds)| *rounds > 0).for_each(|(&technique, _)| found.insert(technique));
        found
    }

    /// Adds the next round.
    pub(super) fn add(&mut self, round: &Round) {
        self.round_count += 1;
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

    /// Adds the next rounds, which a lane made. `first` has the technique of the first round as a bit,
    /// `at_placement` those of all rounds up to the first placement; 0 means none. `counts` has the number of
    /// rounds for each technique.
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
            self.round_count += u32::from(count);
            self.rounds[technique as usize] += count;
            if count > 0 && technique.least() > self.er {
                self.er = technique.least();
                self.hardest = Some(technique);
            }
        }
    }
}

/// The techniques that lanes use, in the order in which a lane looks for them.
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

/// Rates puzzles by the techniques of a scale, up to a limit. Create one per thread, because it keeps
/// buffers from one puzzle to the next.
///
/// All isomorphs of a puzzle have the same rating, because ties are broken in the order of the minlex form
/// (unless you choose another order by [`Rater::with_ties`]). Rating takes a few microseconds for a puzzle that
/// singles solve, and many milliseconds for one that needs long chains.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::logic::{Rater, Rating, RatingEnd, Scale};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let rating = Rater::new(Scale::Sukaku, Rating::BEYOND).rate(&puzzle);
/// assert_eq!(rating.end, RatingEnd::Solved);
/// assert_eq!(rating.er.to_string(), "1.2");
/// assert_eq!(rating.hardest.map(|technique| technique.slug()), Some("hidden-single-box"));
///
/// let rating = Rater::new(Scale::Sukaku, Rating::tenths(10)).rate(&puzzle);
/// assert_eq!(rating.end, RatingEnd::AboveLimit);
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[derive(Debug)]
pub struct Rater {
    rounds: Rounds,
    lanes: Lanes,
    /// How many puzzles are rated between two checks of the stop flag: now, and at most.
    portion: usize,
    max_portion: usize,
}

impl Rater {
    /// Creates a rater that uses techniques up to the limit.
    #[must_use]
    pub fn new(scale: Scale, limit: Rating) -> Rater {
        Rater::with_backend(scale, limit, Backend::best()).expect("the best backend is there")
    }

    /// Creates a rater whose batches run on the given backend. `None` if the processor does not support it.
    /// Ratings do not depend on the backend.
    ///
    /// ```
    /// use gridmill_core::logic::{Rater, Rating, Scale};
    /// use gridmill_core::simd::Backend;
    ///
    /// assert!(Rater::with_backend(Scale::Se, Rating::BEYOND, Backend::Portable).is_some());
    /// ```
    #[must_use]
    pub fn with_backend(scale: Scale, limit: Rating, backend: Backend) -> Option<Rater> {
        let (rounds, lanes) = (Rounds::new(scale, limit), backend.with_lanes(Shape::CLASSIC)?);
        Some(Rater { rounds, lanes, portion: MAX_PORTION / 8, max_portion: MAX_PORTION })
    }

    /// Breaks ties in this order. With [`Ties::Reading`], ratings are closest to published ones, but depend
    /// on how the grid is written. [`Scale::version_with`] has the name of that scale.
    ///
    /// ```
    /// use gridmill_core::Puzzle;
    /// use gridmill_core::logic::{Rater, Rating, Scale, Ties};
    ///
    /// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
    /// let rating = Rater::new(Scale::Sukaku, Rating::BEYOND).with_ties(Ties::Reading).rate(&puzzle);
    /// assert_eq!(rating.er.to_string(), "1.2");
    /// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
    /// ```
    #[must_use]
    pub fn with_ties(mut self, ties: Ties) -> Rater {
        self.rounds.scratch.ties = ties;
        self
    }

    /// Makes [`Rater::rate_all`] rate puzzles one by one, so that you get the time of each puzzle instead of
    /// an average.
    #[must_use]
    pub fn one_by_one(self) -> Rater {
        Rater { portion: 1, max_portion: 1, ..self }
    }

    /// Rates a puzzle. It must be proper, because some techniques (e.g. unique rectangles) rely on a single
    /// solution.
    pub fn rate<P: Solvable>(&mut self, puzzle: &P) -> PuzzleRating {
        self.rate_until(puzzle, &NEVER)
    }

    /// Rates a puzzle like [`Rater::rate`], but ends within some milliseconds if `stop` becomes true. Discard
    /// the rating then.
    pub fn rate_until<P: Solvable>(&mut self, puzzle: &P, stop: &AtomicBool) -> PuzzleRating {
        self.rounds.rate(State::new(puzzle), stop)
    }

    /// Makes rounds in a state until it is solved or the techniques find nothing more. If `stop` becomes true,
    /// it ends within some milliseconds.
    pub(crate) fn finish(&mut self, state: &mut State, stop: &AtomicBool) {
        let mut rating = PuzzleRating::NONE;
        while self.rounds.next(state, &mut rating, stop) {}
    }

    /// Rates proper puzzles and appends a rating for each. A batch takes less time than its puzzles one by
    /// one, because easy rounds are made in many puzzles at once. If `stop` becomes true, rounds made one by one end, but rounds
    /// made together go on; so pass a few hundred puzzles at a time if it must end within milliseconds. Discard the ratings of
    /// this batch then.
    ///
    /// ```
    /// use gridmill_core::Puzzle;
    /// use gridmill_core::logic::{Rater, Rating, Scale};
    /// use gridmill_core::solver::NEVER;
    ///
    /// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
    /// let mut ratings = Vec::new();
    /// Rater::new(Scale::Sukaku, Rating::BEYOND).rate_batch_until(&[puzzle; 10], &mut ratings, &NEVER);
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
        if clues.len() < puzzles.len() || clues.len() < MIN_LANE_BATCH || levels < 3 {
            ratings.extend(puzzles.iter().map(|puzzle| rounds.rate(State::new(puzzle), stop)));
            return;
        }
        let start = ratings.len();
        ratings.resize(start + puzzles.len(), PuzzleRating::NONE);
        lanes.rate(Batch { puzzles: &clues, taken: 0, rounds, levels, ratings: &mut ratings[start..], stop });
    }

    /// Rates proper puzzles in order. Each rating comes with nanoseconds: its own after
    /// [`Rater::one_by_one`], otherwise the average of the puzzles that were rated together. If `stop` becomes true, the
    /// last ratings are missing.
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
            self.portion = if time > MAX_PORTION_TIME {
                (self.portion / 2).max(1)
            } else {
                (self.portion * 2).min(self.max_portion)
            };
        }
        rated
    }
}

/// The most puzzles that are rated before the stop flag is read again. They fill 32 lanes eight times, so that
/// few sweeps run with idle lanes.
const MAX_PORTION: usize = 256;

/// The longest time that such a portion should take, so that an interrupt is noticed quickly. If a portion
/// takes longer, the next one has half as many puzzles.
const MAX_PORTION_TIME: Duration = Duration::from_millis(50);

/// The fewest puzzles that are rated faster in lanes than one by one.
const MIN_LANE_BATCH: usize = 6;

/// Makes rounds one by one.
#[derive(Debug)]
pub(super) struct Rounds {
    scale: Scale,
    limit: Rating,
    scratch: Scratch,
    /// The last round. It is kept so that its memory can be used again.
    round: Round,
}

impl Rounds {
    fn new(scale: Scale, limit: Rating) -> Rounds {
        Rounds { scale, limit, scratch: Scratch::default(), round: Round::with_limit(limit) }
    }

    /// The number of lane techniques within the limit.
    pub(super) fn lane_levels(&self) -> usize {
        LANE_TECHNIQUES.iter().filter(|technique| technique.least() <= self.limit).count()
    }

    /// Rates a puzzle, starting from a state.
    pub(super) fn rate(&mut self, state: State, stop: &AtomicBool) -> PuzzleRating {
        let mut rating = PuzzleRating::NONE;
        self.finish(state, &mut rating, stop);
        rating
    }

    /// Makes rounds until the grid is full or nothing more is found.
    pub(super) fn finish(&mut self, mut state: State, rating: &mut PuzzleRating, stop: &AtomicBool) {
        while self.next(&mut state, rating, stop) {}
        rating.end = RatingEnd::from_state(&state);
    }

    /// Makes rounds until the state has a hidden single, because then a lane can continue. Returns the
    /// candidates that were placed and removed, or `None` if the puzzle ended before that.
    pub(super) fn advance_to_single(
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
        rating.end = RatingEnd::from_state(state);
        None
    }

    /// Makes the next round and adds it to the rating. Returns false if the grid is full, nothing is found,
    /// or `stop` is true.
    fn next(&mut self, state: &mut State, rating: &mut PuzzleRating, stop: &AtomicBool) -> bool {
        if state.is_solved()
            || stop.load(Ordering::Relaxed)
            || !self.round.refill(state, self.scale, self.limit, &mut self.scratch, stop)
        {
            return false;
        }
        rating.add(&self.round);
        self.round.apply(state);
        true
    }
}

/// The ratings and techniques that puzzles must have to be accepted.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::logic::{Rating, RatingCriteria, Scale};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let easy = RatingCriteria { scale: Scale::Sukaku, ratings: Rating::LEAST..=Rating::tenths(15), techniques: Vec::new() };
/// assert!(easy.admits(&easy.rater().rate(&puzzle)));
/// let harder = RatingCriteria { ratings: Rating::tenths(20)..=Rating::BEYOND, ..easy };
/// assert!(!harder.admits(&harder.rater().rate(&puzzle)));
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RatingCriteria {
    /// The scale of the ratings.
    pub scale: Scale,
    /// The accepted ratings.
    pub ratings: RangeInclusive<Rating>,
    /// Sets of techniques. At least one technique of each set must find something on the way to the solution.
    pub techniques: Vec<TechniqueSet>,
}

impl RatingCriteria {
    /// Creates criteria for ratings and techniques. `None` if there is no criterion, so that callers need not
    /// rate at all.
    #[must_use]
    pub fn new(
        scale: Scale,
        ratings: Option<RangeInclusive<Rating>>,
        techniques: Vec<TechniqueSet>,
    ) -> Option<RatingCriteria> {
        let is_any = ratings.is_some() || !techniques.is_empty();
        let ratings = ratings.unwrap_or(Rating::LEAST..=Rating::BEYOND);
        is_any.then_some(RatingCriteria { scale, ratings, techniques })
    }

    /// Creates a rater whose limit is the highest accepted rating, so that it does not waste time on harder
    /// puzzles.
    #[must_use]
    pub fn rater(&self) -> Rater {
        Rater::new(self.scale, *self.ratings.end())
    }

    /// Whether a rating meets the criteria. A rating that did not end with the solution never does.
    #[must_use]
    pub fn admits(&self, rating: &PuzzleRating) -> bool {
        let found = rating.techniques();
        rating.end == RatingEnd::Solved
            && self.ratings.contains(&rating.er)
            && self.techniques.iter().all(|wanted| wanted.meets(found))
    }
}
