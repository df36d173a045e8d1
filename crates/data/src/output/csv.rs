//! CSV rows, one for each record.
//!
//! A row is the text of the record (its characters, or its whole CSV row) and four new columns, with the separator
//! of the input between them. None of that
//! needs quotes, so it is appended as bytes; only the text of a malformed record goes through the csv crate.
//! Writing easy puzzles through the crate took 4.9 times as long; a test checks that both give the same
//! bytes.

use std::iter::repeat_n;

use gridmill_core::grid::CELLS;
use gridmill_core::solver::Outcome;

use crate::record::{ChunkOutcomes, PuzzleLike, RowFormat, Status};
use crate::text::{CsvHeader, MAX_ROW, Record, SourceEcho, raw_fields};

/// The new columns, behind the one of the result.
pub(super) const NEW_COLUMNS: [&str; 3] = ["status", "guesses", "time_ns"];

/// The column of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Solution,
    Count,
    /// The number of solutions, and the cells that they share.
    CountAndShared,
}

/// How many characters of a malformed record are repeated in its row.
const LONGEST_ECHO: usize = 200;

/// Rows of comma-separated values, one a record, under one header. A CSV input with another separator than commas
/// keeps it.
///
/// `solution` holds the first solution found (for `multiple` one of several), or nothing; `guesses` and
/// `time_ns` are 0 where nothing was searched. A row of a CSV input with too few fields gets empty ones; of a
/// row with too many, the last column takes the rest.
#[derive(Clone, Debug)]
pub struct CsvRows {
    header: Vec<u8>,
    /// Columns of the input, and the index of the puzzle's.
    width: usize,
    column: usize,
    separator: u8,
    found: Found,
}

impl CsvRows {
    /// Returns rows for an input without columns: `puzzle` and the new columns.
    #[must_use]
    pub fn for_lines() -> CsvRows {
        CsvRows::for_table(&CsvHeader::puzzle_alone())
    }

    /// Returns rows for a CSV input with that header. A new column whose name is taken is called `gridmill_`
    /// and that name, with a number where this is taken too.
    #[must_use]
    pub fn for_table(input: &CsvHeader) -> CsvRows {
        CsvRows::with(input, "solution", Found::Solution)
    }

    /// Returns rows with the column `solutions`, the number of solutions, in place of `solution`; for a CSV
    /// input with that header, or one without columns.
    #[must_use]
    pub fn of_counts(input: Option<&CsvHeader>) -> CsvRows {
        CsvRows::with(input.unwrap_or(&CsvHeader::puzzle_alone()), "solutions", Found::Count)
    }

    /// Returns rows as [`CsvRows::of_counts`] does, with one more column `shared`, for the outcomes of
    /// [`SharedCells`](gridmill_core::solver::SharedCells).
    #[must_use]
    pub fn of_shared_cells(input: Option<&CsvHeader>) -> CsvRows {
        let [status, guesses, nanos] = NEW_COLUMNS;
        let names = ["solutions", "shared", status, guesses, nanos];
        CsvRows { found: Found::CountAndShared, ..CsvRows::with_columns(input, &names) }
    }

    fn with(input: &CsvHeader, first: &str, found: Found) -> CsvRows {
        let [status, guesses, nanos] = NEW_COLUMNS;
        CsvRows { found, ..CsvRows::with_columns(Some(input), &[first, status, guesses, nanos]) }
    }

    /// Returns rows with new columns of these names, for callers that write the rest of the row
    /// themselves.
    pub fn with_columns(input: Option<&CsvHeader>, names: &[&str]) -> CsvRows {
        let alone = CsvHeader::puzzle_alone();
        let input = input.unwrap_or(&alone);
        let taken: Vec<String> = input.names().iter().map(|name| name.trim().to_ascii_lowercase()).collect();
        let mut header = input.text.clone();
        for name in names {
            header.push(input.separator);
            header.extend_from_slice(free_name(name, &taken).as_bytes());
        }
        header.push(b'\n');
        let &CsvHeader { width, column, separator, .. } = input;
        CsvRows { header, width, column, separator, found: Found::Solution }
    }

    /// Returns the byte between two fields.
    pub fn separator(&self) -> u8 {
        self.separator
    }

    /// Returns the header row.
    pub fn header_line(&self) -> &[u8] {
        &self.header
    }

    /// Appends the columns of the input, for a record with that text, and its puzzle if it could be read.
    #[inline]
    pub fn lead(&self, record: &Record, text: &[u8], puzzle: Option<&impl PuzzleLike>, out: &mut Vec<u8>) {
        match (record.echo, puzzle) {
            (SourceEcho::Verbatim, _) => put_verbatim(text, out),
            (SourceEcho::Puzzle, Some(puzzle)) => self.lead_with(puzzle, out),
            (echo, _) => self.lead_with_text(echo, text, out),
        }
    }

