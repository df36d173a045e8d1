//! The two passes over a collection. The first pass makes the keys of the records of each chunk. The second one makes
//! their text, and writes the records that are not duplicates (`dedupe`), lists those that are (`overlap`), or writes
//! each record to its part (`split`).

use std::io::{BufWriter, Write};
use std::iter::Peekable;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{Answers, Job, Keys, PuzzleKey, Worker, WrongAnswer};

use super::attribute::{Attribute, RecordValues};
use super::selection::SelectionWriter;
use super::sorter::{Spool, Spooled};
use super::{Duplicate, Duplicates, PartBounds, Partition, Space, SpaceError};
use crate::error::{Error, ErrorKind};
use crate::output::{Destination, put_csv_row};
use crate::packing::ColumnType;
use crate::pipeline::{BatchMapper, ChunkSizing, ChunkValue, MapStage, ReadChunk, Stage};
use crate::record::Places;
use crate::text::{Layout, PuzzleText, lines_of};
use crate::with_kind;

/// A record with its key.
#[derive(Clone, Copy, Debug)]
pub struct KeyedRecord {
    /// Its line, from 1.
    pub line: u64,
    /// The key of its puzzle. Malformed records have none; nor have puzzles without exactly one solution, if
    /// solutions are compared.
    pub key: Option<PuzzleKey>,
}

/// The records of a chunk with their keys.
#[derive(Debug, Default)]
pub struct KeyedRecords {
    /// The records, in order.
    pub records: Vec<KeyedRecord>,
    /// How many of them have no key.
    pub keyless: u64,
    /// How many puzzles have clues in conflict, if isomorphs are compared. They have no minlex form, so their keys
    /// are made from the cells.
    pub in_conflict: u64,
    /// The values of the records, if attributes are wanted.
    pub values: RecordValues,
}

impl ChunkValue for KeyedRecords {
    fn clear(&mut self) {
        self.records.clear();
        self.values.clear();
        (self.keyless, self.in_conflict) = (0, 0);
    }
}

/// Makes the stage for the first pass: it computes the keys of the records of a file, and their values of
/// `attributes`.
#[must_use]
pub fn key_stage<'a>(
    job: Keys,
    attributes: &'a [Attribute],
    layout: &Layout,
    diagnostics: bool,
) -> Box<dyn Stage<KeyedRecords> + 'a> {
    let sizing = ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine());
    with_kind!(layout.kind(), P => {
        let mapper = move || KeyMapper::<P> { attributes: attributes.to_vec(), ..KeyMapper::new(job) };
        MapStage::stage(layout, diagnostics, sizing, mapper)
    })
}

/// Computes the keys of records.
pub struct KeyMapper<P: PuzzleText> {
    worker: Box<dyn Worker<P>>,
    keys: Answers,
    /// The attributes whose values are collected.
    attributes: Vec<Attribute>,
}

impl<P: PuzzleText> KeyMapper<P> {
    /// Computes the keys that `job` describes.
    #[must_use]
    pub fn new(job: Keys) -> KeyMapper<P> {
        KeyMapper { worker: job.worker(), keys: Answers::new(job.schema()), attributes: Vec::new() }
    }

    /// Computes the keys of puzzles; `None` if `stop` became true meanwhile.
    ///
    /// # Errors
    ///
    /// If the answer of an engine breaks the rules of Sudoku.
    pub fn answer(&mut self, puzzles: &[P], stop: &AtomicBool) -> Result<Option<&Answers>, WrongAnswer> {
        self.keys.clear();
        self.worker.answer(puzzles, 0, stop, &mut self.keys)?;
        Ok((self.keys.len() == puzzles.len()).then_some(&self.keys))
    }
}

