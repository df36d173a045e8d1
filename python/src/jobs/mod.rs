//! The functions of the package, a file each.

pub(crate) mod augment;
pub(crate) mod canon;
pub(crate) mod cells;
pub(crate) mod count;
pub(crate) mod generate;
pub(crate) mod keys;
pub(crate) mod minimize;
pub(crate) mod rate;
pub(crate) mod same;
pub(crate) mod solve;
pub(crate) mod verify;
