//! One record, for the grid of the page.

use serde::{Deserialize, Serialize};

use super::Collection;
use crate::questions::PageGrid;
use crate::refusal::Refusal;

/// The most bytes of its text that are shown.
const TEXT_BYTES: usize = 1 << 16;

/// A request for a record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneRecord {
    row: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct RecordAnswer {
    grid: PageGrid,
    text: String,
    number: u32,
    file: u16,
    line: u32,
}

impl Collection {
    /// Returns a record as a grid, and as it is written.
    pub(crate) fn record(&self, question: &OneRecord) -> Result<RecordAnswer, Refusal> {
        let _request = self.begin_request();
        let row = u32::try_from(question.row).unwrap_or(u32::MAX);
        let mut known = self.known(&[row]);
        let mut answer = Err(Refusal::bad(format!("there is no row {}", question.row)));
        self.with_spans(&mut known, |collection, span, read| {
            let (_, entry) = span[0];
            let number = collection.number_of(row, &entry);
            let text = String::from_utf8_lossy(&read.text[..read.text.len().min(TEXT_BYTES)]);
            if let Some(fault) = read.records.records()[0].fault {
                let (name, advice) =
                    (&collection.file_of(&entry).name, (collection.wording.advice)(fault.kind));
                let message = format!("{name}: record {number}: malformed: {}{advice}", fault.kind);
                return Err(Refusal::bad(message));
            }
            let grid = read.records.grid(0).expect("a record without a fault has a puzzle")?;
            let text = text.trim_end().to_owned();
            answer = Ok(RecordAnswer { grid, text, number, file: entry.file, line: entry.line });
            Ok(())
        })?;
        answer
    }
}
