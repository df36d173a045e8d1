//! The entries of all records, in segments. An entry has the columns of a record, and this file knows which jobs fill them.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use gridmill_core::jobs::{Answers, Column, Status, Value};
use gridmill_core::logic::Rating;
use gridmill_data::error::Error;
use serde::Deserialize;

use super::{read, write};

/// The number of entries in a segment. It is small, so that reading a whole segment does not delay other threads.
const SEGMENT: usize = 1 << 16;

type Segment = Arc<RwLock<Vec<Entry>>>;

/// The entries of all records, by id. Threads that use different segments do not wait for each other.
#[derive(Debug)]
pub(super) struct Index {
    segments: RwLock<Vec<Segment>>,
    len: AtomicU32,
    /// The largest number of records.
    limit: u32,
    /// Counts the changes.
    revision: AtomicU64,
}

impl Index {
    pub(super) fn new(limit: u32) -> Index {
        Index { segments: RwLock::default(), len: AtomicU32::new(0), limit, revision: AtomicU64::new(0) }
    }

    /// The number of records. Their ids are the numbers below it.
    pub(super) fn len(&self) -> u32 {
        self.len.load(Ordering::Acquire)
    }

    /// A number that grows with every change.
    pub(super) fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// Records that something has changed.
    pub(super) fn touch(&self) {
        self.revision.fetch_add(1, Ordering::AcqRel);
    }

    /// Appends entries, as many as there is room for. Only one thread may append.
    pub(super) fn append(&self, mut entries: &[Entry]) -> Result<(), Error> {
        while !entries.is_empty() {
            let len = self.len();
            let mut segments = write(&self.segments);
            if len as usize / SEGMENT == segments.len() {
                // The whole segment is reserved at once, because memory that has not been written to costs nothing.
                segments.push(Arc::new(RwLock::new(Vec::with_capacity(SEGMENT))));
            }
            let segment = Arc::clone(&segments[len as usize / SEGMENT]);
            drop(segments);
            let room = (SEGMENT - len as usize % SEGMENT).min((self.limit - len) as usize);
            let (now, later) = entries.split_at(room.min(entries.len()));
            if now.is_empty() {
                return Err(Error::other(format!("there are more than {} records in all", self.limit)));
            }
            write(&segment).extend_from_slice(now);
            self.len.store(len + now.len() as u32, Ordering::Release);
            self.touch();
            entries = later;
        }
        Ok(())
    }

    fn segment(&self, place: usize) -> Option<Segment> {
        read(&self.segments).get(place).cloned()
    }

    /// The entry of a record.
    pub(super) fn get(&self, id: u32) -> Option<Entry> {
        let segment = self.segment(id as usize / SEGMENT)?;
        read(&segment).get(id as usize % SEGMENT).copied()
    }

    /// The segments of some records. Each comes with the first of their ids in it, and their places there.
    fn parts(&self, ids: Range<u32>) -> impl Iterator<Item = (u32, Segment, Range<usize>)> {
        let (start, end) = (ids.start as usize, ids.end as usize);
        (start / SEGMENT..end.div_ceil(SEGMENT)).map_while(move |place| {
            let base = place * SEGMENT;
            let first = start.max(base);
            Some((first as u32, self.segment(place)?, first - base..end - base))
        })
    }

    /// Passes the entries of some records to `each`, a part at a time with its first id, as long as it returns true.
    pub(super) fn visit(&self, ids: Range<u32>, mut each: impl FnMut(u32, &[Entry]) -> bool) {
        for (first, segment, part) in self.parts(ids) {
            let segment = read(&segment);
            if !each(first, &segment[within(part, segment.len())]) {
                return;
            }
        }
    }

    /// Lets `each` change the entries of some records, a part at a time with its first id. Call [`Index::touch`] after a change, but
    /// only when the counts of the file are up to date too.
    pub(super) fn change(&self, ids: Range<u32>, mut each: impl FnMut(u32, &mut [Entry])) {
        for (first, segment, part) in self.parts(ids) {
            let mut segment = write(&segment);
            let part = within(part, segment.len());
            each(first, &mut segment[part]);
        }
    }
}