    /// Appends the columns of the input, with the puzzle written from its cells.
    #[inline]
    fn lead_with(&self, puzzle: &impl PuzzleLike, out: &mut Vec<u8>) {
        out.extend(repeat_n(self.separator, self.column));
        puzzle.write(out);
        out.extend(repeat_n(self.separator, self.width - 1 - self.column));
    }

    /// Appends the columns of the input, for a record that can't be read.
    #[inline(never)]
    fn lead_with_text(&self, echo: SourceEcho, text: &[u8], out: &mut Vec<u8>) {
        if echo == SourceEcho::Ragged {
            return self.lead_with_fields(text, out);
        }
        out.extend(repeat_n(self.separator, self.column));
        put_field_between(&printable(text), self.separator, out);
        out.extend(repeat_n(self.separator, self.width - 1 - self.column));
    }

    /// Appends the fields of a malformed row as they stand; empty ones where there are too few, and in the last column
    /// all that is too much.
    fn lead_with_fields(&self, row: &[u8], out: &mut Vec<u8>) {
        let mut fields = raw_fields(row, self.separator);
        for column in 0..self.width {
            if column > 0 {
                out.push(self.separator);
            }
            if let Some(field) = fields.next() {
                put_carried_field(row, field, column + 1 == self.width, self.separator, out);
            }
        }
    }

    /// Appends the new columns.
    #[inline]
    fn tail<P: PuzzleLike>(
        &self,
        searched: Option<(&P, &Outcome<P::Solution>)>,
        status: Status,
        out: &mut Vec<u8>,
    ) {
        out.push(self.separator);
        let (mut solutions, mut guesses, mut nanos) = (0, 0, 0);
        if let Some((puzzle, found)) = searched {
            (solutions, guesses, nanos) = (found.solutions, found.guesses, found.nanos);
            if let (Found::Solution, Some(solution)) = (self.found, &found.solution) {
                puzzle.write_solution(solution, out);
            }
        }
        if self.found != Found::Solution {
            put_number(solutions, out);
            self.put_shared(searched, out);
        }
        out.push(self.separator);
        NAMES[status as usize].put(out);
        for number in [guesses, nanos] {
            out.push(self.separator);
            put_number(number, out);
        }
        out.push(b'\n');
    }
}

/// Appends the text of a record. That of a classic puzzle alone is copied without a call.
#[inline]
fn put_verbatim(text: &[u8], out: &mut Vec<u8>) {
    match <&[u8; CELLS]>::try_from(text) {
        Ok(cells) => out.extend_from_slice(cells),
        Err(_) => out.extend_from_slice(text),
    }
}

/// A short text at the front of an array. An array is appended without a call, and what is too much taken back.
#[derive(Clone, Copy)]
struct Short<const N: usize> {
    bytes: [u8; N],
    len: u8,
}

impl<const N: usize> Short<N> {
    const EMPTY: Short<N> = Short { bytes: [0; N], len: 0 };

    const fn of(text: &[u8]) -> Short<N> {
        let mut short = Short::EMPTY;
        while (short.len as usize) < text.len() {
            short.bytes[short.len as usize] = text[short.len as usize];
            short.len += 1;
        }
        short
    }

    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        let end = out.len() + usize::from(self.len);
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }
}

/// The names of statuses.
static NAMES: [Short<15>; Status::ALL.len()] = {
    let mut names = [Short::EMPTY; Status::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        let status = Status::ALL[index];
        names[status as usize] = Short::of(status.name().as_bytes());
        index += 1;
    }
    names
};

/// The numbers of up to three digits.
static NUMBERS: [Short<3>; 1000] = {
    let mut numbers = [Short::EMPTY; 1000];
    let mut number = 0;
    while number < numbers.len() {
        let (hundreds, tens, ones) = (number / 100, number / 10 % 10, number % 10);
        let digits = [b'0' + hundreds as u8, b'0' + tens as u8, b'0' + ones as u8];
        let leading = (number < 100) as usize + (number < 10) as usize;
        numbers[number] = Short::of(digits.split_at(leading).1);
        number += 1;
    }
    numbers
};

