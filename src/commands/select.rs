//! `gridmill select`: the records of a file that meet conditions, or a random sample of them.

use std::borrow::Cow;
use std::io::BufWriter;
use std::ops::ControlFlow;
use std::str::FromStr;

use clap::Args;
use clap::builder::TypedValueParser;
use gridmill_core::generate::Minimizer;
use gridmill_core::jobs::{Refuted, Status};
use gridmill_core::logic::{BatchRater, RatingWish};
use gridmill_core::solver::{Clues, Engine, GridSolver, NEVER, Outcome, SolutionLimit, Solvable, SolverKind};
use gridmill_data::error::Error;
use gridmill_data::output::RowOutput;
use gridmill_data::pipeline::{BatchMapper, ChunkSizing, ReadChunk};
use gridmill_data::text::{Layout, PuzzleText, columns_meant, json_field, lines_of, one_column, raw_fields};
use gridmill_report::eprint_message;
use indicatif::HumanCount;

use crate::cli::End;
use crate::support::command_error::refuse;
use crate::support::inputs::InputArgs;
use crate::support::job_run::{PartKind, StageFactory, StageResult, TextParts, map_stage};
use crate::support::options::{RatingConditions, Span, check_ratable, one_of, span};
use crate::support::outputs::{finish_rows, put, unbuffered};
use crate::support::rows::check_name;
use crate::support::selection::{Sample, Selection};

const EXAMPLES: &str = "\
Examples:
  gridmill select puzzles.txt --clues 17..24 --status unique -o few.txt
      proper puzzles of 17 to 24 clues
  gridmill select train.csv --guesses 1.. --sample 1000 --seed 7 -o hard.csv
      a thousand of those that need a guess, chosen at random, in their order
  gridmill select rated.csv --where 'rating>=3' --where 'source!=web' -o hard.csv
      by other columns: at least 3 in the column rating, and not web in the column source
  gridmill select puzzles.txt --er 3.0..4.2 --technique x-wing -o wings.txt
      puzzles rated 3.0 to 4.2 on whose way an X-wing finds something
  gridmill select big.txt --skip 1000 --take 1000 | gridmill solve
      the second thousand; reading ends behind it
  gridmill select puzzles.txt --minimal --invert
      all that are not minimal puzzles, those that can't be read too
  zcat big.txt.gz | gridmill select - --sample 100
      from a pipe; memory holds the sample

All conditions must hold. Rows and lines stay as they are; a CSV header stays, comments go. Puzzles in rows keep
their frames, titles and the blank lines between them. Records that can't be read meet no condition but --status
malformed, and those with two equal clues in a house none about guesses. Guesses are those of the lockstep engine; of
bitmask for sizes above 16x16 and files of several sizes. --minimal leaves out larger puzzles for which that could
not be proved in 20,000 guesses a clue.

Ratings are those of gridmill rate, and only puzzles with one solution have them; so other puzzles meet no condition about
them, nor do those that no technique of the scale solves. They are for 9x9 puzzles, and made last, of those that meet all
other conditions; a small upper end takes less time.

--where knows = != < <= > and >=, on columns of CSV, keys of JSON Lines, and hash and rating of puzzle banks. Where
the value is a number, fields are compared as numbers, and those that are none are unequal to it and not in order.
Texts are equal or not. A field that is missing is empty.

--skip and --take count the records that meet the conditions; --sample chooses from what they leave. Where --take ends
the reading, records behind the last one count neither as read nor as malformed.

For puzzles of every size; --er and --technique for 9x9.

Exit codes: 0 every record was read, 1 some were malformed, 2 the job could not be done, 130 interrupted.";

/// Select the records of a file that meet conditions, or a random sample of them
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Select {
    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    conditions: Conditions,

    /// Take the records that do not meet all conditions
    #[arg(long)]
    invert: bool,

    /// Leave out so many of the records that meet the conditions, at the beginning
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    skip: u64,

    /// End behind so many records that meet the conditions
    #[arg(long, value_name = "N")]
    take: Option<u64>,

    /// Take so many of the records, at random
    #[arg(long, value_name = "N")]
    sample: Option<usize>,

    /// Seed of the random choice
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Clone, Debug, Args)]
struct Conditions {
    /// How many clues: a number, or a range such as 17..24, 30.. or ..24
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    clues: Option<Span>,

