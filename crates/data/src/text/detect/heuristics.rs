//! Heuristics: what lines look like before their format is known.

use gridmill_core::grid::{BLANKS, Shape};

use crate::text::alphabet::Symbols;
use crate::text::reader::any_shape::{shapes_of, side_of, usual};
use crate::text::reader::cell_list::{CellList, read_number, spans};
use crate::text::reader::cells_of;
use crate::text::{Alphabet, Fault, FaultKind, MAX_RECORD, RowsFormat, lines};

/// Grids in rows, as a text looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) struct RowsGuess {
    pub(in crate::text) side: usize,
    /// Whether the cells are numbers of one or two digits, with white space between them.
    pub(in crate::text) numbers: bool,
    /// Lines that have as many cells as the side.
    pub(in crate::text) lines: usize,
}

impl RowsGuess {
    /// Finds whole grids of that shape, or of the side that most lines fit.
    pub(in crate::text) fn find(text: &[u8], shape: Option<Shape>, given: &[Alphabet]) -> Option<RowsGuess> {
        let numbers = lines(text).any(|line| is_numbers(line.text));
        let sides = (4..=Shape::MAX_SIDE).filter(|&side| shape.is_none_or(|shape| shape.side() == side));
        let shape_of = |side| shape.or_else(|| usual(side)).or_else(|| shapes_of(side).first().copied());
        let found = sides.filter_map(shape_of).filter_map(|shape| RowsGuess::of(text, shape, numbers, given));
        found.max_by_key(|rows| rows.lines)
    }

    fn of(text: &[u8], shape: Shape, numbers: bool, given: &[Alphabet]) -> Option<RowsGuess> {
        let side = shape.side();
        // For all sides but one, most lines have another length.
        let may_fit = |line: &[u8]| line.len() >= side && spans(line).count() <= side;
        lines(text).any(|line| may_fit(line.text)).then_some(())?;
        let format = RowsFormat::of_shape(text, shape, given, numbers);
        let lengths = format.row_lengths(text);
        let groups: Vec<_> = lengths.split(Option::is_none).filter(|group| !group.is_empty()).collect();
        let even = |group: &[Option<usize>]| group.iter().all(|&len| len == Some(side));
        let is_band = |group: &&[Option<usize>]| group.len() == shape.box_rows() && even(group);
        let is_whole = groups.iter().any(|group| group.len().is_multiple_of(side) && even(group))
            || groups.windows(shape.box_columns()).any(|bands| bands.iter().all(is_band));
        let lines = lengths.iter().flatten().filter(|&&len| len == side).count();
        is_whole.then_some(RowsGuess { side, numbers, lines })
    }
}

/// Returns whether a line is a row of numbers, one of them of two digits.
fn is_numbers(line: &[u8]) -> bool {
    let count = spans(line).count();
    let fits =
        |(from, to): (usize, usize)| read_number(&line[from..to], count).is_some_and(|read| read.is_ok());
    !shapes_of(count).is_empty()
        && count <= Shape::MAX_SIDE
        && spans(line).any(|(from, to)| to - from == 2)
        && spans(line).all(fits)
}

/// Returns the side of the puzzle that a line looks like, and the byte behind its cells.
pub(in crate::text) fn looks_like(line: &[u8], given: &[Alphabet]) -> Option<(usize, usize)> {
    if line.len() > MAX_RECORD {
        return None;
    }
    if let Some(list) = CellList::of(line) {
        let side = side_of(list.len())?;
        let fits = list.is_of_numbers_to(side) || list.fits(&Symbols::possible(side, given));
        return fits.then_some((side, list.end()));
    }
    let (start, text) = cells_of(line);
    let side = side_of(text.len())?;
    // As good as any rule of a frame.
    let is_rule = matches!(text[0], b'-' | b'*' | b'_') && text.iter().all(|&byte| byte == text[0]);
    (!is_rule && Symbols::possible(side, given).have(text)).then_some((side, start + text.len()))
}

/// Returns the side above 9 of a line of letters and digits, which need not be of a known alphabet.
pub(in crate::text) fn side_by_length(line: &[u8]) -> Option<usize> {
    let (_, text) = cells_of(line);
    let fits = |byte: &u8| byte.is_ascii_alphanumeric() || BLANKS.contains(byte);
    side_of(text.len()).filter(|&side| side > 9 && text.iter().all(fits))
}

/// Returns the fault of a line that looks like a puzzle of a size other than that of the shape.
pub(in crate::text) fn other_size(line: &[u8], shape: Shape, given: &[Alphabet]) -> Option<Fault> {
    let (side, end) = looks_like(line, given).filter(|&(side, _)| side != shape.side())?;
    let kind = FaultKind::OtherSize { found: (side * side) as u32, shape };
    Some(Fault { kind, offset: end as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(text: &str) -> Option<(usize, bool)> {
        RowsGuess::find(text.as_bytes(), None, &[]).map(|rows| (rows.side, rows.numbers))
    }

    #[test]
    fn whole_grids_tell_the_side() {
        assert_eq!(side(&"12..\n".repeat(4)), Some((4, false)));
        assert_eq!(side(&"12..\n".repeat(3)), None);
        assert_eq!(side(&"1 2 . . 5 6\n".repeat(12)), Some((6, false)));
        assert_eq!(side(&format!("{0}\n{0}\n{0}", "12...6\n12...6\n")), Some((6, false)));
        assert_eq!(
            side(&format!("{0}{0}{0}{0}", "12..|..AB|CD..|...G\n".repeat(4) + "----+----+----+----\n")),
            Some((16, false))
        );
        assert_eq!(side(&"1 2 3 4 | 5 0 0 0 | 9 10 0 0 | 0 0 16 0\n".repeat(16)), Some((16, true)));
        assert_eq!(side(&"1 2 3 4 5 6\n".repeat(13)), None);
        assert_eq!(side(&"53..7....\n".repeat(9)), Some((9, false)));
    }
}
