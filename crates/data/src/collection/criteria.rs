//! The fields of records, conditions on them and on what else is known about records, and the stage that keeps
//! the records that meet all conditions.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::{ControlFlow, RangeInclusive};
use std::str::FromStr;
use std::sync::atomic::{self, AtomicBool};

use gridmill_core::generate::Minimizer;
use gridmill_core::jobs::{BatchSearch, Status, WrongAnswer};
use gridmill_core::logic::{Rater, RatingCriteria};
use gridmill_core::solver::{Engine, EngineKind, Outcome};

use super::attribute::Attribute;
use super::passes::{SegmentKind, TextSegments};
use crate::pipeline::{BatchMapper, ChunkSizing, MapStage, ReadChunk, Stage};
use crate::text::{Layout, PuzzleText, field_content, json_field, lines_of, raw_fields, words};
use crate::with_kind;

/// A condition on the field of a column, e.g. `rating >= 3`.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCondition {
    column: String,
    test: FieldTest,
}

/// A condition on the records of one file, where the columns have been looked up.
#[derive(Clone, Debug)]
pub struct FieldCondition {
    field: Field,
    /// The field of the other column, if the condition compares two columns.
    other: Option<Field>,
    test: FieldTest,
}

/// The test that a field has to pass.
#[derive(Clone, Debug, PartialEq)]
enum FieldTest {
    /// Compares to the value in one of these ways, e.g. less or equal.
    Compares(&'static [Ordering], FieldValue),
    /// Compares to the field of the column with this name in one of these ways.
    ComparesColumn(&'static [Ordering], String),
    /// Equals one of the values.
    In(Vec<FieldValue>),
    /// Contains the text.
    Contains(String),
}

/// A value that fields are compared with.
#[derive(Clone, Debug, PartialEq)]
struct FieldValue {
    text: String,
    /// The value as a number, if it is one. Fields are then compared as numbers, so that `7` equals `7.0`.
    number: Option<f64>,
}

impl FieldValue {
    fn new(text: &str) -> FieldValue {
        FieldValue { text: text.trim().to_owned(), number: number(text.trim()) }
    }

    /// Compares a field to the value; `None` if the value is a number and the field is not.
    fn order(&self, field: &str) -> Option<Ordering> {
        order(field, &self.text, self.number)
    }
}

/// Compares a field to a text whose number is `value`. Gives `None` if the text is a number and the field
/// is not, because a text is neither less nor greater than a number.
fn order(field: &str, text: &str, value: Option<f64>) -> Option<Ordering> {
    let Some(value) = value else { return Some(field.cmp(text)) };
    let order = number(field)?.partial_cmp(&value)?;
    Some(order.then_with(|| long_digits(field).cmp(&long_digits(text))))
}

const EQUAL: &[Ordering] = &[Ordering::Equal];
const UNEQUAL: &[Ordering] = &[Ordering::Less, Ordering::Greater];

/// The relations as users write them. Longer ones come before their beginnings (`<=` before `<`), because
/// the first match wins.
const RELATIONS: [(&str, &[Ordering]); 7] = [
    ("==", EQUAL),
    ("!=", UNEQUAL),
    ("<=", &[Ordering::Less, Ordering::Equal]),
    (">=", &[Ordering::Greater, Ordering::Equal]),
    ("=", EQUAL),
    ("<", &[Ordering::Less]),
    (">", &[Ordering::Greater]),
];

impl FromStr for NamedCondition {
    type Err = String;

    fn from_str(text: &str) -> Result<NamedCondition, String> {
        let wrong =
            || format!("'{text}' is not a condition: give a column, a relation and a value, as in rating>=3");
        let sign = text.find(['=', '!', '<', '>']).unwrap_or(text.len());
        // `in` and `contains` count only before the first sign, because values may contain these words,
        // e.g. `time in s>=3`.
        let split_at_word =
            |word: &str| text[..sign].find(word).map(|at| (&text[..at], text[at + word.len()..].trim()));
        let (column, test) = if let Some((column, values)) = split_at_word(" in (") {
            let values = values.strip_suffix(')');
            let values = values.ok_or_else(|| format!("'{text}': the list of values has no closing )"))?;
            (column, FieldTest::In(values.split(',').map(FieldValue::new).collect()))
        } else if let Some((column, part)) = split_at_word(" contains ") {
            (column, FieldTest::Contains(part.to_owned()))
        } else {
            let (column, rest) = text.split_at(sign);
            let found = RELATIONS.iter().find_map(|(sign, orders)| Some((*orders, rest.strip_prefix(sign)?)));
            let (orders, value) = found.ok_or_else(wrong)?;
            if let Some(name) = value.trim().strip_prefix("column(") {
                let name = name.strip_suffix(')').map(str::trim).filter(|name| !name.is_empty());
                let name = name.ok_or_else(|| format!("'{text}': give a column as in column(NAME)"))?;
                return NamedCondition::new(column, FieldTest::ComparesColumn(orders, name.to_owned()))
                    .ok_or_else(wrong);
            }
            let value = FieldValue::new(value);
            if value.number.is_none() && orders != EQUAL && orders != UNEQUAL {
                let value = value.text;
                return Err(format!(
                    "'{text}': only numbers have an order, but '{value}' is not a number; use = or !="
                ));
            }
            (column, FieldTest::Compares(orders, value))
        };
        NamedCondition::new(column, test).ok_or_else(wrong)
    }
}

impl NamedCondition {
    /// Makes the condition; `None` if the name of the column is empty.
    fn new(column: &str, test: FieldTest) -> Option<NamedCondition> {
        let column = column.trim();
        (!column.is_empty()).then(|| NamedCondition { column: column.to_owned(), test })
    }

    /// Looks up the columns of the condition in a file. `find` turns the name of a column into the place of
    /// its field.
    ///
    /// # Errors
    ///
    /// Fails if `find` does.
    pub fn resolve<E>(&self, find: impl Fn(&str) -> Result<Field, E>) -> Result<FieldCondition, E> {
        let other = match &self.test {
            FieldTest::ComparesColumn(_, other) => Some(find(other)?),
            _ => None,
        };
        Ok(FieldCondition { field: find(&self.column)?, other, test: self.test.clone() })
    }
}

impl FieldCondition {
    /// Returns whether the lines of a record meet the condition. A field that is not a number, e.g. `hard`,
    /// is unequal to every number, and neither less nor greater.
    pub fn holds(&self, lines: &[u8]) -> bool {
        let other = self.other.as_ref().map_or(Cow::Borrowed(&b""[..]), |other| other.content(lines));
        self.test.passes(&self.field.content(lines), &other)
    }
}

impl FieldTest {
    /// Returns whether a field passes. `other` is the field of the other column, if the test compares two
    /// columns.
    fn passes(&self, field: &[u8], other: &[u8]) -> bool {
        let field = String::from_utf8_lossy(field);
        let field = field.trim();
        let compares = |orders: &[Ordering], order: Option<Ordering>| {
            order.map_or(orders == UNEQUAL, |order| orders.contains(&order))
        };
        match self {
            FieldTest::Compares(orders, value) => compares(orders, value.order(field)),
            FieldTest::ComparesColumn(orders, _) => {
                let other = String::from_utf8_lossy(other);
                let (other, value) = (other.trim(), number(other.trim()));
                // Only numbers have an order.
                let is_text = value.is_none() && ![EQUAL, UNEQUAL].contains(orders);
                !is_text && compares(orders, order(field, other, value))
            }
            FieldTest::In(values) => values.iter().any(|value| value.order(field) == Some(Ordering::Equal)),
            FieldTest::Contains(text) => field.contains(&**text),
        }
    }
}

/// Parses a finite number. "nan" and "inf" are texts, because NaN has no order.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// An `f64` holds every whole number of this many digits exactly.
const EXACT_DIGITS: usize = 15;

/// Splits off the digits of a whole number that is too long for an `f64`: their count and the digits; `(0,
/// "")` for any other text. Numbers are compared by these after their value as `f64`, because two solutions
/// (81 digits each) that begin alike would otherwise be equal.
pub(super) fn long_digits(text: &str) -> (usize, &str) {
    let digits = text.trim_start_matches('0');
    let is_long = digits.len() > EXACT_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_long { (digits.len(), digits) } else { (0, "") }
}

/// The place of a field in each record of a file.
#[derive(Clone, Debug)]
pub enum Field {
    /// A column of CSV.
    Column {
        /// The index, from 0.
        index: usize,
        /// The separator of the columns.
        separator: u8,
    },
    /// A key of JSON objects.
    Key(String),
    /// A word of a line, by its index from 0.
    Word(usize),
}

impl Field {
    /// Finds the content of the field in the lines of a record; empty if the record has no such field.
    pub fn content<'a>(&self, lines: &'a [u8]) -> Cow<'a, [u8]> {
        let found = match self {
            Field::Column { index, separator } => {
                raw_fields(lines, *separator).nth(*index).map(field_content)
            }
            Field::Key(key) => json_field(lines, key),
            Field::Word(place) => words(lines).nth(*place).map(Cow::Borrowed),
        };
        found.unwrap_or_default()
    }
}