impl<P: PuzzleText> BatchMapper<P, KeyedRecords> for KeyMapper<P> {
    fn map(
        &mut self,
        chunk: &ReadChunk<'_, P>,
        keyed: &mut KeyedRecords,
    ) -> Result<ControlFlow<()>, WrongAnswer> {
        let ReadChunk { text: chunk, batch, lines_before, stop, .. } = *chunk;
        if !self.attributes.is_empty() {
            for ((_, read), lines) in batch.iter().zip(lines_of(chunk, &batch.records)) {
                let clues = read.map(|(_, puzzle)| puzzle.clue_count());
                keyed.values.push(&self.attributes, clues, chunk[lines].trim_ascii_end());
            }
        }
        let Some(keys) = self.answer(&batch.puzzles, stop)? else { return Ok(ControlFlow::Break(())) };
        let mut places = Places::new(chunk, lines_before);
        keyed.records.extend(batch.iter().map(|(record, read)| KeyedRecord {
            line: places.at(record.start as usize).0,
            key: read.and_then(|(index, _)| keys.key(index)),
        }));
        keyed.keyless = keyed.records.iter().filter(|record| record.key.is_none()).count() as u64;
        keyed.in_conflict = keys.statuses().iter().filter(|&&status| status == Keys::CONFLICT).count() as u64;
        Ok(ControlFlow::Continue(()))
    }
}

/// A segment of the text of a chunk: its kind and its bytes.
pub(super) type TextSegment<'a> = (SegmentKind, &'a [u8]);

/// The kind of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// A record.
    Record,
    /// The text between records.
    Between,
    /// A mark without text, in place of a record that was left out.
    LeftOut,
    /// A mark without text, in front of a record that can't be read.
    Malformed,
}

/// The text of a chunk in segments, in the order of the input.
#[derive(Debug, Default)]
pub struct TextSegments {
    text: Vec<u8>,
    /// The kind of each segment, and where in the text it ends.
    segments: Vec<(SegmentKind, usize)>,
    /// The values of the segments that are records, if attributes are wanted.
    pub values: RecordValues,
}

impl TextSegments {
    /// Adds a segment. Empty text between records is skipped.
    pub fn push(&mut self, kind: SegmentKind, bytes: &[u8]) {
        if kind == SegmentKind::Between && bytes.is_empty() {
            return;
        }
        self.text.extend_from_slice(bytes);
        self.segments.push((kind, self.text.len()));
    }

    /// Iterates over the segments.
    pub(super) fn iter(&self) -> impl Iterator<Item = TextSegment<'_>> {
        let mut start = 0;
        self.segments
            .iter()
            .map(move |&(kind, end)| (kind, &self.text[std::mem::replace(&mut start, end)..end]))
    }

    /// Counts the segments that are records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.segments.iter().filter(|(kind, _)| *kind == SegmentKind::Record).count() as u64
    }
}

impl ChunkValue for TextSegments {
    fn clear(&mut self) {
        self.text.clear();
        self.segments.clear();
        self.values.clear();
    }

    fn listed(&self) -> u64 {
        self.segments.iter().filter(|(kind, _)| *kind == SegmentKind::Record).count() as u64
    }
}

/// Collects the text of the records of a chunk.
#[derive(Clone, Copy, Debug)]
pub enum TextMapper {
    /// The lines of each record unchanged, and the text between records.
    Lines,
    /// The cells of each record in one line; empty for records that can't be read.
    Cells,
}

/// Makes the stage for the second pass: it collects the text of the records of a file.
#[must_use]
pub fn text_stage<'a>(
    mapper: TextMapper,
    layout: &Layout,
    diagnostics: bool,
) -> Box<dyn Stage<TextSegments> + 'a> {
    let sizing = ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine());
    with_kind!(layout.kind(), P => MapStage::<P, _>::stage(layout, diagnostics, sizing, move || mapper))
}

