//! Recipes that no puzzle can match, refused without a search.

use super::source::Around;
use super::units::Units;
use super::{Recipe, RecipeError};
use crate::grid::{Cell, Shape, Symmetry, rules};

/// The most guesses to find out whether any grid has the digits of a pattern.
const GUESSES: u64 = 100_000;

/// Checks that some puzzle might fulfil the recipe, as far as counting tells.
pub(super) fn check(recipe: &Recipe) -> Result<(), RecipeError> {
    check_grids(recipe)?;
    let (shape, clues) = (recipe.shape, recipe.clue_range());
    let least = fewest_clues(shape);
    if *clues.end() < least {
        return Err(RecipeError::TooFewClues { shape, wanted: *clues.end(), least });
    }
    if let Some(symmetry) = recipe.symmetry {
        let possible = symmetric_counts(shape, symmetry);
        let is_possible = |&count: &usize| count >= least && possible[count];
        if !clues.clone().any(|count| is_possible(&count)) {
            let below = (least..*clues.start()).rev().find(is_possible);
            let above = (*clues.end() + 1..=shape.cells()).find(is_possible);
            return Err(RecipeError::SymmetricClues { symmetry, clues, below, above });
        }
    }
    recipe.pattern.as_ref().map_or(Ok(()), |pattern| check_lines(shape, pattern))
}

/// Checks the digits that are given: those of a pattern, and those of the grid to dig.
fn check_grids(recipe: &Recipe) -> Result<(), RecipeError> {
    let shape = recipe.shape;
    if let Some(method) = recipe.method.filter(|_| recipe.digits.is_some() || recipe.solution.is_some()) {
        return Err(RecipeError::GridAndMethod { method });
    }
    let is_of_shape = |cells: &[u8]| cells.iter().all(|&cell| usize::from(cell) <= shape.side());
    if let Some(solution) = &recipe.solution {
        if solution.len() != shape.cells() {
            return Err(RecipeError::GridLength { shape, found: solution.len() });
        }
        if let Some(&digit) = solution.iter().find(|&&digit| usize::from(digit) > shape.side()) {
            return Err(RecipeError::ForeignDigit { shape, digit });
        }
        if !rules::is_valid_grid(shape, solution) {
            return Err(RecipeError::NotAGrid { shape, conflict: rules::find_conflict(shape, solution) });
        }
    }
    let Some(digits) = &recipe.digits else { return Ok(()) };
    let is_clue =
        |cell: usize| recipe.pattern.as_ref().is_some_and(|pattern| pattern.get(cell) == Some(&true));
    let stray = digits.len() != shape.cells()
        || !is_of_shape(digits)
        || (0..digits.len()).any(|cell| digits[cell] != 0 && !is_clue(cell));
    if stray {
        return Err(RecipeError::StrayDigits);
    }
    if let Some(conflict) = rules::find_conflict(shape, digits) {
        return Err(RecipeError::PatternConflict { conflict });
    }
    match &recipe.solution {
        Some(solution) => {
            match (0..digits.len()).find(|&cell| ![0, solution[cell]].contains(&digits[cell])) {
                Some(cell) => Err(RecipeError::OtherDigit { shape, cell: Cell::new(cell) }),
                None => Ok(()),
            }
        }
        None if Around::new(shape, digits.clone()).is_possible(GUESSES) => Ok(()),
        None => Err(RecipeError::NoGrid),
    }
}

/// Returns a number of clues below which no puzzle is proper. For 9x9 it is the proved minimum; for any shape,
/// two digits without a clue could be swapped in every solution.
fn fewest_clues(shape: Shape) -> usize {
    if shape == Shape::CLASSIC { 17 } else { shape.side() - 1 }
}

/// Returns for each number of clues whether units of the symmetry add up to it.
fn symmetric_counts(shape: Shape, symmetry: Symmetry) -> Vec<bool> {
    let units = Units::symmetric(shape, Some(symmetry));
    let mut possible = vec![false; shape.cells() + 1];
    possible[0] = true;
    for size in (0..units.len()).map(|unit| units.size(unit as u16)) {
        for count in (size..possible.len()).rev() {
            possible[count] |= possible[count - size];
        }
    }
    possible
}

