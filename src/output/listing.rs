//! Listings of records with their verdicts.

use std::borrow::Cow;
use std::path::Path;

use super::csv::{printable, put_field};
use crate::record::{PuzzleLike, Verdict};
use crate::text::{FaultAdvice, FaultKind, no_advice};

/// A record with its verdict. Records, lines and columns count from 1.
#[derive(Debug)]
pub struct Listed<'a, P> {
    /// The record.
    pub record: u64,
    /// The line.
    pub line: u64,
    /// The column, in characters, if the verdict is about a single one.
    pub column: Option<u64>,
    /// The text of the record.
    pub text: &'a [u8],
    /// The puzzle, if it could be read.
    pub puzzle: Option<&'a P>,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason of the verdict; empty for a good record.
    pub reason: &'a str,
    /// The fault that the reason ends with, if any.
    pub fault: Option<FaultKind>,
}

/// How the records of a file are listed.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The name of the file, as it is written in a row.
    name: Vec<u8>,
    is_csv: bool,
    advice: FaultAdvice,
}

impl Listing {
    /// The header row of a listing as CSV.
    pub const CSV_HEADER: &str = "file,record,line,puzzle,verdict,reason\n";

    /// Returns a listing in lines as compilers write them: `puzzles.txt:7: multiple: two solutions or more`.
    #[must_use]
    pub fn lines(file: &Path) -> Listing {
        Listing { name: file.display().to_string().into_bytes(), is_csv: false, advice: no_advice }
    }

    /// Returns a listing in rows of CSV, to go below [`Listing::CSV_HEADER`].
    #[must_use]
    pub fn csv(file: &Path) -> Listing {
        let mut name = Vec::new();
        put_field(&file.display().to_string(), &mut name);
        Listing { name, is_csv: true, advice: no_advice }
    }

    /// Adds advice about faults to the reasons.
    #[must_use]
    pub fn with_advice(self, advice: FaultAdvice) -> Listing {
        Listing { advice, ..self }
    }

    /// Appends the row of a record.
    pub fn row<P: PuzzleLike>(&self, listed: &Listed<'_, P>, rows: &mut Vec<u8>) {
        rows.extend_from_slice(&self.name);
        let reason = match listed.fault {
            Some(fault) => Cow::Owned(format!("{}{}", listed.reason, (self.advice)(fault))),
            None => Cow::Borrowed(listed.reason),
        };
        if self.is_csv {
            csv_row(listed, &reason, rows);
        } else {
            line(listed, &reason, rows);
        }
        rows.push(b'\n');
    }
}

fn csv_row<P: PuzzleLike>(listed: &Listed<'_, P>, reason: &str, rows: &mut Vec<u8>) {
    rows.push(b',');
    put_number(listed.record, rows);
    rows.push(b',');
    put_number(listed.line, rows);
    rows.push(b',');
    match listed.puzzle {
        Some(puzzle) => puzzle.write(rows),
        None => put_field(&printable(listed.text), rows),
    }
    rows.push(b',');
    rows.extend_from_slice(listed.verdict.name().as_bytes());
    rows.push(b',');
    put_field(reason, rows);
}

fn line<P>(listed: &Listed<'_, P>, reason: &str, rows: &mut Vec<u8>) {
    rows.push(b':');
    put_number(listed.line, rows);
    if let Some(column) = listed.column {
        rows.push(b':');
        put_number(column, rows);
    }
    rows.extend_from_slice(b": ");
    rows.extend_from_slice(listed.verdict.name().as_bytes());
    if !reason.is_empty() {
        rows.extend_from_slice(b": ");
        rows.extend_from_slice(reason.as_bytes());
    }
}

fn put_number(number: u64, rows: &mut Vec<u8>) {
    rows.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