/// Limits a range of places to those that exist.
fn within(part: Range<usize>, len: usize) -> Range<usize> {
    part.start.min(len)..part.end.min(len)
}

/// A pass over all records, which runs one job. The order matters, because only puzzles that are proved to be proper are rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// The job `solve`.
    Solve,
    /// The job `rate`.
    Rate,
}

/// A column by which records can be filtered and sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Field {
    /// The number of the row, which is not a part of its entry.
    #[default]
    Row,
    Clues,
    Status,
    Guesses,
    TimeNs,
    Er,
}

impl Field {
    /// The columns of entries.
    pub(super) const KNOWN: [Field; 5] =
        [Field::Clues, Field::Status, Field::Guesses, Field::TimeNs, Field::Er];

    /// The name of the field. It is also the name of the job's column.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Field::Row => "row",
            Field::Clues => Column::CLUES.name,
            Field::Status => Column::STATUS.name,
            Field::Guesses => Column::GUESSES.name,
            Field::TimeNs => Column::TIME.name,
            Field::Er => Column::ER.name,
        }
    }

    /// The pass that fills the field; `None` if the text alone is enough.
    pub(super) fn pass(self) -> Option<Pass> {
        match self {
            Field::Row | Field::Clues => None,
            Field::Status | Field::Guesses | Field::TimeNs => Some(Pass::Solve),
            Field::Er => Some(Pass::Rate),
        }
    }
}

/// The place of a record, and what is known about it. There is one entry for each record of the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The first byte of its lines in the text of its file, and their length in bytes.
    pub(super) position: u64,
    pub(super) len: u32,
    /// The guesses and the time of its search, after it has been searched.
    pub(super) guesses: u32,
    pub(super) nanos: u32,
    pub(super) clues: u16,
    pub(super) rating: RatingMark,
    /// The number of its file.
    pub(super) file: u16,
    /// The verdict. "Malformed" and "conflict" are known at once, the others after the search.
    pub(super) status: Option<Status>,
    /// A bit for each of [`Symmetry::ALL`](gridmill_core::grid::Symmetry::ALL).
    pub(super) symmetries: u8,
}

/// The size matters, because there may be millions of entries.
const _: () = assert!(size_of::<Entry>() == 32);

impl Entry {
    /// A malformed record, before its place is known.
    pub(super) const MALFORMED: Entry = Entry {
        position: 0,
        len: 0,
        guesses: 0,
        nanos: 0,
        clues: 0,
        rating: RatingMark::NONE,
        file: 0,
        status: Some(Status::Malformed),
        symmetries: 0,
    };

    /// The end of its lines in the text of its file.
    pub(super) fn end(&self) -> u64 {
        self.position + u64::from(self.len)
    }

    /// Whether the record could be read as a puzzle.
    pub(super) fn is_puzzle(&self) -> bool {
        self.status != Some(Status::Malformed)
    }

    /// Whether a pass has not handled the record yet.
    pub(super) fn wants(&self, pass: Pass) -> bool {
        match pass {
            Pass::Solve => self.status.is_none(),
            Pass::Rate => self.status == Some(Status::Unique) && self.rating == RatingMark::NONE,
        }
    }

    /// A known value as a number, by which records are filtered and sorted: the index of a status, or a rating in tenths.
    pub(super) fn number(&self, field: Field) -> Option<u32> {
        let is_searched = self.status.is_some_and(Status::is_searchable);
        match field {
            Field::Row => None,
            Field::Clues => self.is_puzzle().then_some(self.clues.into()),
            Field::Status => self.status.map(|status| status as u32),
            Field::Guesses => is_searched.then_some(self.guesses),
            Field::TimeNs => is_searched.then_some(self.nanos),
            Field::Er => self.rating.er().map(|er| er.in_tenths().into()),
        }
    }

