//! Attributes of records: the number of clues, or the field of a column. You sort, sample and split a
//! collection by the values of its attributes.

use std::str::{self, FromStr};

use super::criteria::{Field, long_digits, number};

/// An attribute as the user writes it: `clues`, a column, or bins of the numbers in a column, e.g. `rating
/// by 0.5`.
///
/// `clues` is the number of clues of the puzzle. If a column has that name too, write `column(clues)` for
/// the column.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeName {
    /// The name of the column; `None` for the number of clues.
    column: Option<String>,
    bins: Option<Bins>,
}

/// An attribute of the records of one file.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Where the field is in each record; `None` for the number of clues.
    field: Option<Field>,
    bins: Option<Bins>,
    /// Whether greater values come first.
    pub descending: bool,
}

/// Bins of equal width. One of them begins at 0, so that the bounds are multiples of the width (e.g. 2.0,
/// 2.5, 3.0).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bins {
    width: f64,
    /// How many decimals the user wrote the width with. Bounds are written with as many, so that `by 0.5`
    /// gives `2.0 to below 2.5`.
    decimals: usize,
}

impl FromStr for AttributeName {
    type Err = String;

    fn from_str(text: &str) -> Result<AttributeName, String> {
        let bins =
            text.rsplit_once(" by ").and_then(|(name, width)| Some((name, number(width.trim())?, width)));
        let (name, bins) = match bins {
            Some((_, width, _)) if width <= 0.0 => {
                return Err(format!("'{text}': bins need a width above 0"));
            }
            Some((name, width, written)) => {
                let decimals = written.trim().split_once('.').map_or(0, |(_, decimals)| decimals.len());
                (name.trim(), Some(Bins { width, decimals }))
            }
            None => (text.trim(), None),
        };
        let column = name.strip_prefix("column(").and_then(|name| name.strip_suffix(')'));
        let name = column.unwrap_or(name).trim();
        if name.is_empty() {
            return Err(format!(
                "'{text}' names no column: give one, or clues, or bins as in 'rating by 0.5'"
            ));
        }
        let is_column = column.is_some() || name != "clues";
        Ok(AttributeName { column: is_column.then(|| name.to_owned()), bins })
    }
}

impl AttributeName {
    /// Looks up the attribute in a file. `find` turns the name of a column into the place of its field.
    ///
    /// # Errors
    ///
    /// Fails if `find` does.
    pub fn resolve<E>(&self, find: impl Fn(&str) -> Result<Field, E>) -> Result<Attribute, E> {
        let field = self.column.as_deref().map(find).transpose()?;
        Ok(Attribute { field, bins: self.bins, descending: false })
    }
}

/// The first byte of a value says its kind. The kinds sort in this order, so a malformed record, which has
/// no value, comes last.
const NUMBER: u8 = 0;
const TEXT: u8 = 1;
const MISSING: u8 = 2;
const MALFORMED: u8 = u8::MAX;

impl Attribute {
    /// Appends the value of a record as bytes that compare as the values do: numbers first, then texts,
    /// then missing values.
    fn put(&self, clues: usize, lines: &[u8], out: &mut Vec<u8>) {
        let Some(field) = &self.field else { return self.put_number(clues as f64, "", out) };
        let content = field.content(lines);
        let text = String::from_utf8_lossy(&content);
        match (text.trim(), number(text.trim())) {
            ("", _) => out.push(MISSING),
            (text, Some(number)) => self.put_number(number, text, out),
            (text, None) => self.put_text(text, out),
        }
    }

    /// Appends a number. Its bits are changed so that the bytes of a greater number are greater. The digits
    /// of a long whole number follow, because 64 bits of floating point cannot tell it from its neighbours.
    fn put_number(&self, number: f64, text: &str, out: &mut Vec<u8>) {
        let (number, text) = match self.bins {
            Some(bins) => (bins.index_of(number), ""),
            None => (number, text),
        };
        // Adding 0.0 turns -0 into 0, so that both have the same bits.
        let bits = (number + 0.0).to_bits();
        let bits = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
        let (length, digits) = long_digits(text);
        out.push(NUMBER);
        let begin = out.len();
        out.extend_from_slice(&bits.to_be_bytes());
        out.extend_from_slice(&(length as u32).to_be_bytes());
        out.extend_from_slice(digits.as_bytes());
        self.reverse_if_descending(&mut out[begin..]);
    }

