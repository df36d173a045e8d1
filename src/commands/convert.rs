//! `gridmill convert` and `gridmill matrix`: puzzles in any other format, and as an exact-cover matrix for
//! other programs.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, ValueEnum};
use gridmill_core::grid::{BLANKS, Shape};
use gridmill_core::jobs::{DuplicateDigit, Job, ReadOnly};
use gridmill_core::solver::dancing_links::{CoverRow, ExactCover};
use gridmill_data::error::{Error, ErrorKind};
use gridmill_data::output::{ConvertedForm, ConvertedRows, Destination, JsonInputKeys};
use gridmill_data::packing::{ColumnType, TableColumns};
use gridmill_data::pipeline::{ChunkSizing, JobStage, Records};
use gridmill_data::text::{Alphabet, FormatOptions, GridPuzzle, Layout, PuzzleForm, Spelling};
use gridmill_data::with_kind;

use crate::cli::{End, TaskOptions};
use crate::support::command_error::{no_puzzles, refuse, report, size, unused_alphabet};
use crate::support::inputs::{InputArgs, open_input};
use crate::support::options::file_name;
use crate::support::outputs::{end_on_interrupt, finish_rows, unbuffered};
use crate::support::parts::{PartArgs, with_resume_advice};
use crate::support::rows::is_container_name;
use crate::support::rows::{FormatsByName, check_rows_name, extension, is_json_name};
use crate::support::summary::{Summary, put_summary};

const CONVERT_HELP: &str = "\
Examples:
  gridmill convert puzzles.sdk -o puzzles.txt
      one puzzle a line, from any format
  gridmill convert train.csv -o train.jsonl
      an object for every row, with a key for every column
  gridmill convert puzzles.txt --to framed | less
      grids to look at
  gridmill convert puzzles.txt --blank 0 -o zeros.txt.gz
      0 for a blank, compressed
  gridmill convert large.txt --to-alphabet 0-9A-F
      16x16 puzzles in hexadecimal digits
  gridmill convert train.csv --puzzle-column solution
      another column, here the solutions

With --to csv or jsonl, the other columns or keys of a CSV or JSON Lines input are kept: columns
become keys, and keys become columns. All other forms contain only the puzzle: columns,
comments, remarks after a puzzle, ratings and titles are left out. A CSV input keeps its
separator, and if it has no header, the output has none. For CSV, the keys of the first object
and those in the first 64 KiB of JSON input become columns: texts are written unchanged, null as
an empty field, anything else as JSON.

Digits stay those of the input, unless you choose others with --to-alphabet. Numbers separated by
spaces become characters up to 9x9. Larger puzzles keep their numbers, and 0 for a blank, unless
--to-alphabet is given.

A record that can't be read is written in its place: as its text on one line, in quotes between
grids; in CSV and JSON Lines with its other columns. Pencilmarks can only be written as pencilmarks,
csv or jsonl, because other forms can't hold candidates.

For puzzles of every size.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130
interrupted.";

/// Convert puzzles from any format to any other
#[derive(Debug, Args)]
#[command(after_help = CONVERT_HELP)]
pub(crate) struct Convert {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    parts: PartArgs,

    #[command(flatten)]
    target: TargetArgs,
}

impl Convert {
    pub(crate) fn run(self, task_options: &TaskOptions) -> Result<End, Error> {
        let path = self.input.output.as_deref();
        if self.target.to.is_none() {
            check_rows_name(path, FormatsByName { json: true, container: true })?;
        }
        let Some((mut files, output, mut summary)) = self.parts.open(task_options, &self.input)? else {
            return Ok(End::Good);
        };
        if !files.detect(true)? {
            return Ok(End::Interrupted);
        }
        let form = self.target.form(self.input.output_file());
        self.target.check(form, files.layout())?;
        // Only keys near the start of a JSON input become columns. A later key has no column, so its values
        // are lost.
        let (spelling, keys) = (self.target.spelling(form), Layout::json_keys_of(files.layouts()));
        if self.target.to.is_none() && is_container_name(self.input.output.as_deref()) {
            output.set_container_columns(&table_columns(
                &form.rows(files.layout(), &keys),
                files.column_types(),
            ));
        }
        let lost = AtomicBool::new(false);
        let mut take = |rows: &Vec<u8>| output.take(rows);
        let totals = files.run(&mut take, Some(&output), &|layout, diagnostics| {
            let sink = ConvertedRows { form: form.rows(layout, &keys), spelling: &spelling, lost: &lost };
            Ok(with_kind!(layout.kind(), P => Box::new(JobStage::<P> {
                diagnostics,
                keeps_long_lines: true,
                sizing: ChunkSizing::BATCHES,
                ..JobStage::new(&ReadOnly, layout, Box::new(sink))
            })))
        });
        let totals = totals.map_err(|error| with_resume_advice(error, output.resumable_partial()))?;
        put_summary(summary.as_mut(), &Summary::new(&files, ReadOnly.schema().statuses, None, &[], &totals))?;
        let has_lost = lost.load(Ordering::Relaxed);
        if has_lost {
            report(
                "some objects have keys that are not among those of the first 64 KiB; CSV has no columns for them; --to jsonl keeps them",
            );
        }
        let end = finish_rows(output, summary, &totals, format_args!("{} whole records", totals.records))?;
        Ok(if has_lost && end == End::Good { End::Imperfect } else { end })
    }
}

