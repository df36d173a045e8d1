//! The kinds of puzzles, and how often each occurs.

use gridmill_core::grid::Shape;

/// A kind of puzzle, with a row in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Proper puzzles: isomorphs of `datasets/easy.txt`. The next kinds come from the other files.
    Easy,
    Medium,
    Hard,
    Classics,
    Minimal,
    Seventeen,
    /// Proper puzzles: isomorphs of those in the file of `--given`.
    Given,
    /// Several solutions: isomorphs of `datasets/multiple.txt`.
    Multiple,
    /// Proper puzzles from which a few clues were removed.
    Thinned,
    /// A few cells of a full grid.
    Sparse,
    /// No solution: isomorphs of `datasets/none.txt`.
    None,
    /// No solution: a proper puzzle with an additional wrong clue, which does not contradict another clue
    /// directly.
    Added,
    /// A proper puzzle in which a clue was changed to a digit that does not contradict another clue directly.
    Changed,
    /// Puzzles with equal clues in a house.
    Contradictory,
    Empty,
    Full,
    /// A full grid with one wrong cell.
    OneWrongCell,
    /// A full grid without up to 30 cells.
    NearlyFull,
    /// Random clues without a direct contradiction.
    Random,
    /// Random clues, which may contradict each other.
    Scattered,
    /// The pencilmarks of a proper puzzle, without some candidates that are not in its solution.
    MarksKept,
    /// The same, but a candidate of the solution was also removed, so that there is no solution.
    MarksLost,
    /// The candidates of a full grid, and some random other ones.
    MarksOpen,
    /// Random candidates.
    MarksRandom,
    /// Grids with boxes of this many rows and columns, e.g. proper, thinned and contradictory ones.
    Boxes2x2,
    Boxes2x3,
    Boxes3x2,
    Boxes2x4,
    Boxes4x2,
    Boxes3x3,
    Boxes2x5,
    Boxes5x2,
    Boxes3x4,
    Boxes6x2,
    Boxes2x7,
    Boxes3x5,
    Boxes4x4,
    Boxes5x5,
}

/// The classic kinds, with their names and shares.
pub(crate) const CLASSIC: [(Kind, &str, u32); 20] = [
    (Kind::Easy, "easy", 251),
    (Kind::Medium, "medium", 120),
    (Kind::Hard, "hard", 20),
    (Kind::Classics, "classics", 1),
    (Kind::Minimal, "minimal", 90),
    (Kind::Seventeen, "17 clues", 30),
    (Kind::Given, "given", 50),
    (Kind::Multiple, "multiple", 40),
    (Kind::Thinned, "clues removed", 110),
    (Kind::Sparse, "few clues", 20),
    (Kind::None, "none", 40),
    (Kind::Added, "wrong clue added", 60),
    (Kind::Changed, "clue changed", 30),
    (Kind::Contradictory, "contradictory", 40),
    (Kind::Empty, "empty", 1),
    (Kind::Full, "full", 15),
    (Kind::OneWrongCell, "full, a cell wrong", 10),
    (Kind::NearlyFull, "nearly full", 60),
    (Kind::Random, "random clues", 3),
    (Kind::Scattered, "random, may clash", 10),
];

/// The kinds of pencilmarks, with their names and shares.
pub(crate) const MARKS: [(Kind, &str, u32); 4] = [
    (Kind::MarksKept, "marks, proper", 50),
    (Kind::MarksLost, "marks, none", 30),
    (Kind::MarksOpen, "marks, any", 30),
    (Kind::MarksRandom, "marks, random", 10),
];

/// A shape, and the properties of its grids.
pub(crate) struct ShapeRow {
    pub(crate) kind: Kind,
    pub(crate) name: &'static str,
    pub(crate) shape: Option<Shape>,
    pub(crate) share: u32,
    /// The smallest share of clues among the cells. It increases with the size, so that slow engines finish
    /// too.
    pub(crate) least_clues: f64,
}

const fn boxes(
    kind: Kind,
    name: &'static str,
    (rows, columns): (usize, usize),
    share: u32,
    least_clues: f64,
) -> ShapeRow {
    ShapeRow { kind, name, shape: Shape::new(rows, columns), share, least_clues }
}

/// The shapes. They include 9x9, because the engines for any shape must solve classic grids too.
pub(crate) const SHAPES: [ShapeRow; 14] = [
    boxes(Kind::Boxes2x2, "boxes of 2x2", (2, 2), 40, 0.0),
    boxes(Kind::Boxes2x3, "boxes of 2x3", (2, 3), 30, 0.2),
    boxes(Kind::Boxes3x2, "boxes of 3x2", (3, 2), 30, 0.2),
    boxes(Kind::Boxes2x4, "boxes of 2x4", (2, 4), 20, 0.3),
    boxes(Kind::Boxes4x2, "boxes of 4x2", (4, 2), 20, 0.3),
    boxes(Kind::Boxes3x3, "boxes of 3x3", (3, 3), 30, 0.3),
    boxes(Kind::Boxes2x5, "boxes of 2x5", (2, 5), 15, 0.4),
    boxes(Kind::Boxes5x2, "boxes of 5x2", (5, 2), 15, 0.4),
    boxes(Kind::Boxes3x4, "boxes of 3x4", (3, 4), 10, 0.5),
    boxes(Kind::Boxes6x2, "boxes of 6x2", (6, 2), 10, 0.5),
    boxes(Kind::Boxes2x7, "boxes of 2x7", (2, 7), 5, 0.6),
    boxes(Kind::Boxes3x5, "boxes of 3x5", (3, 5), 5, 0.6),
    boxes(Kind::Boxes4x4, "boxes of 4x4", (4, 4), 10, 0.6),
    boxes(Kind::Boxes5x5, "boxes of 5x5", (5, 5), 2, 0.8),
];

impl Kind {
    /// The names of all kinds, in the order of the report.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        let named = CLASSIC.iter().chain(&MARKS).map(|&(_, name, _)| name);
        named.chain(SHAPES.iter().map(|row| row.name))
    }

    /// The index of this kind in the report.
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// The name of this kind in the report.
    pub(crate) fn name(self) -> &'static str {
        Kind::names().nth(self.index()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_of_a_kind_is_its_row_in_the_report() {
        let named = CLASSIC.iter().chain(&MARKS).map(|&(kind, name, _)| (kind, name));
        let named = named.chain(SHAPES.iter().map(|row| (row.kind, row.name)));
        for (index, (kind, name)) in named.enumerate() {
            assert_eq!((kind.index(), kind.name()), (index, name));
        }
        let names: std::collections::BTreeSet<&str> = Kind::names().collect();
        assert_eq!(names.len(), CLASSIC.len() + MARKS.len() + SHAPES.len());
        assert!(SHAPES.iter().all(|row| row.shape.is_some()));
    }
}
