//! The pipeline through its public interface: how it cuts its input, numbers and orders its output, and how
//! it ends.

mod claims;
mod engines;
mod failures;
mod numbers;
mod order;
mod panics;
mod pieces;
pub(crate) mod scripted;
