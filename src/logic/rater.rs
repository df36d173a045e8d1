//! Rating puzzles: round after round, until nothing moves.

use super::profile::Profile;
use super::rating::Rating;
use super::round::Round;
use super::scratch::Scratch;
use super::state::State;
use super::technique::Technique;
use crate::grid::Puzzle;

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
    const NONE: PuzzleRating = PuzzleRating {
        end: RatingEnd::AboveLimit,
        er: Rating::tenths(0),
        ep: None,
        ed: None,
        hardest: None,
        steps: 0,
        rounds: [0; Technique::ALL.len()],
    };

    fn add(&mut self, round: &Round) {
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

/// Rates puzzles; one for each thread.
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
        let mut state = State::of_puzzle(puzzle);
        let mut rating = PuzzleRating::NONE;
        while !state.is_solved() {
            let Some(round) = Round::of(&state, self.profile, self.limit, &mut self.scratch) else { break };
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
