//! Which format a file is in, from its first kilobytes.

use super::cells::find_puzzle;
use super::csv::Row;
use super::{CsvFormat, Format, GridFormat, LineFormat, is_skipped, lines};
use crate::error::{Error, ErrorKind};

/// How much of a file [`detect`] wants to see.
pub const HEAD_BYTES: usize = 64 * 1024;

/// Names that a puzzle column goes by, in lower case.
const PUZZLE_COLUMNS: [&str; 8] =
    ["puzzle", "puzzles", "quizzes", "quiz", "question", "sudoku", "grid", "board"];

/// What the user says about the format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FormatChoice {
    /// Nothing: look at the file.
    #[default]
    Auto,
    /// One puzzle a line.
    Line,
    /// CSV with a header.
    Csv,
    /// Puzzles in rows.
    Grid,
}

/// What [`detect`] found.
pub struct Detected {
    /// The format of the records.
    pub format: Box<dyn Format>,
    /// Bytes before the first record: a byte-order mark, comments, a header.
    pub body: usize,
    /// The header, if the file is CSV.
    pub header: Option<CsvHeader>,
}

/// The header of a CSV file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvHeader {
    /// The row as it stands, without its line end.
    pub text: Vec<u8>,
    /// Its columns.
    pub width: usize,
    /// Which of them holds the puzzles, from 0.
    pub column: usize,
}

/// Decides how a file is to be read. `head` is its beginning, [`HEAD_BYTES`] or all of it.
///
/// # Errors
///
/// Where the file is no text (UTF-16, or compressed), or is CSV without a column that is known to hold
/// puzzles.
///
/// ```
/// use gridmill::text::{detect, FormatChoice};
///
/// let head = b"quizzes,solutions\n";
/// let found = detect(head, FormatChoice::Auto, None).unwrap();
/// assert_eq!((found.format.name(), found.body), ("csv", 18));
/// ```
pub fn detect(head: &[u8], choice: FormatChoice, puzzle_column: Option<&str>) -> Result<Detected, Error> {
    refuse_other_than_text(head)?;
    let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let text = &head[mark..];
    let plain = |format: Box<dyn Format>| Detected { format, body: mark, header: None };
    let choice = match choice {
        FormatChoice::Auto if puzzle_column.is_some() => FormatChoice::Csv,
        FormatChoice::Auto => guess(text),
        chosen => chosen,
    };
    match choice {
        FormatChoice::Csv => csv(text, mark, puzzle_column),
        FormatChoice::Grid => Ok(plain(Box::new(GridFormat::of(text)))),
        FormatChoice::Line | FormatChoice::Auto => Ok(plain(Box::new(LineFormat))),
    }
}

fn refuse_other_than_text(head: &[u8]) -> Result<(), Error> {
    let signatures: [(&[u8], &str, &str); 6] = [
        (b"\xff\xfe", "UTF-16 text", "convert it with iconv -f UTF-16 -t UTF-8"),
        (b"\xfe\xff", "UTF-16 text", "convert it with iconv -f UTF-16 -t UTF-8"),
        (b"\x1f\x8b", "gzip-compressed", "pipe it in: zcat FILE | gridmill solve -"),
        (b"\x28\xb5\x2f\xfd", "zstd-compressed", "pipe it in: zstdcat FILE | gridmill solve -"),
        (b"\xfd7zXZ\0", "xz-compressed", "pipe it in: xzcat FILE | gridmill solve -"),
        (b"PK\x03\x04", "a zip archive", "pipe it in: unzip -p FILE | gridmill solve -"),
    ];
    match signatures.iter().find(|(signature, ..)| head.starts_with(signature)) {
        Some(&(_, what, advice)) => Err(ErrorKind::NotPlainText { what, advice }.into()),
        None => Ok(()),
    }
}

/// The format by the first line that says something, or by what most lines look like.
fn guess(text: &[u8]) -> FormatChoice {
    let mut content = lines(text).map(|line| line.text).filter(|line| !is_skipped(line));
    let Some(first) = content.clone().next() else { return FormatChoice::Line };
    if find_puzzle(first).is_ok() {
        return FormatChoice::Line;
    }
    if is_header(first, content.nth(1)) {
        return FormatChoice::Csv;
    }
    let grid = GridFormat::of(text);
    let looks = |is: &dyn Fn(&[u8]) -> bool| lines(text).filter(|line| is(line.text)).count();
    let puzzles = looks(&|line| find_puzzle(line).is_ok());
    let rows = looks(&|line| grid.looks_like_grid(line));
    // A list of numbers over several lines has neither, only short lines of single cells.
    let numbers = looks(&|line| GridFormat::looks_like_list(line));
    if puzzles == 0 && (rows > 0 || numbers > 1) { FormatChoice::Grid } else { FormatChoice::Line }
}

