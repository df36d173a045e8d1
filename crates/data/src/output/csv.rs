//! The fields of CSV rows, and the rows of unavoidable sets.
//!
//! Cells, numbers and names need no quotes, so they are appended as bytes. Other text is quoted if
//! necessary. The csv crate is not used, because rows of easy puzzles took 4.9 times as long with it; a
//! test checks that both give the same bytes.

use std::io::Write;
use std::iter::repeat_n;

use gridmill_core::grid::{CELLS, Cell};
use gridmill_core::jobs::Value;

use crate::packing::ColumnType;
use crate::record::{AnsweredRecords, Sink};
use crate::text::{CsvHeader, MAX_ROW, PuzzleText, Record, SourceEcho, raw_fields};

/// How many characters of a malformed record its row repeats.
const LONGEST_ECHO: usize = 200;

/// The columns of the input, at the front of each row. They keep the separator of the input, e.g. a
/// semicolon.
impl CsvHeader {
    /// Appends the columns of the input for a record with this text; `puzzle` is its puzzle, if it could be
    /// read.
    ///
    /// If a CSV row has too few fields, the others become empty. If it has too many, the last column takes
    /// the rest.
    #[inline(always)]
    pub(super) fn put_columns(
        &self,
        record: &Record,
        text: &[u8],
        puzzle: Option<&impl PuzzleText>,
        out: &mut Vec<u8>,
    ) {
        match (record.echo, puzzle) {
            // The text of a lone classic puzzle has a fixed size, so it is copied without a function call.
            (SourceEcho::Verbatim, _) => match <&[u8; CELLS]>::try_from(text) {
                Ok(cells) => out.extend_from_slice(cells),
                Err(_) => out.extend_from_slice(text),
            },
            (SourceEcho::Puzzle, Some(puzzle)) => {
                out.extend(repeat_n(self.separator, self.column));
                puzzle.write(out);
                out.extend(repeat_n(self.separator, self.width - 1 - self.column));
            }
            (echo, _) => self.put_text(echo, text, out),
        }
    }

    /// Appends the columns of the input for a record that can't be read.
    #[inline(never)]
    fn put_text(&self, echo: SourceEcho, text: &[u8], out: &mut Vec<u8>) {
        if echo == SourceEcho::Ragged {
            return self.put_ragged(text, out);
        }
        out.extend(repeat_n(self.separator, self.column));
        put_field_between(&printable(text), self.separator, out);
        out.extend(repeat_n(self.separator, self.width - 1 - self.column));
    }

    /// Appends the fields of a malformed row unchanged. Missing fields become empty, and the last column
    /// takes all that are too many.
    fn put_ragged(&self, row: &[u8], out: &mut Vec<u8>) {
        let mut fields = raw_fields(row, self.separator);
        for column in 0..self.width {
            if column > 0 {
                out.push(self.separator);
            }
            if let Some(field) = fields.next() {
                put_ragged_field(row, field, column + 1 == self.width, self.separator, out);
            }
        }
    }
}

/// A short text at the front of an array. The whole array is appended, because a copy of constant size
/// needs no function call; then the excess is truncated.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortText<const N: usize> {
    bytes: [u8; N],
    len: u8,
}

impl<const N: usize> ShortText<N> {
    const EMPTY: ShortText<N> = ShortText { bytes: [0; N], len: 0 };

    pub(super) const fn new(text: &[u8]) -> ShortText<N> {
        let mut short = ShortText::EMPTY;
        while (short.len as usize) < text.len() {
            short.bytes[short.len as usize] = text[short.len as usize];
            short.len += 1;
        }
        short
    }

    #[inline]
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let end = out.len() + usize::from(self.len);
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }
}

/// All numbers of up to three digits.
static NUMBERS: [ShortText<3>; 1000] = {
    let mut numbers = [ShortText::EMPTY; 1000];
    let mut number = 0;
    while number < numbers.len() {
        let leading = (number < 100) as usize + (number < 10) as usize;
        numbers[number] = ShortText::new(digits(number).split_at(leading).1);
        number += 1;
    }
    numbers
};

/// The three digits of a number below 1,000, with leading zeros.
const fn digits(number: usize) -> [u8; 3] {
    [b'0' + (number / 100) as u8, b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]
}

/// Appends a separator, then a number.
#[inline]
pub(super) fn put_next_number(separator: u8, number: u64, out: &mut Vec<u8>) {
    match usize::try_from(number).ok().and_then(|number| NUMBERS.get(number)) {
        Some(&ShortText { bytes: [first, second, third], len }) => {
            let end = out.len() + 1 + usize::from(len);
            out.extend_from_slice(&[separator, first, second, third]);
            out.truncate(end);
        }
        None => {
            out.push(separator);
            put_number(number, out);
        }
    }
}

