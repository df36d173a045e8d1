//! Rows of JSON Lines, one object per record.

use super::csv::{free_name, printable};
use crate::text::{FaultKind, Layout, PuzzleText, Record, SourceEcho, csv_fields, json_value};

/// The data of the input, with which each row begins: the keys of JSON input unchanged, and the columns of CSV input as
/// texts. If a record can't be read and is not a JSON object either, `puzzle` repeats its text. By default, records are
/// lines with only a puzzle.
#[derive(Clone, Debug, Default)]
pub struct JsonInputKeys {
    source: JsonSource,
    /// The keys that exist already. New keys have to differ from them.
    taken: Vec<String>,
}

/// The kind of input, which decides the keys before the new ones.
#[derive(Clone, Debug, Default)]
enum JsonSource {
    /// Lines with a puzzle each, which becomes the key `puzzle`.
    #[default]
    Lines,
    /// A table: its columns as `"name":`, the index of the puzzle's column, and the separator.
    Table(Vec<Vec<u8>>, usize, u8),
    /// JSON objects, with the key of the puzzle.
    Objects(String),
}

impl JsonInputKeys {
    /// Chooses the beginning of rows for a layout.
    pub fn for_layout(layout: &Layout) -> JsonInputKeys {
        let (source, taken) = match (&layout.header, layout.json_key()) {
            (Some(header), _) => {
                let names = distinct(header.names());
                let keys = names.iter().map(|name| key(name)).collect();
                (JsonSource::Table(keys, header.column, header.separator), names)
            }
            (None, Some(key)) => {
                (JsonSource::Objects(key.to_owned()), layout.json_keys().unwrap_or_default().to_vec())
            }
            (None, None) => return JsonInputKeys::default(),
        };
        JsonInputKeys { source, taken }
    }

    /// Writes a new key, as `,"status":`, with another name if that is taken.
    pub fn new_key(&self, name: &str) -> Vec<u8> {
        [b",", &key(&free_name(name, &self.taken))[..]].concat()
    }

    /// Appends the beginning of a row, up to the new keys.
    pub fn write(&self, record: &Record, text: &[u8], puzzle: Option<&impl PuzzleText>, out: &mut Vec<u8>) {
        if matches!(self.source, JsonSource::Objects(_)) && is_object(record) {
            let text = text.trim_ascii();
            let open = text.strip_suffix(b"}").unwrap_or(text).trim_ascii_end();
            out.extend_from_slice(open);
            if open.len() == 1 {
                // An empty object gets a `null` puzzle, because the new keys begin with a comma.
                out.extend_from_slice(b"\"puzzle\":null");
            }
            return;
        }
        let put_value = |out: &mut Vec<u8>| match (record.echo, puzzle) {
            (SourceEcho::Verbatim, _) => put_json_string(text, out),
            (_, Some(puzzle)) => put_written(|out| puzzle.write(out), out),
            (_, None) => put_json_string(printable(text).as_bytes(), out),
        };
        self.put_columns(record, text, put_value, false, out);
    }

    /// Appends a whole row without new keys. If the puzzle could be read, `puzzle` writes it.
    #[inline]
    pub(super) fn put_converted_row(
        &self,
        record: &Record,
        text: &[u8],
        puzzle: Option<impl Fn(&mut Vec<u8>)>,
        out: &mut Vec<u8>,
    ) {
        let put_value = |out: &mut Vec<u8>| match &puzzle {
            Some(puzzle) => put_written(puzzle, out),
            None => put_json_string(printable(text).as_bytes(), out),
        };
        match &self.source {
            JsonSource::Objects(key) if is_object(record) => {
                let object = text.trim_ascii();
                match puzzle.as_ref().and_then(|_| json_value(object, key)) {
                    Some(value) => {
                        out.extend_from_slice(&object[..value.start]);
                        put_value(out);
                        out.extend_from_slice(&object[value.end..]);
                    }
                    None => out.extend_from_slice(object),
                }
            }
            _ => {
                self.put_columns(record, text, put_value, puzzle.is_some(), out);
                out.push(b'}');
            }
        }
        out.push(b'\n');
    }

    /// Appends a bracket and the columns of input that is not an object. If `replaced`, `put_value` writes
    /// the column of the puzzle.
    #[inline]
    fn put_columns(
        &self,
        record: &Record,
        text: &[u8],
        put_value: impl Fn(&mut Vec<u8>),
        replaced: bool,
        out: &mut Vec<u8>,
    ) {
        let (names, column, separator) = match &self.source {
            JsonSource::Table(names, column, separator) => (&names[..], *column, *separator),
            JsonSource::Lines | JsonSource::Objects(_) => (&[][..], 0, b','),
        };
        out.push(b'{');
        if names.is_empty() || record.echo == SourceEcho::Field {
            out.extend_from_slice(names.get(column).map_or(b"\"puzzle\":", |name| name));
            return put_value(out);
        }
        let fields = csv_fields(text, separator);
        for (index, name) in names.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(name);
            match replaced && index == column {
                true => put_value(out),
                false => put_json_string(fields.get(index).unwrap_or_default(), out),
            }
        }
    }
}

/// Makes names distinct: each repetition gets a number, e.g. `id`, `id_2`.
pub fn distinct(names: Vec<String>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut all = std::iter::once(name.clone()).chain(numbered);
        taken.extend(all.find(|name| !taken.contains(name)));
    }
    taken
}

/// Returns whether a line of JSON input is an object, even if it has no puzzle.
pub(super) fn is_object(record: &Record) -> bool {
    let kind = record.fault.map(|fault| fault.kind);
    !matches!(kind, Some(FaultKind::NotJson | FaultKind::NotUtf8(_) | FaultKind::TooLong { .. }))
}

pub(super) fn key(name: &str) -> Vec<u8> {
    let mut key = Vec::new();
    put_json_string(name.as_bytes(), &mut key);
    key.push(b':');
    key
}

/// Appends the output of `write` as a JSON string. Cells need no escapes, but the user's own alphabet may.
pub(super) fn put_written(write: impl Fn(&mut Vec<u8>), out: &mut Vec<u8>) {
    let start = out.len();
    out.push(b'"');
    write(out);
    if needs_escapes(&out[start + 1..]) {
        let written = out.split_off(start);
        return put_json_string(&written[1..], out);
    }
    out.push(b'"');
}

/// Appends a text in quotes, with escapes if it needs them.
pub fn put_json_string(text: &[u8], out: &mut Vec<u8>) {
    if needs_escapes(text) {
        let text = String::from_utf8_lossy(text);
        // Neither call can fail: a string is valid JSON, and a `Vec` takes every byte.
        let _ = serde_json::to_writer(out, &*text);
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}

fn needs_escapes(text: &[u8]) -> bool {
    text.iter().any(|&byte| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\'))
}
