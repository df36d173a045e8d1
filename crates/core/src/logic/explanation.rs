//! Explains puzzles round by round, with every step of a round, until the solution, the limit that you set,
//! or the point where no technique finds anything more.

use std::sync::atomic::{AtomicBool, Ordering};

use super::finder::{Round, Scratch, Step};
use super::rater::{PuzzleRating, RatingEnd};
use super::state::State;
use super::technique::{Rating, Scale, Technique, TechniqueSet, Ties};
use crate::grid::Solution;

/// Where an explanation ends if it has not reached the solution before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Before the first round with a higher rating.
    Rating(Rating),
    /// After this round. The first round is 1.
    Round(u32),
}

/// Why an explanation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplanationEnd {
    /// Every cell has its digit.
    Solved,
    /// Every step up to this rating was found; it was the limit of the explanation.
    AboveRating(Rating),
    /// The requested number of rounds was explained.
    AfterRound,
    /// No technique finds anything more.
    BeyondTechniques,
    /// A deduction contradicts the solution. This is a defect of gridmill.
    Contradiction,
}

impl ExplanationEnd {
    /// The names, as they appear in JSON objects and in columns.
    pub const NAMES: &[&str] = &["solved", "until", "stuck"];

    /// The name: `solved`, `until` if it went as far as you asked, or `stuck` if it went only as far as
    /// the techniques lead.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ExplanationEnd::NAMES[self.index()]
    }

    /// The index of the name in [`ExplanationEnd::NAMES`].
    pub(crate) const fn index(self) -> usize {
        match self {
            ExplanationEnd::Solved => 0,
            ExplanationEnd::AboveRating(_) | ExplanationEnd::AfterRound => 1,
            ExplanationEnd::BeyondTechniques | ExplanationEnd::Contradiction => 2,
        }
    }
}

/// One round of an explanation.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedRound {
    /// The number of the round, from 1.
    pub number: u32,
    /// The state before the round.
    pub before: State,
    /// The rating of its deductions.
    pub rating: Rating,
    /// The techniques that found a deduction in this round.
    pub techniques: TechniqueSet,
    /// All deductions with their reasons. They are sorted by technique, then in reading order of the cells
    /// that they change.
    pub steps: Vec<Step>,
}

/// The rounds that lead from a puzzle towards its solution, as far as the techniques find something.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The rounds, in order.
    pub rounds: Vec<ExplainedRound>,
    /// The state after the last round.
    pub state: State,
    /// The ratings of the rounds.
    pub rating: PuzzleRating,
    /// Why the explanation ended.
    pub end: ExplanationEnd,
}

/// Explains puzzles. Create one per thread, because it keeps buffers from one puzzle to the next.
///
/// ```
/// use std::sync::atomic::AtomicBool;
///
/// use gridmill_core::grid::Puzzle;
/// use gridmill_core::logic::{Explainer, ExplanationEnd, Scale, State};
/// use gridmill_core::solver::{EngineKind, SolutionLimit};
///
/// let puzzle: Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79".parse()?;
/// let outcome = EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS);
/// assert_eq!(outcome.solutions, 1);
///
/// let never_stop = AtomicBool::new(false);
/// let mut explainer = Explainer::new(Scale::Sukaku, None);
/// let explanation = explainer.explain(State::from_puzzle(&puzzle), &outcome.solution.unwrap(), &never_stop).unwrap();
/// assert_eq!(explanation.end, ExplanationEnd::Solved);
/// assert_eq!(explanation.rating.er.to_string(), "1.2");
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
#[derive(Debug)]
pub struct Explainer {
    scale: Scale,
    until: Option<Until>,
    scratch: Scratch,
}

impl Explainer {
    /// Creates an explainer that uses the techniques of a scale.
    #[must_use]
    pub fn new(scale: Scale, until: Option<Until>) -> Explainer {
        Explainer { scale, until, scratch: Scratch::default() }
    }

    /// Breaks ties in this order, so that the explanation agrees with the rating of a [`Rater`](super::Rater)
    /// that has the same `ties`.
    #[must_use]
    pub fn with_ties(mut self, ties: Ties) -> Explainer {
        self.scratch.ties = ties;
        self
    }

    /// Explains a puzzle, starting from `state`. Every deduction is checked against `solution`, which must be
    /// the only one. A deduction that contradicts it ends the explanation ([`ExplanationEnd::Contradiction`]).
    ///
    /// The result is `None` if `stop` became true. The flag is read before each round, and also within rounds
    /// that take long.
    pub fn explain(&mut self, state: State, solution: &Solution, stop: &AtomicBool) -> Option<Explanation> {
        let limit = match self.until {
            Some(Until::Rating(limit)) => limit,
            _ => Rating::BEYOND,
        };
        let end = ExplanationEnd::Solved;
        let mut explanation = Explanation { rounds: Vec::new(), state, rating: PuzzleRating::NONE, end };
        explanation.end = loop {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            if explanation.state.is_solved() {
                explanation.rating.end = RatingEnd::Solved;
                break ExplanationEnd::Solved;
            }
            if self.until == Some(Until::Round(explanation.rounds.len() as u32)) {
                break ExplanationEnd::AfterRound;
            }
            let mut round = Round::with_steps();
            if round.refill(&explanation.state, self.scale, limit, &mut self.scratch, stop) {
                if !explanation.add_round(round, solution) {
                    break ExplanationEnd::Contradiction;
                }
            } else if !stop.load(Ordering::Relaxed) {
                break match self.until {
                    Some(Until::Rating(rating)) => ExplanationEnd::AboveRating(rating),
                    _ => ExplanationEnd::BeyondTechniques,
                };
            }
        };
        Some(explanation)
    }
}

