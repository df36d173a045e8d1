//! CSV with a header: the puzzle in one column, and any other columns.
//!
//! Fields are found here and not by a CSV library, because the rest of a row is copied unchanged, so only
//! the offsets of the fields are needed. Fields are the same as those of the `csv` crate (RFC 4180, where a
//! quote opens a field only at its start), except that only a line feed ends a line.

use std::borrow::Cow;

use crate::text::{Batch, Cut, Fault, FaultKind, Format, MAX_ROW, PuzzleReader, Record, SourceEcho};

/// Rows of fields with commas or another separator between them, and a puzzle in one of them. The puzzle
/// may also be a list of numbers in brackets, like many programs write arrays.
///
/// A row with fewer or more fields than the header is malformed ([`SourceEcho::Ragged`]). In the output
/// row, missing fields are empty, and the last column takes all that are too many.
#[derive(Clone, Copy, Debug)]
pub struct CsvFormat<R> {
    /// The index of the puzzle's column, from 0.
    pub column: usize,
    /// The number of columns in the header.
    pub width: usize,
    /// The separator between two fields.
    pub separator: u8,
    /// Reads the field of the puzzle.
    pub reader: R,
}

impl<R: PuzzleReader> Cut for CsvFormat<R> {
    fn complete_len(&self, window: &[u8]) -> usize {
        if memchr::memchr(b'"', window).is_none() {
            return memchr::memrchr(b'\n', window).map_or(0, |feed| feed + 1);
        }
        let mut whole = 0;
        while let Some(end) = certain_end(&window[whole..], self.separator) {
            whole += end;
        }
        whole
    }

    fn max_record_len(&self) -> usize {
        MAX_ROW
    }
}

impl<R: PuzzleReader> Format<R::Puzzle> for CsvFormat<R> {
    fn read(&self, chunk: &[u8], batch: &mut Batch<R::Puzzle>) {
        let mut at = 0;
        while at < chunk.len() {
            let row = CsvRow::read(&chunk[at..], self.column, self.separator);
            if row.len > 0 {
                self.add(chunk, at, &row, batch);
            }
            at += row.end;
        }
    }

    fn read_too_long(&self, chunk: &[u8], batch: &mut Batch<R::Puzzle>) {
        batch.records.push(Record { echo: SourceEcho::Ragged, ..Record::too_long(chunk, MAX_ROW) });
    }
}

impl<R: PuzzleReader> CsvFormat<R> {
    #[inline]
    fn add(&self, chunk: &[u8], start: usize, row: &CsvRow, batch: &mut Batch<R::Puzzle>) {
        let ragged = |kind, offset| Err((Fault::new(kind, start + offset), SourceEcho::Ragged));
        let read = if row.len > MAX_ROW {
            ragged(FaultKind::too_long(MAX_ROW), 0)
        } else if let Some(quote) = row.open_quote {
            ragged(FaultKind::OpenQuote, quote)
        } else if row.fields != self.width {
            ragged(FaultKind::Ragged { found: row.fields as u32, expected: self.width as u32 }, 0)
        } else {
            let (from, to) = row.wanted;
            self.read_field(&chunk[start + from..start + to])
                .map(|(puzzle, lead)| (puzzle, from + lead))
                .map_err(|fault| (fault.shifted(start + from), SourceEcho::Verbatim))
        };
        let (lead, echo, fault) = match read {
            Ok((puzzle, lead)) => {
                batch.puzzles.push(puzzle);
                (lead, SourceEcho::Verbatim, None)
            }
            Err((fault, echo)) => (0, echo, Some(fault)),
        };
        batch.records.push(Record::new(start, row.len, lead, echo, fault));
    }

    /// Reads the puzzle in a field, with or without quotes. Also returns the offset of its first cell in
    /// the field.
    #[inline]
    fn read_field(&self, field: &[u8]) -> Result<(R::Puzzle, usize), Fault> {
        let text = unquoted(field);
        let shift = usize::from(text.len() < field.len());
        match self.reader.read(text) {
            Ok(found) => Ok((found.puzzle, shift + found.first_cell)),
            Err(fault) => self.read_list(text, shift, fault),
        }
    }

    /// Reads a field that is not a line of cells: a list in brackets. If it is not a list either, returns
    /// the given fault.
    #[cold]
    #[inline(never)]
    fn read_list(&self, text: &[u8], shift: usize, fault: Fault) -> Result<(R::Puzzle, usize), Fault> {
        match without_brackets(text).map_or(Err(fault), |list| self.reader.read_list(&list)) {
            Ok(found) => Ok((found.puzzle, shift + found.first_cell)),
            Err(fault) => Err(fault.shifted(shift)),
        }
    }
}

