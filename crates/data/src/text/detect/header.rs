//! The header of a CSV file, and the errors where there is none.

use super::columns::{columns_meant, puzzle_columns, with_numbers};
use gridmill_core::grid::BLANKS;

use crate::text::format::csv::CsvRow;
use crate::text::{FormatError, MAX_RECORD, TextLine, is_skipped, lines};

/// The bytes that may stand between fields, the usual one first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// What the user says of the columns.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::text) struct ColumnsWanted<'a> {
    /// The column of the puzzles: its name, or its number from 1.
    pub(in crate::text) puzzles: Option<&'a str>,
    pub(in crate::text) separator: Option<u8>,
    /// Whether there is no header.
    pub(in crate::text) no_header: bool,
}

/// The header of a CSV file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvHeader {
    /// The row as it is, without its line end; the numbers of the columns where the file has none.
    pub text: Vec<u8>,
    /// The number of columns.
    pub width: usize,
    /// The index of the puzzle column, from 0.
    pub column: usize,
    /// The byte between two fields.
    pub separator: u8,
    /// Whether the file has it.
    pub is_written: bool,
}

impl CsvHeader {
    /// Returns the header of a file whose only column is `puzzle`.
    #[must_use]
    pub fn puzzle_alone() -> CsvHeader {
        CsvHeader { text: b"puzzle".to_vec(), width: 1, column: 0, separator: b',', is_written: false }
    }

    /// Returns the names of the columns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        fields(&self.text, self.separator)
    }

    /// Returns the indices of the columns that may be meant by the name `wanted`, or by its number from 1; without
    /// one, of all columns of known names, in lower case. None if there is no such column, and several where the
    /// user must choose.
    ///
    /// ```
    /// use gridmill_data::text::{detect, FormatChoice};
    ///
    /// let header = detect(b"id,puzzle,answer,Solution\n", FormatChoice::Auto, None).unwrap().header.unwrap();
    /// assert_eq!(header.find(None, &["solution", "answer"]), [2, 3]);
    /// assert_eq!(header.find(Some("solution"), &[]), [3]);
    /// ```
    #[must_use]
    pub fn find(&self, wanted: Option<&str>, known: &[&str]) -> Vec<usize> {
        columns_meant(&self.names(), wanted, known)
    }

    /// Returns columns as text for messages, with their numbers.
    pub fn with_numbers(&self, columns: &[usize]) -> Vec<String> {
        with_numbers(&self.names(), columns)
    }
}

/// Whether a field, or a line, is a puzzle.
pub(in crate::text) type IsPuzzle<'a> = &'a dyn Fn(&[u8]) -> bool;

/// Returns whether a text is CSV, with a header or with one missing, rather than lines or grids.
pub(in crate::text) fn looks_like_csv(text: &[u8], is_puzzle: IsPuzzle<'_>) -> bool {
    let Some(top) = top(text, ColumnsWanted::default(), is_puzzle) else { return false };
    let below = || content(&text[top.next..]);
    // A field in quotes may go over several lines.
    let below_from = |line: TextLine<'_>| &text[top.next + line.start..];
    let is_header = |separator| is_header(top.text, separator, below().map(below_from), is_puzzle);
    is_header(b',')
        || separator_of(top.text, None).is_some_and(is_header)
        // A line that can't be read, above one that can, is no CSV row.
        || is_headless(top.text, is_puzzle) && below().next().is_none_or(|next| !is_puzzle(next.text))
}

/// Returns whether a text begins with a header and a whole row of as many fields, which is certainly CSV.
pub(in crate::text) fn has_sure_header(text: &[u8]) -> bool {
    let mut whole = content(text).filter(|line| line.ended);
    let (Some(first), Some(next)) = (whole.next(), whole.next()) else { return false };
    let is_even = |separator| fields(first.text, separator).len() == fields(next.text, separator).len();
    separator_of(first.text, None).is_some_and(is_even)
}

