//! TODO

use serde::Deserialize;

use crate::serve::refusal::Refusal;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::serve) struct Minimize {}

impl Minimize {
    pub(in crate::serve) fn answer(self, _: &std::sync::atomic::AtomicBool) -> Result<(), Refusal> {
        Err(Refusal::bad("not there yet"))
    }
}
