//! The header of a CSV file, and the errors where there is none.

use super::columns::{columns_meant, puzzle_columns, with_numbers};
use crate::text::format::csv::CsvRow;
use crate::text::{FormatError, MAX_RECORD, TextLine, is_skipped, lines};

/// Separators other than commas, in words, and as `tr` spells them.
const OTHER_SEPARATORS: [(u8, &str, &str); 2] = [(b';', "semicolons", "';'"), (b'\t', "tabs", "'\\t'")];

/// The header of a CSV file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvHeader {
    /// The row as it is, without its line end.
    pub text: Vec<u8>,
    /// The number of columns.
    pub width: usize,
    /// The index of the puzzle column, from 0.
    pub column: usize,
}

impl CsvHeader {
    /// Returns the names of the columns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        fields(&self.text, b',')
    }

    /// Returns the indices of the columns that may be meant by the name `wanted`, or by its number from 1; without
    /// one, of all columns of known names, in lower case. None if there is no such column, and several where the
    /// user must choose.
    ///
    /// ```
    /// use gridmill::text::{detect, FormatChoice};
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
    pub(crate) fn with_numbers(&self, columns: &[usize]) -> Vec<String> {
        with_numbers(&self.names(), columns)
    }
}

/// Whether a field, or a line, is a puzzle.
pub(in crate::text) type IsPuzzle<'a> = &'a dyn Fn(&[u8]) -> bool;

/// Returns whether a text is CSV, with a header or with one missing, rather than lines or grids.
pub(in crate::text) fn looks_like_csv(text: &[u8], is_puzzle: IsPuzzle<'_>) -> bool {
    let Some(top) = top(text, None, is_puzzle) else { return false };
    let below = || content(&text[top.next..]);
    let other = other_separator(top.text, None).map(|(separator, ..)| separator);
    is_header(top.text, b',', below(), is_puzzle)
        || other.is_some_and(|separator| is_header(top.text, separator, below(), is_puzzle))
        // A line that can't be read, above one that can, is no CSV row.
        || is_headless(top.text, is_puzzle) && below().next().is_none_or(|next| !is_puzzle(next.text))
}

/// Returns whether a text begins with a header and a whole row of as many fields, which is certainly CSV.
pub(in crate::text) fn has_sure_header(text: &[u8]) -> bool {
    let mut whole = content(text).filter(|line| line.ended);
    let (Some(first), Some(next)) = (whole.next(), whole.next()) else { return false };
    let names = fields(first.text, b',');
    names.len() > 1
        && !puzzle_columns(&names, None).is_empty()
        && names.len() == fields(next.text, b',').len()
}

/// Returns the header of a CSV file, and where the rows below it begin.
pub(in crate::text) fn find_header(
    text: &[u8],
    wanted: Option<&str>,
    is_puzzle: IsPuzzle<'_>,
) -> Result<(CsvHeader, usize), FormatError> {
    let line = top(text, wanted, is_puzzle).ok_or(FormatError::NoHeader)?;
    let row = CsvRow::read(&text[line.start..], 0);
    if row.len >= MAX_RECORD {
        return Err(FormatError::LongHeader);
    }
    let header = &text[line.start..line.start + row.len];
    let names = fields(header, b',');
    let column = match puzzle_columns(&names, wanted)[..] {
        [] => return Err(why_no_column(header, wanted, is_puzzle)),
        [column] => column,
        ref several => {
            return Err(FormatError::SeveralPuzzleColumns { columns: with_numbers(&names, several) });
        }
    };
    Ok((CsvHeader { text: header.to_vec(), width: names.len(), column }, line.start + row.end))
}

