//! Reading, the pipeline and outputs, as programs use them.

#[path = "../../../../tests/common/mod.rs"]
mod common;

mod destination;
mod pipeline;
mod records;
mod text;