/// Conditions on a record. It has to meet all of them.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// The number of clues; `None` for any number.
    pub clues: Option<RangeInclusive<u64>>,
    /// The verdicts to keep; empty for any verdict.
    pub status: Vec<Status>,
    /// The guesses of the search that finds whether there are no, one or several solutions.
    pub guesses: Option<RangeInclusive<u64>>,
    /// Whether the puzzle has to be minimal: if you remove any clue, it has several solutions.
    pub minimal: bool,
    /// The rating, and the techniques that a person needs.
    pub ratings: Option<RatingCriteria>,
    /// The values of fields in columns.
    pub fields: Vec<FieldCondition>,
}

impl Conditions {
    /// Returns whether the conditions ask for records that can't be read. All other conditions are about a
    /// puzzle, so with one of them, no such record qualifies.
    #[must_use]
    pub fn accepts_malformed(&self) -> bool {
        let others = self.clues.is_some() || self.guesses.is_some() || self.minimal;
        let others = others || !self.fields.is_empty() || self.ratings.is_some();
        self.status.contains(&Status::Malformed) && !others
    }
}

/// Which records are selected.
#[derive(Clone, Debug, Default)]
pub struct Criteria {
    /// The conditions that a record has to meet.
    pub conditions: Conditions,
    /// Whether to select the records that do *not* meet the conditions.
    pub invert: bool,
    /// Whether records that are left out or can't be read leave an empty segment in the text of their chunk, so that
    /// you can count them.
    pub marks_left_out: bool,
    /// Whether to select records that can't be read, whatever the conditions are.
    pub takes_malformed: bool,
    /// The attributes whose values are collected for the selected records.
    pub attributes: Vec<Attribute>,
}

