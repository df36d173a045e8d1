//! True candidates, as rows or as grids to look at.

use std::io::Write;

use gridmill_core::grid::{Cell, Digit, DigitSet, Shape};
use gridmill_core::solver::TrueCandidates;

use super::CsvRows;
use crate::record::{PuzzleLike, Status};
use crate::text::Record;

/// How the true candidates of puzzles are written.
#[derive(Clone, Debug)]
pub enum CandidateRows {
    /// A row for each record, with the candidates as one text: see [`candidate_text`].
    Table(CsvRows),
    /// A row for each candidate: `record,cell,digit,solutions,capped`.
    Counts,
    /// A grid for each record, a line for each row of cells.
    Grids,
}

/// A record with its true candidates.
#[derive(Debug)]
pub struct CandidateRecord<'a, P> {
    /// Its number, from 1.
    pub number: u64,
    /// Its text.
    pub text: &'a [u8],
    /// Where it is, and what was wrong.
    pub record: &'a Record,
    /// Its status.
    pub status: Status,
    /// Its puzzle and the candidates of that, if it could be read.
    pub found: Option<(&'a P, &'a TrueCandidates)>,
}

impl CandidateRows {
    /// Appends the header row, if there is one.
    pub fn header(&self, out: &mut Vec<u8>) {
        match self {
            CandidateRows::Table(rows) => out.extend_from_slice(rows.header_line()),
            CandidateRows::Counts => out.extend_from_slice(b"record,cell,digit,solutions,capped\n"),
            CandidateRows::Grids => {}
        }
    }

    /// Appends the rows of a record.
    pub fn rows<P: PuzzleLike>(&self, record: &CandidateRecord<'_, P>, out: &mut Vec<u8>) {
        let solved = record.found.filter(|(_, found)| found.has_solution());
        match (self, solved) {
            (CandidateRows::Table(rows), _) => {
                rows.lead(record.record, record.text, record.found.map(|(puzzle, _)| puzzle), out);
                out.push(b',');
                if let Some((puzzle, found)) = solved {
                    candidate_text(puzzle, found, out);
                }
                put(out, format_args!(",{}\n", record.status.name()));
            }
            (CandidateRows::Counts, Some((puzzle, found))) => counts(record.number, puzzle, found, out),
            (CandidateRows::Counts, None) => {}
            (CandidateRows::Grids, solved) => {
                put(out, format_args!("record {}: {}\n", record.number, record.status.name()));
                if let Some((puzzle, found)) = solved {
                    grid(puzzle, found, out);
                }
            }
        }
    }
}

/// Appends candidates as pencilmarks: as many places for each cell as there are digits, with the digit where it is a
/// candidate, and `.` where not. Numbers are set apart by spaces, and 0 stands for `.`.
pub fn candidate_text(puzzle: &impl PuzzleLike, found: &TrueCandidates, out: &mut Vec<u8>) {
    for cell in cells(found) {
        let digits = found.digits(cell);
        for digit in Digit::all(found.side()) {
            let is_true = digits.contains(digit);
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

fn cells(found: &TrueCandidates) -> impl Iterator<Item = Cell> + use<> {
    (0..found.side() * found.side()).map(Cell::new)
}

/// Appends a row for each candidate.
fn counts(record: u64, puzzle: &impl PuzzleLike, found: &TrueCandidates, out: &mut Vec<u8>) {
    for cell in cells(found) {
        let (row, column) = (cell.index() / found.side() + 1, cell.index() % found.side() + 1);
        for digit in Digit::all(found.side()).filter(|&digit| found.solutions(cell, digit) > 0) {
            let solutions = found.solutions(cell, digit);
            let capped = if solutions == found.cap() { "yes" } else { "no" };
            let digit = name(puzzle, digit);
            put(out, format_args!("{record},r{row}c{column},{digit},{solutions},{capped}\n"));
        }
    }
}

/// Returns a digit as it is written in the puzzle.
fn name(puzzle: &impl PuzzleLike, digit: Digit) -> String {
    puzzle.symbol(digit).map_or_else(|| digit.to_string(), String::from)
}

/// Appends a framed grid, in which each cell lists its candidates.
fn grid(puzzle: &impl PuzzleLike, found: &TrueCandidates, out: &mut Vec<u8>) {
    let (shape, side) = (puzzle.shape(), found.side());
    let texts: Vec<String> = cells(found).map(|cell| listed(puzzle, found.digits(cell), side)).collect();
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

/// Returns the digits of a cell, set apart by commas if they are numbers.
fn listed(puzzle: &impl PuzzleLike, digits: DigitSet, side: usize) -> String {
    let names: Vec<String> =
        Digit::all(side).filter(|&digit| digits.contains(digit)).map(|digit| name(puzzle, digit)).collect();
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
