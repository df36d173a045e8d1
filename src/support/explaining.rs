//! The run of `explain` and `hint`: 9x9 puzzles of clues or pencilmarks, and a text or an object for each.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use gridmill_core::grid::{Pencilmarks, Puzzle, Solution};
use gridmill_core::jobs::{Search, Status};
use gridmill_core::logic::{Explainer, Explanation, ExplanationEnd, State, Until};
use gridmill_core::solver::{Engine, SolutionLimit, Solvable, SolverKind};
use gridmill_data::error::Error;
use gridmill_data::output::{JsonLead, put_text};
use gridmill_data::pipeline::{Describe, Describer, Description, NumberedRecord, Stage, rows_to};
use gridmill_data::record::DuplicateDigit;
use gridmill_data::text::{Layout, PuzzleKind, PuzzleText};

use super::command_error::CommandError;
use super::input_args::InputArgs;
use super::input_set::StageMaker;
use super::interrupt::stop_on_interrupt;
use super::outputs::finish_output;
use super::rating::ScaleArgs;
use super::rows::{JSON_NAMES, extension};
use super::values::file_name;
use crate::cli::End;

/// How texts for people look, and whether there are objects instead.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TextArgs {
    /// Write JSON Lines, an object a record [default: only if the output's name ends in .jsonl or .ndjson]
    #[arg(long)]
    json: bool,

    /// Show what matters in colours; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: ColorArg,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
enum ColorArg {
    #[default]
    Auto,
    Always,
    Never,
}

impl TextArgs {
    /// Returns whether there are objects.
    pub(crate) fn is_json(self, input: &InputArgs) -> bool {
        let name = input.output.as_deref().and_then(extension);
        self.json || name.is_some_and(|name| JSON_NAMES.contains(&&name[..]))
    }

    /// Returns whether there are colours.
    pub(crate) fn has_colours(self, input: &InputArgs) -> bool {
        match self.color {
            ColorArg::Always => true,
            ColorArg::Never => false,
            ColorArg::Auto => file_name(input.output.as_deref()).is_none() && console::colors_enabled(),
        }
    }
}

/// Writes what was found out about a puzzle.
pub(crate) trait Teller: Sync {
    /// The key of its objects.
    const KEY: &'static str;

    /// Returns the text, with a line end.
    fn text(&self, told: &Explanation) -> String;

    /// Appends the object.
    fn json(&self, told: &Explanation, out: &mut Vec<u8>);

    /// Returns whether an explanation with that end is less than what was wanted.
    fn is_lacking(&self, told: &Explanation) -> bool;
}

/// A kind of puzzle that techniques are for.
trait Explainable: PuzzleText + Solvable<Solution = Solution> {
    fn state(&self) -> State;
}

impl Explainable for Puzzle {
    fn state(&self) -> State {
        State::of_puzzle(self)
    }
}

impl Explainable for Pencilmarks {
    fn state(&self) -> State {
        State::of_pencilmarks(self)
    }
}

/// A run over the puzzles of some files.
pub(crate) struct Explaining<'a, T> {
    pub(crate) input: &'a InputArgs,
    pub(crate) is_json: bool,
    pub(crate) scale: ScaleArgs,
    pub(crate) until: Option<Until>,
    pub(crate) teller: T,
}

impl<T: Teller> Explaining<'_, T> {
    pub(crate) fn run(&self) -> Result<End, Error> {
        let lacking = Arc::new(AtomicBool::new(false));
        let end = run_stages(self.input, false, &|layout| match layout.kind() {
            PuzzleKind::Classic => Ok(self.stage::<Puzzle>(layout, &lacking)),
            PuzzleKind::Pencilmarks => Ok(self.stage::<Pencilmarks>(layout, &lacking)),
            PuzzleKind::AnyShape => Err(CommandError::NotForTechniques { shape: layout.shape }.into()),
        })?;
        let is_lacking = end == End::Good && lacking.load(Ordering::Relaxed);
        Ok(if is_lacking { End::Imperfect } else { end })
    }

    fn stage<'s, P: Explainable>(
        &'s self,
        layout: &Layout,
        lacking: &Arc<AtomicBool>,
    ) -> Box<dyn Stage + 's> {
        let (lacking, keys) = (Arc::clone(lacking), self.is_json.then(|| Keys::of(layout, T::KEY)));
        let describer = move || ExplainingDescriber::<P, T> {
            run: self,
            search: Search::new(Engine::Other(SolverKind::Bitmask)),
            explainer: Explainer::new(self.scale.profile(), self.until).with_ties(self.scale.ties()),
            keys: keys.clone(),
            lacking: Arc::clone(&lacking),
        };
        let diagnostics = !self.input.common.quiet;
        Box::new(Describe {
            format: layout.format::<P>(),
            describer: Box::new(move || Box::new(describer())),
            diagnostics,
        })
    }
}

