//! The commands, with their arguments. Each has a file, which it may share with similar ones.

pub(super) mod bench;
pub(super) mod book;
pub(super) mod canon;
pub(super) mod collections;
pub(super) mod convert;
pub(super) mod explain;
pub(super) mod generate;
pub(super) mod hunt;
pub(super) mod minimal;
pub(super) mod neighbors;
pub(super) mod select;
#[cfg(feature = "serve")]
pub(super) mod serve;
pub(super) mod solve;
pub(super) mod verify;