/// Returns the line where a header would be: the first that is neither blank nor a comment, or one that
/// begins with `#` as a column's name may.
fn top<'a>(text: &'a [u8], wanted: Option<&str>, is_puzzle: IsPuzzle<'_>) -> Option<TextLine<'a>> {
    let first = content(text).next()?;
    let row = fields(first.text, b',');
    let names_columns_of_row = |line: &TextLine<'_>| {
        let names = fields(line.text, b',');
        let mut puzzles = puzzle_columns(&names, wanted).into_iter().filter_map(|column| row.get(column));
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
/// puzzle in one of them.
fn is_header<'a>(
    line: &[u8],
    separator: u8,
    mut below: impl Iterator<Item = TextLine<'a>>,
    is_puzzle: IsPuzzle<'_>,
) -> bool {
    let names = fields(line, separator);
    let has_puzzle = |row: &[String]| row.iter().any(|field| is_puzzle(field.as_bytes()));
    let is_known = !puzzle_columns(&names, None).is_empty();
    let Some(next) = below.next() else { return is_known };
    let next = fields(next.text, separator);
    let is_aligned = names.len() > 1 && names.len() == next.len();
    if is_known {
        // A known name may also be a title above grids.
        return is_aligned
            || has_puzzle(&next)
            || below.any(|line| has_puzzle(&fields(line.text, separator)));
    }
    let is_name = |name: &String| !name.is_empty() && !is_puzzle(name.as_bytes());
    is_aligned && names.iter().all(is_name) && has_puzzle(&next)
}

/// Returns whether a line is a row of several fields with a puzzle in one of them.
fn is_headless(line: &[u8], is_puzzle: IsPuzzle<'_>) -> bool {
    let row = fields(line, b',');
    row.len() > 1 && row.iter().any(|field| is_puzzle(field.as_bytes()))
}

/// Returns the separator other than a comma that gives several columns, one of them a puzzle column.
fn other_separator(line: &[u8], wanted: Option<&str>) -> Option<(u8, &'static str, &'static str)> {
    OTHER_SEPARATORS.into_iter().find(|&(separator, ..)| {
        let names = fields(line, separator);
        names.len() > 1 && !puzzle_columns(&names, wanted).is_empty()
    })
}

fn why_no_column(header: &[u8], wanted: Option<&str>, is_puzzle: IsPuzzle<'_>) -> FormatError {
    if let Some((_, name, spelled)) = other_separator(header, wanted) {
        return FormatError::OtherSeparator { name, spelled };
    }
    let columns = fields(header, b',');
    if is_headless(header, is_puzzle) {
        let puzzle = columns.iter().position(|field| is_puzzle(field.as_bytes()));
        let name = |i| if Some(i) == puzzle { "puzzle".to_owned() } else { format!("column{}", i + 1) };
        return FormatError::Headless { columns: (0..columns.len()).map(name).collect() };
    }
    FormatError::NoPuzzleColumn { wanted: wanted.map(str::to_owned), columns }
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

    fn rows() -> String {
        LINE.as_bytes().chunks(9).map(|row| format!("{}\n", String::from_utf8_lossy(row))).collect()
    }

    fn header(text: &str, wanted: Option<&str>) -> (String, usize) {
        let (header, _) = find_header(text.as_bytes(), wanted, &is_puzzle).unwrap();
        (String::from_utf8(header.text).unwrap(), header.column)
    }

    fn refusal(text: &str) -> FormatError {
        find_header(text.as_bytes(), None, &is_puzzle).unwrap_err()
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
            let refused = find_header(text.as_bytes(), wanted, &is_puzzle).unwrap_err();
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
            assert_eq!(top(text.as_bytes(), None, &is_puzzle).map(|line| line.start), first, "{text}");
        }
    }

    #[test]
    fn columns_may_be_set_apart_by_something_else() {
        for (separator, name, spelled) in [(";", "semicolons", "';'"), ("\t", "tabs", "'\\t'")] {
            let text = ["id", "Puzzle\n1", LINE].join(separator);
            assert!(looks_like_csv(text.as_bytes(), &is_puzzle));
            assert_eq!(refusal(&text), FormatError::OtherSeparator { name, spelled });
        }
    }

    #[test]
    fn rows_without_a_header_are_known() {
        let text = format!("1,{LINE},x\n2,{LINE},y\n");
        assert!(looks_like_csv(text.as_bytes(), &is_puzzle));
        let columns = ["column1", "puzzle", "column3"].map(str::to_owned).to_vec();
        assert_eq!(refusal(&text), FormatError::Headless { columns });
        // Lines with remarks, of which the first can't be read.
        assert!(!looks_like_csv(format!("{},{LINE}\n{LINE},{LINE}\n", &LINE[1..]).as_bytes(), &is_puzzle));
        assert!(!looks_like_csv(format!("bad\n{LINE}\n").as_bytes(), &is_puzzle));
    }
}
