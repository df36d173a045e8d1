//! Conditions on records, and the stage that keeps those that meet them.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::{ControlFlow, RangeInclusive};
use std::str::FromStr;

use gridmill_core::generate::Minimizer;
use gridmill_core::jobs::{Refuted, Search, Status};
use gridmill_core::logic::{Rater, RatingWish};
use gridmill_core::solver::{Engine, NEVER, Outcome, SolverKind};

use super::readings::{PartKind, TextParts};
use crate::pipeline::{BatchMapper, ChunkSizing, MapBatch, ReadChunk, Stage};
use crate::text::{Layout, PuzzleText, field_content, groups, json_field, lines_of, raw_fields};
use crate::with_kind;

/// What is wanted of a record. All of it must hold.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// How many clues; `None` for any number.
    pub clues: Option<RangeInclusive<u64>>,
    /// The verdicts; any if there are none.
    pub status: Vec<Status>,
    /// How many guesses it takes to prove the verdict.
    pub guesses: Option<RangeInclusive<u64>>,
    /// Whether no clue can be taken from the puzzle.
    pub minimal: bool,
    /// How hard for people, and by which techniques.
    pub ratings: Option<RatingWish>,
    /// What the fields of columns hold, and where these are.
    pub fields: Vec<(Predicate, Field)>,
}

impl Conditions {
    /// Returns whether records that can't be read meet the conditions.
    fn has_malformed(&self) -> bool {
        let others = self.clues.is_some() || self.guesses.is_some() || self.minimal;
        let others = others || !self.fields.is_empty() || self.ratings.is_some();
        self.status.contains(&Status::Malformed) && !others
    }
}

/// Which records are selected.
#[derive(Clone, Debug, Default)]
pub struct Criteria {
    /// What is wanted of them.
    pub conditions: Conditions,
    /// Whether those are selected that do not meet the conditions.
    pub invert: bool,
    /// Whether records that are left out, or can't be read, are marked.
    pub marks: bool,
}

impl Criteria {
    /// Returns the stage that selects records of a file: it takes the lines of those that are selected, of puzzles in rows
    /// also the text between records.
    #[must_use]
    pub fn stage<'a>(&'a self, layout: &Layout, diagnostics: bool) -> Box<dyn Stage<TextParts> + 'a> {
        let conditions = &self.conditions;
        let slowest =
            if conditions.minimal { Engine::Other(SolverKind::Bitmask) } else { layout.fastest_engine() };
        let sizing = match conditions.ratings.is_some() {
            true => ChunkSizing::GRIDS,
            false => ChunkSizing::for_puzzles(layout.kind(), slowest),
        };
        let (engine, keeps_between) = (layout.fastest_engine(), !layout.has_a_record_a_line());
        let needs_search =
            !conditions.status.is_empty() || conditions.guesses.is_some() || conditions.ratings.is_some();
        with_kind!(layout.kind(), P => {
            let mapper = move || SelectMapper::<P> {
                search: needs_search.then(|| Search::proof(engine)),
                minimizer: conditions.minimal.then(Minimizer::default),
                rater: conditions.ratings.clone().map(|wish| (wish.rater(), wish)),
                criteria: self.clone(),
                keeps_between,
            };
            MapBatch::stage(layout, diagnostics, sizing, mapper)
        })
    }
}

/// Takes the lines of the selected records; of puzzles in rows also the text between records, and nothing for
/// each record that is left out; so also where the others are to be marked.
struct SelectMapper<P: PuzzleText> {
    criteria: Criteria,
    keeps_between: bool,
    search: Option<Search<P>>,
    minimizer: Option<Minimizer>,
    /// Rates puzzles, and says which ratings are wanted.
    rater: Option<(Rater, RatingWish)>,
}

/// Findings about the puzzles of a chunk: only those that a condition needs, because each costs a search.
struct Findings<'a, P: PuzzleText> {
    conditions: &'a Conditions,
    outcomes: &'a [Outcome<P::Solution>],
    minimal: Vec<bool>,
    /// Whether the ratings are as wanted.
    rated: Vec<bool>,
}

