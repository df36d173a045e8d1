//! Solutions and counts as framed grids, for people.

use gridmill_core::grid::Digit;
use gridmill_core::jobs::{Answers, Column, Status, Value};

use super::duration::duration;
use crate::record::{AnsweredRecords, Sink};
use crate::text::{PuzzleText, write_framed};

/// A framed grid for each record, and a line with the status. For the answers of [`Solve`](gridmill_core::jobs::Solve): the
/// first solution. For those of [`Count`](gridmill_core::jobs::Count): the cells that all solutions share. The puzzle where
/// there is neither, of pencilmarks the candidates.
///
/// ```text
/// +-----+-----+
/// | 1 2 | 4 3 |
/// | 3 4 | 2 1 |
/// +-----+-----+
/// | 2 1 | 3 4 |
/// | 4 3 | 1 2 |
/// +-----+-----+
/// unique, 0 guesses, 3 µs
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grids {
    /// Of solutions.
    Solutions,
    /// Of counts, which end at the limit, if there is one: such a number is told as the least.
    Counts {
        /// The limit.
        limit: Option<u64>,
    },
}

impl<P: PuzzleText> Sink<P> for Grids {
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        for (_, record, answered) in records.iter() {
            match answered {
                Some((puzzle, answer)) => self.put(puzzle, answer, records.answers, out),
                None => {
                    out.extend_from_slice(record.text(records.chunk).trim_ascii());
                    out.extend_from_slice(b"\nmalformed\n");
                }
            }
        }
    }
}

impl Grids {
    fn put<P: PuzzleText>(self, puzzle: &P, answer: usize, answers: &Answers, out: &mut Vec<u8>) {
        let mut line = Vec::new();
        let mut columns = 0..answers.schema().columns.len();
        let cells = columns.find_map(|column| match answers.value(column, answer) {
            Value::Cells(cells) => Some(cells),
            _ => None,
        });
        match cells {
            Some(cells) => puzzle.write_cells(cells, &mut line),
            None => write_clues(puzzle, &mut line),
        }
        write_framed(puzzle.shape(), &line, out);
        let number = |column: &Column| {
            let numbers = answers.schema().position(column).and_then(|column| answers.numbers(column));
            numbers.map_or(0, |numbers| numbers[answer])
        };
        let status = Status::ALL[usize::from(answers.statuses()[answer])];
        let nanos = duration(number(&Column::TIME));
        let text = match self {
            Grids::Solutions => solution_line(status, number(&Column::GUESSES), &nanos),
            Grids::Counts { limit } => {
                let Value::Number(solutions) = answers.value(0, answer) else {
                    return out.extend_from_slice(count_line(status, (0, None), false, &nanos).as_bytes());
                };
                count_line(status, (solutions, limit), cells.is_some(), &nanos)
            }
        };
        out.extend_from_slice(text.as_bytes());
    }
}

/// Appends the clues of a puzzle, or the candidates of each cell with spaces between them: `5 12 . 789 ...`.
fn write_clues(puzzle: &impl PuzzleText, line: &mut Vec<u8>) {
    let Some(marks) = puzzle.pencilmarks() else { return puzzle.write(line) };
    for (index, digits) in marks.candidates().iter().enumerate() {
        line.extend((index > 0).then_some(b' '));
        line.extend(digits.is_empty().then_some(b'.'));
        line.extend(Digit::all(9).filter(|digit| digits.contains(*digit)).map(|digit| b'0' + digit.get()));
    }
}

/// Returns the line behind a grid.
fn solution_line(status: Status, guesses: u64, time: &str) -> String {
    let meaning = match status {
        Status::Multiple => "multiple: this is one of several solutions",
        Status::None => "none: there is no solution",
        Status::Conflict => "conflict: a house holds a digit twice",
        status => status.name(),
    };
    let plural = if guesses == 1 { "" } else { "es" };
    format!("{meaning}, {guesses} guess{plural}, {time}\n")
}

/// Returns the line behind a grid of a count, up to a limit if there is one.
fn count_line(status: Status, (solutions, limit): (u64, Option<u64>), is_shared: bool, time: &str) -> String {
    let plural = if solutions == 1 { "" } else { "s" };
    let number = format!("{solutions} solution{plural}");
    let number = match status {
        Status::Budget => format!("gave up after {number}"),
        Status::Solved => "a solution; others were not looked for".to_owned(),
        Status::Multiple if limit == Some(solutions) => format!("at least {number}"),
        _ => number,
    };
    let is_of_several = solutions > 1 || matches!(status, Status::Budget | Status::Solved);
    let shared = if is_shared && is_of_several { "; all solutions share these cells" } else { "" };
    format!("{}: {number}{shared}, {time}\n", status.name())
}
