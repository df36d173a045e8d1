//! JSON Lines: an object a line, the puzzle under one of its keys.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::list::in_brackets;
use crate::text::{
    Batch, Cut, Fault, FaultKind, Format, MAX_RECORD, PuzzleReader, Record, SourceEcho, TextLine, is_skipped,
    lines,
};

/// Lines with a JSON object each. The puzzle is a text, as on a line of its own, or an array of numbers, perhaps of
/// arrays, with 0 or `null` for a blank.
///
/// ```
/// use gridmill_data::text::{AnyShapeReader, Batch, Format, JsonFormat};
///
/// let text = b"{\"id\": 7, \"puzzle\": [[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]]}\n";
/// let format = JsonFormat { key: "puzzle".to_owned(), reader: AnyShapeReader::new(None, Vec::new()) };
/// let mut batch = Batch::default();
/// format.read(text, &mut batch);
/// assert_eq!(batch.puzzles[0].grid.clue_count(), 4);
/// ```
#[derive(Clone, Debug)]
pub struct JsonFormat<R> {
    /// The key of the puzzle.
    pub key: String,
    /// Reads the puzzle.
    pub reader: R,
}

impl<R: PuzzleReader> Cut for JsonFormat<R> {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn whole(&self, window: &[u8]) -> usize {
        memchr::memrchr(b'\n', window).map_or(0, |feed| feed + 1)
    }
}

impl<R: PuzzleReader> Format<R::Puzzle> for JsonFormat<R> {
    fn read(&self, chunk: &[u8], batch: &mut Batch<R::Puzzle>) {
        for line in lines(chunk).filter(|line| !is_skipped(line.text)) {
            self.add(line, batch);
        }
    }
}

impl<R: PuzzleReader> JsonFormat<R> {
    fn add(&self, line: TextLine<'_>, batch: &mut Batch<R::Puzzle>) {
        let (start, len) = (line.start as u32, line.text.len() as u32);
        let record = |lead, echo, fault| Record { start, len, lead, echo, fault };
        batch.records.push(match self.read_object(line.text) {
            Ok((puzzle, lead)) => {
                batch.puzzles.push(puzzle);
                record(lead as u16, SourceEcho::Puzzle, None)
            }
            Err(fault) => record(0, SourceEcho::Field, Some(Fault { offset: start + fault.offset, ..fault })),
        });
    }

    /// Reads the puzzle of a line, and returns it with the offset of its first cell.
    fn read_object(&self, line: &[u8]) -> Result<(R::Puzzle, usize), Fault> {
        if line.len() > MAX_RECORD {
            return Err(Fault { kind: FaultKind::RecordTooLong, offset: 0 });
        }
        let value = value_of(line, &self.key)?.ok_or(Fault { kind: FaultKind::NoKey, offset: 0 })?;
        let cells = Cells::of(line, value)?;
        match self.reader.read(&cells.text) {
            Ok(found) => Ok((found.puzzle, cells.place(found.first_cell))),
            Err(fault) => Err(Fault { offset: cells.place(fault.offset as usize) as u32, ..fault }),
        }
    }
}

/// Returns the texts of the puzzles of some lines, of those that have one.
pub(in crate::text) fn puzzle_texts<'a>(text: &'a [u8], key: &'a str) -> impl Iterator<Item = Cow<'a, [u8]>> {
    let lines = lines(text).filter(|line| !is_skipped(line.text) && line.text.len() <= MAX_RECORD);
    lines.filter_map(|line| Some(Cells::of(line.text, value_of(line.text, key).ok()??).ok()?.text))
}

/// Returns the keys of the objects in some lines, each once, in order.
pub(in crate::text) fn keys(text: &[u8]) -> Vec<String> {
    let mut keys = Vec::new();
    for line in lines(text).filter(|line| !is_skipped(line.text) && line.text.len() <= MAX_RECORD) {
        // The last line may be cut.
        let _ = visit(line.text, Keys(&mut keys));
    }
    keys
}

