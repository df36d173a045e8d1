//! `gridmill check`: verifies that the solution beside each puzzle is right, and the only one.

use clap::Args;
use gridmill_core::jobs::{self, Proposed, Schema, Worker};
use gridmill_core::solver::Engine;
use gridmill_data::error::Error;
use gridmill_data::text::{
    CsvHeader, Format, Layout, ProposedFormat, PuzzleText, SolutionFault, columns_meant, with_numbers,
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
        match &layout.header {
            Some(header) => {
                let solutions = layout.in_column(self.column_in(header)?);
                solutions.map(Some).ok_or(CommandError::NoSolutions)
            }
            None => match layout.format_name() {
                "jsonl" => self.in_objects(layout).map(Some),
                _ if self.solution_column.is_some() => Err(CommandError::NoColumns),
                "line" => Ok(None),
                _ => Err(CommandError::NoSolutions),
            },
        }
    }

    /// Returns the column of the solutions; that of the puzzles only if the user names it.
    fn column_in(&self, header: &CsvHeader) -> Result<usize, CommandError> {
        let mut columns = header.find(self.solution_column.as_deref(), &SOLUTION_COLUMNS);
        columns.retain(|&column| self.solution_column.is_some() || column != header.column);
        match columns[..] {
            [] => Err(CommandError::NoSolutionColumn {
                wanted: self.solution_column.clone(),
                columns: header.names(),
            }),
            [column] if column == header.column => Err(CommandError::SameColumn),
            [column] => Ok(column),
            ref several => {
                Err(CommandError::SeveralSolutionColumns { columns: header.with_numbers(several) })
            }
        }
    }

    /// Returns the layout of the solutions under the key that is named, or the only one of a known name.
    fn in_objects(&self, layout: &Layout) -> Result<Layout, CommandError> {
        let keys = layout.json_keys().unwrap_or_default();
        let mut known = columns_meant(keys, self.solution_column.as_deref(), &SOLUTION_COLUMNS);
        let is_puzzle = |index: usize| layout.json_key() == Some(&keys[index]);
        known.retain(|&index| self.solution_column.is_some() || !is_puzzle(index));
        let missing = || CommandError::NoSolutionKey { keys: keys.to_vec() };
        match known[..] {
            [index] if is_puzzle(index) => Err(CommandError::SameColumn),
            [index] => layout.in_key(&keys[index]).ok_or_else(missing),
            [] => Err(missing()),
            ref several => Err(CommandError::SeveralSolutionColumns { columns: with_numbers(keys, several) }),
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
