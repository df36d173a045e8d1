//! The state of the collection, as the page shows it, and pictures of what is known of its records.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use gridmill_data::text::Layout;
use gridmill_report::{Counts, Picture, RecordFigures, pictures};
use serde::{Deserialize, Serialize};

use super::entry::{Entry, Field, Pass};
use super::file::{File, Told};
use super::filter::Filter;
use super::{Collection, given_up, lock};
use crate::reply::Refusal;

/// How far the collection is known.
#[derive(Debug, Serialize)]
pub(crate) struct State {
    files: Vec<FileState>,
    records: u64,
    is_indexed: bool,
    solved: u64,
    rated: u64,
    is_rating: bool,
    revision: u64,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct FileState {
    name: String,
    format: Option<&'static str>,
    kind: Option<String>,
    bytes: u64,
    records: u32,
    note: Option<String>,
    error: Option<String>,
}

/// A request for pictures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pictures {
    #[serde(default)]
    filter: Filter,
}

/// A picture of each field.
#[derive(Debug, Serialize)]
pub(crate) struct PicturesAnswer {
    pictures: Vec<Picture>,
}

impl Collection {
    /// Returns the state: of the records, those of files that can be read are counted.
    pub(crate) fn state(&self) -> State {
        // First, so that a change meanwhile is seen the next time.
        let revision = self.revision();
        let sum = |count: fn(&File) -> &AtomicU32| {
            let readable = self.files.iter().filter(|file| !file.is_broken());
            readable.map(|file| u64::from(count(file).load(Ordering::Acquire))).sum()
        };
        State {
            records: sum(|file| &file.records),
            is_indexed: self.is_indexed.load(Ordering::Acquire),
            solved: sum(|file| &file.known[Pass::Search as usize]),
            rated: sum(|file| &file.known[Pass::Rate as usize]),
            is_rating: self.is_rating(),
            revision,
            error: lock(&self.error).clone(),
            files: self.files.iter().map(FileState::of).collect(),
        }
    }

    /// Returns pictures of all records that can be read, and of those that pass a filter.
    pub(crate) fn pictures(&self, question: &Pictures, stop: &AtomicBool) -> Result<PicturesAnswer, Refusal> {
        let conditions = question.filter.check(self.files.len())?;
        let (mut all, mut shown) = (Counts::default(), Counts::default());
        for rows in self.readable_ranges()? {
            self.index.visit(rows, |_, entries| {
                for entry in entries {
                    let figures = figures(entry);
                    all.add(&figures);
                    if conditions.admit(entry) {
                        shown.add(&figures);
                    }
                }
                !stop.load(Ordering::Relaxed)
            });
        }
        if stop.load(Ordering::Relaxed) {
            return Err(given_up());
        }
        Ok(PicturesAnswer { pictures: pictures(&all, Some(&shown)) })
    }
}

impl FileState {
    fn of(file: &File) -> FileState {
        let Told { note, error } = file.told();
        let layout = file.content.as_ref().map(|content| &content.layout);
        FileState {
            name: file.name.clone(),
            format: layout.map(Layout::format_name),
            kind: layout.map(|layout| layout.kind().to_string()),
            bytes: file.text_bytes(),
            records: if file.is_broken() { 0 } else { file.records.load(Ordering::Acquire) },
            note,
            error,
        }
    }
}

/// Returns what is known of a record.
fn figures(entry: &Entry) -> RecordFigures {
    let number = |field| entry.number(field).map(u64::from);
    RecordFigures {
        status: entry.status,
        clues: number(Field::Clues).map(|clues| clues as u16),
        symmetries: entry.is_puzzle().then_some(entry.symmetries),
        guesses: number(Field::Guesses),
        nanos: number(Field::TimeNs),
        er: entry.rating.er(),
    }
}
