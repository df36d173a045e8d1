//! The commands: a file each, with its arguments and its run.

pub(super) mod bench;
pub(super) mod candidates;
pub(super) mod canon;
pub(super) mod check;
pub(super) mod convert;
pub(super) mod count;
pub(super) mod dedupe;
pub(super) mod enumerate;
pub(super) mod explain;
pub(super) mod generate;
pub(super) mod hint;
pub(super) mod matrix;
pub(super) mod minimal;
pub(super) mod minimize;
pub(super) mod overlap;
pub(super) mod rate;
pub(super) mod select;
#[cfg(feature = "serve")]
pub(super) mod serve;
pub(super) mod shell;
pub(super) mod shuffle;
pub(super) mod solve;
pub(super) mod split;
pub(super) mod stats;
pub(super) mod verify;
