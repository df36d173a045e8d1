//! Rows of chosen columns for `solve` and `count`.

use super::{ChosenColumns, RowForm, put_number};
use crate::output::json::{put_text, put_written};
use crate::record::{ChunkOutcomes, PlacedRecord, PuzzleLike, RecordOutcome, RowFormat, Status};

/// A new column of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchColumn {
    /// The first solution.
    Solution,
    /// The number of solutions.
    Solutions,
    /// The cells that all solutions share.
    Shared,
    /// The status.
    Status,
    /// The guesses.
    Guesses,
    /// The time, in nanoseconds.
    Nanos,
}

impl SearchColumn {
    /// The columns of `solve`.
    pub const SOLVED: &[SearchColumn] =
        &[SearchColumn::Solution, SearchColumn::Status, SearchColumn::Guesses, SearchColumn::Nanos];

    /// The columns of `count`.
    pub const COUNTED: &[SearchColumn] =
        &[SearchColumn::Solutions, SearchColumn::Status, SearchColumn::Guesses, SearchColumn::Nanos];

    /// The columns of `count` with the cells that all solutions share.
    pub const SHARED: &[SearchColumn] = &[
        SearchColumn::Solutions,
        SearchColumn::Shared,
        SearchColumn::Status,
        SearchColumn::Guesses,
        SearchColumn::Nanos,
    ];

    /// Returns the name of the column.
    pub fn name(self) -> &'static str {
        match self {
            SearchColumn::Solution => "solution",
            SearchColumn::Solutions => "solutions",
            SearchColumn::Shared => "shared",
            SearchColumn::Status => "status",
            SearchColumn::Guesses => "guesses",
            SearchColumn::Nanos => "time_ns",
        }
    }
}

/// Rows of chosen columns, a row for each record of a search.
#[derive(Clone, Debug)]
pub struct ChosenRows {
    columns: ChosenColumns,
    /// The new columns that there were to choose from.
    new: &'static [SearchColumn],
}

impl ChosenRows {
    /// Returns rows of columns that were chosen where `new` were the new ones.
    pub fn new(columns: ChosenColumns, new: &'static [SearchColumn]) -> ChosenRows {
        ChosenRows { columns, new }
    }
}

impl<P: PuzzleLike> RowFormat<P> for ChosenRows {
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.columns.header());
    }

    fn rows(&self, outcomes: &ChunkOutcomes<'_, P>, out: &mut Vec<u8>) {
        let &ChunkOutcomes { place, chunk, .. } = outcomes;
        let (lines, form) = (&place.lines(chunk), self.columns.form());
        for (number, outcome) in (place.before.records + 1..).zip(outcomes.iter()) {
            let record = PlacedRecord { chunk, record: outcome.record, file: place.file, number, lines };
            let puzzle = outcome.searched.map(|(puzzle, _)| puzzle);
            let put_new = |index: usize, out: &mut Vec<u8>| put(self.new[index], &outcome, form, out);
            self.columns.write(&record, puzzle, put_new, out);
        }
    }
}

/// Appends the field of a column.
fn put<P: PuzzleLike>(
    column: SearchColumn,
    outcome: &RecordOutcome<'_, P>,
    form: RowForm,
    out: &mut Vec<u8>,
) {
    let searched = outcome.searched.filter(|_| outcome.status != Status::Conflict);
    let number = searched.map_or(0, |(_, found)| match column {
        SearchColumn::Solutions => found.solutions,
        SearchColumn::Guesses => found.guesses,
        _ => found.nanos,
    });
    let grid = searched.and_then(|(puzzle, found)| Some((puzzle, found.solution.as_ref()?)));
    match (column, form) {
        (SearchColumn::Solution | SearchColumn::Shared, form) => match (grid, form) {
            (Some((puzzle, grid)), RowForm::Csv { .. }) => puzzle.write_solution(grid, out),
            (Some((puzzle, grid)), RowForm::Json) => put_written(|out| puzzle.write_solution(grid, out), out),
            (None, RowForm::Csv { .. }) => {}
            (None, RowForm::Json) => out.extend_from_slice(b"null"),
        },
        (SearchColumn::Solutions, RowForm::Json) if searched.is_none() => out.extend_from_slice(b"null"),
        (SearchColumn::Solutions | SearchColumn::Guesses | SearchColumn::Nanos, _) => put_number(number, out),
        (SearchColumn::Status, RowForm::Csv { .. }) => {
            out.extend_from_slice(outcome.status.name().as_bytes());
        }
        (SearchColumn::Status, RowForm::Json) => put_text(outcome.status.name().as_bytes(), out),
    }
}
