//! Pictures of what is known of the records.

use std::sync::atomic::{AtomicBool, Ordering};

use gridmill_report::{Counts, Picture, RecordFigures, pictures};
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::filter::Filter;
use super::{Collection, given_up};
use crate::refusal::Refusal;

/// A request for pictures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pictures {
    #[serde(default)]
    filter: Filter,
}

/// A picture of each field, and how many records there are: those of the filter, and all.
#[derive(Debug, Serialize)]
pub(crate) struct PicturesAnswer {
    pictures: Vec<Picture>,
    shown: u64,
    known: u64,
}

impl Collection {
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
        let pictures = pictures(&all, Some(&shown));
        Ok(PicturesAnswer { pictures, shown: shown.records(), known: all.records() })
    }
}

/// Returns what is known of a record.
fn figures(entry: &Entry) -> RecordFigures {
    RecordFigures {
        status: entry.status,
        clues: entry.known_clues(),
        symmetries: entry.is_puzzle().then_some(entry.symmetries),
        guesses: entry.known_guesses().map(u64::from),
        nanos: entry.known_nanos().map(u64::from),
        er: entry.rating.er(),
    }
}
