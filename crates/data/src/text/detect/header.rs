//! The header of a CSV file and its columns, and the errors if there is none. Also the errors for files
//! that are not text with puzzles.

use gridmill_core::grid::{BLANKS, Shape};

use crate::packing::Container;
use crate::text::format::csv::{CsvRow, csv_fields};
use crate::text::{FormatError, FormatOptions, MAX_RECORD, Remedy, TextLine, is_skipped, lines};

/// Possible separators between fields, the usual one first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Usual names of puzzle columns, in lower case.
const PUZZLE_COLUMNS: [&str; 8] =
    ["puzzle", "puzzles", "quizzes", "quiz", "question", "sudoku", "grid", "board"];

/// The header of a CSV file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvHeader {
    /// The header row without its line end; the numbers of the columns if the file has no header.
    pub text: Vec<u8>,
    /// The number of columns.
    pub width: usize,
    /// The index of the puzzle column, from 0.
    pub column: usize,
    /// The separator between two fields.
    pub separator: u8,
    /// Whether the file contains the header.
    pub is_in_file: bool,
}

impl CsvHeader {
    /// The header for a file whose only column is `puzzle`.
    #[must_use]
    pub fn puzzle_alone() -> CsvHeader {
        CsvHeader { text: b"puzzle".to_vec(), width: 1, column: 0, separator: b',', is_in_file: false }
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        fields(&self.text, self.separator)
    }
}

/// Returns whether a text is CSV (even if its header is missing) and not lines or grids.
pub(super) fn looks_like_csv(text: &[u8], options: &FormatOptions) -> bool {
    let Some(top) = top(text, options) else { return false };
    let below = || content_lines(&text[top.next..]);
    // A quoted field may span several lines, so pass the rest of the text and not only a line.
    let below_from = |line: TextLine<'_>| &text[top.next + line.start..];
    let is_header = |separator| is_header(top.text, separator, below().map(below_from), options);
    is_header(b',')
        || separator_of(top.text, None).is_some_and(is_header)
        // If the first line can't be read and the next one can, the first line is not a CSV row.
        || is_headless(top.text, options) && below().next().is_none_or(|next| !options.is_puzzle_field(next.text))
}

/// Returns whether a text begins with a header and a complete row with the same number of fields. Then it
/// is certainly CSV.
pub(super) fn has_sure_header(text: &[u8]) -> bool {
    let mut whole = content_lines(text).filter(|line| line.ended);
    let (Some(first), Some(next)) = (whole.next(), whole.next()) else { return false };
    let is_even = |separator| fields(first.text, separator).len() == fields(next.text, separator).len();
    separator_of(first.text, None).is_some_and(is_even)
}

/// Finds the header of a CSV file, and where the rows after it begin.
pub(super) fn find_header(text: &[u8], options: &FormatOptions) -> Result<(CsvHeader, usize), FormatError> {
    if options.no_header {
        return number_columns(text, options);
    }
    let line = top(text, options).ok_or(FormatError::NoRows)?;
    let separator = separator_above(line.text, options);
    let row = CsvRow::read(&text[line.start..], 0, separator);
    if row.len >= MAX_RECORD {
        return Err(FormatError::LongHeader);
    }
    let header = text[line.start..line.start + row.len].to_vec();
    let names = fields(&header, separator);
    let wanted = options.puzzle_column.as_deref();
    let column = match only_column(&names, &puzzle_columns(&names, wanted), wanted) {
        Ok(column) if options.is_puzzle_field(names[column].as_bytes()) => {
            Err(FormatError::RowsWithoutHeader)
        }
        Err(FormatError::NoPuzzleColumn { .. }) if has_puzzle(&names, options) => {
            Err(FormatError::RowsWithoutHeader)
        }
        found => found,
    }?;
    let width = names.len();
    Ok((CsvHeader { text: header, width, column, separator, is_in_file: true }, line.start + row.end))
}