/// Checks that no two rows of a band and no two columns of a stack are without a clue.
fn check_lines(shape: Shape, pattern: &[bool]) -> Result<(), RecipeError> {
    let side = shape.side();
    let rows = (0..side).map(|row| (0..side).any(|column| pattern[side * row + column])).collect();
    let columns = (0..side).map(|column| (0..side).any(|row| pattern[side * row + column])).collect();
    blank_pair("row", rows, shape.box_rows())?;
    blank_pair("column", columns, shape.box_columns())
}

/// Refuses two lines of a band, or of a stack, that have no clue. `clued` says which lines have one.
fn blank_pair(line: &'static str, clued: Vec<bool>, width: usize) -> Result<(), RecipeError> {
    for (band, lines) in clued.chunks(width).enumerate() {
        let mut blank = (0..width).filter(|&place| !lines[place]).map(|place| band * width + place + 1);
        if let (Some(first), Some(second)) = (blank.next(), blank.next()) {
            return Err(RecipeError::PatternLines { line, first, second });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(recipe: Recipe) -> Option<String> {
        recipe.check().err().map(|error| error.to_string())
    }

    fn symmetric(shape: &str, symmetry: Symmetry, clues: std::ops::RangeInclusive<usize>) -> Option<String> {
        let shape = shape.parse().unwrap();
        refused(Recipe { shape, symmetry: Some(symmetry), clues: Some(clues), ..Recipe::default() })
    }

    #[test]
    fn symmetric_clues_must_add_up() {
        for (shape, symmetry, clues, advice) in [
            ("3x3", Symmetry::Rotate90, 22..=23, "ask for 21 or 24"),
            ("3x3", Symmetry::Rotate90, 18..=19, "ask for 17 or 20"),
            ("2x2", Symmetry::Rotate180, 5..=5, "ask for 4 or 6"),
            ("4x4", Symmetry::Rotate180, 101..=101, "ask for 100 or 102"),
            ("2x3", Symmetry::Mirror, 11..=11, "ask for 10 or 12"),
            ("4x4", Symmetry::Rotate90, 253..=255, "ask for 252 or 256"),
        ] {
            let error = symmetric(shape, symmetry, clues.clone()).unwrap();
            assert!(error.ends_with(advice), "{error}");
        }
        assert_eq!(symmetric("3x3", Symmetry::Rotate180, 25..=25), None);
        assert_eq!(symmetric("3x3", Symmetry::Rotate90, 23..=24), None);
        assert_eq!(symmetric("2x2", Symmetry::Diagonal, 5..=5), None);
    }

    #[test]
    fn too_few_clues_are_refused() {
        let clues = |shape: &str, most| {
            let shape = shape.parse().unwrap();
            refused(Recipe { shape, clues: Some(0..=most), ..Recipe::default() })
        };
        assert!(clues("3x3", 16).unwrap().contains("ask for 17 or more"));
        assert_eq!(clues("3x3", 17), None);
        assert!(clues("4x4", 14).is_some() && clues("4x4", 15).is_none());
        let pattern = Some(vec![false; 81]);
        assert!(refused(Recipe { pattern, ..Recipe::default() }).unwrap().contains("17"));
    }

    #[test]
    fn patterns_with_lines_that_can_be_swapped_are_refused() {
        let refused = |blank: fn(usize) -> bool| {
            let pattern = Some((0..81).map(|cell| !blank(cell)).collect());
            refused(Recipe { pattern, ..Recipe::default() })
        };
        assert!(refused(|cell| matches!(cell / 9, 3 | 5)).unwrap().contains("rows 4 and 6"));
        assert!(refused(|cell| matches!(cell % 9, 7 | 8)).unwrap().contains("columns 8 and 9"));
        assert_eq!(refused(|cell| matches!(cell / 9, 2 | 3) || matches!(cell % 9, 0 | 8)), None);
    }

    #[test]
    fn guesses_contradict_singles() {
        let recipe = |guesses| Recipe { singles: true, guesses: Some(guesses), ..Recipe::default() };
        assert!(refused(recipe(1..=5)).is_some());
        assert_eq!(refused(recipe(0..=5)), None);
    }
}
