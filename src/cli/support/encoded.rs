//! What clerks write for the commands about collections, and how it is read again: notes, one behind the other.

use std::io::{self, Write};

use crate::collection::{CanonicalKey, Equivalence, KeyBuilder};
use crate::error::Error;
use crate::grid::Puzzle;
use crate::pipeline::BatchEncoder;
use crate::record::Places;
use crate::text::{Batch, Record};

/// A note: its kind, and its bytes.
pub(crate) type EncodedRecord<'a> = (Kind, &'a [u8]);

/// What a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A record.
    Record,
    /// What stands between records, or is to be known of a chunk.
    Between,
}

pub(crate) fn put_encoded(kind: Kind, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(u8::from(kind == Kind::Record));
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

fn take_encoded<'a>(notes: &mut &'a [u8]) -> Option<EncodedRecord<'a>> {
    let (&kind, rest) = notes.split_first()?;
    let (len, rest) = rest.split_first_chunk()?;
    let (bytes, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
    *notes = rest;
    Some((if kind == 1 { Kind::Record } else { Kind::Between }, bytes))
}

/// Takes notes in the order of the input, as the output of a run.
pub(crate) struct Reader<F> {
    pub(crate) take: F,
    /// Why it takes no more.
    pub(crate) failed: Option<Error>,
}

impl<F: FnMut(EncodedRecord<'_>) -> Result<(), Error>> Reader<F> {
    pub(crate) fn new(take: F) -> Reader<F> {
        Reader { take, failed: None }
    }
}

impl<F: FnMut(EncodedRecord<'_>) -> Result<(), Error>> Write for Reader<F> {
    /// Takes all notes of a chunk.
    fn write(&mut self, notes: &[u8]) -> io::Result<usize> {
        let mut rest = notes;
        while let Some(note) = take_encoded(&mut rest) {
            if let Err(error) = (self.take)(note) {
                self.failed = Some(error);
                return Err(io::Error::other("the notes can't be taken"));
            }
        }
        Ok(notes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// EncodedRecords the line of each record in its chunk and the form of its puzzle, if it has one; then, between the records,
/// how many lines the chunk has.
pub(crate) struct Forms {
    former: KeyBuilder,
    forms: Vec<Option<CanonicalKey>>,
}

impl Forms {
    pub(crate) fn new(same: Equivalence) -> Forms {
        Forms { former: KeyBuilder::new(same), forms: Vec::new() }
    }
}

impl BatchEncoder for Forms {
    fn note(&mut self, chunk: &[u8], batch: &Batch, out: &mut Vec<u8>) -> Result<(), (usize, &'static str)> {
        self.forms.clear();
        self.former.forms(&batch.puzzles, &mut self.forms).map_err(|puzzle| (puzzle, KeyBuilder::ENGINE))?;
        let mut forms = self.forms.iter();
        let mut places = Places::of(chunk);
        let mut note = Vec::with_capacity(8 + CanonicalKey::BYTES);
        for record in &batch.records {
            let form = if record.fault.is_none() { forms.next().copied().flatten() } else { None };
            note.clear();
            note.extend_from_slice(&places.at(record.start as usize).0.to_le_bytes());
            note.extend_from_slice(form.as_ref().map_or(&[][..], |form| form.bytes()));
            put_encoded(Kind::Record, &note, out);
        }
        let ends = u64::from(!chunk.ends_with(b"\n"));
        let lines = places.at(chunk.len()).0 + ends;
        put_encoded(Kind::Between, &lines.to_le_bytes(), out);
        Ok(())
    }
}

/// Reads a note of [`Forms`]: a line, or a number of lines, and perhaps a form.
pub(crate) fn line_and_form(note: &[u8]) -> (u64, Option<CanonicalKey>) {
    let (line, form) = note.split_at(8);
    let line = u64::from_le_bytes(line.try_into().expect("eight bytes"));
    (line, form.try_into().ok().map(CanonicalKey::from_bytes))
}

/// EncodedRecords the text of a chunk as it stands: the lines of each record, and what is between.
pub(crate) struct Lines;

impl BatchEncoder for Lines {
    fn note(&mut self, chunk: &[u8], batch: &Batch, out: &mut Vec<u8>) -> Result<(), (usize, &'static str)> {
        let mut done = 0;
        for (index, record) in batch.records.iter().enumerate() {
            let (start, end) = lines_of(chunk, record, batch.records.get(index + 1), done);
            if start > done {
                put_encoded(Kind::Between, &chunk[done..start], out);
            }
            put_encoded(Kind::Record, &chunk[start..end], out);
            done = end;
        }
        if done < chunk.len() {
            put_encoded(Kind::Between, &chunk[done..], out);
        }
        Ok(())
    }
}

/// From where to where the lines of a record go, behind `done` and before the next record.
pub(crate) fn lines_of(chunk: &[u8], record: &Record, next: Option<&Record>, done: usize) -> (usize, usize) {
    let (start, end) = (record.start as usize, (record.start + record.len) as usize);
    let line = memchr::memrchr(b'\n', &chunk[done..start]).map_or(done, |feed| done + feed + 1);
    let feed = memchr::memchr(b'\n', &chunk[end..]).map_or(chunk.len(), |feed| end + feed + 1);
    (line, next.map_or(feed, |next| feed.min(next.start as usize)))
}

/// EncodedRecords the puzzle of each record, in 81 characters; nothing of those that can't be read.
pub(crate) struct Cells;

impl BatchEncoder for Cells {
    fn note(&mut self, _: &[u8], batch: &Batch, out: &mut Vec<u8>) -> Result<(), (usize, &'static str)> {
        let mut puzzles = batch.puzzles.iter();
        for record in &batch.records {
            let puzzle = if record.fault.is_none() { puzzles.next() } else { None };
            put_encoded(Kind::Record, puzzle.map(Puzzle::to_ascii).as_ref().map_or(&[], |it| it), out);
        }
        Ok(())
    }
}
