//! Errors of commands, and advice for users of the command line about errors of the libraries, which know no options.

use std::path::{Path, PathBuf};

use gridmill_core::generate::GenerateError;
use gridmill_core::grid::Shape;
use gridmill_core::simd::Backend;
use gridmill_core::solver::SolverKind;
use gridmill_data::bench::{BenchError, Contender};
use gridmill_data::collection::SpaceError;
use gridmill_data::error::{Error, ErrorKind, PLEASE_REPORT, Position};
use gridmill_data::packing::ArchiveError;
use gridmill_data::text::{Alphabet, FaultKind, FormatError, Remedy, no_column, several_columns};

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
    UnusedAlphabet { option: &'static str, alphabet: Box<Alphabet>, shape: Option<Shape> },
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
    BlankIsDigit { blank: char, alphabet: Box<Alphabet> },
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
fn no_backend(backend: Backend, lacking: &[&str], best: Backend) -> String {
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

/// Returns the text for an error: its message, and advice.
pub(crate) fn message(error: &Error) -> String {
    match error.kind() {
        ErrorKind::InFile { path, error } => format!("{}: {}", path.display(), message(error)),
        ErrorKind::Format(error) => of_format(error),
        ErrorKind::Generate(error) => of_generate(error),
        ErrorKind::Bench(error) => of_bench(error),
        ErrorKind::Space(error @ SpaceError::Folder { .. }) => {
            format!("{error}; name a folder with more room by --tmp, or allow more --memory")
        }
        ErrorKind::Space(SpaceError::Memory) => {
            "not so much memory can be had as --memory allows: give less".to_owned()
        }
        ErrorKind::Archive { path, error: problem } => format!("{error}{}", of_archive(path, problem)),
        ErrorKind::Shrunk { .. } => format!("{error}, or use --no-mmap"),
        ErrorKind::Panicked { .. } => format!("{error}{PLEASE_REPORT}"),
        _ => error.to_string(),
    }
}

/// Returns the advice that follows the message of a fault.
pub(crate) fn of_fault(fault: FaultKind) -> &'static str {
    match fault {
        FaultKind::NoShape { .. } => ", others by --shape",
        FaultKind::OpenShape { .. } => ": choose by --shape",
        FaultKind::OtherSize { .. } => ": --mixed accepts both",
        FaultKind::NoAlphabet { .. } => ": give it by --alphabet",
        _ => "",
    }
}

fn of_format(error: &FormatError) -> String {
    match error {
        FormatError::NotPlainText { remedy, .. } => format!("{error}; {}", of_remedy(*remedy)),
        FormatError::Fields { separator, is_list: true } => {
            format!(
                "{error}; give each a line: tr '{separator}' '\\n' < FILE | gridmill COMMAND -, or read the first of each line by --format line"
            )
        }
        FormatError::Fields { separator, .. } => {
            format!("{error}; if they are columns: --delimiter '{separator}'")
        }
        FormatError::ForClassic { .. } => format!("{error}: leave --shape out"),
        FormatError::Headless => format!("{error}; --no-header reads it, and calls the columns 1, 2, ..."),
        FormatError::NotATable { .. } => {
            format!("{error}; leave --puzzle-column, --delimiter and --no-header out")
        }
        FormatError::NoPuzzleColumn { .. } => {
            format!("{error}; name the one with the puzzles by --puzzle-column NAME")
        }
        FormatError::SeveralPuzzleColumns { .. } => {
            format!("{error}; choose one by --puzzle-column, with its name or its number")
        }
        FormatError::NoPuzzleKey { keys, .. } if !keys.is_empty() => {
            format!("{error}; name the one with the puzzles by --puzzle-column NAME")
        }
        FormatError::NoAlphabet { side, alphabets, fit } => of_alphabet(*side, alphabets, *fit),
        FormatError::OpenShape { .. } => format!("{error}; choose one by --shape"),
        FormatError::MixedRows => {
            "--mixed is for one puzzle a line and for CSV, and this file has puzzles in rows".to_owned()
        }
        _ => error.to_string(),
    }
}

/// Returns how a file of an archive is chosen, where one must be.
fn of_archive(path: &Path, error: &ArchiveError) -> String {
    let ArchiveError::Open { names, .. } = error else { return String::new() };
    let first = names.first().map_or("FILE", String::as_str);
    match path == Path::new("<stdin>") {
        true => format!("; pipe one in: unzip -p ARCHIVE {first} | gridmill COMMAND -"),
        false => format!("; choose one: {}:{first}", path.display()),
    }
}

fn of_remedy(remedy: Remedy) -> String {
    match remedy {
        Remedy::Convert(command) => format!("convert it with {command}"),
        Remedy::Unpack(command) => format!("unpack it first: {command}"),
        Remedy::Pipe(command) => format!("pipe it in: {command} | gridmill COMMAND -"),
    }
}

fn of_alphabet(side: usize, alphabets: &[Alphabet], fit: bool) -> String {
    let choice = |name: &Alphabet| format!("--alphabet {name}");
    let choices = alphabets.iter().map(choice).collect::<Vec<_>>().join(" or ");
    if fit {
        format!("the {side}x{side} puzzles can be read with more than one alphabet; choose: {choices}")
    } else {
        format!("the {side}x{side} puzzles fit none of {choices}; give their digits in order by --alphabet")
    }
}

fn of_generate(error: &GenerateError) -> String {
    match error {
        GenerateError::Recipe(recipe) => format!("{recipe} (gridmill generate --help)"),
        GenerateError::NoForm { .. } => format!("--no-isomorphs: {error}; --distinct refuses equal ones"),
        GenerateError::OnlyOne { .. } => format!("{error} by --count, or leave --pattern out"),
        GenerateError::NotFound { .. } => format!("{error}; ask for something else, or for more --attempts"),
        _ => error.to_string(),
    }
}

fn of_bench(error: &BenchError) -> String {
    match error {
        BenchError::NoEngine { .. } => format!("{error} to measure; there are {}", engines().join(", ")),
        BenchError::NoBackend { backend } => CommandError::NoBackend { backend: *backend }.to_string(),
        _ => error.to_string(),
    }
}

/// Returns the names of the engines that can be measured.
fn engines() -> Vec<String> {
    let forced = Backend::ALL.map(|backend| format!("{}-{backend}", SolverKind::Lockstep));
    let names = SolverKind::ALL.map(|kind| kind.name().to_owned());
    forced.into_iter().chain(names).collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use gridmill_core::generate::RecipeError;

    use super::*;

    fn says(error: impl Into<Error>, expected: &str) {
        assert_eq!(message(&error.into()), expected);
    }

    #[test]
    fn text_that_cannot_be_read_gets_advice() {
        let not_text = |what, remedy| FormatError::NotPlainText { what, remedy };
        says(
            not_text("UTF-16 text", Remedy::Convert("iconv -f UTF-16 -t UTF-8")),
            "the input is UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8",
        );
        says(
            not_text("gzip data inside what was unpacked", Remedy::Unpack("gunzip")),
            "the input is gzip data inside what was unpacked; unpack it first: gunzip",
        );
        says(
            not_text("bzip2-compressed", Remedy::Pipe("bzcat FILE")),
            "the input is bzip2-compressed; pipe it in: bzcat FILE | gridmill COMMAND -",
        );
        says(
            FormatError::ForClassic { format: "library" },
            "the format library is for 9x9 puzzles: leave --shape out",
        );
        let (side, shapes) = (18, vec![Shape::new(2, 9).unwrap(), Shape::new(3, 6).unwrap()]);
        says(
            FormatError::OpenShape { side, shapes },
            "18x18 puzzles may have boxes of 2x9 or 3x6; choose one by --shape",
        );
        says(
            FormatError::MixedRows,
            "--mixed is for one puzzle a line and for CSV, and this file has puzzles in rows",
        );
    }

    #[test]
    fn tables_without_a_known_column_get_advice() {
        let columns = || ["id", "cells"].map(str::to_owned).to_vec();
        says(FormatError::NoHeader, "the CSV input has no header row");
        says(FormatError::LongHeader, "the header of the CSV input has more than 64 KiB");
        says(
            FormatError::Headless,
            "the CSV input has no header row; --no-header reads it, and calls the columns 1, 2, ...",
        );
        says(
            FormatError::NotATable { format: "bank" },
            "the input has no columns: its format is bank; leave --puzzle-column, --delimiter and --no-header out",
        );
        says(
            FormatError::NoPuzzleColumn { wanted: None, columns: columns() },
            "the CSV input has no column of a known name for puzzles; its columns are: id, cells; name the one with the puzzles by --puzzle-column NAME",
        );
        says(
            CommandError::NoSolutionColumn { wanted: Some("x".to_owned()), columns: columns() },
            "the CSV input has no column 'x'; its columns are: id, cells; name the one with the solutions by --solution-column NAME",
        );
    }

    #[test]
    fn tables_with_several_known_columns_get_advice() {
        let columns = || ["puzzle (column 1)", "quiz (column 3)"].map(str::to_owned).to_vec();
        says(
            FormatError::SeveralPuzzleColumns { columns: columns() },
            "the input has several columns that may hold puzzles: puzzle (column 1), quiz (column 3); choose one by --puzzle-column, with its name or its number",
        );
        says(
            CommandError::SeveralSolutionColumns { columns: columns() },
            "the input has several columns that may hold solutions: puzzle (column 1), quiz (column 3); choose one by --solution-column, with its name or its number",
        );
    }

    #[test]
    fn alphabets_to_choose_from_are_named() {
        let alphabets = ["1-9A-G", "0-9A-F"].map(|name| name.parse::<Alphabet>().unwrap()).to_vec();
        let open = |fit| FormatError::NoAlphabet { side: 16, alphabets: alphabets.clone(), fit };
        says(
            open(true),
            "the 16x16 puzzles can be read with more than one alphabet; choose: --alphabet 1-9A-G or --alphabet 0-9A-F",
        );
        says(
            open(false),
            "the 16x16 puzzles fit none of --alphabet 1-9A-G or --alphabet 0-9A-F; give their digits in order by --alphabet",
        );
    }

    #[test]
    fn puzzles_that_cannot_be_made_or_measured_get_advice() {
        says(
            RecipeError::PatternAndMore,
            "a pattern can't be combined with a symmetry or a number of clues: it says both itself (gridmill generate --help)",
        );
        says(
            GenerateError::NoForm { shape: Shape::new(4, 4).unwrap() },
            "--no-isomorphs: puzzles are compared by isomorphism for 4x4, 6x6, 8x8 and 9x9 only, and these are 16x16 with boxes of 4x4; --distinct refuses equal ones",
        );
        says(
            GenerateError::NotFound { found: 0, wanted: 1, attempts: 9, fewest: Some(24) },
            "found 0 of 1 puzzle, and then none in 9 attempts (the fewest clues reached were 24): there may be no more of that kind, or they are rare; ask for something else, or for more --attempts",
        );
        says(
            BenchError::NoEngine { name: "abacus".to_owned() },
            "there is no engine 'abacus' to measure; there are lockstep-avx512, lockstep-avx512-base, lockstep-avx2, lockstep-portable, lockstep, bitmask, dancing-links, singles, backtracking",
        );
        assert_eq!(
            no_backend(Backend::Avx512Base, &["avx512f", "avx512bw"], Backend::Avx2),
            "--backend avx512-base: this processor lacks avx512f, avx512bw; avx2 is the best that it can run"
        );
        for backend in Backend::ALL {
            let expected = no_backend(backend, &backend.lacking(), Backend::best());
            says(BenchError::NoBackend { backend }, &expected);
            says(CommandError::NoBackend { backend }, &expected);
        }
    }

    #[test]
    fn records_that_cannot_be_read_get_advice() {
        let says = |fault: FaultKind, expected| assert_eq!(format!("{fault}{}", of_fault(fault)), expected);
        says(
            FaultKind::NoShape { found: 7 },
            "7 cells make no grid: 16, 36, 64, 81, 100, 144, 225, 256, 400 and 625 do, others by --shape",
        );
        says(
            FaultKind::OpenShape { side: 18 },
            "18x18 grids may have boxes of 2x9, 3x6, 6x3 or 9x2: choose by --shape",
        );
        says(
            FaultKind::OtherSize { found: 36, shape: Shape::CLASSIC },
            "36 cells, but the puzzles of this file are 9x9 (81 cells): --mixed accepts both",
        );
        says(
            FaultKind::NoAlphabet { side: 16 },
            "the alphabet of 16x16 puzzles is not known: give it by --alphabet",
        );
        says(FaultKind::Foreign('x'), "'x' is neither digit nor blank");
    }

    #[test]
    fn files_and_folders_get_advice() {
        let path = || PathBuf::from("a.txt");
        let error = || io::Error::other("full");
        says(
            SpaceError::Folder { folder: PathBuf::from("/tmp"), error: error() },
            "/tmp: temporary files can't be kept there: full; name a folder with more room by --tmp, or allow more --memory",
        );
        says(SpaceError::Memory, "not so much memory can be had as --memory allows: give less");
        says(
            ErrorKind::Shrunk { path: path() },
            "a.txt: the file became shorter while it was read; let its writer finish, or use --no-mmap",
        );
        says(ErrorKind::Open { path: path(), error: error() }, "a.txt: can't be opened: full");
        says(
            Error::from(FormatError::ForClassic { format: "bank" }).in_file(Path::new("a.txt")),
            "a.txt: the format bank is for 9x9 puzzles: leave --shape out",
        );
    }
}
