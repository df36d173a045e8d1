//! Encoded records, one behind the other: how encoders write them for commands about collections, and how
//! they are read.

use std::io::{self, Write};

use gridmill_core::jobs::Refuted;
use gridmill_data::collection::{CanonicalKey, Equivalence, KeyBuilder};
use gridmill_data::error::Error;
use gridmill_data::pipeline::{BatchEncoder, ChunkSizing, Encode, ReadChunk, Stage};
use gridmill_data::record::Places;
use gridmill_data::text::{Layout, PuzzleText, lines_of};

use super::stage_factory::StageFactory;

/// Bytes in front of an encoded part: its kind, and its length.
const HEAD: usize = 5;

/// A part of the encoded bytes: its kind, and its bytes.
pub(crate) type EncodedPart<'a> = (PartKind, &'a [u8]);

/// The subject of an encoded part.
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

impl PartKind {
    const ALL: [PartKind; 4] = [PartKind::Record, PartKind::Between, PartKind::LeftOut, PartKind::Malformed];
}

/// Appends a part.
pub(crate) fn put_part(kind: PartKind, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(kind as u8);
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn take_part<'a>(parts: &mut &'a [u8]) -> Option<EncodedPart<'a>> {
    let (head, rest) = parts.split_first_chunk::<HEAD>()?;
    let [kind, len @ ..] = *head;
    let (bytes, rest) = rest.split_at(u32::from_le_bytes(len) as usize);
    *parts = rest;
    Some((PartKind::ALL[usize::from(kind)], bytes))
}

/// Decodes parts in the order of the input; it serves as the output of a run.
pub(crate) struct PartReader<F> {
    take: F,
    /// Why it stopped taking parts.
    pub(crate) failed: Option<Error>,
}

impl<F: FnMut(EncodedPart<'_>) -> Result<(), Error>> PartReader<F> {
    pub(crate) fn new(take: F) -> PartReader<F> {
        PartReader { take, failed: None }
    }
}

impl<F: FnMut(EncodedPart<'_>) -> Result<(), Error>> Write for PartReader<F> {
    /// Takes all parts of a chunk.
    fn write(&mut self, parts: &[u8]) -> io::Result<usize> {
        let mut rest = parts;
        while let Some(part) = take_part(&mut rest) {
            if let Err(error) = (self.take)(part) {
                self.failed = Some(error);
                return Err(io::Error::other("the records can't be taken"));
            }
        }
        Ok(parts.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes the encoders of a command, for each kind of puzzle.
pub(crate) trait EncoderFactory {
    type Encoder<P: PuzzleText>: BatchEncoder<P> + 'static;

    /// Returns a function that makes an encoder for a file, one for each worker.
    fn encoders<P: PuzzleText>(&self, layout: &Layout) -> impl Fn() -> Self::Encoder<P> + Sync + 'static;

    /// Returns how an input is cut.
    fn sizing<P: PuzzleText>(&self, layout: &Layout) -> ChunkSizing {
        ChunkSizing::for_puzzles(layout.kind(), layout.fastest_engine())
    }
}

/// Makes stages that encode puzzles.
pub(crate) struct EncodeStages<'f, F> {
    pub(crate) factory: &'f F,
    pub(crate) diagnostics: bool,
}

impl<F: EncoderFactory> StageFactory for EncodeStages<'_, F> {
    fn stage<'a, P: PuzzleText>(&'a self, layout: &Layout) -> Result<Box<dyn Stage + 'a>, Error> {
        Ok(Box::new(Encode {
            format: layout.format::<P>(),
            encoder: {
                let make = self.factory.encoders::<P>(layout);
                Box::new(move || Box::new(make()))
            },
            diagnostics: self.diagnostics,
            sizing: self.factory.sizing::<P>(layout),
        }))
    }
}

/// Makes encoders of keys.
impl EncoderFactory for Equivalence {
    type Encoder<P: PuzzleText> = KeyEncoder<P>;

    fn encoders<P: PuzzleText>(&self, layout: &Layout) -> impl Fn() -> KeyEncoder<P> + Sync + 'static {
        let (equivalence, engine) = (*self, layout.fastest_engine());
        move || KeyEncoder {
            tells_conflicts: equivalence.isomorphic && !equivalence.solution,
            builder: KeyBuilder::with_engine(equivalence, || P::solver(engine)),
            keys: Vec::new(),
        }
    }
}

