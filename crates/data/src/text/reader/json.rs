//! JSON Lines: one object per line, with the puzzle under one of its keys.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::text::format::csv::without_brackets;
use crate::text::{Fault, FaultKind, FoundPuzzle, MAX_ROW, PuzzleReader, is_skipped, lines};

/// Reads lines with a JSON object each. The puzzle is a string, written like on a line of its own, or an
/// array of numbers (perhaps nested), with 0 or `null` for a blank.
///
/// ```
/// use gridmill_data::text::{AnyShapeReader, Batch, Format, JsonReader, LineFormat};
///
/// let text = b"{\"id\": 7, \"puzzle\": [[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]]}\n";
/// let reader = JsonReader { key: "puzzle".to_owned(), reader: AnyShapeReader::new(None, Vec::new()) };
/// let mut batch = Batch::default();
/// LineFormat(reader).read(text, &mut batch);
/// assert_eq!(batch.puzzles[0].grid.clue_count(), 4);
/// ```
#[derive(Clone, Debug)]
pub struct JsonReader<R> {
    /// The key of the puzzle.
    pub key: String,
    /// Reads the puzzle.
    pub reader: R,
}

impl<R: PuzzleReader> PuzzleReader for JsonReader<R> {
    type Puzzle = R::Puzzle;

    fn max_line_len(&self) -> usize {
        MAX_ROW
    }

    fn read(&self, line: &[u8]) -> Result<FoundPuzzle<R::Puzzle>, Fault> {
        let value = value_of(line, &self.key)?.ok_or(Fault::new(FaultKind::NoKey, 0))?;
        let cells = CellText::new(line, value)?;
        let read =
            if cells.is_list { self.reader.read_list(&cells.text) } else { self.reader.read(&cells.text) };
        match read {
            Ok(found) => Ok(FoundPuzzle::in_line(found.puzzle, cells.place(found.first_cell), line)),
            Err(fault) => Err(Fault::new(fault.kind, cells.place(fault.offset as usize))),
        }
    }
}

/// Iterates over the texts of the puzzles in some lines. Lines without one are skipped.
pub(in crate::text) fn puzzle_texts<'a>(text: &'a [u8], key: &'a str) -> impl Iterator<Item = Cow<'a, [u8]>> {
    objects(text).filter_map(|line| Some(CellText::new(line, value_of(line, key).ok()??).ok()?.text))
}

/// Collects the distinct keys of the objects in some lines, in order.
pub(in crate::text) fn keys(text: &[u8]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for line in objects(text) {
        // An error is ignored, because the last line may be cut.
        let _ = each_entry(line, |key, _| {
            if !keys.iter().any(|known| *known == key) {
                keys.push(key.into_owned());
            }
        });
    }
    keys
}

/// Iterates over the lines that may be objects.
fn objects(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines(text).map(|line| line.text).filter(|line| !is_skipped(line) && line.len() <= MAX_ROW)
}

/// Returns whether a line begins like an object.
pub(in crate::text) fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().first() == Some(&b'{')
}

/// Finds the raw value of a key in the object of a line. If a key occurs twice, its last value counts.
fn value_of<'a>(line: &'a [u8], key: &str) -> Result<Option<&'a str>, Fault> {
    let mut value = None;
    each_entry(line, |found, written| {
        if found == key {
            value = Some(written);
        }
    })?;
    Ok(value)
}

/// Finds the range of a key's value in a line; `None` if the line has no such object.
pub fn json_value(line: &[u8], key: &str) -> Option<Range<usize>> {
    let value = value_of(line, key).ok()??;
    let start = value.as_ptr() as usize - line.as_ptr() as usize;
    Some(start..start + value.len())
}

/// Finds the raw values of several keys in the object of a line, in one pass. `place` says which keys are
/// wanted. A missing key gives `None`, and so does a line that is not an object. If a key occurs twice, its
/// last value counts.
pub fn json_values<const N: usize>(line: &[u8], place: impl Fn(&str) -> Option<usize>) -> [Option<&str>; N] {
    let mut values = [None; N];
    let read = each_entry(line, |key, value| {
        if let Some(place) = place(&key) {
            values[place] = Some(value);
        }
    });
    read.map_or([None; N], |()| values)
}

/// Lists the keys of the object in a line, with their raw values; empty if there is no object.
pub fn json_entries(line: &[u8]) -> Vec<(Cow<'_, str>, &str)> {
    let mut entries = Vec::new();
    let read = each_entry(line, |key, value| entries.push((key, value)));
    read.map_or(Vec::new(), |()| entries)
}

/// Converts a raw value to text: a string to its content, `null` to an empty text, and anything else stays
/// unchanged.
pub fn json_text(value: &str) -> Cow<'_, [u8]> {
    match value.as_bytes() {
        [b'"', ..] => unescaped(value),
        b"null" => Cow::Borrowed(b""),
        written => Cow::Borrowed(written),
    }
}