/// Returns the header of a CSV file, and where the rows below it begin.
pub(in crate::text) fn find_header(
    text: &[u8],
    wanted: ColumnsWanted<'_>,
    is_puzzle: IsPuzzle<'_>,
) -> Result<(CsvHeader, usize), FormatError> {
    if wanted.no_header {
        return number_columns(text, wanted, is_puzzle);
    }
    let line = top(text, wanted, is_puzzle).ok_or(FormatError::NoHeader)?;
    let separator = wanted.separator.or_else(|| separator_of(line.text, wanted.puzzles)).unwrap_or(b',');
    let row = CsvRow::read(&text[line.start..], 0, separator);
    if row.len >= MAX_RECORD {
        return Err(FormatError::LongHeader);
    }
    let header = text[line.start..line.start + row.len].to_vec();
    let names = fields(&header, separator);
    let holds_puzzle = |column: usize| is_puzzle(names[column].as_bytes());
    let column = match puzzle_columns(&names, wanted.puzzles)[..] {
        [column] if !holds_puzzle(column) => column,
        ref several if several.len() > 1 => {
            return Err(FormatError::SeveralPuzzleColumns { columns: with_numbers(&names, several) });
        }
        _ if (0..names.len()).any(holds_puzzle) => return Err(FormatError::Headless),
        _ => {
            let wanted = wanted.puzzles.map(str::to_owned);
            return Err(FormatError::NoPuzzleColumn { wanted, columns: names });
        }
    };
    let width = names.len();
    Ok((CsvHeader { text: header, width, column, separator, is_written: true }, line.start + row.end))
}

/// Returns a header of numbers for a file without one, and where its first row begins. The puzzles are in the column
/// that is wanted, or in that which holds a puzzle in the first row with one; of several, in the only one with a blank.
fn number_columns(
    text: &[u8],
    wanted: ColumnsWanted<'_>,
    is_puzzle: IsPuzzle<'_>,
) -> Result<(CsvHeader, usize), FormatError> {
    let first = content(text).next().ok_or(FormatError::NoHeader)?;
    let puzzles = |line: TextLine<'_>, separator| -> Vec<(usize, String)> {
        let row = fields(&text[line.start..], separator).into_iter().enumerate();
        row.filter(|(_, field)| is_puzzle(field.as_bytes())).collect()
    };
    // The first line with a puzzle decides, so that lines below it change nothing.
    let separator_of = |line| SEPARATORS.into_iter().find(|&separator| !puzzles(line, separator).is_empty());
    let separator = wanted.separator.or_else(|| content(text).find_map(separator_of)).unwrap_or(b',');
    let width = fields(&text[first.start..], separator).len();
    let names: Vec<String> = (1..=width).map(|number| number.to_string()).collect();
    let columns = if wanted.puzzles.is_some() {
        puzzle_columns(&names, wanted.puzzles)
    } else {
        let found = content(text).map(|line| puzzles(line, separator)).find(|found| !found.is_empty());
        let found = found.unwrap_or_default();
        let with_blanks = found.iter().filter(|(_, field)| field.bytes().any(|byte| BLANKS.contains(&byte)));
        let with_blanks: Vec<usize> = with_blanks.map(|(column, _)| *column).collect();
        if with_blanks.len() == 1 { with_blanks } else { found.iter().map(|(column, _)| *column).collect() }
    };
    match columns[..] {
        [column] if column < width => {
            let text = names.join(str::from_utf8(&[separator]).unwrap_or(",")).into_bytes();
            Ok((CsvHeader { text, width, column, separator, is_written: false }, first.start))
        }
        [_, _, ..] => Err(FormatError::SeveralPuzzleColumns { columns: with_numbers(&names, &columns) }),
        _ => {
            let wanted = wanted.puzzles.map(str::to_owned);
            Err(FormatError::NoPuzzleColumn { wanted, columns: names })
        }
    }
}

/// Returns the line where a header would be: the first that is neither blank nor a comment, or one that
/// begins with `#` as a column's name may.
fn top<'a>(text: &'a [u8], wanted: ColumnsWanted<'_>, is_puzzle: IsPuzzle<'_>) -> Option<TextLine<'a>> {
    let first = content(text).next()?;
    let names_columns_of_row = |line: &TextLine<'_>| {
        let separator = wanted.separator.or_else(|| separator_of(line.text, wanted.puzzles)).unwrap_or(b',');
        let (names, row) = (fields(line.text, separator), fields(&text[first.start..], separator));
        let mut puzzles =
            puzzle_columns(&names, wanted.puzzles).into_iter().filter_map(|column| row.get(column));
        names.len() > 1 && names.len() == row.len() && puzzles.any(|field| is_puzzle(field.as_bytes()))
    };
    let comments = lines(text).take_while(|line| line.start < first.start);
    comments.filter(names_columns_of_row).last().or(Some(first))
}

