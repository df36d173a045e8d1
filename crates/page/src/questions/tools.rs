//! Tools for setters: minimizing, which takes clues out of a proper puzzle until no more can be removed; and the
//! transform of a puzzle to its minlex form, i.e. the source of each cell and the new name of each digit.

use std::slice;
use std::sync::atomic::AtomicBool;

use gridmill_core::generate::{Minimized, Minimizer};
use gridmill_core::grid::{Cell, Grid, Symmetry};
use gridmill_core::minlex::Minlex;
use gridmill_core::solver::Solvable;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{PageGrid, symmetry};
use crate::reply::{Answer, Refusal};

/// The request for a minimal puzzle.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Minimize {
    grid: PageGrid,
    seed: u64,
    #[serde(default, deserialize_with = "symmetry")]
    symmetry: Option<Symmetry>,
    /// The cells whose clues stay.
    #[serde(default)]
    keep: Vec<u16>,
}

impl Minimize {
    /// The remaining clues, and the number of those that were taken out.
    pub(crate) fn answer(self, stop: &AtomicBool) -> Answer<Value> {
        let clues = self.grid.check()?.clues;
        let mut minimizer = Minimizer::default();
        let found = match self.symmetry {
            Some(symmetry) if !symmetry.holds_for(clues.shape(), clues.cells()) => {
                let name = symmetry.name();
                return Err(bad!("the clues do not have the symmetry {name}; choose none, or another one"));
            }
            symmetry if symmetry.is_some() || !self.keep.is_empty() => {
                let cells = self.keep.iter().map(|&cell| usize::from(cell));
                let keep: Vec<Cell> =
                    cells.filter(|&cell| cell < clues.shape().cells()).map(Cell::new).collect();
                minimizer.minimize_keeping(&clues, symmetry, &keep, self.seed, stop)
            }
            _ => minimizer.minimize_until(slice::from_ref(&clues), 0, self.seed, 1, stop).pop(),
        };
        let found = found.ok_or_else(|| Refusal::bad("the request was cancelled"))?;
        let fewer = proper(&found)?;
        Ok(json!({ "clues": fewer.cells(), "taken": clues.clue_count() - fewer.clue_count() }))
    }
}

/// The result for a proper puzzle.
fn proper(found: &Minimized<Option<Grid>>) -> Answer<&Grid> {
    let reason = || match (found.is_given_up, found.solutions) {
        (_, 2..) => "the clues have several solutions; only a puzzle with exactly one can be made minimal",
        (true, _) => "it takes too long to prove that the clues have exactly one solution",
        (false, _) => "the clues have no solution; only a puzzle with exactly one can be made minimal",
    };
    found.result.as_ref().ok_or_else(|| Refusal::bad(reason()))
}

/// The request for a minlex form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToMinlex {
    grid: PageGrid,
}

