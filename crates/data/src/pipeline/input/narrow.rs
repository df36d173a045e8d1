//! A part of an input: the records whose lines begin in a range of its bytes.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::NEVER;

use super::stream::{Raw, Stream};
use super::{Begin, Bytes, COPY_BYTES, Input, Whole};
use crate::error::{Error, ErrorKind};
use crate::pipeline::{Chunks, lock};
use crate::record::Totals;
use crate::text::{Batch, CsvHeader, Format, FormatOptions, Layout, MAX_ROW, PuzzleText, row_over_lines};
use crate::with_kind;

impl Input {
    /// Returns whether the input is compressed, once its beginning has been read.
    pub fn is_compressed(&self) -> bool {
        match &self.bytes {
            Bytes::Whole(_) => false,
            Bytes::Stream(stream) => lock(stream).reader.compression.is_some(),
        }
    }

    /// Narrows a regular file whose records are a line each, and have been found, to the records whose lines begin in a
    /// range of its bytes. A line may end behind the range. What is in front is not read, but where its numbers are asked
    /// for: it is detected anew then, as `options` say.
    ///
    /// # Errors
    ///
    /// Where reading fails.
    pub fn narrow(&mut self, range: Range<u64>, options: &FormatOptions) -> Result<(), Error> {
        let begin = self.narrow_to(range)?;
        self.begin = begin.map(|at| {
            let front = Front {
                path: self.name.clone(),
                may_map: self.is_mapped(),
                options: options.clone(),
                at,
                totals: OnceLock::new(),
                failure: Mutex::default(),
            };
            Begin { at, before: Some(CountedBefore(Arc::new(front))), records: 0 }
        });
        Ok(())
    }

    /// Numbers the records and lines of a part from the front of the file, so that rows have their numbers: all that is in
    /// front is read.
    ///
    /// # Errors
    ///
    /// Where reading fails.
    pub fn number_from_front(&mut self) -> Result<(), Error> {
        let Some(Begin { before, records, .. }) = &mut self.begin else { return Ok(()) };
        let Some(before) = before.take() else { return Ok(()) };
        let totals = before.totals();
        *records = totals.records;
        self.passed = Totals { bytes: self.passed.bytes, ..totals };
        before.failure().map_or(Ok(()), Err)
    }

    /// Returns how many records in front of the part are numbered with it.
    pub fn records_in_front(&self) -> u64 {
        self.begin.as_ref().map_or(0, |begin| begin.records)
    }

    /// Narrows the input, and returns where its part begins, if not behind the preamble.
    fn narrow_to(&mut self, range: Range<u64>) -> Result<Option<u64>, Error> {
        let part = self.lines_in(range).map_err(|error| self.read_error(error))?;
        let body = self.before_body();
        self.len = Some(part.end - part.start);
        self.passed =
            if part.start == body.bytes { body } else { Totals { bytes: part.start, ..Totals::default() } };
        match (&mut self.bytes, &self.file) {
            (Bytes::Whole(Whole::Mapped(_, end)), _) => *end = part.end as usize,
            (bytes, Some(file)) => {
                let raw = Raw::of_part(Arc::clone(file), part.start, part.end - part.start);
                let raw = raw.map_err(|error| ErrorKind::Read { path: self.name.clone(), error })?;
                self.position = Arc::clone(&raw.position);
                *bytes = Bytes::Stream(Mutex::new(Stream::plain(raw)));
            }
            (_, None) => {}
        }
        Ok((part.start != body.bytes).then_some(part.start))
    }

    /// Returns the bytes of the lines that begin in a range, none of them in the preamble. Where there are none this is an empty
    /// range: at the end of the file if the range begins within the records, because all of them then stand in front of it, and
    /// else behind the preamble.
    fn lines_in(&self, range: Range<u64>) -> io::Result<Range<u64>> {
        let (body, len) = (self.preamble.len() as u64, self.file_len()?);
        let (from, to) = (range.start.max(body), range.end.min(len));
        let none = if range.start > body { len..len } else { body..body };
        if from >= to {
            return Ok(none);
        }
        let start = if from == body { Some(body) } else { self.line_behind(from - 1..to - 1)? };
        let Some(start) = start else { return Ok(none) };
        Ok(start..self.line_behind(to - 1..len)?.unwrap_or(len))
    }