/// Returns whether a line begins as an object does.
pub(in crate::text) fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().first() == Some(&b'{')
}

/// Returns the value of a key in the object of a line, as it is written.
fn value_of<'a>(line: &'a [u8], key: &str) -> Result<Option<&'a str>, Fault> {
    let [value] = visit(line, Values(|found: &str| (found == key).then_some(0)))?;
    Ok(value)
}

/// Returns where the value of a key stands in the object of a line; `None` if the line has no such object.
pub fn json_value(line: &[u8], key: &str) -> Option<Range<usize>> {
    let value = value_of(line, key).ok()??;
    let start = value.as_ptr() as usize - line.as_ptr() as usize;
    Some(start..start + value.len())
}

/// Returns values of the object in a line as they are written, those of the keys that have a place; nothing where the key
/// is missing, or the line is no such object. Of a key that comes twice the last value counts.
pub fn json_values<const N: usize>(line: &[u8], place: impl Fn(&str) -> Option<usize>) -> [Option<&str>; N] {
    visit(line, Values(place)).unwrap_or([None; N])
}

/// A key of an object, and its value as it is written.
pub(crate) struct JsonEntry<'a> {
    pub(crate) key: String,
    value: &'a str,
}

impl<'a> JsonEntry<'a> {
    /// Returns the value as [`json_text`] does.
    pub(crate) fn text(&self) -> Cow<'a, [u8]> {
        json_text(self.value)
    }
}

/// Returns a value as a text: that of a text itself, nothing for `null`, anything else as it is written.
pub fn json_text(value: &str) -> Cow<'_, [u8]> {
    match value.as_bytes() {
        [b'"', ..] => unescaped(value),
        b"null" => Cow::Borrowed(b""),
        written => Cow::Borrowed(written),
    }
}

/// Returns the keys of the object in a line with their values; none if there is no object.
pub(crate) fn json_entries(line: &[u8]) -> Vec<JsonEntry<'_>> {
    visit(line, Entries).unwrap_or_default()
}

/// Returns the value of a key in the object of a line: the content of a text, and anything else as it is written. `None`
/// if the line is no such object, or the value is missing or `null`.
pub fn json_field<'a>(line: &'a [u8], key: &str) -> Option<Cow<'a, [u8]>> {
    let value = value_of(line, key).ok()?.filter(|&value| value != "null")?;
    Some(if value.starts_with('"') { unescaped(value) } else { Cow::Borrowed(value.as_bytes()) })
}

/// Reads the object of a line with a visitor.
fn visit<'a, V: Visitor<'a>>(line: &'a [u8], visitor: V) -> Result<V::Value, Fault> {
    if !is_object(line) {
        return Err(Fault { kind: FaultKind::NotJson, offset: 0 });
    }
    let text = str::from_utf8(line).map_err(|error| {
        let offset = error.valid_up_to();
        Fault { kind: FaultKind::foreign(&line[offset..]), offset: offset as u32 }
    })?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = deserializer.deserialize_map(visitor);
    let value = value.and_then(|value| deserializer.end().map(|()| value));
    // Columns count from 1.
    value.map_err(|error| Fault { kind: FaultKind::NotJson, offset: error.column().saturating_sub(1) as u32 })
}

/// Finds the values of the keys that have a place, by it: the last one, where a key comes twice.
struct Values<F, const N: usize>(F);

impl<'de, F: Fn(&str) -> Option<usize>, const N: usize> Visitor<'de> for Values<F, N> {
    type Value = [Option<&'de str>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = [None; N];
        while let Some(place) = map.next_key_seed(PlaceOf(&self.0))? {
            match place {
                Some(place) => values[place] = Some(map.next_value::<&RawValue>()?.get()),
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(values)
    }
}

/// Finds the place of a key, without memory of its own.
struct PlaceOf<'f, F>(&'f F);

impl<'de, F: Fn(&str) -> Option<usize>> DeserializeSeed<'de> for PlaceOf<'_, F> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<F: Fn(&str) -> Option<usize>> Visitor<'_> for PlaceOf<'_, F> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<usize>, E> {
        Ok(self.0(key))
    }
}

