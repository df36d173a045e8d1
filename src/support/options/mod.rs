//! Options that commands share, and the values of options.

pub(crate) mod engine;
pub(crate) mod given;
pub(crate) mod predicate;
pub(crate) mod rating;
pub(crate) mod values;
