//! Explanations and hints, as text for people (`text.rs`) and as JSON for programs; and traces, which show
//! how an engine fills and clears cells, as both. [`StepsForm`] and [`StepsObjects`] write any of these for
//! a record.

// The macro `object!` uses the names of members as names of types, which are not in camel case.
#![allow(non_camel_case_types)]

mod text;

use gridmill_core::grid::{CELLS, Shape};
use gridmill_core::jobs::{Steps, TraceRecord};
use gridmill_core::logic::{
    CandidateSet, ExplainedRound, Explanation, ExplanationEnd, GroupStatement, Link, Rating, Step, Technique,
    cell_name, group_name, house,
};
use gridmill_core::solver::TraceEvent;
use gridmill_data::output::{JsonInputKeys, put_json_string};
use gridmill_data::text::{PuzzleText, Record};
use serde::Serialize;

use crate::put;
pub use text::ExplanationStyle;

/// The maximal width of lines in text.
const WIDTH: usize = 80;

/// When a grid of candidates is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GridChoice {
    /// At the start, before rounds that need more than singles, and at an end that is not the solution.
    #[default]
    Auto,
    /// Before every round.
    Every,
    /// Never.
    Never,
}

/// Makes an object with these members in this order, because `json!` would sort them.
macro_rules! object {
    ($($name:ident: $value:expr),* $(,)?) => {{
        #[derive(Serialize)]
        struct Object<$($name),*> { $($name: $name),* }
        Object { $($name: $value),* }
    }};
}

type NamedStep<'a> = StepObject<'a, Statement, [Statement; 2]>;

/// A step as a JSON object. `C` and `L` are the forms of candidates and links.
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
    /// Makes the object of a step. `candidate` gets the cell and the digit, both from 0.
    pub fn new(
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

/// A candidate, or a statement about one.
#[derive(Serialize)]
struct Statement {
    cell: String,
    digit: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_true: Option<bool>,
}

/// Appends an explanation as a JSON object.
pub fn explanation_json(explanation: &Explanation, scale: &'static str, out: &mut Vec<u8>) {
    let is_open = explanation.end == ExplanationEnd::BeyondTechniques;
    let cell =
        |cell: usize| explanation.state.value(cell).map_or('.', |digit| char::from(b'0' + digit.get()));
    append(
        &object! {
            scale: scale,
            end: explanation.end.name(),
            er: explanation.er().map(Rating::number),
            ep: explanation.rating.ep.map(Rating::number),
            ed: explanation.rating.ed.map(Rating::number),
            at_least: is_open.then_some(explanation.rating.er.max(Rating::LEAST).number()),
            rounds: explanation.rounds.iter().map(round).collect::<Vec<_>>(),
            cells: (0..CELLS).map(cell).collect::<String>(),
            pencilmarks: explanation.state.to_pencilmarks().to_string(),
        },
        out,
    );
}

/// Appends a hint as a JSON object: the first step of the first round, or all its steps.
pub fn hint_json(explanation: &Explanation, scale: &'static str, all: bool, out: &mut Vec<u8>) {
    let round = explanation.rounds.first();
    let steps = round.map_or(&[][..], |round| &round.steps);
    let shown = if all { steps.len() } else { steps.len().min(1) };
    append(
        &object! {
            scale: scale,
            rating: round.map(|round| round.rating.number()),
            deductions: steps.len(),
            steps: steps[..shown].iter().map(step).collect::<Vec<_>>(),
        },
        out,
    );
}

/// Appends a JSON object.
fn append(object: &impl Serialize, out: &mut Vec<u8>) {
    // Neither can fail: keys are strings, and a `Vec` takes every byte.
    let _ = serde_json::to_writer(out, object);
}

fn round(round: &ExplainedRound) -> impl Serialize {
    object! {
        round: round.number,
        rating: round.rating.number(),
        techniques: round.techniques.iter().map(Technique::slug).collect::<Vec<_>>(),
        steps: round.steps.iter().map(step).collect::<Vec<_>>(),
    }
}

fn step(step: &Step) -> NamedStep<'_> {
    StepObject::new(step, candidate, |&Link { from, to }| [from, to].map(statement))
}

fn candidate((cell, digit): (usize, usize)) -> Statement {
    Statement { cell: cell_name(cell), digit: digit + 1, is_true: None }
}

fn statement(GroupStatement { cells, digit, is_true }: GroupStatement) -> Statement {
    Statement { cell: group_name(cells), digit: digit + 1, is_true: Some(is_true) }
}

/// Writes a line for each event, numbered from 1, and then how the search ended.
pub fn trace_text(puzzle: &impl PuzzleText, trace: &TraceRecord) -> String {
    let mut out = String::new();
    let width = trace.events.len().to_string().len();
    for (number, event) in (1..).zip(&trace.events) {
        put(&mut out, format_args!("{number:width$}  {}\n", words(puzzle, *event)));
    }
    let events = trace.events.len();
    let plural = if events == 1 { "" } else { "s" };
    let (end, more) = match trace {
        TraceRecord { is_cut: true, .. } => ("cut off", ": --limit shows more"),
        TraceRecord { is_solved: true, .. } => ("solved", ""),
        _ => ("no solution", ""),
    };
    put(&mut out, format_args!("{end} after {events} event{plural}{more}\n"));
    out
}

