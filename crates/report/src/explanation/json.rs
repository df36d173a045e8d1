//! Explanations and hints as JSON.

use serde::Serialize;

use gridmill_core::grid::CELLS;
use gridmill_core::logic::{
    CandidateSet, ExplainedRound, Explanation, ExplanationEnd, Link, Rating, State, Step, Technique,
    cell_name, house,
};

/// The object of a puzzle.
#[derive(Serialize)]
struct Told<'a> {
    scale: &'static str,
    end: &'static str,
    er: Option<f64>,
    ep: Option<f64>,
    ed: Option<f64>,
    at_least: Option<f64>,
    rounds: Vec<Round<'a>>,
    cells: String,
    pencilmarks: String,
}

/// The next steps of a puzzle.
#[derive(Serialize)]
struct Hint<'a> {
    scale: &'static str,
    rating: Option<f64>,
    deductions: usize,
    steps: Vec<StepTold<'a>>,
}

#[derive(Serialize)]
struct Round<'a> {
    round: u32,
    rating: f64,
    techniques: Vec<&'static str>,
    steps: Vec<StepTold<'a>>,
}

type StepTold<'a> = StepObject<'a, Statement, [Statement; 2]>;

/// The object of a step, whose candidates and links are written as `C` and `L`.
#[derive(Serialize)]
pub struct StepObject<'a, C, L> {
    technique: &'static str,
    rating: f64,
    reason: &'a str,
    placed: Option<C>,
    removed: Vec<C>,
    houses: Vec<String>,
    pattern: Vec<C>,
    links: Vec<L>,
}

impl<'a, C, L> StepObject<'a, C, L> {
    /// Returns the object of a step. Cells and digits are given from 0.
    pub fn of(
        Step { deduction, pattern }: &'a Step,
        candidate: fn((usize, usize)) -> C,
        link: fn(&Link) -> L,
    ) -> StepObject<'a, C, L> {
        let candidates = |set: &CandidateSet| set.iter().map(candidate).collect();
        StepObject {
            technique: deduction.technique.slug(),
            rating: deduction.rating.number(),
            reason: &pattern.reason,
            placed: deduction.placed.map(candidate),
            removed: candidates(&deduction.removed),
            houses: pattern.houses.iter().map(|&index| house(index).to_string()).collect(),
            pattern: candidates(&pattern.candidates),
            links: pattern.links.iter().map(link).collect(),
        }
    }
}

/// A candidate, or a statement about it.
#[derive(Serialize)]
struct Statement {
    cell: String,
    digit: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    stands: Option<bool>,
}

/// Appends an explanation, an object.
pub fn explanation_json(told: &Explanation, scale: &'static str, out: &mut Vec<u8>) {
    let is_solved = told.end == ExplanationEnd::Solved;
    let is_open = told.end == ExplanationEnd::BeyondTechniques;
    let er = told.rating.er.number();
    let has_rounds = !told.rounds.is_empty();
    append(
        &Told {
            scale,
            end: end_name(told.end),
            er: (is_solved && has_rounds).then_some(er),
            ep: told.rating.ep.map(Rating::number),
            ed: told.rating.ed.map(Rating::number),
            at_least: is_open.then_some(told.rating.er.max(Rating::LEAST).number()),
            rounds: told.rounds.iter().map(round).collect(),
            cells: cells(&told.state),
            pencilmarks: told.state.to_pencilmarks().to_string(),
        },
        out,
    );
}

/// Appends a hint, an object: the first step of the first round, or all of them.
pub fn hint_json(told: &Explanation, scale: &'static str, all: bool, out: &mut Vec<u8>) {
    let round = told.rounds.first();
    let steps = round.map_or(&[][..], |round| &round.steps);
    let shown = if all { steps.len() } else { steps.len().min(1) };
    append(
        &Hint {
            scale,
            rating: round.map(|round| round.rating.number()),
            deductions: steps.len(),
            steps: steps[..shown].iter().map(step).collect(),
        },
        out,
    );
}

/// Appends an object.
pub(super) fn append(object: &impl Serialize, out: &mut Vec<u8>) {
    // Neither can fail: keys are texts, and memory takes every byte.
    let _ = serde_json::to_writer(out, object);
}

/// Returns the name of an end.
fn end_name(end: ExplanationEnd) -> &'static str {
    match end {
        ExplanationEnd::Solved => "solved",
        ExplanationEnd::AboveRating(_) | ExplanationEnd::AfterRound => "until",
        ExplanationEnd::BeyondTechniques | ExplanationEnd::Refuted => "at-least",
    }
}

fn round(round: &ExplainedRound) -> Round<'_> {
    Round {
        round: round.number,
        rating: round.rating.number(),
        techniques: round.techniques.iter().map(Technique::slug).collect(),
        steps: round.steps.iter().map(step).collect(),
    }
}

fn step(step: &Step) -> StepTold<'_> {
    StepObject::of(step, candidate, |&Link { from, to }| [from, to].map(statement))
}

fn candidate((cell, digit): (usize, usize)) -> Statement {
    Statement { cell: cell_name(cell), digit: digit + 1, stands: None }
}

fn statement((cell, digit, stands): (usize, usize, bool)) -> Statement {
    Statement { stands: Some(stands), ..candidate((cell, digit)) }
}

/// Returns the digits that are placed, and `.` for the other cells.
fn cells(state: &State) -> String {
    (0..CELLS).map(|cell| state.value(cell).map_or('.', |digit| char::from(b'0' + digit.get()))).collect()
}
