//! Errors of commands, and advice for errors of the libraries. The libraries know no options, so the advice
//! is added here (e.g. "choose one with --shape").

use std::fmt::Display;
use std::path::{Path, PathBuf};

use gridmill_core::generate::GenerateError;
use gridmill_core::grid::Shape;
use gridmill_core::simd::Backend;
use gridmill_core::solver::EngineKind;
use gridmill_data::bench::BenchError;
use gridmill_data::collection::SpaceError;
use gridmill_data::error::{Error, ErrorKind, PLEASE_REPORT, display_name};
use gridmill_data::packing::ArchiveError;
use gridmill_data::record::Problem;
use gridmill_data::text::{Alphabet, FaultKind, FormatError, Layout, Remedy, no_column, several_columns};
use gridmill_report::eprint_message;

use super::options::file_name;

/// The input differs from the one that an earlier run read, so the same command can't continue that run.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: the beginning differs from what an earlier run read; remove {}.journal and {}.partial to start again",
    path.display(), output.display(), output.display()
)]
pub(crate) struct OtherBeginning {
    pub(crate) path: PathBuf,
    pub(crate) output: PathBuf,
}

/// Prints a message of the program on standard error.
pub(crate) fn report(what: impl Display) {
    eprint_message(format_args!("gridmill: {what}\n"));
}

/// Rejects the arguments of a command. The message may name options.
pub(crate) fn refuse<T>(message: impl Into<String>) -> Result<T, Error> {
    Err(Error::other(message.into()))
}

/// The error for pencilmarks in a command that takes only puzzles with clues.
pub(crate) fn only_clues() -> Error {
    Error::other(
        "this command is for puzzles with clues, but these are pencilmarks; the commands for them are solve, count, candidates, rate, explain, hint, verify, dedupe, overlap, split, sort and convert",
    )
}

/// The error for a file that had other records in its second reading.
pub(crate) fn changed(path: &Path) -> Error {
    let path = path.display();
    Error::other(format!(
        "{path}: the file changed between the two times it was read; wait until its writer has finished"
    ))
}

/// The error for a file without puzzles, if the command needs one.
pub(crate) fn no_puzzles(path: &Path) -> Error {
    Error::other(format!("{}: it has no puzzles", path.display()))
}

/// The error for two outputs that would write to the same place.
pub(crate) fn same_output(path: &Path) -> Error {
    let path = display_name(file_name(Some(path)), "<stdout>").display();
    Error::other(format!("two outputs would both be written to {path}: give each its own name"))
}

/// The error for an alphabet whose size none of the puzzles has. The shape is `None` if there are several.
pub(crate) fn unused_alphabet(option: &str, alphabet: &Alphabet, shape: Option<Shape>) -> Error {
    let (side, size) = (alphabet.side(), size(shape));
    Error::other(format!(
        "{option} {alphabet} is for {side}x{side} puzzles, but these are {size}: leave it out"
    ))
}

/// The error if no column is known to hold solutions.
pub(crate) fn no_solution_column(wanted: Option<&str>, columns: &[String]) -> Error {
    let none = no_column(wanted, "solutions", columns);
    Error::other(format!("{none}; name the one with the solutions: --solution-column NAME"))
}

/// The error if several columns may hold the solutions.
pub(crate) fn several_solution_columns(columns: &[String]) -> Error {
    let several = several_columns("solutions", columns);
    Error::other(format!("{several}; choose one with --solution-column, by its name or its number"))
}

/// Checks that the processor can run a backend.
pub(crate) fn available(backend: Backend) -> Result<Backend, Error> {
    if backend.is_available() { Ok(backend) } else { Err(no_backend(backend)) }
}

/// The error for a backend that the processor can't run.
fn no_backend(backend: Backend) -> Error {
    Error::other(lacking(backend, &backend.lacking(), Backend::best()))
}

/// The message about features that a processor lacks for a backend, e.g. `avx512`.
fn lacking(backend: Backend, lacking: &[&str], best: Backend) -> String {
    let lacking = lacking.join(", ");
    format!("--backend {backend}: this processor lacks {lacking}; choose {best}, the best that it can run")
}

/// The size of puzzles as text, e.g. "9x9"; "of mixed sizes" for `None`.
pub(crate) fn size(shape: Option<Shape>) -> String {
    shape.map_or_else(|| "of mixed sizes".to_owned(), |shape| format!("{0}x{0}", shape.side()))
}