/// Collects keys with their values.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Vec<JsonEntry<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
            entries.push(JsonEntry { key, value: value.get() });
        }
        Ok(entries)
    }
}

/// Collects keys.
struct Keys<'k>(&'k mut Vec<String>);

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((key, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
            if !self.0.contains(&key) {
                self.0.push(key);
            }
        }
        Ok(())
    }
}

/// The cells of a value, as a line of text.
struct Cells<'a> {
    text: Cow<'a, [u8]>,
    /// Pieces of the text: where each begins, and where it stands in the line of the object.
    places: Vec<(usize, usize)>,
}

impl<'a> Cells<'a> {
    /// Takes the cells of a value that stands in that line.
    fn of(line: &'a [u8], value: &'a str) -> Result<Cells<'a>, Fault> {
        let at = value.as_ptr() as usize - line.as_ptr() as usize;
        match value.as_bytes()[0] {
            b'"' => {
                let text = unescaped(value);
                let text = in_brackets(&text).map_or(text, Cow::Owned);
                Ok(Cells { text, places: vec![(0, at + 1)] })
            }
            b'[' => Cells::of_array(value.as_bytes(), at),
            _ => Err(Fault { kind: FaultKind::NotCells, offset: at as u32 }),
        }
    }

    /// Takes the numbers of an array, and of the arrays in it.
    fn of_array(array: &[u8], at: usize) -> Result<Cells<'a>, Fault> {
        let (mut text, mut places) = (Vec::new(), Vec::new());
        let is_between = |byte: &u8| matches!(byte, b'[' | b']' | b',') || byte.is_ascii_whitespace();
        let mut from = 0;
        while let Some(skipped) = array[from..].iter().position(|byte| !is_between(byte)) {
            from += skipped;
            let rest = &array[from..];
            let cell = &rest[..rest.iter().position(is_between).unwrap_or(rest.len())];
            places.push((text.len(), at + from));
            match cell {
                b"null" => text.push(b'0'),
                [b'-' | b'0'..=b'9', ..] => text.extend_from_slice(cell),
                _ => return Err(Fault { kind: FaultKind::NotCells, offset: (at + from) as u32 }),
            }
            text.push(b' ');
            from += cell.len();
        }
        Ok(Cells { text: Cow::Owned(text), places })
    }

    /// Returns where a byte of the text stands in the line of the object.
    fn place(&self, offset: usize) -> usize {
        let piece = self.places.partition_point(|&(begin, _)| begin <= offset);
        let (begin, at) = self.places.get(piece.saturating_sub(1)).copied().unwrap_or_default();
        at + (offset - begin)
    }
}

