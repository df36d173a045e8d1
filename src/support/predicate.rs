//! Conditions on the columns of a table: `rating>=3`.

use std::str::FromStr;

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
}