/// Iterates over the lines that are neither blank nor comments.
pub(in crate::text) fn content(text: &[u8]) -> impl Iterator<Item = TextLine<'_>> + Clone {
    lines(text).filter(|line| !is_skipped(line.text))
}

/// Returns whether a line is a header: it names a puzzle column, or the row below it has as many fields and a
/// puzzle in one of them. `below` are the texts from each line below on.
fn is_header<'a>(
    line: &[u8],
    separator: u8,
    mut below: impl Iterator<Item = &'a [u8]>,
    is_puzzle: IsPuzzle<'_>,
) -> bool {
    let names = fields(line, separator);
    let has_puzzle = |row: &[String]| row.iter().any(|field| is_puzzle(field.as_bytes()));
    let is_known = !puzzle_columns(&names, None).is_empty();
    let Some(next) = below.next() else { return is_known };
    // A long field goes on behind what is looked at.
    let is_open = names.len() > 1 && CsvRow::read(next, 0, separator).open_quote.is_some();
    let next = fields(next, separator);
    let is_aligned = names.len() > 1 && names.len() == next.len();
    if is_known && is_open {
        return true;
    }
    if is_known {
        // A known name may also be a title above grids.
        return is_aligned || has_puzzle(&next) || below.any(|rest| has_puzzle(&fields(rest, separator)));
    }
    let is_name = |name: &String| !name.is_empty() && !is_puzzle(name.as_bytes());
    is_aligned && names.iter().all(is_name) && has_puzzle(&next)
}

/// Returns whether a line is a row of several fields with a puzzle in one of them.
fn is_headless(line: &[u8], is_puzzle: IsPuzzle<'_>) -> bool {
    let row = fields(line, b',');
    row.len() > 1 && row.iter().any(|field| is_puzzle(field.as_bytes()))
}

/// Returns the separator that gives several columns, one of them a puzzle column.
fn separator_of(line: &[u8], wanted: Option<&str>) -> Option<u8> {
    SEPARATORS.into_iter().find(|&separator| {
        let names = fields(line, separator);
        names.len() > 1 && !puzzle_columns(&names, wanted).is_empty()
    })
}

