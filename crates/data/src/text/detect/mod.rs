//! Detection of the format of a file from its beginning, and of files that are no text.

pub(super) mod columns;
mod fields;
pub(super) mod header;
pub(super) mod heuristics;
mod json;
pub(super) mod options;

use gridmill_core::grid::{Pencilmarks, Puzzle};

use crate::text::{
    Batch, CsvHeader, Format, FormatError, FormatOptions, GridPuzzle, Layout, PuzzleKind, PuzzleText, Remedy,
};

/// How many bytes of a file [`detect`] needs.
pub const HEAD_BYTES: usize = 64 * 1024;

/// The format that the user chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FormatChoice {
    /// No choice: the format is detected.
    #[default]
    Auto,
    /// One puzzle a line.
    Line,
    /// CSV with a header.
    Csv,
    /// JSON Lines: an object a line.
    Jsonl,
    /// Puzzles in rows.
    Grid,
    /// Lines of a puzzle bank: a hash, the puzzle, a rating.
    Bank,
    /// Lines of a HoDoKu library.
    Hodoku,
    /// Lines of pencilmarks, 729 characters each. They are no classic puzzles: [`detect`] reads them as
    /// malformed lines.
    Pencilmarks,
}

/// The result of [`detect`].
#[non_exhaustive]
pub struct Detected {
    /// The format of the records.
    pub format: Box<dyn Format>,
    /// Bytes in front of the first record: a byte-order mark, comments, a header.
    pub body: usize,
    /// The header, if the file is CSV.
    pub header: Option<CsvHeader>,
}

/// Detects the format of a file of classic puzzles. `head` is its beginning, [`HEAD_BYTES`] or all of it.
///
/// # Errors
///
/// Where the file is no text (UTF-16, or still compressed), or its lines do not end with LF, or it is CSV
/// without a header, without a known puzzle column or with several.
///
/// ```
/// use gridmill_data::text::{detect, FormatChoice};
///
/// let head = b"quizzes,solutions\n";
/// let found = detect(head, FormatChoice::Auto, None).unwrap();
/// assert_eq!((found.format.name(), found.body), ("csv", 18));
/// ```
pub fn detect(
    head: &[u8],
    choice: FormatChoice,
    puzzle_column: Option<&str>,
) -> Result<Detected, FormatError> {
    let layout = FormatOptions::classic(choice, puzzle_column).layout(head, false)?;
    let layout = layout.expect("the alphabet of classic puzzles is known");
    Ok(Detected { format: layout.format(), body: layout.body, header: layout.header })
}

/// Returns whether the format is certain, whatever bytes follow `head`: for a stream that pauses before
/// [`HEAD_BYTES`].
#[must_use]
pub fn is_decided(head: &[u8], choice: FormatChoice) -> bool {
    FormatOptions::classic(choice, None).is_decided(head)
}

/// Returns whether a text that begins so holds puzzles, though not how they are written, where a user must say that.
pub(crate) fn holds_puzzles(head: &[u8]) -> bool {
    match FormatOptions::default().layout(head, true) {
        Ok(Some(layout)) => match layout.kind() {
            PuzzleKind::Classic => has_puzzle::<Puzzle>(&layout, head),
            PuzzleKind::AnyShape => has_puzzle::<GridPuzzle>(&layout, head),
            PuzzleKind::Pencilmarks => has_puzzle::<Pencilmarks>(&layout, head),
        },
        Ok(None) => true,
        Err(error) => !matches!(error, FormatError::NotPlainText { .. }),
    }
}

fn has_puzzle<P: PuzzleText>(layout: &Layout, head: &[u8]) -> bool {
    let mut batch = Batch::default();
    layout.format::<P>().read(&head[layout.body..], &mut batch);
    !batch.puzzles.is_empty()
}

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

pub(in crate::text) fn refuse_other_than_text(head: &[u8]) -> Result<(), FormatError> {
    let known = OTHERS.iter().find(|(signature, ..)| head.starts_with(signature));
    let known = known.map(|&(_, what, remedy)| (what, remedy));
    let is_tar = head.get(TAR_MAGIC) == Some(b"ustar");
    let tar = is_tar.then_some(("a tar archive", Remedy::Pipe("tar -xOf FILE")));
    match known.or(tar) {
        Some((what, remedy)) => Err(FormatError::NotPlainText { what, remedy }),
        None => refuse_other_line_ends(head),
    }
}