impl Explanation {
    /// The rating of the puzzle, or `None` if the rounds did not lead to its solution.
    #[must_use]
    pub fn er(&self) -> Option<Rating> {
        (self.end == ExplanationEnd::Solved).then_some(self.rating.er)
    }

    /// Adds a round and applies it to the state. Returns false, and leaves the state as it is, if the round
    /// contradicts the solution.
    fn add_round(&mut self, mut round: Round, solution: &Solution) -> bool {
        let mut steps = round.steps.take().unwrap_or_default();
        steps.sort_by_cached_key(sort_key);
        let number = self.rounds.len() as u32 + 1;
        let Round { rating, techniques, .. } = round;
        self.rounds.push(ExplainedRound { number, before: self.state.clone(), rating, techniques, steps });
        self.rating.add(&round);
        let holds = |(cell, digit): (usize, usize)| usize::from(solution.cells()[cell]) == digit + 1;
        let agrees = round.placed.iter().all(holds) && !round.removed.iter().any(holds);
        if agrees {
            round.apply(&mut self.state);
        }
        agrees
    }
}

/// The sort key of a step within its round: first the technique, then the changed candidates in reading
/// order, then the length of the reason. With this key, steps come in an order that suits readers, not in the
/// order in which the search found them.
fn sort_key(step: &Step) -> (Technique, Vec<(usize, usize)>, usize, String) {
    let mut result: Vec<(usize, usize)> = match step.deduction.placed {
        Some(placed) => vec![placed],
        None => step.deduction.removed.iter().collect(),
    };
    result.sort_unstable();
    let reason = &step.pattern.reason;
    (step.deduction.technique, result, reason.len(), reason.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Puzzle;
    use crate::solver::{EngineKind, SolutionLimit};

    static NEVER_STOP: AtomicBool = AtomicBool::new(false);
    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn explain(until: Option<Until>) -> Explanation {
        let puzzle: Puzzle = EASY.parse().unwrap();
        let solution =
            EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::UNIQUENESS).solution.unwrap();
        Explainer::new(Scale::Sukaku, until)
            .explain(State::from_puzzle(&puzzle), &solution, &NEVER_STOP)
            .unwrap()
    }

    #[test]
    fn each_round_starts_from_the_state_after_the_previous_one() {
        let explanation = explain(None);
        assert_eq!((explanation.end, explanation.rating.end), (ExplanationEnd::Solved, RatingEnd::Solved));
        assert_eq!(explanation.rating.round_count as usize, explanation.rounds.len());
        assert!(explanation.state.is_solved());
        for (number, round) in (1..).zip(&explanation.rounds) {
            assert_eq!(round.number, number);
            for step in &round.steps {
                assert!(step.deduction.placed.is_none_or(|(cell, digit)| round.before.has(cell, digit)));
                assert_eq!(step.deduction.rating, round.rating);
            }
        }
    }

    #[test]
    fn until_stops_after_a_round_or_before_a_higher_rating() {
        let whole = explain(None);
        let three = explain(Some(Until::Round(3)));
        assert_eq!((three.rounds.len(), three.end), (3, ExplanationEnd::AfterRound));
        assert_eq!(three.state, whole.rounds[3].before);
        let last = explain(Some(Until::Round(whole.rounds.len() as u32)));
        assert_eq!(last.end, ExplanationEnd::Solved);

        let limit = Rating::LEAST;
        let cheap = explain(Some(Until::Rating(limit)));
        assert_eq!((cheap.rounds.len(), cheap.end), (0, ExplanationEnd::AboveRating(limit)));
    }

    #[test]
    fn a_deduction_against_the_solution_ends_the_explanation() {
        let puzzle: Puzzle = EASY.parse().unwrap();
        let other: Puzzle =
            "162857493534129678789643521475312986913586742628794135356478219241935867897261354"
                .parse()
                .unwrap();
        let other = Solution::from_cells(*other.cells()).unwrap();
        let mut explainer = Explainer::new(Scale::Sukaku, None);
        let explanation = explainer.explain(State::from_puzzle(&puzzle), &other, &NEVER_STOP).unwrap();
        assert_eq!((explanation.end, explanation.rounds.len()), (ExplanationEnd::Contradiction, 1));
    }

    #[test]
    fn a_stopped_explanation_is_none() {
        let puzzle: Puzzle = EASY.parse().unwrap();
        let solution = EngineKind::Bitmask.build().solve(&puzzle, SolutionLimit::FIRST).solution.unwrap();
        let mut explainer = Explainer::new(Scale::Se, None);
        let explanation = explainer.explain(State::from_puzzle(&puzzle), &solution, &AtomicBool::new(true));
        assert!(explanation.is_none());
    }
}
