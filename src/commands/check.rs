//! `gridmill check`: verifies that the solution beside each puzzle is right, and the only one.

use std::sync::Arc;

use clap::Args;
use gridmill_data::collection::{AnswerFormat, AnswerVerifier};
use gridmill_data::error::Error;
use gridmill_data::text::{CsvHeader, Layout, PuzzleText, columns_meant, with_numbers};

use crate::cli::End;
use crate::support::command_error::CommandError;
use crate::support::given::Given;
use crate::support::review::{ReviewArgs, VerifierFactory};

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
    pub(crate) fn run(self, given: &Given) -> Result<End, Error> {
        self.review.run(&AnswerVerifiers { column: self.solution_column }, given)
    }
}

/// Makes verifiers of answers from the column that was asked for.
struct AnswerVerifiers {
    column: Option<String>,
}

impl VerifierFactory for AnswerVerifiers {
    const TAKES_PENCILMARKS: bool = false;

    type Verifier<P: PuzzleText> = AnswerVerifier<P>;

    fn verifiers<P: PuzzleText>(
        &self,
        layout: &Layout,
    ) -> Result<impl Fn() -> AnswerVerifier<P> + Sync + 'static, Error> {
        let format = Arc::new(self.format(layout)?);
        Ok(move || AnswerVerifier::new(Arc::clone(&format)))
    }
}

impl AnswerVerifiers {
    fn format<P: PuzzleText>(&self, layout: &Layout) -> Result<AnswerFormat<P>, Error> {
        let Some(header) = &layout.header else {
            return match layout.format_name() {
                "jsonl" => Ok(self.in_objects(layout)?),
                _ if self.column.is_some() => Err(CommandError::NoColumns.into()),
                "line" => Ok(AnswerFormat::Behind(layout.format())),
                _ => Err(CommandError::NoSolutions.into()),
            };
        };
        let column = self.column_in(header)?;
        let of_answers = layout.in_column(column).ok_or(CommandError::NoSolutions)?;
        Ok(AnswerFormat::Column(of_answers.format()))
    }

    /// Returns the column of the solutions; that of the puzzles only if the user names it.
    fn column_in(&self, header: &CsvHeader) -> Result<usize, CommandError> {
        let mut columns = header.find(self.column.as_deref(), &SOLUTION_COLUMNS);
        columns.retain(|&column| self.column.is_some() || column != header.column);
        match columns[..] {
            [] => {
                Err(CommandError::NoSolutionColumn { wanted: self.column.clone(), columns: header.names() })
            }
            [column] if column == header.column => Err(CommandError::SameColumn),
            [column] => Ok(column),
            ref several => {
                Err(CommandError::SeveralSolutionColumns { columns: header.with_numbers(several) })
            }
        }
    }

    /// Reads answers under the key that is named, or the only one of a known name.
    fn in_objects<P: PuzzleText>(&self, layout: &Layout) -> Result<AnswerFormat<P>, CommandError> {
        let keys = layout.json_keys().unwrap_or_default();
        let mut known = columns_meant(keys, self.column.as_deref(), &SOLUTION_COLUMNS);
        let is_puzzle = |index: usize| layout.json_key() == Some(&keys[index]);
        known.retain(|&index| self.column.is_some() || !is_puzzle(index));
        let missing = || CommandError::NoSolutionKey { keys: keys.to_vec() };
        match known[..] {
            [index] if is_puzzle(index) => Err(CommandError::SameColumn),
            [index] => {
                let answers = layout.in_key(&keys[index]);
                Ok(AnswerFormat::Column(answers.ok_or_else(missing)?.format()))
            }
            [] => Err(missing()),
            ref several => Err(CommandError::SeveralSolutionColumns { columns: with_numbers(keys, several) }),
        }
    }
}