/// Numbers the columns of a file without a header, and finds where its first row begins. The puzzles are in
/// the requested column, or in the column with a puzzle in the first row that has one. If several columns
/// have a puzzle, the only one with a blank is chosen, because the others may be solutions.
fn number_columns(text: &[u8], options: &FormatOptions) -> Result<(CsvHeader, usize), FormatError> {
    let first = content_lines(text).next().ok_or(FormatError::NoRows)?;
    let puzzles = |line: TextLine<'_>, separator| -> Vec<(usize, String)> {
        let row = fields(&text[line.start..], separator).into_iter().enumerate();
        row.filter(|(_, field)| options.is_puzzle_field(field.as_bytes())).collect()
    };
    // The first line with a puzzle decides, so that later lines don't change the result.
    let separator_of = |line| SEPARATORS.into_iter().find(|&separator| !puzzles(line, separator).is_empty());
    let separator = options.separator.or_else(|| content_lines(text).find_map(separator_of)).unwrap_or(b',');
    let width = fields(&text[first.start..], separator).len();
    let names: Vec<String> = (1..=width).map(|number| number.to_string()).collect();
    let wanted = options.puzzle_column.as_deref();
    let mut columns = puzzle_columns(&names, wanted);
    if wanted.is_none() {
        let found = content_lines(text).map(|line| puzzles(line, separator)).find(|found| !found.is_empty());
        let mut found = found.unwrap_or_default();
        let has_blank = |(_, field): &(usize, String)| field.bytes().any(|byte| BLANKS.contains(&byte));
        if found.iter().filter(|field| has_blank(field)).count() == 1 {
            found.retain(has_blank);
        }
        // That row may have more fields than the first one.
        columns = found.into_iter().map(|(column, _)| column).filter(|&column| column < width).collect();
    }
    let column = only_column(&names, &columns, wanted)?;
    let text = names.join(str::from_utf8(&[separator]).unwrap_or(",")).into_bytes();
    Ok((CsvHeader { text, width, column, separator, is_in_file: false }, first.start))
}

/// Chooses the puzzle column; an error if there is not exactly one.
fn only_column(names: &[String], columns: &[usize], wanted: Option<&str>) -> Result<usize, FormatError> {
    let none = |columns| FormatError::NoPuzzleColumn { wanted: wanted.map(str::to_owned), columns };
    one_column(names, columns, none, FormatError::SeveralPuzzleColumns)
}

/// Finds the key of the puzzles in JSON objects: the requested one, or the only one with a usual name.
pub(super) fn find_key(keys: &[String], wanted: Option<&str>) -> Result<String, FormatError> {
    let none = |keys| FormatError::NoPuzzleKey { wanted: wanted.map(str::to_owned), keys };
    let column = one_column(keys, &puzzle_columns(keys, wanted), none, FormatError::SeveralPuzzleColumns);
    column.map(|index| keys[index].clone())
}

/// Finds the line where a header would be: the first one that is neither blank nor a comment, or a
/// comment above it that has a name for each field of that line (the name of the first column may begin with `#`).
fn top<'a>(text: &'a [u8], options: &FormatOptions) -> Option<TextLine<'a>> {
    let first = content_lines(text).next()?;
    let names_columns_of_row = |line: &TextLine<'_>| {
        let separator = separator_above(line.text, options);
        let (names, row) = (fields(line.text, separator), fields(&text[first.start..], separator));
        let columns = puzzle_columns(&names, options.puzzle_column.as_deref());
        let mut puzzles = columns.into_iter().filter_map(|column| row.get(column));
        names.len() > 1
            && names.len() == row.len()
            && puzzles.any(|field| options.is_puzzle_field(field.as_bytes()))
    };
    let comments = lines(text).take_while(|line| line.start < first.start);
    comments.filter(names_columns_of_row).last().or(Some(first))
}

