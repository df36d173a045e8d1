//! `gridmill matrix`: the exact-cover matrix of a puzzle.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gridmill_core::grid::Shape;
use gridmill_core::jobs::DuplicateDigit;
use gridmill_core::solver::dancing_links::{CoverRow, ExactCover};
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::Destination;
use gridmill_data::pipeline::Records;
use gridmill_data::text::{Alphabet, FormatOptions, GridPuzzle};

use crate::cli::End;
use crate::support::command_error::{no_puzzles, refuse};
use crate::support::inputs::open_input;
use crate::support::options::file_name;
use crate::support::outputs::{end_on_interrupt, unbuffered};

const EXAMPLES: &str = "\
Examples:
  gridmill matrix puzzle.txt
      a row of CSV for each row of the matrix, with its four columns by number and by name
  gridmill matrix puzzles.txt --record 7 --form dlx | dlx1
      the seventh puzzle for Donald Knuth's programs: a line of item names, then an option a line
  gridmill matrix puzzle.txt --form dense --reduced
      zeros and ones, without what the clues settle
  gridmill matrix 1.....3..4.....2
      the puzzle itself in place of a file

A row says that a cell holds a digit. The 4 n^2 columns of a puzzle of side n, numbered from 1, are demands that
are to be met exactly once: each cell has a digit (R1C2: row 1, column 2), each row has each digit (R1#3), and so
has each column (C2#3) and each box (B1#3). Digits are numbers, in the order of the puzzle's alphabet.

A clue is a cell with one row, its own; a blank has a row for each digit that no clue of its houses has. With
--reduced the rows of clues and the columns that they cover are left out; other columns keep their numbers.

Exit codes: 0 the matrix was written, 2 it could not be, 130 interrupted.";

/// Write the exact-cover matrix of a puzzle of any shape, for other programs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Matrix {
    /// A file with the puzzle, or - for standard input; the puzzle itself may stand in place of a name
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    file: PathBuf,

    /// Write the matrix to this file, which gets its name when it is complete, and is compressed if that ends
    /// in .gz, .zst or .xz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Take this record, from 1, of a file with several
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    record: Option<u64>,

    /// How the matrix is written
    #[arg(long, value_enum, default_value_t)]
    form: FormArg,

    /// Leave out the rows of clues, and the columns that they cover
    #[arg(long)]
    reduced: bool,

    /// Rows x columns of a box, where the size leaves it open
    #[arg(long, value_name = "RxC")]
    shape: Option<Shape>,

    /// The digits of a puzzle above 9x9, in order [default: what the characters of the file prove]
    #[arg(long, value_name = "SYMBOLS")]
    alphabet: Vec<Alphabet>,

    /// The CSV column that holds the puzzles, where its name is not a known one
    #[arg(long, value_name = "NAME")]
    puzzle_column: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum FormArg {
    /// row,cell,digit, and four columns, by number and by name
    #[default]
    Csv,
    /// Knuth's: a line with the names of the columns, then a line for each row with those of its columns
    Dlx,
    /// A line for each row, with 0 or 1 for each column
    Dense,
}

impl Matrix {
    pub(crate) fn run(self) -> Result<End, Error> {
        end_on_interrupt();
        let puzzle = self.puzzle()?;
        if let (true, Some(conflict)) = (self.reduced, DuplicateDigit::find(&puzzle)) {
            let refusal = format!(
                "{conflict}, so the matrix can't be reduced: leave --reduced out, and it has no solution"
            );
            return Err(Error::other(refusal).in_file(&self.file));
        }
        let of = if self.reduced { ExactCover::reduced } else { ExactCover::of };
        let matrix = of(&puzzle.grid);
        let mut output = BufWriter::new(Destination::create(file_name(self.output.as_deref()))?);
        let written = match self.form {
            FormArg::Csv => write_csv(&matrix, puzzle.grid.shape(), &mut output),
            FormArg::Dlx => write_dlx(&matrix, &mut output),
            FormArg::Dense => write_dense(&matrix, &mut output),
        };
        written.map_err(|error| ErrorKind::Write { error })?;
        unbuffered(output)?.commit()?;
        Ok(End::Good)
    }

    /// Reads the puzzle: the only record, or the one that was asked for.
    fn puzzle(&self) -> Result<GridPuzzle, Error> {
        let options = FormatOptions {
            puzzle_column: self.puzzle_column.clone(),
            shape: self.shape,
            alphabets: self.alphabet.clone(),
            ..FormatOptions::default()
        };
        let input = open_input(&self.file, true)?;
        let path = input.name().to_owned();
        let mut records: Records<GridPuzzle> = input.records(&options)?;
        let skipped = self.record.unwrap_or(1) - 1;
        for _ in 0..skipped {
            records.next().transpose()?;
        }
        let Some(record) = records.next().transpose()? else {
            return Err(match self.record {
                Some(record) => {
                    Error::other(format!("{}: there is no record {record} in it", path.display()))
                }
                None => no_puzzles(&path),
            });
        };
        if self.record.is_none() && records.next().transpose()?.is_some() {
            let path = path.display();
            return refuse(format!("{path}: there are several records in it: choose one by --record N"));
        }
        record.puzzle.map_err(Error::other)
    }
}

fn write_csv(matrix: &ExactCover, shape: Shape, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "row,cell,digit,column1,column2,column3,column4,name1,name2,name3,name4")?;
    for (number, &CoverRow { cell, digit, columns }) in (1..).zip(matrix.rows()) {
        let (row, column) = (cell.row(shape) + 1, cell.column(shape) + 1);
        let numbers = columns.map(|column| (column + 1).to_string()).join(",");
        let names = columns.map(|column| matrix.name(column)).join(",");
        writeln!(out, "{number},r{row}c{column},{digit},{numbers},{names}")?;
    }
    Ok(())
}

fn write_dlx(matrix: &ExactCover, out: &mut impl Write) -> std::io::Result<()> {
    let named =
        |columns: &[usize]| columns.iter().map(|&column| matrix.name(column)).collect::<Vec<_>>().join(" ");
    writeln!(out, "{}", named(matrix.columns()))?;
    matrix.rows().iter().try_for_each(|row| writeln!(out, "{}", named(&row.columns)))
}

fn write_dense(matrix: &ExactCover, out: &mut impl Write) -> std::io::Result<()> {
    let mut line = Vec::new();
    for row in matrix.rows() {
        line.clear();
        line.extend(
            matrix.columns().iter().map(|column| if row.columns.contains(column) { b'1' } else { b'0' }),
        );
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}
