//! True candidates: as a text in rows, as a row for each candidate, or as grids to look at.

use std::io::Write;

use gridmill_core::grid::{Digit, Shape};
use gridmill_core::jobs::{Answers, Value};

use crate::record::{AnsweredRecords, Sink};
use crate::text::PuzzleText;

/// A row for each candidate: `record,cell,digit,solutions,capped`. For the answers of
/// [`Candidates`](gridmill_core::jobs::Candidates).
#[derive(Clone, Copy, Debug)]
pub struct CandidateCounts {
    /// Up to how many solutions of a candidate were counted.
    pub cap: u64,
}

/// A framed grid for each record, whose cells list their candidates. For the answers of
/// [`Candidates`](gridmill_core::jobs::Candidates).
#[derive(Clone, Copy, Debug)]
pub struct CandidateGrids;

impl<P: PuzzleText> Sink<P> for CandidateCounts {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"record,cell,digit,solutions,capped\n");
    }

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
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        let schema = records.answers.schema();
        for (number, _, answered) in records.iter() {
            let status =
                answered.map_or(schema.malformed(), |(_, answer)| records.answers.statuses()[answer]);
            let status = schema.statuses[usize::from(status)].name;
            put(out, format_args!("record {}: {status}\n", records.earlier_records + number));
            if let Some((puzzle, counts)) = solved(answered, records.answers) {
                grid(puzzle, counts, out);
            }
        }
    }
}

/// Returns a puzzle that has solutions, and the counts of its candidates.
fn solved<'a, P>(answered: Option<(&'a P, usize)>, answers: &'a Answers) -> Option<(&'a P, &'a [u64])> {
    let (puzzle, answer) = answered?;
    match answers.value(0, answer) {
        Value::Candidates(counts) => Some((puzzle, counts)),
        _ => None,
    }
}

/// Appends candidates as pencilmarks: as many places for each cell as there are digits, with the digit where it is a
/// candidate, and `.` where not. Numbers are set apart by spaces, and 0 stands for `.`.
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

/// Returns a digit as it is written in the puzzle.
fn name(puzzle: &impl PuzzleText, digit: Digit) -> String {
    puzzle.symbol(digit).map_or_else(|| digit.to_string(), String::from)
}

/// Appends a framed grid, in which each cell lists its candidates.
fn grid(puzzle: &impl PuzzleText, counts: &[u64], out: &mut Vec<u8>) {
    let (shape, side) = (puzzle.shape(), puzzle.shape().side());
    let texts: Vec<String> = counts.chunks(side).map(|cell| listed(puzzle, cell)).collect();
    let width = |column: usize| (0..side).map(|row| texts[row * side + column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..side).map(width).collect();
    for (row, texts) in texts.chunks(side).enumerate() {
        if row % shape.box_rows() == 0 {
            frame(shape, &widths, out);
        }
        for (column, (text, &width)) in texts.iter().zip(&widths).enumerate() {
            let bar = if column % shape.box_columns() == 0 { "| " } else { "" };
            put(out, format_args!("{bar}{text:width$} "));
        }
        put(out, format_args!("|\n"));
    }
    frame(shape, &widths, out);
}

/// Returns the candidates of a cell, set apart by commas if they are numbers.
fn listed(puzzle: &impl PuzzleText, cell: &[u64]) -> String {
    let all = Digit::all(cell.len()).zip(cell).filter(|(_, solutions)| **solutions > 0);
    let names: Vec<String> = all.map(|(digit, _)| name(puzzle, digit)).collect();
    names.join(if names.iter().any(|name| name.len() > 1) { "," } else { "" })
}

/// Appends a line between bands.
fn frame(shape: Shape, widths: &[usize], out: &mut Vec<u8>) {
    for stack in widths.chunks(shape.box_columns()) {
        let width = 1 + stack.iter().map(|width| width + 1).sum::<usize>();
        put(out, format_args!("+{}", "-".repeat(width)));
    }
    put(out, format_args!("+\n"));
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // Memory takes every byte.
    let _ = out.write_fmt(text);
}