/// Iterates over the lines that are neither blank nor comments.
pub(in crate::text) fn content_lines(text: &[u8]) -> impl Iterator<Item = TextLine<'_>> + Clone {
    lines(text).filter(|line| !is_skipped(line.text))
}

/// Returns whether a line is a header: it names a puzzle column, or the row after it has the same number of
/// fields and a puzzle in one of them. `below` has the rest of the text from each later line on.
fn is_header<'a>(
    line: &[u8],
    separator: u8,
    mut below: impl Iterator<Item = &'a [u8]>,
    options: &FormatOptions,
) -> bool {
    let names = fields(line, separator);
    let is_known = !puzzle_columns(&names, None).is_empty();
    let Some(next) = below.next() else { return is_known };
    // A long field may continue after the text that is looked at.
    let is_open = names.len() > 1 && CsvRow::read(next, 0, separator).open_quote.is_some();
    let next = fields(next, separator);
    let is_aligned = names.len() > 1 && names.len() == next.len();
    if is_known {
        // A usual name alone may also be a title above grids.
        let mut rows = std::iter::once(next).chain(below.map(|rest| fields(rest, separator)));
        return is_open || is_aligned || rows.any(|row| has_puzzle(&row, options));
    }
    let is_name = |name: &String| !name.is_empty() && !options.is_puzzle_field(name.as_bytes());
    is_aligned && names.iter().all(is_name) && has_puzzle(&next, options)
}

/// Returns whether a line is a row with several fields, one of them a puzzle.
fn is_headless(line: &[u8], options: &FormatOptions) -> bool {
    let row = fields(line, b',');
    row.len() > 1 && has_puzzle(&row, options)
}

fn has_puzzle(row: &[String], options: &FormatOptions) -> bool {
    row.iter().any(|field| options.is_puzzle_field(field.as_bytes()))
}

/// Chooses the separator of a header: the user's choice, or the one that gives several columns, or a comma.
fn separator_above(line: &[u8], options: &FormatOptions) -> u8 {
    let found = || separator_of(line, options.puzzle_column.as_deref());
    options.separator.or_else(found).unwrap_or(b',')
}

/// Finds the separator that gives several columns, one of them a puzzle column.
fn separator_of(line: &[u8], wanted: Option<&str>) -> Option<u8> {
    SEPARATORS.into_iter().find(|&separator| {
        let names = fields(line, separator);
        names.len() > 1 && !puzzle_columns(&names, wanted).is_empty()
    })
}

/// Splits a row into fields as text.
fn fields(row: &[u8], separator: u8) -> Vec<String> {
    csv_fields(row, separator).iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect()
}

/// The indices of columns that may contain puzzles: those with the requested name, or with a usual one.
fn puzzle_columns(names: &[String], wanted: Option<&str>) -> Vec<usize> {
    if wanted.is_none() && is_from_python_read(names) {
        return vec![2];
    }
    columns_meant(names, wanted, &PUZZLE_COLUMNS)
}

/// The first columns of records from `gridmill.read` of Python.
pub const RECORD_COLUMNS: [&str; 4] = ["file", "offset", "puzzle", "malformed"];

/// Returns whether a table has records from `gridmill.read` of Python. Their puzzle is in `puzzle`, because the
/// column that it was read from is still in the table, and may have another usual name, e.g. `question`.
#[must_use]
pub fn is_from_python_read(names: &[String]) -> bool {
    names.len() >= 4 && names.iter().zip(RECORD_COLUMNS).all(|(name, known)| name == known)
}

