//! The field of a record that a condition is about: in a column of a table, or under a key.

use std::borrow::Cow;

use gridmill_data::text::{Layout, json_field, raw_fields};

use super::command_error::CommandError;

/// The columns of a puzzle bank besides the puzzle, and their places in a line.
const OF_BANKS: [(&str, usize); 2] = [("hash", 0), ("rating", 2)];

/// Where in each record of a file a field is.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    Column { index: usize, separator: u8 },
    Key(String),
    Word(usize),
}

impl Field {
    /// Finds the field of a column, by its name or its number from 1, or of a key.
    pub(crate) fn find(layout: &Layout, name: &str) -> Result<Field, CommandError> {
        let unknown = |unit, known| CommandError::NoField { unit, name: name.to_owned(), known };
        if let Some(header) = &layout.header {
            return match header.find(Some(name), &[])[..] {
                [index] => Ok(Field::Column { index, separator: header.separator }),
                [] => Err(unknown("column", header.names())),
                ref several => Err(CommandError::SeveralFields { columns: header.with_numbers(several) }),
            };
        }
        if let Some(keys) = layout.json_keys() {
            let is_known = keys.iter().any(|key| key == name);
            return if is_known {
                Ok(Field::Key(name.to_owned()))
            } else {
                Err(unknown("key", keys.to_vec()))
            };
        }
        if layout.format_name() != "bank" {
            return Err(CommandError::NoFields);
        }
        let word = OF_BANKS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let known = || OF_BANKS.map(|(known, _)| known.to_owned()).to_vec();
        word.map(|(_, place)| Field::Word(*place)).ok_or_else(|| unknown("column", known()))
    }

    /// Returns the content of the field in the lines of a record; nothing where it has none.
    pub(crate) fn of<'a>(&self, lines: &'a [u8]) -> Cow<'a, [u8]> {
        let found = match self {
            Field::Column { index, separator } => raw_fields(lines, *separator).nth(*index).map(content),
            Field::Key(key) => json_field(lines, key),
            Field::Word(place) => words(lines).nth(*place).map(Cow::Borrowed),
        };
        found.unwrap_or_default()
    }
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Returns the content of a CSV field, which may stand in quotes.
fn content(field: &[u8]) -> Cow<'_, [u8]> {
    let inner = field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\""));
    let Some(inner) = inner else { return Cow::Borrowed(field) };
    if memchr::memchr(b'"', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut quotes = 0;
    // Of each two quotes, the second one goes.
    let is_kept = |byte: &&u8| {
        quotes += usize::from(**byte == b'"');
        **byte != b'"' || quotes % 2 == 1
    };
    Cow::Owned(inner.iter().filter(is_kept).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_without_quotes() {
        let field = Field::Column { index: 1, separator: b';' };
        for (row, expected) in [
            ("a;b;c", "b"),
            ("a;\"b;c\"", "b;c"),
            ("a;\"say \"\"b\"\"\"\"\";", "say \"b\"\""),
            ("a", ""),
            ("a;\"\"", ""),
        ] {
            assert_eq!(field.of(row.as_bytes()), expected.as_bytes(), "{row}");
        }
        assert_eq!(&*Field::Word(2).of(b" 0123  ....\t 3.5 x"), b"3.5");
    }
}