/// Removes the quotes around a field, if it has any.
#[inline]
pub(in crate::text) fn unquoted(field: &[u8]) -> &[u8] {
    field.strip_prefix(b"\"").and_then(|inner| inner.strip_suffix(b"\"")).unwrap_or(field)
}

/// A row at the front of some bytes. Offsets count from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::text) struct CsvRow {
    /// The length of its text, without the line end.
    pub(in crate::text) len: usize,
    /// Where the next row begins.
    pub(in crate::text) end: usize,
    fields: usize,
    /// The start and end of the wanted field, including quotes.
    pub(in crate::text) wanted: (usize, usize),
    /// The offset of a quoted field without a closing quote. The row is then only its first line, so that a
    /// stray quote can't swallow the rows after it.
    pub(in crate::text) open_quote: Option<usize>,
    /// Whether later bytes may still close that quote, because it is open up to the end of the bytes.
    may_close: bool,
}

impl CsvRow {
    /// Reads the row at the front of `bytes`. The end of the bytes also ends the row.
    #[inline]
    pub(in crate::text) fn read(bytes: &[u8], column: usize, separator: u8) -> CsvRow {
        let mut row = CsvRow::default();
        let mut at = 0;
        loop {
            let end = match field_end(bytes, at, separator) {
                Ok(end) => end,
                Err(OpenQuote { may_close }) => {
                    let feed = memchr::memchr(b'\n', bytes).unwrap_or(bytes.len());
                    // The wanted field may be after the first line.
                    let wanted = if row.wanted.1 <= feed { row.wanted } else { (0, 0) };
                    return CsvRow { open_quote: Some(at), may_close, wanted, ..row }.ended(bytes, feed);
                }
            };
            if row.fields == column {
                row.wanted = (at, end);
            }
            row.fields += 1;
            if bytes.get(end) != Some(&separator) {
                return row.ended(bytes, end);
            }
            at = end + 1;
        }
    }

    /// Returns whether bytes after the window can't change the row.
    fn is_certain(&self, window: &[u8]) -> bool {
        let fed = self.end > 0 && window[self.end - 1] == b'\n';
        fed && (!self.may_close || window.len() >= MAX_ROW)
    }

    fn ended(mut self, bytes: &[u8], end: usize) -> CsvRow {
        self.len = if end > 0 && bytes[end - 1] == b'\r' { end - 1 } else { end };
        self.end = (end + 1).min(bytes.len());
        self.wanted.1 = self.wanted.1.min(self.len);
        self
    }
}

/// A quoted field that is not closed within the longest row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OpenQuote {
    /// Whether later bytes may still close it. They can't if the quote of another row follows. Without this
    /// check, a file with a stray quote in each row would need windows as long as the longest row, for each
    /// of its rows.
    may_close: bool,
}

/// Finds where the field that begins at `at` ends: at a separator, a line feed or the end of the bytes.
/// Fails if it is quoted and not closed within the longest row.
#[inline]
fn field_end(bytes: &[u8], at: usize, separator: u8) -> Result<usize, OpenQuote> {
    let mut from = at;
    if bytes.get(at) == Some(&b'"') {
        let reach = &bytes[..bytes.len().min(MAX_ROW)];
        from += 1;
        loop {
            let quote = reach.get(from..).and_then(|rest| memchr::memchr(b'"', rest));
            from += quote.ok_or(OpenQuote { may_close: true })? + 1;
            if reach.get(from) != Some(&b'"') {
                break;
            }
            from += 1;
        }
        // If text follows the closing quote and a line feed precedes it, the two quotes belong to two rows.
        let is_closed = reach.get(from).is_none_or(|&byte| byte == separator || b"\r\n \t".contains(&byte));
        if !is_closed && reach[at..from].contains(&b'\n') {
            return Err(OpenQuote { may_close: false });
        }
    }
    Ok(memchr::memchr2(separator, b'\n', &bytes[from..]).map_or(bytes.len(), |end| from + end))
}

/// Splits a row into its fields.
pub fn csv_fields(row: &[u8], separator: u8) -> csv::ByteRecord {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).delimiter(separator).from_reader(row);
    let mut record = csv::ByteRecord::new();
    // Neither error can happen: reading from memory never fails, and a single row can't have another number
    // of fields than others.
    let _ = reader.read_byte_record(&mut record);
    record
}

/// Iterates over the fields of a row unchanged, with their quotes. A quote without an end is an ordinary
/// character.
pub fn raw_fields(row: &[u8], separator: u8) -> RawFields<'_> {
    RawFields { row, separator, at: Some(0) }
}

