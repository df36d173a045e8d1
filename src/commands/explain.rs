//! `gridmill explain`: how a person solves a puzzle, or how an engine does.

use clap::{Args, ValueEnum};
use gridmill_core::jobs::{Explain as ExplainJob, Steps, Trace};
use gridmill_core::logic::Until;
use gridmill_core::solver::TracedEngine;
use gridmill_data::error::Error;
use gridmill_data::text::PuzzleText;
use gridmill_report::{ExplanationText, GridChoice, explanation_json, trace_json, trace_text};

use crate::cli::End;
use crate::support::explaining::{StepsCommand, StepsText, TextArgs};
use crate::support::given::Given;
use crate::support::inputs::InputArgs;
use crate::support::job_run::run_job;
use crate::support::rating::ScaleArgs;
use crate::support::values::{until, up_to};

const EXAMPLES: &str = "\
Examples:
  gridmill explain 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
      a puzzle in place of a file: every step to its solution
  gridmill explain puzzle.txt --until 4.2
      the steps up to a rating of 4.2; --until 12 ends behind round 12
  gridmill explain puzzles.txt --json -o steps.jsonl
      an object for each puzzle, with all steps
  gridmill explain puzzle.txt --color always | less -R
      colours through a pipe
  gridmill explain puzzle.txt --trace backtracking --limit 50
      the first 50 cells that an engine fills and clears

A round takes the cheapest technique that finds something, and makes all its deductions of the lowest rating together,
so that nothing depends on the order of cells. Rounds of singles (a digit with one place in a house, a cell with one candidate) are a line each: r4c5=7 puts 7 into row 4,
column 5. Other rounds show the candidates in front of them, and tell each deduction with its reason: digits are placed
(r4c5 is 7), or candidates go (5 goes from r2c3 and r2c7). In colours: green candidates make the pattern, red ones go,
green and underlined ones are placed. In chains r1c2=3 says that 3 stands in r1c2, r1c2<>3 that it does not, and ->
that the one follows from the other, or from several.

Ratings are those of gridmill rate with the same --scale and --ties, on the scale of Sudoku Explainer. ER is the highest rating, EP that up to the first digit placed, ED that of the
first round. Nothing is guessed: where the techniques do not lead to the solution, the text ends with \"at least\", the
highest rating so far, and the candidates that are left.

Puzzles are 9x9, of clues or of pencilmarks, in which a cell with one candidate holds it; a grid of candidates may stand
in place of a file. They need exactly one
solution: of others only the status is told (multiple, none, conflict, malformed). --trace takes every size, and ends
at the first solution.

Exit codes: 0 every puzzle was explained to its solution, or as far as --until says, 1 some were not, 2 the job could
not be done, 130 interrupted (the second Ctrl-C ends it at once).";

/// Explain how a person solves a puzzle, step by step, with ratings
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explain {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    scale: ScaleArgs,

    /// End in front of the first round above a rating, which has a point (4.2, 7.0), or behind the round of a number
    /// without one (12)
    #[arg(long, value_name = "RATING|ROUND", value_parser = until)]
    until: Option<Until>,

    /// When to show a grid of candidates
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    grid: GridArg,

    /// Give the reason of every single, too
    #[arg(long)]
    reasons: bool,

    /// Tell what an engine does with the cells up to the first solution, and no techniques
    #[arg(long, value_name = "ENGINE", value_enum, conflicts_with_all = ["until", "grid", "reasons", "scale", "ties"])]
    trace: Option<TraceArg>,

    /// Tell at most so many events of an engine for each puzzle
    #[arg(long, value_name = "N", default_value_t = 200, requires = "trace", value_parser = up_to(1_000_000))]
    limit: u64,

    #[command(flatten)]
    text: TextArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GridArg {
    /// At the start, in front of rounds that are no singles, and at the end
    #[default]
    Auto,
    /// In front of every round, and at the end
    Every,
    /// Not at all
    Never,
}

impl From<GridArg> for GridChoice {
    fn from(grid: GridArg) -> GridChoice {
        match grid {
            GridArg::Auto => GridChoice::Auto,
            GridArg::Every => GridChoice::Every,
            GridArg::Never => GridChoice::Never,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TraceArg {
    /// Cell by cell in reading order, the lowest digit that fits; back where none does
    Backtracking,
    /// Every cell with one candidate, then a guess in the first blank
    Singles,
}

impl From<TraceArg> for TracedEngine {
    fn from(engine: TraceArg) -> TracedEngine {
        match engine {
            TraceArg::Backtracking => TracedEngine::Backtracking,
            TraceArg::Singles => TracedEngine::Singles,
        }
    }
}

impl Explain {
    pub(crate) fn run(self, given: &Given) -> Result<End, Error> {
        match self.trace {
            Some(engine) => {
                let job = Trace { engine: engine.into(), limit: self.limit as usize };
                let (input, args, text) = (&self.input, self.text, TraceText);
                run_job(&StepsCommand { input, args, job, text }, given)
            }
            None => {
                let text = ExplanationText {
                    scale: self.scale.version(),
                    grid: self.grid.into(),
                    colours: self.text.has_colours(&self.input),
                    reasons: self.reasons,
                };
                let job =
                    ExplainJob { scale: self.scale.profile(), ties: self.scale.ties(), until: self.until };
                run_job(&StepsCommand { input: &self.input, args: self.text, job, text }, given)
            }
        }
    }
}

impl StepsText for ExplanationText {
    const KEY: &'static str = "explanation";

    fn text(&self, _: &impl PuzzleText, steps: &Steps) -> String {
        steps.explained().map_or_else(String::new, |told| self.explanation(told))
    }

    fn json(&self, _: &impl PuzzleText, steps: &Steps, out: &mut Vec<u8>) {
        if let Some(told) = steps.explained() {
            explanation_json(told, self.scale, out);
        }
    }
}

/// Describes what an engine does.
struct TraceText;

impl StepsText for TraceText {
    const KEY: &'static str = "trace";
    const IS_OF_PEOPLE: bool = false;

    fn heading(&self, status: &'static str, steps: &Steps) -> &'static str {
        steps.traced().map_or(status, |traced| traced.engine.name())
    }

    fn text(&self, puzzle: &impl PuzzleText, steps: &Steps) -> String {
        steps.traced().map_or_else(String::new, |traced| trace_text(puzzle, traced))
    }

    fn json(&self, puzzle: &impl PuzzleText, steps: &Steps, out: &mut Vec<u8>) {
        if let Some(traced) = steps.traced() {
            trace_json(puzzle.shape(), traced, out);
        }
    }
}
