//! A part of an input: the records whose lines begin in a range of its bytes.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use gridmill_core::grid::Puzzle;
use gridmill_core::solver::NEVER;

use super::stream::{Raw, Stream};
use super::{COPY_BYTES, Input, InputBytes, PartStart, Whole};
use crate::error::{Error, ErrorKind};
use crate::pipeline::{Chunks, lock};
use crate::record::InputAmount;
use crate::text::{Batch, CsvHeader, Format, FormatOptions, Layout, MAX_ROW, PuzzleText, multiline_row};
use crate::with_kind;

impl Input {
    /// Returns whether the input is compressed. It is known after the beginning has been read.
    pub fn is_packed(&self) -> bool {
        match &self.bytes {
            InputBytes::Whole(_) => false,
            InputBytes::Stream(stream) => lock(stream).reader.packing.is_some(),
        }
    }

    /// Narrows a regular file to the records whose lines begin in a range of its bytes. The format must
    /// have been detected, with a record on each line. A line may end after the range. The text before the
    /// range is read only if the numbers of its records are asked for. Its format is then detected again,
    /// with `options`.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn narrow(&mut self, range: Range<u64>, options: &FormatOptions) -> Result<(), Error> {
        let begin = self.narrow_to(range)?;
        self.begin = begin.map(|at| {
            let front = TextBeforePart {
                path: self.name.clone(),
                may_map: self.is_mapped(),
                options: options.clone(),
                at,
                totals: OnceLock::new(),
                failure: Mutex::default(),
            };
            PartStart { at, before: Some(RecordsBeforePart(Arc::new(front))), records: 0 }
        });
        Ok(())
    }

    /// Numbers the records and lines of a part from the beginning of the file, so that rows have the same
    /// numbers as in a run over the whole file. This reads everything before the part.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn number_from_file_start(&mut self) -> Result<(), Error> {
        let Some(PartStart { before, records, .. }) = &mut self.begin else { return Ok(()) };
        let Some(before) = before.take() else { return Ok(()) };
        let totals = before.totals();
        *records = totals.records;
        self.passed = InputAmount { bytes: self.passed.bytes, ..totals };
        before.failure().map_or(Ok(()), Err)
    }

    /// The number of records before the part, once they are numbered from the beginning of the file; else 0.
    pub fn records_before_part(&self) -> u64 {
        self.begin.as_ref().map_or(0, |begin| begin.records)
    }

    /// Narrows the input. Returns where the part begins, if not right after the preamble.
    fn narrow_to(&mut self, range: Range<u64>) -> Result<Option<u64>, Error> {
        let part = self.lines_in(range).map_err(|error| self.read_error(error))?;
        let body = self.preamble_amount();
        self.len = Some(part.end - part.start);
        self.passed = if part.start == body.bytes {
            body
        } else {
            InputAmount { bytes: part.start, ..InputAmount::default() }
        };
        match (&mut self.bytes, &self.file) {
            (InputBytes::Whole(Whole::Mapped(_, end)), _) => *end = part.end as usize,
            (bytes, Some(file)) => {
                let raw = Raw::from_part(Arc::clone(file), part.start, part.end - part.start);
                let raw = raw.map_err(|error| ErrorKind::Read { path: self.name.clone(), error })?;
                self.position = Arc::clone(&raw.position);
                *bytes = InputBytes::Stream(Mutex::new(Stream::plain(raw)));
            }
            (_, None) => {}
        }
        Ok((part.start != body.bytes).then_some(part.start))
    }

    /// Finds the lines that begin in a range and after the preamble. If no line begins in the range, the result is
    /// empty: at the end of the file if the range begins after the preamble, so that all records count as before the
    /// part; else right after the preamble.
    fn lines_in(&self, range: Range<u64>) -> io::Result<Range<u64>> {
        let (body, len) = (self.preamble.len() as u64, self.file_len()?);
        let (from, to) = (range.start.max(body), range.end.min(len));
        let none = if range.start > body { len..len } else { body..body };
        if from >= to {
            return Ok(none);
        }
        let start = if from == body { Some(body) } else { self.line_after(from - 1..to - 1)? };
        let Some(start) = start else { return Ok(none) };
        Ok(start..self.line_after(to - 1..len)?.unwrap_or(len))
    }

    /// The length of the file in bytes.
    fn file_len(&self) -> io::Result<u64> {
        match (&self.bytes, &self.file) {
            (InputBytes::Whole(Whole::Mapped(map, _)), _) => Ok(map.len() as u64),
            (_, Some(file)) => Ok(file.metadata()?.len()),
            _ => Ok(0),
        }
    }

    /// Finds the place after the first line feed in a range.
    fn line_after(&self, range: Range<u64>) -> io::Result<Option<u64>> {
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

    /// Finds the first record in a range that spans several lines, i.e. a CSV row with line feeds in
    /// quotes, and returns its line in the whole file. Narrow the input again after this call.
    ///
    /// # Errors
    ///
    /// If reading fails.
    pub fn find_multiline_row(&mut self, range: Range<u64>, layout: &Layout) -> Result<Option<u64>, Error> {
        let Some(&CsvHeader { separator, .. }) = layout.header.as_ref() else { return Ok(None) };
        let end = range.end;
        self.narrow_to(range.start..end.saturating_add(MAX_ROW as u64))?;
        let format = layout.format::<Puzzle>();
        let (mut at, mut over) = (self.passed.bytes, None);
        let mut chunks = Chunks::with_short_lines(self, &*format);
        let mut is_more = true;
        while is_more && over.is_none() && at < end {
            is_more = chunks.next(|chunk| {
                let row = multiline_row(&chunk.text, separator).map(|row| at + row as u64);
                over = row.filter(|&row| row < end);
                at += chunk.text.len() as u64 + chunk.skipped.bytes;
            })?;
        }
        over.map(|row| self.line_at(row).map_err(|error| self.read_error(error))).transpose()
    }

    /// Counts the lines up to a place, and returns the number of the line that begins there.
    fn line_at(&self, place: u64) -> io::Result<u64> {
        let mut line = 1;
        for byte in self.bytes_in(0..place)? {
            line += u64::from(byte? == b'\n');
        }
        Ok(line)
    }

    /// Where the part begins that is read; 0 for the whole input.
    pub fn part_start(&self) -> u64 {
        self.begin.as_ref().map_or(0, |begin| begin.at)
    }

    /// The amount of input before the part that is read; `None` if that is only the preamble, or
    /// if records are numbered from the beginning of the file anyway.
    pub fn before_part(&self) -> Option<RecordsBeforePart> {
        self.begin.as_ref().and_then(|begin| begin.before.clone())
    }
}

