//! Output for people to read: solutions, counts and candidates as framed grids, rows of candidates, durations as
//! text, and lists of records with their verdicts (`verify`, `check`).

use std::borrow::Cow;
use std::io::Write;

use gridmill_core::grid::Digit;
use gridmill_core::jobs::{Answers, Column, Grade, Status, Value};

use super::csv::{printable, put_field, put_number, put_row};
use crate::packing::ColumnType;
use crate::pipeline::RecordsBeforePart;
use crate::record::{AnsweredRecords, Places, Sink, Subject};
use crate::text::{FaultAdvice, PuzzleText, no_advice, write_boxes, write_framed};

/// Writes a framed grid for each record, and a line with the status. The grid shows the first solution for
/// answers of [`Solve`](gridmill_core::jobs::Solve), and the cells that all solutions share for answers of
/// [`Count`](gridmill_core::jobs::Count). If there is neither, it shows the puzzle (or its candidates, for
/// pencilmarks).
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
    /// Solutions.
    Solutions,
    /// Counts. A count that reached the limit is shown as "at least".
    Counts {
        /// The limit.
        limit: Option<u64>,
    },
}

impl<P: PuzzleText> Sink<P> for Grids {
    #[inline(never)]
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

/// Appends the clues of a puzzle. For pencilmarks, appends the candidates of each cell, separated by
/// spaces: `5 12 . 789 ...`.
fn write_clues(puzzle: &impl PuzzleText, line: &mut Vec<u8>) {
    let Some(marks) = puzzle.pencilmarks() else { return puzzle.write(line) };
    for (index, digits) in marks.candidates().iter().enumerate() {
        line.extend((index > 0).then_some(b' '));
        line.extend(digits.is_empty().then_some(b'.'));
        line.extend(Digit::all(9).filter(|digit| digits.contains(*digit)).map(|digit| b'0' + digit.get()));
    }
}

/// Writes the line below a grid.
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

/// Writes the line below the grid of a count.
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

/// Writes a row for each candidate: `record,cell,digit,solutions,capped`. For answers of
/// [`Candidates`](gridmill_core::jobs::Candidates).
#[derive(Clone, Copy, Debug)]
pub struct CandidateCounts {
    /// Counting the solutions of a candidate stopped at this number.
    pub cap: u64,
}

/// Writes a framed grid for each record, where each cell lists its candidates. For answers of
/// [`Candidates`](gridmill_core::jobs::Candidates).
#[derive(Clone, Copy, Debug)]
pub struct CandidateGrids;

impl CandidateCounts {
    /// The types of the columns. The digit is text, because it may be a letter.
    pub const TYPES: [ColumnType; 5] =
        [ColumnType::Number, ColumnType::Text, ColumnType::Text, ColumnType::Number, ColumnType::YesNo];
}

impl<P: PuzzleText> Sink<P> for CandidateCounts {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"record,cell,digit,solutions,capped\n");
    }

    #[inline(never)]
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        for (number, _, answered) in records.iter() {
            let Some((puzzle, counts)) = solved(answered, records.answers) else { continue };
            let side = puzzle.shape().side();
            for (place, &solutions) in counts.iter().enumerate().filter(|(_, solutions)| **solutions > 0) {
                let (cell, digit) = (place / side, Digit::all(side).nth(place % side));
                let (row, column) = (cell / side + 1, cell % side + 1);
                let capped = if solutions == self.cap { "yes" } else { "no" };
                let digit = digit.map(|digit| name(puzzle, digit)).unwrap_or_default();
                let record = records.earlier_records + number;
                put(out, format_args!("{record},r{row}c{column},{digit},{solutions},{capped}\n"));
            }
        }
    }
}

impl<P: PuzzleText> Sink<P> for CandidateGrids {
    #[inline(never)]
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        let schema = records.answers.schema();
        for (number, _, answered) in records.iter() {
            let status =
                answered.map_or(schema.malformed(), |(_, answer)| records.answers.statuses()[answer]);
            let status = schema.statuses[usize::from(status)].name;
            put(out, format_args!("record {}: {status}\n", records.earlier_records + number));
            if let Some((puzzle, counts)) = solved(answered, records.answers) {
                candidate_grid(puzzle, counts, out);
            }
        }
    }
}