/// The indices of the columns that a user may mean. Without a wanted name, these are all columns with a
/// `known` name. A wanted name is searched unchanged, then without white space around it, then ignoring
/// case. If no column has it, it is read as a number from 1.
///
/// ```
/// use gridmill_data::text::columns_meant;
///
/// let names = ["id", "puzzle", "answer", "Solution"].map(str::to_owned);
/// assert_eq!(columns_meant(&names, None, &["solution", "answer"]), [2, 3]);
/// assert_eq!(columns_meant(&names, Some("solution"), &[]), [3]);
/// ```
pub fn columns_meant(names: &[String], wanted: Option<&str>, known: &[&str]) -> Vec<usize> {
    let those = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..names.len()).filter(|&column| fits(&names[column])).collect()
    };
    let Some(wanted) = wanted else {
        return those(&|name| known.iter().any(|known| name.trim().eq_ignore_ascii_case(known)));
    };
    let trimmed = wanted.trim();
    let named = [
        those(&|name| name == wanted),
        those(&|name| name.trim() == trimmed),
        those(&|name| name.trim().eq_ignore_ascii_case(trimmed)),
    ];
    let number = || trimmed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let numbered = || number().into_iter().filter(|&column| column < names.len()).collect();
    named.into_iter().find(|columns| !columns.is_empty()).unwrap_or_else(numbered)
}

/// Picks the only one of the columns in `meant`. If there is none, `none` gets all names. If there are
/// several, `several` gets their names with their numbers, e.g. `puzzle (column 1)`, `quiz (column 3)`.
///
/// # Errors
///
/// If there is not exactly one.
pub fn one_column<E>(
    names: &[String],
    meant: &[usize],
    none: impl FnOnce(Vec<String>) -> E,
    several: impl FnOnce(Vec<String>) -> E,
) -> Result<usize, E> {
    let with_number = |&column: &usize| format!("{} (column {})", names[column], column + 1);
    match *meant {
        [column] => Ok(column),
        [] => Err(none(names.to_vec())),
        _ => Err(several(meant.iter().map(with_number).collect())),
    }
}

/// The first bytes of files that are not text, their names, and how to convert them to text. Compressed
/// files are decompressed before detection, so if a file still begins like one, it was compressed twice.
const SIGNATURES: [(&[u8], &str, Remedy); 20] = [
    (b"\xff\xfe\0\0", "UTF-32 text", Remedy::Convert("iconv -f UTF-32 -t UTF-8")),
    (b"\0\0\xfe\xff", "UTF-32 text", Remedy::Convert("iconv -f UTF-32 -t UTF-8")),
    (b"\xff\xfe", "UTF-16 text", Remedy::Convert("iconv -f UTF-16 -t UTF-8")),
    (b"\xfe\xff", "UTF-16 text", Remedy::Convert("iconv -f UTF-16 -t UTF-8")),
    (b"\x1f\x8b", "still gzip data after unpacking", Remedy::Unpack("gunzip")),
    (b"\x28\xb5\x2f\xfd", "still zstd data after unpacking", Remedy::Unpack("unzstd")),
    (b"\xfd7zXZ\0", "still xz data after unpacking", Remedy::Unpack("unxz")),
    (b"PK\x03\x04", "still a zip archive after unpacking", Remedy::Unpack("unzip")),
    (b"\x93NUMPY", "an array of NumPy", Remedy::Pipe(READ_NUMPY)),
    (b"BZh", "bzip2-compressed", Remedy::Pipe("bzcat FILE")),
    (b"\x1f\x9d", "compressed by compress", Remedy::Pipe("zcat FILE")),
    (b"\x04\x22\x4d\x18", "lz4-compressed", Remedy::Pipe("lz4cat FILE")),
    (b"LZIP", "lzip-compressed", Remedy::Pipe("lzip -cd FILE")),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", Remedy::Pipe("7z x -so FILE")),
    (b"Rar!\x1a\x07", "a rar archive", Remedy::Pipe("unrar p -inul FILE")),
    (b"PAR1", "a Parquet file", table_remedy("duckdb -csv -c \"FROM 'FILE'\"")),
    (b"ARROW1", "an Arrow file", table_remedy(READ_ARROW)),
    (b"\xff\xff\xff\xff", "an Arrow stream", table_remedy(READ_STREAM)),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        Remedy::Pipe("sqlite3 -csv -header FILE 'SELECT * FROM TABLE'"),
    ),
    (b"\x5d\0\0", "lzma-compressed", Remedy::Pipe("xzcat FILE")),
];

