//! The functions of the package, and the columns that they return.

pub(crate) mod answer;
pub(crate) mod arrays;
mod columns;
pub(crate) mod generate;
pub(crate) mod same;
