//! Compares the answers of engines on one batch, and reports the first puzzle on which they differ.

use std::fmt;

use gridmill_core::solver::{Outcome, SolutionLimit};

use crate::batch::{Batch, Soakable, Truth};
use crate::engines::Engine;
use crate::make::Plan;
use crate::tally::{COLUMNS, Tally};

/// The engines for puzzles of one type, and memory for their outcomes.
pub(crate) struct Comparison<P: Soakable> {
    engines: Vec<Engine<P>>,
    first: Vec<Outcome<P::Solution>>,
    other: Vec<Outcome<P::Solution>>,
    /// The puzzles for an engine that gets only a share of them, and their indices in the batch.
    share: Vec<P>,
    indices: Vec<usize>,
}

impl<P: Soakable> Comparison<P> {
    pub(crate) fn new(engines: Vec<Engine<P>>) -> Comparison<P> {
        let (first, other, share, indices) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Comparison { engines, first, other, share, indices }
    }

    /// Searches a batch with all engines. Compares the outcomes of the first engine with what is known about
    /// the puzzles, and the outcomes of the others with those of the first. Returns the first puzzle on which
    /// two answers differ.
    pub(crate) fn compare(
        &mut self,
        batch: &Batch<P>,
        plan: &Plan,
        round: u64,
        tally: &mut Tally,
    ) -> Result<(), Box<Case>> {
        let [first, others @ ..] = &mut self.engines[..] else { return Ok(()) };
        solve(first, &batch.puzzles, batch.limit, batch.puzzles.len(), &mut self.first);
        for index in 0..batch.puzzles.len() {
            let outcome = &self.first[index];
            let checked = check(batch, index, outcome).map_err(|expected| {
                case(batch, index, [describe(first, outcome), format!("expected: {expected}")])
            })?;
            let row = tally.row(batch.kinds[index]);
            row.puzzles += 1;
            row.solutions[outcome.solutions.min(2) as usize] += 1;
            row.searches[first.column] += 1;
            row.guesses += outcome.guesses;
            row.checked += u64::from(checked == Checked::ByRules);
        }
        for engine in others {
            // The share changes from round to round, because otherwise an engine would always get the puzzles
            // at the same indices.
            let is_in_share = |index: usize| (index as u64 + round).is_multiple_of(engine.every as u64);
            let is_searched =
                |index: &usize| is_in_share(*index) && (engine.can_solve)(&batch.puzzles[*index]);
            self.indices.clear();
            self.indices.extend((0..batch.puzzles.len()).filter(is_searched));
            let puzzles = if self.indices.len() == batch.puzzles.len() {
                &batch.puzzles
            } else {
                self.share.clear();
                self.share.extend(self.indices.iter().map(|&index| batch.puzzles[index].clone()));
                &self.share
            };
            solve(engine, puzzles, batch.limit, plan.per_call, &mut self.other);
            for (&index, other) in self.indices.iter().zip(&self.other) {
                if other.is_given_up && engine.may_give_up {
                    continue;
                }
                let expected = &self.first[index];
                if !agree(engine, &batch.puzzles[index], batch.limit, expected, other) {
                    return Err(case(batch, index, [describe(first, expected), describe(engine, other)]));
                }
                tally.row(batch.kinds[index]).searches[engine.column] += 1;
            }
        }
        Ok(())
    }
}

/// Solves puzzles, `per_call` of them in each call.
fn solve<P: Soakable>(
    engine: &mut Engine<P>,
    puzzles: &[P],
    limit: SolutionLimit,
    per_call: usize,
    outcomes: &mut Vec<Outcome<P::Solution>>,
) {
    outcomes.clear();
    outcomes.resize_with(puzzles.len(), || Outcome::NONE);
    let per_call = per_call.max(1);
    for (puzzles, outcomes) in puzzles.chunks(per_call).zip(outcomes.chunks_mut(per_call)) {
        engine.solver.solve_batch(puzzles, limit, outcomes);
    }
}

/// How the solution of an outcome was checked.
#[derive(Clone, Copy, PartialEq)]
enum Checked {
    /// It is the known solution, or the puzzle has none.
    ByKnowledge,
    ByRules,
}