/// Returns the fields of a row as text.
fn fields(row: &[u8], separator: u8) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).delimiter(separator).from_reader(row);
    let mut record = csv::ByteRecord::new();
    match reader.read_byte_record(&mut record) {
        Ok(true) => record.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::reader::classic::find_puzzle;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn is_puzzle(text: &[u8]) -> bool {
        find_puzzle(text).is_ok()
    }

    fn by_name(puzzles: Option<&str>) -> ColumnsWanted<'_> {
        ColumnsWanted { puzzles, ..ColumnsWanted::default() }
    }

    fn rows() -> String {
        LINE.as_bytes().chunks(9).map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect()
    }

    fn header(text: &str, wanted: Option<&str>) -> (String, usize) {
        let (header, _) = find_header(text.as_bytes(), by_name(wanted), &is_puzzle).unwrap();
        (String::from_utf8(header.text).unwrap(), header.column)
    }

    fn refusal(text: &str) -> FormatError {
        find_header(text.as_bytes(), ColumnsWanted::default(), &is_puzzle).unwrap_err()
    }

    #[test]
    fn a_title_is_no_header() {
        for title in ["Puzzle", "sudoku", "Grid", "Grid, easy", "Sudoku; easy", "Puzzle\t1"] {
            assert!(
                !looks_like_csv(format!("{title}\n{}\n{title}\n{}", rows(), rows()).as_bytes(), &is_puzzle),
                "{title}"
            );
        }
        for table in ["Puzzle\n", "puzzle\r\n\r\n", "id,puzzle\n1,bad\n"] {
            assert!(looks_like_csv(table.as_bytes(), &is_puzzle), "{table}");
        }
        for row in [LINE.to_owned(), format!("\"{LINE}\""), format!("bad\n# more\n{LINE}")] {
            assert!(looks_like_csv(format!("Grid\n{row}\n").as_bytes(), &is_puzzle), "{row}");
        }
    }

    #[test]
    fn names_of_columns_may_be_in_other_letters() {
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
            let refused = find_header(text.as_bytes(), by_name(wanted), &is_puzzle).unwrap_err();
            assert_eq!(refused, FormatError::SeveralPuzzleColumns { columns });
        }
        assert!(looks_like_csv(b"quizzes,puzzle\n", &is_puzzle));
        assert_eq!(header("puzzle,x,puzzle\n", Some("3")).1, 2);
    }

    #[test]
    fn a_header_may_begin_with_a_number_sign() {
        for top in ["", "\n", "# by hand\n\n", "# columns: number, puzzle\n#,x,puzzle\n"] {
            let text = format!("{top}#,puzzle\n1,{LINE}\n");
            assert!(looks_like_csv(text.as_bytes(), &is_puzzle));
            assert_eq!(header(&text, None), ("#,puzzle".to_owned(), 1));
        }
        assert_eq!(header(&format!("#,cells\n1,{LINE}\n"), Some("Cells")), ("#,cells".to_owned(), 1));
        // Comments and no header: nothing below, another number of columns, no puzzle in the column.
        for text in [
            "#,puzzle\n",
            &format!("#,puzzle\nid,puzzle,x\n1,{LINE},\n"),
            &format!("# by me, sudoku\n{LINE},easy\n"),
        ] {
            let first = content(text.as_bytes()).next().map(|line| line.start);
            assert_eq!(
                top(text.as_bytes(), ColumnsWanted::default(), &is_puzzle).map(|line| line.start),
                first,
                "{text}"
            );
        }
    }

    #[test]
    fn columns_may_be_set_apart_by_something_else() {
        for separator in [";", "\t", "|"] {
            let text = ["id", "Puzzle\n1", LINE].join(separator);
            assert!(looks_like_csv(text.as_bytes(), &is_puzzle));
            assert!(has_sure_header(format!("{text}\n").as_bytes()));
            let (header, body) = find_header(text.as_bytes(), by_name(None), &is_puzzle).unwrap();
            let expected = (separator.as_bytes()[0], 1, 2, 10);
            assert_eq!((header.separator, header.column, header.width, body), expected);
        }
        let chosen = ColumnsWanted { separator: Some(b':'), ..ColumnsWanted::default() };
        let (header, _) = find_header(b"id,no:puzzle\n", chosen, &is_puzzle).unwrap();
        assert_eq!(header.names(), ["id,no", "puzzle"]);
    }

    #[test]
    fn columns_without_a_header_are_numbered() {
        let wanted = ColumnsWanted { no_header: true, ..ColumnsWanted::default() };
        let solved = LINE.replace('.', "1");
        for (text, column, names) in [
            (format!("# by hand\n1,{solved},{LINE}\n"), 2, "1,2,3"),
            (format!("a;{solved}\n"), 1, "1;2"),
            (format!("x\tbad\nx\t{LINE}\n"), 1, "1\t2"),
            (format!("{LINE}\n"), 0, "1"),
        ] {
            let (header, body) = find_header(text.as_bytes(), wanted, &is_puzzle).unwrap();
            assert_eq!((header.column, header.text), (column, names.as_bytes().to_vec()), "{text}");
            assert!(!text[body..].contains('#'));
        }
        let two = format!("{LINE},{LINE}\n");
        let refused = find_header(two.as_bytes(), wanted, &is_puzzle).unwrap_err();
        assert!(matches!(refused, FormatError::SeveralPuzzleColumns { .. }));
        let second = ColumnsWanted { puzzles: Some("2"), ..wanted };
        assert_eq!(find_header(two.as_bytes(), second, &is_puzzle).unwrap().0.column, 1);
        // A number does not make a header of a row.
        assert_eq!(
            find_header(two.as_bytes(), by_name(Some("2")), &is_puzzle).unwrap_err(),
            FormatError::Headless
        );
    }

    #[test]
    fn rows_without_a_header_are_known() {
        let text = format!("1,{LINE},x\n2,{LINE},y\n");
        assert!(looks_like_csv(text.as_bytes(), &is_puzzle));
        assert_eq!(refusal(&text), FormatError::Headless);
        // Lines with remarks, of which the first can't be read.
        assert!(!looks_like_csv(format!("{},{LINE}\n{LINE},{LINE}\n", &LINE[1..]).as_bytes(), &is_puzzle));
        assert!(!looks_like_csv(format!("bad\n{LINE}\n").as_bytes(), &is_puzzle));
    }
}
