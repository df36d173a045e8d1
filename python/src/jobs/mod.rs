//! The functions of the package, a file each.

pub(crate) mod solve;
