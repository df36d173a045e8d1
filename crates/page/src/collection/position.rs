//! The position of a record in a view.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use super::Collection;
use super::filter::Filter;
use super::view::Sort;
use crate::refusal::Refusal;

/// A request for the position of a record.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Position {
    #[serde(default)]
    filter: Filter,
    #[serde(default)]
    sort: Sort,
    row: u64,
}

/// The position, from 0, if the record is in the view; and how many rows that has.
#[derive(Debug, Serialize)]
pub(crate) struct PositionAnswer {
    position: Option<u64>,
    total: u64,
}

impl Collection {
    /// Returns where a record is in a view.
    pub(crate) fn position(&self, question: &Position, stop: &AtomicBool) -> Result<PositionAnswer, Refusal> {
        let view = self.view(&question.filter, question.sort, stop)?;
        let row = u32::try_from(question.row).ok();
        Ok(PositionAnswer { position: row.and_then(|row| view.position(row)), total: view.total })
    }
}