impl Criteria {
    /// Makes the stage that selects records of a file. It collects the lines of the selected records. For
    /// puzzles in rows it also collects the text between records, because a frame may belong to the record
    /// above or below it.
    #[must_use]
    pub fn stage<'a>(&'a self, layout: &Layout, diagnostics: bool) -> Box<dyn Stage<TextSegments> + 'a> {
        let conditions = &self.conditions;
        let slowest =
            if conditions.minimal { Engine::Other(EngineKind::Bitmask) } else { layout.fastest_engine() };
        let sizing = match conditions.ratings.is_some() {
            true => ChunkSizing::GRIDS,
            false => ChunkSizing::for_puzzles(layout.kind(), slowest),
        };
        let (engine, keeps_text_between) = (layout.fastest_engine(), !layout.has_one_record_per_line());
        with_kind!(layout.kind(), P => {
            let mapper = move || SelectMapper::<P> {
                judge: Judge::new(conditions, engine),
                criteria: self.clone(),
                keeps_text_between,
            };
            MapStage::stage(layout, diagnostics, sizing, mapper)
        })
    }
}

/// Judges puzzles by conditions. It computes only what a condition needs, because each of these answers
/// costs a search.
pub struct Judge<P: PuzzleText> {
    conditions: Conditions,
    search: Option<BatchSearch<P>>,
    minimizer: Option<Minimizer>,
    /// Rates puzzles, and holds the ratings to keep.
    rater: Option<(Rater, RatingCriteria)>,
}

/// Search results for the puzzles of a chunk.
struct Findings<'a, P: PuzzleText> {
    conditions: &'a Conditions,
    outcomes: &'a [Outcome<P::Solution>],
    minimal: Vec<bool>,
}

impl<P: PuzzleText> Findings<'_, P> {
    /// Returns whether the puzzle at `index` meets the conditions, except those about fields and ratings.
    fn is_wanted(&self, index: usize, puzzle: &P) -> bool {
        let Findings { conditions, outcomes, .. } = self;
        let status = || Status::proved(puzzle, &outcomes[index]);
        let clues = puzzle.clue_count() as u64;
        // The engine did not search a puzzle in conflict, so its number of guesses means nothing.
        let has_guesses = |guesses: &RangeInclusive<u64>| {
            guesses.contains(&outcomes[index].guesses) && status() != Status::Conflict
        };
        conditions.clues.as_ref().is_none_or(|wanted| wanted.contains(&clues))
            && (conditions.status.is_empty() || conditions.status.contains(&status()))
            && conditions.guesses.as_ref().is_none_or(has_guesses)
            && (!conditions.minimal || self.minimal[index])
    }

    fn is_proper(&self, index: usize, puzzle: &P) -> bool {
        Status::proved(puzzle, &self.outcomes[index]) == Status::Unique
    }
}

