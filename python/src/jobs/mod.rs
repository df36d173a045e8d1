//! The functions of the package, a file each.

pub(crate) mod answer;
pub(crate) mod augment;
pub(crate) mod cells;
pub(crate) mod generate;
pub(crate) mod keys;
pub(crate) mod same;
pub(crate) mod verify;