/// Returns the content of a JSON text. Places behind an escape are as they would be without it.
fn unescaped(value: &str) -> Cow<'_, [u8]> {
    let inner = &value[1..value.len() - 1];
    if !inner.contains('\\') {
        return Cow::Borrowed(inner.as_bytes());
    }
    let unescaped: Option<String> = serde_json::from_str(value).ok();
    Cow::Owned(unescaped.unwrap_or_default().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{AnyShapeReader, ClassicReader};

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn read(text: &str) -> Batch {
        let mut batch = Batch::default();
        JsonFormat { key: "puzzle".to_owned(), reader: ClassicReader }.read(text.as_bytes(), &mut batch);
        batch
    }

    /// Returns the fault of a line, and its place.
    fn fault(line: &str) -> (FaultKind, u32) {
        let fault = read(&format!("\n{line}\n")).records[0].fault.unwrap();
        (fault.kind, fault.offset - 1)
    }

    #[test]
    fn puzzles_are_texts_and_arrays() {
        let numbers: Vec<String> = LINE.replace('.', "0").chars().map(String::from).collect();
        let nested: Vec<String> = numbers.chunks(9).map(|row| format!("[{}]", row.join(", "))).collect();
        let nulls = format!("[{}]", numbers.join(",").replace('0', "null"));
        for value in [format!("\"{LINE}\""), format!("[{}]", nested.join(",\t")), nulls] {
            let line = format!("{{\"a\": {{\"puzzle\": [1]}}, \"puzzle\": {value}, \"b\\\"\": null}}");
            let batch = read(&format!("{line}\r\n\n"));
            assert_eq!((batch.puzzles.len(), batch.records.len()), (1, 1), "{line}");
            assert_eq!(batch.puzzles[0].to_string(), LINE);
            let record = batch.records[0];
            assert_eq!(record.len as usize, line.len());
            assert_eq!(&line[record.first_cell()..][..1], "5");
        }
        let escaped = read(&format!("{{\"puzzle\": \"\\u0035{}\"}}", &LINE[1..]));
        assert_eq!(escaped.puzzles[0].to_string(), LINE);
    }

    #[test]
    fn faults_have_their_places() {
        assert_eq!(fault("{\"puzzle\": 5}"), (FaultKind::NotCells, 11));
        assert_eq!(fault("{\"puzzle\": [1, {}]}"), (FaultKind::NotCells, 15));
        assert_eq!(fault("{\"puzzles\": []}"), (FaultKind::NoKey, 0));
        assert_eq!(fault("{\"puzzle\": \"\",}"), (FaultKind::NotJson, 14));
        assert_eq!(fault("[1]").0, FaultKind::NotJson);
        assert_eq!(fault("{\"a\": [1 2]}").0, FaultKind::NotJson);
        assert_eq!(fault("{} {}"), (FaultKind::NotJson, 3));
        let foreign = LINE.replacen('7', "w", 1);
        assert_eq!(fault(&format!("{{\"puzzle\": \"{foreign}\"}}")), (FaultKind::Foreign('w'), 16));
        let mut numbers = vec!["0"; 81];
        numbers[2] = "12";
        let (kind, place) = fault(&format!("{{\"puzzle\": [{}]}}", numbers.join(",")));
        // As in a line of numbers: the third cell is the last one that is a single digit.
        assert_eq!((kind, place), (FaultKind::CellCount { found: 3, needed: 81 }, 17));
        let long = format!("{{\"puzzle\": \"{}\"}}", "x".repeat(MAX_RECORD));
        assert_eq!(fault(&long), (FaultKind::RecordTooLong, 0));
    }

    #[test]
    fn fields_are_the_contents_of_values() {
        let line = br#"{"a": "x \u0041", "b": 1.50, "c": null, "d": [1, 2], "a b": true}"#;
        let field = |key: &str| json_field(line, key).map(|field| String::from_utf8(field.into()).unwrap());
        assert_eq!(["a", "b", "d", "a b"].map(|key| field(key).unwrap()), ["x A", "1.50", "[1, 2]", "true"]);
        assert_eq!(["c", "e"].map(field), [None, None]);
        assert_eq!(json_field(b"[]", "a"), None);
    }

    #[test]
    fn keys_are_those_of_all_lines() {
        assert_eq!(keys(b"{\"a\":1,\"b\":{\"c\":2}}\nbad\n{\"b\":1,\"d\":[]}\n{\"e\""), ["a", "b", "d"]);
    }

    #[test]
    fn arrays_may_be_of_any_size() {
        let format = JsonFormat { key: "p".to_owned(), reader: AnyShapeReader::new(None, Vec::new()) };
        let cells = (0..256).map(|cell| (cell % 17).to_string()).collect::<Vec<_>>().join(",");
        let mut batch = Batch::default();
        format.read(format!("{{\"p\":[{cells}]}}").as_bytes(), &mut batch);
        assert_eq!(batch.puzzles[0].grid.shape().side(), 16);
    }
}