/// The remedy for a Parquet or Arrow table. If such files can be read, this one was compressed twice, because
/// otherwise it would not reach this point.
const fn table_remedy(command: &'static str) -> Remedy {
    if Container::IS_BUILT {
        Remedy::Unpack("gunzip, unzstd, unxz or unzip")
    } else {
        Remedy::Container(command)
    }
}

/// Writes an array of cells, 0 for a blank, as lines of digits.
const READ_NUMPY: &str =
    "python3 -c \"import numpy; numpy.savetxt('/dev/stdout', numpy.load('FILE').reshape(-1, 81), '%d', '')\"";

/// Writes the table in an Arrow stream as CSV.
const READ_STREAM: &str = "python3 -c \"import pyarrow.ipc as ipc; ipc.open_stream('FILE').read_pandas().to_csv('/dev/stdout', index=False)\"";

/// Writes the table in an Arrow file as CSV.
const READ_ARROW: &str =
    "python3 -c \"import pandas; pandas.read_feather('FILE').to_csv('/dev/stdout', index=False)\"";

/// Where a tar archive has its magic number.
const TAR_MAGIC: std::ops::Range<usize> = 257..262;

/// Recognises text in wide characters without a byte-order mark, by the zero bytes next to ASCII
/// characters.
fn wide_text(head: &[u8]) -> Option<(&'static str, Remedy)> {
    let pairs = head.get(..32)?.as_chunks::<2>().0;
    let is_all = |zero: usize| pairs.iter().all(|pair| pair[zero] == 0 && pair[1 - zero] != 0);
    match (is_all(1), is_all(0)) {
        (true, _) => Some(("UTF-16 text", Remedy::Convert("iconv -f UTF-16LE -t UTF-8"))),
        (_, true) => Some(("UTF-16 text", Remedy::Convert("iconv -f UTF-16BE -t UTF-8"))),
        _ => None,
    }
}

/// Reads the separator in the line `sep=;` that Excel writes above the header. Also returns the length of
/// that line.
pub(super) fn excel_separator(text: &[u8]) -> Option<(u8, usize)> {
    let separator = *text.strip_prefix(b"sep=").or_else(|| text.strip_prefix(b"SEP="))?.first()?;
    let line = memchr::memchr(b'\n', text)? + 1;
    (separator != b'\n' && text[5..line].trim_ascii().is_empty()).then_some((separator, line))
}

/// Rejects binary files, text in UTF-16, and text whose lines end with CR alone.
pub(super) fn refuse_other_than_text(head: &[u8]) -> Result<(), FormatError> {
    let known = SIGNATURES.iter().find(|(signature, ..)| head.starts_with(signature));
    let known = known.map(|&(_, what, remedy)| (what, remedy));
    let known = known.or_else(|| wide_text(head));
    let is_tar = head.get(TAR_MAGIC) == Some(b"ustar");
    let tar = is_tar.then_some(("a tar archive", Remedy::Pipe("tar -xOf FILE")));
    let has_no_lines = head.trim_ascii().contains(&b'\r') && !head.contains(&b'\n');
    let no_lines = ("text whose lines end with CR alone", Remedy::Pipe("tr '\\r' '\\n' < FILE"));
    match known.or(tar).or(has_no_lines.then_some(no_lines)) {
        Some((what, remedy)) => Err(FormatError::NotPlainText { what, remedy }),
        None => Ok(()),
    }
}