/// Refuses puzzles of mixed sizes, or of a size that `serves` rejects. `what` is the start of the message,
/// e.g. "ratings are for puzzles of one size, 9x9".
pub(crate) fn check_size(layout: &Layout, serves: fn(Shape) -> bool, what: &str) -> Result<(), Error> {
    match layout.shape {
        Some(shape) if serves(shape) => Ok(()),
        shape => refuse(format!("{what}, but these are {}", size(shape))),
    }
}

/// The text of an error: its message, and advice.
pub(crate) fn message(error: &Error) -> String {
    match error.kind() {
        ErrorKind::InFile { path, error } => format!("{}: {}", path.display(), message(error)),
        ErrorKind::Format(error) => format_advice(error),
        ErrorKind::Generate(error) => generate_advice(error),
        ErrorKind::Bench(error) => bench_advice(error),
        ErrorKind::Space(error @ SpaceError::Folder { .. }) => {
            format!("{error}; name a folder with more space with --tmp, or allow more memory with --memory")
        }
        ErrorKind::Space(SpaceError::Memory) => {
            "could not allocate the memory that --memory allows: give less".to_owned()
        }
        ErrorKind::Archive { path, error: problem } => format!("{error}{}", archive_advice(path, problem)),
        ErrorKind::Shrunk { .. } => format!("{error}, or use --no-mmap"),
        ErrorKind::Panicked { .. } => format!("{error}{PLEASE_REPORT}"),
        _ => error.to_string(),
    }
}

/// The message about a record, with advice.
pub(crate) fn with_advice(problem: Problem) -> String {
    match problem {
        Problem::Fault(fault) => format!("{problem}{}", fault_advice(fault.kind)),
        Problem::Conflict(_) => problem.to_string(),
    }
}

/// The advice that follows the message of a fault, e.g. "; choose one with --shape".
pub(crate) fn fault_advice(fault: FaultKind) -> &'static str {
    match fault {
        FaultKind::NoShape { .. } => "; give other shapes with --shape",
        FaultKind::AmbiguousShape { .. } => "; choose one with --shape",
        FaultKind::OtherSize { .. } => "; --mixed accepts both",
        FaultKind::NoAlphabet { .. } => "; give it with --alphabet",
        _ => "",
    }
}