    /// Appends a text and an end mark. The mark is less than any byte that a longer text may have there, so
    /// that `easy` comes before `easy1`. A zero byte in the text becomes 0, 255 for the same reason.
    fn put_text(&self, text: &str, out: &mut Vec<u8>) {
        out.push(TEXT);
        let begin = out.len();
        for &byte in text.as_bytes() {
            out.push(byte);
            if byte == 0 {
                out.push(u8::MAX);
            }
        }
        out.extend_from_slice(&[0, 0]);
        self.reverse_if_descending(&mut out[begin..]);
    }

    /// Inverts all bits if the order is descending, because then greater values have to compare as less.
    fn reverse_if_descending(&self, value: &mut [u8]) {
        if self.descending {
            value.iter_mut().for_each(|byte| *byte = !*byte);
        }
    }

    /// Writes a value for people, e.g. `2.0 to below 2.5` for a bin. The attribute must not be descending,
    /// because its bytes would be inverted.
    ///
    /// # Panics
    ///
    /// If a number has fewer than eight bytes, so that it is not a value of an attribute.
    #[must_use]
    pub fn label(&self, value: &[u8]) -> String {
        match value {
            [NUMBER, rest @ ..] => {
                let (bits, digits) = rest.split_first_chunk().expect("a number has eight bytes");
                let bits = u64::from_be_bytes(*bits);
                let bits = if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits };
                match (&digits[4..], self.bins) {
                    ([], Some(bins)) => bins.label(f64::from_bits(bits)),
                    ([], None) => f64::from_bits(bits).to_string(),
                    (digits, _) => String::from_utf8_lossy(digits).into_owned(),
                }
            }
            [TEXT, text @ .., 0, 0] => String::from_utf8_lossy(text).replace("\0\u{fffd}", "\0"),
            [MISSING] => "(none)".to_owned(),
            [MALFORMED] => "(malformed)".to_owned(),
            // Records without attributes have an empty value.
            _ => String::new(),
        }
    }
}

impl Bins {
    /// Returns the number of the bin that a number falls into. Quotients within a thousand-millionth of a
    /// whole number are rounded to it, because floating point is inexact: 2.3 belongs to the bin of width
    /// 0.1 that begins with it, but 2.3 / 0.1 is 22.999999999999996.
    fn index_of(self, number: f64) -> f64 {
        let quotient = number / self.width;
        let nearest = quotient.round();
        let is_whole = (quotient - nearest).abs() <= 1e-9 * quotient.abs().max(1.0);
        if is_whole { nearest } else { quotient.floor() }
    }

    /// Writes the bounds of a bin.
    fn label(self, bin: f64) -> String {
        let Bins { width, decimals } = self;
        format!("{:.decimals$} to below {:.decimals$}", bin * width, (bin + 1.0) * width)
    }
}

/// The values of records for some attributes, concatenated in the order of the records.
#[derive(Clone, Debug, Default)]
pub struct RecordValues {
    bytes: Vec<u8>,
    /// Where the values of each record end in `bytes`.
    ends: Vec<usize>,
}

impl RecordValues {
    /// Adds the values of a record from its number of clues and its lines. `None` for the clues marks the
    /// record as malformed.
    pub fn push(&mut self, attributes: &[Attribute], clues: Option<usize>, lines: &[u8]) {
        match clues {
            Some(clues) => attributes.iter().for_each(|it| it.put(clues, lines, &mut self.bytes)),
            None => self.bytes.push(MALFORMED),
        }
        self.ends.push(self.bytes.len());
    }

    /// Adds a value that is in bytes already.
    #[cfg(test)]
    pub(super) fn push_bytes(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
    }