impl<P: PuzzleText> Findings<'_, P> {
    /// Returns the proper puzzles that meet the conditions, those about ratings apart.
    fn wanted_so_far(&self, chunk: &ReadChunk<'_, P>) -> Vec<usize> {
        let records = chunk.batch.iter().zip(lines_of(chunk.text, &chunk.batch.records));
        let wanted = records.filter_map(|((_, read), lines)| {
            let (number, puzzle) = read?;
            let is_proper = Status::proved(puzzle, &self.outcomes[number]) == Status::Unique;
            let lines = chunk.text[lines].trim_ascii_end();
            (is_proper && self.is_wanted(number, puzzle, lines)).then_some(number)
        });
        wanted.collect()
    }

    /// Returns whether the puzzle at `index` meets the conditions.
    fn is_wanted(&self, index: usize, puzzle: &P, lines: &[u8]) -> bool {
        let Findings { conditions, outcomes, .. } = self;
        let status = || Status::proved(puzzle, &outcomes[index]);
        let clues = puzzle.clue_count() as u64;
        // A puzzle in conflict was not searched.
        let has_guesses = |guesses: &RangeInclusive<u64>| {
            guesses.contains(&outcomes[index].guesses) && status() != Status::Conflict
        };
        self.rated.get(index).is_none_or(|&is_wanted| is_wanted)
            && conditions.clues.as_ref().is_none_or(|wanted| wanted.contains(&clues))
            && conditions.fields.iter().all(|(predicate, field)| predicate.holds(&field.of(lines)))
            && (conditions.status.is_empty() || conditions.status.contains(&status()))
            && conditions.guesses.as_ref().is_none_or(has_guesses)
            && (!conditions.minimal || self.minimal[index])
    }
}

