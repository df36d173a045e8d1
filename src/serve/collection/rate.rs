//! The request that begins or ends the rating of all puzzles.

use serde::{Deserialize, Serialize};

use super::Collection;
use crate::serve::refusal::Refusal;

/// A request to begin or end it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::serve) struct Rate {
    on: bool,
}

/// An answer that says no more than that it was done.
#[derive(Debug, Serialize)]
pub(in crate::serve) struct Done {}

impl Collection {
    /// Begins or ends the rating of all proper puzzles in the background.
    pub(in crate::serve) fn rate(&self, question: &Rate) -> Result<Done, Refusal> {
        self.switch_rating(question.on);
        Ok(Done {})
    }
}