    /// Iterates over the values of each record.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.bytes[std::mem::replace(&mut start, end)..end])
    }

    /// Removes all values.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(name: &str) -> Attribute {
        let name: AttributeName = name.parse().unwrap();
        name.resolve(|_| Ok::<_, ()>(Field::Column { index: 0, separator: b',' })).unwrap()
    }

    fn value(attribute: &Attribute, field: &str) -> Vec<u8> {
        let mut value = Vec::new();
        attribute.put(30, field.as_bytes(), &mut value);
        value
    }

    fn bin(name: &str, field: &str) -> String {
        let attribute = attribute(name);
        attribute.label(&value(&attribute, field))
    }

    #[test]
    fn values_compare_as_numbers_and_texts_and_missing_ones_are_last() {
        let ascending = [
            "-1e9",
            "-2.5",
            "-2",
            "0",
            "0.5",
            "9",
            "10",
            "1e9",
            "9999999999999999",
            "10000000000000000",
            "10000000000000001",
            "Hard",
            "easy",
            "easy\0",
            "easy\0a",
            "easy1",
            "hard",
        ];
        let mut rating = attribute("rating");
        let values: Vec<_> = ascending.iter().map(|field| value(&rating, field)).collect();
        assert!(values.is_sorted_by(|one, other| one < other));
        assert!(value(&rating, " ") > values[ascending.len() - 1]);
        for (one, other) in [("7", "7.0"), ("0", "-0"), ("007", "7"), ("easy", " easy ")] {
            assert_eq!(value(&rating, one), value(&rating, other));
        }
        rating.descending = true;
        let (numbers, texts) = ascending.split_at(11);
        let turned = numbers.iter().rev().chain(texts.iter().rev()).chain(&[""]);
        assert!(turned.map(|field| value(&rating, field)).is_sorted_by(|one, other| one < other));
    }

    #[test]
    fn several_values_compare_one_after_the_other() {
        let rows = ["a,2", "a,10", "a,", "aa,1", ",7"];
        let columns = [0, 1].map(|index| Attribute {
            field: Some(Field::Column { index, separator: b',' }),
            bins: None,
            descending: false,
        });
        let mut values = RecordValues::default();
        rows.iter().for_each(|row| values.push(&columns, Some(20), row.as_bytes()));
        values.push(&columns, None, b"b,2");
        assert!(values.iter().is_sorted_by(|one, other| one < other));
        assert_eq!(values.iter().count(), 6);
    }

    #[test]
    fn numbers_fall_into_bins() {
        assert_eq!(bin("rating by 0.5", "2.3"), "2.0 to below 2.5");
        assert_eq!(bin("rating by 0.1", "2.3"), "2.3 to below 2.4");
        assert_eq!(bin("rating by 10", "-1"), "-10 to below 0");
        assert_eq!(bin("rating by 1.0", "hard"), "hard");
        assert_eq!(bin("rating by 1.0", ""), "(none)");
        assert_eq!(bin("clues by 5", "x"), "30 to below 35");
        for tenth in 0..200 {
            let text = format!("{}.{}", tenth / 10, tenth % 10);
            assert!(bin("rating by 0.1", &text).starts_with(&text), "{text}");
        }
    }

    #[test]
    fn values_have_labels() {
        for (field, label) in [("7.50", "7.5"), ("30", "30"), ("easy", "easy"), ("-2", "-2"), (" ", "(none)")]
        {
            assert_eq!(bin("rating", field), label);
        }
        let solution = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        assert_eq!((bin("rating", solution), bin("clues", "7")), (solution.to_owned(), "30".to_owned()));
        assert_eq!(bin("column(clues)", "7"), "7");
    }

    #[test]
    fn wrong_names_of_attributes_are_refused() {
        for (text, why) in [("", "names no column"), ("rating by 0", "above 0"), (" by 2", "names no column")]
        {
            assert!(text.parse::<AttributeName>().unwrap_err().contains(why), "{text}");
        }
        let column = |text: &str| text.parse::<AttributeName>().unwrap().column;
        assert_eq!(column("made by me"), Some("made by me".to_owned()));
        assert_eq!((column("clues"), column("column(clues)")), (None, Some("clues".to_owned())));
    }
}