/// Appends a number. Most numbers are times in nanoseconds, of up to six digits; these need no function call.
#[inline]
pub(super) fn put_number(number: u64, out: &mut Vec<u8>) {
    match usize::try_from(number) {
        Ok(number) if number < 1_000 => NUMBERS[number].put(out),
        Ok(number) if number < 1_000_000 => {
            NUMBERS[number / 1_000].put(out);
            out.extend_from_slice(&digits(number % 1_000));
        }
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

/// Finds a name for a new column that differs from all columns of the input, e.g. `gridmill_status` if
/// there is a `status`.
pub fn free_name(name: &str, taken: &[String]) -> String {
    let marked = format!("gridmill_{name}");
    let numbered = (2..).map(|number| format!("{marked}_{number}"));
    let mut names = [name.to_owned(), marked.clone()].into_iter().chain(numbered);
    let is_taken = |name: &String| taken.iter().any(|known| known.trim().eq_ignore_ascii_case(name));
    names.find(|name| !is_taken(name)).expect("there are more numbers than columns")
}

/// Appends a row, quoting fields if necessary.
pub fn put_csv_row(row: &[Vec<u8>], separator: u8, out: &mut Vec<u8>) {
    let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(out);
    // Neither call can fail: there is only one row, and a `Vec` takes every byte.
    let _ = writer.write_record(row);
    let _ = writer.flush();
}

/// Appends a row of CSV with a field for each item. `put` appends the field.
pub fn put_row<T>(items: &[T], separator: u8, mut put: impl FnMut(&T, &mut Vec<u8>), out: &mut Vec<u8>) {
    let start = out.len();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(separator);
        }
        put(item, out);
    }
    end_row(start, out);
}

/// Ends the row of CSV that begins at `start`.
pub(super) fn end_row(start: usize, out: &mut Vec<u8>) {
    if out.len() == start {
        // A reader would skip an empty line, so an empty row becomes an empty field in quotes.
        out.extend_from_slice(b"\"\"");
    }
    out.push(b'\n');
}

/// Appends a field, quoted if necessary.
pub fn put_field(text: &str, out: &mut Vec<u8>) {
    put_field_between(text, b',', out);
}

