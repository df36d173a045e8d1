//! The answers of a program, and the answers that are right.

use std::io::BufRead;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::{CELLS, Puzzle, Solution};
use gridmill_core::solver::{Lockstep, Outcome, SolutionLimit, Solver};

use super::of_files;

/// The puzzles that are classified at once.
const BATCH: usize = 3200;

/// Characters of a line that a message shows.
const SHOWN: usize = 200;

/// Puzzles, and how many solutions each has.
pub(super) struct AnswerKey<'a> {
    pub(super) puzzles: &'a [Puzzle],
    /// 0, 1, or 2 for several.
    solutions: Vec<u8>,
}

impl<'a> AnswerKey<'a> {
    /// Counts the solutions of puzzles, unless `stop` becomes true: the key means nothing then.
    pub(super) fn new(puzzles: &'a [Puzzle], stop: &AtomicBool) -> AnswerKey<'a> {
        let (mut engine, mut outcomes) = (Lockstep::new(), vec![Outcome::NONE; BATCH]);
        let mut solutions = Vec::with_capacity(puzzles.len());
        for batch in puzzles.chunks(BATCH) {
            let outcomes = &mut outcomes[..batch.len()];
            engine.solve_until(batch, SolutionLimit::UNIQUENESS, outcomes, stop);
            solutions.extend(outcomes.iter().map(|outcome| outcome.solutions.min(2) as u8));
        }
        AnswerKey { puzzles, solutions }
    }

    /// Returns how many puzzles have so many solutions: 0, 1, or 2 for several.
    pub(super) fn count(&self, solutions: u8) -> usize {
        self.solutions.iter().filter(|&&count| count == solutions).count()
    }

    /// Checks the output of a program that got the puzzles so many times in a row. Puzzles without exactly one solution may
    /// be left out: an answer that does not keep their clues is of a later puzzle.
    pub(super) fn check(&self, mut output: impl BufRead, passes: usize) -> Result<(), String> {
        // The puzzles that may still have an answer, over all passes.
        let mut left = (0..self.puzzles.len() * passes).map(|next| next % self.puzzles.len());
        let (mut answers, mut line) = (0, Vec::new());
        while output.read_until(b'\n', &mut line).map_err(of_files)? > 0 {
            if grids(&line).next().is_some() {
                answers += 1;
                self.find_puzzle(&mut left, &line)?;
            }
            line.clear();
        }
        match left.find(|&index| self.solutions[index] == 1) {
            None => Ok(()),
            Some(index) => {
                let (puzzle, number) = (&self.puzzles[index], index + 1);
                let s = if answers == 1 { "" } else { "s" };
                Err(format!(
                    "puzzle {number} gets no answer; expected was a line with the 81 digits of the solution of {puzzle}, and the output ends after {answers} such line{s}"
                ))
            }
        }
    }

    /// Finds the puzzle of which a line of the output is the answer.
    fn find_puzzle(&self, left: &mut impl Iterator<Item = usize>, line: &[u8]) -> Result<(), String> {
        for index in left {
            let (puzzle, solutions) = (&self.puzzles[index], self.solutions[index]);
            match grids(line).find(|grid| keeps_clues(grid, puzzle)) {
                Some(grid) if grid.solves(puzzle) => return Ok(()),
                None if solutions != 1 => {}
                _ => {
                    let expected = match solutions {
                        0 => format!("none, as {puzzle} has no solution"),
                        1 => format!("the solution of {puzzle}"),
                        _ => format!("a solution of {puzzle}, which has several, or none"),
                    };
                    let (number, line) = (index + 1, shown(line));
                    return Err(format!(
                        "puzzle {number} gets a wrong answer; expected was {expected}, and the line is '{line}'"
                    ));
                }
            }
        }
        let line = shown(line);
        Err(format!("there are more answers than puzzles, the first one too many in the line '{line}'"))
    }
}

/// Iterates over the full grids in a line: runs of exactly 81 digits above 0 that are no part of a longer word.
fn grids(line: &[u8]) -> impl Iterator<Item = Solution> {
    let words = line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.');
    words.filter_map(|word| {
        let mut cells: [u8; CELLS] = word.try_into().ok()?;
        cells.iter_mut().for_each(|cell| *cell = cell.wrapping_sub(b'0'));
        Solution::from_cells(cells)
    })
}

fn keeps_clues(grid: &Solution, puzzle: &Puzzle) -> bool {
    grid.cells().iter().zip(puzzle.cells()).all(|(digit, clue)| *clue == 0 || digit == clue)
}

/// Returns a line as a message shows it.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line.trim_ascii());
    let mut shown: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROPER: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    const OTHER: &str = "53467891267219534819834256785976142342685379171392485696153728428741963534528617.";
    const OF_OTHER: &str = SOLVED;

