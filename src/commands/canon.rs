//! `gridmill canon` and `gridmill shuffle`: the minlex form, which is the same for all isomorphs of a puzzle,
//! and random isomorphs.

use clap::Args;
use gridmill_core::grid::Shape;
use gridmill_core::jobs::{Canon as CanonJob, ReadOnly, Schema};
use gridmill_data::error::Error;
use gridmill_data::output::Isomorphs;
use gridmill_data::packing::{ColumnType, TableColumns};
use gridmill_data::record::Sink;
use gridmill_data::text::{Layout, PuzzleText};

use crate::support::command_error::check_size;
use crate::support::compare::check_forms;
use crate::support::inputs::InputArgs;
use crate::support::job_run::{JobArgs, JobCommand};
use crate::support::options::up_to;
use crate::support::parts::PartArgs;
use crate::support::rows::copied_columns;
use crate::support::rows::{RowsArgs, check_records_name, without_grids};

const CANON_HELP: &str = "\
Examples:
  gridmill canon puzzles.txt -o canonical.csv
      a row for every puzzle: puzzle,canonical,status
  gridmill canon puzzles.txt | cut -d, -f2 | sort | uniq -d
      the forms of puzzles that occur twice, even in different disguises
  gridmill canon train.csv --columns id,canonical
      the column id of train.csv, and the forms
  gridmill canon puzzles.txt --of-solution --automorphisms
      the forms of the solutions, and how many automorphisms each solution has
  gridmill canon puzzles.txt --list-automorphisms --columns automorphism_list
      the automorphisms themselves, as transforms separated by spaces
  gridmill canon puzzles.txt --of-solution --bands
      also the classes of the three bands and three stacks of the solutions
  gridmill canon puzzles.txt --transform
      also how to get from the puzzle to its form
  gridmill canon big.txt --shard 3/64 -o part3.csv --skip-existing
      the third of 64 parts, each for a process of its own; skipped if the file already exists

The canonical form is the minlex form: the smallest of all isomorphs, read cell by cell, where a
blank is smaller than all digits. Isomorphs are made by permuting bands, stacks, rows, columns and
digits, and by transposing the grid. The puzzle is not solved for this, so puzzles with no, one or
many solutions have a form. With --of-solution only puzzles with one solution have one.
With --maxlex the form is the largest of all isomorphs, e.g. 987654321... for a full grid.

A transform is written as in T/645312789/123564897/912345678. First comes T if the grid is
transposed first, or - if not. Then, for each row from the top, the row that moves there; for each
column from the left, the column that moves there; and for each digit from 1, its new name. The list
of automorphisms includes the one that changes nothing. Digits that are not in the puzzle keep their
order. The list is long for puzzles with few clues: the empty grid has 3,359,232
automorphisms, which take 100 MB.

--bands adds the columns band1, band2, band3, stack1, stack2 and stack3. Two bands of full 9x9 grids
(or stacks, turned) are of one class if permuting rows, columns and digits turns one into the other.
The number of a class, from 1 to 416, is the place of its minlex form: 1 is 123456789456789123789123456.

Status of a row: ok, conflict (two equal clues in a house), malformed (could not be read); with
--of-solution: unique, multiple, none, conflict, malformed. Only ok and unique rows have a form.

For 4x4, 6x6, 8x8 and 9x9 puzzles. Grids are transposed only if boxes are square.

Exit codes: 0 every record was read, 1 some were malformed or in conflict, 2 the job could not be
done, 130 interrupted.";

/// Write the canonical form of every puzzle of a file, which all its isomorphs share
#[derive(Debug, Args)]
#[command(after_help = CANON_HELP, mut_args(without_grids), mut_arg("mixed", |mixed| mixed.hide(true)))]
pub(crate) struct Canon {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    rows: RowsArgs,

    /// Solve the puzzles, and write the forms of their solutions
    #[arg(long)]
    of_solution: bool,

