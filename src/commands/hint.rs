//! `gridmill hint`: the next step of a puzzle.

use clap::Args;
use gridmill_core::jobs::{Explain as ExplainJob, Steps};
use gridmill_core::logic::Until;
use gridmill_data::error::Error;
use gridmill_data::text::PuzzleText;
use gridmill_report::{ExplanationText, GridChoice, hint_json};

use crate::cli::End;
use crate::support::explaining::{StepsCommand, StepsText, TextArgs};
use crate::support::given::Given;
use crate::support::inputs::InputArgs;
use crate::support::job_run::run_job;
use crate::support::rating::ScaleArgs;

const EXAMPLES: &str = "\
Examples:
  gridmill hint 53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79
      a puzzle in place of a file: its next step
  gridmill hint puzzle.txt --all
      every step of that rating
  gridmill hint \"$(cat candidates.txt)\"
      from a grid of candidates, such as gridmill explain shows
  gridmill hint marks.txt --json
      from a line of pencilmarks, for a program

The next step is the first one of the cheapest technique that finds something, the same in every run. It is told with its rating,
the grid of candidates and its reason: digits are placed (r4c5 is 7: row 4, column 5), or candidates go (5 goes from
r2c3 and r2c7). In colours: green candidates make the pattern, red ones go, green and underlined ones are placed.

Puzzles are 9x9: clues, with the digits filled in so far, or pencilmarks, in which a cell with one candidate holds it:
as a line with nine places for each cell (729 characters), the digit where it is a candidate and . where not, as gridmill
explain --json writes it; or in place of a file as a grid of 81 groups of digits, with or without frames. Puzzles need exactly one solution: of others only the status is told (multiple, none, conflict,
malformed).

Exit codes: 0 every puzzle has a next step or is solved, 1 some have none that the techniques know, or have not exactly
one solution, 2 the job could not be done, 130 interrupted (the second Ctrl-C ends it at once).";

/// Tell the next step of a puzzle, with its reason and rating
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_arg("mixed", |mixed| mixed.hide(true)))]
pub(crate) struct Hint {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    scale: ScaleArgs,

    /// Tell every deduction of that rating
    #[arg(long)]
    all: bool,

    /// Show no grid of candidates
    #[arg(long)]
    no_grid: bool,

    #[command(flatten)]
    text: TextArgs,
}

impl Hint {
    pub(crate) fn run(self, given: &Given) -> Result<End, Error> {
        let text = ExplanationText {
            scale: self.scale.version(),
            grid: if self.no_grid { GridChoice::Never } else { GridChoice::Auto },
            colours: self.text.has_colours(&self.input),
            reasons: true,
        };
        let text = HintText { text, all: self.all };
        let until = Some(Until::Round(1));
        let job = ExplainJob { scale: self.scale.profile(), ties: self.scale.ties(), until };
        run_job(&StepsCommand { input: &self.input, args: self.text, job, text }, given)
    }
}

/// Describes the first step alone.
struct HintText {
    text: ExplanationText,
    all: bool,
}

impl StepsText for HintText {
    const KEY: &'static str = "hint";

    fn text(&self, _: &impl PuzzleText, steps: &Steps) -> String {
        steps.explained().map_or_else(String::new, |told| self.text.hint(told, self.all))
    }

    fn json(&self, _: &impl PuzzleText, steps: &Steps, out: &mut Vec<u8>) {
        if let Some(told) = steps.explained() {
            hint_json(told, self.text.scale, self.all, out);
        }
    }
}
