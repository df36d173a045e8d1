//! Classic puzzles of all kinds.

use gridmill_core::grid::{CELLS, Isomorphism, Puzzle, Shape, Solution};
use rand::{Rng, RngExt};

use super::{Maker, PUZZLES_PER_ISOMORPHISM, draw_kind, one_of};
use crate::bases::Proper;
use crate::batch::{Batch, Truth};
use crate::kind::{CLASSIC, Kind};

type Cells = [u8; CELLS];

/// A puzzle, and what is known about its solutions. The isomorphism has not been applied to either.
type PuzzleAndTruth = (Puzzle, Truth<Puzzle>);

impl Maker<'_> {
    /// Adds `puzzles` puzzles.
    pub(crate) fn classic(&self, puzzles: usize, rng: &mut impl Rng, batch: &mut Batch<Puzzle>) {
        let mut isomorphism = Isomorphism::random(Shape::CLASSIC, rng);
        for index in 0..puzzles {
            if index % PUZZLES_PER_ISOMORPHISM == 0 {
                isomorphism = Isomorphism::random(Shape::CLASSIC, rng);
            }
            let kind = draw_kind(&CLASSIC, rng);
            let (puzzle, truth) = self.classic_puzzle(kind, rng);
            batch.push(kind, isomorphism.apply_classic(&puzzle), transformed(&truth, &isomorphism));
        }
    }

    fn classic_puzzle(&self, kind: Kind, rng: &mut impl Rng) -> PuzzleAndTruth {
        let bases = self.bases;
        let known = |base: &Proper| (base.clues, Truth::One(base.solution));
        match kind {
            Kind::Easy => known(one_of(&bases.easy, rng)),
            Kind::Medium => known(one_of(&bases.medium, rng)),
            Kind::Hard => known(one_of(&bases.hard, rng)),
            Kind::Classics => known(one_of(&bases.classics, rng)),
            Kind::Minimal => known(one_of(&bases.minimal, rng)),
            Kind::Seventeen => known(one_of(&bases.seventeen, rng)),
            Kind::Given => known(one_of(&bases.given, rng)),
            Kind::Multiple => (*one_of(&bases.multiple, rng), Truth::Several),
            Kind::None => (*one_of(&bases.none, rng), Truth::None),
            Kind::Thinned => remove_clues(self.any_proper(rng), rng),
            Kind::Sparse => keep_few_cells(&self.any_proper(rng).solution, rng),
            Kind::Added => with_wrong_clue(self.any_proper(rng), rng),
            Kind::Changed => with_changed_clue(self.any_proper(rng), rng),
            Kind::Contradictory => with_repeated_clue(self.any_proper(rng), rng),
            Kind::Full => {
                let full = self.any_proper(rng).solution;
                (full, Truth::One(full))
            }
            Kind::OneWrongCell => with_wrong_cell(&self.any_proper(rng).solution, rng),
            Kind::NearlyFull => remove_few_cells(&self.any_proper(rng).solution, rng),
            Kind::Random => random_clues(false, rng),
            Kind::Scattered => random_clues(true, rng),
            _ => (Puzzle::EMPTY, Truth::Several),
        }
    }
}

fn transformed(truth: &Truth<Puzzle>, isomorphism: &Isomorphism) -> Truth<Solution> {
    let transform = |solution: &Puzzle| {
        Solution::from_cells(*isomorphism.apply_classic(solution).cells()).expect("a full grid stays full")
    };
    match truth {
        Truth::Unknown => Truth::Unknown,
        Truth::None => Truth::None,
        Truth::One(solution) => Truth::One(transform(solution)),
        Truth::Includes(solution) => Truth::Includes(transform(solution)),
        Truth::Several => Truth::Several,
    }
}

fn puzzle(cells: Cells) -> Puzzle {
    Puzzle::from_cells(cells).expect("digits are from 0 to 9")
}