    /// The verdict, or several with a comma between them
    #[arg(long, value_name = "STATUS", value_delimiter = ',', value_parser = status_parser())]
    status: Vec<Status>,

    /// How many guesses it takes to prove the verdict: a number or a range
    #[arg(long, value_name = "N|MIN..MAX", value_parser = span)]
    guesses: Option<Span>,

    /// Proper puzzles from which no clue can be taken
    #[arg(long)]
    minimal: bool,

    #[command(flatten)]
    ratings: RatingConditions,

    /// A column, a relation and a value, as in rating>=3; may be given several times. In a shell, in quotes
    #[arg(long = "where", value_name = "CONDITION")]
    fields: Vec<Predicate>,
}

fn status_parser() -> impl TypedValueParser<Value = Status> {
    let known = [Status::Unique, Status::Multiple, Status::None, Status::Conflict, Status::Malformed];
    one_of(known.map(|status| (status.name(), "", status)))
}

impl Select {
    pub(crate) fn run(self) -> Result<End, Error> {
        let mut files = self.input.open(None)?;
        let output = files.open_output(self.input.output.as_deref())?;
        if !files.detect(false)? {
            return Ok(End::Interrupted);
        }
        check_name(self.input.output.as_deref(), files.layout())?;
        if self.conditions.wants_ratings() {
            check_ratable(files.layout())?;
        }
        let find = |predicate: &Predicate| Field::find(files.layout(), &predicate.column);
        let fields = self.conditions.fields.iter().map(find).collect::<Result<_, _>>()?;
        let mut output = BufWriter::with_capacity(1 << 18, output);
        if let Some(header) = files.layout().header.as_ref().filter(|header| header.is_written) {
            put(&mut output, &header.text)?;
            put(&mut output, b"\n")?;
        }
        let sample = self.sample.map(|size| Sample::new(size, self.seed));
        let keeps_between = keeps_between(files.layout());
        let mut selection = Selection::new(&mut output);
        (selection.skip, selection.take) = (self.skip, self.take);
        (selection.keeps_between, selection.sample) = (keeps_between, sample);
        let mut take = |parts: &TextParts| {
            for part in parts.iter() {
                selection.add(part)?;
                if selection.is_complete {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        };
        let quiet = self.input.common.quiet;
        let (conditions, invert, marks) = (self.conditions, self.invert, self.take.is_some());
        let criteria = Criteria { conditions, fields, invert, marks };
        let totals = files.run(&mut take, None, &criteria);
        // What could not be read behind the last record is of no account, nor what workers had seen there.
        if selection.is_complete {
            let (records, malformed) = (selection.records, selection.malformed);
            let selected = selection.finish()?;
            unbuffered(output)?.commit()?;
            if !quiet {
                report_early(selected, records, malformed);
            }
            return Ok(End::of_whole(files.lacks_files, malformed > 0));
        }
        let totals = totals?;
        let is_bad = totals.tally.statuses.failed > 0;
        let selected = selection.finish().map_err(|error| error.after_bad(is_bad))?;
        let output = unbuffered(output).map_err(|error| error.after_bad(is_bad))?;
        if !quiet && !totals.stopped {
            let (selected, records) = (HumanCount(selected), HumanCount(totals.records));
            eprint_message(format_args!("selected {selected} of {records} records\n"));
        }
        let output = RowOutput::plain(output);
        finish_rows(output, None, &totals, format_args!("{} records were looked at", totals.records))
    }
}

/// Reports a run that ended behind the last record that was wanted.
fn report_early(selected: u64, records: u64, malformed: u64) {
    let [selected, records] = [selected, records].map(HumanCount);
    let malformed = match malformed {
        0 => String::new(),
        malformed => format!(", {} of them malformed", HumanCount(malformed)),
    };
    eprint_message(format_args!("selected {selected} of the first {records} records{malformed}\n"));
}

/// Returns whether the text between records belongs to them.
fn keeps_between(layout: &Layout) -> bool {
    layout.format_name() == "grid"
}

/// Which records are selected.
#[derive(Clone)]
struct Criteria {
    conditions: Conditions,
    /// The fields of the conditions on columns.
    fields: Vec<Field>,
    invert: bool,
    /// Whether records that are left out, or can't be read, are marked.
    marks: bool,
}

impl StageFactory<TextParts> for Criteria {
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout, diagnostics: bool) -> StageResult<'a, TextParts> {
        let (engine, keeps_between) = (layout.fastest_engine(), keeps_between(layout));
        let conditions = &self.conditions;
        let slowest = if conditions.minimal { Engine::Other(SolverKind::Bitmask) } else { engine };
        let sizing = match conditions.wants_ratings() {
            true => ChunkSizing::GRIDS,
            false => ChunkSizing::for_puzzles(layout.kind(), slowest),
        };
        let mapper = move || SelectMapper::<P> {
            engine: conditions.needs_search().then(|| P::solver(engine)),
            minimizer: conditions.minimal.then(Minimizer::default),
            rater: conditions.ratings.wish().map(|wish| (BatchRater::new(wish.rater()), wish)),
            criteria: self.clone(),
            keeps_between,
            outcomes: Vec::new(),
            minimal: Vec::new(),
            rated: Vec::new(),
        };
        Ok(map_stage(layout, diagnostics, sizing, mapper))
    }
}

