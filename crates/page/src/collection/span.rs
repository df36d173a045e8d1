//! Consecutive records of a file, which are read together.

use std::ops::Range;

use gridmill_data::text::{Record, lines_of};

use super::entry::Entry;
use super::file::File;
use super::records::{RecordReader, reader_for};
use crate::reply::Refusal;

/// The most bytes that are read together.
const SPAN_BYTES: u64 = 1 << 20;

/// A row, and what is known of its record.
pub(super) type KnownRow = (u32, Entry);

/// Returns how many of the first rows are read together: consecutive records of a file, near each other.
fn first_span(rows: &[KnownRow]) -> usize {
    let Some((first, _)) = rows.split_first() else { return 0 };
    let is_near = |pair: &[KnownRow]| {
        let [(row, entry), (next_row, next)] = pair else { return false };
        row + 1 == *next_row && entry.file == next.file && end(next) - first.1.position <= SPAN_BYTES
    };
    rows.windows(2).take_while(|pair| is_near(pair)).count() + 1
}

fn end(entry: &Entry) -> u64 {
    entry.position + u64::from(entry.len)
}

/// Returns where in a text of whole records the lines of each record are, with their line ends.
pub(super) fn lines_of_all(text: &[u8], records: &[Record]) -> impl Iterator<Item = Range<usize>> {
    let mut done = 0;
    records.iter().enumerate().map(move |(place, record)| {
        let (start, end) = lines_of(text, record, records.get(place + 1), done);
        done = end;
        start..end
    })
}

/// Reads spans of records from their files, one behind the other.
pub(super) struct SpanReader<'a> {
    files: &'a [File],
    /// The reader of the last file.
    reader: Option<(u16, Box<dyn RecordReader>)>,
    text: Vec<u8>,
}

/// A span that has been read: its text, and its records.
pub(super) struct ReadSpan<'s> {
    pub(super) text: &'s [u8],
    /// Whether that is all of it; of a record that is too long, it is the beginning.
    pub(super) is_whole: bool,
    pub(super) records: &'s mut dyn RecordReader,
}

impl<'a> SpanReader<'a> {
    pub(super) fn new(files: &'a [File]) -> SpanReader<'a> {
        SpanReader { files, reader: None, text: Vec::new() }
    }

    /// Reads rows a span at a time, and hands the spans to `each`, as long as it refuses nothing.
    pub(super) fn read_all(
        &mut self,
        mut rows: &mut [KnownRow],
        mut each: impl FnMut(&mut [KnownRow], Result<ReadSpan<'_>, Refusal>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        while !rows.is_empty() {
            let (span, later) = rows.split_at_mut(first_span(rows));
            let read = self.read(span);
            each(span, read)?;
            rows = later;
        }
        Ok(())
    }

    /// Reads the records of a span. They must be where they were, or the file has changed.
    fn read(&mut self, span: &[KnownRow]) -> Result<ReadSpan<'_>, Refusal> {
        let (first, last) = (&span[0].1, &span[span.len() - 1].1);
        let file = &self.files[usize::from(first.file)];
        let Some(content) = &file.content else { return Err(file.refusal()) };
        let reader = match self.reader.take() {
            Some((known, reader)) if known == first.file => reader,
            _ => reader_for(&content.layout),
        };
        let (_, reader) = self.reader.insert((first.file, reader));
        let longest = reader.cut().longest();
        let len = (end(last) - first.position) as usize;
        // Of more than that, a format wants no more than the beginning.
        let is_too_long = span.len() == 1 && len > 2 * longest;
        self.text.resize(if is_too_long { longest + 1 } else { len }, 0);
        file.read(first.position, &mut self.text)?;
        let records = reader.read(&self.text, is_too_long);
        let is_there = |((_, entry), lines): (&KnownRow, Range<usize>)| {
            let is_in_place = entry.position - first.position == lines.start as u64;
            is_in_place && (entry.len as usize == lines.len() || is_too_long)
        };
        let lines = lines_of_all(&self.text, records);
        if records.len() != span.len() || !span.iter().zip(lines).all(is_there) {
            file.fail_changed("it was changed");
            return Err(file.refusal());
        }
        Ok(ReadSpan { text: &self.text, is_whole: !is_too_long, records: &mut **reader })
    }
}
