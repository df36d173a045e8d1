//! TODO

use serde::Deserialize;

use crate::serve::refusal::Refusal;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::serve) struct Read {}

impl Read {
    pub(in crate::serve) fn answer(self) -> Result<(), Refusal> {
        Err(Refusal::bad("not there yet"))
    }
}
