//! Transforms and minlex forms.

use gridmill_core::grid::{Grid, Puzzle, Shape};
use gridmill_core::minlex::{Minlex, Transform};
use gridmill_core::solver::Solvable;

use super::choices::Choices;

/// The rows and columns of boxes.
const SHAPES: [(usize, usize); 5] = [(3, 3), (2, 2), (2, 3), (3, 2), (2, 4)];

/// Transforms a puzzle. The input consists of a line with a transform, a byte for the shape, and cells. The
/// check fails unless:
///
/// - A transform is written in the same way as it was read.
/// - The transform of a minlex form leads to this form, and the form of the form is itself.
/// - A puzzle and its isomorph have the same form, and the same number of automorphisms.
pub fn check(data: &[u8]) {
    let line = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let mut choices = Choices::of(data.get(line + 1..).unwrap_or_default());
    let (rows, columns) = choices.among(&SHAPES);
    let shape = Shape::new(rows, columns).expect("a shape");
    let grid = grid(shape, choices.rest());
    let notation = std::str::from_utf8(&data[..line]).ok();
    let transform = notation.and_then(|text| Some((text, text.parse::<Transform>().ok()?)));
    // Nearly blank puzzles are skipped, because they have so many automorphisms that they take a hundred
    // times as long.
    if grid.clue_count() < grid.shape().side() + 2 && shape.side() > 6 {
        return;
    }
    let mut minlex = Minlex::new();
    let form = check_form(&mut minlex, &grid);
    if let Some((text, transform)) = transform {
        assert_eq!(transform.to_string(), text);
        if let Some(puzzle) = grid.to_classic() {
            check_isomorph(&mut minlex, &puzzle, &transform, form.as_ref());
        }
    }
}

/// Checks the form of a puzzle, and returns it if there is one.
fn check_form(minlex: &mut Minlex, grid: &Grid) -> Option<Grid> {
    let canonical = minlex.canonical_cells(grid.clues())?;
    let form = Grid::from_cells(grid.shape(), canonical.cells()).expect("cells of the shape");
    assert_eq!(canonical.transform.isomorphism().apply(grid), form);
    let again = minlex.canonical_cells(form.clues()).expect("it obeys the rules too");
    assert_eq!((again.form, again.automorphisms), (canonical.form, canonical.automorphisms));
    assert!(form.cells() <= grid.cells());
    Some(form)
}

fn check_isomorph(minlex: &mut Minlex, puzzle: &Puzzle, transform: &Transform, form: Option<&Grid>) {
    let isomorph = transform.isomorphism().apply_classic(puzzle);
    let of_isomorph = minlex.canonical(&isomorph).map(|canonical| Grid::from(canonical.form));
    assert_eq!(of_isomorph.as_ref(), form, "{puzzle} {isomorph}");
}

/// Makes a puzzle from bytes. Each byte gives a cell, by its remainder. Missing cells are blank.
fn grid(shape: Shape, cells: &[u8]) -> Grid {
    let cell = |&byte: &u8| if byte == b'.' { 0 } else { byte.wrapping_sub(b'0') % (shape.side() as u8 + 1) };
    let mut cells: Vec<u8> = cells.iter().map(cell).take(shape.cells()).collect();
    cells.resize(shape.cells(), 0);
    Grid::new(shape, cells).expect("cells of the shape")
}