/// Encodes the line of each record, from 1, and the key of its puzzle, if it has one.
pub(crate) struct KeyEncoder<P: PuzzleText> {
    /// Whether it says which puzzles have clues in conflict: they have no minlex form.
    tells_conflicts: bool,
    builder: KeyBuilder<P>,
    keys: Vec<Option<CanonicalKey>>,
}

impl<P: PuzzleText> BatchEncoder<P> for KeyEncoder<P> {
    fn encode(&mut self, chunk: &ReadChunk<'_, P>, out: &mut Vec<u8>) -> Result<(), Refuted> {
        let ReadChunk { text: chunk, batch, lines_before, .. } = *chunk;
        self.keys.clear();
        self.builder.keys(&batch.puzzles, &mut self.keys)?;
        let mut places = Places::of(chunk, lines_before);
        let mut part = Vec::with_capacity(8 + CanonicalKey::BYTES);
        for (record, read) in batch.iter() {
            let key = read.and_then(|(index, _)| self.keys[index]);
            let conflicts =
                self.tells_conflicts && read.is_some_and(|(index, _)| self.builder.is_formless(index));
            let line = places.at(record.start as usize).0 | u64::from(conflicts) << CONFLICT;
            part.clear();
            part.extend_from_slice(&line.to_le_bytes());
            part.extend_from_slice(key.as_ref().map_or(&[][..], |key| key.bytes()));
            put_part(PartKind::Record, &part, out);
        }
        Ok(())
    }
}

/// The bit of a line's number that says that two clues of the puzzle are in conflict.
const CONFLICT: u32 = 63;

/// A record that a [`KeyEncoder`] encoded.
pub(crate) struct KeyedRecord {
    pub(crate) line: u64,
    pub(crate) key: Option<CanonicalKey>,
    /// Whether two clues of the puzzle are in conflict, where isomorphs are compared.
    pub(crate) conflicts: bool,
}

impl KeyedRecord {
    /// Returns the record of an encoded part.
    pub(crate) fn of(part: &[u8]) -> KeyedRecord {
        let (line, key) = part.split_at(8);
        let line = u64::from_le_bytes(line.try_into().expect("eight bytes"));
        let key = key.try_into().ok().map(CanonicalKey::from_bytes);
        KeyedRecord { line: line & !(1 << CONFLICT), key, conflicts: line >> CONFLICT == 1 }
    }
}

/// Encodes the text of a chunk as it is: the lines of each record, and the text between records.
pub(crate) struct LineEncoder;

impl EncoderFactory for LineEncoder {
    type Encoder<P: PuzzleText> = LineEncoder;

    fn encoders<P: PuzzleText>(&self, _: &Layout) -> impl Fn() -> LineEncoder + Sync + 'static {
        || LineEncoder
    }
}

impl<P: PuzzleText> BatchEncoder<P> for LineEncoder {
    fn encode(&mut self, chunk: &ReadChunk<'_, P>, out: &mut Vec<u8>) -> Result<(), Refuted> {
        let ReadChunk { text: chunk, batch, .. } = *chunk;
        let mut done = 0;
        for (index, record) in batch.records.iter().enumerate() {
            let (start, end) = lines_of(chunk, record, batch.records.get(index + 1), done);
            if start > done {
                put_part(PartKind::Between, &chunk[done..start], out);
            }
            put_part(PartKind::Record, &chunk[start..end], out);
            done = end;
        }
        if done < chunk.len() {
            put_part(PartKind::Between, &chunk[done..], out);
        }
        Ok(())
    }
}

/// Encodes the cells of each record, as they are written in a row; nothing for records that can't be read.
pub(crate) struct CellEncoder;

impl EncoderFactory for CellEncoder {
    type Encoder<P: PuzzleText> = CellEncoder;

    fn encoders<P: PuzzleText>(&self, _: &Layout) -> impl Fn() -> CellEncoder + Sync + 'static {
        || CellEncoder
    }
}

impl<P: PuzzleText> BatchEncoder<P> for CellEncoder {
    fn encode(&mut self, chunk: &ReadChunk<'_, P>, out: &mut Vec<u8>) -> Result<(), Refuted> {
        let mut cells = Vec::new();
        for (_, read) in chunk.batch.iter() {
            cells.clear();
            read.into_iter().for_each(|(_, puzzle)| puzzle.write(&mut cells));
            put_part(PartKind::Record, &cells, out);
        }
        Ok(())
    }
}
