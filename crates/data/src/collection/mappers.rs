//! The values that the two passes over a collection make of each chunk: the first one the keys of its
//! records, the second one their text.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gridmill_core::jobs::{Answers, CanonicalKey, Job, Keys, Refuted, Worker};

use super::attribute::{Attribute, RecordValues};
use crate::pipeline::{BatchMapper, ChunkSizing, ChunkValue, MapBatch, ReadChunk, Stage};
use crate::record::Places;
use crate::text::{Layout, PuzzleText, lines_of};
use crate::with_kind;

/// A record with its key.
#[derive(Clone, Copy, Debug)]
pub struct KeyedRecord {
    /// Its line, from 1.
    pub line: u64,
    /// The key of its puzzle. Malformed records have none, and where isomorphs are compared, neither have
    /// puzzles in conflict.
    pub key: Option<CanonicalKey>,
}

/// The records of a chunk with their keys.
#[derive(Debug, Default)]
pub struct KeyedRecords {
    /// The records, in order.
    pub records: Vec<KeyedRecord>,
    /// How many of them have no key.
    pub keyless: u64,
    /// Where isomorphs are compared: how many puzzles have clues in conflict. These have no minlex form,
    /// and so no key.
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
        MapBatch::stage(layout, diagnostics, sizing, mapper)
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
    pub fn answer(&mut self, puzzles: &[P], stop: &AtomicBool) -> Result<Option<&Answers>, Refuted> {
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
    ) -> Result<ControlFlow<()>, Refuted> {
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

/// A part of the text of a chunk: its kind and its bytes.
pub(super) type TextPart<'a> = (PartKind, &'a [u8]);

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A record.
    Record,
    /// The text between records.
    Between,
    /// A mark without text, in place of a record that was left out.
    LeftOut,
    /// A mark without text, in front of a record that can't be read.
    Malformed,
}

/// The text of a chunk in parts, in the order of the input.
#[derive(Debug, Default)]
pub struct TextParts {
    text: Vec<u8>,
    /// The kind of each part, and where in the text it ends.
    parts: Vec<(PartKind, usize)>,
    /// The values of the parts that are records, if attributes are wanted.
    pub values: RecordValues,
}

impl TextParts {
    /// Adds a part. Empty text between records is skipped.
    pub fn push(&mut self, kind: PartKind, bytes: &[u8]) {
        if kind == PartKind::Between && bytes.is_empty() {
            return;
        }
        self.text.extend_from_slice(bytes);
        self.parts.push((kind, self.text.len()));
    }

    /// Iterates over the parts.
    pub(super) fn iter(&self) -> impl Iterator<Item = TextPart<'_>> {
        let mut start = 0;
        self.parts.iter().map(move |&(kind, end)| (kind, &self.text[std::mem::replace(&mut start, end)..end]))
    }

    /// Counts the parts that are records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.parts.iter().filter(|(kind, _)| *kind == PartKind::Record).count() as u64
    }
}

impl ChunkValue for TextParts {
    fn clear(&mut self) {
        self.text.clear();
        self.parts.clear();
        self.values.clear();
    }

    fn listed(&self) -> u64 {
        self.parts.iter().filter(|(kind, _)| *kind == PartKind::Record).count() as u64
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
) -> Box<dyn Stage<TextParts> + 'a> {
    let sizing = ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine());
    with_kind!(layout.kind(), P => MapBatch::<P, _>::stage(layout, diagnostics, sizing, move || mapper))
}

impl<P: PuzzleText> BatchMapper<P, TextParts> for TextMapper {
    fn map(&mut self, chunk: &ReadChunk<'_, P>, parts: &mut TextParts) -> Result<ControlFlow<()>, Refuted> {
        let ReadChunk { text: chunk, batch, .. } = *chunk;
        if matches!(self, TextMapper::Cells) {
            let mut cells = Vec::new();
            for (_, read) in batch.iter() {
                cells.clear();
                read.into_iter().for_each(|(_, puzzle)| puzzle.write(&mut cells));
                parts.push(PartKind::Record, &cells);
            }
            return Ok(ControlFlow::Continue(()));
        }
        let mut done = 0;
        for lines in lines_of(chunk, &batch.records) {
            parts.push(PartKind::Between, &chunk[done..lines.start]);
            done = lines.end;
            parts.push(PartKind::Record, &chunk[lines]);
        }
        parts.push(PartKind::Between, &chunk[done..]);
        Ok(ControlFlow::Continue(()))
    }
}