fn format_advice(error: &FormatError) -> String {
    match error {
        FormatError::NotPlainText { remedy, .. } => format!("{error}; {}", remedy_advice(*remedy)),
        FormatError::Fields { separator, is_list: true } => {
            format!(
                "{error}; give each its own line: tr '{separator}' '\\n' < FILE | gridmill COMMAND -, or read only the first of each line with --format line"
            )
        }
        FormatError::Fields { separator, .. } => {
            format!("{error}; if they are columns, use --delimiter '{separator}'")
        }
        FormatError::ForClassic { .. } => format!("{error}: leave --shape out"),
        FormatError::RowsWithoutHeader => {
            format!("{error}; --no-header reads it, and calls the columns 1, 2, ...")
        }
        FormatError::NotATable { .. } => {
            format!("{error}; leave --puzzle-column, --delimiter and --no-header out")
        }
        FormatError::IsContainer { .. } => {
            format!("{error}: leave --format, --delimiter and --no-header out")
        }
        FormatError::NoPuzzleKey { keys, .. } if keys.is_empty() => error.to_string(),
        FormatError::NoPuzzleColumn { .. } | FormatError::NoPuzzleKey { .. } => {
            format!("{error}; name the one with the puzzles: --puzzle-column NAME")
        }
        FormatError::SeveralPuzzleColumns { .. } => {
            format!("{error}; choose one with --puzzle-column, by its name or its number")
        }
        FormatError::NoAlphabet { side, alphabets, fit } => alphabet_advice(*side, alphabets, *fit),
        FormatError::AmbiguousShape { .. } => format!("{error}; choose one with --shape"),
        FormatError::MixedRows => {
            "--mixed is for one puzzle a line, CSV and JSON Lines, but this file has puzzles in rows"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

/// The advice how to choose a file of an archive, if the user must choose one.
fn archive_advice(path: &Path, error: &ArchiveError) -> String {
    let ArchiveError::Ambiguous { names, .. } = error else { return String::new() };
    let first = names.first().map_or("FILE", String::as_str);
    match path == Path::new("<stdin>") {
        true => format!("; pipe one in: unzip -p ARCHIVE {first} | gridmill COMMAND -"),
        false => format!("; choose one: {}:{first}", path.display()),
    }
}

fn remedy_advice(remedy: Remedy) -> String {
    match remedy {
        Remedy::Convert(command) => format!("convert it with {command}"),
        Remedy::Unpack(command) => format!("unpack it first: {command}"),
        Remedy::Pipe(command) => format!("pipe it in: {command} | gridmill COMMAND -"),
        Remedy::Container(command) => format!(
            "build gridmill with --features columnar to read it, or pipe it in: {command} | gridmill COMMAND -"
        ),
    }
}

fn alphabet_advice(side: usize, alphabets: &[Alphabet], fit: bool) -> String {
    let choice = |name: &Alphabet| format!("--alphabet {name}");
    let choices = alphabets.iter().map(choice).collect::<Vec<_>>().join(" or ");
    if fit {
        format!("the {side}x{side} puzzles can be read with more than one alphabet; choose {choices}")
    } else {
        format!("the {side}x{side} puzzles fit none of {choices}; give their digits in order with --alphabet")
    }
}

fn generate_advice(error: &GenerateError) -> String {
    match error {
        GenerateError::Recipe(recipe) => format!("{recipe} (gridmill generate --help)"),
        GenerateError::NoForm { .. } => format!("--no-isomorphs: {error}; --distinct refuses equal ones"),
        GenerateError::OnlyOne { .. } => format!("{error} with --count, or leave --pattern out"),
        GenerateError::NotFound { .. } => format!("{error}; ask for something else, or for more --attempts"),
        _ => error.to_string(),
    }
}

fn bench_advice(error: &BenchError) -> String {
    match error {
        BenchError::NoEngine { .. } => {
            format!("{error} to measure; the engines are {}", engines().join(", "))
        }
        BenchError::NoBackend(backend) => no_backend(*backend).to_string(),
        _ => error.to_string(),
    }
}

/// The names of the engines that can be measured.
fn engines() -> [&'static str; EngineKind::ALL.len()] {
    EngineKind::ALL.map(EngineKind::name)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn says(error: impl Into<Error>, expected: &str) {
        assert_eq!(message(&error.into()), expected);
    }

    #[test]
    fn unreadable_text_gets_advice() {
        let not_text = |what, remedy| FormatError::NotPlainText { what, remedy };
        says(
            not_text("UTF-16 text", Remedy::Convert("iconv -f UTF-16 -t UTF-8")),
            "the input is UTF-16 text; convert it with iconv -f UTF-16 -t UTF-8",
        );
        says(
            not_text("still gzip data after unpacking", Remedy::Unpack("gunzip")),
            "the input is still gzip data after unpacking; unpack it first: gunzip",
        );
    }

    #[test]
    fn a_missing_backend_gets_advice() {
        assert_eq!(
            lacking(Backend::Avx512Base, &["avx512f", "avx512bw"], Backend::Avx2),
            "--backend avx512-base: this processor lacks avx512f, avx512bw; choose avx2, the best that it can run"
        );
        for backend in Backend::ALL {
            let expected = lacking(backend, &backend.lacking(), Backend::best());
            says(BenchError::NoBackend(backend), &expected);
            says(no_backend(backend), &expected);
        }
    }

    #[test]
    fn unreadable_records_get_advice() {
        let says =
            |fault: FaultKind, expected| assert_eq!(format!("{fault}{}", fault_advice(fault)), expected);
        says(
            FaultKind::AmbiguousShape(18),
            "18x18 grids may have boxes of 2x9, 3x6, 6x3 or 9x2; choose one with --shape",
        );
        says(
            FaultKind::NoAlphabet(16),
            "the alphabet of 16x16 puzzles is not known; give it with --alphabet",
        );
    }

    #[test]
    fn files_and_folders_get_advice() {
        let path = || PathBuf::from("a.txt");
        let error = || io::Error::other("full");
        says(
            SpaceError::Folder { folder: PathBuf::from("/tmp"), error: error() },
            "/tmp: temporary files can't be written there: full; name a folder with more space with --tmp, or allow more memory with --memory",
        );
        says(SpaceError::Memory, "could not allocate the memory that --memory allows: give less");
        says(
            ErrorKind::Shrunk(path()),
            "a.txt: the file became shorter while it was being read; wait until its writer has finished, or use --no-mmap",
        );
        says(ErrorKind::Open { path: path(), error: error() }, "a.txt: can't be opened: full");
        says(
            Error::from(FormatError::ForClassic("bank")).in_file(Path::new("a.txt")),
            "a.txt: the format bank is for 9x9 puzzles: leave --shape out",
        );
    }
}
