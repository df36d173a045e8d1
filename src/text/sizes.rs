//! The sizes that puzzles come in, and the boxes that each may have.

use crate::grid::Shape;

/// The usual boxes of each side: as wide as high, or wider.
const USUAL: [(usize, usize); 10] =
    [(2, 2), (2, 3), (2, 4), (3, 3), (2, 5), (3, 4), (3, 5), (4, 4), (4, 5), (5, 5)];

/// The side of a grid of so many cells, if there is a shape of that side.
pub(super) fn side_of(cells: usize) -> Option<usize> {
    (4..=Shape::MAX_SIDE).find(|&side| side * side == cells && shapes(side).next().is_some())
}

/// The shape that a side usually has.
pub(super) fn usual(side: usize) -> Option<Shape> {
    USUAL.iter().filter_map(|&(rows, columns)| Shape::new(rows, columns)).find(|shape| shape.side() == side)
}

/// All shapes of a side.
pub(super) fn shapes_of(side: usize) -> Vec<Shape> {
    shapes(side).collect()
}

fn shapes(side: usize) -> impl Iterator<Item = Shape> {
    let rows = (2..=side / 2).filter(move |rows| side.is_multiple_of(*rows));
    rows.filter_map(move |rows| Shape::new(rows, side / rows))
}

/// Shapes in words: `2x9, 3x6, 6x3 or 9x2`.
pub(super) fn alternatives(shapes: &[Shape]) -> String {
    let names: Vec<String> = shapes.iter().map(Shape::to_string).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_and_their_shapes() {
        let sides: Vec<_> = (0..=700).filter_map(side_of).collect();
        assert_eq!(sides, [4, 6, 8, 9, 10, 12, 14, 15, 16, 18, 20, 21, 22, 24, 25]);
        assert_eq!(alternatives(&shapes_of(18)), "2x9, 3x6, 6x3 or 9x2");
        assert_eq!((usual(12), usual(18)), (Shape::new(3, 4), None));
        assert_eq!(alternatives(&shapes_of(9)), "3x3");
    }
}