fn refuse_other_line_ends(head: &[u8]) -> Result<(), FormatError> {
    if head.trim_ascii().contains(&b'\r') && !head.contains(&b'\n') {
        let what = "text whose lines end with CR alone";
        let remedy = Remedy::Pipe("tr '\\r' '\\n' < FILE");
        return Err(FormatError::NotPlainText { what, remedy });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn name(text: &str) -> &'static str {
        detect(text.as_bytes(), FormatChoice::Auto, None).unwrap().format.name()
    }

    #[test]
    fn first_lines_tell_the_format() {
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
            (format!("{}\n{0}\n{}\n", numbers[1..].join(" "), numbers.join(" ")), "line"),
            (format!("{LINE},{LINE}\n"), "line"),
            (format!("puzzle\n{LINE}\n"), "csv"),
            (format!("id,Quizzes,solutions\n1,{LINE},x\n"), "csv"),
            (format!("#,puzzle\n1,{LINE}\n"), "csv"),
            (format!("source,question,answer,rating\nx,{LINE},,0\n"), "csv"),
            (rows.clone(), "grid"),
            (format!("Grid 01\n{rows}"), "grid"),
            (format!("Puzzle\n{rows}"), "grid"),
            (format!("{}\n{}\n{}", &rows[..30], &rows[30..60], &rows[60..]), "grid"),
            (format!("+---+---+---+\n{rows}"), "grid"),
            (numbers.join("\n"), "grid"),
            (format!("# by hand\nbad\n0000183b305c {LINE}  1.2\n"), "bank"),
            (format!(":0000:x:{LINE}:::\n"), "hodoku"),
            (format!("#ARuud\n#D1-2-2026\n{rows}"), "grid"),
            (format!("[Puzzle]\n{rows}[State]\n{rows}"), "grid"),
            // A remark, and a first column that is no puzzle.
            (format!("{LINE} 0000183b305c {LINE}\n0000183b305c {LINE}\n"), "line"),
            (format!("{LINE}:0000:x:\n:0000:x:{LINE}:::\n"), "hodoku"),
            (numbers.chunks(20).map(|line| line.join(" ") + "\n").collect(), "grid"),
        ] {
            assert_eq!(name(&text), format, "{text}");
        }
    }

    #[test]
    fn puzzles_are_told_from_other_texts() {
        let rows: String =
            LINE.as_bytes().chunks(9).map(|row| format!("{}\n", str::from_utf8(row).unwrap())).collect();
        for text in [
            format!("{LINE}\n"),
            format!("id,puzzle\n1,{LINE}\n"),
            format!("id;puzzle\n1;{LINE}\n"),
            format!("1,{LINE}\n"),
            rows,
            gridmill_core::grid::Pencilmarks::from(&LINE.parse().unwrap()).to_string(),
            "1.....3..4.....2\n".to_owned(),
            format!("{}\n", "1".repeat(255) + "."),
        ] {
            assert!(holds_puzzles(text.as_bytes()), "{text}");
        }
        for text in [
            "Sudoku\n======\n\nPuzzles, as they were collected in 2019, 2020 and 2021.\n",
            "MIT License\n\nCopyright (c) 2026\n\nPermission is hereby granted, free of charge\n",
            "----------------\n",
            "",
        ] {
            assert!(!holds_puzzles(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn whole_lines_of_a_pipe_decide() {
        let marks = gridmill_core::grid::Pencilmarks::from(&LINE.parse().unwrap());
        for line in [format!("0000183b305c {LINE}"), format!(":0000:x:{LINE}:::"), marks.to_string()] {
            assert!(is_decided(format!("# comment\n{line}\n").as_bytes(), FormatChoice::Auto), "{line}");
            assert!(!is_decided(line.as_bytes(), FormatChoice::Auto), "{line}");
        }
        assert!(!is_decided(b"[Puzzle]\n", FormatChoice::Auto));
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
    fn what_cannot_be_read_is_refused_with_a_remedy() {
        let refusal = |text: &[u8], choice, column| match detect(text, choice, column) {
            Ok(_) => panic!("accepted"),
            Err(error) => error,
        };
        let message = |text: &[u8], choice, column| refusal(text, choice, column).to_string();
        let remedy = |text: &[u8], choice| match refusal(text, choice, None) {
            FormatError::NotPlainText { remedy, .. } => remedy,
            other => panic!("{other}"),
        };
        let unknown = format!("id,cells\n1,{LINE}\n");
        assert!(message(unknown.as_bytes(), FormatChoice::Auto, None).contains("id, cells"));
        assert!(message(unknown.as_bytes(), FormatChoice::Auto, Some("cell")).contains("'cell'"));
        assert!(detect(unknown.as_bytes(), FormatChoice::Auto, Some("cells")).is_ok());
        assert!(message(b"", FormatChoice::Csv, None).contains("header"));
        for (head, expected) in [
            (&b"BZh91AY&SY"[..], Remedy::Pipe("bzcat FILE")),
            (b"7z\xbc\xaf\x27\x1c", Remedy::Pipe("7z x -so FILE")),
            (b"\x1f\x8b\x08", Remedy::Unpack("gunzip")),
            (&[&[b'a'; 257][..], b"ustar"].concat(), Remedy::Pipe("tar -xOf FILE")),
        ] {
            assert_eq!(remedy(head, FormatChoice::Auto), expected);
        }
        let headless = format!("1,{LINE},x\n");
        assert_eq!(refusal(headless.as_bytes(), FormatChoice::Auto, None), FormatError::Headless);
        let old_lines = format!("{LINE}\r{LINE}\r");
        let expected = Remedy::Pipe("tr '\\r' '\\n' < FILE");
        assert_eq!(remedy(old_lines.as_bytes(), FormatChoice::Auto), expected);
        assert_eq!(name(&format!("{LINE}\r")), "line");
        assert_eq!(remedy(b"\xff\xfe1\0", FormatChoice::Line), Remedy::Convert("iconv -f UTF-16 -t UTF-8"));
    }
}