/// Runs a stage for each file, and finishes the output.
pub(super) fn run_stages<'s>(
    input: &InputArgs,
    only_clues: bool,
    stage_for: &StageMaker<'_, 's, Vec<u8>>,
) -> Result<End, Error> {
    let mut files = input.open()?;
    let mut output = input.open_output(&files)?;
    let stop = stop_on_interrupt();
    let is_detected =
        if only_clues { input.detect_clues(&mut files, &stop)? } else { input.detect(&mut files, &stop)? };
    if !is_detected {
        return Ok(End::Interrupted);
    }
    let totals = files.run(&mut rows_to(&mut output), None, &stop, stage_for)?;
    finish_output(output, None, &totals, format_args!("{} whole records", totals.records))
}

/// The keys of objects: those of the input, `status`, and that of what is told.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    lead: JsonLead,
    status: Vec<u8>,
    told: Vec<u8>,
}

impl Keys {
    pub(super) fn of(layout: &Layout, told: &str) -> Keys {
        let lead = JsonLead::of(layout);
        let [status, told] = ["status", told].map(|name| lead.new_key(name));
        Keys { lead, status, told }
    }

    /// Appends an object on a line; `tell` appends what is told, or null.
    pub(super) fn write<P: PuzzleText>(
        &self,
        record: &NumberedRecord<'_, P>,
        status: Status,
        tell: impl FnOnce(&mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        self.lead.write(record.record, record.record.text(record.chunk), record.puzzle, out);
        out.extend_from_slice(&self.status);
        put_text(status.name().as_bytes(), out);
        out.extend_from_slice(&self.told);
        tell(out);
        out.extend_from_slice(b"}\n");
    }
}

/// Appends the heading of a record.
pub(super) fn put_heading<P>(record: &NumberedRecord<'_, P>, words: &str, out: &mut Vec<u8>) {
    let blank = if record.number > 1 { "\n" } else { "" };
    out.extend_from_slice(format!("{blank}record {}: {words}\n", record.number).as_bytes());
}

/// Returns the status of a record, and why there is nothing below it.
pub(super) fn status_words<P: PuzzleText>(record: &NumberedRecord<'_, P>, status: Status) -> String {
    let reason = match status {
        Status::Multiple => ": several solutions, and only one can be explained".to_owned(),
        Status::None => ": there is no solution".to_owned(),
        Status::Conflict => {
            let conflict = record.puzzle.and_then(DuplicateDigit::find);
            conflict.map_or_else(String::new, |conflict| format!(": {conflict}"))
        }
        _ => String::new(),
    };
    format!("{}{reason}", status.name())
}

struct ExplainingDescriber<'a, P: Explainable, T> {
    run: &'a Explaining<'a, T>,
    search: Search<P>,
    explainer: Explainer,
    keys: Option<Keys>,
    lacking: Arc<AtomicBool>,
}

impl<P: Explainable, T: Teller> Describer<P> for ExplainingDescriber<'_, P, T> {
    fn describe(
        &mut self,
        record: &NumberedRecord<'_, P>,
        stop: &AtomicBool,
        out: &mut Vec<u8>,
    ) -> Option<Description> {
        let (mut status, mut told, mut refuted) = (Status::Malformed, None, None);
        if let Some(puzzle) = record.puzzle {
            match self.search.run(slice::from_ref(puzzle), SolutionLimit::UNIQUENESS, stop) {
                Err(wrong) => refuted = Some(wrong.engine),
                Ok(found) => {
                    let found = found.first()?;
                    status = Status::proved(puzzle, found);
                    if let (Status::Unique, Some(solution)) = (status, &found.solution) {
                        told = Some(self.explainer.explain(puzzle.state(), solution, stop)?);
                    }
                }
            }
        }
        if told.as_ref().is_some_and(|told| told.end == ExplanationEnd::Refuted) {
            refuted = Some("logic");
        }
        self.write(record, status, told.as_ref(), out);
        let is_lacking = told.is_none_or(|told| self.run.teller.is_lacking(&told));
        self.lacking.fetch_or(is_lacking, Ordering::Relaxed);
        Some(Description { status, is_lacking, refuted })
    }
}

impl<P: Explainable, T: Teller> ExplainingDescriber<'_, P, T> {
    fn write(
        &self,
        record: &NumberedRecord<'_, P>,
        status: Status,
        told: Option<&Explanation>,
        out: &mut Vec<u8>,
    ) {
        let teller = &self.run.teller;
        if let Some(keys) = &self.keys {
            let tell = |out: &mut Vec<u8>| match told {
                Some(told) => teller.json(told, out),
                None => out.extend_from_slice(b"null"),
            };
            return keys.write(record, status, tell, out);
        }
        put_heading(record, &status_words(record, status), out);
        out.extend(told.map(|told| teller.text(told)).unwrap_or_default().bytes());
    }
}
