//! Rows as a table of what is known of them.

use super::{Download, PIECE, RowWriter};
use crate::collection::Collection;
use crate::collection::span::{KnownRow, ReadSpan};
use crate::refusal::Refusal;
use gridmill_core::jobs::Status;

const COLUMNS: [&str; 9] = ["row", "file", "record", "puzzle", "clues", "status", "guesses", "time_ns", "er"];

/// Writes CSV. What is not known is empty.
pub(super) struct TableWriter;

impl RowWriter for TableWriter {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(COLUMNS.join(",").as_bytes());
        out.push(b'\n');
    }

    fn add(
        &mut self,
        collection: &Collection,
        span: &mut [KnownRow],
        read: &mut ReadSpan<'_>,
        _: Option<u32>,
        download: &mut Download<'_>,
    ) -> Result<(), Refusal> {
        collection.search_span(span, read, download.reply.stop())?;
        let mut rows = csv::Writer::from_writer(&mut download.out);
        let text = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        for (place, (row, entry)) in span.iter().enumerate() {
            let fields = [
                // As the page numbers them.
                (u64::from(*row) + 1).to_string(),
                collection.file_of(entry).name.clone(),
                collection.number_of(*row, entry).to_string(),
                read.records.line(place).unwrap_or_default(),
                text(entry.known_clues().map(u32::from)),
                entry.status.map_or("", Status::name).to_owned(),
                text(entry.known_guesses()),
                text(entry.known_nanos()),
                entry.rating.er().map_or_else(String::new, |er| er.to_string()),
            ];
            rows.write_record(&fields).expect("memory takes all");
        }
        rows.flush().expect("memory takes all");
        drop(rows);
        download.pass(PIECE)
    }
}
