//! Rating puzzles: round after round, until nothing moves.

use super::profile::Profile;
use super::rating::Rating;
use super::round::Round;
use super::scratch::Scratch;
use super::state::State;
use super::technique::{Technique, TechniqueSet};
use crate::grid::{Pencilmarks, Puzzle};

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

/// What a puzzle demands of a person.
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
    pub(crate) const NONE: PuzzleRating = PuzzleRating {
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
}

/// Rates puzzles by the techniques of a profile, up to a limit; one for each thread.
///
/// A rating does not depend on the order of cells: all isomorphs of a puzzle have the same one. The time it takes goes
/// from microseconds, for puzzles that singles solve, to many milliseconds for those that need chains.
///
/// ```
/// use gridmill::Puzzle;
/// use gridmill::logic::{Profile, Rater, Rating, RatingEnd};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let rating = Rater::new(Profile::Sukaku, Rating::BEYOND).rate(&puzzle);
/// assert_eq!(rating.end, RatingEnd::Solved);
/// assert_eq!(rating.er.to_string(), "1.2");
/// assert_eq!(rating.hardest.map(|technique| technique.slug()), Some("hidden-single-box"));
///
/// let rating = Rater::new(Profile::Sukaku, Rating::tenths(10)).rate(&puzzle);
/// assert_eq!(rating.end, RatingEnd::AboveLimit);
/// # Ok::<(), gridmill::text::ParsePuzzleError>(())
/// ```
#[derive(Debug)]
pub struct Rater {
    profile: Profile,
    limit: Rating,
    scratch: Scratch,
}

impl Rater {
    /// Returns a rater that goes up to the limit.
    #[must_use]
    pub fn new(profile: Profile, limit: Rating) -> Rater {
        Rater { profile, limit, scratch: Scratch::default() }
    }

    /// Rates a puzzle, which must be proper: some techniques use that there is one solution.
    pub fn rate(&mut self, puzzle: &Puzzle) -> PuzzleRating {
        self.rate_state(State::of_puzzle(puzzle))
    }

    /// Rates proper puzzles, and appends a rating for each.
    ///
    /// ```
    /// use gridmill::Puzzle;
    /// use gridmill::logic::{Profile, Rater, Rating};
    ///
    /// let lines = std::fs::read_to_string("datasets/easy.txt")?;
    /// let puzzles = lines.lines().take(10).map(str::parse).collect::<Result<Vec<Puzzle>, _>>()?;
    /// let mut ratings = Vec::new();
    /// Rater::new(Profile::Sukaku, Rating::BEYOND).rate_batch(&puzzles, &mut ratings);
    /// assert!(ratings.len() == 10 && ratings.iter().all(|rating| rating.er >= Rating::tenths(12)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rate_batch(&mut self, puzzles: &[Puzzle], ratings: &mut Vec<PuzzleRating>) {
        ratings.extend(puzzles.iter().map(|puzzle| self.rate(puzzle)));
    }

    /// Rates a grid of candidates, which must have one solution.
    pub fn rate_pencilmarks(&mut self, marks: &Pencilmarks) -> PuzzleRating {
        self.rate_state(State::of_pencilmarks(marks))
    }

    /// Goes from round to round until the grid is full, or nothing moves.
    fn rate_state(&mut self, mut state: State) -> PuzzleRating {
        let mut rating = PuzzleRating::NONE;
        let mut round = Round::up_to(self.limit);
        while !state.is_solved() && round.refill(&state, self.profile, self.limit, &mut self.scratch) {
            rating.add(&round);
            round.apply(&mut state);
        }
        rating.end = match state {
            _ if state.is_contradictory() => RatingEnd::Contradiction,
            _ if state.is_solved() => RatingEnd::Solved,
            _ => RatingEnd::AboveLimit,
        };
        rating
    }
}
