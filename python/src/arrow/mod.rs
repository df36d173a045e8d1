//! Arrow's columns and tables, in and out, by the protocol of capsules: no other package is needed, and nothing is copied.

pub(crate) mod import;
pub(crate) mod table;
