//! The state of the collection, as the page shows it.

use std::sync::atomic::Ordering;

use gridmill_data::text::Layout;
use serde::Serialize;

use super::Collection;
use super::file::{File, Told};

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

impl Collection {
    /// Returns the state: of the records, those of files that can be read are counted.
    pub(crate) fn state(&self) -> State {
        // First, so that a change meanwhile is seen the next time.
        let revision = self.revision();
        let sum = |count: fn(&File) -> u32| {
            let readable = self.files.iter().filter(|file| !file.is_broken());
            readable.map(|file| u64::from(count(file))).sum()
        };
        State {
            records: sum(|file| file.records.load(Ordering::Acquire)),
            is_indexed: self.is_indexed.load(Ordering::Acquire),
            solved: sum(|file| file.solved.load(Ordering::Acquire)),
            rated: sum(|file| file.rated.load(Ordering::Acquire)),
            is_rating: self.is_rating(),
            revision,
            error: super::lock(&self.error).clone(),
            files: self.files.iter().map(FileState::of).collect(),
        }
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