    /// A known value as JSON. A rating is a number such as 4.2.
    pub(super) fn json(&self, field: Field) -> serde_json::Value {
        match field {
            Field::Status => self.status.map(Status::name).into(),
            Field::Er => self.rating.er().map(Rating::number).into(),
            _ => self.number(field).into(),
        }
    }

    /// Adds the result of a job, unless there is one already, because a figure that was shown must not change. Returns true if the
    /// result was added.
    pub(super) fn note(&mut self, pass: Pass, answers: &Answers, answer: usize) -> bool {
        if !self.wants(pass) {
            return false;
        }
        let value = |column: &Column| match answers.schema().position(column) {
            Some(index) => answers.value(index, answer),
            None => Value::Missing,
        };
        let number = |column: &Column| match value(column) {
            Value::Number(number) => u32::try_from(number).unwrap_or(u32::MAX),
            _ => 0,
        };
        match pass {
            Pass::Solve => {
                self.status = Some(Status::ALL[usize::from(answers.statuses()[answer])]);
                (self.guesses, self.nanos) = (number(&Column::GUESSES), number(&Column::TIME));
            }
            Pass::Rate => self.rating = RatingMark::from_er(value(&Column::ER)),
        }
        true
    }
}

/// The rating of a puzzle, or the reason why it has none, in two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RatingMark(u16);

impl RatingMark {
    /// Not rated yet.
    pub(super) const NONE: RatingMark = RatingMark(0);
    /// Rated, but the techniques do not solve the puzzle.
    const UNSOLVED: RatingMark = RatingMark(1);
    /// Never rated, because the puzzle is not 9x9.
    pub(super) const NEVER: RatingMark = RatingMark(2);
    /// The number that is added to a rating in tenths. It keeps ratings apart from the marks above, because the rating
    /// of a full grid is 0.
    const OFFSET: u16 = 3;

    /// The mark of a rated puzzle. The rating is missing if the techniques do not solve the puzzle.
    pub(super) fn from_er(er: Value<'_>) -> RatingMark {
        match er {
            Value::Rating(er) => RatingMark(er.in_tenths() + RatingMark::OFFSET),
            _ => RatingMark::UNSOLVED,
        }
    }

    /// The rating, if there is one.
    pub(super) fn er(self) -> Option<Rating> {
        self.0.checked_sub(RatingMark::OFFSET).map(Rating::tenths)
    }

    /// How the rating ended, if the puzzle has been rated.
    pub(super) fn end(self) -> Option<&'static str> {
        match self {
            RatingMark::NONE | RatingMark::NEVER => None,
            RatingMark::UNSOLVED => Some("unsolved"),
            _ => Some("solved"),
        }
    }
}

#[cfg(test)]
mod tests {
    use gridmill_core::jobs::{Job, Rate, Solve};
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_requests_have_the_names_of_job_columns() {
        let schemas = [Solve::default().schema(), Rate::default().schema()];
        for field in Field::KNOWN {
            let name = format!("\"{}\"", field.name());
            assert_eq!(serde_json::from_str::<Field>(&name).unwrap(), field);
            let schema = field.pass().map(|pass| &schemas[pass as usize]);
            assert!(schema.is_none_or(|schema| schema.names().any(|name| name == field.name())), "{name}");
        }
    }

    #[test]
    fn the_page_offers_the_columns_and_statuses_of_jobs() {
        let page = include_str!("../assets/view.js");
        let names: Vec<&str> = [Field::Row].into_iter().chain(Field::KNOWN).map(Field::name).collect();
        let keys = json!(names).to_string().replace(',', ", ");
        assert!(page.contains(&format!("SORT_KEYS = {keys};")), "{keys}");
        // A search for two solutions never ends as `solved`.
        let form = include_str!("../assets/index.html");
        for status in Status::ALL {
            let is_offered = form.contains(&format!("name=\"status\" value=\"{}\"", status.name()));
            assert_eq!(is_offered, status != Status::Solved, "{status:?}");
        }
    }
}
