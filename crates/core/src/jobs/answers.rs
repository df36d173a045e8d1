//! The answers of a job for a batch of puzzles, a vector for each column; and the schema of a job: its
//! columns and statuses.

use std::fmt::Display;
use std::io::Write;

use super::{JobPuzzle, PuzzleKey, Status, TraceRecord};
use crate::logic::{Explanation, Rating};
use crate::solver::{Outcome, SolutionLimit};

/// The columns and the statuses of a job with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The columns in the order of the fields of a row. One of them is the status, except in
    /// [`ReadOnly`](super::ReadOnly), which has no columns.
    pub columns: Vec<Column>,
    /// The statuses that a record can have, in the order in which summaries list them. The last one is
    /// `malformed`.
    pub statuses: &'static [StatusInfo],
}

/// A column of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in rows, e.g. `time_ns`.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ColumnKind,
    /// How rows write a missing value.
    pub absent: Absent,
    /// The meaning of a value, in a phrase.
    pub meaning: &'static str,
}

/// The type of the values of a column. Any value may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// The cells of a grid in reading order, 0 for a blank.
    Cells,
    /// The cells of any number of grids, one after the other. In rows, each grid has a row of its own.
    Grids,
    /// For each cell and digit, how many solutions have the digit there, up to a cap.
    Candidates,
    /// A whole number.
    Number,
    /// A whole number below 2^32.
    SmallNumber,
    /// A whole number below 2^16.
    TinyNumber,
    /// Nanoseconds.
    Nanos,
    /// A rating on the scale of Sudoku Explainer.
    Rating,
    /// One of a few names.
    Name(&'static [&'static str]),
    /// A text, which is never empty.
    Text,
    /// A key for comparing puzzles. Rows do not show it.
    Key,
    /// The steps of a solution path. Texts and JSON show them, but tables don't.
    Steps,
    /// The status of the record.
    Status,
}

impl ColumnKind {
    /// Checks whether the values are numbers.
    #[must_use]
    pub const fn is_number(self) -> bool {
        use ColumnKind::{Nanos, Number, Rating, SmallNumber, TinyNumber};
        matches!(self, Number | SmallNumber | TinyNumber | Nanos | Rating)
    }
}

/// How rows write a missing value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// As nothing in CSV, and as `null` in JSON.
    Empty,
    /// As 0, because nothing was searched, which costs nothing.
    Zero,
    /// As 0 in CSV, because its readers expect numbers, and as `null` in JSON.
    ZeroInCsv,
}

/// A status that a job can give, with its grade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusInfo {
    /// Its name in rows.
    pub name: &'static str,
    /// How it counts for the exit code of a run.
    pub grade: Grade,
}

/// How a status counts for the exit code of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// It counts as a success.
    Right,
    /// It counts as a failure, e.g. a wrong solution in `check`, or a search that was given up.
    Wrong,
    /// It counts as a failure: two clues of a house are equal.
    Conflict,
    /// It counts as a failure: the record is not a puzzle.
    Malformed,
}

impl Grade {
    /// Checks whether a record of that grade can be searched: it is a puzzle without a conflict.
    #[must_use]
    pub const fn is_searchable(self) -> bool {
        matches!(self, Grade::Right | Grade::Wrong)
    }
}

impl StatusInfo {
    /// A status with the grade [`Grade::Right`].
    pub(super) const fn right(name: &'static str) -> StatusInfo {
        StatusInfo { name, grade: Grade::Right }
    }

    /// A status with the grade [`Grade::Wrong`].
    pub(super) const fn wrong(name: &'static str) -> StatusInfo {
        StatusInfo { name, grade: Grade::Wrong }
    }

    /// The status, in every job, of puzzles with two equal clues in a house.
    pub(super) const CONFLICT: StatusInfo = StatusInfo { name: "conflict", grade: Grade::Conflict };

    /// The status, in every job, of records that are not puzzles.
    pub(super) const MALFORMED: StatusInfo = StatusInfo { name: "malformed", grade: Grade::Malformed };
}

impl Column {
    /// The status of the record, in every job.
    pub const STATUS: Column = Column::new("status", ColumnKind::Status, "the status of the record");

