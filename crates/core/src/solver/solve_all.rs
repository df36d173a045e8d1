//! Many classic puzzles that are in memory, on all cores.

use rayon::prelude::*;

use super::{Lockstep, Outcome, SolutionLimit, Solvable, Solver};
use crate::grid::Puzzle;

/// Puzzles that a thread takes at once: enough to fill the lanes of the engine, and so few that no thread waits long
/// for the last.
const LEAST: usize = 128;
const MOST: usize = 3200;

/// Parts for each thread, so that all end at about the same time.
const PARTS_A_THREAD: usize = 16;

/// Solves puzzles on all cores with the fastest engine, [`Lockstep`], and tells none, one and several solutions apart:
/// [`solve_all_up_to`] with [`SolutionLimit::UNIQUENESS`].
///
/// ```
/// use gridmill_core::{Puzzle, solve_all};
///
/// let text = "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..";
/// let puzzles: [Puzzle; 2] = [text.parse()?, Puzzle::EMPTY];
/// let outcomes = solve_all(&puzzles);
/// assert_eq!((outcomes[0].solutions, outcomes[1].solutions), (1, 2));
/// println!("{}", outcomes[0].solution.unwrap());
/// # Ok::<(), gridmill_core::grid::ParsePuzzleError>(())
/// ```
///
/// # Panics
///
/// As [`solve_all_up_to`] says.
#[must_use]
pub fn solve_all(puzzles: &[Puzzle]) -> Vec<Outcome> {
    solve_all_up_to(puzzles, SolutionLimit::UNIQUENESS)
}

/// Solves puzzles on all cores with the fastest engine, [`Lockstep`], each up to a number of solutions. `outcomes[i]`
/// is that of `puzzles[i]`.
///
/// It runs on the threads of the current rayon pool: by default one for each core, or those of the pool in which it is
/// called by `install`. All that it returns but the times is the same for any number of threads. Every solution is
/// checked against the rules and the clues, as everywhere in this program.
///
/// A puzzle takes from less than a microsecond to some hundred; the outcomes take 112 bytes each. A few puzzles leave
/// most of the engine idle: one alone is better [solved](Solver::solve) by [`Bitmask`](super::Bitmask). What does
/// not fit into memory is for the pipeline.
///
/// # Panics
///
/// Where the engine gives a grid that is no solution: a defect of this program.
#[must_use]
pub fn solve_all_up_to(puzzles: &[Puzzle], limit: SolutionLimit) -> Vec<Outcome> {
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    let part = (puzzles.len() / (PARTS_A_THREAD * rayon::current_num_threads())).clamp(LEAST, MOST);
    let parts = puzzles.par_chunks(part).zip(outcomes.par_chunks_mut(part));
    parts.for_each_init(Lockstep::new, |engine, (puzzles, outcomes)| {
        engine.solve_batch(puzzles, limit, outcomes);
        check(engine.name(), puzzles, outcomes);
    });
    outcomes
}

fn check(engine: &str, puzzles: &[Puzzle], outcomes: &[Outcome]) {
    for (puzzle, outcome) in puzzles.iter().zip(outcomes) {
        assert!(
            puzzle.agrees(outcome),
            "the engine '{engine}' gave a grid that is no solution. Please report this puzzle: {puzzle}"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the engine 'liar' gave a grid that is no solution")]
    fn a_wrong_solution_panics() {
        let solved = Lockstep::new().solve(&Puzzle::EMPTY, SolutionLimit::FIRST);
        let mut cells = *solved.solution.unwrap().cells();
        cells.swap(0, 1);
        let wrong = crate::grid::Solution::from_cells(cells);
        check("liar", &[Puzzle::EMPTY], &[Outcome { solution: wrong, ..solved }]);
    }
}