/// Finds the value of a key in the object of a line: the content of a string, or any other value unchanged.
/// `None` if the line is no object, or the value is missing or `null`.
pub(crate) fn json_field<'a>(line: &'a [u8], key: &str) -> Option<Cow<'a, [u8]>> {
    value_of(line, key).ok()?.filter(|&value| value != "null").map(json_text)
}

/// Calls `each` with the keys of the object in a line and their raw values, including those before an
/// error.
fn each_entry<'a>(line: &'a [u8], each: impl FnMut(Cow<'a, str>, &'a str)) -> Result<(), Fault> {
    if !is_object(line) {
        return Err(Fault::new(FaultKind::NotJson, 0));
    }
    let text = str::from_utf8(line).map_err(|error| {
        let offset = error.valid_up_to();
        Fault::new(FaultKind::foreign(&line[offset..]), offset)
    })?;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = deserializer.deserialize_map(Entries(each)).and_then(|()| deserializer.end());
    // serde_json counts columns from 1.
    read.map_err(|error| Fault::new(FaultKind::NotJson, error.column().saturating_sub(1)))
}

/// Passes keys and values to a function.
struct Entries<F>(F);

impl<'de, F: FnMut(Cow<'de, str>, &'de str)> Visitor<'de> for Entries<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
            self.0(key, value.get());
        }
        Ok(())
    }
}

/// A key. It allocates only if it contains escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The cells of a value, as a line of text.
struct CellText<'a> {
    text: Cow<'a, [u8]>,
    /// Whether it was a list in brackets.
    is_list: bool,
    /// For each piece of the text: where it begins in the text, and where in the line of the object. Faults
    /// are reported with places in the line.
    places: Vec<(usize, usize)>,
}

impl<'a> CellText<'a> {
    /// Takes the cells of a value in a line.
    fn new(line: &'a [u8], value: &'a str) -> Result<CellText<'a>, Fault> {
        let at = value.as_ptr() as usize - line.as_ptr() as usize;
        match value.as_bytes()[0] {
            b'"' => {
                let text = unescaped(value);
                let list = without_brackets(&text);
                let is_list = list.is_some();
                Ok(CellText { text: list.map_or(text, Cow::Owned), is_list, places: vec![(0, at + 1)] })
            }
            b'[' => CellText::from_array(value.as_bytes(), at),
            _ => Err(Fault::new(FaultKind::NotCells, at)),
        }
    }

    /// Takes the numbers of an array, and of the arrays in it.
    fn from_array(array: &[u8], at: usize) -> Result<CellText<'a>, Fault> {
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
                _ => return Err(Fault::new(FaultKind::NotCells, at + from)),
            }
            text.push(b' ');
            from += cell.len();
        }
        Ok(CellText { text: Cow::Owned(text), is_list: true, places })
    }

    /// Finds the place in the line for an offset in the text.
    fn place(&self, offset: usize) -> usize {
        let piece = self.places.partition_point(|&(begin, _)| begin <= offset);
        let (begin, at) = self.places.get(piece.saturating_sub(1)).copied().unwrap_or_default();
        at + (offset - begin)
    }
}

/// Removes the quotes and escapes of a JSON string. Offsets after an escape are not exact.
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
    use crate::text::{AnyShapeReader, Batch, ClassicReader, Format, LineFormat};

    const LINE: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn read(text: &str) -> Batch {
        let mut batch = Batch::default();
        LineFormat(JsonReader { key: "puzzle".to_owned(), reader: ClassicReader })
            .read(text.as_bytes(), &mut batch);
        batch
    }

    /// The fault of a line, and its place in the line.
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
        assert_eq!((kind, place), (FaultKind::TooLarge { number: 12, side: 9 }, 16));
        // Separate digits are too few cells, although spaces are blanks in a line of 81 characters.
        for few in ["1, ".repeat(40), "1,".repeat(40)] {
            let (kind, _) = fault(&format!("{{\"puzzle\": [{few}1]}}"));
            assert_eq!(kind, FaultKind::CellCount { found: 41, needed: 81 });
        }
        let long = format!("{{\"puzzle\": \"{}\"}}", "x".repeat(MAX_ROW));
        assert_eq!(fault(&long), (FaultKind::too_long(MAX_ROW), 0));
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
    fn arrays_may_have_any_size() {
        let format =
            LineFormat(JsonReader { key: "p".to_owned(), reader: AnyShapeReader::new(None, Vec::new()) });
        let cells = (0..256).map(|cell| (cell % 17).to_string()).collect::<Vec<_>>().join(",");
        let mut batch = Batch::default();
        format.read(format!("{{\"p\":[{cells}]}}").as_bytes(), &mut batch);
        assert_eq!(batch.puzzles[0].grid.shape().side(), 16);
    }
}