/// The columns of CSV rows in this form. The columns of the input have these types.
fn table_columns(form: &ConvertedForm, types: Vec<ColumnType>) -> TableColumns {
    match form {
        ConvertedForm::Table(header) => {
            let names = (!header.is_in_file).then(|| header.names());
            TableColumns { types, separator: header.separator, names }
        }
        _ => TableColumns::with_header_row([]),
    }
}

#[derive(Debug, Args)]
struct TargetArgs {
    /// How the puzzles are written [default: by the output's name if it ends in .csv, .jsonl, .ndjson or .sdk; else
    /// line]
    #[arg(long, value_enum, value_name = "FORM")]
    to: Option<FormArg>,

    /// The character for a blank: one of . 0 _ - * ? x X that is not a digit of the puzzles [default: .]
    #[arg(long, value_name = "CHAR", value_parser = blank, allow_hyphen_values = true)]
    blank: Option<u8>,

    /// Write digits in this alphabet: 1-9A-G, 0-9A-F or A-P for 16x16. May be given once for each size in the
    /// input [default: that of the input]
    #[arg(long, value_name = "SYMBOLS")]
    to_alphabet: Vec<Alphabet>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormArg {
    /// One puzzle a line, a character for each cell
    Line,
    /// A line for each row, and a blank line after each puzzle
    Grid,
    /// Like grid, with spaces between cells and a frame around each box
    Framed,
    /// Like grid, below the heading [Puzzle] of .sdk files
    // These brackets are part of the help, and no link.
    #[allow(rustdoc::broken_intra_doc_links)]
    Sdk,
    /// One puzzle a line, as numbers with spaces between them and 0 for a blank
    Numbers,
    /// CSV with a header: the columns or keys of the input, or puzzle
    Csv,
    /// JSON Lines, an object a line: the keys or columns of the input, or puzzle
    Jsonl,
    /// Lines of a HoDoKu library; 9x9 only
    Hodoku,
    /// Lines of 729 characters: nine places a cell, each with its digit if that is a candidate; 9x9 only
    Pencilmarks,
}

/// Parses the character for a blank.
fn blank(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        &[blank] if BLANKS.contains(&blank) => Ok(blank),
        _ => Err("give one of . 0 _ - * ? x X".to_owned()),
    }
}

impl TargetArgs {
    /// The form of the output, which the user or the name of the output chooses.
    fn form(&self, output: Option<&Path>) -> FormArg {
        let by_name = || match output.and_then(extension)?.as_str() {
            "csv" => Some(FormArg::Csv),
            "sdk" => Some(FormArg::Sdk),
            _ if is_json_name(output) => Some(FormArg::Jsonl),
            _ if is_container_name(output) => Some(FormArg::Csv),
            _ => None,
        };
        self.to.or_else(by_name).unwrap_or(FormArg::Line)
    }

    /// Refuses puzzles that the form can't hold, and options that have no effect in it.
    fn check(&self, form: FormArg, layout: &Layout) -> Result<(), Error> {
        let name = form.name();
        let holds_candidates = matches!(form, FormArg::Pencilmarks | FormArg::Csv | FormArg::Jsonl);
        if layout.is_pencilmarks() && !holds_candidates {
            return refuse(format!(
                "--to {name} is for puzzles with clues, but these are pencilmarks: choose pencilmarks, csv or jsonl"
            ));
        }
        if !layout.is_pencilmarks() && form.is_classic() && layout.shape != Some(Shape::CLASSIC) {
            let size = size(layout.shape);
            return refuse(format!(
                "--to {name} is for 9x9 puzzles, but these are {size}: choose another form"
            ));
        }
        let has_candidates = layout.is_pencilmarks() || form == FormArg::Pencilmarks;
        if self.blank.is_some() && (has_candidates || form == FormArg::Numbers) {
            let what = if has_candidates { "pencilmarks" } else { &name };
            return refuse(format!("--blank has no effect on {what}: leave it out"));
        }
        if !self.to_alphabet.is_empty() && (form.is_classic() || form == FormArg::Numbers) {
            return refuse(format!(
                "--to-alphabet cannot be used with --to {name}, which has digits of its own: leave it out"
            ));
        }
        let is_used = |alphabet: &&Alphabet| layout.may_use_alphabet_of(alphabet.side());
        if let Some(alphabet) = self.to_alphabet.iter().find(|alphabet| !is_used(alphabet)) {
            return Err(unused_alphabet("--to-alphabet", alphabet, layout.shape));
        }
        self.check_blank(layout)
    }

