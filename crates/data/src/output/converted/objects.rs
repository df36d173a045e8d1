//! Objects of JSON Lines, with the keys or columns of the input.

use super::Spelling;
use crate::output::csv::{fields, printable};
use crate::output::json::{distinct, is_object, key, put_text, put_written};
use crate::text::{Layout, PuzzleText, Record, SourceEcho, json_value};

/// Objects: those of JSON input with the puzzle written anew, those of a table with a key for each column, and the
/// puzzle alone of any other.
#[derive(Clone, Debug)]
pub(crate) enum ObjectRows {
    Lines,
    /// The columns of a table, as `"name":`, the index of the puzzle's, and the byte between two fields.
    Table {
        names: Vec<Vec<u8>>,
        column: usize,
        separator: u8,
    },
    /// The key of the puzzle.
    Objects(String),
}

impl ObjectRows {
    pub(super) fn of(layout: &Layout) -> ObjectRows {
        match (&layout.header, layout.json_key()) {
            (Some(header), _) => ObjectRows::Table {
                names: distinct(header.names()).iter().map(|name| key(name)).collect(),
                column: header.column,
                separator: header.separator,
            },
            (None, Some(key)) => ObjectRows::Objects(key.to_owned()),
            (None, None) => ObjectRows::Lines,
        }
    }

    /// Appends an object.
    #[inline]
    pub(super) fn write<P: PuzzleText>(
        &self,
        record: &Record,
        text: &[u8],
        puzzle: Option<&P>,
        spelling: &Spelling,
        out: &mut Vec<u8>,
    ) {
        match self {
            ObjectRows::Objects(key) if is_object(record.fault.map(|fault| fault.kind)) => {
                write_again(text.trim_ascii(), key, puzzle, spelling, out);
            }
            ObjectRows::Table { names, column, separator } if record.echo != SourceEcho::Field => {
                let row = fields(text, *separator);
                for (index, name) in names.iter().enumerate() {
                    out.push(if index == 0 { b'{' } else { b',' });
                    out.extend_from_slice(name);
                    match puzzle.filter(|_| index == *column) {
                        Some(puzzle) => put_written(|out| spelling.write(puzzle, out), out),
                        None => put_text(row.get(index).unwrap_or_default(), out),
                    }
                }
                out.push(b'}');
            }
            rows => {
                out.push(b'{');
                match rows {
                    ObjectRows::Table { names, column, .. } => out.extend_from_slice(&names[*column]),
                    ObjectRows::Lines | ObjectRows::Objects(_) => out.extend_from_slice(b"\"puzzle\":"),
                }
                match puzzle {
                    Some(puzzle) => put_written(|out| spelling.write(puzzle, out), out),
                    None => put_text(printable(text).as_bytes(), out),
                }
                out.push(b'}');
            }
        }
        out.push(b'\n');
    }
}

/// Appends an object as it stands, but for the value of the puzzle if that could be read.
fn write_again<P: PuzzleText>(
    object: &[u8],
    key: &str,
    puzzle: Option<&P>,
    spelling: &Spelling,
    out: &mut Vec<u8>,
) {
    let Some((puzzle, value)) = puzzle.zip(json_value(object, key)) else {
        return out.extend_from_slice(object);
    };
    out.extend_from_slice(&object[..value.start]);
    put_written(|out| spelling.write(puzzle, out), out);
    out.extend_from_slice(&object[value.end..]);
}
