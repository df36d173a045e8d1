//! The request that begins or ends the rating of all puzzles.

use serde::{Deserialize, Serialize};

use super::Collection;
use crate::refusal::Refusal;

/// A request to begin or end it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rate {
    on: bool,
}

/// An answer that says no more than that it was done.
#[derive(Debug, Serialize)]
pub(crate) struct Done {}

impl Collection {
    /// Begins or ends the rating of all proper puzzles in the background.
    pub(crate) fn rate(&self, question: &Rate) -> Result<Done, Refusal> {
        self.switch_rating(question.on);
        Ok(Done {})
    }
}
