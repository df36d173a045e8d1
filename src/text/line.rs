//! One puzzle a line.

use super::cells::{find_puzzle, read_plain};
use super::looks::other_size;
use super::{Batch, Cut, Fault, FaultKind, Format, Line, MAX_RECORD, Record, SourceEcho, is_skipped, lines};
use crate::grid::{CELLS, Puzzle, Shape};

/// Lines of 81 characters, as [`super::read_puzzle`] reads them. Blank lines and lines that begin with
/// `#` are skipped; lines end with LF or CRLF.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineFormat;

impl Cut for LineFormat {
    fn name(&self) -> &'static str {
        "line"
    }

    fn whole(&self, window: &[u8]) -> usize {
        whole_lines(window)
    }
}

/// The bytes of the whole lines at the front of a window.
pub(super) fn whole_lines(window: &[u8]) -> usize {
    memchr::memrchr(b'\n', window).map_or(0, |feed| feed + 1)
}

impl Format for LineFormat {
    fn read(&self, chunk: &[u8], batch: &mut Batch) {
        let mut lines = lines(chunk);
        loop {
            // The common case, without a search for the line's end: 81 plain cells and a line feed.
            while let Some((text, b'\n')) = chunk[lines.at..].split_first_chunk::<CELLS>().and_then(with_next)
                && push_plain(text, &mut batch.puzzles)
            {
                batch.records.push(record(lines.at, CELLS, 0, SourceEcho::Verbatim, None));
                lines.at += CELLS + 1;
            }
            let Some(line) = lines.next() else { return };
            if !is_skipped(line.text) || line.text == [b' '; CELLS] {
                read_line(line, batch);
            }
        }
    }
}

/// Reads 81 plain cells into a puzzle more. False if they are not plain.
#[inline]
fn push_plain(text: &[u8; CELLS], puzzles: &mut Vec<Puzzle>) -> bool {
    // Read where they are to stay: 81 bytes on the stack would be copied twice.
    puzzles.push(Puzzle::EMPTY);
    let is_plain = puzzles.last_mut().is_some_and(|puzzle| read_plain(text, puzzle));
    if !is_plain {
        puzzles.pop();
    }
    is_plain
}

fn with_next<'a>((text, rest): (&'a [u8; CELLS], &'a [u8])) -> Option<(&'a [u8; CELLS], u8)> {
    Some((text, *rest.first()?))
}

pub(super) fn record(
    start: usize,
    len: usize,
    lead: usize,
    echo: SourceEcho,
    fault: Option<Fault>,
) -> Record {
    Record { start: start as u32, len: len as u32, lead: lead as u16, echo, fault }
}

#[inline(never)]
fn read_line(line: Line<'_>, batch: &mut Batch) {
    let found = match line.text.len() {
        0..=MAX_RECORD => find_puzzle(line.text)
            .map_err(|fault| other_size(line.text, Shape::CLASSIC, &[]).unwrap_or(fault)),
        _ => Err(Fault { kind: FaultKind::RecordTooLong, offset: 0 }),
    };
    let record = match found {
        Ok(found) => {
            batch.puzzles.push(found.puzzle);
            if found.together {
                record(line.start + found.start, CELLS, 0, SourceEcho::Verbatim, None)
            } else {
                record(line.start, line.text.len(), found.start, SourceEcho::Puzzle, None)
            }
        }
        Err(fault) => {
            let fault = Fault { offset: line.start as u32 + fault.offset, ..fault };
            record(line.start, line.text.len(), 0, SourceEcho::Field, Some(fault))
        }
    };
    batch.records.push(record);
}