    /// Write the maxlex form: the greatest of all isomorphs, in place of the smallest
    #[arg(long)]
    maxlex: bool,

    /// Add a column with a transform from the puzzle (from its solution, with --of-solution) to the form
    #[arg(long)]
    transform: bool,

    /// Add a column with the number of automorphisms: the ways to move the cells that change only the names
    /// of digits
    #[arg(long)]
    automorphisms: bool,

    /// Add a column with the automorphisms, as transforms from the puzzle to itself (of its solution, with
    /// --of-solution)
    #[arg(long)]
    list_automorphisms: bool,

    /// Find the classes of the bands and stacks of solutions, 9x9 only
    #[arg(long, requires = "of_solution")]
    bands: bool,
}

/// Checks that a layout is one of 9x9 puzzles, whose bands have classes.
pub(super) fn check_bands(layout: &Layout) -> Result<(), Error> {
    check_size(layout, |shape| shape == Shape::CLASSIC, "classes of bands are for grids of one size, 9x9")
}

impl JobCommand for Canon {
    type Job = CanonJob;

    fn args(&self) -> JobArgs<'_> {
        let rows = self.rows.choice(&self.input, false);
        JobArgs { input: &self.input, parts: &self.parts, rows: Some(rows) }
    }

    fn job(&self, layout: &Layout) -> Result<CanonJob, Error> {
        Ok(CanonJob {
            of_solutions: self.of_solution.then(|| layout.fastest_engine()),
            maxlex: self.maxlex,
            transform: self.transform,
            automorphisms: self.automorphisms,
            automorphism_list: self.list_automorphisms,
            bands: self.bands,
        })
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        if self.bands {
            check_bands(layout)?;
        }
        check_forms(layout, self.of_solution)
    }
}

const SHUFFLE_HELP: &str = "\
Examples:
  gridmill shuffle puzzles.txt -o disguised.txt
      a random isomorph of each puzzle: just as hard, and with as many solutions
  gridmill shuffle train.csv --copies 10 --seed 3 -o more.csv
      ten rows for each row; the puzzle, solution and any other grid of a row are changed in the
      same way

shuffle renames the digits, reorders bands and stacks, rows in a band and columns in a stack, and
transposes the grid or not. Only puzzles with square boxes are transposed. CSV is written as CSV,
with its header, anything else as one puzzle a line. A record that can't be read is copied once,
unchanged.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130
interrupted.";

/// Turn every puzzle into a random isomorph
#[derive(Debug, Args)]
#[command(after_help = SHUFFLE_HELP)]
pub(crate) struct Shuffle {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    /// Seed of the random changes
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Number of isomorphs to write of each puzzle
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = up_to(1_000_000))]
    copies: u64,
}

impl JobCommand for Shuffle {
    type Job = ReadOnly;

    const HAS_SUMMARY: bool = false;
    const NEEDS_NUMBERS: bool = true;

    fn args(&self) -> JobArgs<'_> {
        JobArgs { input: &self.input, parts: &self.parts, rows: None }
    }

    fn job(&self, _: &Layout) -> Result<ReadOnly, Error> {
        Ok(ReadOnly)
    }

    fn check(&self, layout: &Layout) -> Result<(), Error> {
        check_records_name(self.input.output.as_deref(), layout)
    }

    fn columns(&self, layout: &Layout, types: Vec<ColumnType>, _: &Schema) -> TableColumns {
        let copied = copied_columns(layout, types).unwrap_or_else(|| TableColumns::with_header_row([]));
        // If there is a header, the sink writes it as text, so it must not be added again.
        let names = copied.names.filter(|_| layout.header.as_ref().is_some_and(|header| !header.is_in_file));
        TableColumns { names, ..copied }
    }

    fn sink<P: PuzzleText>(&self, layout: &Layout, _: &Schema) -> Box<dyn Sink<P> + '_> {
        Box::new(Isomorphs::<P>::new(self.seed, self.copies, layout))
    }
}
