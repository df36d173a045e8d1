//! The base puzzles and their solutions. All other puzzles are derived from them.

use std::fs;
use std::io;
use std::path::Path;

use gridmill_core::grid::{Grid, Puzzle, Shape, Solution, rules};
use gridmill_core::solver::{Bounds, DancingLinks, Outcome, SolutionEngine, SolutionLimit, Solver};

/// A proper puzzle with its solution.
pub(crate) struct Proper {
    pub(crate) clues: Puzzle,
    pub(crate) solution: Puzzle,
}

/// A proper puzzle of any shape with its solution.
pub(crate) struct ProperGrid {
    pub(crate) clues: Grid,
    pub(crate) solution: Grid,
}

/// All base puzzles. Each is solved by dancing links when it is read, and checked by the naive rules.
pub(crate) struct Bases {
    pub(crate) easy: Vec<Proper>,
    pub(crate) medium: Vec<Proper>,
    pub(crate) hard: Vec<Proper>,
    pub(crate) classics: Vec<Proper>,
    pub(crate) minimal: Vec<Proper>,
    pub(crate) seventeen: Vec<Proper>,
    /// The puzzles of `--given`, or else those with 17 clues.
    pub(crate) given: Vec<Proper>,
    pub(crate) multiple: Vec<Puzzle>,
    pub(crate) none: Vec<Puzzle>,
    pub(crate) grids: Vec<ProperGrid>,
}

impl Bases {
    /// The puzzles of this repository. They are read only once for all tests.
    #[cfg(test)]
    pub(crate) fn committed() -> &'static Bases {
        static COMMITTED: std::sync::LazyLock<Bases> = std::sync::LazyLock::new(|| Bases::new(None).unwrap());
        &COMMITTED
    }

    /// Reads the puzzles of this repository, and the proper ones of another file.
    pub(crate) fn new(given: Option<&Path>) -> io::Result<Bases> {
        let classics = || proper(include_str!("../../../datasets/classics.txt"));
        let seventeen =
            || classics().into_iter().filter(|base| base.clues.clue_count() == 17).collect::<Vec<_>>();
        let given = match given {
            Some(path) => proper(&fs::read_to_string(path)?),
            None => seventeen(),
        };
        if given.is_empty() {
            return Err(io::Error::other("the file has no puzzle with exactly one solution"));
        }
        Ok(Bases {
            easy: proper(include_str!("../../../datasets/easy.txt")),
            medium: proper(include_str!("../../../datasets/medium.txt")),
            hard: proper(include_str!("../../../datasets/hard.txt")),
            minimal: proper(include_str!("../../../datasets/minimal.txt")),
            seventeen: seventeen(),
            classics: classics(),
            given,
            multiple: puzzles(include_str!("../../../datasets/multiple.txt"), 2),
            none: puzzles(include_str!("../../../datasets/none.txt"), 0),
            grids: [
                (2, 2, include_str!("../../../datasets/4x4.txt")),
                (2, 3, include_str!("../../../datasets/6x6.txt")),
                (4, 4, include_str!("../../../datasets/16x16.txt")),
            ]
            .into_iter()
            .flat_map(|(rows, columns, text)| grids(Shape::new(rows, columns), text))
            .collect(),
        })
    }
}

/// The proper puzzles of a text, one on each line, with their solutions.
fn proper(text: &str) -> Vec<Proper> {
    let mut engine = DancingLinks::new();
    let solve = |clues: Puzzle| {
        let outcome: Outcome<Solution> = engine.solve(&clues, SolutionLimit::UNIQUENESS);
        let solution = Puzzle::from_cells(*outcome.solution.filter(|_| outcome.solutions == 1)?.cells())?;
        let is_solution = rules::is_solution(Shape::CLASSIC, clues.cells(), solution.cells());
        is_solution.then_some(Proper { clues, solution })
    };
    lines(text).filter_map(solve).collect()
}

/// The puzzles of a text that have this number of solutions, where 2 means several.
fn puzzles(text: &str, solutions: u64) -> Vec<Puzzle> {
    let mut engine = DancingLinks::new();
    let mut solve = |puzzle: &Puzzle| -> Outcome { engine.solve(puzzle, SolutionLimit::UNIQUENESS) };
    lines(text).filter(|puzzle| solve(puzzle).solutions == solutions).collect()
}

/// The classic puzzles at the start of lines. Other lines are skipped.
fn lines(text: &str) -> impl Iterator<Item = Puzzle> + '_ {
    text.lines().filter_map(|line| line.get(..81)?.parse().ok())
}

fn grids(shape: Option<Shape>, text: &str) -> Vec<ProperGrid> {
    let mut engine = DancingLinks::new();
    let solve = |line: &str| {
        let shape = shape?;
        let cells: Vec<u8> = line.chars().map(|symbol| symbol.to_digit(36).unwrap_or(0) as u8).collect();
        let clues = Grid::new(shape, cells)?;
        let mut solution = None;
        let mut keep = |cells: &[u8]| {
            solution = Grid::from_cells(shape, cells);
            std::ops::ControlFlow::Continue(())
        };
        let outcome = engine.search(&clues, &Bounds::solutions(2), &mut keep);
        let solution = solution.filter(|_| outcome.solutions == 1)?;
        rules::is_solution(shape, clues.cells(), solution.cells()).then_some(ProperGrid { clues, solution })
    };
    text.lines().filter_map(solve).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_puzzles_of_the_repository_are_used() {
        let bases = Bases::committed();
        let sizes = [&bases.easy, &bases.medium, &bases.hard, &bases.minimal].map(Vec::len);
        assert_eq!(sizes, [2000, 2000, 1000, 2000]);
        assert_eq!((bases.multiple.len(), bases.none.len(), bases.grids.len()), (1000, 1000, 1700));
        assert!(bases.classics.len() > 40 && bases.seventeen.len() >= 10);
    }

    #[test]
    fn a_file_without_a_proper_puzzle_is_rejected() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "nothing\n").unwrap();
        assert!(Bases::new(Some(file.path())).is_err());
        fs::write(file.path(), include_str!("../../../datasets/classics.txt")).unwrap();
        assert!(Bases::new(Some(file.path())).unwrap().given.len() > 40);
    }
}