/// Rejects JSON other than JSON Lines, and says how to get the puzzles out of it.
pub(super) fn refuse_json(text: &[u8]) -> Result<(), FormatError> {
    let text = text.trim_ascii_start();
    let inner = text.get(1..).unwrap_or_default().trim_ascii_start().first();
    let (what, remedy) = match (text.first(), inner) {
        (Some(b'['), Some(b'{')) => ("a JSON array of objects", "jq -c '.[]' FILE"),
        (Some(b'['), Some(b'[')) if is_one_grid(text) => ("a JSON array of rows", "jq -c '{puzzle: .}' FILE"),
        (Some(b'['), Some(b'"' | b'[')) => ("a JSON array", "jq -c '{puzzle: .[]}' FILE"),
        (Some(b'['), Some(b'0'..=b'9')) => ("JSON arrays of numbers", "jq -c '{puzzle: .}' FILE"),
        (Some(b'{'), Some(b'"')) if text.starts_with(b"{\n") || text.starts_with(b"{\r") => {
            ("a JSON object over several lines", "jq -c . FILE")
        }
        (Some(b'"'), _) if is_text(text) => ("JSON strings", "jq -r . FILE"),
        _ => return Ok(()),
    };
    Err(FormatError::NotPlainText { what, remedy: Remedy::Pipe(remedy) })
}

/// Returns whether the first inner array is a row of a grid: it has only numbers, and at most as many as
/// the largest side.
fn is_one_grid(text: &[u8]) -> bool {
    let inner = text.iter().skip_while(|byte| b"[ \r\n\t".contains(byte));
    let row: Vec<u8> = inner.take_while(|byte| **byte != b']').copied().collect();
    let is_numbers = row.iter().all(|byte| b"0123456789, \r\n\tnul".contains(byte));
    let opens = text.iter().filter(|byte| !byte.is_ascii_whitespace()).take(3);
    is_numbers
        && opens.filter(|byte| **byte == b'[').count() == 2
        && row.split(|byte| *byte == b',').count() <= Shape::MAX_SIDE
}

/// Returns whether the first line is a quoted text that may be a puzzle.
fn is_text(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let inner = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    inner.is_some_and(|inner| inner.len() >= 16 && !inner.contains(&b'"') && !inner.contains(&b','))
}

/// How many puzzles separated by commas are a list. Two are not, because the second one may be the
/// solution.
const LIST_WITH_COMMAS: usize = 3;

/// Rejects lines with several puzzles, or with a puzzle among other fields. The first line decides.
pub(super) fn refuse_fields(text: &[u8], options: &FormatOptions) -> Result<(), FormatError> {
    let Some(first) = content_lines(text).next() else { return Ok(()) };
    let (fields, puzzles) = count_fields(first.text, b',', options);
    if puzzles == fields && puzzles >= LIST_WITH_COMMAS {
        return Err(FormatError::Fields { separator: ',', is_list: true });
    }
    let (fields, puzzles) = count_fields(first.text, b'|', options);
    if puzzles == 0 || fields < 2 || content_lines(text).any(|line| options.is_puzzle_field(line.text)) {
        return Ok(());
    }
    Err(FormatError::Fields { separator: '|', is_list: puzzles == fields })
}

/// Counts the fields of a line that are not blank, and the puzzles among them.
fn count_fields(line: &[u8], separator: u8, options: &FormatOptions) -> (usize, usize) {
    let fields = line.split(|&byte| byte == separator).map(<[u8]>::trim_ascii);
    let fields = fields.filter(|field| !field.is_empty());
    fields.fold((0, 0), |(all, puzzles), field| {
        (all + 1, puzzles + usize::from(options.is_puzzle_field(field)))
    })
}

#[cfg(test)]
mod tests {

    use super::*;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn by_name(wanted: Option<&str>) -> FormatOptions {
        let puzzle_column = wanted.map(str::to_owned);
        FormatOptions { puzzle_column, shape: Some(Shape::CLASSIC), ..FormatOptions::default() }
    }

    fn rows() -> String {
        LINE.as_bytes().chunks(9).map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect()
    }