    /// The status of a record in jobs that judge it.
    pub(super) const VERDICT: Column = Column { name: "verdict", ..Column::STATUS };

    /// The reason why a verdict is not right.
    pub const REASON: Column = Column::new("reason", ColumnKind::Text, "why the record is not right");

    /// The guesses of a search.
    pub const GUESSES: Column = Column {
        absent: Absent::Zero,
        ..Column::new(
            "guesses",
            ColumnKind::Number,
            "the guesses of the engine, 0 where nothing was searched",
        )
    };

    /// The time of a search.
    pub const TIME: Column = Column {
        name: "time_ns",
        kind: ColumnKind::Nanos,
        absent: Absent::Zero,
        meaning: "the nanoseconds that the search took, 0 where nothing was searched",
    };

    /// The number of clues of the puzzle that was made.
    pub const CLUES: Column = Column::new("clues", ColumnKind::SmallNumber, "the number of its clues");

    /// The rating of a puzzle.
    pub const ER: Column =
        Column::new("er", ColumnKind::Rating, "the highest rating of a round: how hard the puzzle is");

    pub(super) const fn new(name: &'static str, kind: ColumnKind, meaning: &'static str) -> Column {
        Column { name, kind, absent: Absent::Empty, meaning }
    }
}

impl Schema {
    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.name)
    }

    /// The index of a column, if the schema has it.
    #[must_use]
    pub fn position(&self, column: &Column) -> Option<usize> {
        self.columns.iter().position(|other| other == column)
    }

    /// Checks whether an answer may have a list of any length, which you may want to take in parts.
    #[must_use]
    pub fn has_lists(&self) -> bool {
        self.columns.iter().any(|column| column.kind == ColumnKind::Grids)
    }

    /// The status of records that are not puzzles.
    #[must_use]
    pub fn malformed(&self) -> u8 {
        self.statuses.len() as u8 - 1
    }
}

/// The answers for some puzzles, in order: a status for each, and a vector of values for each column. A
/// worker fills it for one batch after another. Reuse it, because it then allocates only for a batch that is
/// larger than all before.
///
/// ```
/// use gridmill_core::Puzzle;
/// use gridmill_core::jobs::{Job, Solve, Value};
///
/// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// let answers = Solve::default().answer(&[line.parse::<Puzzle>()?])?;
/// assert_eq!(answers.schema().names().collect::<Vec<_>>(), ["solution", "status", "guesses", "time_ns"]);
/// let Value::Cells(solution) = answers.value(0, 0) else { panic!("it has a solution") };
/// assert_eq!(solution[..9], [5, 3, 4, 6, 7, 8, 9, 1, 2]);
/// assert_eq!(answers.value(1, 0), Value::Text("unique"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    schema: Schema,
    statuses: Vec<u8>,
    columns: Vec<Values>,
    /// If the search of the puzzle after the last answer was stopped: how many solutions it had found.
    found_when_stopped: u64,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    Cells(Runs<u8>),
    Grids(Runs<u8>),
    Candidates(Runs<u64>),
    /// Whole numbers and nanoseconds.
    Numbers(Vec<u64>),
    /// Ratings in tenths.
    Ratings(Vec<u64>),
    Names(&'static [&'static str], Vec<u8>),
    /// Texts in UTF-8.
    Texts(Runs<u8>),
    Keys(Vec<Option<PuzzleKey>>),
    Steps(Vec<Option<Steps>>),
    /// The statuses, which are stored only once.
    Statuses,
}

/// The code of a missing name.
const NAMELESS: u8 = u8::MAX;

/// The reason of a verdict that is right, which needs none.
pub(super) const NO_REASON: Option<&str> = None;

/// Runs of items of any length, one after the other. An empty run is a missing value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Runs<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

/// The steps that solve a puzzle.
#[derive(Clone, Debug, PartialEq)]
pub enum Steps {
    /// Steps as people make them.
    Explained(Box<Explanation>),
    /// Steps of an engine.
    Traced(TraceRecord),
}