/// Appends a field between separators of this kind, quoted if necessary.
pub(super) fn put_field_between(text: &str, separator: u8, out: &mut Vec<u8>) {
    let needs_quotes = |byte: u8| byte == separator || matches!(byte, b'"' | b'\n' | b'\r');
    if !text.bytes().any(needs_quotes) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// Appends a field of a malformed row. If `takes_rest`, it includes the rest of the row, for the last
/// column.
pub(super) fn put_ragged_field(row: &[u8], field: &[u8], takes_rest: bool, separator: u8, out: &mut Vec<u8>) {
    let from = field.as_ptr() as usize - row.as_ptr() as usize;
    let raw = if takes_rest { &row[from..] } else { field };
    if row.len() > MAX_ROW && raw.len() > LONGEST_ECHO {
        return put_field_between(&printable(raw), separator, out);
    }
    // A valid field is appended unchanged, with its quotes; anything else is quoted, so that it becomes a
    // valid field.
    let mut alone = raw_fields(raw, separator);
    let is_whole = alone.next().is_some() && alone.next().is_none();
    let is_open = raw.first() == Some(&b'"') && (raw.len() == 1 || raw.last() != Some(&b'"'));
    if is_whole && !is_open {
        out.extend_from_slice(raw);
    } else {
        put_field_between(&String::from_utf8_lossy(raw), separator, out);
    }
}

/// Makes the text of a record fit into a row: one line of valid UTF-8, without control characters, and not
/// too long.
pub(crate) fn printable(text: &[u8]) -> String {
    let head = &text[..text.len().min(4 * LONGEST_ECHO)];
    let text_of_head = String::from_utf8_lossy(head);
    let shown = text_of_head.chars().map(|character| match character {
        '\n' | '\r' | '\t' => ' ',
        control if control.is_control() => char::REPLACEMENT_CHARACTER,
        other => other,
    });
    let mut printable: String = shown.clone().take(LONGEST_ECHO).collect();
    if head.len() < text.len() || shown.count() > LONGEST_ECHO {
        printable.push('…');
    }
    printable
}

/// Writes a row for each set of a list: `record,size,cells,hits`, where `hits` is the number of clues that the
/// puzzle has in the set. For answers of [`Unavoidable`](gridmill_core::jobs::Unavoidable). Records count from 1,
/// over all files.
#[derive(Clone, Copy, Debug)]
pub struct UnavoidableRows;

impl UnavoidableRows {
    /// The types of the columns.
    pub const TYPES: [ColumnType; 4] =
        [ColumnType::Number, ColumnType::Number, ColumnType::Text, ColumnType::Number];
}

impl<P: PuzzleText> Sink<P> for UnavoidableRows {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"record,size,cells,hits\n");
    }

    #[inline(never)]
    fn write(&self, records: &AnsweredRecords<'_, P>, out: &mut Vec<u8>) {
        for (number, _, answered) in records.iter() {
            let Some((puzzle, answer)) = answered else { continue };
            let Value::Grids(grids) = records.answers.value(0, answer) else { continue };
            let (shape, record) = (puzzle.shape(), records.earlier_records + number);
            for set in grids.chunks(shape.cells()) {
                let cells: Vec<Cell> = Cell::all(shape).filter(|cell| set[cell.index()] != 0).collect();
                let hits = cells.iter().filter(|cell| puzzle.cells()[cell.index()] != 0).count();
                let names: Vec<String> = cells.iter().map(|cell| cell.name(shape)).collect();
                // The result is ignored, because writing to memory can't fail.
                let _ = writeln!(out, "{record},{},{},{hits}", cells.len(), names.join(" "));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Rows;
    use crate::record::{AnsweredRecords, Sink};
    use crate::text::{Batch, ClassicReader, CsvFormat, Format, GridFormat, LineFormat, csv_fields};
    use gridmill_core::grid::Puzzle;
    use gridmill_core::jobs::{Job, Solve, Status};
    use gridmill_core::solver::{Bitmask, Engine, EngineKind, SolutionLimit, Solver};
    use proptest::prelude::*;

    const LIMIT: SolutionLimit = SolutionLimit::UNIQUENESS;

    /// Writes the rows with the csv crate, field by field.
    fn by_the_crate(header: &CsvHeader, chunk: &[u8], batch: &Batch) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for (record, read) in batch.iter() {
            let (text, puzzle) = (record.text(chunk), read.map(|(_, puzzle)| puzzle));
            let mut row = match (record.echo, puzzle) {
                (SourceEcho::Puzzle, Some(puzzle)) => vec![puzzle.to_string()],
                (SourceEcho::Verbatim | SourceEcho::Ragged, _) => csv_fields(text, b',')
                    .iter()
                    .map(|field| String::from_utf8(field.to_vec()).unwrap())
                    .collect(),
                _ => (0..header.width)
                    .map(|i| if i == header.column { printable(text) } else { String::new() })
                    .collect(),
            };
            row.resize(header.width, String::new());
            let found = puzzle.map(|puzzle| (puzzle, Bitmask::new().solve(puzzle, LIMIT)));
            let status =
                found.as_ref().map_or(Status::Malformed, |(puzzle, found)| Status::proved(*puzzle, found));
            let found = found.filter(|_| status != Status::Conflict).map(|(_, found)| found);
            row.push(found.and_then(|found| found.solution).map(|s| s.to_string()).unwrap_or_default());
            row.push(status.name().to_owned());
            row.push(found.map_or(0, |found| found.guesses).to_string());
            writer.write_record(&row).unwrap();
        }
        writer.into_inner().unwrap()
    }

    /// Checks that rows are equal to those of the csv crate, and returns them without their times.
    fn assert_same(format: &dyn Format, header: &CsvHeader, chunk: &[u8]) -> Vec<u8> {
        let mut batch = Batch::default();
        format.read(chunk, &mut batch);
        let job = Solve { engine: Engine::Other(EngineKind::Bitmask), limit: LIMIT, ..Solve::default() };
        let answers = job.answer(&batch.puzzles).unwrap();
        let mut out = Vec::new();
        Rows::with_header(header, &job.schema())
            .write(&AnsweredRecords::for_chunk(chunk, &batch, &answers), &mut out);
        let without_time = without_times(&out);
        assert_eq!(
            String::from_utf8_lossy(&without_time),
            String::from_utf8_lossy(&by_the_crate(header, chunk, &batch))
        );
        without_time
    }

    /// Removes the last field of each row.
    fn without_times(rows: &[u8]) -> Vec<u8> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(rows);
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in reader.byte_records() {
            let row = row.unwrap();
            writer.write_record(row.iter().take(row.len() - 1)).unwrap();
        }
        writer.into_inner().unwrap()
    }

    fn header(text: &str, width: usize, column: usize) -> CsvHeader {
        CsvHeader { text: text.as_bytes().to_vec(), width, column, separator: b',', is_in_file: true }
    }

    #[test]
    fn fields_of_malformed_rows_are_carried() {
        let lead = |separator: u8, row: &str| {
            let input = CsvHeader { separator, ..header("a,b,c", 3, 1) };
            let mut out = Vec::new();
            input.put_ragged(row.as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(lead(b',', "1,\"x\""), "1,\"x\",");
        assert_eq!(lead(b',', "1,\"x,3"), "1,\"\"\"x\",3");
        assert_eq!(lead(b';', "1;\"2;3\";x,4;5"), "1;\"2;3\";\"x,4;5\"");
        assert_eq!(lead(b'\t', "1"), "1\t\t");
        let long = "y".repeat(1 << 20);
        assert_eq!(lead(b',', &format!("1,{long},3")), format!("1,{}…,3", "y".repeat(200)));
    }

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(LINE.to_owned()),
            Just(LINE.replacen("53", "55", 1)),
            Just(LINE.replacen("53..7", ".....", 1)),
            "[1-9.]{81}",
            "[ -~é\t\u{1}]{0,90}",
            "[0.]{79,83}( remark)?",
        ]
    }

    proptest! {
        #[test]
        fn line_rows_equal_those_of_the_csv_crate(lines in prop::collection::vec(line(), 0..12)) {
            assert_same(&LineFormat(ClassicReader), &CsvHeader::puzzle_alone(), lines.join("\n").as_bytes());
        }

        #[test]
        fn grid_rows_equal_those_of_the_csv_crate(lines in prop::collection::vec("([1-9.]{9}\n){8,10}", 0..6)) {
            let text = lines.join("\n");
            assert_same(&GridFormat::classic(text.as_bytes()), &CsvHeader::puzzle_alone(), text.as_bytes());
        }

        #[test]
        fn table_rows_equal_those_of_the_csv_crate(
            rows in prop::collection::vec(("[a-z ]{1,5}", line(), "[a-z0-9]{0,4}", prop::bool::weighted(0.2)), 0..12),
        ) {
            let text: Vec<String> = rows
                .iter()
                .map(|(id, puzzle, rest, ragged)| {
                    let puzzle = puzzle.replace(['"', ',', '\r'], "");
                    if *ragged { format!("{id},{puzzle}") } else { format!("{id},{puzzle},{rest}") }
                })
                .collect();
            let header = header("id,puzzle,rest", 3, 1);
            assert_same(&CsvFormat { column: 1, width: 3, separator: b',', reader: ClassicReader }, &header, text.join("\n").as_bytes());
        }
    }

    fn header_of(input: &CsvHeader) -> Vec<u8> {
        let mut header = Vec::new();
        Sink::<Puzzle>::header(&Rows::with_header(input, &Solve::default().schema()), &mut header);
        header
    }

    #[test]
    fn new_columns_get_distinct_names() {
        let header = |input: &CsvHeader| String::from_utf8(header_of(input)).unwrap();
        assert_eq!(header(&CsvHeader::puzzle_alone()), "puzzle,solution,status,guesses,time_ns\n");
        let table = header(&super::tests::header("\"quiz, zes\",Solution,status", 3, 0));
        let expected = "\"quiz, zes\",Solution,status,gridmill_solution,gridmill_status,guesses,time_ns\n";
        assert_eq!(table, expected);
    }

    #[test]
    fn rows_of_rows_get_distinct_names() {
        let mut input = CsvHeader::puzzle_alone();
        for _ in 0..4 {
            let mut header = header_of(&input);
            header.pop();
            input = CsvHeader { text: header, width: input.width + 4, ..input };
        }
        let names = input.names();
        let distinct: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!((names.len(), distinct.len()), (17, 17));
        assert!(input.text.ends_with(b",gridmill_status_3,gridmill_guesses_3,gridmill_time_ns_3"));
    }

    #[test]
    fn numbers_of_any_length_are_written_as_they_are() {
        let edges = (0..=19).map(|digits| 10_u64.pow(digits)).flat_map(|edge| [edge - 1, edge, edge + 1]);
        for number in (0..1_100).chain(edges).chain([99_909, 999_090, u64::MAX]) {
            let (mut alone, mut next) = (Vec::new(), Vec::new());
            put_number(number, &mut alone);
            put_next_number(b';', number, &mut next);
            assert_eq!(String::from_utf8(alone).unwrap(), number.to_string());
            assert_eq!(String::from_utf8(next).unwrap(), format!(";{number}"));
        }
    }

    #[test]
    fn a_malformed_record_is_one_printable_field() {
        assert_eq!(printable(b"a\0b\nc\xff"), "a\u{fffd}b c\u{fffd}");
        assert_eq!(printable(&[b'x'; 200]), "x".repeat(200));
        assert_eq!(printable(&[b'x'; 201]), "x".repeat(200) + "…");
        assert_eq!(printable(&vec![b'x'; 1 << 20]), "x".repeat(200) + "…");
        let out =
            assert_same(&LineFormat(ClassicReader), &CsvHeader::puzzle_alone(), b"\"quoted\", and more\n");
        assert_eq!(out, b"\"\"\"quoted\"\", and more\",,malformed,0\n");
    }
}
