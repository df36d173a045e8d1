//! All formats and readers, by name.

use std::ops::Range;

use gridmill_data::pipeline::{Input, InputRecord};
use gridmill_data::text::{
    Batch, Fault, FaultKind, Format, FormatOptions, Layout, LineFormat, MAX_RECORD, Record,
};

use super::choices::{AnyPuzzle, Choices, ForKind, for_kind, options, stretched, written};

/// Reads a text in a format. The input consists of option bytes, a byte for the size of windows, and the
/// text. The check fails unless:
///
/// - Each record is a range of the text after the previous one, and its fault is within the text.
/// - A record has a puzzle if and only if it has no fault.
/// - The records do not depend on where the text is cut.
/// - A format of lines has a record for each line that is neither blank nor a comment.
/// - `Records` gives the same records, with their line numbers.
/// - Puzzles that are written as lines are read again unchanged.
pub fn check(data: &[u8]) {
    let mut choices = Choices::of(data);
    let options = options(&mut choices);
    let window = 1 + 3 * choices.below(256);
    let text = stretched(choices.rest());
    let Ok(layout) = options.layout(&text, false) else { return };
    let layout = layout.expect("there is no more text to ask for");
    for_kind(&layout, Check { layout: &layout, options: &options, text: &text, window });
}

struct Check<'a> {
    layout: &'a Layout,
    options: &'a FormatOptions,
    text: &'a [u8],
    window: usize,
}

impl ForKind for Check<'_> {
    fn run<P: AnyPuzzle>(self) {
        let format = self.layout.format::<P>();
        let body = &self.text[self.layout.body_start..];
        let whole = read(&*format, body, 0);
        assert_in_order(&whole, body.len());
        assert_cuts_do_not_matter(&*format, body, self.window, &whole);
        assert_every_line_counts(self.layout.format_name(), body, whole.len());
        self.assert_same_records::<P>(&whole);
        self.assert_written_is_read::<P>(&*format, body);
    }
}

impl Check<'_> {
    /// Checks that the records of an input are those of its text.
    fn assert_same_records<P: AnyPuzzle>(&self, whole: &[Seen]) {
        let input = Input::from_bytes("input", self.text.to_vec());
        // The input fails if the text begins like a compressed file, because it then tries to unpack it.
        let Ok(records) = input.records::<P>(self.options) else { return };
        let records: Vec<InputRecord<P>> =
            records.collect::<Result<_, _>>().expect("text in memory can be read");
        assert_eq!(records.len(), whole.len());
        for (index, (record, seen)) in records.iter().zip(whole).enumerate() {
            assert_eq!(record.number, index as u64 + 1);
            assert_eq!(record.line, line_of(self.text, self.layout.body_start + seen.range.start));
            assert!(is_text_of(&record.text, seen), "{:?} {seen:?}", record.text);
            match (&record.puzzle, seen.fault) {
                (Ok(puzzle), None) => assert_eq!(written(puzzle), seen.puzzle),
                (Err(malformed), Some(fault)) => {
                    assert_eq!(malformed.kind, fault.kind);
                    let offset = self.layout.body_start + fault.offset as usize;
                    assert_eq!(malformed.position.line, line_of(self.text, offset));
                    assert_eq!(malformed.position.record, record.number);
                    assert!(malformed.position.column > 0 && malformed.position.line >= record.line);
                }
                (puzzle, fault) => panic!("{} and {fault:?}", puzzle.is_ok()),
            }
        }
    }

    /// Checks that puzzles are unchanged if they are written as lines and read again.
    fn assert_written_is_read<P: AnyPuzzle>(&self, format: &dyn Format<P>, body: &[u8]) {
        let mut batch = Batch::default();
        format.read(body, &mut batch);
        let lines: Vec<Vec<u8>> = batch.puzzles.iter().map(written).collect();
        let mut again = Batch::default();
        LineFormat(P::reader(self.layout)).read(&[&lines.join(&b'\n')[..], b"\n"].concat(), &mut again);
        assert!(again.records.iter().all(|record| record.fault.is_none()));
        let shapes = |batch: &Batch<P>| batch.puzzles.iter().map(P::shape).collect::<Vec<_>>();
        // Shapes are compared only if the file has one shape, because a line of another size may be read with
        // another shape.
        if self.layout.shape.is_some() {
            assert_eq!(shapes(&again), shapes(&batch));
        }
        assert_eq!(again.puzzles.iter().map(written).collect::<Vec<_>>(), lines);
    }
}