/// Appends a number.
#[inline]
fn put_number(number: u64, out: &mut Vec<u8>) {
    match usize::try_from(number).ok().and_then(|number| NUMBERS.get(number)) {
        Some(short) => short.put(out),
        None => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

impl CsvRows {
    /// Appends the cells that all solutions share, if there is a column for them.
    fn put_shared<P: PuzzleLike>(&self, searched: Option<(&P, &Outcome<P::Solution>)>, out: &mut Vec<u8>) {
        if self.found != Found::CountAndShared {
            return;
        }
        out.push(self.separator);
        if let Some((puzzle, Outcome { solution: Some(shared), .. })) = searched {
            puzzle.write_solution(shared, out);
        }
    }
}

impl<P: PuzzleLike> RowFormat<P> for CsvRows {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.header);
    }

    fn rows(&self, outcomes: &ChunkOutcomes<'_, P>, out: &mut Vec<u8>) {
        for outcome in outcomes.iter() {
            let text = outcome.record.text(outcomes.chunk);
            self.lead(outcome.record, text, outcome.searched.map(|(puzzle, _)| puzzle), out);
            self.tail(outcome.searched.filter(|_| outcome.status != Status::Conflict), outcome.status, out);
        }
    }
}

/// Returns a name for a new column that no column of the input has.
pub(crate) fn free_name(name: &str, taken: &[String]) -> String {
    let marked = format!("gridmill_{name}");
    let numbered = (2..).map(|number| format!("{marked}_{number}"));
    let mut names = [name.to_owned(), marked.clone()].into_iter().chain(numbered);
    names.find(|name| !taken.contains(name)).expect("there are more numbers than columns")
}

/// Returns the fields of one CSV row.
pub fn fields(row: &[u8], separator: u8) -> csv::ByteRecord {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).delimiter(separator).from_reader(row);
    let mut record = csv::ByteRecord::new();
    // Neither error can happen: memory can be read, and one row has no other to differ from.
    let _ = reader.read_byte_record(&mut record);
    record
}

/// Appends a field, in quotes where it needs them.
pub(super) fn put_field(text: &str, out: &mut Vec<u8>) {
    put_field_between(text, b',', out);
}

/// Appends a field between such separators, in quotes where it needs them.
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

/// Appends a field of a malformed row; the last column takes the rest of the row.
pub(super) fn put_carried_field(
    row: &[u8],
    field: &[u8],
    takes_rest: bool,
    separator: u8,
    out: &mut Vec<u8>,
) {
    let from = field.as_ptr() as usize - row.as_ptr() as usize;
    let raw = if takes_rest { &row[from..] } else { field };
    if row.len() > MAX_ROW && raw.len() > LONGEST_ECHO {
        put_field_between(&printable(raw), separator, out);
    } else {
        put_raw_field(raw, separator, out);
    }
}

/// Appends a field as it stands, with its quotes; what is no field, in a form that is one.
fn put_raw_field(raw: &[u8], separator: u8, out: &mut Vec<u8>) {
    let mut alone = raw_fields(raw, separator);
    let is_whole = alone.next().is_some() && alone.next().is_none();
    let is_open = raw.first() == Some(&b'"') && (raw.len() == 1 || raw.last() != Some(&b'"'));
    if is_whole && !is_open {
        out.extend_from_slice(raw);
    } else {
        put_field_between(&String::from_utf8_lossy(raw), separator, out);
    }
}

