//! Puzzles alone, as lines or grids.

use super::Spelling;
use crate::text::{PuzzleForm, PuzzleText, is_skipped, write_candidates};

/// Puzzles in a form. A record that can't be read is its text on one line: as it stands where puzzles are lines, and in
/// quotes where they are grids or where the line would be passed over, so that it is a record there too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextRows(pub(super) PuzzleForm);

impl TextRows {
    #[inline]
    pub(super) fn write<P: PuzzleText>(
        self,
        text: &[u8],
        puzzle: Option<&P>,
        spelling: &Spelling,
        out: &mut Vec<u8>,
    ) {
        match (puzzle, self.0) {
            (Some(puzzle), PuzzleForm::Line) => {
                spelling.write(puzzle, out);
                out.push(b'\n');
            }
            (Some(puzzle), form) => arrange(form, puzzle, spelling, out),
            (None, form) => write_unread(form, text, out),
        }
    }
}

fn arrange<P: PuzzleText>(form: PuzzleForm, puzzle: &P, spelling: &Spelling, out: &mut Vec<u8>) {
    let mut line = Vec::new();
    if form == PuzzleForm::Pencilmarks && !P::HAS_CANDIDATES {
        write_candidates(puzzle.cells(), &mut line);
    } else {
        spelling.write(puzzle, &mut line);
    }
    form.arrange(puzzle.shape(), &line, out);
}

#[cold]
fn write_unread(form: PuzzleForm, text: &[u8], out: &mut Vec<u8>) {
    let is_open = form.is_line() && !is_skipped(text);
    let quote: &[u8] = if is_open { b"" } else { b"\"" };
    out.extend_from_slice(quote);
    out.extend(text.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
    out.extend_from_slice(quote);
    out.extend_from_slice(if form.is_line() { b"\n" } else { b"\n\n" });
}
