//! The transform of a puzzle to its minlex form: the source of each cell, and the new name of each digit.

use gridmill_core::minlex::Minlex;
use gridmill_core::solver::Solvable;
use serde::Deserialize;
use serde_json::{Value, json};

use super::PageGrid;
use crate::reply::Answer;

/// The request.
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
            return Err(bad!("the minlex form is for grids of up to 9x9, and this one has boxes of {shape}"));
        }
        let contradict =
            || bad!("two clues contradict each other, so there is no minlex form: take one of them out");
        let form = Minlex::new().canonical_cells(clues.clues()).ok_or_else(contradict)?;
        let way = form.transform.isomorphism();
        Ok(json!({ "sources": way.sources(), "names": way.names() }))
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::grid::{Grid, Isomorphism};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use crate::questions::tests::{dataset, grid, page, request};

    use super::*;

    const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    /// The form to which the answer leads.
    fn form(clues: &Grid) -> Answer<Vec<u8>> {
        let answer = request::<ToMinlex>(json!({"grid": page(clues)})).answer()?;
        let [sources, names]: [Vec<usize>; 2] =
            ["sources", "names"].map(|key| serde_json::from_value(answer[key].clone()).unwrap());
        let mut all = names.clone();
        all.sort_unstable();
        assert_eq!(all, (0..=clues.shape().side()).collect::<Vec<_>>(), "every digit has a name of its own");
        Ok(sources.iter().map(|&cell| names[usize::from(clues.cells()[cell])] as u8).collect())
    }

    #[test]
    fn isomorphs_have_one_form() {
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
                "digits are numbered as they appear"
            );
        }
    }

    #[test]
    fn what_has_no_form_is_refused_with_a_sentence() {
        assert!(form(&grid("4x4", &".".repeat(256))).unwrap_err().message.contains("up to 9x9"));
        assert!(
            form(&grid("2x2", &format!("11{}", ".".repeat(14))))
                .unwrap_err()
                .message
                .contains("take one of them out")
        );
    }
}