/// Returns the puzzle of a record that has solutions, and the counts of its candidates.
fn solved<'a, P>(answered: Option<(&'a P, usize)>, answers: &'a Answers) -> Option<(&'a P, &'a [u64])> {
    let (puzzle, answer) = answered?;
    match answers.value(0, answer) {
        Value::Candidates(counts) => Some((puzzle, counts)),
        _ => None,
    }
}

/// Appends candidates as pencilmarks. Each cell has a place for each digit, with the digit if it is a
/// candidate, and `.` otherwise. Numbers are separated by spaces, with 0 instead of `.`.
pub fn candidate_text(puzzle: &impl PuzzleText, counts: &[u64], out: &mut Vec<u8>) {
    let side = puzzle.shape().side();
    for cell in counts.chunks(side) {
        for (digit, &solutions) in Digit::all(side).zip(cell) {
            let is_true = solutions > 0;
            match puzzle.symbol(digit) {
                Some(symbol) => put(out, format_args!("{}", if is_true { symbol } else { '.' })),
                None => put(out, format_args!("{} ", if is_true { digit.get() } else { 0 })),
            }
        }
    }
    if out.last() == Some(&b' ') {
        out.pop();
    }
}

/// The symbol of a digit in this puzzle.
fn name(puzzle: &impl PuzzleText, digit: Digit) -> String {
    puzzle.symbol(digit).map_or_else(|| digit.to_string(), String::from)
}

/// Appends a framed grid, where each cell lists its candidates.
pub fn candidate_grid(puzzle: &impl PuzzleText, counts: &[u64], out: &mut Vec<u8>) {
    let (shape, side) = (puzzle.shape(), puzzle.shape().side());
    let texts: Vec<String> = counts.chunks(side).map(|cell| listed(puzzle, cell)).collect();
    let width = |column: usize| (0..side).map(|row| texts[row * side + column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..side).map(width).collect();
    let put_cell =
        |cell: usize, out: &mut Vec<u8>| put(out, format_args!(" {:1$}", texts[cell], widths[cell % side]));
    write_boxes(shape, &widths, put_cell, out);
}

/// Lists the candidates of a cell, with commas between them if one has several digits (e.g. `1,10,16`).
fn listed(puzzle: &impl PuzzleText, cell: &[u64]) -> String {
    let all = Digit::all(cell.len()).zip(cell).filter(|(_, solutions)| **solutions > 0);
    let names: Vec<String> = all.map(|(digit, _)| name(puzzle, digit)).collect();
    names.join(if names.iter().any(|name| name.len() > 1) { "," } else { "" })
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // A `Vec` takes every byte.
    let _ = out.write_fmt(text);
}

const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("µs", 1_000), ("ns", 1)];

/// Finds the greatest unit that is not longer than a duration, and its length in nanoseconds.
fn unit_of(nanos: u64) -> (&'static str, u64) {
    UNITS.into_iter().find(|&(_, size)| nanos >= size).unwrap_or(("ns", 1))
}

/// Writes a duration with three figures and a unit, e.g. `12.3 µs`.
pub fn duration(nanos: u64) -> String {
    let (unit, size) = unit_of(nanos);
    let value = nanos as f64 / size as f64;
    let decimals = match value {
        _ if size == 1 => 0,
        value if value < 10.0 => 2,
        value => usize::from(value < 100.0),
    };
    format!("{value:.decimals$} {unit}")
}

/// Writes a duration in its greatest unit with all figures: `820 ns`, `1.2 µs`, `20 ms`.
pub fn exact_duration(nanos: u64) -> String {
    let (unit, size) = unit_of(nanos);
    format!("{} {unit}", nanos as f64 / size as f64)
}

/// How records are listed: as lines like those of a compiler (`puzzles.txt:7: multiple: two solutions or
/// more`), or as rows of CSV.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The columns of CSV, chosen from [`Listing::COLUMNS`]; `None` for lines.
    pub columns: Option<Vec<&'static str>>,
    /// Whether to list records with a good verdict too.
    pub all: bool,
    /// Advice about faults, which is appended to the reasons.
    pub advice: FaultAdvice,
    /// The input before the records, if the run starts within a file and so counts from there.
    pub before: Option<RecordsBeforePart>,
}

