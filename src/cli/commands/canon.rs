//! `gridmill canon`: the minlex form, which all isomorphs of a puzzle share.

use clap::Args;

use crate::cli::End;
use crate::cli::support::input_args::InputArgs;
use crate::cli::support::tabulate::{Columns, status, tabulate};
use crate::error::Error;
use crate::grid::Puzzle;
use crate::minlex::{Canonical, Minlex};
use crate::pipeline::RowMapper;
use crate::record::Status;
use crate::solver::{Lockstep, Outcome, SolutionLimit, Solvable, Solver, SolverKind};
use crate::text::Record;

const EXAMPLES: &str = "\
Examples:
  gridmill canon puzzles.txt -o canonical.csv
      a row for every puzzle: puzzle,canonical,status
  gridmill canon puzzles.txt | cut -d, -f2 | sort | uniq -d
      the forms of puzzles that occur twice, in whatever disguise
  gridmill canon puzzles.txt --grid --automorphisms
      the forms of the solutions, and how many symmetries each solution has
  gridmill canon puzzles.txt --transform
      and how to get from the puzzle to its form

The canonical form is the minlex form: the least of all isomorphs (bands, stacks, rows, columns
and digits permuted, rows and columns perhaps exchanged), read cell by cell, a blank below all
digits. Nothing is solved for it, so puzzles with no, one or many solutions have one; with --grid,
only those with one.

A transform, as in T/645312789/123564897/912345678: T if rows and columns change places first, - if
not; for each row, from the top, the one of the rows that comes there; for each column, from the
left, the one of the columns that comes there; for each digit from 1 to 9 its new name.

Status of a row: ok, conflict (two equal clues in a house), malformed (could not be read); with
--grid: unique, multiple, none, conflict, malformed. Only ok and unique rows have a form.

For 9x9 puzzles.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be
done, 130 interrupted.";

/// Bring every puzzle of a file to the form that all its isomorphs share
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Canon {
    #[command(flatten)]
    input: InputArgs,

    /// Solve the puzzles, and give the forms of their solutions
    #[arg(long)]
    grid: bool,

    /// Add a column with a symmetry that makes the form of the puzzle (of its solution, with --grid)
    #[arg(long)]
    transform: bool,

    /// Add a column with the number of ways to move the cells that change no more than the names of digits
    #[arg(long)]
    automorphisms: bool,
}

impl Canon {
    pub(crate) fn run(self) -> Result<End, Error> {
        let names = [
            ("canonical", true),
            ("transform", self.transform),
            ("automorphisms", self.automorphisms),
            ("status", true),
        ];
        let names = names.into_iter().filter_map(|(name, is_wanted)| is_wanted.then_some(name));
        tabulate(&self.input, &names.collect::<Vec<_>>(), |columns| CanonMapper {
            columns,
            minlex: Minlex::new(),
            engine: self.grid.then(Lockstep::new),
            outcomes: Vec::new(),
            transform: self.transform,
            automorphisms: self.automorphisms,
        })
    }
}

struct CanonMapper {
    columns: Columns,
    minlex: Minlex,
    /// Solves the puzzles, where the minlex forms of their solutions are wanted.
    engine: Option<Lockstep>,
    outcomes: Vec<Outcome>,
    transform: bool,
    automorphisms: bool,
}

/// The minlex form of a puzzle, or of its solution.
struct CanonAnswer {
    status: Status,
    canonical: Option<Canonical>,
    is_wrong: bool,
}

impl CanonMapper {
    fn of_puzzle(&mut self, puzzle: &Puzzle) -> CanonAnswer {
        let canonical = self.minlex.of(puzzle);
        let status = if canonical.is_some() { Status::Solved } else { Status::Conflict };
        CanonAnswer { status, canonical, is_wrong: false }
    }

    fn of_solution(&mut self, puzzle: &Puzzle, outcome: &Outcome) -> CanonAnswer {
        let status = status(puzzle, outcome);
        let is_wrong = !puzzle.agrees(outcome);
        let solution = outcome.solution.filter(|_| status == Status::Unique && !is_wrong);
        let canonical = solution.and_then(|solution| self.minlex.of_grid(&solution));
        CanonAnswer { status, canonical, is_wrong }
    }
}

impl RowMapper for CanonMapper {
    type Answer = CanonAnswer;

    fn answer(&mut self, puzzles: &[Puzzle], _: u64, answers: &mut Vec<CanonAnswer>) {
        let Some(engine) = &mut self.engine else {
            answers.extend(puzzles.iter().map(|puzzle| self.of_puzzle(puzzle)));
            return;
        };
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        engine.solve_batch(puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        let outcomes = std::mem::take(&mut self.outcomes);
        answers
            .extend(puzzles.iter().zip(&outcomes).map(|(puzzle, outcome)| self.of_solution(puzzle, outcome)));
        self.outcomes = outcomes;
    }

    fn refuted(&self, _: &Puzzle, answer: &CanonAnswer) -> Option<&'static str> {
        answer.is_wrong.then_some(SolverKind::Lockstep.name())
    }

    fn rows(
        &self,
        chunk: &[u8],
        record: &Record,
        answered: Option<(&Puzzle, &CanonAnswer)>,
        out: &mut Vec<u8>,
    ) -> Status {
        let puzzle = answered.map(|(puzzle, _)| puzzle);
        let status = answered.map_or(Status::Malformed, |(_, answer)| answer.status);
        let canonical = answered.and_then(|(_, answer)| answer.canonical.as_ref());
        let form = canonical.map(|canonical| canonical.form.to_ascii());
        let transform = canonical.map_or_else(String::new, |canonical| canonical.transform.to_string());
        let count = canonical.map_or_else(String::new, |canonical| canonical.automorphisms.to_string());
        let name = if status == Status::Solved { "ok" } else { status.name() };
        let mut new: Vec<&[u8]> = vec![form.as_ref().map_or(b"", |form| form)];
        new.extend(self.transform.then_some(transform.as_bytes()));
        new.extend(self.automorphisms.then_some(count.as_bytes()));
        new.push(name.as_bytes());
        self.columns.write_row(chunk, record, puzzle, &new, out);
        status
    }
}