impl<P: PuzzleText> BatchMapper<P, TextParts> for SelectMapper<P> {
    fn map(&mut self, chunk: &ReadChunk<'_, P>, parts: &mut TextParts) -> Result<ControlFlow<()>, Refuted> {
        let &ReadChunk { text, batch, stop, .. } = chunk;
        let Criteria { conditions, invert, marks } = &self.criteria;
        let outcomes = match &mut self.search {
            Some(search) => search.run(&batch.puzzles, &NEVER)?,
            None => &[],
        };
        let mut found = Findings { conditions, outcomes, minimal: Vec::new(), rated: Vec::new() };
        if let Some(minimizer) = &mut self.minimizer {
            let redundant = minimizer.redundant_until(&batch.puzzles, &NEVER).into_iter();
            found
                .minimal
                .extend(redundant.map(|it| it.solutions == 1 && !it.is_given_up && it.result.is_empty()));
        }
        if let Some((rater, wish)) = &mut self.rater {
            let wanted = found.wanted_so_far(chunk);
            let rated = rater.rate_all(wanted.iter().map(|&index| &batch.puzzles[index]), stop);
            if rated.len() < wanted.len() {
                return Ok(ControlFlow::Break(()));
            }
            found.rated.resize(batch.puzzles.len(), false);
            for (index, (rating, _)) in wanted.into_iter().zip(rated) {
                if rating.is_refuted() {
                    return Err(Refuted { puzzle: index, engine: wish.scale.version() });
                }
                found.rated[index] = wish.admits(&rating);
            }
        }
        let mut done = 0;
        for ((_, read), lines) in batch.iter().zip(lines_of(text, &batch.records)) {
            if self.keeps_between {
                parts.push(PartKind::Between, &text[done..lines.start]);
            }
            done = lines.end;
            let lines = &text[lines];
            let is_wanted = read.map_or_else(
                || conditions.has_malformed(),
                |(number, puzzle)| found.is_wanted(number, puzzle, lines.trim_ascii_end()),
            );
            if *marks && read.is_none() {
                parts.push(PartKind::Malformed, &[]);
            }
            if is_wanted != *invert {
                parts.push(PartKind::Record, lines);
            } else if self.keeps_between || *marks {
                parts.push(PartKind::LeftOut, &[]);
            }
        }
        if self.keeps_between {
            parts.push(PartKind::Between, &text[done..]);
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// A condition on the field of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicate {
    /// The name of the column.
    pub column: String,
    test: Test,
}

/// The test that a field must pass.
#[derive(Clone, Debug, PartialEq)]
enum Test {
    /// That it compares to the value in one of these ways.
    Compares(&'static [Ordering], FieldValue),
    /// That it is equal to one of the values.
    In(Vec<FieldValue>),
    /// That the text is within it.
    Contains(String),
}

/// A value that fields are compared with.
#[derive(Clone, Debug, PartialEq)]
struct FieldValue {
    text: String,
    /// The value as a number, if it is one: fields are compared as numbers then.
    number: Option<f64>,
}

impl FieldValue {
    fn new(text: &str) -> FieldValue {
        FieldValue { text: text.trim().to_owned(), number: number(text.trim()) }
    }

    /// Returns how a field compares to the value; `None` if the value is a number and the field is not.
    fn order(&self, field: &str) -> Option<Ordering> {
        match self.number {
            Some(value) => number(field).and_then(|field| field.partial_cmp(&value)),
            None => Some(field.cmp(&self.text)),
        }
    }
}

const EQUAL: &[Ordering] = &[Ordering::Equal];
const UNEQUAL: &[Ordering] = &[Ordering::Less, Ordering::Greater];

/// The relations as they are written, longer ones before their beginnings.
const RELATIONS: [(&str, &[Ordering]); 7] = [
    ("==", EQUAL),
    ("!=", UNEQUAL),
    ("<=", &[Ordering::Less, Ordering::Equal]),
    (">=", &[Ordering::Greater, Ordering::Equal]),
    ("=", EQUAL),
    ("<", &[Ordering::Less]),
    (">", &[Ordering::Greater]),
];

impl FromStr for Predicate {
    type Err = String;

    fn from_str(text: &str) -> Result<Predicate, String> {
        let wrong =
            || format!("'{text}' is no condition: give a column, a relation and a value, as in rating>=3");
        let sign = text.find(['=', '!', '<', '>']).unwrap_or(text.len());
        // A word counts only in front of signs, because these may stand in what follows it.
        let behind =
            |word: &str| text[..sign].find(word).map(|at| (&text[..at], text[at + word.len()..].trim()));
        let (column, test) = if let Some((column, values)) = behind(" in (") {
            let values = values.strip_suffix(')');
            let values = values.ok_or_else(|| format!("'{text}': the list of values has no ) at its end"))?;
            (column, Test::In(values.split(',').map(FieldValue::new).collect()))
        } else if let Some((column, part)) = behind(" contains ") {
            (column, Test::Contains(part.to_owned()))
        } else {
            let (column, rest) = text.split_at(sign);
            let found = RELATIONS.iter().find_map(|(sign, orders)| Some((*orders, rest.strip_prefix(sign)?)));
            let (orders, value) = found.ok_or_else(wrong)?;
            let value = FieldValue::new(value);
            if value.number.is_none() && orders != EQUAL && orders != UNEQUAL {
                let value = value.text;
                return Err(format!(
                    "'{text}': only numbers have an order, and '{value}' is none; use = or !="
                ));
            }
            (column, Test::Compares(orders, value))
        };
        let column = column.trim().to_owned();
        if column.is_empty() { Err(wrong()) } else { Ok(Predicate { column, test }) }
    }
}

impl Predicate {
    /// Returns whether a field meets the condition. Where the value is a number, a field that is none is unequal to
    /// it, and neither less nor greater.
    pub fn holds(&self, field: &[u8]) -> bool {
        let field = String::from_utf8_lossy(field);
        let field = field.trim();
        match &self.test {
            Test::Compares(orders, value) => {
                value.order(field).map_or(*orders == UNEQUAL, |order| orders.contains(&order))
            }
            Test::In(values) => values.iter().any(|value| value.order(field) == Some(Ordering::Equal)),
            Test::Contains(text) => field.contains(&**text),
        }
    }
}

/// Returns the number that a text spells, unless it is "nan" or the like.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Where in each record of a file a field is.
#[derive(Clone, Debug)]
pub enum Field {
    /// A column of CSV, by its index.
    Column {
        /// The index, from 0.
        index: usize,
        /// The separator of the columns.
        separator: u8,
    },
    /// A key of objects.
    Key(String),
    /// A word of a line, by its index.
    Word(usize),
}

impl Field {
    /// Returns the content of the field in the lines of a record; nothing where it has none.
    pub fn of<'a>(&self, lines: &'a [u8]) -> Cow<'a, [u8]> {
        let found = match self {
            Field::Column { index, separator } => {
                raw_fields(lines, *separator).nth(*index).map(field_content)
            }
            Field::Key(key) => json_field(lines, key),
            Field::Word(place) => groups(lines).nth(*place).map(Cow::Borrowed),
        };
        found.unwrap_or_default()
    }
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
    fn a_field_may_be_one_of_several_or_contain_a_text() {
        assert!(holds("level in (easy, very hard)", "very hard") && !holds("level in (easy)", "hard"));
        assert!(holds("rating in (2.5,3)", "3.0") && !holds("rating in (2.5,3)", "2"));
        assert!(holds("note in (a=1,b<2)", "b<2") && holds("level in (easy,)", ""));
        assert!(holds("source contains bank", "the bank of 2019") && !holds("source contains Bank", "bank"));
        assert!(holds("source contains a=b", "x: a=b") && holds("time in s>=3", "4"));
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for (text, why) in [
            ("a in (1,2", "no ) at its end"),
            (" in (1,2)", "no condition"),
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
