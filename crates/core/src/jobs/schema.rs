//! The schema of a job: the columns and the statuses of its answers.

/// The columns and the statuses of a job, for the options that it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The columns, in the order in which rows have them. One of them is the status.
    pub columns: Vec<Column>,
    /// The statuses that a record can have, in the order in which summaries list them. The last one is `malformed`.
    pub statuses: &'static [StatusInfo],
}

/// A column of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in rows, e.g. `time_ns`.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ColumnKind,
    /// How rows write a value that is missing.
    pub absent: Absent,
    /// The meaning of a value, in a phrase.
    pub meaning: &'static str,
}

/// The type of the values of a column. Each of them may be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// The cells of a grid in reading order, 0 for a blank.
    Cells,
    /// The cells of any number of grids, one after the other. Each has a row of its own, in output for them.
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
    /// A key by which puzzles are compared. No row has one.
    Key,
    /// The steps that were made. Texts and objects have them, and tables don't.
    Steps,
    /// The status of the record.
    Status,
}

impl ColumnKind {
    /// Returns whether the values are numbers.
    #[must_use]
    pub const fn is_number(self) -> bool {
        use ColumnKind::{Nanos, Number, Rating, SmallNumber, TinyNumber};
        matches!(self, Number | SmallNumber | TinyNumber | Nanos | Rating)
    }
}

/// How rows write a value that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// As nothing in CSV, and as `null` in JSON.
    Empty,
    /// As 0, because nothing was searched, and that is free.
    Zero,
    /// As 0 in CSV, whose readers want numbers, and as `null` in JSON.
    ZeroInCsv,
}

/// A status that a job gives, and how it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusInfo {
    /// Its name in rows.
    pub name: &'static str,
    /// How it counts for the end of a run.
    pub grade: Grade,
}

/// How a status counts for the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// The job did what it was asked.
    Right,
    /// It could not.
    Wrong,
    /// Nor here, because two clues of a house are equal.
    Conflict,
    /// Nor here, because the record is no puzzle.
    Malformed,
}

impl Grade {
    /// Returns whether a record of that grade is a puzzle without a conflict.
    #[must_use]
    pub const fn is_readable(self) -> bool {
        matches!(self, Grade::Right | Grade::Wrong)
    }
}

impl StatusInfo {
    /// Returns a status that is right.
    pub(super) const fn right(name: &'static str) -> StatusInfo {
        StatusInfo { name, grade: Grade::Right }
    }

    /// Returns a status that is wrong.
    pub(super) const fn wrong(name: &'static str) -> StatusInfo {
        StatusInfo { name, grade: Grade::Wrong }
    }

    /// Puzzles with two equal clues in a house, in every job.
    pub(super) const CONFLICT: StatusInfo = StatusInfo { name: "conflict", grade: Grade::Conflict };

    /// Records that are no puzzles, in every job.
    pub(super) const MALFORMED: StatusInfo = StatusInfo { name: "malformed", grade: Grade::Malformed };
}

impl Column {
    /// The status of the record, in every job.
    pub const STATUS: Column = Column::new("status", ColumnKind::Status, "the status of the record");

    /// The status of a record in jobs that judge it.
    pub(super) const VERDICT: Column = Column { name: "verdict", ..Column::STATUS };

    /// Why a verdict is not right.
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
        absent: Absent::Zero,
        ..Column::new(
            "time_ns",
            ColumnKind::Nanos,
            "the nanoseconds that the search took, 0 where nothing was searched",
        )
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
    /// Returns the names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.name)
    }

    /// Returns the index of a column, if the schema has it.
    #[must_use]
    pub fn position(&self, column: &Column) -> Option<usize> {
        self.columns.iter().position(|other| other == column)
    }

    /// Returns whether an answer may have a list of any length, which callers may want in parts.
    #[must_use]
    pub fn has_lists(&self) -> bool {
        self.columns.iter().any(|column| column.kind == ColumnKind::Grids)
    }

    /// Returns the status of records that are no puzzles.
    #[must_use]
    pub fn malformed(&self) -> u8 {
        self.statuses.len() as u8 - 1
    }
}