    fn header(text: &str, wanted: Option<&str>) -> (String, usize) {
        let (header, _) = find_header(text.as_bytes(), &by_name(wanted)).unwrap();
        (String::from_utf8(header.text).unwrap(), header.column)
    }

    fn refusal(text: &str) -> FormatError {
        find_header(text.as_bytes(), &by_name(None)).unwrap_err()
    }

    #[test]
    fn a_title_is_not_a_header() {
        for title in ["Puzzle", "sudoku", "Grid", "Grid, easy", "Sudoku; easy", "Puzzle\t1"] {
            assert!(
                !looks_like_csv(
                    format!("{title}\n{}\n{title}\n{}", rows(), rows()).as_bytes(),
                    &by_name(None)
                ),
                "{title}"
            );
        }
        for table in ["Puzzle\n", "puzzle\r\n\r\n", "id,puzzle\n1,bad\n"] {
            assert!(looks_like_csv(table.as_bytes(), &by_name(None)), "{table}");
        }
        for row in [LINE.to_owned(), format!("\"{LINE}\""), format!("bad\n# more\n{LINE}")] {
            assert!(looks_like_csv(format!("Grid\n{row}\n").as_bytes(), &by_name(None)), "{row}");
        }
    }

    #[test]
    fn names_of_columns_may_differ_in_case() {
        let text = "Cells, cells ,CELLS\n";
        for (wanted, column) in [("Cells", 0), (" cells ", 1), ("CELLS", 2), ("cells", 1), ("3", 2)] {
            assert_eq!(header(text, Some(wanted)).1, column, "{wanted}");
        }
        assert_eq!(header(" Quizzes ,solutions\n", None).1, 0);
    }

    #[test]
    fn several_puzzle_columns_are_refused() {
        for (text, wanted, columns) in [
            ("quizzes,puzzle\n", None, ["quizzes (column 1)", "puzzle (column 2)"]),
            ("puzzle,x,puzzle\n", None, ["puzzle (column 1)", "puzzle (column 3)"]),
            ("x,x\n", Some("x"), ["x (column 1)", "x (column 2)"]),
        ] {
            let columns = columns.map(str::to_owned).to_vec();
            let refused = find_header(text.as_bytes(), &by_name(wanted)).unwrap_err();
            assert_eq!(refused, FormatError::SeveralPuzzleColumns(columns));
        }
        assert!(looks_like_csv(b"quizzes,puzzle\n", &by_name(None)));
        assert_eq!(header("puzzle,x,puzzle\n", Some("3")).1, 2);
    }

    #[test]
    fn a_header_may_begin_with_a_number_sign() {
        for top in ["", "\n", "# by hand\n\n", "# columns: number, puzzle\n#,x,puzzle\n"] {
            let text = format!("{top}#,puzzle\n1,{LINE}\n");
            assert!(looks_like_csv(text.as_bytes(), &by_name(None)));
            assert_eq!(header(&text, None), ("#,puzzle".to_owned(), 1));
        }
        assert_eq!(header(&format!("#,cells\n1,{LINE}\n"), Some("Cells")), ("#,cells".to_owned(), 1));
        // These are comments and not headers: nothing below, another number of columns, or no puzzle in the
        // column.
        for text in [
            "#,puzzle\n",
            &format!("#,puzzle\nid,puzzle,x\n1,{LINE},\n"),
            &format!("# by me, sudoku\n{LINE},easy\n"),
        ] {
            let first = content_lines(text.as_bytes()).next().map(|line| line.start);
            assert_eq!(top(text.as_bytes(), &by_name(None)).map(|line| line.start), first, "{text}");
        }
    }

