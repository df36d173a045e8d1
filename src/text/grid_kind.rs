//! What the lines of grids in rows are.

/// What a line is in this format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Blank,
    Comment,
    /// A part of a frame.
    Rule,
    /// Words: no row, where a record may begin.
    Title,
    /// A heading other than `[Puzzle]`: the grid below it is no record.
    Aside,
    Row,
}

/// Is this the heading of a section?
pub(super) fn is_heading(text: &[u8]) -> bool {
    text.starts_with(b"[") && text.ends_with(b"]")
}

pub(super) fn is_puzzle_heading(text: &[u8]) -> bool {
    text.eq_ignore_ascii_case(b"[puzzle]")
}

/// Is this a line above a grid in a `.sdk` file: author, date, comment, description, level, source or address?
pub(super) fn is_tag(line: &[u8]) -> bool {
    matches!(line, [b'#', b'A' | b'B' | b'C' | b'D' | b'L' | b'S' | b'U', ..])
}
