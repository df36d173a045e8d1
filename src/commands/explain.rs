//! `gridmill rate`, `gridmill explain` and `gridmill hint`: how hard puzzles are for people; how a person or
//! an engine solves them; and the next step of a puzzle. The output has a row for each record, or text for
//! people, or JSON objects.

use clap::builder::TypedValueParser;
use clap::{Args, ColorChoice, ValueEnum};
use gridmill_core::jobs::{DuplicateDigit, Job, Rate as RateJob, Schema, Steps, Trace, Value};
use gridmill_core::logic::{Rating, Until};
use gridmill_core::solver::TracedEngine;
use gridmill_data::error::Error;
use gridmill_data::output::JsonInputKeys;
use gridmill_data::pipeline::ChunkSizing;
use gridmill_data::record::{AnsweredRecords, Sink, Tally};
use gridmill_data::text::{Layout, PuzzleKind, PuzzleText};
use gridmill_report::{ExplanationStyle, GridChoice, RatingCounts, StepsExtent, StepsForm, StepsObjects};

use serde_json::json;

use crate::cli::{End, TaskOptions};
use crate::support::command_error::{refuse, size};
use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand, run_job};
use crate::support::options::{ScaleArgs, check_ratable, one_of, until, up_to};
use crate::support::parts::PartArgs;
use crate::support::rows::{RowsArgs, is_json_name, without_grids};
use crate::support::summary::ResultLine;

const RATE_HELP: &str = "\
Examples:
  gridmill rate puzzles.txt -o rated.csv
      a row for every puzzle: puzzle,er,ep,ed,hardest,steps,scale,status
  gridmill rate puzzles.txt --up-to 3.8 -o rated.csv
      less work: puzzles above 3.8 get the status above, and no rating
  gridmill rate train.csv --techniques -o rated.csv.zst
      the columns of train.csv, the new ones, and a column for each technique, e.g. rounds_x-wing
  gridmill rate train.csv --columns id,er,hardest -o rated.csv
      the column id of train.csv, and two of the new ones
  gridmill rate puzzles.txt --scale se | gridmill select - --where 'er>=6'
      on the scale of Sudoku Explainer itself; puzzles of 6.0 and above
  gridmill rate big.txt --shard 3/64 -o part3.csv --resume --skip-existing
      the third of 64 parts, each for a process of its own; together they are the whole
  gridmill rate hard.txt --ties reading -o rated.csv
      to compare with published ratings from 7.5 up

A puzzle is solved as people do, in rounds. Each round uses the cheapest technique that finds
something, and makes all its deductions of the lowest rating together. So a rating depends only on
the puzzle, and isomorphs have the same one. er is the highest rating of a round, ep the highest up
to the first placement of a digit, ed that of the first round; hardest is the technique of er, steps
the number of rounds. You can only compare ratings of the same scale and version: the column scale
names both.

From 7.5 up, several chains may lead to one deduction, and the order of cells may decide which of
them counts, and so the rating. gridmill uses the order of the minlex form, which is the same for
all isomorphs. Published ratings depend on how the grid was written: to compare with them, use
--ties reading, which takes the cells in reading order. The column scale then ends in -reading.

--up-to adds a column up_to. If a puzzle is not solved by rounds up to that rating, it gets the
status above: its rating is higher than up_to. The columns of its rating are empty, except ep and ed
if they are known, so that a number in er is always a rating, and never a bound.

Status of a row: rated, above (with --up-to), unsolved (no technique finds more), multiple or none
(solutions: only puzzles with exactly one are rated), conflict (two equal clues in a house),
malformed (could not be read).

For 9x9 puzzles, and pencilmarks, which are rated from the candidates that they have.

Exit codes: 0 every puzzle was rated, or is above, 1 some have another status, 2 the job could not
be done, 130 interrupted.";

/// Rate how hard every puzzle of a file is for people, on the scale of Sudoku Explainer
#[derive(Debug, Args)]
#[command(after_help = RATE_HELP, mut_args(without_grids), mut_arg("mixed", |mixed| mixed.hide(true)))]
pub(crate) struct Rate {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: RowsArgs,

    #[command(flatten)]
    scale: ScaleArgs,

    /// Use no technique above this rating
    #[arg(long, value_name = "RATING")]
    up_to: Option<Rating>,

    /// Add a column for each technique: the number of rounds in which it found something
    #[arg(long)]
    techniques: bool,

    /// Add the column time_ns: the time of the rating in nanoseconds
    #[arg(long)]
    times: bool,
}

impl JobCommand for Rate {
    type Job = RateJob;

