//! Tests reading, the pipeline and outputs through the public interface.

#[path = "../../../../tests/common/mod.rs"]
mod common;

mod destination;
mod pipeline;
mod records;
