//! The stage of a run over a file, made for its kind of puzzles; and the stages of commands about whole collections, which
//! take the keys of records, or their text.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gridmill_core::grid::{Pencilmarks, Puzzle};
use gridmill_core::jobs::{Answers, CanonicalKey, Job, Keys, Refuted, Worker};
use gridmill_data::error::Error;
use gridmill_data::pipeline::{BatchMapper, ChunkSizing, ChunkValue, MapBatch, ReadChunk, Stage};
use gridmill_data::record::Places;
use gridmill_data::text::{GridPuzzle, Layout, PuzzleKind, PuzzleText, lines_of};

use crate::support::inputs::compare::SameArgs;

/// A stage that makes values of that type, or why there is none.
pub(crate) type StageResult<'a, V = Vec<u8>> = Result<Box<dyn Stage<V> + 'a>, Error>;

/// Makes the stage of a command for each kind of puzzle.
pub(crate) trait StageFactory<V: ChunkValue = Vec<u8>> {
    /// Returns the type as which the puzzles of a file are read.
    fn kind(&self, layout: &Layout) -> PuzzleKind {
        layout.kind()
    }

    /// Makes the stage for a file, with diagnostics if its observer wants them.
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout, diagnostics: bool) -> StageResult<'a, V>;
}

/// Makes the stage for a file. This is the one dispatch on the kind of its puzzles. Classic puzzles have a kind of their own,
/// whose size the compiler knows.
pub(crate) fn stage_for<'a, V: ChunkValue>(
    factory: &'a impl StageFactory<V>,
    layout: &Layout,
    diagnostics: bool,
) -> StageResult<'a, V> {
    match factory.kind(layout) {
        PuzzleKind::Classic => factory.stage::<Puzzle>(layout, diagnostics),
        PuzzleKind::AnyShape => factory.stage::<GridPuzzle>(layout, diagnostics),
        PuzzleKind::Pencilmarks => factory.stage::<Pencilmarks>(layout, diagnostics),
    }
}

/// Returns the stage that maps the chunks of a file, with a mapper for each worker.
pub(crate) fn map_stage<'a, P: PuzzleText, V: ChunkValue + 'a, M: BatchMapper<P, V> + 'static>(
    layout: &Layout,
    diagnostics: bool,
    sizing: ChunkSizing,
    mapper: impl Fn() -> M + Sync + 'a,
) -> Box<dyn Stage<V> + 'a> {
    Box::new(MapBatch::<P, V> {
        format: layout.format(),
        mapper: Box::new(move || Box::new(mapper())),
        diagnostics,
        sizing,
    })
}

/// A part of the text of a chunk: what it is, and its bytes.
pub(crate) type TextPart<'a> = (PartKind, &'a [u8]);

/// The subject of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// A record.
    Record,
    /// The text between records.
    Between,
    /// Nothing, in the place of a record.
    LeftOut,
    /// Nothing, in front of a record that can't be read.
    Malformed,
}

/// The text of a chunk in parts, in the order of the input.
#[derive(Default)]
pub(crate) struct TextParts {
    text: Vec<u8>,
    /// The kind of each part, and where in the text it ends.
    parts: Vec<(PartKind, usize)>,
}

impl TextParts {
    /// Adds a part.
    pub(crate) fn push(&mut self, kind: PartKind, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
        self.parts.push((kind, self.text.len()));
    }

    /// Iterates over the parts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = TextPart<'_>> {
        let mut start = 0;
        self.parts.iter().map(move |&(kind, end)| (kind, &self.text[std::mem::replace(&mut start, end)..end]))
    }
}

impl ChunkValue for TextParts {
    fn clear(&mut self) {
        self.text.clear();
        self.parts.clear();
    }
}

/// A record with its key.
pub(crate) struct KeyedRecord {
    /// Its line, from 1.
    pub(crate) line: u64,
    /// The key of its puzzle, if it has one.
    pub(crate) key: Option<CanonicalKey>,
    /// Whether two clues of the puzzle are in conflict, where isomorphs are compared: it has no minlex form.
    pub(crate) conflicts: bool,
}

impl StageFactory<Vec<KeyedRecord>> for SameArgs {
    fn stage<'a, P: PuzzleText>(
        &'a self,
        layout: &Layout,
        diagnostics: bool,
    ) -> StageResult<'a, Vec<KeyedRecord>> {
        let keys = self.keys(layout);
        let mapper = move || KeyMapper::<P>::new(keys);
        let sizing = ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine());
        Ok(map_stage(layout, diagnostics, sizing, mapper))
    }
}

/// Makes the keys of records.
pub(crate) struct KeyMapper<P: PuzzleText> {
    worker: Box<dyn Worker<P>>,
    keys: Answers,
}

impl<P: PuzzleText> KeyMapper<P> {
    pub(crate) fn new(job: Keys) -> KeyMapper<P> {
        KeyMapper { worker: job.worker(), keys: Answers::new(job.schema()) }
    }

    /// Makes the keys of puzzles; `None` if the run was stopped meanwhile.
    pub(crate) fn answer(&mut self, puzzles: &[P], stop: &AtomicBool) -> Result<Option<&Answers>, Refuted> {
        self.keys.clear();
        self.worker.answer(puzzles, 0, stop, &mut self.keys)?;
        Ok((self.keys.len() == puzzles.len()).then_some(&self.keys))
    }
}

impl<P: PuzzleText> BatchMapper<P, Vec<KeyedRecord>> for KeyMapper<P> {
    fn map(
        &mut self,
        chunk: &ReadChunk<'_, P>,
        keyed: &mut Vec<KeyedRecord>,
    ) -> Result<ControlFlow<()>, Refuted> {
        let ReadChunk { text: chunk, batch, lines_before, stop } = *chunk;
        let Some(keys) = self.answer(&batch.puzzles, stop)? else { return Ok(ControlFlow::Break(())) };
        let mut places = Places::of(chunk, lines_before);
        keyed.extend(batch.iter().map(|(record, read)| KeyedRecord {
            line: places.at(record.start as usize).0,
            key: read.and_then(|(index, _)| keys.key(index)),
            conflicts: read.is_some_and(|(index, _)| keys.statuses()[index] == Keys::CONFLICT),
        }));
        Ok(ControlFlow::Continue(()))
    }
}

/// Takes the text of the records of a chunk.
#[derive(Clone, Copy)]
pub(crate) enum TextMapper {
    /// The lines of each record as they are, and the text between records.
    Lines,
    /// The cells of each record as rows have them; nothing for records that can't be read.
    Cells,
}

impl StageFactory<TextParts> for TextMapper {
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout, diagnostics: bool) -> StageResult<'a, TextParts> {
        let sizing = ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine());
        Ok(map_stage::<P, _, _>(layout, diagnostics, sizing, || *self))
    }
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
            if lines.start > done {
                parts.push(PartKind::Between, &chunk[done..lines.start]);
            }
            done = lines.end;
            parts.push(PartKind::Record, &chunk[lines]);
        }
        if done < chunk.len() {
            parts.push(PartKind::Between, &chunk[done..]);
        }
        Ok(ControlFlow::Continue(()))
    }
}