    /// Refuses a blank that is also a digit, because it would be ambiguous.
    fn check_blank(&self, layout: &Layout) -> Result<(), Error> {
        let Some(blank) = self.blank else { return Ok(()) };
        let is_replaced =
            |known: &&Alphabet| self.to_alphabet.iter().any(|alphabet| alphabet.side() == known.side());
        let kept = layout.alphabets().filter(|known| !is_replaced(known));
        let is_digit = |alphabet: &&Alphabet| alphabet.cell(blank).is_some_and(|cell| cell > 0);
        match kept.chain(&self.to_alphabet).find(is_digit) {
            Some(alphabet) => refuse(format!(
                "--blank {} is a digit in the alphabet {alphabet}: choose another character",
                char::from(blank)
            )),
            None => Ok(()),
        }
    }

    /// The characters for cells in this form.
    fn spelling(&self, form: FormArg) -> Spelling {
        let blank = self.blank.unwrap_or(b'.');
        match form {
            FormArg::Numbers => Spelling::new(blank, (4..=Shape::MAX_SIDE).map(Alphabet::numbers)),
            FormArg::Hodoku => Spelling::new(blank, [Alphabet::digits(9)]),
            _ => Spelling::new(blank, self.to_alphabet.iter().cloned()),
        }
    }
}

impl FormArg {
    /// The form of the rows for a file. `keys` are the keys of JSON input.
    fn rows(self, layout: &Layout, keys: &[String]) -> ConvertedForm {
        let texts = ConvertedForm::Texts;
        match self {
            FormArg::Line | FormArg::Numbers => texts(PuzzleForm::Line),
            FormArg::Grid => texts(PuzzleForm::Grid),
            FormArg::Framed => texts(PuzzleForm::Framed),
            FormArg::Sdk => texts(PuzzleForm::Sdk),
            FormArg::Hodoku => texts(PuzzleForm::Hodoku),
            FormArg::Pencilmarks => texts(PuzzleForm::Pencilmarks),
            FormArg::Csv => ConvertedForm::columns(layout, keys),
            FormArg::Jsonl => ConvertedForm::Objects(JsonInputKeys::for_layout(layout)),
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    fn is_classic(self) -> bool {
        matches!(self, FormArg::Hodoku | FormArg::Pencilmarks)
    }
}

const MATRIX_HELP: &str = "\
Examples:
  gridmill matrix puzzle.txt
      a row of CSV for each row of the matrix, with its four columns by number and by name
  gridmill matrix puzzles.txt --record 7 --to dlx | dlx1
      the seventh puzzle for Donald Knuth's programs: a line of item names, then an option a line
  gridmill matrix puzzle.txt --to dense --reduced
      zeros and ones, without what the clues settle
  gridmill matrix puzzle.txt --to cnf -o puzzle.cnf && minisat puzzle.cnf
      the same constraints as clauses, for SAT solvers
  gridmill matrix 1.....3..4.....2
      a puzzle instead of a file

Each row of the matrix says that a cell holds a digit. A puzzle of side n has 4 n^2 columns,
numbered from 1. Each is a constraint that must be satisfied exactly once: each cell has a digit
(R1C2: row 1, column 2), each row has each digit (R1#3), and so do each column (C2#3) and each box
(B1#3). Digits are numbers, in the order of the puzzle's alphabet.

A clue is a cell with only one row. A blank has a row for each digit that does not occur among the
clues of its houses. With --reduced, the rows of clues and the columns that they cover are left out;
other columns keep their numbers.

Exit codes: 0 the matrix was written, 2 it could not be, 130 interrupted.";

/// Write the exact-cover matrix of a puzzle of any shape, for other programs
#[derive(Debug, Args)]
#[command(after_help = MATRIX_HELP)]
pub(crate) struct Matrix {
    /// A file with the puzzle, or - for standard input; you can give the puzzle itself instead of a name
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true)]
    file: PathBuf,

    /// Write the matrix to this file, which gets its name when it is complete, and is compressed if the name
    /// ends in .gz, .zst or .xz [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Use this record, from 1, of a file with several
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    record: Option<u64>,

    /// How the matrix is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    to: MatrixForm,

    /// Leave out the rows of clues, and the columns that they cover
    #[arg(long)]
    reduced: bool,

    /// Rows x columns of a box, if the number of cells leaves it open
    #[arg(long, value_name = "RxC")]
    shape: Option<Shape>,

    /// The digits of puzzles above 9x9, in order [default: the usual ones, if only one alphabet
    /// fits]
    #[arg(long, value_name = "SYMBOLS")]
    alphabet: Vec<Alphabet>,

    /// The CSV column, by name or number, or the JSON key that holds the puzzles
    #[arg(long, value_name = "NAME|N")]
    puzzle_column: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum MatrixForm {
    /// row,cell,digit, and four columns, by number and by name
    #[default]
    Csv,
    /// Knuth's format: a line with the names of the columns, then a line for each row with the names of its
    /// columns
    Dlx,
    /// A line for each row, with 0 or 1 for each column
    Dense,
    /// Clauses for SAT solvers, in DIMACS form: a variable for each row, named in comments
    Cnf,
}

impl Matrix {
    pub(crate) fn run(self) -> Result<End, Error> {
        end_on_interrupt();
        let puzzle = self.puzzle()?;
        if let (true, Some(conflict)) = (self.reduced, DuplicateDigit::find(&puzzle)) {
            let refusal = format!(
                "{conflict}, so the puzzle has no solution, and its matrix can't be reduced: leave --reduced out"
            );
            return Err(Error::other(refusal).in_file(&self.file));
        }
        let build = if self.reduced { ExactCover::reduced } else { ExactCover::new };
        let matrix = build(&puzzle.grid);
        let mut output = BufWriter::new(Destination::create(file_name(self.output.as_deref()))?);
        let written = match self.to {
            MatrixForm::Csv => write_csv(&matrix, puzzle.grid.shape(), &mut output),
            MatrixForm::Dlx => write_dlx(&matrix, &mut output),
            MatrixForm::Dense => write_dense(&matrix, &mut output),
            MatrixForm::Cnf => write_cnf(&matrix, puzzle.grid.shape(), &mut output),
        };
        written.map_err(|error| ErrorKind::Write { error })?;
        unbuffered(output)?.commit()?;
        Ok(End::Good)
    }

    /// Reads the puzzle: the record that the user chose, or else the only one.
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
                Some(record) => Error::other(format!("{}: it has no record {record}", path.display())),
                None => no_puzzles(&path),
            });
        };
        if self.record.is_none() && records.next().transpose()?.is_some() {
            let path = path.display();
            return refuse(format!("{path}: it has several records: choose one with --record N"));
        }
        record.puzzle.map_err(Error::other)
    }
}

