//! Files that are refused, because they are no text, JSON that is not one object a line, or lines of several fields; each
//! with what makes puzzles of them.

use gridmill_core::grid::Shape;

use super::header::content;
use crate::text::{FormatError, FormatOptions, Remedy};

/// Beginnings of files that are no text, what they are, and what makes text of them. The first kinds are
/// unpacked before detection: a file that still begins so was compressed twice.
const OTHERS: [(&[u8], &str, Remedy); 16] = [
    (b"\xff\xfe", "UTF-16 text", Remedy::Convert("iconv -f UTF-16 -t UTF-8")),
    (b"\xfe\xff", "UTF-16 text", Remedy::Convert("iconv -f UTF-16 -t UTF-8")),
    (b"\x1f\x8b", "gzip data inside what was unpacked", Remedy::Unpack("gunzip")),
    (b"\x28\xb5\x2f\xfd", "zstd data inside what was unpacked", Remedy::Unpack("unzstd")),
    (b"\xfd7zXZ\0", "xz data inside what was unpacked", Remedy::Unpack("unxz")),
    (b"PK\x03\x04", "a zip archive inside what was unpacked", Remedy::Unpack("unzip")),
    (b"BZh", "bzip2-compressed", Remedy::Pipe("bzcat FILE")),
    (b"\x1f\x9d", "compressed by compress", Remedy::Pipe("zcat FILE")),
    (b"\x04\x22\x4d\x18", "lz4-compressed", Remedy::Pipe("lz4cat FILE")),
    (b"LZIP", "lzip-compressed", Remedy::Pipe("lzip -cd FILE")),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", Remedy::Pipe("7z x -so FILE")),
    (b"Rar!\x1a\x07", "a rar archive", Remedy::Pipe("unrar p -inul FILE")),
    (b"PAR1", "a Parquet file", Remedy::Pipe("duckdb -csv -c \"FROM 'FILE'\"")),
    (b"ARROW1", "an Arrow file", Remedy::Pipe(READ_ARROW)),
    (
        b"SQLite format 3\0",
        "an SQLite database",
        Remedy::Pipe("sqlite3 -csv -header FILE 'SELECT * FROM TABLE'"),
    ),
    (b"\x5d\0\0", "lzma-compressed", Remedy::Pipe("xzcat FILE")),
];

/// Writes the table of an Arrow file as CSV.
const READ_ARROW: &str =
    "python3 -c \"import pandas; pandas.read_feather('FILE').to_csv('/dev/stdout', index=False)\"";

/// The place of the magic number in a tar archive.
const TAR_MAGIC: std::ops::Range<usize> = 257..262;

/// Refuses binary files, text in UTF-16, and text whose lines end with CR alone.
pub(super) fn refuse_other_than_text(head: &[u8]) -> Result<(), FormatError> {
    let known = OTHERS.iter().find(|(signature, ..)| head.starts_with(signature));
    let known = known.map(|&(_, what, remedy)| (what, remedy));
    let is_tar = head.get(TAR_MAGIC) == Some(b"ustar");
    let tar = is_tar.then_some(("a tar archive", Remedy::Pipe("tar -xOf FILE")));
    let has_no_lines = head.trim_ascii().contains(&b'\r') && !head.contains(&b'\n');
    let no_lines = ("text whose lines end with CR alone", Remedy::Pipe("tr '\\r' '\\n' < FILE"));
    match known.or(tar).or(has_no_lines.then_some(no_lines)) {
        Some((what, remedy)) => Err(FormatError::NotPlainText { what, remedy }),
        None => Ok(()),
    }
}

/// Refuses a text that is JSON, and says how to get puzzles out of it.
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
        (Some(b'"'), _) if is_text(text) => ("JSON texts", "jq -r . FILE"),
        _ => return Ok(()),
    };
    Err(FormatError::NotPlainText { what, remedy: Remedy::Pipe(remedy) })
}

/// Returns whether the first inner array is a row of a grid: it holds numbers, no more than the largest side.
fn is_one_grid(text: &[u8]) -> bool {
    let inner = text.iter().skip_while(|byte| b"[ \r\n\t".contains(byte));
    let row: Vec<u8> = inner.take_while(|byte| **byte != b']').copied().collect();
    let is_numbers = row.iter().all(|byte| b"0123456789, \r\n\tnul".contains(byte));
    let opens = text.iter().filter(|byte| !byte.is_ascii_whitespace()).take(3);
    is_numbers
        && opens.filter(|byte| **byte == b'[').count() == 2
        && row.split(|byte| *byte == b',').count() <= Shape::MAX_SIDE
}

/// Returns whether the first line is a text in quotes that may be a puzzle.
fn is_text(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    let inner = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
    inner.is_some_and(|inner| inner.len() >= 16 && !inner.contains(&b'"') && !inner.contains(&b','))
}

/// How many puzzles with commas between them are a list: a comma may also set a solution apart.
const LIST_WITH_COMMAS: usize = 3;

/// Refuses lines in which several puzzles stand, or a puzzle among other fields. The first line decides.
pub(super) fn refuse_fields(text: &[u8], options: &FormatOptions) -> Result<(), FormatError> {
    let Some(first) = content(text).next() else { return Ok(()) };
    let (fields, puzzles) = count_fields(first.text, b',', options);
    if puzzles == fields && puzzles >= LIST_WITH_COMMAS {
        return Err(FormatError::Fields { separator: ',', is_list: true });
    }
    let (fields, puzzles) = count_fields(first.text, b'|', options);
    if puzzles == 0 || fields < 2 || content(text).any(|line| options.is_field(line.text)) {
        return Ok(());
    }
    Err(FormatError::Fields { separator: '|', is_list: puzzles == fields })
}

/// Returns how many fields a line has that are not blank, and how many of them are puzzles.
fn count_fields(line: &[u8], separator: u8, options: &FormatOptions) -> (usize, usize) {
    let fields = line.split(|&byte| byte == separator).map(<[u8]>::trim_ascii);
    let fields = fields.filter(|field| !field.is_empty());
    fields.fold((0, 0), |(all, puzzles), field| (all + 1, puzzles + usize::from(options.is_field(field))))
}
