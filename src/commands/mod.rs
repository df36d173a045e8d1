//! The commands: a file each, or one for two that are alike, with their arguments and their runs.

pub(super) mod bench;
pub(super) mod candidates;
pub(super) mod canon;
pub(super) mod convert;
pub(super) mod count;
pub(super) mod dedupe;
pub(super) mod enumerate;
pub(super) mod explain;
pub(super) mod generate;
pub(super) mod matrix;
pub(super) mod minimal;
pub(super) mod overlap;
pub(super) mod rate;
pub(super) mod select;
#[cfg(feature = "serve")]
pub(super) mod serve;
pub(super) mod shuffle;
pub(super) mod solve;
pub(super) mod split;
pub(super) mod stats;
pub(super) mod verify;