/// Takes the lines of the selected records; of puzzles in rows also the text between records, and nothing for
/// each record that is left out; so also where the others are to be marked.
struct SelectMapper<P: PuzzleText> {
    criteria: Criteria,
    keeps_between: bool,
    engine: Option<Box<dyn GridSolver<P>>>,
    minimizer: Option<Minimizer>,
    /// Rates puzzles, and says which ratings are wanted.
    rater: Option<(BatchRater<P>, RatingWish)>,
    outcomes: Vec<Outcome<P::Solution>>,
    minimal: Vec<bool>,
    /// Whether the ratings are as wanted; empty where ratings are of no account.
    rated: Vec<bool>,
}

impl<P: PuzzleText> SelectMapper<P> {
    /// Searches the puzzles and tests them for minimality, where a condition needs that. Fails for the first
    /// puzzle with an invalid solution.
    fn search(&mut self, puzzles: &[P]) -> Result<(), Refuted> {
        self.outcomes.clear();
        self.outcomes.resize(puzzles.len(), Outcome::NONE);
        self.minimal.clear();
        self.minimal.resize(puzzles.len(), false);
        if let Some(minimizer) = &mut self.minimizer {
            let clues: Vec<Clues<'_>> = puzzles.iter().map(Solvable::clues).collect();
            let found = minimizer.redundant_until(&clues, &NEVER).into_iter();
            let minimal =
                found.map(|found| found.solutions == 1 && !found.is_given_up && found.result.is_empty());
            self.minimal.splice(.., minimal);
        }
        let Some(engine) = &mut self.engine else { return Ok(()) };
        engine.solve_batch(puzzles, SolutionLimit::UNIQUENESS, &mut self.outcomes);
        let mut solved = puzzles.iter().zip(&self.outcomes);
        solved
            .position(|(puzzle, found)| !puzzle.agrees(found))
            .map_or(Ok(()), |index| Err(Refuted { puzzle: index, engine: engine.name() }))
    }