    const TAKES_PENCILMARKS: bool = true;

    fn args(&self) -> JobArgs<'_> {
        let rows = self.rows.choice(&self.input, false);
        JobArgs { input: &self.input, parts: &self.parts, rows: Some(rows) }
    }

    fn job(&self, layout: &Layout) -> Result<RateJob, Error> {
        Ok(RateJob {
            engine: layout.fastest_engine(),
            scale: self.scale.scale,
            ties: self.scale.ties,
            up_to: self.up_to,
            techniques: self.techniques,
            times: self.times,
        })
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        check_ratable(layout)
    }

    fn results(&self, tally: &Tally) -> Vec<ResultLine> {
        let limit = self.up_to.map(|limit| format!(", up to {limit}")).unwrap_or_default();
        let scale = format!("{}{limit}", self.scale.version());
        let value = json!(self.scale.version());
        let mut results = vec![ResultLine { name: "scale", text: scale, value }];
        let ratings = tally.ratings().map(|(rating, puzzles)| (rating.to_string(), json!(puzzles)));
        let ratings = serde_json::Value::Object(ratings.collect());
        for (name, text) in RatingCounts::from_tally(tally).lines() {
            // The other lines draw the same numbers as a chart, so they add no value for programs.
            let value = if name.is_empty() { serde_json::Value::Null } else { ratings.clone() };
            results.push(ResultLine { name, text, value });
        }
        results
    }

    /// The chunks are small, because one puzzle may take as long as a hundred others.
    fn sizing(&self, _: &Layout, _: &RateJob) -> ChunkSizing {
        ChunkSizing::UNEVEN
    }
}

const EXPLAIN_HELP: &str = "\
Examples:
  gridmill explain 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
      a puzzle instead of a file: every step to its solution
  gridmill explain puzzle.txt --until 4.2
      the steps up to a rating of 4.2; --until 12 ends after round 12
  gridmill explain puzzles.txt -o steps.jsonl
      an object for each puzzle, with all steps
  gridmill explain puzzle.txt --color always | less -R
      colours through a pipe
  gridmill explain puzzle.txt --trace backtracking --limit 50
      the first 50 cells that an engine fills and clears

