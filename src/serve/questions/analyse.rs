//! TODO

use serde::Deserialize;

use crate::serve::refusal::Refusal;
use crate::serve::reply::Reply;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::serve) struct Analyse {}

impl Analyse {
    pub(in crate::serve) fn answer(self, _: &Reply) -> Result<(), Refusal> {
        Err(Refusal::bad("not there yet"))
    }
}