/// Is this line a CSV header: does it name a puzzle column, or stand above a row of as many fields that
/// has a puzzle in one of them?
fn is_header(line: &[u8], next: Option<&[u8]>) -> bool {
    let names = fields(line);
    if column_of(&names, None).is_some() {
        return true;
    }
    let row = next.map(fields).unwrap_or_default();
    names.len() > 1
        && names.len() == row.len()
        && names.iter().all(|name| !name.is_empty() && find_puzzle(name.as_bytes()).is_err())
        && row.iter().any(|field| find_puzzle(field.as_bytes()).is_ok())
}

fn csv(text: &[u8], mark: usize, puzzle_column: Option<&str>) -> Result<Detected, Error> {
    let line = lines(text).find(|line| !is_skipped(line.text)).ok_or(ErrorKind::NoHeader)?;
    let row = Row::read(&text[line.start..], 0);
    let header = &text[line.start..line.start + row.len];
    let names = fields(header);
    let column = column_of(&names, puzzle_column).ok_or_else(|| ErrorKind::NoPuzzleColumn {
        wanted: puzzle_column.map(str::to_owned),
        columns: names.clone(),
    })?;
    let width = names.len();
    Ok(Detected {
        format: Box::new(CsvFormat { column, width }),
        body: mark + line.start + row.end,
        header: Some(CsvHeader { text: header.to_vec(), width, column }),
    })
}

fn column_of(names: &[String], wanted: Option<&str>) -> Option<usize> {
    match wanted {
        Some(wanted) => names.iter().position(|name| name == wanted),
        None => PUZZLE_COLUMNS
            .iter()
            .find_map(|known| names.iter().position(|name| name.trim().eq_ignore_ascii_case(known))),
    }
}

/// The fields of a CSV row, as text.
fn fields(row: &[u8]) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(row);
    let mut record = csv::ByteRecord::new();
    match reader.read_byte_record(&mut record) {
        Ok(true) => record.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn name(text: &str) -> &'static str {
        detect(text.as_bytes(), FormatChoice::Auto, None).unwrap().format.name()
    }

    #[test]
    fn formats_by_their_first_lines() {
        let rows: String =
            LINE.as_bytes().chunks(9).map(|row| format!("{}\n", str::from_utf8(row).unwrap())).collect();
        let numbers: Vec<String> = LINE.replace('.', "0").chars().map(|c| c.to_string()).collect();
        for (text, format) in [
            (LINE.to_owned(), "line"),
            (format!("\u{feff}# a comment\r\n\r\n{LINE} # 1\r\n"), "line"),
            (format!("{}\n{LINE}\n", &LINE[1..]), "line"),
            (format!("short\n{LINE}\n"), "line"),
            (String::new(), "line"),
            ("# nothing\n".to_owned(), "line"),
            ("nothing\n".to_owned(), "line"),
            (numbers.join(" "), "line"),
            (format!("puzzle\n{LINE}\n"), "csv"),
            (format!("id,Quizzes,solutions\n1,{LINE},x\n"), "csv"),
            (format!("source,question,answer,rating\nx,{LINE},,0\n"), "csv"),
            (rows.clone(), "grid"),
            (format!("Grid 01\n{rows}"), "grid"),
            (format!("+---+---+---+\n{rows}"), "grid"),
            (numbers.join("\n"), "grid"),
            (numbers.chunks(20).map(|line| line.join(" ") + "\n").collect(), "grid"),
        ] {
            assert_eq!(name(&text), format, "{text}");
        }
    }

    #[test]
    fn the_body_begins_behind_the_header() {
        let text = format!("\u{feff}# made by hand\nid,\"puzzle\"\r\n1,{LINE}\n");
        let found = detect(text.as_bytes(), FormatChoice::Auto, None).unwrap();
        assert_eq!(&text[found.body..], format!("1,{LINE}\n"));
        let header = found.header.unwrap();
        assert_eq!((&header.text[..], header.width, header.column), (&b"id,\"puzzle\""[..], 2, 1));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_advice() {
        let message = |text: &[u8], choice, column| match detect(text, choice, column) {
            Ok(_) => panic!("accepted"),
            Err(error) => error.to_string(),
        };
        let unknown = format!("id,cells\n1,{LINE}\n");
        assert!(message(unknown.as_bytes(), FormatChoice::Auto, None).contains("id, cells"));
        assert!(message(unknown.as_bytes(), FormatChoice::Auto, Some("cell")).contains("'cell'"));
        assert!(detect(unknown.as_bytes(), FormatChoice::Auto, Some("cells")).is_ok());
        assert!(message(b"", FormatChoice::Csv, None).contains("header"));
        assert!(message(b"\x1f\x8b\x08", FormatChoice::Auto, None).contains("zcat"));
        assert!(message(b"\xff\xfe1\0", FormatChoice::Line, None).contains("iconv"));
    }
}