fn remove_clues(base: &Proper, rng: &mut impl Rng) -> PuzzleAndTruth {
    let mut cells = *base.clues.cells();
    for _ in 0..rng.random_range(3..=20) {
        cells[rng.random_range(0..CELLS)] = 0;
    }
    (puzzle(cells), Truth::Includes(base.solution))
}

fn keep_few_cells(full: &Puzzle, rng: &mut impl Rng) -> PuzzleAndTruth {
    let mut cells = [0; CELLS];
    for _ in 0..rng.random_range(6..=24) {
        let cell = rng.random_range(0..CELLS);
        cells[cell] = full.cells()[cell];
    }
    (puzzle(cells), Truth::Includes(*full))
}

fn remove_few_cells(full: &Puzzle, rng: &mut impl Rng) -> PuzzleAndTruth {
    let mut cells = *full.cells();
    for _ in 0..rng.random_range(1..=30) {
        cells[rng.random_range(0..CELLS)] = 0;
    }
    (puzzle(cells), Truth::Includes(*full))
}

fn with_wrong_cell(full: &Puzzle, rng: &mut impl Rng) -> PuzzleAndTruth {
    let mut cells = *full.cells();
    let cell = rng.random_range(0..CELLS);
    cells[cell] = cells[cell] % 9 + 1;
    (puzzle(cells), Truth::None)
}

fn with_wrong_clue(base: &Proper, rng: &mut impl Rng) -> PuzzleAndTruth {
    let mut cells = *base.clues.cells();
    for _ in 0..100 {
        let (cell, digit) = (rng.random_range(0..CELLS), rng.random_range(1..=9));
        let is_wrong = cells[cell] == 0 && base.solution.cells()[cell] != digit;
        if is_wrong && fits(&cells, cell, digit) {
            cells[cell] = digit;
            return (puzzle(cells), Truth::None);
        }
    }
    (base.clues, Truth::One(base.solution))
}

fn with_changed_clue(base: &Proper, rng: &mut impl Rng) -> PuzzleAndTruth {
    let mut cells = *base.clues.cells();
    for _ in 0..100 {
        let (cell, digit) = (rng.random_range(0..CELLS), rng.random_range(1..=9));
        if cells[cell] != 0 && cells[cell] != digit && fits(&cells, cell, digit) {
            cells[cell] = digit;
            return (puzzle(cells), Truth::Unknown);
        }
    }
    (base.clues, Truth::One(base.solution))
}

/// Copies a random clue to another cell of one of its houses.
fn with_repeated_clue(base: &Proper, rng: &mut impl Rng) -> PuzzleAndTruth {
    let mut cells = *base.clues.cells();
    loop {
        let (cell, other) = (rng.random_range(0..CELLS), rng.random_range(0..CELLS));
        if cells[cell] != 0 && cell != other && share_a_house(cell, other) {
            cells[other] = cells[cell];
            return (puzzle(cells), Truth::None);
        }
    }
}

fn random_clues(may_conflict: bool, rng: &mut impl Rng) -> PuzzleAndTruth {
    let mut cells = [0; CELLS];
    for _ in 0..rng.random_range(2..=30) {
        let (cell, digit) = (rng.random_range(0..CELLS), rng.random_range(1..=9));
        if may_conflict || fits(&cells, cell, digit) {
            cells[cell] = digit;
        }
    }
    (puzzle(cells), Truth::Unknown)
}

/// Whether no other cell in the houses of this cell has the digit.
fn fits(cells: &Cells, cell: usize, digit: u8) -> bool {
    cells
        .iter()
        .enumerate()
        .all(|(other, &clue)| clue != digit || other == cell || !share_a_house(cell, other))
}