/// A record, in a form that does not depend on where its chunk begins.
#[derive(Clone, PartialEq, Eq)]
pub struct Seen {
    range: Range<usize>,
    text: Vec<u8>,
    first_cell: usize,
    echo: String,
    fault: Option<Fault>,
    puzzle: Vec<u8>,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Seen { range, first_cell, echo, fault, .. } = self;
        let text = String::from_utf8_lossy(&self.text[..self.text.len().min(300)]);
        write!(f, "{range:?} {text:?} {first_cell} {echo} {fault:?}")
    }
}

/// Reads a chunk that begins at `start`.
fn read<P: AnyPuzzle>(format: &dyn Format<P>, chunk: &[u8], start: usize) -> Vec<Seen> {
    let mut batch = Batch::default();
    format.read(chunk, &mut batch);
    let readable = batch.records.iter().filter(|record| record.fault.is_none()).count();
    assert_eq!(readable, batch.puzzles.len(), "a puzzle for each record that could be read");
    let seen = |(record, read): (&Record, Option<(usize, &P)>)| {
        let begin = start + record.start as usize;
        Seen {
            range: begin..begin + record.len as usize,
            text: record.text(chunk).to_vec(),
            first_cell: start + record.first_cell(),
            echo: format!("{:?}", record.echo),
            fault: record.fault.map(|fault| Fault { offset: fault.offset + start as u32, ..fault }),
            puzzle: read.map(|(_, puzzle)| written(puzzle)).unwrap_or_default(),
        }
    };
    batch.iter().map(seen).collect()
}

fn assert_in_order(records: &[Seen], len: usize) {
    let mut end = 0;
    for record in records {
        let Range { start, end: stop } = record.range;
        assert!(end <= start && stop <= len, "{record:?} behind {end} in {len} bytes");
        assert!(record.first_cell <= stop.max(start), "{record:?}");
        if let Some(fault) = record.fault {
            assert!(fault.offset as usize <= len && fault.offset as usize >= start, "{record:?}");
        }
        end = stop;
    }
}

/// Checks that a text has the same records if it is cut into windows.
fn assert_cuts_do_not_matter<P: AnyPuzzle>(
    format: &dyn Format<P>,
    text: &[u8],
    window: usize,
    whole: &[Seen],
) {
    // The window has a smallest size, because otherwise a long text would be read again for every few bytes.
    let window = window.max(text.len() / 100);
    let (mut parts, mut start, mut size) = (Vec::new(), 0, window);
    while start < text.len() {
        let end = (start + size).min(text.len());
        let cut = if end == text.len() { end - start } else { format.complete_len(&text[start..end]) };
        assert!(cut <= end - start);
        if cut == 0 {
            size += window;
            continue;
        }
        parts.extend(read(format, &text[start..start + cut], start));
        (start, size) = (start + cut, window);
    }
    assert_eq!(parts, whole, "in windows of {window}");
}

/// For formats with a record on each line, checks that every line is a record, except blank ones and
/// comments.
fn assert_every_line_counts(format: &str, text: &[u8], records: usize) {
    let lines = text.split(|&byte| byte == b'\n');
    let is_record = |line: &&[u8]| {
        let beginning = &line[..line.len().min(MAX_RECORD)];
        match beginning.trim_ascii_start().first() {
            None => line.len() > MAX_RECORD + 1,
            Some(first) => *first != b'#',
        }
    };
    if ["line", "bank", "hodoku", "jsonl"].contains(&format) {
        assert_eq!(lines.filter(is_record).count(), records, "{format}");
    }
}

/// The line of an offset, from 1.
fn line_of(text: &[u8], offset: usize) -> u64 {
    1 + text[..offset].iter().filter(|&&byte| byte == b'\n').count() as u64
}

/// Whether a text is that of a record. For a record that is too long, only its beginning is compared.
fn is_text_of(text: &[u8], seen: &Seen) -> bool {
    let is_too_long = |fault: Fault| matches!(fault.kind, FaultKind::TooLong { .. });
    match seen.fault.is_some_and(is_too_long) {
        true => text.len() >= MAX_RECORD && seen.text.starts_with(text),
        false => text == seen.text,
    }
}
