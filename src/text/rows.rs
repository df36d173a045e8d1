//! Which side the grids in rows have, by their lines.

use super::list::{read_number, spans};
use super::sizes::{shapes_of, usual};
use super::{Alphabet, RowsFormat, lines};
use crate::grid::Shape;

/// Grids in rows that a text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) side: usize,
    /// Are the cells numbers of one or two digits, with white space between them?
    pub(super) numbers: bool,
    /// Lines of as many cells as the side.
    pub(super) lines: usize,
}

impl Rows {
    /// Grids of that shape, or of the side that most lines fit. There must be a whole grid.
    pub(super) fn find(text: &[u8], shape: Option<Shape>, given: &[Alphabet]) -> Option<Rows> {
        let numbers = lines(text).any(|line| is_numbers(line.text));
        let sides = (4..=Shape::MAX_SIDE).filter(|&side| shape.is_none_or(|shape| shape.side() == side));
        let shape_of = |side| shape.or_else(|| usual(side)).or_else(|| shapes_of(side).first().copied());
        let found = sides.filter_map(shape_of).filter_map(|shape| Rows::of(text, shape, numbers, given));
        found.max_by_key(|rows| rows.lines)
    }

    fn of(text: &[u8], shape: Shape, numbers: bool, given: &[Alphabet]) -> Option<Rows> {
        let side = shape.side();
        // Most lines are of another length, for all sides but one.
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
        is_whole.then_some(Rows { side, numbers, lines })
    }
}

/// Is this a row of numbers, one of them of two digits?
fn is_numbers(line: &[u8]) -> bool {
    let count = spans(line).count();
    let fits =
        |(from, to): (usize, usize)| read_number(&line[from..to], count).is_some_and(|read| read.is_ok());
    !shapes_of(count).is_empty()
        && count <= Shape::MAX_SIDE
        && spans(line).any(|(from, to)| to - from == 2)
        && spans(line).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(text: &str) -> Option<(usize, bool)> {
        Rows::find(text.as_bytes(), None, &[]).map(|rows| (rows.side, rows.numbers))
    }

    #[test]
    fn sides_by_whole_grids() {
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