    #[test]
    fn columns_may_have_other_separators() {
        for separator in [";", "\t", "|"] {
            let text = ["id", "Puzzle\n1", LINE].join(separator);
            assert!(looks_like_csv(text.as_bytes(), &by_name(None)));
            assert!(has_sure_header(format!("{text}\n").as_bytes()));
            let (header, body) = find_header(text.as_bytes(), &by_name(None)).unwrap();
            let expected = (separator.as_bytes()[0], 1, 2, 10);
            assert_eq!((header.separator, header.column, header.width, body), expected);
        }
        let chosen = FormatOptions { separator: Some(b':'), ..by_name(None) };
        let (header, _) = find_header(b"id,no:puzzle\n", &chosen).unwrap();
        assert_eq!(header.names(), ["id,no", "puzzle"]);
    }

    #[test]
    fn columns_without_a_header_are_numbered() {
        let wanted = FormatOptions { no_header: true, ..by_name(None) };
        let solved = LINE.replace('.', "1");
        for (text, column, names) in [
            (format!("# by hand\n1,{solved},{LINE}\n"), 2, "1,2,3"),
            (format!("a;{solved}\n"), 1, "1;2"),
            (format!("x\tbad\nx\t{LINE}\n"), 1, "1\t2"),
            (format!("{LINE}\n"), 0, "1"),
        ] {
            let (header, body) = find_header(text.as_bytes(), &wanted).unwrap();
            assert_eq!((header.column, header.text), (column, names.as_bytes().to_vec()), "{text}");
            assert!(!text[body..].contains('#'));
        }
        let two = format!("{LINE},{LINE}\n");
        let refused = find_header(two.as_bytes(), &wanted).unwrap_err();
        assert!(matches!(refused, FormatError::SeveralPuzzleColumns { .. }));
        let second = FormatOptions { no_header: true, ..by_name(Some("2")) };
        assert_eq!(find_header(two.as_bytes(), &second).unwrap().0.column, 1);
        // A later row has more fields than the first one.
        let longer = find_header(format!("a\nx,{LINE},{LINE}\n").as_bytes(), &wanted).unwrap_err();
        assert!(matches!(longer, FormatError::NoPuzzleColumn { .. }));
        // A wanted number does not turn a row into a header.
        assert_eq!(
            find_header(two.as_bytes(), &by_name(Some("2"))).unwrap_err(),
            FormatError::RowsWithoutHeader
        );
    }

    #[test]
    fn rows_without_a_header_are_recognised() {
        let text = format!("1,{LINE},x\n2,{LINE},y\n");
        assert!(looks_like_csv(text.as_bytes(), &by_name(None)));
        assert_eq!(refusal(&text), FormatError::RowsWithoutHeader);
        // Lines with remarks; the first one can't be read.
        assert!(!looks_like_csv(
            format!("{},{LINE}\n{LINE},{LINE}\n", &LINE[1..]).as_bytes(),
            &by_name(None)
        ));
        assert!(!looks_like_csv(format!("bad\n{LINE}\n").as_bytes(), &by_name(None)));
    }

    fn meant(header: &str, wanted: Option<&str>) -> Vec<usize> {
        let names: Vec<String> = header.split(',').map(str::to_owned).collect();
        puzzle_columns(&names, wanted)
    }

    #[test]
    fn a_wanted_name_finds_the_closest_match() {
        let header = "Cells, cells ,CELLS,x,x,2";
        for (wanted, columns) in [
            ("Cells", &[0][..]),
            ("cells", &[1]),
            ("CELLS ", &[2]),
            ("cellS", &[0, 1, 2]),
            ("x", &[3, 4]),
            ("2", &[5]),
            ("5", &[4]),
            ("0", &[]),
            ("7", &[]),
            ("puzzle", &[]),
        ] {
            assert_eq!(meant(header, Some(wanted)), columns, "{wanted}");
        }
    }

    #[test]
    fn all_columns_with_known_names_match() {
        assert_eq!(meant("id, Quizzes ,solutions", None), [1]);
        assert_eq!(meant("board,id,PUZZLE,puzzle", None), [0, 2, 3]);
        assert!(meant("id,cells", None).is_empty());
    }
}
