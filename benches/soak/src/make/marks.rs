//! Pencilmarks, with more or fewer candidates.

use gridmill_core::grid::{CELLS, Digit, DigitSet, Isomorphism, Pencilmarks, Puzzle, Shape, Solution};
use rand::{Rng, RngExt};

use super::{Maker, PUZZLES_PER_ISOMORPHISM, draw_kind};
use crate::batch::{Batch, Truth};
use crate::kind::{Kind, MARKS};

type Candidates = [DigitSet; CELLS];

impl Maker<'_> {
    /// Adds `puzzles` grids of candidates.
    pub(crate) fn marks(&self, puzzles: usize, rng: &mut impl Rng, batch: &mut Batch<Pencilmarks>) {
        let mut isomorphism = Isomorphism::random(Shape::CLASSIC, rng);
        for index in 0..puzzles {
            if index % PUZZLES_PER_ISOMORPHISM == 0 {
                isomorphism = Isomorphism::random(Shape::CLASSIC, rng);
            }
            let kind = draw_kind(&MARKS, rng);
            let base = self.any_proper(rng);
            let clues = isomorphism.apply_classic(&base.clues);
            let full = isomorphism.apply_classic(&base.solution);
            let (marks, truth) = make_marks(kind, &clues, &full, rng);
            batch.push(kind, Pencilmarks::new(marks), truth);
        }
    }
}

fn make_marks(
    kind: Kind,
    clues: &Puzzle,
    full: &Puzzle,
    rng: &mut impl Rng,
) -> (Candidates, Truth<Solution>) {
    let solution = Solution::from_cells(*full.cells()).expect("a full grid");
    let all = *Pencilmarks::from(clues).candidates();
    match kind {
        Kind::MarksLost => {
            let mut marks = remove_candidates(&all, full, rng.random_range(0.4..=1.0), rng);
            let cell = rng.random_range(0..CELLS);
            marks[cell] = marks[cell].without(digit(full, cell));
            (marks, Truth::None)
        }
        Kind::MarksOpen => {
            let marks = remove_candidates(&[DigitSet::all(9); CELLS], full, rng.random_range(0.2..=0.6), rng);
            (marks, Truth::Includes(solution))
        }
        Kind::MarksRandom => {
            let share = rng.random_range(0.3..=0.9);
            let marks =
                std::array::from_fn(|_| Digit::all(9).filter(|_| rng.random_bool(share)).collect_set());
            (marks, Truth::Unknown)
        }
        _ => (remove_candidates(&all, full, rng.random_range(0.4..=1.0), rng), Truth::One(solution)),
    }
}

fn digit(full: &Puzzle, cell: usize) -> Digit {
    Digit::new(full.cells()[cell]).expect("a full grid")
}

/// Keeps the candidates of the solution, and each of the others with the probability `share`.
fn remove_candidates(candidates: &Candidates, full: &Puzzle, share: f64, rng: &mut impl Rng) -> Candidates {
    std::array::from_fn(|cell| {
        let is_kept = |&candidate: &Digit| {
            candidates[cell].contains(candidate) && (candidate == digit(full, cell) || rng.random_bool(share))
        };
        Digit::all(9).filter(is_kept).collect_set()
    })
}

trait CollectSet {
    /// The set of all items.
    fn collect_set(self) -> DigitSet;
}

impl<I: Iterator<Item = Digit>> CollectSet for I {
    fn collect_set(self) -> DigitSet {
        self.fold(DigitSet::EMPTY, DigitSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bases::Bases;
    use crate::make::rng;
    use crate::marks_oracle::MarksOracle;
    use gridmill_core::solver::{Outcome, SolutionLimit, Solver};

    #[test]
    fn the_oracle_finds_the_expected_solutions_of_pencilmarks() {
        let bases = Bases::committed();
        let mut batch = Batch::new();
        Maker::new(bases).marks(60, &mut rng(1, 0), &mut batch);
        let mut counts = [0; 3];
        for (marks, truth) in batch.puzzles.iter().zip(&batch.truths) {
            let found: Outcome = MarksOracle.solve(marks, SolutionLimit::UNIQUENESS);
            if found.is_given_up {
                continue;
            }
            match truth {
                Truth::None => assert_eq!(found.solutions, 0, "{marks}"),
                Truth::One(one) => assert_eq!((found.solutions, found.solution), (1, Some(*one)), "{marks}"),
                Truth::Includes(one) => assert!(found.solutions > 0 && marks.are_solved_by(one), "{marks}"),
                _ => {}
            }
            counts[found.solutions as usize] += 1;
        }
        assert!(counts.iter().all(|&puzzles| puzzles > 2), "{counts:?}");
    }
}