/// Describes an event, e.g. `r1c2 = 7, a guess`.
fn words(puzzle: &impl PuzzleText, event: TraceEvent) -> String {
    let shape = puzzle.shape();
    match event {
        TraceEvent::Filled { cell, digit, is_guess } => {
            let digit = puzzle.symbol(digit).map_or_else(|| digit.to_string(), String::from);
            let guess = if is_guess { ", a guess" } else { "" };
            format!("{} = {digit}{guess}", cell.name(shape))
        }
        TraceEvent::Cleared { cell } => format!("{} cleared", cell.name(shape)),
        TraceEvent::Dead { cell } => format!("{} can hold no digit", cell.name(shape)),
    }
}

#[derive(Serialize)]
struct Event {
    event: &'static str,
    cell: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    digit: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guess: Option<bool>,
}

/// Appends a trace as a JSON object. Digits are numbers.
pub fn trace_json(shape: Shape, trace: &TraceRecord, out: &mut Vec<u8>) {
    let event = |event: &TraceEvent| {
        let (event, cell, filled) = match *event {
            TraceEvent::Filled { cell, digit, is_guess } => ("filled", cell, Some((digit.get(), is_guess))),
            TraceEvent::Cleared { cell } => ("cleared", cell, None),
            TraceEvent::Dead { cell } => ("dead", cell, None),
        };
        let (digit, guess) = filled.unzip();
        Event { event, cell: cell.name(shape), digit, guess }
    };
    append(
        &object! {
            engine: trace.engine.name(),
            complete: !trace.is_cut,
            solved: trace.is_solved,
            events: trace.events.iter().map(event).collect::<Vec<_>>(),
        },
        out,
    );
}

/// How the steps of a record are written. The command and the Python package both use this, so that they write
/// the same.
#[derive(Clone, Copy, Debug)]
pub struct StepsForm {
    /// The look of texts. Objects only use its scale.
    pub text: ExplanationStyle,
    /// How many of the steps are written.
    pub extent: StepsExtent,
}

/// How many steps of a record are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepsExtent {
    /// The whole explanation.
    Explanation,
    /// A hint: only the first deduction.
    Hint,
    /// A hint with all deductions of the lowest rating.
    AllHints,
}

impl StepsForm {
    /// Describes the steps of a puzzle in words.
    #[must_use]
    pub fn words(&self, puzzle: &impl PuzzleText, steps: &Steps) -> String {
        match (steps, self.extent) {
            (Steps::Traced(traced), _) => trace_text(puzzle, traced),
            (Steps::Explained(explained), StepsExtent::Explanation) => self.text.explanation(explained),
            (Steps::Explained(explained), extent) => {
                self.text.hint(explained, extent == StepsExtent::AllHints)
            }
        }
    }

    fn put_json(&self, puzzle: &impl PuzzleText, steps: &Steps, out: &mut Vec<u8>) {
        let scale = self.text.scale;
        match (steps, self.extent) {
            (Steps::Traced(traced), _) => trace_json(puzzle.shape(), traced, out),
            (Steps::Explained(explained), StepsExtent::Explanation) => {
                explanation_json(explained, scale, out);
            }
            (Steps::Explained(explained), extent) => {
                hint_json(explained, scale, extent == StepsExtent::AllHints, out);
            }
        }
    }
}

/// Writes a JSON object for each record: the data of the input, the status, and the steps.
#[derive(Clone, Debug)]
pub struct StepsObjects {
    form: StepsForm,
    start: JsonInputKeys,
    status: Vec<u8>,
    steps: Vec<u8>,
}

impl StepsObjects {
    /// Makes a writer of objects that begin with `start` and have the steps under `key`.
    #[must_use]
    pub fn new(form: StepsForm, start: JsonInputKeys, key: &str) -> StepsObjects {
        let [status, steps] = ["status", key].map(|name| start.new_key(name));
        StepsObjects { form, start, status, steps }
    }

    /// Appends the object of a record on one line. `text` is the text of the record. A record may have no
    /// puzzle, and a puzzle may have no steps; then the steps are `null`.
    pub fn write<P: PuzzleText>(
        &self,
        record: &Record,
        text: &[u8],
        puzzle: Option<&P>,
        (status, steps): (&str, Option<&Steps>),
        out: &mut Vec<u8>,
    ) {
        self.start.write(record, text, puzzle, out);
        out.extend_from_slice(&self.status);
        put_json_string(status.as_bytes(), out);
        out.extend_from_slice(&self.steps);
        match (puzzle, steps) {
            (Some(puzzle), Some(steps)) => self.form.put_json(puzzle, steps, out),
            _ => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b"}\n");
    }
}