impl Default for Listing {
    /// Lists only bad verdicts, as lines and without advice.
    fn default() -> Listing {
        Listing { columns: None, all: false, advice: no_advice, before: None }
    }
}

impl Listing {
    /// All columns of CSV, in the usual order. For a malformed record, `puzzle` is its text, and `line` the
    /// line of the fault.
    pub const COLUMNS: [&'static str; 6] = ["file", "record", "line", "puzzle", "verdict", "reason"];

    /// The type of one of these columns.
    #[must_use]
    pub fn column_type(name: &str) -> ColumnType {
        match name {
            "record" | "line" => ColumnType::Number,
            _ => ColumnType::Text,
        }
    }
}

fn put_line(file: &str, place: &[u64], texts: [&str; 2], rows: &mut Vec<u8>) {
    rows.extend_from_slice(file.as_bytes());
    for &number in place {
        rows.push(b':');
        put_number(number, rows);
    }
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        rows.extend_from_slice(b": ");
        rows.extend_from_slice(text.as_bytes());
    }
    rows.push(b'\n');
}

/// Lists the records with a bad verdict, or all of them. Other records are not formatted at all, because in
/// most files they are the majority.
impl<S: Subject> Sink<S> for Listing {
    #[inline(never)]
    fn write(&self, records: &AnsweredRecords<'_, S>, out: &mut Vec<u8>) {
        let &AnsweredRecords { lines_before, chunk, answers, .. } = records;
        let file = records.file.to_string_lossy();
        let (schema, statuses) = (answers.schema(), answers.statuses());
        let reasons = schema.position(&Column::REASON);
        let mut places = Places::new(chunk, lines_before);
        for (number, record, answered) in records.iter() {
            let status = answered.map_or(schema.malformed(), |(_, answer)| statuses[answer]);
            let status = schema.statuses[usize::from(status)];
            if status.grade == Grade::Right && !self.all {
                continue;
            }
            let fault = record.fault.or_else(|| answered?.0.fault());
            let reason = match (record.fault, answered, reasons) {
                (Some(fault), ..) => Cow::Owned(fault.kind.to_string()),
                (None, Some((_, answer)), Some(reasons)) => match answers.value(reasons, answer) {
                    Value::Text(reason) => Cow::Borrowed(reason),
                    _ => Cow::default(),
                },
                _ => Cow::default(),
            };
            let advice = fault.map_or("", |fault| (self.advice)(fault.kind));
            let (line, column) = places.at(fault.map_or(record.first_cell(), |fault| fault.offset as usize));
            let before = self.before.as_ref().map(RecordsBeforePart::totals).unwrap_or_default();
            let (record_number, line) = (before.records + number, before.lines + line);
            let reason = if advice.is_empty() { reason } else { reason + advice };
            let Some(columns) = &self.columns else {
                let place = if fault.is_some() { &[line, column][..] } else { &[line] };
                put_line(&file, place, [status.name, &reason], out);
                continue;
            };
            let put = |column: &&str, row: &mut Vec<u8>| match (*column, answered) {
                ("file", _) => put_field(&file, row),
                ("record", _) => put_number(record_number, row),
                ("line", _) => put_number(line, row),
                ("puzzle", Some((subject, _))) => subject.puzzle().write(row),
                ("puzzle", None) => put_field(&printable(record.text(chunk)), row),
                ("verdict", _) => row.extend_from_slice(status.name.as_bytes()),
                _ => put_field(&reason, row),
            };
            put_row(columns, b',', put, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_durations_keep_all_figures() {
        let shown = [0, 820, 1_000, 1_200, 15_000, 390_000_000, 2_000_000_000].map(exact_duration);
        assert_eq!(shown, ["0 ns", "820 ns", "1 µs", "1.2 µs", "15 µs", "390 ms", "2 s"]);
    }

    #[test]
    fn durations_have_three_figures() {
        let shown: Vec<_> =
            [7, 999, 1_000, 12_345, 123_456, 1_234_567, 98_765_432_100].into_iter().map(duration).collect();
        assert_eq!(shown, ["7 ns", "999 ns", "1.00 µs", "12.3 µs", "123 µs", "1.23 ms", "98.8 s"]);
    }
}