/// Compares an outcome with what is known about the puzzle. If the solution is not known, checks it by the
/// rules. If the outcome is wrong, the error says what was expected.
fn check<P: Soakable>(
    batch: &Batch<P>,
    index: usize,
    outcome: &Outcome<P::Solution>,
) -> Result<Checked, &'static str> {
    let (puzzle, limit) = (&batch.puzzles[index], u64::from(batch.limit.get()));
    if outcome.is_given_up || outcome.solutions > limit {
        return Err("a complete search, within its limit");
    }
    if !puzzle.is_consistent_with(outcome) {
        return Err("a solution that obeys the clues and the rules, or none if the count is 0");
    }
    let is_proved = outcome.solutions == 1 && limit > 1;
    match (&batch.truths[index], &outcome.solution) {
        (Truth::None, found) => found.is_none().then_some(Checked::ByKnowledge).ok_or("no solution"),
        (Truth::One(one), Some(found)) if outcome.solutions == 1 && found == one => Ok(Checked::ByKnowledge),
        (Truth::One(_), _) => Err("exactly one solution, that of the base puzzle"),
        (Truth::Includes(one), Some(found)) if found == one => Ok(Checked::ByKnowledge),
        (Truth::Includes(_), None) => Err("a solution, because the base puzzle has one"),
        (Truth::Includes(_), Some(_)) if is_proved => {
            Err("if there is only one solution, that of the base puzzle")
        }
        (Truth::Several, _) if outcome.solutions < limit.min(2) => Err("several solutions"),
        (_, Some(found)) if !puzzle.rules_accept(found) => Err("a solution that obeys the naive rules"),
        (_, Some(_)) => Ok(Checked::ByRules),
        (_, None) => Ok(Checked::ByKnowledge),
    }
}

/// Whether the outcome of another engine agrees with that of the first one.
fn agree<P: Soakable>(
    engine: &Engine<P>,
    puzzle: &P,
    limit: SolutionLimit,
    first: &Outcome<P::Solution>,
    other: &Outcome<P::Solution>,
) -> bool {
    if first.solutions != other.solutions || other.is_given_up {
        return false;
    }
    if engine.is_backend {
        return first.guesses == other.guesses && first.solution == other.solution;
    }
    let is_proved = first.solutions <= 1 && limit.get() > 1;
    if is_proved {
        return first.solution == other.solution;
    }
    other.solution.as_ref().is_none_or(|solution| puzzle.rules_accept(solution))
        && puzzle.is_consistent_with(other)
}

fn describe<P: Soakable>(engine: &Engine<P>, outcome: &Outcome<P::Solution>) -> String {
    let solution = outcome.solution.as_ref().map_or("none".to_owned(), ToString::to_string);
    let Outcome { solutions, guesses, .. } = outcome;
    format!("{}: {solutions} solutions, {guesses} guesses, first solution {solution}", COLUMNS[engine.column])
}

fn case<P: Soakable>(batch: &Batch<P>, index: usize, answers: [String; 2]) -> Box<Case> {
    let (kind, puzzle) = (batch.kinds[index].name().to_owned(), batch.puzzles[index].to_string());
    Box::new(Case { kind, index, puzzle, limit: batch.limit.get(), answers })
}

/// A difference, with everything that is needed to reproduce it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) seed: u64,
    pub(crate) round: u64,
    /// The options of the command, except the seed and the round.
    pub(crate) options: String,
    pub(crate) puzzle: Case,
}

/// The puzzle and both answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) kind: String,
    /// Its index in the round, from 0.
    pub(crate) index: usize,
    pub(crate) puzzle: String,
    pub(crate) limit: u32,
    /// The two answers, each with the name of its engine.
    pub(crate) answers: [String; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { seed, round, options, puzzle } = self;
        writeln!(f, "DIFFERENCE: seed {seed}, round {round}, puzzle {}", puzzle.index)?;
        writeln!(f, "  kind:      {}, up to {} solutions", puzzle.kind, puzzle.limit)?;
        writeln!(f, "  puzzle:    {}", puzzle.puzzle)?;
        puzzle.answers.iter().try_for_each(|answer| writeln!(f, "  {answer}"))?;
        writeln!(f, "  reproduce: scripts/soak --seed {seed} --round {round}{options}")
    }
}
