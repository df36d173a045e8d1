//! Conditions on the columns of a table, such as `rating>=3`, and the field of a record that one is about.

use std::borrow::Cow;
use std::str::FromStr;

use gridmill_data::error::Error;
use gridmill_data::text::{Layout, columns_meant, json_field, one_column, raw_fields};

use crate::support::command_error::refuse;

/// A condition on the field of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Predicate {
    /// The name of the column.
    pub(crate) column: String,
    relation: Relation,
    value: String,
    /// The value as a number, if it is one: fields are compared as numbers then.
    number: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The relations as they are written, longer ones before their beginnings.
const RELATIONS: [(&str, Relation); 7] = [
    ("==", Relation::Equal),
    ("!=", Relation::Unequal),
    ("<=", Relation::LessOrEqual),
    (">=", Relation::GreaterOrEqual),
    ("=", Relation::Equal),
    ("<", Relation::Less),
    (">", Relation::Greater),
];

impl FromStr for Predicate {
    type Err = String;

    fn from_str(text: &str) -> Result<Predicate, String> {
        let wrong =
            || format!("'{text}' is no condition: give a column, a relation and a value, as in rating>=3");
        let at = text.find(['=', '!', '<', '>']).ok_or_else(wrong)?;
        let (column, rest) = (text[..at].trim(), &text[at..]);
        let found = RELATIONS.iter().find_map(|(sign, relation)| Some((*relation, rest.strip_prefix(sign)?)));
        let (relation, value) = found.ok_or_else(wrong)?;
        let value = value.trim().to_owned();
        let number = number(&value);
        if column.is_empty() {
            return Err(wrong());
        }
        if number.is_none() && !matches!(relation, Relation::Equal | Relation::Unequal) {
            return Err(format!("'{text}': only numbers have an order, and '{value}' is none; use = or !="));
        }
        Ok(Predicate { column: column.to_owned(), relation, value, number })
    }
}

impl Predicate {
    /// Returns whether a field meets the condition. Where the value is a number, a field that is none is unequal to
    /// it, and neither less nor greater.
    pub(crate) fn holds(&self, field: &[u8]) -> bool {
        let field = String::from_utf8_lossy(field);
        let field = field.trim();
        let Some(value) = self.number else {
            return (field == self.value) == (self.relation == Relation::Equal);
        };
        let Some(field) = number(field) else { return self.relation == Relation::Unequal };
        match self.relation {
            Relation::Equal => field == value,
            Relation::Unequal => field != value,
            Relation::Less => field < value,
            Relation::LessOrEqual => field <= value,
            Relation::Greater => field > value,
            Relation::GreaterOrEqual => field >= value,
        }
    }
}

/// Returns the number that a text spells, unless it is "nan" or the like.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

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
    pub(crate) fn find(layout: &Layout, name: &str) -> Result<Field, Error> {
        let unknown = |unit, known: &[String]| {
            let known = known.join(", ");
            Error::other(format!("there is no {unit} '{name}' for --where; the {unit}s are: {known}"))
        };
        if let Some(header) = &layout.header {
            let several = |columns: Vec<String>| {
                let columns = columns.join(", ");
                Error::other(format!(
                    "there are several columns that --where may mean: {columns}; name one by its number"
                ))
            };
            let names = header.names();
            let meant = columns_meant(&names, Some(name), &[]);
            let index = one_column(&names, &meant, |known| unknown("column", &known), several)?;
            return Ok(Field::Column { index, separator: header.separator });
        }
        if let Some(keys) = layout.json_keys() {
            let found = keys.iter().find(|key| *key == name);
            return found.cloned().map(Field::Key).ok_or_else(|| unknown("key", keys));
        }
        if layout.format_name() != "bank" {
            return refuse(
                "--where is for CSV, JSON Lines and puzzle banks, and this file has another format",
            );
        }
        let word = OF_BANKS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let known = || OF_BANKS.map(|(known, _)| known.to_owned());
        word.map(|(_, place)| Field::Word(*place)).ok_or_else(|| unknown("column", &known()))
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

    fn holds(condition: &str, field: &str) -> bool {
        condition.parse::<Predicate>().unwrap().holds(field.as_bytes())
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        assert!(holds("rating>=3", "3.0") && holds("rating >= 3", " 10 ") && !holds("rating>=3", "2.9"));
        assert!(holds("a<10", "9") && !holds("a<10", "10") && holds("a<=10", "1e1") && holds("a>-1", "0"));
        assert!(holds("a=07", "7") && holds("a!=7", "8") && !holds("a==7", "8"));
    }

    #[test]
    fn fields_that_are_no_numbers_have_no_order() {
        assert!(
            !holds("a<10", "") && !holds("a>10", "hard") && !holds("a<10", "nan") && holds("a!=10", "hard")
        );
    }

    #[test]
    fn texts_are_equal_or_not() {
        assert!(holds("level = very hard", "very hard") && !holds("level=hard", "Hard"));
        assert!(holds("level!=hard", "easy") && holds("level=", "") && !holds("level!=", ""));
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for (text, why) in [
            ("rating", "no condition"),
            (">=3", "no condition"),
            ("a!3", "no condition"),
            ("a<b", "only numbers"),
        ] {
            assert!(text.parse::<Predicate>().unwrap_err().contains(why), "{text}");
        }
    }

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