/// Returns a record's text as it may stand in a row: one line of valid UTF-8, without control characters, and
/// not too long.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ChunkPlace;
    use crate::text::{Batch, ClassicReader, CsvFormat, Format, LineFormat, RowsFormat};
    use gridmill_core::solver::{Bitmask, Outcome, SolutionLimit, Solver};
    use proptest::prelude::*;

    /// Returns the rows as the csv crate writes them, field by field.
    fn by_the_crate(rows: &CsvRows, outcomes: &ChunkOutcomes<'_>) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for record in outcomes.iter() {
            let text = record.record.text(outcomes.chunk);
            let mut row = match (record.record.echo, record.searched) {
                (SourceEcho::Puzzle, Some((puzzle, _))) => vec![puzzle.to_string()],
                (SourceEcho::Verbatim | SourceEcho::Ragged, _) => fields(text, b',')
                    .iter()
                    .map(|field| String::from_utf8(field.to_vec()).unwrap())
                    .collect(),
                _ => (0..rows.width)
                    .map(|i| if i == rows.column { printable(text) } else { String::new() })
                    .collect(),
            };
            row.resize(rows.width, String::new());
            let found =
                record.searched.filter(|_| record.status != Status::Conflict).map(|(_, outcome)| outcome);
            row.push(found.and_then(|found| found.solution).map(|s| s.to_string()).unwrap_or_default());
            row.push(record.status.name().to_owned());
            row.push(found.map_or(0, |found| found.guesses).to_string());
            row.push(found.map_or(0, |found| found.nanos).to_string());
            writer.write_record(&row).unwrap();
        }
        writer.into_inner().unwrap()
    }

    fn assert_same(format: &dyn Format, rows: &CsvRows, chunk: &[u8]) -> Vec<u8> {
        let mut batch = Batch::default();
        format.read(chunk, &mut batch);
        let mut outcomes = vec![Outcome::NONE; batch.puzzles.len()];
        let limit = SolutionLimit::UNIQUENESS;
        Bitmask::new().solve_batch(&batch.puzzles, limit, &mut outcomes);
        let statuses: Vec<Status> = batch
            .puzzles
            .iter()
            .zip(&outcomes)
            .map(|(puzzle, outcome)| Status::of(puzzle, outcome, limit))
            .collect();
        let chunk_outcomes = ChunkOutcomes {
            place: ChunkPlace::default(),
            chunk,
            batch: &batch,
            outcomes: &outcomes,
            statuses: &statuses,
        };
        let mut out = Vec::new();
        rows.rows(&chunk_outcomes, &mut out);
        assert_eq!(
            String::from_utf8_lossy(&out),
            String::from_utf8_lossy(&by_the_crate(rows, &chunk_outcomes))
        );
        out
    }

    fn header(text: &str, width: usize, column: usize) -> CsvHeader {
        CsvHeader { text: text.as_bytes().to_vec(), width, column, separator: b',', is_written: true }
    }

    #[test]
    fn fields_of_malformed_rows_are_carried() {
        let lead = |separator: u8, row: &str| {
            let input = CsvHeader { separator, ..header("a,b,c", 3, 1) };
            let mut out = Vec::new();
            CsvRows::for_table(&input).lead_with_fields(row.as_bytes(), &mut out);
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
        fn line_rows_are_as_the_csv_crate_writes_them(lines in prop::collection::vec(line(), 0..12)) {
            assert_same(&LineFormat(ClassicReader), &CsvRows::for_lines(), lines.join("\n").as_bytes());
        }

        #[test]
        fn grid_rows_are_as_the_csv_crate_writes_them(lines in prop::collection::vec("([1-9.]{9}\n){8,10}", 0..6)) {
            let text = lines.join("\n");
            assert_same(&RowsFormat::of(text.as_bytes()), &CsvRows::for_lines(), text.as_bytes());
        }

        #[test]
        fn table_rows_are_as_the_csv_crate_writes_them(
            rows in prop::collection::vec(("[a-z ]{1,5}", line(), "[a-z0-9]{0,4}", prop::bool::weighted(0.2)), 0..12),
        ) {
            let text: Vec<String> = rows
                .iter()
                .map(|(id, puzzle, rest, ragged)| {
                    let puzzle = puzzle.replace(['"', ',', '\r'], "");
                    if *ragged { format!("{id},{puzzle}") } else { format!("{id},{puzzle},{rest}") }
                })
                .collect();
            let rows = CsvRows::for_table(&header("id,puzzle,rest", 3, 1));
            assert_same(&CsvFormat { column: 1, width: 3, separator: b',', reader: ClassicReader }, &rows, text.join("\n").as_bytes());
        }
    }

    #[test]
    fn headers_keep_their_columns_apart() {
        let header = |rows: CsvRows| String::from_utf8(rows.header).unwrap();
        assert_eq!(header(CsvRows::for_lines()), "puzzle,solution,status,guesses,time_ns\n");
        let table = CsvRows::for_table(&super::tests::header("\"quiz, zes\",Solution,status", 3, 0));
        let expected = "\"quiz, zes\",Solution,status,gridmill_solution,gridmill_status,guesses,time_ns\n";
        assert_eq!(header(table), expected);
    }

    #[test]
    fn rows_of_rows_have_names_of_their_own() {
        let mut input = CsvHeader::puzzle_alone();
        for _ in 0..4 {
            let mut header = CsvRows::for_table(&input).header;
            header.pop();
            input = CsvHeader { text: header, width: input.width + 4, ..input };
        }
        let names = input.names();
        let distinct: std::collections::HashSet<_> = names.iter().collect();
        assert_eq!((names.len(), distinct.len()), (17, 17));
        assert!(input.text.ends_with(b",gridmill_status_3,gridmill_guesses_3,gridmill_time_ns_3"));
    }

    #[test]
    fn a_malformed_record_is_one_printable_field() {
        assert_eq!(printable(b"a\0b\nc\xff"), "a\u{fffd}b c\u{fffd}");
        assert_eq!(printable(&[b'x'; 200]), "x".repeat(200));
        assert_eq!(printable(&[b'x'; 201]), "x".repeat(200) + "…");
        assert_eq!(printable(&vec![b'x'; 1 << 20]), "x".repeat(200) + "…");
        let out = assert_same(&LineFormat(ClassicReader), &CsvRows::for_lines(), b"\"quoted\", and more\n");
        assert_eq!(out, b"\"\"\"quoted\"\", and more\",,malformed,0,0\n");
    }
}
