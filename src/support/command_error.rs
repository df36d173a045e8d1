//! Errors of commands.

use std::path::{Path, PathBuf};

use gridmill_core::grid::Shape;
use gridmill_core::simd::Backend;
use gridmill_data::bench::Contender;
use gridmill_data::error::{Error, Position};
use gridmill_data::text::{Alphabet, FaultKind, no_column, several_columns};

use super::advice::of_fault;

/// Why a command could not be run as it was called. These messages may name flags.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(
        "port {port} of 127.0.0.1 can't be listened on: {error}; another one is chosen with --port, and 0 takes any that is free"
    )]
    #[cfg(feature = "serve")]
    Listen { port: u16, error: std::io::Error },
    /// No input was named, and standard input is a terminal.
    #[error("nothing to read: name a file, or pipe puzzles in (gridmill COMMAND --help)")]
    NothingToRead,
    /// A journal stands beside a file.
    #[error("--resume needs a file that the rows go to: name it by -o")]
    ResumeWithoutFile,
    /// A run ended by an error, and a later one can go on behind its rows.
    #[error("{message}; the rows before that are in {}, and the same command goes on from there", partial.display())]
    BrokenOff { message: String, partial: PathBuf },
    /// An output that is to be left as it is has no name.
    #[error("--skip-existing needs a file that the rows go to: name it by -o")]
    SkipWithoutFile,
    /// A file can't be divided into parts.
    #[error("{}: --shard takes files with a record a line, and this {what}", path.display())]
    Undivided { path: PathBuf, what: &'static str },
    /// Some files can't be opened.
    #[error("--shard divides all files together, and some of them can't be opened")]
    UndividedRest,
    /// A row of a file that should be divided has line feeds.
    #[error("{}:{line}: this row goes over several lines, in quotes, and --shard takes files with a record a line: leave --shard out", path.display())]
    RowOverLines { path: PathBuf, line: u64 },
    /// An input is not the one that an earlier run read.
    #[error(
        "{}: the beginning is not what an earlier run read; remove {}.journal and {}.partial to begin anew",
        path.display(), output.display(), output.display()
    )]
    OtherBeginning { path: PathBuf, output: PathBuf },
    /// There is no such command.
    #[error("there is no command '{name}' (gridmill --help)")]
    NoCommand { name: String },
    /// The processor can't run the backend.
    #[error("{}", no_backend(*backend, &backend.lacking(), Backend::best()))]
    NoBackend { backend: Backend },
    /// The engine has no backends.
    #[error(
        "--backend {backend}: only the lockstep engine has backends; leave it out, or choose --engine lockstep"
    )]
    NoUseForBackend { backend: Backend },
    /// The command is for puzzles of clues only.
    #[error(
        "this command takes puzzles of clues, and these are pencilmarks, which solve, count, candidates, rate, explain, hint, verify, dedupe, overlap, split and convert take"
    )]
    OnlyClues,
    /// Techniques are for classic puzzles; `None` stands for several shapes.
    #[error("techniques are for 9x9 puzzles, and these are {}; gridmill explain --trace backtracking takes every size", size(*shape))]
    NotForTechniques { shape: Option<Shape> },
    /// Puzzles of that size have no canonical form; `None` stands for several sizes.
    #[error("canonical forms are for puzzles of one size up to 9x9, and these are {}", size(*shape))]
    NoForm { shape: Option<Shape> },
    /// Puzzles of that size have no rating; `None` stands for several sizes.
    #[error("ratings are for puzzles of one size, 9x9, and these are {}", size(*shape))]
    NoRating { shape: Option<Shape> },
    /// Pencilmarks have no canonical form.
    #[error("canonical forms are for puzzles of clues, and these are pencilmarks")]
    NoFormOfPencilmarks,
    /// An alphabet was given for puzzles of another size; `None` stands for several shapes.
    #[error("{option} {alphabet} is for {0}x{0} puzzles, and these are {1}: leave it out", alphabet.side(), size(*shape))]
    UnusedAlphabet { option: &'static str, alphabet: Alphabet, shape: Option<Shape> },
    /// Only classic puzzles can be written so; `None` stands for several shapes.
    #[error("--to {form} is for 9x9 puzzles, and these are {}: choose another form", size(*shape))]
    NotForForm { form: String, shape: Option<Shape> },
    /// The form has no place for candidates.
    #[error("these are pencilmarks, and --to {form} can't hold candidates: choose pencilmarks, csv or jsonl")]
    NoCandidates { form: String },
    /// There are no blanks in the form, or they can't be chosen.
    #[error("--blank has no use in {form} of these puzzles: leave it out")]
    UnusedBlank { form: String },
    /// The form has digits of its own.
    #[error("--to-alphabet can't be had with --to {form}, which has digits of its own: leave it out")]
    FixedDigits { form: String },
    /// A blank would be read as a digit.
    #[error("--blank {blank} is a digit in the alphabet {alphabet}: choose another character")]
    BlankIsDigit { blank: char, alphabet: Alphabet },
    /// Several sizes were allowed for pencilmarks, which have one.
    #[error("--mixed is for puzzles of clues, and these are pencilmarks, which are all 9x9: leave it out")]
    MixedPencilmarks,
    /// The engine can't start from candidates.
    #[error(
        "the engine {engine} does not take pencilmarks: leave --engine and --backend out, or choose bitmask"
    )]
    NotForPencilmarks { engine: &'static str },
    /// The puzzles are too large for the lockstep engine, or not of one size.
    #[error(
        "the lockstep engine is for puzzles of one size up to 16x16, and these are {}: leave --engine and --backend out, or choose bitmask, dancing-links, singles or backtracking",
        size(*shape)
    )]
    NotForLanes { shape: Option<Shape> },
    /// A record of a file to be measured is no puzzle.
    #[error("{position}: record {}: {fault}{}; measuring needs a puzzle in every record", position.record, of_fault(*fault))]
    NotAPuzzle { position: Position, fault: FaultKind },
    /// A file to be measured is empty.
    #[error("{}: there are no puzzles in it", path.display())]
    NoPuzzles { path: PathBuf },
    /// A file does not hold saved measurements.
    #[error("{}: holds no measurements as bench --save writes them: {reason}", path.display())]
    NoBaseline { path: PathBuf, reason: String },
    /// Saved measurements have none of the files and engines that are to be measured.
    #[error("{}: there is nothing to compare: it has none of these engines on files of these names", path.display())]
    NothingToCompare { path: PathBuf },
    /// Saved measurements are of other puzzles.
    #[error("{}: was measured on other puzzles than {} holds now: measure both again", path.display(), file.display())]
    OtherPuzzles { path: PathBuf, file: PathBuf },
    /// An engine was named more than once.
    #[error("--engine names {engine} more than once: each engine is measured once")]
    SameEngine { engine: Contender },
    /// Two programs would have one name, or one that of an engine.
    #[error("--program {name}: there is {} of that name: choose another one", if *is_engine { "an engine" } else { "another program" })]
    SameProgram { name: String, is_engine: bool },
    /// A file would have a name of another format.
    #[error("{}: {what}: give a name that ends in .{ending}, or in .{ending}.gz for a compressed one", path.display())]
    OtherEnding { path: PathBuf, what: &'static str, ending: &'static str },
    /// A file has more than the one record that is wanted.
    #[error("{}: there are several records in it: choose one by --record N", path.display())]
    SeveralPuzzles { path: PathBuf },
    /// A file has fewer records.
    #[error("{}: there is no record {record} in it", path.display())]
    NoRecord { path: PathBuf, record: u64 },
    /// Cells that solutions share are found for puzzles of clues only.
    #[error(
        "--shared is for puzzles of clues, and these are pencilmarks: gridmill candidates shows where their solutions differ"
    )]
    NoSharedCells,
    /// Clues contradict each other, so that what they settle can't be left out.
    #[error("{conflict}, so the matrix can't be reduced: leave --reduced out, and it has no solution")]
    NotReducible { conflict: String },
    /// Standard input is named more than once.
    #[error("standard input can be read only once: give - once")]
    StdinTwice,
    /// The rows of a puzzle are an argument each.
    #[error("the arguments look like the rows of one puzzle: put the rows of a puzzle in quotes")]
    RowsApart,
    /// A file had other records when it was read again.
    #[error("{}: the file changed between its two readings; let its writer finish", path.display())]
    Changed { path: PathBuf },
    /// Files that are read as one differ in how they are written.
    #[error("{}: is not written as {} is ({what}); {}name them in separate runs", path.display(), first.display(), conversion(what))]
    Unlike { path: PathBuf, first: PathBuf, what: &'static str },
    /// A condition names a column that the file does not have.
    #[error("there is no {unit} '{name}' for --where; the {unit}s are: {}", known.join(", "))]
    NoField { unit: &'static str, name: String, known: Vec<String> },
    /// A condition names a column of which there are several.
    #[error("there are several columns that --where may mean: {}; name one by its number", columns.join(", "))]
    SeveralFields { columns: Vec<String> },
    /// Columns are chosen, and one of them is not there.
    #[error("there is no column '{name}' for --columns; there are: {}", known.join(", "))]
    NoColumn { name: String, known: Vec<String> },
    /// Columns are chosen, and there are several of a name.
    #[error("there are several columns that --columns may mean: {}; choose one by its number", columns.join(", "))]
    SeveralColumns { columns: Vec<String> },
    /// A column is chosen more than once.
    #[error("--columns names {name} more than once: each column is written once")]
    ColumnTwice { name: String },
    /// Columns are chosen for grids.
    #[error(
        "--columns chooses columns of CSV or keys of JSON Lines, and grids have none: leave --rows grid or --columns out"
    )]
    ColumnsOfGrids,
    /// A condition is on a column, and the file has none.
    #[error("--where is for CSV, JSON Lines and puzzle banks, and this file has another format")]
    NoFields,
    /// No column is known to hold solutions.
    #[error("{}; name the one with the solutions by --solution-column NAME", no_column(wanted.as_deref(), "solutions", columns))]
    NoSolutionColumn { wanted: Option<String>, columns: Vec<String> },
    /// A column of solutions was named, and the file has no columns.
    #[error("the input has no columns: leave --solution-column out")]
    NoColumns,
    /// Several columns may hold the solutions.
    #[error(
        "{}; choose one by --solution-column, with its name or its number",
        several_columns("solutions", columns)
    )]
    SeveralSolutionColumns { columns: Vec<String> },
    /// No key of JSON objects is known to hold solutions.
    #[error("the JSON objects have no single key of that name, or of a known one, for solutions; their keys are: {}; name the one with the solutions by --solution-column NAME", keys.join(", "))]
    NoSolutionKey { keys: Vec<String> },
    /// Puzzles and solutions would be read from one column.
    #[error(
        "the puzzles and the solutions are to be read from one column: choose others by --puzzle-column and --solution-column"
    )]
    SameColumn,
    /// Records of one format would go to a file whose name tells another.
    #[error("{}: records are written as they stand, in {format}: choose another name, or convert them first (gridmill convert)", path.display())]
    OtherName { path: PathBuf, format: &'static str },
    /// A file to check has no place for solutions.
    #[error(
        "solutions are read from CSV, JSON Lines, or lines of puzzle,solution, and this file has another format"
    )]
    NoSolutions,
    /// Not all puzzles were found, and those that were are kept.
    #[error("{message}; what was found is in {}", kept.display())]
    GaveUp { message: String, kept: PathBuf },
    /// A file of JSON Lines is wanted, and the command writes none.
    #[error(
        "{}: generate writes lines or CSV; make JSON Lines of them: gridmill generate --csv | gridmill convert --to jsonl - -o FILE", path.display()
    )]
    NoJson { path: PathBuf },
    /// No puzzle was found, and an incomplete output of an earlier run is there.
    #[error("{message}; {}", of_earlier_run(earlier))]
    FoundNothing { message: String, earlier: PathBuf },
    /// There are more or fewer outputs than parts.
    #[error("--ratio makes {parts} parts, and there {}: give one -o for each part", are_outputs(*outputs))]
    OtherOutputs { parts: usize, outputs: usize },
    /// Two outputs would go to the same place.
    #[error("two outputs can't both go to {}", path.display())]
    SameOutput { path: PathBuf },
}

impl From<CommandError> for Error {
    fn from(error: CommandError) -> Error {
        Error::other(error)
    }
}

/// Returns the advice to convert files of different formats or headers: sizes stay as they are.
fn conversion(what: &str) -> &'static str {
    if what == "the size" { "" } else { "bring them to one form first by gridmill convert, or " }
}

/// Says that the processor lacks features for a backend.
pub(crate) fn no_backend(backend: Backend, lacking: &[&str], best: Backend) -> String {
    let lacking = lacking.join(", ");
    format!("--backend {backend}: this processor lacks {lacking}; {best} is the best that it can run")
}

/// Says that an incomplete output is none of this run.
pub(crate) fn of_earlier_run(path: &Path) -> String {
    format!("{} is of an earlier run", path.display())
}

fn are_outputs(count: usize) -> String {
    if count == 1 { "is 1 output".to_owned() } else { format!("are {count} outputs") }
}

fn size(shape: Option<Shape>) -> String {
    shape.map_or_else(|| "of mixed sizes".to_owned(), |shape| format!("{0}x{0}", shape.side()))
}
