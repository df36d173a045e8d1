//! Records as they stand in their files.

use std::sync::atomic::Ordering;

use gridmill_data::text::{Layout, end_of_upper, is_rule};

use super::{Download, PIECE, RowWriter};
use crate::collection::Collection;
use crate::collection::entry::Entry;
use crate::collection::file::File;
use crate::collection::span::{KnownRow, ReadSpan, lines_of_all};
use crate::reply::Refusal;

/// The most bytes between two records that are kept: titles and frames, and no more.
const BETWEEN: u64 = 1 << 16;

/// Writes the lines of records, below the header of their files. Puzzles in rows keep their frames, titles and the blank
/// lines between them: of the text between two records, the part up to the first blank line goes with the record above, and
/// the rest with the one below.
pub(super) struct RecordWriter<'a> {
    header: Option<&'a [u8]>,
    keeps_between: bool,
    /// The row that was written last.
    last: Option<u32>,
}

impl<'a> RecordWriter<'a> {
    pub(super) fn new(layout: Option<&'a Layout>) -> RecordWriter<'a> {
        let header = layout.and_then(|layout| layout.header.as_ref()).filter(|header| header.is_written);
        RecordWriter {
            header: header.map(|header| &header.text[..]),
            keeps_between: layout.is_some_and(|layout| layout.format_name() == "grid"),
            last: None,
        }
    }

    /// Appends what belongs to a record of the text in front of it.
    fn put_front(&self, around: &Around, is_behind_its_neighbour: bool, out: &mut Vec<u8>) {
        let (above, below) = around.front.split_at(end_of_upper(&around.front));
        // A single rule between two frames is the edge of both.
        let is_edge_of_both = below.is_empty() && !is_behind_its_neighbour && is_rule(above);
        out.extend_from_slice(if is_edge_of_both { above } else { below });
    }

    /// Appends what belongs to a record of the text behind it; and a blank line, where another record than its neighbour is
    /// to be told apart from it.
    fn put_behind(&self, around: &Around, is_apart: bool, is_whole: bool, out: &mut Vec<u8>) {
        let end = if around.is_last { around.behind.len() } else { end_of_upper(&around.behind) };
        out.extend_from_slice(&around.behind[..end]);
        end_line(out);
        let has_blank =
            around.behind[..end].split(|&byte| byte == b'\n').any(|line| line.trim_ascii().is_empty());
        if is_apart && (around.is_last || !is_whole) && !(has_blank && end > 0) {
            out.push(b'\n');
        }
    }
}

impl RowWriter for RecordWriter<'_> {
    fn begin(&mut self, out: &mut Vec<u8>) {
        if let Some(header) = self.header {
            out.extend_from_slice(header);
            out.push(b'\n');
        }
    }

    fn add(
        &mut self,
        collection: &Collection,
        span: &mut [KnownRow],
        read: &mut ReadSpan<'_>,
        next: Option<u32>,
        download: &mut Download<'_>,
    ) -> Result<(), Refusal> {
        let file = collection.file_of(&span[0].1);
        if !read.is_whole {
            return put_long(file, &span[0].1, download);
        }
        let lines: Vec<_> = lines_of_all(read.text, read.records.records()).collect();
        for (place, ((row, entry), lines)) in span.iter().zip(lines).enumerate() {
            let around = match self.keeps_between {
                true => Some(Around::of(collection, file, *row, entry)?),
                false => None,
            };
            if let Some(around) = &around {
                let is_behind_its_neighbour =
                    row.checked_sub(1).is_some_and(|above| self.last == Some(above));
                self.put_front(around, is_behind_its_neighbour, &mut download.out);
            }
            download.out.extend_from_slice(&read.text[lines]);
            end_line(&mut download.out);
            if let Some(around) = &around {
                let following = span.get(place + 1).map(|(row, _)| *row).or(next);
                let is_apart = following.is_some_and(|following| following != row + 1);
                let is_whole = read.records.records()[place].fault.is_none();
                self.put_behind(around, is_apart, is_whole, &mut download.out);
            }
            self.last = Some(*row);
        }
        download.pass(PIECE)
    }
}

/// The text around a record.
struct Around {
    front: Vec<u8>,
    behind: Vec<u8>,
    /// Whether there is no record behind it.
    is_last: bool,
}

impl Around {
    fn of(collection: &Collection, file: &File, row: u32, entry: &Entry) -> Result<Around, Refusal> {
        let neighbour = |row: Option<u32>| {
            let neighbour = row.and_then(|row| collection.index.get(row));
            neighbour.filter(|neighbour| neighbour.file == entry.file)
        };
        let end_of = |entry: &Entry| entry.position + u64::from(entry.len);
        let body = file.content.as_ref().map_or(0, |content| content.layout.body as u64);
        let above = neighbour(row.checked_sub(1)).map_or(body, |above| end_of(&above));
        // First: what is found meanwhile is seen below.
        let is_indexed = file.is_indexed.load(Ordering::Acquire);
        let below = neighbour(row.checked_add(1));
        let end = end_of(entry);
        let behind = match &below {
            Some(below) => below.position,
            None if is_indexed => file.text_bytes(),
            // Records may follow that nobody has found yet.
            None => end,
        };
        Ok(Around {
            front: text(file, above.max(entry.position.saturating_sub(BETWEEN)), entry.position)?,
            behind: text(file, end, behind.min(end + BETWEEN))?,
            is_last: below.is_none(),
        })
    }
}

fn text(file: &File, from: u64, to: u64) -> Result<Vec<u8>, Refusal> {
    let mut text = vec![0; to.saturating_sub(from) as usize];
    file.read(from, &mut text)?;
    Ok(text)
}

/// Sends a record that is too long to be held.
fn put_long(file: &File, entry: &Entry, download: &mut Download<'_>) -> Result<(), Refusal> {
    let end = entry.position + u64::from(entry.len);
    let mut from = entry.position;
    while from < end {
        let to = end.min(from + PIECE as u64);
        download.out.extend(text(file, from, to)?);
        download.pass(PIECE)?;
        from = to;
    }
    end_line(&mut download.out);
    Ok(())
}

/// Ends the last line, if it has no end.
fn end_line(out: &mut Vec<u8>) {
    if out.last().is_some_and(|&last| last != b'\n') {
        out.push(b'\n');
    }
}
