//! `gridmill canon`: the minlex form, which all isomorphs of a puzzle share.

use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use gridmill_core::minlex::{CanonicalCells, Minlex};
use gridmill_core::solver::{Clues, Outcome, SolutionLimit, Solver};
use gridmill_data::error::Error;
use gridmill_data::pipeline::{Engine, RowMapper, Searchable};
use gridmill_data::record::{PlacedRecord, PuzzleLike, Status};
use gridmill_data::text::Layout;

use crate::cli::End;
use crate::support::compare::check_forms;
use crate::support::given::Given;
use crate::support::input_args::InputArgs;
use crate::support::parts::{PartArgs, Parts};
use crate::support::rows::TableRowsArgs;
use crate::support::tabulate::{Columns, MapperFactory, status, tabulate};

const EXAMPLES: &str = "\
Examples:
  gridmill canon puzzles.txt -o canonical.csv
      a row for every puzzle: puzzle,canonical,status
  gridmill canon puzzles.txt | cut -d, -f2 | sort | uniq -d
      the forms of puzzles that occur twice, in whatever disguise
  gridmill canon train.csv --columns id,canonical
      the column id of train.csv, and the forms
  gridmill canon puzzles.txt --grid --automorphisms
      the forms of the solutions, and how many symmetries each solution has
  gridmill canon puzzles.txt --transform
      and how to get from the puzzle to its form
  gridmill canon big.txt --shard 3/64 -o part3.csv --skip-existing
      the third of 64 parts, each for a process of its own, unless it is there

The canonical form is the minlex form: the least of all isomorphs (bands, stacks, rows, columns
and digits permuted, rows and columns perhaps exchanged), read cell by cell, a blank below all
digits. Nothing is solved for it, so puzzles with no, one or many solutions have one; with --grid,
only those with one.

A transform, as in T/645312789/123564897/912345678: T if rows and columns change places first, - if
not; for each row, from the top, the one of the rows that comes there; for each column, from the
left, the one of the columns that comes there; for each digit, from 1, its new name.

Status of a row: ok, conflict (two equal clues in a house), malformed (could not be read); with
--grid: unique, multiple, none, conflict, malformed. Only ok and unique rows have a form.

For 4x4, 6x6, 8x8 and 9x9 puzzles. Rows and columns are exchanged only where boxes are square.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be
done, 130 interrupted.";

/// Bring every puzzle of a file to the form that all its isomorphs share
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_arg("mixed", |mixed| mixed.hide(true)))]
pub(crate) struct Canon {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: TableRowsArgs,

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
    pub(crate) fn run(self, given: &Given) -> Result<End, Error> {
        tabulate(&self.input, &self, Some(Parts { args: &self.parts, given }))
    }
}

impl MapperFactory for Canon {
    type Mapper<P: Searchable> = CanonMapper<P>;

    fn rows(&self) -> Option<&TableRowsArgs> {
        Some(&self.rows)
    }

    fn names(&self) -> Vec<&'static str> {
        let names = [
            ("canonical", true),
            ("transform", self.transform),
            ("automorphisms", self.automorphisms),
            ("status", true),
        ];
        names.into_iter().filter_map(|(name, is_wanted)| is_wanted.then_some(name)).collect()
    }

    fn name_of(&self, status: Status) -> &'static str {
        if status == Status::Solved { "ok" } else { status.name() }
    }

    fn mappers<P: Searchable>(
        &self,
        layout: &Layout,
        columns: Columns,
    ) -> Result<impl Fn() -> CanonMapper<P> + Sync + 'static, Error> {
        check_forms(layout, self.grid)?;
        let engine = self.grid.then(|| Engine::fastest_for(layout));
        let (transform, automorphisms) = (self.transform, self.automorphisms);
        Ok(move || CanonMapper {
            columns: columns.clone(),
            minlex: Minlex::new(),
            engine: engine.map(P::solver),
            outcomes: Vec::new(),
            transform,
            automorphisms,
        })
    }
}

pub(crate) struct CanonMapper<P: PuzzleLike> {
    columns: Columns,
    minlex: Minlex,
    /// Solves the puzzles, where the minlex forms of their solutions are wanted.
    engine: Option<Box<dyn Solver<P>>>,
    outcomes: Vec<Outcome<P::Solution>>,
    transform: bool,
    automorphisms: bool,
}

/// The minlex form of a puzzle, or of its solution.
pub(crate) struct CanonAnswer {
    status: Status,
    canonical: Option<CanonicalCells>,
    /// The engine, if its solution is wrong.
    refuted: Option<&'static str>,
}

impl<P: PuzzleLike> CanonMapper<P> {
    fn of_puzzle(&mut self, puzzle: &P) -> CanonAnswer {
        let canonical = self.minlex.cells_of(puzzle.as_clues());
        let status = if canonical.is_some() { Status::Solved } else { Status::Conflict };
        CanonAnswer { status, canonical, refuted: None }
    }

    fn of_solution(&mut self, puzzle: &P, outcome: &Outcome<P::Solution>) -> CanonAnswer {
        let status = status(puzzle, outcome);
        let engine = self.engine.as_ref().map(|engine| engine.name());
        let refuted = engine.filter(|_| !puzzle.agrees(outcome));
        let is_proper = status == Status::Unique && refuted.is_none();
        let solution = outcome.solution.as_ref().filter(|_| is_proper);
        let canonical = solution.and_then(|solution| {
            self.minlex.cells_of(Clues { shape: puzzle.shape(), cells: P::digits_of(solution) })
        });
        CanonAnswer { status, canonical, refuted }
    }
}

impl<P: PuzzleLike> RowMapper<P> for CanonMapper<P> {
    type Answer = CanonAnswer;

    fn answer(&mut self, puzzles: &[P], _: u64, stop: &AtomicBool, answers: &mut Vec<CanonAnswer>) {
        let Some(engine) = &mut self.engine else {
            let puzzles = puzzles.iter().take_while(|_| !stop.load(Ordering::Relaxed));
            answers.extend(puzzles.map(|puzzle| self.of_puzzle(puzzle)));
            return;
        };
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        engine.solve_batch(puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        let outcomes = std::mem::take(&mut self.outcomes);
        answers
            .extend(puzzles.iter().zip(&outcomes).map(|(puzzle, outcome)| self.of_solution(puzzle, outcome)));
        self.outcomes = outcomes;
    }

    fn refuted(&self, _: &P, answer: &CanonAnswer) -> Option<&'static str> {
        answer.refuted
    }

    fn rows(
        &self,
        record: &PlacedRecord<'_>,
        answered: Option<(&P, &CanonAnswer)>,
        out: &mut Vec<u8>,
    ) -> Status {
        let puzzle = answered.map(|(puzzle, _)| puzzle);
        let status = answered.map_or(Status::Malformed, |(_, answer)| answer.status);
        let (mut form, mut transform, mut automorphisms) = (Vec::new(), String::new(), String::new());
        if let Some((puzzle, CanonAnswer { canonical: Some(canonical), .. })) = answered {
            puzzle.write_cells(canonical.cells(), &mut form);
            if self.transform {
                transform = canonical.transform.to_string();
            }
            if self.automorphisms {
                automorphisms = canonical.automorphisms.to_string();
            }
        }
        let name = if status == Status::Solved { "ok" } else { status.name() };
        let mut new: Vec<&[u8]> = vec![&form];
        new.extend(self.transform.then_some(transform.as_bytes()));
        new.extend(self.automorphisms.then_some(automorphisms.as_bytes()));
        new.push(name.as_bytes());
        self.columns.write_row(record, puzzle, &new, out);
        status
    }
}