impl<P: PuzzleText> BatchMapper<P, TextSegments> for TextMapper {
    fn map(
        &mut self,
        chunk: &ReadChunk<'_, P>,
        segments: &mut TextSegments,
    ) -> Result<ControlFlow<()>, WrongAnswer> {
        let ReadChunk { text: chunk, batch, .. } = *chunk;
        if matches!(self, TextMapper::Cells) {
            let mut cells = Vec::new();
            for (_, read) in batch.iter() {
                cells.clear();
                read.into_iter().for_each(|(_, puzzle)| puzzle.write(&mut cells));
                segments.push(SegmentKind::Record, &cells);
            }
            return Ok(ControlFlow::Continue(()));
        }
        let mut done = 0;
        for lines in lines_of(chunk, &batch.records) {
            segments.push(SegmentKind::Between, &chunk[done..lines.start]);
            done = lines.end;
            segments.push(SegmentKind::Record, &chunk[lines]);
        }
        segments.push(SegmentKind::Between, &chunk[done..]);
        Ok(ControlFlow::Continue(()))
    }
}

/// The output of a command. It is a concrete type, so that its methods are compiled in this crate, where it is converted to
/// `dyn Write`: the release profile compiles the program at opt-level 0 (see `Cargo.toml`).
pub type Output = BufWriter<Destination>;

/// Writes bytes to the output of a command.
pub(super) fn put(output: &mut Output, bytes: &[u8]) -> Result<(), Error> {
    output.write_all(bytes).map_err(|error| ErrorKind::Write { error }.into())
}

/// The duplicates that a pass needs. The pass asks for them in the order of the records, so one look ahead
/// is enough.
pub struct DuplicatesInOrder(Peekable<Duplicates>);

impl DuplicatesInOrder {
    /// Keeps the duplicates in the files after the first `against_count`, because those first files are only
    /// compared with.
    #[must_use]
    pub fn after_files(against_count: usize, found: Duplicates) -> DuplicatesInOrder {
        DuplicatesInOrder::filtered(found, move |found| found.at.file as usize >= against_count)
    }

    /// Keeps the duplicates whose first record is in another file.
    #[must_use]
    pub fn across(found: Duplicates) -> DuplicatesInOrder {
        DuplicatesInOrder::filtered(found, |found| found.at.file != found.first.file)
    }

    fn filtered(found: Duplicates, is_wanted: impl Fn(&Duplicate) -> bool + 'static) -> DuplicatesInOrder {
        let wanted = found.filter(move |found| found.as_ref().map_or(true, &is_wanted));
        DuplicatesInOrder((Box::new(wanted) as Duplicates).peekable())
    }

    /// Returns whether all duplicates have been taken.
    pub fn is_empty(&mut self) -> bool {
        self.0.peek().is_none()
    }

    /// Takes the next duplicate if it is the record at this place.
    fn at(&mut self, file: usize, record: u64) -> Result<Option<Duplicate>, SpaceError> {
        let is_it = |found: &Result<Duplicate, SpaceError>| {
            found.as_ref().map_or(true, |found| (found.at.file as usize, found.at.record) == (file, record))
        };
        self.0.next_if(is_it).transpose()
    }
}

/// Writes the records that are not duplicates, and lists the duplicates.
pub struct DistinctWriter<'a> {
    /// The duplicates.
    pub duplicates: DuplicatesInOrder,
    /// The number of files at the beginning that are only compared with.
    pub against_count: usize,
    /// Takes the records.
    pub output: &'a mut Output,
    /// Takes a row of CSV for each duplicate.
    pub list: Option<&'a mut Output>,
    /// The names of the files.
    pub names: Vec<String>,
    /// Number of duplicates of records in the files themselves, and of records in the files that are only compared with.
    pub found: [u64; 2],
    /// The last byte that was written, which says whether the last line has an end.
    pub last: u8,
}