A round uses the cheapest technique that finds something, and makes all its deductions of the lowest
rating together, so that the order of cells does not matter. Rounds of singles (a digit with one
place in a house, a cell with one candidate) are a line each: r4c5=7 puts 7 into row 4, column 5.
Other rounds show the candidates before the round, and each deduction with its reason: digits are
placed (r4c5 is 7), or candidates are removed (r2c3 and r2c7 can't be 5). With colours, green
candidates are those of the pattern, red ones are removed, green and underlined ones are placed. In
chains, r1c2=3 says that r1c2 is 3, r1c2<>3 that it is not, and -> that the second follows from the
first, or from several.

Ratings are those of gridmill rate with the same --scale and --ties, on the scale of Sudoku
Explainer. ER is the highest rating, EP that up to the first digit placed, ED that of the first
round. Nothing is guessed: if the techniques do not lead to the solution, the text ends with \"at
least\", the highest rating so far, and the candidates that are left.

Puzzles are 9x9, of clues or of pencilmarks, in which a cell with one candidate holds it. You can
give a grid of candidates instead of a file. Puzzles need exactly one solution; for others only the
status is shown (multiple, none, conflict, malformed). --trace accepts every size, and ends at the
first solution.

Exit codes: 0 every puzzle was explained to its solution, or as far as --until says, 1 some were
not, 2 the job could not be done, 130 interrupted (the second Ctrl-C ends it at once).";

/// Explain how a person solves a puzzle, step by step, with ratings
#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_HELP)]
pub(crate) struct Explain {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    scale: ScaleArgs,

    /// Stop before the first round above this rating, written with a point (4.2, 7.0), or after the round of
    /// this number, without a point (12)
    #[arg(long, value_name = "RATING|ROUND", value_parser = until)]
    until: Option<Until>,

    /// When to show a grid of candidates
    #[arg(long, value_name = "WHEN", value_parser = grid_parser(), default_value = "auto")]
    grid: GridChoice,

    /// Give the reason of every single too
    #[arg(long)]
    reasons: bool,

    /// Show what an engine does with the cells up to the first solution, instead of techniques
    #[arg(long, value_name = "ENGINE", value_parser = trace_parser(), conflicts_with_all = ["until", "grid", "reasons", "scale", "ties"])]
    trace: Option<TracedEngine>,

    /// Show at most this number of events of an engine for each puzzle
    #[arg(long, value_name = "N", default_value_t = 200, requires = "trace", value_parser = up_to(1_000_000))]
    limit: u64,

    #[command(flatten)]
    text: TextArgs,
}

fn grid_parser() -> impl TypedValueParser<Value = GridChoice> {
    one_of([
        ("auto", "At the start, before rounds that are not singles, and at the end", GridChoice::Auto),
        ("every", "Before every round, and at the end", GridChoice::Every),
        ("never", "Not at all", GridChoice::Never),
    ])
}

fn grid_of_hint() -> impl TypedValueParser<Value = GridChoice> {
    one_of([("auto", "Before the step", GridChoice::Auto), ("never", "Not at all", GridChoice::Never)])
}

fn trace_parser() -> impl TypedValueParser<Value = TracedEngine> {
    one_of([
        (
            "backtracking",
            "Cell by cell in reading order, the lowest digit that fits; back where none does",
            TracedEngine::Backtracking,
        ),
        ("singles", "Every cell with one candidate, then a guess in the first blank", TracedEngine::Singles),
    ])
}

const HINT_HELP: &str = "\
Examples:
  gridmill hint 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
      a puzzle instead of a file: its next step
  gridmill hint puzzle.txt --all
      every step of that rating
  gridmill hint \"$(cat candidates.txt)\"
      from a grid of candidates, e.g. one that gridmill explain shows
  gridmill hint marks.txt --to jsonl
      from a line of pencilmarks, for a program

The next step is the first one of the cheapest technique that finds something. It is the same in
every run. You get its rating, the grid of candidates and its reason: digits are placed (r4c5 is 7:
row 4, column 5), or candidates are removed (r2c3 and r2c7 can't be 5). With colours, green
candidates are those of the pattern, red ones are removed, green and underlined ones are placed.

Puzzles are 9x9: either clues, with the digits filled in so far, or pencilmarks, in which a cell
with one candidate holds it. Pencilmarks may be a line with nine places for each cell (729
characters), with the digit if it is a candidate and . if not, as gridmill explain --to jsonl writes
it. Instead of a file, you can also give them as a grid of 81 groups of digits, with or without
frames. Puzzles need exactly one solution; for others only the status is shown (multiple, none,
conflict, malformed).

Exit codes: 0 every puzzle has a next step or is solved, 1 for some the techniques find no step, or
they do not have exactly one solution, 2 the job could not be done, 130 interrupted (the second
Ctrl-C ends it at once).";

/// Show the next step of a puzzle, with its reason and rating
#[derive(Debug, Args)]
#[command(after_help = HINT_HELP, mut_arg("mixed", |mixed| mixed.hide(true)))]
pub(crate) struct Hint {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    scale: ScaleArgs,

    /// Show every deduction of that rating
    #[arg(long)]
    all: bool,

    /// When to show a grid of candidates
    #[arg(long, value_name = "WHEN", value_parser = grid_of_hint(), default_value = "auto")]
    grid: GridChoice,

    #[command(flatten)]
    text: TextArgs,
}

/// How steps are written: as text, perhaps in colours, or as JSON objects.
#[derive(Clone, Copy, Debug, Args)]
struct TextArgs {
    /// How steps are written [default: jsonl if the output's name ends in .jsonl or .ndjson, else text]
    #[arg(long, value_name = "FORMAT")]
    to: Option<TextForm>,

    /// Highlight in colours; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: ColorChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TextForm {
    /// Sentences, to read
    Text,
    /// JSON Lines: an object a record
    Jsonl,
}

impl Explain {
    pub(crate) fn run(self, task_options: &TaskOptions) -> Result<End, Error> {
        let (input, key) = (&self.input, if self.trace.is_some() { "trace" } else { "explanation" });
        let text = self.text.text(input, self.scale, self.grid, self.reasons);
        let (json, form) = (self.text.is_json(input), StepsForm { text, extent: StepsExtent::Explanation });
        let parts = &self.parts;
        match self.trace {
            Some(engine) => {
                let job = Trace { engine, limit: self.limit as usize };
                run_job(&StepsCommand::<_, false> { input, parts, job, key, json, form }, task_options)
            }
            None => {
                let job = self.scale.explain(self.until);
                run_job(&StepsCommand::<_, true> { input, parts, job, key, json, form }, task_options)
            }
        }
    }
}

impl Hint {
    pub(crate) fn run(self, task_options: &TaskOptions) -> Result<End, Error> {
        // A hint is a single step, so there is no need to divide or resume the run.
        let (input, parts) = (&self.input, &PartArgs::default());
        let text = self.text.text(input, self.scale, self.grid, true);
        let extent = if self.all { StepsExtent::AllHints } else { StepsExtent::Hint };
        let (json, form) = (self.text.is_json(input), StepsForm { text, extent });
        let job = self.scale.explain(Some(Until::Round(1)));
        run_job(&StepsCommand::<_, true> { input, parts, job, key: "hint", json, form }, task_options)
    }
}

impl TextArgs {
    /// Whether the output consists of JSON objects.
    fn is_json(self, input: &InputArgs) -> bool {
        self.to.map_or_else(|| is_json_name(input.output.as_deref()), |form| form == TextForm::Jsonl)
    }

    /// The style of the text.
    fn text(self, input: &InputArgs, scale: ScaleArgs, grid: GridChoice, reasons: bool) -> ExplanationStyle {
        let colours = match self.color {
            ColorChoice::Auto => input.output_file().is_none() && console::colors_enabled(),
            choice => choice == ColorChoice::Always,
        };
        ExplanationStyle { scale: scale.version(), grid, colours, reasons }
    }
}

/// A command that writes the steps of every puzzle, either of a person (`FOR_PEOPLE`) or of an engine.
/// Techniques of people are for 9x9 puzzles, with clues or pencilmarks.
struct StepsCommand<'a, J, const FOR_PEOPLE: bool> {
    input: &'a InputArgs,
    parts: &'a PartArgs,
    job: J,
    /// The key of the steps in objects.
    key: &'static str,
    /// Whether the output consists of JSON objects.
    json: bool,
    form: StepsForm,
}

impl<J: Job + Copy, const FOR_PEOPLE: bool> JobCommand for StepsCommand<'_, J, FOR_PEOPLE> {
    type Job = J;

    const HAS_SUMMARY: bool = false;
    const TAKES_PENCILMARKS: bool = FOR_PEOPLE;
    const KEEPS_LONG_LINES: bool = false;
    const NEEDS_NUMBERS: bool = true;

    fn may_write_container(&self) -> bool {
        false
    }

    fn args(&self) -> JobArgs<'_> {
        JobArgs { input: self.input, parts: self.parts, rows: None }
    }

    fn job(&self, _: &Layout) -> Result<J, Error> {
        Ok(self.job)
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        match layout.kind() {
            PuzzleKind::AnyShape if FOR_PEOPLE => {
                let size = size(layout.shape);
                refuse(format!(
                    "techniques are for 9x9 puzzles, but these are {size}; gridmill explain --trace backtracking is for every size"
                ))
            }
            _ => Ok(()),
        }
    }

    fn sink<P: PuzzleText>(&self, layout: &Layout, _: &Schema) -> Box<dyn Sink<P> + '_> {
        let objects = || StepsObjects::new(self.form, JsonInputKeys::for_layout(layout), self.key);
        Box::new(StepsSink { form: self.form, objects: self.json.then(objects) })
    }

    /// The chunks are small, because a puzzle may take seconds.
    fn sizing(&self, _: &Layout, _: &J) -> ChunkSizing {
        ChunkSizing::SLOW
    }
}