    /// Returns the bytes of the file.
    fn file_len(&self) -> io::Result<u64> {
        match (&self.bytes, &self.file) {
            (Bytes::Whole(Whole::Mapped(map, _)), _) => Ok(map.len() as u64),
            (_, Some(file)) => Ok(file.metadata()?.len()),
            _ => Ok(0),
        }
    }

    /// Returns the place behind the first line feed of a range.
    fn line_behind(&self, range: Range<u64>) -> io::Result<Option<u64>> {
        for (next, byte) in (range.start + 1..).zip(self.bytes_in(range)?) {
            if byte? == b'\n' {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// Iterates over the bytes in a range of the file.
    fn bytes_in(&self, range: Range<u64>) -> io::Result<impl Iterator<Item = io::Result<u8>>> {
        let mut file = self.file.as_deref().ok_or(io::ErrorKind::NotSeekable)?;
        file.seek(SeekFrom::Start(range.start))?;
        Ok(BufReader::with_capacity(COPY_BYTES, file.take(range.end - range.start)).bytes())
    }

    /// Returns the line, of the whole file, of the first record that begins in a range and goes over several lines: a CSV
    /// row with line feeds in quotes. The input has to be narrowed anew behind this.
    ///
    /// # Errors
    ///
    /// Where reading fails.
    pub fn find_row_over_lines(&mut self, range: Range<u64>, layout: &Layout) -> Result<Option<u64>, Error> {
        let Some(&CsvHeader { separator, .. }) = layout.header.as_ref() else { return Ok(None) };
        let end = range.end;
        self.narrow_to(range.start..end.saturating_add(MAX_ROW as u64))?;
        let format = layout.format::<Puzzle>();
        let (mut at, mut over) = (self.passed.bytes, None);
        let mut chunks = Chunks::with_short_lines(self, &*format);
        let mut is_more = true;
        while is_more && over.is_none() && at < end {
            is_more = chunks.next(|chunk| {
                let row = row_over_lines(&chunk.text, separator).map(|row| at + row as u64);
                over = row.filter(|&row| row < end);
                at += chunk.text.len() as u64 + chunk.skipped.bytes;
            })?;
        }
        over.map(|row| self.line_at(row).map_err(|error| self.read_error(error))).transpose()
    }

    /// Returns the number of the line that begins at a place.
    fn line_at(&self, place: u64) -> io::Result<u64> {
        let mut line = 1;
        for byte in self.bytes_in(0..place)? {
            line += u64::from(byte? == b'\n');
        }
        Ok(line)
    }

    /// Returns where the part begins that is read; 0 for the whole.
    pub fn begin(&self) -> u64 {
        self.begin.as_ref().map_or(0, |begin| begin.at)
    }

    /// Returns what is in front of the part that is read; `None` if that is the preamble alone.
    pub fn before_part(&self) -> Option<CountedBefore> {
        self.begin.as_ref().and_then(|begin| begin.before.clone())
    }
}

/// The amount of an input in front of a part, counted when it is first asked for: most runs over a part have no need of
/// it, and it takes reading all that is in front.
#[derive(Clone, Debug)]
pub struct CountedBefore(Arc<Front>);

impl CountedBefore {
    /// Returns the amount. Where it can't be counted this is nothing, and the run reports why.
    pub fn totals(&self) -> Totals {
        *self.0.totals.get_or_init(|| {
            self.0.count().unwrap_or_else(|error| {
                *lock(&self.0.failure) = Some(error);
                Totals::default()
            })
        })
    }

    /// Takes the error that kept it from being counted, if there is one.
    pub(crate) fn failure(&self) -> Option<Error> {
        lock(&self.0.failure).take()
    }
}

/// The text of a file in front of a part.
#[derive(Debug)]
struct Front {
    path: PathBuf,
    may_map: bool,
    options: FormatOptions,
    /// Where the part begins.
    at: u64,
    totals: OnceLock<Totals>,
    /// Why it could not be counted.
    failure: Mutex<Option<Error>>,
}

impl Front {
    /// Counts the records and lines, with those of the preamble.
    fn count(&self) -> Result<Totals, Error> {
        let mut input = Input::open(Some(&self.path), self.may_map)?;
        let layout = input.detect(&self.options, &NEVER)?;
        let layout = layout.expect("nobody stops it");
        input.narrow_to(0..self.at)?;
        with_kind!(layout.kind(), P => input.count::<P>(&*layout.format()))
    }
}

impl Input {
    /// Counts the records and lines of the part, with what is in front of it.
    fn count<P: PuzzleText>(&self, format: &dyn Format<P>) -> Result<Totals, Error> {
        let (mut totals, mut batch) = (self.passed, Batch::default());
        let mut chunks = Chunks::with_short_lines(self, format);
        while chunks.next(|chunk| totals += chunk.read(format, &mut batch))? {}
        Ok(totals)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::pipeline::CHUNK_BYTES;
    use crate::text::GridPuzzle;

    /// Returns the text of the part that a range of a file is, with the preamble, in chunks of so many bytes.
    fn part(path: &std::path::Path, range: Range<u64>, may_map: bool, chunk_bytes: usize) -> Vec<u8> {
        let mut input = Input::open(Some(path), may_map).unwrap();
        let options = FormatOptions::default();
        let layout = input.detect(&options, &NEVER).unwrap().unwrap();
        input.narrow(range, &options).unwrap();
        let format = layout.format::<GridPuzzle>();
        let mut chunks = Chunks::new(&input, &*format, Some(chunk_bytes), &NEVER);
        let mut text = Vec::new();
        while chunks.next(|chunk| text.extend_from_slice(&chunk.text)).unwrap() {}
        assert_eq!(text.len() as u64, input.known_len().unwrap());
        text
    }

    /// Returns the lines of a text that begin in a range, none of its first `body` bytes.
    fn lines_in(text: &[u8], body: usize, range: &Range<u64>) -> Vec<u8> {
        let mut at = 0;
        let lines = text.split_inclusive(|&byte| byte == b'\n').filter(|line| {
            at += line.len();
            at - line.len() >= body && range.contains(&((at - line.len()) as u64))
        });
        lines.flatten().copied().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Checks that a part has the lines that begin in it, some of them longer than a block that is read at once, and
        /// that the numbers in front are those of the file.
        #[test]
        fn a_part_has_the_lines_that_begin_in_it(
            lines in prop::collection::vec(prop_oneof![4 => 0..9_usize, 1 => 80..200_usize, 1 => 65_000..70_000_usize], 1..8),
            cuts in prop::collection::vec((0..1000_u64, 0..3_u64), 2),
            is_ended: bool,
            chunk_bytes in prop_oneof![1..300_usize, Just(CHUNK_BYTES)],
        ) {
            let mut text = b"# a title\n1.....3..4.....2\n".to_vec();
            for (index, &len) in lines.iter().enumerate() {
                text.resize(text.len() + len, b"17.#"[index % 4]);
                text.push(b'\n');
            }
            if !is_ended {
                text.pop();
            }
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&text).unwrap();
            // Near a line feed or anywhere.
            let feeds: Vec<u64> = memchr::memchr_iter(b'\n', &text).map(|feed| feed as u64).collect();
            let mut cuts: Vec<u64> = cuts.iter().map(|&(permille, beside)| match beside {
                0 => text.len() as u64 * permille / 1000,
                beside => feeds[permille as usize % feeds.len()] + beside - 1,
            }).collect();
            cuts.sort_unstable();
            let range = cuts[0]..cuts[1];
            let mut input = Input::open(Some(file.path()), true).unwrap();
            let options = FormatOptions::default();
            input.detect(&options, &NEVER).unwrap().unwrap();
            // A title is in front of the records, or one of them that is passed over.
            let expected = lines_in(&text, input.preamble().len(), &range);
            for may_map in [true, false] {
                prop_assert_eq!(&part(file.path(), range.clone(), may_map, chunk_bytes), &expected);
            }
            input.narrow(range.clone(), &options).unwrap();
            if let Some(before) = input.before_part() {
                let front = &text[..input.begin() as usize];
                // The last line of the file may have no end, and is in front of a part behind it.
                let lines = front.split_inclusive(|&byte| byte == b'\n').count() as u64;
                prop_assert_eq!(before.totals().lines, lines);
                prop_assert!(before.failure().is_none());
            }
        }
    }
}
