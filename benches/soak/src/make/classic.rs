//! Classic puzzles of all kinds.

use gridmill_core::grid::{CELLS, Isomorphism, Puzzle, Shape, Solution};
use rand::{Rng, RngExt};

use super::{DISGUISED_ALIKE, Maker, kind_of, one_of};
use crate::bases::Proper;
use crate::batch::{Batch, Truth};
use crate::kind::{CLASSIC, Kind};

type Cells = [u8; CELLS];

/// A puzzle before the isomorphism is applied. The solution in the truth is also in this form.
type Made = (Puzzle, Truth<Puzzle>);

impl Maker<'_> {
    /// Adds `puzzles` puzzles.
    pub(crate) fn classic(&self, puzzles: usize, rng: &mut impl Rng, batch: &mut Batch<Puzzle>) {
        let mut isomorphism = Isomorphism::random(Shape::CLASSIC, rng);
        for index in 0..puzzles {
            if index % DISGUISED_ALIKE == 0 {
                isomorphism = Isomorphism::random(Shape::CLASSIC, rng);
            }
            let kind = kind_of(&CLASSIC, rng);
            let (puzzle, truth) = self.classic_of(kind, rng);
            batch.push(kind, isomorphism.apply_classic(&puzzle), disguised(&truth, &isomorphism));
        }
    }

    fn classic_of(&self, kind: Kind, rng: &mut impl Rng) -> Made {
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
            Kind::Thinned => thinned(self.any_proper(rng), rng),
            Kind::Sparse => sparse(&self.any_proper(rng).solution, rng),
            Kind::Added => added(self.any_proper(rng), rng),
            Kind::Changed => changed(self.any_proper(rng), rng),
            Kind::Contradictory => contradictory(self.any_proper(rng), rng),
            Kind::Full => {
                let full = self.any_proper(rng).solution;
                (full, Truth::One(full))
            }
            Kind::Spoiled => spoiled(&self.any_proper(rng).solution, rng),
            Kind::NearlyFull => nearly_full(&self.any_proper(rng).solution, rng),
            Kind::Random => random(false, rng),
            Kind::Scattered => random(true, rng),
            _ => (Puzzle::EMPTY, Truth::Several),
        }
    }
}

fn disguised(truth: &Truth<Puzzle>, isomorphism: &Isomorphism) -> Truth<Solution> {
    let full = |solution: &Puzzle| {
        Solution::from_cells(*isomorphism.apply_classic(solution).cells()).expect("a full grid stays full")
    };
    match truth {
        Truth::Unknown => Truth::Unknown,
        Truth::None => Truth::None,
        Truth::One(solution) => Truth::One(full(solution)),
        Truth::Keeps(solution) => Truth::Keeps(full(solution)),
        Truth::Several => Truth::Several,
    }
}

fn puzzle(cells: Cells) -> Puzzle {
    Puzzle::from_cells(cells).expect("digits up to 9")
}

fn thinned(base: &Proper, rng: &mut impl Rng) -> Made {
    let mut cells = *base.clues.cells();
    for _ in 0..rng.random_range(3..=20) {
        cells[rng.random_range(0..CELLS)] = 0;
    }
    (puzzle(cells), Truth::Keeps(base.solution))
}

fn sparse(full: &Puzzle, rng: &mut impl Rng) -> Made {
    let mut cells = [0; CELLS];
    for _ in 0..rng.random_range(6..=24) {
        let cell = rng.random_range(0..CELLS);
        cells[cell] = full.cells()[cell];
    }
    (puzzle(cells), Truth::Keeps(*full))
}

fn nearly_full(full: &Puzzle, rng: &mut impl Rng) -> Made {
    let mut cells = *full.cells();
    for _ in 0..rng.random_range(1..=30) {
        cells[rng.random_range(0..CELLS)] = 0;
    }
    (puzzle(cells), Truth::Keeps(*full))
}

fn spoiled(full: &Puzzle, rng: &mut impl Rng) -> Made {
    let mut cells = *full.cells();
    let cell = rng.random_range(0..CELLS);
    cells[cell] = cells[cell] % 9 + 1;
    (puzzle(cells), Truth::None)
}