/// Writes the steps of every record, as text for people or as one object per record.
struct StepsSink {
    form: StepsForm,
    /// Writes objects; `None` to write text.
    objects: Option<StepsObjects>,
}

impl StepsSink {
    /// Appends a heading and the steps. If there are no steps, the heading says why.
    fn put_text<P: PuzzleText>(
        &self,
        number: u64,
        status: &'static str,
        puzzle: Option<&P>,
        steps: Option<&Steps>,
        out: &mut Vec<u8>,
    ) {
        let blank = if number > 1 { "\n" } else { "" };
        let heading = match steps {
            Some(Steps::Traced(traced)) => traced.engine.name().to_owned(),
            Some(Steps::Explained(_)) => status.to_owned(),
            None => format!("{status}{}", reason(status, puzzle)),
        };
        let text = puzzle.zip(steps).map(|(puzzle, steps)| self.form.words(puzzle, steps));
        let text = text.unwrap_or_default();
        out.extend_from_slice(format!("{blank}record {number}: {heading}\n{text}").as_bytes());
    }
}

impl<P: PuzzleText> Sink<P> for StepsSink {
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
            match &self.objects {
                Some(objects) => {
                    objects.write(record, record.text(records.chunk), puzzle, (status, steps), out);
                }
                None => self.put_text(records.earlier_records + number, status, puzzle, steps, out),
            }
        }
    }
}

/// The index of the column with the steps.
const STEPS: usize = 1;

/// The reason why a puzzle with this status has no steps.
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