/// The amount of input before a part. It is counted only when it is first asked for, because counting reads
/// everything before the part, and most runs don't need it.
#[derive(Clone, Debug)]
pub struct RecordsBeforePart(Arc<TextBeforePart>);

impl RecordsBeforePart {
    /// Counts, or returns the earlier count. If counting fails, this is zero, and the run reports the error
    /// at its end.
    pub fn totals(&self) -> InputAmount {
        *self.0.totals.get_or_init(|| {
            self.0.count().unwrap_or_else(|error| {
                *lock(&self.0.failure) = Some(error);
                InputAmount::default()
            })
        })
    }

    /// Takes the error of the count, if there was one.
    pub(crate) fn failure(&self) -> Option<Error> {
        lock(&self.0.failure).take()
    }
}

/// The text of a file before a part.
#[derive(Debug)]
struct TextBeforePart {
    path: PathBuf,
    may_map: bool,
    options: FormatOptions,
    /// Where the part begins.
    at: u64,
    totals: OnceLock<InputAmount>,
    /// Why counting failed.
    failure: Mutex<Option<Error>>,
}

impl TextBeforePart {
    /// Counts the records and lines, including those of the preamble.
    fn count(&self) -> Result<InputAmount, Error> {
        let mut input = Input::open(Some(&self.path), self.may_map)?;
        let layout = input.detect(&self.options, &NEVER)?;
        let layout = layout.expect("the stop flag is never set");
        input.narrow_to(0..self.at)?;
        with_kind!(layout.kind(), P => input.count::<P>(&*layout.format()))
    }
}

impl Input {
    /// Counts the records and lines of the part, and adds those before it.
    fn count<P: PuzzleText>(&self, format: &dyn Format<P>) -> Result<InputAmount, Error> {
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

    /// Reads the part of a file that a range selects, in chunks of `chunk_bytes`.
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

    /// The lines of a text that begin in a range, but after its first `body` bytes.
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

        /// Checks that a part has exactly the lines that begin in it. Some lines are longer than the blocks
        /// that are read. Also checks that the numbers before it are those of the file.
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
            // Near a line feed, or anywhere.
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
            // A title comes before the records, or is a record that is skipped.
            let expected = lines_in(&text, input.preamble().len(), &range);
            for may_map in [true, false] {
                prop_assert_eq!(&part(file.path(), range.clone(), may_map, chunk_bytes), &expected);
            }
            input.narrow(range.clone(), &options).unwrap();
            if let Some(before) = input.before_part() {
                let front = &text[..input.part_start() as usize];
                // The last line of the file may have no end. It counts as before a part that follows it.
                let lines = front.split_inclusive(|&byte| byte == b'\n').count() as u64;
                prop_assert_eq!(before.totals().lines, lines);
                prop_assert!(before.failure().is_none());
            }
        }
    }
}