fn write_csv(matrix: &ExactCover, shape: Shape, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "row,cell,digit,column1,column2,column3,column4,name1,name2,name3,name4")?;
    for (number, &CoverRow { cell, digit, columns }) in (1..).zip(&matrix.rows) {
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
    writeln!(out, "{}", named(&matrix.columns))?;
    matrix.rows.iter().try_for_each(|row| writeln!(out, "{}", named(&row.columns)))
}

fn write_dense(matrix: &ExactCover, out: &mut impl Write) -> std::io::Result<()> {
    let mut line = Vec::new();
    for row in &matrix.rows {
        line.clear();
        line.extend(
            matrix.columns.iter().map(|column| if row.columns.contains(column) { b'1' } else { b'0' }),
        );
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

/// Writes the matrix as clauses. Each row is a variable, and each column demands that exactly one of its rows
/// is true: one clause says that at least one is, and the others exclude each pair.
fn write_cnf(matrix: &ExactCover, shape: Shape, out: &mut impl Write) -> std::io::Result<()> {
    let rows_of = |column| {
        let rows = (1..).zip(&matrix.rows).filter(|(_, row)| row.columns.contains(column));
        rows.map(|(variable, _)| variable).collect::<Vec<usize>>()
    };
    let columns: Vec<Vec<usize>> = matrix.columns.iter().map(rows_of).collect();
    let clauses: usize = columns.iter().map(|rows| 1 + rows.len() * rows.len().saturating_sub(1) / 2).sum();
    for (variable, CoverRow { cell, digit, .. }) in (1..).zip(&matrix.rows) {
        writeln!(out, "c {variable}: r{}c{} = {digit}", cell.row(shape) + 1, cell.column(shape) + 1)?;
    }
    writeln!(out, "p cnf {} {clauses}", matrix.rows.len())?;
    for rows in columns {
        rows.iter().try_for_each(|variable| write!(out, "{variable} "))?;
        writeln!(out, "0")?;
        for (place, one) in rows.iter().enumerate() {
            rows[place + 1..].iter().try_for_each(|other| writeln!(out, "-{one} -{other} 0"))?;
        }
    }
    Ok(())
}