    /// A puzzle whose two free pairs may be filled in two ways.
    fn several() -> String {
        let mut cells: Vec<char> =
            "123456789456789123789123456214365897365897214897214365531642978642978531978531642"
                .chars()
                .collect();
        for (cell, digit) in cells.clone().into_iter().enumerate() {
            if digit == '1' || digit == '2' {
                cells[cell] = '.';
            }
        }
        cells.into_iter().collect()
    }

    /// Two equal clues in a row.
    fn none() -> String {
        format!("55{}", ".".repeat(79))
    }

    fn check(puzzles: &[&str], passes: usize, output: &str) -> Result<(), String> {
        let puzzles: Vec<Puzzle> = puzzles.iter().map(|puzzle| puzzle.parse().unwrap()).collect();
        let key = AnswerKey::new(&puzzles, &AtomicBool::new(false));
        key.check(output.as_bytes(), passes)
    }

    #[test]
    fn solutions_are_found_in_lines_of_many_forms() {
        for line in [
            SOLVED.to_owned(),
            format!("  {SOLVED}\r"),
            format!("{PROPER},{SOLVED}"),
            format!("{PROPER}:{SOLVED}:1"),
            format!("1: {PROPER} {SOLVED} 12.5 us"),
            format!("\"{PROPER}\";\"{SOLVED}\""),
            format!("{{\"solution\": \"{SOLVED}\"}}"),
        ] {
            assert_eq!(check(&[PROPER], 1, &format!("puzzle,solution\n\n{line}\n2 ms\n")), Ok(()), "{line}");
            assert_eq!(check(&[PROPER], 1, &line), Ok(()), "{line}");
        }
        for line in [format!("{SOLVED}1"), format!("x{SOLVED}"), SOLVED.replace('1', "0"), PROPER.to_owned()]
        {
            let error = check(&[PROPER], 1, &line).unwrap_err();
            assert!(
                error.starts_with("puzzle 1 gets no answer") && error.ends_with("after 0 such lines"),
                "{error}"
            );
        }
    }

    #[test]
    fn answers_are_in_the_order_of_the_puzzles() {
        let wrong = SOLVED.replace('1', "x").replace('2', "1").replace('x', "2");
        let both = format!("{SOLVED}\n{OF_OTHER}\n");
        assert_eq!(check(&[PROPER, OTHER], 1, &both), Ok(()));
        assert_eq!(check(&[PROPER, OTHER], 2, &both.repeat(2)), Ok(()));
        for (passes, output, message) in [
            (
                1,
                format!("{SOLVED}\n{wrong}\n"),
                format!(
                    "puzzle 2 gets a wrong answer; expected was the solution of {OTHER}, and the line is '{wrong}'"
                ),
            ),
            (2, both.clone(), "puzzle 1 gets no answer".to_owned()),
            (2, format!("{both}{SOLVED}"), "puzzle 2 gets no answer".to_owned()),
            (1, both.repeat(2), "there are more answers than puzzles".to_owned()),
        ] {
            let error = check(&[PROPER, OTHER], passes, &output).unwrap_err();
            assert!(error.starts_with(&message), "{error}");
        }
    }

    #[test]
    fn puzzles_without_exactly_one_solution_may_be_left_out() {
        let (none, several) = (none(), several());
        let puzzles = [&*none, PROPER, &several, &several, PROPER, &none];
        let solved = solution(&several);
        for answers in [
            vec![SOLVED, SOLVED],
            vec!["no solution", SOLVED, "several", &solved, SOLVED, "none"],
            vec![SOLVED, &solved, &solved, SOLVED],
        ] {
            assert_eq!(check(&puzzles, 1, &answers.join("\n")), Ok(()), "{answers:?}");
        }
        // Two digits change places in one row only.
        let mut broken = solved.clone().into_bytes();
        let (one, two) = (solved.find('1').unwrap(), solved.find('2').unwrap());
        broken.swap(one, two);
        let broken = String::from_utf8(broken).unwrap();
        let error = check(&puzzles, 1, &format!("{SOLVED}\n{broken}\n")).unwrap_err();
        assert!(error.starts_with("puzzle 3 gets a wrong answer; expected was a solution of"), "{error}");
        let claimed = format!("55{}\n", &SOLVED[2..]);
        let error = check(&puzzles, 1, &claimed).unwrap_err();
        assert!(error.starts_with("puzzle 1 gets a wrong answer; expected was none, as 55."), "{error}");
    }

    fn solution(puzzle: &str) -> String {
        let mut outcome = [Outcome::NONE];
        Lockstep::new().solve_batch(&[puzzle.parse().unwrap()], SolutionLimit::UNIQUENESS, &mut outcome);
        assert_eq!(outcome[0].solutions, 2);
        outcome[0].solution.unwrap().to_string()
    }
}