fn added(base: &Proper, rng: &mut impl Rng) -> Made {
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

fn changed(base: &Proper, rng: &mut impl Rng) -> Made {
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

/// Copies a clue to another cell of one of its houses.
fn contradictory(base: &Proper, rng: &mut impl Rng) -> Made {
    let mut cells = *base.clues.cells();
    loop {
        let (cell, other) = (rng.random_range(0..CELLS), rng.random_range(0..CELLS));
        if cells[cell] != 0 && cell != other && share_a_house(cell, other) {
            cells[other] = cells[cell];
            return (puzzle(cells), Truth::None);
        }
    }
}

fn random(may_clash: bool, rng: &mut impl Rng) -> Made {
    let mut cells = [0; CELLS];
    for _ in 0..rng.random_range(2..=30) {
        let (cell, digit) = (rng.random_range(0..CELLS), rng.random_range(1..=9));
        if may_clash || fits(&cells, cell, digit) {
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

    fn made(kind: Kind, puzzles: usize) -> Vec<Made> {
        let bases = Bases::committed();
        let (maker, mut rng) = (Maker::new(bases), rng(1, 0));
        (0..puzzles).map(|_| maker.classic_of(kind, &mut rng)).collect()
    }

    fn count(puzzle: &Puzzle) -> u64 {
        let outcome: Outcome = Backtracking::new().solve(puzzle, SolutionLimit::UNIQUENESS);
        outcome.solutions
    }

    #[test]
    fn proper_kinds_have_one_solution_by_the_oracle() {
        for kind in [Kind::Easy, Kind::Medium, Kind::Full] {
            for (puzzle, truth) in made(kind, 5) {
                let outcome: Outcome = Backtracking::new().solve(&puzzle, SolutionLimit::UNIQUENESS);
                let solution =
                    outcome.solution.map(|solution| Puzzle::from_cells(*solution.cells()).unwrap());
                assert_eq!((outcome.solutions, Truth::One(solution.unwrap())), (1, truth), "{puzzle}");
            }
        }
    }

    #[test]
    fn kinds_without_a_solution_have_none_by_the_oracle() {
        for kind in [Kind::Added, Kind::Contradictory, Kind::Spoiled] {
            for (puzzle, truth) in made(kind, 10) {
                assert_eq!((count(&puzzle), truth), (0, Truth::None), "{puzzle}");
                let conflicts = find_conflict(Shape::CLASSIC, puzzle.cells()).is_some();
                assert_eq!(conflicts, kind != Kind::Added, "{puzzle}");
            }
        }
    }

    #[test]
    fn thinned_grids_keep_their_solution_and_some_have_others() {
        for kind in [Kind::Thinned, Kind::Sparse, Kind::NearlyFull] {
            let mut several = 0;
            for (puzzle, truth) in made(kind, 200) {
                let Truth::Keeps(solution) = truth else { panic!("{puzzle}") };
                assert!(gridmill_core::grid::rules::is_solution(
                    Shape::CLASSIC,
                    puzzle.cells(),
                    solution.cells()
                ));
                several += u32::from(puzzle.clue_count() < 17);
            }
            assert_eq!(several > 50, kind == Kind::Sparse);
        }
    }

    #[test]
    fn seventeen_clues_are_seventeen() {
        assert!(made(Kind::Seventeen, 50).iter().all(|(puzzle, _)| puzzle.clue_count() == 17));
    }

    #[test]
    fn changed_and_random_clues_do_not_clash_unless_they_may() {
        for kind in [Kind::Changed, Kind::Random] {
            let puzzles = made(kind, 200);
            assert!(puzzles.iter().all(|(made, _)| find_conflict(Shape::CLASSIC, made.cells()).is_none()));
        }
        let scattered = made(Kind::Scattered, 200);
        let clashes = |(made, _): &&Made| find_conflict(Shape::CLASSIC, made.cells()).is_some();
        assert!((50..200).contains(&scattered.iter().filter(clashes).count()));
    }

    #[test]
    fn a_disguise_takes_the_solution_with_it() {
        let bases = Bases::committed();
        let mut batch = Batch::new();
        Maker::new(bases).classic(300, &mut rng(1, 0), &mut batch);
        for (puzzle, truth) in batch.puzzles.iter().zip(&batch.truths) {
            if let Truth::One(solution) | Truth::Keeps(solution) = truth {
                let obeys =
                    gridmill_core::grid::rules::is_solution(Shape::CLASSIC, puzzle.cells(), solution.cells());
                assert!(obeys, "{puzzle}");
            }
        }
    }
}