impl<P: PuzzleText> Judge<P> {
    /// Prepares what the conditions need; searches run on `engine`.
    #[must_use]
    pub fn new(conditions: &Conditions, engine: Engine) -> Judge<P> {
        let needs_search =
            !conditions.status.is_empty() || conditions.guesses.is_some() || conditions.ratings.is_some();
        Judge {
            search: needs_search.then(|| BatchSearch::proof(engine)),
            minimizer: conditions.minimal.then(Minimizer::default),
            rater: conditions.ratings.clone().map(|wish| (wish.rater(), wish)),
            conditions: conditions.clone(),
        }
    }

    /// Returns for each puzzle whether it meets the conditions; `None` if `stop` became true during the
    /// search. `meets_fields` takes the index of a puzzle, and says whether its record meets the conditions
    /// about fields.
    ///
    /// # Errors
    ///
    /// If the answer of an engine or a technique breaks the rules of Sudoku.
    pub fn judge(
        &mut self,
        puzzles: &[P],
        meets_fields: impl Fn(usize) -> bool,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<bool>>, WrongAnswer> {
        let outcomes = match &mut self.search {
            Some(search) => search.run(puzzles, stop)?,
            None => &[],
        };
        let mut minimal = Vec::new();
        if let Some(minimizer) = &mut self.minimizer {
            let redundant = minimizer.redundant_until(puzzles, stop).into_iter();
            minimal.extend(redundant.map(|it| it.solutions == 1 && !it.is_given_up && it.result.is_empty()));
        }
        if stop.load(atomic::Ordering::Relaxed) {
            return Ok(None);
        }
        let found = Findings { conditions: &self.conditions, outcomes, minimal };
        let is_wanted = |(index, puzzle)| found.is_wanted(index, puzzle) && meets_fields(index);
        let mut wanted: Vec<bool> = puzzles.iter().enumerate().map(is_wanted).collect();
        if let Some((rater, wish)) = &mut self.rater {
            let is_rated = |&index: &usize| wanted[index] && found.is_proper(index, &puzzles[index]);
            let proper: Vec<usize> = (0..puzzles.len()).filter(is_rated).collect();
            let rated = rater.rate_all(proper.iter().map(|&index| &puzzles[index]), stop);
            if rated.len() < proper.len() {
                return Ok(None);
            }
            wanted.fill(false);
            for (index, (rating, _)) in proper.into_iter().zip(rated) {
                if rating.is_refuted() {
                    return Err(WrongAnswer { puzzle: index, engine: wish.scale.version() });
                }
                wanted[index] = wish.admits(&rating);
            }
        }
        Ok(Some(wanted))
    }
}

/// Collects the lines of the selected records, and for puzzles in rows also the text between records. A
/// record that is left out becomes an empty segment if the text between records is kept, or if
/// [`Criteria::marks_left_out`] is set.
struct SelectMapper<P: PuzzleText> {
    judge: Judge<P>,
    criteria: Criteria,
    keeps_text_between: bool,
}

impl<P: PuzzleText> BatchMapper<P, TextSegments> for SelectMapper<P> {
    fn map(
        &mut self,
        chunk: &ReadChunk<'_, P>,
        segments: &mut TextSegments,
    ) -> Result<ControlFlow<()>, WrongAnswer> {
        let &ReadChunk { text, batch, stop, .. } = chunk;
        let Criteria { conditions, invert, marks_left_out, takes_malformed, attributes } = &self.criteria;
        let mut lines_of_puzzles = Vec::new();
        if !conditions.fields.is_empty() {
            let records = batch.iter().zip(lines_of(text, &batch.records));
            lines_of_puzzles
                .extend(records.filter_map(|((_, read), lines)| read.map(|_| text[lines].trim_ascii_end())));
        }
        let meets_fields =
            |index| conditions.fields.iter().all(|condition| condition.holds(lines_of_puzzles[index]));
        let Some(wanted) = self.judge.judge(&batch.puzzles, meets_fields, stop)? else {
            return Ok(ControlFlow::Break(()));
        };
        let mut done = 0;
        for ((_, read), lines) in batch.iter().zip(lines_of(text, &batch.records)) {
            if self.keeps_text_between {
                segments.push(SegmentKind::Between, &text[done..lines.start]);
            }
            done = lines.end;
            let lines = &text[lines];
            let is_wanted = read.map_or_else(
                || conditions.accepts_malformed() || *takes_malformed,
                |(number, _)| wanted[number],
            );
            if *marks_left_out && read.is_none() {
                segments.push(SegmentKind::Malformed, &[]);
            }
            if is_wanted != *invert {
                segments.push(SegmentKind::Record, lines);
                if !attributes.is_empty() {
                    let clues = read.map(|(_, puzzle)| puzzle.clue_count());
                    segments.values.push(attributes, clues, lines.trim_ascii_end());
                }
            } else if self.keeps_text_between || *marks_left_out {
                segments.push(SegmentKind::LeftOut, &[]);
            }
        }
        if self.keeps_text_between {
            segments.push(SegmentKind::Between, &text[done..]);
        }
        Ok(ControlFlow::Continue(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, field: &str) -> bool {
        condition.parse::<NamedCondition>().unwrap().test.passes(field.as_bytes(), b"")
    }

    /// Returns whether the fields of the columns `a` and `b` meet a condition on both.
    fn holds_for(condition: &str, a: &str, b: &str) -> bool {
        let find = |name: &str| match name {
            "a" => Ok(Field::Column { index: 0, separator: b',' }),
            "b" => Ok(Field::Column { index: 1, separator: b',' }),
            _ => Err(()),
        };
        let condition = condition.parse::<NamedCondition>().unwrap().resolve(find).unwrap();
        condition.holds(format!("{a},{b}").as_bytes())
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        assert!(holds("rating>=3", "3.0") && holds("rating >= 3", " 10 ") && !holds("rating>=3", "2.9"));
        assert!(holds("a<10", "9") && !holds("a<10", "10") && holds("a<=10", "1e1") && holds("a>-1", "0"));
        assert!(holds("a=07", "7") && holds("a!=7", "8") && !holds("a==7", "8"));
    }

    #[test]
    fn fields_without_numbers_have_no_order() {
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
    fn a_field_may_equal_one_of_several_values_or_contain_a_text() {
        assert!(holds("level in (easy, very hard)", "very hard") && !holds("level in (easy)", "hard"));
        assert!(holds("rating in (2.5,3)", "3.0") && !holds("rating in (2.5,3)", "2"));
        assert!(holds("note in (a=1,b<2)", "b<2") && holds("level in (easy,)", ""));
        assert!(holds("source contains bank", "the bank of 2019") && !holds("source contains Bank", "bank"));
        assert!(holds("source contains a=b", "x: a=b") && holds("time in s>=3", "4"));
    }

    #[test]
    fn columns_are_compared_with_each_other() {
        assert!(holds_for("a < column(b)", "9", "10") && !holds_for("a<column(b)", "10", "9.0"));
        assert!(holds_for("a = column(b)", "7.0", "7") && holds_for("a!=column( b )", "7", "hard"));
        assert!(holds_for("a=column(b)", "hard", " hard") && holds_for("a!=column(b)", "hard", "Hard"));
        assert!(holds_for("a=column(b)", "", "") && !holds_for("a=column(b)", "", "0"));
        // Texts have no order, neither with each other nor with a number.
        for (a, b) in [("a", "b"), ("b", "a"), ("a", "a"), ("", ""), ("1", ""), ("", "1"), ("1", "a")] {
            for sign in ["<", "<=", ">", ">="] {
                assert!(!holds_for(&format!("a{sign}column(b)"), a, b), "{a} {sign} {b}");
            }
        }
        // A list, and a text to search for, are values even if they look like a column.
        assert!(holds("a in (column(b))", "column(b)") && holds("a contains column(b)", "no column(b)"));
    }

    #[test]
    fn long_whole_numbers_are_compared_to_the_last_digit() {
        let solution = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
        let other = format!("{}97", &solution[..79]);
        assert!(holds_for("a=column(b)", solution, solution) && holds_for("a!=column(b)", solution, &other));
        assert!(
            holds_for("a<column(b)", &other, &format!("1{other}"))
                && holds_for("a>column(b)", &other, solution)
        );
        assert!(!holds(&format!("a={solution}"), &other) && holds(&format!("a=00{other}"), &other));
        assert!(holds_for("a<column(b)", "9999999999999999", "10000000000000000"));
    }

    #[test]
    fn wrong_conditions_are_refused() {
        for (text, why) in [
            ("a in (1,2", "no closing )"),
            (" in (1,2)", "is not a condition"),
            ("rating", "is not a condition"),
            (">=3", "is not a condition"),
            ("a!3", "is not a condition"),
            ("a<b", "only numbers"),
            ("a<column(b", "as in column(NAME)"),
            ("a=column()", "as in column(NAME)"),
            ("=column(b)", "is not a condition"),
        ] {
            assert!(text.parse::<NamedCondition>().unwrap_err().contains(why), "{text}");
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
            assert_eq!(field.content(row.as_bytes()), expected.as_bytes(), "{row}");
        }
        assert_eq!(&*Field::Word(2).content(b" 0123  ....\t 3.5 x"), b"3.5");
    }
}
