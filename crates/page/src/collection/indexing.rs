//! The first pass over the files: where each record is, and what is seen of it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_data::error::Error;
use gridmill_data::pipeline::{Chunk, Chunks, Input};
use gridmill_data::record::Totals;

use super::Collection;
use super::entry::{Entry, Pass};
use super::file::{File, Text};
use super::open::Unread;
use super::records::{RecordReader, reader_for};
use super::span::lines_of_all;

impl Collection {
    /// Notes where the records of all files are, one file behind the other, until `stop` becomes true.
    pub(super) fn index_all(&self, unread: Vec<Unread>, stop: &AtomicBool) {
        for unread in unread {
            let file = &self.files[usize::from(unread.number)];
            file.first_row.store(self.index.rows(), Ordering::Release);
            if let Err(error) = self.index_file(file, unread, stop) {
                file.fail((self.wording.explain)(&error.in_file(Path::new(&file.name))));
            }
            file.is_indexed.store(true, Ordering::Release);
            self.index.touch();
            if stop.load(Ordering::Relaxed) {
                return;
            }
        }
        self.is_indexed.store(true, Ordering::Release);
        self.index.touch();
        self.wake();
    }

    fn index_file(&self, file: &File, unread: Unread, stop: &AtomicBool) -> Result<(), Error> {
        let (Some(content), number) = (&file.content, unread.number) else { return Ok(()) };
        let Some(input) = unread.open(content, stop)? else {
            file.look();
            if !file.is_broken() && !stop.load(Ordering::Relaxed) {
                file.fail_changed("it was changed");
            }
            return Ok(());
        };
        let (cutter, mut reader) = (reader_for(&content.layout), reader_for(&content.layout));
        let mut progress = Progress { number, before: input.before_records(), entries: Vec::new() };
        copy(file, input.preamble(), 0)?;
        let mut chunks = Chunks::new(&input, cutter.cut(), self.chunk_bytes, stop);
        let mut taken = Ok(());
        while taken.is_ok()
            && chunks.next(|chunk| taken = self.take(file, chunk, &mut progress, &mut *reader))?
        {}
        taken?;
        if !stop.load(Ordering::Relaxed) && matches!(content.text, Text::Copied(_)) {
            tell_of_copy(file, &input, progress.before.bytes);
        }
        file.look();
        Ok(())
    }

    /// Notes the records of a chunk.
    fn take(
        &self,
        file: &File,
        chunk: &Chunk<'_>,
        progress: &mut Progress,
        reader: &mut dyn RecordReader,
    ) -> Result<(), Error> {
        copy(file, &chunk.text, progress.before.bytes)?;
        progress.read(chunk, reader);
        let known = progress.entries.iter().filter(|entry| entry.status.is_some()).count() as u32;
        let before = self.index.rows();
        let appended = self.index.append(&progress.entries);
        file.records.fetch_add(self.index.rows() - before, Ordering::AcqRel);
        file.known[Pass::Search as usize].fetch_add(known, Ordering::AcqRel);
        // Once more: who saw the new rows may have missed the new counts.
        self.index.touch();
        self.wake();
        appended
            .map_err(|_| Error::other(format!("there are more than {} records in all", self.index.limit())))
    }
}

/// Tells of the copy of a text, unless it was typed or is empty.
fn tell_of_copy(file: &File, input: &Input, bytes: u64) {
    if input.file().is_some() && bytes > 0 {
        // Only files that are compressed have a length and are copied.
        let copied = if input.known_len().is_some() { "unpacked" } else { "copied" };
        file.note(format!("{copied} to a temporary file of {bytes} bytes"));
    }
}

/// Copies a part of the text, where the file has a copy.
fn copy(file: &File, part: &[u8], position: u64) -> Result<(), Error> {
    let failed = |error| Error::other(format!("it can't be unpacked to a temporary file: {error}"));
    file.copy(position, part).map_err(failed)
}

/// How far a file has been read.
struct Progress {
    /// The index of the file.
    number: u16,
    before: Totals,
    /// The records of the last chunk.
    entries: Vec<Entry>,
}

impl Progress {
    fn read(&mut self, chunk: &Chunk<'_>, reader: &mut dyn RecordReader) {
        let records = reader.read(&chunk.text, chunk.too_long).len();
        self.entries.clear();
        for (place, lines) in lines_of_all(&chunk.text, reader.records()).enumerate() {
            self.entries.push(Entry {
                position: self.before.bytes + lines.start as u64,
                len: lines.len() as u32,
                file: self.number,
                ..reader.seen(place)
            });
        }
        let puzzles = self.entries.iter().filter(|entry| entry.is_puzzle()).count();
        self.before += Totals::of_chunk(records, puzzles, &chunk.text);
    }
}
