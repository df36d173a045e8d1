//! The next step, as a person would do it.

#[cfg(test)]
mod tests;

use gridmill_core::grid::{Cell, Puzzle, Shape, Solution};
use gridmill_core::jobs::Rate;
use gridmill_core::logic::{
    CandidateSet, ExplainedRound, Explainer, ExplanationEnd, Link, State, Step, Until, house,
};
use gridmill_report::StepObject;
use serde::Serialize;

use super::Known;
use crate::reply::{Refusal, Reply};

/// The note of a grid from which a candidate was taken that its solution needs.
const WRONG: &str = "a candidate was taken out that the solution needs";

/// A cell, from 0, and a digit, from 1.
type Candidate = (usize, usize);

/// Both ends of a link: cell, digit, and whether it stands.
type Ends = (usize, usize, bool, usize, usize, bool);

#[derive(Serialize)]
#[serde(tag = "event", rename = "step")]
struct Told<'a> {
    steps: Vec<StepTold<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

#[derive(Serialize)]
struct StepTold<'a> {
    #[serde(flatten)]
    step: StepObject<'a, Candidate, Ends>,
    house_cells: Vec<Vec<usize>>,
}

/// Tells the next step of a 9x9 grid with exactly one solution.
pub(super) fn tell(known: Known<'_>, rate: Rate, reply: &Reply) -> Result<(), Refusal> {
    let solution = known.verdict.solution.as_ref().map(gridmill_core::grid::Grid::cells);
    let solution = solution.and_then(|cells| Solution::from_cells(cells.try_into().ok()?));
    let (Some(solution), Some(digits)) = (solution, known.grid.digits.to_classic()) else { return Ok(()) };
    let Some(is_proper) = known.is_proper(reply)? else { return Ok(()) };
    // Ties go by the clues, as long as these say what the solution is.
    let clues = known.grid.clues.to_classic().filter(|_| is_proper).unwrap_or(digits);
    let state = state(&clues, &digits, &known.grid.removed);
    if loses_solution(&state, &solution) {
        reply.send(&Told { note: Some(WRONG), ..told(None) });
        return Ok(());
    }
    let mut explainer = Explainer::new(rate.scale, Some(Until::Round(1))).with_ties(rate.ties);
    let Some(found) = explainer.explain(state, &solution, reply.stop()) else { return Ok(()) };
    if found.end == ExplanationEnd::Refuted {
        return Err(Refusal::defect(format!("a technique of {} contradicts the solution", rate.version())));
    }
    reply.send(&told(found.rounds.first()));
    Ok(())
}

/// Returns the state of a puzzle behind some steps: with digits besides its clues, and without some candidates.
fn state(clues: &Puzzle, digits: &Puzzle, removed: &[(usize, usize)]) -> State {
    let mut state = State::of_puzzle(clues);
    let mut entries = CandidateSet::EMPTY;
    for cell in state.empty().into_iter().filter(|&cell| digits.cells()[cell] != 0) {
        entries.insert(cell, usize::from(digits.cells()[cell]) - 1);
    }
    state.place_all(&entries);
    removed.iter().for_each(|&(cell, digit)| state.remove(cell, digit));
    state
}

/// Returns whether the digit of an empty cell is no candidate of it any more.
fn loses_solution(state: &State, solution: &Solution) -> bool {
    let digit = |cell: usize| usize::from(solution.cells()[cell]) - 1;
    state.empty().into_iter().any(|cell| !state.has(cell, digit(cell)))
}

fn told(round: Option<&ExplainedRound>) -> Told<'_> {
    let steps = round.map_or(&[][..], |round| &round.steps);
    Told { steps: steps.iter().map(step_told).collect(), note: None }
}

fn step_told(step: &Step) -> StepTold<'_> {
    let cells = |&index: &usize| house(index).cells(Shape::CLASSIC).map(Cell::index).collect();
    StepTold {
        step: StepObject::of(step, candidate, link),
        house_cells: step.pattern.houses.iter().map(cells).collect(),
    }
}

fn candidate((cell, digit): (usize, usize)) -> Candidate {
    (cell, digit + 1)
}

fn link(&Link { from, to }: &Link) -> Ends {
    (from.0, from.1 + 1, from.2, to.0, to.1 + 1, to.2)
}