/// The fields of a row, unchanged: see [`raw_fields`].
#[derive(Clone, Debug)]
pub struct RawFields<'a> {
    row: &'a [u8],
    separator: u8,
    /// Where the next field begins, if there is one.
    at: Option<usize>,
}

impl<'a> Iterator for RawFields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (row, separator, from) = (self.row, self.separator, self.at?);
        let plain = || memchr::memchr(separator, &row[from..]).map_or(row.len(), |len| from + len);
        let quoted = field_end(row, from, separator).ok().filter(|&end| {
            // Only quoted fields may contain line feeds.
            row.get(end).is_none_or(|&byte| byte == separator)
        });
        let end = quoted.unwrap_or_else(plain);
        self.at = (end < row.len()).then_some(end + 1);
        Some(&row[from..end])
    }
}

/// Removes the quotes of a raw field, and replaces doubled quotes in it.
pub fn field_content(field: &[u8]) -> Cow<'_, [u8]> {
    let inner = unquoted(field);
    if inner.len() == field.len() || memchr::memchr(b'"', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    Cow::Owned(String::from_utf8_lossy(inner).replace("\"\"", "\"").into_bytes())
}

/// Finds the first row that spans several lines, in a text of complete rows.
pub fn multiline_row(text: &[u8], separator: u8) -> Option<usize> {
    let mut at = 0;
    while let Some(quote) = memchr::memchr(b'"', &text[at..]) {
        let start = memchr::memrchr(b'\n', &text[at..at + quote]).map_or(at, |feed| at + feed + 1);
        let end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |feed| start + feed + 1);
        if start + CsvRow::read(&text[start..], usize::MAX, separator).end > end {
            return Some(start);
        }
        at = end;
    }
    None
}

/// Splits off the row at the front of a text, without its line end; also returns where the next one begins.
/// `None` at the end of the text, and if later bytes may belong to the row (unless `is_end`).
#[cfg(feature = "columnar")]
pub(crate) fn first_row(text: &[u8], separator: u8, is_end: bool) -> Option<(&[u8], usize)> {
    let row = CsvRow::read(text, usize::MAX, separator);
    let is_whole = row.end > 0 && (is_end || row.is_certain(text));
    is_whole.then(|| (&text[..row.len], row.end))
}

/// Finds where the row at the front of a window ends, if bytes after the window can't change that.
fn certain_end(window: &[u8], separator: u8) -> Option<usize> {
    let row = CsvRow::read(window, usize::MAX, separator);
    row.is_certain(window).then_some(row.end)
}

/// Replaces the brackets and commas of a list by spaces, so that each cell keeps its place. It accepts
/// `[[5, 3], [0, 7]]`, `[5, 3, 0, 7]`, and `[[5 3] [0 7]]`. Quotes around cells or rows are replaced too,
/// and so is the point of whole numbers such as `5.` or `5.0`. A cell `null` or `None` becomes 0. The result
/// is `None` if the text does not begin with a bracket.
#[inline(never)]
pub fn without_brackets(text: &[u8]) -> Option<Vec<u8>> {
    let is_list = matches!(text.trim_ascii_start().first(), Some(b'[' | b'('));
    is_list.then(|| {
        let mut cells = text.to_vec();
        for at in 0..text.len() {
            if matches!(text[at], b'[' | b']' | b'(' | b')' | b',' | b'"' | b'\'' | b'\n' | b'\r' | b'\t') {
                cells[at] = b' ';
            } else if [b"null", b"None"].iter().any(|blank| text[at..].starts_with(*blank)) {
                cells[at..at + 4].copy_from_slice(b"0   ");
            } else if text[at] == b'.' {
                let end = at + fraction(text, at);
                cells[at..end].fill(b' ');
            }
        }
        cells
    })
}

