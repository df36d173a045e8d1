//! `gridmill check`: verifies that the solution beside each puzzle is right, and the only one.

use clap::Args;
use gridmill_core::jobs::{self, Proposed, Schema, Worker};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::text::{
    Format, Layout, ProposedFormat, PuzzleText, SolutionFault, columns_meant, with_numbers,
};

use crate::cli::End;
use crate::support::command_error::CommandError;
use crate::support::given::Given;
use crate::support::review::{ReviewArgs, ReviewCommand};

const EXAMPLES: &str = "\
Examples:
  gridmill check train.csv
      the rows whose solution is not right or not the only one; how many there are of each kind
  gridmill check sudoku.csv --puzzle-column clues --solution-column filled
      columns of other names than the known ones, or of two known ones
  gridmill check a.csv b.csv --all -o verdicts.csv
      a row for every record: file,record,line,puzzle,verdict,reason
  gridmill check train.csv --columns record,verdict,reason -o bad.csv
      only these columns; without -o the list is CSV too
  gridmill solve puzzles.txt | gridmill check -
      does what solve writes hold?
  gridmill check big.csv --shard 3/64
      the third of 64 parts, with the numbers that records and lines have in the file

Files: CSV with a column of puzzles and one of solutions, JSON Lines with such keys, or lines with a puzzle, a comma, semicolon, tab or
space, and its solution.

Verdicts: ok (the solution is right, and the only one), wrong (the solution has a blank, changes a clue or
breaks a rule: the first such place is named), not-unique (it is right, and there are others), malformed
(the puzzle or its solution could not be read).

Exit codes: 0 every solution is right and the only one, 1 some are not, or there are none, 2 the job could not be done,
130 interrupted.";

/// Known names of solution columns, in lower case.
const SOLUTION_COLUMNS: [&str; 7] =
    ["solution", "solutions", "answer", "answers", "solved", "solved_puzzle", "result"];

/// Check the solutions that stand beside the puzzles of some files, and that there are no others
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    #[command(flatten)]
    review: ReviewArgs,

    /// The CSV column, by name or number, or the JSON key that holds the solutions [default: the one named solution,
    /// solutions, answer, answers, solved, solved_puzzle or result]
    #[arg(long, value_name = "NAME|N")]
    solution_column: Option<String>,
}

impl Check {
    pub(crate) fn run(&self, given: &Given) -> Result<End, Error> {
        self.review.run(self, given)
    }

    /// Returns the layout of the solutions in a table or in objects; `None` for lines, where they follow the puzzles.
    fn solutions(&self, layout: &Layout) -> Result<Option<Layout>, CommandError> {
        let wanted = self.solution_column.clone();
        if let Some(header) = &layout.header {
            let columns = header.names();
            let missing = |columns| CommandError::NoSolutionColumn { wanted, columns };
            let column = self.column(&columns, Some(header.column), missing)?;
            return layout.in_column(column).map(Some).ok_or(CommandError::NoSolutions);
        }
        match layout.format_name() {
            "jsonl" => {
                let keys = layout.json_keys().unwrap_or_default();
                let puzzle = keys.iter().position(|key| layout.json_key() == Some(key.as_str()));
                let missing = |keys| CommandError::NoSolutionKey { keys };
                let key = self.column(keys, puzzle, missing)?;
                layout.in_key(&keys[key]).map(Some).ok_or_else(|| missing(keys.to_vec()))
            }
            _ if wanted.is_some() => Err(CommandError::NoColumns),
            "line" => Ok(None),
            _ => Err(CommandError::NoSolutions),
        }
    }

    /// Returns the column or key of the solutions among those with these names: the one that the user names, or the only one
    /// of a known name besides that of the puzzles.
    fn column(
        &self,
        names: &[String],
        puzzle: Option<usize>,
        missing: impl FnOnce(Vec<String>) -> CommandError,
    ) -> Result<usize, CommandError> {
        let wanted = self.solution_column.as_deref();
        let mut found = columns_meant(names, wanted, &SOLUTION_COLUMNS);
        found.retain(|&column| wanted.is_some() || Some(column) != puzzle);
        match found[..] {
            [] => Err(missing(names.to_vec())),
            [column] if Some(column) == puzzle => Err(CommandError::SameColumn),
            [column] => Ok(column),
            ref several => {
                Err(CommandError::SeveralSolutionColumns { columns: with_numbers(names, several) })
            }
        }
    }
}

impl ReviewCommand for Check {
    const TAKES_PENCILMARKS: bool = false;

    type Subject<P: PuzzleText> = Proposed<P, SolutionFault>;

    fn schema(&self) -> Schema {
        jobs::Check::default().schema()
    }

    fn format<P: PuzzleText>(
        &self,
        layout: &Layout,
    ) -> Result<Box<dyn Format<Proposed<P, SolutionFault>>>, Error> {
        let solutions = self.solutions(layout)?.map(|solutions| solutions.format());
        Ok(Box::new(ProposedFormat::<P>::new(layout.format(), solutions)))
    }

    fn worker<P: PuzzleText>(&self, engine: Engine) -> Box<dyn Worker<Proposed<P, SolutionFault>>> {
        jobs::Check { engine }.worker()
    }
}