/// A value of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// There is no value.
    Missing,
    /// Cells in reading order, 0 for a blank.
    Cells(&'a [u8]),
    /// The cells of one or more grids, one after the other.
    Grids(&'a [u8]),
    /// For each cell in reading order and each digit, how many solutions have the digit there, up to a cap.
    Candidates(&'a [u64]),
    /// A number, or nanoseconds.
    Number(u64),
    /// A rating.
    Rating(Rating),
    /// A text, the name of a status, or another name.
    Text(&'a str),
    /// A key for comparing puzzles.
    Key(&'a PuzzleKey),
    /// The steps of a solution path.
    Steps(&'a Steps),
}

impl Answers {
    /// The number that [`Answers::numbers`] has in place of a missing one.
    pub const MISSING: u64 = u64::MAX;

    /// Makes an empty value for a schema.
    #[must_use]
    pub fn new(schema: Schema) -> Answers {
        let columns = schema.columns.iter().map(Values::for_column).collect();
        Answers { schema, statuses: Vec::new(), columns, found_when_stopped: 0 }
    }

    /// The columns and statuses.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of answers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.statuses.len()
    }

    /// Checks whether there are no answers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.statuses.is_empty()
    }

    /// Removes all answers, but keeps the memory.
    pub fn clear(&mut self) {
        self.statuses.clear();
        self.found_when_stopped = 0;
        for values in &mut self.columns {
            match values {
                Values::Cells(runs) | Values::Grids(runs) | Values::Texts(runs) => runs.clear(),
                Values::Candidates(runs) => runs.clear(),
                Values::Numbers(numbers) | Values::Ratings(numbers) => numbers.clear(),
                Values::Keys(keys) => keys.clear(),
                Values::Steps(steps) => steps.clear(),
                Values::Names(_, places) => places.clear(),
                Values::Statuses => {}
            }
        }
    }

    /// Removes the grids from the columns whose answers are lists of grids, so that the lists are empty. Use it after
    /// you have taken a part of them.
    pub fn clear_grids(&mut self) {
        for values in &mut self.columns {
            if let Values::Grids(runs) = values {
                runs.items.clear();
                runs.ends.fill(0);
            }
        }
    }

    /// How many grids, of `cells` cells each, an answer has now, in its first column of grids.
    #[must_use]
    pub fn grids(&self, answer: usize, cells: usize) -> usize {
        let of_grids = |values: &'_ Values| {
            if let Values::Grids(runs) = values { Some(runs.get(answer).len()) } else { None }
        };
        self.columns.iter().find_map(of_grids).map_or(0, |len| len / cells)
    }

    /// How many solutions had been found of the puzzle after the last answer when its count was stopped; the
    /// puzzle may have more. It is 0 if no count was stopped.
    #[must_use]
    pub fn found_when_stopped(&self) -> u64 {
        self.found_when_stopped
    }

    /// Sets the value of [`Answers::found_when_stopped`].
    pub(super) fn set_found_when_stopped(&mut self, solutions: u64) {
        self.found_when_stopped = solutions;
    }

    /// The statuses, as places in [`Schema::statuses`].
    #[must_use]
    pub fn statuses(&self) -> &[u8] {
        &self.statuses
    }

    /// The value in a column, given by its index, for a puzzle, given by its place in the batch.
    ///
    /// # Panics
    ///
    /// If there is no such column or answer.
    // This is always inlined into the loops that write rows, because a call for each value took 8 % of the
    // time of solving easy puzzles.
    #[inline(always)]
    #[must_use]
    pub fn value(&self, column: usize, answer: usize) -> Value<'_> {
        match &self.columns[column] {
            Values::Cells(runs) => runs.value(answer, Value::Cells),
            Values::Numbers(numbers) => match numbers[answer] {
                Answers::MISSING => Value::Missing,
                number => Value::Number(number),
            },
            Values::Ratings(ratings) => match ratings[answer] {
                Answers::MISSING => Value::Missing,
                tenths => Value::Rating(Rating::tenths(tenths as u16)),
            },
            Values::Statuses => Value::Text(self.schema.statuses[usize::from(self.statuses[answer])].name),
            Values::Names(names, places) => {
                names.get(usize::from(places[answer])).map_or(Value::Missing, |name| Value::Text(name))
            }
            Values::Candidates(runs) => runs.value(answer, Value::Candidates),
            Values::Grids(runs) => runs.value(answer, Value::Grids),
            Values::Texts(runs) => {
                runs.value(answer, |text| Value::Text(str::from_utf8(text).expect("texts are UTF-8")))
            }
            Values::Keys(keys) => keys[answer].as_ref().map_or(Value::Missing, Value::Key),
            Values::Steps(steps) => steps[answer].as_ref().map_or(Value::Missing, Value::Steps),
        }
    }

    /// All numbers of a column of whole numbers, nanoseconds, or ratings in tenths. `None` for columns of
    /// other types. A missing number is [`Answers::MISSING`].
    #[must_use]
    pub fn numbers(&self, column: usize) -> Option<&[u64]> {
        match &self.columns[column] {
            Values::Numbers(numbers) | Values::Ratings(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// The place of a name among those of the column, or of a status among those of the schema, e.g. 0 for
    /// `unique` in the answers of `solve`. `None` if it is missing, or if the column does not hold names.
    #[inline]
    #[must_use]
    pub fn code(&self, column: usize, answer: usize) -> Option<u8> {
        match &self.columns[column] {
            Values::Names(_, places) => Some(places[answer]).filter(|&place| place != NAMELESS),
            Values::Statuses => Some(self.statuses[answer]),
            _ => None,
        }
    }

    /// Adds the status of the next answer. The values of every other column must follow.
    pub(super) fn push_status(&mut self, status: u8) {
        self.statuses.push(status);
    }

    /// Adds a verdict to the columns of jobs with verdicts, and its reason unless it is right.
    #[inline]
    pub(super) fn push_verdict(&mut self, status: u8, reason: Option<impl Display>) {
        self.push_status(status);
        match (&mut self.columns[1], reason) {
            (Values::Texts(texts), None) => texts.push(&[]),
            (_, Some(reason)) => self.push_text(1, reason),
            (other, None) => panic!("the column holds no texts: {other:?}"),
        }
    }

    /// Adds the answers for puzzles that were searched with a limit: their statuses, their guesses and times
    /// (0 if clues contradict each other) in the columns of these indices, and their solutions if there is a
    /// column for them.
    pub(super) fn push_searched<P: JobPuzzle>(
        &mut self,
        puzzles: &[P],
        found: &[Outcome<P::Solution>],
        limit: SolutionLimit,
        [guesses, nanos]: [usize; 2],
        solution: Option<usize>,
    ) {
        // It is done in one pass, because the outcomes of a batch hardly fit into the cache.
        let mut no_solutions = Values::Statuses;
        let [guesses, nanos, solutions] = match solution {
            Some(solution) => self.columns.get_disjoint_mut([guesses, nanos, solution]).expect("columns"),
            None => {
                let [guesses, nanos] = self.columns.get_disjoint_mut([guesses, nanos]).expect("columns");
                [guesses, nanos, &mut no_solutions]
            }
        };
        let (Values::Numbers(guesses), Values::Numbers(nanos)) = (guesses, nanos) else {
            panic!("guesses and times are numbers")
        };
        let statuses = extended(&mut self.statuses, found.len());
        let costs = extended(guesses, found.len()).iter_mut().zip(extended(nanos, found.len()));
        for (((puzzle, found), place), (guesses, nanos)) in puzzles.iter().zip(found).zip(statuses).zip(costs)
        {
            let status = Status::from_count(puzzle, found.solutions, found.is_given_up, limit);
            *place = status as u8;
            if status != Status::Conflict {
                (*guesses, *nanos) = (found.guesses, found.nanos);
            }
            if let Values::Cells(solutions) = solutions {
                match &found.solution {
                    Some(solution) => solutions.push(P::digits_of(solution)),
                    None => solutions.push(&[]),
                }
            }
        }
    }

    /// The values of a column of cells, or of many grids, so that the caller can add to them.
    pub(super) fn cells(&mut self, column: usize) -> &mut Runs<u8> {
        let (Values::Cells(runs) | Values::Grids(runs)) = &mut self.columns[column] else {
            panic!("the column holds no cells")
        };
        runs
    }

    /// The values of a column of candidates, so that the caller can add to them.
    pub(super) fn candidates(&mut self, column: usize) -> &mut Runs<u64> {
        let Values::Candidates(runs) = &mut self.columns[column] else {
            panic!("the column holds no candidates")
        };
        runs
    }

    /// Adds values to a column of numbers.
    #[inline]
    pub(super) fn push_numbers(&mut self, column: usize, more: impl Iterator<Item = Option<u64>>) {
        let (Values::Numbers(numbers) | Values::Ratings(numbers)) = &mut self.columns[column] else {
            panic!("the column holds no numbers")
        };
        numbers.extend(more.map(|number| number.unwrap_or(Answers::MISSING)));
    }

    /// Adds values to a column of ratings.
    pub(super) fn push_ratings(&mut self, column: usize, more: impl Iterator<Item = Option<Rating>>) {
        self.push_numbers(column, more.map(|rating| Some(rating?.in_tenths().into())));
    }

    /// Adds names, given by their places among those of the column.
    pub(super) fn push_names(&mut self, column: usize, more: impl Iterator<Item = Option<usize>>) {
        let Values::Names(_, places) = &mut self.columns[column] else { panic!("the column holds no names") };
        places.extend(more.map(|place| place.map_or(NAMELESS, |place| place as u8)));
    }

    /// Adds a text. An empty text is a missing value.
    pub(super) fn push_text(&mut self, column: usize, text: impl Display) {
        let Values::Texts(texts) = &mut self.columns[column] else { panic!("the column holds no texts") };
        // The result is ignored, because writing to memory can't fail.
        let _ = write!(texts.items, "{text}");
        texts.push(&[]);
    }

    /// Adds a key, or a missing value.
    pub(super) fn push_key(&mut self, column: usize, key: Option<PuzzleKey>) {
        let Values::Keys(keys) = &mut self.columns[column] else { panic!("the column holds no keys") };
        keys.push(key);
    }

    /// Adds the steps, or a missing value.
    pub(super) fn push_steps(&mut self, column: usize, more: Option<Steps>) {
        let Values::Steps(steps) = &mut self.columns[column] else { panic!("the column holds no steps") };
        steps.push(more);
    }
}

/// Adds `more` zeros to a vector, and returns them.
fn extended<T: Default + Clone>(items: &mut Vec<T>, more: usize) -> &mut [T] {
    let before = items.len();
    items.resize(before + more, T::default());
    &mut items[before..]
}

impl Values {
    fn for_column(column: &Column) -> Values {
        match column.kind {
            ColumnKind::Cells => Values::Cells(Runs::new()),
            ColumnKind::Grids => Values::Grids(Runs::new()),
            ColumnKind::Candidates => Values::Candidates(Runs::new()),
            ColumnKind::Number | ColumnKind::SmallNumber | ColumnKind::TinyNumber | ColumnKind::Nanos => {
                Values::Numbers(Vec::new())
            }
            ColumnKind::Rating => Values::Ratings(Vec::new()),
            ColumnKind::Name(names) => Values::Names(names, Vec::new()),
            ColumnKind::Text => Values::Texts(Runs::new()),
            ColumnKind::Key => Values::Keys(Vec::new()),
            ColumnKind::Steps => Values::Steps(Vec::new()),
            ColumnKind::Status => Values::Statuses,
        }
    }
}

impl<T: Copy> Runs<T> {
    fn new() -> Runs<T> {
        Runs { items: Vec::new(), ends: Vec::new() }
    }

    fn clear(&mut self) {
        self.items.clear();
        self.ends.clear();
    }

    #[inline(always)]
    fn get(&self, index: usize) -> &[T] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.items[start..self.ends[index]]
    }

    /// Converts a run to a value.
    #[inline(always)]
    fn value<'a>(&'a self, index: usize, value: impl FnOnce(&'a [T]) -> Value<'a>) -> Value<'a> {
        match self.get(index) {
            [] => Value::Missing,
            run => value(run),
        }
    }

    /// Adds a run.
    #[inline(always)]
    pub(super) fn push(&mut self, run: &[T]) {
        self.items.extend_from_slice(run);
        self.ends.push(self.items.len());
    }

    /// Adds items to the last run.
    #[inline]
    pub(super) fn lengthen(&mut self, more: impl Iterator<Item = T>) {
        self.items.extend(more);
        if let Some(end) = self.ends.last_mut() {
            *end = self.items.len();
        }
    }
}
