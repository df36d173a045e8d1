//! The memory that finders use and keep from one state to the next.

/// Buffers of the finders, made once for a thread.
#[derive(Debug, Default)]
pub struct Scratch {}
