//! The steps of `explain` and `hint`: a text for people, or an object, for every record.

use clap::{Args, ValueEnum};
use gridmill_core::jobs::{DuplicateDigit, Job, Schema, Steps, Value};
use gridmill_data::error::Error;
use gridmill_data::output::{JsonLead, put_text};
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::{AnsweredRecords, Sink};
use gridmill_data::text::{Layout, PuzzleKind, PuzzleText};

use super::command_error::CommandError;
use super::inputs::InputArgs;
use super::job_run::JobCommand;
use super::rows::{JSON_NAMES, extension};
use super::values::file_name;

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
    fn is_json(self, input: &InputArgs) -> bool {
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

/// Describes the steps of a puzzle.
pub(crate) trait StepsText: Sync {
    /// The key of its objects.
    const KEY: &'static str;

    /// Whether the steps are those of people: techniques are for 9x9, as clues or pencilmarks.
    const IS_OF_PEOPLE: bool = true;

    /// Returns the words beside the number of a record with that status.
    fn heading(&self, status: &'static str, _: &Steps) -> &'static str {
        status
    }

    /// Returns the text below the heading, with a line end.
    fn text(&self, puzzle: &impl PuzzleText, steps: &Steps) -> String;

    /// Appends the object.
    fn json(&self, puzzle: &impl PuzzleText, steps: &Steps, out: &mut Vec<u8>);
}

/// The run of a command that tells the steps of every puzzle.
pub(crate) struct StepsCommand<'a, J, T> {
    pub(crate) input: &'a InputArgs,
    pub(crate) args: TextArgs,
    pub(crate) job: J,
    pub(crate) text: T,
}

impl<J: Job + Copy, T: StepsText> JobCommand for StepsCommand<'_, J, T> {
    type Job = J;

    const HAS_SUMMARY: bool = false;
    const TAKES_PENCILMARKS: bool = T::IS_OF_PEOPLE;
    const KEEPS_LONG_LINES: bool = false;

    fn input(&self) -> &InputArgs {
        self.input
    }

    fn job(&self, _: &Layout) -> Result<J, Error> {
        Ok(self.job)
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        match layout.kind() {
            PuzzleKind::AnyShape if T::IS_OF_PEOPLE => {
                Err(CommandError::NotForTechniques { shape: layout.shape }.into())
            }
            _ => Ok(()),
        }
    }

    fn sink<P: PuzzleText>(&self, layout: &Layout, _: &Schema) -> Box<dyn Sink<P> + '_> {
        let keys = self.args.is_json(self.input).then(|| Keys::new(layout, T::KEY));
        Box::new(StepsSink { text: &self.text, keys })
    }

    /// A puzzle may take seconds.
    fn sizing(&self, _: &Layout, _: &J) -> ChunkSizing {
        ChunkSizing::SINGLES
    }
}

/// Writes the steps of every record: as text for people, or as an object a record.
struct StepsSink<'a, T> {
    text: &'a T,
    /// The keys of objects, where there are objects.
    keys: Option<Keys>,
}

impl<T: StepsText> StepsSink<'_, T> {
    /// Appends a heading, and below it the steps, or in the heading why there are none.
    fn put_text<P: PuzzleText>(
        &self,
        number: u64,
        status: &'static str,
        puzzle: Option<&P>,
        steps: Option<&Steps>,
        out: &mut Vec<u8>,
    ) {
        let blank = if number > 1 { "\n" } else { "" };
        let (heading, text) = match (puzzle, steps) {
            (Some(puzzle), Some(steps)) => {
                (self.text.heading(status, steps).to_owned(), self.text.text(puzzle, steps))
            }
            _ => (format!("{status}{}", reason(status, puzzle)), String::new()),
        };
        out.extend_from_slice(format!("{blank}record {number}: {heading}\n{text}").as_bytes());
    }
}

impl<P: PuzzleText, T: StepsText> Sink<P> for StepsSink<'_, T> {
    fn is_bulky(&self) -> bool {
        true
    }

    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        let schema = records.answers.schema();
        let malformed = schema.statuses[usize::from(schema.malformed())].name;
        for (number, record, answered) in records.iter() {
            let puzzle = answered.map(|(puzzle, _)| puzzle);
            let status = answered.map_or(malformed, |(_, answer)| {
                schema.statuses[usize::from(records.answers.statuses()[answer])].name
            });
            let steps = answered.and_then(|(_, answer)| match records.answers.value(STEPS, answer) {
                Value::Steps(steps) => Some(steps),
                _ => None,
            });
            let Some(keys) = &self.keys else {
                self.put_text(records.earlier_records + number, status, puzzle, steps, out);
                continue;
            };
            keys.lead.write(record, record.text(records.chunk), puzzle, out);
            out.extend_from_slice(&keys.status);
            put_text(status.as_bytes(), out);
            out.extend_from_slice(&keys.steps);
            match (puzzle, steps) {
                (Some(puzzle), Some(steps)) => self.text.json(puzzle, steps, out),
                _ => out.extend_from_slice(b"null"),
            }
            out.extend_from_slice(b"}\n");
        }
    }
}

/// The place of the steps among the columns of a job that has them.
const STEPS: usize = 1;

/// Returns why there is nothing to tell of a puzzle with that status.
fn reason(status: &str, puzzle: Option<&impl PuzzleText>) -> String {
    match status {
        "multiple" => ": several solutions, and only one can be explained".to_owned(),
        "none" => ": there is no solution".to_owned(),
        "conflict" => {
            let conflict = puzzle.and_then(DuplicateDigit::find);
            conflict.map_or_else(String::new, |conflict| format!(": {conflict}"))
        }
        _ => String::new(),
    }
}

/// The keys of objects: those of the input, `status`, and that of the steps.
struct Keys {
    lead: JsonLead,
    status: Vec<u8>,
    steps: Vec<u8>,
}

impl Keys {
    fn new(layout: &Layout, steps: &str) -> Keys {
        let lead = JsonLead::of(layout);
        let [status, steps] = ["status", steps].map(|name| lead.new_key(name));
        Keys { lead, status, steps }
    }
}