impl ToMinlex {
    /// The transform of the clues to their minlex form.
    pub(crate) fn answer(self) -> Answer<Value> {
        let clues = self.grid.check()?.clues;
        let shape = clues.shape();
        if !Minlex::serves(shape) {
            return Err(bad!("grids of up to 9x9 have a minlex form, and this one has boxes of {shape}"));
        }
        let contradict =
            || bad!("two clues contradict each other, so there is no minlex form; remove one of them");
        let form = Minlex::new().canonical_cells(clues.clues()).ok_or_else(contradict)?;
        let way = form.transform.isomorphism();
        Ok(json!({ "sources": way.sources(), "names": way.names() }))
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::Isomorphism;
    use gridmill_core::solver::{Backtracking, Bounds, DancingLinks, NEVER, SolutionEngine};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use crate::questions::tests::{dataset, grid, page, request};

    use super::*;

    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    /// The remaining clues, and the number of removed clues.
    fn minimize(clues: &Grid, symmetry: Value, seed: u64) -> Answer<(Vec<u8>, usize)> {
        let asked = json!({"grid": page(clues), "seed": seed, "symmetry": symmetry});
        let mut answer = request::<Minimize>(asked).answer(&NEVER)?;
        let mut part = |key: &str| answer[key].take();
        Ok((serde_json::from_value(part("clues")).unwrap(), serde_json::from_value(part("taken")).unwrap()))
    }

    fn is_proper(shape: &str, cells: &[u8]) -> bool {
        let grid = Grid::new(shape.parse().unwrap(), cells.to_vec()).unwrap();
        DancingLinks::new().count(&grid, &Bounds::solutions(2)).solutions == 1
    }

    #[test]
    fn a_minimized_puzzle_has_no_redundant_clue() {
        for (shape, line) in [("2x2", "1234341221434321"), ("2x3", &dataset("6x6.txt", 1)[0]), ("3x3", EASY)]
        {
            let clues = grid(shape, line);
            let (fewer, taken) = minimize(&clues, json!("none"), 3).unwrap();
            assert!(is_proper(shape, &fewer));
            let left = fewer.iter().filter(|&&clue| clue != 0).count();
            assert_eq!(taken, clues.clue_count() - left);
            for cell in 0..fewer.len() {
                let mut less = fewer.clone();
                less[cell] = 0;
                assert!(fewer[cell] == 0 || !is_proper(shape, &less));
                assert!([0, clues.cells()[cell]].contains(&fewer[cell]));
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_result() {
        let clues = |seed| minimize(&grid("3x3", EASY), Value::Null, seed).unwrap().0;
        assert_eq!(clues(1), clues(1));
        assert!((2..12).any(|seed| clues(seed) != clues(1)));
    }

    #[test]
    fn minimizing_keeps_the_symmetry() {
        let mut full = Vec::new();
        Backtracking::new().search(&grid("3x3", EASY), &Bounds::solutions(1), &mut |cells| {
            full.extend_from_slice(cells);
            std::ops::ControlFlow::Continue(())
        });
        let full = Grid::new("3x3".parse().unwrap(), full).unwrap();
        for symmetry in Symmetry::ALL {
            let (fewer, taken) = minimize(&full, json!(symmetry.name()), 1).unwrap();
            assert!(taken > 20 && is_proper("3x3", &fewer));
            assert!(symmetry.holds_for(full.shape(), &fewer), "{symmetry:?}");
        }
        let refusal = minimize(&grid("3x3", EASY), json!("mirror"), 1).unwrap_err();
        assert!(refusal.message.contains("do not have the symmetry mirror"), "{}", refusal.message);
    }

    #[test]
    fn protected_clues_are_kept_and_no_other_is_redundant() {
        let clues = grid("3x3", EASY);
        let others = minimize(&clues, Value::Null, 1).unwrap().0;
        let was_removed = |&cell: &usize| clues.cells()[cell] != 0 && others[cell] == 0;
        let keep: Vec<usize> = (0..81).filter(was_removed).take(2).collect();
        for symmetry in [json!("none"), json!("rotate180")] {
            let asked = json!({"grid": page(&clues), "seed": 1, "keep": keep, "symmetry": symmetry});
            let answer = request::<Minimize>(asked).answer(&NEVER).unwrap();
            let fewer: Vec<u8> = serde_json::from_value(answer["clues"].clone()).unwrap();
            assert!(keep.iter().all(|&cell| fewer[cell] != 0) && is_proper("3x3", &fewer));
            for cell in (0..81).filter(|cell| fewer[*cell] != 0 && !keep.contains(cell) && symmetry == "none")
            {
                let mut less = fewer.clone();
                less[cell] = 0;
                assert!(!is_proper("3x3", &less), "{cell}");
            }
        }
    }

    #[test]
    fn improper_puzzles_are_refused_with_a_reason() {
        for (shape, line, words) in [
            ("3x3", ".".repeat(81), "several solutions"),
            ("3x3", format!("11{}", ".".repeat(79)), "no solution"),
            ("2x2", ".".repeat(16), "several solutions"),
            ("2x2", format!("11{}", ".".repeat(14)), "no solution"),
        ] {
            for symmetry in [json!("none"), json!("diagonal")] {
                let Err(refusal) = minimize(&grid(shape, &line), symmetry.clone(), 1) else {
                    panic!("{line}")
                };
                let lacks_symmetry = symmetry == "diagonal" && refusal.message.contains("do not have");
                assert!(lacks_symmetry || refusal.message.contains(words), "{line}: {}", refusal.message);
            }
        }
        let asked = json!({"grid": page(&grid("3x3", EASY)), "seed": 1, "symmetry": "x"});
        let error = serde_json::from_value::<Minimize>(asked).unwrap_err().to_string();
        assert!(error.contains("none, rotate180, rotate90, mirror, diagonal"), "{error}");
    }

    #[test]
    fn minimizing_stops_if_it_is_cancelled() {
        let large = Grid::empty("4x4".parse().unwrap());
        let asked = json!({"grid": page(&large), "seed": 1});
        assert!(request::<Minimize>(asked).answer(&AtomicBool::new(true)).is_err());
    }

    /// Applies the transformation of the answer, and returns the resulting form.
    fn form(clues: &Grid) -> Answer<Vec<u8>> {
        let answer = request::<ToMinlex>(json!({"grid": page(clues)})).answer()?;
        let [sources, names]: [Vec<usize>; 2] =
            ["sources", "names"].map(|key| serde_json::from_value(answer[key].clone()).unwrap());
        let mut all = names.clone();
        all.sort_unstable();
        assert_eq!(all, (0..=clues.shape().side()).collect::<Vec<_>>(), "every digit has its own name");
        Ok(sources.iter().map(|&cell| names[usize::from(clues.cells()[cell])] as u8).collect())
    }

    #[test]
    fn isomorphs_have_the_same_form() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for (shape, line) in [
            ("2x2", &dataset("4x4.txt", 1)[0]),
            ("2x3", &dataset("6x6.txt", 1)[0]),
            ("3x3", &EASY.to_owned()),
        ] {
            let clues = grid(shape, line);
            let other = Isomorphism::random(clues.shape(), &mut rng).apply(&clues);
            let found = form(&clues).unwrap();
            assert_eq!(form(&other).unwrap(), found);
            assert_eq!(
                found.iter().find(|&&digit| digit > 0),
                Some(&1),
                "digits are numbered in order of appearance"
            );
        }
    }

    #[test]
    fn grids_without_a_form_are_refused_with_a_reason() {
        assert!(form(&grid("4x4", &".".repeat(256))).unwrap_err().message.contains("up to 9x9"));
        assert!(
            form(&grid("2x2", &format!("11{}", ".".repeat(14))))
                .unwrap_err()
                .message
                .contains("remove one of them")
        );
    }
}