impl DistinctWriter<'_> {
    /// The types of the columns of the list.
    pub const LIST_TYPES: [ColumnType; 6] = [
        ColumnType::Text,
        ColumnType::Number,
        ColumnType::Number,
        ColumnType::Text,
        ColumnType::Number,
        ColumnType::Number,
    ];

    /// Writes the header of the list, and the text before all records.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn begin(&mut self, head: &[u8]) -> Result<(), Error> {
        if let Some(list) = &mut self.list {
            put(list, b"file,record,line,first_file,first_record,first_line\n")?;
        }
        self.put(head)
    }

    /// Ends the last line of a file, because another file follows.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn end_line(&mut self) -> Result<(), Error> {
        if self.last == b'\n' { Ok(()) } else { self.put(b"\n") }
    }

    /// Writes a chunk of a file. `first` is the number of its first record.
    ///
    /// # Errors
    ///
    /// If writing fails, or reading the duplicates.
    pub fn take(&mut self, file: usize, first: u64, segments: &TextSegments) -> Result<(), Error> {
        let mut record = first;
        for (kind, text) in segments.iter() {
            let mut duplicate = None;
            if kind == SegmentKind::Record {
                duplicate = self.duplicates.at(file, record)?;
                record += 1;
            }
            match duplicate {
                Some(duplicate) => self.leave_out(&duplicate)?,
                None => self.put(text)?,
            }
        }
        Ok(())
    }

    fn put(&mut self, text: &[u8]) -> Result<(), Error> {
        self.last = text.last().copied().unwrap_or(self.last);
        put(self.output, text)
    }

    /// Counts and lists a duplicate instead of writing it.
    fn leave_out(&mut self, duplicate: &Duplicate) -> Result<(), Error> {
        self.found[usize::from((duplicate.first.file as usize) < self.against_count)] += 1;
        let Some(list) = &mut self.list else { return Ok(()) };
        let [at, first] = [duplicate.at, duplicate.first].map(|place| {
            let name = self.names[place.file as usize].clone();
            [name, (place.record + 1).to_string(), (place.line + 1).to_string()].map(String::into_bytes)
        });
        let mut row = Vec::new();
        put_csv_row(&[at, first].concat(), b',', &mut row);
        put(list, &row)
    }
}

/// Writes a CSV row for each record of a file that also is in another file.
pub struct OverlapWriter<'a> {
    /// The duplicates.
    pub duplicates: DuplicatesInOrder,
    /// The columns to write, as indices into [`OverlapWriter::COLUMNS`].
    pub columns: Vec<usize>,
    /// Takes the rows.
    pub output: &'a mut Output,
    /// The number of duplicates so far.
    pub found: u64,
}

impl OverlapWriter<'_> {
    /// The types of the columns of the rows.
    pub const TYPES: [ColumnType; 5] =
        [ColumnType::Number, ColumnType::Number, ColumnType::Text, ColumnType::Number, ColumnType::Number];

    /// All columns, in the usual order.
    pub const COLUMNS: [&'static str; 5] = ["record", "line", "puzzle", "other_record", "other_line"];

    /// Writes the header row.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn begin(&mut self) -> Result<(), Error> {
        self.put_row(OverlapWriter::COLUMNS.map(str::to_owned))
    }

    fn put_row(&mut self, fields: [String; 5]) -> Result<(), Error> {
        let chosen: Vec<&str> = self.columns.iter().map(|&column| &*fields[column]).collect();
        put(self.output, (chosen.join(",") + "\n").as_bytes())
    }

    /// Writes the rows for a chunk of a file. `first` is the number of its first record, and `segments` are
    /// the cells of its records.
    ///
    /// # Errors
    ///
    /// If writing fails, or reading the duplicates.
    pub fn take(&mut self, file: usize, first: u64, segments: &TextSegments) -> Result<(), Error> {
        for (record, (_, cells)) in (first..).zip(segments.iter()) {
            let Some(Duplicate { at, first }) = self.duplicates.at(file, record)? else { continue };
            self.found += 1;
            let [record, line] = [record, at.line].map(|place| (place + 1).to_string());
            let [other_record, other_line] = [first.record, first.line].map(|place| (place + 1).to_string());
            let cells = String::from_utf8_lossy(cells).into_owned();
            self.put_row([record, line, cells, other_record, other_line])?;
        }
        Ok(())
    }
}