    /// Rates the proper puzzles that meet all other conditions, if there are conditions about ratings. Fails for the
    /// first puzzle that the techniques lead into a contradiction; `Break` says that the run was stopped meanwhile.
    fn rate(&mut self, chunk: &ReadChunk<'_, P>) -> Result<ControlFlow<()>, Refuted> {
        if self.rater.is_none() {
            return Ok(ControlFlow::Continue(()));
        }
        let wanted = self.wanted_so_far(chunk);
        let Some((rater, wish)) = &mut self.rater else { return Ok(ControlFlow::Continue(())) };
        let puzzles = wanted.iter().map(|&index| &chunk.batch.puzzles[index]);
        let rated = rater.rate(puzzles, chunk.stop);
        if rated.len() < wanted.len() {
            return Ok(ControlFlow::Break(()));
        }
        self.rated.resize(chunk.batch.puzzles.len(), false);
        for (index, (rating, _)) in wanted.into_iter().zip(rated) {
            if rating.is_refuted() {
                return Err(Refuted { puzzle: index, engine: wish.scale.version() });
            }
            self.rated[index] = wish.admits(&rating);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the proper puzzles that meet the conditions, those about ratings apart.
    fn wanted_so_far(&mut self, chunk: &ReadChunk<'_, P>) -> Vec<usize> {
        self.rated.clear();
        let mut wanted = Vec::new();
        for ((_, read), lines) in chunk.batch.iter().zip(lines_of(chunk.text, &chunk.batch.records)) {
            let Some((number, puzzle)) = read else { continue };
            if Status::proved(puzzle, &self.outcomes[number]) == Status::Unique
                && self.is_wanted(number, puzzle, chunk.text[lines].trim_ascii_end())
            {
                wanted.push(number);
            }
        }
        wanted
    }

    /// Returns whether the puzzle at `index` meets the conditions.
    fn is_wanted(&self, index: usize, puzzle: &P, lines: &[u8]) -> bool {
        let outcome = &self.outcomes[index];
        let status = || Status::proved(puzzle, outcome);
        let Criteria { conditions, fields, .. } = &self.criteria;
        let (cells, clues) = (puzzle.cells().len() as u64, puzzle.clue_count() as u64);
        let mut of_fields = conditions.fields.iter().zip(fields);
        // A puzzle in conflict was not searched.
        let has_guesses =
            |span: Span| span.up_to(u64::MAX).contains(&outcome.guesses) && status() != Status::Conflict;
        self.rated.get(index).is_none_or(|&is_wanted| is_wanted)
            && conditions.clues.is_none_or(|span| span.up_to(cells).contains(&clues))
            && of_fields.all(|(predicate, field)| predicate.holds(&field.of(lines)))
            && (conditions.status.is_empty() || conditions.status.contains(&status()))
            && conditions.guesses.is_none_or(has_guesses)
            && (!conditions.minimal || self.minimal[index])
    }
}

impl Conditions {
    fn wants_ratings(&self) -> bool {
        self.ratings.wish().is_some()
    }

    fn needs_search(&self) -> bool {
        !self.status.is_empty() || self.guesses.is_some() || self.wants_ratings()
    }

    /// Returns whether records that can't be read meet the conditions.
    fn has_malformed(&self) -> bool {
        let others = self.clues.is_some() || self.guesses.is_some() || self.minimal;
        let others = others || !self.fields.is_empty() || self.wants_ratings();
        self.status.contains(&Status::Malformed) && !others
    }
}

impl<P: PuzzleText> BatchMapper<P, TextParts> for SelectMapper<P> {
    fn map(&mut self, chunk: &ReadChunk<'_, P>, parts: &mut TextParts) -> Result<ControlFlow<()>, Refuted> {
        self.search(&chunk.batch.puzzles)?;
        if self.rate(chunk)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let ReadChunk { text: chunk, batch, .. } = *chunk;
        let mut done = 0;
        for ((_, read), lines) in batch.iter().zip(lines_of(chunk, &batch.records)) {
            self.put_between(&chunk[done..lines.start], parts);
            done = lines.end;
            let lines = &chunk[lines];
            let is_wanted = read.map_or_else(
                || self.criteria.conditions.has_malformed(),
                |(number, puzzle)| self.is_wanted(number, puzzle, lines.trim_ascii_end()),
            );
            if self.criteria.marks && read.is_none() {
                parts.push(PartKind::Malformed, &[]);
            }
            if is_wanted != self.criteria.invert {
                parts.push(PartKind::Record, lines);
            } else if self.keeps_between || self.criteria.marks {
                parts.push(PartKind::LeftOut, &[]);
            }
        }
        self.put_between(&chunk[done..], parts);
        Ok(ControlFlow::Continue(()))
    }
}

impl<P: PuzzleText> SelectMapper<P> {
    fn put_between(&self, text: &[u8], parts: &mut TextParts) {
        if self.keeps_between && !text.is_empty() {
            parts.push(PartKind::Between, text);
        }
    }
}

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