fn share_a_house(one: usize, other: usize) -> bool {
    let house = |cell: usize| (cell / 9, cell % 9, cell / 27 * 3 + cell % 9 / 3);
    let (one, other) = (house(one), house(other));
    one.0 == other.0 || one.1 == other.1 || one.2 == other.2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bases::Bases;
    use crate::make::rng;
    use gridmill_core::grid::rules::find_conflict;
    use gridmill_core::solver::{Backtracking, Outcome, SolutionLimit, Solver};

    fn puzzles_of(kind: Kind, puzzles: usize) -> Vec<PuzzleAndTruth> {
        let bases = Bases::committed();
        let (maker, mut rng) = (Maker::new(bases), rng(1, 0));
        (0..puzzles).map(|_| maker.classic_puzzle(kind, &mut rng)).collect()
    }

    fn count(puzzle: &Puzzle) -> u64 {
        let outcome: Outcome = Backtracking::new().solve(puzzle, SolutionLimit::UNIQUENESS);
        outcome.solutions
    }

    #[test]
    fn the_oracle_finds_one_solution_for_proper_kinds() {
        for kind in [Kind::Easy, Kind::Medium, Kind::Full] {
            for (puzzle, truth) in puzzles_of(kind, 5) {
                let outcome: Outcome = Backtracking::new().solve(&puzzle, SolutionLimit::UNIQUENESS);
                let solution =
                    outcome.solution.map(|solution| Puzzle::from_cells(*solution.cells()).unwrap());
                assert_eq!((outcome.solutions, Truth::One(solution.unwrap())), (1, truth), "{puzzle}");
            }
        }
    }

    #[test]
    fn the_oracle_finds_no_solution_for_kinds_without_one() {
        for kind in [Kind::Added, Kind::Contradictory, Kind::OneWrongCell] {
            for (puzzle, truth) in puzzles_of(kind, 10) {
                assert_eq!((count(&puzzle), truth), (0, Truth::None), "{puzzle}");
                let conflicts = find_conflict(Shape::CLASSIC, puzzle.cells()).is_some();
                assert_eq!(conflicts, kind != Kind::Added, "{puzzle}");
            }
        }
    }

    #[test]
    fn puzzles_with_removed_clues_keep_their_known_solution() {
        for kind in [Kind::Thinned, Kind::Sparse, Kind::NearlyFull] {
            let mut improper = 0;
            for (puzzle, truth) in puzzles_of(kind, 200) {
                let Truth::Includes(solution) = truth else { panic!("{puzzle}") };
                assert!(gridmill_core::grid::rules::is_solution(
                    Shape::CLASSIC,
                    puzzle.cells(),
                    solution.cells()
                ));
                improper += u32::from(puzzle.clue_count() < 17);
            }
            assert_eq!(improper > 50, kind == Kind::Sparse);
        }
    }

    #[test]
    fn puzzles_of_the_kind_seventeen_have_17_clues() {
        assert!(puzzles_of(Kind::Seventeen, 50).iter().all(|(puzzle, _)| puzzle.clue_count() == 17));
    }

    #[test]
    fn clues_conflict_directly_only_in_kinds_that_allow_it() {
        for kind in [Kind::Changed, Kind::Random] {
            let puzzles = puzzles_of(kind, 200);
            assert!(
                puzzles.iter().all(|(puzzle, _)| find_conflict(Shape::CLASSIC, puzzle.cells()).is_none())
            );
        }
        let scattered = puzzles_of(Kind::Scattered, 200);
        let has_conflict =
            |(puzzle, _): &&PuzzleAndTruth| find_conflict(Shape::CLASSIC, puzzle.cells()).is_some();
        assert!((50..200).contains(&scattered.iter().filter(has_conflict).count()));
    }

    #[test]
    fn the_isomorphism_is_applied_to_the_known_solution_too() {
        let bases = Bases::committed();
        let mut batch = Batch::new();
        Maker::new(bases).classic(300, &mut rng(1, 0), &mut batch);
        for (puzzle, truth) in batch.puzzles.iter().zip(&batch.truths) {
            if let Truth::One(solution) | Truth::Includes(solution) = truth {
                let is_solution =
                    gridmill_core::grid::rules::is_solution(Shape::CLASSIC, puzzle.cells(), solution.cells());
                assert!(is_solution, "{puzzle}");
            }
        }
    }
}