/// Writes each record to its part.
pub struct SplitWriter<'a> {
    parts: PartBounds,
    buckets: Spooled<[u8; 4]>,
    /// Takes the records of each part.
    pub selections: Vec<SelectionWriter<'a>>,
    /// The number of records written so far.
    pub records: u64,
    ends_within_line: bool,
}

impl<'a> SplitWriter<'a> {
    /// Begins with the first record, because the headers are written already. `buckets` has an entry for
    /// each record, in order.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn new(
        parts: PartBounds,
        buckets: Buckets,
        selections: Vec<SelectionWriter<'a>>,
    ) -> Result<SplitWriter<'a>, Error> {
        let buckets = buckets.0.finish()?;
        Ok(SplitWriter { parts, buckets, selections, records: 0, ends_within_line: false })
    }

    /// Ends the last line of a file, because another file follows.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn end_line(&mut self) -> Result<(), Error> {
        if self.ends_within_line { self.add((SegmentKind::Between, b"\n")) } else { Ok(()) }
    }

    /// Writes a chunk of a file. Returns false if there are more records than in the first pass, because
    /// then the file changed meanwhile.
    ///
    /// # Errors
    ///
    /// If writing fails, or reading the buckets.
    pub fn take(&mut self, segments: &TextSegments) -> Result<bool, Error> {
        for segment in segments.iter() {
            self.ends_within_line = segment.0 == SegmentKind::Between && !segment.1.ends_with(b"\n");
            if segment.0 != SegmentKind::Record {
                self.add(segment)?;
                continue;
            }
            let Some(bucket) = self.buckets.next()? else { return Ok(false) };
            let bucket = u32::from_le_bytes(bucket);
            let wanted = if bucket == KEYLESS { 0 } else { self.parts.part_of(bucket) };
            self.records += 1;
            for (index, selection) in self.selections.iter_mut().enumerate() {
                selection.add(if index == wanted { segment } else { (SegmentKind::LeftOut, &[]) }, &[])?;
            }
        }
        Ok(true)
    }

    /// Adds text between records to all parts, because each selection knows which text belongs to its
    /// records.
    fn add(&mut self, segment: TextSegment<'_>) -> Result<(), Error> {
        self.selections.iter_mut().try_for_each(|selection| selection.add(segment, &[]))
    }
}

/// Marks a record without a key. Buckets have smaller numbers.
const KEYLESS: u32 = u32::MAX;

/// The bucket of each record, in a temporary file between the two passes. A record takes four bytes.
pub struct Buckets(Spool<[u8; 4]>);

impl Buckets {
    /// Makes the file in the folder for temporary files.
    ///
    /// # Errors
    ///
    /// If it can't be made.
    pub fn new(space: &Space) -> Result<Buckets, SpaceError> {
        Spool::new(space, 1 << 16).map(Buckets)
    }

    /// Counts the records of a chunk in a partition, and appends their buckets.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn add(&mut self, keyed: &KeyedRecords, partition: &mut Partition) -> Result<(), SpaceError> {
        for record in &keyed.records {
            let bucket = record.key.map(|key| partition.add(&key));
            if bucket.is_none() {
                partition.add_keyless();
            }
            self.push(bucket)?;
        }
        Ok(())
    }

    /// Appends the bucket of a record; `None` if it has no key.
    pub(super) fn push(&mut self, bucket: Option<u32>) -> Result<(), SpaceError> {
        self.0.push(&bucket.unwrap_or(KEYLESS).to_le_bytes())
    }

    /// Reads back the bucket of each record, in order; `None` for records without a key.
    ///
    /// # Errors
    ///
    /// If the temporary file can't be read.
    pub fn into_numbers(self) -> Result<Vec<Option<u32>>, SpaceError> {
        let (mut buckets, mut numbers) = (self.0.finish()?, Vec::new());
        while let Some(bucket) = buckets.next()? {
            let bucket = u32::from_le_bytes(bucket);
            numbers.push((bucket != KEYLESS).then_some(bucket));
        }
        Ok(numbers)
    }
}