/// The length of a point and the zeros after it, if they end a number at `at`; 0 otherwise.
fn fraction(text: &[u8], at: usize) -> usize {
    let zeros = text[at + 1..].iter().take_while(|&&byte| byte == b'0').count();
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b')');
    let is_behind_digit = at > 0 && text[at - 1].is_ascii_digit();
    if is_behind_digit && text.get(at + 1 + zeros).is_some_and(ends) { 1 + zeros } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::ClassicReader;
    use proptest::prelude::*;

    /// The fields of all rows of a text, as [`CsvRow`] finds them.
    fn rows(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut at = 0;
        let mut rows = Vec::new();
        while at < text.len() {
            let count = CsvRow::read(&text[at..], 0, b',').fields;
            let row = CsvRow::read(&text[at..], 0, b',');
            assert_eq!(row.open_quote, None);
            if row.len > 0 {
                let fields = (0..count).map(|column| CsvRow::read(&text[at..], column, b',').wanted);
                rows.push(fields.map(|(from, to)| content(&text[at + from..at + to])).collect());
            }
            at += row.end;
        }
        rows
    }

    fn content(field: &[u8]) -> Vec<u8> {
        let Some(quoted) = field.strip_prefix(b"\"") else { return field.to_vec() };
        let close = quoted.iter().rposition(|&byte| byte == b'"').unwrap();
        [&String::from_utf8_lossy(&quoted[..close]).replace("\"\"", "\"").into_bytes(), &quoted[close + 1..]]
            .concat()
    }

    proptest! {
        /// Checks that rows written by the csv crate are read with the same fields.
        #[test]
        fn fields_equal_those_that_the_csv_crate_wrote(
            table in prop::collection::vec(prop::collection::vec("[a-c ,\"\n.]{0,6}", 2..5), 1..6),
            crlf: bool,
        ) {
            let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
            let mut writer = csv::WriterBuilder::new().flexible(true).terminator(terminator).from_writer(Vec::new());
            for row in &table {
                writer.write_record(row).unwrap();
            }
            let text = writer.into_inner().unwrap();
            let expected: Vec<Vec<Vec<u8>>> =
                table.iter().map(|row| row.iter().map(|field| field.clone().into_bytes()).collect()).collect();
            prop_assert_eq!(rows(&text), expected);
        }
    }

    #[test]
    fn an_open_quote_affects_only_its_line() {
        let text = b"a,\"b\nc,d\n";
        let row = CsvRow::read(text, 0, b',');
        assert_eq!((row.len, row.end, row.open_quote), (4, 5, Some(2)));
        assert_eq!(CsvRow::read(&text[5..], 0, b',').fields, 2);
        let row = CsvRow::read(b"\"a\nb\",c,\"d\n", 1, b',');
        assert_eq!((row.len, row.open_quote, row.wanted), (2, Some(8), (0, 0)));
    }

    #[test]
    fn a_window_ends_before_an_uncertain_row() {
        let format = CsvFormat { column: 0, width: 2, separator: b',', reader: ClassicReader };
        assert_eq!(format.complete_len(b"a,b\nc,\"d\ne"), 4);
        assert_eq!(format.complete_len(b"a,b\nc,\"d\ne\"\n"), 12);
        assert_eq!(format.complete_len(b"a,\"b"), 0);
        let mut long = b"a,\"b\n".to_vec();
        long.resize(MAX_ROW - 1, b'c');
        assert_eq!(format.complete_len(&long), 0);
        long.push(b'c');
        assert_eq!(format.complete_len(&long), 5);
    }

    #[test]
    fn a_quote_that_another_row_closes_cannot_close_later() {
        let format = CsvFormat { column: 0, width: 2, separator: b',', reader: ClassicReader };
        assert_eq!(format.complete_len(b"a,\"b\nc,\"d\ne,\"f\n"), 10);
        let rows = "a,\"b\n".repeat(1000);
        assert_eq!(format.complete_len(rows.as_bytes()), rows.len() - 5);
    }

    #[test]
    fn rows_over_several_lines_are_found() {
        assert_eq!(multiline_row(b"a,b\n\"c\",\"d\ne\"\n", b','), Some(4));
        for text in ["", "a,b\n", "\"a\",\"b,\"\n1,2\n", "a,\"b\nc,d\n", "a,b\"\nc,\"d\"\n"] {
            assert_eq!(multiline_row(text.as_bytes(), b','), None, "{text}");
        }
    }

    #[test]
    fn raw_fields_are_unchanged() {
        let raw = |row: &'static str| -> Vec<&str> {
            raw_fields(row.as_bytes(), b';').map(|field| str::from_utf8(field).unwrap()).collect()
        };
        assert_eq!(raw("a;\"b;c\";;d,e"), ["a", "\"b;c\"", "", "d,e"]);
        assert_eq!(raw("a;\"b;c;"), ["a", "\"b", "c", ""]);
        assert_eq!(raw(""), [""]);
    }

    #[test]
    fn cells_stay_in_their_places() {
        let cells =
            |text: &str| without_brackets(text.as_bytes()).map(|cells| String::from_utf8(cells).unwrap());
        assert_eq!(cells("[[5, 3],\n[0, 16]]").unwrap(), "  5  3    0  16  ");
        assert_eq!(cells("[5. 3.00 .]").unwrap(), " 5  3    . ");
        assert_eq!(cells("[5,null, None]").unwrap(), " 5 0     0    ");
        assert_eq!(cells("('53..7.',\"\"6..1.\"\")").unwrap(), "  53..7.    6..1.   ");
        assert_eq!(cells("53..7"), None);
    }
}
